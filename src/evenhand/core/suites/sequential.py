"""Deciding while a suite runs: stop as soon as the answer is clear, at an error rate that holds at any stopping time.

The test is the anytime form of the sign-flip test. If a variant and its reference are alike, the difference of a case
is as likely to be d as -d, whatever d is, whatever the case and whatever came before. Then for every l

    product over cases of (1 + tanh(l * w * d))

is a fair bet: its mean stays 1. So is the mean of such products over several l of both signs, called E here. By Ville's
inequality the chance that E ever reaches 1 / level is at most `level`: looking after every case costs nothing. No bound
on d is needed, and the cases may come in any order that was fixed before. With several variants the p-values
1 / max E are corrected after Holm.

A confidence sequence comes from the weaker exp(l * S - l * l * V / 2), S = sum of w * (d - m), V = sum of its squares,
with l averaged over normal distributions, which needs only sums to try every mean m. It holds at all times as well, for
differences that are symmetric about their mean; as long as all cases are ties, it is what so many ties leave open.
When it lies within the relevant difference on both sides, the run
may stop too: the difference that is left is too small to matter.

References: de la Pena (1999), Ann. Probab. 27; Howard, Ramdas, McAuliffe and Sekhon (2021), Ann. Stat. 49.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import exp, inf, log, log1p
from typing import Literal, NamedTuple

from evenhand.core.history.case_verdicts import LEVEL, RANGE, RELEVANT
from evenhand.core.history.weighted import holm, others
from evenhand.core.values.suites.decision import CaseDifference, Measure

STAKES = (0.1, 0.2, 0.4, 0.8, 1.6, 3.2)
"""The l of the bets on either sign, divided by twice the relevant difference: small ones for scattered differences."""

SPREADS = (0.25, 1.0, 4.0)
"""The standard deviations of l in the confidence sequence, on the same scale."""

State = Literal["better", "worse", "no difference shown", "undecided"]


class Evidence(NamedTuple):
    """What the cases of one variant have shown so far. Constant size; `after` adds a case.

    Weights are relative to the mean weight of the planned cases.
    """

    unit: float
    """Twice the relevant difference, in points or as a share."""
    furthest: float
    """The largest mean difference there can be."""
    cases: int = 0
    weight: float = 0.0
    squared_weight: float = 0.0
    total: float = 0.0
    """The sum of weight times difference."""
    cross: float = 0.0
    """The sum of squared weight times difference."""
    squares: float = 0.0
    """The sum of the squares of weight times difference."""
    bets: tuple[float, ...] = (0.0,) * (2 * len(STAKES))
    """The logarithms of the products."""
    highest: float = 0.0
    """The largest logarithm of E so far."""

    def after(self, difference: CaseDifference) -> Evidence:
        """The evidence with one more case."""
        value, weight = float(difference.value) / 100, float(difference.weight)
        stakes = (sign * stake * weight * value / self.unit for sign in (1, -1) for stake in STAKES)
        bets = tuple(bet + _log_return(stake) for bet, stake in zip(self.bets, stakes, strict=True))
        return self._replace(
            cases=self.cases + 1,
            weight=self.weight + weight,
            squared_weight=self.squared_weight + weight**2,
            total=self.total + weight * value,
            cross=self.cross + weight**2 * value,
            squares=self.squares + (weight * value) ** 2,
            bets=bets,
            highest=max(self.highest, _log_mean(bets)),
        )

    @property
    def mean(self) -> float | None:
        """The weighted mean difference; None before the first case."""
        return self.total / self.weight if self.weight else None

    @property
    def p_value(self) -> float:
        """Valid at any time; 1 before the first case."""
        return min(1.0, exp(-self.highest))

    def interval(self, level: float) -> tuple[float, float]:
        """The mean differences that are not ruled out at `level`, at any time."""
        if self.mean is None:
            return -inf, inf
        if not self.squares:
            return -self._untied(level), self._untied(level)
        return self._edge(self.mean, -self.furthest, level), self._edge(self.mean, self.furthest, level)

    def within(self, distance: float, level: float) -> bool:
        """Whether every mean difference as far from zero as this is ruled out."""
        if not self.squares:
            return self.cases > 0 and self._untied(level) < distance
        inside = self.mean is not None and abs(self.mean) < distance
        return inside and all(self._log_against(mean) >= log(1 / level) for mean in (-distance, distance))

    def _untied(self, level: float) -> float:
        """The largest mean difference that goes with ties alone: they are not symmetric about any other mean."""
        return others(self.cases, level) * self.furthest

    def _edge(self, inside: float, outside: float, level: float) -> float:
        """The border between means that are ruled out and those that are not; the far end when none is."""
        if self._log_against(outside) < log(1 / level):
            return outside
        for _ in range(50):
            middle = (inside + outside) / 2
            if self._log_against(middle) < log(1 / level):
                inside = middle
            else:
                outside = middle
        return outside

    def _log_against(self, mean: float) -> float:
        """The logarithm of the normal mixture against the hypothesis that the mean difference is `mean`."""
        total = self.total - mean * self.weight
        squares = max(0.0, self.squares - 2 * mean * self.cross + mean**2 * self.squared_weight)
        logs = []
        for spread in SPREADS:
            scale = (spread / self.unit) ** 2
            logs.append(scale * total**2 / (2 * (1 + scale * squares)) - log1p(scale * squares) / 2)
        return _log_mean(logs)


def no_evidence(measure: Measure, relevant: float | None = None) -> Evidence:
    """The evidence before the first case."""
    return Evidence(2 * (RELEVANT[measure] if relevant is None else relevant), RANGE[measure])


def states(evidence: Mapping[str, Evidence], level: float = LEVEL) -> dict[str, State]:
    """What has been decided about each variant; the error rate holds for all of them together, at any time."""
    adjusted = holm([test.p_value for test in evidence.values()])
    alone = level / max(1, len(evidence))
    return {
        name: _state(test, p_value, level, alone)
        for (name, test), p_value in zip(evidence.items(), adjusted, strict=True)
    }


def _state(evidence: Evidence, adjusted: float | None, level: float, alone: float) -> State:
    if adjusted is not None and adjusted <= level and evidence.mean:
        return "better" if evidence.mean > 0 else "worse"
    return "no difference shown" if evidence.within(evidence.unit / 2, alone) else "undecided"


def _log_return(stake: float) -> float:
    """log(1 + tanh(stake)), which is log(2 / (1 + exp(-2 * stake))), without overflow."""
    return log(2) - (log1p(exp(-2 * stake)) if stake > 0 else log1p(exp(2 * stake)) - 2 * stake)


def _log_mean(logs: Sequence[float]) -> float:
    top = max(logs)
    return top + log(sum(exp(value - top) for value in logs) / len(logs))
