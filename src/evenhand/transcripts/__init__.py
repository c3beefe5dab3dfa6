"""What people really have, read into submissions: outputs, agent transcripts, logs, diffs, folders of them.

A format is a `Format` in the registry; a package can add its own with an entry point in the
group `evenhand.transcripts`. The format of a file is found by its content, never by its name alone.

A failure is a value in its place: whatever cannot be read is an InputError among the submissions.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from evenhand.core.values.submission import Submission
from evenhand.errors import InputError, Problem

if TYPE_CHECKING:
    from evenhand.transcripts.registry import Format

__all__ = ["formats", "read", "sniff"]


def read(path: str, format: str | None = None) -> Iterator[Submission | InputError]:
    """Every submission of a file, of standard input for "-", or of all files of a folder.

    `format` is the name of one; without it each file's format is found by its content.
    """
    from pathlib import Path

    from evenhand.reading.text import readable
    from evenhand.transcripts.registry import named

    chosen = named(format) if format is not None else None
    try:
        with readable(path):
            is_folder = path != "-" and Path(path).is_dir()
    except InputError as error:
        yield error
        return
    if not is_folder:
        yield from _read_file(path, chosen)
        return
    from evenhand.transcripts.folders import files_in

    empty = True
    for each in files_in(Path(path)):
        empty = False
        if isinstance(each, InputError):
            yield each
        else:
            yield from _read_file(str(each), chosen)
    if empty:
        yield InputError(Problem("holds no file to read", path))


def formats() -> tuple[Format, ...]:
    """Every format there is, built in or added by another package."""
    from evenhand.transcripts.registry import all_formats

    return all_formats()


def sniff(path: str) -> Format:
    """The format of a file, found by its content."""
    from evenhand.transcripts.registry import fitting
    from evenhand.transcripts.sources import open_source

    with open_source(path) as source:
        return fitting(source)


def _read_file(path: str, chosen: Format | None) -> Iterator[Submission | InputError]:
    from evenhand.transcripts.registry import fitting
    from evenhand.transcripts.sources import open_source

    try:
        with open_source(path) as source:
            if not source.head.data and source.problems:
                raise InputError(source.take_problems())
            yield from (chosen or fitting(source)).read(source)
            if left := source.take_problems():
                yield InputError(left)
    except InputError as error:
        yield error
