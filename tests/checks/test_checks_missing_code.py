"""The check `missing-code`: what it must see, and what it must leave alone."""

from __future__ import annotations

import pytest

from evenhand.checks.code.missing_code import CHECKS
from test_checks_commands import call, faults, subject

(CHECK,) = CHECKS
WORDS = "The cache keeps the newest entries and drops the oldest one when it is full."


@pytest.mark.parametrize(
    "task",
    [
        "Explain how the cache works, and show the code.",
        "Write a Python function that reverses a list.",
        "Give me a short SQL query for the ten best customers.",
        "Write unit tests for the parser.",
    ],
)
def test_code_that_was_asked_for_and_is_not_there_is_a_fault(task):
    """Words about it are not code."""
    (finding,) = faults(CHECK, subject(WORDS, task))
    assert (finding.dimension, finding.severity) == ("completeness", "major")


@pytest.mark.parametrize(
    ("task", "output"),
    [
        ("Show the code.", "```python\nx = 1\n```"),
        ("Show the code.", "Use `x.reverse()`."),
        ("Show the code.", "def f(x):\n    return x"),
        ("Write a SQL query for the count.", "SELECT count(*) FROM orders;"),
        ("Write a script for a short film.", WORDS),
        ("Give a function that is continuous.", WORDS),
        ("Write a code of conduct.", WORDS),
        ("Write the code review for this change.", WORDS),
        ("Explain it and do not show the code.", WORDS),
        ("Write a description of the Python function.", WORDS),
        ("Explain the cache.", WORDS),
    ],
)
def test_code_in_any_form_and_other_wishes_are_left_alone(task, output):
    """A script may be for a film."""
    assert not faults(CHECK, subject(output, task))


def test_an_agent_may_have_written_it_to_a_file():
    """Then the output need not repeat it."""
    assert not faults(CHECK, subject(WORDS, "Show the code.", call("Write", {"file_path": "a.py", "content": "x = 1"})))
