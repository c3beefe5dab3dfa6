"""A scorecard's document -> its inputs, and the scorecard recomputed from them. Pure.

A scorecard carries its own scores, weights, flags and bonuses; everything else on it follows. `fields`
declares where each field comes from, and how it is read.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from decimal import Decimal
from functools import partial
from typing import Any

from evenhand.core.curve import Calibration
from evenhand.core.judgement import Claim, Judgement, Opinion, Unscored
from evenhand.core.numbers import cents, exact, plain
from evenhand.core.rubric import CALIBRATED, RAW, Bonus, RedFlag, Terms
from evenhand.core.rules import METHODOLOGY_VERSION
from evenhand.core.scorecard import Receipt, Scorecard
from evenhand.core.scoring import make_terms, score
from evenhand.documents.kinds import NOT_WHOLE, Field, each, malformed, table
from evenhand.documents.scorecards.field_types import check_type
from evenhand.documents.scorecards.fields import FIELDS, SCHEMA
from evenhand.documents.scorecards.rare_fields import checked_from
from evenhand.errors import NUL, DocumentError, Problem
from evenhand.files import codec

_MOST_DIGITS = 20
"""The most places before or behind the point that a number on a scorecard has."""
_TOO_LARGE = 10 ** (_MOST_DIGITS + 1)

_NAMES = ("id", "case", "skill", "created", "rescored_from", "rubric", "receipt")
"""Fields that things are looked up by or compared with: no free text, and so no NUL in them."""


def is_scorecard(document: object) -> bool:
    """Whether a document's schema is that of a scorecard."""
    return isinstance(document, Mapping) and document.get("schema") == SCHEMA


def scorecard_numbers(document: Mapping[str, Any]) -> dict[str, Any]:
    """A scorecard's document with plain numbers. DocumentError when it is not a scorecard's."""
    plain_document: dict[str, Any] = plain_numbers(document)
    if not is_scorecard(plain_document):
        raise DocumentError(f'not a scorecard: "schema" must be "{SCHEMA}"')
    return plain_document


def restore(document: Mapping[str, Any]) -> tuple[Scorecard, Judgement, Terms]:
    """The scorecard recomputed from the inputs in its document. DocumentError when any is missing."""
    return restore_plain(scorecard_numbers(document))


def restore_plain(plain_document: dict[str, Any]) -> tuple[Scorecard, Judgement, Terms]:
    """As `restore`, for a document whose numbers have been read already, by `scorecard_numbers`."""
    if plain_document.get("methodology") != METHODOLOGY_VERSION:
        raise DocumentError(
            Problem(
                f"the scorecard follows methodology {str(plain_document.get('methodology'))[:40]!r}; "
                f"this version of evenhand can recompute methodology {METHODOLOGY_VERSION!r} only",
                path=("methodology",),
            )
        )
    fields = [field for field in FIELDS if field.origin != "computed"]
    values = each((field.name, partial(_value, field, plain_document)) for field in fields)
    _refuse_nul(values)
    table(plain_document["receipt"].get("fields"), "receipt.fields")
    terms = _terms(values)
    judgement = _judgement(values, {field.name: values[field.name] for field in fields if field.origin == "judgement"})
    kept = {field.name: values[field.name] for field in fields if field.origin == "scorecard"}
    card = score(judgement, terms, id=kept["id"], created=kept["created"], receipt=values["receipt"])
    if judgement.panel is not None:
        from evenhand.core.panel import with_panel  # only where models judged

        card = with_panel(card, judgement, terms)
    if card.official is not None:
        kept.pop("calibration")
        card = _calibrated(card, values["official"])
    return card._replace(**kept), judgement, terms


def _value(field: Field, document: Mapping[str, Any]) -> Any:
    """What the document says for a field, once all of it has the declared types."""
    if field.name in document:
        check_type(field, document[field.name])
    return field.restored(document, "")


def _calibrated(card: Scorecard, official: tuple[Calibration | None]) -> Scorecard:
    """The scorecard with its official score computed again, from the raw one and the calibration it carries."""
    from evenhand.core.calibration import with_calibration  # few rubrics want calibrated scores

    (calibration,) = official
    return card if calibration is None else with_calibration(card, calibration)


def _refuse_nul(values: Mapping[str, Any]) -> None:
    for name in _NAMES:
        value = values[name]
        if isinstance(value, Receipt):
            value = asdict(value)
        parts = {f"{name}.{key}": part for key, part in value.items()} if isinstance(value, Mapping) else {name: value}
        for path, part in parts.items():
            if isinstance(part, str) and "\0" in part:
                raise DocumentError(Problem(f"{NOT_WHOLE}: {path} {NUL}", path=codec.field_path(path)))


def plain_numbers(value: Any) -> Any:
    """The document with its numbers as they are hashed. A number that JSON cannot represent, or that no scorecard has,
    becomes text, and so differs."""
    try:
        return _plain_numbers(value)
    except RecursionError:
        raise DocumentError(f"{NOT_WHOLE}: it is nested too deeply") from None


def _plain_numbers(value: Any) -> Any:
    kind = type(value)
    if kind is str or value is None:  # most values are
        return value
    if kind is float and (value == 0 or 1e-9 < abs(value) < 1e9):  # quickly, and as exactly as below
        return int(value) if value.is_integer() else value
    if kind is int:
        return value if -_TOO_LARGE < value < _TOO_LARGE else hex(value)  # of any length, unlike decimal digits
    if kind is dict or isinstance(value, Mapping):
        return {key: _plain_numbers(item) for key, item in value.items()}
    if kind is list or isinstance(value, list):
        return [_plain_numbers(item) for item in value]
    if isinstance(value, Decimal | float):
        try:
            number = exact(value)
        except ValueError:
            return str(value)
        if abs(number.adjusted()) > _MOST_DIGITS:
            return str(number)
        shown = plain(number)
        return shown if exact(shown) == number else str(number)
    return value


def _terms(values: Mapping[str, Any]) -> Terms:
    weights = {name: line["weight"] for name, line in values["dimensions"].items()}
    if sum(weights.values()) != 1 or min(weights.values()) < 0:
        raise malformed("dimensions", "such that the seven weights sum to exactly 1 and none is negative")
    flags = {row["id"]: RedFlag(row["id"], row["description"], row["deduction"]) for row in values["red_flags"]}
    # A panel also records the deductions of flags that too few judges raised.
    _, deductions = values["panel"] or (None, {})
    others = {id: RedFlag(id, "", cents(amount)) for id, amount in deductions.items() if id not in flags}
    return make_terms(
        rubric=values["rubric"]["name"],
        sha256=values["rubric"]["sha256"],
        weights=weights,
        pass_mark=values["pass_mark"],
        red_flags=[*flags.values(), *others.values()],
        bonuses=[Bonus(id=row["id"], description=row["description"]) for row in values["bonuses"]],
        official=RAW if values["official"] is None else CALIBRATED,
        trees={n: line["criteria"][0] for n, line in values["dimensions"].items() if line["criteria"] is not None},
    )


def _judgement(values: Mapping[str, Any], own: Mapping[str, Any]) -> Judgement:
    """The judgement, from its parts and its own fields."""
    panel, _ = values["panel"] or (None, {})
    uncapped = {n: line["uncapped"] for n, line in values["dimensions"].items() if line["uncapped"] is not None}
    return Judgement(
        opinions={
            name: Opinion(
                _verdict(line, name), line["justification"], line["evidence"], {}, (line["criteria"] or (None, {}))[1]
            )
            for name, line in values["dimensions"].items()
        },
        red_flags=tuple(map(_claim, values["red_flags"])),
        bonuses=tuple(map(_claim, values["bonuses"])),
        panel=panel,
        checked=checked_from(values, uncapped) if values["checks"] is not None else None,
        **own,
    )


def _verdict(line: Mapping[str, Any], name: str) -> Decimal | Unscored:
    if line["score"] is not None:
        number: Decimal = line["score"]
        return number
    if line["unscored"] is None:
        raise malformed(f"dimensions.{name}.unscored", "text")
    return Unscored(line["unscored"], line["interval"])


def _claim(row: Mapping[str, Any]) -> Claim:
    return Claim(id=row["id"], explanation=row["explanation"], evidence=row["evidence"])
