"""Accuracy against cost: how often a judge ranks the best answer first, by the number of samples it takes. Pure.

Each question has several answers, of which the first is known to be the best, and each answer has several recorded
scores by each judge. An aggregate of the first k scores wins if it is higher for the best answer than for every other;
a tie, and an answer without a score, count as lost. Whole-number scores tie often: that is why the mean of eight
samples gains so much, and their median so little.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from statistics import median
from typing import Annotated, Final, Literal, NamedTuple

from evenhand.core.basics.published import Json, SixPlaces
from evenhand.core.trust.pass_rate import wilson

Way = Literal["mean", "median"]
Scores = Sequence[int | float | None]
"""The scores of one answer, sample by sample; None where there is none."""

NORMAL: Final = 1.959963984540054


class Question(NamedTuple):
    """One question with its recorded scores."""

    id: str
    scores: Mapping[str, Sequence[Scores]]
    """By judge: a list of samples for each answer, the best answer first."""


class CurvePoint(NamedTuple):
    """One way to judge, what it takes and how often it is right."""

    judge: str
    """A judge, several joined by "+", or "A, then B" where B is asked only about ties."""
    way: Annotated[Way, Json(shape=Way)]
    samples: int
    """Of each judge and answer."""
    calls: SixPlaces
    """For each question, on average."""
    cost: SixPlaces | None
    """In dollars for each question; None without prices."""
    wins: int
    questions: int
    share: SixPlaces
    low: SixPlaces
    """Of the 95 % interval (Wilson)."""
    high: SixPlaces


class SampleCurve(NamedTuple):
    """A curve as it is published."""

    source: str
    questions: int
    counted: str
    """What counts as lost."""
    points: tuple[CurvePoint, ...]


def sample_curve(questions: Sequence[Question], prices: Mapping[str, float] | None = None) -> tuple[CurvePoint, ...]:
    """Every judge, all of them as a panel, and the second with the first for its ties; 1 to k samples."""
    judges = [*questions[0].scores]
    most = max(len(scores) for question in questions for answers in question.scores.values() for scores in answers)
    points = []
    for way in ("mean", "median"):
        for members in [[judge] for judge in judges] + ([judges] if len(judges) > 1 else []):
            for samples in range(1, most + 1) if way == "mean" else (most,):
                points.append(_point(questions, members, way, samples, prices))
    if len(judges) > 1:
        points += [_economy(questions, judges[1], judges[0], samples, prices) for samples in range(1, most + 1)]
    return tuple(points)


def _point(
    questions: Sequence[Question], members: Sequence[str], way: Way, samples: int, prices: Mapping[str, float] | None
) -> CurvePoint:
    wins = sum(_first(_values(question, members, way, samples)) == "won" for question in questions)
    calls = {judge: samples * sum(len(q.scores[judge]) for q in questions) / len(questions) for judge in members}
    return _made("+".join(members), way, samples, calls, prices, wins, len(questions))


def _economy(
    questions: Sequence[Question], cheap: str, dear: str, samples: int, prices: Mapping[str, float] | None
) -> CurvePoint:
    """The cheaper judge alone where it decides, and both together where it ties."""
    wins = asked = 0
    for question in questions:
        outcome = _first(_values(question, [cheap], "mean", samples))
        if outcome == "tied":
            asked += len(question.scores[dear])
            outcome = _first(_values(question, [cheap, dear], "mean", samples))
        wins += outcome == "won"
    answers = sum(len(question.scores[cheap]) for question in questions)
    calls = {cheap: samples * answers / len(questions), dear: samples * asked / len(questions)}
    return _made(f"{cheap}, then {dear}", "mean", samples, calls, prices, wins, len(questions))


def _made(
    judge: str,
    way: Way,
    samples: int,
    calls: Mapping[str, float],
    prices: Mapping[str, float] | None,
    wins: int,
    count: int,
) -> CurvePoint:
    cost = None if not prices else sum(number * prices[name] for name, number in calls.items())
    share = wins / count
    return CurvePoint(judge, way, samples, sum(calls.values()), cost, wins, count, share, *wilson(share, count, NORMAL))


def _values(question: Question, members: Sequence[str], way: Way, samples: int) -> list[Fraction | None]:
    """Each answer's score: the mean of the judges' aggregates; None where a judge has no score of it."""
    aggregate = _WAYS[way]
    values: list[Fraction | None] = []
    for place in range(len(question.scores[members[0]])):
        given = [[s for s in question.scores[judge][place][:samples] if s is not None] for judge in members]
        known = [aggregate(scores) for scores in given if scores]
        values.append(sum(known, Fraction(0)) / len(known) if len(known) == len(members) else None)
    return values


def _mean(scores: Sequence[int | float]) -> Fraction:
    """Exact: two answers tie if and only if their scores add up to the same."""
    if all(type(score) is int for score in scores):
        return Fraction(int(sum(scores)), len(scores))
    return sum((Fraction(str(score)) for score in scores), Fraction(0)) / len(scores)


def _median(scores: Sequence[int | float]) -> Fraction:
    """Exact too: the mean of two middle scores, added up as floats, may tell equal ones apart."""
    return Fraction(median(Fraction(str(score)) for score in scores))


_WAYS: Final[Mapping[Way, Callable[[Sequence[int | float]], Fraction]]] = {"mean": _mean, "median": _median}


def _first(values: Sequence[Fraction | None]) -> Literal["won", "tied", "lost"]:
    """What becomes of the best answer, which comes first."""
    known = [value for value in values if value is not None]
    if len(known) < len(values):
        return "lost"
    best = max(known[1:])
    return "won" if known[0] > best else "tied" if known[0] == best else "lost"
