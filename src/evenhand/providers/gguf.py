"""The header of a GGUF file: whether it is valid and complete, and the model's context length.

llama.cpp rejects a damaged file without saying why, and would have to load the model to report the context length.
"""

from __future__ import annotations

import hashlib
import os
import struct
from pathlib import Path
from typing import IO, NamedTuple

from evenhand.errors import InputError, Problem
from evenhand.reading.text import readable

_MAGIC = b"GGUF"
_SIZES = {0: 1, 1: 1, 2: 2, 3: 2, 4: 4, 5: 4, 6: 4, 7: 1, 10: 8, 11: 8, 12: 8}
"""Bytes of a value by the number of its type; 8 is a string and 9 an array."""
_MOST = 1 << 24
"""More entries than any model has: a larger number means a damaged file."""
_SAMPLE = 1024 * 1024


class Gguf(NamedTuple):
    """What can be read about a model without loading it."""

    architecture: str
    context: int | None
    """The context length the model was trained for, in tokens."""
    fingerprint: str
    """A hash of the file's size, beginning and end: hashing all of a large model would take minutes."""


def read_gguf(path: str) -> Gguf:
    """The header of a model file. InputError when it is missing, not a GGUF file, or incomplete."""
    with readable(path):
        if not Path(path).is_file():
            problem = "is a directory; name a file" if Path(path).is_dir() else "no such file"
            raise InputError(Problem(f"{problem}; local: needs a model as a GGUF file", path))
        with open(path, "rb") as file:
            return _read(file, path)


def _read(file: IO[bytes], path: str) -> Gguf:
    if file.read(4) != _MAGIC:
        raise InputError(
            Problem("is not a GGUF file; local: needs a model in this format, which llama.cpp reads", path)
        )
    try:
        version, tensors, entries = _unpack(file, "<IQQ")
        if not 2 <= version <= 9 or not 0 < tensors < _MOST or entries > _MOST:
            raise EOFError
        header = dict(_entry(file) for _ in range(entries))
        architecture = header.get("general.architecture")
        context = header.get(f"{architecture}.context_length")
        alignment = header.get("general.alignment")
        furthest = max(_tensor(file) for _ in range(tensors))
        padding = alignment if isinstance(alignment, int) and alignment > 0 else 32
        begin = -(-file.tell() // padding) * padding
    except (EOFError, struct.error, UnicodeDecodeError, MemoryError, OverflowError):
        raise InputError(
            Problem("is a damaged GGUF file: its header cannot be read; download it again", path)
        ) from None
    size = os.fstat(file.fileno()).st_size
    if begin + furthest >= size:
        raise InputError(Problem("is incomplete: part of the model is missing; download it again", path))
    return Gguf(
        architecture=architecture if isinstance(architecture, str) else "unknown",
        context=context if isinstance(context, int) and context > 0 else None,
        fingerprint=_fingerprint(file, size),
    )


def _entry(file: IO[bytes]) -> tuple[str, int | str | None]:
    return _string(file), _value(file, _unpack(file, "<I")[0])


def _value(file: IO[bytes], kind: int) -> int | str | None:
    if kind == 8:
        return _string(file)
    if kind == 9:
        inner, length = _unpack(file, "<IQ")
        if inner in _SIZES:
            _skip(file, _SIZES[inner] * length)
        else:
            for _ in range(min(length, _MOST)):
                _value(file, inner)
        return None
    if kind not in _SIZES:
        raise EOFError
    raw = _take(file, _SIZES[kind])
    return None if kind in (6, 12) else int.from_bytes(raw, "little")


def _tensor(file: IO[bytes]) -> int:
    """The offset of a tensor's data, relative to the first tensor."""
    _string(file)
    (dimensions,) = _unpack(file, "<I")
    _take(file, 8 * min(dimensions, 8) + 4)
    return int(_unpack(file, "<Q")[0])


def _string(file: IO[bytes]) -> str:
    (length,) = _unpack(file, "<Q")
    if length > _MOST:
        raise EOFError
    return _take(file, length).decode()


def _unpack(file: IO[bytes], form: str) -> tuple[int, ...]:
    return struct.unpack(form, _take(file, struct.calcsize(form)))


def _take(file: IO[bytes], size: int) -> bytes:
    data = file.read(size)
    if len(data) < size:
        raise EOFError
    return data


def _skip(file: IO[bytes], size: int) -> None:
    if file.tell() + size > os.fstat(file.fileno()).st_size:
        raise EOFError
    file.seek(size, os.SEEK_CUR)


def _fingerprint(file: IO[bytes], size: int) -> str:
    file.seek(0)
    digest = hashlib.sha256(str(size).encode() + file.read(_SAMPLE))
    file.seek(max(size - _SAMPLE, 0))
    digest.update(file.read(_SAMPLE))
    return digest.hexdigest()
