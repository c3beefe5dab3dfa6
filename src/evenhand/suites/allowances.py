"""Limits as they are written in a suite: seconds, sizes with their unit, `null` for no limit."""

from __future__ import annotations

import os
import re
from decimal import Decimal

from evenhand.decisions.suite import Limits
from evenhand.errors import shortened_line
from evenhand.suites.located_entry import SuiteEntry
from evenhand.suites.paths import absolute

LIMITS = ("seconds", "output", "processes", "memory", "disk", "network", "reads", "writes")
USUAL = Limits(reads=())
"""What holds where a suite says nothing: its answers are not read."""

_SIZE = re.compile(r"([0-9]+(?:\.[0-9]+)?) ?(?:([kKMGT])(i?))?B?", re.ASCII)
_POWERS = "kMGT"
_LARGEST = 10**15


def limits_from(entry: SuiteEntry | None, usual: Limits) -> Limits:
    """The limits in a mapping; what is not in it stays as usual."""
    if entry is None:
        return usual
    entry.known(LIMITS)
    limits = usual
    if "seconds" in entry.value:
        limits = limits._replace(seconds=None if entry.value["seconds"] is None else entry.above_zero("seconds"))
    if "output" in entry.value:
        limits = limits._replace(output_bytes=_size(entry, "output"))
    if "memory" in entry.value:
        limits = limits._replace(memory_bytes=_size(entry, "memory"))
    if "disk" in entry.value:
        limits = limits._replace(disk_bytes=_size(entry, "disk"))
    if "processes" in entry.value:
        limits = limits._replace(
            processes=None if entry.value["processes"] is None else entry.count("processes", 1_000_000)
        )
    if "writes" in entry.value:
        writes = _folders(entry, "writes", "folders in which runs can write", "[~/.npm]")
        if entry.value["writes"] is None:
            entry.refuse("writes is null, but no run may write anywhere; list the folders, such as [~/.npm]", "writes")
        limits = limits._replace(writes=writes or ())
    if "reads" in entry.value:
        limits = limits._replace(reads=_folders(entry, "reads", "files and folders that runs can read", "[./tools]"))
    return limits._replace(network=entry.yes_no("network", limits.network))


def _folders(entry: SuiteEntry, key: str, what: str, example: str) -> tuple[str, ...] | None:
    """Folders as absolute paths: relative ones count from the suite's folder, `~` is the user's HOME."""
    value = entry.value[key]
    if value is None:
        return None
    if not isinstance(value, list):
        entry.refuse(
            f'{key} is "{shortened_line(str(value))}"; write a list of {what} besides '
            f"their own, such as {example}, or [] for none{', or null for anything' if key == 'reads' else ''}",
            key,
        )
        return None
    texts = [entry.text_at(item, key, number) for number, item in enumerate(value)]
    return tuple(str(absolute(entry.folder, os.path.expanduser(text))) for text in texts if text is not None)  # noqa: PTH111


def _size(entry: SuiteEntry, key: str) -> int | None:
    value = entry.value[key]
    if value is None:
        return None
    size = Decimal(0)
    if isinstance(value, str) and len(value) < 30 and (match := _SIZE.fullmatch(value)):
        number, unit, binary = match.groups()
        power = _POWERS.index("k" if unit == "K" else unit) + 1 if unit else 0
        size = Decimal(number) * (1024 if binary else 1000) ** power
    elif isinstance(value, int | Decimal) and not isinstance(value, bool):
        size = Decimal(value)
    if not 1 <= size <= _LARGEST or size != int(size):
        entry.refuse(
            f'{key} is "{shortened_line(str(value))}"; write a size such as 500MB, 2GB or 1GiB, or null for no limit',
            key,
        )
        return None
    return int(size)
