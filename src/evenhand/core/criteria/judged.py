"""A judgement's verdicts to the scores of the dimensions that have criteria. Pure, and the same when done twice."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from decimal import Decimal
from typing import TYPE_CHECKING

from evenhand.core.criteria.value import counted_answers, score_of, tree_value
from evenhand.core.values.criterion import ANSWERS, CANNOT_TELL, Criterion, ScoredCriteria, Tree
from evenhand.core.values.judgement import Judgement
from evenhand.core.values.opinion import Answer, Opinion, Unscored, Verdict
from evenhand.errors import JudgementError, Problem, unknown
from evenhand.in_words import counted as number_of
from evenhand.in_words import shortened

if TYPE_CHECKING:
    from evenhand.core.values.panel import Member

PREREQUISITE = "prerequisite"
"""What decided a criterion that was not asked because of what it requires."""
NOTHING_APPLIES = "none of its criteria applies"
NO_ANSWER = Verdict(CANNOT_TELL, "no judge answered it")
NO_LONGER = "it was judged by criteria that the rubric no longer has"
MOST_STRANGE, MOST_LISTED = 3, 12
"""How many unknown criteria are reported, and how many valid ones listed: a tree may have hundreds."""
BY_HAND = "it has criteria, and their answers give its score; none was answered"
BY_PROGRAMS = 'programs decide all of them: write {"unscored": "decided by programs"}'


def scored_by_criteria(judgement: Judgement, trees: Mapping[str, Tree]) -> Judgement:
    """The judgement with every verdict that counts, and the score that follows from them.

    Of a panel's judge too, so that its scores are those of its own verdicts. The judgement of several judges is
    returned as it is: their scores were computed one by one, and its own are the medians.
    """
    panel = judgement.panel
    if not trees or (panel is not None and len(panel.members) != 1):
        return judgement
    opinions = _scored(judgement.opinions, trees)
    if panel is not None:
        panel = panel._replace(members=(_member(panel.members[0], opinions, trees),))
    return judgement._replace(opinions=opinions, panel=panel)


def answered_again(judgement: Judgement, trees: Mapping[str, Tree]) -> Judgement:
    """A judgement made under other criteria: those that were answered count, and nothing else does."""
    known = {criterion.id for tree in trees.values() for criterion in tree.criteria()}
    opinions = {}
    for name, opinion in judgement.opinions.items():
        verdicts = {id: verdict for id, verdict in opinion.verdicts.items() if id in known and name in trees}
        if verdicts:
            verdicts = {c.id: verdicts.get(c.id, NO_ANSWER) for c in trees[name].criteria()} | verdicts
        gone = opinion.verdicts and name not in trees
        opinions[name] = opinion._replace(verdicts=verdicts, score=Unscored(NO_LONGER) if gone else opinion.score)
    judgement = judgement._replace(opinions=opinions)
    if judgement.panel is None or len(judgement.panel.members) == 1:
        return scored_by_criteria(judgement, trees)
    gone_names = [name for name, opinion in opinions.items() if opinion.score == Unscored(NO_LONGER)]
    members = tuple(
        _member(_without(member, gone_names), _own_scores(member, trees), trees) for member in judgement.panel.members
    )
    return judgement._replace(panel=judgement.panel._replace(members=members))


def _own_scores(member: Member, trees: Mapping[str, Tree]) -> dict[str, Opinion]:
    """What a judge's own answers give; of one who was asked about some dimensions, the criteria of those alone."""
    scored_trees = {name: tree for name, tree in trees.items() if name in member.scores}
    return _scored(_opinions_of(member, scored_trees), scored_trees)


def _without(member: Member, names: list[str]) -> Member:
    return member._replace(scores={**member.scores, **{n: Unscored(NO_LONGER) for n in names if n in member.scores}})


def _opinions_of(member: Member, trees: Mapping[str, Tree]) -> dict[str, Opinion]:
    """A panel's judge's opinions on the dimensions with criteria, from its answers alone."""
    return {
        name: Opinion(
            member.scores[name],
            verdicts={c.id: Verdict(member.verdicts[c.id]) for c in tree.criteria() if c.id in member.verdicts},
        )
        for name, tree in trees.items()
    }


def contradictions(judgement: Judgement, trees: Mapping[str, Tree]) -> Iterator[tuple[str, str]]:
    """Where a score does not follow from the verdicts, or a verdict from its prerequisites: the field, and how."""
    panel = judgement.panel
    members = () if panel is None else panel.members
    for place, member in enumerate(members):
        for name, opinion in _own_scores(member, trees).items():
            if opinion.verdicts and _number(opinion.score) != _number(member.scores[name]):
                yield (
                    f"panel.members.{place}.scores.{name}",
                    f"differs from what its verdicts give: {_number(opinion.score)}",
                )
    if len(members) > 1:
        return
    readers = {} if judgement.checked is None else judgement.checked.uncapped
    for name, opinion in _scored(judgement.opinions, trees).items():
        given = judgement.opinions[name]
        if name not in trees or not given.verdicts:
            continue
        if _number(opinion.score) != _number(readers.get(name, given.score)):
            yield f"dimensions.{name}.score", f"differs from what its criteria give: {_number(opinion.score)}"
        for id, verdict in opinion.verdicts.items():
            if id not in given.verdicts or verdict.answer != given.verdicts[id].answer:
                yield f"dimensions.{name}.criteria.{id}", f"must be {verdict.answer}, for its prerequisites"


def _number(verdict: Decimal | Unscored) -> Decimal | tuple[Decimal, Decimal] | None:
    """A score, or where it lies."""
    return verdict.interval if isinstance(verdict, Unscored) else verdict


def _scored(opinions: Mapping[str, Opinion], trees: Mapping[str, Tree]) -> dict[str, Opinion]:
    counted = counted_verdicts(opinions, trees)
    return {
        name: _opinion(opinion, trees[name], counted) if name in trees else opinion
        for name, opinion in opinions.items()
    }


def counted_verdicts(opinions: Mapping[str, Opinion], trees: Mapping[str, Tree]) -> dict[str, Verdict]:
    """The verdict on each criterion of the rubric once prerequisites are known; what was not asked says why."""
    given = {id: verdict for opinion in opinions.values() for id, verdict in opinion.verdicts.items()}
    criteria = [criterion for tree in trees.values() for criterion in tree.criteria()]
    answers = {id: verdict.answer for id, verdict in given.items() if verdict.by != PREREQUISITE}
    counted = counted_answers(criteria, answers)
    return {
        criterion.id: _verdict(criterion, given.get(criterion.id, NO_ANSWER), counted, answers)
        for criterion in criteria
    }


def _verdict(
    criterion: Criterion, given: Verdict, counted: Mapping[str, Answer], answers: Mapping[str, Answer]
) -> Verdict:
    answer = counted[criterion.id]
    if answer == answers.get(criterion.id, CANNOT_TELL) and given.by != PREREQUISITE:
        return given
    known = [id for id in criterion.requires if id in counted]
    decisive = [id for id in known if counted[id] not in ("yes", "partly")] or known
    return Verdict(answer, f"not asked: it requires {', '.join(decisive)}", by=PREREQUISITE)


def _opinion(opinion: Opinion, tree: Tree, counted: Mapping[str, Verdict]) -> Opinion:
    if not opinion.verdicts:
        return opinion if isinstance(opinion.score, Unscored) else opinion._replace(score=Unscored(BY_HAND))
    verdicts = {criterion.id: counted[criterion.id] for criterion in tree.criteria()}
    value = tree_value(tree, {id: verdict.answer for id, verdict in verdicts.items()})
    if value is None:
        return opinion._replace(score=Unscored(NOTHING_APPLIES), verdicts=verdicts)
    low, high = score_of(value.low), score_of(value.high)
    if low == high:
        return opinion._replace(score=low, verdicts=verdicts)
    return opinion._replace(score=Unscored(_cannot_tell(verdicts), (low, high)), verdicts=verdicts)


def _cannot_tell(verdicts: Mapping[str, Verdict]) -> str:
    open_ids = [id for id, verdict in verdicts.items() if verdict.answer == CANNOT_TELL]
    named = ", ".join(open_ids[:3]) + (", ..." if len(open_ids) > 3 else "")
    return f"{len(open_ids)} of {number_of(len(verdicts), 'criterion', 'criteria')} cannot be told: {named}"


def _member(member: Member, opinions: Mapping[str, Opinion], trees: Mapping[str, Tree]) -> Member:
    by_criteria = {name: opinions[name] for name in trees if name in member.scores}
    return member._replace(
        scores={**member.scores, **{name: opinion.score for name, opinion in by_criteria.items()}},
        verdicts={id: v.answer for opinion in by_criteria.values() for id, v in opinion.verdicts.items()},
    )


def scored_criteria(judgement: Judgement, name: str, tree: Tree) -> ScoredCriteria:
    """The criteria of one dimension as a scorecard has them."""
    verdicts = judgement.opinions[name].verdicts
    several = judgement.panel is not None and len(judgement.panel.members) > 1
    answers = {id: verdict.answer for id, verdict in verdicts.items()}
    return ScoredCriteria(tree, verdicts, None if several else tree_value(tree, answers))


def refuse_bare_scores(judgement: Judgement, trees: Mapping[str, Tree], rubric: str) -> None:
    """JudgementError where a written judgement scores a dimension by hand that has criteria, or where it answers
    criteria that the rubric does not list or leaves some of them out."""
    problems = []
    known = [criterion.id for tree in trees.values() for criterion in tree.criteria()]
    for name, opinion in judgement.opinions.items():
        path = ("scores", name)
        if name in trees and not opinion.verdicts and not isinstance(opinion.score, Unscored):
            ids = ", ".join(criterion.id for criterion in trees[name].criteria() if criterion.asked)
            how = f"answer them under criteria: {shortened(ids)}" if ids else BY_PROGRAMS
            problems.append(Problem(f"{name}: {BY_HAND}; {how}", path=path))
        criterion_ids = [criterion.id for criterion in trees[name].criteria()] if name in trees else []
        strange = [id for id in opinion.verdicts if id not in criterion_ids]
        for place, id in enumerate(strange[:MOST_STRANGE], 1):
            rest = f" ({len(strange) - place} more are unknown)" if place == MOST_STRANGE < len(strange) else ""
            listed = f"rubric show lists the {len(criterion_ids)}" if len(criterion_ids) > MOST_LISTED else ""
            elsewhere = next((other for other, tree in trees.items() if id in [c.id for c in tree.criteria()]), None)
            wrong = (
                unknown("criterion", id, criterion_ids or known, otherwise=listed)
                if elsewhere is None
                else f"criterion {id} is not one of its own; answer it under {elsewhere}"
            )
            problems.append(Problem(f"rubric {rubric}, {name}: {wrong}{rest}", path=(*path, "criteria", id)))
    if not problems:
        problems = _unanswered(judgement, trees)
    if problems:
        raise JudgementError(problems)


def _unanswered(judgement: Judgement, trees: Mapping[str, Tree]) -> list[Problem]:
    """The criteria that a written judgement should answer and does not."""
    counted = counted_verdicts(judgement.opinions, trees)
    return [
        Problem(
            f"{name}: {criterion.id} is not answered; give one of {', '.join(ANSWERS)}",
            path=("scores", name, "criteria"),
        )
        for name, tree in trees.items()
        if judgement.opinions[name].verdicts
        for criterion in tree.criteria()
        if counted[criterion.id] is NO_ANSWER and criterion.asked
    ]
