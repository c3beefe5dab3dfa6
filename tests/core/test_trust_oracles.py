"""Every coefficient against independent packages and published values."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path

import pytest

from evenhand.stats.agreement.coefficients import coefficients
from evenhand.stats.agreement.ratings import categories, numbers
from every_case import every_case

ORACLES = json.loads(
    (Path(__file__).parents[1] / "fixtures" / "agreement" / "oracles.json").read_text(encoding="utf-8")
)
CASES = [(table, name) for table, entry in ORACLES.items() for name in entry["values"]]


def ours(rows) -> dict[str, float | None]:
    exact = [[None if value is None else Fraction(str(value)) for value in row] for row in rows]
    made = numbers([f"rater {place}" for place in range(len(rows[0]))], exact)
    return {coefficient.name: coefficient.value for coefficient in coefficients(made)}


@every_case(("table", "name"), CASES)
def test_a_coefficient_is_what_another_package_computes(table, name):
    """krippendorff, scikit-learn, pingouin, statsmodels, SciPy and irrCAC; see benchmarks/agreement_oracles.py."""
    entry = ORACLES[table]
    assert ours(entry["rows"])[name] == pytest.approx(entry["values"][name], abs=1e-9)


def test_no_oracle_is_left_out():
    """Every coefficient of numbers but shares and differences is compared on several tables."""
    compared = {name for _, name in CASES}
    assert compared >= {
        *(f"alpha-{level}" for level in ("nominal", "ordinal", "interval", "ratio")),
        *("kappa", "kappa-linear", "kappa-quadratic", "kappa-fleiss", "ac1", "ac2-linear", "ac2-quadratic"),
        *(f"icc-{form}" for form in ("1-1", "2-1", "3-1", "1-k", "2-k", "3-k")),
        *("spearman", "kendall"),
    }


def test_shrout_and_fleiss_1979():
    """Table 4 of their paper: .17 .29 .71 .44 .62 .91."""
    values = ours(ORACLES["shrout-fleiss-1979"]["rows"])
    forms = ("icc-1-1", "icc-2-1", "icc-3-1", "icc-1-k", "icc-2-k", "icc-3-k")
    assert [round(values[form], 2) for form in forms] == [0.17, 0.29, 0.71, 0.44, 0.62, 0.91]


def test_krippendorff_2011():
    """Section C and D of his paper: .743 .815 .849 .797."""
    values = ours(ORACLES["krippendorff-2011"]["rows"])
    levels = ("nominal", "ordinal", "interval", "ratio")
    assert [round(values[f"alpha-{level}"], 3) for level in levels] == [0.743, 0.815, 0.849, 0.797]


FLEISS_1971 = """0 0 0 6 0|0 3 0 0 3|0 1 4 0 1|0 0 0 0 6|0 3 0 3 0|2 0 4 0 0|0 0 4 0 2|2 0 3 1 0|2 0 0 4 0|0 0 0 0 6
1 0 0 5 0|1 1 0 4 0|0 3 3 0 0|1 0 0 5 0|0 2 0 3 1|0 0 5 0 1|3 0 0 1 2|5 1 0 0 0|0 2 0 4 0|1 0 2 0 3
0 0 0 0 6|0 1 0 5 0|0 2 0 1 3|2 0 0 4 0|1 0 0 4 1|0 5 0 1 0|4 0 0 0 2|0 2 0 4 0|1 0 5 0 0|0 0 0 0 6"""


def fleiss_1971():
    """30 patients, 6 psychiatrists each, 5 diagnoses; the paper has counts, so that raters are exchangeable."""
    rows = []
    for counts in FLEISS_1971.replace("\n", "|").split("|"):
        rows.append([str(kind) for kind, count in enumerate(map(int, counts.split())) for _ in range(count)])
    return categories([f"rater {place}" for place in range(6)], rows)


def test_fleiss_1971():
    """Kappa is .430 in the paper."""
    values = {coefficient.name: coefficient.value for coefficient in coefficients(fleiss_1971())}
    assert round(values["kappa-fleiss"], 3) == 0.430
    assert "kappa-quadratic" not in values and "spearman" not in values  # diagnoses have no order


GWET_2008 = [("yes", "yes")] * 118 + [("yes", "no")] * 5 + [("no", "yes")] * 2 + [("no", "no")] * 0
"""Gwet's example of high agreement, 94.4 % among 125, where kappa is below zero."""


def test_gwet_where_kappa_fails():
    """By hand: kappa = (.944 - .94528) / (1 - .94528) = -.0234; AC1 = (.944 - .05443) / (1 - .05443) = .9408."""
    values = {each.name: each.value for each in coefficients(categories(("a", "b"), GWET_2008))}
    assert values["exact"] == pytest.approx(118 / 125)
    by_chance = (123 * 120 + 2 * 5) / 125**2
    assert values["kappa"] == pytest.approx((118 / 125 - by_chance) / (1 - by_chance))
    yes = (123 + 120) / 250
    chance = 2 * yes * (1 - yes)
    assert values["ac1"] == pytest.approx((118 / 125 - chance) / (1 - chance))
    assert (round(values["kappa"], 4), round(values["ac1"], 4)) == (-0.0234, 0.9408)
