"""How models are asked: the options of `evenhand judge` and the arguments of `evenhand.judge`."""

from __future__ import annotations

from decimal import Decimal
from typing import NamedTuple


class ModelOptions(NamedTuple):
    """How models are asked."""

    base_url: str | None = None
    """The address of an OpenAI-compatible server."""
    economy: bool = False
    """One call for everything instead of one per dimension."""
    samples: int = 1
    """How many times each question is asked."""
    temperature: float | None = None
    """0 when there is one sample, 1 when there are several, unless given."""
    quorum: int | None = None
    """How many judges must score a dimension; more than half unless given."""
    escalate_to: str | None = None
    """A stronger judge, asked only where the others disagree or are unsure."""
    concurrency: int | None = None
    """Calls in flight at each provider."""
    max_calls: int | None = None
    max_cost: Decimal | None = None
    """In US dollars."""
    fresh: bool = False
    """Ask again, ignoring stored replies."""
    replies: str | None = None
    """The file in which replies are stored; None stores none."""
    language: str | None = None
    """The language of justifications, such as German; the judge's choice unless given."""
    examples: str | None = None
    """A file of judgements by people with their outputs, shown to the judge as examples."""
    calibration: str | None = None
    """A calibration file of this judge and rubric; its scores are shown beside the judge's own."""
    examples_from_store: int = 0
    """How many judgements by people from the store are shown to the judge as examples."""
    record: str | None = None
    """The file every exchange is written to; in a folder, each judge gets its own file."""
    replay: str | None = None
    """A folder of recordings that answers in place of the models."""
