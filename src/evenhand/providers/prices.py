"""What a call costs, if its price is known: from the settings, else as vendors listed it when evenhand was released."""

from __future__ import annotations

import json
import re
from decimal import Decimal
from functools import lru_cache
from pathlib import Path
from typing import Any, Final, NamedTuple
from urllib.parse import urlsplit

from evenhand.providers.exchange import Provider, Reply

MILLION = Decimal(1_000_000)
BATCH_SHARE = Decimal("0.5")
"""What OpenAI and Anthropic charge for a reply in a batch, as a share of the usual price."""


class Price(NamedTuple):
    """US dollars per million tokens."""

    input: Decimal
    output: Decimal
    cached: Decimal | None = None
    """For input tokens that the server had in its cache; None means the full price."""
    cache_write: Decimal | None = None
    """For input tokens that it adds to its cache; None means the usual price."""


FREE = Price(Decimal(0), Decimal(0))
"""For models on the user's own machine."""


def with_cache_prices(price: Price, cached: Decimal | None, write: Decimal | None) -> Price:
    """A price with a vendor's upper limits, as shares of the price of input, for what is not given.

    Exact prices belong in the settings.
    """
    if price.cached is None and cached is not None:
        price = price._replace(cached=price.input * cached)
    if price.cache_write is None and write is not None:
        price = price._replace(cache_write=price.input * write)
    return price


def price_of(provider: Provider) -> Price | None:
    """A provider's price; None when it is neither configured nor listed."""
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
    cached = min(reply.cached_tokens or 0, reply.input_tokens)
    written = min(reply.written_tokens or 0, reply.input_tokens - cached)
    dollars = price.input * (reply.input_tokens - cached - written) + price.output * reply.output_tokens
    dollars += (price.input if price.cached is None else price.cached) * cached
    dollars += (price.input if price.cache_write is None else price.cache_write) * written
    return dollars / MILLION * (BATCH_SHARE if reply.discounted else 1)


def estimate_cost(provider: Provider, input_tokens: int, output_tokens: int) -> Decimal | None:
    """What a call may cost at most, before it is made; None when the price is not known.

    No token counts as cached, and each as written to a cache where that costs more.
    """
    most: Decimal | None = getattr(provider, "most_per_call", None)
    if most is not None:
        return most
    price = price_of(provider)
    dearer = price is not None and price.cache_write is not None and price.cache_write > price.input
    written = input_tokens if dearer else None
    reply = Reply(
        text="",
        input_tokens=input_tokens,
        output_tokens=output_tokens,
        written_tokens=written,
        discounted=getattr(provider, "batched", False),
    )
    return cost(provider, reply)


VENDORS: Final = {
    "api.anthropic.com": "anthropic",
    "api.cerebras.ai": "cerebras",
    "api.cohere.ai": "cohere",
    "api.deepseek.com": "deepseek",
    "api.fireworks.ai": "fireworks",
    "api.groq.com": "groq",
    "api.minimax.io": "minimax",
    "api.mistral.ai": "mistral",
    "api.moonshot.ai": "moonshotai",
    "api.openai.com": "openai",
    "api.perplexity.ai": "perplexity",
    "api.together.xyz": "together",
    "api.x.ai": "x-ai",
    "api.z.ai": "zai",
    "generativelanguage.googleapis.com": "google",
}
"""By the host of a vendor's own address: its name in the table. A gateway may ask anything, so it has no price."""
_DATED = re.compile(r"-(\d{8}|\d{4}-\d{2}-\d{2})$")


@lru_cache(maxsize=64)
def listed_price(address: str, model: str) -> Price | None:
    """The price of a model at its vendor's own address; None where it is not listed."""
    rows = _table()["prices"].get(VENDORS.get(urlsplit(address).hostname or "", ""), {})
    beginnings = [name for name in rows if name.endswith("*") and model.startswith(name[:-1])]
    row = rows.get(model) or rows.get(max(beginnings, key=len, default="")) or rows.get(_DATED.sub("", model))
    if not row:
        return None
    read, written, *cached = row
    return Price(Decimal(read), Decimal(written), *(None if amount is None else Decimal(amount) for amount in cached))


def table_date() -> str:
    """The day on which the prices were copied."""
    return str(_table()["date"])


@lru_cache(maxsize=1)
def _table() -> dict[str, Any]:
    document: dict[str, Any] = json.loads(Path(__file__).with_name("price_table.json").read_text(encoding="utf-8"))
    return document
