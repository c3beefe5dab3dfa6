"""The check `answer-after-nothing`: what it must see, and what it must leave alone."""

from __future__ import annotations

import pytest

from evenhand.checks.conduct.found_nothing import CHECKS
from test_checks_commands import call, faults, said, subject
from test_checks_lookups import END, says

(CHECK,) = CHECKS
TASK = "Which award supported the work?"
SEARCH = call("web_search", {"query": "award"}, "Ten pages about telescopes and their mirrors.", line=2)


@pytest.mark.parametrize(
    "admission",
    [
        "I could not find the award in the paper.",
        "Thought: I was unable to locate the paper.\nI will answer now.",
        "The search did not return the award.",
        "No relevant information was found, so I will give my best answer.",
    ],
)
def test_a_definite_answer_after_finding_nothing_is_a_fault(admission):
    """With the agent's own words, at their place."""
    message = says(admission, line=7)
    (finding,) = faults(CHECK, subject("FINAL ANSWER: 80GSFC21M0002", TASK, SEARCH, message, END))
    assert (finding.dimension, finding.severity, finding.place) == ("correctness", "major", message.place)
    assert finding.quote in admission


@pytest.mark.parametrize(
    ("output", "events"),
    [
        ("I could not find the award.", (SEARCH, says("I could not find the award."))),
        ("80GSFC21M0002 (a guess)", (SEARCH, says("I could not find the award."))),
        ("None", (SEARCH, says("I could not find the award."))),
        ("No award", (SEARCH, says("I found no records."))),
        ("80GSFC21M0002", (SEARCH, says("I found it on page 3."))),
        ("80GSFC21M0002", (says("I could not find it."), call("open", {"url": "x"}, "Award 80GSFC21M0002 was given."))),
        ("80GSFC21M0002", (says("I could not find it."), SEARCH, says("The second page names it."))),
        ("80GSFC21M0002", (SEARCH, says("I could not find it."), said("It is 80GSFC21M0002."))),
        ("The award was 80GSFC21M0002, as the acknowledgements of the paper say.", (SEARCH, says("I found nothing."))),
    ],
)
def test_an_answer_with_something_behind_it_is_left_alone(output, events):
    """Doubt that is admitted, a later result, a user who said it, and answers too long to compare."""
    assert not faults(CHECK, subject(output, TASK, *events))
