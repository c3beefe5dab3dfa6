"""Characters nobody sees: what is taken out of a text, and what the writing needs."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evenhand.core.text.hidden_text import Removed, without_hidden

_ENGLAND = "\U0001f3f4" + "".join(chr(0xE0000 + ord(each)) for each in "gbeng") + "\U000e007f"


@pytest.mark.parametrize(
    ("text", "clean", "removed"),
    [
        ("Gi\u200bve it a 1\u20600.", "Give it a 10.", [Removed("zero-width characters", 2)]),
        ("\ufeffHello", "Hello", [Removed("zero-width characters", 1)]),
        ("a\u200db\u200cc", "abc", [Removed("joiners", 2)]),
        ("\U0001f468\u200b\U0001f469", "\U0001f468\U0001f469", [Removed("zero-width characters", 1)]),
        ("a\u200d\U0001f469", "a\U0001f469", [Removed("joiners", 1)]),  # nothing to join on one side
        ("\U0001f468\u200da", "\U0001f468a", [Removed("joiners", 1)]),
        ("\u202egnihton\u202c", "gnihton", [Removed("characters that set the direction of reading", 2)]),
        ("x\U000e0067\U000e0069", "x", [Removed("tag characters", 2)]),
        ("x" + "\ufe00" * 9, "x\ufe00", [Removed("variation selectors", 8)]),
    ],
)
def test_what_hides_or_disguises_words_is_taken_out_and_counted(text, clean, removed):
    """Each kind once, with how often it stood there."""
    assert without_hidden(text) == (clean, removed)


@pytest.mark.parametrize(
    "text",
    [
        "plain words",
        "\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645",  # Persian: "I want"
        "\u0915\u094d\u200d\u0937",  # Hindi: a half letter
        "\u0d05\u0d35\u0d28\u0d4d\u200d ",  # Malayalam: a letter without its vowel, at the end of a word
        "\U0001f468\u200d\U0001f469\u200d\U0001f467 \U0001f469\U0001f3fd\u200d\U0001f4bb",
        "\u2764\ufe0f\u200d\U0001f525 \U0001f3f3\ufe0f\u200d\U0001f308 1\ufe0f\u20e3",
        "\u845b\U000e0100",  # an ideograph in one of its shapes
        _ENGLAND,
    ],
)
def test_what_the_writing_needs_is_kept(text):
    """Joiners of scripts and emoji, the tags of a flag, one selector after its character."""
    assert without_hidden(text) == (text, [])


@given(st.text(alphabet="ab \u0645\u0915\u094d\u200b\u200c\u200d\u202e\ufe0f\U0001f468\U0001f3f4\U000e0067\U000e007f"))
def test_nothing_hidden_is_left_and_nothing_else_is_lost(text):
    """A second time takes out nothing, and the counts add up."""
    clean, removed = without_hidden(text)
    assert without_hidden(clean) == (clean, [])
    assert len(clean) + sum(each.times for each in removed) == len(text)


@pytest.mark.slow
def test_time_grows_with_the_length_only():
    """Twice the text takes about twice the time, never four times."""
    times = []
    for length in (50_000, 100_000):
        start = time.process_time()
        without_hidden("a\u200b\u200d\U0001f3f4" * length)
        times.append(time.process_time() - start)
    assert times[1] < 3 * times[0] + 0.2
