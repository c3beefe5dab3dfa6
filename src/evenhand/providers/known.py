"""What evenhand knows of a provider before it is asked: one declaration, built in or from another package, and its
table `[judges.NAME]` of evenhand.toml."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from decimal import Decimal
from typing import TYPE_CHECKING, Any, NamedTuple

from evenhand.providers.limits import Timeouts
from evenhand.providers.prices import Price

if TYPE_CHECKING:
    from evenhand.providers.exchange import Provider
    from evenhand.providers.http.served import Served


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


HOSTED = tuple(
    name for name in Configured._fields if name not in ("base_url", "kind", "key_env", "key_header", "headers_env")
)
"""The settings of a hosted service. A project's file must not send the user's own key for it to another address."""


class Standing(NamedTuple):
    """The status of one provider."""

    name: str
    answers: bool | None
    """None: it is not set up, so nothing was sent."""
    detail: str
    address: str | None = None
    model: str | None = None
    models: tuple[str, ...] = ()
    """What the server offers."""
    price: Price | None = None
    prices: Mapping[str, Price] = {}
    """Prices by model."""


class KnownProvider(NamedTuple):
    """A provider that needs no table in evenhand.toml."""

    name: str
    """What stands before the colon in a judge's spec."""
    title: str
    """Who judges, in a few words, for the reference."""
    form: str = ""
    """How its specs look, such as `replay:FILE`; empty for `NAME:MODEL`."""
    place: int = 100
    """Where it is listed; those with equal places by name."""
    kind: str = "openai"
    """How it is called: the name of the provider whose API it has, `command`, or its own name."""
    serve: type[Served] | None = None
    """The client for that API, if it is the provider that the API is named after."""
    open: Callable[[str, str, Configured, Mapping[str, str]], Provider] | None = None
    """For what is not a server: opens it, given the spec, the model or file in it, the table and the environment."""
    status: Callable[[Configured, Mapping[str, str], bool], Standing] | None = None
    """For what is not a server: its status; with True, InputError when it is not set up."""
    settings: tuple[str, ...] = HOSTED
    """What `[judges.NAME]` in evenhand.toml may set."""
    address: str = ""
    """The server's address."""
    key: str = ""
    """The environment variable with the key that it needs; empty: it needs none."""
    takes_key: bool = True
    """Whether a key is looked for at all."""
    window: int | None = None
    """Tokens that every model of it accepts."""
    concurrency: int = 16
    timeouts: Timeouts = Timeouts()
    batches: bool = True
    """Whether it has the batch API that belongs to its API."""
    is_free: Callable[[str], bool] | None = None
    """Whether a model of it costs nothing when the server is on this machine or the local network."""
    needs_model: bool = True
    """Whether a spec without a model is incomplete."""
    takes: str = "a model"
    """What stands after the colon."""
    auto: str | None = None
    """What `--judge auto` says of its cost, empty to go by its price; None: it is never chosen unasked."""

    @property
    def spec_form(self) -> str:
        """How its specs look."""
        return self.form or f"{self.name}:MODEL"
