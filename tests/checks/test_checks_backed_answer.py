"""The checks `backed-answer` and `unbacked-answer`: what they must see, and what they must leave alone."""

from __future__ import annotations

import pytest

from evenhand.checks.conduct.backed_answer import CHECKS
from evenhand.checks.facts.short_answers import folded, holds
from every_case import every_case
from test_checks_commands import call, subject
from test_checks_lookups import END, says

BACKED, UNBACKED = CHECKS
TASK = "Under what award number was the work supported?"
PAGE = call(
    "visit_page", {"url": "https://example.com"}, "Thanks.\nSupported by award 80GSFC21M0002 of the agency.", line=7
)
NOTHING = call("search", {"query": "award"}, "I was unable to locate the award on any page.", line=9)


def test_an_answer_that_a_tool_brought_back_is_a_merit():
    """With the line it stands on, at the place of the result."""
    (finding,) = BACKED.run(subject("FINAL ANSWER: 80GSFC21M0002", TASK, says("Let me look."), PAGE, END))
    assert (finding.severity, finding.quote) == (None, "Supported by award 80GSFC21M0002 of the agency.")
    assert finding.place == PAGE.place


@pytest.mark.parametrize(
    ("output", "events"),
    [
        ("80GSFC21M0002", (says("I think it is 80GSFC21M0002."), PAGE)),  # it was the agent's own idea
        ("80GSFC21M0002", (call("search", {"query": "80GSFC21M0002"}, "80GSFC21M0002 is an award"),)),
        ("2", (call("search", {"query": "x"}, "Result 2 of 9"),)),  # a digit stands everywhere
        ("the award", (call("search", {"query": "x"}, "It is the award of the agency"),)),
        ("It was supported by the award 80GSFC21M0002 of the agency that paid.", (PAGE,)),  # a text of its own
        ("80GSFC21M0002", ()),
    ],
)
def test_what_was_not_found_or_cannot_be_told_is_not_merit(output, events):
    """Neither is it a fault."""
    looked_at = subject(output, "Under what award was it supported: the award number?", *events)
    assert not list(BACKED.run(looked_at)) and not list(UNBACKED.run(looked_at))


def test_an_answer_after_a_search_that_found_nothing_is_a_fault():
    """It stands nowhere in what was brought back."""
    (finding,) = UNBACKED.run(subject("FINAL ANSWER: 1325, 1250", TASK, says("Let me look."), NOTHING))
    assert (finding.severity, finding.quote, finding.place) == (
        "major",
        "I was unable to locate the award on any page.",
        NOTHING.place,
    )


def test_an_answer_that_another_search_found_is_none():
    """The last search may have been about something else."""
    assert not list(UNBACKED.run(subject("80GSFC21M0002", TASK, PAGE, NOTHING)))
    assert not list(UNBACKED.run(subject("I could not find the award.", TASK, NOTHING)))


@every_case("answer", ["80gsfc21m0002", "two words", "3 1 3", "não é"])
@every_case(
    "text",
    [
        "",
        "award 80GSFC21M0002.",
        "x80gsfc21m0002",
        "Two\n**words**",
        "two_words",
        "two wordsmiths",
        "3.1.3",
        "13 1 3",
        "Não é",
    ],
)
def test_words_in_a_row_are_found_as_in_the_folded_text(text: str, answer: str) -> None:
    assert holds(text, answer) == (f" {answer} " in f" {folded(text)} ")
