"""Finished runs, kept in a folder by their keys. A run is there whole or not at all, whatever is killed when.

A run is written into a folder of its own and then moved to its key; one that left no files is a line in `runs.jsonl`. A
process that makes a run holds the lock of its key, so that two at once make it only once. Nothing waits for the disk:
after a power cut a file may be shorter than it was written, which `run.json` tells, and such a run is reported as
damaged. A line that is not whole does not count.
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import json
import os
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from evenhand.runs.limited_process import Interrupted
from evenhand.runs.run_collection import our_disk
from evenhand.runs.run_document import NAME, OUTPUT, Aftermath, read_run, run_of_line, run_text
from evenhand.runs.scratch import Scratch
from evenhand.runs.workspaces.workspace import remove, write_new
from evenhand.work.agent_run import AgentRun, RunId

LINES = "runs.jsonl"
"""The runs that left no files."""

_PATIENCE = 0.1
"""Seconds between two attempts to get a lock that another process holds."""


class KeyedLines:
    """Runs that left no files, a line each in one file: making a folder and a file for each takes longer than the run.

    Several processes may add lines at once. A line is added whole, after a line break that ends what a killed process
    may have left half-written; a line that cannot be read does not count. Of two with one key the later counts.
    """

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


class KeptRuns:
    """The kept runs of a folder, open for reading and adding."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        with our_disk(folder):
            folder.mkdir(parents=True, exist_ok=True)
            self._scratch = Scratch(folder / "unfinished")
            self._lines = KeyedLines(folder / LINES)
            self._locks = os.open(folder / "locks", os.O_RDWR | os.O_CREAT, 0o644)

    def __enter__(self) -> KeptRuns:
        return self

    def __exit__(self, *_: object) -> None:
        self._scratch.close()
        self._lines.close()
        os.close(self._locks)

    def load(self, key: str, id: RunId) -> AgentRun | None:
        """The run with a key, under the name it has now; None when it is not there."""
        kept = self.find(key)
        return None if kept is None else kept[0]._replace(id=id)

    def find(self, key: str) -> tuple[AgentRun, Aftermath] | None:
        """The run with a key and what became of its workspace."""
        for folder in self._folders(key):
            with contextlib.suppress(FileNotFoundError):
                return read_run(Path(folder))
        fields = self._lines.find(key)
        return None if fields is None else run_of_line(fields, self.folder / LINES)

    def _folders(self, key: str) -> list[str]:
        """The folders of the run with a key, the newer one first; most runs have none."""
        folders = (f"{self.folder}/{key}.next", f"{self.folder}/{key}")
        return [folder for folder in folders if os.access(folder, os.F_OK)]

    def claim(self, key: str, stop: threading.Event) -> contextlib.AbstractContextManager[None]:
        """Get the lock of a key, held within what is returned: another process that wants to make the run waits."""
        place = int(key[:15], 16)  # one byte of a file that need not be so long
        while True:
            try:
                fcntl.lockf(self._locks, fcntl.LOCK_EX | fcntl.LOCK_NB, 1, place)
                return self._held(place)
            except OSError:
                if stop.is_set():
                    raise Interrupted from None
            stop.wait(_PATIENCE)

    @contextlib.contextmanager
    def _held(self, place: int) -> Iterator[None]:
        try:
            yield
        finally:
            fcntl.lockf(self._locks, fcntl.LOCK_UN, 1, place)

    def new(self) -> Path:
        """A folder in which to write a run before it is kept; to be made when there is something to write."""
        return self._scratch.new()

    def keep(self, folder: Path, run: AgentRun, aftermath: Aftermath) -> AgentRun:
        """Keep a run whose files are in a folder from `new`; returns it with the paths that its files have now."""
        kept = self.folder / run.key
        with our_disk(self.folder):
            # A folder counts rather than a line, so a run whose key has one gets one.
            if not (run.output or os.access(folder, os.F_OK) or self._folders(run.key)):
                self._lines.add(run.key, run_text(run, aftermath, {}))
                return run
            folder.mkdir(exist_ok=True)
            if run.output:
                write_new(folder / OUTPUT, run.output.encode(errors="replace"))
            write_new(folder / NAME, run_text(run, aftermath, _sizes(str(folder))).encode())
            self._place(folder, kept)
        transcript, changes = (None if name is None else str(kept / name) for name in (run.transcript, run.changes))
        return run._replace(transcript=transcript, changes=changes)

    def _place(self, folder: Path, target: Path) -> None:
        try:
            folder.rename(target)
        except OSError:
            if not target.exists():
                raise
            # An older run has this key. The new one counts as soon as it is beside it, under the other name.
            beside = target.with_name(f"{target.name}.next")
            remove(beside)
            folder.rename(beside)
            remove(target)
            beside.rename(target)


def _sizes(folder: str, inside: str = "") -> dict[str, int]:
    """The bytes of every file in a folder, by its path there."""
    sizes: dict[str, int] = {}
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.is_dir(follow_symlinks=False):
                sizes |= _sizes(entry.path, f"{inside}{entry.name}/")
            elif not entry.is_symlink():
                sizes[inside + entry.name] = entry.stat().st_size
    return sizes
