"""The check `malformed-call`: what it must see, and what it must leave alone."""

from __future__ import annotations

import pytest

from check_subjects import call, faults, ran, subject
from evenhand.findings.conduct.malformed_calls import CHECKS

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


def test_calls_that_another_check_charges_are_not_counted_again():
    """Three times the same refusal is the same failure; only the other rejected calls count here."""
    events = [*refused(2), *refused(1), *refused(1), *(refused(4)[3:] * 3)]  # 0, 1, 0, 0 and three times 3
    (finding,) = faults(CHECK, subject("Done as asked.", "", *events, *refused(3)[2:]))
    assert finding.message.startswith("2 of 8 tool calls")  # 1 and 2; three times 0 and three times 3 are left out


def test_calls_made_at_once_are_one_mistake():
    """They are in one message, so the second was made before the first was rejected."""
    first, second = refused(2)
    other = call("page_up", {}, "ok")._replace(place=first.place._replace(line=9))
    assert faults(CHECK, subject("Done as asked.", "", first, second, other))
    assert not faults(CHECK, subject("Done as asked.", "", first, second._replace(place=first.place), other))


@pytest.mark.parametrize(
    "events",
    [
        [
            ran(f"python {name}.py", "TypeError: f() got an unexpected keyword argument 'x'", failed=True)
            for name in "ab"
        ],
        [ran(f"python {name}.py", "1 validation error for Settings", failed=True) for name in "ab"],
        [
            call(
                "run", {"code": f"plot({name}=1)"}, "TypeError: plot() got an unexpected keyword argument", failed=True
            )
            for name in "ab"
        ],
    ],
)
def test_an_error_in_the_agents_own_program_is_not_a_malformed_call(events):
    """The tool ran it; what it says is the program's."""
    assert not faults(CHECK, subject("Done as asked.", "", *events))


def test_a_shell_that_refuses_its_call_counts():
    """There the tool itself says so."""
    events = [call("Bash", {"command": "ls", "n": n}, "InputValidationError: n", failed=True, line=n) for n in (1, 2)]
    assert faults(CHECK, subject("Done as asked.", "", *events))
