"""`--judge auto`: the first judge that is ready, in a fixed order, and what it will cost.

Judges that evenhand.toml configures with a model come first, then agent commands that are logged in, then Ollama, then
a model file. Hosted services are never chosen: a key in the environment is not permission to spend money.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Final, NamedTuple

from evenhand.errors import InputError, Problem
from evenhand.providers.configured import BUILT_IN, COMMANDS, Configured
from evenhand.providers.prices import FREE
from evenhand.providers.standing import Standing, status_of

AUTO: Final = "auto"

_OF_A_COMMAND = "one call per submission, covered by your plan or billed to your key"


class Choice(NamedTuple):
    """The judge that was chosen."""

    spec: str
    cost: str
    """What it will cost, in words."""


def choose(folder: Path, named: Mapping[str, Configured], environment: Mapping[str, str] = os.environ) -> Choice:
    """The first judge that is ready. InputError lists what was tried and what is missing.

    Works inside a running event loop too.
    """
    with ThreadPoolExecutor(max_workers=1) as thread:
        return thread.submit(asyncio.run, _choose(folder, named, environment)).result()


async def _choose(folder: Path, named: Mapping[str, Configured], environment: Mapping[str, str]) -> Choice:
    tried = []
    own = [name for name, table in named.items() if name not in BUILT_IN and table.model]
    for name in (*own, *COMMANDS, "ollama"):
        status = await status_of(name, named, environment)
        model = _model(name, status, named)
        if status.answers and (model or name in COMMANDS):
            return Choice(f"{name}:{model}" if model else name, _cost(name, status))
        tried.append(f"{name}: {'it has no model' if status.answers else status.detail}")
    file = _model_file(folder, named)
    status = await status_of("local", named, environment)
    if file is not None and status.answers:
        return Choice(f"local:{file}", "free")
    tried.append(f"local: {status.detail if file is not None else 'no model file'}")
    head = "--judge auto finds no judge that is ready; log in to one of these, or name a judge"
    raise InputError([Problem(head), *map(Problem, tried)])


def _model(name: str, status: Standing, named: Mapping[str, Configured]) -> str:
    """The configured model; for Ollama, else the first it lists."""
    model = named[name].model if name in named else None
    return model or (status.models[0] if name == "ollama" and status.models else "")


def _cost(name: str, status: Standing) -> str:
    if name in COMMANDS:
        return _OF_A_COMMAND
    if status.price is None:
        return "its price is not known; set price_input and price_output in evenhand.toml to see costs"
    if status.price == FREE:
        return "free"
    return f"${status.price.input:f} per million tokens in, ${status.price.output:f} out"


def _model_file(folder: Path, named: Mapping[str, Configured]) -> str | None:
    """The configured model file, or the only one in the project's folder."""
    configured = named["local"].model if "local" in named else None
    if configured is not None:
        return configured
    files = sorted(folder.glob("*.gguf"))
    return str(files[0]) if len(files) == 1 else None
