"""How far the judges of a panel agree, and how sure its grade is. Pure; it changes no score."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from decimal import Decimal

from evenhand.core.basics.methodology import BONUS, BONUS_CAP, DEDUCTION_CAP, DIMENSIONS, HIGHEST
from evenhand.core.basics.numbers import hundredths
from evenhand.core.method.arithmetic import Outcome, apply_claims
from evenhand.core.method.bounds import bounds_of, caps_of, clipped
from evenhand.core.panel.grade_probabilities import grade_probabilities, shown_probabilities
from evenhand.core.panel.official import carried, official_scores, pooled, scores_in
from evenhand.core.values.finding import Bound
from evenhand.core.values.judgement import Judgement
from evenhand.core.values.opinion import Unscored
from evenhand.core.values.panel import DISPUTED, Agreement, Panel
from evenhand.core.values.rubric import Terms
from evenhand.core.values.scorecard import Scorecard


def with_panel(card: Scorecard, judgement: Judgement, terms: Terms) -> Scorecard:
    """The scorecard with the panel behind its judgement; unchanged when there is none."""
    panel = judgement.panel
    if panel is None:
        return card
    recorded = panel if panel.criteria else panel._replace(criteria=terms.criteria)
    return card._replace(panel=recorded, agreement=agreement(panel, terms, judgement, card.bounds))


def agreement(panel: Panel, terms: Terms, judgement: Judgement, bounds: Mapping[str, Bound]) -> Agreement:
    """How far the judges agree. `judgement` is the panel's own, settled; `bounds` are those of its scorecard."""
    scores = {name: scores_in(panel.members, name) for name in DIMENSIONS}
    caps = caps_of(bounds)
    spread = {name: max(values) - min(values) for name, values in scores.items() if len(values) > 1}
    raised = dict.fromkeys(id for member in panel.members for id in member.red_flags)
    return Agreement(
        spread=spread,
        disputed=tuple(name for name, width in spread.items() if width >= DISPUTED),
        decisive=_decisive(panel, terms, judgement, caps),
        member_grades=tuple(
            _grade(member.scores, member.red_flags, member.bonuses, terms, caps) for member in panel.members
        ),
        grades=_probabilities(panel, terms, judgement, caps),
        deductions={id: terms.red_flags[id].deduction for id in raised if id in terms.red_flags},
    )


def _decisive(panel: Panel, terms: Terms, judgement: Judgement, caps: Mapping[str, int]) -> tuple[str, ...]:
    """The judges without whom the grade would differ. Not those without whom there would be no grade at all."""
    if len(panel.members) == 1:
        return ()
    scores = {name: opinion.score for name, opinion in judgement.opinions.items()}
    flags, bonuses = ([claim.id for claim in claims] for claims in (judgement.red_flags, judgement.bonuses))
    official = _grade(scores, flags, bonuses, terms, {})
    if official is None:
        return ()
    decisive = []
    for place, member in enumerate(panel.members):
        others = (*panel.members[:place], *panel.members[place + 1 :])
        quorum = None if panel.quorum is None else min(panel.quorum, len(others))
        without = _grade(
            official_scores(others, quorum), carried(others, "red_flags"), carried(others, "bonuses"), terms, caps
        )
        if without not in (None, official):
            decisive.append(member.judge["name"])
    return tuple(decisive)


def _grade(
    scores: Mapping[str, Decimal | Unscored | None],
    flags: Iterable[str],
    bonuses: Iterable[str],
    terms: Terms,
    caps: Mapping[str, int],
) -> str | None:
    """The letter grade for scores and claims; None when a dimension has no score."""
    outcome = _outcome(scores, flags, bonuses, terms, caps)
    return None if outcome is None else outcome.grade.letter


def _outcome(
    scores: Mapping[str, Decimal | Unscored | None],
    flags: Iterable[str],
    bonuses: Iterable[str],
    terms: Terms,
    caps: Mapping[str, int],
) -> Outcome | None:
    """The arithmetic for scores and claims, each score within its cap; None when a dimension has no score."""
    weighted = 0
    for name, unit in zip(DIMENSIONS, terms.units, strict=True):
        score = scores.get(name)
        if not isinstance(score, Decimal):
            return None
        weighted += min(hundredths(score), caps.get(name, HIGHEST)) * unit
    return apply_claims(weighted, terms.scale, *_amounts(flags, bonuses, terms))


def member_finals(panel: Panel, terms: Terms, judgement: Judgement) -> dict[str, int | None]:
    """The final score in hundredths that each judge alone would give, by its name; None without all seven scores."""
    caps = caps_of(bounds_of(judgement))
    finals = {}
    for member in panel.members:
        outcome = _outcome(member.scores, member.red_flags, member.bonuses, terms, caps)
        finals[member.judge["name"]] = None if outcome is None else outcome.final
    return finals


def _amounts(flags: Iterable[str], bonuses: Iterable[str], terms: Terms) -> tuple[int, int]:
    """Deduction and bonus of the claims, after the caps (R9)."""
    nominal = sum(hundredths(terms.red_flags[id].deduction) for id in flags if id in terms.red_flags)
    return min(nominal, DEDUCTION_CAP), min(BONUS * len(tuple(bonuses)), BONUS_CAP)


def _probabilities(panel: Panel, terms: Terms, judgement: Judgement, caps: Mapping[str, int]) -> dict[str, float]:
    if any(isinstance(opinion.score, Unscored) for opinion in judgement.opinions.values()):
        return {}
    flags, bonuses = [claim.id for claim in judgement.red_flags], [claim.id for claim in judgement.bonuses]
    if len(panel.members) == 1 and not panel.members[0].distributions:  # one judge that is sure of every score
        scores = {name: opinion.score for name, opinion in judgement.opinions.items()}
        return {str(_grade(scores, flags, bonuses, terms, {})): 1.0}
    deduction, bonus = _amounts(flags, bonuses, terms)
    distributions = [clipped(pooled(panel.members, name), caps.get(name)) for name in DIMENSIONS]
    if not all(distributions):  # a score that none of the judges gave: someone changed the document
        return {}
    return shown_probabilities(
        grade_probabilities(distributions, terms.units, terms.scale, deduction=deduction, bonus=bonus)
    )
