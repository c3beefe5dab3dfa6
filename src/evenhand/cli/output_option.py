"""`-o FILE`, as every command has it: the result into a file instead of standard output.

The file is looked at before the command does anything, so that no model is asked for a result that cannot be written.
An input of the command is never replaced, whatever it is called and whichever part of the program reads it.
"""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, redirect_stdout
from pathlib import Path
from typing import Any, BinaryIO, TypeVar

import click

from evenhand.cli.setting_options import setting_option
from evenhand.cli.shared import say
from evenhand.files.output_files import NAME_ANOTHER, OutputFile, never

Command = TypeVar("Command", bound=Callable[..., Any])

STDOUT = "-"

_NO_INPUTS = ("into", "also", "format", "skill", "skills", "id")
"""Parameters that never name an input, even if there is a file of that name."""
_WRITTEN = ("record", "replies", "store")
"""Parameters that name a file which the command makes and reads."""

_watches: list[_Watch] = []
"""What the running command is going to replace."""
_is_hooked = False


class OutputAsInput(click.UsageError):
    """A command would replace one of its own inputs."""


def output_option(help: str = "") -> Callable[[Command], Any]:
    """--output, as the parameter `into`, and whether it replaces what is not ours, as `overwrite`."""

    def decorate(command: Command) -> Any:
        output = click.option(
            "--output",
            "-o",
            "into",
            metavar="FILE",
            help=f"Write the result into this file instead of standard output. {help}".strip(),
        )
        return output(setting_option("output.overwrite", default=False)(command))

    return decorate


@contextmanager
def written_into(
    name: str | None, *, overwrite: bool = False, format: str = "", keeps_own: bool = False
) -> Iterator[None]:
    """Standard output goes into a file, which appears under its name when all of it is there.

    Without a name, or for "-", it stays what it is. An existing file is replaced if it is a report; if the command
    `keeps_own`, only if that is asked for, because people go on writing what it writes.
    """
    if name is None or name == STDOUT:
        yield
        return
    with output_into(name, overwrite=overwrite, format=format, keeps_own=keeps_own) as file:
        text = io.TextIOWrapper(file, encoding="utf-8")
        try:
            with redirect_stdout(text):
                yield
        finally:
            text.detach()
    say(f"written: {name}")


def is_written_to_file() -> bool:
    """Whether `-o FILE` takes what this command writes, so that a reader at the terminal sees nothing of it."""
    return bool(_watches)


@contextmanager
def output_into(name: str, *, overwrite: bool = False, format: str = "", keeps_own: bool = False) -> Iterator[BinaryIO]:
    """A file that a command writes, open; refused if it is an input of the command, or turns out to be one."""
    what = "already exists" if keeps_own else "exists, and is not a report that evenhand wrote"
    output = OutputFile(
        name,
        overwrite=overwrite,
        replaceable=never if keeps_own else _is_report,
        refusal=f"{what}; {NAME_ANOTHER}",
        check=_refuse_inputs,
    )
    with output.open() as file, _watched(output):
        yield file
        if not output.is_written_through and not keeps_own:
            from evenhand.reports.report_file import add_mark

            add_mark(file, file.fileno(), format)


def _is_report(path: Path) -> bool:
    from evenhand.reports.report_file import is_report

    return is_report(path)


def _refuse_inputs(output: OutputFile) -> None:
    """Refuse a file that is named on the command line as an input too, or as another output."""
    context = click.get_current_context(silent=True)
    for parameter, value in ({} if context is None else context.params).items():
        if parameter in _WRITTEN or (output.exists and parameter not in _NO_INPUTS):
            texts = [text for text in (value if isinstance(value, tuple) else (value,)) if isinstance(text, str)]
            if any(text != "none" and output.is_same(text) for text in texts):
                raise OutputAsInput(
                    f"{output.name}: is an input of this command, which is never replaced; name another file."
                )
    if any(other.output.is_same(output.name) for other in _watches):
        raise OutputAsInput(f"{output.name}: would be written twice by this command; name another file.")


def refuse_in_folders(names: Iterable[str]) -> None:
    """Refuse to write among the files of a folder that is read as a whole: the next time, it would be read too."""
    from evenhand.transcripts.folders import files_in

    for output in (watch.output for watch in _watches):
        for folder in map(Path, filter(os.path.isdir, names)):
            if _is_within(output.path, folder.resolve()) or any(
                isinstance(path, Path) and output.is_same(path) for path in files_in(folder)
            ):
                raise OutputAsInput(
                    f"{output.name}: is in {folder}, of which every file is read; name a file outside of it."
                )


def _is_within(path: Path, folder: Path) -> bool:
    """Whether a file is below a folder and not hidden there."""
    return path.is_relative_to(folder) and not any(part.startswith(".") for part in path.relative_to(folder).parts)


class _Watch:
    """A file that is going to be replaced: whoever opens it meanwhile reads an input."""

    def __init__(self, output: OutputFile) -> None:
        self.output = output
        self.refusal: OutputAsInput | None = None

    def refuse(self, name: str | bytes) -> None:
        if self.output.is_same(name):
            self.refusal = OutputAsInput(
                f"{self.output.name}: is used by this command, and never replaced by it; name another file."
            )
            raise self.refusal


@contextmanager
def _watched(output: OutputFile) -> Iterator[None]:
    """Refuse to open a file that is about to be replaced, whichever part of the program does; then nothing is written.

    Every file that Python opens is seen, so that no reader has to know of this.
    """
    global _is_hooked
    if output.is_written_through:
        yield
        return
    if not _is_hooked:
        sys.addaudithook(_on_event)  # there is no way to remove one
        _is_hooked = True
    watch = _Watch(output)
    _watches.append(watch)
    try:
        yield
    finally:
        _watches.remove(watch)
    if watch.refusal is not None:  # the reader went on without the file
        raise watch.refusal


def _on_event(event: str, arguments: tuple[Any, ...]) -> None:
    """Called by Python for whatever it does, and for all files that it opens."""
    if not _watches or event not in ("open", "sqlite3.connect"):
        return
    name = arguments[0]
    if not isinstance(name, str | bytes | os.PathLike):
        return
    name = os.fspath(name)
    if isinstance(name, str) and name.startswith("file:"):  # how SQLite is told to only read
        from urllib.parse import unquote, urlsplit

        name = unquote(urlsplit(name).path)
    for watch in _watches:
        watch.refuse(name)
