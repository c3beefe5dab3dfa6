"""What vendors ask for their models, as listed when evenhand was released; settings and `judge.price` override it."""

from __future__ import annotations

import json
import re
from decimal import Decimal
from functools import lru_cache
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlsplit

from evenhand.providers.prices import Price

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
