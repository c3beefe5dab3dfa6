"""What a run cost, as far as its transcript tells: stated there, or computed from its tokens and known prices. Pure.

From tokens the cost is a range, because a transcript does not say how many of them were added to a cache. A limit
inside the range is undecided.
"""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal

from evenhand.core.values.submission import Submission, Usage
from evenhand.expectations.expectation import Rates, Verdict

_MILLION = Decimal(1_000_000)
_WRITE_AT_MOST = Decimal("1.25")
"""What vendors ask for a token that is added to a cache, as a share of the price of input."""


def decide_cost(limit: Decimal, submission: Submission, rates: Mapping[str, Rates]) -> Verdict:
    """Whether it cost at most so many US dollars."""
    allowed = f"and ${limit:f} are allowed"
    if submission.cost is not None:
        return Verdict(submission.cost <= limit, f"its transcript says that it cost ${submission.cost:f}, {allowed}")
    if submission.usage is None:
        return Verdict(None, "the submission says neither what it cost nor how many tokens it took")
    if len(submission.models) != 1:
        models = "no model" if not submission.models else f"{len(submission.models)} models"
        return Verdict(None, f"the submission does not say what it cost, and names {models} for its tokens")
    (model,) = submission.models
    if model not in rates:
        return Verdict(
            None, f"the submission does not say what it cost, and the price of {model} is not in evenhand.toml"
        )
    low, high = _range(submission.usage, rates[model])
    cost = f"${high:f}" if low == high else f"between ${low:f} and ${high:f}"
    met = True if high <= limit else False if low > limit else None
    return Verdict(met, f"by its tokens and the price of {model} it cost {cost}, {allowed}")


def _range(usage: Usage, rates: Rates) -> tuple[Decimal, Decimal]:
    """The least and the most that the tokens can have cost."""
    cached = min(usage.cached, usage.input)
    plain = usage.input - cached
    write = rates.cache_write if rates.cache_write is not None else rates.input * _WRITE_AT_MOST
    dearest = max(rates.input, write)
    least = plain * rates.input + cached * (rates.cached or Decimal(0)) + usage.output * rates.output
    most = plain * dearest + cached * (rates.input if rates.cached is None else rates.cached)
    return least / _MILLION, (most + usage.output * rates.output) / _MILLION
