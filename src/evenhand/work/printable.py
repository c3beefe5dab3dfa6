"""Text from outside as it may be shown: no control codes, nothing unseen that carries words or turns the direction."""

from __future__ import annotations

import re

UNPRINTABLE = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\U000e0000-\U000e007f]"
)
"""C0 and C1 controls (and with them every escape sequence), marks of direction, and what is never seen.

Line feed and tab stay, and so do the joiners that Persian and emoji are written with.
"""


def printable(text: str) -> str:
    """The text with a replacement character for each that a terminal would obey or a reader could not see."""
    return text if is_printable(text) else UNPRINTABLE.sub("\ufffd", text)


def is_printable(text: str) -> bool:
    """Whether it is certain, at a glance, that nothing has to be replaced; it is so for most texts."""
    return text.replace("\n", "").isprintable()
