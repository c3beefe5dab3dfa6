"""How the texts of an evaluation begin, from the first characters of what is stored: it may end anywhere. Pure."""

from __future__ import annotations

import json
from typing import Final

from evenhand.lazy_pattern import late_pattern
from evenhand.named_tuple import NamedTuple

LENGTH: Final = 1_500
"""Characters of a text that are read to show how it begins."""


class Beginning(NamedTuple):
    """How the texts of an evaluation begin: enough for a line in a list."""

    task: str
    output: str
    reason: str
    """Of a judge, where no text is kept."""


_DECODER: Final = json.JSONDecoder()
_REASON: Final = late_pattern(r'"justification":"[^"]')
_HALF_ESCAPE: Final = late_pattern(r"(?<!\\)((?:\\\\)*)\\(?:u[0-9a-fA-F]{0,3})?$")


def beginning_of(start: str | None, end: str | None, scorecard: str | None) -> Beginning:
    """From the first and the last characters of a submission, or the first of a scorecard."""
    task = _text_after(end if end is not None else start, '"task":', last=True)
    return Beginning(task, _text_after(start, '"output":'), _first_reason(scorecard))


def _first_reason(scorecard: str | None) -> str:
    """The first justification on a scorecard that says something."""
    found = _REASON.search(scorecard or "")
    return _text_after(found.string[found.start() :], '"justification":') if found else ""


def _text_after(json_text: str | None, name: str, *, last: bool = False) -> str:
    """The text with this name in a piece of JSON, which may end within it; empty without one."""
    if json_text is None:
        return ""
    place = json_text.rfind(name) if last else json_text.find(name)
    place += len(name)
    if place < len(name) or json_text[place : place + 1] != '"':
        return ""
    try:
        text, _ = _DECODER.raw_decode(json_text, place)
    except ValueError:
        cut = _HALF_ESCAPE.sub(r"\1", json_text[place:])
        try:
            text = json.loads(f'{cut}"')
        except ValueError:
            return ""
    return text if isinstance(text, str) else ""
