"""Weights as people write them: (Weight: 40%), (40 points), x40, 40/100, Gewicht: 40 %. Pure.

A number that may or may not be a weight is Unclear: neither dropped nor guessed.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from decimal import Decimal
from itertools import pairwise

from evenhand.core.rules import DIMENSIONS

WORD = (
    r"(?:weight(?:ing|age|ed|s)?|wt|gewicht(?:e|ung|et)?|anteil|pond[eé]ration|poids|peso|ponderaci[oó]n|pesos"
    r"|вес|权重|重み|配点)"
)
"""The word weight, in the languages rubrics are written in."""

NUMBER = r"(?:[0-9]+(?:[.,][0-9]+)*|[.,][0-9]+)"
_PERCENT = r"(?:%|per\s?cent|pct|prozent)"
_POINTS = r"(?:points?|pts?|punkte?|puntos|marks|\u70b9|\u5206)"
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
_NAMED_NUMBER = re.compile(
    rf"(?P<word>[^\W\d_](?:[\w.]*[^\W_])?)(?P<gap>[ #.-]?){NUMBER}(?!\s*(?:%|{_POINTS}))", re.IGNORECASE
)
_REFERENCE_NOUNS = frozenset(
    "section sections rule chapter part table figure page step phase level priority version no nr item clause article "
    "annex appendix top score scores scale dimension criterion note rank see abschnitt kapitel regel seite".split()
)
_LINKING = re.compile(
    r"(?:for|of|is|at|to|than|about|by|up|with|counts|carries|over|under|x|weighs|worth|factor"
    r"|faktor|multiplier|coefficient|importance|share|max|points?)$",
    re.IGNORECASE,
)
_COMMA = re.compile(r"(?<![0-9.,])([0-9]+),([0-9]{1,2}|[0-9]{4,})(?![0-9.,])")
"""A decimal comma; with a space behind it, (5.1, 5.2), it divides references."""
_SPELLED = re.compile(
    rf"\b(?:ten|twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety|five|[a-z]+teen|hundred)[\w-]*\s+(?:{_PERCENT}|{_POINTS})"
    r"|\b(?:half|thirds?|quarters?|fifths?|tenths?|double|twice|triple|doppelt|dreifach|doble)\b|[\u00bc-\u00be\u2150-\u215e\u2030]"
    r"|<!--.*[0-9]",
    re.IGNORECASE,
)
"""Shares in words and signs, which are weights but no numbers."""
_PARTS = re.compile(r"[,;:|]|\s[-\u2013\u2014]\s|[\u2013\u2014]")
_BRACKETS = re.compile(r"[(\[{]([^()\[\]{}]*)[)\]}]")
_NAMES = "|".join(DIMENSIONS)
_ENTRY = re.compile(
    rf"(?:[0-9]+[.)]\s*)?(?P<name>{_NAMES})\s*"
    rf"(?:[(\[]\s*(?P<inside>[^()\[\]]*)[)\]]|(?:[:=|\u2013\u2014-]|\.{{2,}}|\u2192|->)?\s*(?P<after>.*))",
    re.IGNORECASE,
)
_VALUE_FIRST = re.compile(
    rf"(?:[0-9]+[.)]\s+)?[(\[]?(?P<value>{NUMBER}\s*(?:{_PERCENT}|{_POINTS}))[)\]]?\s*(?:[:\u2013\u2014-]|of|for)?\s*(?P<name>{_NAMES})\.?",
    re.IGNORECASE,
)
_CLAIM = re.compile(
    rf"\b(?P<name>{_NAMES})\b\s*(?:[:=(\u2013\u2014-]\s*|(?:is|at|of|counts|weighs|carries|has|a|the|weight)\s+)*"
    rf"(?P<number>{NUMBER}\s*{_PERCENT}|0?\.[0-9]+)",
    re.IGNORECASE,
)
_CLAIM_FIRST = re.compile(
    rf"(?<![\w.,])(?P<number>{NUMBER}\s*{_PERCENT})\s+(?:(?:goes|go|is|are)\s+)?(?:to|for|on|from|by)\s+(?P<name>{_NAMES})\b",
    re.IGNORECASE,
)

LONGEST_LINE = 400
"""A line with a weight is short; a longer one is prose."""


class Unclear(ValueError):
    """A number that may or may not be a weight."""


def plain(text: str) -> str:
    """A text without emphasis, with one kind of sign, bracket, colon and multiplication mark."""
    return re.sub(r"[*_`]+", "", alike(text).replace("**", "")).strip()


def alike(text: str) -> str:
    """A text of the same length with one kind of digit, sign, bracket, colon and multiplication mark."""
    if text.isascii():
        return text
    return "".join(
        str(unicodedata.decimal(sign)) if sign.isdecimal() and not sign.isascii() else sign
        for sign in text.translate(_ALIKE)
    )


def decimal_comma(number: str) -> str:
    """0,30 as 0.30. A comma before three digits may divide thousands, so it stays and is refused later."""
    return re.sub(r"^(\s*[-+]?[0-9]+),([0-9]{1,2}|[0-9]{4,})(?=\s*%?\s*$)", r"\1.\2", number)


_ALIKE = str.maketrans(
    "\u2212\u00d7\uff08\uff09\uff1a\uff05\u3010\u3011\uff0d\uff0b\uff0e\uff0c\u2010\u2011\u066a", "-x():%[]-+.,--%"
)


def heading_weight(rest: str) -> str | None:
    """The weight in what follows a dimension's name in its heading; None when there is none. Raises Unclear."""
    text = _COMMA.sub(r"\1.\2", plain(rest)).lstrip("-\u2013\u2014:,|= ")
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


_ORDINAL = re.compile(r"[^\w(\[{]*(?P<number>[0-9]{1,2}(?:\.[0-9]{1,2})*)\s*(?P<mark>[.):\u2013\u2014-]?)\s*")


def are_ordinals(leading: Iterable[str]) -> bool:
    """Whether what precedes the names only numbers the headings: 1. to 7., or 2.1 to 2.7."""
    matches = [_ORDINAL.fullmatch(plain(text)) for text in leading if re.search("[0-9]", alike(text))]
    numbers = [match["number"] for match in matches if match]
    if len(numbers) < len(matches) or any(number.startswith("0.") for number in numbers):
        return False
    last = [int(number.rpartition(".")[2]) for number in numbers]
    in_order = all(later - earlier == 1 for earlier, later in pairwise(last))
    marked = all(match["mark"] for match in matches if match)
    return in_order or (marked and sum(map(int, last)) != 100)


def leading_weight(before: str) -> str | None:
    """The weight in what precedes a dimension's name in its heading: 30%, [30], Weight 30%. Raises Unclear."""
    text = re.sub(r"^[0-9]{1,2}[.)]\s+(?=\S)", "", plain(before))
    if not re.search("[0-9]", text):
        return None
    inside = text.strip(" :-\u2013\u2014|,")
    value = value_of(re.sub(r"^[(\[{]\s*(.*?)\s*[)\]}]$", r"\1", inside))
    if value is None or re.fullmatch(NUMBER, inside):
        raise Unclear(f'"{inside}" may be its weight')
    return value


def _group_weights(group: str) -> list[str]:
    parts = [part.strip() for part in _PARTS.split(group)]
    bare = [part for part in parts if re.fullmatch(NUMBER, part)]
    if re.search("[0-9],[0-9]{3}(?![0-9])", group):
        raise Unclear(f'"{group.strip()}" may be its weight')
    if len(bare) > 1 or _SCALE.fullmatch(group.strip()):
        return []  # (5.1, 5.2) are references, (1-10) is the scale
    weights = []
    for part in parts:
        if _SPELLED.search(part):
            raise Unclear(f'"{part}" may be its weight')
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
    left = _NAMED_NUMBER.sub(lambda match: "" if _names(match) else match[0], part)
    return not re.search("[0-9]", left) and not re.search(rf"{_PERCENT}|\b{WORD}\b", part, re.IGNORECASE)


def _names(match: re.Match[str]) -> bool:
    """Whether a number belongs to the word before it: ISO 27001, R5, section 3.1; not "worth 40"."""
    word = match["word"]
    if _LINKING.search(word):
        return False
    return not match["gap"] or word[0].isupper() or word.lower() in _REFERENCE_NOUNS


def value_of(text: str) -> str | None:
    """A weight expression as `weights_from` takes it: 40, 40% or 0.4; None for any other text."""
    match = _EXPRESSION.fullmatch(plain(text)) if len(text) <= LONGEST_LINE else None
    if not match:
        return None
    number = decimal_comma(match["number"].removeprefix("+"))
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
    text = re.sub(r"^\[[ xX]\]\s+", "", plain(line[:LONGEST_LINE]))
    first = _VALUE_FIRST.fullmatch(text)
    if first is not None:
        return first["name"].lower(), value_of(first["value"]) or first["value"]
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
    matches = [match for pattern in (_CLAIM, _CLAIM_FIRST) for match in pattern.finditer(plain(text))]
    return [(match["name"].lower(), match["number"].replace(" ", "")) for match in matches]
