"""What a run starts from: every file that goes into its workspace, with the hash of its bytes.

A listing is made when runs are planned. What is copied later must have the same hashes, or the run does not start.
"""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import Literal, NamedTuple

from evenhand.core.receipt import canonical_text, sha256
from evenhand.decisions.suite import StartFile
from evenhand.errors import InputError, Problem
from evenhand.files.text import readable

SKILL_FOLDERS = (".claude/skills", ".agents/skills")
"""Where agents look for the skills of a project: Claude Code in the first, Codex and others in the second."""

_PIECE = 1024 * 1024


class Entry(NamedTuple):
    """One file, link or folder of a workspace as it is at the start."""

    target: str
    """Relative to the workspace, with slashes."""
    kind: Literal["file", "link", "folder"]
    source: str
    """Where its bytes are; for a link, what it points to."""
    sha256: str = ""
    executable: bool = False


Listing = tuple[Entry, ...]
"""Sorted by target; a target occurs once."""


def list_start(files: Iterable[StartFile]) -> Listing:
    """Everything that some files and folders put into a workspace; of two with one target the later counts."""
    entries: dict[str, Entry] = {}
    for file in files:
        with readable(file.source):
            for entry in _entries(file.source, _relative(file)):
                entries[entry.target] = entry
    return tuple(entries[target] for target in sorted(entries))


def skill_files(folder: str, name: str) -> tuple[StartFile, ...]:
    """A skill folder at each of the places where agents look for it."""
    return tuple(StartFile(folder, f"{place}/{name}") for place in SKILL_FOLDERS)


def listing_hash(listing: Listing) -> str:
    """The hash of names, kinds and bytes; where the files come from does not count."""
    lines = [
        [entry.target, entry.kind, entry.source if entry.kind == "link" else entry.sha256, entry.executable]
        for entry in listing
    ]
    return sha256(canonical_text(lines))


def file_hash(path: str, status: os.stat_result | None = None) -> str:
    """The SHA-256 of a file's bytes, computed again only when its status shows that it has changed."""
    if status is None:
        status = os.stat(path)  # noqa: PTH116 (much quicker)
    return _hash_of(path, status.st_size, status.st_mtime_ns, status.st_ctime_ns, status.st_ino)


@lru_cache(maxsize=100_000)
def _hash_of(path: str, *_state: int) -> str:
    return hash_now(path)


def hash_now(path: str) -> str:
    """The SHA-256 of a file's bytes, for a file that is needed once: nothing about it is remembered."""
    digest = hashlib.sha256()
    file = os.open(path, os.O_RDONLY)  # half the time of a file object's
    try:
        while piece := os.read(file, _PIECE):
            digest.update(piece)
    finally:
        os.close(file)
    return digest.hexdigest()


def _relative(file: StartFile) -> str:
    target = os.path.normpath(file.target)
    if target.startswith(("/", "..")):
        raise InputError(Problem(f"the target {file.target} lies outside the workspace", file.source))
    return "" if target == "." else target


def _entries(source: str, target: str) -> Iterator[Entry]:
    status = os.stat(source)  # noqa: PTH116
    if stat.S_ISDIR(status.st_mode):
        if target:
            yield Entry(target, "folder", "")
        yield from _inside(source, target)
    elif stat.S_ISREG(status.st_mode):
        yield _file(source, target or os.path.basename(source), status)  # noqa: PTH119
    else:
        raise InputError(Problem("is neither a file nor a folder, so no run can start from it", source))


def _inside(folder: str, target: str) -> Iterator[Entry]:
    with os.scandir(folder) as entries:
        items = sorted(entries, key=lambda item: item.name)
    for item in items:
        place = f"{target}/{item.name}" if target else item.name
        if item.is_symlink():
            yield Entry(place, "link", os.readlink(item.path))  # noqa: PTH115
        elif item.is_dir():
            yield Entry(place, "folder", "")
            yield from _inside(item.path, place)
        elif item.is_file():
            yield _file(item.path, place, item.stat())
        else:
            raise InputError(Problem("is neither a file nor a folder, so no run can start from it", item.path))


def _file(path: str, target: str, status: os.stat_result) -> Entry:
    return Entry(target, "file", path, file_hash(path, status), bool(status.st_mode & stat.S_IXUSR))
