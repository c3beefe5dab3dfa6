"""Settings as the Python API takes them: `settings={"gate.margin": "0.1"}`, by the names of `--set`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from evenhand.errors import InputError, unknown
from evenhand.options.command_settings import SETTINGS


def read_settings(given: Mapping[str, Any] | None, *taken: str) -> dict[str, Any]:
    """The settings that were given, by their names without the group. `taken` are the valid ones."""
    values = {}
    for name, value in (given or {}).items():
        if name not in taken:
            raise InputError(unknown("setting", name, taken))
        try:
            values[name.rpartition(".")[2]] = SETTINGS[name].read(value)
        except ValueError as error:
            raise InputError(f"{name}: {error}") from None
    return values
