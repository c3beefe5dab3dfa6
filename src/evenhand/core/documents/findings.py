"""The results of checks and expectations to and from the fields of a scorecard's document. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from typing import Any, get_args

from evenhand.core.basics.canonical import canonical_text
from evenhand.core.basics.methodology import DIMENSIONS
from evenhand.core.basics.numbers import plain
from evenhand.core.documents.kinds import malformed, table
from evenhand.core.method.bounds import finding_id
from evenhand.core.values.finding import Bound, Checked, Expected, Finding, Lifted, Severity
from evenhand.core.values.submission import Place


def findings_json(findings: tuple[Finding, ...]) -> str:
    """The published list of findings, each with its id."""
    return canonical_text([_finding(finding) for finding in findings])


def _finding(finding: Finding) -> dict[str, Any]:
    return {
        "id": finding_id(finding),
        "check": finding.check,
        "dimension": finding.dimension,
        "severity": finding.severity,
        "message": finding.message,
        "precise": finding.precise,
        **({"red_flag": finding.flag} if finding.flag else {}),
        **({"quote": finding.quote, "verified": finding.verified} if finding.quote else {}),
        **_place(finding.place, finding.line, finding.offset),
    }


def _place(place: Place | None, line: int | None, offset: int | None) -> dict[str, Any]:
    if place is not None:
        return {"source": place.file, **({} if place.line is None else {"source_line": place.line})}
    return {name: value for name, value in (("line", line), ("offset", offset)) if value is not None}


def findings_from(value: Any, where: str) -> tuple[Finding, ...]:
    """Findings from their published form."""
    return tuple(_read_finding(row, f"{where}.{place}") for place, row in enumerate(_rows(value, where)))


def _read_finding(row: Mapping[str, Any], where: str) -> Finding:
    try:
        finding = Finding(
            check=row["check"],
            dimension=row["dimension"],
            severity=row["severity"],
            message=row["message"],
            quote=row.get("quote", ""),
            place=_read_place(row),
            offset=row.get("offset"),
            line=row.get("line"),
            verified=row.get("verified"),
            precise=row["precise"],
            flag=row.get("red_flag", ""),
        )
    except KeyError as error:
        raise malformed(where, f"a finding with its {error.args[0]}") from None
    texts = (finding.check, finding.message, finding.quote, finding.flag)
    known = finding.dimension in DIMENSIONS and finding.severity in (None, *get_args(Severity))
    if not known or not all(isinstance(text, str) for text in texts) or not isinstance(finding.precise, bool):
        raise malformed(where, "a finding as it was written")
    return finding


def _read_place(row: Mapping[str, Any]) -> Place | None:
    return Place(row["source"], row.get("source_line")) if "source" in row else None


def expectations_json(expectations: tuple[Expected, ...]) -> str:
    """The published list of expectations with their results."""
    return canonical_text(
        [
            {
                "expectation": expected.words,
                "result": expected.result,
                "dimension": expected.dimension,
                "severity": expected.severity,
                "message": expected.message,
                **({"quote": expected.quote} if expected.quote else {}),
                **_place(expected.place, None, expected.offset),
            }
            for expected in expectations
        ]
    )


def expectations_read(value: Any, where: str) -> tuple[Expected, ...]:
    """Expectations from their published form."""
    return tuple(_read_expected(row, f"{where}.{place}") for place, row in enumerate(_rows(value, where)))


def _read_expected(row: Mapping[str, Any], where: str) -> Expected:
    try:
        expected = Expected(
            words=row["expectation"],
            result=row["result"],
            dimension=row["dimension"],
            severity=row["severity"],
            message=row["message"],
            quote=row.get("quote", ""),
            place=_read_place(row),
            offset=row.get("offset"),
        )
    except KeyError as error:
        raise malformed(where, f"an expectation with its {error.args[0]}") from None
    known = expected.dimension in DIMENSIONS and expected.severity in get_args(Severity)
    if not known or expected.result not in ("met", "unmet", "undecided"):
        raise malformed(where, "an expectation as it was written")
    return expected


def lifted_json(lifted: tuple[Lifted, ...]) -> str:
    """The published list of findings that no longer count."""
    return canonical_text([entry._asdict() for entry in lifted])


def lifted_from(value: Any, where: str) -> tuple[Lifted, ...]:
    """Lifted findings from their published form."""
    try:
        return tuple(Lifted(row["finding"], row["by"], row["reason"]) for row in _rows(value, where))
    except KeyError as error:
        raise malformed(where, f"a list of objects with {error.args[0]}") from None


def bounds_json(bounds: Mapping[str, Bound]) -> str:
    """The published bounds by dimension."""
    return canonical_text(
        {name: {"at_most": plain(bound.at_most), "checks": list(bound.checks)} for name, bound in bounds.items()}
    )


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


def _rows(value: Any, where: str) -> list[dict[str, Any]]:
    if not isinstance(value, list):
        raise malformed(where, "a list")
    return [table(row, f"{where}.{place}") for place, row in enumerate(value)]
