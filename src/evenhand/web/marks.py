"""Small pieces of HTML that long lists repeat, each made once and remembered. Every value is escaped."""

from __future__ import annotations

from functools import lru_cache

from markupsafe import Markup

from evenhand.core.text.printable import printable
from evenhand.web.parameters import link


@lru_cache(maxsize=64)
def grade_mark(letter: str | None) -> Markup:
    """A grade in its colour."""
    if not letter:
        return Markup('<span class="soft">not graded</span>')
    tone = letter[0].lower() if letter[0] in "ABCDF" else "none"
    return Markup('<b class="grade grade-{}">{}</b>').format(tone, printable(letter))


@lru_cache(maxsize=64)
def rubric_mark(name: str, version: str) -> Markup:
    """A version of a rubric, with a link to its page."""
    return Markup('<a href="{}">{}</a> <span class="soft">{}</span>').format(
        link("/rubric", {"name": name, "to": version}), printable(name), printable(version[:8])
    )
