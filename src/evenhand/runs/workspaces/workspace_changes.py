"""What a run wrote into its workspace, compared with the start: as a diff to read, and as files to put back.

Git is not needed. A file that is not text is named with its size and hash.
"""

from __future__ import annotations

import difflib
import hashlib
import os
import stat
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from evenhand.runs.workspaces.start_listing import Entry, hash_now
from evenhand.runs.workspaces.workspace import State, state_of

LONGEST_TEXT = 1024 * 1024
"""Bytes of a file that is shown line by line."""

MOST_BYTES = 50_000_000
MOST_FILES = 5_000
"""What is kept of the files that a run wrote; beyond it only the diff is."""

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


def is_untouched(
    workspace: str | Path, start: Mapping[str, Entry], states: Mapping[str, State], settled: int, *, times_tell: bool
) -> bool:
    """Whether a workspace is known to be as it was; False also when it cannot be told without looking further.

    `start` are all paths at the start, folders too, `states` their states and, for "", that of the workspace. What has
    changed since the time `settled`, in nanoseconds, may have changed again within the same moment. Where `times_tell`
    is False, a file may have changed all the same.
    """
    base = f"{workspace}/"
    try:
        for path, state in states.items():
            if state.status_changed >= settled or state != state_of(os.lstat(base + path)):
                return False
            if not times_tell and stat.S_ISREG(state.mode) and hash_now(base + path) != start[path].sha256:
                return False
    except OSError:
        return False
    return True


def changes(
    workspace: str | Path, start: Mapping[str, Entry], states: Mapping[str, State], settled: int
) -> tuple[list[Change], set[str]]:
    """Every path that differs from the start, sorted, and the untouched paths.

    The arguments are as above; files that have changed since the time `settled` are read. A workspace that is gone has
    lost everything.
    """
    changed: list[Change] = []
    seen = set()
    same = {""} if _is_as_it_was(workspace, states[""]) else set()
    for target, path, status in _walk(str(workspace), ""):
        seen.add(target)
        before, state = start.get(target), states.get(target)
        is_as_it_was = state is not None and state == state_of(status)
        if state is None:  # in a folder that has changed with it, though its state may not tell
            same.discard(target.rpartition("/")[0])
        if not is_as_it_was or (status.st_ctime_ns >= settled and stat.S_ISREG(status.st_mode)):
            now = _entry(target, path, status)
            if now is not None and (before is None or not _same(now, before)):
                changed.append(Change(target, now, before, status.st_size))
                continue
        if is_as_it_was:
            same.add(target)
    changed += [Change(target, None, before) for target, before in start.items() if target not in seen]
    return sorted(changed), same


def _is_as_it_was(path: str | Path, state: State) -> bool:
    try:
        return state == state_of(os.lstat(path))
    except OSError:
        return False


def diff_text(changed: list[Change]) -> tuple[str, int]:
    """The changes as a unified diff, and how many paths are left out of it because of their folder."""
    shown = [change for change in changed if not NOT_SHOWN & set(change.target.split("/"))]
    text = "".join(_shown(change) for change in shown if _is_worth_showing(change))
    return text, len(changed) - len(shown)


def fits(changed: list[Change]) -> bool:
    """Whether the new and changed files can be kept: they can be read, and are not too many or too large."""
    kept = [change for change in changed if change.now is not None]
    if any(change.now.kind == "file" and not change.now.sha256 for change in kept if change.now is not None):
        return False
    return len(kept) <= MOST_FILES and sum(change.size for change in kept) <= MOST_BYTES


def keepable(changed: list[Change]) -> list[Change]:
    """Those of too many changes that are kept: the smallest, without what programs install and cache."""
    kept, size = list[Change](), 0
    for change in sorted(changed, key=lambda change: (change.size, change.target)):
        if change.now is None or NOT_SHOWN & set(change.target.split("/")):
            continue
        size += change.size
        if len(kept) == MOST_FILES or size > MOST_BYTES:
            break
        if change.now.kind != "file" or change.now.sha256:
            kept.append(change)
    return sorted(kept)


def _walk(folder: str, target: str) -> Iterator[tuple[str, str, os.stat_result]]:
    try:
        with os.scandir(folder) as entries:
            items = list(entries)
    except OSError:  # deleted, or made unreadable by the run
        return
    for item in items:
        place = f"{target}/{item.name}" if target else item.name
        try:
            status = item.stat(follow_symlinks=False)
        except OSError:
            continue
        yield place, item.path, status
        if stat.S_ISDIR(status.st_mode):
            yield from _walk(item.path, place)


def _entry(target: str, path: str, status: os.stat_result) -> Entry | None:
    """A path as it is now; None for pipes and sockets, which nobody can keep."""
    if stat.S_ISLNK(status.st_mode):
        return Entry(target, "link", os.readlink(path))  # noqa: PTH115
    if stat.S_ISDIR(status.st_mode):
        return Entry(target, "folder", "")
    if not stat.S_ISREG(status.st_mode):
        return None
    try:
        digest = hash_now(path)
    except OSError:  # the run has made it unreadable
        digest = ""
    return Entry(target, "file", path, digest, bool(status.st_mode & stat.S_IXUSR))


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
    name = change.target
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
        what = "" if now is None else f": now {change.size:,} bytes, SHA-256 {now.sha256}"
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
