"""One value that a person, or a judge elsewhere, gave one item: a score, a grade, a pass, a category.

Immutable; nothing here computes.
"""

from __future__ import annotations

from typing import Final, Literal, NamedTuple

from evenhand.core.rules import DIMENSIONS

FINAL: Final = "final"
GRADE: Final = "grade"
PASS: Final = "pass"
RATING: Final = "rating"
"""The field of a value that the file calls a score or a rating and nothing more; no judge has such a field."""

JUDGED_FIELDS: Final = (*DIMENSIONS, FINAL, GRADE, PASS)
"""The fields that evaluations have too, so that people and judges can be compared."""


JUDGE: Final = "judge:"
"""How the name of a judge begins whose values were imported beside people's."""

ItemKind = Literal["submission", "id", "text", "file"]


class Label(NamedTuple):
    """One row of the store's labels, in the order of its columns."""

    kind: ItemKind
    """What `item` is: the hash of a submission, the id of an evaluation or of a case, the hash of an output, or the
    path or name of the file that was judged."""
    item: str
    rater: str
    """`human:NAME`, or `judge:NAME`."""
    field: str
    """A dimension, `final`, `grade`, `pass`, or the name of something that no judge scores."""
    value: str
    """A number without trailing zeros, a letter grade, `pass` or `fail`, or a category; on the label's scale."""
    scale: str
    """`1-10`, another range, `grades`, `pass`, `numbers`, `categories`, or ordered categories: `low<medium<high`."""
    written: str
    """The value as the file has it, before any rule."""
    rule: str | None
    """The rule that brought it from the file's scale to this one: `1-5 linear`; None where none was needed."""
    source: str
    """The file and line: `labels.csv:12`."""
    imported: int
    """When, in microseconds since 1970."""

    @property
    def key(self) -> tuple[str, str, str, str]:
        """One rater gives one item one value of a field."""
        return self.kind, self.item, self.rater, self.field
