"""Reading the score a judge states in prose: one consistent score on the asked scale, or Unscored with the reason."""

from __future__ import annotations

from decimal import Decimal

import pytest
from read_score_cases import NOT_STATED, STATED

from evenhand.core.model import Unscored
from evenhand.judges import read_score


@pytest.mark.parametrize(("text", "scale", "expected"), STATED)
def test_a_stated_score_is_read_exactly(text, scale, expected):
    """What is said is what is read, digit for digit."""
    assert read_score(text, *scale) == Decimal(expected)


@pytest.mark.parametrize(("text", "scale", "expected"), NOT_STATED)
def test_a_text_that_states_no_single_score_is_unscored(text, scale, expected):
    """Never a guess: the reason stands in its place."""
    assert isinstance(read_score(text, *scale), Unscored)
