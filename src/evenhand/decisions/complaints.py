"""What cost an output points, one complaint for each thing. Pure and exact.

A dimension costs its weight times what its readers' score lacks to 10, and the complaint is their reason. A reason that
goes with a score at or above the pass mark is no complaint: what is wrong all the same is a flag, a fault or a missed
criterion, and listed as that. A red flag
costs its deduction, and a missed criterion what it takes from its dimension. A fault or an unmet expectation costs its
dimension's weight times what its bound lacks to 10; faults count where they count on the scorecard. What has neither a
reason nor a quote says nothing to change, and is left out.

What a judge says in its own words is taken from the justification on a scorecard: a model's ends with what it observed,
"(The task is addressed: yes; Sources are named: no.)", and that of a panel has a paragraph for each judge, after its
name and score. Both are alike in all cases, whatever is wrong with them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from decimal import Decimal
from fractions import Fraction
from itertools import accumulate

from evenhand.core.bounds import HIGHEST_WITH, faults_of
from evenhand.core.criteria_results import verdict_rows
from evenhand.core.finding import Severity
from evenhand.core.judgement import Evidence
from evenhand.core.rules import HIGHEST, POINT
from evenhand.core.scorecard import Scorecard
from evenhand.decisions.what_to_change import Complaint, Passage

_VOICE = re.compile(r"^\S+ (\d+(?:\.\d+)?)(?:: |$)", re.MULTILINE)
_NO_SCORE = re.compile(r"^\S+ no score: .*$", re.MULTILINE)
_ANSWERS = (": yes", ": no", ": not answered")
_END = ".)"


def reason_of(justification: str, *, is_panel: bool) -> str:
    """The words of the one judge, or of the panel's strictest that gave a reason."""
    if not is_panel:
        return _own_words(justification)
    said = _NO_SCORE.sub("", justification)
    places = list(_VOICE.finditer(said))
    ends = [*(place.start() for place in places[1:]), len(said)]
    voices = [
        (Decimal(place[1]), words)
        for place, end in zip(places, ends, strict=True)
        if (words := _own_words(said[place.end() : end]))
    ]
    return min(voices, key=lambda voice: voice[0])[1] if voices else _own_words(justification)


def _own_words(text: str) -> str:
    """A text without the observations at its end; of one that is nothing else, those that do not hold."""
    text = text.strip()
    if not text.endswith(_END):
        return text
    for start in (place for place, letter in enumerate(text) if letter == "("):
        inside = text[start + 1 : -len(_END)]
        parts = inside.split("; ")
        if _is_nested(inside) and all(part.endswith(_ANSWERS) for part in parts):
            return text[:start].strip() or "; ".join(part for part in parts if part.endswith(": no"))
    return text


def _is_nested(text: str) -> bool:
    """Whether every bracket in a text is closed after it was opened."""
    depths = list(accumulate((letter == "(") - (letter == ")") for letter in text))
    return not depths or (depths[-1] == 0 and min(depths) == 0)


def complaints_of(card: Scorecard, case: str) -> list[Complaint]:
    """Everything that cost an output points."""
    return [
        complaint
        for complaint in (*_flags(card, case), *_checked(card, case), *_criteria(card, case), *_reasons(card, case))
        if complaint.quotes
    ]


def _flags(card: Scorecard, case: str) -> Iterator[Complaint]:
    for flag in card.red_flags:
        text = flag.explanation or flag.description
        quotes = (*_verified(flag.evidence, case), *_words(flag.explanation, case))
        yield Complaint(case, "red_flag", flag.id, "", text, Fraction(flag.deduction), quotes)


def _checked(card: Scorecard, case: str) -> Iterator[Complaint]:
    if card.checked is None:
        return
    for finding in faults_of(card.checked):
        if finding.severity is None or finding.flag or not (finding.precise or card.unread):
            continue
        cost = _cost(card, finding.dimension, finding.severity)
        quote = Passage(finding.quote, case, "output", finding.line) if finding.quote and finding.verified else None
        said = quote or Passage(finding.message, case, "check")
        yield Complaint(case, "check", finding.check, finding.dimension, finding.message, cost, (said,))
    for expected in card.checked.expectations:
        if expected.result == "unmet":
            # A model's no bounds nothing, so beside a score it costs nothing.
            free = expected.by and not card.unread
            cost = Fraction(0) if free else _cost(card, expected.dimension, expected.severity)
            quote = Passage(expected.quote, case, "output") if expected.quote else None
            said = quote or Passage(expected.words, case, "expectation")
            yield Complaint(case, "expectation", expected.words, expected.dimension, expected.line, cost, (said,))


def _criteria(card: Scorecard, case: str) -> Iterator[Complaint]:
    for row in verdict_rows(card):
        if row.dimension and row.state == "missed":
            text = f"{row.sentence} {row.verdict.reason}".strip()
            quotes = (*_verified(row.verdict.evidence, case), Passage(text, case, "judge"))
            yield Complaint(case, "criterion", row.id, row.dimension, text, row.lost, quotes)


def _reasons(card: Scorecard, case: str) -> Iterator[Complaint]:
    for name, line in card.dimensions.items():
        score = line.score if line.uncapped is None else line.uncapped
        if score is None or score >= card.pass_mark or not line.weight:
            continue
        cost = Fraction(line.weight) * Fraction(Decimal(HIGHEST // POINT) - score)
        reason = reason_of(line.justification, is_panel=card.panel is not None and len(card.panel.members) > 1)
        quotes = (*_verified(line.evidence, case), *_words(reason, case))
        yield Complaint(case, "reason", "", name, reason, cost, quotes)


def _cost(card: Scorecard, dimension: str, severity: Severity) -> Fraction:
    return Fraction(card.dimensions[dimension].weight) * Fraction(HIGHEST - HIGHEST_WITH[severity], POINT)


def _verified(evidence: Iterable[Evidence], case: str) -> Iterator[Passage]:
    return (Passage(quote.quote, case, "output", quote.line) for quote in evidence if quote.verified)


def _words(text: str, case: str) -> Iterator[Passage]:
    """A judge's own words, for what nothing in the output shows."""
    if text.strip():
        yield Passage(text.strip(), case, "judge")
