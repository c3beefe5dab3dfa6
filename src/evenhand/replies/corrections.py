"""What a reply says after its JSON object: a correction there contradicts the object. Pure.

Which of the two the model meant is unclear, so neither counts and the question is asked again.
"""

from __future__ import annotations

import re
from decimal import Decimal
from typing import Final

from evenhand.core.values.opinion import Unscored
from evenhand.questions.shown_work import Shown
from evenhand.replies.answers import Answer
from evenhand.replies.prose_reply import LONGEST_PROSE, without_echo

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


def corrected(answer: Answer, after: str, shown: Shown) -> bool:
    """Whether the text after the object of an answer states something else."""
    if not after.strip(_FENCE) or len(after) > LONGEST_PROSE:
        return False
    after = without_echo(after.strip(_FENCE), shown)
    if not after.strip():
        return False
    if answer.preference is not None:
        return _states_another_verdict(after, answer.preference.verdict)
    correction = _CORRECTS.search(after)
    if len(answer.dimensions) == 1 and not answer.claims:
        (part,) = answer.dimensions.values()
        if _states_another(after, part.score):
            return True
    if correction is None:
        return False
    if answer.criteria:
        return True
    # In a reply about everything, a number that corrects does not say what; so it puts every score in doubt.
    if any(_another_number(after[correction.end() :][:_REACH], part.score) for part in answer.dimensions.values()):
        return True
    names = (*answer.dimensions, *(claim.id for claim in answer.claims))
    return any(name.casefold() in after.casefold() for name in names)


def _states_another(after: str, score: Decimal) -> bool:
    from evenhand.replies.prose.reader import read_score  # many patterns, and few replies need them

    stated = read_score(after, 1, 10)
    return not isinstance(stated, Unscored) and stated != score


def _states_another_verdict(after: str, verdict: str) -> bool:
    from evenhand.replies.verdicts.verdicts import read_verdict

    stated = read_verdict(after)
    return not isinstance(stated, Unscored) and {"A": "first", "B": "second"}.get(stated, "tie") != verdict


def _another_number(words: str, score: Decimal) -> bool:
    number = _NUMBER.search(words)
    return number is not None and Decimal(number[0].replace(",", ".")) != score
