"""Which providers are set up, whether they answer, what they cost, and the first that is ready (`--judge auto`).

Of those, judges that evenhand.toml configures with a model come first, then agent commands that are logged in, then
Ollama. Hosted services are never chosen: a key in the environment is not permission to spend money.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Final, NamedTuple

from evenhand.errors import InputError, Problem
from evenhand.in_words import counted
from evenhand.providers.exchange import CallFailed
from evenhand.providers.http.failures import Rejected
from evenhand.providers.known import Configured, KnownProvider, Standing
from evenhand.providers.opened_provider import open_provider
from evenhand.providers.prices import FREE
from evenhand.providers.registry import find_provider, providers
from evenhand.providers.specs import Spec, parse_spec

SECONDS = 5.0
"""How long a server may take to answer."""

NO_LIST = (404, 405, 501)
"""Statuses of a server that is running but has no list of models."""


async def standings(named: Mapping[str, Configured], environment: Mapping[str, str] = os.environ) -> list[Standing]:
    """All providers, asked concurrently: the built-in ones, then those of evenhand.toml."""
    known = [provider.name for provider in providers() if "model" in provider.settings]
    names = [*known, *(name for name in named if name not in known)]
    statuses = await asyncio.gather(*(status_of(name, named, environment) for name in names))
    return [CHECKS, *statuses]


async def standing(text: str, named: Mapping[str, Configured], environment: Mapping[str, str] = os.environ) -> Standing:
    """One provider, by its name or by a full spec. InputError when it does not exist, or a key or a file is missing."""
    if text == "checks":
        return CHECKS
    known = find_provider(text)
    if text in named or (known is not None and "model" in known.settings):
        return await status_of(text, named, environment, strict=True)
    spec = parse_spec(text, named)
    known = find_provider(spec.provider)
    if known is not None and known.status is not None and not known.needs_model:
        table = named.get(spec.provider, Configured())._replace(model=spec.model)
        status = await asyncio.to_thread(known.status, table, environment, True)
        return status._replace(name=spec.text)
    return await _look(spec, named, environment, strict=True)


CHECKS = Standing("checks", answers=True, detail="no model, no key, no network", price=FREE)


async def status_of(
    name: str, named: Mapping[str, Configured], environment: Mapping[str, str] = os.environ, *, strict: bool = False
) -> Standing:
    """The status of a provider by its name. With `strict`, InputError when it is not set up."""
    table = named.get(name, Configured())
    known = find_provider(name)
    if known is not None and known.status is not None:
        return await asyncio.to_thread(known.status, table, environment, strict)
    spec = Spec(name, table.kind if known is None else known.kind, name, table.model or "")
    return await _look(spec, named, environment, strict=strict)


async def _look(
    spec: Spec, named: Mapping[str, Configured], environment: Mapping[str, str], *, strict: bool
) -> Standing:
    """Ask for the list of models, once and with a short time-out."""
    table = named.get(spec.provider, Configured())
    quick = table._replace(connect_timeout=SECONDS, first_byte_timeout=SECONDS, total_timeout=SECONDS)
    try:
        provider: Any = open_provider(spec, {spec.provider: quick}, environment=environment)
    except InputError as error:
        if strict:
            raise
        return Standing(spec.text, answers=None, detail=str(error), prices=table.prices)
    try:
        models = await provider.models()
        answers, detail = True, _offer(spec, models)
    except CallFailed as error:
        models = ()
        answers = isinstance(error, Rejected) and error.status in NO_LIST
        detail = "has no list of models" if answers else str(error).removeprefix(f"{spec.text}: ")
    finally:
        await provider.close()
    return Standing(
        spec.text,
        answers=answers,
        detail=detail,
        address=provider.identity.get("address"),
        model=spec.model or None,
        models=models,
        price=provider.price,
        prices=table.prices,
    )


def _offer(spec: Spec, models: tuple[str, ...]) -> str:
    known = find_provider(spec.provider)
    if known is not None and known.takes == "a file":
        return "can be read"
    if spec.model and models and spec.model not in models:
        return f"does not list the model {spec.model}"
    return counted(len(models), "model")


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
