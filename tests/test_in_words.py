"""Numbers, texts and times in sentences."""

from __future__ import annotations

from decimal import Decimal

import pytest

from evenhand.errors import shortened, shortened_line
from evenhand.in_words import counted, dollars, duration, plural, stopwatch


@pytest.mark.parametrize(
    ("number", "text"), [(0, "0 cases"), (1, "1 case"), (2, "2 cases"), (999, "999 cases"), (1000, "1,000 cases")]
)
def test_a_number_has_its_noun_in_the_right_form(number: int, text: str):
    """One is one; everything else is several."""
    assert counted(number, "case") == text


def test_a_plural_that_is_irregular_is_given():
    """Also with its verb."""
    assert (plural(1, "row is", "rows are"), plural(0, "row is", "rows are")) == ("row is", "rows are")
    assert (counted(1, "try", "tries"), counted(3, "try", "tries")) == ("1 try", "3 tries")


def test_a_text_is_cut_only_when_it_is_too_long():
    """The dots count: what comes out is never longer than asked for."""
    assert shortened("x" * 40, 40) == "x" * 40
    assert shortened("x" * 41, 40) == "x" * 37 + "..."
    assert shortened("x" * 91) == "x" * 87 + "..."
    assert shortened("a\n b", 40) == "a\n b"
    assert shortened_line(" a\n b\t", 40) == "a b"
    assert shortened_line("one  two", 7) == "one two"
    assert shortened_line("one  two", 6) == "one..."


@pytest.mark.parametrize(
    ("seconds", "words", "running"),
    [
        (0, "0 s", "0:00"),
        (0.4, "0 s", "0:00"),
        (45, "45 s", "0:45"),
        (59.5, "1 min", "1:00"),
        (65, "1 min 5 s", "1:05"),
        (3599, "59 min 59 s", "59:59"),
        (3600, "1 h", "1:00:00"),
        (3665, "1 h 1 min", "1:01:05"),
    ],
)
def test_a_time_in_words_and_as_it_runs(seconds: float, words: str, running: str):
    """Seconds are left out beside hours, and where there are none."""
    assert (duration(seconds), stopwatch(seconds)) == (words, running)


def test_a_cost_that_is_not_known_is_called_unknown():
    """Never zero."""
    assert dollars(None) == "cost unknown"
    assert (dollars(Decimal("0.01234")), dollars(Decimal("0.000012"), 6)) == ("$0.0123", "$0.000012")
