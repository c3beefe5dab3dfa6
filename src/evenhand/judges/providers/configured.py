"""What a project says of its providers: the tables `[judges.NAME]`, checked, every problem with its line."""

from __future__ import annotations

import re
from collections.abc import Mapping
from decimal import Decimal
from typing import Any, NamedTuple

from evenhand.core.basics.names import nearest
from evenhand.errors import InputError, Problem
from evenhand.judges.providers.entries import READERS, SECRET_NAMES, looks_like_a_key
from evenhand.judges.providers.prices import Price
from evenhand.reading.located import Located

BUILT_IN = ("openai", "anthropic", "ollama", "local")
"""Providers that need no table; one may set their limits and prices."""

RESERVED = ("checks", "replay")

_HOSTED = tuple(key for key in READERS if key not in ("base_url", "kind", "key_env", "threads"))
_ALLOWED: dict[str, tuple[str, ...]] = {
    # A project's file must not send the user's own key for a known service to another address.
    "openai": _HOSTED,
    "anthropic": _HOSTED,
    "ollama": ("base_url", *_HOSTED),
    "local": ("window", "max_tokens", "threads"),
}


class Configured(NamedTuple):
    """One provider's table. None: not said."""

    kind: str = "openai"
    base_url: str | None = None
    model: str | None = None
    key_env: str | None = None
    window: int | None = None
    max_tokens: int | None = None
    concurrency: int | None = None
    requests_per_minute: int | None = None
    tokens_per_minute: int | None = None
    price_input: Decimal | None = None
    price_output: Decimal | None = None
    connect_timeout: float | None = None
    first_byte_timeout: float | None = None
    total_timeout: float | None = None
    threads: int | None = None
    extra: Mapping[str, Any] = {}
    prices: Mapping[str, Price] = {}

    def price(self, model: str) -> Price | None:
        """The model's own price, else the provider's."""
        if model in self.prices:
            return self.prices[model]
        if self.price_input is None or self.price_output is None:
            return None
        return Price(self.price_input, self.price_output)


def configured(written: Located) -> dict[str, Configured]:
    """Every provider of a project by name. InputError with all that is wrong."""
    problems: list[Problem] = []
    found = {}
    for name, table in written.value.items():
        if name in RESERVED or not re.fullmatch(r"[A-Za-z0-9][\w.-]*", name):
            reason = "is taken" if name in RESERVED else "is no name: use letters, digits, '.', '_' and '-'"
            problems.append(Problem(f'a provider cannot be named "{name}": it {reason}', path=(name,)))
        elif not isinstance(table, dict):
            problems.append(Problem(f"judges.{name} must be a table: [judges.{name}]", path=(name,)))
        else:
            found[name] = _provider(name, table, problems)
    if problems:
        raise written.place_all(InputError(problems))
    return found


def _provider(name: str, table: dict[str, Any], problems: list[Problem]) -> Configured:
    values: dict[str, Any] = {}
    for key, value in table.items():
        try:
            if key.lower() in SECRET_NAMES or looks_like_a_key(value):
                raise ValueError(
                    "a key does not belong in a file; put it into an environment variable, and name that with key_env"
                )
            if key not in READERS:
                guess = nearest(key, READERS)
                hint = f"did you mean {guess}? " if guess else ""
                raise ValueError(f"is no setting; {hint}valid: {', '.join(READERS)}")
            if name in BUILT_IN and key not in _ALLOWED[name]:
                raise ValueError(f"cannot be set for {name}, which is built in; give the server a name of its own")
            values[key] = READERS[key](value)
        except ValueError as error:
            problems.append(Problem(f"judges.{name}: {key}: {error}", path=(name, key)))
    if name not in BUILT_IN and "base_url" not in table:
        said = f"judges.{name}: base_url is missing; give the server's address, such as http://localhost:8000/v1"
        problems.append(Problem(said, path=(name,)))
    if ("price_input" in table) != ("price_output" in table):
        problems.append(Problem(f"judges.{name}: price_input and price_output go together", path=(name,)))
    return Configured(**values)
