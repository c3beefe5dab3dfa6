"""A person's review of an evaluation: which round it belongs to, and how likely it was to be chosen. Immutable."""

from dataclasses import dataclass
from decimal import Decimal
from typing import Annotated, Final

SAMPLE: Final = "sample"
"""Chosen at random, every item with the same probability."""

DOUBT: Final = "doubt"
"""Chosen among the doubtful, with a probability in proportion to the number of doubts."""


@dataclass(frozen=True, slots=True)
class Review:
    """What makes an evaluation a review. No review enters a skill's history: the work it judges is in there already."""

    round: str
    """The id of the round of reviews."""
    of: str
    """The id of the evaluation that was reviewed."""
    method: str
    """`sample` or `doubt`."""
    probability: Annotated[Decimal, {"minimum": 0, "maximum": 1}]
    """How likely the item was to be chosen for the round: above 0, at most 1."""
    corrects: str | None = None
    """The id of the same person's earlier decision that this one replaces; it was made after seeing the others'."""
