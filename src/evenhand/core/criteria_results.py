"""What a scorecard says of its criteria: what each costs, how far it is met; and the sentences that a case expects."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Literal, NamedTuple

from evenhand.core.criteria import node_value, score_of
from evenhand.core.finding import NEEDS_A_READER, Checked, Expected, Place
from evenhand.core.judgement import Evidence, Verdict
from evenhand.core.rubric import CANNOT_TELL, DOES_NOT_APPLY, NO, PARTLY, YES, Answer, Criterion, Group
from evenhand.core.rules import HIGHEST, LOWEST
from evenhand.core.scorecard import Scorecard, ScoredCriteria

# --- costs -----------------------------------------------------------------------------------------------------------
# What each criterion costs the score of its dimension, and which were met. Pure; rational numbers throughout.
#
# A node is worth a weighted mean, so a criterion moves its dimension's value by its share: its points over those of
# its siblings that apply, times the same of every group above it. What is lost is that share of what it is short of
# its best answer, `no` for one that takes points away. Not clipped: below 0 the value of a dimension counts as 0.


State = Literal["missed", "open", "met", "out"]
"""Missed, also in part; open: cannot be told; met; out: does not apply, or counts for nothing."""

_ZERO, _ONE = Fraction(0), Fraction(1)
_ORDER: tuple[State, ...] = ("missed", "open", "met", "out")


class CriterionCost(NamedTuple):
    """One criterion of a scorecard, and what it costs."""

    criterion: Criterion
    verdict: Verdict
    groups: tuple[Group, ...]
    """The groups it is in, from the outermost."""
    state: State
    lost: Fraction
    """What it costs in points of its dimension's score; of one that cannot be told, what it costs at most."""


def criteria_costs(scored: ScoredCriteria) -> list[CriterionCost]:
    """The criteria behind a score, missed ones first, the most costly on top; otherwise in the order of the rubric."""
    counted = {id: verdict.answer for id, verdict in scored.verdicts.items()}
    costs = list(_costs(scored.tree.children, scored, counted, _ONE, ()))
    return sorted(costs, key=lambda cost: (_ORDER.index(cost.state), -cost.lost))


def score_without(scored: ScoredCriteria, costs: Sequence[CriterionCost]) -> int | None:
    """The score, in hundredths, if these criteria had their best answer; None where there is no single score now."""
    value = scored.value
    if value is None or value.low != value.high:
        return None
    lost = sum((cost.lost for cost in costs), _ZERO) * 100 / (HIGHEST - LOWEST)
    return int(score_of(value.low + lost) * 100)


def is_met(criterion: Criterion, answer: Answer) -> bool | None:
    """Whether an answer is the best one; None where it cannot be told, or where the criterion does not apply."""
    if answer in (CANNOT_TELL, DOES_NOT_APPLY):
        return None
    return answer == ("no" if criterion.points < 0 else "yes")


def _costs(
    children: Sequence[Criterion | Group],
    scored: ScoredCriteria,
    counted: Mapping[str, Answer],
    share: Fraction,
    groups: tuple[Group, ...],
) -> Iterator[CriterionCost]:
    partly = scored.tree.partly
    weights = [child.weight if isinstance(child, Group) else child.points for child in children]
    applying = [node_value(child, counted, partly) is not None for child in children]
    positive = sum((weight for weight, applies in zip(weights, applying, strict=True) if applies and weight > 0), _ZERO)
    negative = sum((weight for weight, applies in zip(weights, applying, strict=True) if applies and weight < 0), _ZERO)
    whole = positive or -negative
    for child, weight, applies in zip(children, weights, applying, strict=True):
        part = share * abs(weight) / whole if applies and whole else _ZERO
        if isinstance(child, Group):
            yield from _costs(child.children, scored, counted, part, (*groups, child))
            continue
        value = node_value(child, counted, partly)
        short = _ZERO if value is None else value.high if weight < 0 else 1 - value.low
        lost = part * short * (HIGHEST - LOWEST) / 100
        yield CriterionCost(child, scored.verdicts[child.id], groups, _state(child, counted[child.id], short), lost)


def _state(criterion: Criterion, answer: Answer, short: Fraction) -> State:
    if answer == DOES_NOT_APPLY or not criterion.points:
        return "out"
    if answer == CANNOT_TELL:
        return "open"
    return "missed" if short else "met"


# --- verdict rows ----------------------------------------------------------------------------------------------------
# Every criterion of a scorecard as one row: those of its rubric, and the sentences that judges decided. Pure.
#
# Whatever follows criteria over several scorecards goes through these rows: comparisons, suites, labels, long
# tables.


_ANSWERS: Mapping[str, Answer] = {"met": YES, "unmet": NO, "undecided": CANNOT_TELL}
_STATES: Mapping[str, State] = {"met": "met", "unmet": "missed", "undecided": "open"}


class VerdictRow(NamedTuple):
    """One criterion of one scorecard."""

    id: str
    """Its id in the rubric; of a sentence, the sentence itself."""
    dimension: str
    """Whose score it gives; empty for a sentence, which gives none."""
    sentence: str
    points: Fraction
    verdict: Verdict
    state: State
    met: Fraction | None
    """How far it is met, from 0 to 1; None when it cannot be told or does not apply."""
    lost: Fraction
    """What it costs the final score, in points, before claims: at most that, where it cannot be told."""


def verdict_rows(card: Scorecard) -> Iterator[VerdictRow]:
    """The criteria of a scorecard in the order of its dimensions and rubric, then its sentences."""
    for name, line in card.dimensions.items():
        if line.criteria is None or not line.criteria.verdicts:
            continue
        costs = {cost.criterion.id: cost for cost in criteria_costs(line.criteria)}
        values = {YES: _ONE, NO: _ONE - 1, PARTLY: line.criteria.tree.partly}
        for criterion in line.criteria.tree.criteria():
            cost = costs[criterion.id]
            value = values.get(cost.verdict.answer)
            met = value if value is None or criterion.points >= 0 else 1 - value
            yield VerdictRow(
                criterion.id,
                name,
                criterion.sentence,
                criterion.points,
                cost.verdict,
                cost.state,
                met,
                cost.lost * Fraction(line.weight),
            )
    for expected in () if card.checked is None else card.checked.expectations:
        if expected.by or expected.message == NEEDS_A_READER:
            met = None if expected.result == "undecided" else Fraction(expected.result == "met")
            verdict = Verdict(_ANSWERS[expected.result], expected.message, (), expected.by, expected.votes)
            state = _STATES[expected.result]
            yield VerdictRow(expected.words, "", expected.words, _ONE, verdict, state, met, _ONE - 1)


# --- card results ----------------------------------------------------------------------------------------------------
# What a scorecard says about one criterion, of its rubric or asked for in a sentence. Pure.


CriterionResult = Literal["met", "partly met", "missed", "does not apply", "undecided"]


def criterion_result(card: Scorecard, id: str) -> tuple[CriterionResult, str] | None:
    """Whether a scorecard meets a criterion, by its id in the rubric or its sentence, and why; None where it was not
    asked about. One that does not apply asks for nothing."""
    for line in card.dimensions.values():
        for criterion in () if line.criteria is None else line.criteria.tree.criteria():
            verdict = None if line.criteria is None else line.criteria.verdicts.get(criterion.id)
            if criterion.id == id and verdict is not None:
                met = is_met(criterion, verdict.answer)
                result: CriterionResult = "met" if met else "missed"
                if met is None:
                    result = "undecided" if verdict.answer == CANNOT_TELL else "does not apply"
                elif verdict.answer == PARTLY:
                    result = "partly met"
                return result, verdict.reason or criterion.sentence
    for expected in () if card.checked is None else card.checked.expectations:
        if _same(expected.words, id):
            results: dict[str, CriterionResult] = {"met": "met", "unmet": "missed", "undecided": "undecided"}
            return results[expected.result], expected.message
    return None


def _same(words: str, sentence: str) -> bool:
    return " ".join(words.split()).rstrip(".").casefold() == " ".join(sentence.split()).rstrip(".").casefold()


# --- expected sentences ----------------------------------------------------------------------------------------------
# Sentences that a case expects to be true, as criteria of one leaf, and what judges' answers make of them. Pure.


def sentences_of(checked: Checked | None) -> list[Criterion]:
    """The expectations that only a reader can decide, each under an id of its own."""
    if checked is None:
        return []
    return [
        Criterion(_id(place), expected.words, Fraction(1))
        for place, expected in enumerate(checked.expectations)
        if expected.message == NEEDS_A_READER
    ]


def with_answers(checked: Checked, verdicts: Mapping[str, Verdict], judges: Sequence[str]) -> Checked:
    """The expectations with what judges answered; one that they could not tell stays undecided, and says why."""
    by = ", ".join(judges)
    return checked._replace(
        expectations=tuple(
            _decided(expected, _unnamed(verdicts[_id(place)], place), by) if _id(place) in verdicts else expected
            for place, expected in enumerate(checked.expectations)
        )
    )


def _unnamed(verdict: Verdict, place: int) -> Verdict:
    """The verdict without the id that the judge was given: a reader knows the sentence only by its words."""
    return verdict._replace(reason=verdict.reason.replace(f"{_id(place)}: ", ""))


def _place(quote: Evidence) -> Place | None:
    """Where a quote is in the transcript's file; None when it is in the output."""
    if quote.source is None:
        return None
    file, colon, line = quote.source.rpartition(":")
    return Place(file, int(line)) if colon and line.isdecimal() else Place(quote.source)


def _id(place: int) -> str:
    return f"expectation-{place + 1}"


def _decided(expected: Expected, verdict: Verdict, by: str) -> Expected:
    quote = next((quote for quote in verdict.evidence if quote.verified), None)
    return expected._replace(
        result="met" if verdict.answer == YES else "unmet" if verdict.answer == NO else "undecided",
        message=verdict.reason or verdict.answer,
        quote="" if quote is None else quote.quote,
        place=None if quote is None else _place(quote),
        offset=None if quote is None else quote.offset,
        line_of_quote=None if quote is None else quote.line,
        by=by,
        votes=verdict.votes,
    )
