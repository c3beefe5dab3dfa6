"""Every provider there is: the files in `builtin`, and those of other packages.

A package adds a provider with an entry point in the group `evenhand.providers` that has the provider's name and points
to a `KnownProvider`. A file is imported when its provider is named, so that a run pays for those it uses.
"""

from __future__ import annotations

import sys
from functools import cache, lru_cache
from importlib import import_module
from pkgutil import iter_modules
from typing import TYPE_CHECKING

from evenhand.errors import InputError, Problem
from evenhand.providers import builtin
from evenhand.providers.known import KnownProvider

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

GROUP = "evenhand.providers"

RESERVED = ("checks", "auto", "check")
"""Judges that are not providers."""


@cache
def built_in_names() -> tuple[str, ...]:
    """The names of the built-in providers, from the names of their files."""
    return tuple(module.name.replace("_", "-") for module in iter_modules(builtin.__path__))


def find_provider(name: str) -> KnownProvider | None:
    """The provider with a name; None when it can only be a server that evenhand.toml names."""
    if name in built_in_names():
        provider: KnownProvider = import_module(f"{builtin.__name__}.{name.replace('-', '_')}").PROVIDER
        return provider
    point = added().get(name)
    return None if point is None else _loaded(point)


def providers() -> list[KnownProvider]:
    """Every provider in the order of lists: the built-in ones, then those of other packages."""
    built_in = [provider for name in built_in_names() if (provider := find_provider(name)) is not None]
    built_in.sort(key=lambda provider: (provider.place, provider.name))
    return [*built_in, *(_loaded(point) for name, point in sorted(added().items()) if name not in built_in_names())]


def added() -> dict[str, EntryPoint]:
    """Where installed packages offer providers, by name."""
    return {point.name: point for point in _entry_points(tuple(sys.path))}


@lru_cache(maxsize=2)
def _entry_points(path: tuple[str, ...]) -> tuple[EntryPoint, ...]:
    from importlib.metadata import entry_points  # slows start-up

    return tuple(entry_points(group=GROUP))


def _loaded(point: EntryPoint) -> KnownProvider:
    """Another package's provider, checked: InputError when it cannot be used."""
    source = f"entry point {point.name} = {point.value}"
    try:
        provider = point.load()
    except Exception as error:  # another package's code may raise anything
        raise InputError(Problem(f"cannot be loaded: {type(error).__name__}: {error}", source)) from None
    if not isinstance(provider, KnownProvider):
        raise InputError(Problem("does not lead to a KnownProvider", source))
    if provider.name != point.name or point.name in RESERVED:
        raise InputError(Problem(f"a provider cannot be named {provider.name!r} here", source))
    if provider.open is None:
        speaks = provider.serve is not None if provider.kind == provider.name else provider.kind in built_in_names()
        if not speaks or not provider.address:
            raise InputError(Problem("needs an address and a kind of API, or a function that opens it", source))
    return provider
