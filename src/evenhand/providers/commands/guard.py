"""Ends the processes that were started here when this process is killed.

A process that is killed cannot clean up. So a small program of its own, this file, is started with the first process to
watch. It waits at the end of a pipe whose other end only we hold: when we end, however that comes about, the pipe does
too, and the program ends what is still on its list, with all that descends from it. A signal at the death of the parent
(PR_SET_PDEATHSIG) would not do: Linux sends it when the thread ends that started a process, and to that one alone.

Where such a program cannot be started, nothing is watched. It takes no modules but those Python has loaded anyway.
"""

from __future__ import annotations

import os
import sys
from _thread import allocate_lock

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

_PASSED_ON = ("LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "PYTHONHOME")
"""Variables without which some builds of Python do not start."""

_KILL = 9
_ROUNDS = 250
"""Looks at what is left, a fiftieth of a second apart."""


class _Guard:
    """The program, as this process sees it."""

    def __init__(self) -> None:
        self._lock = allocate_lock()
        self._pipe: int | None = None
        self._is_possible = os.name == "posix" and bool(sys.executable) and os.path.isfile(__file__)  # noqa: PTH113
        self._listed: dict[str, None] = {}
        """What is on the program's list."""

    def add(self, entry: str) -> None:
        """Put a process on the list."""
        with self._lock:
            self._listed[entry] = None
            self._send([entry])
            if self._pipe is None and self._is_possible:  # the first, or somebody ended the program
                self._start()
                self._send(self._listed)

    def remove(self, entries: Iterable[str]) -> None:
        """Take what has ended off the list."""
        with self._lock:
            known = [entry for entry in entries if entry in self._listed]
            for entry in known:
                del self._listed[entry]
            self._send(f"-{entry}" for entry in known)

    def forget(self) -> None:
        """In a fork of this process: what its parent started is not its own, and its end would not be the parent's."""
        self._lock = allocate_lock()
        self._listed = {}
        if self._pipe is not None:
            os.close(self._pipe)
            self._pipe = None

    def _send(self, lines: Iterable[str]) -> None:
        message = "".join(f"{line}\n" for line in lines).encode(errors="surrogateescape")
        if self._pipe is None or not message:
            return
        try:
            os.write(self._pipe, message)
        except OSError:  # somebody ended it
            os.close(self._pipe)
            self._pipe = None

    def _start(self) -> None:
        reading, writing = os.pipe()
        words = [sys.executable, "-I", "-S", __file__]
        environment = {name: os.environ[name] for name in _PASSED_ON if name in os.environ}
        actions = [
            (os.POSIX_SPAWN_DUP2, reading, 0),
            (os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0),
            (os.POSIX_SPAWN_OPEN, 2, os.devnull, os.O_WRONLY, 0),
        ]
        try:
            os.posix_spawn(sys.executable, words, environment, file_actions=actions, setsid=True)
        except (OSError, NotImplementedError):
            self._is_possible = False
            os.close(writing)
        else:
            self._pipe = writing
        os.close(reading)


_guard = _Guard()
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_guard.forget)


def watch(pid: int) -> None:
    """After a start: end this process, its session and its descendants when we are killed."""
    _guard.add(str(pid))


def forget(pid: int) -> None:
    """After the end of a process."""
    _guard.remove([str(pid)])


def _main() -> None:
    """The program: keep the list until the pipe ends, then end what is on it."""
    import signal

    for number in (signal.SIGHUP, signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_IGN)
    os.chdir("/")
    os.closerange(3, 256)
    listed: set[bytes] = set()
    rest = b""
    while piece := os.read(0, 65536):
        *lines, rest = (rest + piece).split(b"\n")
        for line in lines:
            if line.startswith(b"-"):
                listed.discard(line[1:])
            else:
                listed.add(line)
    if listed:
        _end({int(line) for line in listed})


def _end(leaders: set[int]) -> None:
    import time

    for _ in range(_ROUNDS):
        left = _left(leaders)
        for leader in leaders:
            _kill(leader, os.killpg)
        for pid in left:
            _kill(pid, os.kill)
        if not left:
            return
        leaders |= left
        time.sleep(0.02)


def _kill(pid: int, kill: object) -> None:
    try:
        kill(pid, _KILL)  # type: ignore[operator]
    except OSError:  # it has ended
        return


def _left(leaders: set[int]) -> set[int]:
    """The processes that are still there, as far as the system shows them: of the sessions, or descended from one."""
    parents: dict[int, int] = {}
    left: set[int] = set()
    try:
        names = os.listdir("/proc")  # noqa: PTH208
    except OSError:  # a system without it: groups alone are killed
        return set()
    for name in names:
        if not name.isdigit():
            continue
        try:
            with open(f"/proc/{name}/stat", "rb") as file:
                state, parent, _, session = file.read().rpartition(b")")[2].split()[:4]
            if state in b"ZX":
                continue
            parents[int(name)] = int(parent)
            if int(name) in leaders or int(session) in leaders:
                left.add(int(name))
        except OSError:  # it ended meanwhile, or belongs to somebody else
            continue
    grew = True
    while grew:
        children = {pid for pid, parent in parents.items() if parent in left and pid not in left}
        left |= children
        grew = bool(children)
    return left - {os.getpid()}


if __name__ == "__main__":
    _main()
