"""Criteria under a dimension: what answers are worth, and the score that follows. Pure; rational numbers throughout."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from decimal import Decimal
from fractions import Fraction
from typing import Any

from evenhand.core.judgement import Evidence, Judgement, Member, Opinion, Unscored, Verdict
from evenhand.core.numbers import exact, half_up, points
from evenhand.core.rubric import (
    ANSWERS,
    CANNOT_TELL,
    DOES_NOT_APPLY,
    HALF,
    NO,
    PARTLY,
    YES,
    Answer,
    Criterion,
    Group,
    Tree,
)
from evenhand.core.rules import HIGHEST, LOWEST
from evenhand.core.scorecard import ScoredCriteria, Span
from evenhand.errors import JudgementError, Problem, shortened, unknown

# --- value -----------------------------------------------------------------------------------------------------------
# Verdicts to the value of a tree of criteria, and to a score. Pure; rational numbers throughout.
#
# A criterion is worth 1 (yes), 0 (no), 1/2 (partly, unless the rubric states another fraction), nothing (does not
# apply) or anything from 0 to 1 (cannot tell). A node is worth the sum of weight times value of its positive
# children that apply, less the points of its negative ones, over the sum of those positive weights; with only
# negative children that apply, 1 less the share of the points lost. It is clipped to 0..1 once, at the dimension.
# Where nothing applies there is no value, and so no score.


_ZERO, _ONE = Fraction(0), Fraction(1)


def counted_answers(criteria: Iterable[Criterion], answers: Mapping[str, Answer]) -> dict[str, Answer]:
    """What each criterion counts as once its prerequisites are known; `criteria` are those of the whole rubric.

    One whose prerequisite failed counts as `no`, or does not apply, as its rubric says. A prerequisite that is met
    partly, or that itself does not apply, has not failed. If it cannot be told, neither can what requires it. A
    criterion without an answer cannot be told.
    """
    by_id = {criterion.id: criterion for criterion in criteria}
    counted: dict[str, Answer] = {}
    failed: set[str] = set()
    for id in in_order_of_requirement(by_id.values()):
        criterion = by_id[id]
        known = [required for required in criterion.requires if required in counted]
        if any(required in failed for required in known):
            counted[id] = criterion.unmet
            failed.add(id)
        elif any(counted[required] == CANNOT_TELL for required in known):
            counted[id] = CANNOT_TELL
        else:
            counted[id] = answers.get(id, CANNOT_TELL)
            if counted[id] == NO:
                failed.add(id)
    return {id: counted[id] for id in by_id}


def in_order_of_requirement(criteria: Iterable[Criterion]) -> list[str]:
    """The ids, each after those it requires. Whatever requires itself, directly or not, is refused with the rubric."""
    by_id = {criterion.id: criterion for criterion in criteria}
    ordered: dict[str, None] = {}
    opened: set[str] = set()
    for start in by_id:
        waiting = [start]
        while waiting:  # a stack, not recursion: a chain may be as long as the list
            id = waiting[-1]
            if id in opened:
                ordered.setdefault(waiting.pop())
            else:
                opened.add(id)
                waiting += [required for required in by_id[id].requires if required in by_id and required not in opened]
    return list(ordered)


def tree_value(tree: Tree, counted: Mapping[str, Answer]) -> Span | None:
    """What the criteria of a dimension are worth together, not yet clipped; None when none applies."""
    return _sum(tree.children, counted, tree.partly)


def node_value(node: Criterion | Group, counted: Mapping[str, Answer], partly: Fraction) -> Span | None:
    """What a node is worth; None when it does not apply."""
    if isinstance(node, Group):
        return _sum(node.children, counted, partly)
    answer = counted[node.id]
    if answer == DOES_NOT_APPLY:
        return None
    if answer == CANNOT_TELL:
        return Span(_ZERO, _ONE)
    value = {YES: _ONE, NO: _ZERO, PARTLY: partly}[answer]
    return Span(value, value)


def _sum(children: Sequence[Criterion | Group], counted: Mapping[str, Answer], partly: Fraction) -> Span | None:
    low = high = whole = lost_low = lost_high = lost_whole = _ZERO
    for child in children:
        value = node_value(child, counted, partly)
        if value is None:
            continue
        weight = child.weight if isinstance(child, Group) else child.points
        if weight > 0:
            low += weight * value.low
            high += weight * value.high
            whole += weight
        else:
            lost_low -= weight * value.low
            lost_high -= weight * value.high
            lost_whole -= weight
    if whole:
        return Span((low - lost_high) / whole, (high - lost_low) / whole)
    return Span(1 - lost_high / lost_whole, 1 - lost_low / lost_whole) if lost_whole else None


def score_of(value: Fraction) -> Decimal:
    """The score of a value: 1 + 9 * value, clipped to 0..1 first, half up to two decimals."""
    clipped = min(max(value, _ZERO), _ONE)
    hundredths = LOWEST + (HIGHEST - LOWEST) * clipped
    return points(half_up(hundredths.numerator, hundredths.denominator))


# --- judged ----------------------------------------------------------------------------------------------------------
# A judgement's verdicts to the scores of the dimensions that have criteria. Pure, and the same when done twice.


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
                    f"differs from what its verdicts give: {_in_words(opinion.score)}",
                )
    if len(members) > 1:
        return
    readers = {} if judgement.checked is None else judgement.checked.uncapped
    for name, opinion in _scored(judgement.opinions, trees).items():
        given = judgement.opinions[name]
        if name not in trees or not given.verdicts:
            continue
        if _number(opinion.score) != _number(readers.get(name, given.score)):
            yield f"dimensions.{name}.score", f"differs from what its criteria give: {_in_words(opinion.score)}"
        for id, verdict in opinion.verdicts.items():
            if id not in given.verdicts or verdict.answer != given.verdicts[id].answer:
                yield f"dimensions.{name}.criteria.{id}", f"must be {verdict.answer}, for its prerequisites"


def _number(verdict: Decimal | Unscored) -> Decimal | tuple[Decimal, Decimal] | None:
    """A score, or where it lies."""
    return verdict.interval if isinstance(verdict, Unscored) else verdict


def _in_words(verdict: Decimal | Unscored) -> str:
    found = _number(verdict)
    return f"{found[0]} to {found[1]}" if isinstance(found, tuple) else "no score" if found is None else str(found)


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
    noun = "criterion" if len(verdicts) == 1 else "criteria"
    return f"{len(open_ids)} of {len(verdicts):,} {noun} cannot be told: {named}"


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


# --- votes -----------------------------------------------------------------------------------------------------------
# Several answers to one criterion: of the samples of a judge, or of the judges of a panel. Pure.


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


# --- document --------------------------------------------------------------------------------------------------------
# Trees of criteria to plain values and back: what a rubric publishes, and a scorecard too.


_More = Callable[[Criterion | Group], dict[str, Any]]

DEEPEST = 100
"""How deep groups may be nested."""


LARGEST = 10**9
"""Points and weights are below this."""


def tree_document(tree: Tree) -> dict[str, Any]:
    """The criteria of a dimension as a rubric publishes them."""
    return {**_partly(tree), "criteria": [_node(child, _for_rubric) for child in tree.children]}


def _partly(tree: Tree) -> dict[str, Any]:
    return {} if tree.partly == HALF else {"partly": str(tree.partly)}


def _node(node: Criterion | Group, more: _More) -> dict[str, Any]:
    if isinstance(node, Group):
        return {
            "id": node.id,
            "title": node.title,
            "weight": number(node.weight),
            **more(node),
            "criteria": [_node(child, more) for child in node.children],
        }
    document: dict[str, Any] = {"id": node.id, "sentence": node.sentence, "points": number(node.points)}
    if node.requires:
        document["requires"] = list(node.requires)
    if node.unmet != NO:
        document["unmet"] = node.unmet
    if node.applies_when:
        document["applies_when"] = node.applies_when
    return document | more(node)


def _for_rubric(node: Criterion | Group) -> dict[str, Any]:
    document: dict[str, Any] = {}
    if isinstance(node, Criterion) and node.check:
        document["check"] = node.check
    if isinstance(node, Criterion) and node.expect is not None:
        document["expect"] = dict(node.expect)
    return document | ({"notes": dict(node.notes)} if node.notes else {})


def number(value: Fraction) -> int | float | str:
    """A number where a JSON number has all of its digits, else a fraction as text."""
    if value.denominator == 1:
        return value.numerator
    shown = float(value)
    return shown if Fraction(repr(shown)) == value else str(value)


def fraction(value: Any) -> Fraction:
    """The number in a document, exactly. ValueError when it is not one."""
    if isinstance(value, str) and "/" in value:
        try:
            return Fraction(value)
        except ZeroDivisionError:
            raise ValueError(f"{value} divides by zero") from None
    return Fraction(exact(value))


def tree_from(document: Mapping[str, Any]) -> Tree:
    """The criteria of a dimension from their published form, which was checked when it was written."""
    children = tuple(_node_from(child, 1) for child in document["criteria"])
    return Tree(children, fraction(document.get("partly", HALF_TEXT)))


HALF_TEXT = str(HALF)


def _node_from(document: Mapping[str, Any], depth: int) -> Criterion | Group:
    if depth > DEEPEST:
        raise ValueError(f"groups nested at most {DEEPEST} deep")
    if "criteria" in document:
        children = tuple(_node_from(child, depth + 1) for child in document["criteria"])
        notes = document.get("notes", {})
        return Group(document["id"], document["title"], _amount(document["weight"]), children, notes)
    return Criterion(
        document["id"],
        document["sentence"],
        _amount(document["points"]),
        tuple(document.get("requires", ())),
        document.get("unmet", NO),
        document.get("applies_when", ""),
        document.get("check", ""),
        document.get("expect"),
        document.get("notes", {}),
    )


def _amount(value: Any) -> Fraction:
    """Points or a weight, below the billion that no rubric reaches: a larger one could not be shown."""
    amount = fraction(value)
    if abs(amount) >= LARGEST:
        raise ValueError(f"below {LARGEST}")
    return amount


def shown_fraction(value: Fraction) -> str:
    """A fraction as a person writes it: 2, 3/4, 0.125 where that is shorter."""
    decimal = f"{float(value):g}"
    return decimal if Fraction(decimal) == value and len(decimal) < len(str(value)) else str(value)


def signed(points: Fraction) -> str:
    """Points with their sign: +2, -1."""
    return shown_fraction(points) if points < 0 else f"+{shown_fraction(points)}"
