"""What kind of picture some bytes are, whether it is whole, and how large it is: by its own header. Pure.

No pixel is decoded.
"""

from __future__ import annotations

PNG, JPEG, GIF, WEBP = "image/png", "image/jpeg", "image/gif", "image/webp"

_NO_SIZE = frozenset((0xC4, 0xC8, 0xCC))
"""JPEG segments between C0 and CF that do not start a frame."""


def media_of(data: bytes) -> str | None:
    """The media type of a whole PNG, JPEG, GIF or WebP picture; None for anything else, or if its end is missing."""
    if data.startswith(b"\x89PNG\r\n\x1a\n"):
        return PNG if data.endswith(b"IEND\xaeB`\x82") else None
    if data.startswith(b"\xff\xd8\xff"):
        return JPEG if b"\xff\xd9" in data[-64:] else None
    if data.startswith((b"GIF87a", b"GIF89a")):
        return GIF if data.rstrip(b"\0").endswith(b";") else None
    if data.startswith(b"RIFF") and data[8:12] == b"WEBP":
        return WEBP if len(data) >= 8 + int.from_bytes(data[4:8], "little") else None
    return None


def size_of(data: bytes) -> tuple[int, int] | None:
    """Width and height in pixels; None when the header does not say."""
    if data.startswith(b"\x89PNG"):
        size = int.from_bytes(data[16:20], "big"), int.from_bytes(data[20:24], "big")
    elif data.startswith(b"GIF8"):
        size = int.from_bytes(data[6:8], "little"), int.from_bytes(data[8:10], "little")
    elif data.startswith(b"RIFF"):
        size = _webp_size(data)
    else:
        size = _jpeg_size(data)
    return size if min(size) > 0 else None


def _webp_size(data: bytes) -> tuple[int, int]:
    kind = data[12:16]
    if kind == b"VP8X":
        return 1 + int.from_bytes(data[24:27], "little"), 1 + int.from_bytes(data[27:30], "little")
    if kind == b"VP8L":
        bits = int.from_bytes(data[21:25], "little")
        return 1 + (bits & 0x3FFF), 1 + (bits >> 14 & 0x3FFF)
    if kind == b"VP8 ":
        return int.from_bytes(data[26:28], "little") & 0x3FFF, int.from_bytes(data[28:30], "little") & 0x3FFF
    return 0, 0


def _jpeg_size(data: bytes) -> tuple[int, int]:
    """From the first segment that starts a frame."""
    place = 2
    while place + 9 <= len(data) and data[place] == 0xFF:
        kind = data[place + 1]
        if 0xC0 <= kind <= 0xCF and kind not in _NO_SIZE:
            return int.from_bytes(data[place + 7 : place + 9], "big"), int.from_bytes(
                data[place + 5 : place + 7], "big"
            )
        place += 2 + int.from_bytes(data[place + 2 : place + 4], "big") if kind != 0xFF else 1
    return 0, 0
