"""Rules R1 to R12, one test or more each, named after the rule."""

from __future__ import annotations

import json
import random
from decimal import Decimal, localcontext
from fractions import Fraction
from typing import Any

import oracle
import pytest
from conftest import ROOT, judged, make_rubric, seven

import evenhand
from evenhand.core.basics.methodology import DIMENSIONS, GRADES, TIE_BREAKS
from evenhand.core.basics.numbers import points
from evenhand.core.criteria.judged import scored_by_criteria
from evenhand.core.panel.consensus import consensus
from evenhand.core.values.criterion import Criterion, Group, Tree
from evenhand.core.values.judgement import Judgement
from evenhand.core.values.opinion import Opinion, Unscored, Verdict
from evenhand.core.values.scorecard import ScoredDimension
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


def test_R1_no_binary_float_decides_a_grade():
    """0.25+0.20+0.15+1.20+0.80+0.90+0.50 is exactly 4.00; floats make it 3.9999999999999996, an F."""
    card = judged(seven(1, 1, 1, 8, 8, 9, 10))
    naive = sum(s * w for s, w in zip((1, 1, 1, 8, 8, 9, 10), (0.25, 0.2, 0.15, 0.15, 0.1, 0.1, 0.05), strict=True))
    assert naive < 4
    assert (card.final, card.grade.letter) == (Decimal("4.00"), "D")


def test_R1_a_python_float_is_taken_by_its_shortest_repr():
    """7.1 means 7.1, not 7.0999999999999996447."""
    assert judged(seven(7.1)).dimensions["safety"].score == Decimal("7.10")
    assert judged(seven(2.675)).dimensions["safety"].score == Decimal("2.68")  # as binary it is below the half


def test_R1_a_callers_decimal_context_does_not_reach_a_score():
    """Three digits of precision and rounding down, set by somebody else, change nothing."""
    scores = seven("9.37", "8.21", "7.77", "6.66", "5.43", "4.99", "3.33")
    expected = judged(scores, 2, 1)
    with localcontext() as context:
        context.prec = 3
        context.rounding = "ROUND_DOWN"
        for cached in (
            evenhand.core.basics.numbers.points,
            evenhand.core.basics.numbers.hundredths,
            evenhand.core.basics.numbers._score,
        ):
            cached.cache_clear()
        assert judged(scores, 2, 1) == expected


@pytest.mark.parametrize(
    ("consistency", "exact_sum", "composite"),
    [
        ("9.4", "9.495", "9.50"),  # 9.5*0.95 + 9.4*0.05 = 9.025 + 0.47
        ("9.3", "9.49", "9.49"),  # 9.025 + 0.465
        ("9.38", "9.494", "9.49"),  # 9.025 + 0.469: below the half
    ],
)
def test_R2_the_composite_is_rounded_once_and_halves_go_up(consistency, exact_sum, composite):
    """The exact weighted sum, then one rounding."""
    card = judged(seven(*["9.5"] * 6, consistency))
    assert f"sum of the products = {exact_sum}" in [line.text for line in evenhand.audit(card)]
    assert card.composite == Decimal(composite)


def test_R2_a_half_cent_in_the_middle_goes_up_too():
    """7.125 becomes 7.13: seven times 7 with half a point more on a weight of 0.25."""
    assert judged(seven("7.5", 7, 7, 7, 7, 7, 7)).composite == Decimal("7.13")  # 7 + 0.5 * 0.25 = 7.125


def test_R2_the_lines_of_a_report_add_up_to_the_cent():
    """composite - deductions + bonuses = final, as printed."""
    card = judged(seven("8.3", "7.7", "9.1", "6.4", "8.8", "7.2", "9.9"), 2, 3)
    assert card.composite - card.deduction.applied == card.after_deductions
    assert card.after_deductions + card.bonus.applied == card.final


@pytest.mark.parametrize(("grade", "above"), list(zip(GRADES[1:], GRADES, strict=False)))
def test_R3_every_grade_edge_from_both_sides(grade, above):
    """A score at the edge has the better grade; one cent below it has the worse."""
    at = judged(seven(points(above.lower)))
    below = judged(seven(points(above.lower - 1)))
    assert (at.grade.letter, below.grade.letter) == (above.letter, grade.letter)


def test_R3_the_final_score_is_graded_not_the_composite():
    """8.70 is an A-; with two flags it is 7.70, a B."""
    card = judged(seven(9, 9, 8, 8, 9, 9, 9), 2)
    assert (str(card.composite), str(card.final), card.grade.letter) == ("8.70", "7.70", "B")


@pytest.mark.slow
def test_R3_no_gap_between_rows():
    """Every final score from 1.00 to 10.00 has exactly the oracle's grade."""
    for hundredth in range(100, 1001):
        text = str(points(hundredth))
        assert judged(seven(text)).grade.letter == oracle.evaluate(seven(text), [], 0)["grade"]


@pytest.mark.parametrize(("given", "kept"), [("7.333", "7.33"), ("7.335", "7.34"), ("1.004", "1.00"), (10, "10.00")])
def test_R4_scores_are_quantised_half_up_on_entry(given, kept):
    """Any decimal from 1 to 10, to two places."""
    assert str(judged(seven(given)).dimensions["adherence"].score) == kept


@pytest.mark.parametrize(
    "wrong",
    [
        0,
        "0.999",
        "10.001",
        10.01,
        11,
        -3,
        True,
        False,
        None,
        "eight",
        "",
        float("nan"),
        float("inf"),
        [8],
        "NaN",
        "1e400",
    ],
)
def test_R4_what_is_not_a_score_is_refused_by_name_never_clamped(wrong):
    """The message names the dimension and the allowed range."""
    with pytest.raises(JudgementError, match=r"^safety.* from 1 to 10"):
        judged(seven(5) | {"safety": wrong})


def test_R5_a_missing_dimension_is_refused_not_made_up():
    """All seven are needed."""
    scores = seven(8)
    del scores["safety"]
    with pytest.raises(JudgementError, match="safety is missing; all seven"):
        judged(scores)


def test_R5_an_unknown_dimension_is_refused_with_the_nearest_name():
    """A typo is not a new dimension."""
    with pytest.raises(JudgementError, match='unknown dimension "savety"; did you mean safety'):
        judged(seven(8) | {"savety": 3})


def test_R6_weights_are_used_exactly():
    """9*0.142857*6 + 3*0.142858 = 8.142852, which is 8.14."""
    weights = dict.fromkeys(evenhand.DIMENSIONS, "0.142857") | {"consistency": "0.142858"}
    assert judged(seven(*[9] * 6, 3), rubric=make_rubric(weights)).composite == Decimal("8.14")


def test_R6_a_dimension_of_weight_zero_is_still_scored_and_breaks_ties():
    """Its score moves nothing but a tie."""
    rubric = make_rubric(seven("0.30", "0.20", "0.15", "0.15", "0.10", "0.10", "0"))
    low = judged(seven(8, 8, 8, 8, 8, 8, 1), rubric=rubric, id="low")
    high = judged(seven(8, 8, 8, 8, 8, 8, 9), rubric=rubric, id="high")
    assert low.final == high.final == Decimal("8.00")
    ranking = evenhand.rank([low, high])
    assert [(entry.id, entry.decided_by) for entry in ranking.entries] == [("high", "consistency"), ("low", None)]


def test_R7_a_flag_raised_twice_counts_once_with_a_warning():
    """One fault, one deduction."""
    card = evenhand.score(
        {"scores": seven(8), "red_flags": [{"id": "f0", "explanation": "x"}, "f0"], "bonuses": ["b1", "b1"]},
        rubric=make_rubric(),
    )
    assert (card.deduction.nominal, card.bonus.nominal) == (Decimal("0.50"), Decimal("0.25"))
    assert card.warnings == (
        "red flag f0 is named more than once; it counts once",
        "bonus b1 is named more than once; it counts once",
    )


def test_R7_an_unlisted_flag_is_an_error_with_the_valid_ids():
    """It never deducts silently."""
    with pytest.raises(JudgementError, match='rubric made: unknown red flag "f9"; valid: f0, f1'):
        evenhand.score({"scores": seven(8), "red_flags": ["f9"]}, rubric=make_rubric())
    with pytest.raises(JudgementError, match="the rubric lists no bonus"):
        evenhand.score({"scores": seven(8), "bonuses": ["b0"]}, rubric=make_rubric(bonuses=0))


def test_R8_a_flag_deducts_half_a_point_or_its_rubrics_amount_and_a_bonus_is_always_a_quarter():
    """0.50 + 1.25 = 1.75 away, then 2 * 0.25 back."""
    card = judged(seven(9), 2, 2, rubric=make_rubric(amounts=["0.5", "1.25"]))
    assert [str(flag.deduction) for flag in card.red_flags] == ["0.50", "1.25"]
    assert [str(bonus.bonus) for bonus in card.bonuses] == ["0.25", "0.25"]
    assert str(card.final) == "7.75"  # 9.00 - 1.75 + 0.50


def test_R9_caps_are_points_and_everything_stays_listed():
    """Six flags are 3.00, of which 2.00 count; six bonuses are 1.50, of which 1.00 counts."""
    card = judged(seven(8), 6, 6)
    assert (str(card.deduction.nominal), str(card.deduction.applied)) == ("3.00", "2.00")
    assert (str(card.bonus.nominal), str(card.bonus.applied)) == ("1.50", "1.00")
    assert (len(card.red_flags), len(card.bonuses), str(card.final)) == (6, 6, "7.00")


def test_R10_floor_comes_before_bonuses():
    """1.00 - 2.00 stops at 1.00, then four bonuses make it 2.00."""
    card = judged(seven(1), 4, 4)
    assert (str(card.after_deductions), str(card.final)) == ("1.00", "2.00")


def test_R10_cap_comes_last():
    """9.95 + 0.75 stops at 10.00."""
    assert str(judged(seven(*[10] * 6, 9), 0, 3).final) == "10.00"


@pytest.mark.parametrize("rule", TIE_BREAKS)
def test_R11_ties_are_broken_in_the_fixed_order_whatever_the_weights(rule):
    """Two cards equal up to one dimension and opposite after it: that dimension decides."""
    place = TIE_BREAKS.index(rule)
    weights = seven("0", "0", "0", "0", "0", "0", "0") | {TIE_BREAKS[-1]: "1"}
    # Equal finals: only the last tie-break dimension has a weight, and it is the same in both
    # (when it is the one that decides, give the weight to another that is equal).
    if rule == TIE_BREAKS[-1]:
        weights = seven("1", "0", "0", "0", "0", "0", "0")
    better = {name: 5 if n < place else 6 if n == place else 2 for n, name in enumerate(TIE_BREAKS)}
    worse = {name: 5 if n < place else 5 if n == place else 9 for n, name in enumerate(TIE_BREAKS)}
    if rule != TIE_BREAKS[-1]:
        better[TIE_BREAKS[-1]] = worse[TIE_BREAKS[-1]] = 5
    rubric = make_rubric(weights)
    ranking = evenhand.rank([judged(worse, rubric=rubric, id="worse"), judged(better, rubric=rubric, id="better")])
    assert [(entry.id, entry.decided_by) for entry in ranking.entries] == [("better", rule), ("worse", None)]


def test_R11_then_fewer_flags_then_more_bonuses_by_uncapped_counts():
    """Five flags and four flags both deduct 2.00; the card with four stands above."""
    five, four = judged(seven(8), 5, id="five"), judged(seven(8), 4, id="four")
    assert five.final == four.final
    assert [(e.id, e.decided_by) for e in evenhand.rank([five, four]).entries] == [
        ("four", "red_flags"),
        ("five", None),
    ]
    more, fewer = judged(seven(8), 0, 5, id="more"), judged(seven(8), 0, 4, id="fewer")
    assert [(e.id, e.decided_by) for e in evenhand.rank([fewer, more]).entries] == [
        ("more", "bonuses"),
        ("fewer", None),
    ]


def test_R12_equals_share_a_rank_and_are_listed_by_id():
    """1, 1, 3."""
    cards = [judged(seven(7), id="c"), judged(seven(8), id="b"), judged(seven(8), id="a")]
    entries = evenhand.rank(cards).entries
    assert [(e.rank, e.id, e.decided_by, e.equivalent_to) for e in entries] == [
        (1, "a", "equivalent", ("b",)),
        (1, "b", "final", ("a",)),
        (3, "c", None, ()),
    ]


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
def test_agrees_with_the_independent_implementation_on_some_cases():
    """A quick sample of the twenty thousand."""
    draw = random.Random(1)
    for _ in range(500):
        case = random_case(draw)
        assert_same(case, score_case(case))


@pytest.mark.slow
def test_agrees_with_the_independent_implementation_on_twenty_thousand_cases():
    """Every number of the scorecard, and the deciding rule of neighbours, against the oracle in `Fraction`."""
    draw = random.Random(2026)
    for number in range(20_000):
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
