"""Results of a suite's runs -> a decision. Pure. The order of the results is irrelevant.

Each variant is compared with its reference case by case; the runs of a case count once, by their mean. All variants
together are one family of tests, corrected after Holm. A run without a value is neither a zero nor forgotten: it is
counted with its reason, and the decision is made again with such runs as losses. That may undo a verdict: bad runs that
fail are left out of the comparison, and what is left looks better than it is.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from decimal import Decimal
from fractions import Fraction
from typing import NamedTuple

from evenhand.decisions.sets.case_verdicts import LEVEL, RANGE, RELEVANT, compare_within, is_shown, verdict_on
from evenhand.decisions.sets.weighted import by_cluster, holm
from evenhand.decisions.suites.board import Board, Pair, Tally, pairs
from evenhand.decisions.suites.details import details
from evenhand.decisions.suites.more_data import Aim, more_data
from evenhand.decisions.suites.repeated_passes import Tries, repeated_passes
from evenhand.decisions.suites.triggers import triggers
from evenhand.decisions.values.decision import (
    CaseDifference,
    Contrast,
    Decision,
    Difference,
    LeftOut,
    Losses,
    Measure,
    Missing,
    State,
    VariantFacts,
    Verdict,
    WhatIf,
)
from evenhand.stats.sign_test import at_most, fewest
from evenhand.work.agent_run import CaseResult

UNEVEN_FAILURES = 0.1
"""Failures count as depending on the variant when chance alone gives the side ahead so many more of them only this
often, by a one-sided sign test over cases."""

SCENARIOS: tuple[tuple[Losses, bool, bool], ...] = (
    ("this variant's", False, True),
    ("the reference's", True, False),
    ("everybody's", True, True),
)


class _Side(NamedTuple):
    """A variant and what it is compared with."""

    variant: str
    reference: str
    pairs: list[Pair]


def decide(
    results: Iterable[CaseResult] | Board,
    variants: Sequence[str],
    reference: str,
    *,
    measure: Measure | None = None,
    level: float = LEVEL,
    relevant: float | None = None,
) -> Decision:
    """Every variant against the reference, which is one of them."""
    board = results if isinstance(results, Board) else Board(results)
    sides = [_Side(name, reference, pairs(board, name, board, reference)) for name in variants if name != reference]
    return _decision(board, variants, reference, sides, measure or board.measure, level, relevant)


def decide_against(
    results: Iterable[CaseResult] | Board,
    variants: Sequence[str],
    baseline: Iterable[CaseResult] | Board,
    reference: str,
    *,
    label: str = "baseline",
    measure: Measure | None = None,
    level: float = LEVEL,
    relevant: float | None = None,
) -> Decision:
    """Every variant against the variant of the same name in an earlier run, or against that run's reference."""
    board = results if isinstance(results, Board) else Board(results)
    before = baseline if isinstance(baseline, Board) else Board(baseline)
    sides = []
    for name in variants:
        earlier = name if name in before.tallies else reference
        sides.append(_Side(name, f"{label}: {earlier}", pairs(board, name, before, earlier)))
    return _decision(board, variants, label, sides, measure or board.measure, level, relevant)


def undecided(board: Board, variants: Sequence[str], reference: str, state: State) -> Decision:
    """The facts about each variant, and no comparison: some of the runs are missing."""
    measure = board.measure
    return Decision(
        measure=measure,
        reference=reference,
        level=LEVEL,
        relevant=RELEVANT[measure],
        cases=len(board.cases),
        variants=tuple(variant_facts(board, name, measure) for name in variants),
        contrasts=(),
        state=state,
    )


def _decision(
    board: Board,
    variants: Sequence[str],
    reference: str,
    sides: Sequence[_Side],
    measure: Measure,
    level: float,
    relevant: float | None,
) -> Decision:
    wanted = RELEVANT[measure] if relevant is None else relevant
    return Decision(
        measure=measure,
        reference=reference,
        level=level,
        relevant=wanted,
        cases=len(board.cases),
        variants=tuple(variant_facts(board, name, measure) for name in variants),
        contrasts=_contrasts(board, sides, measure, level, wanted),
    )


def contrasts_of(
    board: Board,
    variants: Sequence[str],
    reference: str,
    measure: Measure,
    level: float,
    *,
    with_more: bool = True,
    brief: bool = False,
) -> tuple[Contrast, ...]:
    """Every variant against the reference, as in a decision; without `with_more` no continuation is simulated. `brief`
    ones have no more than the verdict needs: no details, and losses only where they might undo it."""
    sides = [_Side(name, reference, pairs(board, name, board, reference)) for name in variants if name != reference]
    return _contrasts(board, sides, measure, level, RELEVANT[measure], with_more=with_more and not brief, brief=brief)


def _contrasts(
    board: Board,
    sides: Sequence[_Side],
    measure: Measure,
    level: float,
    wanted: float,
    *,
    with_more: bool = True,
    brief: bool = False,
) -> tuple[Contrast, ...]:
    alone = level / max(1, len(sides))
    plain = [_difference(side.pairs, measure, alone) for side in sides]
    adjusted = holm([difference.p_value for difference in plain])
    verdicts = _verdicts(plain, level, wanted)
    decided = sum(verdict in ("better", "worse") for verdict in verdicts)
    needed = SCENARIOS if not brief else [scenario for scenario in SCENARIOS if all(scenario)] if decided else []
    scenarios = _scenarios(sides, plain, measure, level, wanted, needed)
    contrasts = []
    for place, side in enumerate(sides):
        difference, verdict = plain[place], verdicts[place]
        is_turned = _is_turned(side.pairs, difference, verdict, scenarios[place], measure)
        verdict = "undecided" if is_turned else verdict
        differences, more = tuple[CaseDifference, ...](), None
        if not brief:
            differences = tuple(value for pair in side.pairs if (value := pair.difference(measure)) is not None)
        if with_more and verdict == "undecided":
            runs = [values for pair in side.pairs if (values := pair.runs(measure)) is not None]
            more = more_data(difference, by_cluster(differences), runs, Aim(alone, wanted, RANGE[measure]))
        contrasts.append(
            Contrast(
                variant=side.variant,
                reference=side.reference,
                verdict=verdict,
                difference=difference,
                adjusted=adjusted[place],
                more=more,
                what_if=scenarios[place],
                details=() if brief else details(side.pairs, measure, level),
                unpaired=len(board.cases) - difference.cases,
                differences=differences,
                turned=is_turned,
                contradicted=is_shown(adjusted[place], level) and difference.is_contradicted,
                needed=fewest(level / max(1, len(sides) - decided + (verdicts[place] in ("better", "worse")))),
            )
        )
    return tuple(_doubted(*both, measure) for both in zip(contrasts, sides, strict=True))


def _doubted(contrast: Contrast, side: _Side, measure: Measure) -> Contrast:
    """A contrast with what speaks against relying on it: it is then not called better, nor no different."""
    reasons = Counter(reason for pair in side.pairs for reason in pair.left_out)
    contrast = contrast._replace(
        expectations=sum(pair.expectations for pair in side.pairs),
        left_out=tuple(LeftOut(*entry) for entry in sorted(reasons.items(), key=lambda entry: (-entry[1], entry[0]))),
        seen=sum(pair.first.seen + pair.second.seen for pair in side.pairs),
    )
    is_doubtful = contrast.seen or (measure == "expectations met" and contrast.is_mostly_left_out)
    if is_doubtful and contrast.verdict != "worse":
        return contrast._replace(verdict="undecided", more=None)
    return contrast._replace(more=None) if contrast.turned or contrast.contradicted else contrast


def variant_facts(board: Board, variant: str, measure: Measure) -> VariantFacts:
    """What is known of one variant by itself."""
    tally = board.tallies.get(variant) or Tally()
    cells = [
        (entry.weight, values)
        for entry in board.cases.values()
        if variant in entry.cells and (values := entry.cells[variant].values(measure))
    ]
    total = sum(weight * sum(values) / len(values) for weight, values in cells)
    weights = sum(weight for weight, _ in cells)
    mean = Fraction(total) / weights / 100 if weights else None
    missing = sorted(tally.missing[measure].items(), key=lambda item: (-item[1], item[0]))
    return VariantFacts(
        name=variant,
        runs=tally.runs,
        valued=tally.valued[measure],
        cases=len(cells),
        mean=None if mean is None else float(mean),
        missing=tuple(Missing(outcome, reason, runs) for (outcome, reason), runs in missing),
        met=tally.met,
        expectations=tally.expectations,
        faults=tuple(sorted(tally.faults.items())),
        seconds=tally.seconds / tally.timed if tally.timed else None,
        tokens=Decimal(tally.tokens) / tally.counted if tally.counted else None,
        cost=tally.cost if tally.priced else None,
        cost_known=tally.priced,
        judging_cost=tally.judging_cost if tally.judged else None,
        passes=repeated_passes(
            [
                Tries(entry.weight, cell.tried, cell.passed, entry.cluster)
                for entry in board.cases.values()
                if (cell := entry.cells.get(variant)) is not None and cell.tried
            ]
        ),
        triggers=triggers(board.cases.items(), variant),
        exact_mean=mean,
    )


def _is_turned(
    paired: Sequence[Pair], difference: Difference, verdict: Verdict, scenarios: Sequence[WhatIf], measure: Measure
) -> bool:
    """Whether runs without a value undo a verdict: counted as losses on both sides they turn it round, or the side
    ahead has more of them than chance explains and the verdict does not hold with them."""
    if verdict not in ("better", "worse") or not scenarios:
        return False
    everybody = next(scenario for scenario in scenarios if scenario.losses == "everybody's")
    lost = everybody.difference
    ahead = (lost.mean or 0) if difference.claim == "mean" else lost.better - lost.worse
    if ahead * difference.way <= 0:
        return True
    missing = [difference.way * _missing(pair, measure) for pair in paired]
    unlucky, lucky = sum(share > 0 for share in missing), sum(share < 0 for share in missing)
    return at_most(lucky, unlucky + lucky) <= UNEVEN_FAILURES and everybody.verdict != verdict


def _missing(pair: Pair, measure: Measure) -> Fraction:
    """The share of the variant's runs without a value, less the reference's."""
    return Fraction(pair.second.missing(measure), pair.second.runs) - Fraction(
        pair.first.missing(measure), pair.first.runs
    )


def _difference(
    paired: Sequence[Pair], measure: Measure, level: float, first_losses: bool = False, second_losses: bool = False
) -> Difference:
    differences = [pair.difference(measure, first_losses, second_losses) for pair in paired]
    return compare_within([value for value in differences if value is not None], measure, level)


def _verdicts(differences: Sequence[Difference], level: float, relevant: float) -> list[Verdict]:
    adjusted = holm([difference.p_value for difference in differences])
    return [verdict_on(*both, level, relevant) for both in zip(differences, adjusted, strict=True)]


def _scenarios(
    sides: Sequence[_Side],
    plain: Sequence[Difference],
    measure: Measure,
    level: float,
    relevant: float,
    scenarios: Sequence[tuple[Losses, bool, bool]],
) -> list[tuple[WhatIf, ...]]:
    """For each side the decision with missing runs as losses; nothing where no run is missing."""
    alone = level / max(1, len(sides))
    found: list[list[WhatIf]] = [[] for _ in sides]
    for losses, first, second in scenarios:
        redone = [_difference(side.pairs, measure, alone, first, second) for side in sides]
        for place, side in enumerate(sides):
            if not any(pair.first.missing(measure) or pair.second.missing(measure) for pair in side.pairs):
                continue
            family = redone if losses == "everybody's" else [*plain[:place], redone[place], *plain[place + 1 :]]
            found[place].append(WhatIf(losses, _verdicts(family, level, relevant)[place], redone[place]))
    return [tuple(scenario) for scenario in found]
