"""Arithmetic that is stated and wrong: `17 * 23 = 401`, "15% of 80 is 10". Exact; pure.

Only plain calculations in the prose are recomputed: numbers, the four operations, powers and brackets on the left,
one number on the right. Rounding to the decimals shown is accepted. Units that differ, dates, versions, ranges,
variables, other bases and sentences that deny or ask are left alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from decimal import Decimal
from fractions import Fraction
from itertools import islice
from typing import Final, NamedTuple

from evenhand.checks.finding import Finding, check
from evenhand.checks.subject import Subject
from evenhand.in_words import counted

ID: Final = "wrong-arithmetic"
LARGEST_POWER: Final = 64
LONGEST: Final = 1000  # characters of a sentence; longer ones are not sentences

_NUMBER = r"(?:\d{1,3}(?:,\d{3})+|\d{1,18})(?!\d)(?:\.\d{1,18}(?!\d))?"
_DIGIT = re.compile(r"\d")
_SIGN = r"(?:\*\*|[-+*/^x]|plus|minus|times|(?:multiplied|divided)\sby)"
_LEFT = rf"(?<!\d)[-(]*(?:[$€£]?{_NUMBER}%?\)*\s?{_SIGN}\s?\(*)++[$€£]?{_NUMBER}%?\)*"
_EQUATION = rf"(?P<left>{_LEFT})\s?(?:=|\bis\b|\bequals\b)\s?(?P<right>-?[$€£]?{_NUMBER}%?)"
_SHARE = (
    rf"(?<!\d)(?P<rate>{_NUMBER})\s?(?:%|percent)\sof\s(?P<whole>[$€£]?{_NUMBER})"
    rf"\s(?:=|is|equals)\s(?P<right>[$€£]?{_NUMBER})"
)
_TOKEN = rf"\s*(?:(?P<number>{_NUMBER})(?P<percent>%?)|(?P<mark>[-+*/^()]))"
_SIGNS: Final = str.maketrans("\u00d7\u00b7\u22c5\u00f7\u2212\u2013", "***/--")
"""Typographic signs, each with the one on a keyboard."""
_SPOKEN: Final = {"multiplied by": "*", "divided by": "/", "times": "*", "plus": "+", "minus": "-", "**": "^", "x": "*"}
_MATHEMATICS: Final = {r"\times": "*", r"\cdot": "*", r"\div": "/", r"\%": "%", "{,}": ",", r"\,": " ", r"\$": "$"}

_ALONE = r"(?:^|\s)[`*_$(\[|{]*$"
_BELONGS = (
    r"(?:[-+*/^<>%\\\d]|\b(?:sqrt|log|ln|of|by|half|twice|double|negative|mod|minus|plus|times|over|than)"
    r"|\b(?!So|Hence|Thus|Then|And|Therefore|Total|Sum|Since|Because|As|But|Check|Now)[A-Z]\w*)$"
)
_NUMBERED = r"(?:^|\s)\d+[.)]$"
_FOLLOWS = (
    r"\s*(?:$|[.,;:!)\]}*_`$|](?!\w)|(?<=\s)(?:and|so|which|but|because|in total|then|thus|therefore)\b"
    r"|(?<=\s)(?!(?:seconds|minutes|hours|days|weeks|months|quarters|years|decades|dozens|bits|bytes|bps|pixels|points"
    r"|times|percents|miles|yards|inches|pounds|ounces|tons|tonnes|litres|liters|gallons|cents|pence|degrees|radians"
    r"|metres|meters|grams|joules|watts|thousands|millions|billions|units|calories|cups|is|as|was|has|does)\b)"
    r"[a-z]{3,20}s(?=[.,;]|$))"
)
"""What may follow the result. A thing that is counted may, at the end of a clause; a measure may be another one."""
_OTHERWISE = (
    r"(?i)\b(?:not|n't|wrong\w*|incorrect\w*|mistake\w*|false\w*|instead|claims?|claimed|error|invalid|would|if|suppose"
    r"|mod|modulo|modular|binary|hex\w*|octal|base|bits?|strings?|concat\w*|xor|overflow\w*|clock|integer|floor"
    r"|about|approx\w*|roughly|around|nearly|almost|circa|estimat\w*)\b|n't\b|[≈~≠?“”\"]"
)


class Stated(NamedTuple):
    """A calculation as it is written in the text."""

    text: str
    start: int
    """Where it starts in its sentence, and later in the prose."""
    exact: Fraction
    right: Fraction
    step: Fraction
    """One unit of the last digit shown on the right."""
    divides: bool


@check(
    ID,
    "correctness",
    sees="A calculation stated in the prose whose result is not what its own numbers give.",
    severity="Major, three at most: anything built on the number is wrong too.",
    example="The total is 17 * 23 = 401.",
)
def wrong_arithmetic(subject: Subject) -> Iterator[Finding]:
    """Every stated calculation that does not hold."""
    stated = [calculation for calculation in _stated(subject.prose) if calculation.text not in subject.task]
    faults = [_finding(subject, calculation) for calculation in stated if not _holds(calculation)]
    yield from islice(faults, 3)
    if stated and not faults:
        yield Finding(ID, "correctness", None, f"Recomputed {counted(len(stated), 'stated calculation')}: no errors.")


def _finding(subject: Subject, stated: Stated) -> Finding:
    value = stated.exact * 100 if stated.text.endswith("%") else stated.exact
    shown = f"{float(value):.10g}" if value.denominator > 1 else f"{value.numerator}"
    shown += "%" if stated.text.endswith("%") else ""
    message = f"This calculation is wrong: the result is {shown}."
    quote = stated.text[:200]
    return Finding(ID, "correctness", "major", message, quote, offset=subject.in_prose(quote, stated.start))


def _stated(prose: str) -> Iterator[Stated]:
    """The calculations that can be recomputed without a guess."""
    for start, sentence in _sentences(prose):
        text = sentence.translate(_SIGNS)
        for written, sign in _MATHEMATICS.items():
            text = text.replace(written, sign)
        text = re.sub(r"(?<!\d)(?<!\d )\*\*(?=[$€£]?\d)|(?<=[\d%])\*\*(?!\s?[\d(])", "", text)
        if re.search(_OTHERWISE, text):
            continue
        for stated in (*_equations(text), *_shares(text)):
            end = stated.start + len(stated.text)
            if sentence.translate(_SIGNS)[stated.start : end] == stated.text:
                yield stated._replace(text=sentence[stated.start : end], start=start + stated.start)
            else:
                yield stated._replace(text=sentence, start=start)


def _sentences(prose: str) -> Iterator[tuple[int, str]]:
    """The sentences that state a result, each with its position in the prose."""
    for match in re.finditer(r"\S(?:(?![.!?]\s+[A-Z*`(])[^\n])*(?:[.!?](?=\s))?", prose):
        sentence = match[0].rstrip()
        if len(sentence) <= LONGEST and _DIGIT.search(sentence) and re.search(r"=|\bis\b|\bequals\b", sentence):
            yield match.start(), sentence


def _equations(text: str) -> Iterator[Stated]:
    for match in re.finditer(_EQUATION, text):
        left, right = match["left"], match["right"]
        if not _stands_alone(text, match.start(), match.end()) or _unclear(left, right):
            continue
        exact = _value(left)
        if exact is not None:
            yield _compare(match, exact, right, _plain(left))


def _shares(text: str) -> Iterator[Stated]:
    for match in re.finditer(_SHARE, text):
        if _stands_alone(text, match.start(), match.end(), share=True):
            exact = _fraction(match["rate"]) * _fraction(match["whole"]) / 100
            yield _compare(match, exact, match["right"], "%")


def _stands_alone(text: str, start: int, end: int, *, share: bool = False) -> bool:
    """Whether nothing beside it could belong to the calculation."""
    before = re.sub(r"\bof\s+$", "", text[:start]) if share else text[:start]
    if not re.search(_ALONE, before) or not re.match(_FOLLOWS, text[end:]):
        return False
    before = before.rstrip(" \t`*_$[|{(")
    return bool(re.search(_NUMBERED, before)) or not re.search(_BELONGS, before)


def _unclear(left: str, right: str) -> bool:
    """Whether it is unclear: a range, a date, money mixed with counts, or percentages added to something else."""
    if re.search(r"\d-\d", left) or len(re.findall(r"\d/(?=\d)", left)) > 1 or re.search(r"\d\s+\d", left):
        return True
    numbers, marks = len(re.findall(_NUMBER, left)), left.count("%")
    added = re.search(r"[-+]|plus|minus", left.lstrip("-("))
    if marks and added and (marks < numbers or "%" not in right):
        return True
    money = bool(re.search(r"[$€£]", left))
    bare_share = "%" in right and not marks and "/" not in _plain(left)
    return bare_share or (not money and bool(re.search(r"[$€£]", right)))


def _plain(left: str) -> str:
    for word, sign in _SPOKEN.items():
        left = left.replace(word, sign)
    return re.sub(r"[$€£]", "", left)


def _fraction(number: str) -> Fraction:
    return Fraction(Decimal(re.sub(r"[$€£,%]", "", number)))


def _compare(match: re.Match[str], exact: Fraction, right: str, left: str) -> Stated:
    """Compare it with its result. A product may be rounded to tens or hundreds; a sum is as exact as its numbers."""
    percent = 100 if right.endswith("%") else 1
    decimals = len(right.rstrip("%").partition(".")[2])
    rounds = not decimals and "%" not in right and any(sign in left for sign in "*/^%")
    zeros = len(right) - len(right.rstrip("0,")) if rounds else 0
    step = Fraction(10 ** (zeros if zeros > 1 else 0), 10**decimals * percent)
    return Stated(match[0], match.start(), exact, _fraction(right) / percent, step, "/" in left or "%" in left + right)


def _holds(stated: Stated) -> bool:
    """Whether it is right as shown, rounded or cut off at the digits shown, or a percentage without its sign."""
    for exact in (stated.exact, stated.exact * 100, stated.exact / 100) if stated.divides else (stated.exact,):
        off = abs(exact - stated.right)
        rounded = (exact / stated.step).denominator > 1 or stated.step > 1
        if off == 0 or (rounded and off < stated.step) or off <= abs(exact) / 10**9:
            return True
    return False


def _value(left: str) -> Fraction | None:
    """The exact value of an expression; None when it is not one, or implausibly large."""
    text = _plain(left)
    tokens, place = [], 0
    while place < len(text.rstrip()):
        match = re.compile(_TOKEN).match(text, place)
        if match is None:
            return None
        place = match.end()
        tokens.append(match["mark"] or match["number"] + match["percent"])
    try:
        value = _sum(tokens)
    except (ZeroDivisionError, ValueError, IndexError):
        return None
    return None if tokens else value


def _sum(tokens: list[str]) -> Fraction:
    value = _product(tokens)
    while tokens and tokens[0] in "+-":
        value += _product(tokens) if tokens.pop(0) == "+" else -_product(tokens)
    return value


def _product(tokens: list[str]) -> Fraction:
    value = _power(tokens)
    while tokens and tokens[0] in "*/":
        value = value * _power(tokens) if tokens.pop(0) == "*" else value / _power(tokens)
    return value


def _power(tokens: list[str]) -> Fraction:
    token = tokens.pop(0)
    if token == "-":
        return -_power(tokens)
    if token == "(":
        value = _sum(tokens)
        if tokens.pop(0) != ")":
            raise ValueError
    else:
        value = _fraction(token) / (100 if token.endswith("%") else 1)
    if tokens and tokens[0] == "^":
        tokens.pop(0)
        exponent = _power(tokens)
        if exponent.denominator != 1 or abs(exponent) > LARGEST_POWER or value.numerator > 10**12:
            raise ValueError
        value **= exponent.numerator
    return value


CHECKS = (wrong_arithmetic,)
