"""The check `gave-up`: what it must see, and what it must leave alone."""

from __future__ import annotations

import pytest

from evenhand.checks.conduct.gave_up import CHECKS
from evenhand.core.values.submission import Event, Place
from test_checks_commands import faults, ran, said, subject
from test_checks_lookups import says

(CHECK,) = CHECKS
TASK = "In which year was the paper published?"


@pytest.mark.parametrize(
    "output",
    [
        "I was unable to determine the year of publication.",
        "FINAL ANSWER: Unable to determine",
        "Unfortunately, I could not find the paper.",
        "FINAL ANSWER: None",
        "I don't know.",
        "After many searches, we were not able to locate the paper.",
        "Agent stopped due to iteration limit or time limit.",
        "Reached max steps.",
    ],
)
def test_an_output_that_says_it_failed_is_incomplete(output):
    """It costs completeness and nothing else."""
    (finding,) = faults(CHECK, subject(output, TASK))
    assert (finding.dimension, finding.severity, finding.quote) == ("completeness", "major", output)


@pytest.mark.parametrize(
    ("output", "task"),
    [
        ("It was published in 1998. I could not find the month.", TASK),
        ("I could not find any bugs in this function.", "Review the function."),
        ("Unable to determine", "Give the year, or say 'Unable to determine' if there is no answer."),
        ("None", "Which of these keys are duplicated? Answer None if there are none."),
        ("Unknown hosts are refused.", "Explain the setting."),
        ("Not found errors are shown as a page.", "Explain the setting."),
        ("I cannot cancel the booking: the fare does not allow it.", "Cancel my booking."),
        ("The limit was raised; nothing is stopped.", "Explain."),
    ],
)
def test_an_answer_that_finds_nothing_is_an_answer(output, task):
    """So is one that leaves a part open, and one that a rule forbids."""
    assert not faults(CHECK, subject(output, task))


def test_a_run_that_was_stopped_is_incomplete():
    """With the event that stopped it, when it came last."""
    stop = Event("error", "system", "stopped at the message limit of 50", Place("log.json", 4))
    (finding,) = faults(CHECK, subject("Let me look at the file.", TASK, ran("ls"), stop))
    assert (finding.severity, finding.quote, finding.place) == ("major", stop.text, stop.place)
    assert not faults(CHECK, subject("It was 1998.", TASK, stop, says("It was 1998.")))


def test_a_talk_goes_on():
    """The user can answer, so it is not an end."""
    talk = (said("Find my order."), says("Which one?"), said("The last one."))
    assert not faults(CHECK, subject("I was unable to find an order of that name.", "Find my order.", *talk))
