"""Amounts as people write them beside a red flag or a bonus: (-1.00), [-1.00], -1.0:, "deduct 0.5 points". Pure.

Anything that looks like an amount or another consequence, but cannot be read with certainty, is Unclear.
"""

from __future__ import annotations

import re

from evenhand.core.rules import DIMENSIONS
from evenhand.rubrics.written_weights import NUMBER, alike, decimal_comma

_SIGN = r"[-\u2212\u2013+]"
_UNIT = r"(?:points?|pts?\b\.?|punkte?|pkte?\b\.?|puntos?|punti|pontos?|\u5206|\u70b9)"
_EACH = r"(?:\s*(?:each|apiece|je|chacun|cada(?:\s+uno)?))"
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
    rf"|{_VERB}(?P<{{0}}2>{NUMBER})\s*{_UNIT}?|(?P<{{0}}3>{NUMBER})\s*(?:{_UNIT})(?:\s*(?:off|deduction|penalty|bonus|abzug|malus))?"
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
    rf"|\b(?:takes?|costs?|loses?|worth)\s+{_SIGN}?{NUMBER}(?![.,]?[0-9])\s*(?:{_UNIT})?\s*(?:off|away|each|apiece)?\s*(?:$|[.:;,])"
    rf"|(?:[:=\u2014\u2013]\s|\u2192|->|=>)\s*{_SIGN}?\s?{NUMBER}\s*%?\.?$|[(\[{{]\s*{NUMBER}\s*%\s*[)\]}}]\.?$",
    re.IGNORECASE,
)
_COUNT = r"(?:an?|one|two|three|four|five|ten|twenty|thirty|forty|fifty|half(?:\s+an?)?|quarter(?:\s+of)?(?:\s+an?)?)"
_NAMES = "|".join(DIMENSIONS)
_FRACTION = r"[\u00bc-\u00be\u2150-\u215e]"
_COSTS = r"(?:costs?|worth|deduct(?:s|ion)?|subtracts?|minus|loses?|docks?|penalty|malus|abzug|kostet|vaut|cuesta)"
_RANGE = rf"{_SIGN}\s?{NUMBER}\s*(?:to|or|bis|/|\u2026)\s*{_SIGN}\s?{NUMBER}"
_STANDS = re.compile(
    "|".join(
        (
            # in brackets with a word for how grave it is, or for a limit: (severity 3), (up to 0.5)
            rf"[(\[{{]\s*(?:severity|weight|factor|impact|level|schwere|gewicht)\W*{NUMBER}\s*[)\]}}]",
            rf"[(\[{{]\s*(?:up\s+to|max(?:imum)?\.?|at\s+most|about|ca\.?)\s*{_SIGN}?{NUMBER}\s*(?:{_UNIT})?\s*[)\]}}]",
            # after a word for what it costs: costs 1.0, is worth 1.5
            rf"(?<!\w){_COSTS}(?:\s+(?:of|about|up\s+to|exactly|is|an?))*\s*[:=]?\s*{_SIGN}?{NUMBER}\s*(?:{_UNIT})?{_END}"
            r"(?=\s*(?:$|[.,;)\]]|each|per\b|for\b))",
            # for each of many: -1.0 each, 0.5 for every source
            rf"(?:{_SIGN}\s?{NUMBER}|(?<![\w.,])[0-9]+[.,][0-9]+|[:,;(\u2013\u2014]\s*{NUMBER})\s*(?:{_UNIT})?\s*"
            r"(?:each\b|apiece\b|per\b|/\s*[a-z]|for\s+(?:every|each)\b|pro\b|je\b|par\b|por\b)",
            # a factor at the start or the end: x2, 2x, counts double
            rf"^x\s?{NUMBER}\b|^{NUMBER}\s?x(?=[\s:])|(?:^|[\s(\[])x\s?{NUMBER}\W*$|[\s(\[]{NUMBER}\s?x\W*$",
            r"\b(?:counts?|weighs?|z[aä]hlt)\s+(?:double|twice|triple|half|doppelt|dreifach)\b",
            # words for numbers: one point, half a point, twenty percent, one grade up
            rf"(?:^|[(\[:;,=>\u2192\u2013\u2014-]|minus|deduct|lose[s]?|costs?)\s*{_COUNT}\s+(?:full\s+|whole\s+)?"
            rf"(?:{_UNIT}|per\s?cent|grades?)\b(?!\s+of\b)",
            rf"\b{_COUNT}\s+(?:letter\s+)?grades?\s+(?:up|down|lower|higher|better|worse|off)\b",
            # what a dimension loses or gets: -2 on safety, lowers safety by 3, safety = 1
            rf"{_SIGN}\s?{NUMBER}\s+(?:on|from|in|to|for)\s+(?:the\s+)?(?:{_NAMES})\b",
            r"\b(?:lowers?|reduces?|raises?|drops?|cuts?|caps?|limits?|sets?)\s+(?:the\s+)?"
            rf"(?:{_NAMES})\b[^.;]{{0,20}}?{NUMBER}",
            rf"\b(?:{_NAMES})\s*(?:[=<>]+|is\s+(?:set\s+to|capped\s+at)|drops\s+(?:to|by)|at\s+most)\s*{NUMBER}",
            # struck out, in a comment, behind dots, as a fraction: still what its author wrote as the amount
            rf"(?:~~|\.{{3,}})\s*{_SIGN}?\s?{NUMBER}[^.;]{{0,20}}$|<!--[^>]*[0-9]",
            rf"(?:{_SIGN}\s?|[(\[]\s*){_FRACTION}",
            # in front of the text, or behind it after any sign: 1.0 Makes it up, Makes it up | 1.0, (je -0.5)
            rf"^[=\s]*[0-9]+[.,][0-9]+(?![\w.,])|^{NUMBER}\s*%(?!\s+of\b)|^[0-9]+\s*[:|=\u2013\u2014-]\s",
            rf"[a-z)\]]\s*[|*^=/~>]\s*{_SIGN}?\s?{NUMBER}\W*$",
            r"(?<![\w.])(?!(?:than|below|above|under|over|is|are|was|of|at|by|to|from|version|about|around|exceeds|and|or|with|in"
            r"|rule|section|clause|article|chapter|figure|table|page|note|step|item|level)\b)"
            r"(?-i:[a-z]+)\s+[0-9]+[.,][0-9]+\W*$",
            rf"\b(?:je|each|per)\s*{_SIGN}\s?{NUMBER}|\b(?:total|score|grade|overall)\s*[<>=\u2264\u2265]+\s*{NUMBER}",
            rf"\b(?:costs?|loses?|deducts?|takes?(?:\s+away)?|worth|minus)\s+{_COUNT}(?:\s+and\s+a\s+half)?\s+(?:(?:full|whole)\s+)?"
            rf"{_UNIT}(?!\s+of\b)",
            r"\bfails?\s+(?:the\s+)?(?:whole|entire)\s+(?:output|thing|work|evaluation|review)",
            r"[=:]\s*(?:automatic\s+)?F\W*$",
            rf"[\u6263\u51cf\u52a0]\s?{NUMBER}|{NUMBER}\s?[\u5206\u70b9]",
            # a signed number in quotes or other marks at the end, or a signed decimal anywhere
            rf"[\s\"'$<>\u201c\u201d\u00ab\u00bb~^|]{_SIGN}\s?{NUMBER}[^\w\s]*$|(?<![\w)]){_SIGN}[0-9]+[.,][0-9]+(?!\w)",
            r"<[a-z]+[^>]*>[^<]*[0-9][^<]*</[a-z]+>",
            # other words for more than one flag, and for a grade
            r"\b(?:twice|double|half|triple)\s+the\s+(?:usual|normal|standard)|[(\[]\s*(?:half|double|twice|triple)\s*[)\]]",
            rf"\b{_COUNT}\s+(?:letter\s+)grades?\b|\b(?:drops?|falls?|lowers?|raises?)\b[^.;]{{0,15}}\b{_COUNT}\s+grades?\b",
            r"\b(?:score|grade|total|mark)\s+(?:becomes?|drops?|falls?|is\s+(?:set|reduced|limited|lowered|capped))\s*"
            rf"(?:to|by|at)?\s*{NUMBER}",
            r"\b(?:lowers?|reduces?|raises?|drops?|cuts?|sets?)\s+(?:the\s+)?(?:final\s+|total\s+)?(?:score|grade|total|mark)\s+(?:to|by|at)\s*"
            rf"{NUMBER}",
            r"\b(?:score|grade|total|mark)\s+(?:cannot|can't|can\s+not|may\s+not|must\s+not)\s+(?:be|go|rise)\s+(?:above|over|higher\s+than)\s*"
            rf"{NUMBER}",
            # behind a sign of any kind at the end, signed before a bracket or a comma, a share of the points
            rf"(?:^|\s)[^\w\s(\[{{#$\u20ac\u00a3<>:/]+\s*{NUMBER}[^\w%]*$",
            rf"[a-z]\s?[:=]\s+{NUMBER}[^\w%]*$|(?<![\w)]){_SIGN}{NUMBER}(?=\s*[(,;])",
            # signed, right after a colon or an arrow, with words behind it: ": -1 to -2 by how bad it is", "-> -1 if"
            rf"(?:[:=\u2192]|[-=]>)\s*{_SIGN}\s?{NUMBER}\s*(?:{_UNIT})?\s*"
            r"(?:to|or|up|bis|if|for|when|unless|depending|otherwise|at)\b",
            # a choice of two: set off, at the end, or with its reason; elsewhere it is about values
            rf"(?:^|[(\[,;:=|\u2013\u2014\u2192]|[-=]>)\s*{_RANGE}|{_RANGE}(?:\W*$|\s+(?:by|per|each|depending|according|as)\b)",
            r"\b(?:negative|minus)\s+(?:one|two|three|half|an?\s+half)\b",
            r"[:(=]\s*(?:all|most|half|(?:an?|one)\s+(?:third|quarter|half))\s+(?:of\s+)?(?:the\s+)?points\b",
            # limits and verdicts: no more than 6 overall, : max 5, halves the score, = fail
            rf"[:,;(\u2013\u2014-]\s*(?:no\s+(?:more|higher|better)\s+than|at\s+most|max(?:imum)?\.?|capped\s+at|cap|limit(?:ed\s+to)?)"
            rf"\W*{NUMBER}\W*$",
            r"\b(?:halv|doubl|tripl|quarter|nullif|void|cancel|wip|eras|forfeit)\w*\s+(?:(?:out|the|its|this|whole|all|final|total)\s+)*"
            r"(?:score|grade|mark|total|result|points)\b",
            rf"\b(?:no\s+(?:more|higher|better)\s+than|at\s+most|max(?:imum)?|capped\s+at|limited\s+to)\s*{NUMBER}\s*"
            r"(?:overall|in\s+total|for\s+the|points?\s+overall)",
            r"(?:[=(\[:]|\u2192|->)\s*(?:fail(?:s|ed|ure)?|reject(?:ed)?|nicht\s+bestanden|durchgefallen|[eé]chec|suspenso"
            r"|reprobado|bocciato)\s*[)\]]?\W*$",
        )
    ),
    re.IGNORECASE,
)
"""A number inside a bullet that stands as what it costs, though not where an amount is read."""

_CAPPED_GRADE = re.compile(
    r"(?i:\b(?:caps?|capped|max(?:imum)?|limit(?:s|ed)?|at\s+most|no\s+(?:better|higher)\s+than|grade|note)\b)"
    r"[^.;]{0,25}(?<!\w)[A-F][+-]?(?![\w'])\W*$|\bdown\s+to\s+(?:an?\s+)?[A-F][+-]?\W*$"
)
_BRACKET = re.compile(r"[(\[{](?P<inside>[^()\[\]{}]*[0-9][^()\[\]{}]*)[)\]}]")
_FEW_WORDS = 3
_ABOUT_SCORE = re.compile(
    r"\b(?:counts?|deduct\w*|takes?|costs?|los(?:e|es)|scores?|grades?|points?|minus|flags?|penalt\w+|caps?|each|per|off)\b",
    re.I,
)
_COUNTED = re.compile(
    r"(?:[A-Z][\w.+-]*|section|rule|clause|page|line|issue|version|step|than|under|over|below|above|at\s+least|at\s+most)"
    r"[\s#.-]*[0-9][0-9.,:/+]*(?:\s*%)?"
    rf"|(?!x\s?[0-9])[\w-]*[^\W\d_][-_./]?[0-9][\w.:/+-]*|#[0-9]+|[0-9]+(?:\.[0-9]+){{2,}}\S*"
    rf"|[0-9][0-9.,]*(?:\s*[-\u2013]\s*[0-9][0-9.,]*)?\s*(?!(?:{_UNIT}|each|per|off|x|flags?|times?|deduction|penalty|bonus|to|or|and|p)\b)"
    r"(?:of\s+)?(?:[a-z]{2,}|%\s+of\b.*)"
)
"""In a bracket, a number that belongs to a name or counts things: CVSS 9.0, rule 3, UTF-8, 320px, 2 files."""
_YEAR = re.compile(r"\D*(?:1[0-9]|20)[0-9]{2}\D*")
_REFERENCES = frozenset("rule rules note notes section clause figure table step item page line chapter article".split())


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
    match = _AFTER_ID.match(alike(text[:_END_LENGTH]))
    return (_number(match), text[match.end() :]) if match else (None, text)


def in_bullet(text: str) -> tuple[str | None, str]:
    """The amount at the start or at the end of a bullet, and the bullet without it."""
    match = _FIRST.match(alike(text[:_END_LENGTH]))
    if match and text[match.end() :].strip():
        return _number(match), text[match.end() :]
    head, tail = text[:-_END_LENGTH], text[-_END_LENGTH:]
    match = _LAST.search(alike(tail))
    return (_number(match), f"{head}{tail[: match.start()]}{tail[match.end() :]}") if match else (None, text)


def in_heading(heading: str) -> str | None:
    """The amount that a heading gives to each entry under it: `Penalties (-1.0 each)`."""
    match = _HEADING.search(_ends(heading))
    return _number(match) if match else None


def cap_in(text: str) -> str | None:
    """The limit for a whole list that a heading or sentence gives: `Bonuses (max 1.0)`."""
    match = _CAP.search(_ends(text))
    return decimal_comma(match["number"]) if match else None


def amount_left(text: str) -> str | None:
    """What in a bullet still looks like an amount, or like another consequence for the score; None for plain prose."""
    amount = amount_beside(text)
    if amount is not None:
        return amount
    text = _ends(text)
    match = _STANDS.search(text) or _CAPPED_GRADE.search(text)
    return match[0].strip() if match else _alone(text)


def amount_beside(text: str) -> str | None:
    """What in a paragraph beside a list looks like an amount or another consequence for the score."""
    text = _ends(text)
    match = _OUTCOME.search(text) or _LEFT.search(text)
    return match[0].strip() if match else None


def _alone(text: str) -> str | None:
    """A number alone in brackets at the start or the end of a bullet, but for a year or a reference: "rule (5.1)"."""
    for match in _BRACKET.finditer(text):
        before, after = text[: match.start()].rstrip(), text[match.end() :]
        at_an_end = bool(re.search(r"\w", before)) != bool(re.search(r"\w", after))
        if not at_an_end or _YEAR.fullmatch(match[0]) or before.rpartition(" ")[2].lower() in _REFERENCES:
            continue
        inside = match["inside"]
        if len(inside.split()) > _FEW_WORDS and not _ABOUT_SCORE.search(inside):
            continue
        if re.search("[0-9]", _COUNTED.sub("", inside)):
            return match[0]
    return None


def stray_amount(text: str) -> str | None:
    """What in a bullet, line or cell outside the lists is an amount; None for plain prose."""
    match = _STRAY.search(_ends(text))
    return match[0].strip() if match else None


def _ends(text: str) -> str:
    """A text, or the ends of one too long to search in full."""
    return text if len(text) <= 4 * _END_LENGTH else f"{text[: 2 * _END_LENGTH]} {text[-2 * _END_LENGTH :]}"


def _number(match: re.Match[str]) -> str:
    return decimal_comma(next(value for value in match.groupdict().values() if value is not None))
