"""A scorecard's document -> the inputs it was made from, and the scorecard computed again. Pure.

A scorecard carries its own scores, weights, flags and bonuses; everything else on it follows.
"""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from evenhand.core.basics.methodology import DIMENSIONS, METHODOLOGY_VERSION
from evenhand.core.basics.numbers import HIGHEST_SCORE, LOWEST_SCORE, cents, exact, plain
from evenhand.core.method.arithmetic import make_terms
from evenhand.core.method.scoring import score
from evenhand.core.panel.card import with_panel
from evenhand.core.values.judgement import Judgement
from evenhand.core.values.opinion import Claim, Evidence, Opinion, Unscored
from evenhand.core.values.rubric import Bonus, RedFlag, Terms
from evenhand.core.values.scorecard import Receipt, Scorecard
from evenhand.errors import NUL, DocumentError, Problem

if TYPE_CHECKING:
    from evenhand.core.values.comparison import Comparison
    from evenhand.core.values.panel import Panel

SCHEMA = "evenhand/scorecard/v1"
_NAMES = frozenset("id skill created rescored_from name sha256 methodology rubric judgement submission".split())
"""What other things are looked up by, or compared with: no free text."""


def is_scorecard(document: object) -> bool:
    """Whether a document says that it is a scorecard."""
    return isinstance(document, Mapping) and document.get("schema") == SCHEMA


def restore(document: Mapping[str, Any]) -> tuple[Scorecard, Judgement, Terms]:
    """The scorecard computed again from the inputs on its document. DocumentError when it lacks any."""
    stated = plain_numbers(document)
    if not is_scorecard(stated):
        raise DocumentError(f'not a scorecard: "schema" must be "{SCHEMA}"')
    if stated.get("methodology") != METHODOLOGY_VERSION:
        raise DocumentError(
            Problem(
                f"the scorecard follows methodology {stated.get('methodology')!r}; "
                f"this version of evenhand can recompute methodology {METHODOLOGY_VERSION!r} only",
                path=("methodology",),
            )
        )
    judgement, terms, receipt = _inputs(stated)
    card = score(
        judgement,
        terms,
        id=_text(stated, "id"),
        created=_text(stated, "created"),
        receipt=receipt,
        warnings=tuple(_texts(stated, "warnings")),
    )
    original = _text(stated, "rescored_from") if "rescored_from" in stated else None
    card = with_panel(card, judgement, terms)
    return card._replace(history=_history(stated), rescored_from=original), judgement, terms


def plain_numbers(value: Any) -> Any:
    """The document with its numbers as they are hashed; one a JSON number cannot hold becomes text, and so differs."""
    if isinstance(value, Mapping):
        return {key: plain_numbers(item) for key, item in value.items()}
    if isinstance(value, list):
        return [plain_numbers(item) for item in value]
    if isinstance(value, Decimal | float):
        try:
            number = exact(value)
        except ValueError:
            return str(value)
        if abs(number.adjusted()) > 20:
            return str(number)
        shown = plain(number)
        return shown if exact(shown) == number else str(number)
    return value


def _inputs(document: dict[str, Any]) -> tuple[Judgement, Terms, Receipt]:
    dimensions = _table(document, "dimensions")
    lines = {name: _table(dimensions, name, "dimensions.") for name in DIMENSIONS}
    weights = {name: _number(line, "weight", f"dimensions.{name}.") for name, line in lines.items()}
    if sum(weights.values()) != 1 or min(weights.values()) < 0:
        raise _malformed("dimensions", "such that the seven weights sum to exactly 1 and none is negative")
    flags = _rows(document, "red_flags")
    bonuses = _rows(document, "bonuses")
    rubric = _table(document, "rubric")
    panel, deductions = _panel(document)
    terms = make_terms(
        rubric=_text(rubric, "name", "rubric."),
        sha256=_text(rubric, "sha256", "rubric."),
        weights=weights,
        pass_mark=cents(_number(document, "pass_mark")),
        red_flags=[
            RedFlag(
                id=row["id"],
                description=_text(row, "description", "red_flags."),
                deduction=cents(_number(row, "deduction", "red_flags.")),
            )
            for row in flags
        ]
        + [RedFlag(id, "", cents(amount)) for id, amount in deductions.items() if id not in {f["id"] for f in flags}],
        bonuses=[Bonus(id=row["id"], description=_text(row, "description", "bonuses.")) for row in bonuses],
    )
    judgement = Judgement(
        opinions={
            name: Opinion(
                score=_verdict(line, f"dimensions.{name}."),
                justification=_text(line, "justification", f"dimensions.{name}."),
                evidence=_evidence(line, f"dimensions.{name}."),
            )
            for name, line in lines.items()
        },
        red_flags=tuple(_claim(row, "red_flags.") for row in flags),
        bonuses=tuple(_claim(row, "bonuses.") for row in bonuses),
        judge=_table(document, "judge"),
        skill=_text(document, "skill"),
        task=_text(document, "task") if "task" in document else None,
        output=_text(document, "output") if "output" in document else None,
        evidence_share=_number(document, "evidence_share") if "evidence_share" in document else None,
        panel=panel,
    )
    written = _table(document, "receipt")
    _table(written, "fields", "receipt.")
    submission = written.get("submission")
    receipt = Receipt(
        methodology=_text(written, "methodology", "receipt."),
        rubric=_text(written, "rubric", "receipt."),
        judgement=_text(written, "judgement", "receipt."),
        submission=None if submission is None else _text(written, "submission", "receipt."),
    )
    return judgement, terms, receipt


def _panel(document: dict[str, Any]) -> tuple[Panel | None, dict[str, Decimal]]:
    """How models came to the judgement, and what each flag takes away that one of them raised."""
    if "panel" not in document:
        return None, {}
    from evenhand.core.documents.panel import deductions_from, panel_from  # only where models judged

    stated = _table(document, "panel")
    try:
        return panel_from(stated), deductions_from(stated)
    except (KeyError, TypeError, ValueError, AttributeError, ArithmeticError):
        raise _malformed("panel", "as it was written") from None


def _history(document: dict[str, Any]) -> Comparison | None:
    """What was said of the history then; it cannot be computed again from the scorecard alone."""
    if document.get("history") is None:
        return None
    from evenhand.core.documents.history import history_from  # only where there was a store

    try:
        return history_from(document["history"])
    except (KeyError, TypeError, ValueError, AttributeError):
        raise _malformed("history", "as it was written") from None


def _verdict(line: dict[str, Any], where: str) -> Decimal | Unscored:
    if line.get("score") is None:
        return Unscored(_text(line, "unscored", where))
    number = _number(line, "score", where)
    if not LOWEST_SCORE <= number <= HIGHEST_SCORE:
        raise _malformed(f"{where}score", f"a number from {LOWEST_SCORE} to {HIGHEST_SCORE}")
    return cents(number)


def _claim(row: dict[str, Any], where: str) -> Claim:
    return Claim(
        id=row["id"], explanation=_text(row, "explanation", where), evidence=_evidence(row, f"{where}{row['id']}.")
    )


def _evidence(row: dict[str, Any], where: str) -> tuple[Evidence, ...]:
    evidence = row.get("evidence", [])
    if not isinstance(evidence, list) or not all(map(_is_evidence, evidence)):
        raise _malformed(f"{where}evidence", "a list of quotes, each verified with its line and offset or not verified")
    return tuple(
        Evidence(each["quote"], each["verified"], each.get("line"), each.get("offset"), each.get("source"))
        for each in evidence
    )


def _is_evidence(each: Any) -> bool:
    if not isinstance(each, dict) or not isinstance(each.get("quote"), str):
        return False
    if each.get("verified") is True:
        placed = type(each.get("line")) is int and type(each.get("offset")) is int
        return isinstance(each.get("source"), str) or placed
    return "verified" in each and each["verified"] in (None, False)


def _rows(document: dict[str, Any], key: str) -> list[dict[str, Any]]:
    rows = document.get(key)
    if not isinstance(rows, list) or not all(isinstance(row, dict) and isinstance(row.get("id"), str) for row in rows):
        raise _malformed(key, "a list of objects with an id")
    if len({row["id"] for row in rows}) != len(rows):
        raise _malformed(key, "a list in which no id stands twice")
    return rows


def _table(document: dict[str, Any], key: str, where: str = "") -> dict[str, Any]:
    value = document.get(key)
    if not isinstance(value, dict):
        raise _malformed(where + key, "an object")
    return value


def _text(document: dict[str, Any], key: str, where: str = "") -> str:
    value = document.get(key)
    if not isinstance(value, str):
        raise _malformed(where + key, "text")
    if "\0" in value and key in _NAMES:
        raise DocumentError(
            Problem(f"not a whole scorecard: {where}{key} {NUL}", path=tuple(f"{where}{key}".split(".")))
        )
    return value


def _texts(document: dict[str, Any], key: str) -> list[str]:
    value = document.get(key)
    if not isinstance(value, list) or not all(isinstance(each, str) for each in value):
        raise _malformed(key, "a list of texts")
    return value


def _number(document: dict[str, Any], key: str, where: str = "") -> Decimal:
    value = document.get(key)
    if not isinstance(value, int | float) or isinstance(value, bool):
        raise _malformed(where + key, "a number")
    return exact(value)


def _malformed(field: str, valid: str) -> DocumentError:
    return DocumentError(Problem(f"not a whole scorecard: {field} must be {valid}", path=tuple(field.split("."))))
