"""The cells and tables of `trust.py`: how often an interval held the truth, against its nominal value."""

from __future__ import annotations

from collections.abc import Iterable
from math import sqrt

MOSTLY_REFUSED = 0.1
"""Where fewer than this share of samples gets an interval, the cell counts as refused."""


class Cell:
    """One setting, simulated many times."""

    def __init__(self, setting: str, size: str, nominal: float, *, widest: float | None = None) -> None:
        self.setting = setting
        self.size = size
        self.nominal = nominal
        self.widest = widest
        """How wide it may be on average against the labels alone. With it, coverage is held to its nominal value
        itself, at the 1 % level."""
        self.refused = self.made = self.held = 0
        self.width = 0.0

    def add(self, held: bool, width: float) -> None:
        """One interval that was given."""
        self.made += 1
        self.held += held
        self.width += width

    @property
    def mostly_refused(self) -> bool:
        return self.made < MOSTLY_REFUSED * (self.made + self.refused)

    @property
    def missed(self) -> bool:
        """Whether coverage is more than one point and Monte Carlo error below its nominal value.

        Three standard errors: of more than a hundred cells, two would let a few miss by chance alone.
        """
        if self.mostly_refused:
            return False
        error = sqrt(self.nominal * (100 - self.nominal) / self.made)
        if self.widest is not None:
            too_wide = self.width / self.made > self.widest
            return too_wide or 100 * self.held / self.made < self.nominal - 2.326 * error
        return 100 * self.held / self.made < self.nominal - 1 - 3 * error

    def text(self) -> str:
        if self.mostly_refused:
            return "refused"
        some = f", {100 * self.refused / (self.made + self.refused):.0f} % refused" if self.refused else ""
        mark = "  MISSED" if self.missed else ""
        return f"{100 * self.held / self.made:.1f} %, width {self.width / self.made:.2f}{some}{mark}"


def print_table(title: str, cells: Iterable[Cell], repetitions: int) -> int:
    """Print a row for each setting as soon as it is done; returns how many cells missed."""
    print(f"\n{title} ({repetitions} repetitions a cell)", flush=True)
    setting, missed = "", 0
    for cell in cells:
        if cell.setting != setting:
            setting = cell.setting
            print(f"  {setting}", flush=True)
        print(f"    {cell.size:<22}{cell.text()}", flush=True)
        missed += cell.missed
    return missed
