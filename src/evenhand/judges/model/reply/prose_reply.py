"""The one score stated in a prose reply, ignoring everything it repeats from the work. Pure."""

from __future__ import annotations

import re
from typing import Final

from evenhand.core.basics.numbers import score
from evenhand.core.values.opinion import Unscored
from evenhand.judges.model.question.questions import Question
from evenhand.judges.model.question.showing import Shown, folded
from evenhand.judges.model.reply.answers import Answer, DimensionAnswer, Unreadable

_QUOTED = re.compile(
    r"\"[^\"\n]+\"|\u201c[^\u201d\n]+\u201d|\u00ab[^\u00bb\n]+\u00bb|`[^`\n]+`|\u300c[^\u300d\n]+\u300d"
)
_BARE_NUMBER = re.compile(r"\W*\d{1,3}(?:\.\d+)?\W*")
_REFUSAL = re.compile(
    r"\W*(?:(?:i['\u2019]?m |i am )?sorry|i (?:cannot|(?:can|won)['\u2019]?t|will not|am (?:unable|not able)))\b", re.I
)
_JUSTIFICATION: Final = 1000
LONGEST_PROSE: Final = 20_000
"""Characters of the longest prose that is searched for a score."""


def read_prose(text: str, question: Question, shown: Shown) -> Answer | Unreadable:
    """The score of a reply without a JSON object. It has no quotes, so a high score triggers a repair request."""
    from evenhand.judges.model.reply.prose.reader import read_score  # many patterns, and few replies need them

    assert question.dimension is not None
    if len(text.strip()) > LONGEST_PROSE:
        return Unreadable(
            f"there is no JSON object, and its prose is longer than {LONGEST_PROSE:,} characters", "malformed"
        )
    own = without_echo(text, shown)
    stated = read_score(own, 1, 10)
    if isinstance(stated, Unscored):
        if _REFUSAL.match(text):
            return Unreadable("the model refused to answer", "refused")
        return Unreadable(f"there is no JSON object, and of its prose: {stated.reason}", "malformed")
    try:
        number = score(stated)
    except ValueError:
        return Unreadable("the score is not from 1 to 10", "off-scale")
    justification = " ".join(own.split())[:_JUSTIFICATION]
    return Answer({question.dimension: DimensionAnswer(number, justification=justification)})


def without_echo(text: str, shown: Shown) -> str:
    """A reply without the lines and quotations that occur in the submission. A line with a single number is kept."""
    work = f"{folded(shown.text)}\n{folded(shown.task or '')}".casefold()

    def echoed(words: str) -> bool:
        return bool(words) and words.casefold() in work

    lines = [line for line in text.split("\n") if _BARE_NUMBER.fullmatch(line) or not echoed(folded(line))]
    return _QUOTED.sub(lambda match: '"...".' if echoed(folded(match[0][1:-1])) else match[0], "\n".join(lines))
