"""Every kind of scorecard that is written, as documents; and every way to change one of their fields."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from dataclasses import replace
from decimal import Decimal
from typing import Any

from conftest import judged, make_rubric, seven
from hostile_text import rich_card

import evenhand
from evenhand.core.comparison import Comparison, DimensionComparison, Drift
from evenhand.core.curve import Calibration, Curve
from evenhand.core.finding import Checked, Expected, Finding, Lifted, Place
from evenhand.core.judgement import (
    Calls,
    Claim,
    Condensed,
    Discounted,
    Escalation,
    Evidence,
    Influence,
    Judgement,
    Opinion,
    Reading,
    Unscored,
)
from evenhand.core.receipt import terms_of
from evenhand.core.scorecard import Review, Scorecard, SuitePlace
from evenhand.documents.calibration import signed
from evenhand.documents.restore import plain_numbers
from evenhand.documents.scorecard import field_digests, scorecard_document, scorecard_json
from evenhand.judging.calibration import calibrated_card
from panels import OUTPUT, card_of, model_judgement

CREATED = "2026-01-01T00:00:00Z"


def _written_by_hand() -> Scorecard:
    scores = {name: {"score": 8.25, "justification": "good", "evidence": ["Tests were run."]} for name in seven(1)}
    judgement = {
        "skill": "review",
        "judge": "human:ana",
        "task": "Review it.",
        "scores": scores | {"safety": {"score": 6, "justification": "so-so", "evidence": ["nowhere"]}},
        "red_flags": [{"id": "f0", "explanation": "seen", "evidence": ["Tests were run."]}, "f1"],
        "bonuses": [{"id": "b0", "explanation": "nice"}],
    }
    card = evenhand.score(judgement, rubric=make_rubric(), output=OUTPUT, id="by-hand", created=CREATED)
    return card._replace(rescored_from="earlier", output="out.md")


def _unscored() -> Scorecard:
    scores = {name: {"score": 8} for name in seven(1)} | {"safety": {"unscored": "not asked"}}
    return judged(scores, flags=1, bonuses=1, id="unscored")


def _panel() -> Scorecard:
    verdicts = {name: Decimal(8) for name in seven(1)}
    readings = (Reading("first", verdicts), Reading("masked", {**verdicts, "safety": Unscored("no answer")}))
    judgement = model_judgement(
        8,
        red_flags=["f0"],
        bonuses=["b0"],
        distributions={"safety": {800: 3, 900: 1}},
        discounted=(
            Discounted("red_flag", "f1", "openai:small", "outvoted", "lost", (Evidence("Tests", True, 3, 0),)),
        ),
        condensed=(Condensed("openai:small", 1, 2, 3, "too long"),),
        calls=Calls(asked=3, input_tokens=100, output_tokens=20, cached_tokens=5, estimated=1, cost=Decimal("0.01")),
    )
    assert judgement.panel is not None
    panel = judgement.panel._replace(
        escalation=Escalation("openai:large", {"safety": "disputed"}, 4),
        influence=(Influence("openai:small", 1, readings, "first", "no power"),),
        criteria={"safety": "abcd1234"},
    )
    return card_of(judgement._replace(panel=panel), make_rubric())


def _checks_only() -> Scorecard:
    checked = Checked(
        checks="hash",
        findings=(
            Finding("made-up", "safety", "major", "a fault", quote="Tests were run.", offset=3, line=1, precise=True),
            Finding("placed", "safety", "minor", "a fault", place=Place("run.jsonl", 3), flag="f0"),
            Finding("fine", "correctness", None, "all in order"),
        ),
        coverage=("no calls were seen",),
        expectations=(
            Expected("must be so", "unmet", "correctness", "minor", "it is not", quote="Tests", offset=2),
            Expected("file made", "met", "correctness", "major", "it is", place=Place("a.md", None)),
        ),
        lifted=(Lifted("made-up:1", "human:ana", "it is fine"),),
    )
    opinions = {name: Opinion(Unscored("no one has read this output"), "", ()) for name in seven(1)}
    judgement = Judgement(
        opinions=opinions,
        judge={"name": "checks"},
        skill="review",
        red_flags=(Claim("f0", "detected", ()),),
        checked=checked,
    )
    return card_of(judgement, make_rubric())


def calibration() -> Calibration:
    """A calibration that fits the kinds here."""
    rubric = make_rubric()._replace(official="calibrated")
    knots = ((4.0, 3.0), (8.0, 7.0), (9.0, 7.5))
    curve = Curve("monotone", knots, 4.0, 9.0, 50, 1.0, 1.0, 0.3, 0.8, 0.95, 1.5)
    return signed(
        Calibration(
            judge={"name": "model:a"},
            rubric=rubric.name,
            rubric_sha256=terms_of(rubric).sha256,
            created=CREATED,
            raters=("human:ana",),
            curves={"final": curve},
            left_out={"safety": "nobody labelled it"},
            sha256="",
        )
    )


def _official() -> Scorecard:
    rubric = make_rubric()._replace(official="calibrated")
    card = judged(seven(8), rubric=rubric, judge="model:a", id="official")
    return calibrated_card(card, calibration())


def _calibrated() -> Scorecard:
    return judged(seven(8), id="calibrated")._replace(calibration=_official().calibration)


def _official_unscored() -> Scorecard:
    rubric = make_rubric()._replace(official="calibrated")
    return judged({**seven(8), "safety": {"unscored": "not asked"}}, rubric=rubric, judge="model:a", id="no-official")


def _with_history() -> Scorecard:
    line = DimensionComparison(8.1, 0.32, -2.1, True, False, "far below its mean", 0.004)
    comparison = Comparison(
        n=10,
        dimensions=dict.fromkeys(seven(1), line) | {"safety": replace(line, deviation=None, strength=None)},
        other_rubric=1,
        other_judge=2,
        drift=Drift(True, 8.0, 0.5, 7.0, 0.9, 3),
        left_out=1,
    )
    return judged(seven(6), id="history")._replace(
        history=comparison,
        review=Review("round-1", "by-hand", "random", Decimal("0.25")),
        suite=SuitePlace("run-1", "case-1", "with", 2),
    )


def cards() -> dict[str, Scorecard]:
    """A scorecard of each kind, by its name."""
    return {
        "by-hand": _written_by_hand(),
        "unscored": _unscored(),
        "panel": _panel(),
        "panel-and-checks": rich_card()[0],
        "checks-only": _checks_only(),
        "calibrated": _calibrated(),
        "official": _official(),
        "official-unscored": _official_unscored(),
        "history": _with_history(),
    }


def kinds() -> dict[str, dict[str, Any]]:
    """The document of each kind, by its name."""
    return {
        **{name: scorecard_document(card) for name, card in cards().items()},
        "audit": json.loads(scorecard_json(_written_by_hand(), audit=True)),
    }


MISSING = object()


def values() -> list[Any]:
    """A value of every JSON type, the odd ones among them; MISSING takes the field away."""
    return [
        None, True, False, 0, -1, 1, 7, 1.5, 1e400, -1e400, Decimal("1e400"), 10**400, "", "x", "7", "\0",
        [], {}, [None], [[]], ["x"], [0], [{}], {"x": None}, {"x": {"x": []}}, {"name": 0}, "y" * 100_000, MISSING,
    ]  # fmt: skip


def paths(value: Any, path: tuple[str | int, ...] = ()) -> Iterator[tuple[str | int, ...]]:
    """The path of every value inside a document."""
    if path:
        yield path
    items: Any = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, item in items:
        yield from paths(item, (*path, key))


def changed(document: dict[str, Any], path: tuple[str | int, ...], value: Any) -> dict[str, Any]:
    """The document with another value in one place."""
    made = copy.deepcopy(document)
    holder: Any = made
    for key in path[:-1]:
        holder = holder[key]
    if value is MISSING:
        del holder[path[-1]]
    else:
        holder[path[-1]] = value
    return made


def signed_again(document: dict[str, Any]) -> dict[str, Any]:
    """The document with checksums that fit, where it still has a place for them."""
    plain: dict[str, Any] = plain_numbers(document)
    if isinstance(plain.get("receipt"), dict):
        plain["receipt"]["fields"] = field_digests(plain)
    return plain
