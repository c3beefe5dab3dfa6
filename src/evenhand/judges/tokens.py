"""How many tokens a text is likely to take, before any model has counted it. Pure.

The estimate errs on the high side, because a call that overflows a window is lost: a token for every four lower-case
letters and spaces, one for every other ASCII character, and one for every two bytes of UTF-8 beyond ASCII (so one and
a half for a Chinese character).
"""

from __future__ import annotations

from typing import Final

_COMMON: Final = b"abcdefghijklmnopqrstuvwxyz \n\t\r"
_ASCII: Final = bytes(range(128))


def estimate_tokens(text: str) -> int:
    """The tokens a text takes, estimated high. Never falls when a text grows; a whole costs no more than its parts."""
    encoded = text.encode("utf-8", "surrogatepass")
    rare = encoded.translate(None, _COMMON)
    beyond = len(rare.translate(None, _ASCII))
    common = len(encoded) - len(rare)
    return -(-common // 4) + (len(rare) - beyond) + -(-beyond // 2)
