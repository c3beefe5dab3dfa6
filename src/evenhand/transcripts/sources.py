"""A file opened for reading, whatever it is compressed with: its first bytes, its lines, or all of it.

Nothing here knows a format. What is wrong with the bytes is kept in `problems`, and the rest is read.
"""

from __future__ import annotations

import io
import os
import stat
import sys
import zlib
from collections.abc import Callable, Iterator
from functools import cached_property
from pathlib import Path
from typing import IO, Any, NamedTuple

from evenhand.core.model import Place
from evenhand.errors import InputError, Problem
from evenhand.reading.text import STDIN, readable, shown_name
from evenhand.transcripts import limits
from evenhand.transcripts.head import Head
from evenhand.transcripts.json_text import Unreadable, parse

_GZIP = b"\x1f\x8b"
_ZSTD = b"\x28\xb5\x2f\xfd"
_PIECE = {_GZIP: 16 * 1024, _ZSTD: 1024}
"""How much is undone at once: a thousand bytes of zstd can stand for thirty million."""


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
        first = _fill(raw, b"", len(_ZSTD))
        packed = _GZIP if first.startswith(_GZIP) else _ZSTD if first == _ZSTD else b""
        unread = _Rest(first, raw)
        self._raw: Any = _Undone(unread, packed, self) if packed else unread
        self.head = Head(_fill(self._raw, b"", limits.HEAD))
        self._stream = io.BufferedReader(_Rest(self.head.data, self._raw), 1024 * 1024)
        self._file = raw

    def __enter__(self) -> Source:
        return self

    def __exit__(self, *error: object) -> None:
        self._file.close()

    def problem(self, message: str, line: int | None = None) -> None:
        """Note something that is wrong with the file."""
        self.problems.append(Problem(message, self.name, line))

    def take_problems(self) -> tuple[Problem, ...]:
        """What was wrong so far; each problem is handed out once."""
        taken = tuple(self.problems)
        self.problems.clear()
        return taken

    def lines(self) -> Iterator[Line]:
        """Every line that is not blank, one after another, never more than one in memory."""
        number = offset = 0
        with readable(self.name):
            while line := self._stream.readline(limits.LINE + 1):
                number += 1
                size = len(line)
                if size > limits.LINE:
                    size += self._skip_line(line)
                    self.problem(f"the line is longer than {limits.LINE // limits.MIB} MiB and was left out", number)
                elif not line.isspace():
                    yield Line(number, offset, line)
                offset += size
                if offset > limits.TOTAL:
                    self.problem(f"only the first {limits.TOTAL // limits.MIB} MiB were read", number)
                    return

    def json_lines(self) -> Iterator[tuple[Any, Place]]:
        """Every line as a JSON value with its place; a broken one is a problem with its number."""
        name = self.name
        for number, offset, data in self.lines():
            try:
                value = parse(self._decoded(data, number))
            except Unreadable as error:
                cut = "" if data.endswith(b"\n") else ", the last,"
                self.problem(f"the line{cut} could not be read: {error}", number)
                continue
            yield value, Place(name, number, offset)

    def _decoded(self, line: bytes, number: int) -> str:
        try:
            text = line.decode()
        except UnicodeDecodeError:
            self.problem("the line is not UTF-8; what could not be read is shown as \ufffd", number)
            text = line.decode(errors="replace")
        return text.removeprefix("\ufeff") if number == 1 else text

    def data(self, limit: int) -> bytes:
        """All of it."""
        with readable(self.name):
            data = self._stream.read(limit + 1)
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

    @cached_property
    def seekable(self) -> IO[bytes]:
        """The same bytes as a file in which one can go back, for archives."""
        from tempfile import SpooledTemporaryFile

        copy = SpooledTemporaryFile(max_size=16 * limits.MIB)  # noqa: SIM115 (it lives as long as the source)
        with readable(self.name):
            while piece := self._stream.read(1024 * 1024):
                copy.write(piece)
                if copy.tell() > limits.TOTAL:
                    size = limits.TOTAL // limits.MIB
                    raise InputError(Problem(f"larger than {size} MiB, the most that is read", self.name))
        copy.seek(0)
        return copy  # type: ignore[return-value]

    def _skip_line(self, part: bytes) -> int:
        size = 0
        while part and not part.endswith(b"\n"):
            part = self._stream.readline(limits.MIB)
            size += len(part)
            if size > limits.TOTAL:
                break
        return size


def open_source(path: str) -> Source:
    """Open a file, or standard input for "-". Anything that could wait for ever is refused."""
    name = shown_name(path)
    if path == STDIN:
        if sys.stdin is None:
            raise InputError(Problem("cannot be read: it is closed", name))
        raw: IO[bytes] = open(sys.stdin.fileno(), "rb", buffering=0, closefd=False)
    else:
        with readable(name):
            kind = kind_of(os.stat(path).st_mode)
            if kind == "directory":
                raise InputError(Problem("is a directory; name a file", name))
            if kind != "file":
                raise InputError(Problem(f"is a {kind}; to read from one, pipe it in and name the file -", name))
            raw = open(path, "rb", buffering=0)
    with readable(name):
        return Source(name, raw, path=None if path == STDIN else Path(path))


def kind_of(mode: int) -> str:
    """What a path leads to, in a word."""
    kinds: tuple[tuple[Callable[[int], bool], str], ...] = (
        (stat.S_ISREG, "file"),
        (stat.S_ISDIR, "directory"),
        (stat.S_ISFIFO, "FIFO (a named pipe)"),
        (stat.S_ISSOCK, "socket"),
    )
    return next((word for holds, word in kinds if holds(mode)), "device")


def _fill(raw: Any, data: bytes, size: int) -> bytes:
    """Read until there are so many bytes, or no more; a pipe gives them in pieces."""
    while len(data) < size and (piece := raw.read(size - len(data))):
        data += piece
    return data


class _Rest(io.RawIOBase):
    """Bytes that were read already, and the stream they were read from."""

    def __init__(self, begun: bytes, raw: Any) -> None:
        self._begun = memoryview(begun)
        self._raw = raw

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        if self._begun:
            size = min(len(buffer), len(self._begun))
            buffer[:size] = self._begun[:size]
            self._begun = self._begun[size:]
            return size
        return int(self._raw.readinto(buffer) or 0)


class _Undone(io.RawIOBase):
    """Compressed bytes undone a piece at a time. A fault in them ends the stream and is noted."""

    def __init__(self, raw: _Rest, magic: bytes, source: Source) -> None:
        self._raw = raw
        self._piece = _PIECE[magic]
        self._start = _gzip if magic == _GZIP else _zstd(source.name)
        self._note = source.problem
        self._undo: Any = self._start()
        self._ready = memoryview(b"")
        self._eaten = self._made = 0
        self._over = False

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        while not self._ready and not self._over:
            self._ready = memoryview(self._more())
        size = min(len(buffer), len(self._ready))
        buffer[:size] = self._ready[:size]
        self._ready = self._ready[size:]
        return size

    def _more(self) -> bytes:
        piece = self._undo.unused_data if self._undo.eof else b""
        if not piece:
            piece = self._raw.read(self._piece) or b""
            self._eaten += len(piece)
        if self._undo.eof and piece.strip(b"\0"):
            self._undo = self._start()
        elif not piece or self._undo.eof:
            self._over = True
            if not self._undo.eof:
                self._note("the compressed data ends in the middle; what stands before is read")
            return b""
        try:
            made: bytes = self._undo.decompress(piece)
        except Exception as error:  # each library has an error of its own
            return self._stop(f"the compressed data is damaged ({error}); what stands before is read")
        self._made += len(made)
        if self._made > limits.EXPANSION_FREE and self._made > limits.EXPANSION * self._eaten:
            return self._stop(f"it expands to more than {limits.EXPANSION} times its size; the rest was not read")
        if self._made > limits.TOTAL:
            return self._stop(f"only the first {limits.TOTAL // limits.MIB} MiB were read")
        return made

    def _stop(self, message: str) -> bytes:
        self._over = True
        self._note(message)
        return b""


def _gzip() -> Any:
    return zlib.decompressobj(wbits=31)


def _zstd(name: str) -> Callable[[], Any]:
    """What undoes zstd: the standard library from Python 3.14 on, a package before."""
    try:
        from compression.zstd import ZstdDecompressor  # type: ignore[import-not-found, unused-ignore]

        return ZstdDecompressor  # type: ignore[no-any-return, unused-ignore]
    except ImportError:
        pass
    try:
        import zstandard
    except ImportError:
        message = "is compressed with zstd; to read it: pip install 'evenhand[zstd]'"
        raise InputError(Problem(message, name)) from None
    return lambda: zstandard.ZstdDecompressor(max_window_size=2**27).decompressobj()
