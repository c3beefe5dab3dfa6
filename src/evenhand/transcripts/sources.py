"""A file opened for reading, compressed or not: its first bytes, its lines, or all of it.

Independent of any format. Damage is recorded in `problems`, and the rest is read.
"""

from __future__ import annotations

import io
import re
import sys
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import IO, Any, NamedTuple

from evenhand.core.finding import Place
from evenhand.errors import InputError, Problem
from evenhand.files.text import STDIN, readable, refuse_waiting, shown_name
from evenhand.transcripts import limits
from evenhand.transcripts.compression import MAGIC, Rest, Undone, compression_of
from evenhand.transcripts.head import Head
from evenhand.transcripts.json_text import CUT, Unreadable, parse

_OVERLAP = 64
"""Bytes of a piece that are searched again with the next one."""


class Line(NamedTuple):
    """One line of a file that is not blank."""

    number: int
    offset: int
    data: bytes


class Source:
    """One opened file."""

    def __init__(self, name: str, raw: IO[bytes], *, path: Path | None = None) -> None:
        self.name = name
        """As the user named it."""
        self.path = path
        """None for standard input and for a member of an archive."""
        self.problems: list[Problem] = []
        """Damage: what could not be read."""
        self.warnings: list[Problem] = []
        """Warnings that are not damage, such as a last line that is still being written."""
        self._unlisted = 0
        self.left_out: Collection[int] = ()
        """Numbers of lines that the caller does not want."""
        self.only_line = b""
        """The only line of a file, if it is broken: a document that was cut off."""
        first = _fill(raw, b"", MAGIC)
        packed = compression_of(first)
        unread = Rest(first, raw)
        self._raw: Any = Undone(unread, packed, name, self.problem) if packed else unread
        self._show(_fill(self._raw, b"", limits.HEAD), limits.HEAD)
        self._file = raw
        self._copy: IO[bytes] | None = None
        self._is_plain = path is not None and not packed

    @property
    def folder(self) -> Path | None:
        """Where files lie that the file names; None for standard input and for a member of an archive."""
        return None if self.path is None else self.path.parent

    def __enter__(self) -> Source:
        return self

    def __exit__(self, *error: object) -> None:
        self._file.close()
        if self._copy is not None:
            self._copy.close()

    @property
    def plain_size(self) -> int:
        """The bytes of a file that is not compressed; 0 for anything else."""
        return self.path.stat().st_size if self._is_plain and self.path is not None else 0

    def holds(self, pattern: bytes) -> bool:
        """Whether a plain file has a match of a short pattern anywhere; nothing of it is kept."""
        assert self.path is not None
        with readable(self.name), self.path.open("rb") as file:
            before = b""
            while piece := file.read(limits.MIB):
                if re.search(pattern, before + piece):
                    return True
                before = piece[-_OVERLAP:]
        return False

    def _show(self, data: bytes, size: int, shorter: Head | None = None) -> None:
        self.head = Head(data, is_whole=len(data) < size, shorter=shorter)
        self._stream = io.BufferedReader(Rest(data, self._raw), 1024 * 1024)

    def read_on(self) -> bool:
        """Extend the head, before anything else is read; False at the end of the file or at the limit."""
        seen = len(self.head.data)
        if self.head.is_whole or seen >= limits.DOCUMENT:
            return False
        size = min(seen * limits.HEAD_GROWTH, limits.DOCUMENT)
        with readable(self.name):
            self._show(_fill(self._raw, self.head.data, size), size, self.head)
        return True

    def problem(self, message: str, line: int | None = None) -> None:
        """Record damage."""
        self.note(Problem(message, self.name, line))

    def warn(self, message: str, line: int | None = None) -> None:
        """Record a warning."""
        if len(self.warnings) < limits.PROBLEMS:
            self.warnings.append(Problem(message, self.name, line))

    def take_warnings(self) -> tuple[Problem, ...]:
        """The warnings since the last call."""
        taken, self.warnings = tuple(self.warnings), []
        return taken

    def note(self, problem: Problem) -> None:
        """Record a problem; beyond the limit, problems are only counted."""
        if len(self.problems) < limits.PROBLEMS:
            self.problems.append(problem)
        else:
            self._unlisted += 1

    def take_problems(self) -> tuple[Problem, ...]:
        """The problems since the last call."""
        taken = self.problems
        if self._unlisted:
            taken.append(Problem(f"{self._unlisted:,} more problems are not listed", self.name))
        self.problems, self._unlisted = [], 0
        return tuple(taken)

    def lines(self) -> Iterator[Line]:
        """Every line that is not blank, one after another, never more than one in memory."""
        number = offset = 0
        with readable(self.name):
            while line := self._stream.readline(limits.LINE + 1):
                number += 1
                size = len(line)
                if size > limits.LINE:
                    size += self._skip_line(line)
                    most = f"the line is longer than {limits.LINE // limits.MIB} MiB and was left out"
                    self.problem(f"{most}; write each message on a line of its own", number)
                elif not line.isspace() and number not in self.left_out:
                    yield Line(number, offset, line)
                offset += size
                if offset > limits.TOTAL or number >= limits.LINES:
                    if self._stream.peek(1):
                        self.problem(f"only the first {number:,} lines, {offset // limits.MIB} MiB, were read", number)
                    return

    def json_lines(self) -> Iterator[tuple[Any, Place]]:
        """Every line as a JSON value with its place; a broken one is a problem with its number.

        An incomplete last line is still being written, so it is only a warning, unless it is the only line.
        """
        name = self.name
        broken = 0
        stray: list[tuple[int, str]] | None = []  # until the first record
        for number, offset, data in self.lines():
            try:
                value = parse(self._decoded(data, number))
            except Unreadable as error:
                if stray is not None and len(stray) < limits.STRAY and _is_stray(data):
                    stray.append((number, str(error)))
                    continue
                if number > 1 and not data.endswith(b"\n") and str(error) == CUT:
                    self.warn("the last line is still being written, or was cut off; it was left out", number)
                    continue
                broken += 1
                if broken > limits.BROKEN:
                    self.problem(f"more than {limits.BROKEN:,} lines could not be read; the rest was left out", number)
                    return
                self.problem(f"the line could not be read: {error}", number)
                self.only_line = data if number == 1 and not data.endswith(b"\n") else b""
                continue
            for place, _ in stray or ():
                self.warn("a line before the first record is not JSON; it was left out", place)
            stray = None
            yield value, Place(name, number, offset)
        for place, reason in stray or ():
            self.problem(f"the line could not be read: {reason}", place)

    def _decoded(self, line: bytes, number: int) -> str:
        try:
            text = line.decode()
        except UnicodeDecodeError as error:
            if error.end == len(line) and error.reason == "unexpected end of data" and number > 1:
                return line[: error.start].decode()  # half a character of a line that is still being written
            self.problem("the line is not UTF-8; what could not be read is shown as \ufffd", number)
            text = line.decode(errors="replace")
        return text.removeprefix("\ufeff") if number == 1 else text

    def data(self, limit: int) -> bytes:
        """All of it."""
        if self.head.is_whole:
            data = self.head.data
        else:
            with readable(self.name):
                data = self._stream.read(limits.MIB)  # asking for all that is allowed makes room for all of it
                if len(data) == limits.MIB:
                    data = io.BufferedReader(Rest(data, self._stream), limits.MIB).read(limit + 1)
        if len(data) > limit:
            raise InputError(Problem(f"larger than {limit // limits.MIB} MiB, the most that is read", self.name))
        return data

    def text(self, limit: int) -> str:
        """All of it as text; bytes that are not UTF-8 become the replacement character, and a problem."""
        data = self.data(limit)
        try:
            text = data.decode()
        except UnicodeDecodeError as error:
            line = data.count(b"\n", 0, error.start) + 1
            self.problem("is not UTF-8; what could not be read is shown as \ufffd", line)
            text = data.decode(errors="replace")
        return text.removeprefix("\ufeff")

    def seekable(self) -> IO[bytes]:
        """All of it as a seekable file, for archives."""
        from tempfile import SpooledTemporaryFile

        if self._is_plain:
            self._file.seek(0)
            return self._file
        self._copy = SpooledTemporaryFile(max_size=16 * limits.MIB)  # noqa: SIM115 (it lives as long as the source)
        with readable(self.name):
            while piece := self._stream.read(1024 * 1024):
                self._copy.write(piece)
                if self._copy.tell() > limits.TOTAL:
                    size = limits.TOTAL // limits.MIB
                    raise InputError(Problem(f"larger than {size} MiB, the most that is read", self.name))
        self._copy.seek(0)
        return self._copy

    def _skip_line(self, part: bytes) -> int:
        size = 0
        while part and not part.endswith(b"\n"):
            part = self._stream.readline(limits.MIB)
            size += len(part)
            if size > limits.TOTAL:
                break
        return size


def open_source(path: str) -> Source:
    """Open a file, or standard input for "-". Anything that could block forever is refused."""
    name = shown_name(path)
    if path == STDIN:
        if sys.stdin is None:
            raise InputError(Problem("cannot be read: it is closed", name))
        raw: IO[bytes] = open(sys.stdin.fileno(), "rb", buffering=0, closefd=False)  # noqa: SIM115
    else:
        with readable(name):
            refuse_waiting(path)
            raw = open(path, "rb", buffering=0)  # noqa: SIM115 (the source closes it)
    try:
        with readable(name):
            return Source(name, raw, path=None if path == STDIN else Path(path))
    except BaseException:
        raw.close()  # the caller cannot
        raise


def _fill(raw: Any, data: bytes, size: int) -> bytes:
    """Read until there are this many bytes, or no more; a pipe delivers them in pieces."""
    pieces, length = [data], len(data)
    while length < size and (piece := raw.read(size - length)):
        pieces.append(piece)
        length += len(piece)
    return b"".join(pieces)


def _is_stray(line: bytes) -> bool:
    """Whether a line is words that something else wrote into the file, and not a damaged record."""
    return not line.lstrip(b"\xef\xbb\xbf \t").startswith(b"{") and b'":' not in line and line.endswith(b"\n")
