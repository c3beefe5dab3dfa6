"""Results of a suite's runs -> a decision. Pure. The order of the results is irrelevant.

Each variant is compared with its reference case by case; the runs of a case count once, by their mean. All variants
together are one family of tests, corrected after Holm. A run without a value is neither a zero nor forgotten: it is
counted with its reason, and the decision is made again with such runs as losses.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from decimal import Decimal
from fractions import Fraction
from typing import NamedTuple

from evenhand.core.history.weighted import compare_cases, holm, others
from evenhand.core.suites.board import Board, Pair, Tally, pairs
from evenhand.core.suites.details import details
from evenhand.core.suites.more_data import more_data
from evenhand.core.suites.repeated_passes import Tries, repeated_passes
from evenhand.core.suites.triggers import triggers
from evenhand.core.values.agent_run import CaseResult
from evenhand.core.values.decision import (
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

LEVEL = 0.05
"""How often chance alone may call any of the variants better or worse."""

RELEVANT: dict[Measure, float] = {"final score": 0.5, "expectations met": 0.1}
"""The difference that a suite should be able to show, unless told otherwise: half a point, a tenth of expectations."""

RANGE: dict[Measure, float] = {"final score": 9.0, "expectations met": 1.0}
"""No mean difference is larger than this; intervals end there."""

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
    alone = level / max(1, len(sides))
    plain = [_difference(side.pairs, measure, alone) for side in sides]
    adjusted = holm([difference.p_value for difference in plain])
    verdicts = _verdicts(plain, level, wanted)
    scenarios = _scenarios(sides, plain, measure, level, wanted)
    contrasts = []
    for place, side in enumerate(sides):
        difference, verdict = plain[place], verdicts[place]
        runs = [values for pair in side.pairs if (values := pair.runs(measure)) is not None]
        contrasts.append(
            Contrast(
                variant=side.variant,
                reference=side.reference,
                verdict=verdict,
                difference=difference,
                adjusted=adjusted[place],
                more=more_data(difference, runs, alone, wanted / RANGE[measure], wanted)
                if verdict == "not enough data"
                else None,
                what_if=scenarios[place],
                details=details(side.pairs, measure, level),
                unpaired=len(board.cases) - difference.cases,
                differences=tuple(one for pair in side.pairs if (one := pair.difference(measure)) is not None),
            )
        )
    return Decision(
        measure=measure,
        reference=reference,
        level=level,
        relevant=wanted,
        cases=len(board.cases),
        variants=tuple(variant_facts(board, name, measure) for name in variants),
        contrasts=tuple(_doubted(*both, measure) for both in zip(contrasts, sides, strict=True)),
    )


def _doubted(contrast: Contrast, side: _Side, measure: Measure) -> Contrast:
    """A contrast with what speaks against relying on it: it is then not called better, nor no different."""
    reasons = Counter(reason for pair in side.pairs for reason in pair.left_out)
    contrast = contrast._replace(
        expectations=sum(pair.expectations for pair in side.pairs),
        left_out=tuple(LeftOut(*entry) for entry in sorted(reasons.items(), key=lambda entry: (-entry[1], entry[0]))),
        seen=sum(pair.first.seen + pair.second.seen for pair in side.pairs),
    )
    is_doubtful = contrast.seen or (measure == "expectations met" and contrast.is_mostly_left_out)
    return contrast._replace(verdict="not enough data") if is_doubtful and contrast.verdict != "worse" else contrast


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
                Tries(entry.weight, cell.tried, cell.passed)
                for entry in board.cases.values()
                if (cell := entry.cells.get(variant)) is not None and cell.tried
            ]
        ),
        triggers=triggers(board.cases.items(), variant),
        exact_mean=mean,
    )


def _difference(
    paired: Sequence[Pair], measure: Measure, level: float, first_losses: bool = False, second_losses: bool = False
) -> Difference:
    differences = [pair.difference(measure, first_losses, second_losses) for pair in paired]
    result = compare_cases([one for one in differences if one is not None], level)
    if result.low is None or result.high is None or result.mean is None:
        return result
    if not result.error:
        return _without_scatter(result, result.mean, RANGE[measure], level)
    return result._replace(low=max(result.low, -RANGE[measure]), high=min(result.high, RANGE[measure]))


def _without_scatter(result: Difference, mean: float, most: float, level: float) -> Difference:
    """The interval where all cases have the same difference: some cases like those that were not drawn may not."""
    reach = others(result.cases, level) * most
    return result._replace(
        low=max(mean - reach, -most),
        high=min(mean + reach, most),
        detectable=None if result.detectable is None else reach,
    )


def _verdicts(differences: Sequence[Difference], level: float, relevant: float) -> list[Verdict]:
    adjusted = holm([difference.p_value for difference in differences])
    return [_verdict(*both, level, relevant) for both in zip(differences, adjusted, strict=True)]


def _verdict(difference: Difference, adjusted: float | None, level: float, relevant: float) -> Verdict:
    if adjusted is not None and adjusted <= level and difference.mean:
        return "better" if difference.mean > 0 else "worse"
    if difference.detectable is None or difference.low is None or difference.high is None:
        return "not enough data"
    ruled_out = -relevant <= difference.low and difference.high <= relevant
    return "no difference shown" if ruled_out or difference.detectable <= relevant else "not enough data"


def _scenarios(
    sides: Sequence[_Side], plain: Sequence[Difference], measure: Measure, level: float, relevant: float
) -> list[tuple[WhatIf, ...]]:
    """For each side the decision with missing runs as losses; nothing where no run is missing."""
    alone = level / max(1, len(sides))
    found: list[list[WhatIf]] = [[] for _ in sides]
    for losses, first, second in SCENARIOS:
        redone = [_difference(side.pairs, measure, alone, first, second) for side in sides]
        for place, side in enumerate(sides):
            if not any(pair.first.missing(measure) or pair.second.missing(measure) for pair in side.pairs):
                continue
            family = redone if losses == "everybody's" else [*plain[:place], redone[place], *plain[place + 1 :]]
            found[place].append(WhatIf(losses, _verdicts(family, level, relevant)[place], redone[place]))
    return [tuple(scenarios) for scenarios in found]
