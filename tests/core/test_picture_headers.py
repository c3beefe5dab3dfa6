"""The size of a picture from its header, byte by byte, and whether it is whole."""

from __future__ import annotations

import struct

import pytest

from evenhand.work.pictures import GIF, JPEG, PNG, WEBP, media_of, size_of
from every_case import every_case

SIZES = [(1, 1), (2, 1), (1, 2), (300, 16), (16, 300), (16383, 255), (255, 16383)]


def webp(kind: bytes, body: bytes) -> bytes:
    """A WebP file with one chunk."""
    chunk = kind + struct.pack("<I", len(body)) + body
    return b"RIFF" + struct.pack("<I", 4 + len(chunk)) + b"WEBP" + chunk


def extended(wide: int, high: int) -> bytes:
    return webp(b"VP8X", b"\0" * 4 + (wide - 1).to_bytes(3, "little") + (high - 1).to_bytes(3, "little"))


def lossless(wide: int, high: int, alpha: int = 1) -> bytes:
    bits = (wide - 1) | (high - 1) << 14 | alpha << 28
    return webp(b"VP8L", b"\x2f" + struct.pack("<I", bits))


def lossy(wide: int, high: int, scale: int = 3) -> bytes:
    """With the scale in the two upper bits, which are not part of the size."""
    return webp(b"VP8 ", b"\0\0\0\x9d\x01\x2a" + struct.pack("<HH", wide | scale << 14, high | scale << 14))


def segment(kind: int, body: bytes) -> bytes:
    return bytes((0xFF, kind)) + struct.pack(">H", 2 + len(body)) + body


def frame(wide: int, high: int, kind: int = 0xC0) -> bytes:
    return segment(kind, b"\x08" + struct.pack(">HH", high, wide) + b"\x01\x01\x11\x00")


@every_case("make", [extended, lossless, lossy])
@every_case(("wide", "high"), SIZES)
def test_each_kind_of_webp_says_its_size(make, wide, high):
    """Width first; 14 or 24 bits each, one less than the size where none can be 0."""
    assert size_of(make(wide, high)) == (wide, high)
    assert media_of(make(wide, high)) == WEBP


@pytest.mark.parametrize(("wide", "high"), SIZES)
def test_a_png_and_a_gif_say_their_size(wide, high):
    """Big-endian in one, little-endian in the other."""
    png = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + struct.pack(">II", wide, high)
    assert size_of(png) == (wide, high)
    assert size_of(b"GIF87a" + struct.pack("<HH", wide, high)) == (wide, high)


def test_every_byte_of_a_size_counts_and_none_beside_it():
    """Four bytes in a PNG, three in a large WebP, two in a GIF and a JPEG, with other bytes right behind."""
    png = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + struct.pack(">II", 0x01020304, 0x05060708) + b"\x08\x06"
    assert size_of(png) == (0x01020304, 0x05060708)
    assert size_of(extended(0x010203, 0x040506) + b"\x01") == (0x010203, 0x040506)
    assert size_of(b"GIF89a" + struct.pack("<HH", 0x0102, 0x0304) + b"\xf7") == (0x0102, 0x0304)
    assert size_of(b"\xff\xd8" + frame(0x0102, 0x0304)) == (0x0102, 0x0304)
    assert size_of(lossless(0x0102, 0x0304) + b"\xff") == (0x0102, 0x0304)
    assert size_of(lossy(0x0102, 0x0304) + b"\xff") == (0x0102, 0x0304)


@pytest.mark.parametrize("kind", [kind for kind in range(0xC0, 0xD0) if kind not in (0xC4, 0xC8, 0xCC)])
def test_every_start_of_a_jpeg_frame_says_the_size(kind):
    """C0 to CF but for tables, a reserved one and arithmetic conditioning."""
    assert size_of(b"\xff\xd8" + frame(300, 16, kind)) == (300, 16)


@pytest.mark.parametrize("kind", [0xBF, 0xC4, 0xC8, 0xCC, 0xD0, 0xE0])
def test_other_jpeg_segments_are_stepped_over(kind):
    """Also one that looks like a frame inside, and a fill byte before the next."""
    other = segment(kind, frame(7, 9)[1:])
    assert size_of(b"\xff\xd8" + other + frame(300, 16)) == (300, 16)
    assert size_of(b"\xff\xd8" + other + b"\xff" + frame(300, 16)) == (300, 16)


def test_a_jpeg_whose_header_is_cut_off_has_no_size():
    """Nine bytes of the frame are needed, and no fewer do."""
    whole = b"\xff\xd8" + frame(300, 16)
    assert size_of(whole[:11]) == (300, 16)
    assert size_of(whole[:10]) is None
    assert size_of(b"\xff\xd8" + b"\0" + frame(300, 16)) is None


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"GIF89a" + struct.pack("<HH", 0, 5),
        b"GIF89a" + struct.pack("<HH", 5, 0),
        b"\xff\xd8" + frame(0, 5),
        webp(b"ANIM", b"\x07" * 30),
    ],
)
def test_a_size_of_nothing_is_not_a_size(data):
    """Neither side may be 0."""
    assert size_of(data) is None


@pytest.mark.parametrize(
    ("data", "media"),
    [
        (b"\x89PNG\r\n\x1a\n...IEND\xaeB`\x82", PNG),
        (b"\x89PNG\r\n\x1a\n...IEND", None),
        (b"\xff\xd8\xff...\xff\xd9", JPEG),
        (b"\xff\xd8\xff...\xff\xd9" + b"\0" * 62, JPEG),
        (b"\xff\xd8\xff...\xff\xd9" + b"\0" * 63, None),
        (b"\xff\xd8\xff...", None),
        (b"GIF87a...;\0\0", GIF),
        (b"GIF89a...", None),
        (extended(3, 4), WEBP),
        (extended(3, 4)[:-1], None),
        (b"RIFF\x04\0\0\0WAVE", None),
        (b"RIFX" + extended(3, 4)[4:], None),
        (b"RIFF\0\0\0\x01WEBP", None),  # 16 MB are announced
        (b"WEBP", None),
    ],
)
def test_a_picture_is_known_by_its_start_and_whole_by_its_end(data, media):
    """A JPEG may be followed by up to 62 bytes of padding, a GIF by zeros."""
    assert media_of(data) == media


def test_media_types_are_the_registered_names():
    assert (PNG, JPEG, GIF, WEBP) == ("image/png", "image/jpeg", "image/gif", "image/webp")
