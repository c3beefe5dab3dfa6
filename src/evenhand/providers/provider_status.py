"""The status of every provider: whether it is set up, whether it answers, and whether its price is known."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Mapping
from typing import Any

from evenhand.errors import InputError
from evenhand.in_words import counted
from evenhand.providers.configured import Configured
from evenhand.providers.exchange import CallFailed
from evenhand.providers.http.failures import Rejected
from evenhand.providers.known import Standing
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
