"""Cases from files go by the name of the file, and are paired by it."""

from __future__ import annotations

import json
from xml.etree import ElementTree

import pytest
from conftest import judged, make_rubric, seven

import evenhand
from evenhand.judging.files import Named
from evenhand.reports.cases import case_name, distinct_names, short_ids

MADE_UP = "0197f2c1-aaaa-7bbb-8ccc-0123456789ab"
SAME_MOMENT = "0197f2c1-aaaa-7bbc-8ccc-0123456789ab"


@pytest.fixture
def folders(tmp_path):
    """The same eight cases before and after; the outputs differ, and so does each file's place."""
    for name in ("before", "after"):
        (tmp_path / name).mkdir()
        for n in range(8):
            (tmp_path / name / f"case-{n}.md").write_text(f"# Case {n}\n\nThe {name} text, with a point or two.\n")
    return tmp_path


@pytest.mark.slow
def test_lists_name_the_file_that_was_judged(evenhand_command, folders):
    """On a terminal, in Markdown, in a test report and by a gate; programs still get the id."""
    for arguments in (
        ("--set", "report.full=true"),
        ("--set", "report.brief=true"),
    ):
        whole = evenhand_command("judge", "before", "--store", "none", *arguments).out
        named = [part.strip(",") for part in whole.split() if part.startswith("before/")]
        assert named == [f"before/case-{n}.md" for n in range(8)], arguments
    pasted = evenhand_command("judge", "before", "--store", "none", "-f", "markdown").out
    titles = [line for line in pasted.splitlines() if line.startswith("# ")]
    assert titles == [f"# before/case-{n}.md: not graded" for n in range(8)]
    (folders / "cards.jsonl").write_text(evenhand_command("judge", "before", "--store", "none", "-f", "jsonl").out)
    ids = [json.loads(line)["id"] for line in (folders / "cards.jsonl").read_text().splitlines()]
    for format in ("terminal", "markdown"):
        ranked = evenhand_command("rank", "cards.jsonl", "-f", format).out
        assert all(f"before/case-{n}.md" in ranked for n in range(8)) and not any(id in ranked for id in ids)
    ranking = json.loads(evenhand_command("rank", "cards.jsonl", "-f", "json").out)
    assert sorted(entry["id"] for entry in ranking["unranked"]) == sorted(ids)
    report = evenhand_command("gate", "cards.jsonl", "--min-score", "1", "-f", "junit").out
    names = [case.get("name") for case in ElementTree.fromstring(report).iter("testcase")]
    assert names == [f"before/case-{n}.md" for n in range(8)]


def test_a_list_of_faults_names_the_files_that_have_one(evenhand_command, folders):
    """Without what all names share; the other six are counted."""
    for n in (2, 5):
        (folders / "before" / f"case-{n}.md").write_text("Push with ghp_16C7e42F292c6912E7710c838347Ae178B4a.\n")
    lines = evenhand_command("judge", "before", "--task", "Summarise it.", "--store", "none").out.splitlines()
    assert [line.split()[:2] for line in lines[1:3]] == [["case-2", "1"], ["case-5", "1"]]
    assert lines[3:5] == [" 6 more without faults", ""]


def test_judgements_of_one_file_go_by_their_lines(evenhand_command, tmp_path):
    """Unless they have an id of their own; their warnings do too."""
    lines = [
        {"scores": seven(8), "rubric": "code-review", "red_flags": ["missed-crash"]},
        {"id": "mine", "scores": seven(9)},
    ]
    (tmp_path / "two.jsonl").write_text("\n".join(map(json.dumps, lines)))
    done = evenhand_command("score", "two.jsonl", "--store", "none")
    assert [line.split()[2] for line in done.out.splitlines()] == ["two.jsonl:1", "mine"]
    assert "warning: two.jsonl:1: no explanation was given for the red flag missed-crash" in done.err


def cards(skill, *points, **fields):
    """A set of evaluations with made-up ids; a field is a function of the place."""
    made = []
    for place, score in enumerate(points):
        card = judged(seven(score), skill=skill, id=f"{skill}-{place}")
        made.append(card._replace(**{name: of(place) for name, of in fields.items()}))
    return [Named(card.id, card) for card in made]


def test_an_id_that_somebody_gave_comes_before_the_file():
    """A made-up one comes last."""
    card = judged(seven(8))._replace(output="answer.md", id="mine", case=None)
    assert case_name(card, "judgement.yaml") == "mine"
    assert case_name(card._replace(id="mine~2", case="mine"), "judgement.yaml") == "mine"
    assert case_name(card._replace(id=MADE_UP), "judgement.yaml") == "answer.md"
    assert case_name(card._replace(id=MADE_UP, output=None), "judgement.yaml") == "judgement.yaml"
    assert case_name(card._replace(id=MADE_UP, output=None)) == MADE_UP


def test_equal_names_and_ids_are_told_apart():
    """By as much of the id as it takes."""
    assert distinct_names({MADE_UP: "a.md", "mine": "a.md", "other": "b.md"}) == {
        MADE_UP: "a.md (0197f2c1-aaaa-7bbb)",
        "mine": "a.md (mine)",
        "other": "b.md",
    }
    assert short_ids([MADE_UP, "mine"]) == {MADE_UP: "0197f2c1-aaaa", "mine": "mine"}
    assert set(short_ids([MADE_UP, SAME_MOMENT]).values()) == {"0197f2c1-aaaa-7bbb", "0197f2c1-aaaa-7bbc"}


def test_a_red_flag_without_an_explanation_gets_a_warning():
    """Blank counts as none; a bonus needs no defence."""
    flags = [{"id": "f0"}, {"id": "f1", "explanation": " "}, {"id": "f2", "explanation": "Line 3 crashes."}]
    card = evenhand.score({"scores": seven(8), "red_flags": flags, "bonuses": ["b0"]}, rubric=make_rubric())
    assert card.warnings == ("no explanation was given for the red flags f0, f1",)
    explained = evenhand.score({"scores": seven(8), "red_flags": flags[2:]}, rubric=make_rubric())
    assert explained.warnings == ()


def test_ids_of_one_moment_are_cut_after_their_next_group():
    """They differ in the third group: it is shown whole, 18 characters, not just as far as they differ."""
    one, two = "0197f2c1-aaaa-7abb-8ccc-0123456789ab", "0197f2c1-aaaa-7bbb-8ccc-0123456789ab"
    assert short_ids([one, two]) == {one: "0197f2c1-aaaa-7abb", two: "0197f2c1-aaaa-7bbb"}
