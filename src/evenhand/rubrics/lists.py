"""The red flags and bonuses of a rubric draft, from its front matter and its bullet lists."""

from __future__ import annotations

import re
from collections.abc import Sequence
from decimal import Decimal

from evenhand.core.numbers import cents, exact, points, shown
from evenhand.core.rules import BONUS, DEDUCTION, DEDUCTION_CAP
from evenhand.core.values import Bonus, RedFlag
from evenhand.errors import unknown
from evenhand.names import is_id, slug
from evenhand.rubrics.bullets import Entry
from evenhand.rubrics.sections import Draft


def red_flags_from(draft: Draft, bullets: Sequence[Entry]) -> tuple[RedFlag, ...]:
    """The red flags, each with its amount (R8)."""
    return tuple(_red_flag(draft, entry) for entry in _listed(draft, "red_flags", "red flag", bullets))


def bonuses_from(draft: Draft, bullets: Sequence[Entry]) -> tuple[Bonus, ...]:
    """The bonuses."""
    listed = _listed(draft, "bonuses", "bonus", bullets)
    for entry in listed:
        if entry.amount is not None and _amount(entry.amount) != points(BONUS):
            draft.say(
                entry.amount_line or entry.line,
                f"the bonus {entry.id} is given as {entry.amount}; every bonus is {points(BONUS)}",
            )
    return tuple(Bonus(id=entry.id, description=entry.description, detect=entry.detect) for entry in listed)


def _listed(draft: Draft, field: str, noun: str, bullets: Sequence[Entry]) -> list[Entry]:
    prose = list(bullets)
    front = _front_items(draft, field, noun)
    _refuse_repeated(draft, noun, prose)
    if front is not None:
        _refuse_repeated(draft, noun, front)
        _put_together(draft, field, noun, front, prose)
    listed = prose if front is None else front
    for entry in listed:
        draft.lines[field, entry.id] = entry.line
        if entry.amount is not None:
            draft.lines[field, entry.id, "amount"] = entry.amount_line or entry.line
        if front is None and not _HAS_WORD.search(entry.description):
            draft.say(entry.line, f"the {noun} {entry.id} has no description; write: - `{entry.id}`: what it is")
    return listed


_HAS_WORD = re.compile(r"\w")


def _refuse_repeated(draft: Draft, noun: str, listed: list[Entry]) -> None:
    seen: dict[str, int] = {}
    for entry in listed:
        if entry.id in seen:
            draft.say(
                entry.line,
                f"two {noun} entries have the id {entry.id} (the other is on line {seen[entry.id]}); rename one",
            )
        seen.setdefault(entry.id, entry.line)


def _put_together(draft: Draft, field: str, noun: str, front: list[Entry], prose: list[Entry]) -> None:
    """Add the text of its bullet to every front matter entry; a bullet without an entry is an error."""
    bullets = {entry.id: entry for entry in prose}
    for entry in front:
        if entry.id in bullets:
            _agree(draft, noun, entry, bullets[entry.id])
        if not _HAS_WORD.search(entry.description):
            draft.say(entry.line, f"the {noun} {entry.id} has no description; add a bullet: - `{entry.id}`: what it is")
    ids = [entry.id for entry in front]
    for id, bullet in bullets.items():
        if id not in ids:
            otherwise = f"add its id to {field} in the front matter"
            draft.say(bullet.line, unknown(noun, id, ids, otherwise=otherwise))


def _agree(draft: Draft, noun: str, front: Entry, prose: Entry) -> None:
    """Merge a bullet into its front matter entry; two amounts must agree."""
    front.description = front.description or prose.description
    if front.amount is None:
        front.amount, front.amount_line = prose.amount, prose.line
    elif prose.amount is not None and _amount(front.amount) != _amount(prose.amount):
        draft.say(
            prose.line,
            f"the {noun} {front.id} has two amounts, {front.amount} in the front matter "
            f"against {prose.amount} here; keep one",
        )


def _front_items(draft: Draft, field: str, noun: str) -> list[Entry] | None:
    written = draft.front.get(field)
    if written is None:
        return None
    if not isinstance(written, list):
        draft.say(draft.front_line(field), f"{field} must be a list of ids, or of entries with an id")
        return []
    entries = [_front_item(draft, entry, field, noun, place) for place, entry in enumerate(written)]
    return [entry for entry in entries if entry is not None]


def _front_item(draft: Draft, entry: object, field: str, noun: str, place: int) -> Entry | None:
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
            message = f"the {noun} {entry['id']}: {unknown('key', key, valid)}{why}"
            draft.say(draft.front_line(field, place, key), message)
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
    return Entry(entry["id"], line, " ".join(description.split()), entry.get("deduction"), at, detect)


def _red_flag(draft: Draft, listed: Entry) -> RedFlag:
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
