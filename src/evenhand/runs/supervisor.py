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
import errno
import json
import os
import resource
import select
import signal
import stat
import struct
import sys
import time
from collections.abc import Iterator, Mapping, Sequence

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

_DEVICES = tuple(f"/dev/{name}" for name in ("null", "zero", "full", "random", "urandom", "tty", "ptmx", "pts"))
"""What bubblewrap shows of /dev as well. Root could open any other, disks among them."""

_SHARED_MEMORY = "/dev/shm"

_NO_NEW_PRIVILEGES, _DROP_FROM_BOUNDING_SET, _SET_CHILD_SUBREAPER = 38, 24, 36
_LAST_CAPABILITY = 63
_NEW_USER, _NEW_NETWORK = 0x10000000, 0x40000000

_MOST_PROCESSES = 4000
"""How many processes and threads a run can have before its own limit is looked at."""

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


def keep_to_itself(program: str) -> None:
    """From now on, this thread and all that it starts reach no abstract socket that was made outside, if that can be.

    A namespace of processes does not keep those apart, only one of the network, which agents need. A program that has
    the rights of its file's owner would lose them.
    """
    library = _library()
    try:
        if landlock_version() >= SCOPED_VERSION and not os.lstat(program).st_mode & stat.S_ISUID:
            ruleset = _call(library, _CREATE_RULESET, struct.pack("=QQQ", 0, 0, _SCOPES), 24, 0)
            _give_up(library, ruleset)
    except OSError:  # it is one more wall, not the only one
        return


def _give_up(library: ctypes.CDLL, ruleset: int) -> None:
    """Have only what a ruleset allows from now on."""
    if library.prctl(_NO_NEW_PRIVILEGES, 1, 0, 0, 0):
        raise OSError(ctypes.get_errno(), "privileges cannot be given up")
    _call(library, _RESTRICT_SELF, ruleset, 0)
    os.close(ruleset)


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
    rules = dict.fromkeys(_DEVICES, _READ | _WRITE_INSIDE) | {_SHARED_MEMORY: _READ | _WRITE, "/dev": _READ_FOLDER}
    # The settings of the kernel are root's, also without capabilities. For others, what is theirs is their processes.
    rules["/proc"] = _READ if os.geteuid() == 0 else _READ | _WRITE_INSIDE
    for path in reads or ():
        rules[path] = rules.get(path, 0) | _READ
    for path in writes:
        rules[path] = rules.get(path, 0) | _WRITE
    for path, allowed in rules.items():
        _allow(library, ruleset, path, allowed & handled)
    _give_up(library, ruleset)


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


# --- What neither a namespace nor Landlock keeps from a run: the keyrings of its user, and the limits of processes.

_CALLS = {
    0xC000003E: (248, 302), 0x40000003: (286, 340), 0xC00000B7: (217, 261), 0x40000028: (309, 369),
    0xC00000F3: (217, 261), 0xC0000015: (269, 325), 0x80000016: (278, 334),
}  # fmt: skip
"""The numbers of add_key, which request_key and keyctl follow, and of prlimit, by the kernel's name of a machine:
x86-64, i386, arm64, arm, riscv64, ppc64le, s390x."""

_X32 = 0x40000000
"""Added to a number by programs of x86-64 with short pointers."""

_LOAD, _AND, _EQUAL, _AT_LEAST, _RETURN = 0x20, 0x54, 0x15, 0x35, 0x06
_NUMBER, _MACHINE, _FIRST_ARGUMENT = 0, 4, 16
"""Where a filter finds the number of a call, the machine, and the lower half of the first argument."""

_ALLOWED, _REFUSED = 0x7FFF0000, 0x00050000 | errno.EPERM
_SET_SECCOMP, _FILTER = 22, 2


def _call_filter() -> bytes:
    """Instructions for seccomp: no keyrings, and no limits but one's own.

    A process could set those of any other of its user: with a second of processor time, evenhand would be killed.
    """
    big = 4 if sys.byteorder == "big" else 0
    program = [(_LOAD, 0, 0, _MACHINE)]
    for machine, (keys, limits) in _CALLS.items():
        program += [
            (_EQUAL, 0, 9, machine),
            (_LOAD, 0, 0, _NUMBER),
            (_AND, 0, 0, ~_X32 & 0xFFFFFFFF),
            (_EQUAL, 0, 2, limits),
            (_LOAD, 0, 0, _FIRST_ARGUMENT + big),
            (_EQUAL, 3, 2, 0),
            (_AT_LEAST, 0, 2, keys),
            (_AT_LEAST, 1, 0, keys + 3),
            (_RETURN, 0, 0, _REFUSED),
            (_RETURN, 0, 0, _ALLOWED),
        ]
    program.append((_RETURN, 0, 0, _ALLOWED))
    return b"".join(struct.pack("=HBBI", *instruction) for instruction in program)


def _refuse_calls() -> None:
    """From now on, this process and all that it starts are under that filter. OSError when that cannot be."""
    instructions = ctypes.create_string_buffer(program := _call_filter(), len(program))
    argument = struct.pack("@HP", len(program) // 8, ctypes.addressof(instructions))
    if _library().prctl(_SET_SECCOMP, _FILTER, argument, 0, 0):
        raise OSError(ctypes.get_errno(), "calls cannot be refused")


# --- the network and root's privileges


def _leave_network() -> None:
    """Into a network namespace where there is nothing; those who are not root need a user namespace for it."""
    library = _library()
    if not library.unshare(_NEW_NETWORK):
        return
    user, group = os.geteuid(), os.getegid()
    if library.unshare(_NEW_USER | _NEW_NETWORK):
        raise OSError(ctypes.get_errno(), "the network cannot be taken away")
    for name, text in (("setgroups", "deny"), ("uid_map", f"{user} {user} 1"), ("gid_map", f"{group} {group} 1")):
        with open(f"/proc/self/{name}", "w", encoding="ascii") as file:
            file.write(text)


def _limit_processes() -> None:
    """Bound how far a run that multiplies outgrows us before it is noticed. Of root nothing is counted."""
    try:
        theirs = sum(os.stat(f"/proc/{name}").st_uid == os.getuid() for name in os.listdir("/proc") if name.isdigit())  # noqa: PTH116, PTH208
        soft, hard = resource.getrlimit(resource.RLIMIT_NPROC)
        most = theirs + _MOST_PROCESSES
        if soft == resource.RLIM_INFINITY or soft > most:
            resource.setrlimit(resource.RLIMIT_NPROC, (most, hard))
    except OSError:  # not Linux, or one ended just now
        return


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


def processes() -> Iterator[tuple[int, int, bool, int]]:
    """Every process, as far as the system shows them: its number and its parent's, whether it has ended and waits to be
    noticed, and the pages of memory that it takes."""
    for name in os.listdir("/proc") if sys.platform == "linux" else ():  # noqa: PTH208
        if not name.isdigit():
            continue
        try:
            with open(f"/proc/{name}/stat", "rb", buffering=0) as file:
                # The name of the program is in brackets and may hold anything; the fields follow its last bracket.
                fields = file.read(4096).rpartition(b")")[2].split()
            yield int(name), int(fields[1]), fields[0] in b"ZX", int(fields[21])
        except (OSError, IndexError):  # it ended meanwhile
            continue


def descendants(root: int) -> dict[int, bool]:
    """Every process below one, and whether it has ended."""
    children: dict[int, list[int]] = {}
    ended: dict[int, bool] = {}
    for pid, parent, has_ended, _ in processes():
        children.setdefault(parent, []).append(pid)
        ended[pid] = has_ended
    found: dict[int, bool] = {}
    waiting = [root]
    while waiting:
        for child in children.get(waiting.pop(), ()):
            found[child] = ended[child]
            waiting.append(child)
    return found


def _end_all(first: int) -> int:
    """Kill everything that is left, and return how many processes that were.

    Whole groups first: a signal to a group reaches also those that are just being forked, so nothing outgrows it. What
    is still there is stopped before it is killed: whoever notices the death of another could start a third.
    """
    killed: set[int] = set()
    patience = time.monotonic() + PATIENCE
    while time.monotonic() < patience:
        left = _alive()
        for group in _groups(left) if sys.platform == "linux" else {first}:
            _signal_group(group)
        stopped: set[int] = set()
        while (new := _alive() - stopped - left) and time.monotonic() < patience:
            _signal(new, signal.SIGSTOP)
            stopped |= new
        _signal(stopped | left, signal.SIGKILL)
        killed |= stopped | left
        if not _reap_all(wait=bool(stopped | left)):
            break
    return len(killed)


def _alive() -> set[int]:
    return {pid for pid, has_ended in descendants(os.getpid()).items() if not has_ended}


def _groups(pids: set[int]) -> set[int]:
    """The groups of processes, which are of the run alone: none of them is in our session."""
    groups = set()
    for pid in pids:
        try:
            groups.add(os.getpgid(pid))
        except OSError:  # it has ended
            continue
    return groups - {os.getpgid(0)}


def _signal(pids: set[int], number: int) -> None:
    for pid in pids:
        try:
            os.kill(pid, number)
        except OSError:  # it has ended
            continue


def _signal_group(group: int) -> None:
    """Kill a group; where processes are not listed, that of the command is all that can be reached."""
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
        if not settings["sandbox"]:
            _limit_processes()
        if settings["offline"]:
            _leave_network()
        if settings["drops"] and os.geteuid() == 0 and sys.platform == "linux":
            _drop_privileges()
        os.chdir(settings["folder"])  # type: ignore[arg-type]
        if settings["rights"] is not None:
            restrict(**settings["rights"])  # type: ignore[arg-type]
            _refuse_calls()
        words = [*settings["words"]]  # type: ignore[misc]
        if settings["sandbox"]:
            keep_to_itself(settings["sandbox"][0])  # type: ignore[index]
            words = [*_sandbox(settings["sandbox"]), *words]  # type: ignore[arg-type]
        os.execvpe(words[0], words, settings["environment"])  # type: ignore[arg-type]
    except BaseException as error:
        why = [error.errno, str(error.strerror)] if isinstance(error, OSError) else [None, str(error)]
        os.write(status, (json.dumps({"not_started": why}) + "\n").encode())
        os._exit(127)


def _sandbox(words: Sequence[str]) -> list[str]:
    """bubblewrap with its arguments in a file: what it mounts would else stand in the list of processes."""
    program, *arguments = words
    arguments += ["--seccomp", str(_memory_file("filter", _call_filter()))]
    file = _memory_file("arguments", b"\0".join(map(os.fsencode, arguments)) + b"\0")
    return [program, "--args", str(file), "--"]


def _memory_file(name: str, content: bytes) -> int:
    file = os.memfd_create(name, 0)
    os.write(file, content)
    os.lseek(file, 0, os.SEEK_SET)
    return file


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
    if code is None and settings["sandbox"]:
        os.kill(pid, signal.SIGKILL)  # with it ends its namespace, at once, however fast those in it multiply
    left = _end_all(pid)
    os.write(status, (json.dumps({"code": code, "seconds": round(seconds, 3), "left": left}) + "\n").encode())


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]))
