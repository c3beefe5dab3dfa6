"""A command within limits of time, output, processes and memory. Nothing that it started outlives it.

It gets a session of its own. Its output comes through pipes of which no more is read than the limit. When it ends, its
process group is killed, and then everything that left the group, as far as the system shows it. If we are killed, the
guard does the same.
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import threading
from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import NamedTuple

from evenhand import clock, guard
from evenhand.decisions.values.suite import Limits
from evenhand.runs import process_table
from evenhand.runs.landlock import Rights
from evenhand.runs.process_start import Process, start
from evenhand.runs.run_environment import MARK
from evenhand.runs.waits import Wait, Work
from evenhand.runs.workspaces.workspace import bytes_in
from evenhand.work.agent_run import Outcome

GRACE = 1.0
"""Seconds between asking a command to end and killing it."""

_TICK = 0.2
"""Seconds between two looks at the clock, the processes and whether to stop."""

_FIRST_MEASURE = 1.0
"""Seconds after which its folders are first looked at."""

_MOMENT = 0.02
"""Seconds for which a command that has ended may seem to have left somebody with its output."""

_PIECE = 65536
_MOST_LEFT = 16
"""Pieces that a pipe may hold: one, unless the program has made it larger, up to a mebibyte."""


class Interrupted(Exception):
    """The user stopped everything: there is no result."""


class Ended(NamedTuple):
    """How a command ended."""

    outcome: Outcome
    reason: str
    exit_code: int | None
    seconds: Decimal
    output: bytes
    errors: bytes
    notes: tuple[str, ...] = ()


def run_limited(
    arguments: Sequence[str],
    *,
    folder: str,
    environment: Mapping[str, str],
    stdin: str | None,
    limits: Limits,
    stop: threading.Event,
    rights: Rights | None,
    folders: str,
) -> Work[Ended]:
    """Run a command to its end or to a limit. OSError or ValueError when it cannot be started.

    `rights` are what it can read and write, if that is confined, and `folders` has what counts for the limit of disk.
    """
    begun = clock.elapsed()
    opened: list[int] = []
    mark = f"{MARK}={environment[MARK]}"
    guard.expect(mark)
    try:
        opened.append(os.open(stdin or os.devnull, os.O_RDONLY))
        opened += os.pipe()
        opened += os.pipe()
        given, output, output_end, errors, errors_end = opened
        process = start(
            arguments,
            folder=folder,
            environment=environment,
            stdin=given,
            stdout=output_end,
            stderr=errors_end,
            rights=rights,
        )
    except BaseException:
        for descriptor in opened:
            os.close(descriptor)
        guard.forget(None, mark)
        raise
    guard.watch(process.pid)
    for descriptor in (given, output_end, errors_end):
        os.close(descriptor)
    streams = output, errors
    running = _CommandUnderWay(process, streams, limits, mark, begun, folders)
    try:
        return (yield from running.finish(stop))
    except BaseException:
        running.end()
        running.close()
        raise


class _CommandUnderWay:
    """A command under way."""

    def __init__(
        self, process: Process, streams: Sequence[int], limits: Limits, mark: str, begun: float, folders: str
    ) -> None:
        """`streams` are the descriptors of its output and its errors, `folders` what it may fill."""
        self._folders = folders
        self._measured = begun + _FIRST_MEASURE
        """When to look again how much is in its folders."""
        self._process = process
        self._limits = limits
        self._given_mark = mark
        self._mark = f"{mark}\0".encode()
        self._begun = begun
        self._pieces: dict[int, list[bytes]] = {stream: [] for stream in streams}
        self._open = set(self._pieces)
        self._read = 0
        self._stopped: tuple[Outcome, str] | None = None

    def finish(self, stop: threading.Event) -> Work[Ended]:
        """Wait for the end, or bring it about."""
        for stream in self._pieces:
            os.set_blocking(stream, False)
        with _Ending(self._process) as ending:
            yield from self._wait(ending, stop)
        yield from self._wait_for_streams()
        left = self.end()
        seconds = Decimal(str(round(clock.elapsed() - self._begun, 3)))
        output, errors = (b"".join(pieces) for pieces in self._pieces.values())
        self.close()
        code = self._process.wait()
        outcome, reason = self._stopped or _ended(code, errors, output)
        notes = () if self._stopped or not left else (_left_behind(left),)
        return Ended(outcome, reason, code, seconds, output, errors, notes)

    def _wait(self, ending: int | None, stop: threading.Event) -> Work[None]:
        limit = self._limits.seconds
        deadline = None if limit is None else self._begun + float(limit)
        looked = self._begun
        while self._stopped is None:
            wait = _TICK if deadline is None else max(0.0, min(_TICK, deadline - clock.elapsed()))
            ready = yield Wait([*self._open] if ending is None else [*self._open, ending], wait)
            for stream in self._open.intersection(ready):
                self._take(stream)
            if ending in ready or (ending is None and self._process.poll() is not None):
                return
            if stop.is_set():
                raise Interrupted
            now = clock.elapsed()
            if deadline is not None and now >= deadline:
                yield from self._ask_to_end(ending)
                self._stopped = "timed out", f"it took longer than {limit:f} s"
            elif now - looked >= _TICK:
                looked = now
                self._look()

    def _wait_for_streams(self) -> Work[None]:
        """Wait a moment for pipes to be closed: a program that is just being started elsewhere here holds all of them.

        Who still holds them then is looked for, which takes longer.
        """
        until = clock.elapsed() + _MOMENT
        while self._stopped is None and self._open and (left := until - clock.elapsed()) > 0:
            for stream in (yield Wait([*self._open], left)):
                self._take(stream)

    def _take(self, stream: int) -> bool:
        """Read what is there; False when nothing is, or the stream has ended."""
        try:
            piece = os.read(stream, _PIECE)
        except BlockingIOError:  # nothing at the moment
            return False
        except OSError:
            piece = b""
        if not piece:
            self._open.discard(stream)
        most = self._limits.output_bytes
        if most is not None and self._read + len(piece) > most:
            piece = piece[: most - self._read]
            self._stopped = self._stopped or ("stopped by a limit", f"it printed more than {most:,} bytes")
        self._read += len(piece)
        self._pieces[stream].append(piece)
        return bool(piece)

    def _drain(self) -> None:
        """Read what is left in the pipes, without waiting for anybody who still holds them, or reading on with them."""
        for stream in self._open.copy():
            for _ in range(_MOST_LEFT):
                if not self._take(stream):
                    break

    def _look(self) -> None:
        """Compare processes, memory and disk with their limits."""
        self._measure()
        most, memory = self._limits.processes, self._limits.memory_bytes
        if most is None and memory is None:
            return
        inside = process_table.members(process_table.processes(), self._process.pid, self._mark)
        alive = [process for process in inside if not process.is_zombie]
        if most is not None and len(alive) > most:
            self._stopped = "stopped by a limit", f"it had more than {most:,} processes at once"
        used = sum(process.resident for process in alive)
        if memory is not None and used > memory:
            self._stopped = "stopped by a limit", f"it took {used:,} bytes of memory, more than {memory:,}"

    def _measure(self) -> None:
        """Compare what is in its folders with the limit, now and then: looking takes time where there is much."""
        most, now = self._limits.disk_bytes, clock.elapsed()
        if most is None or not self._folders or now < self._measured:
            return
        used = bytes_in(self._folders)
        self._measured = clock.elapsed() + max(_TICK, 20 * (clock.elapsed() - now))
        if used > most:
            self._stopped = "stopped by a limit", f"it filled {used:,} bytes of disk, more than {most:,}"

    def _ask_to_end(self, ending: int | None) -> Work[None]:
        _kill_group(self._process.pid, signal.SIGTERM)
        if ending is not None:
            yield Wait([ending], GRACE)
            return
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(GRACE)

    def end(self) -> int:
        """Kill all that is left of it; returns how many processes it had left behind."""
        session = self._process.pid
        if self._process.poll() is None:
            _kill_group(session)
            self._process.wait()
        self._drain()
        # Looking at every process takes milliseconds, so it is done only where there may be something to find.
        if not (self._open or _kill_group(session, 0) or self._may_have_orphans()):
            return 0
        # In rounds: while one process is killed, another may start a third. Those that made themselves a session of
        # their own are found by the mark in their environment.
        left = self._alive(session)
        count, patience = len(left), clock.elapsed() + GRACE
        while left and clock.elapsed() < patience:
            _kill_group(session)
            for pid in left:
                with contextlib.suppress(ProcessLookupError, PermissionError):
                    os.kill(pid, signal.SIGKILL)
            for pid in left:
                with contextlib.suppress(ChildProcessError):  # somebody else's child, who will notice its end
                    os.waitpid(pid, 0)
            left = self._alive(session)
        return count

    def close(self) -> None:
        """Close the pipes; nothing is left to be watched."""
        for stream in self._pieces:
            os.close(stream)
        guard.forget(self._process.pid, self._given_mark)

    def _may_have_orphans(self) -> bool:
        known = process_table.has_orphans(self._mark)
        return clock.elapsed() - self._begun > _TICK if known is None else known

    def _alive(self, session: int) -> set[int]:
        table = process_table.processes(fresh=True)
        inside = process_table.members(table, session, self._mark)
        return {process.pid for process in inside if not process.is_zombie}


class _Ending:
    """A file descriptor that becomes readable when a process ends; None where the system has none."""

    def __init__(self, process: Process) -> None:
        self._descriptor: int | None = None
        with contextlib.suppress(AttributeError, OSError):
            self._descriptor = os.pidfd_open(process.pid)

    def __enter__(self) -> int | None:
        return self._descriptor

    def __exit__(self, *_: object) -> None:
        if self._descriptor is not None:
            os.close(self._descriptor)


def _kill_group(group: int, number: int = signal.SIGKILL) -> bool:
    """Send a signal to a process group; False when it is empty."""
    try:
        os.killpg(group, number)
    except (ProcessLookupError, PermissionError):
        return False
    return True


def _ended(code: int, errors: bytes, output: bytes = b"") -> tuple[Outcome, str]:
    if code == 0:
        return "finished", ""
    printed = [words for words in (_last_line(errors), _last_line(output)) if words]
    why = f": {'; it printed: '.join(dict.fromkeys(printed))}" if printed else ""
    if code < 0:
        try:
            name = signal.Signals(-code).name
        except ValueError:
            name = f"signal {-code}"
        return "failed", f"it was killed by {name}{why}"
    return "failed", f"it ended with exit code {code}{why}"


def _last_line(text: bytes) -> str:
    lines = text[-10_000:].decode(errors="replace").splitlines()
    return next((line.strip()[:300] for line in reversed(lines) if line.strip()), "")


def _left_behind(count: int) -> str:
    return (
        "it left a process running, which was ended"
        if count == 1
        else f"it left {count:,} processes running, which were ended"
    )
