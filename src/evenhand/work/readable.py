"""A text as a judge may be shown it: complete, but with nothing unseen and no token of a chat format. Pure.

Characters that only hide or disguise words are removed. Blank letters become spaces, control codes become visible
signs, and one character of each token is replaced, all one for one: so every place can be traced back to the text as
written, and with it every quote.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from evenhand.lazy_pattern import late_pattern
from evenhand.work.hidden_text import Removed, blank_places, hidden_places, kinds_at, left_out
from evenhand.work.template_tokens import without_tokens

_CONTROL = late_pattern("[\x00-\x08\x0e-\x1b\x1f\x7f-\x84\x86-\x9f]")
"""Control codes that are neither white space nor line breaks."""


class Readable(NamedTuple):
    """A text as it may be shown."""

    text: str
    removed: Sequence[Removed] = ()
    """The kinds of characters that were removed, with their numbers."""
    tokens: int = 0
    """The tokens of chat formats in it."""
    gaps: Sequence[int] = ()
    """The places, in the text as written, of the characters that were removed."""


def readable(text: str) -> Readable:
    """A text as it may be shown, and what was changed."""
    places = hidden_places(text)
    bare = left_out(text, places) if places else text
    blanks = blank_places(bare)
    if blanks:
        signs = list(bare)
        for place in blanks:
            signs[place] = " "
        bare = "".join(signs)
    removed = kinds_at(text, places)
    if blanks:
        removed = [*removed, Removed("letters that look like a space", len(blanks))]
    bare = _CONTROL.sub(lambda code: _picture(code[0]), bare)
    bare, tokens = without_tokens(bare)
    return Readable(bare, tuple(removed), tokens, tuple(places))


def _picture(code: str) -> str:
    """The visible sign of a control code."""
    number = ord(code)
    return chr(0x2400 + number) if number < 0x20 else "\u2421" if number == 0x7F else "\ufffd"
