"""The pieces every terminal report is made of; none of them lets control codes through."""

from __future__ import annotations

from typing import Any

from rich.cells import cell_len, set_cell_size
from rich.console import Console
from rich.text import Text as RichText

from evenhand.work.printable import printable

WIDEST = 100
"""Lines longer than this are hard to read; a wider terminal is left empty at the right."""


_COLOURS = {"A": "green", "B": "cyan", "C": "yellow", "D": "red", "F": "red", "-": "magenta"}


def grade_colour(letter: str) -> str:
    """The colour of a grade."""
    return _COLOURS[letter[0]]


class Text(RichText):
    """Text that shows no control codes: what is judged must not be able to write to the terminal."""

    def __init__(self, text: str = "", *arguments: Any, **options: Any) -> None:
        super().__init__(printable(text), *arguments, **options)

    def append(self, text: RichText | str, style: Any = None) -> Text:
        super().append(printable(text) if isinstance(text, str) else text, style)
        return self


class Glyphs:
    """Signs that fall back to ASCII where the terminal cannot show them."""

    def __init__(self, console: Console) -> None:
        self.plain = plain = console.options.ascii_only
        self.full, self.empty = ("#", ".") if plain else ("\u2588", "\u2591")
        self.times, self.minus = ("x", "-") if plain else ("\u00d7", "\u2212")
        self.yes, self.no, self.unknown = ("ok", "NO", "?") if plain else ("\u2713", "\u2717", "\u00b7")
        self.open, self.close = ('"', '"') if plain else ("\u201c", "\u201d")
        self.arrow, self.warning = ("->", "!") if plain else ("\u2192", "!")
        self.rule = "-" if plain else "\u2500"
        self.folded = "+" if plain else "\u25b8"


def cut(text: str, cells: int) -> str:
    """Text filled up or cut to a number of cells; "~" marks where something is missing."""
    return set_cell_size(text if cell_len(text) <= cells else set_cell_size(text, cells - 1) + "~", cells)
