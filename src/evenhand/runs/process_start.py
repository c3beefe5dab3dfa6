"""Start a program in a session of its own, while other threads go on.

`subprocess` keeps every thread of Python waiting from the fork until the program is loaded. The C library's
posix_spawn, called through ctypes, does not. Where it lacks something that is needed here, `subprocess` is used.
"""

from __future__ import annotations

import contextlib
import ctypes
import errno
import os
import signal
import stat
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache, partial
from itertools import accumulate
from pathlib import Path
from typing import NamedTuple, Protocol

from evenhand import clock
from evenhand.runs import process_table
from evenhand.runs.confined_rights import with_rights
from evenhand.runs.landlock import Rights

_SET_SIGNALS, _SET_SESSION = 0x04, 0x80
"""Flags of posix_spawn, alike in the C libraries of Linux."""

_ROOM = 1024
"""Bytes for each of the library's own structures; the largest has 336."""

_PATIENCE = 0.01
"""Seconds between two looks at a process that should end soon."""

_NAMES = (
    "posix_spawn", "posix_spawnattr_init", "posix_spawnattr_setflags", "posix_spawnattr_setsigdefault",
    "posix_spawn_file_actions_init", "posix_spawn_file_actions_destroy", "posix_spawn_file_actions_adddup2",
    "posix_spawn_file_actions_addchdir_np", "posix_spawn_file_actions_addclosefrom_np", "sigemptyset", "sigaddset",
)  # fmt: skip


class Process(Protocol):
    """A program that was started."""

    pid: int
    returncode: int | None

    def poll(self) -> int | None:
        """How it ended; None while it runs."""

    def wait(self, timeout: float | None = None) -> int:
        """Wait for its end; subprocess.TimeoutExpired when it takes longer."""


def start(
    arguments: Sequence[str],
    *,
    folder: str | Path,
    environment: Mapping[str, str],
    stdin: int,
    stdout: int,
    stderr: int,
    rights: Rights | None = None,
) -> Process:
    """Start a program with three descriptors and no other. OSError or ValueError when it cannot be started.

    `rights` are what it can read and write, if that is confined.
    """
    library = _library()
    if library is None or min(stdin, stdout, stderr) <= 2:
        popen = partial(
            subprocess.Popen,
            arguments,
            cwd=folder,
            env=environment,
            stdin=stdin,
            stdout=stdout,
            stderr=stderr,
            start_new_session=True,
        )
        return popen() if rights is None else with_rights(rights, popen)
    program = find_program(arguments[0], folder, environment)
    words = _Texts(arguments)
    variables = _Texts([f"{name}={value}" for name, value in environment.items()])
    pid = ctypes.c_int()
    with _file_actions(library.functions, str(folder), (stdin, stdout, stderr)) as actions:
        spawn = partial(
            library.posix_spawn,
            ctypes.byref(pid),
            program,
            actions,
            library.attributes,
            words.pointers,
            variables.pointers,
        )
        code = spawn() if rights is None else with_rights(rights, spawn)
    if code:
        raise OSError(code, os.strerror(code), arguments[0])
    process_table.started.add(pid.value)
    return _Spawned(pid.value, arguments)


class _Spawned:
    """A child process. One thread looks after it."""

    def __init__(self, pid: int, arguments: Sequence[str]) -> None:
        self.pid = pid
        self.returncode: int | None = None
        self._arguments = arguments

    def poll(self) -> int | None:
        """How it ended; None while it runs."""
        return self._reaped(os.WNOHANG)

    def wait(self, timeout: float | None = None) -> int:
        """Wait for its end; subprocess.TimeoutExpired when it takes longer."""
        code = self._reaped(0 if timeout is None else os.WNOHANG)
        if code is None:
            assert timeout is not None
            deadline = clock.elapsed() + timeout
            while (code := self.poll()) is None:
                if clock.elapsed() > deadline:
                    raise subprocess.TimeoutExpired(self._arguments, timeout)
                time.sleep(_PATIENCE)
        return code

    def _reaped(self, options: int) -> int | None:
        if self.returncode is None:
            try:
                pid, status = os.waitpid(self.pid, options)
            except ChildProcessError:  # the system was told to forget the ends of children
                pid, status = self.pid, 0
            if pid:
                self.returncode = os.waitstatus_to_exitcode(status)
                process_table.started.discard(self.pid)
        return self.returncode


class _Library(NamedTuple):
    """The C library, and what every program is started with."""

    posix_spawn: Callable[..., int]
    """Lets other threads go on."""
    functions: ctypes.PyDLL
    """Those that take no time, called without letting others go on first."""
    attributes: ctypes.Array[ctypes.c_char]


@lru_cache(maxsize=1)
def _library() -> _Library | None:
    """The C library; None where its posix_spawn lacks something we need."""
    if sys.platform != "linux":
        return None
    functions = ctypes.PyDLL(None)
    if not all(hasattr(functions, name) for name in _NAMES):
        return None
    attributes, signals = ctypes.create_string_buffer(_ROOM), ctypes.create_string_buffer(_ROOM)
    functions.posix_spawnattr_init(attributes)
    functions.posix_spawnattr_setflags(attributes, ctypes.c_short(_SET_SIGNALS | _SET_SESSION))
    functions.sigemptyset(signals)
    for number in (signal.SIGPIPE, signal.SIGXFSZ):  # Python ignores these two, and a program would inherit that
        functions.sigaddset(signals, int(number))
    functions.posix_spawnattr_setsigdefault(attributes, signals)
    return _Library(ctypes.CDLL(None).posix_spawn, functions, attributes)


@contextlib.contextmanager
def _file_actions(
    library: ctypes.PyDLL, folder: str, descriptors: tuple[int, int, int]
) -> Iterator[ctypes.Array[ctypes.c_char]]:
    """What happens between the fork and the program: its folder, its three descriptors, everything else closed."""
    actions = ctypes.create_string_buffer(_ROOM)
    library.posix_spawn_file_actions_init(actions)
    try:
        failed = library.posix_spawn_file_actions_addchdir_np(actions, _text(folder))
        for number, descriptor in enumerate(descriptors):
            failed = failed or library.posix_spawn_file_actions_adddup2(actions, descriptor, number)
        failed = failed or library.posix_spawn_file_actions_addclosefrom_np(actions, 3)
        if failed:
            raise OSError(failed, os.strerror(failed))
        yield actions
    finally:
        library.posix_spawn_file_actions_destroy(actions)


def find_program(name: str, folder: str | Path, environment: Mapping[str, str]) -> bytes:
    """The file of a command, found as a shell in that folder and environment would find it. OSError without one."""
    search = "" if "/" in name else environment.get("PATH", os.defpath)
    known = (name, search)
    if known in _programs and _is_program(_programs[known]):
        return os.fsencode(_programs[known])
    _text(name)
    code, is_same_everywhere = errno.ENOENT, True
    for directory in search.split(os.pathsep):
        path = f"{directory}/{name}" if directory else name
        absolute = path if path.startswith("/") else f"{folder}/{path}"
        is_same_everywhere &= path.startswith("/")
        is_program = _is_program(absolute)
        if is_program:
            if is_same_everywhere:
                _programs[known] = absolute
            return os.fsencode(absolute)
        code = errno.EACCES if is_program is False else code
    raise OSError(code, os.strerror(code), name)


_programs: dict[tuple[str, str], str] = {}
"""Where commands were found, by name and PATH, if their place does not depend on the folder."""


def _is_program(path: str) -> bool | None:
    """Whether a path is a program; None when nothing is there."""
    try:
        return stat.S_ISREG(os.stat(path).st_mode) and os.access(path, os.X_OK)  # noqa: PTH116
    except OSError:
        return None


class _Texts:
    """Words as the C library takes them: pointers into one piece of memory, with a null at the end."""

    def __init__(self, words: Sequence[str]) -> None:
        encoded = os.fsencode("\0".join(words)).split(b"\0") if words else []
        if len(encoded) != len(words):
            raise ValueError("embedded null byte")
        self._memory = ctypes.create_string_buffer(b"\0".join(encoded))
        starts = [*accumulate((len(word) + 1 for word in encoded), initial=ctypes.addressof(self._memory))]
        # The last of them is where nothing starts. An array of texts would take longer: ctypes notes each of them.
        self.pointers = (ctypes.c_void_p * len(starts))(*starts[:-1])


def _text(word: str) -> bytes:
    encoded = os.fsencode(word)
    if b"\0" in encoded:
        raise ValueError("embedded null byte")
    return encoded
