"""How often the interval of a calibrated score holds, and what calibration does to the error. Run by `trust.py`.

Thousands of calibrations are computed at once by `trust_curves.py`; the first few of every cell also by `calibrate`,
the code that users run, and must come out the same.
"""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

import numpy as np

from evenhand.core.calibration import at, calibrated
from evenhand.stats.calibration_curves import calibrate, shift
from evenhand.stats.isotonic import fit
from trust_curves import Curves, Numbers, curves, monotone, on_scale, shifts
from trust_tables import Cell
from trust_worlds import SHAPES, world

SETTINGS = ((0.0, 0.4), (0.8, 0.4), (0.8, 1.5), (2.0, 1.0))

CHECKED = 10
"""How many calibrations of a cell are compared with `calibrate`."""

CLOSE = 1e-7


def intervals(repetitions: int) -> Iterator[Cell]:
    """A calibration from some labels, then the interval for five outputs it has not seen."""
    draw, choose = Random(19), np.random.default_rng(19)
    for shape in SHAPES:
        for bias, noise in SETTINGS:
            pairs = np.array(world(draw, shape, bias, noise))
            for labels in (19, 40, 100):
                cell = Cell(f"{shape}, bias {bias}, noise {noise}", f"{labels} labels", 95)
                chosen, unseen = (choose.choice(pairs, (repetitions, number)) for number in (labels, 5))
                made = curves(chosen[..., 0], chosen[..., 1])
                _check(chosen, made, unseen)
                value, people = made.at(unseen[..., 0]), unseen[..., 1]
                low, high = on_scale(value - made.reach[:, None]), on_scale(value + made.reach[:, None])
                held = (low <= people + CLOSE) & (people <= high + CLOSE)
                cell.made, cell.held, cell.width = held.size, int(held.sum()), float((high - low).sum())
                yield cell


def print_errors(repetitions: int) -> None:
    """The mean absolute error on unseen outputs: raw, shifted, monotone, and what cross-validation said."""
    draw, choose = Random(20), np.random.default_rng(20)
    print(f"\ncalibrate: mean absolute error in points on unseen outputs ({repetitions} repetitions a row)")
    print(f"  {'':<44}{'raw':>7}{'shift':>9}{'monotone':>10}{'cross-validated':>17}")
    for shape in SHAPES:
        for bias, noise in SETTINGS:
            pairs = np.array(world(draw, shape, bias, noise))
            for labels in (19, 30, 40, 60, 100, 300):
                chosen, unseen = (choose.choice(pairs, (repetitions, number)) for number in (labels, 50))
                raw, people = unseen[..., 0], unseen[..., 1]
                shifted = on_scale(raw + shifts(chosen[..., 0], chosen[..., 1]))
                rising = monotone(chosen[..., 0], chosen[..., 1]).through(raw)
                made = curves(chosen[..., 0], chosen[..., 1])
                _check(chosen, made, unseen)
                _check_fits(chosen, unseen, shifted, rising)
                errors = [float(np.abs(scores - people).mean()) for scores in (raw, shifted, rising)]
                setting = f"{shape}, bias {bias}, noise {noise}, {labels} labels"
                columns = "".join(f"{error:>{width}.2f}" for error, width in zip(errors, (7, 9, 10), strict=True))
                print(f"  {setting:<44}{columns}{float(made.error.mean()):>17.2f}", flush=True)


def _check(chosen: Numbers, made: Curves, unseen: Numbers) -> None:
    """What `calibrate` makes of the same labels."""
    values = made.at(unseen[..., 0])
    for place in range(min(CHECKED, len(chosen))):
        curve = calibrate([(judge, people) for judge, people in chosen[place].tolist()])
        scores = [calibrated(curve, judge).value for judge in unseen[place, :, 0].tolist()]
        same = [(curve.reach, made.reach[place]), (curve.error, made.error[place])]
        same += zip(scores, values[place].tolist(), strict=True)
        assert all(abs(first - second) < CLOSE for first, second in same), (chosen[place], same)


def _check_fits(chosen: Numbers, unseen: Numbers, shifted: Numbers, rising: Numbers) -> None:
    """What both methods of `calibrate` make of the same labels, whichever it would choose."""
    for place in range(min(CHECKED, len(chosen))):
        pairs = [(judge, people) for judge, people in chosen[place].tolist()]
        moved, knots = shift(pairs), fit(pairs)
        for number, judge in enumerate(unseen[place, :, 0].tolist()):
            assert abs(min(10.0, max(1.0, judge + moved[0][1] - moved[0][0])) - shifted[place, number]) < CLOSE
            assert abs(at(knots, judge) - rising[place, number]) < CLOSE
