"""Decompresses gzip and zstd in pieces, within limits. The compression is detected from the first bytes."""

from __future__ import annotations

import io
import zlib
from collections.abc import Callable
from typing import Any

from evenhand.errors import InputError, Problem
from evenhand.transcripts import limits

_GZIP = b"\x1f\x8b"
_ZSTD = b"\x28\xb5\x2f\xfd"
_PIECE = {_GZIP: 16 * 1024, _ZSTD: 1024}
"""How much is decompressed at once: a thousand bytes of zstd can expand to thirty million."""


MAGIC = max(len(_GZIP), len(_ZSTD))
"""The number of bytes needed to detect the compression."""


def compression_of(begun: bytes) -> bytes:
    """The magic bytes of the compression of a file that starts like this; empty when it is not compressed."""
    return next((magic for magic in (_GZIP, _ZSTD) if begun.startswith(magic)), b"")


class Rest(io.RawIOBase):
    """Bytes that were already read, followed by the rest of their stream."""

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


class Undone(io.RawIOBase):
    """Decompresses in pieces. Damage ends the stream and is reported."""

    def __init__(self, raw: Rest, magic: bytes, name: str, note: Callable[[str], None]) -> None:
        self._raw = raw
        self._piece = _PIECE[magic]
        self._start = _gzip if magic == _GZIP else _zstd(name)
        self._note = note
        self._undo: Any = self._start()
        self._ready = memoryview(b"")
        self._eaten = self._expanded = 0
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
                self._note("the compressed data ends in the middle; everything before that is read")
            return b""
        try:
            output: bytes = self._undo.decompress(piece)
        except Exception as error:  # each library raises its own error
            return self._stop(f"the compressed data is damaged ({error}); everything before that is read")
        self._expanded += len(output)
        if self._expanded > limits.EXPANSION_FREE and self._expanded > limits.EXPANSION * self._eaten:
            self._stop(f"it expands to more than {limits.EXPANSION} times its size; the rest was not read")
            return output[: max(0, limits.EXPANSION_FREE - self._expanded + len(output))]
        if self._expanded > limits.TOTAL:
            return self._stop(f"only the first {limits.TOTAL // limits.MIB} MiB were read")
        return output

    def _stop(self, message: str) -> bytes:
        self._over = True
        self._note(message)
        return b""


def _gzip() -> Any:
    return zlib.decompressobj(wbits=31)


def _zstd(name: str) -> Callable[[], Any]:
    """The zstd decompressor: from the standard library from Python 3.14 on, a package before."""
    try:
        from compression.zstd import ZstdDecompressor  # type: ignore[import-not-found, unused-ignore]

        return ZstdDecompressor  # type: ignore[no-any-return, unused-ignore]
    except ImportError:
        pass
    try:
        import zstandard  # type: ignore[import-not-found, unused-ignore]
    except ImportError:
        message = "is compressed with zstd; to read it: pip install 'evenhand[zstd]'"
        raise InputError(Problem(message, name)) from None
    return lambda: zstandard.ZstdDecompressor(max_window_size=2**27).decompressobj()


def undo_zstd(data: bytes, limit: int, name: str) -> bytes:
    """Decompress zstd, up to a limit."""
    undo = _zstd(name)()
    output = bytearray()
    for at in range(0, len(data), _PIECE[_ZSTD]):
        try:
            output += undo.decompress(data[at : at + _PIECE[_ZSTD]])
        except Exception as error:  # each library raises its own error
            raise ValueError(f"the compressed data is damaged ({error})") from None
        if len(output) >= limit or undo.eof:
            break
    return bytes(output[:limit])
