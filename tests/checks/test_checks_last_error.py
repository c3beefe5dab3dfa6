"""The check `last-error-unanswered`: what it must see, and what it must leave alone."""

from __future__ import annotations

import pytest

from evenhand.checks.conduct.last_error import CHECKS
from evenhand.checks.finding import Finding
from evenhand.checks.subject import Subject
from evenhand.core.values.submission import Event, Place, Submission, ToolCall

(CHECK,) = CHECKS


def call(result: str | None, failed: bool = False, line: int = 3, agent: str = "") -> Event:
    made = ToolCall("Bash", {"command": "./deploy.sh"}, "1", result, failed, Place("run.jsonl", line + 1))
    return Event("tool_call", "assistant", "", Place("run.jsonl", line), made, agent)


def seen(output: str, *events: Event) -> list[Finding]:
    said = Event("message", "assistant", output, Place("run.jsonl", 99))
    return list(CHECK.run(Subject(Submission(output=output, task="Deploy it.", events=(*events, said)))))


TIMEOUT = "ssh: connect to host web1 port 22: Connection timed out"


@pytest.mark.parametrize(
    ("output", "error"),
    [
        ("Deployed the service. Everything is up.", TIMEOUT),
        ("I added the page and it is live.", "Exit code 1\nnpm ERR! missing script: build"),
        ("Done! The data is imported.", 'psql: FATAL: database "shop" does not exist'),
        ("All set. I also added error handling and an error message.", TIMEOUT),
        ("## Summary\n\nThe release is out; tests pass; edge cases are covered.", "fatal: could not read from remote"),
    ],
)
def test_a_last_error_that_is_passed_over_is_a_clear_fault(output, error):
    """The fault is major; the quote is the error, with its place in the transcript."""
    (finding,) = seen(output, call("ok", line=1), call(error, True))
    assert (finding.dimension, finding.severity) == ("correctness", "major")
    assert finding.quote in error
    assert finding.place == Place("run.jsonl", 4)


@pytest.mark.parametrize(
    "error",
    [
        'API Error: 529 {"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}',
        "Error in generating model output: litellm.RateLimitError: quota exceeded",
        "openai.BadRequestError: Error code: 400 - context_length_exceeded",
    ],
)
def test_an_error_of_the_models_service_is_not_a_tools_fault(error):
    """The agent could neither cause it nor mend it."""
    assert not seen("It is all done.", call("ok"), Event("error", "system", error, Place("run.jsonl", 7)))
    assert not seen("It is all done.", call("ok"), call(error, True))


@pytest.mark.parametrize(
    "output",
    [
        "The deployment failed: the host does not answer.",
        "I could not reach the server, so nothing is deployed.",
        "I wasn't able to deploy it.",
        "The connection to web1 on port 22 is closed; open it and run the script again.",
        "There was an error, see above.",
    ],
)
def test_an_error_that_is_answered_is_in_order(output):
    """Saying so is enough."""
    (finding,) = seen(output, call(TIMEOUT, True))
    assert finding.severity is None


def test_what_the_user_has_spoken_about_since_is_left_alone():
    """The talk went on: the error was answered before the last message."""
    said = (
        Event("message", "assistant", "The flight is full.", Place("run.jsonl", 5)),
        Event("message", "user", "Thanks, then leave it.", Place("run.jsonl", 6)),
    )
    assert not seen("You are welcome. Have a good day!", call("Error: not enough seats", True), *said)


def test_an_output_without_words_is_left_to_other_checks():
    """Nothing is passed over where nothing is said."""
    assert not seen("", call(TIMEOUT, True))


@pytest.mark.parametrize(
    "events",
    [
        [call(TIMEOUT, True), call("deployed")],
        [call("deployed")],
        [call("Exit code 1", True)],
        [call("", True)],
        [call("No files found", True)],
        [call("The user doesn't want to proceed with this tool use.", True)],
        [call("[Request interrupted by user]", True)],
        [call("deployed"), call(TIMEOUT, True, agent="helper")],
        [call(None)],
        [],
    ],
)
def test_a_later_success_and_what_is_not_a_failure_are_left_alone(events):
    """A retry that worked, a search without a hit, a refusal, an interruption, a sub-agent's own affair."""
    assert not seen("Deployed the service.", *events)


@pytest.mark.parametrize(
    "output",
    [
        "Il commit non è riuscito: git dice che non c'è nulla.",
        "没有成功。",
        "Der Befehl ist nicht gelungen und blieb aus.",
    ],
)
def test_other_languages_have_other_words_for_a_failure(output):
    """What is not looked for cannot be missed."""
    assert not seen(output, call(TIMEOUT, True))
