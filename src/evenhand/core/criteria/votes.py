"""Several answers to one criterion: of the samples of a judge, or of the judges of a panel. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from evenhand.core.values.criterion import ANSWERS, CANNOT_TELL
from evenhand.core.values.opinion import Answer, Evidence, Verdict


def majority(answers: Iterable[Answer]) -> Answer:
    """The answer that most voices gave; where two have the most votes it cannot be told."""
    votes = Counter(answers).most_common(2)
    if not votes or (len(votes) == 2 and votes[0][1] == votes[1][1]):
        return CANNOT_TELL
    return votes[0][0]


def votes_of(answers: Sequence[Answer]) -> dict[str, int]:
    """How many voices gave each answer, in the order of the answers."""
    votes = Counter(answers)
    return {answer: votes[answer] for answer in ANSWERS if votes[answer]}


def merged_verdicts(voices: Sequence[tuple[str, Mapping[str, Verdict]]]) -> dict[str, Verdict]:
    """The verdicts of several judges, by the judge's name, as one: the majority, with its reasons and quotes, and the
    votes."""
    ids = dict.fromkeys(id for _, verdicts in voices for id in verdicts)
    return {id: _merged([(name, verdicts[id]) for name, verdicts in voices if id in verdicts]) for id in ids}


def _merged(voices: Sequence[tuple[str, Verdict]]) -> Verdict:
    if len(voices) == 1:
        return voices[0][1]
    answers = [verdict.answer for _, verdict in voices]
    answer = majority(answers)
    reasons = [f"{name} {verdict.answer}: {verdict.reason}" for name, verdict in voices if verdict.reason]
    quotes: dict[str, Evidence] = {}
    for _, verdict in voices:
        for quote in verdict.evidence if verdict.answer == answer else ():
            if quote.quote not in quotes or quote.verified:
                quotes[quote.quote] = quote
    by = {verdict.by for _, verdict in voices}
    return Verdict(
        answer, "\n".join(reasons), tuple(quotes.values()), by.pop() if len(by) == 1 else "", votes_of(answers)
    )
