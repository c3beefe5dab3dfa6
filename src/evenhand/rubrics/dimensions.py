"""The dimensions of a rubric draft: which section is about which, and the bands in it."""

from __future__ import annotations

import re

from evenhand.core.basics.methodology import DIMENSIONS
from evenhand.core.basics.names import nearest
from evenhand.core.values.rubric import Band, Criteria
from evenhand.rubrics.lists import list_kind
from evenhand.rubrics.outline import Piece, Section
from evenhand.rubrics.sections import Draft

_SCALE = r"([0-9]+)(?:\s*(?:-|\u2013|\u2014|to)\s*([0-9]+))?"
_RANGE = re.compile(_SCALE, re.IGNORECASE)
_LED_BY_RANGE = re.compile(rf"[*_]*(?P<band>{_SCALE})[*_ ]*(?::|\s[-\u2013\u2014]\s)[*_ ]*", re.IGNORECASE)
"""The start of a bullet that is a band: 7-8: text, **7-8**: text, 7-8 - text."""

_LEAD = ":-\u2013\u2014 "
_MARKS = "*_` "


def dimension_of(heading: str) -> str | None:
    """The dimension a heading is about: its name, alone or before a bracket, a colon or a dash."""
    words = re.split(r"[(\[:\u2013\u2014]| - ", heading, maxsplit=1)[0]
    name = words.strip("*_ 0123456789.").lower()
    return name if name in DIMENSIONS else None


def dimension_sections(draft: Draft) -> dict[str, list[Section]]:
    """For each dimension its section and the deeper ones under it."""
    found: dict[str, list[Section]] = {}
    current: list[Section] | None = None
    for section in draft.parts:
        name = dimension_of(section.heading)
        if name and name in found:
            first = found[name][0].line
            draft.say(section.line, f"a second section for {name}; the first is on line {first}; keep one")
            current = None
        elif name:
            current = found[name] = [section]
            draft.lines["dimensions", name] = section.line
        elif current and section.level > current[0].level and not list_kind(section.heading):
            current.append(section)
        else:
            current = None
            _refuse_weighted(draft, section)
    others = {_before_bracket(each.heading): each for each in draft.parts if not dimension_of(each.heading)}
    for name in DIMENSIONS:
        if name not in found:
            guess = nearest(name, others)
            at = others[guess] if guess else None
            hint = f'; is "{at.heading}" meant for it?' if at else ""
            draft.say(
                at.line if at else None,
                f"no section for {name}; each of the seven needs a heading with its bands{hint}",
            )
    return {name: found[name] for name in DIMENSIONS if name in found}


def _before_bracket(heading: str) -> str:
    return heading.partition("(")[0].strip("*_ ").lower()


def _refuse_weighted(draft: Draft, section: Section) -> None:
    if re.search(r"\(\s*weight\b", section.heading, re.IGNORECASE):
        draft.say(
            section.line, f'"{section.heading}" has a weight but is not one of the seven: {", ".join(DIMENSIONS)}'
        )


def criteria_from(draft: Draft, name: str, sections: list[Section]) -> Criteria:
    paragraphs = [piece for section in sections for piece in section.paragraphs]
    labelled = [piece for piece in paragraphs if "measures" in piece.label.lower()]
    measures = labelled[0].text if labelled else next((piece.text for piece in paragraphs if not piece.label), "")
    bands = []
    for section in sections:
        for row in section.rows:
            bands += _band(draft, name, row, row.cells[0].strip(_MARKS), " ".join(row.cells[1:]).strip())
        for item in section.items:
            match = _LED_BY_RANGE.match(item.text)
            if item.code and re.search("[0-9]", item.code):
                bands += _band(draft, name, item, item.code, item.text.lstrip(_LEAD))
            elif match and not item.code:
                bands += _band(draft, name, item, match["band"], item.text[match.end() :])
    if not bands:
        draft.say(sections[0].line, f"{name} has no bands; give a table with the rows 9-10, 7-8, 5-6, 3-4 and 1-2")
    return Criteria(measures=measures, bands=tuple(sorted(bands, key=lambda band: -band.high)))


def _band(draft: Draft, name: str, piece: Piece, written: str, criteria: str) -> list[Band]:
    match = _RANGE.fullmatch(written.strip())
    if not match:
        draft.say(piece.line, f'{name}: "{written}" is not a band; write it like 7-8')
        return []
    low, high = int(match[1]), int(match[2] or match[1])
    if not 1 <= low <= high <= 10:
        draft.say(piece.line, f"{name}: the band {written} must lie within 1-10, the lower number first")
        return []
    draft.lines["dimensions", name, high] = piece.line
    return [Band(low=low, high=high, criteria=criteria)]
