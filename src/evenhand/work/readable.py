"""A text as a judge may be shown it: complete, but with nothing unseen and no token of a chat format. Pure.

Characters that only hide or disguise words are removed. Blank letters become spaces, control codes become visible
signs, and one character of each token is replaced, all one for one: so every place can be traced back to the text as
written, and with it every quote.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

_CONTROL = re.compile("[\x00-\x08\x0e-\x1b\x1f\x7f-\x84\x86-\x9f]")
"""Control codes that are neither white space nor line breaks."""


class Removed(NamedTuple):
    """A kind of character removed from a text, and how many there were."""

    what: str
    times: int


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
    bare, removed, gaps, tokens = text, [], [], 0
    # The patterns of the two modules take longer to compile than a plain output takes to be scored.
    if not text.isascii():
        from evenhand.work.hidden_text import blank_places, hidden_places, kinds_at, left_out

        gaps = hidden_places(text)
        bare = left_out(text, gaps) if gaps else text
        removed = [Removed(what, times) for what, times in kinds_at(text, gaps)]
        blanks = blank_places(bare)
        if blanks:
            signs = list(bare)
            for place in blanks:
                signs[place] = " "
            bare = "".join(signs)
            removed.append(Removed("letters that look like a space", len(blanks)))
    bare = _CONTROL.sub(lambda code: _picture(code[0]), bare)
    if any(sign in bare for sign in ("<", "[", "\n\nHuman:", "\n\nAssistant:")):
        from evenhand.work.template_tokens import without_tokens

        bare, tokens = without_tokens(bare)
    return Readable(bare, tuple(removed), tokens, tuple(gaps))


def _picture(code: str) -> str:
    """The visible sign of a control code."""
    number = ord(code)
    return chr(0x2400 + number) if number < 0x20 else "\u2421" if number == 0x7F else "\ufffd"
