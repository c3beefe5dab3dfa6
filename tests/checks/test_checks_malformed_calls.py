"""The check `malformed-call`: what it must see, and what it must leave alone."""

from __future__ import annotations

import pytest

from evenhand.checks.conduct.malformed_calls import CHECKS
from test_checks_commands import call, faults, ran, subject

(CHECK,) = CHECKS


def refused(number: int, result: str = "TypeError: page_down() got an unexpected keyword argument 'n'") -> list:
    """Calls with different arguments that the tool refused."""
    return [call("page_down", {"n": each}, result, failed=True, line=each) for each in range(number)]


@pytest.mark.parametrize("number", [2, 3, 9])
def test_calls_that_a_tool_refused_are_a_fault(number):
    """Told once, with how many there were and what the last one said."""
    (finding,) = faults(CHECK, subject("Done as asked.", "", *refused(number)))
    assert (finding.dimension, finding.severity) == ("efficiency", "minor")
    assert finding.message.startswith(f"{number} of {number} ")
    assert finding.quote.startswith("TypeError")


@pytest.mark.parametrize(
    "events",
    [
        refused(1),
        [ran("pytest", "1 failed", failed=True), ran("pytest -x", "1 failed", failed=True)],
        [call("Read", {"file_path": each}, "File does not exist.", failed=True) for each in "ab"],
        [call("Read", {"file_path": each}, "Docs: unexpected keyword argument means ...") for each in "ab"],
        refused(2, "x" * 4000 + " unexpected keyword argument"),
        [call("page_down", {}, "unknown tool page_down", failed=True)] * 3,  # the check for repetition tells it
    ],
)
def test_failures_of_the_thing_itself_are_left_alone(events):
    """Anybody errs once, and a command that fails tells something."""
    assert not faults(CHECK, subject("Done as asked.", "", *events))


def test_every_rejected_call_is_counted():
    """Those that were repeated are another check's to report, but belong to the number."""
    events = [*refused(2), *refused(1), *refused(1), *(refused(4)[3:] * 3)]  # 0, 1, 0, 0 and three times 3
    (finding,) = faults(CHECK, subject("Done as asked.", "", *events, *refused(3)[2:]))
    assert finding.message.startswith("8 of 8 tool calls")
