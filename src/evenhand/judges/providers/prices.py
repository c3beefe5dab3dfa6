"""What a call costs, if its price is known. Pure."""

from __future__ import annotations

from decimal import Decimal
from typing import NamedTuple

from evenhand.judges.providers.exchange import Provider, Reply

MILLION = Decimal(1_000_000)


class Price(NamedTuple):
    """US dollars per million tokens."""

    input: Decimal
    output: Decimal


FREE = Price(Decimal(0), Decimal(0))
"""For models on the user's own machine."""


def price_of(provider: Provider) -> Price | None:
    """A provider's price; None when not configured. There is no built-in price list: it would soon be out of date."""
    price: Price | None = getattr(provider, "price", None)
    return price


def cost(provider: Provider, reply: Reply) -> Decimal | None:
    """What a reply cost in US dollars; None when the price or the number of tokens is not known."""
    if reply.reported_cost is not None:
        return Decimal(reply.reported_cost)
    price = price_of(provider)
    if price is None:
        return None
    if price == FREE:
        return Decimal(0)
    if reply.input_tokens is None or reply.output_tokens is None:
        return None
    return (price.input * reply.input_tokens + price.output * reply.output_tokens) / MILLION


def estimate_cost(provider: Provider, input_tokens: int, output_tokens: int) -> Decimal | None:
    """What a call may cost, before it is made; None when the price is not known."""
    most: Decimal | None = getattr(provider, "most_per_call", None)
    if most is not None:
        return most
    return cost(provider, Reply(text="", input_tokens=input_tokens, output_tokens=output_tokens))
