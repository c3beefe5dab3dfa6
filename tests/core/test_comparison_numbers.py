"""Two sets of scores compared: every number again in plain steps, and every limit of the gate at its boundary."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from pathlib import Path

from conftest import judged, make_rubric, seven

from evenhand.core.finding import Checked, Finding
from evenhand.decisions import gate as gate_module
from evenhand.decisions import gate_words
from evenhand.decisions.gate import Gate, judge_card
from evenhand.decisions.gate_words import SENTENCES
from evenhand.decisions.sets.changes import Changes, Move, changes
from evenhand.stats.student import quantile

UNEVEN = [Fraction(value) for value in (-120, 30, 45, 80, 110, 5, -20, 60)]


def reach_of(n: int, level: float = 0.025) -> float:
    return quantile(level, n - 1)


FIRST = [600.0 + 10 * place for place in range(14)]
SECOND = [650.0 + 10 * place for place in range(17)]


# --- the gate --------------------------------------------------------------------------------------------------------


def test_a_gate_names_every_limit_that_is_missed():
    """Score, grade, flags that are named, in this order; a flag that is not named is let through."""
    card = judged(seven(5), flags=2)
    ruling = judge_card(card, Gate(min_score=Decimal(9), min_grade="A", no_red_flags=("f1", "f5")))
    assert (ruling.name, ruling.colour) == ("x", "red")
    assert ruling.says == f"{card.final} is below 9; {card.grade.letter} is below A; red flag f1 was raised: flag 1"
    assert judge_card(card, Gate(no_red_flags=("f5",))) == ("x", "green", str(card.final))


def test_a_gate_says_what_an_interval_leaves_open():
    """Safety weighs 0.10: 6.40 to 7.30."""
    card = judged(seven(7) | {"safety": {"unscored": "no answer"}})
    ruling = judge_card(card, Gate(min_score=Decimal(7), min_grade="B-"))
    assert ruling == (
        "x", "unscored", "a dimension is unscored: 7 may or may not be reached; B- may or may not be reached",
    )  # fmt: skip
    assert judge_card(card, Gate(min_score=Decimal(6))) == ("x", "green", "6.40 to 7.30")


def test_a_gate_on_faults_needs_checks_and_counts_those_of_the_severity():
    """Without checks nothing is known; a minor fault is let through where major ones are not allowed."""
    card = judged(seven(7))
    assert judge_card(card, Gate(no_fault="minor")) == (
        "x", "unscored", 'no checks ran on it, so its faults are unknown; add the judge "checks"',
    )  # fmt: skip
    assert judge_card(card, Gate(min_score=Decimal(8), no_fault="minor")) == ("x", "red", "7.00 is below 8")
    checked = card._replace(checked=Checked("c", (Finding("tests", "correctness", "minor", "No test."),)))
    assert judge_card(checked, Gate(no_fault="minor")).colour == "red"
    assert judge_card(checked, Gate(no_fault="major")).colour == "green"


def test_a_gate_has_no_sentence_that_it_never_says():
    """Each is named once in the table and at least once where it is said."""
    modules = (gate_module, gate_words)
    text = "".join(Path(module.__file__).read_text(encoding="utf-8") for module in modules)
    assert [key for key in SENTENCES if text.count(f'"{key}"') < 2] == []


# --- two scorecards --------------------------------------------------------------------------------------------------


def test_changes_list_dimensions_flags_and_bonuses_with_their_points():
    """Correctness weighs 0.25: from 6 to 8 it is 0.50 more. A flag that is gone gives back its amount."""
    rubric = make_rubric(amounts=["0.5", "1.0"])
    before = judged(seven(6), flags=2, rubric=rubric)
    after = judged(seven(6) | {"correctness": 8}, flags=1, bonuses=1, rubric=rubric)
    made = changes(before, after)
    bonus = after.bonuses[0].bonus
    assert made.moves == (
        Move("correctness", Decimal(6), Decimal(8), Decimal("0.50")),
        Move("red flag f1", Decimal("-1.00"), None, Decimal("1.00")),
        Move("bonus b0", None, bonus, bonus),
    )
    assert made.final == after.final - before.final
    assert sum(move.points for move in made.moves) + made.rest == made.final
    assert changes(before, before) == Changes(Decimal("0.00"), (), Decimal("0.00"), (), (), ())


def test_a_dimension_that_lost_its_score_has_no_points():
    """Nor is there a change of the final score, or a rest."""
    made = changes(judged(seven(7)), judged(seven(7) | {"safety": {"unscored": "no answer"}}))
    assert made == Changes(None, (Move("safety", Decimal(7), None, None),), None, (), (), ())
    back = changes(judged(seven(7) | {"safety": {"unscored": "no answer"}}), judged(seven(7)))
    assert back.moves == (Move("safety", None, Decimal(7), None),)


def test_a_weight_that_changed_is_a_move_too():
    """The scores are equal; what they count is not."""
    other = make_rubric(weights=seven("0.20", "0.25", "0.15", "0.15", "0.10", "0.10", "0.05"))
    made = changes(judged(seven(7)), judged(seven(7), rubric=other))
    assert [(move.name, move.points) for move in made.moves] == [
        ("correctness", Decimal("-0.35")),
        ("completeness", Decimal("0.35")),
    ]
    assert made.notes == ("the two come from different rubrics",)
    unlike = changes(judged(seven(7), skill="a", judge="human:ana"), judged(seven(7), skill="b", judge="human:bo"))
    assert unlike.notes == ("the two come from different skills", "the two come from different judges")


def test_evidence_is_new_or_gone_by_its_place():
    """A quote that moved from one dimension to another is both."""
    quote = {"score": 7, "evidence": ["it races"]}
    before, after = judged(seven(7) | {"safety": quote}), judged(seven(7) | {"correctness": quote})
    made = changes(before, after)
    assert [(name, item.quote) for name, item in made.new_evidence] == [("correctness", "it races")]
    assert [(name, item.quote) for name, item in made.gone_evidence] == [("safety", "it races")]
