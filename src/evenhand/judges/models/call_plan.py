"""How questions are asked, and what asking them would take. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from decimal import Decimal
from typing import Annotated, Any, Final, NamedTuple

from evenhand.core.published import ALWAYS, Count
from evenhand.core.receipt import sha256
from evenhand.judges.models.questions.questions import Calls
from evenhand.providers.exchange import USUAL, Sampling

MOST_CRITERIA: Final = 4
"""Criteria in one call: with five and more, answers to some change those to others."""
_HOW: Final[Mapping[Calls, str]] = {
    "two": "flags, then scores", "each": "one a dimension", "one": "all in one",
}  # fmt: skip


class CallSettings(NamedTuple):
    """How questions are asked; every setting affects the replies."""

    calls: Calls = "two"
    """Flags and scores in a call each, one score a call, or all in one."""
    samples: int = 1
    sampling: Sampling = USUAL
    """What servers are sent by name: the temperature, and whatever else was given."""
    max_tokens: int = 2048
    """Per reply; doubled after a reply that was cut off."""
    logprobs: bool = True
    bounded: bool = False
    """Whether the reply schema limits lists and texts: a small model may otherwise never end one."""
    language: str = ""
    """The language of the judge's own sentences; empty leaves it to the judge."""
    examples: str = ""
    """The text of calibration examples."""

    own_sampling: bool = False
    """Whether the model's command decides how it samples; the temperature is not sent then."""
    skill: str = ""
    """The text of a skill's instructions, as it is shown."""
    per_call: int = MOST_CRITERIA
    """How many criteria of one dimension are asked about in one call."""

    @property
    def preface(self) -> str:
        """What comes between the rubric and the work, the same for every submission."""
        return self.skill + self.examples

    def numbers(self, *, again: bool = False) -> range:
        """The samples of a question; `again` those of asking it once more."""
        return range(self.samples, 2 * self.samples) if again else range(self.samples)

    def keyed(self) -> dict[str, Any]:
        """As the keys of stored replies cover it; a setting that came later is left out where it is not used."""
        unused = {"sampling": self.sampling, "skill": ""}
        used = {name: value for name, value in self._asdict().items() if name not in unused or value != unused[name]}
        return used | dict(self.sampling)

    def named(self) -> dict[str, str]:
        """As recorded in a judge's identity."""
        names = {"calls": _HOW[self.calls]}
        names |= {name: "the command's own" if self.own_sampling else _written(value) for name, value in self.sampling}
        names |= {"samples": str(self.samples)} if self.samples > 1 else {}
        names |= {"skill_file": sha256(self.skill)} if self.skill else {}
        names |= {"per_call": str(self.per_call)} if self.per_call != MOST_CRITERIA else {}
        names |= {"examples": sha256(self.examples)} if self.examples else {}
        return names | ({"language": self.language} if self.language else {})


def _written(value: object) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)


class Plan(NamedTuple):
    """The estimated calls, tokens and cost, not counting repairs."""

    calls: Annotated[Count, ALWAYS] = 0
    stored: Annotated[Count, ALWAYS] = 0
    """Replies already in the store."""
    input_tokens: Annotated[Count, ALWAYS] = 0
    output_tokens: Annotated[int, {"name": "output_tokens_at_most", "minimum": 0, "always": True}] = 0
    """The most tokens that replies may take."""
    cached_tokens: Annotated[Count, ALWAYS] = 0
    """The input tokens that a server with a cache would have seen before."""
    cost: Annotated[Decimal | None, {"name": "cost_at_most", "minimum": 0, "always": True}] = None
    """The most it may cost in US dollars, with nothing cached; None when a price is unknown."""
    listed: Annotated[str, {"name": "prices_listed"}] = ""
    """The day of the list that prices were taken from; empty where all were set."""


def add_plans(plans: Iterable[Plan]) -> Plan:
    """Several plans as one; one unknown price makes the whole cost unknown."""
    plans = list(plans)
    known = [plan.cost for plan in plans if plan.cost is not None]
    return Plan(
        calls=sum(plan.calls for plan in plans),
        stored=sum(plan.stored for plan in plans),
        input_tokens=sum(plan.input_tokens for plan in plans),
        output_tokens=sum(plan.output_tokens for plan in plans),
        cached_tokens=sum(plan.cached_tokens for plan in plans),
        cost=sum(known, Decimal(0)) if len(known) == len(plans) else None,
        listed=max((plan.listed for plan in plans), default=""),
    )
