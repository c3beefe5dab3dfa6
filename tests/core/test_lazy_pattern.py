"""Patterns that are compiled late: what they rule out beforehand, they would not have matched."""

from __future__ import annotations

import random
import re
import sys
from collections.abc import Iterator

import pytest

from evenhand.findings.registry import built_in
from evenhand.lazy_pattern import _ODD, _LazyPattern, late_pattern, late_words, needed_words
from every_case import every_case

MANY = [f"{'ab'[number % 2]}{number:02}" for number in range(61)]


def _patterns() -> Iterator[tuple[str, _LazyPattern]]:
    built_in()
    for name, module in sorted(sys.modules.items()):
        if name.startswith("evenhand."):
            for key, value in vars(module).items():
                if isinstance(value, _LazyPattern):
                    yield f"{name}.{key}", value


@every_case(
    ("pattern", "flags", "words"),
    [
        ("unless|except", 0, {"unless", "except"}),
        (r"\bjudg(?:e|es|ing)\b", 0, {"judg"}),
        (r"(?:very )?long (?:word|sentence)s?", 0, {"long "}),
        (r"SELECT|insert", re.I, {"select", "insert"}),
        (r"(?i)Stop", 0, {"stop"}),
        (r"(?:abc)+\d", 0, {"abc"}),
        (r"(?:abc)*\d", 0, set()),  # nothing of it has to be there
        (r"abc|\d+", 0, set()),  # the second part needs no word
        (r"ab|abc", 0, set()),  # too short to rule out much
        (r"(?!abc)\w+", 0, set()),
        (r"(?i:abc)d", 0, set()),
        ("größe|naïve", re.I, set()),  # letters whose case is not simple
        ("größe", 0, {"größe"}),  # as written, they are simple
        ("abc\x7fd|xyz\x80d", re.I, {"abc\x7fd", "xyz"}),  # the last character below 128, and the first that is not
        (r"(?>abcd)\d", 0, {"abcd"}),
        (r"(?:abcd)+?\d", 0, {"abcd"}),
        (r"(?:abcd)++\d", 0, {"abcd"}),
        (r"(?:abcd){0,2}\d", 0, set()),
        (r"abcdef\d(?:xyz|uvw)", 0, {"abcdef"}),  # fewer words are found sooner, and longer ones are rarer
        ("|".join(MANY[:60]), 0, {*MANY[:60]}),
        ("|".join(MANY), 0, set()),  # looking for so many does not pay
    ],
)
def test_needed_words_are_in_every_match(pattern: str, flags: int, words: set[str]) -> None:
    assert needed_words(pattern, flags)[0] == words


def test_a_long_text_without_the_words_is_not_matched_and_compiles_nothing() -> None:
    pattern = late_pattern(r"\bcompletely (?:different|other)\b", re.I)
    text = "Nothing of the kind. " * 20
    assert pattern.search(text) is None
    assert list(pattern.finditer(text)) == pattern.findall(text) == []
    assert "_compiled" not in vars(pattern)
    assert pattern.search(text + "COMPLETELY Different") is not None
    assert pattern.findall(text + "completely other") == ["completely other"]


@pytest.mark.parametrize(("length", "is_compiled"), [(59, True), (60, False)])
def test_a_text_below_sixty_characters_is_matched_at_once(length: int, is_compiled: bool) -> None:
    pattern = late_pattern("different")
    assert pattern.search("." * length) is None
    assert ("_compiled" in vars(pattern)) is is_compiled


def test_a_part_of_a_text_is_matched_as_it_is() -> None:
    """Where a match may begin and end is the pattern's business."""
    pattern, text = late_pattern("different"), "x" * 60 + "different"
    assert pattern.search(text, 0, 65) is None
    assert [*pattern.finditer(text, 0, 65)] == pattern.findall(text, 0, 65) == []
    assert pattern.search(text, 60) is not None
    assert pattern.fullmatch(text) is None, "any other attribute is the compiled pattern's"


@pytest.mark.slow
def test_letters_that_ignoring_case_takes_for_others_rule_nothing_out() -> None:
    odd = {chr(code) for code in range(128, sys.maxunicode + 1) if _takes_for_plain(chr(code))}
    assert odd == {"\u0130", "\u0131", "\u017f"}
    assert all(letter in _ODD for letter in odd)
    assert late_pattern("system", re.I).search("x" * 500 + " \u017fy\u017ftem") is not None


def _takes_for_plain(letter: str) -> bool:
    """Whether a letter matches a plain one in any case, and its lower case is not that one."""
    if 0xD800 <= ord(letter) <= 0xDFFF or not letter.isalpha():
        return False
    match = re.fullmatch("[a-z]", letter, re.I)
    return match is not None and not re.fullmatch("[a-z]", letter.lower())


@pytest.mark.slow
def test_no_pattern_of_the_checks_misses_a_match() -> None:
    """Each pattern's own words, shuffled into long texts: with and without the words first, the result is the same."""
    chance = random.Random(7)
    for name, pattern in _patterns():
        plain = re.compile(pattern._text, pattern._flags)
        pieces = [*re.findall(r"[^\W\d_]+|\d+|[^\w\\]", pattern._text), " ", "\n", "I", "10", "you", "."]
        for _ in range(6):
            text = "".join(f"{chance.choice(pieces)}{chance.choice(['', ' ', ' '])}" for _ in range(60))
            text = "\n".join([text, "plain words that fill the line up to some length, so that it is long enough"])
            for case in (text, text.upper(), text.title()):
                found, wanted = pattern.search(case), plain.search(case)
                assert (found and found.span()) == (wanted and wanted.span()), (name, case)


@pytest.mark.parametrize(
    "text", ["", "a", "Scores: 1", "re-rated", "rated", "RATING.", "grade_a", "naïve Grad", "9rate"]
)
def test_words_are_found_as_the_pattern_finds_them(text: str) -> None:
    alternatives = r"scor\w+|rat(?:e|ed|ing)|grad\w*"
    pattern = re.compile(rf"\b(?:{alternatives})\b", re.I)
    words = late_words(alternatives)
    for _ in range(2):  # the second time from what was learned
        assert words.are_in(text) == (pattern.search(text) is not None)
