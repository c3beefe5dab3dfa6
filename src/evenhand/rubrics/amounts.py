"""Amounts as people write them beside a red flag or a bonus: (-1.00), [-1.00], -1.0:, "deduct 0.5 points". Pure.

Anything that looks like an amount or another consequence, but cannot be read with certainty, is Unclear.
"""

from __future__ import annotations

import re

from evenhand.rubrics.written_weights import NUMBER

_SIGN = r"[-\u2212\u2013+]"
_UNIT = r"(?:points?|pts?\b\.?|punkte?|puntos)"
_EACH = r"(?:\s*(?:each|apiece))"
_MARK = r"[*_`]*"
_END_LENGTH = 300
"""How close to the start or end of a bullet an amount must be, in characters."""

_END = r"(?![\w%]|[.,][0-9])"
_VERB = (
    r"(?:(?:deducts?|subtracts?|minus|loses?|docks?|costs?|takes?|plus|adds?|awards?)\s*[:=]?\s*"
    r"|(?:deduction|penalty|malus|abzug|bonus)\s*(?:of|:|=)\s*)"
)

_INSIDE = (
    rf"\s*{_MARK}\s*(?:{_VERB}?{_SIGN}\s*(?P<{{0}}1>{NUMBER})\s*{_UNIT}?"
    rf"|{_VERB}(?P<{{0}}2>{NUMBER})\s*{_UNIT}?|(?P<{{0}}3>{NUMBER})\s*(?:{_UNIT})(?:\s*(?:off|deduction|penalty|bonus))?"
    rf"|(?P<{{0}}4>{NUMBER})\s*(?:off|deduction|penalty|bonus))\s*{_MARK}\s*"
)


def _inside(name: str) -> str:
    return _INSIDE.format(name)


_AFTER_ID = re.compile(
    rf"\s*(?:[(\[{{]\s*{_MARK}{_SIGN}?\s*(?P<a>{NUMBER})\s*{_UNIT}?{_MARK}\s*[)\]}}]|[(\[{{]{_inside('b')}[)\]}}]"
    rf"|[:\u2014]?\s*{_SIGN}(?P<c>{NUMBER})\s*{_UNIT}?{_END})\s*(?=[:.,;\u2013\u2014-]|\s|$)",
    re.IGNORECASE,
)
_FIRST = re.compile(
    rf"{_MARK}(?:[(\[{{]{_inside('a')}[)\]}}]|{_SIGN}\s?(?P<b>{NUMBER})\s*{_UNIT}?{_END}|(?P<c>{NUMBER})\s*{_UNIT}\b{_END}"
    rf"|(?:deduct|subtract|minus|penalty|lose|dock|add|plus|award)\s*:?\s*(?P<d>{NUMBER})\s*{_UNIT}?{_END})"
    rf"{_MARK}\s*(?:[:,\u2013\u2014-]|(?:for|if|when)\b)?{_MARK}\s*",
    re.IGNORECASE,
)
_LAST = re.compile(
    rf"\s*{_MARK}(?:[(\[{{]{_inside('a')}[)\]}}]|(?:[:,;=|\u2013\u2014]|\u2192|->|=>)\s*{_MARK}{_VERB}?{_SIGN}\s?(?P<b>{NUMBER})\s*{_UNIT}?"
    rf"|(?:[:;=|\u2013\u2014]|\u2192|->|=>)\s*{_MARK}(?:{_VERB}(?P<c>{NUMBER})(?:\s*{_UNIT})?|(?P<d>{NUMBER})\s*{_UNIT}))"
    rf"{_MARK}\s*(?=\.?$)",
    re.IGNORECASE,
)
_HEADING = re.compile(
    rf"[(\[]{_inside('a')}{_EACH}?\s*[)\]]|(?:[:,\u2013\u2014]|\s-)\s*{_SIGN}?\s*(?P<b>{NUMBER})\s*{_UNIT}?{_EACH}?\s*$"
    rf"|[(\[]\s*(?P<c>{NUMBER})\s*{_UNIT}?{_EACH}\s*[)\]]",
    re.IGNORECASE,
)
_CAP = re.compile(rf"\b(?:max(?:imum|\.)?|cap(?:ped)?|up to|at most)\b\D{{0,12}}(?P<number>{NUMBER})", re.IGNORECASE)
_LEFT = re.compile(
    rf"[(\[{{]\s*(?:{_VERB}|{_SIGN})[^()\[\]]*[0-9][^()\[\]]*[)\]}}]|(?:^|(?<![0-9])\s){_SIGN}\s?{NUMBER}\s*(?:%|{_UNIT})?\.?$"
    rf"|(?:^|\s){_SIGN}\s?{NUMBER}\s*{_UNIT}|{NUMBER}\s*{_UNIT}\b(?!\s+of\s)"
    rf"|^{_SIGN}\s?{NUMBER}|\b(?:deduct|subtract|minus|dock)\s+(?:up\s+to\s+)?(?:{NUMBER}|an?\s+(?:half|point)|half|one|two|three)\b"
    rf"|(?:[:=\u2014\u2013]\s|\u2192|->|=>)\s*{_SIGN}?\s?{NUMBER}\s*%?\.?$|[(\[{{]\s*{NUMBER}\s*%\s*[)\]}}]\.?$",
    re.IGNORECASE,
)
_STRAY = re.compile(
    rf"^{_MARK}[(\[{{]?{_SIGN}\s?{NUMBER}\s*(?:%|{_UNIT})?[)\]}}]?{_MARK}(?=[\s:,.]|$)"
    rf"|[(\[{{]\s*(?:{_VERB}|{_SIGN})\s*{NUMBER}\s*(?:%|{_UNIT})?(?:\s+(?:each|per)\b[^()\[\]]*)?\s*[)\]}}]"
    rf"|^(?:deduct|subtract|dock|take\s+off|minus|award|add)\s+(?:up\s+to\s+)?(?:{NUMBER}|half\s+a\s+point|(?:a|one|two)\s+points?)\b"
    rf"|(?:[:=|\u2014\u2013]\s*|\u2192\s*|[-=]>\s*){_MARK}(?:{_VERB}|[-\u2212+]\s?){NUMBER}\s*(?:%|{_UNIT})?{_MARK}\.?$"
    rf"|^(?:deduction|penalty|malus|bonus)\s*[:=]\s*{_SIGN}?\s*{NUMBER}",
    re.IGNORECASE,
)
"""An amount outside any list of flags and bonuses: only spellings that can hardly mean anything else."""

_OUTCOME = re.compile(
    r"(?:^|[(\[:\u2013\u2014\u2192>]|\s-)\s*(?:an?\s+|results?\s+in\s+(?:an?\s+)?)?"
    r"(?:auto(?:matic(?:ally)?)?[ -]*(?:fail|reject|zero|disqualif|f\b)"
    r"|(?:instant|immediate|outright)(?:ly)?[ -]+(?:fail|reject|zero)"
    r"|disqualif(?:ies|ied|ication)|(?:fail|reject|zero|score\s+(?:of\s+)?(?:0|zero))\W*$"
    r"|(?:(?:the\s+)?(?:score|grade|total)\s+(?:is\s+)?)?(?:caps?|capped|limits?|limited)\b[^.]*[0-9]"
    r"|max(?:imum)?\s+(?:total|final|overall|score|grade)\b[^.]*\S)"
    r"|\b(?:total|final|overall|composite)\s+(?:score|grade|mark)?\b[^.]{0,30}\b(?:capped|cannot\s+exceed|no\s+higher|at\s+most|is\s+zero|limited)",
    re.IGNORECASE,
)


def after_id(text: str) -> tuple[str | None, str]:
    """The amount right after a bullet's id, and the text that follows."""
    match = _AFTER_ID.match(text[:_END_LENGTH])
    return (_number(match), text[match.end() :]) if match else (None, text)


def in_bullet(text: str) -> tuple[str | None, str]:
    """The amount at the start or at the end of a bullet, and the bullet without it."""
    match = _FIRST.match(text[:_END_LENGTH])
    if match and text[match.end() :].strip():
        return _number(match), text[match.end() :]
    head, tail = text[:-_END_LENGTH], text[-_END_LENGTH:]
    match = _LAST.search(tail)
    return (_number(match), f"{head}{tail[: match.start()]}{tail[match.end() :]}") if match else (None, text)


def in_heading(heading: str) -> str | None:
    """The amount that a heading gives to each entry under it: `Penalties (-1.0 each)`."""
    match = _HEADING.search(_ends(heading))
    return _number(match) if match else None


def cap_in(text: str) -> str | None:
    """The limit for a whole list that a heading or sentence gives: `Bonuses (max 1.0)`."""
    match = _CAP.search(_ends(text))
    return match["number"] if match else None


def amount_left(text: str) -> str | None:
    """What in a text still looks like an amount, or like another consequence for the score; None for plain prose."""
    text = _ends(text)
    match = _OUTCOME.search(text) or _LEFT.search(text)
    return match[0].strip() if match else None


def stray_amount(text: str) -> str | None:
    """What in a bullet, line or cell outside the lists is an amount; None for plain prose."""
    match = _STRAY.search(_ends(text))
    return match[0].strip() if match else None


def _ends(text: str) -> str:
    """A text, or the ends of one too long to search in full."""
    return text if len(text) <= 4 * _END_LENGTH else f"{text[: 2 * _END_LENGTH]} {text[-2 * _END_LENGTH :]}"


def _number(match: re.Match[str]) -> str:
    return next(value for value in match.groupdict().values() if value is not None)
