"""The words of everything kept, to be searched: SQLite's FTS5, or a tsvector of PostgreSQL. Written as a row is added.

Outputs, tasks and references as far as their texts are kept, kept transcripts, and what a scorecard says in words.
Texts are split into words here, alike for both databases: whoever asks splits the question in the same way.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from typing import Any, Final

from evenhand.store.sql_connection import SqlConnection

LONGEST_WORD: Final = 100
"""Characters of a word that count."""

LONGEST_TEXT: Final = 200_000
"""Characters of a text that are split into words."""

_LAST_PLACE: Final = 16_383
"""PostgreSQL keeps the places of words up to here, and 255 for each of them."""

_LARGEST_VECTOR: Final = 900_000
"""Bytes of distinct words that are kept of one row: PostgreSQL refuses a megabyte."""

_ALONE: Final = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af"
"""Signs of scripts that put no spaces between words: each is a word of its own."""

_WORD: Final = re.compile(rf"[{_ALONE}]|[^\W_{_ALONE}]+")
_STRING: Final = re.compile(r'"([^"\\]*+(?:\\.[^"\\]*+)*+)"')
_HASH_OF_SUBMISSION: Final = re.compile(r'"submission":"([0-9a-f]{64})"')
_AT_ONCE: Final = 200

_ROWS: Final = "SELECT number, title, preview, reason, scorecard, submission FROM evaluations WHERE number >= ? "
_INSERT: Final = {
    "sqlite": "INSERT INTO words (rowid, text) VALUES (?, ?)",
    "postgresql": "INSERT INTO words (number, words) VALUES (?, CAST(? AS TSVECTOR))",
}
_COUNTED: Final = {
    "sqlite": "FROM words WHERE words MATCH ?",
    "postgresql": "FROM words WHERE words.words @@ CAST(? AS TSQUERY)",
}
_FOUND: Final = {
    "sqlite": "number IN (SELECT rowid FROM words WHERE words MATCH ?)",
    "postgresql": "number IN (SELECT words.number FROM words WHERE words.words @@ CAST(? AS TSQUERY))",
}


class WordIndex(SqlConnection):
    """The index over a connection that runs statements."""

    dialect: str

    def transcript(self, submission: str) -> str | None:
        """A kept transcript as JSON, by the hash of the submission."""
        document: str | None = self._first("SELECT document FROM transcripts WHERE submission = ?", (submission,))
        return document

    def is_common(self, asked: Sequence[str], *, most: int) -> bool:
        """Whether at least that many rows hold all of some words and phrases."""
        condition = words_condition(self.dialect, asked)
        if condition is None:
            return False
        counted = f"SELECT count(*) FROM (SELECT 1 {_COUNTED[self.dialect]} LIMIT {most:d}) AS found"
        return int(self._first(counted, (condition[1],)) or 0) >= most

    def _index_from(self, number: int) -> None:
        """Add the words of the rows from a number on. Inside a transaction only."""
        while rows := self._rows(f"{_ROWS} ORDER BY number LIMIT ?", (number, _AT_ONCE)):
            written = " " if self.dialect == "sqlite" else ""
            entries = []
            for row in rows:
                words = _words_of(_texts(row, self._kept_transcript(row[4])))
                entries.append((row[0], written.join(words) if written else _vector(words)))
            self._write(_INSERT[self.dialect], entries)
            number = rows[-1][0] + 1

    def _kept_transcript(self, scorecard: str) -> str | None:
        found = _HASH_OF_SUBMISSION.search(scorecard)
        return self.transcript(found[1]) if found else None


def words_condition(dialect: str, asked: Sequence[str]) -> tuple[str, str] | None:
    """The condition that a row holds all of some words and phrases, with its value.

    A word is found from its beginning, a phrase as it is. None when nothing that was asked for is a word.
    """
    terms = [(words, " " in text) for text in asked if (words := split(text))]
    if not terms:
        return None
    if dialect == "sqlite":
        query = " AND ".join(f'"{" ".join(words)}"{"" if is_phrase else " *"}' for words, is_phrase in terms)
    else:
        query = " & ".join(f"({' <-> '.join(words)}{'' if is_phrase else ':*'})" for words, is_phrase in terms)
    return _FOUND[dialect], query


def _texts(row: Sequence[Any], transcript: str | None) -> list[str]:
    """The texts of a row, each once."""
    _, title, preview, reason, scorecard, submission = row
    texts = [title, preview, reason]
    for document in (submission, transcript):
        if document is not None:
            texts += _all_texts(json.loads(document))
    for text in _STRING.findall(scorecard):
        if " " in text:  # one word alone is a name or a hash, which nobody wrote
            texts.append(json.loads(f'"{text}"') if "\\" in text else text)
    return list(dict.fromkeys(texts))


def _all_texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for item in value.values():
            yield from _all_texts(item)
    elif isinstance(value, list):
        for item in value:
            yield from _all_texts(item)


def split(text: str) -> list[str]:
    """The words of a text, in small letters."""
    return [word[:LONGEST_WORD] for word in _WORD.findall(text[:LONGEST_TEXT].lower())]


def _words_of(texts: Sequence[str]) -> list[str]:
    """Every word, with a gap of its own between texts: no phrase goes over the end of one."""
    words = []
    for text in texts:
        words += [*split(text), "endoftext"]
    return words


def _vector(words: Sequence[str]) -> str:
    """Words with their places, as PostgreSQL writes a tsvector; every word is of letters and digits only."""
    places: dict[str, list[int]] = {}
    size = 0
    for place, word in enumerate(words, start=1):
        if word not in places:
            size += len(word.encode()) + 8
            if size > _LARGEST_VECTOR:
                continue
        held = places.setdefault(word, [])
        if len(held) < 255 and place <= _LAST_PLACE:
            held.append(place)
            size += 2
    return " ".join(f"{word}:{','.join(map(str, at))}" if at else word for word, at in places.items())
