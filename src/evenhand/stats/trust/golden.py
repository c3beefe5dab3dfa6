"""Verdicts on golden examples against what people say: agreement, ambiguity, what asking several at once costs. Pure.

Each criterion is tested by itself: one that requires another is asked whatever the judge says about the other, unless
people say that the other is not met. Where as many people say one thing as another, nothing is expected.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from decimal import Decimal
from fractions import Fraction
from typing import Annotated, NamedTuple

from evenhand.core.criteria import majority
from evenhand.core.judgement import Verdict
from evenhand.core.published import ALWAYS, Count
from evenhand.core.rubric import ANSWERS, CANNOT_TELL, NO, UNANSWERED, Answer, Criterion, Tree
from evenhand.work.submission import Submission


class GoldenVerdict(NamedTuple):
    """What people say about one criterion of an example."""

    answers: tuple[Answer, ...]
    """The expected answers, one for each person."""
    why: str = ""


class GoldenExample(NamedTuple):
    """An output whose verdicts are known."""

    name: str
    submission: Submission
    verdicts: Mapping[str, GoldenVerdict]
    """By the id of the criterion; one that is left out is not tested with this example."""


class GoldenMiss(NamedTuple):
    """A verdict that is not the expected one."""

    example: str
    criterion: str
    judge: str
    """Empty where a program decides."""
    expected: str
    answer: str
    why: Annotated[str, ALWAYS] = ""
    """Why the example expects it."""
    reason: Annotated[str, ALWAYS] = ""
    """What the judge gave as its reason."""
    votes: Mapping[str, int] = {}
    """How many samples gave each answer."""


class GoldenCriterion(NamedTuple):
    """How one criterion fared over all examples and judges."""

    id: str
    dimension: str
    sentence: str
    decided_by: str
    """The check or `expectation` that decides it; empty where judges are asked."""
    verdicts: Count
    """The answers that were compared with what people say."""
    agreed: Count
    unanswered: Count
    """Questions that got no usable answer. They are not verdicts, and a test with some does not pass."""
    expected: Mapping[str, int]
    """How many examples expect each answer."""
    answers: Mapping[str, int]
    """How often each answer was given."""
    split_samples: Annotated[tuple[str, ...], ALWAYS] = ()
    """The examples on which the samples of a judge differ."""
    split_judges: Annotated[tuple[str, ...], ALWAYS] = ()
    """The examples on which the judges differ."""
    split_people: Annotated[tuple[str, ...], ALWAYS] = ()
    """The examples on which people differ."""
    separates: Annotated[bool | None, ALWAYS] = None
    """False when every answer is the same though people's differ; null when people's are all the same."""
    together: Annotated[int | None, ALWAYS] = None
    """How many agreed when several criteria were asked at once; null when that was not tried."""


class GoldenJudge(NamedTuple):
    """How often one judge gave the expected verdict."""

    judge: str
    verdicts: Count
    agreed: Count
    unanswered: Annotated[Count, ALWAYS] = 0


class Together(NamedTuple):
    """What asking several criteria in one call costs in agreement, over the verdicts that both ways gave."""

    per_call: int
    verdicts: Count
    alone: Count
    """How many agreed when asked one at a time."""
    together: Count
    lost: Count
    """Right when asked alone, wrong together."""
    gained: Count
    """Wrong when asked alone, right together."""
    unanswered: Annotated[Count, ALWAYS] = 0
    """Questions about several at once that brought no usable answer."""


class GoldenResult(NamedTuple):
    """A test of a rubric with its golden examples."""

    rubric: str
    sha256: str
    golden: tuple[str, ...]
    """The files that hold the examples."""
    examples: Count
    min_agreement: Annotated[Decimal, {"text": True}]
    """The share of verdicts that must agree, for each criterion."""
    passed: bool
    verdicts: Count
    agreed: Count
    unanswered: Count
    judges: tuple[GoldenJudge, ...]
    criteria: tuple[GoldenCriterion, ...]
    missed: tuple[GoldenMiss, ...]
    untested: tuple[str, ...]
    """The criteria that no example has a verdict on."""
    together: Annotated[Together | None, ALWAYS] = None
    calls: Annotated[Count, ALWAYS] = 0
    cost: Annotated[Decimal | None, {"minimum": 0, "always": True}] = None
    """Null when the price of a call is not known."""


PROGRAM = ""
"""Whose verdicts those of checks and expectations are."""

Readings = Mapping[str, Mapping[str, Mapping[str, Verdict]]]
"""The verdicts by judge, example and criterion."""


class Tested(NamedTuple):
    """What a test is about."""

    rubric: str
    sha256: str
    golden: tuple[str, ...]
    trees: Mapping[str, Tree]
    """The criteria by dimension."""
    examples: Sequence[GoldenExample]
    min_agreement: Decimal


class _Case(NamedTuple):
    """One verdict on one example."""

    judge: str
    example: GoldenExample
    criterion: str
    expected: Answer | None
    verdict: Verdict

    @property
    def answered(self) -> bool:
        return self.verdict.by != UNANSWERED

    @property
    def counts(self) -> bool:
        return self.answered and self.expected is not None

    @property
    def agrees(self) -> bool:
        return self.counts and self.verdict.answer == self.expected


def expected_answer(verdict: GoldenVerdict) -> Answer | None:
    """What most people say; None where they are divided."""
    answer = majority(verdict.answers)
    return None if answer == CANNOT_TELL and CANNOT_TELL not in verdict.answers else answer


def tested_criteria(example: GoldenExample, trees: Mapping[str, Tree]) -> list[Criterion]:
    """The criteria to ask about an example, each without its prerequisites."""
    said = {id: expected_answer(verdict) for id, verdict in example.verdicts.items()}
    return [
        criterion._replace(requires=())
        for tree in trees.values()
        for criterion in tree.criteria()
        if criterion.id in example.verdicts and not any(said.get(other) == NO for other in criterion.requires)
    ]


def golden_result(
    tested: Tested,
    readings: Readings,
    together: tuple[int, Readings] | None = None,
    *,
    calls: int,
    cost: Decimal | None,
) -> GoldenResult:
    """What the readings show; `together` are those of several criteria in one call, with how many."""
    cases = [*_cases(tested.examples, readings)]
    several = [] if together is None else [*_cases(tested.examples, together[1])]
    criteria = tuple(
        _criterion(
            name,
            criterion,
            tested.examples,
            [case for case in cases if case.criterion == criterion.id],
            None if together is None else [case for case in several if case.criterion == criterion.id],
        )
        for name, tree in tested.trees.items()
        for criterion in tree.criteria()
        if any(criterion.id in example.verdicts for example in tested.examples)
    )
    return GoldenResult(
        rubric=tested.rubric,
        sha256=tested.sha256,
        golden=tested.golden,
        examples=len(tested.examples),
        min_agreement=tested.min_agreement,
        passed=any(one.verdicts for one in criteria) and all(_passes(one, tested.min_agreement) for one in criteria),
        verdicts=sum(one.verdicts for one in criteria),
        agreed=sum(one.agreed for one in criteria),
        unanswered=sum(one.unanswered for one in criteria),
        judges=tuple(_judge(name, cases) for name in readings if name != PROGRAM),
        criteria=criteria,
        missed=tuple(map(_miss, (case for case in cases if case.counts and not case.agrees))),
        untested=_untested(tested),
        together=None if together is None else _together(together[0], cases, several),
        calls=calls,
        cost=cost,
    )


def _passes(criterion: GoldenCriterion, least: Decimal) -> bool:
    """Whether enough verdicts agree. One that was never answered has not passed; one whose verdicts follow from its
    prerequisites alone, or on which people are divided, has nothing to fail."""
    enough = Fraction(criterion.agreed) >= Fraction(least) * criterion.verdicts
    return enough and not criterion.unanswered


def _untested(tested: Tested) -> tuple[str, ...]:
    known = {id for example in tested.examples for id in example.verdicts}
    return tuple(node.id for tree in tested.trees.values() for node in tree.criteria() if node.id not in known)


def _cases(examples: Sequence[GoldenExample], readings: Readings) -> Iterator[_Case]:
    for judge, by_example in readings.items():
        for example in examples:
            for id, verdict in by_example.get(example.name, {}).items():
                yield _Case(judge, example, id, expected_answer(example.verdicts[id]), verdict)


def _criterion(
    dimension: str,
    criterion: Criterion,
    examples: Sequence[GoldenExample],
    cases: Sequence[_Case],
    several: Sequence[_Case] | None,
) -> GoldenCriterion:
    counting = [case for case in cases if case.counts]
    with_it = [example for example in examples if criterion.id in example.verdicts]
    expected = [expected_answer(example.verdicts[criterion.id]) for example in with_it]
    answered = [case for case in cases if case.answered]
    judges = {
        example.name: {case.verdict.answer for case in answered if case.example is example} for example in with_it
    }
    given = {case.verdict.answer for case in counting}
    differ = len({case.expected for case in counting}) > 1
    return GoldenCriterion(
        id=criterion.id,
        dimension=dimension,
        sentence=criterion.sentence,
        decided_by="" if criterion.asked else f"check {criterion.check}" if criterion.check else "expectation",
        verdicts=len(counting),
        agreed=sum(case.agrees for case in cases),
        unanswered=sum(not case.answered for case in cases),
        expected=_in_order(answer for answer in expected if answer is not None),
        answers=_in_order(case.verdict.answer for case in answered),
        split_samples=_names(case.example for case in answered if len(case.verdict.votes) > 1),
        split_judges=tuple(name for name, answers in judges.items() if len(answers) > 1),
        split_people=_names(example for example in with_it if len(set(example.verdicts[criterion.id].answers)) > 1),
        separates=len(given) > 1 if differ else None,
        together=None if several is None or not criterion.asked else sum(case.agrees for case in several),
    )


def _in_order(answers: Iterable[Answer]) -> dict[str, int]:
    found = Counter(answers)
    return {answer: found[answer] for answer in ANSWERS if found[answer]}


def _names(examples: Iterable[GoldenExample]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(example.name for example in examples))


def _judge(name: str, cases: Sequence[_Case]) -> GoldenJudge:
    own = [case for case in cases if case.judge == name]
    counting = [case for case in own if case.counts]
    return GoldenJudge(name, len(counting), sum(case.agrees for case in own), sum(not case.answered for case in own))


def _miss(case: _Case) -> GoldenMiss:
    assert case.expected is not None
    verdict = case.verdict
    why = case.example.verdicts[case.criterion].why
    return GoldenMiss(
        case.example.name, case.criterion, case.judge, case.expected, verdict.answer, why, verdict.reason, verdict.votes
    )


def _together(per_call: int, alone: Sequence[_Case], several: Sequence[_Case]) -> Together:
    def key(case: _Case) -> tuple[str, str, str]:
        return case.judge, case.example.name, case.criterion

    others = {key(case): case for case in several if case.counts}
    pairs = [(case, others[key(case)]) for case in alone if case.counts and key(case) in others]
    return Together(
        per_call=per_call,
        verdicts=len(pairs),
        alone=sum(first.agrees for first, _ in pairs),
        together=sum(second.agrees for _, second in pairs),
        lost=sum(first.agrees and not second.agrees for first, second in pairs),
        gained=sum(second.agrees and not first.agrees for first, second in pairs),
        unanswered=sum(not case.answered for case in several),
    )
