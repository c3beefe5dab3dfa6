"""How a judge is asked about criteria. Pure data; a changed word needs a new `CRITERIA_VERSION`.

These texts are not part of the prompt's own hash, so that judging without criteria stays what it was. The work comes
first and the criterion last, so that a server reads the work once for all of them.
"""

from __future__ import annotations

from functools import cache
from hashlib import sha256
from typing import Final

from evenhand.judges.models.questions.questions import Question
from evenhand.judges.models.questions.reply_schema import MOST_QUOTES

CRITERIA_VERSION: Final = "2"

MEANINGS: Final = {
    "yes": "the work shows it plainly",
    "no": "the work does not",
    "partly": "the work shows some of it, and something that matters is missing",
    "does not apply": "the statement is about something that this work need not have",
    "cannot tell": "what you were shown does not allow an answer; never as a polite no",
}

_APPLIES: Final = "\n  It applies only when: {condition}"

_KEYS: Final = f"""\
  "id": as above
  "quotes": at most {MOST_QUOTES} passages that show it, copied exactly from the work, 20 to 300 characters each; \
[] if none
  "explanation": one sentence
  "absent": true if your answer rests on something that the work does not contain, so that nothing can be \
quoted; else false
  "answer": one of {{answers}}"""

_ASK: Final = """\
Decide about {these}, and nothing else. No score is asked for.

{criteria}
{meanings}
Reply with one JSON object with these keys, in this order:
"reply_to": "{nonce}"
"criteria": a list with an entry for each id, and in each entry
{keys}"""

ONE: Final = "this one statement"
SEVERAL: Final = "each of these statements on its own, one by one"
KEYS: Final = "reply_to and criteria"


def ask_criteria(question: Question, nonce: str) -> str:
    """The end of the user's message: the criteria, what the answers mean, the form of the reply."""
    listed = [
        f"- {criterion.id}: {criterion.sentence}"
        + (_APPLIES.format(condition=criterion.applies_when) if criterion.applies_when else "")
        for criterion in question.criteria
    ]
    answers = dict.fromkeys(answer for criterion in question.criteria for answer in criterion.answers)
    meanings = "".join(f'"{answer}": {MEANINGS[answer]}.\n' for answer in answers)
    return _ASK.format(
        these=ONE if len(question.criteria) == 1 else SEVERAL,
        criteria="\n".join(listed) + "\n",
        meanings=meanings,
        nonce=nonce,
        keys=_KEYS.format(answers=", ".join(f'"{answer}"' for answer in answers)),
    )


@cache
def criteria_hash() -> str:
    """SHA-256 of every constant text here."""
    texts = (CRITERIA_VERSION, *MEANINGS, *MEANINGS.values(), _APPLIES, _KEYS, _ASK, ONE, SEVERAL, KEYS)
    return sha256("\0".join(texts).encode()).hexdigest()
