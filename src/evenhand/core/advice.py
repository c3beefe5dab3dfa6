"""The changes that would help an output most. Pure and exact: every change is put through the methodology.

Candidates are every scored dimension, raised to a stated target, and every red flag, avoided. The target is the next
band of the rubric, or the first band that reaches the pass mark if that is higher. A dimension flagged for review below
its mean goes back into its usual range: to that band if it lies in the range, else to the lowest whole score that does.
A score that a check's fault caps goes to the readers' own. One that criteria give goes to what it is without the most
costly of those that were missed. A dimension in the best band already goes to 10, and only
where there is nothing else to advise.

The order is fixed:

1. dimensions flagged for review, a point or more below their mean, that would no longer be flagged
2. the exact rise of the final score, from which the grade and the pass mark follow
3. what the change is worth before the floor: at the floor no single change may move the final score
4. red flags before dimensions, the lowest score first, then the order that breaks ties (R11)

A change that moves nothing is left out, except on the way up from the floor or from under the cap of deductions, or
where every change is lost in rounding.
"""

from collections.abc import Iterable, Iterator, Sequence
from decimal import Decimal
from typing import Annotated, Literal, NamedTuple

from evenhand.core.audit import weighted_sum
from evenhand.core.bounds import evidence_of, faults_of
from evenhand.core.comparison import DimensionComparison
from evenhand.core.criteria_results import CriterionCost
from evenhand.core.finding import Bound
from evenhand.core.judgement import Evidence, Unscored
from evenhand.core.numbers import half_up, hundredths, points
from evenhand.core.published import SCORE
from evenhand.core.rubric import Rubric
from evenhand.core.rules import DEDUCTION_CAP, DEVIATIONS, DIMENSIONS, HIGHEST, LOWEST, POINT, TIE_BREAKS, grade_of
from evenhand.core.scorecard import Deduction, Scorecard, ScoredCriteria, ScoredDimension
from evenhand.core.scoring import apply_claims, whole_units


class Effect(NamedTuple):
    """What changes on a scorecard, exactly: with caps, floor, ceiling, and the calibration where that is official."""

    gain: Decimal
    """How much the final score rises; its lower end, when a dimension is unscored."""
    best_gain: Decimal
    """How much its upper end rises; otherwise the same as `gain`."""
    final: Decimal | None
    """The final score reached; null when a dimension is unscored."""
    grade: str | None
    """The grade reached, where it is another one than now; null otherwise."""
    passes: bool
    """Whether this turns an output that does not pass, or might not, into one that passes."""


class Recommendation(NamedTuple):
    """One change: a dimension raised, or a red flag avoided."""

    kind: Literal["dimension", "red_flag"]
    """What is changed: a dimension is raised, or a red flag avoided."""
    name: str
    """The dimension, or the id of the red flag."""
    score: Annotated[Decimal | None, SCORE]
    """The dimension's score now; null for a red flag."""
    target: Annotated[Decimal | None, SCORE]
    """The score to reach; null for a red flag."""
    criterion: str
    """What the rubric asks for at the target, or the description of the red flag; empty where the rubric's text is not
    at hand."""
    found_by: Literal["judge", "check"]
    """Who gave the reason: a fault that a check found can keep a score down whatever the judge says."""
    reason: str
    """Why it is as it is now; empty where no reason was given."""
    evidence: Evidence | None
    """A quote behind the reason that is in the output; null without one."""
    worth: Decimal
    """What it adds before the floor and the ceiling, but after the cap of deductions."""
    effect: Effect
    """What this change alone does."""
    clears_flag: bool
    """Whether the dimension is flagged for review now and would not be at the target."""


class Advice(NamedTuple):
    """The changes that would help most, in order."""

    recommendations: tuple[Recommendation, ...]
    together: Effect | None
    """What all of them do together; None with fewer than two."""
    below_floor: Decimal
    """How far the composite less deductions lies below the floor; the final score rises only after that. 0 above it."""
    raw: bool
    """Whether the effects are those on the raw score, because the official one cannot be told."""


MOST = 3
"""How many recommendations a report gives."""

USUAL_BANDS = (1, 3, 5, 7, 9)
"""Where the bands of a rubric begin whose text is not at hand."""

FALLEN: int = POINT
"""How far below its mean, in hundredths, a dimension flagged for review must be to come first."""


class _Change(NamedTuple):
    """A candidate, in hundredths."""

    kind: Literal["dimension", "red_flag"]
    name: str
    place: int
    """Where it stands among candidates that are otherwise equal."""
    added: int = 0
    """For a dimension: what it adds to the weighted sum, times the scale."""
    taken: int = 0
    """For a red flag: its nominal deduction."""
    score: int = 0
    target: int = 0
    clears_flag: bool = False
    fallen: bool = False
    in_best_band: bool = False


def advise(card: Scorecard, rubric: Rubric | None = None, *, most: int = MOST) -> Advice:
    """The changes that would help most; none for work that no one has read. `rubric` is the one the card was made
    with; without it the criteria are left out."""
    if card.unread:
        return Advice((), None, points(0), False)
    scorer = _Scorer(card)
    changes = [*_flags(card), *_dimensions(card, rubric, scorer)]
    useful = sorted([*filter(scorer.matters, changes)] or filter(scorer.could_matter, changes), key=scorer.order)
    ordered = ([change for change in useful if not change.in_best_band] or useful)[:most]
    # One scale for all of them: official scores if the calibration reaches each, raw ones otherwise.
    raw = any(scorer.official([change]) is None for change in ordered)
    effects = [scorer.effect([change], raw=raw) for change in ordered]
    return Advice(
        tuple(
            _recommendation(card, rubric, scorer, change, effect)
            for change, effect in zip(ordered, effects, strict=True)
        ),
        scorer.effect(ordered, raw=raw) if len(ordered) > 1 and (raw or scorer.official(ordered)) else None,
        points(max(0, scorer.below_floor)),
        raw,
    )


class _Scorer:
    """A scorecard's arithmetic, repeated with some changes made. In hundredths."""

    def __init__(self, card: Scorecard) -> None:
        self._card = card
        units, self.scale = whole_units({name: card.dimensions[name].weight for name in DIMENSIONS})
        self.units = dict(zip(DIMENSIONS, units, strict=True))
        self._sums = tuple(weighted_sum(card, units, best=best) for best in (False, True))
        self._nominal = hundredths(card.deduction.nominal)
        self._bonus = hundredths(card.bonus.applied)
        self._before = self.finals(())
        composite = half_up(self._sums[0], self.scale)
        self.below_floor = LOWEST - (composite - min(self._nominal, DEDUCTION_CAP))

    def finals(self, changes: Iterable[_Change]) -> tuple[int, int]:
        """Both ends of the raw final score after some changes; they are equal unless a dimension is unscored."""
        added = taken = 0
        for change in changes:
            added += change.added
            taken += change.taken
        deduction = min(self._nominal - taken, DEDUCTION_CAP)
        low, high = self._sums
        least = apply_claims(low + added, self.scale, deduction, self._bonus).final
        return least, least if high == low else apply_claims(high + added, self.scale, deduction, self._bonus).final

    def official(self, changes: Iterable[_Change]) -> tuple[int, int] | None:
        """Both ends of the official score; None where the calibration does not reach them."""
        ends = self.finals(changes)
        if self._card.official is None:
            return ends
        from evenhand.core.calibration import official_final  # few rubrics want calibrated scores

        low, high = (official_final(self._card, points(end)) for end in ends)
        return None if low is None or high is None else (hundredths(low), hundredths(high))

    def effect(self, changes: Sequence[_Change], *, raw: bool) -> Effect:
        """What some changes do together, to the raw score or to the official one."""
        before, after = (self.finals(some) if raw else self.official(some) for some in ((), changes))
        assert before is not None and after is not None  # `advise` has tried
        grades, earlier = ({grade_of(end).letter for end in ends} for ends in (after, before))
        complete = all(line.score is not None for line in self._card.dimensions.values())
        mark = hundredths(self._card.pass_mark)
        return Effect(
            gain=points(after[0] - before[0]),
            best_gain=points(after[1] - before[1]),
            final=points(after[0]) if complete else None,
            grade=None if raw or len(grades) > 1 or grades == earlier else grades.pop(),
            passes=not raw and before[0] < mark <= after[0],
        )

    def worth(self, change: _Change) -> int:
        """What a change adds before the floor and the ceiling, times the scale."""
        kept = min(self._nominal - change.taken, DEDUCTION_CAP)
        return change.added + (min(self._nominal, DEDUCTION_CAP) - kept) * self.scale

    def matters(self, change: _Change) -> bool:
        """Whether a change moves the score or a flag, or is a step towards moving it."""
        if change.clears_flag or self.finals([change]) != self._before:
            return True
        under_cap = change.taken > 0 and self._nominal > DEDUCTION_CAP and self._before[0] < HIGHEST
        return under_cap or (self.below_floor > 0 and self.worth(change) > 0)

    def could_matter(self, change: _Change) -> bool:
        """Whether a change counts at all, though rounding may hide it."""
        return self._before[0] < HIGHEST and self.worth(change) > 0

    def order(self, change: _Change) -> tuple[object, ...]:
        """Best first. By raw scores: a calibration turns none of them around."""
        low, high = self.finals([change])
        first = change.clears_flag and change.fallen
        return not first, -low, -high, -self.worth(change), -change.taken, change.score, change.place


def _flags(card: Scorecard) -> Iterator[_Change]:
    for place, flag in enumerate(card.red_flags):
        yield _Change("red_flag", flag.id, place, taken=hundredths(flag.deduction))


def _dimensions(card: Scorecard, rubric: Rubric | None, scorer: _Scorer) -> Iterator[_Change]:
    history = card.history
    for name, line in card.dimensions.items():
        if line.score is None or hundredths(line.score) == HIGHEST:
            continue
        score = hundredths(line.score)
        past = None if history is None else history.dimensions.get(name)
        usual = None if past is None or history is None or not past.flagged else usual_range(past, history.n)
        low = usual is not None and score < usual[0]
        edges = _edges(rubric, name)
        target = _target(line, edges, hundredths(card.pass_mark), usual if low else None)
        by_criteria = None if line.criteria is None or line.uncapped is not None else _criteria_target(line.criteria)
        target = target if by_criteria is None else by_criteria[0]
        clears = low and usual is not None and usual[0] <= target <= usual[1]
        yield _Change(
            "dimension",
            name,
            TIE_BREAKS.index(name),
            added=(target - score) * scorer.units[name],
            score=score,
            target=target,
            clears_flag=clears,
            fallen=past is not None and history is not None and _fallen(past, history.n, score),
            in_best_band=score >= max(edges) and line.uncapped is None and by_criteria is None and not clears,
        )


def _criteria_target(scored: ScoredCriteria) -> tuple[int, list[CriterionCost]] | None:
    """The score that the most costly missed criterion leaves once it is met, and that criterion; with more of them
    where one alone would not raise the score. None where the score is not that of one judge's answers."""
    from evenhand.core.criteria_results import criteria_costs, score_without  # few rubrics have criteria

    missed = [cost for cost in criteria_costs(scored) if cost.state == "missed"]
    now = score_without(scored, [])
    for count in range(1, len(missed) + 1):
        target = score_without(scored, missed[:count])
        if now is not None and target is not None and target > now:
            return target, missed[:count]
    return None


def usual_range(past: DimensionComparison, n: int) -> tuple[int, int]:
    """The lowest and the highest score, in hundredths, that the literal rule does not flag (R14).

    Mean and deviation are taken as a scorecard publishes them, with four decimals, so that a stored scorecard gets the
    same advice as a new one.
    """
    total, reach = 100 * _sum(past, n), DEVIATIONS * n * _published(past.deviation or 0)
    return -((reach - total) // (100 * n)), (total + reach) // (100 * n)


def _sum(past: DimensionComparison, n: int) -> int:
    """The scores of a window in hundredths, added up; a mean of at most ten of them, rounded to four decimals, still
    tells."""
    return half_up(n * _published(past.mean), 100)


def _published(number: float) -> int:
    """A mean or a deviation as a scorecard shows it, in ten-thousandths."""
    return int(f"{number:.4f}".replace(".", ""))


def _fallen(past: DimensionComparison, n: int, score: int) -> bool:
    return _sum(past, n) - n * score >= n * FALLEN


def _edges(rubric: Rubric | None, name: str) -> tuple[int, ...]:
    """Where the bands of a dimension begin, in hundredths."""
    bands = USUAL_BANDS if rubric is None else [band.low for band in rubric.dimensions[name].bands]
    return tuple(low * POINT for low in bands or USUAL_BANDS)


def _target(line: ScoredDimension, edges: Sequence[int], mark: int, usual: tuple[int, int] | None) -> int:
    """The score to reach, in hundredths."""
    assert line.score is not None
    score = hundredths(line.score)
    if line.uncapped is not None:
        return hundredths(line.uncapped)
    least = min(mark, max(edges))
    target = min((edge for edge in edges if edge > score and edge >= least), default=HIGHEST)
    if usual is None or usual[0] <= target <= usual[1]:
        return target
    whole = -(-usual[0] // POINT) * POINT
    return whole if whole <= usual[1] else usual[0]


def _recommendation(
    card: Scorecard, rubric: Rubric | None, scorer: _Scorer, change: _Change, effect: Effect
) -> Recommendation:
    worth = points(half_up(scorer.worth(change), scorer.scale))
    if change.kind == "red_flag":
        flag = card.red_flags[change.place]
        return Recommendation(
            kind="red_flag",
            name=flag.id,
            score=None,
            target=None,
            criterion=flag.description,
            found_by="check" if _raised_by_check(card, flag) else "judge",
            reason=flag.explanation,
            evidence=_verified(flag.evidence),
            worth=worth,
            effect=effect,
            clears_flag=False,
        )
    line = card.dimensions[change.name]
    bound = card.bounds.get(change.name)
    faults = _faults(card, change.name, bound) if bound and change.target > hundredths(bound.at_most) else []
    criterion = "" if rubric is None or line.uncapped is not None else _criterion(rubric, change.name, change.target)
    reason, evidence = _lowest_voice(card, change.name), line.evidence
    if line.criteria is not None:
        from evenhand.core.criteria_results import criteria_costs  # few rubrics have criteria

        aim = None if line.uncapped is not None else _criteria_target(line.criteria)
        costs = (
            [cost for cost in criteria_costs(line.criteria) if cost.state == "missed"][:1] if aim is None else aim[1]
        )
        criterion = criterion if aim is None else " ".join(_asks(cost) for cost in costs)
        reason = " ".join(filter(None, (cost.verdict.reason for cost in costs))) or reason
        evidence = tuple(quote for cost in costs for quote in cost.verdict.evidence)
    return Recommendation(
        kind="dimension",
        name=change.name,
        score=line.score,
        target=points(change.target),
        criterion=criterion,
        found_by="check" if faults else "judge",
        reason=" ".join(message for message, _ in faults) if faults else reason,
        evidence=_verified([quote for _, quote in faults if quote] if faults else evidence),
        worth=worth,
        effect=effect,
        clears_flag=change.clears_flag,
    )


def _asks(cost: CriterionCost) -> str:
    """What a criterion asks for: its sentence, denied where it takes points away."""
    criterion = cost.criterion
    return (
        f"Not: {criterion.sentence} ({criterion.id})"
        if criterion.points < 0
        else f"{criterion.sentence} ({criterion.id})"
    )


def _raised_by_check(card: Scorecard, flag: Deduction) -> bool:
    """Whether a check raised it through `detect:`, and no judge did."""
    found = () if card.checked is None else card.checked.findings
    return flag.explanation == " ".join(finding.message for finding in found if finding.flag == flag.id) != ""


def _criterion(rubric: Rubric, name: str, target: int) -> str:
    """The text of the band that a score lies in."""
    bands = [band for band in rubric.dimensions[name].bands if band.low * POINT <= target]
    return max(bands, key=lambda band: band.low).criteria if bands else ""


def _faults(card: Scorecard, name: str, bound: Bound) -> list[tuple[str, Evidence | None]]:
    """What keeps a dimension down whatever its judge says."""
    if card.checked is None:
        return []
    faults: list[tuple[str, Evidence | None]] = [
        (finding.message, evidence_of(finding) if finding.quote else None)
        for finding in faults_of(card.checked)
        if finding.dimension == name and finding.check in bound.checks
    ]
    unmet = [e for e in card.checked.expectations if e.result == "unmet" and e.dimension == name]
    return faults + [(f"{expected.line.rstrip('.')}.", None) for expected in unmet]


def _lowest_voice(card: Scorecard, name: str) -> str:
    """The judge's reason; of a panel, that of the judge who gave least."""
    text = card.dimensions[name].justification
    if card.panel is None or len(card.panel.members) < 2:
        return text
    given = [
        (score, f"{member.judge['name']} {score}: ")
        for member in card.panel.members
        if not isinstance(score := member.scores.get(name, Unscored("")), Unscored)
    ]
    for _, start in sorted(given, key=lambda voice: voice[0]):
        for line in text.split("\n"):
            if line.startswith(start):
                return line
    return text


def _verified(evidence: Iterable[Evidence]) -> Evidence | None:
    return next((quote for quote in evidence if quote.verified), None)
