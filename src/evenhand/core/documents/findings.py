"""The results of checks and expectations to and from the fields of a scorecard's document. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from evenhand.core.basics.canonical import canonical_text
from evenhand.core.documents.records import document_of, records_from
from evenhand.core.method.bounds import finding_id
from evenhand.core.values.finding import Bound, Checked, Expected, Finding, Lifted


def findings_json(findings: tuple[Finding, ...]) -> str:
    """The published list of findings, each with its id."""
    return canonical_text([{"id": finding_id(finding), **document_of(finding)} for finding in findings])


def findings_from(value: Any, where: str) -> tuple[Finding, ...]:
    """Findings from their published form."""
    return records_from(Finding, value, "scorecard", where)


def expectations_json(expectations: tuple[Expected, ...]) -> str:
    """The published list of expectations with their results."""
    return canonical_text([*map(document_of, expectations)])


def expectations_read(value: Any, where: str) -> tuple[Expected, ...]:
    """Expectations from their published form."""
    return records_from(Expected, value, "scorecard", where)


def lifted_json(lifted: tuple[Lifted, ...]) -> str:
    """The published list of findings that no longer count."""
    return canonical_text([*map(document_of, lifted)])


def lifted_from(value: Any, where: str) -> tuple[Lifted, ...]:
    """Lifted findings from their published form."""
    return records_from(Lifted, value, "scorecard", where)


def bounds_json(bounds: Mapping[str, Bound]) -> str:
    """The published bounds by dimension."""
    return canonical_text({name: document_of(bound) for name, bound in bounds.items()})


def checked_from(values: Mapping[str, Any], uncapped: Mapping[str, Decimal]) -> Checked | None:
    """The results of checks and expectations, from a document's fields; None when no checks ran."""
    if values["checks"] is None:
        return None
    return Checked(
        checks=values["checks"],
        findings=values["findings"] or (),
        coverage=values["coverage"] or (),
        expectations=values["expectations"] or (),
        lifted=values["lifted"] or (),
        uncapped=uncapped,
    )
