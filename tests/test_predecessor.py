"""Where the methodology's first implementation departs from it when it judges; each is a case we get right."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from fake_server import Asked, Step, chat
from scripted_judge import answer, read_prompt, reply_text

from test_model_judging import ANSWER, KEY, TASK, by, models

TRANSCRIPTS = Path(__file__).parent / "fixtures" / "transcripts"


@pytest.fixture
def judged(evenhand_command, fake_server, tmp_path):
    """The scorecard of an output, by models on the fake server or by the checks."""

    def run(*more: str, output: str = ANSWER, checks: bool = False) -> dict:
        (tmp_path / "answer.md").write_text(output)
        named = [] if checks else models(fake_server)
        done = evenhand_command("judge", "answer.md", *named, *more, "-f", "json", OPENAI_API_KEY=KEY)
        return json.loads(done.out)

    return run


def test_a_missing_dimension_does_not_become_a_five(judged, fake_server):
    """The reply leaves safety out, twice: Unscored, and an interval instead of a final score."""

    def said(asked: Asked) -> Step:
        reply = json.loads(reply_text(read_prompt(asked.body)))
        reply["scores"] = [entry for entry in reply.get("scores", []) if entry["dimension"] != "safety"]
        return chat(json.dumps(reply))

    fake_server.answer = said
    card = judged()
    assert (card["dimensions"]["safety"]["score"], card["final"]) == (None, None)
    assert card["dimensions"]["correctness"]["score"] == 8


@pytest.mark.slow
def test_a_rubric_s_own_flags_and_bonuses_are_asked_for_and_counted(judged, fake_server, tmp_path, evenhand_command):
    """Those of the rubric for reviews of code; 8 less the flag's amount, plus the bonus of 0.25."""
    rubric = json.loads(evenhand_command("rubric", "show", "code-review", "-f", "json").out)
    flag, bonus = rubric["red_flags"][0], rubric["bonuses"][0]
    fake_server.answer = by(8, present=(flag["id"], bonus["id"]))
    card = judged("-r", "code-review")
    assert [each["id"] for each in card["red_flags"]] == [flag["id"]]
    assert [each["id"] for each in card["bonuses"]] == [bonus["id"]]
    assert card["final"] == pytest.approx(8 - flag["deduction"] + 0.25)
    asked = [read_prompt(each.body) for each in fake_server.asked]
    assert {id for prompt in asked for id in prompt.red_flags} == {each["id"] for each in rubric["red_flags"]}


@pytest.mark.slow
def test_detection_does_not_stop_at_four_flags(judged, fake_server, evenhand_command):
    """Seven are claimed with evidence, seven are listed."""
    rubric = json.loads(evenhand_command("rubric", "show", "default", "-f", "json").out)
    flags = tuple(each["id"] for each in rubric["red_flags"][:7])
    fake_server.answer = by(8, present=flags)
    card = judged("-r", "default")
    assert sorted(each["id"] for each in card["red_flags"]) == sorted(flags)


def test_the_word_contradict_is_neither_a_flag_nor_a_bonus(judged):
    """By the checks: the word in a sentence about others, and three headings."""
    text = "# Findings\n\n## Cause\n\nThe two logs contradict each other about the time of the restart.\n\n"
    card = judged("-r", "default", checks=True, output=text + ANSWER)
    assert (card["red_flags"], card["bonuses"]) == ([], [])


@pytest.mark.slow
def test_consistency_is_not_scored_from_history(judged, fake_server):
    """Poor outputs before, or none: the judge says 8 and 8 it is; the history stands beside it."""
    fake_server.answer = by(2)
    for n in range(3):
        judged("--skill", "known", output=f"{ANSWER}\nRun {n}.")
    fake_server.answer = by(8)
    known, new = judged("--skill", "known"), judged("--skill", "new")
    assert known["dimensions"]["consistency"]["score"] == new["dimensions"]["consistency"]["score"] == 8
    assert (known["history"]["n"], known["final"]) == (3, new["final"])
    assert all("2.00" not in asked.body["messages"][1]["content"] for asked in fake_server.asked)


@pytest.mark.slow
def test_an_empty_transcript_fails(evenhand_command, fake_server, tmp_path):
    """A session in which nothing was done: no grade from the checks; 1 and F by a model, if that is what it says."""
    turns = [{"role": "user", "content": TASK}, {"role": "assistant", "content": ""}]
    (tmp_path / "empty.json").write_text(json.dumps({"messages": turns}))
    card = json.loads(evenhand_command("judge", "empty.json", "-f", "json").out)
    assert (card["grade"], card["passed"]) == (None, None)
    fake_server.answer = by(1)
    done = evenhand_command("judge", "empty.json", *models(fake_server), "-f", "json", OPENAI_API_KEY=KEY)
    card = json.loads(done.out)
    assert (card["final"], card["grade"]) == (1, "F")
    assert fake_server.count > 0


def test_a_codex_rollout_is_read_and_shown_to_the_judge(evenhand_command, fake_server):
    """Its task, its commands and its answer are in the question."""
    fake_server.answer = by(8)
    run = ["judge", str(TRANSCRIPTS / "codex.jsonl"), *models(fake_server), "-f", "json"]
    card = json.loads(evenhand_command(*run, OPENAI_API_KEY=KEY).out)
    assert card["final"] == 8
    asked = fake_server.asked[0]
    question = asked.body["messages"][1]["content"]
    assert "Why does the test fail? Fix it." in question
    assert "The discount was applied twice." in question and "pytest" in question


def test_the_report_shows_the_score_before_deductions_the_flags_and_their_amounts(
    evenhand_command, fake_server, tmp_path
):
    """8.00 less 1.00 for a made-up source is 7.00."""
    fake_server.answer = lambda asked: answer(asked, present=("fabricated-source",))
    (tmp_path / "answer.md").write_text(ANSWER)
    run = ["judge", "answer.md", *models(fake_server), "-r", "default", "--set", "report.audit=true"]
    shown = evenhand_command(*run, OPENAI_API_KEY=KEY).out
    assert all(words in shown for words in ("8.00", "fabricated-source", "1.00", "7.00"))
