"""Quotes are checked verbatim, with Unicode composed and white space folded, and placed in the text as given."""

from __future__ import annotations

import unicodedata
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evenhand.core.finding import Checked, Finding, Place
from evenhand.core.judgement import Claim, Evidence, Judgement, Opinion
from evenhand.work.quotes import Quotable, _compose, restorer, verify_judgement
from evenhand.work.submission import Event, Submission, ToolCall


def check(text: str, quote: str) -> tuple[bool | None, int | None, int | None]:
    found = Quotable(text).check(Evidence(quote))
    return found.verified, found.line, found.offset


@pytest.mark.parametrize(
    ("text", "quote", "line", "offset"),
    [
        ("one two", "two", 1, 4),
        ("one\ntwo three", "two three", 2, 4),
        ("one\n  two\n\tthree", "two three", 2, 6),  # white space folded
        ("one two", "one\n\ntwo", 1, 0),  # in the quote as well
        ("one two", "  two ", 1, 4),  # white space around the quote is not part of it
        ("caf\u0065\u0301 noir", "caf\u00e9", 1, 0),  # composed against decomposed
        ("caf\u00e9 noir", "cafe\u0301 noir", 1, 0),  # and the other way round
        ("e\u0301e\u0301e\u0301 x", "x", 1, 7),  # the offset counts the text as given
        ("cafe\u0301 cafe", "cafe", 1, 6),  # a letter is not its accented sibling
        ("a\r\nb", "a b", 1, 0),
        ("\u00a0non\u00a0breaking", "non breaking", 1, 1),
    ],
)
def test_a_quote_that_is_in_the_output_is_verified_with_its_place(text, quote, line, offset):
    """Line from 1, offset from 0, both in the output as it was given."""
    assert check(text, quote) == (True, line, offset)


@pytest.mark.parametrize(
    ("text", "quote"),
    [
        ("One two", "one two"),  # case is not forgiven
        ("one, two", "one two"),  # nor punctuation
        ("one two three", "one ... three"),  # nor an ellipsis
        ("onetwo", "one two"),  # white space cannot be made up
        ("one two", "onetwo"),  # nor left out
        ("cafe\u0301 noir", "cafe"),  # nor half of a letter
        ("", "x"),
    ],
)
def test_a_quote_that_does_not_is_marked(text, quote):
    """Close is not verbatim."""
    assert check(text, quote) == (False, None, None)


@given(st.text(alphabet=st.characters(codec="utf-8"), max_size=40))
def test_composing_piece_by_piece_is_composing_the_whole(text):
    """The pieces join to the NFC of the text, so that a place in one is a place in the other."""
    composed, starts, origins = _compose(text)
    assert composed == unicodedata.normalize("NFC", text)
    assert starts == sorted(starts)
    assert origins == sorted(origins)


tricky = st.text(alphabet="aeE \u0301\u0327\u0323\n\t\u1100\u1161\u11a8\u09c7\u09beZ", max_size=20)


@given(tricky, tricky, tricky)
def test_any_part_of_a_text_is_found_in_it(before, quote, after):
    """Whatever is cut out of a text between spaces verifies, composed or not."""
    text = f"{before} {quote} {after}"
    if not quote.strip():
        return
    for form in ("NFC", "NFD"):
        verified, line, offset = check(text, unicodedata.normalize(form, quote))
        assert verified
        assert text.count("\n", 0, offset) + 1 == line


HIDDEN = "\u200b\u2060\ufeff\u00ad\U000e0041"


@pytest.mark.parametrize(
    ("text", "quote", "passage"),
    [
        ("The ca\u200bche is small.", "cache is", "ca\u200bche is"),
        ("\u200bThe cache\u200b is small.", "The cache", "The cache"),  # what stands around it is not part of it
        ("The cache \u200b \n\u200bis\u00ad small.", "cache is small", "cache \u200b \n\u200bis\u00ad small"),
        ("One.\nThe \U000e0041cache.", "The cache", "The \U000e0041cache"),
        ("The ca\u200bche.", "The Cache", None),  # nothing else is forgiven
        ("The ca\u200bche.", "the lock", None),
        ("The ca\u200bche.", "  ", None),
        ("The c" + "\U000e0041" * 9 + "ache.", "The cache", "The c" + "\U000e0041" * 9 + "ache"),
        ("The c" + "\U000e0041" * 10 + "ache.", "The cache", None),  # more is hidden than can be read
    ],
)
def test_a_quote_across_hidden_characters_is_given_as_it_stands(text, quote, passage):
    """Then it is verified like any other; the quote without them still is not."""
    found = restorer(Submission(output=text))(quote)
    assert found == passage
    if passage is not None:
        assert check(text, passage)[0]


def test_what_can_be_read_without_hidden_characters_needs_no_help():
    """A text that hides nothing has nothing to give back."""
    assert restorer(Submission(output="The cache \u2014 it is small."))("The cache") is None


@given(
    st.text("ab", min_size=1), st.lists(st.tuples(st.integers(0, 50), st.sampled_from(HIDDEN)), min_size=1), st.data()
)
def test_whatever_part_was_shown_leads_back_to_the_text(shown, hidden, data):
    """Hidden characters put anywhere: a quote from the text without them is found in the text with them."""
    text = shown
    for place, character in hidden:
        text = text[: place % (len(text) + 1)] + character + text[place % (len(text) + 1) :]
    start = data.draw(st.integers(0, len(shown) - 1))
    quote = shown[start : data.draw(st.integers(start + 1, len(shown)))]
    passage = restorer(Submission(output=text))(quote)
    if passage is None:
        assert len(hidden) > len(quote)
    else:
        assert check(text, passage)[0]
        assert passage.translate(dict.fromkeys(map(ord, HIDDEN))) == quote


def test_a_quote_from_a_transcript_leads_back_to_its_event():
    """Words, arguments and results alike."""
    call = ToolCall("read", {"path": ["no\u200btes.md"]}, "1", "The lo\u200bck is held.")
    event = Event("tool_call", "assistant", "", Place("run.jsonl", 3), call)
    restore = restorer(Submission(output="Done.", events=(event,)))
    assert restore("The lock is") == "The lo\u200bck is"
    assert restore("notes.md") == "no\u200btes.md"


def test_a_quote_that_is_nowhere_is_not_sought_with_a_pattern(monkeypatch: pytest.MonkeyPatch):
    """A pattern of 900 words takes its time with every word of a long text."""
    monkeypatch.setattr("evenhand.work.quotes._pattern", lambda quote: pytest.fail("a pattern was made"))
    assert restorer(Submission(output="\u200b" + "a " * 5000))("a " * 900 + "b") is None


# --- findings, at the place that their check names -------------------------------------------------------------------

FIRST, SECOND, RESULT = Place("run.jsonl", 1), Place("run.jsonl", 2), Place("run.jsonl", 3)
RUN = Submission(
    output="It is done.\nAll tests pass.\nIt is done.",
    events=(
        Event("message", "user", "Do it, please.", FIRST),
        Event(
            "tool_call", "assistant", "", SECOND,
            ToolCall(
                name="shell", arguments={"command": "rm -rf build", "more": ["deep", {"nested": "here"}], "n": 1},
                result="no\nsuch file", result_place=RESULT,
            ),
        ),
    ),
)  # fmt: skip


def located(**finding) -> Finding:
    made = Finding("check", "safety", "major", "Why.", **finding)
    judgement = Judgement({}, {"name": "x"}, "s", checked=Checked("c", (made,)))
    return verify_judgement(judgement, RUN).checked.findings[0]


@pytest.mark.parametrize(
    ("finding", "verified", "offset", "line", "place"),
    [
        ({"quote": ""}, None, None, None, None),
        ({"quote": "It is done."}, True, 0, 1, None),
        ({"quote": "It is done.", "offset": 28}, True, 28, 3, None),
        ({"quote": "It is done.", "offset": 5}, True, 0, 1, None),  # not there: the first that is
        ({"quote": "All  tests pass."}, True, 12, 2, None),
        ({"quote": "Do it", "offset": 3}, True, None, None, FIRST),  # in the transcript only
        ({"quote": "rm -rf build"}, True, None, None, SECOND),
        ({"quote": "here"}, True, None, None, SECOND),
        ({"quote": "no such file"}, True, None, None, RESULT),
        ({"quote": "nowhere", "offset": 3}, False, None, None, None),
        ({"quote": "Do it", "place": FIRST}, True, None, None, FIRST),
        ({"quote": "Do it", "place": SECOND}, False, None, None, SECOND),
        ({"quote": "Do  it", "place": FIRST}, True, None, None, FIRST),
        ({"quote": "It is done.", "place": FIRST}, False, None, None, FIRST),
    ],
)
def test_a_finding_is_verified_where_its_check_says(finding, verified, offset, line, place):
    """In the output at its offset or the first time, in the transcript at its place; never elsewhere."""
    made = located(**finding)
    assert (made.verified, made.offset, made.line, made.place) == (verified, offset, line, place)


def test_the_quotes_of_opinions_flags_and_bonuses_are_all_checked():
    """Each by itself; what has none stays as it is."""
    there, not_there = Evidence("All tests pass."), Evidence("No test passes.")
    judgement = Judgement(
        {"safety": Opinion(Decimal(7), evidence=(there, not_there)), "adherence": Opinion(Decimal(5))},
        {"name": "x"}, "s", red_flags=(Claim("f", "why", (not_there,)),), bonuses=(Claim("b", "why", (there,)),),
    )  # fmt: skip
    made = verify_judgement(judgement, RUN)
    assert [quote.verified for quote in made.opinions["safety"].evidence] == [True, False]
    assert made.opinions["adherence"] == Opinion(Decimal(5))
    assert (made.red_flags[0].evidence[0].verified, made.bonuses[0].evidence[0].verified) == (False, True)
    assert made.checked is None


@pytest.mark.parametrize(
    ("text", "quote", "offset", "span"),
    [
        ("one two one", "one", None, (0, 3)),
        ("one two one", "one", 8, (8, 11)),
        ("one two one", "one", 5, (0, 3)),  # not there: the first time
        ("one  two", "one two", None, (0, 8)),
        ("one  two", "one two", 0, (0, 8)),
        ("cafe\u0301 noir", "caf\u00e9 noir", None, (0, 10)),
        ("x cafe\u0301", "caf\u00e9", None, (2, 7)),
        ("cafe\u0301 x", "caf\u00e9", None, (0, 5)),
        ("one", "two", None, None),
    ],
)
def test_a_quote_has_a_start_and_an_end_in_the_text_as_given(text, quote, offset, span):
    """Where it was composed or folded, the end is that of what was written."""
    assert Quotable(text).span(quote, offset) == span
