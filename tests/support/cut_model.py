"""A smaller real model out of a real one: the first layers of a GGUF file, for tests that wait for it to read.

Its words make no sense. llama.cpp loads it, reads tokens, keeps to a schema and gives probabilities all the same, and
reading, which is what takes the time, costs as many layers as there are.
"""

from __future__ import annotations

import re
import struct
from pathlib import Path
from typing import IO

SIZES = {0: 1, 1: 1, 2: 2, 3: 2, 4: 4, 5: 4, 6: 4, 7: 1, 10: 8, 11: 8, 12: 8}
"""Bytes of a value by the number of its type; 8 is a text and 9 a list."""
ALIGNMENT = 32


def cut(model: str, layers: int, target: Path) -> str:
    """Write the model with its first layers only; the path of the new file."""
    with open(model, "rb") as file:
        magic, version, tensors, entries = struct.unpack("<4sIQQ", file.read(24))
        header = b"".join(_entry(file, layers) for _ in range(entries))
        infos = [_tensor(file) for _ in range(tensors)]
        begin = _padded(file.tell())
        ends = [*sorted(offset for *_, offset in infos)[1:], Path(model).stat().st_size - begin]
        end_of = dict(zip(sorted(offset for *_, offset in infos), ends, strict=True))
        kept = [info for info in infos if _layer(info[0]) < layers]
        described, data = bytearray(), bytearray()
        for name, shape, offset in kept:
            described += struct.pack("<Q", len(name)) + name + shape + struct.pack("<Q", len(data))
            file.seek(begin + offset)
            data += file.read(end_of[offset] - offset)
            data += bytes(_padded(len(data)) - len(data))
    head = struct.pack("<4sIQQ", magic, version, len(kept), entries) + header + described
    target.write_bytes(head + bytes(_padded(len(head)) - len(head)) + data)
    return str(target)


def _layer(name: bytes) -> int:
    """The layer a tensor belongs to; what belongs to none, such as the vocabulary, counts as the first."""
    numbered = re.match(rb"blk\.(\d+)\.", name)
    return int(numbered[1]) if numbered else 0


def _padded(size: int) -> int:
    return -(-size // ALIGNMENT) * ALIGNMENT


def _entry(file: IO[bytes], layers: int) -> bytes:
    start = file.tell()
    (length,) = struct.unpack("<Q", file.read(8))
    name = file.read(length)
    (kind,) = struct.unpack("<I", file.read(4))
    _skip(file, kind)
    end = file.tell()
    file.seek(start)
    whole = file.read(end - start)
    return whole[:-4] + struct.pack("<I", layers) if name.endswith(b".block_count") else whole


def _skip(file: IO[bytes], kind: int) -> None:
    if kind == 8:
        file.seek(*struct.unpack("<Q", file.read(8)), 1)  # type: ignore[call-arg]
    elif kind == 9:
        inner, length = struct.unpack("<IQ", file.read(12))
        for _ in range(length):
            _skip(file, inner)
    else:
        file.seek(SIZES[kind], 1)


def _tensor(file: IO[bytes]) -> tuple[bytes, bytes, int]:
    """A tensor's name, its shape and type as they stand in the file, and where its data begins."""
    (length,) = struct.unpack("<Q", file.read(8))
    name = file.read(length)
    dimensions = file.read(4)
    shape = dimensions + file.read(8 * struct.unpack("<I", dimensions)[0] + 4)
    (offset,) = struct.unpack("<Q", file.read(8))
    return name, shape, offset
