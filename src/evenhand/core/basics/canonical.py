"""Canonical JSON text, from which everything is hashed. Pure.

Sorted keys, no white space, UTF-8, strings escaped only where JSON demands it, numbers in their
shortest decimal form (8, 7.5). A file that was merely re-indented therefore hashes the same.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from decimal import Decimal
from functools import lru_cache
from json.encoder import encode_basestring as quoted
from zlib import crc32

from evenhand.core.basics.numbers import plain

_ENCODER = json.JSONEncoder(sort_keys=True, ensure_ascii=False, separators=(",", ":"), allow_nan=False)


_NOTHING = {type(None): "null", list: "[]", dict: "{}"}
"""Common empty values, written without the encoder."""


def canonical_text(value: object) -> str:
    """A plain JSON value as the text that is hashed."""
    return _ENCODER.encode(value) if value or type(value) not in _NOTHING else _NOTHING[type(value)]


def sha256(text: str) -> str:
    """The hash of a canonical text."""
    return hashlib.sha256(text.encode()).hexdigest()


def sha256_of(parts: Iterable[str]) -> str:
    """The hash of a canonical text that is given in parts, and is never whole in memory."""
    digest = hashlib.sha256()
    for part in parts:
        digest.update(part.encode())
    return digest.hexdigest()


def checksum(text: str) -> str:
    """A short checksum that shows what changed. Like any unkeyed hash, it guards against accidents, not tampering."""
    return crc32(text.encode()).to_bytes(4, "big").hex()  # half the time of formatting the number


@lru_cache(maxsize=4096)
def number_text(number: Decimal) -> str:
    """A number in canonical form."""
    return repr(plain(number))


def names_text(names: Mapping[str, str]) -> str:
    """An object of texts in canonical form. Cached: the same few, such as a judge's identity, recur."""
    return _names_text(tuple(names.items()))


@lru_cache(maxsize=256)
def _names_text(items: tuple[tuple[str, str], ...]) -> str:
    return canonical_text(dict(items))


__all__ = ["canonical_text", "checksum", "names_text", "number_text", "quoted", "sha256"]
