"""What a run seems to have missed or tried outside its bounds, by what it printed, and the line that would allow it.

Nothing reports what was refused, but the program that met it usually does. A path that it prints beside "Permission
denied" or "No such file", that exists, and that was not in its reach, was most likely kept from it by us.
"""

from __future__ import annotations

import os
import re

from evenhand.runs.confinement import SYSTEM, Bounds, is_inside
from evenhand.runs.visible_paths import Hidden

TRIED = "it seems to have tried to write outside its folders: "
REFUSED = "it seems to have tried to read the answers: "
NEEDS = "it seems to need "
"""How the notes begin."""

MOST_NAMED = 5
MOST_READ = 1_000_000
"""Bytes at the end of what it printed that are looked through."""

_PATH = re.compile(rb"(?<![\w.~:/-])/[^\s'\"`:;,|<>()\[\]{}\0]{1,1000}")
_RELATIVE = re.compile(rb"(?<![\w./~-])(?:\./)?\w[\w./-]{0,200}\.\w{1,10}(?![\w/])")
"""The name of a file with an ending, from the folder that a program runs in."""
_READING = re.compile(rb"permission denied|no such file|not found|cannot find|ENOENT|EACCES", re.IGNORECASE)
_WRITING = re.compile(rb"read-only file system|permission denied|EROFS|EACCES", re.IGNORECASE)


def notes_on_missed(errors: bytes, output: bytes, bounds: Bounds, hidden: Hidden) -> tuple[str, ...]:
    """A note for each of the first few paths."""
    notes: dict[str, None] = {}
    for line in (*errors[-MOST_READ:].splitlines(), *output[-MOST_READ:].splitlines()):
        if len(line) < 5000 and (_READING.search(line) or _WRITING.search(line)):
            for match in _PATH.finditer(line):
                if note := _note(os.fsdecode(match[0]), line, bounds, hidden):
                    notes[note] = None
            for match in _RELATIVE.finditer(line) if _READING.search(line) else ():
                if note := _note_beside(os.fsdecode(match[0]), bounds, hidden):
                    notes[note] = None
    unnamed = len(notes) - MOST_NAMED
    named = tuple(notes)[:MOST_NAMED]
    return (*named, f"{unnamed:,} more paths outside its folders are in what it printed") if unnamed > 0 else named


def _note_beside(name: str, bounds: Bounds, hidden: Hidden) -> str:
    """A note on a file that is looked for in the workspace and is beside the program, or in the suite's project."""
    beside = [folder for folder in bounds.reads or () if not any(is_inside(folder, system) for system in SYSTEM)]
    for folder in (*beside, *hidden.projects):
        path = os.path.normpath(f"{folder}/{name}")
        if os.path.isfile(path) and not any(is_inside(os.path.realpath(path), answer) for answer in hidden.answers):  # noqa: PTH113
            return f"{NEEDS}{path} in its workspace; to put it there, write files: [{path}] under the cases"
    return ""


def _is_never_opened(path: str) -> bool:
    """Whether no run should be told to open a path: a whole top-level folder, the kernel's, or where sockets lie."""
    return path.count("/") < 2 or path.startswith(("/proc/", "/dev/", "/sys/", "/run/"))


def _note(name: str, line: bytes, bounds: Bounds, hidden: Hidden) -> str:
    try:
        path = os.path.realpath(name)
        if _is_never_opened(path) or any(is_inside(path, folder) for folder in bounds.writes):
            return ""
        if any(is_inside(path, answer) for answer in hidden.answers):
            return REFUSED + path
        is_readable = bounds.reads is None or any(is_inside(path, folder) for folder in (*bounds.reads, *bounds.shown))
        if not is_readable:
            if os.path.exists(path) and os.access(path, os.R_OK):  # noqa: PTH110
                return f"{NEEDS}{path}, which it cannot read; to allow it, write reads: [{path}] under limits"
            return ""
        if _WRITING.search(line) and os.access(os.path.dirname(path), os.W_OK):  # noqa: PTH120
            folder = path if os.path.isdir(path) else os.path.dirname(path)  # noqa: PTH112, PTH120
            return f"{TRIED}{path}; to allow it, write writes: [{folder}] under limits"
    except (OSError, ValueError):  # a path that nothing can be
        return ""
    return ""
