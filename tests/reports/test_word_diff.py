"""Two texts side by side: every line of both is there once, and what changed is marked by words."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evenhand.reports.comparison.word_diff import (
    AROUND,
    MOST_CHARACTERS,
    MOST_LINES,
    LinePair,
    text_changes,
    word_changes,
)


def pairs_of(before: str, after: str) -> list[LinePair]:
    runs = text_changes(before, after)
    assert runs is not None
    return [pair for run in runs for pair in run.pairs]


def side(pair: LinePair, place: int) -> str:
    """A side of a line, with what changed in brackets."""
    pieces = (pair.before, pair.after)[place]
    return "".join(f"[{piece.text}]" if piece.changed else piece.text for piece in pieces)


def test_a_changed_line_is_marked_word_by_word_and_the_others_not_at_all():
    """A line that was added has nothing beside it."""
    pairs = pairs_of("same\nthe red flag stays here\nend", "same\nthe blue flag stays here\nmore\nend")
    assert [(pair.kind, side(pair, 0), side(pair, 1), pair.numbers) for pair in pairs] == [
        ("same", "same", "same", (1, 1)),
        ("changed", "the [red] flag stays here", "the [blue] flag stays here", (2, 2)),
        ("new", "", "[more]", (None, 3)),
        ("same", "end", "end", (3, 4)),
    ]


def test_a_line_that_is_gone_has_nothing_beside_it():
    """Line breaks of Windows are not a change."""
    pairs = pairs_of("one\r\ntwo\r\n", "one\n")
    assert [(pair.kind, side(pair, 0), pair.numbers) for pair in pairs] == [
        ("same", "one", (1, 1)),
        ("gone", "[two]", (2, None)),
    ]


@pytest.mark.parametrize(("between", "folded"), [(2 * AROUND, 0), (3 * AROUND, 0), (3 * AROUND + 1, AROUND + 1)])
def test_unchanged_lines_far_from_a_change_are_folded(between, folded):
    """Two are shown on each side of a change; to fold two more would save nothing."""
    same = "\n".join(f"line {number}" for number in range(between))
    runs = text_changes(f"first\n{same}\nlast", f"begin\n{same}\nend")
    assert runs is not None
    assert sum(len(run.pairs) for run in runs if run.folded) == folded


@pytest.mark.parametrize(
    ("text", "compared"),
    [
        ("x\n" * MOST_LINES, True),
        ("x\n" * (MOST_LINES + 1), False),
        ("x" * MOST_CHARACTERS, True),
        ("x" * (MOST_CHARACTERS + 1), False),
    ],
    ids=["lines", "a line more", "characters", "a character more"],
)
def test_texts_are_compared_up_to_a_length(text, compared):
    """Otherwise a page would take minutes."""
    assert (text_changes(text, "y") is not None) == compared


@given(st.text("ab \n", max_size=60), st.text("ab \n", max_size=60))
def test_every_line_of_both_is_there_once_and_in_order(before, after):
    """Whatever is marked, nothing is lost or made up."""
    pairs = pairs_of(before, after)
    for place, text in enumerate((before, after)):
        lines = [(pair.numbers[place], pair) for pair in pairs if pair.numbers[place] is not None]
        assert [number for number, _ in lines] == list(range(1, len(lines) + 1))
        shown = ["".join(piece.text for piece in (pair.before, pair.after)[place]) for _, pair in lines]
        assert shown == text.removesuffix("\n").split("\n")


def test_words_are_marked_only_where_texts_are_alike():
    """Otherwise all of both is marked."""
    assert word_changes("one thing", "another")[0] == [("one thing", True)]
