"""A scorecard's document -> its inputs, and the scorecard recomputed from them. Pure.

A scorecard carries its own scores, weights, flags and bonuses; everything else on it follows. `fields`
declares where each field comes from, and how it is read.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from decimal import Decimal
from typing import Any

from evenhand.core.comparison import Comparison
from evenhand.core.finding import Checked
from evenhand.core.judgement import Claim, Judgement, Opinion, Unscored, Verdict
from evenhand.core.numbers import cents, exact, plain
from evenhand.core.rubric import CALIBRATED, RAW, Bonus, RedFlag, Terms, Tree
from evenhand.core.rules import DIMENSIONS, METHODOLOGY_VERSION
from evenhand.core.scorecard import Scorecard, ScoredDimension
from evenhand.core.scoring import make_terms, score
from evenhand.documents.criteria import scored_criteria_from
from evenhand.documents.fields import NOT_WHOLE, ORIGINS, SCHEMA, ScorecardDocument, deductions_from, malformed
from evenhand.errors import DocumentError, Problem
from evenhand.files import codec

_MOST_DIGITS = 20
"""The most places before or behind the point that a number on a scorecard has."""
_TOO_LARGE = 10 ** (_MOST_DIGITS + 1)


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
    stated: dict[str, Any] = dict.fromkeys(ORIGINS) | codec.read(ScorecardDocument, plain_document, part_of="scorecard")
    _refuse_repeats(stated)
    if not isinstance(plain_document["receipt"].get("fields"), dict):
        raise malformed("receipt.fields", "an object")
    scored = {
        name: scored_criteria_from(line["criteria"], f"dimensions.{name}.criteria")
        for name, line in plain_document["dimensions"].items()
        if "criteria" in line
    }
    panel = plain_document.get("panel")
    terms = _terms(
        stated, {} if panel is None else deductions_from(panel), {name: tree for name, (tree, _) in scored.items()}
    )
    judgement = _judgement(stated, {name: verdicts for name, (_, verdicts) in scored.items()})
    kept: dict[str, Any] = {name: stated[name] for name, source in ORIGINS.items() if source.origin == "scorecard"}
    if stated["history"] is not None:
        kept["history"] = _known(stated["history"])
    card = score(judgement, terms, id=kept["id"], created=kept["created"], receipt=stated["receipt"])
    if judgement.panel is not None:
        from evenhand.core.panel import with_panel  # only where models judged

        card = with_panel(card, judgement, terms)
    if card.official is not None:
        kept.pop("calibration")
        card = _calibrated(card, stated["official"])
    return card._replace(**kept), judgement, terms


def _refuse_repeats(stated: Mapping[str, Any]) -> None:
    for field in ("red_flags", "bonuses"):
        if len({claim.id for claim in stated[field]}) != len(stated[field]):
            raise malformed(field, "a list without repeated ids")


def _known(history: Comparison) -> Comparison:
    """The comparison with its dimensions in their order; others than the seven are none of ours."""
    known = {name: history.dimensions[name] for name in DIMENSIONS if name in history.dimensions}
    return replace(history, dimensions=known)


def _calibrated(card: Scorecard, official: Any) -> Scorecard:
    """The scorecard with its official score computed again, from the raw one and the calibration it carries."""
    from evenhand.core.calibration import with_calibration  # few rubrics want calibrated scores
    from evenhand.documents.calibration import calibration_of

    calibration = calibration_of(official)
    return card if calibration is None else with_calibration(card, calibration)


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


def _terms(stated: Mapping[str, Any], deductions: Mapping[str, Decimal], trees: Mapping[str, Tree]) -> Terms:
    weights = {name: line.weight for name, line in stated["dimensions"].items()}
    if sum(weights.values()) != 1:
        raise malformed("dimensions", "such that the seven weights sum to exactly 1 and none is negative")
    flags = {flag.id: RedFlag(flag.id, flag.description, flag.deduction) for flag in stated["red_flags"]}
    # A panel also records the deductions of flags that too few judges raised.
    others = {id: RedFlag(id, "", cents(amount)) for id, amount in deductions.items() if id not in flags}
    return make_terms(
        rubric=stated["rubric"].name,
        sha256=stated["rubric"].sha256,
        weights=weights,
        pass_mark=stated["pass_mark"],
        red_flags=[*flags.values(), *others.values()],
        bonuses=[Bonus(id=award.id, description=award.description) for award in stated["bonuses"]],
        official=RAW if stated["official"] is None else CALIBRATED,
        trees=trees,
    )


def _judgement(stated: Mapping[str, Any], verdicts: Mapping[str, Mapping[str, Verdict]]) -> Judgement:
    """The judgement, from its parts and its own fields."""
    own = {name: stated[name] for name, source in ORIGINS.items() if source.origin == "judgement"}
    lines: Mapping[str, ScoredDimension] = stated["dimensions"]
    return Judgement(
        opinions={
            name: Opinion(_verdict(line, name), line.justification, line.evidence, {}, verdicts.get(name, {}))
            for name, line in lines.items()
        },
        red_flags=tuple(Claim(flag.id, flag.explanation, flag.evidence) for flag in stated["red_flags"]),
        bonuses=tuple(Claim(award.id, award.explanation, award.evidence) for award in stated["bonuses"]),
        panel=stated["panel"],
        checked=_checked(stated),
        **own,
    )


def _checked(stated: Mapping[str, Any]) -> Checked | None:
    """The results of checks and expectations; None when no checks ran."""
    if stated["checks"] is None:
        return None
    parts = {name: stated[name] or () for name in ("findings", "coverage", "expectations", "lifted", "endings")}
    uncapped = {name: line.uncapped for name, line in stated["dimensions"].items() if line.uncapped is not None}
    return Checked(checks=stated["checks"], uncapped=uncapped, **parts)


def _verdict(line: ScoredDimension, name: str) -> Decimal | Unscored:
    if line.score is not None:
        return line.score
    if line.unscored is None:
        raise malformed(f"dimensions.{name}.unscored", "text")
    return Unscored(line.unscored, line.interval)
