"""Reads outputs, agent transcripts, logs, diffs and folders of them into submissions.

A format is a `Format` in the registry; a package can add its own with an entry point in the
group `evenhand.transcripts`. The format of a file is detected from its content, never from its name alone.

Failures are returned in place: an unreadable submission is an InputError among the others.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import TYPE_CHECKING

from evenhand.errors import InputError, Problem
from evenhand.work.submission import Submission

if TYPE_CHECKING:
    from evenhand.transcripts.registry import Format

__all__ = ["read", "sniff"]

_PARTIAL = "to judge what can be read, use `partial`"
_PLAIN = frozenset({"text", "diff", "submissions"})
"""What is no log: its events are not missed."""
_UNRECOGNISED = "no message in it was recognised"
_SHOWN = 5
"""How many further problems of a damaged file are shown after the first."""


def read(
    path: str,
    format: str | None = None,
    *,
    partial: bool = False,
    left_out: Collection[int] = (),
    include: Sequence[str] = (),
    exclude: Sequence[str] = (),
) -> Iterator[Submission | InputError]:
    """Every submission of a file, of standard input for "-", or of all files of a folder.

    `format` names the format; without it, the format of each file is detected from its content. A damaged submission
    is refused, with the place of the damage; with `partial`, it is returned with its `problems`. `left_out` are the
    numbers of lines of the file that are not read. `include` and `exclude` are patterns of a folder's files; without
    them, logs, settings and READMEs are left out.
    """
    from pathlib import Path

    from evenhand.files.text import readable
    from evenhand.transcripts.registry import named

    chosen = named(format) if format is not None else None
    try:
        with readable(path):
            is_folder = path != "-" and Path(path).is_dir()
    except InputError as error:
        yield error
        return
    if not is_folder:
        yield from _read_file(path, chosen, partial, left_out)
        return
    from evenhand.transcripts.folders import chosen_in

    files, left = chosen_in(Path(path), include, exclude)
    for file in files:
        if isinstance(file, InputError):
            yield file
        else:
            yield from _read_file(str(file), chosen, partial)
    if not files:
        names = ", ".join(file.name for file in left[:3]) + (", ..." if len(left) > 3 else "")
        why = (
            f"; {names} {'is' if len(left) == 1 else 'are'} left out: choose files with --set judge.include=PATTERN"
            if left
            else ""
        )
        yield InputError(Problem(f"holds no file to read{why}", path))


def sniff(path: str) -> Format:
    """The format of a file, detected from its content."""
    from evenhand.transcripts.registry import fitting
    from evenhand.transcripts.sources import open_source

    with open_source(path) as source:
        return fitting(source)


def _read_file(
    path: str, chosen: Format | None, partial: bool, left_out: Collection[int] = ()
) -> Iterator[Submission | InputError]:
    from evenhand.transcripts.registry import named

    items = _items(path, chosen, partial, left_out)
    first = next(items, None)
    if chosen is None and path != "-" and isinstance(first, InputError) and _UNRECOGNISED in str(first):
        others = list(_items(path, named("messages"), partial, left_out))  # another log that resembles that format
        if others and all(isinstance(other, Submission) for other in others):
            yield from others
            return
    if first is not None:
        yield first
    yield from items


def _items(
    path: str, chosen: Format | None, partial: bool, left_out: Collection[int]
) -> Iterator[Submission | InputError]:
    from evenhand.transcripts.registry import fitting
    from evenhand.transcripts.sources import open_source

    try:
        with open_source(path) as source:
            source.left_out = left_out
            if not source.head.data and source.problems:
                raise InputError(source.take_problems())
            last: Submission | InputError | None = None
            for item in (chosen or fitting(source)).read(source):
                if last is not None:
                    yield _whole(_recognised(last), partial)
                last = item
            # Problems found at the end of a file belong to its last submission.
            if isinstance(last, Submission) and (warnings := source.take_warnings()):
                last = last._replace(warnings=(*last.warnings, *warnings))
            if last is not None:
                yield _whole(_recognised(last), partial)
            if left := source.take_problems():
                yield InputError(left)
    except InputError as error:
        yield error


def _recognised(item: Submission | InputError) -> Submission | InputError:
    """The submission itself, or an InputError when it is a log of which no message was understood."""
    if isinstance(item, InputError) or item.events or item.output.strip() or item.format in _PLAIN or item.problems:
        return item
    seen = ", ".join(f"{kind} ({count:,})" for kind, count in list(item.unknown.items())[:_SHOWN])
    held = f"; it holds {seen}" if seen else ""
    message = f"was taken for {item.format}, but {_UNRECOGNISED}{held}; name its format with --from"
    return InputError(Problem(message, item.source))


def _whole(item: Submission | InputError, partial: bool) -> Submission | InputError:
    """The submission itself, or an InputError with its damage if part of it could not be read."""
    if partial or isinstance(item, InputError) or not item.problems:
        return item
    first, *further = item.problems
    if len(further) > _SHOWN:
        further = [*further[:_SHOWN], Problem(f"{len(further) - _SHOWN:,} more problems", item.source)]
    return InputError([first._replace(message=f"{first.message}; {_PARTIAL}"), *further])
