"""How questions are asked, and what asking them would take. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from decimal import Decimal
from typing import Annotated, Any, NamedTuple

from evenhand.core.receipt import sha256
from evenhand.files.published import AtLeast, Count, Json, Number, Whole
from evenhand.providers.exchange import USUAL, Sampling


class CallSettings(NamedTuple):
    """How questions are asked; every setting affects the replies."""

    economy: bool = False
    """All seven dimensions, and the claims, in one call."""
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
    per_call: int = 1
    """How many criteria are asked about in one call."""

    @property
    def preface(self) -> str:
        """What comes between the rubric and the work, the same for every submission."""
        return self.skill + self.examples

    def keyed(self) -> dict[str, Any]:
        """As the keys of stored replies cover it; a setting that came later is left out where it is not used."""
        unused = {"sampling": self.sampling, "skill": "", "per_call": 1}
        used = {name: value for name, value in self._asdict().items() if name not in unused or value != unused[name]}
        return used | dict(self.sampling)

    def named(self) -> dict[str, str]:
        """As recorded in a judge's identity."""
        names = {"calls": "all in one" if self.economy else "one a dimension"}
        names |= {name: "the command's own" if self.own_sampling else _written(value) for name, value in self.sampling}
        names |= {"samples": str(self.samples)} if self.samples > 1 else {}
        names |= {"skill_file": sha256(self.skill)} if self.skill else {}
        names |= {"per_call": str(self.per_call)} if self.per_call > 1 else {}
        names |= {"examples": sha256(self.examples)} if self.examples else {}
        return names | ({"language": self.language} if self.language else {})


def _written(value: object) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)


class Plan(NamedTuple):
    """The estimated calls, tokens and cost, not counting repairs."""

    calls: Count = 0
    stored: Count = 0
    """Replies already in the store."""
    input_tokens: Count = 0
    output_tokens: Annotated[int, Json("output_tokens_at_most", shape=Whole)] = 0
    """At most."""
    cached_tokens: Count = 0
    """The input tokens that a server with a cache would have seen before."""
    cost: Annotated[Decimal | None, Json("cost_at_most", shape=Annotated[Number, AtLeast(0)])] = None
    """At most, in US dollars, with nothing cached; None when a price is unknown."""
    sample_calls: Annotated[int, Json(least=0, optional=True)] = 0
    """Those of the calls that are about samples of ours, asked once per judge and then stored."""
    sample_cost: Annotated[Decimal, Json("sample_cost_at_most", shape=Annotated[Number, AtLeast(0)], optional=True)] = (
        Decimal(0)
    )
    """The most that these cost; 0 where a price is unknown."""
    further_calls: Annotated[int, Json(least=0, optional=True)] = 0
    """Not among the calls: those that are made only where all scores of a work are at one end of the scale or one is
    missing, or where a judge obeys what it reads."""
    further_cost: Annotated[
        Decimal, Json("further_cost_at_most", shape=Annotated[Number, AtLeast(0)], optional=True)
    ] = Decimal(0)
    """The most that these cost; 0 where a price is unknown."""

    def if_scores_stand_out(self) -> Plan:
        """A plan whose calls nobody expects."""
        return Plan(cost=Decimal(0), further_calls=self.calls, further_cost=self.cost or Decimal(0))

    def of_samples(self) -> Plan:
        """A plan whose calls are all about samples of ours."""
        return self._replace(sample_calls=self.calls, sample_cost=self.cost or Decimal(0))


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
        sample_calls=sum(plan.sample_calls for plan in plans),
        sample_cost=sum((plan.sample_cost for plan in plans), Decimal(0)),
        further_calls=sum(plan.further_calls for plan in plans),
        further_cost=sum((plan.further_cost for plan in plans), Decimal(0)),
    )
