"""What a reply says after its JSON object: a correction there contradicts the object. Pure.

Which of the two the model meant is unclear, so neither counts and the question is asked again.
"""

from __future__ import annotations

import re
from decimal import Decimal
from typing import Final

from evenhand.questions.shown_work import Shown
from evenhand.replies.answers import Answer
from evenhand.replies.score_line import SCORE_LINE
from evenhand.work.quotes import folded

_FENCE: Final = " \t\r\n`~"
_CORRECTS = re.compile(
    r"\b(?:actually|correction|wait|scratch that|on (?:reflection|second thoughts?)|i meant|make (?:that|it)"
    r"|i (?:now )?revise"
    r"|i take (?:that|it) back|my mistake|should (?:rather |really )?(?:be|have been)|korrektur|genauer gesagt"
    r"|eigentlich|doch eher"
    r"|en fait|rectification|correccion|corrección|en realidad|mejor dicho|anzi|correzione|in realtà|na verdade"
    r"|correção"
    r"|исправление|точнее|на самом деле)\b|更正|修正|其实|訂正|やっぱり|정정|아니,|تصحيح|सुधार",
    re.I,
)
_NUMBER = re.compile(
    r"(?<![\w.,/-])(10|[1-9])(?:[.,]\d{1,2})?(?![a-zA-Z0-9_/%-]|[.,]\d)|(?<![\w.,/-])(10|[1-9])(?=\s?/\s?10\b)"
)
_REACH: Final = 80
"""How many characters after a word of correction are searched for another score."""
LONGEST_AFTER: Final = 20_000
"""Characters of the longest text after an object that is searched."""
_QUOTED = re.compile(
    r"\"[^\"\n]+\"|\u201c[^\u201d\n]+\u201d|\u00ab[^\u00bb\n]+\u00bb|`[^`\n]+`|\u300c[^\u300d\n]+\u300d"
)
_BARE_NUMBER = re.compile(r"\W*\d{1,3}(?:\.\d+)?\W*")


def corrected(answer: Answer, after: str, shown: Shown) -> bool:
    """Whether the text after the object of an answer states something else."""
    if not after.strip(_FENCE) or len(after) > LONGEST_AFTER:
        return False
    after = _without_echo(after.strip(_FENCE), shown)
    if not after.strip():
        return False
    correction = _CORRECTS.search(after)
    if len(answer.dimensions) == 1 and not answer.claims:
        (part,) = answer.dimensions.values()
        if any(Decimal(line[2]) != part.score for line in SCORE_LINE.finditer(after)):
            return True
    if correction is None:
        return False
    if answer.criteria or answer.preference is not None:
        return True
    # In a reply about everything, a number that corrects does not say what; so it puts every score in doubt.
    if any(_another_number(after[correction.end() :][:_REACH], part.score) for part in answer.dimensions.values()):
        return True
    names = (*answer.dimensions, *(claim.id for claim in answer.claims))
    return any(name.casefold() in after.casefold() for name in names)


def _another_number(words: str, score: Decimal) -> bool:
    number = _NUMBER.search(words)
    return number is not None and Decimal(number[0].replace(",", ".")) != score


def _without_echo(text: str, shown: Shown) -> str:
    """A text without the lines and quotations that occur in the submission. A line with a single number is kept."""
    work = f"{folded(shown.text)}\n{folded(shown.task or '')}".casefold()

    def echoed(words: str) -> bool:
        return bool(words) and words.casefold() in work

    lines = [line for line in text.split("\n") if _BARE_NUMBER.fullmatch(line) or not echoed(folded(line))]
    return _QUOTED.sub(lambda match: '"...".' if echoed(folded(match[0][1:-1])) else match[0], "\n".join(lines))
