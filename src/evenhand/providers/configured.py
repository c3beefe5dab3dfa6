"""A project's provider settings: the tables `[judges.NAME]`, validated, with a line number for every problem."""

from __future__ import annotations

import re
from collections.abc import Mapping
from decimal import Decimal
from typing import Any, NamedTuple

from evenhand.errors import InputError, Problem, unknown
from evenhand.providers.entries import READERS, SECRET_NAMES, looks_like_a_key
from evenhand.providers.prices import Price
from evenhand.reading.entry import Entry
from evenhand.reading.located import Located

COMMANDS = ("claude-code", "codex", "gemini-cli")
"""Agent commands that can judge."""

BUILT_IN = ("openai", "anthropic", *COMMANDS, "ollama", "local")
"""Providers that need no table; a table may set their limits and prices."""

RESERVED = ("checks", "replay", "auto", "check")

_HOSTED = tuple(
    key for key in READERS if key not in ("base_url", "kind", "key_env", "key_header", "headers_env", "threads")
)
_OF_A_COMMAND = ("model", "window", "concurrency", "price_input", "price_output", "prices", "total_timeout")
_ALLOWED: dict[str, tuple[str, ...]] = {
    # A project's file must not send the user's own key for a known service to another address.
    "openai": _HOSTED,
    "anthropic": _HOSTED,
    "ollama": ("base_url", *_HOSTED),
    "local": ("model", "window", "max_tokens", "threads"),
    **dict.fromkeys(COMMANDS, _OF_A_COMMAND),
}


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
    threads: int | None = None
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


def configured(written: Located) -> dict[str, Configured]:
    """A project's providers by name. InputError lists every problem."""
    problems: list[Problem] = []
    tables = Entry.of(written, problems)
    providers = {}
    for name in tables.value:
        if name in RESERVED or not re.fullmatch(r"[A-Za-z0-9][\w.-]*", name):
            reason = "is reserved" if name in RESERVED else "is not a valid name: use letters, digits, '.', '_' and '-'"
            tables.refuse(f'a provider cannot be named "{name}": it {reason}', name)
        elif not isinstance(tables.value[name], dict):
            tables.refuse(f"judges.{name} must be a table: [judges.{name}]", name)
        else:
            providers[name] = _provider(name, tables.inside(name))
    if problems:
        raise InputError(sorted(problems, key=lambda problem: problem.line or 0))
    return providers


def _provider(name: str, entry: Entry) -> Configured:
    values: dict[str, Any] = {}
    for key, value in entry.value.items():
        if key not in READERS and key.lower() not in SECRET_NAMES and not looks_like_a_key(value):
            entry.refuse(f"judges.{name}: {unknown('setting', key, READERS)}", key)
            continue
        try:
            if key.lower() in SECRET_NAMES or (key != "headers_env" and looks_like_a_key(value)):
                raise ValueError(
                    "keys do not belong in a file; put the key in an environment variable and name that in key_env"
                )
            if name in BUILT_IN and key not in _ALLOWED[name]:
                raise ValueError(
                    f"cannot be set for {name}, which is built in; configure the server under its own name"
                )
            values[key] = READERS[key](value)
        except ValueError as error:
            entry.refuse(f"judges.{name}: {key}: {error}", key)
    if name not in BUILT_IN and "base_url" not in entry.value:
        entry.refuse(f"judges.{name}: base_url is missing; give the server's address, such as http://localhost:8000/v1")
    if ("price_input" in entry.value) != ("price_output" in entry.value):
        entry.refuse(f"judges.{name}: price_input and price_output must be set together")
    return Configured(**values)
