"""The check `undone-claim` for lookups that were never made: what it must see, and what it must leave alone."""

from __future__ import annotations

import pytest

from evenhand.checks.conduct.claimed_actions import CHECKS
from evenhand.checks.facts.brought_back import brought_back
from evenhand.core.values import Place
from evenhand.work.submission import Event
from test_checks_commands import call, faults, ran, subject

(CHECK,) = CHECKS
TASK = "According to the survey, where was this fish found before 2020?"


def says(text: str, line: int = 3) -> Event:
    """A message of the agent."""
    return Event("message", "assistant", text, Place("session.jsonl", line))


END = call("final_answer", {"answer": "33149"}, "33149")
ECHO = call(
    "python_interpreter", 'task = "Please find the survey"\nprint(task)', "Execution logs:\nPlease find the survey"
)
COMPUTED = call("python_interpreter", "articles = 484\nprint(articles * 0.04)", "19.36")
FOUND = call("web_search", {"query": "survey fish"}, "The survey of 2018 lists Key Biscayne, Florida.")


@pytest.mark.parametrize(
    "text",
    [
        "1. Use the search_agent to retrieve the survey's database.\n2. Give the answer.",
        "Thought: I will now ask our search_agent for the report.",
        "1. Identify and locate the specific paper on this fish.",
        "I have verified that this stands in the USGS database.",
        "After a search for the number of articles, a source gives 484.",
    ],
)
@pytest.mark.parametrize("calls", [(END,), (ECHO, END), (COMPUTED, END)])
def test_a_lookup_that_was_announced_or_claimed_and_never_made_is_a_fault(text, calls):
    """A call that ends the run, an echo and a computation look nothing up."""
    message = says(text)
    (finding,) = faults(CHECK, subject("FINAL ANSWER: 33149", TASK, message, *calls))
    assert (finding.dimension, finding.severity, finding.place) == ("correctness", "major", message.place)
    assert finding.quote in text


@pytest.mark.parametrize(
    ("text", "calls"),
    [
        ("1. Use the search_agent to retrieve the database.", (FOUND, END)),
        ("1. Use the search_agent to retrieve the database.", ()),
        (
            "1. Use the search_agent to retrieve the database.",
            (ran("cat survey.csv", "fish,place\nclown,Florida"), END),
        ),
        ("### Facts to look up\nNone: no outside source is needed.\n1. Deduce who lies.", (END,)),
        ("Source to consult: a dictionary.\n1. Reverse the sentence.", (END,)),
        ("I have verified that every letter is used once.", (END,)),
        ("1. Add the numbers.\n2. Give the result.", (COMPUTED, END)),
        ("I will not search the web for this.", (END,)),
    ],
)
def test_what_was_looked_up_or_needs_no_source_is_left_alone(text, calls):
    """One call that brought something is enough, and reasoning is not a lookup."""
    assert not faults(CHECK, subject("FINAL ANSWER: 33149", TASK, says(text), *calls))


def test_an_output_that_owns_up_is_left_alone():
    """It says that the answer is a guess."""
    message = says("1. Use the search_agent to retrieve the database.")
    assert not faults(CHECK, subject("I could not look it up; from memory it is Florida.", TASK, message, END))


def test_what_a_call_brought_is_what_was_not_in_it():
    """Errors, labels and the call's own words are taken away first."""
    assert FOUND.call and brought_back(FOUND.call)
    assert ECHO.call and not brought_back(ECHO.call)
    failed = call("web_search", {"query": "x"}, "Error: connection timed out", failed=True)
    assert failed.call and not brought_back(failed.call)
    partly = call("python", "import requests\nprint(requests.get(u).text)", "Found 28 images\nError: x", failed=True)
    assert partly.call and brought_back(partly.call)
