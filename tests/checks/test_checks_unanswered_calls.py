"""The check `unanswered-tool-call`: what it must see, and what it must leave alone."""

from __future__ import annotations

import pytest

from evenhand.checks.conduct.unanswered_calls import CHECKS
from evenhand.checks.finding import Finding
from evenhand.checks.subject import Subject
from evenhand.core.values import Place
from evenhand.work.submission import Event, Submission, ToolCall

CHECK, NO_ANSWER = CHECKS


def call(name: str, result: str | None, line: int = 3, agent: str = "") -> Event:
    made = ToolCall(name, {"command": "x"}, str(line), result)
    return Event("tool_call", "assistant", "", Place("run.jsonl", line), made, agent)


def words(text: str, role: str = "assistant") -> Event:
    return Event("message", role, text, Place("run.jsonl", 50))


def thought() -> Event:
    return Event("reasoning", "assistant", "Hm.", Place("run.jsonl", 51))


def seen(*events: Event) -> list[Finding]:
    return list(CHECK.run(Subject(Submission(output="Let me see.", task="Migrate it.", events=events))))


@pytest.mark.parametrize(
    "events",
    [
        [call("Read", "text"), words("Now the rest."), call("Bash", None, 9)],
        [call("Read", "text"), call("Bash", None, 9), call("Bash", None, 10)],
        [call("Read", "text"), call("Bash", None, 9), thought()],
        [call("exec_command", "0"), call("Bash", None, 9)],
    ],
)
def test_a_transcript_that_ends_with_an_open_call_broke_off(events):
    """The fault is major once, however many calls are open."""
    (finding,) = seen(*events)
    assert (finding.dimension, finding.severity, finding.quote) == ("completeness", "major", "Bash")
    assert finding.place == Place("run.jsonl", 9)


@pytest.mark.parametrize(
    "events",
    [
        [],
        [words("Done.")],
        [call("Read", "text"), call("Bash", "ok")],
        [call("Read", "text"), call("Bash", None), words("It runs in the background.")],
        [call("get_weather", None)],
        [call("Read", None), call("Bash", None)],
        [call("Read", "text"), call("[redacted]", None)],
        [call("Read", "text"), call("final_answer", None)],
        [call("Read", "text"), call("AskUserQuestion", None)],
        [call("Read", "text"), call("render_weather_card", None)],
        [call("Read", "text"), call("Bash", "ok"), call("Bash", None, agent="helper")],
    ],
)
def test_answers_ends_and_formats_without_results_are_left_alone(events):
    """A word after the call, a call that is the answer, a tool that ends the run, a sub-agent."""
    assert not seen(*events)


def test_a_transcript_that_ends_with_a_result_has_no_answer():
    """The fault is minor, at the place of the call."""
    events = (words("Fix it.", "user"), words("Let me run the tests."), call("Bash", "1 failed", 9))
    (finding,) = NO_ANSWER.run(Subject(Submission(output="Let me run the tests.", events=events)))
    assert (finding.dimension, finding.severity, finding.place) == ("completeness", "minor", Place("run.jsonl", 9))


@pytest.mark.parametrize(
    "events",
    [
        [words("Let me see."), call("Bash", "ok"), words("Done.")],
        [words("Let me see."), call("Bash", "ok"), words("Done."), thought()],
        [words("Let me see."), call("submit", "ok")],
        [words("Let me see."), call("final_answer", "42")],
        [words("Let me see."), call("notify_user", "sent")],
        [words("Let me see."), call("Write", "File created")],
        [words("Let me see."), call("Bash", "ok"), words("Done."), call("Bash", "ok", agent="helper")],
        [call("classify", "ham")],
        [words("I will hand you over."), call("", "Transfer successful")],
        [words("Hello."), words("Cancel it.", "user"), words("It cannot be."), call("close_case", "ok")],
        [],
    ],
)
def test_an_answer_after_the_call_or_in_it_is_one(events):
    """A file that was written may be the answer, and some agents never speak."""
    assert not list(NO_ANSWER.run(Subject(Submission(output="Let me see.", events=tuple(events)))))


@pytest.mark.parametrize(
    ("output", "command"),
    [("diff --git a/x b/x\n+1", "git add -A && git diff --cached"), ("Let me run the tests.", "submit")],
)
def test_a_call_that_hands_the_work_in_is_an_answer(output, command):
    """Its result is the output, or it says so."""
    made = ToolCall("bash", {"command": command}, "9", "diff --git a/x b/x\n+1\n")
    events = (words("Fix it.", "user"), words("I am done."), Event("tool_call", "assistant", "", Place("r", 9), made))
    assert not list(NO_ANSWER.run(Subject(Submission(output=output, events=events))))
