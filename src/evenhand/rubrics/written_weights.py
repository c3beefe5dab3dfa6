"""Weights as people write them: (Weight: 40%), (40 points), x40, 40/100, Gewicht: 40 %. Pure.

A number that may or may not be a weight is Unclear: neither dropped nor guessed.
"""

from __future__ import annotations

import re
from decimal import Decimal

from evenhand.core.basics.methodology import DIMENSIONS

WORD = (
    r"(?:weight(?:ing|age|ed|s)?|wt|gewicht(?:e|ung|et)?|anteil|pond[eé]ration|poids|peso|ponderaci[oó]n|pesos"
    r"|вес|权重|重み|配点)"
)
"""The word weight, in the languages rubrics are written in."""

NUMBER = r"(?:[0-9]+(?:[.,][0-9]+)*|[.,][0-9]+)"
_PERCENT = r"(?:%|per\s?cent|pct|prozent)"
_POINTS = r"(?:points?|pts?|punkte?|puntos|marks)"
_OF = r"(?:\s*(?:of|/)\s*(?:the\s+)?(?:total|overall|final|whole)(?:\s+(?:score|grade|weight|points))?)"
_VALUE = (
    rf"(?:(?:max(?:imum|\.)?|up\s+to|worth)\s+(?=\S+\s*{_POINTS}))?"
    rf"(?P<times>[x*]\s*)?(?P<number>[-+]?{NUMBER})\s*(?:(?P<percent>{_PERCENT})|(?P<points>{_POINTS})|[x*](?!\w))?"
    rf"(?:\s*(?:/|out\s+of|of|von)\s*(?P<whole>100|10|1)(?:\s*(?:%|{_POINTS}))?)?{_OF}?"
)
_EXPRESSION = re.compile(rf"(?:{WORD}\s*(?:of|is|[:=])?\s*)?{_VALUE}(?:\s*(?:of\s+(?:the\s+)?)?{WORD})?\.?", re.I)
_LABELLED = re.compile(rf"(?:^|\W){WORD}\s*[:=]\s*(?P<value>[^,;]*)", re.IGNORECASE)
_LABEL_LINE = re.compile(rf"{WORD}\s*(?:[:=]|(?=[x*]?\s*{NUMBER})|[-\u2013\u2014]\s)\s*(?P<value>.*)", re.IGNORECASE)
_LEADING_VALUE = re.compile(rf"(?P<value>{_VALUE})(?=$|[.,;]?\s|[.,;]$)(?P<rest>.*)", re.IGNORECASE)
_SCALE = re.compile(
    r"(?:out\s+of|max(?:imum)?|/)\s*10|.*\b(?:0|1)\s*(?:-|\u2013|to|bis)\s*(?:5|10|100)\b[^0-9%]*", re.I
)
_NAMED_NUMBER = re.compile(rf"[^\W\d_](?:[\w.]*[^\W_])?[ #.-]?{NUMBER}(?!\s*(?:%|{_POINTS}))", re.IGNORECASE)
_LINKING = re.compile(r"(?:for|of|is|at|to|than|about|by|up|with|counts|carries|over|under|x|weighs)$", re.IGNORECASE)
_PARTS = re.compile(r"[,;:|]|\s[-\u2013\u2014]\s|[\u2013\u2014]")
_BRACKETS = re.compile(r"[(\[{]([^()\[\]{}]*)[)\]}]")
_NAMES = "|".join(DIMENSIONS)
_ENTRY = re.compile(
    rf"(?:[0-9]+[.)]\s*)?(?P<name>{_NAMES})\s*"
    rf"(?:[(\[]\s*(?P<inside>[^()\[\]]*)[)\]]|(?:[:=|\u2013\u2014-]|\.{{2,}}|\u2192|->)?\s*(?P<after>.*))",
    re.IGNORECASE,
)
_CLAIM = re.compile(
    rf"\b(?P<name>{_NAMES})\b\s*(?:[:=(\u2013\u2014-]\s*|(?:is|at|of|counts|weighs|carries|has|a|the|weight)\s+)*"
    rf"(?P<number>{NUMBER}\s*{_PERCENT}|0?\.[0-9]+)",
    re.IGNORECASE,
)


LONGEST_LINE = 400
"""A line with a weight is short; a longer one is prose."""


class Unclear(ValueError):
    """A number that may or may not be a weight."""


def plain(text: str) -> str:
    """A text without emphasis, with one kind of sign, bracket, colon and multiplication mark."""
    return re.sub(r"[*_`]+", "", text.translate(_ALIKE).replace("**", "")).strip()


_ALIKE = str.maketrans("\u2212\u00d7\uff08\uff09\uff1a\uff05\u3010\u3011", "-x():%[]")


def heading_weight(rest: str) -> str | None:
    """The weight in what follows a dimension's name in its heading; None when there is none. Raises Unclear."""
    text = plain(rest).lstrip("-\u2013\u2014:,|= ")
    if len(text) > LONGEST_LINE:
        raise Unclear(f"{len(text):,} characters may hold its weight")
    weights: list[str] = []
    for group in (*_BRACKETS.findall(text), _BRACKETS.sub(" : ", text)):
        labelled = _LABELLED.search(group)
        if labelled:
            weights.append(value_of(labelled["value"]) or labelled["value"].strip())
            continue
        weights += _group_weights(group)
    distinct = list(dict.fromkeys(weights))
    if len(distinct) > 1:
        raise Unclear(f"{' and '.join(distinct)} may both be its weight")
    return distinct[0] if distinct else None


def _group_weights(group: str) -> list[str]:
    parts = [part.strip() for part in _PARTS.split(group)]
    bare = [part for part in parts if re.fullmatch(NUMBER, part)]
    if len(bare) > 1 or _SCALE.fullmatch(group.strip()):
        return []  # (5.1, 5.2) are references, (1-10) is the scale
    weights = []
    for part in parts:
        if not re.search("[0-9]", part):
            continue
        value = value_of(part)
        if value is not None:
            weights.append(value)
        elif not _is_reference(part):
            raise Unclear(f'"{part}" may be its weight')
    return weights


def _is_reference(part: str) -> bool:
    """Whether every number in a part belongs to a word before it: ISO 27001, Top 10, v2, section 3.1."""
    if _SCALE.fullmatch(part):
        return True
    left = _NAMED_NUMBER.sub(lambda match: match[0] if _links(match[0]) else "", part)
    return not re.search("[0-9]", left) and not re.search(rf"{_PERCENT}|\b{WORD}\b", part, re.IGNORECASE)


def _links(text: str) -> bool:
    return _LINKING.search(re.split(r"[ #.-]?[0-9.,]", text, maxsplit=1)[0]) is not None


def value_of(text: str) -> str | None:
    """A weight expression as `weights_from` takes it: 40, 40% or 0.4; None for any other text."""
    match = _EXPRESSION.fullmatch(plain(text)) if len(text) <= LONGEST_LINE else None
    if not match:
        return None
    number = match["number"].removeprefix("+")
    if match["whole"] == "100" and not match["percent"]:
        return f"{number}%"
    if match["whole"] == "10" and re.fullmatch(r"[0-9]+(?:\.[0-9]+)?", number):
        return str(Decimal(number).scaleb(-1))
    return f"{number}%" if match["percent"] else number


def line_weight(line: str) -> str | None:
    """The weight on its own line, `Weight: 0.40`; text that is not a weight is returned unchanged."""
    if len(line) > LONGEST_LINE:
        return None
    match = _LABEL_LINE.fullmatch(re.sub(r"^[-+>#\s]+", "", plain(line)))
    if not match:
        return None
    value = match["value"].strip()
    leading = _LEADING_VALUE.fullmatch(value)
    if leading and not re.search("[0-9]", leading["rest"]):
        return value_of(leading["value"].rstrip(".,;")) or value
    return value if re.search("[0-9]", value) or not value else None


def entry_weight(line: str) -> tuple[str, str] | None:
    """A dimension and its weight from an entry of a list: `Correctness: 40%`, `Correctness (40%): what it is`."""
    text = plain(line[:LONGEST_LINE])
    match = _ENTRY.match(text)
    if match is None:
        return None
    if match["inside"] is None:
        value = value_of(match["after"])
    elif re.match(r"\s*(?:[:.,\u2013\u2014-]|$)", text[match.end() :]):
        labelled = _LABELLED.search(match["inside"])
        value = value_of(labelled["value"] if labelled else match["inside"])
    else:
        value = None
    return (match["name"].lower(), value) if value is not None else None


def claims(text: str) -> list[tuple[str, str]]:
    """Weights that prose mentions: `correctness 40%, safety (10%)`."""
    return [(match["name"].lower(), match["number"].replace(" ", "")) for match in _CLAIM.finditer(plain(text))]
