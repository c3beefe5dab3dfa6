"""Run a program that can write in some folders only: `python landlock.py FOLDER... -- PROGRAM ARGUMENT...`.

Landlock is a part of Linux that lets a program give up rights of its own, without being root. It is started as a file
of its own, without the rest of evenhand, so that it costs a short moment only; it imports nothing but the standard
library. Reading is not restricted.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import struct
import sys

_CREATE_RULESET, _ADD_RULE, _RESTRICT_SELF = 444, 445, 446
"""Numbers of system calls, alike on all machines."""

_NO_NEW_PRIVILEGES = 38
_BENEATH = 1
_VERSION = 1
LEAST_VERSION = 3
"""The first version that also watches truncation, and lets files be moved between folders."""

_WRITE_FILE, _TRUNCATE = 1 << 1, 1 << 14
_INSIDE_FILES = _WRITE_FILE | _TRUNCATE
_ALL = _INSIDE_FILES | sum(1 << bit for bit in range(4, 14))
"""Removing and making entries of every kind, and moving them between folders."""

DEVICES = ("/dev", "/proc")
"""Where programs write to what exists, such as /dev/null, but make nothing new."""

SHARED_MEMORY = "/dev/shm"

FAILED = 126
"""The exit code when it could not start the program."""


def restrict(folders: list[str]) -> None:
    """From now on, this process and all that it starts can write in these folders only. OSError when it cannot."""
    library = ctypes.CDLL(None, use_errno=True)
    version = _call(library, _CREATE_RULESET, None, 0, _VERSION)
    if version < LEAST_VERSION:
        raise OSError(0, f"Landlock has version {version} here, and {LEAST_VERSION} is needed")
    ruleset = _call(library, _CREATE_RULESET, struct.pack("=Q", _ALL), 8, 0)
    rights = [*((folder, _ALL) for folder in (*folders, SHARED_MEMORY)), *((path, _INSIDE_FILES) for path in DEVICES)]
    for path, allowed in rights:
        with contextlib.suppress(FileNotFoundError):
            descriptor = os.open(path, os.O_PATH | os.O_CLOEXEC)
            is_folder = os.path.isdir(path)  # noqa: PTH112
            rule = struct.pack("=Qi", allowed if is_folder else _INSIDE_FILES, descriptor)
            _call(library, _ADD_RULE, ruleset, _BENEATH, rule, 0)
            os.close(descriptor)
    if library.prctl(_NO_NEW_PRIVILEGES, 1, 0, 0, 0):
        raise OSError(ctypes.get_errno(), "privileges cannot be given up")
    _call(library, _RESTRICT_SELF, ruleset, 0)
    os.close(ruleset)


def _call(library: ctypes.CDLL, number: int, *arguments: int | bytes | None) -> int:
    words = [ctypes.c_long(word) if isinstance(word, int) else word for word in arguments]
    result = int(library.syscall(ctypes.c_long(number), *words))
    if result < 0:
        code = ctypes.get_errno()
        raise OSError(code, os.strerror(code))
    return result


def main(words: list[str]) -> None:
    """Give up the rights, and become the program."""
    split = words.index("--")
    folders, command = words[:split], words[split + 1 :]
    try:
        restrict(folders)
        os.execvp(command[0], command)
    except OSError as error:
        sys.stderr.write(f"{command[0]} cannot be started: {error.strerror or error}\n")
        sys.exit(FAILED)


if __name__ == "__main__":
    main(sys.argv[1:])
