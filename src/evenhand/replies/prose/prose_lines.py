"""Where the line around a place in a text begins and ends. Pure."""

from __future__ import annotations


def line_start(text: str, place: int) -> int:
    """Where the line of a place begins."""
    return text.rfind("\n", 0, place) + 1


def line_end(text: str, place: int) -> int:
    """Where the line of a place ends."""
    end = text.find("\n", place)
    return len(text) if end < 0 else end


def line_before(text: str, place: int) -> str:
    """What the line of a place holds before it."""
    return text[line_start(text, place) : place]
