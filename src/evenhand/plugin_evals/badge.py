"""A small picture for a README: the verdict with its count, never a difference alone. SVG without scripts or fonts."""

from __future__ import annotations

from xml.sax.saxutils import escape

from evenhand.decisions.decision import Contrast

_COLOURS = {"better": "#2e7d32", "worse": "#b3261e", "no difference shown": "#5f6368", "undecided": "#8a6d00"}
_HEIGHT = 20
_PADDING = 8


def badge(contrast: Contrast) -> str:
    """The badge of a decided comparison: "evenhand | better in 6 of 7 cases"."""
    left, right = "evenhand", badge_text(contrast)
    widths = [_width(text) + 2 * _PADDING for text in (left, right)]
    whole = sum(widths)
    title = escape(f"{contrast.variant} against {contrast.reference}: {right}")
    colour = _COLOURS[contrast.verdict]
    cells = ((left, 0, widths[0], "#3c4043"), (right, widths[0], widths[1], colour))
    shapes = "".join(
        f'<rect x="{x}" width="{width}" height="{_HEIGHT}" fill="{fill}"/>'
        f'<text x="{x + width / 2:g}" y="14" textLength="{width - 2 * _PADDING}">{escape(text)}</text>'
        for text, x, width, fill in cells
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{whole}" height="{_HEIGHT}" role="img" aria-label="{title}">'
        f'<title>{title}</title><g fill="#fff" font-family="Verdana,DejaVu Sans,sans-serif" font-size="11" '
        f'text-anchor="middle">{shapes}</g></svg>\n'
    )


def badge_text(contrast: Contrast) -> str:
    """The verdict with how many cases stand behind it."""
    differing = contrast.better + contrast.worse
    if contrast.verdict in ("better", "worse"):
        count = getattr(contrast, contrast.verdict)
        return f"{contrast.verdict} in {count} of {differing} {'case' if differing == 1 else 'cases'}"
    return f"{contrast.verdict} ({contrast.cases} {'case' if contrast.cases == 1 else 'cases'})"


def _width(text: str) -> int:
    """About the width of a text at 11 pixels; `textLength` fits it exactly."""
    return round(sum(4 if letter in "il.,:;()| " else 7 for letter in text))
