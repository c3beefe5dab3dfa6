"""The processes of the machine, as far as /proc shows them: who belongs to a run, and how much memory they take.

Only Linux has /proc; elsewhere the table is empty, and `is_available` is False.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import sys
import threading
from collections.abc import Iterable
from functools import cache, partial
from typing import NamedTuple

from evenhand import clock

_AGE = 0.2
"""Seconds for which all runs share one reading of the table."""

_PAGE = os.sysconf("SC_PAGE_SIZE")
_SET_CHILD_SUBREAPER = 36


class Process(NamedTuple):
    """One process."""

    pid: int
    parent: int
    session: int
    is_zombie: bool
    resident: int
    """Bytes of memory."""


started: set[int] = set()
"""The processes that were started here as the first of a run, and whose end was not noticed yet."""

_adopts = False
_lock = threading.Lock()
_read_at = float("-inf")
_table: tuple[Process, ...] = ()


@cache
def is_available() -> bool:
    """Whether this system shows its processes."""
    return sys.platform == "linux" and os.path.exists("/proc/self/stat")  # noqa: PTH110


def adopt_orphans() -> bool:
    """Become the parent of processes whose own parent ends, so that none is lost; False where that is impossible."""
    global _adopts
    if not is_available():
        return False
    try:
        _adopts = bool(ctypes.CDLL(None).prctl(_SET_CHILD_SUBREAPER, 1, 0, 0, 0) == 0)
    except (OSError, AttributeError):
        _adopts = False
    return _adopts


def has_orphans(mark: bytes) -> bool | None:
    """Whether a run that has ended left a process to us: a child with its mark that is not the first process of a run.

    Much quicker than reading the table. None where orphans are not adopted or children not listed.
    """
    if not _adopts:
        return None
    try:
        # Linux hands orphans to the first thread of the process that adopts them, and lists children by thread.
        file = os.open(f"/proc/self/task/{os.getpid()}/children", os.O_RDONLY)
        try:
            children = set(map(int, b"".join(iter(partial(os.read, file, 65536), b"")).split()))
        finally:
            os.close(file)
    except OSError:  # this system does not list children
        return None
    return any(_has_mark(pid, mark) for pid in children - started)


def processes(*, fresh: bool = False) -> tuple[Process, ...]:
    """All processes; not older than a moment, and read now if `fresh`."""
    global _read_at, _table
    with _lock:
        if fresh or clock.elapsed() - _read_at > _AGE:
            _table = tuple(_read())
            _read_at = clock.elapsed()
        return _table


def members(table: Iterable[Process], session: int, mark: bytes) -> list[Process]:
    """The processes of a run: of its session, or descended from one, or adopted from it by us."""
    table = list(table)
    own_pid = os.getpid()
    inside = {process.pid for process in table if process.session == session}
    inside |= {
        process.pid
        for process in table
        if process.parent == own_pid and process.pid not in inside and _has_mark(process.pid, mark)
    }
    grew = True
    while grew:
        children = {process.pid for process in table if process.parent in inside and process.pid not in inside}
        inside |= children
        grew = bool(children)
    return [process for process in table if process.pid in inside]


def marked(mark: bytes) -> list[int]:
    """Every process whose environment holds a mark, whoever its parent is."""
    return [process.pid for process in processes(fresh=True) if _has_mark(process.pid, mark)]


def _has_mark(pid: int, mark: bytes) -> bool:
    try:
        with open(f"/proc/{pid}/environ", "rb") as file:
            return mark in file.read()
    except OSError:  # it has ended, or belongs to another user
        return False


def _read() -> Iterable[Process]:
    if not is_available():
        return
    for name in os.listdir("/proc"):  # noqa: PTH208
        if not name.isdigit():
            continue
        try:
            with open(f"/proc/{name}/stat", "rb", buffering=0) as file:
                # The name of the program is in brackets and may hold anything; the fields follow its last bracket.
                fields = file.read(4096).rpartition(b")")[2].split()
        except OSError:
            continue
        yield Process(int(name), int(fields[1]), int(fields[3]), fields[0] in b"ZX", int(fields[21]) * _PAGE)


def files_in_use(start: str) -> set[str]:
    """The files whose paths begin so and that a process has open or in its memory, as far as we may know."""
    found: set[str] = set()
    for pid in filter(str.isdigit, os.listdir("/proc")):  # noqa: PTH208
        with contextlib.suppress(OSError), open(f"/proc/{pid}/maps", "rb") as file:
            found.update(
                os.fsdecode(line[line.index(b"/") :].rstrip()) for line in file if os.fsencode(f" {start}") in line
            )
        with contextlib.suppress(OSError), os.scandir(f"/proc/{pid}/fd") as entries:
            found.update(path for entry in entries if (path := _target(entry.path)).startswith(start))
    return found


def _target(link: str) -> str:
    try:
        return os.readlink(link)  # noqa: PTH115
    except OSError:
        return ""
