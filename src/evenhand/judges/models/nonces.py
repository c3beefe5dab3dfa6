"""The nonce that fences a submission: unpredictable to its author, and the same in every call about it.

It is an HMAC-SHA-256 of everything that is fenced, cut to 64 bits. The secret is kept with the store, so that everyone
who shares the store also shares the servers' caches; without a store it is random and lasts as long as the run.
"""

from __future__ import annotations

import hmac
import secrets
from collections.abc import Callable
from typing import Final

from evenhand.judges.models.questions.prompt import nonce_fits
from evenhand.judges.models.questions.shown_work import Shown

DIGITS: Final = 16
"""Hexadecimal digits of a nonce, four bits each: nobody can try them out, and each costs a token in every fence."""


class Nonces:
    """Makes the nonces of a run. `secret` is called once, before the first call to a model."""

    def __init__(self, secret: Callable[[], bytes] | None = None) -> None:
        self._secret = secret or (lambda: secrets.token_bytes(32))
        self._key: bytes | None = None

    def of(self, shown: Shown) -> str:
        """The nonce for a submission as it is shown; never one that occurs in it."""
        if self._key is None:
            self._key = self._secret()
        fenced = _written(shown)
        nonce = self._digest(fenced)
        # A submission that contains its own nonce cannot be written without the secret, but one in 2**64 happens to.
        while not nonce_fits(shown, nonce):
            fenced += b"\1"
            nonce = self._digest(fenced)
        return nonce

    def _digest(self, fenced: bytes) -> str:
        assert self._key is not None
        return hmac.digest(self._key, fenced, "sha256").hex()[:DIGITS]


def _written(shown: Shown) -> bytes:
    """Everything that is fenced; no two submissions are written alike."""
    # Lengths come first, and a missing text differs from an empty one: otherwise the end of a task could be moved into
    # the work, and two submissions would share a nonce that the author of one has seen.
    parts = (None if text is None else text.encode("utf-8", "surrogatepass") for text in shown.fenced)
    return b"".join(b"-" if part is None else b"%d:%b" % (len(part), part) for part in parts)
