"""A suite's run and its results as documents, and back. Pure. What is read is checked field by field."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal, InvalidOperation
from typing import Any, get_args

from evenhand.core.documents.preferences import preference_document, preferences_from
from evenhand.core.values.agent_run import CaseResult, Outcome, RunId
from evenhand.core.values.suite import SuiteGate
from evenhand.core.values.suite_run import SuiteRun
from evenhand.errors import DocumentError, Problem

RUN_SCHEMA = "evenhand/suite-run/v1"
RESULT_SCHEMA = "evenhand/suite-result/v1"

_NUMBERS = ("seconds", "cost", "judging_cost")
_LIMITS = ("margin", "min_score", "max_failed")


def run_document(run: SuiteRun) -> dict[str, Any]:
    """The head of a file of results."""
    gate = None
    if run.gate is not None:
        gate = {
            name: None if value is None else str(value) if name in _LIMITS else value
            for name, value in run.gate._asdict().items()
        }
    fields = run._asdict()
    del fields["pairs"]
    document = {
        "schema": RUN_SCHEMA,
        **fields,
        "variants": list(run.variants),
        "judges": list(run.judges),
        "gate": gate,
        "notes": list(run.notes),
        "watched": _text(run.watched),
    }
    return document if run.pairs is None else document | {"pairs": preference_document(run.pairs)}


def result_document(result: CaseResult) -> dict[str, Any]:
    """One run with its judgement in numbers. Numbers in hundredths are whole; others are decimal text."""
    document: dict[str, Any] = {
        "schema": RESULT_SCHEMA,
        "case": result.id.case,
        "variant": result.id.variant,
        "repeat": result.id.repeat,
        "outcome": result.outcome,
        "reason": result.reason,
        "tags": list(result.tags),
        "weight": str(result.weight),
        "final": result.final,
        "low": result.low,
        "high": result.high,
        "grade": result.grade,
        "dimensions": dict(result.dimensions),
        "met": result.met,
        "expectations": result.expectations,
        "faults": [list(fault) for fault in result.faults],
        "evaluation": result.evaluation,
        "unscored": result.unscored,
        "tokens": result.tokens,
        "key": result.key,
        "notes": list(result.notes),
    }
    return document | {name: _text(getattr(result, name)) for name in _NUMBERS}


def run_from(document: Any) -> SuiteRun:
    """The head of a file of results; DocumentError when it is not one."""
    _expect(document, RUN_SCHEMA)
    gate = document.get("gate")
    names = ("id", "suite", "sha256", "created", "reference")
    return SuiteRun(
        **{name: _typed(document, name, str) for name in names},
        variants=_texts(document, "variants"),
        repeats=_typed(document, "repeats", int),
        cases=_typed(document, "cases", int),
        skill=_maybe(document, "skill", str),
        judges=_texts(document, "judges"),
        gate=None if gate is None else _gate(gate),
        notes=_texts(document, "notes"),
        watched=_number(document, "watched"),
        pairs=None if document.get("pairs") is None else preferences_from(document["pairs"]),
    )


def result_from(document: Any) -> CaseResult:
    """One result; DocumentError when it is not one."""
    _expect(document, RESULT_SCHEMA)
    outcome = _typed(document, "outcome", str)
    if outcome not in get_args(Outcome):
        raise _malformed("outcome", f"one of: {', '.join(get_args(Outcome))}")
    dimensions = _typed(document, "dimensions", dict)
    if not all(value is None or _is_whole(value) for value in dimensions.values()):
        raise _malformed("dimensions", "an object of whole numbers in hundredths")
    faults = _typed(document, "faults", list)
    if not all(map(_is_fault, faults)):
        raise _malformed("faults", "a list of pairs of check and severity")
    weight = _number(document, "weight")
    if weight is None or weight <= 0:
        raise _malformed("weight", "a number above 0, as text")
    return CaseResult(
        id=RunId(_typed(document, "case", str), _typed(document, "variant", str), _typed(document, "repeat", int)),
        outcome=outcome,
        tags=_texts(document, "tags"),
        weight=weight,
        dimensions=tuple(dimensions.items()),
        faults=tuple((check, severity) for check, severity in faults),
        **{name: _typed(document, name, str) for name in ("reason", "unscored", "key")},
        **{name: _typed(document, name, int) for name in ("met", "expectations")},
        **{name: _maybe(document, name, int) for name in ("final", "low", "high", "tokens")},
        **{name: _maybe(document, name, str) for name in ("grade", "evaluation")},
        seconds=_number(document, "seconds"),
        cost=_number(document, "cost"),
        judging_cost=_number(document, "judging_cost"),
        notes=_texts({"notes": [], **document}, "notes"),  # results of earlier versions have none
    )


def _gate(value: Any) -> SuiteGate:
    if not isinstance(value, dict):
        raise _malformed("gate", "an object or null")
    margin = _number(value, "margin")
    return SuiteGate(
        baseline=_maybe(value, "baseline", str),
        margin=SuiteGate().margin if margin is None else margin,
        min_score=_number(value, "min_score"),
        max_failed=_number(value, "max_failed"),
        no_fault=_maybe(value, "no_fault", str),
    )


def _expect(document: Any, schema: str) -> None:
    if not isinstance(document, dict) or document.get("schema") != schema:
        raise DocumentError(f'"schema" must be "{schema}"')


def _typed(document: Mapping[str, Any], name: str, kind: type) -> Any:
    value = document.get(name)
    if not isinstance(value, kind) or isinstance(value, bool):
        raise _malformed(name, {str: "text", int: "a whole number", dict: "an object", list: "a list"}[kind])
    return value


def _maybe(document: Mapping[str, Any], name: str, kind: type) -> Any:
    return None if document.get(name) is None else _typed(document, name, kind)


def _texts(document: Mapping[str, Any], name: str) -> tuple[str, ...]:
    values = _typed(document, name, list)
    if not all(isinstance(value, str) for value in values):
        raise _malformed(name, "a list of texts")
    return tuple(values)


def _number(document: Mapping[str, Any], name: str) -> Decimal | None:
    value = document.get(name)
    if value is None:
        return None
    try:
        number = Decimal(value) if isinstance(value, str) else None
    except InvalidOperation:
        number = None
    if number is None or not number.is_finite():
        raise _malformed(name, "a decimal number as text, or null")
    return number


def _text(number: Decimal | None) -> str | None:
    return None if number is None else str(number)


def _is_fault(value: Any) -> bool:
    return isinstance(value, list) and len(value) == 2 and all(isinstance(part, str) for part in value)


def _is_whole(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _malformed(name: str, valid: str) -> DocumentError:
    return DocumentError(Problem(f"{name} must be {valid}", path=(name,)))
