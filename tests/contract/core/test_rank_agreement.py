"""Kendall's tau-b and Spearman's rho between two raters, against a package that shares no code with this one."""

from __future__ import annotations

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import evenhand

RATINGS = st.lists(st.tuples(st.integers(1, 5), st.integers(1, 5)), min_size=4, max_size=12).filter(
    lambda pairs: all(len(set(side)) > 1 for side in zip(*pairs, strict=True))
)


def coefficients(pairs: list[tuple[int, int]]) -> dict[str, float | None]:
    first, second = (list(side) for side in zip(*pairs, strict=True))
    report = evenhand.trust.agree({"ana": first, "bob": second}, scale="1-5", resamples=0)
    return {name: report.comparisons[0].coefficient(name).value for name in ("kendall", "spearman")}


@given(pairs=RATINGS)
@example(pairs=[(1, 5), (2, 3), (3, 4), (4, 1), (5, 2)])
@example(pairs=[(1, 2), (1, 2), (2, 1), (3, 5), (3, 5)])
@settings(max_examples=60, deadline=None)
def test_coefficients_equal_those_of_scipy(pairs):
    stats = pytest.importorskip("scipy.stats")
    first, second = (list(side) for side in zip(*pairs, strict=True))
    found = coefficients(pairs)
    assert found["kendall"] == pytest.approx(stats.kendalltau(first, second).statistic, abs=1e-9)
    assert found["spearman"] == pytest.approx(stats.spearmanr(first, second).statistic, abs=1e-9)


@given(pairs=RATINGS)
@settings(max_examples=40, deadline=None)
def test_turning_one_rater_around_turns_the_sign_and_nothing_else(pairs):
    """Neither the order of the items nor that of the raters matters."""
    found = coefficients(pairs)
    turned = coefficients([(x, 6 - y) for x, y in pairs])
    exchanged = coefficients([(y, x) for x, y in reversed(pairs)])
    for name, value in found.items():
        assert turned[name] == pytest.approx(-value, abs=1e-9)
        assert exchanged[name] == pytest.approx(value, abs=1e-9)
    assert coefficients([(x, x) for x, _ in pairs]) == pytest.approx(dict.fromkeys(found, 1.0))
