"""How often the interval of a calibrated score holds, and what calibration does to the error. Run by `trust.py`."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

from evenhand.core.trust.calibration import calibrate, calibrated
from evenhand.core.trust.isotonic import at
from trust_tables import Cell
from trust_worlds import SHAPES, world

SETTINGS = ((0.0, 0.4), (0.8, 0.4), (0.8, 1.5), (2.0, 1.0))


def intervals(repetitions: int) -> Iterator[Cell]:
    """A calibration from some labels, then the interval for five outputs it has not seen."""
    draw = Random(19)
    for shape in SHAPES:
        for bias, noise in SETTINGS:
            pairs = world(draw, shape, bias, noise)
            for labels in (19, 40, 100):
                cell = Cell(f"{shape}, bias {bias}, noise {noise}", f"{labels} labels", 95)
                for _ in range(repetitions):
                    curve = calibrate(draw.choices(pairs, k=labels))
                    for judge, people in draw.choices(pairs, k=5):
                        made = calibrated(curve, judge)
                        cell.add(made.low <= people <= made.high, made.high - made.low)
                yield cell


def print_errors(repetitions: int) -> None:
    """The mean absolute error on unseen outputs: raw, shifted, monotone, and what cross-validation said."""
    repetitions = max(20, repetitions // 5)
    draw = Random(20)
    print(f"\ncalibrate: mean absolute error in points on unseen outputs ({repetitions} repetitions a row)")
    print(f"  {'':<44}{'raw':>7}{'shift':>9}{'monotone':>10}{'cross-validated':>17}")
    for shape in SHAPES:
        for bias, noise in SETTINGS:
            pairs = world(draw, shape, bias, noise)
            for labels in (19, 30, 40, 60, 100, 300):
                totals = [0.0] * 4
                for _ in range(repetitions):
                    chosen, unseen = draw.choices(pairs, k=labels), draw.choices(pairs, k=50)
                    shifted, rising = calibrate(chosen, method="shift"), calibrate(chosen, method="monotone")
                    for judge, people in unseen:
                        totals[0] += abs(judge - people) / 50
                        totals[1] += abs(calibrated(shifted, judge).value - people) / 50
                        totals[2] += abs(at(rising.knots, judge) - people) / 50
                    totals[3] += calibrate(chosen).error
                raw, shift, monotone, checked = (total / repetitions for total in totals)
                setting = f"{shape}, bias {bias}, noise {noise}, {labels} labels"
                print(f"  {setting:<44}{raw:>7.2f}{shift:>9.2f}{monotone:>10.2f}{checked:>17.2f}", flush=True)
