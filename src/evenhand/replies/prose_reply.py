"""The one score stated in a prose reply, ignoring everything it repeats from the work. Pure."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final, Literal, TypeVar

from evenhand.core.basics.numbers import score
from evenhand.core.text.evidence import folded
from evenhand.core.values.opinion import Unscored
from evenhand.questions.questions import Question
from evenhand.questions.shown_work import Shown
from evenhand.replies.answers import Answer, DimensionAnswer, Preference, Unreadable, in_band, outside

Stated = TypeVar("Stated")

_QUOTED = re.compile(
    r"\"[^\"\n]+\"|\u201c[^\u201d\n]+\u201d|\u00ab[^\u00bb\n]+\u00bb|`[^`\n]+`|\u300c[^\u300d\n]+\u300d"
)
_BARE_NUMBER = re.compile(r"\W*\d{1,3}(?:\.\d+)?\W*")
_REFUSAL = re.compile(
    r"\W*(?:(?:i['\u2019]?m |i am )?sorry|i (?:cannot|(?:can|won)['\u2019]?t|will not|am (?:unable|not able)))\b", re.I
)
_MARKS = r"\"'*`_\\\u2018-\u201f\u00ab\u00bb"
_REPLY_TO = re.compile(rf"\breply[_ -]?to\b[{_MARKS}\s]*(?:[:=|>]|is)[\s{_MARKS}:=|>]*([\w-]{{4,}})", re.I)
_BAND = re.compile(
    rf"\bband\b[{_MARKS}\s]*(?:\([^()\n]{{0,30}}\)\s*)?(?:[:=|>]|is)[\s{_MARKS}:=|>\[(]*"
    r"(\d{1,2}\s*(?:-|\u2013|\u2014"
    r"|to|,)\s*\d{1,2})"
    r"|(?<!not )(?<!not fit )(?<!n't )\b(?:in|into|within|fits?|matches) the (\d{1,2}\s*(?:-|\u2013"
    r"|to)\s*\d{1,2}) band\b",
    re.I,
)
_JUSTIFICATION: Final = 1000
LONGEST_PROSE: Final = 20_000
"""Characters of the longest prose that is searched for a score."""


def read_prose(text: str, question: Question, nonce: str, shown: Shown) -> Answer | Unreadable:
    """The score of a reply without a JSON object: YAML, tags, `key: value` or plain prose.

    It has no quotes, so a high score triggers a repair request.
    """
    from evenhand.replies.prose.reader import read_score  # many patterns, and few replies need them

    assert question.dimension is not None
    prose = _stated(text, nonce, shown, lambda new_text: read_score(new_text, 1, 10))
    if isinstance(prose, Unreadable):
        return prose
    new_text, stated = prose
    try:
        number = score(stated)
    except ValueError:
        return Unreadable("the score is not from 1 to 10", "off-scale")
    bands = {(band[1] or band[2]).replace(",", "-") for band in _BAND.finditer(new_text)}
    for band in bands:
        if not in_band(number, band):
            return outside(number, band)
    justification = " ".join(new_text.split())[:_JUSTIFICATION]
    band = bands.pop() if len(bands) == 1 else ""
    return Answer({question.dimension: DimensionAnswer(number, justification=justification, band=band)})


def read_pair_prose(text: str, question: Question, nonce: str, shown: Shown) -> Answer | Unreadable:
    """The verdict of a reply about a pair without a JSON object. It has no quotes, which triggers a repair request."""
    from evenhand.replies.verdicts.verdicts import read_verdict  # many patterns, and few replies need them

    prose = _stated(text, nonce, shown, read_verdict)
    if isinstance(prose, Unreadable):
        return prose
    new_text, stated = prose
    justification = " ".join(new_text.split())[:_JUSTIFICATION]
    verdicts: dict[str, Literal["first", "second", "tie"]] = {"A": "first", "B": "second", "tie": "tie"}
    return Answer(preference=Preference(verdicts[stated], justification=justification))


def _stated(
    text: str, nonce: str, shown: Shown, read: Callable[[str], Stated | Unscored]
) -> tuple[str, Stated] | Unreadable:
    """What a reply says itself, without what it repeats of the submission, and what is stated there."""
    if len(text.strip()) > LONGEST_PROSE:
        return Unreadable(
            f"there is no JSON object, and its prose is longer than {LONGEST_PROSE:,} characters", "malformed"
        )
    new_text = without_echo(text, shown)
    if any(code[1] != nonce for code in _REPLY_TO.finditer(new_text)):
        return Unreadable("its reply_to is not the code of this question", "echoed")
    stated = read(new_text)
    if not isinstance(stated, Unscored):
        return new_text, stated
    if _REFUSAL.match(text):
        return Unreadable("the model refused to answer", "refused")
    return Unreadable(f"the reply is not JSON, and read as prose: {stated.reason}", "malformed")


def without_echo(text: str, shown: Shown) -> str:
    """A reply without the lines and quotations that occur in the submission. A line with a single number is kept."""
    work = f"{folded(shown.text)}\n{folded(shown.task or '')}".casefold()

    def echoed(words: str) -> bool:
        return bool(words) and words.casefold() in work

    lines = [line for line in text.split("\n") if _BARE_NUMBER.fullmatch(line) or not echoed(folded(line))]
    return _QUOTED.sub(lambda match: '"...".' if echoed(folded(match[0][1:-1])) else match[0], "\n".join(lines))
