"""Two evaluations, two sets, and the gate: what is said, and what is left unsaid."""

from __future__ import annotations

import html
import json
import xml.etree.ElementTree as ElementTree
from decimal import Decimal
from fractions import Fraction

import pytest
from conftest import judged, make_rubric, seven
from html_reading import self_contained
from hypothesis import strategies as st

import evenhand
from evenhand.decisions.changes import changes
from evenhand.decisions.gate import Gate, judge_card
from evenhand.judging.kept.found_cards import find_cards
from evenhand.judging.sets.compared_sets import compare_sets
from evenhand.reports.comparison.changes import change_document
from panels import card_of, panel_of
from report_formats import change_lines, changes_page

differences = st.lists(st.integers(-300, 300).map(Fraction), min_size=2, max_size=9)


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
    lines = change_lines(before, after)
    who = [
        "judges on both sides: a, b and c",
        "disputed after: correctness (2.00) and safety (3.00): the judges are 2 or more apart",
    ]
    assert lines[0] == "8.00 (B+) → 7.80 (B)" and lines[-2:] == who
    assert "safety disputed after 8.00 6.00 -0.20" in lines  # the median of 8, 5 and 6; a tenth of the weight
    assert "final score -0.20" in lines
    page = html.unescape(changes_page(before, after))
    assert 'safety<span class="quiet"> disputed after</span>' in page
    for line in who:
        assert f"<li>{line}</li>" in page
    document = change_document(before, after, changes(before, after))
    assert document["before"]["disputed"] == []
    assert document["after"]["disputed"] == ["correctness", "safety"]
    assert document["after"]["judges"] == ["a", "b", "c"]
    assert document["after"]["spread"] == dict.fromkeys(evenhand.DIMENSIONS, 0) | {"correctness": 2, "safety": 3}


def test_a_panel_beside_a_single_judge_names_both():
    """Before one model, after a panel; people and checks are not said to be a panel."""
    person = judged(seven(8), judge="human:ana")
    panel = card_of(panel_of(8, 8), make_rubric())
    lines = change_lines(person, panel)
    assert lines[lines.index("judges before: human:ana") + 1] == "judges after: a and b"
    assert not any("judges" in line for line in change_lines(person, person))


# --- through the command ---------------------------------------------------------------------------------------------


def write_set(path, scores, **more):
    path.write_text(
        "".join(json.dumps({"id": f"case-{n}", "scores": seven(s), **more}) + "\n" for n, s in enumerate(scores))
    )


def test_compare_two_evaluations_by_id(evenhand_command, tmp_path):
    """What moved, by which points."""
    (tmp_path / "two.jsonl").write_text(
        json.dumps({"id": "before", "scores": seven(8)})
        + "\n"
        + json.dumps({"id": "after", "scores": seven(8) | {"safety": 5}})
    )
    evenhand_command("score", "two.jsonl")
    done = evenhand_command("better", "before", "after")
    assert "8.00 (B+) → 7.70 (B)" in done.out
    assert "safety 8.00 5.00 -0.30" in " ".join(done.out.split())


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
        (["gate", "x.jsonl", "--min-score", "7", "--set", "gate.margin=-1"], "from 0 to 9"),
        (["better", "a"], "a: no such file, and no evaluation in"),
        (["better", "a", "b", "--set", "better.variant=c"], "better.variant goes with one run of a suite"),
        (["show", "nothing"], 'has the id "nothing"'),
        (["history", "nothing"], 'unknown skill "nothing"'),
        (["history", "--format", "svg"], "draws one skill"),
        (["rank", "nothing"], "nothing: no such file, and no evaluation in"),
    ],
)
def test_wrong_usage_is_reported_plainly(evenhand_command, arguments, message):
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
    assert "14 evaluations" in table
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


def test_sets_judged_by_different_rubrics_have_no_verdict(tmp_path):
    """Eight cases, each two points lower under the other rubric: that says nothing of the work."""
    sides = []
    for rubric, score in (("default", 8), ("code-review", 6)):
        lines = [
            {"skill": "notes", "rubric": rubric, "judge": "human:ana", "id": f"case-{n}", "scores": seven(score)}
            for n in range(8)
        ]
        path = tmp_path / f"{rubric}.jsonl"
        path.write_text("".join(json.dumps(line) + "\n" for line in lines))
        sides.append([*find_cards([str(path)], None)])
    result = compare_sets(("old", "new"), sides)
    assert result.contrast.verdict == "undecided" and result.contrast.low is None
    assert result.contrast.says == (
        "new against old: undecided: the sides were judged by the rubrics default and code-review; judge both by one: "
        "evenhand score ID... --rubric NAME"
    )
    assert "no verdict: judged by different rubrics" in change_lines(sides[0][0].card, sides[1][0].card)[0]
