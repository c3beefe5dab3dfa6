"""A regular expression that is compiled when it is first needed. Pure.

Most outputs need only a few of the patterns, and compiling all of them would cost more than checking the output. In a
long text, words that every match must contain are looked for first: where none is there, which is the rule, nothing is
compiled or matched, and that is many times as fast.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from functools import cached_property, lru_cache
from typing import Any, cast

_parse: Callable[..., Any] | None
try:
    from re import _parser  # type: ignore[attr-defined]

    _parse = _parser.parse
except ImportError:  # not part of what Python promises: without it, every text is matched
    _parse = None

SHORTEST = 60
"""Characters of a text in which words are looked for first; a shorter one is matched as soon."""
_FEWEST_LETTERS, _MOST_WORDS = 3, 60
"""How long each of the words has to be, and how many there may be, so that looking for them pays."""
_KEPT = 100_000
"""Characters of a text whose lower case and words are kept for the next pattern."""
_SHORT = 1_000
"""Characters of a text that is kept among many, so that sentences do not push out the task and the output."""
_MOST_LEARNED = 50_000
"""Words that are remembered not to be among those looked for."""
_WORD = r"\w+"
_BLANKED = {code: " " for code in range(128) if not chr(code).isalnum() and chr(code) != "_"}
"""For a text without accents, what a word does not contain."""
_ODD = "\u0130\u0131\u017f"
"""What `re.IGNORECASE` takes for i and s, and `lower` does not."""


class _LazyPattern:
    """Compiles its pattern on first access to one of its attributes."""

    def __init__(self, text: str, flags: int) -> None:
        self._text, self._flags = text, flags

    @cached_property
    def _compiled(self) -> re.Pattern[str]:
        return re.compile(self._text, self._flags)

    @cached_property
    def _needs(self) -> tuple[frozenset[str], bool]:
        return needed_words(self._text, self._flags)

    def __getattr__(self, name: str) -> Any:
        attribute = getattr(self._compiled, name)
        setattr(self, name, attribute)
        return attribute

    def search(self, text: str, *span: int) -> re.Match[str] | None:
        return None if not span and self._is_ruled_out(text) else self._compiled.search(text, *span)

    def finditer(self, text: str, *span: int) -> Iterator[re.Match[str]]:
        return iter(()) if not span and self._is_ruled_out(text) else self._compiled.finditer(text, *span)

    def findall(self, text: str, *span: int) -> list[Any]:
        return [] if not span and self._is_ruled_out(text) else self._compiled.findall(text, *span)

    def _is_ruled_out(self, text: str) -> bool:
        """Whether a long text lacks every word that a match must contain."""
        if len(text) < SHORTEST:
            return False
        words, is_lower = self._needs
        if not words:
            return False
        if is_lower:
            if not text.isascii() and any(map(text.__contains__, _ODD)):
                return False
            text = _lower(text) if _SHORT <= len(text) <= _KEPT else text.lower()
        return not any(map(text.__contains__, words))


@lru_cache(maxsize=8)
def _lower(text: str) -> str:
    return text.lower()


def needed_words(text: str, flags: int = 0) -> tuple[frozenset[str], bool]:
    """Words of which every match of a pattern contains at least one; none when they would not help.

    The second value tells whether they are to be looked for in the lower case of a text.
    """
    if _parse is None:
        return frozenset(), False
    parsed = _parse(text, flags)
    ignores_case = bool(parsed.state.flags & re.IGNORECASE)
    words = _needed(parsed, ignores_case)
    helps = words and min(map(len, words)) >= _FEWEST_LETTERS and len(words) <= _MOST_WORDS
    return (words if helps else frozenset()), ignores_case


def _needed(parts: Iterable[tuple[Any, Any]], ignores_case: bool) -> frozenset[str]:
    """The best words for parts that follow one another: they must all match, so the words of any one of them do."""
    found: list[frozenset[str]] = []
    run = ""
    for kind, value in parts:
        name = str(kind)
        if name == "LITERAL" and (value < 128 or not ignores_case):
            run += chr(value).lower() if ignores_case else chr(value)
            continue
        found, run = [*found, frozenset((run,) if run else ())], ""
        if name == "BRANCH":
            branches = [_needed(branch, ignores_case) for branch in value[1]]
            found.append(frozenset().union(*branches) if all(branches) else frozenset())
        elif name == "SUBPATTERN" and not (value[1] | value[2]) & re.IGNORECASE:
            found.append(_needed(value[3], ignores_case))
        elif name == "ATOMIC_GROUP":
            found.append(_needed(value, ignores_case))
        elif name in ("MAX_REPEAT", "MIN_REPEAT", "POSSESSIVE_REPEAT") and value[0] > 0:
            found.append(_needed(value[2], ignores_case))
    found.append(frozenset((run,) if run else ()))
    return max(found, key=_use)


def _use(words: frozenset[str]) -> tuple[int, int]:
    """How much it helps to look for these words: longer ones are rarer, and fewer are found sooner."""
    return (min(min(map(len, words)), 5) if words else 0), -len(words)


class _LazyWords:
    """Looks for whole words. What it learned about a word is kept: texts share most of their words."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._are: set[str] = set()
        self._are_not: set[str] = set()

    @cached_property
    def _matches(self) -> Callable[[str], object]:
        return re.compile(self._text, re.IGNORECASE).fullmatch

    def are_in(self, text: str) -> bool:
        """Whether a text has one of the words."""
        words = words_of(text)
        if not self._are.isdisjoint(words):
            return True
        if len(self._are_not) > _MOST_LEARNED:
            self._are_not.clear()
        for word in words - self._are_not:
            if self._matches(word):
                self._are.add(word)
                return True
            self._are_not.add(word)
        return False


def words_of(text: str) -> frozenset[str]:
    """The words of a text, as written."""
    if len(text) <= _SHORT:
        return _words_of_short(text)
    return _words_of_long(text) if len(text) <= _KEPT else frozenset(re.findall(_WORD, text))


def _words(text: str) -> frozenset[str]:
    return frozenset(text.translate(_BLANKED).split() if text.isascii() else re.findall(_WORD, text))


_words_of_short = lru_cache(maxsize=1024)(_words)
_words_of_long = lru_cache(maxsize=16)(_words)


def late_words(text: str) -> _LazyWords:
    """Words to look for in any case, as the alternatives of a pattern; each matches a whole word of letters and digits.

    The same as `late_pattern(rf"\\b(?:{text})\\b", re.I)`, many times as fast in a long text.
    """
    return _LazyWords(text)


def late_pattern(text: str, flags: int = 0) -> re.Pattern[str]:
    """The pattern, not yet compiled."""
    return cast("re.Pattern[str]", _LazyPattern(text, flags))
