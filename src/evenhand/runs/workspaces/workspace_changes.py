"""What a run wrote into its workspace, compared with the start: as a diff to read, and as files to put back.

Git is not needed. A file that is not text is named with its size and hash.
"""

from __future__ import annotations

import difflib
import hashlib
import json
import os
import stat
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from evenhand.runs.workspaces.start_listing import Entry, hash_now

LONGEST_TEXT = 1024 * 1024
"""Bytes of a file that is shown line by line."""

MOST_BYTES = 50_000_000
MOST_FILES = 5_000
"""What is kept of the files that a run wrote; beyond it only the diff is."""

MOST_LOOKED = 200_000
"""Paths in a workspace that are looked at."""

MOST_NOTES = 5
MOST_NAME = 300
"""Characters of a path that a note shows."""

NOT_SHOWN = frozenset({".git", "node_modules", "__pycache__", ".venv", ".mypy_cache", ".pytest_cache"})
"""Folders whose contents are left out of the diff; they are counted."""


class Change(NamedTuple):
    """One path that is not what it was."""

    target: str
    now: Entry | None
    """None when it is gone."""
    before: Entry | None
    """None when it is new."""
    size: int = 0


def changes(workspace: str | Path, start: Mapping[str, Entry]) -> tuple[list[Change], tuple[str, ...]]:
    """Every path that differs from the start, sorted, and notes on what could not be looked at.

    `start` are all paths at the start, folders too. Each file that was there is read: times can be set by who likes to.
    Of new files those are read that are kept, the smallest first; the others have no hash.
    """
    changed: list[Change] = []
    seen, notes = set[str](), set[str]()
    for target, path, status in _walk(str(workspace), notes):
        seen.add(target)
        before = start.get(target)
        now = _entry(target, path, status)
        if now is None:
            notes.add(f"{shown_name(target)} is neither a file, a folder nor a link, and is not kept")
        elif before is None:
            changed.append(Change(target, now, None, status.st_size))
        elif (now := _compared(now, before, status)) is not None:
            changed.append(Change(target, now, before, status.st_size))
    changed += [
        Change(target, None, before)
        for target, before in start.items()
        if target not in seen and not os.path.lexists(f"{workspace}/{target}")
    ]
    return sorted(_with_hashes(changed)), tuple(sorted(notes)[:MOST_NOTES])


def _compared(now: Entry, before: Entry, status: os.stat_result) -> Entry | None:
    """What was there at the start as it is now; None when it is the same."""
    if now.kind == before.kind == "file" and status.st_size <= max(MOST_BYTES, _size(before)):
        now = now._replace(sha256=_hash(now.source))
    return None if _same(now, before) else now


def _size(entry: Entry) -> int:
    try:
        return os.path.getsize(entry.source)  # noqa: PTH202
    except OSError:
        return 0


def _with_hashes(changed: list[Change]) -> list[Change]:
    """The changes with the hashes of those files that are kept."""
    hashed, size, kept = list[Change](), 0, 0
    for change in sorted(changed, key=lambda change: (_is_installed(change.target), change.size, change.target)):
        now = change.now
        if now is not None and now.kind == "file":
            size, kept = size + change.size, kept + 1
            fits = kept <= MOST_FILES and size <= MOST_BYTES
            now = now._replace(sha256=(now.sha256 or _hash(now.source)) if fits else "")
        hashed.append(change._replace(now=now))
    return hashed


def _is_installed(target: str) -> bool:
    return bool(NOT_SHOWN & set(target.split("/")))


def _hash(path: str) -> str:
    """The hash of a file; empty when the run has made it unreadable."""
    try:
        return hash_now(path)
    except OSError:
        return ""


def diff_text(changed: list[Change]) -> tuple[str, int]:
    """The changes as a unified diff, and how many paths are left out of it because of their folder."""
    shown = [change for change in changed if not _is_installed(change.target)]
    hidden = len(changed) - len(shown)
    worth = [change for change in shown if _is_worth_showing(change)]
    text = "".join(_shown(change) for change in worth[:MOST_FILES])
    return text, hidden + max(0, len(worth) - MOST_FILES)


def is_kept(change: Change) -> bool:
    """Whether the bytes of a changed path are kept; only files have any."""
    return change.now is not None and (change.now.kind != "file" or bool(change.now.sha256))


def _walk(folder: str, notes: set[str]) -> Iterator[tuple[str, str, os.stat_result]]:
    """Every path in a folder, as far as it can be looked at."""
    waiting, looked = [""], 0
    while waiting:
        inside = waiting.pop()
        try:
            with os.scandir(f"{folder}/{inside}") as entries:
                for item in entries:
                    looked += 1
                    if looked > MOST_LOOKED:
                        notes.add(f"it left more than {MOST_LOOKED:,} files, of which the others were not looked at")
                        return
                    place = f"{inside}/{item.name}" if inside else item.name
                    status = item.stat(follow_symlinks=False)
                    yield place, f"{folder}/{place}", status
                    if stat.S_ISDIR(status.st_mode):
                        waiting.append(place)
        except OSError as error:  # deleted, made unreadable, or nested beyond what a path may be long
            notes.add(f"{shown_name(inside) or 'its workspace'} could not be looked at: {error.strerror or error}")


def shown_name(target: str) -> str:
    """A path on one line that is valid text, as git writes it."""
    if target.isprintable() and '"' not in target and "\\" not in target:
        return target[:MOST_NAME]
    return json.dumps(target[:MOST_NAME])


def _entry(target: str, path: str, status: os.stat_result) -> Entry | None:
    """A path as it is now, without its hash; None for pipes, sockets and devices, which no one can keep."""
    if stat.S_ISLNK(status.st_mode):
        return Entry(target, "link", os.readlink(path))  # noqa: PTH115
    if stat.S_ISDIR(status.st_mode):
        return Entry(target, "folder", "")
    if not stat.S_ISREG(status.st_mode):
        return None
    return Entry(target, "file", path, "", bool(status.st_mode & stat.S_IXUSR))


def _same(now: Entry, before: Entry) -> bool:
    if now.kind != before.kind:
        return False
    if now.kind == "link":
        return now.source == before.source
    return (now.sha256, now.executable) == (before.sha256, before.executable)


def _is_worth_showing(change: Change) -> bool:
    """Whether to show a change: folders show through the files in them."""
    return any(entry is not None and entry.kind != "folder" for entry in (change.now, change.before))


def _shown(change: Change) -> str:
    name = shown_name(change.target)
    old, new = _text(change.before), _text(change.now)
    start = f"diff --git a/{name} b/{name}\n"
    if change.before is None or change.before.kind == "folder":
        start += f"new file mode {_mode(change.now)}\n"
    elif change.now is None or change.now.kind == "folder":
        start += f"deleted file mode {_mode(change.before)}\n"
    elif _mode(change.before) != _mode(change.now):
        start += f"old mode {_mode(change.before)}\nnew mode {_mode(change.now)}\n"
    if old is None or new is None:
        now = change.now
        what = "" if now is None else f": now {change.size:,} bytes" + (f", SHA-256 {now.sha256}" if now.sha256 else "")
        return f"{start}Binary files a/{name} and b/{name} differ{what}\n"
    lines = difflib.unified_diff(
        old.splitlines(keepends=True),
        new.splitlines(keepends=True),
        "/dev/null" if change.before is None else f"a/{name}",
        "/dev/null" if change.now is None else f"b/{name}",
    )
    return start + "".join(line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n" for line in lines)


def _mode(entry: Entry | None) -> str:
    if entry is None or entry.kind == "folder":
        return "040000"
    return "120000" if entry.kind == "link" else "100755" if entry.executable else "100644"


def _text(entry: Entry | None) -> str | None:
    """The text of a file; None when it is not text, too long, or no longer what it was at the start."""
    if entry is None or entry.kind == "folder":
        return ""
    if entry.kind == "link":
        return entry.source
    if not entry.sha256:
        return None
    try:
        with open(entry.source, "rb") as file:
            data = file.read(LONGEST_TEXT + 1)
    except OSError:
        return None
    if len(data) > LONGEST_TEXT or b"\0" in data or hashlib.sha256(data).hexdigest() != entry.sha256:
        return None
    try:
        return data.decode()
    except UnicodeDecodeError:
        return None
