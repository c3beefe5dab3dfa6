"""Two evaluations, two sets, and the gate: what is said, and what is left unsaid."""

from __future__ import annotations

import html
import itertools
import json
import random
import xml.etree.ElementTree as ElementTree
from decimal import Decimal
from fractions import Fraction
from math import sqrt
from random import Random
from time import process_time

import pytest
from conftest import judged, make_rubric, seven
from html_reading import self_contained
from hypothesis import given
from hypothesis import strategies as st

import evenhand
from evenhand.core.history import two_sided
from evenhand.decisions.gate import Gate, judge_card, judge_drop
from evenhand.decisions.sets.changes import changes
from evenhand.decisions.sets.pairs import compare_pairs, compare_unpaired, detectable, sign_flip
from evenhand.decisions.sets.weighted import SIGN_REACH
from evenhand.reports.comparison.changes import change_document, change_lines
from evenhand.reports.html.comparison import changes_page
from panels import card_of, panel_of
from suite_cases import fell

differences = st.lists(st.integers(-300, 300).map(Fraction), min_size=2, max_size=9)


@given(differences)
@pytest.mark.slow
def test_the_sign_flip_test_counts_every_assignment(values):
    """Against all 2**n assignments, tried one by one."""
    totals = [
        sum(sign * value for sign, value in zip(signs, values, strict=True))
        for signs in itertools.product((1, -1), repeat=len(values))
    ]
    observed = sum(values)
    assert sign_flip(values) == sum(abs(total) >= abs(observed) for total in totals) / len(totals)
    assert sign_flip(values, one_sided=True) == sum(total <= observed for total in totals) / len(totals)


@pytest.mark.slow
def test_unequal_repeats_are_compared_within_bounds():
    """Means of 1 to 13 repeats have denominators whose sums cannot all be counted: 2^29 of them. A sample is drawn."""
    draw = Random(5)
    values = [Fraction(draw.randrange(-300, 400), draw.choice([1, 2, 3, 5, 7, 11, 13])) for _ in range(29)]
    begun = process_time()
    sampled = sign_flip(values)
    assert process_time() - begun < 5
    assert sign_flip(values) == sampled  # seeded: the same every time
    mean, n = sum(values) / 29, 29
    error = sqrt(float(sum((value - mean) ** 2 for value in values)) / (n - 1) / n)
    assert sampled == pytest.approx(two_sided(float(mean) / error, n - 1), abs=0.01)  # Student's t is close by then


def test_a_sampled_test_comes_close_to_the_exact_one(monkeypatch):
    """Nine of ten pairs went up: exact 2 * 11 / 1024 = 0.0215 when all are of one size."""
    values = [Fraction(100)] * 9 + [Fraction(-100)]
    assert sign_flip(values) == 22 / 1024
    monkeypatch.setattr("evenhand.decisions.sets.pairs.MOST_SUMS", 5)
    assert sign_flip(values) == pytest.approx(22 / 1024, abs=0.004)
    assert sign_flip(values, one_sided=True) == pytest.approx(1023 / 1024, abs=0.002)


def test_a_sample_never_says_that_something_is_impossible(monkeypatch):
    """The observed assignment counts among the drawn ones: at least 1 of 20,001."""
    monkeypatch.setattr("evenhand.decisions.sets.pairs.MOST_SUMS", 1)
    assert sign_flip([Fraction(n * 100) for n in range(1, 30)]) == 1 / 20_001


def test_a_clear_difference_is_shown_and_none_is_not():
    """Nine pairs that all rise by about half a point; nine that go both ways."""
    risen = compare_pairs([Fraction(value) for value in (40, 60, 50, 45, 55, 50, 52, 48, 50)])
    assert risen.shown
    assert risen.p_value == 2 / 2**9
    assert risen.low < 0.5 < risen.high
    assert risen.stability == 1.0
    both = compare_pairs([Fraction(value) for value in (40, -60, 50, -45, 5, -50, 52, -8, 10)])
    assert not both.shown


@pytest.mark.slow
def test_the_interval_and_the_large_sample_test_agree_with_scipy():
    """From thirty pairs on, Student's t; Welch's test where nothing can be paired."""
    stats = pytest.importorskip("scipy.stats")
    draw = random.Random(3)
    values = [Fraction(draw.randint(-200, 260)) for _ in range(40)]
    found = compare_pairs(values)
    points = [float(value) / 100 for value in values]
    expected = stats.ttest_1samp(points, 0)
    interval = expected.confidence_interval(0.95)
    assert found.test == "t"
    assert found.p_value == pytest.approx(expected.pvalue, abs=1e-9)
    assert (found.low, found.high) == pytest.approx((interval.low, interval.high), abs=1e-9)
    assert fell(values) == pytest.approx(stats.ttest_1samp(points, 0, alternative="less").pvalue, abs=1e-9)
    falls = [-value for value in values]
    assert fell(falls) == pytest.approx(1 - fell(values), abs=1e-12)
    first, second = [draw.randint(500, 900) for _ in range(30)], [draw.randint(550, 950) for _ in range(50)]
    unpaired = compare_unpaired(first, second)
    welch = stats.ttest_ind([v / 100 for v in second], [v / 100 for v in first], equal_var=False)
    assert unpaired.p_value == pytest.approx(welch.pvalue, rel=0.02)  # degrees of freedom rounded down
    few = compare_unpaired(first[:12], second[:14])
    munzel = stats.brunnermunzel(first[:12], second[:14])
    assert few.p_value == pytest.approx(munzel.pvalue, abs=0.03)  # by divisions of the scores, not by Student's t


@pytest.mark.slow
def test_the_detectable_difference_is_detected_four_times_in_five():
    """Simulated with 12 pairs and a deviation of one point; counting cases needs more, and the exact test is strict."""
    draw = random.Random(5)
    size = SIGN_REACH * detectable(1.0, 12, 0.025)
    found = 0
    for _ in range(400):
        values = [Fraction(round(100 * draw.gauss(size, 1.0))) for _ in range(12)]
        found += compare_pairs(values, seed=1).shown
    assert 0.72 <= found / 400 <= 0.88


@pytest.mark.parametrize(
    ("values", "colour"),
    [
        ([-50] * 10, "red"),  # all ten fell by half a point: chance 1 in 1024
        ([-15] * 10, "green"),  # certain, but within the margin
        ([-300, -250, -280], "undecided"),  # even all of three falling is 1 in 8
        ([-200, 180, -220, 190, -150, 160, -210, 200], "undecided"),
        ([1, -2, 3, -1, 2, -3, 1, -1, 0, 2, -2, 1], "green"),
        ([250, 90, 180, 320, 60, 210, 140, 280], "green"),  # scattered, but all rose: 1 in 256 if it had dropped 0.2
        ([], "undecided"),
        ([-900], "undecided"),
    ],
)
def test_the_gate_is_red_only_for_a_real_and_large_drop(values, colour):
    """It says when the data cannot tell."""
    assert judge_drop([Fraction(value) for value in values], Decimal("0.2")).colour == colour


@pytest.mark.parametrize(
    ("values", "conclusion"),
    [
        (["-19", "-18"], "a drop beyond the margin of 0.2 is ruled out"),
        (["-20", "-20"], "no drop beyond the margin of 0.2 was detected"),
        (["0", "0"], "no drop beyond the margin of 0.2 was detected"),  # equal differences say nothing about scatter
    ],
)
def test_a_drop_of_exactly_the_margin_is_not_ruled_out(values, conclusion):
    """Ten drops: anything less than the margin is certainly within it, the margin itself is on its edge."""
    ruling = judge_drop([Fraction(value) for value in values] * 5, Decimal("0.2"))
    assert ruling.colour == "green" and ruling.says.endswith(conclusion)


@pytest.mark.slow
def test_an_unchanged_skill_is_let_through():
    """Chance alone turns the gate red in at most two builds in a hundred."""
    draw = random.Random(7)
    red = 0
    for _ in range(500):
        values = [Fraction(round(draw.gauss(0, 80))) for _ in range(draw.randint(2, 40))]
        red += judge_drop(values, Decimal("0.2")).colour == "red"
    assert red / 500 <= 0.026


@given(differences)
def test_a_drop_is_never_surer_one_sided_than_the_exact_count_allows(values):
    """The one-sided probability is at least 1 / 2**n, and falls when every score falls."""
    assert fell(values) >= 0.5 ** len(values)
    assert fell([value - 1000 for value in values]) <= fell(values)


def test_limits_for_single_scorecards():
    """Score, grade, named flags; an unscored card is neither green nor red unless its best case fails."""
    card = judged(seven(8), 1)  # 7.50
    assert judge_card(card, Gate(min_score=Decimal("7.5"))).colour == "green"
    assert judge_card(card, Gate(min_score=Decimal("7.51"))).colour == "red"
    assert judge_card(card, Gate(min_grade="B")).colour == "green"
    assert judge_card(card, Gate(min_grade="B+")).says == "B is below B+"
    assert judge_card(card, Gate(no_red_flags=("f0",))).says == "red flag f0 was raised: flag 0"
    assert judge_card(card, Gate(no_red_flags=("f1",))).colour == "green"
    unscored = judged(seven(8) | {"safety": {"unscored": "no answer"}})  # 7.30 to 8.20
    assert judge_card(unscored, Gate(min_score=Decimal(8))).colour == "unscored"
    assert judge_card(unscored, Gate(min_score=Decimal(9))).colour == "red"
    assert judge_card(unscored, Gate(min_score=Decimal(7))).colour == "green"


def test_changes_add_up_to_the_cent():
    """Every move has its points; what rounding and caps do stands apart."""
    before, after = judged(seven(8), 5, 1), judged(seven(9, 8, 7, 8, 8, 8, "8.33"), 2, 3)
    found = changes(before, after)
    assert sum(move.points for move in found.moves) + found.rest == found.final == after.final - before.final
    assert [move.name for move in found.moves][:3] == ["correctness", "adherence", "consistency"]


def test_changes_name_new_and_lost_evidence():
    """By what it is said for."""
    before = judged(seven({"score": 8, "evidence": ["old quote", "kept"]}))
    after = judged(seven({"score": 8, "evidence": ["kept", "new quote"]}))
    found = changes(before, after)
    assert {each.quote for _, each in found.new_evidence} == {"new quote"}
    assert {each.quote for _, each in found.gone_evidence} == {"old quote"}
    assert found.moves == ()


def test_changes_say_when_the_two_are_unlike():
    """Another rubric, another judge, another skill (R18)."""
    one = judged(seven(8), judge="a")
    two = judged(seven(8), judge="b", skill="t", rubric=make_rubric(pass_mark="6.00"))
    assert changes(one, two).notes == (
        "the two come from different skills",
        "the two come from different rubrics",
        "the two come from different judges",
    )


def test_changes_between_panels_say_who_judged_and_which_side_is_disputed():
    """Safety moves and is disputed after; correctness does not move, and is still named."""
    before = card_of(panel_of(8, 8, 8), make_rubric())
    after = card_of(panel_of(8, seven(8) | {"safety": 5, "correctness": 6}, seven(8) | {"safety": 6}), make_rubric())
    lines = change_lines(before, after, changes(before, after))
    assert lines == [
        "8.00 (B+) -> 7.80 (B)",
        "safety: 8.00 -> 6.00  -0.20  (disputed after)",  # the median of 8, 5 and 6; a tenth of the weight
        "final score: -0.20",
        "judges on both sides: a, b and c",
        "disputed after: correctness (2.00) and safety (3.00): the judges are 2 or more apart",
    ]
    page = html.unescape(changes_page(before, after, changes(before, after)))
    assert 'safety <span class="soft small">disputed after</span>' in page
    for line in lines[3:]:
        assert f"<li>{line[0].upper()}{line[1:]}</li>" in page
    document = change_document(before, after, changes(before, after))
    assert document["before"]["disputed"] == []
    assert document["after"]["disputed"] == ["correctness", "safety"]
    assert document["after"]["judges"] == ["a", "b", "c"]
    assert document["after"]["spread"] == dict.fromkeys(evenhand.DIMENSIONS, 0) | {"correctness": 2, "safety": 3}


def test_a_panel_beside_a_single_judge_names_both():
    """Before one model, after a panel; people and checks are not said to be a panel."""
    person = judged(seven(8), judge="human:ana")
    panel = card_of(panel_of(8, 8), make_rubric())
    assert change_lines(person, panel, changes(person, panel))[3:5] == [
        "judges before: human:ana",
        "judges after: a and b",
    ]
    assert not any("judges" in line for line in change_lines(person, person, changes(person, person)))


# --- through the command ---------------------------------------------------------------------------------------------


def write_set(path, scores, **more):
    path.write_text(
        "".join(json.dumps({"id": f"case-{n}", "scores": seven(s), **more}) + "\n" for n, s in enumerate(scores))
    )


def test_compare_two_files_pairs_by_id_and_says_plainly_that_it_is_undecided(evenhand_command, tmp_path):
    """The same twenty cases before and after."""
    write_set(tmp_path / "a.jsonl", [7, 8, 6, 9, 7, 8, 6, 9])
    write_set(tmp_path / "b.jsonl", [7, 7, 7, 8, 8, 8, 6, 9])
    done = evenhand_command("compare", "a.jsonl", "b.jsonl")
    assert done.code == 0
    assert "8 pairs, matched by id" in done.out
    assert "undecided: better in 2 of 8 cases, worse in 2" in done.out
    document = json.loads(evenhand_command("compare", "a.jsonl", "b.jsonl", "-f", "json").out)
    assert (document["paired_by"], document["pairs"], document["difference_shown"]) == ("id", 8, False)


@pytest.mark.slow
def test_compare_two_skills_of_the_store(evenhand_command, tmp_path):
    """Paired by task where the tasks are the same."""
    for skill, points in (("v1", 6), ("v2", 8)):
        lines = [json.dumps({"skill": skill, "task": f"task {n}", "scores": seven(points + n % 2)}) for n in range(8)]
        (tmp_path / f"{skill}.jsonl").write_text("\n".join(lines))
        assert evenhand_command("score", f"{skill}.jsonl").code == 0
    done = evenhand_command("compare", "--skill", "v1", "--skill", "v2", "-f", "json")
    document = json.loads(done.out)
    assert (document["paired_by"], document["pairs"], document["mean"], document["difference_shown"]) == (
        "task",
        8,
        2,
        True,
    )
    assert "v2 is better" in evenhand_command("compare", "--skill", "v1", "--skill", "v2").out


def test_compare_two_evaluations_by_id(evenhand_command, tmp_path):
    """What moved, by which points."""
    (tmp_path / "two.jsonl").write_text(
        json.dumps({"id": "before", "scores": seven(8)})
        + "\n"
        + json.dumps({"id": "after", "scores": seven(8) | {"safety": 5}})
    )
    evenhand_command("score", "two.jsonl")
    done = evenhand_command("compare", "before", "after")
    assert "8.00 (B+) -> 7.70 (B)" in done.out
    assert "safety: 8.00 -> 5.00  -0.30" in done.out


def test_gate_against_a_baseline(evenhand_command, tmp_path):
    """Ten cases that all fell by a point: red, exit code 1."""
    write_set(tmp_path / "main.jsonl", [8] * 10)
    write_set(tmp_path / "now.jsonl", [7] * 10)
    write_set(tmp_path / "same.jsonl", [8] * 9 + [7])
    red = evenhand_command("gate", "now.jsonl", "--against", "main.jsonl")
    assert (red.code, "exceeds the margin of 0.2" in " ".join(red.out.split())) == (1, True)
    assert evenhand_command("gate", "same.jsonl", "--against", "main.jsonl").code == 0
    few = evenhand_command("gate", "now.jsonl", "--against", "main.jsonl", "--margin", "2")
    assert few.code == 0


def test_gate_as_junit(evenhand_command, tmp_path):
    """A failure for red, skipped for undecided, so that any CI shows it."""
    write_set(tmp_path / "now.jsonl", [7, 9])
    write_set(tmp_path / "main.jsonl", [9, 9])
    done = evenhand_command("gate", "now.jsonl", "--min-grade", "B", "--against", "main.jsonl", "-f", "junit")
    suite = ElementTree.fromstring(done.out).find("testsuite")
    assert done.code == 1
    assert (suite.get("tests"), suite.get("failures"), suite.get("skipped")) == ("3", "1", "1")
    assert suite.find("testcase/failure").get("message") == "B- is below B"


def test_score_as_junit(evenhand_command, tmp_path):
    """Below the pass mark is a failure, unscored or unreadable an error."""
    lines = [
        {"id": "good", "scores": seven(9)},
        {"id": "bad", "scores": seven(3)},
        {"id": "open", "scores": seven(7) | {"safety": {"unscored": "timed out"}}},
        {"id": "broken"},
    ]
    (tmp_path / "many.jsonl").write_text("\n".join(map(json.dumps, lines)))
    done = evenhand_command("score", "many.jsonl", "-f", "junit")
    suite = ElementTree.fromstring(done.out).find("testsuite")
    assert done.code == 2
    assert (suite.get("tests"), suite.get("failures"), suite.get("errors")) == ("4", "1", "2")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["gate", "x.jsonl"], "say what the gate asks for"),
        (["gate", "--min-score", "7"], "name files or ids"),
        (["gate", "x.jsonl", "--min-score", "11"], "11 is outside 1 to 10"),
        (["gate", "x.jsonl", "--min-score", "7", "--margin", "-1"], "from 0 to 9"),
        (["compare", "a"], "give two things to compare"),
        (["compare", "--skill", "a"], "give --skill twice"),
        (["show", "nothing"], 'has the id "nothing"'),
        (["history", "nothing"], 'unknown skill "nothing"'),
        (["history", "--format", "svg"], "draws one skill"),
        (["rank", "nothing"], "nothing: no such file, and no evaluation in"),
    ],
)
def test_wrong_usage_is_said_plainly(evenhand_command, arguments, message):
    """Exit code 2, no traceback."""
    done = evenhand_command(*arguments)
    assert done.code == 2
    assert message in done.err
    assert "Traceback" not in done.err


@pytest.mark.slow
def test_history_of_eleven_evaluations(evenhand_command, tmp_path):
    """The newcomer's path: eleven scores, a table, a flag with its strength, a drift alarm when quality falls."""
    values = [8, 7.5, 8, 8.5, 8, 7.5, 8, 8.5, 8, 8, 8, 4, 4, 4]
    for number, value in enumerate(values):
        (tmp_path / "one.json").write_text(
            json.dumps({"skill": "notes", "judge": f"human:{number}", "scores": seven(value)})
        )
        card = json.loads(evenhand_command("score", "one.json", "-f", "json").out)
        if number == 10:
            assert (card["history"]["n"], card["history"]["flags"], card["history"]["drift"]["alarm"]) == (
                10,
                [],
                False,
            )
    assert card["history"]["drift"]["alarm"] is True
    table = evenhand_command("history", "notes").out
    assert "notes: 14 evaluations" in table
    assert "DRIFT" in table
    svg = evenhand_command("history", "notes", "-f", "svg").out
    ElementTree.fromstring(svg)
    assert svg.count("<circle") == 14
    page = evenhand_command("history", "notes", "-f", "html").out
    assert page.startswith("<!doctype html>")
    self_contained(page)
    rows = json.loads(evenhand_command("history", "notes", "-f", "json", "--last", "3").out)
    assert [row["final"] for row in rows] == [4, 4, 4]
    assert "notes" in evenhand_command("history").out
    assert evenhand_command("show", rows[0]["id"][:18]).code == 0
