"""From verdicts in both orders to outcomes, win rates, position bias and strengths."""

from __future__ import annotations

from itertools import product
from math import exp, log

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evenhand.decisions.preference import (
    Interval,
    PairResult,
    Preferences,
)
from evenhand.decisions.preferences import (
    preferences_decision,
    strengths,
    tally,
    win_rate,
)
from evenhand.stats.bradley_terry import PRIOR

OUTCOMES = {"a": "a", "b": "b", "=": "tie", "~": "inconsistent", "?": "undecided"}


def compared(said: str) -> Preferences:
    """Two systems and what came of each item."""
    results = tuple(
        PairResult(f"item {place}", "one", "two", OUTCOMES[letter])  # type: ignore[arg-type]
        for place, letter in enumerate(said)
    )
    return Preferences(("one", "two"), results, (), {})


def rate_of(said: str) -> Interval | None:
    """Its win rate beside its verdict."""
    preferences = compared(said)
    (contrast,) = preferences_decision(preferences).contrasts
    return win_rate(tally(result.outcome for result in preferences.results), contrast)


@given(st.text("ab=~?", max_size=60))
def test_the_interval_of_a_win_rate_leaves_out_one_half_exactly_where_the_verdict_says_so(said: str):
    """The first wins more often where the second is worse; the interval holds the rate."""
    rate = rate_of(said)
    (contrast,) = preferences_decision(compared(said)).contrasts
    if rate is None:
        assert contrast.verdict not in ("better", "worse")
        return
    assert 0 <= rate.low <= rate.share <= rate.high <= 1 or "?" in said
    assert (rate.low > 0.5) == (contrast.verdict == "worse")
    assert (rate.high < 0.5) == (contrast.verdict == "better")


# --- Bradley-Terry -------------------------------------------------------------------------------


def result(a: str, b: str, won: str) -> PairResult:
    return PairResult("item", a, b, won)  # type: ignore[arg-type]


outcomes_of_three = st.lists(
    st.tuples(
        st.sampled_from([("x", "y"), ("y", "z"), ("x", "z")]),
        st.sampled_from(["a", "b", "tie", "inconsistent", "undecided"]),
    ),
    max_size=30,
)


@settings(max_examples=30, deadline=None)
@given(outcomes_of_three)
@pytest.mark.slow
def test_strengths_and_errors_are_those_of_a_numerical_optimiser(drawn):
    """SciPy maximises the same likelihood, and its numerical second derivatives give the same errors."""
    optimize = pytest.importorskip("scipy.optimize")
    numpy = pytest.importorskip("numpy")
    systems = ["x", "y", "z"]
    pairs = [result(a, b, won) for (a, b), won in drawn]
    share = {"a": 1.0, "b": 0.0, "tie": 0.5, "inconsistent": 0.5}

    def loss(values):
        total = sum(PRIOR * (log(1 + exp(-value)) + log(1 + exp(value))) for value in values)
        for pair in pairs:
            if pair.outcome in share:
                gap = values[systems.index(pair.a)] - values[systems.index(pair.b)]
                total += share[pair.outcome] * log(1 + exp(-gap)) + (1 - share[pair.outcome]) * log(1 + exp(gap))
        return total

    best = optimize.minimize(loss, [0.0, 0.0, 0.0], tol=1e-12).x
    step = 1e-4
    hessian = numpy.zeros((3, 3))
    for one, two in product(range(3), repeat=2):
        for sign_one, sign_two in product((1, -1), repeat=2):
            moved = numpy.array(best)
            moved[one] += sign_one * step
            moved[two] += sign_two * step
            hessian[one, two] += sign_one * sign_two * loss(moved) / (4 * step * step)
    centre = numpy.eye(3) - 1 / 3
    covariance = centre @ numpy.linalg.inv(hessian) @ centre.T
    made = {strength.system: strength for strength in strengths(systems, pairs)}
    for index, name in enumerate(systems):
        assert made[name].value == pytest.approx(best[index] - best.mean(), abs=1e-4)
        assert made[name].error == pytest.approx(covariance[index, index] ** 0.5, rel=1e-3)


@given(outcomes_of_three)
@pytest.mark.slow
def test_strengths_are_sorted_and_their_mean_is_zero(drawn):
    """Strongest first, whatever the order of the pairs."""
    pairs = [result(a, b, won) for (a, b), won in drawn]
    made = strengths(["x", "y", "z"], pairs)
    assert [strength.value for strength in made] == sorted((strength.value for strength in made), reverse=True)
    assert sum(strength.value for strength in made) == pytest.approx(0, abs=1e-9)
    again = strengths(["x", "y", "z"], pairs[::-1])
    assert [strength.value for strength in again] == pytest.approx([strength.value for strength in made], abs=1e-9)
