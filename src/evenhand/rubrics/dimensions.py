"""The dimensions of a rubric draft: which section is about which, and the bands in it."""

from __future__ import annotations

import re

from evenhand.core.rules import DIMENSIONS
from evenhand.core.values import Band, Criteria
from evenhand.errors import nearest
from evenhand.rubrics.criteria_list import lists_criteria, tree_from
from evenhand.rubrics.list_headings import is_ours, list_kind
from evenhand.rubrics.outline import Piece, Section
from evenhand.rubrics.sections import Draft
from evenhand.rubrics.written_weights import WORD, plain, value_of

_SCALE = r"([0-9]+)(?:\s*(?:-|\u2013|\u2014|to)\s*([0-9]+))?"
_RANGE = re.compile(_SCALE, re.IGNORECASE)
_LED_BY_RANGE = re.compile(rf"[*_]*(?P<band>{_SCALE})[*_ ]*(?::|\s[-\u2013\u2014]\s)[*_ ]*", re.IGNORECASE)
"""The start of a bullet that is a band: 7-8: text, **7-8**: text, 7-8 - text."""

_LEAD = ":-\u2013\u2014 "
_MARKS = "*_` "


_LINK = re.compile(r"\[([^\[\]]*)\]\([^()]*\)")
_HEADING = re.compile(
    rf"(?P<before>(?:dimension\s*)?[\W\d_]*(?:(?:{WORD}|points?|pts|per\s?cent|punkte|of|for|von)[\W\d_]*)*)"
    rf"(?P<name>{'|'.join(DIMENSIONS)})[*_`]*"
    rf"(?P<rest>\s*<!--.*|\s*[(\[{{:\u2013\u2014=|\uff08\u3010\uff1a].*|\s+[-x*\u00d7]\s*.*|\s*,\s*(?=[0-9]|{WORD}).*|\s+[0-9.].*|\s+{WORD}\b.*|\s*)",
    re.IGNORECASE,
)


def dimension_of(heading: str) -> str | None:
    """The dimension a heading names: alone or before a bracket, a colon, a dash or a weight."""
    match = _HEADING.fullmatch(_LINK.sub(r"\1", heading.strip()))
    return match["name"].lower() if match else None


def before_name(heading: str) -> str:
    """What precedes a dimension's name in its heading: an ordinal or a weight."""
    match = _HEADING.fullmatch(_LINK.sub(r"\1", heading.strip()))
    return re.sub(r"^dimension\s*", "", match["before"], flags=re.IGNORECASE) if match else ""


def after_name(heading: str) -> str:
    """What follows a dimension's name in its heading."""
    match = _HEADING.fullmatch(_LINK.sub(r"\1", heading.strip()))
    return match["rest"] if match else heading


def dimension_sections(draft: Draft) -> dict[str, list[Section]]:
    """For each dimension its section and the deeper ones under it."""
    sections: dict[str, list[Section]] = {}
    current: list[Section] | None = None
    for section in draft.parts:
        name = dimension_of(section.heading)
        if name and name in sections:
            first = sections[name][0].line
            draft.say(section.line, f"a second section for {name}; the first is on line {first}; keep one")
            current = None
        elif name:
            current = sections[name] = [section]
            section.read = True
            draft.lines["dimensions", name] = section.line
        elif current and section.level > current[0].level and lists_criteria(section):
            dimension = dimension_of(current[0].heading)
            assert dimension is not None
            draft.criteria_sections.setdefault(dimension, []).append(section)
            section.read = True
        elif current and section.level > current[0].level and not list_kind(section.heading):
            current.append(section)
            section.read = True
        else:
            _refuse_inside(draft, section, current)
            current = None
            _refuse_weighted(draft, section)
    others = {_before_bracket(part.heading): part for part in draft.parts if not dimension_of(part.heading)}
    for name in DIMENSIONS:
        if name not in sections:
            guess = nearest(name, others)
            near = others[guess[0]] if guess else None
            hint = f'; is "{near.heading}" meant for it?' if near else ""
            draft.say(
                near.line if near else None,
                f"no section for {name}; each of the seven needs a heading with its bands{hint}",
            )
    return {name: sections[name] for name in DIMENSIONS if name in sections}


def _before_bracket(heading: str) -> str:
    return heading.partition("(")[0].strip("*_ ").lower()


def _refuse_inside(draft: Draft, section: Section, current: list[Section] | None) -> None:
    """Refuse lists inside a dimension: flags and bonuses change the final score, not that of a dimension."""
    if current and section.level > current[0].level and list_kind(section.heading) and not is_ours(section.heading):
        name = dimension_of(current[0].heading)
        draft.say(
            section.line,
            f'"{section.heading}" is inside {name}, and no dimension has a list of its own; '
            'put it into the bands, or into the list under "## Red flags" or "## Bonuses"',
        )


def _refuse_weighted(draft: Draft, section: Section) -> None:
    """Refuse a weight on an eighth dimension, which would be lost."""
    heading = plain(section.heading)
    _, bracket, inside = heading.partition("(")
    _, colon, last = heading.rpartition(":")
    value = value_of(inside.rstrip(") ")) if bracket else None
    has_unit = re.search(rf"\b{WORD}\b|%|points?\b|pts?\b", heading, re.IGNORECASE)
    if list_kind(section.heading) is None and has_unit and (value or (colon and value_of(last))):
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
            row.read = True
            bands += _band(draft, name, row, row.cells[0].strip(_MARKS), " ".join(row.cells[1:]).strip())
        for item in section.items:
            match = _LED_BY_RANGE.match(item.text)
            if item.code and re.search("[0-9]", item.code):
                bands += _band(draft, name, item, item.code, item.text.lstrip(_LEAD))
            elif match and not item.code:
                bands += _band(draft, name, item, match["band"], item.text[match.end() :])
    tree = tree_from(draft, name) if name in draft.criteria_sections else None
    if not bands and tree is None:
        draft.say(sections[0].line, f"{name} has no bands; give a table with the rows 9-10, 7-8, 5-6, 3-4 and 1-2")
    return Criteria(measures=measures, bands=tuple(sorted(bands, key=lambda band: -band.high)), tree=tree)


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
    piece.read = True
    return [Band(low=low, high=high, criteria=criteria)]
