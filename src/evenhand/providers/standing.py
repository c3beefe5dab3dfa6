"""The status of every provider: whether it is set up, whether it answers, and whether its price is known."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Mapping
from typing import Any, NamedTuple

from evenhand.errors import InputError
from evenhand.in_words import counted
from evenhand.providers.configured import BUILT_IN, COMMANDS, Configured
from evenhand.providers.exchange import CallFailed
from evenhand.providers.http.responses import Rejected
from evenhand.providers.opening import open_provider
from evenhand.providers.prices import FREE, Price
from evenhand.providers.specs import Spec, parse_spec

SECONDS = 5.0
"""How long a server may take to answer."""

NO_LIST = (404, 405, 501)
"""Statuses of a server that is running but has no list of models."""


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


async def standings(named: Mapping[str, Configured], environment: Mapping[str, str] = os.environ) -> list[Standing]:
    """All providers, asked concurrently: the built-in ones, then those of evenhand.toml."""
    names = [*BUILT_IN, *(name for name in named if name not in BUILT_IN)]
    statuses = await asyncio.gather(*(status_of(name, named, environment) for name in names))
    return [CHECKS, *statuses]


async def standing(text: str, named: Mapping[str, Configured], environment: Mapping[str, str] = os.environ) -> Standing:
    """One provider, by its name or by a full spec. InputError when it does not exist, or a key or a file is missing."""
    if text == "checks":
        return CHECKS
    if text in named or text in BUILT_IN:
        return await status_of(text, named, environment, strict=True)
    spec = parse_spec(text, named)
    if spec.kind == "command":
        table = named.get(spec.provider, Configured())._replace(model=spec.model)
        status = await asyncio.to_thread(_command, spec.provider, table, environment, True)
        return status._replace(name=spec.text)
    return await _look(spec, named, environment, strict=True)


CHECKS = Standing("checks", answers=True, detail="no model, no key, no network", price=FREE)


async def status_of(
    name: str, named: Mapping[str, Configured], environment: Mapping[str, str] = os.environ, *, strict: bool = False
) -> Standing:
    """The status of a provider by its name. With `strict`, InputError when it is not set up."""
    if name == "local":
        return _local()
    if name in COMMANDS:
        return await asyncio.to_thread(_command, name, named.get(name, Configured()), environment, strict)
    table = named.get(name, Configured())
    kind = "anthropic" if "anthropic" in (name, table.kind) else "openai"
    spec = Spec(name, "anthropic" if kind == "anthropic" else "openai", name, table.model or "")
    return await _look(spec, named, environment, strict=strict)


def _command(name: str, table: Configured, environment: Mapping[str, str], strict: bool) -> Standing:
    """An agent command: installed, logged in, and if asked for by name, tested. No model is asked."""
    from evenhand.providers.commands.command import AGENTS, find, logged_in, open_command

    try:
        installed = find(name, environment)
        ready = logged_in(name, installed)
        detail = f"version {installed.version}, " + ("logged in" if ready else f"not logged in; {AGENTS[name].login}")
        model = table.model
        if strict:
            provider = open_command(name, name, table.model or "", table, environment)
            model = provider.identity["model"]
            detail += f"; uses {model}; tested: no tools, cannot read files"
    except InputError as error:
        if strict:
            raise
        return Standing(name, answers=None, detail=str(error).removeprefix(f"{name} is "), prices=table.prices)
    price = table.price(model) if model else None
    return Standing(name, answers=ready, detail=detail, model=model, price=price, prices=table.prices)


def _local() -> Standing:
    from evenhand.providers.local import installed

    if installed():
        return Standing("local", answers=True, detail="any model in a GGUF file: local:FILE.gguf", price=FREE)
    return Standing("local", answers=None, detail="not installed: pip install 'evenhand[local]'", price=FREE)


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
    if spec.kind in ("local", "replay"):
        return "can be read"
    if spec.model and models and spec.model not in models:
        return f"does not list the model {spec.model}"
    return counted(len(models), "model")
