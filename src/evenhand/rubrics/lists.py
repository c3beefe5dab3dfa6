"""The red flags and bonuses of a rubric draft, put together from its front matter and its bullet lists."""

from __future__ import annotations

import re
from dataclasses import dataclass

from evenhand.core.methodology import DEDUCTION, DEDUCTION_CAP
from evenhand.core.model import Bonus, RedFlag
from evenhand.core.names import is_id, nearest, slug
from evenhand.core.numbers import at_most_decimals, cents, exact, points, shown
from evenhand.rubrics.draft import Draft

_AMOUNT = re.compile(r"\(\s*[-\u2212\u2013]?\s*([0-9.]+)\s*(?:points?)?\s*\)\s*")
_LEAD = ":-\u2013\u2014 "


def red_flags_from(draft: Draft) -> tuple[RedFlag, ...]:
    """The red flags, each with its amount (R8)."""
    return tuple(_red_flag(draft, each) for each in _listed(draft, "red_flags", "red flag"))


def bonuses_from(draft: Draft) -> tuple[Bonus, ...]:
    """The bonuses."""
    return tuple(Bonus(id=each.id, description=each.description) for each in _listed(draft, "bonuses", "bonus"))


def list_kind(heading: str) -> str | None:
    """Which list stands under a heading."""
    lowered = heading.lower()
    if "red flag" in lowered or "red-flag" in lowered:
        return "red_flags"
    return "bonuses" if "bonus" in lowered else None


@dataclass(slots=True)
class _Listed:
    """A red flag or bonus as it is put together."""

    id: str
    line: int
    description: str = ""
    amount: object = None


def _listed(draft: Draft, field: str, noun: str) -> list[_Listed]:
    prose = _prose_items(draft, field, noun)
    front = _front_items(draft, field, noun)
    if front is None:
        listed = prose
    else:
        listed = front
        spoken = {each.id: each for each in prose}
        for each in front:
            said = spoken.pop(each.id, None)
            if said is not None:
                each.description = each.description or said.description
                each.amount = said.amount if each.amount is None else each.amount
            if not each.description:
                draft.say(
                    each.line, f"the {noun} {each.id} is described nowhere; add a bullet: - `{each.id}`: what it is"
                )
        for id, said in spoken.items():
            guess = nearest(id, [each.id for each in front])
            hint = f"did you mean {guess}?" if guess else f"add its id to {field} there"
            draft.say(said.line, f'the {noun} "{id}" is not in the front matter; {hint}')
    seen: dict[str, int] = {}
    for each in listed:
        if each.id in seen:
            draft.say(
                each.line,
                f"two {noun} entries have the id {each.id} (the other is on line {seen[each.id]}); rename one",
            )
        seen[each.id] = each.line
        draft.lines[field, each.id] = each.line
    return listed


def _prose_items(draft: Draft, field: str, noun: str) -> list[_Listed]:
    found = []
    for section in draft.sections:
        if list_kind(section.heading) != field:
            continue
        for item in section.items:
            id, text = item.code, item.text
            amount = None
            if id and (match := _AMOUNT.match(text.lstrip())):
                amount, text = match[1], text.lstrip()[match.end() :]
            text = text.lstrip(_LEAD)
            if id and not is_id(id):
                id, text = "", f"`{id}` {item.text}"
            if not (id or slug(text)):
                draft.say(item.line, f"an empty {noun}; say what it is")
                continue
            found.append(_Listed(id or slug(text), item.line, text, amount))
    return found


def _front_items(draft: Draft, field: str, noun: str) -> list[_Listed] | None:
    written = draft.front.get(field)
    if written is None:
        return None
    if not isinstance(written, list):
        draft.say(draft.front_line(field), f"{field} must be a list of ids, or of entries with an id")
        return []
    found = []
    for place, entry in enumerate(written):
        line = draft.front_line(field, place) or 1
        made = _front_item(draft, entry, field, noun, line)
        if made:
            found.append(made)
    return found


def _front_item(draft: Draft, entry: object, field: str, noun: str, line: int) -> _Listed | None:
    valid = ("id", "description", "deduction") if field == "red_flags" else ("id", "description")
    if isinstance(entry, str):
        entry = {"id": entry}
    if not isinstance(entry, dict) or not isinstance(entry.get("id"), str):
        draft.say(line, f"an entry of {field} must be an id, or have an id")
        return None
    for key in entry:
        if key not in valid:
            why = "; every bonus is 0.25" if field == "bonuses" and key in ("bonus", "deduction", "amount") else ""
            draft.say(line, f'unknown key "{key}" in the {noun} {entry["id"]}{why}; valid: {", ".join(valid)}')
    if not is_id(entry["id"]):
        draft.say(line, f'the id "{entry["id"]}" must be lower-case words joined by hyphens; try {slug(entry["id"])}')
    description = entry.get("description") or ""
    if not isinstance(description, str):
        draft.say(line, f"the description of {entry['id']} must be text")
        description = ""
    return _Listed(entry["id"], line, " ".join(description.split()), entry.get("deduction"))


def _red_flag(draft: Draft, listed: _Listed) -> RedFlag:
    amount = points(DEDUCTION)
    if listed.amount is not None:
        try:
            amount = exact(listed.amount)
            if not 0 < amount <= points(DEDUCTION_CAP):
                raise ValueError(f"{shown(amount)} is outside 0 to {points(DEDUCTION_CAP)}")
            if not at_most_decimals(amount, 2):
                raise ValueError(f"{shown(amount)} has more than two decimals")
        except ValueError as error:
            draft.say(
                listed.line,
                f"the deduction of {listed.id}: {error}; it is more than 0, at most {points(DEDUCTION_CAP)}, "
                "with at most two decimals",
            )
            amount = points(DEDUCTION)
    return RedFlag(id=listed.id, description=listed.description, deduction=cents(amount))
