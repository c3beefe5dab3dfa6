"""The public names of a package: written in its `__init__` for type checkers, and loaded when one is first used."""

from __future__ import annotations

import re
import sys
from functools import cache
from importlib import import_module
from typing import Any

_LINE = r"(?m)^    from (\S+) import (\S+) as \2$"


@cache
def names(package: str) -> dict[str, str]:
    """The module of each public name of a package."""
    spec = sys.modules[package].__spec__
    assert spec is not None and spec.loader is not None
    source = spec.loader.get_source(package)  # type: ignore[attr-defined]
    return {name: home for home, name in re.findall(_LINE, source)}


def load(package: str, name: str) -> tuple[Any, str]:
    """A public name and its module. The arguments of a function are checked before it is called."""
    home = names(package).get(name)
    if home is None:
        raise AttributeError(f"module {package!r} has no attribute {name!r}")
    value = getattr(import_module(home), name)
    if not isinstance(value, type) and callable(value):
        from evenhand.api.keywords import suggesting

        value = suggesting(value)
    return value, home
