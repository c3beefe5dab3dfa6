"""Bytes into text: size limits, UTF-8, and a clear error for anything that is not text."""

from __future__ import annotations

import re
import stat
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from evenhand.errors import InputError, Problem

DOCUMENT_LIMIT = 16 * 1024 * 1024
"""The largest rubric, judgement or scorecard, and the longest line of a JSONL file."""

OUTPUT_LIMIT = 256 * 1024 * 1024
"""The largest output whose quotes are checked."""

_OPEN_ALREADY = r"/dev/(?:stdin|fd/[0-9]+)|/proc/self/fd/[0-9]+"

DEPTH_LIMIT = 100
"""How deep a document may nest; a judgement needs five levels."""

STDIN = "-"


def read_text(path: str, *, limit: int = DOCUMENT_LIMIT) -> str:
    """The whole text of a file, or of standard input for "-"."""
    with open_bytes(path) as file, readable(shown_name(path)):
        data = file.read(limit + 1)
    if len(data) > limit:
        raise InputError(Problem(f"larger than {limit // 1024 // 1024} MiB, the most that is read", shown_name(path)))
    return decode(data, shown_name(path))


def open_bytes(path: str) -> IO[bytes]:
    """A file opened for reading, or standard input for "-". What could block forever is refused."""
    if path == STDIN:
        if sys.stdin is None:
            raise InputError(Problem("cannot be read: it is closed", shown_name(path)))
        return open(sys.stdin.fileno(), "rb", closefd=False)
    with readable(path):
        refuse_waiting(path)
        return open(path, "rb")


def refuse_waiting(path: str) -> None:
    """Refuse a path that is not a file: reading a FIFO that nobody writes to would block forever.

    What this process has open already may be any pipe: /dev/stdin, and /dev/fd/63 for `<(command)` in a shell.
    """
    kind = kind_of(Path(path).stat().st_mode)
    if kind == "directory":
        raise InputError(Problem("is a directory; name a file", path))
    if kind != "file" and not (kind.startswith("FIFO") and re.fullmatch(_OPEN_ALREADY, path)):
        raise InputError(Problem(f"is a {kind}; to read from one, pipe it in and name the file -", path))


def kind_of(mode: int) -> str:
    """What a path leads to, in a word."""
    kinds: tuple[tuple[Callable[[int], bool], str], ...] = (
        (stat.S_ISREG, "file"),
        (stat.S_ISDIR, "directory"),
        (stat.S_ISFIFO, "FIFO (a named pipe)"),
        (stat.S_ISSOCK, "socket"),
    )
    return next((word for matches, word in kinds if matches(mode)), "device")


_TEXT_FILES = frozenset(
    "adoc cfg csv diff htm html ini ipynb js json jsonl log markdown md mdx org patch prompt py rst rtf sh tex text "
    "toml ts tsv txt xml yaml yml".split()
)
"""Endings of files that a task may be in."""

_MEANT_AS_TEXT = "if this is meant as text and not as a path, begin it with a space"
_ROOTED = r"(?:[/\\~]|\.{1,2}[/\\]|[A-Za-z]:[/\\])"


def text_or_file(value: str) -> str:
    """The content of the file of this name, or else the value itself: a task is given either way.

    InputError for a path that leads nowhere: the judge would take the path itself for the task.
    """
    try:
        is_file = "\n" not in value and Path(value).is_file()
    except (OSError, ValueError):  # longer than a file name may be, or with a NUL: it is text
        is_file = False
    if is_file:
        return read_text(value)
    if looks_like_path(value):
        raise InputError(Problem(f"no such file; {_MEANT_AS_TEXT}", value))
    return value


def looks_like_path(value: str) -> bool:
    """Whether a text can hardly be anything but a path: a single word with slashes, or one that ends like a file.

    With spaces in it, or in a script that has none, it is a path only if it ends like a file, and starts like a path or
    has a folder that exists.
    """
    if not value or value != value.strip() or "\n" in value or "://" in value:
        return False
    _, dot, ending = value.rpartition(".")
    is_named = bool(dot) and ending.lower() in _TEXT_FILES
    if value.isascii() and not re.search(r"\s", value):
        return is_named or bool(re.search(r"[^/\\][/\\]|^[/\\~]\w", value))
    folder = re.split(r"[/\\]", value)[:-1]
    return is_named and (bool(re.match(_ROOTED, value)) or (bool(folder) and _is_folder("/".join(folder))))


def _is_folder(path: str) -> bool:
    try:
        return Path(path).is_dir()
    except (OSError, ValueError):
        return False


def refuse_path(name: str, value: str | None) -> None:
    """InputError for a parameter that is text, when what is given looks like a path."""
    if value is not None and looks_like_path(value):
        raise InputError(
            f'`{name}` is text, and "{value}" looks like a path: read the file first, as in '
            f'Path("{value}").read_text(); {_MEANT_AS_TEXT}'
        )


@contextmanager
def readable(source: str) -> Iterator[None]:
    """Turn an OSError raised while opening or reading a file into an InputError."""
    try:
        yield
    except FileNotFoundError:
        raise InputError(Problem("no such file", source)) from None
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        raise InputError(Problem(f"cannot be read: {reason}", source)) from None


def decode(data: bytes, source: str, *, line: int | None = None) -> str:
    """UTF-8 bytes as text, without a byte order mark."""
    try:
        text = data.decode().removeprefix("\ufeff")
    except UnicodeDecodeError as error:
        at = data.count(b"\n", 0, error.start) + 1 if line is None else line
        raise InputError(Problem(f"{_kind(data)}; save it as UTF-8 text", source, at)) from None
    if "\0" in text:
        at = text.count("\n", 0, text.index("\0")) + 1 if line is None else line
        raise InputError(Problem("is a binary file (it holds a NUL byte); text is needed", source, at))
    return text


def shown_name(path: str) -> str:
    """A path as shown in messages."""
    return "<stdin>" if path == STDIN else path


def _kind(data: bytes) -> str:
    return "is a binary file, not text" if b"\0" in data else "is not UTF-8"
