"""Runs that left no files, a line each in one file: making a folder and a file for each takes longer than the run.

Several processes may add lines at once. A line is added whole, after a line break that ends what a killed process may
have left half-written; a line that cannot be read does not count.
"""

from __future__ import annotations

import errno
import fcntl
import json
import os
import threading
from pathlib import Path
from typing import Any


class KeyedLines:
    """The lines of a file, found by the keys of their runs. Of two lines with one key the later counts."""

    def __init__(self, path: Path) -> None:
        self._file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o644)
        self._places: dict[str, tuple[int, int]] = {}
        """For each key, where its line begins and how long it is."""
        self._read_to = 0
        self._using = threading.Lock()

    def close(self) -> None:
        """Close the file."""
        os.close(self._file)

    def add(self, key: str, line: str) -> None:
        """Add the line of a key, which ends with a line break. OSError when the disk has no room for it."""
        data = f"\n{line}".encode()
        with self._using:
            fcntl.lockf(self._file, fcntl.LOCK_EX)  # between machines that share a disk, appending alone is not safe
            try:
                if os.write(self._file, data) < len(data):
                    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
            finally:
                fcntl.lockf(self._file, fcntl.LOCK_UN)
            end = os.lseek(self._file, 0, os.SEEK_CUR)
            if end == self._read_to + len(data):  # nobody else has added any
                self._places[key] = self._read_to, len(data)
                self._read_to = end

    def find(self, key: str) -> dict[str, Any] | None:
        """The fields of the run with a key, whichever process has added it; None when there is none."""
        with self._using:
            if os.fstat(self._file).st_size > self._read_to:
                self._read_on()
            place = self._places.get(key)
        return None if place is None else _fields(os.pread(self._file, place[1], place[0]))

    def _read_on(self) -> None:
        """Read the lines that were added since; the last one may be unfinished."""
        with open(self._file, "rb", closefd=False) as file:
            file.seek(self._read_to)
            for line in file:
                if not line.endswith(b"\n"):
                    return
                if line != b"\n" and (fields := _fields(line)) is not None:
                    self._places[fields["key"]] = self._read_to, len(line)
                self._read_to += len(line)


def _fields(line: bytes) -> dict[str, Any] | None:
    try:
        fields = json.loads(line)
    except ValueError:
        return None
    return fields if isinstance(fields, dict) and "key" in fields else None
