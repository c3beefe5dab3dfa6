"""Markdown rubrics in other formats -> their contents: tables of criteria, sections with bands, lists of flags."""

from __future__ import annotations

import re
from contextlib import suppress

from evenhand.rubrics.amounts import after_id, in_bullet, stray_amount
from evenhand.rubrics.bullets import Entry
from evenhand.rubrics.conversion.foreign import Claim, Criterion, Foreign, Left, Level
from evenhand.rubrics.conversion.foreign_data import read_data
from evenhand.rubrics.list_headings import ListKind, list_kind
from evenhand.rubrics.outline import Piece, Section
from evenhand.rubrics.sections import Draft
from evenhand.rubrics.written_weights import WORD, Unclear, heading_weight, line_weight, plain, value_of

_CRITERION = re.compile(r"criteri|dimension|categor|aspect|metric|kriterium|skill|trait|area", re.IGNORECASE)
_WEIGHT = re.compile(rf"{WORD}|^points?$|^max|^%$|percent", re.IGNORECASE)
_MEASURES = re.compile(r"descri|measure|definition|question|what|beschreibung", re.IGNORECASE)
_RANGE = re.compile(r"[0-9]{1,3}(?:\s*(?:-|\u2013|\u2014|to)\s*[0-9]{1,3})?\s*%?")
_GRADE = re.compile(
    r"\b(?:excellent|outstanding|exceptional|exemplary|proficient|very good|good|competent|satisfactory|adequate|fair"
    r"|average|developing|emerging|beginning|basic|needs improvement|poor|weak|unsatisfactory|unacceptable|failing"
    r"|novice|expert)\b",
    re.IGNORECASE,
)
_AMOUNT = re.compile(r"deduct|penalt|amount|points?|bonus|cost|abzug", re.IGNORECASE)


def read_markdown(text: str, source: str) -> Foreign:
    """The contents of a Markdown file."""
    draft = Draft(text, source)
    foreign = read_data(draft.located) if draft.located is not None else Foreign(source)
    if draft.title is not None:
        foreign.texts.setdefault("title", plain(draft.title.heading))
    introduced = False
    for section in draft.sections:
        kind = None if section is draft.title else list_kind(section.heading)
        before = len(foreign.criteria)
        summary = not introduced and not foreign.criteria
        if kind is not None:
            _claims(foreign, section, kind)
            introduced = True
            continue
        if section.level and section is not draft.title and (bool(_bands(section)) or _weight_of(section) is not None):
            _criterion(foreign, section)
        else:
            _tables(foreign, section)
            _prose(foreign, section, summary=summary)
        introduced = introduced or len(foreign.criteria) > before
    return foreign


def _weight_of(section: Section) -> str | None:
    head, rest = _split_heading(section.heading)
    with suppress(Unclear):
        weight = heading_weight(rest) if head else None
        if weight is not None:
            return weight
    lines = [line for piece in (*section.paragraphs, *section.items) for line in piece.lines or (piece.text,)]
    return next((weight for line in lines if (weight := line_weight(line)) is not None), None)


def _split_heading(heading: str) -> tuple[str, str]:
    match = re.match(
        r"(?:[0-9]+[.)]\s*)?([^(\[:\u2013\u2014|0-9]+?)\s*(?=$|[(\[:\u2013\u2014|]|\s-\s|\sx?[0-9])", plain(heading)
    )
    return (match[1].strip(), plain(heading)[match.end() :]) if match else (plain(heading), "")


def _bands(section: Section) -> list[Level]:
    levels = [
        Level(plain(row.cells[0]), " ".join(row.cells[1:]).strip(), row.line)
        for row in section.rows
        if _is_label(row.cells[0]) and len(row.cells) > 1
    ]
    for item in section.items:
        match = re.match(
            rf"[*_`]*({_RANGE.pattern}|[^:]{{0,30}}\([^)]*[0-9][^)]*\)|{_GRADE.pattern})[*_`]*\s*(?::|\s[-\u2013\u2014]\s)[*_]*\s*",
            item.whole,
            re.I,
        )
        if match:
            levels.append(Level(plain(match[1]), item.whole[match.end() :], item.line))
    return levels


def _is_label(cell: str) -> bool:
    text = plain(cell)
    return bool(_RANGE.fullmatch(text)) or (len(text) <= 40 and bool(re.search(r"[0-9]", text) or _GRADE.search(text)))


def _criterion(foreign: Foreign, section: Section) -> None:
    name, _ = _split_heading(section.heading)
    levels = _bands(section)
    paragraphs = [piece for piece in section.paragraphs if line_weight(piece.whole) is None]
    labelled = [piece for piece in paragraphs if "measures" in piece.label.lower()]
    chosen = labelled[0] if labelled else next(iter(paragraphs), None)
    measures = "" if chosen is None else chosen.text if labelled else chosen.whole
    foreign.criteria.append(Criterion(name, section.line, _weight_of(section), measures, tuple(levels)))
    foreign.left += [Left(piece.whole, piece.line) for piece in paragraphs if piece is not chosen]
    lines = {level.line for level in levels}
    foreign.left += [
        Left(piece.whole, piece.line)
        for piece in (*section.items, *section.rows)
        if piece.line not in lines and line_weight(piece.whole) is None
    ]


def _tables(foreign: Foreign, section: Section) -> None:
    for row in section.rows:
        kind = next((kind for cell in row.header[:1] if (kind := list_kind(cell))), None)
        if kind is not None:
            _add_claim(foreign, kind, _row_entry(row), row)
        elif not _table_criterion(foreign, row):
            foreign.left.append(Left(row.whole, row.line))


def _table_criterion(foreign: Foreign, row: Piece) -> bool:
    titles = [plain(title) for title in row.header]
    named = next(
        (place for place, title in enumerate(titles) if _CRITERION.search(title) and not _is_label(title)), None
    )
    levels = [
        place for place, title in enumerate(titles) if place != named and (_RANGE.search(title) or _GRADE.search(title))
    ]
    if named is None and levels and 0 not in levels:
        named = 0
    weight = next(
        (place for place, title in enumerate(titles) if _WEIGHT.search(title) and place not in (named, *levels)), None
    )
    if named is None or (weight is None and not levels and not any(_MEASURES.search(title) for title in titles)):
        return False
    cells = [*row.cells, *[""] * (len(titles) - len(row.cells))]
    measures = next((place for place, title in enumerate(titles) if _MEASURES.search(title) and place != named), None)
    name, rest = _split_heading(cells[named])
    value = value_of(cells[weight]) or plain(cells[weight]) if weight is not None else None
    with suppress(Unclear):
        value = value or heading_weight(rest)
    foreign.criteria.append(
        Criterion(
            name,
            row.line,
            value or None,
            cells[measures] if measures is not None else "",
            tuple(Level(titles[place], cells[place], row.line) for place in levels if cells[place]),
        )
    )
    used = {named, weight, measures, *levels}
    for place, title in enumerate(titles):
        if place not in used and cells[place] and title not in ("#", "No.", "Nr."):
            foreign.left.append(Left(f"{name}: {title}: {cells[place]}", row.line))
    return True


def _claims(foreign: Foreign, section: Section, kind: ListKind) -> None:
    for item in section.items:
        if item.code:
            amount, text = after_id(item.text)
            if amount is None:
                amount, text = in_bullet(item.text.lstrip(":- \u2013\u2014"))
            entry = Entry(item.code, item.line, text.lstrip(":- \u2013\u2014"), amount)
        else:
            amount, text = in_bullet(item.text)
            entry = Entry("", item.line, text.strip(), amount)
        _add_claim(foreign, kind, entry, item)
    for row in section.rows:
        _add_claim(foreign, kind, _row_entry(row), row)
    foreign.left += [Left(piece.whole, piece.line) for piece in section.paragraphs]


def _row_entry(row: Piece) -> Entry:
    """A row of a table of flags: an id or a name, what it is, what it costs, in any order."""
    cells = [plain(cell) for cell in row.cells]
    titles = [*row.header, *[""] * (len(cells) - len(row.header))]
    amounts = [
        place
        for place, cell in enumerate(cells)
        if place
        and re.fullmatch(r"[-\u2212+]?\s?[0-9.,]+\s*(?:%|points?|pts?)?", cell)
        and (_AMOUNT.search(titles[place]) or stray_amount(cell))
    ]
    rest = [cell for place, cell in enumerate(cells) if place not in amounts and cell]
    amount = cells[amounts[0]] if len(amounts) == 1 else None
    id, text = (rest[0], " ".join(rest[1:])) if len(rest) > 1 else ("", rest[0] if rest else "")
    return Entry(id, row.line, text, amount)


def _add_claim(foreign: Foreign, kind: ListKind, entry: Entry, piece: Piece) -> None:
    if kind is ListKind.BOTH:
        sign = re.search(r"([-\u2212+])\s?[0-9.]", piece.whole)
        if sign is None:
            foreign.left.append(Left(piece.whole, piece.line))
            return
        kind = ListKind.BONUSES if sign[1] == "+" else ListKind.RED_FLAGS
    claims = foreign.bonuses if kind is ListKind.BONUSES else foreign.red_flags
    amount = None if entry.amount is None else str(entry.amount)
    claims.append(Claim(entry.description, piece.line, entry.id, amount, kind is ListKind.FAILS))


def _prose(foreign: Foreign, section: Section, *, summary: bool) -> None:
    paragraphs = [piece.whole for piece in section.paragraphs]
    if summary:
        foreign.texts["summary"] = "\n\n".join(filter(None, (foreign.texts.get("summary", ""), *paragraphs)))
    else:
        foreign.left += [Left(piece.whole, piece.line) for piece in section.paragraphs]
    foreign.left += [Left(item.whole, item.line) for item in section.items]
    foreign.left += [
        Left(" ".join(block.text.split()), block.line) for block in section.blocks if block.label != "html_block"
    ]
