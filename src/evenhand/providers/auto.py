"""`--judge auto`: the first judge that is ready, in a fixed order, and what it will cost.

Judges that evenhand.toml configures with a model come first, then agent commands that are logged in, then Ollama.
Hosted services are never chosen: a key in the environment is not permission to spend money.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Final, NamedTuple

from evenhand.errors import InputError, Problem
from evenhand.providers.configured import Configured
from evenhand.providers.known import KnownProvider, Standing
from evenhand.providers.prices import FREE
from evenhand.providers.provider_status import status_of
from evenhand.providers.registry import providers

AUTO: Final = "auto"


class Choice(NamedTuple):
    """The judge that was chosen."""

    spec: str
    cost: str
    """What it will cost, in words."""


def choose(named: Mapping[str, Configured], environment: Mapping[str, str] = os.environ) -> Choice:
    """The first judge that is ready. InputError lists what was tried and what is missing.

    Works inside a running event loop too.
    """
    with ThreadPoolExecutor(max_workers=1) as thread:
        return thread.submit(asyncio.run, _choose(named, environment)).result()


async def _choose(named: Mapping[str, Configured], environment: Mapping[str, str]) -> Choice:
    tried = []
    known = {provider.name: provider for provider in providers()}
    configured_names = [name for name, table in named.items() if name not in known and table.model]
    for name in (*configured_names, *(name for name, provider in known.items() if provider.auto is not None)):
        status = await status_of(name, named, environment)
        model = (named[name].model if name in named else None) or next(iter(status.models), "")
        if status.answers and (model or not _needs_model(known.get(name))):
            return Choice(f"{name}:{model}" if model else name, _cost(known.get(name), status))
        tried.append(f"{name}: {'it has no model' if status.answers else status.detail}")
    head = "--judge auto finds no judge that is ready; log in to one of these, or name a judge"
    raise InputError([Problem(head), *map(Problem, tried)])


def _needs_model(known: KnownProvider | None) -> bool:
    return known is None or known.needs_model


def _cost(known: KnownProvider | None, status: Standing) -> str:
    if known is not None and known.auto:
        return known.auto
    if status.price is None:
        return "its price is not known; set price_input and price_output in evenhand.toml to see costs"
    if status.price == FREE:
        return "free"
    return f"${status.price.input:f} per million tokens in, ${status.price.output:f} out"
