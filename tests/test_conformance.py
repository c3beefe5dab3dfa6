"""Rules R1 to R12, one test or more each, named after the rule."""

from __future__ import annotations

import json
import random
from decimal import Decimal
from fractions import Fraction
from typing import Any

import oracle
import pytest
from conftest import ROOT, judged, make_rubric, seven

import evenhand
from evenhand.core.criteria import scored_by_criteria
from evenhand.core.judgement import Judgement, Opinion, Unscored, Verdict
from evenhand.core.panel import consensus
from evenhand.core.rubric import Criterion, Group, Tree
from evenhand.core.rules import DIMENSIONS
from evenhand.core.scorecard import ScoredDimension
from evenhand.errors import JudgementError
from evenhand.judging.evaluated import Judged
from evenhand.judging.steps import Steps
from evenhand.rubrics.resolved import resolve

WORKED = [
    # case, scores (cor com adh act eff saf con), flags, bonuses, composite, final, grade, label
    ("float trap", (1, 1, 1, 8, 8, 9, 10), 0, 0, "4.00", "4.00", "D", "Very Poor"),
    ("half up", ("9.5",) * 6 + ("9.4",), 0, 0, "9.50", "9.50", "A+", "Exceptional"),
    ("cap of flags", (8,) * 7, 5, 0, "8.00", "6.00", "C", "Mediocre"),
    ("floor first", (1,) * 7, 4, 4, "1.00", "2.00", "F", "Failing"),
    ("cap at ten", (10,) * 6 + (9,), 0, 3, "9.95", "10.00", "A+", "Exceptional"),
    ("D+ exists", (5,) * 6 + (6,), 0, 0, "5.05", "5.05", "D+", "Poor"),
    ("bonus over boundary", (9, 9, 8, 8, 9, 9, 9), 0, 1, "8.70", "8.95", "A-", "Very Good"),
]


@pytest.mark.parametrize(("case", "scores", "flags", "bonuses", "composite", "final", "letter", "label"), WORKED)
def test_worked_examples(case, scores, flags, bonuses, composite, final, letter, label):
    """The specification's worked examples come out to the cent."""
    card = judged(seven(*scores), flags, bonuses)
    assert (str(card.composite), str(card.final), card.grade.letter, card.grade.label) == (
        composite,
        final,
        letter,
        label,
    )


def test_R6_a_dimension_of_weight_zero_is_still_scored_and_breaks_ties():
    """Its score moves nothing but a tie."""
    rubric = make_rubric(seven("0.30", "0.20", "0.15", "0.15", "0.10", "0.10", "0"))
    low = judged(seven(8, 8, 8, 8, 8, 8, 1), rubric=rubric, id="low")
    high = judged(seven(8, 8, 8, 8, 8, 8, 9), rubric=rubric, id="high")
    assert low.final == high.final == Decimal("8.00")
    ranking = evenhand.rank([low, high])
    assert [(entry.id, entry.decided_by) for entry in ranking.entries] == [("high", "consistency"), ("low", None)]


def test_R7_an_unlisted_flag_is_an_error_with_the_valid_ids():
    """It never deducts silently."""
    with pytest.raises(JudgementError, match='rubric made: unknown red flag "f9"; valid: f0, f1'):
        evenhand.score({"scores": seven(8), "red_flags": ["f9"]}, rubric=make_rubric())
    with pytest.raises(JudgementError, match="the rubric lists no bonus"):
        evenhand.score({"scores": seven(8), "bonuses": ["b0"]}, rubric=make_rubric(bonuses=0))


def random_case(draw: random.Random) -> dict:
    """One judgement as plain data: mostly default weights, sometimes odd ones; all decimals as text."""
    decimals = draw.choice((0, 0, 1, 1, 2, 3))
    scores = seven(*(f"{draw.randint(10**decimals, 10 * 10**decimals) / 10**decimals:.{decimals}f}" for _ in range(7)))
    amounts = [draw.choice(("0.5", "0.5", "0.5", "0.25", "1", "2", "0.05", "1.37")) for _ in range(draw.randint(0, 6))]
    case = {"scores": scores, "amounts": amounts, "bonuses": draw.randint(0, 6)}
    if draw.random() < 0.5:
        places = draw.choice((1, 2, 3, 6))
        cuts = sorted(draw.randint(0, 10**places) for _ in range(6))
        parts = [high - low for low, high in zip([0, *cuts], [*cuts, 10**places], strict=True)]
        case["weights"] = seven(*(str(Decimal(part).scaleb(-places)) for part in parts))
    return case


def score_case(case: dict, id: str = "x") -> evenhand.Scorecard:
    rubric = make_rubric(case.get("weights"), case["amounts"], case["bonuses"])
    return judged(case["scores"], len(case["amounts"]), case["bonuses"], rubric=rubric, id=id)


def assert_same(case: dict, card: evenhand.Scorecard) -> None:
    expected = oracle.evaluate(case["scores"], case["amounts"], case["bonuses"], case.get("weights"))
    found = {
        "composite": Fraction(card.composite),
        "deduction": Fraction(card.deduction.applied),
        "after_deductions": Fraction(card.after_deductions),
        "bonus": Fraction(card.bonus.applied),
        "final": Fraction(card.final),
        "grade": card.grade.letter,
        "label": card.grade.label,
    }
    assert found == expected, case


@pytest.mark.slow
def test_agrees_with_the_independent_implementation_on_thousands_of_cases(long: bool):
    """Every number of the scorecard, and the deciding rule of neighbours, against the oracle in `Fraction`."""
    draw = random.Random(2026)
    for number in range(20_000 if long else 4_000):
        case = random_case(draw)
        card = score_case(case, id=f"{number:06}")
        assert_same(case, card)


def tree_node(part: dict[str, Any], path: str) -> Criterion | Group:
    if "criteria" in part:
        children = [tree_node(child, f"{path}-{place}") for place, child in enumerate(part["criteria"])]
        return Group(f"group{path}", "", Fraction(part["weight"]), tuple(children))
    requires, unmet = tuple(part.get("requires", ())), part.get("unmet", "no")
    return Criterion(part["id"], f"{part['id']} holds.", Fraction(part["points"]), requires, unmet)


def criteria_found(given: dict[str, Any]) -> dict[str, Any]:
    """What the judges' answers give under a rubric whose correctness has these criteria: each alone, and as a panel."""
    children = [tree_node(part, f"-{place}") for place, part in enumerate(given["criteria"])]
    rubric = make_rubric()
    part = rubric.dimensions["correctness"]._replace(tree=Tree(tuple(children), Fraction(given["partly"])))
    resolved = resolve(rubric._replace(dimensions={**rubric.dimensions, "correctness": part}))
    judgements = []
    for place, verdicts in enumerate(given["verdicts"]):
        opinions = {name: Opinion(Decimal("8.00")) for name in DIMENSIONS}
        answers = {id: Verdict(answer) for id, answer in verdicts.items()}
        opinions["correctness"] = Opinion(Unscored(""), verdicts=answers)
        judgement = Judgement(opinions, {"name": f"judge-{place}"}, "fix")
        judgements.append(scored_by_criteria(judgement, resolved.terms.trees))
    judges = []
    for judgement in judgements:
        line = Steps().evaluate(Judged(None, judgement, resolved)).card.dimensions["correctness"]
        assert line.criteria is not None
        value = line.criteria.value
        judges.append(
            {
                "counted": {id: verdict.answer for id, verdict in line.criteria.verdicts.items()},
                "value": None if value is None else [str(value.low), str(value.high)],
                "score": ends(line),
            }
        )
    card = Steps().evaluate(Judged(None, consensus(judgements), resolved)).card
    return {"judges": judges, "score": ends(card.dimensions["correctness"])}


def ends(line: ScoredDimension) -> list[str] | None:
    if line.score is not None:
        return [str(line.score)] * 2
    return None if line.interval is None else [str(end) for end in line.interval]


@pytest.mark.slow
def test_the_published_vectors_hold():
    """conformance/vectors.jsonl is what another implementation checks itself against."""
    lines = (ROOT / "conformance" / "vectors.jsonl").read_text(encoding="utf-8").splitlines()
    assert len(lines) > 1_000
    for line in lines:
        vector = json.loads(line)
        if vector["kind"] == "score":
            card = score_case(vector["input"])
            found = {
                "composite": str(card.composite),
                "deduction": str(card.deduction.applied),
                "after_deductions": str(card.after_deductions),
                "bonus": str(card.bonus.applied),
                "final": str(card.final),
                "grade": card.grade.letter,
                "label": card.grade.label,
            }
            assert found == vector["expected"], vector
        elif vector["kind"] == "rank":
            cards = [score_case(entry, id=entry["id"]) for entry in vector["input"]]
            found = [{"id": e.id, "rank": e.rank, "decided_by": e.decided_by} for e in evenhand.rank(cards).entries]  # type: ignore[assignment]
            assert found == vector["expected"], vector
        elif vector["kind"] == "criteria":
            assert criteria_found(vector["input"]) == vector["expected"], vector
        else:
            assert vector["kind"] == "refuse"
            with pytest.raises(JudgementError):
                judged(vector["input"]["scores"])
