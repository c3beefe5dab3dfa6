"""The numbers that a rubric states: seven weights (R6), amounts of red flags, points. Pure.

Each is read from one written form, exactly: no tolerance, no normalising. A number beside that form is not read, and
`stray_amount` finds it, so that it can be refused.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from decimal import Context, Decimal
from functools import reduce

from evenhand.core.numbers import cents, exact, points, shown
from evenhand.core.rules import BONUS, DEDUCTION_CAP, DIMENSIONS, WEIGHT_DECIMALS
from evenhand.errors import unknown

_FINEST = Decimal((0, (1,), 2 - WEIGHT_DECIMALS))
_WIDE = Context(prec=60)  # independent of the caller's decimal context


class WeightError(ValueError):
    """A problem with a set of weights; `dimension` is set when it concerns one of them."""

    def __init__(self, message: str, dimension: str | None = None) -> None:
        super().__init__(message)
        self.dimension = dimension


def weights_from(written: Mapping[str, object]) -> dict[str, Decimal]:
    """Weights as fractions of 1 from what an author wrote: 0.25, 25, or "25%" each."""
    _refuse_other_names(written)
    numbers: dict[str, Decimal] = {}
    signed: list[str] = []
    for name in DIMENSIONS:
        text = written[name]
        if isinstance(text, str) and text.strip().endswith("%"):
            signed.append(name)
            text = text.strip()[:-1]
        try:
            numbers[name] = exact(text)
        except ValueError as error:
            raise WeightError(f"the weight of {name} is not usable: {error}", name) from None
        if numbers[name] < 0:
            raise WeightError(f"the weight of {name} is {shown(numbers[name])}; a weight is 0 or more", name)
        if numbers[name] > 100:
            raise WeightError(f"the weight of {name} is {shown(numbers[name])}; a weight is at most 100 %", name)
        if numbers[name].quantize(_FINEST, context=_WIDE) != numbers[name]:
            raise WeightError(
                f"the weight of {name} has more than {WEIGHT_DECIMALS - 2} decimals, the most that is read", name
            )
    if signed and len(signed) < len(DIMENSIONS):
        bare = ", ".join(name for name in DIMENSIONS if name not in signed)
        raise WeightError(f"weights mix percentages and fractions: no % on {bare}; write all seven the same way")
    return _as_fractions(numbers, percent=bool(signed))


def shown_percent(weight: Decimal) -> str:
    """A weight as a percentage: 0.25 as 25%."""
    return f"{shown(_WIDE.multiply(weight, Decimal(100)))}%"


def _as_fractions(numbers: Mapping[str, Decimal], *, percent: bool) -> dict[str, Decimal]:
    total = reduce(_WIDE.add, numbers.values())
    if total == 1 and not percent:
        return dict(numbers)
    if total == 100:
        return {name: (_WIDE.scaleb(number, -2) if number else Decimal(0)) for name, number in numbers.items()}
    large = [name for name in DIMENSIONS if numbers[name] > 1]
    small = [name for name in DIMENSIONS if 0 < numbers[name] < 1]
    if large and small and not percent:
        raise WeightError(
            f"weights mix percentages and fractions: {', '.join(small)} below 1, {', '.join(large)} above; "
            f"they sum to {shown(total)}; write all seven the same way"
        )
    whole = 100 if percent or total > 10 else 1
    off = _WIDE.subtract(total, Decimal(whole))
    side = "too much" if off > 0 else "too little"
    sign = "%" if percent else ""
    raise WeightError(
        f"weights sum to {shown(total)}{sign}, {shown(abs(off))}{sign} {side}; "
        f"the seven must sum to exactly {whole}{sign}"
    )


def _refuse_other_names(written: Mapping[str, object]) -> None:
    for name in written:
        if name not in DIMENSIONS:
            raise WeightError(unknown("dimension", name, DIMENSIONS), name)
    missing = [name for name in DIMENSIONS if name not in written]
    if missing:
        raise WeightError(f"no weight for {', '.join(missing)}; all seven are needed")


_NUMBER = r"[0-9]+(?:\.[0-9]+)?"
_UNIT = r"\s*(?:points?|pts?\.?)?"
_HEADING_WEIGHT = re.compile(
    rf"(?:weight\s*:?\s*)?({_NUMBER}\s*%|[01]\.[0-9]+)|weight\s*:?\s*({_NUMBER})", re.IGNORECASE
)
_DEDUCTION = re.compile(rf"\(\s*[-\u2212\u2013]\s*({_NUMBER}){_UNIT}\s*\)", re.IGNORECASE)
_BONUS = re.compile(rf"\(\s*\+\s*({_NUMBER}){_UNIT}\s*\)", re.IGNORECASE)
_EACH = re.compile(rf"\(\s*[-+\u2212\u2013]?\s*({_NUMBER}){_UNIT}\s+each\s*\)", re.IGNORECASE)
_SECOND = re.compile(r"[(\[]\s*[-+\u2212\u2013]\s*\d[^()\[\]]*[)\]]")
_BRACKETED = re.compile(r"\[[^\[\]]*\]")
_CODE = re.compile(r"`[^`]*`")
_STRAY = (
    r"[(\[]\s*[^\W\d_][^\s()\[\]]*(?:\s+[^\s()\[\]]+)?\s*[)\]][\s.]*$",  # (critical) at the end
    r"^[(\[][^()\[\]]{0,40}[)\]]",  # [critical] at the start
    r"(?:^|(?<=[\s(\[~*=|:]))[-+\u2212\u2013\uff0d]\s?\d[\w.,]*(?:\s*%)?",  # -1.0
    r"\d[\d.,]*\s*(?:points?\b|pts?\b|%|per\s?cent\b|[x\u00d7](?!\w))",  # 2 points, 20 %, 2x
    r"(?<!\w)[x\u00d7]\s?\d[\d.,]*",  # x2
    r"^[\s\[(*~]*\d+(?:[.,]\d+)?[\])*~]*\s*[:|)\u2013\u2014-]",  # 1.0: at the start
    r"^[^\s:]*\d[^\s:]*\s*:\s",  # 2p: at the start
    r"(?<![\w.,])\d+(?:[.,]\d+)?[\])*~\s.]*$",  # a number at the end
    r"(?<![\w.,])[0-2][.,]\d{1,2}(?![\w.,+])",  # 1.0 anywhere
    r"[\u00bc-\u00be\u2150-\u215e]",  # a half as one sign
    r"[(\[]\s*\d[\w.,]*(?=[\s)\]])",  # (1 Punkt Abzug)
    r"`\s*[-+\u2212]?[\d.,]+\s*`",  # an amount in code
    r"(?<=\s)points?\b",  # not "Points out that ..."
    r"\b(?:scores?|grades?|percent|doubles?|halves|half|twice)\b",
    r"\b(?:deduct\w*|penalt\w+|caps?|capped|voids?)\b|\bfail(?:s|ure)?\W*$",
)
_STANDALONE = re.compile(r"(?<![\w.,/:#+-])\d+(?:[.,]\d+)?(?![\w/:+-])(?![.,]\d)")
_STRAYS = tuple(re.compile(pattern, re.IGNORECASE) for pattern in _STRAY)


def heading_weight(inside: str) -> str | None:
    """The weight in the brackets of a heading, or behind `Weight:`; None when it is in no form that is read."""
    match = _HEADING_WEIGHT.fullmatch(inside.strip())
    return "".join((match[1] or match[2]).split()) if match else None


def amount_each(bracket: str) -> str | None:
    """The amount in a bracket such as (-0.50 each)."""
    match = _EACH.fullmatch(bracket.strip())
    return match[1] if match else None


def deduction_in(text: str) -> tuple[str | None, str]:
    """The amount at the start or the end of a red flag's text, such as (-1.00), and the text without it."""
    return _at_an_end(_DEDUCTION, text)


def bonus_in(text: str) -> tuple[str | None, str]:
    """The amount at the start or the end of a bonus, (+0.25), and the text without it."""
    return _at_an_end(_BONUS, text)


def _at_an_end(pattern: re.Pattern[str], text: str) -> tuple[str | None, str]:
    text = text.strip()
    if match := pattern.match(text):
        return match[1], text[match.end() :].lstrip(" :\u2013\u2014-")
    for match in pattern.finditer(text):
        if not text[match.end() :].strip(" ."):
            return match[1], text[: match.start()].rstrip() + text[match.end() :].strip()
    return None, text


def stray_amount(text: str, *, has_amount: bool = False, fixed: bool = False, sentence: bool = False) -> str | None:
    """What in a bullet may be an amount or points and is not in the form that is read.

    Beside an amount of its own only a second one is: then a number in the text is plainly part of the sentence. In a
    bullet without one, a number in the place or form of an amount is refused, and so are the words of scoring
    themselves, which are reserved there. Where amounts are fixed, as for bonuses, a plain number is only text. In a
    sentence, brackets at its ends are only brackets.
    """
    plain = text if sentence else _CODE.sub(_masked, text)
    whole = _BRACKETED.fullmatch(plain) is not None  # a placeholder, [like this]
    patterns = (_SECOND,) if has_amount else _STRAYS[2:6] if whole else _STRAYS[2:-1] if sentence else _STRAYS
    patterns = patterns if has_amount or fixed or whole else (*patterns, _STANDALONE)
    found = [match for pattern in patterns if (match := pattern.search(plain))]
    return min(found, key=lambda match: match.start())[0].strip() if found else None


def _masked(code: re.Match[str]) -> str:
    """Code without what is in it, which is data, unless it is a number alone."""
    return code[0] if re.fullmatch(r"`\s*[-+\u2212]?[\d.,]+\s*`", code[0]) else "\u00b7" * len(code[0])


def deduction_from(written: object) -> Decimal:
    """A red flag's amount. ValueError when it is not one."""
    valid = f"it is more than 0, at most {points(DEDUCTION_CAP)}, with at most two decimals"
    try:
        amount = exact(written)
    except ValueError as error:
        raise ValueError(f"{error}; {valid}") from None
    if not 0 < amount <= points(DEDUCTION_CAP) or cents(amount) != amount:
        raise ValueError(f"{shown(amount)} is not an amount; {valid}")
    return cents(amount)


def is_bonus(written: str) -> bool:
    """Whether an amount is that of every bonus."""
    return exact(written) == points(BONUS)
