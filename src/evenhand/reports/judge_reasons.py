"""A panel's reasons, judge by judge: the text that holds them all, taken apart where that is certain. Pure."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from evenhand.core.judgement import Unscored
from evenhand.core.scorecard import Scorecard

NO_SCORE = "no score"


class JudgeReason(NamedTuple):
    """What one judge gave a dimension, and why."""

    judge: str
    score: str
    """ "8.00", or "no score"."""
    words: str


def judge_reasons(card: Scorecard, dimension: str) -> tuple[JudgeReason, ...]:
    """Each judge's reason for a score, in the panel's order.

    A scorecard holds them as one text, a judge's words after its name and score. Nothing keeps a judge from writing
    a line that looks like another's, so where a name begins more lines than it has judges, there are none.
    """
    if card.panel is None or len(card.panel.members) < 2:
        return ()
    asked = [member for member in card.panel.members if dimension in member.scores]
    names = [member.judge["name"] for member in asked]
    given = [member.scores[dimension] for member in asked]
    scores = [NO_SCORE if isinstance(score, Unscored) else f"{score:.2f}" for score in given]
    lines = card.dimensions[dimension].justification.split("\n")
    starts = _starts(lines, names)
    if starts is None:
        return ()
    ends = [*(start for start, _, _ in starts[1:]), len(lines)]
    reasons = []
    for (start, score, words), name, expected, end in zip(starts, names, scores, ends, strict=True):
        if score != expected:
            return ()
        reasons.append(JudgeReason(name, score, "\n".join([words, *lines[start + 1 : end]]).strip()))
    return tuple(reasons)


def _starts(lines: Sequence[str], names: Sequence[str]) -> list[tuple[int, str, str]] | None:
    """Where each judge's words begin, with its score and the rest of that line; None where it is not certain."""
    heads = {name: re.compile(re.escape(name) + r" (no score|\d{1,2}(?:\.\d{1,2})?)(?:: ?(.*))?") for name in names}
    found = []
    for number, line in enumerate(lines):
        for name, head in heads.items():
            match = head.fullmatch(line)
            if match is not None:
                score = match[1] if match[1] == NO_SCORE else f"{float(match[1]):.2f}"
                found.append((number, name, score, match[2] or ""))
                break
    in_order = [name for _, name, _, _ in found] == list(names)
    if not names or not in_order or Counter(names) != Counter(name for _, name, _, _ in found) or found[0][0] != 0:
        return None
    return [(number, score, words) for number, _, score, words in found]
