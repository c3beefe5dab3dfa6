"""Recognises headings of red-flag and bonus lists in their many spellings. Pure."""

from __future__ import annotations

import re
from enum import Enum


class ListKind(Enum):
    """What the list under a heading holds."""

    RED_FLAGS = "red_flags"
    BONUSES = "bonuses"
    BOTH = "both"
    """Red flags and bonuses in one list; the sign of the amount tells them apart."""
    FAILS = "fails"
    """Reasons to fail outright: red flags only if each has an amount."""


_RED_FLAGS = r"red[ -]?flags?"
_BONUS = r"bonus(?:es)?|boni"
_FLAGS = "|".join(
    (
        _RED_FLAGS,
        r"(?:auto|score|point)?[ -]?deductions?|penalt(?:y|ies)|penali[sz]ations?|demerits?|malus|subtractions?",
        r"(?:minus|negative|lost)[ -]points?|points?[ -](?:lost|off|deducted)|loss(?:es)? of points",
        r"abz[uü]ge?|punkteabz[uü]ge?|minuspunkte|rote flaggen",
        r"p[eé]nalit[eé]s?|d[eé]ductions?|penalizaci(?:[oó]n|ones)|扣分\w*|减分\w*",
    )
)
_BONUSES = "|".join(
    (
        _BONUS,
        r"bonus[ -]points?|extra[ -](?:credits?|points?|marks)|additional (?:credit|points)",
        r"(?:plus|positive|brownie)[ -]points?|green[ -]?flags?|kudos|above and beyond",
        r"zusatzpunkte|pluspunkte|bonuspunkte|加分\w*",
    )
)
_FAILS = "|".join(
    (
        r"hard[ -]?(?:blocks?|blockers?|fails?|failures?|stops?|gates?|limits?)|blockers?",
        r"blocking (?:issues?|conditions?|faults?)|zero[ -]tolerance|veto(?:es|s)?|ausschlusskriterien",
        r"auto(?:matic(?:ally)?)?[ -]?(?:fail(?:s|ures?|ing|ed)?|reject(?:s|ions?|ed)?|zero(?:s|es)?|disqualif\w+)",
        r"(?:instant|immediate|outright)[ -](?:fail(?:s|ures?)?|reject(?:s|ions?)?)|disqualif\w+",
        r"(?:deal|show)[ -]?(?:breakers?|stoppers?|killers?)|knock[ -]?outs?(?: criteria)?",
        r"k\.?o\.?[ -](?:criteria|kriterien)|fail(?:ure|ing)?[ -](?:conditions?|criteria|if|when)",
        r"(?:critical|fatal|catastrophic)[ -](?:fail(?:ure)?s?|errors?|flaws?|faults?|violations?)",
        r"(?:score|grade) caps?",
    )
)
_ABOUT = re.compile(
    r"\s*(?:\d+[.)]\s*)?(?:how|why|about|notes?|explanation|explaining|background|using|examples?)\b", re.IGNORECASE
)
_WORDS = re.compile(r"[^\W_]+")
_MOST_WORDS = 8
"""A longer line is a sentence that mentions flags, not a heading over them."""


def list_kind(heading: str) -> ListKind | None:
    """Which list a heading announces."""
    if _ABOUT.match(heading):
        return None
    flags, bonuses = _has(_FLAGS, heading), _has(_BONUSES, heading)
    if flags and bonuses:
        return ListKind.BOTH
    if _has(_FAILS, heading) and not _has(_RED_FLAGS, heading):
        return ListKind.FAILS
    if flags:
        return ListKind.RED_FLAGS
    return ListKind.BONUSES if bonuses else None


def lead_kind(lead: str) -> ListKind | None:
    """Which list a short line right above it announces: `**Deductions:**`, `Automatic fail if:`."""
    short = len(_WORDS.findall(lead)) <= _MOST_WORDS
    heading_like = lead.rstrip().endswith((":", "**", "__"))
    return list_kind(lead) if short and heading_like else None


def is_ours(heading: str) -> bool:
    """Whether a heading uses our own words, red flags or bonuses."""
    return _has(_RED_FLAGS, heading) or _has(_BONUS, heading)


def mentions_list(heading: str) -> bool:
    """Whether a heading is about red flags or bonuses, without announcing a list of them."""
    return list_kind(heading) is None and any(_has(words, heading) for words in (_FLAGS, _BONUSES, _FAILS))


def _has(words: str, text: str) -> bool:
    return re.search(rf"(?<![^\W_])(?:{words})(?![^\W_])", text, re.IGNORECASE) is not None
