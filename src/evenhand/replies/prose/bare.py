"""A number that is the whole reply, or a whole line: `8`, `- 1`, `2. Somewhat`, `3 (good)`, `Response: 2`."""

from __future__ import annotations

import re
from decimal import Decimal

from evenhand.replies.prose.statements import Statement
from evenhand.replies.prose.words import DEGREES

_NUMBER = r"[0-9]{1,6}(?:[.,][0-9]{1,2})?"
_LINE = re.compile(rf"[\s\[(\x02]*(?P<value>-?{_NUMBER})\s?(?:分|点|점|points?)?[\s\])\x02]*[.!。]?")
_BULLET = re.compile(rf"[-–•·]\s+(?P<value>{_NUMBER})[.。]?")
_LEVEL = re.compile(
    rf"(?:[-•·]\s+)?(?P<value>{_NUMBER})(?:\s?[.):：–—-]\s?|\s?[(（\[]\s?)(?P<words>[^\d\n]{{1,40}}?)[)）\]]?[.!。]?"
)
_NOTE = re.compile(rf"(?P<value>{_NUMBER})\s?[(（](?P<words>[^\d()（）\n]{{1,60}})[)）][.。]?")
_ANSWERED = re.compile(
    rf"(?:response|judge?ment|assessment|reponse|respuesta|risposta|resposta|ответ|回复|回答|答复|応答|응답"
    rf"|답변)\s?[:：]\s?"
    rf"(?P<value>{_NUMBER})[.。]?"
)
_WORD = re.compile(r"[^\W\d_]+")


def bare_score(words: str, low: Decimal) -> Statement | None:
    """The statement that a number makes by being all of a reply, or all of its first or last line.

    A dash before it is a bullet, unless the scale has negative scores.
    """
    lines = [line.strip() for line in words.split("\n") if line.strip()]
    if not lines:
        return None
    if len(lines) == 1:
        return _whole(lines[0]) if low >= 0 or not _BULLET.fullmatch(lines[0]) else None
    numbers = {number for index in (0, len(lines) - 1) if (number := _of_line(lines, index)) is not None}
    return _stated(numbers.pop()) if len(numbers) == 1 else None


_END = rf"(?P<value>{_NUMBER})(?:\s?/\s?(?P<scale>[0-9]{{1,3}}))?(?: it is)?[.!]?\s*$"
_LED = re.compile(
    r"(?:(?:\b(?:i|my|our|as it (?:stands|is)|as (?:is|written))\b[^.!?:\n]{0,40}"
    r"|(?:[^\W\d]+[ ,'’-]+){3,8}[^\W\d]+)\s?[:;,—–]"
    r"|\b(?:so|hence|thus|therefore|but|still|i say|i settle on|call it))"
    rf"\s+(?:(?:i (?:say|settle on)|call it|an?)\s+)*{_END}"
)
_TAIL = 200
"""How many characters at the end of a text are searched, since every one of them may be where a match begins."""
_LAST = re.compile(rf"[:;,.!?—–]\s+{_END}")


def closing_score(words: str, *, corrects: bool) -> Statement | None:
    """The statement that a number makes by ending a text: `..., hence 3.`, `As it stands: 5.`; for a correction, alone.

    Only for a text that speaks of scores before: elsewhere it may be the solution of a problem.
    """
    start = max(0, len(words) - _TAIL)
    match = _LED.search(words, start) or (_LAST.search(words, start) if corrects else None)
    if match is None:
        return None
    scale = Decimal(match["scale"]) if match["scale"] else None
    return Statement(_value(match), scale, "phrase" if corrects else "bare", match.start("value"), revised=True)


def _whole(line: str) -> Statement | None:
    for form in (_LINE, _BULLET, _NOTE, _ANSWERED):
        if match := form.fullmatch(line):
            return _stated(_value(match))
    level = _level(line)
    return _stated(level) if level is not None else None


def _of_line(lines: list[str], index: int) -> Decimal | None:
    """The number that a first or last line is, unless a line beside it says otherwise."""
    line = lines[index]
    beside = lines[index - 1] if index else lines[1]
    match = _LINE.fullmatch(line)
    if match is None:
        return _level(line) if not index and not any(_LEVEL.fullmatch(following) for following in lines[1:]) else None
    if line.endswith((".", "。", ")")) or _LINE.fullmatch(beside):
        return None
    if index and beside.endswith((":", "=", "|", ",")):
        return None
    return _value(match)


def _level(line: str) -> Decimal | None:
    """The number of a level of the scale with its name: `2. Somewhat`, `3 (good)`."""
    match = _LEVEL.fullmatch(line)
    if match is None or not (names := _WORD.findall(match["words"])) or not all(name in DEGREES for name in names):
        return None
    return _value(match)


def _value(match: re.Match[str]) -> Decimal:
    return Decimal(match["value"].replace(",", "."))


def _stated(value: Decimal) -> Statement:
    return Statement(value, None, "bare", 0)
