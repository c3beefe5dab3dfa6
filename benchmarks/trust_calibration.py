"""How often the interval of a calibrated score holds, and what calibration does to the error. Run by `trust.py`."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from statistics import fmean

from evenhand.core.calibration import calibrated
from evenhand.stats.calibration_curves import calibrate
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
                        found = calibrated(curve, judge)
                        cell.made += 1
                        cell.held += found.low <= people <= found.high
                        cell.width += found.high - found.low
                yield cell


def print_errors(repetitions: int) -> None:
    """The mean absolute error on unseen outputs: raw, calibrated, and what cross-validation said."""
    draw = Random(20)
    print(f"\ncalibrate: mean absolute error in points on unseen outputs ({repetitions} repetitions a row)")
    print(f"  {'':<44}{'raw':>7}{'calibrated':>12}{'cross-validated':>17}")
    for shape in SHAPES:
        for bias, noise in SETTINGS:
            pairs = world(draw, shape, bias, noise)
            for labels in (19, 30, 40, 60, 100, 300):
                raw, after, told = list[float](), list[float](), list[float]()
                for _ in range(repetitions):
                    curve = calibrate(draw.choices(pairs, k=labels))
                    told.append(curve.error)
                    for judge, people in draw.choices(pairs, k=20):
                        raw.append(abs(judge - people))
                        after.append(abs(calibrated(curve, judge).value - people))
                setting = f"{shape}, bias {bias}, noise {noise}, {labels} labels"
                print(f"  {setting:<44}{fmean(raw):>7.2f}{fmean(after):>12.2f}{fmean(told):>17.2f}", flush=True)
