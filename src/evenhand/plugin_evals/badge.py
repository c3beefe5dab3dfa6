"""A badge for a README: a small picture that says a verdict with its count. Pure."""

from __future__ import annotations

from html import escape
from typing import Literal

from evenhand.work.printable import printable

Colour = Literal["green", "red", "grey"]
COLOURS = {"green": "#2e7d32", "red": "#c62828", "grey": "#5f6368"}
"""Each with a contrast of at least 4.5 to white."""
_CHARACTER, _PADDING = 7, 12
_LONGEST = 60


def badge_svg(label: str, text: str, colour: Colour) -> str:
    """A picture that needs nothing from elsewhere: its texts are fitted into their halves, whatever the font."""
    shown = [printable(" ".join(part.split()))[:_LONGEST] for part in (label, text)]
    widths = [len(part) * _CHARACTER for part in shown]
    label, text = map(escape, shown)
    left, right = (width + _PADDING for width in widths)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="badge" role="img" width="{left + right}" height="20" '
        f'aria-label="{label}: {text}"><title>{label}: {text}</title>'
        f'<clipPath id="r"><rect width="{left + right}" height="20" rx="3"/></clipPath><g clip-path="url(#r)">'
        f'<rect width="{left}" height="20" fill="#3c4043"/>'
        f'<rect x="{left}" width="{right}" height="20" fill="{COLOURS[colour]}"/></g>'
        '<g fill="#fff" font-family="Verdana,DejaVu Sans,sans-serif" font-size="11">'
        f'<text x="{_PADDING // 2}" y="14" textLength="{widths[0]}">{label}</text>'
        f'<text x="{left + _PADDING // 2}" y="14" textLength="{widths[1]}">{text}</text></g></svg>\n'
    )
