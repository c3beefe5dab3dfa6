"""The red flags and bonuses in a rubric's lists: every bullet is read, or refused and quoted."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal

from evenhand.core.numbers import points
from evenhand.core.rules import BONUS, BONUS_CAP, DEDUCTION, DEDUCTION_CAP
from evenhand.in_words import shortened
from evenhand.names import is_id, slug
from evenhand.rubrics.amounts import after_id, amount_beside, amount_left, cap_in, in_bullet, in_heading
from evenhand.rubrics.list_headings import ListKind, lead_kind, list_kind
from evenhand.rubrics.outline import Piece, Section
from evenhand.rubrics.sections import Draft
from evenhand.rubrics.written_weights import NUMBER, decimal_comma, plain

_LEAD = ":-\u2013\u2014 "
_BOX = re.compile(r"\[[ xX]\]\s+")
_NONE = re.compile(r"(?:none|no |n/?a\b|keine)", re.IGNORECASE)
_LIST_LINE = re.compile(r"^\s*[-*+] \S", re.MULTILINE)
_FACTOR = re.compile(r"\s\*\s?[0-9.,]+\W*$")
"""A factor whose sign is also one of emphasis: `Makes it up * 2`."""
_UNCAPPED = re.compile(r"\b(?:uncapped|unlimited|no (?:cap|limit)|without (?:an? )?(?:cap|limit))\b", re.IGNORECASE)
_NOUNS = {"red_flags": "red flag", "bonuses": "bonus"}
_USUAL = {"red_flags": {points(DEDUCTION), points(DEDUCTION_CAP)}, "bonuses": {points(BONUS), points(BONUS_CAP)}}
"""The amounts that apply anyway, so prose may mention them."""


@dataclass(slots=True)
class Entry:
    """A red flag or bonus while it is being read."""

    id: str
    line: int
    description: str = ""
    amount: object = None
    amount_line: int | None = None
    detect: str = ""


class _Group:
    """A section with a list: its kind, and the cost of an entry that names none."""

    def __init__(self, section: Section, kind: ListKind, level: int, amount: str | None) -> None:
        self.section = section
        self.kind = kind
        self.level = level
        self.amount = amount

    @property
    def field(self) -> str:
        return "bonuses" if self.kind is ListKind.BONUSES else "red_flags"


def list_entries(draft: Draft) -> dict[str, list[Entry]]:
    """Every red flag and bonus in the lists of the prose."""
    entries: dict[str, list[Entry]] = {"red_flags": [], "bonuses": []}
    groups = list(_groups(draft))
    for group in groups:
        _check_heading(draft, group)
        _check_around(draft, group)
        for item in group.section.items:
            item.read = True
            field, entry = _entry(draft, group, item)
            if entry is not None:
                entries[field].append(entry)
    _refuse_lists_in_prose(draft, groups)
    return entries


def _groups(draft: Draft) -> Iterator[_Group]:
    """The sections whose heading announces a list, with their subsections."""
    above: list[_Group] = []
    for section in draft.parts:
        above = [group for group in above if group.section.level < section.level]
        kind = list_kind(section.heading)
        if kind is None and not above:
            continue
        if kind is None and section.read:  # a dimension
            above = []
            continue
        amount = in_heading(plain(section.heading))
        inherited = above[-1] if above else None
        if kind is None and inherited is not None:
            group = _Group(section, inherited.kind, inherited.level, amount or inherited.amount)
        else:
            assert kind is not None
            group = _Group(section, kind, section.level, amount)
        section.read = True
        above.append(group)
        yield group


def _check_heading(draft: Draft, group: _Group) -> None:
    heading = plain(group.section.heading)
    cap = cap_in(heading)
    if cap is not None:
        limit = points(DEDUCTION_CAP if group.field == "red_flags" else BONUS_CAP)
        if _decimal(cap) != limit:
            message = f'"{group.section.heading}": the {_NOUNS[group.field]} total is capped at {limit}, not at {cap}'
            draft.say(group.section.line, message)
    elif _UNCAPPED.search(heading):
        limit = points(DEDUCTION_CAP if group.field == "red_flags" else BONUS_CAP)
        message = (
            f'"{group.section.heading}": the {_NOUNS[group.field]} total is always capped at {limit}; leave it out'
        )
        draft.say(group.section.line, message)
    elif group.kind is not ListKind.FAILS and in_heading(heading) is None and (left := amount_left(heading)):
        draft.say(
            group.section.line,
            f'cannot tell what "{left}" means in "{group.section.heading}"; write the amount in each bullet: (-1.00)',
        )


def _check_around(draft: Draft, group: _Group) -> None:
    """Report what is in a list section besides its bullets."""
    section, noun = group.section, _NOUNS[group.field]
    for row in section.rows:
        row.read = True
    for block in section.blocks:
        if block.label != "html_block" and (not section.items or _LIST_LINE.search(block.text)):
            draft.say(
                block.line, f"a code block is not read for {noun} entries; write each as a bullet: - `id`: what it is"
            )
    if section.rows:
        row = section.rows[0]
        draft.say(row.line, f"a {noun} is in a table; write each as a bullet: - `id`: what it is")
    leads = {item.lead for item in section.items}
    for piece in section.paragraphs:
        piece.read = True
        text = piece.whole
        if text in leads and in_heading(plain(text).rstrip(":")):
            continue
        amounts = {_decimal(decimal_comma(number)) for number in re.findall(NUMBER, plain(text))}
        if _has_amount(text) and not (amounts and amounts <= _USUAL[group.field]):
            draft.say(piece.line, f'"{shortened(text)}" holds an amount that no bullet has; write it in each: (-1.00)')
        elif text not in leads and ((piece.label and piece.text) or text.startswith("`")):
            draft.say(piece.line, f'"{shortened(text)}" looks like a {noun}; write it as a bullet: - `id`: what it is')
        elif not section.items and not section.rows and not _NONE.match(text) and group.field not in draft.front:
            draft.say(
                piece.line, f'"{shortened(text)}" is not a list; write each {noun} as a bullet: - `id`: what it is'
            )


def _entry(draft: Draft, group: _Group, item: Piece) -> tuple[str, Entry | None]:
    kind = lead_kind(item.lead) or group.kind
    text = _BOX.sub("", item.whole, count=1) if _BOX.match(item.text) and not item.code else item.whole
    if kind is ListKind.BOTH:
        gives, takes = (re.search(rf"{sign}\s?{NUMBER}", plain(text)) for sign in (r"\+", "-"))
        kind = ListKind.BONUSES if gives and not takes else ListKind.RED_FLAGS if takes and not gives else kind
        if kind is ListKind.BOTH:
            draft.say(
                item.line, f'cannot tell whether "{shortened(text)}" is a red flag or a bonus; use a list for each'
            )
            return "red_flags", None
    field = "bonuses" if kind is ListKind.BONUSES else "red_flags"
    entry, wrong_sign = _bullet(item, text, field)
    inherited = in_heading(plain(item.lead).rstrip(":")) or group.amount
    if not entry.id:
        draft.say(item.line, f"an empty {_NOUNS[field]}; say what it is")
        return field, None
    nested = next(iter(item.nested), None)
    factor = _FACTOR.search(entry.description)
    left = factor[0].strip() if factor else amount_left(plain(entry.description))
    if nested is not None:
        draft.say(
            nested.line,
            f'"{shortened(nested.whole)}" is nested inside another bullet, and a {_NOUNS[field]} is one bullet; '
            "move each to the top level, or make it part of the sentence",
        )
    elif wrong_sign or left:
        rule = (
            "(-1.00) after the id or at the end"
            if field == "red_flags"
            else f"none, since every bonus is {points(BONUS)}"
        )
        draft.say(
            item.line, f'cannot read the amount of "{shortened(text)}" ({wrong_sign or left}); write it as {rule}'
        )
    elif kind is ListKind.FAILS and entry.amount is None and inherited is None:
        draft.say(
            item.line,
            f'"{shortened(text)}" fails outright, which no rubric can say; list it under "## Red flags" '
            f"with what it costs, at most (-{points(DEDUCTION_CAP)})",
        )
    if entry.amount is None and inherited is not None:
        entry.amount, entry.amount_line = inherited, group.section.line
    return field, entry


def _bullet(item: Piece, text: str, field: str) -> tuple[Entry, str]:
    """The entry of a bullet, `id` (amount): text, or the text alone, and an amount with the wrong sign."""
    if item.code and is_id(item.code):
        amount, rest = after_id(item.text)
        if amount is None:
            amount, rest = in_bullet(
                item.text.lstrip(_LEAD) if not re.match(r"\s*[-\u2212]\s?[0-9.]", item.text) else item.text
            )
        entry = Entry(item.code, item.line, rest.strip().lstrip(_LEAD), amount)
        before = item.text
    else:
        amount, rest = in_bullet(text)
        rest = rest.lstrip(_LEAD)
        entry = Entry(slug(rest), item.line, rest, amount)
        before = text
    if amount is None:
        return entry, ""
    wrong_sign = r"\+" if field == "red_flags" else "[-\u2212]"
    wrong = re.search(rf"{wrong_sign}\s?{re.escape(amount)}(?![0-9])", before)
    return entry, wrong[0] if wrong else ""


def _refuse_lists_in_prose(draft: Draft, groups: list[_Group]) -> None:
    """Report a list under a line such as `**Deductions:**` instead of a heading."""
    inside = {id(group.section) for group in groups}
    for section in draft.sections:
        if id(section) in inside:
            continue
        seen: set[str] = set()
        for item in section.items:
            if item.lead and item.lead not in seen and lead_kind(item.lead) and not item.read:
                seen.add(item.lead)
                heading = "## Bonuses" if lead_kind(item.lead) is ListKind.BONUSES else "## Red flags"
                draft.say(item.line, f'the list under "{shortened(item.lead)}" needs a heading to be read: {heading}')


def _has_amount(text: str) -> bool:
    return amount_beside(plain(text)) is not None or in_bullet(text)[0] is not None


def _decimal(number: str) -> Decimal | None:
    try:
        return Decimal(number)
    except ArithmeticError:
        return None
