"""Calibration curves of many simulated sets of labels at once, with NumPy: what `calibrate` computes one by one.

`trust_calibration.py` checks some sets of every cell against `calibrate` itself.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from evenhand.core.calibration import HIGHEST, LOWEST
from evenhand.stats.calibration_curves import FOLDS, MONOTONE_FROM

Numbers = NDArray[np.float64]
Places = NDArray[np.int64]

_ROW = 100.0
"""Rows lie end to end on one axis, so far apart: further than scores are."""


class Rising(NamedTuple):
    """The monotone curve of each row: judge's scores, shifted by `_ROW` from row to row, and people's."""

    keys: Numbers
    levels: Numbers
    first: Places
    """Where each row begins, and at the end how many there are."""

    def at(self, rows: Places, x: Numbers) -> Numbers:
        """The curve of each row at a judge's score: straight between the fitted ones, level beyond them."""
        left, right = self.first[rows], self.first[rows + 1] - 1
        place = np.searchsorted(self.keys, rows * _ROW + x)
        above, below = np.clip(place, left, right), np.clip(place - 1, left, right)
        low, high, start = self.levels[below], self.levels[above], self.keys[below]
        span = self.keys[above] - start
        share = np.divide(rows * _ROW + x - start, span, out=np.zeros_like(span), where=span > 0)
        return np.asarray(low + (high - low) * share)

    def through(self, x: Numbers) -> Numbers:
        """The same for a table of scores with a row for each curve."""
        rows = np.repeat(np.arange(len(x)), x.shape[1])
        return self.at(rows, x.ravel()).reshape(x.shape)


def rising(rows: Places, x: Numbers, y: Numbers, number: int) -> Rising:
    """The rising curve with the least squared error for each row; pairs are in order by row and judge's score."""
    keys, starts, counts = np.unique(rows * _ROW + x, return_index=True, return_counts=True)
    row = rows[starts]
    totals, weights = np.add.reduceat(y, starts), counts.astype(float)
    scores, owner = np.ones(len(keys), dtype=np.int64), row
    while True:
        # Neighbours that fall are in one block of the solution, so all of them can be pooled at once.
        falls = (owner[1:] == owner[:-1]) & (totals[:-1] * weights[1:] >= totals[1:] * weights[:-1])
        if not falls.any():
            break
        heads = np.flatnonzero(np.concatenate(([True], ~falls)))
        totals, weights, scores = (np.add.reduceat(part, heads) for part in (totals, weights, scores))
        owner = owner[heads]
    first = np.searchsorted(row, np.arange(number + 1))
    return Rising(keys, np.repeat(totals / weights, scores), first)


class Curves(NamedTuple):
    """What calibration gives for each set of labels."""

    rising: Rising | None
    moved: Numbers
    reach: Numbers
    error: Numbers
    """Cross-validated."""

    def at(self, x: Numbers) -> Numbers:
        """The calibrated scores; a row for each set."""
        return on_scale(_at(self.rising, self.moved, x))


def curves(judge: Numbers, people: Numbers, confidence: float = 0.95) -> Curves:
    """A curve for each row of labels, as `calibrate` chooses it, with the error and the reach on held-out labels."""
    labels = judge.shape[1]
    is_rising = labels >= MONOTONE_FROM
    order = np.lexsort((people, judge))
    x, y = np.take_along_axis(judge, order, 1), np.take_along_axis(people, order, 1)
    folds = np.arange(labels) % min(FOLDS, labels)
    errors = []
    for fold in range(min(FOLDS, labels)):
        kept, held = folds != fold, folds == fold
        curve = _fitted(x[:, kept], y[:, kept], is_rising)
        errors.append(np.abs(y[:, held] - on_scale(_at(*curve, x[:, held]))))
    ranked = np.sort(np.concatenate(errors, axis=1), axis=1)
    rank = int(np.ceil((labels + 1) * confidence - 1e-9))
    return Curves(*_fitted(x, y, is_rising), reach=ranked[:, rank - 1], error=ranked.mean(axis=1))


def shifts(judge: Numbers, people: Numbers) -> Numbers:
    """How far `shift` moves the scores of each row, as a column."""
    return np.asarray((people - judge).mean(axis=1, keepdims=True))


def monotone(judge: Numbers, people: Numbers) -> Rising:
    """The monotone curve of each row."""
    sets, labels = judge.shape
    order = np.argsort(judge, axis=1, kind="stable")
    x, y = np.take_along_axis(judge, order, 1), np.take_along_axis(people, order, 1)
    return rising(np.repeat(np.arange(sets), labels), x.ravel(), y.ravel(), sets)


def on_scale(scores: Numbers) -> Numbers:
    return np.clip(scores, LOWEST, HIGHEST)


def _fitted(x: Numbers, y: Numbers, is_rising: bool) -> tuple[Rising | None, Numbers]:
    return monotone(x, y) if is_rising else None, shifts(x, y)


def _at(curve: Rising | None, moved: Numbers, x: Numbers) -> Numbers:
    return np.asarray(x + moved) if curve is None else curve.through(x)
