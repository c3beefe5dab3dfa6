"""The words by which columns of ratings are known: who rated, what was rated, which values."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from evenhand.core.rules import DIMENSIONS
from evenhand.work.label import FINAL, GRADE, PASS, RATING, ItemKind

KINDS: Mapping[str, ItemKind] = {
    "submission": "submission", "submission_sha256": "submission", "submission_hash": "submission",
    "text": "text", "output": "text", "response": "text", "answer": "text",
    "file": "file", "file_name": "file", "filename": "file", "path": "file", "file_path": "file", "filepath": "file",
}  # fmt: skip
"""Columns whose values name an item by something other than an id."""

_ITEM_WORDS = (
    "item unit target subject case object sample example question document doc essay patient image instance task "
    "conversation evaluation record stimulus specimen product film movie wine story sentence pair student participant "
    "trial row index no nr id"
).split()
_RATER_WORDS = (
    "rater judge coder annotator human labeler labeller reviewer grader assessor evaluator observer expert "
    "worker person"
).split()
_FIELD_WORDS = "field dimension criterion aspect attribute metric measure quality".split()
FIELDS = {name: name for name in (*DIMENSIONS, FINAL, GRADE, PASS)} | dict.fromkeys(
    "rating score value label code category judgement judgment class annotation diagnosis vote answer_label".split(),
    RATING,
)
FIELDS |= {f"{word}s": RATING for word, field in FIELDS.items() if field == RATING}
FIELDS["passed"] = PASS
REASON_WORDS = frozenset("reason reasons reasoning comment comments explanation justification rationale".split())
"""Columns in which a rater says why, where every row is one rater's."""
_NOT_RATED = frozenset(
    "mean average avg median sum total consensus majority confidence certainty weight weights probability length size "
    "words tokens chars characters seconds minutes duration latency cost price date time timestamp started finished "
    "version seed round count n".split()
)
"""Columns of numbers that are likely no one's ratings."""
_WEAK = ("row", "index", "no", "nr", "id", "task")
"""Names that often number the rows; they name the item only if no other column does."""


def word_of(column: str) -> str:
    """A column's name in lower case, its parts joined by `_`."""
    return re.sub(r"[\s\-.]+", "_", column.strip().lower())


def names_an_item(column: str) -> bool:
    """Whether a column is called `item`, `unit_id`, `Cases`."""
    return _is(word_of(column), _ITEM_WORDS)


def names_weakly(column: str) -> bool:
    """Whether a column is called `id`, `row` or the like."""
    return word_of(column) in _WEAK


def names_no_rating(column: str) -> bool:
    """Whether a column is called `average`, `ana_confidence` or the like."""
    return word_of(column).rpartition("_")[2] in _NOT_RATED


def names_raters(column: str) -> bool:
    """Whether a column is called `rater`, `worker_id`, `Annotators`."""
    return _is(word_of(column), _RATER_WORDS)


def names_fields(column: str) -> bool:
    """Whether a column is called `dimension`, `criterion` or the like."""
    return _is(word_of(column), _FIELD_WORDS)


def is_one_rater(column: str) -> bool:
    """Whether a column is called `rater1`, `judge_2`, `Coder A`: then rows are items, with or without names."""
    return re.fullmatch(rf"(?:{'|'.join(_RATER_WORDS)})_?(?:\d+|[a-z])", word_of(column)) is not None


def _is(word: str, words: Sequence[str]) -> bool:
    """Whether a column is named by a word: `rater`, `rater_id`, `rater_name`, `raters`."""
    return any(word in (name, f"{name}s", f"{name}_id", f"{name}id", f"{name}_name", f"{name}_no") for name in words)
