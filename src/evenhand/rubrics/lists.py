"""The red flags and bonuses of a rubric draft, put together from its front matter and its bullet lists."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal

from evenhand.core.basics.methodology import BONUS, DEDUCTION, DEDUCTION_CAP
from evenhand.core.basics.names import is_id, nearest, slug
from evenhand.core.basics.numbers import cents, exact, points, shown
from evenhand.core.values.rubric import Bonus, RedFlag
from evenhand.rubrics.outline import Piece, Section
from evenhand.rubrics.sections import Draft

_AMOUNT = re.compile(r"\(\s*[-\u2212\u2013+]?\s*([0-9.,]+)\s*(?:points?)?\s*\)\s*")
_LAST_AMOUNT = re.compile(
    r"\s*\(\s*(?:[-\u2212\u2013+]\s*([0-9.,]+)\s*(?:points?)?|([0-9.,]+)\s*points?)\s*\)\s*(?=\.?$)"
)
"""At the end of a bullet without an id: only with a sign or the word, since (5.1) may be anything."""

_LEAD = ":-\u2013\u2014 "


def red_flags_from(draft: Draft) -> tuple[RedFlag, ...]:
    """The red flags, each with its amount (R8)."""
    return tuple(_red_flag(draft, each) for each in _listed(draft, "red_flags", "red flag"))


def bonuses_from(draft: Draft) -> tuple[Bonus, ...]:
    """The bonuses."""
    listed = _listed(draft, "bonuses", "bonus")
    for each in listed:
        if each.amount is not None and _amount(each.amount) != points(BONUS):
            draft.say(each.line, f"the bonus {each.id} is given as {each.amount}; every bonus is {points(BONUS)}")
    return tuple(Bonus(id=each.id, description=each.description, detect=each.detect) for each in listed)


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
    amount_line: int | None = None
    detect: str = ""


def _listed(draft: Draft, field: str, noun: str) -> list[_Listed]:
    prose = _prose_items(draft, field, noun)
    front = _front_items(draft, field, noun)
    _refuse_repeated(draft, noun, prose)
    if front is not None:
        _refuse_repeated(draft, noun, front)
        _put_together(draft, field, noun, front, prose)
    listed = prose if front is None else front
    for each in listed:
        draft.lines[field, each.id] = each.line
    return listed


def _refuse_repeated(draft: Draft, noun: str, listed: list[_Listed]) -> None:
    seen: dict[str, int] = {}
    for each in listed:
        if each.id in seen:
            draft.say(
                each.line,
                f"two {noun} entries have the id {each.id} (the other is on line {seen[each.id]}); rename one",
            )
        seen.setdefault(each.id, each.line)


def _put_together(draft: Draft, field: str, noun: str, front: list[_Listed], prose: list[_Listed]) -> None:
    """Give each entry of the front matter what its bullet says; a bullet of no entry is a mistake."""
    spoken = {each.id: each for each in prose}
    for each in front:
        said = spoken.get(each.id)
        if said is not None:
            _agree(draft, noun, each, said)
        if not each.description:
            draft.say(each.line, f"the {noun} {each.id} is described nowhere; add a bullet: - `{each.id}`: what it is")
    ids = [each.id for each in front]
    for id, said in spoken.items():
        if id not in ids:
            guess = nearest(id, ids)
            hint = f"did you mean {guess}?" if guess else f"add its id to {field} there"
            draft.say(said.line, f'the {noun} "{id}" is not in the front matter; {hint}')


def _agree(draft: Draft, noun: str, front: _Listed, prose: _Listed) -> None:
    """Put what the bullet says into the front matter's entry; two amounts must be one."""
    front.description = front.description or prose.description
    if front.amount is None:
        front.amount, front.amount_line = prose.amount, prose.line
    elif prose.amount is not None and _amount(front.amount) != _amount(prose.amount):
        draft.say(
            prose.line,
            f"the {noun} {front.id} has two amounts, {front.amount} in the front matter "
            f"against {prose.amount} here; keep one",
        )


def _prose_items(draft: Draft, field: str, noun: str) -> list[_Listed]:
    found = []
    for section in _list_sections(draft, field):
        if section.rows:
            draft.say(section.rows[0].line, f"a {noun} stands in a table; write each as a bullet: - `id`: what it is")
        for item in section.items:
            each = _prose_item(item)
            if each.id:
                found.append(each)
            else:
                draft.say(item.line, f"an empty {noun}; say what it is")
    return found


def _list_sections(draft: Draft, field: str) -> Iterator[Section]:
    """The sections under a heading of this kind, with the deeper ones under those."""
    level = None
    for section in draft.parts:
        if list_kind(section.heading) == field:
            level = section.level
        elif level is None or section.level <= level or list_kind(section.heading):
            level = None
        if level is not None:
            yield section


def _prose_item(item: Piece) -> _Listed:
    """A bullet: `id` (amount): text, or the text alone, whose words then are the id."""
    text = item.text.lstrip()
    if item.code and not is_id(item.code):
        text = f"`{item.code}` {text}"
    elif item.code:
        match = _AMOUNT.match(text)
        amount = match[1] if match else None
        return _Listed(item.code, item.line, text[match.end() if match else 0 :].lstrip(_LEAD), amount)
    match = _LAST_AMOUNT.search(text)
    if match is None:
        text = text.lstrip(_LEAD)
        return _Listed(slug(text), item.line, text)
    text = f"{text[: match.start()]}{text[match.end() :]}".lstrip(_LEAD)
    return _Listed(slug(text), item.line, text, match[1] or match[2])


def _front_items(draft: Draft, field: str, noun: str) -> list[_Listed] | None:
    written = draft.front.get(field)
    if written is None:
        return None
    if not isinstance(written, list):
        draft.say(draft.front_line(field), f"{field} must be a list of ids, or of entries with an id")
        return []
    found = []
    for place, entry in enumerate(written):
        made = _front_item(draft, entry, field, noun, place)
        if made:
            found.append(made)
    return found


def _front_item(draft: Draft, entry: object, field: str, noun: str, place: int) -> _Listed | None:
    line = draft.front_line(field, place) or 1
    valid = ("id", "description", "deduction", "detect") if field == "red_flags" else ("id", "description", "detect")
    if isinstance(entry, str):
        entry = {"id": entry}
    if not isinstance(entry, dict) or not isinstance(entry.get("id"), str):
        draft.say(line, f"an entry of {field} must be an id, or have an id")
        return None
    for key in entry:
        if key not in valid:
            why = "; every bonus is 0.25" if field == "bonuses" and key in ("bonus", "deduction", "amount") else ""
            said = f'unknown key "{key}" in the {noun} {entry["id"]}{why}; valid: {", ".join(valid)}'
            draft.say(draft.front_line(field, place, key), said)
    if not is_id(entry["id"]):
        draft.say(line, f'the id "{entry["id"]}" must be lower-case words joined by hyphens; try {slug(entry["id"])}')
    description = entry.get("description") or ""
    if not isinstance(description, str):
        draft.say(line, f"the description of {entry['id']} must be text")
        description = ""
    at = draft.front_line(field, place, "deduction")
    detect = entry.get("detect") or ""
    if not isinstance(detect, str) or (detect and not is_id(detect)):
        draft.say(draft.front_line(field, place, "detect"), f"detect of {entry['id']} must be the id of a check")
        detect = ""
    return _Listed(entry["id"], line, " ".join(description.split()), entry.get("deduction"), at, detect)


def _red_flag(draft: Draft, listed: _Listed) -> RedFlag:
    amount = points(DEDUCTION)
    if listed.amount is not None:
        try:
            amount = exact(listed.amount)
            if not 0 < amount <= points(DEDUCTION_CAP):
                raise ValueError(f"{shown(amount)} is outside 0 to {points(DEDUCTION_CAP)}")
            if cents(amount) != amount:
                raise ValueError(f"{shown(amount)} has more than two decimals")
        except ValueError as error:
            draft.say(
                listed.amount_line or listed.line,
                f"the deduction of {listed.id}: {error}; it is more than 0, at most {points(DEDUCTION_CAP)}, "
                "with at most two decimals",
            )
            amount = points(DEDUCTION)
    return RedFlag(id=listed.id, description=listed.description, deduction=cents(amount), detect=listed.detect)


def _amount(written: object) -> Decimal | None:
    try:
        return exact(written)
    except ValueError:
        return None
