"""Characters nobody sees: what is taken out of a text, and what the writing needs."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evenhand.work.readable import readable


@given(st.text(alphabet="ab \u0645\u0915\u094d\u200b\u200c\u200d\u202e\ufe0f\U0001f468\U0001f3f4\U000e0067\U000e007f"))
def test_nothing_hidden_is_left_and_nothing_else_is_lost(text):
    """A second time takes out nothing, and the counts add up."""
    clean, removed = readable(text)[:2]
    assert readable(clean)[:2] == (clean, ())
    assert len(clean) + sum(each.times for each in removed) == len(text)


@pytest.mark.slow
def test_time_grows_with_the_length_only():
    """Twice the text takes about twice the time, never four times."""
    times = []
    for length in (50_000, 100_000):
        start = time.process_time()
        readable("a\u200b\u200d\U0001f3f4" * length)
        times.append(time.process_time() - start)
    assert times[1] < 3 * times[0] + 0.2
