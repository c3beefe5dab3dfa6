"""Starts one run's command, waits for it, and ends all that descends from it: `python supervisor.py CONTROL STATUS`.

CONTROL and STATUS are descriptors. The first line on CONTROL is JSON: what to start, and with which rights. CONTROL
then stays open for as long as the run may go on: when its other end is closed, or the process that holds it is killed,
the run is over. On STATUS comes one line of JSON: how the command ended.

Orphans of the run become children of this process, whatever they did to their environment, session or parents, so
nothing that the run started is lost. It is a file of its own that imports nothing but the standard library, because it
starts once for each run.
"""

from __future__ import annotations

import ctypes
import json
import os
import resource
import select
import signal
import stat
import struct
import sys
import time
from collections.abc import Mapping, Sequence

# --- Landlock: a part of Linux by which a thread gives up rights; what it starts afterwards has them no more.

_CREATE_RULESET, _ADD_RULE, _RESTRICT_SELF = 444, 445, 446
"""Numbers of system calls, alike on all machines."""

_BENEATH = 1
_VERSION = 1

FILES_VERSION = 3
"""The first version that also watches truncation, and lets files be moved between folders."""

SCOPED_VERSION = 6
"""The first version that keeps signals inside: without it a run could kill this process and live on."""

_SCOPES = 0b11
"""Abstract sockets that were made outside, and signals to processes outside."""

_WRITE_FILE, _READ_FILE, _READ_FOLDER, _TRUNCATE = 1 << 1, 1 << 2, 1 << 3, 1 << 14
_WRITE_INSIDE = _WRITE_FILE | _TRUNCATE
_WRITE = _WRITE_FILE | sum(1 << bit for bit in range(4, 15))
"""Also removing and making entries of every kind, and moving them between folders."""

_READ = _READ_FILE | _READ_FOLDER
_OF_FILES = _WRITE_INSIDE | _READ_FILE

DEVICES = ("/dev", "/proc")
"""Where programs read, and write to what exists, such as /dev/null, but make nothing new."""

SHARED_MEMORY = "/dev/shm"

_NO_NEW_PRIVILEGES, _DROP_FROM_BOUNDING_SET, _SET_CHILD_SUBREAPER = 38, 24, 36
_LAST_CAPABILITY = 63

PATIENCE = 10.0
"""Seconds for which processes are killed that do not go away."""


def landlock_version() -> int:
    """The version of Landlock here; 0 without it."""
    if sys.platform != "linux":
        return 0
    try:
        return _call(_library(), _CREATE_RULESET, None, 0, _VERSION)
    except OSError:
        return 0


def restrict(reads: Sequence[str] | None, writes: Sequence[str]) -> None:
    """From now on, this thread and all that it starts can read and write beneath these paths only.

    With `reads` None, everything can be read. OSError when that cannot be.
    """
    library = _library()
    known = _call(library, _CREATE_RULESET, None, 0, _VERSION)
    handled = _WRITE if reads is None else _READ | _WRITE
    scopes = _SCOPES if known >= SCOPED_VERSION else 0
    attributes = struct.pack("=QQQ", handled, 0, scopes) if scopes else struct.pack("=Q", handled)
    ruleset = _call(library, _CREATE_RULESET, attributes, len(attributes), 0)
    rules = dict.fromkeys(DEVICES, _READ | _WRITE_INSIDE) | {SHARED_MEMORY: _READ | _WRITE}
    for path in reads or ():
        rules[path] = rules.get(path, 0) | _READ
    for path in writes:
        rules[path] = rules.get(path, 0) | _WRITE
    for path, allowed in rules.items():
        _allow(library, ruleset, path, allowed & handled)
    if library.prctl(_NO_NEW_PRIVILEGES, 1, 0, 0, 0):
        raise OSError(ctypes.get_errno(), "privileges cannot be given up")
    _call(library, _RESTRICT_SELF, ruleset, 0)
    os.close(ruleset)


def _allow(library: ctypes.CDLL, ruleset: int, path: str, allowed: int) -> None:
    """Allow something beneath a path, or nothing where there is no such path."""
    try:
        descriptor = os.open(path, os.O_PATH)
    except (FileNotFoundError, NotADirectoryError, PermissionError):
        return
    try:
        if not stat.S_ISDIR(os.fstat(descriptor).st_mode):
            allowed &= _OF_FILES
        _call(library, _ADD_RULE, ruleset, _BENEATH, struct.pack("=Qi", allowed, descriptor), 0)
    finally:
        os.close(descriptor)


def _drop_privileges() -> None:
    """Root without its rights: files of others, mounts, devices and processes of others are as for anybody."""
    library = _library()
    for capability in range(_LAST_CAPABILITY + 1):
        library.prctl(_DROP_FROM_BOUNDING_SET, capability, 0, 0, 0)  # those that this kernel does not know are refused


def _library() -> ctypes.CDLL:
    return ctypes.CDLL(None, use_errno=True)


def _call(library: ctypes.CDLL, number: int, *arguments: int | bytes | None) -> int:
    words = [ctypes.c_long(word) if isinstance(word, int) else word for word in arguments]
    result = int(library.syscall(ctypes.c_long(number), *words))
    if result < 0:
        code = ctypes.get_errno()
        raise OSError(code, os.strerror(code))
    return result


# --- processes


def descendants(root: int) -> dict[int, bool]:
    """Every process below one, as far as the system shows them, and whether it has ended and waits to be noticed."""
    children: dict[int, list[int]] = {}
    ended: dict[int, bool] = {}
    for name in os.listdir("/proc") if sys.platform == "linux" else ():  # noqa: PTH208
        if not name.isdigit():
            continue
        try:
            with open(f"/proc/{name}/stat", "rb", buffering=0) as file:
                # The name of the program is in brackets and may hold anything; the fields follow its last bracket.
                state, parent = file.read(4096).rpartition(b")")[2].split()[:2]
        except (OSError, ValueError):  # it ended meanwhile
            continue
        children.setdefault(int(parent), []).append(int(name))
        ended[int(name)] = state in b"ZX"
    found: dict[int, bool] = {}
    waiting = [root]
    while waiting:
        for child in children.get(waiting.pop(), ()):
            found[child] = ended[child]
            waiting.append(child)
    return found


def _end_all(first: int) -> int:
    """Kill everything that is left, and return how many processes that were.

    All of them are stopped before the first is killed: whoever notices the death of another could start a third.
    """
    count, patience = 0, time.monotonic() + PATIENCE
    while time.monotonic() < patience:
        stopped: set[int] = set()
        while new := {pid for pid, has_ended in descendants(os.getpid()).items() if not has_ended} - stopped:
            _signal(new, signal.SIGSTOP)
            stopped |= new
        count += len(stopped)
        _signal(stopped, signal.SIGKILL)
        if sys.platform != "linux":
            _signal_group(first)
        if not _reap_all(wait=bool(stopped)):
            break
    return count


def _signal(pids: set[int], number: int) -> None:
    for pid in pids:
        try:
            os.kill(pid, number)
        except OSError:  # it has ended
            continue


def _signal_group(group: int) -> None:
    """Where processes are not listed, all that can be reached is the group of the command."""
    try:
        os.killpg(group, signal.SIGKILL)
    except OSError:
        return


def _reap_all(*, wait: bool) -> bool:
    """Notice the ends of children; whether there are children that have not ended."""
    until = time.monotonic() + 1
    while True:
        try:
            pid, _ = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return False
        if pid == 0:
            if not wait or time.monotonic() > until:
                return True
            time.sleep(0.002)


def _start(settings: Mapping[str, object], status: int) -> int:
    pid = os.fork()
    if pid:
        return pid
    try:
        os.setsid()
        for number in (signal.SIGPIPE, signal.SIGXFSZ, signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, signal.SIG_DFL)  # Python ignores some, and a program would inherit that
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        if settings["file_size"] is not None:
            size = int(settings["file_size"])  # type: ignore[call-overload]
            resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))
        if settings["drops"] and os.geteuid() == 0 and sys.platform == "linux":
            _drop_privileges()
        os.chdir(settings["folder"])  # type: ignore[arg-type]
        if settings["rights"] is not None:
            restrict(**settings["rights"])  # type: ignore[arg-type]
        words = [*settings["words"]]  # type: ignore[misc]
        if settings["sandbox"]:
            words = [*_sandbox(settings["sandbox"]), *words]  # type: ignore[arg-type]
        os.execvpe(words[0], words, settings["environment"])  # type: ignore[arg-type]
    except BaseException as error:
        why = [error.errno, str(error.strerror)] if isinstance(error, OSError) else [None, str(error)]
        os.write(status, (json.dumps({"not_started": why}) + "\n").encode())
        os._exit(127)


def _sandbox(words: Sequence[str]) -> list[str]:
    """bubblewrap with its arguments in a file: what it mounts would else stand in the list of processes."""
    program, *arguments = words
    file = os.memfd_create("arguments", 0)
    os.write(file, b"\0".join(map(os.fsencode, arguments)) + b"\0")
    os.lseek(file, 0, os.SEEK_SET)
    return [program, "--args", str(file), "--"]


def _settings(control: int) -> dict[str, object]:
    text = b""
    while not text.endswith(b"\n"):
        piece = os.read(control, 1 << 20)
        if not piece:
            sys.exit(1)
        text += piece
    return dict(json.loads(text))


def _wait(pid: int, control: int) -> int | None:
    """Wait for the end of the command; None when CONTROL was closed before."""
    poll = select.poll()
    poll.register(control, select.POLLIN)
    try:
        poll.register(os.pidfd_open(pid), select.POLLIN)
        patience = None
    except (AttributeError, OSError):  # not Linux
        patience = 20
    while True:
        ready = {descriptor for descriptor, _ in poll.poll(patience)}
        ended, code = os.waitpid(pid, os.WNOHANG)
        if ended:
            return os.waitstatus_to_exitcode(code)
        if control in ready:
            return None


def main(control: int, status: int) -> None:
    """Start the command, wait, end what is left, and say how it ended."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    settings = _settings(control)
    os.set_inheritable(status, False)
    os.set_inheritable(control, False)
    if sys.platform == "linux":
        _library().prctl(_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    begun = time.monotonic()
    pid = _start(settings, status)
    nowhere = os.open(os.devnull, os.O_RDWR)
    for descriptor in (0, 1, 2):  # or the pipes of the run would stay open with us
        os.dup2(nowhere, descriptor)
    code = _wait(pid, control)
    seconds = time.monotonic() - begun
    left = _end_all(pid)
    os.write(status, (json.dumps({"code": code, "seconds": round(seconds, 3), "left": left}) + "\n").encode())


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]))
