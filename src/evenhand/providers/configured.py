"""A provider's table `[judges.NAME]` of evenhand.toml, as a value."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from typing import Any, NamedTuple

from evenhand.providers.prices import Price


class Configured(NamedTuple):
    """One provider's table; None where a setting is absent."""

    kind: str = "openai"
    base_url: str | None = None
    model: str | None = None
    key_env: str | None = None
    key_header: str | None = None
    """The header that holds the key alone; None: the one that servers of this kind expect."""
    headers: Mapping[str, str] = {}
    headers_env: Mapping[str, str] = {}
    """Headers whose values are in the environment variables named here."""
    query: Mapping[str, str] = {}
    window: int | None = None
    max_tokens: int | None = None
    concurrency: int | None = None
    requests_per_minute: int | None = None
    tokens_per_minute: int | None = None
    price_input: Decimal | None = None
    price_output: Decimal | None = None
    price_cached: Decimal | None = None
    price_cache_write: Decimal | None = None
    connect_timeout: float | None = None
    first_byte_timeout: float | None = None
    total_timeout: float | None = None
    extra: Mapping[str, Any] = {}
    prices: Mapping[str, Price] = {}
    images: bool | None = None
    """Whether pictures are passed to the models; None: to those that are known to accept them."""

    def price(self, model: str) -> Price | None:
        """The model's own price, else the provider's."""
        if model in self.prices:
            return self.prices[model]
        if self.price_input is None or self.price_output is None:
            return None
        return Price(self.price_input, self.price_output, self.price_cached, self.price_cache_write)
