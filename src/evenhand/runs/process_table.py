"""The processes of the machine, as far as /proc shows them: how many a run has, and how much memory they take."""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections import defaultdict
from functools import cache
from typing import NamedTuple

from evenhand import clock
from evenhand.runs import supervisor

_AGE = 0.2
"""Seconds for which all runs share one reading of the table."""

_PAGE = os.sysconf("SC_PAGE_SIZE")


class Process(NamedTuple):
    """One process."""

    pid: int
    parent: int
    is_zombie: bool
    resident: int
    """Bytes of memory."""


_lock = threading.Lock()
_read_at = float("-inf")
_table: dict[int, list[Process]] = {}


@cache
def is_available() -> bool:
    """Whether this system shows its processes."""
    return sys.platform == "linux" and os.path.exists("/proc/self/stat")  # noqa: PTH110


def below(root: int, *, fresh: bool = False) -> list[Process]:
    """All processes that descend from one; not older than a moment, or read now. Those nearer to it come first."""
    table = _by_parent(fresh=fresh)
    found: list[Process] = [*table.get(root, ())]
    for process in found:
        found += table.get(process.pid, ())
    return found


def ask_to_end(processes: list[Process]) -> None:
    """Send SIGTERM to each."""
    for process in processes:
        try:
            os.kill(process.pid, signal.SIGTERM)
        except OSError:  # it has ended
            continue


def _by_parent(*, fresh: bool) -> dict[int, list[Process]]:
    global _read_at, _table
    with _lock:
        if fresh or clock.elapsed() - _read_at > _AGE:
            _table = _read()
            _read_at = clock.elapsed()
        return _table


def _read() -> dict[int, list[Process]]:
    table: dict[int, list[Process]] = defaultdict(list)
    for pid, parent, has_ended, pages in supervisor.processes():
        table[parent].append(Process(pid, parent, has_ended, pages * _PAGE))
    return dict(table)
