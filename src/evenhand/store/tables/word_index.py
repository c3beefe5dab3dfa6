"""The words of evaluations, to be searched: SQLite's FTS5, or a tsvector of PostgreSQL. Made on request only.

It is made from the evaluations and can be dropped at any time, so no new store has it, no export holds it, and
appending does not wait for it. Evaluations are added in the order of time; the next step goes on after the newest.
Texts are split into words here, alike for both databases: whoever asks splits the question in the same way.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from evenhand.core.receipt import sha256
from evenhand.errors import StoreUnavailable
from evenhand.named_tuple import NamedTuple
from evenhand.store.record import COLUMNS, SUITE, Record
from evenhand.store.sql_connection import SqlConnection
from evenhand.store.tables.browsed_lists import Key

LONGEST_WORD: Final = 100
"""Characters of a word that count."""

LONGEST_TEXT: Final = 200_000
"""Characters of a text that are split into words."""

_LAST_PLACE: Final = 16_383
"""PostgreSQL keeps the places of words up to here, and 255 for each of them."""

_ALONE: Final = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af"
"""Signs of scripts that put no spaces between words: each is a word of its own."""

_WORD: Final = rf"[{_ALONE}]|[^\W_{_ALONE}]+"

_TABLES: Final = {
    "sqlite": (
        "CREATE TABLE search_docs (number INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, completed INTEGER NOT NULL)",
        "CREATE INDEX search_docs_by_time ON search_docs (completed, id)",
        "CREATE VIRTUAL TABLE search_words USING fts5(words, content='', tokenize='unicode61 remove_diacritics 0')",
    ),
    "postgresql": (
        'CREATE TABLE search_docs (number BIGINT PRIMARY KEY, id TEXT COLLATE "C" NOT NULL UNIQUE, '
        "completed BIGINT NOT NULL, words TSVECTOR NOT NULL)",
        "CREATE INDEX search_docs_by_time ON search_docs (completed, id)",
        "CREATE INDEX search_docs_by_word ON search_docs USING GIN (words)",
    ),
}
_THERE: Final = {
    "sqlite": "SELECT 1 FROM sqlite_master WHERE name = 'search_docs'",
    "postgresql": "SELECT 1 WHERE to_regclass('search_docs') IS NOT NULL",
}
_FOUND: Final = {
    "sqlite": "SELECT docs.number, docs.id FROM search_words "
    "JOIN search_docs AS docs ON docs.number = search_words.rowid "
    "WHERE search_words MATCH ? AND search_words.rowid < ? ORDER BY search_words.rowid DESC LIMIT ?",
    "postgresql": "SELECT number, id FROM search_docs WHERE words @@ CAST(? AS TSQUERY) AND number < ? "
    "ORDER BY number DESC LIMIT ?",
}


class Words(NamedTuple):
    """The texts of an evaluation, to be found by their words."""

    id: str
    completed: int
    skill: str
    texts: Sequence[str]


class WordIndex(SqlConnection):
    """The index over a connection that runs statements."""

    dialect: str

    def has_word_index(self) -> bool:
        """Whether there is an index of words."""
        return bool(self._rows(_THERE[self.dialect]))

    def indexed_to(self) -> Key | None:
        """The newest evaluation in the index; None while it is empty, or there is none."""
        if not self.has_word_index():
            return None
        rows = self._rows("SELECT completed, id FROM search_docs ORDER BY completed DESC, id DESC LIMIT 1")
        return Key(*rows[0]) if rows else None

    def make_word_index(self) -> None:
        """Make an empty index, unless there is one."""
        if self.has_word_index():
            return
        with self.transaction():
            for statement in _TABLES[self.dialect]:
                try:
                    self._rows(statement)
                except StoreUnavailable as error:
                    if "fts5" in str(error).lower():
                        raise StoreUnavailable(
                            "this build of SQLite has no FTS5, which an index of words needs"
                        ) from None
                    raise

    def drop_word_index(self) -> bool:
        """Drop the index; whether there was one."""
        if not self.has_word_index():
            return False
        with self.transaction():
            for table in ("search_words", "search_docs") if self.dialect == "sqlite" else ("search_docs",):
                self._rows(f"DROP TABLE {table}")
        return True

    def keeps_texts(self) -> bool:
        """Whether any of the newest evaluations was stored with its text."""
        newest = "SELECT submission FROM evaluations ORDER BY completed DESC, id DESC LIMIT 1000"
        return bool(self._rows(f"SELECT 1 FROM ({newest}) AS newest WHERE submission IS NOT NULL LIMIT 1"))

    def not_indexed(self, after: Key | None, *, limit: int) -> list[Record]:
        """The evaluations after a place, in the order of time; from the first on without one."""
        beyond = "" if after is None else "AND (completed, id) > (?, ?) "
        rows = self._rows(
            f"SELECT {', '.join(COLUMNS)} FROM evaluations WHERE in_history < {SUITE} {beyond}"
            "ORDER BY completed, id LIMIT ?",
            (*(after or ()), limit),
        )
        return [Record(*row) for row in rows]

    def left_out_of_index(self, *, limit: int) -> list[Record]:
        """Evaluations that were imported behind the mark. Goes through all of them."""
        rows = self._rows(
            f"SELECT {', '.join(COLUMNS)} FROM evaluations WHERE in_history < {SUITE} AND NOT EXISTS "
            "(SELECT 1 FROM search_docs WHERE search_docs.id = evaluations.id) ORDER BY completed, id LIMIT ?",
            (limit,),
        )
        return [Record(*row) for row in rows]

    def add_words(self, entries: Sequence[Words]) -> None:
        """Add evaluations to the index, in their order; one that is in it already stays."""
        with self.transaction():
            marks = ", ".join("?" * len(entries))
            known = self._rows(f"SELECT id FROM search_docs WHERE id IN ({marks})", [entry.id for entry in entries])
            fresh = [entry for entry in entries if (entry.id,) not in known]
            first = 1 + int(self._first("SELECT max(number) FROM search_docs", ()) or 0)
            numbered = list(enumerate(fresh, start=first))
            if self.dialect == "sqlite":
                docs = [(number, entry.id, entry.completed) for number, entry in numbered]
                self._write("INSERT INTO search_docs (number, id, completed) VALUES (?, ?, ?)", docs)
                texts = [(number, " ".join(_words_of(entry))) for number, entry in numbered]
                self._write("INSERT INTO search_words (rowid, words) VALUES (?, ?)", texts)
            else:
                rows = [(number, entry.id, entry.completed, _vector(_words_of(entry))) for number, entry in numbered]
                self._write("INSERT INTO search_docs VALUES (?, ?, ?, CAST(? AS TSVECTOR))", rows)

    def find_words(
        self, asked: Sequence[str], skill: str = "", *, before: int | None = None, limit: int
    ) -> list[tuple[int, str]] | None:
        """Numbers and ids of evaluations that hold all of some words and phrases, the newest first.

        A word is found from its beginning on. None when nothing that was asked for is a word.
        """
        terms = [words for text in asked if (words := split(text))]
        if not terms:
            return None
        if skill:
            terms.append([_skill_word(skill)])
        if self.dialect == "sqlite":
            query = " AND ".join(f'"{" ".join(words)}" *' for words in terms)
        else:
            query = " & ".join(f"({' <-> '.join(words)}:*)" for words in terms)
        rows = self._rows(_FOUND[self.dialect], (query, 2**62 if before is None else before, limit))
        return [(number, id) for number, id in rows]

    def records_of(self, ids: Sequence[str]) -> list[Record]:
        """Whole evaluations by their ids, in that order, as far as they are there."""
        marks = ", ".join("?" * len(ids))
        rows = self._rows(f"SELECT {', '.join(COLUMNS)} FROM evaluations WHERE id IN ({marks})", ids) if ids else []
        records = {record.id: record for record in (Record(*row) for row in rows)}
        return [records[id] for id in ids if id in records]


def split(text: str) -> list[str]:
    """The words of a text, in small letters."""
    return [word[:LONGEST_WORD] for word in re.findall(_WORD, text[:LONGEST_TEXT].lower())]


def _skill_word(skill: str) -> str:
    """A skill as one word, so that the index tells it from others."""
    return f"skill{sha256(skill)[:24]}"


def _words_of(entry: Words) -> list[str]:
    """Every word, with a gap of its own between texts: no phrase goes over the end of one."""
    words = [_skill_word(entry.skill)]
    for text in entry.texts:
        words += [*split(text), "endoftext"]
    return words


def _vector(words: Sequence[str]) -> str:
    """Words with their places, as PostgreSQL writes a tsvector; every word is of letters and digits only."""
    places: dict[str, list[int]] = {}
    for place, word in enumerate(words, start=1):
        held = places.setdefault(word, [])
        if len(held) < 255 and place <= _LAST_PLACE:
            held.append(place)
    return " ".join(f"{word}:{','.join(map(str, at))}" if at else word for word, at in places.items())
