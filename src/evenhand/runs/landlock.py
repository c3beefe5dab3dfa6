"""Run a program that can read and write in some places only: `python landlock.py RIGHTS -- PROGRAM ARGUMENT...`.

Landlock is a part of Linux that lets a thread give up rights of its own, without being root; what it starts afterwards
has them no more. RIGHTS is JSON: the paths that can be read, null where everything can, and those that can be written.
Started as a file of its own it costs a moment, so most runs are started from a thread that has given up its rights. It
imports nothing but the standard library.
"""

from __future__ import annotations

import ctypes
import json
import os
import stat
import struct
import sys
from collections.abc import Sequence
from typing import NamedTuple

_CREATE_RULESET, _ADD_RULE, _RESTRICT_SELF = 444, 445, 446
"""Numbers of system calls, alike on all machines."""

_NO_NEW_PRIVILEGES = 38
_BENEATH = 1
_VERSION = 1
LEAST_VERSION = 3
"""The first version that also watches truncation, and lets files be moved between folders."""

_SCOPED_VERSION = 6
_SCOPES = 0b11
"""Signals to processes outside, and abstract sockets that were made outside."""

_WRITE_FILE, _READ_FILE, _READ_FOLDER, _TRUNCATE = 1 << 1, 1 << 2, 1 << 3, 1 << 14
_WRITE_INSIDE = _WRITE_FILE | _TRUNCATE
_WRITE = _WRITE_FILE | sum(1 << bit for bit in range(4, 15))
"""Also removing and making entries of every kind, and moving them between folders."""

_READ = _READ_FILE | _READ_FOLDER
_OF_FILES = _WRITE_INSIDE | _READ_FILE

DEVICES = ("/dev", "/proc")
"""Where programs read, and write to what exists, such as /dev/null, but make nothing new."""

SHARED_MEMORY = "/dev/shm"

FAILED = 126
"""The exit code when it could not start the program."""


class Rights(NamedTuple):
    """The files and folders, with all in them, that can be read and written.

    Writing is always limited: where Linux limits anything, it refuses to move files between folders unless told.
    """

    reads: Sequence[str] | None
    """None where everything can be read."""
    writes: Sequence[str]


def version() -> int:
    """The version of Landlock here; 0 without it."""
    try:
        return _call(_library(), _CREATE_RULESET, None, 0, _VERSION)
    except OSError:
        return 0


def restrict(rights: Rights) -> None:
    """From now on, this thread and all that it starts have these rights only. OSError when that cannot be."""
    library = _library()
    known = _call(library, _CREATE_RULESET, None, 0, _VERSION)
    if known < LEAST_VERSION:
        raise OSError(0, f"Landlock has version {known} here, and {LEAST_VERSION} is needed")
    handled = _WRITE if rights.reads is None else _READ | _WRITE
    scopes = 0 if rights.reads is None or known < _SCOPED_VERSION else _SCOPES
    attributes = struct.pack("=QQQ", handled, 0, scopes) if scopes else struct.pack("=Q", handled)
    ruleset = _call(library, _CREATE_RULESET, attributes, len(attributes), 0)
    try:
        for path, allowed in _rules(rights).items():
            _allow(library, ruleset, path, allowed & handled)
        if library.prctl(_NO_NEW_PRIVILEGES, 1, 0, 0, 0):
            raise OSError(ctypes.get_errno(), "privileges cannot be given up")
        _call(library, _RESTRICT_SELF, ruleset, 0)
    finally:
        os.close(ruleset)


def _rules(rights: Rights) -> dict[str, int]:
    rules = dict.fromkeys(DEVICES, _READ | _WRITE_INSIDE) | {SHARED_MEMORY: _READ | _WRITE}
    for path in rights.reads or ():
        rules[path] = rules.get(path, 0) | _READ
    for path in rights.writes:
        rules[path] = rules.get(path, 0) | _WRITE
    return rules


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


def _library() -> ctypes.CDLL:
    return ctypes.CDLL(None, use_errno=True)


_LONG = ctypes.c_long


def _call(library: ctypes.CDLL, number: int, *arguments: int | bytes | None) -> int:
    words = [_LONG(word) if isinstance(word, int) else word for word in arguments]
    result = int(library.syscall(_LONG(number), *words))
    if result < 0:
        code = ctypes.get_errno()
        raise OSError(code, os.strerror(code))
    return result


def main(words: list[str]) -> None:
    """Give up the rights, and become the program."""
    rights, _, *command = words
    try:
        restrict(Rights(**json.loads(rights)))
        os.execvp(command[0], command)
    except OSError as error:
        sys.stderr.write(f"{command[0]} cannot be started: {error.strerror or error}\n")
        sys.exit(FAILED)


if __name__ == "__main__":
    main(sys.argv[1:])
