"""A command within limits of time, output, processes, memory and disk. Nothing that it started outlives it.

A supervisor ends what the command leaves, also when we are killed. Its output comes through pipes of which no more is
read than the limit.
"""

from __future__ import annotations

import os
import select
import signal
import sys
import threading
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import cache
from typing import NamedTuple

from evenhand import clock
from evenhand.decisions.suite import Limits
from evenhand.runs import supervisor
from evenhand.runs.supervised import Start, Supervised
from evenhand.runs.workspaces.workspace import bytes_in
from evenhand.work.agent_run import Outcome

GRACE = 1.0
"""Seconds between asking a command to end and killing it."""

_TICK = 0.2
"""Seconds between two looks at the clock, the processes and whether to stop."""

_FIRST_MEASURE = 1.0
"""Seconds after which its folders are first looked at."""

_PIECE = 65536


class Interrupted(Exception):
    """The user stopped everything: there is no result."""


@dataclass(frozen=True)
class Ended:
    """How a command ended."""

    outcome: Outcome
    reason: str
    exit_code: int | None
    seconds: Decimal
    output: bytes
    errors: bytes
    notes: tuple[str, ...] = ()


def run_limited(
    words: Sequence[str],
    *,
    start: Start,
    folder: str,
    environment: Mapping[str, str],
    stdin: str | None,
    limits: Limits,
    stop: threading.Event,
    fills: Sequence[str],
) -> Ended:
    """Run a command to its end or to a limit. OSError or ValueError when it cannot be started.

    `stdin` is a file; `fills` are the folders that count for the limit of disk. Interrupted when `stop` is set.
    """
    if any("\0" in word for word in (*words, *environment.values())):
        raise ValueError("embedded null byte")
    given = os.open(stdin or os.devnull, os.O_RDONLY)
    output, output_end = os.pipe()
    errors, errors_end = os.pipe()
    try:
        command = Supervised(
            words,
            start,
            folder=folder,
            environment=environment,
            streams=(given, output_end, errors_end),
            file_size=limits.disk_bytes,
        )
    except BaseException:
        os.close(output)
        os.close(errors)
        raise
    finally:
        for descriptor in (given, output_end, errors_end):
            os.close(descriptor)
    watch = _Watch(command, (output, errors), limits, fills)
    try:
        return watch.finish(stop)
    finally:
        command.close()
        os.close(output)
        os.close(errors)


class _Watch:
    """A command under way."""

    def __init__(self, command: Supervised, streams: tuple[int, int], limits: Limits, fills: Sequence[str]) -> None:
        self._command = command
        self._limits = limits
        self._fills = fills
        self._begun = self._looked = clock.elapsed()
        self._measured = self._begun + _FIRST_MEASURE
        """When to look again how much is in its folders."""
        self._pieces: dict[int, list[bytes]] = {stream: [] for stream in streams}
        self._read = 0
        self._stopped: tuple[Outcome, str] | None = None
        self._poll = select.poll()
        for stream in streams:
            os.set_blocking(stream, False)
            self._poll.register(stream, select.POLLIN)
        self._poll.register(command.status, select.POLLIN)

    def finish(self, stop: threading.Event) -> Ended:
        """Wait for the end, or bring it about."""
        limit = self._limits.seconds
        deadline = None if limit is None else self._begun + float(limit)
        while self._stopped is None:
            wait = _TICK if deadline is None else max(0.0, min(_TICK, deadline - clock.elapsed()))
            if self._has_ended(wait):
                break
            if stop.is_set():
                raise Interrupted
            now = clock.elapsed()
            if deadline is not None and now >= deadline and self._stopped is None:
                self._stopped = "timed out", f"it took longer than {limit:f} s"
                self._ask_to_end()
            elif now - self._looked >= _TICK:
                self._looked = now
                self._look()
        self._command.stop()
        end = self._command.end()
        for stream in self._pieces:  # all who wrote into the pipes are gone
            while self._take(stream):
                pass
        output, errors = (b"".join(pieces) for pieces in self._pieces.values())
        outcome, reason = self._stopped or _ended(end.code or 0, errors, output)
        notes = (_left_behind(end.left),) if end.left and not self._stopped else ()
        seconds = end.seconds or Decimal(str(round(clock.elapsed() - self._begun, 3)))
        return Ended(outcome, reason, end.code, seconds, output, errors, notes)

    def _has_ended(self, wait: float) -> bool:
        """Wait for output up to a limit; returns whether everything has ended."""
        ready = {descriptor for descriptor, _ in self._poll.poll(1000 * wait)}
        for stream in ready & self._pieces.keys():
            if self._take(stream) is None:
                self._poll.unregister(stream)
        return self._command.status in ready

    def _take(self, stream: int) -> int | None:
        """Read what is there and keep what is within the limit: how many bytes that were, None at the end."""
        try:
            piece = os.read(stream, _PIECE)
        except BlockingIOError:
            return 0
        if not piece:
            return None
        most = self._limits.output_bytes
        if most is not None and self._read + len(piece) > most:
            piece = piece[: most - self._read]
            self._stopped = self._stopped or ("stopped by a limit", f"it printed more than {most:,} bytes")
        self._read += len(piece)
        self._pieces[stream].append(piece)
        return len(piece)

    def _look(self) -> None:
        """Compare processes, memory and disk with their limits."""
        self._command.wake()
        self._measure()
        most, memory = self._limits.processes, self._limits.memory_bytes
        if most is None and memory is None:
            return
        alive = [process for process in self._processes() if not process.is_zombie]
        if most is not None and len(alive) > most:
            self._stopped = "stopped by a limit", f"it had more than {most:,} processes at once"
        used = sum(process.resident for process in alive)
        if memory is not None and used > memory:
            self._stopped = "stopped by a limit", f"it took {used:,} bytes of memory, more than {memory:,}"

    def _processes(self, *, fresh: bool = False) -> list[Process]:
        return _below(self._command.pid, fresh=fresh)[self._command.machinery :]

    def _measure(self) -> None:
        """Compare what is in its folders with the limit, now and then: looking takes time where there is much."""
        most, now = self._limits.disk_bytes, clock.elapsed()
        if most is None or now < self._measured:
            return
        used = sum(map(bytes_in, self._fills))
        self._measured = clock.elapsed() + max(_TICK, 20 * (clock.elapsed() - now))
        if used > most:
            self._stopped = "stopped by a limit", f"it filled {used:,} bytes of disk, more than {most:,}"

    def _ask_to_end(self) -> None:
        """Let it write what it knows: an agent's transcript, for example."""
        _ask_to_end(self._processes(fresh=True))
        until = clock.elapsed() + GRACE
        while (left := until - clock.elapsed()) > 0 and not self._has_ended(left):
            pass


def _ended(code: int, errors: bytes, output: bytes = b"") -> tuple[Outcome, str]:
    if code == 0:
        return "finished", ""
    printed = [words for words in (_last_line(errors), _last_line(output)) if words]
    why = f": {'; it printed: '.join(dict.fromkeys(printed))}" if printed else ""
    if code < 0:
        name = signal.Signals(-code).name if _is_signal(-code) else f"signal {-code}"
        return "failed", f"it was killed by {name}{why}"
    # A shell and bubblewrap report the signal that ended a program so.
    like = f", as after {signal.Signals(code - 128).name}" if _is_signal(code - 128) else ""
    return "failed", f"it ended with exit code {code}{like}{why}"


def _is_signal(number: int) -> bool:
    return number in set(signal.Signals)


def _last_line(text: bytes) -> str:
    lines = text[-10_000:].decode(errors="replace").splitlines()
    return next((line.strip()[:300] for line in reversed(lines) if line.strip()), "")


def _left_behind(count: int) -> str:
    return (
        "it left a process running, which was ended"
        if count == 1
        else f"it left {count:,} processes running, which were ended"
    )


# --- the processes of the machine, as far as /proc shows them: how many a run has, and how much memory they take

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
def processes_are_shown() -> bool:
    """Whether this system shows its processes."""
    return sys.platform == "linux" and os.path.exists("/proc/self/stat")  # noqa: PTH110


def _below(root: int, *, fresh: bool = False) -> list[Process]:
    """All processes that descend from one; not older than a moment, or read now. Those nearer to it come first."""
    table = _by_parent(fresh=fresh)
    found: list[Process] = [*table.get(root, ())]
    for process in found:
        found += table.get(process.pid, ())
    return found


def _ask_to_end(processes: list[Process]) -> None:
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
            _table = _read_table()
            _read_at = clock.elapsed()
        return _table


def _read_table() -> dict[int, list[Process]]:
    table: dict[int, list[Process]] = defaultdict(list)
    for pid, parent, has_ended, pages in supervisor.processes():
        table[parent].append(Process(pid, parent, has_ended, pages * _PAGE))
    return dict(table)
