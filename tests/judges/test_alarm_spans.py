"""Places in a text: paragraphs, sentences that are touched, passages cut out and joined, each at its ends."""

from __future__ import annotations

import pytest

from evenhand.judges.model import alarm
from evenhand.judges.model.alarm import Search, joined, passages_of
from evenhand.questions.shown_work import shown_tokens

TEXT = "One here.\n\nTwo there. Two more.\n\nThree."


def around(text: str, word: str) -> tuple[int, int]:
    return text.index(word), text.index(word) + len(word)


@pytest.mark.parametrize(
    ("word", "paragraph"),
    [("here", "One here."), ("Two more", "\nTwo there. Two more."), ("Three", "\nThree."), ("One", "One here.")],
)
def test_a_span_is_widened_to_its_paragraph(word: str, paragraph: str):
    """The first begins with the text, the last ends with it."""
    start, stop = alarm._paragraph(TEXT, around(TEXT, word))
    assert TEXT[start:stop] == paragraph


def test_a_span_is_widened_by_its_context_where_the_paragraph_is_longer(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(alarm, "_AROUND", 3)
    text = "a" * 20 + "X" + "b" * 20
    assert alarm._paragraph(text, (20, 21)) == (17, 24)
    assert alarm._paragraph("aX", (1, 2)) == (0, 2)


@pytest.mark.parametrize(("length", "whole"), [(6, True), (7, False)])
def test_a_short_paragraph_is_taken_whole(length: int, whole: bool, monkeypatch: pytest.MonkeyPatch):
    """Up to twice the context, here 8 with the line break before it and its last letter; else the span alone."""
    monkeypatch.setattr(alarm, "_AROUND", 4)
    paragraph = "x" * length + "Y"
    text = f"{'a' * 40}\n\n{paragraph}\n\n{'b' * 40}"
    start, stop = around(text, "Y")
    found = alarm._short_paragraph(text, (start, stop))
    assert found == ((start - length - 1, stop) if whole else (start, stop))


def test_a_short_paragraph_is_at_most_half_of_the_text():
    """Of 40 characters: 19 and the line break before them are half, 20 are not."""
    for length, whole in ((19, True), (20, False)):
        paragraph = "Y".rjust(length, "x")
        text = f"{'a' * (40 - 2 - length)}\n\n{paragraph}"
        assert len(text) == 40
        span = around(text, "Y")
        assert (alarm._short_paragraph(text, span) != span) is whole


def test_a_short_paragraph_ends_before_the_next():
    text = f"Y one.\n\n{'b' * 40}"
    assert alarm._short_paragraph(text, (0, 1)) == (0, 6)
    text = f"{'b' * 40}\n\nY one."
    assert alarm._short_paragraph(text, (42, 43)) == (41, 48)


def test_spans_are_touched_that_share_a_character_with_a_place():
    """The end of a place is not part of it, nor is the end of a span."""
    spans = [(0, 5), (5, 10), (10, 15), (20, 25)]
    assert alarm._touched(spans, [(5, 6)]) == (((5, 10),), [(0, 5), (10, 15), (20, 25)])
    assert alarm._touched(spans, [(15, 20)]) == ((), spans)
    assert alarm._touched(spans, [(24, 30), (4, 6)]) == (((0, 5), (5, 10), (20, 25)), [(10, 15)])
    assert alarm._touched(spans, []) == ((), spans)
    assert alarm._touched(spans, [(0, 30)]) == (tuple(spans), [])


def test_spans_that_touch_or_overlap_are_one():
    assert joined([(0, 3), (3, 5), (4, 9), (10, 12), (10, 11)]) == [(0, 9), (10, 12)]
    assert joined([]) == []


def test_a_search_has_its_sentences_in_the_order_of_the_text_and_neighbours_as_one():
    text = "One. Two. Gap here. Three."
    one, two, three = (around(text, word) for word in ("One.", "Two.", "Three."))
    search = Search(((two,), (), (one, three)))
    assert search and not Search(((), ()))
    assert search.spans == (one, two, three)
    assert search.passages(text) == ((0, 9), three)
    assert search.cut_out(text, None) == "One. Two.\nThree."
    tokens = shown_tokens("One. Two.\nThree.")
    assert (search.cut_out(text, tokens), search.cut_out(text, tokens - 1)) == ("One. Two.\nThree.", None)
    assert search.without([(0, 4), (19, 27)]) == Search(((two,), (), ()))
    assert search.without([(1, 9), (20, 25)]).spans == (one, three)
    some, rest = search.parts()
    assert (some, rest) == (Search(((two,),)), Search(((one, three),), shown=False))
    assert Search(((one,), (two,), (), (three,))).likely == Search(((one,), (two,), ()))


def test_paragraphs_with_masked_words_are_cut_out_as_they_are_and_masked():
    """Where they have too many tokens, there are none."""
    mask = around(TEXT, "there")
    passages = passages_of(TEXT, [mask], None)
    assert passages is not None
    plain, covered = passages
    assert plain == TEXT and covered == TEXT.replace("there", "_____")
    most = max(shown_tokens(plain), shown_tokens(covered))
    assert passages_of(TEXT, [mask], most) == (plain, covered)
    assert passages_of(TEXT, [mask], most - 1) is None


@pytest.mark.parametrize(
    ("spans", "shown"),
    [
        ([(10, 12)], "LEFT|..ab..|LEFT"),
        ([(0, 2)], "xx..|LEFT"),
        ([(10, 12), (14, 16)], "LEFT|..ab..cd..|LEFT"),
        ([(18, 20)], "LEFT|..yy"),
    ],
)
def test_what_is_left_out_around_passages_is_marked(spans, shown, monkeypatch: pytest.MonkeyPatch):
    """Not where nothing is: at the beginning, at the end, and between neighbours."""
    monkeypatch.setattr(alarm, "_LEFT_OUT", "LEFT")
    text = "xx........ab..cd..yy"
    plain, hidden = alarm._pieces((text, text.upper()), spans, 2)
    assert plain == shown.replace("|", "\n")
    assert hidden == shown.upper().replace("|", "\n")
