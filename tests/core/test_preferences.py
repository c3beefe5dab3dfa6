"""From verdicts in both orders to outcomes, win rates, position bias and strengths."""

from __future__ import annotations

from itertools import product
from math import exp, log

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evenhand.decisions.sets.preferences import (
    agreed,
    favoured_place,
    first_place,
    first_share,
    flips,
    outcome,
    preferences_decision,
    strengths,
    tally,
    win_rate,
)
from evenhand.decisions.values.preference import (
    Flips,
    Interval,
    JudgePreference,
    PairReading,
    PairResult,
    Preferences,
    Tally,
)
from evenhand.stats.bradley_terry import PRIOR


def readings(one: str | None, two: str | None) -> tuple[PairReading, PairReading]:
    """A first, then B first."""
    return PairReading("a", one), PairReading("b", two)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("a_first", "b_first", "expected"),
    [
        ("first", "second", "a"),  # A both times
        ("second", "first", "b"),  # B both times
        ("tie", "tie", "tie"),
        ("first", "first", "inconsistent"),  # whichever was shown first
        ("second", "second", "inconsistent"),
        ("first", "tie", "inconsistent"),
        ("tie", "first", "inconsistent"),
        (None, "first", "undecided"),
        ("first", None, "undecided"),
        (None, None, "undecided"),
        (None, "tie", "undecided"),
    ],
)
def test_a_preference_counts_only_if_it_survives_the_swap(a_first, b_first, expected):
    """The same output must be preferred in both orders; no verdict is never a tie."""
    assert outcome(readings(a_first, b_first)) == expected
    assert outcome(readings(a_first, b_first)[::-1]) == expected


def test_one_order_alone_decides_nothing():
    """There must be a reading in each order."""
    assert outcome([PairReading("a", "first")]) == "undecided"
    assert outcome([PairReading("a", "first"), PairReading("a", "first")]) == "undecided"


@pytest.mark.parametrize(
    ("outcomes", "expected"),
    [
        (["a"], "a"),
        (["a", "a", "b"], "a"),
        (["a", "b"], "inconsistent"),
        (["a", "undecided"], "inconsistent"),  # one of two is not more than half
        (["a", "a", "undecided"], "a"),
        (["tie", "tie", "a"], "tie"),
        (["undecided", "undecided", "a"], "undecided"),
        (["a", "b", "tie"], "inconsistent"),
    ],
)
def test_several_judges_decide_by_more_than_half(outcomes, expected):
    """Exactly half is not enough."""
    assert agreed(outcomes) == expected


def test_wins_losses_ties_and_the_rest_are_counted_apart():
    """One of each, two wins."""
    assert tally(["a", "a", "b", "tie", "inconsistent", "undecided"]) == Tally(2, 1, 1, 1, 1)
    assert tally([]) == Tally()


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


def test_ties_and_inconsistent_pairs_count_half_in_the_win_rate():
    """(3 + 1 / 2) / (3 + 1 + 1) = 3.5 / 5; the undecided ones are left out."""
    rate = rate_of("aaab=??")
    assert rate is not None
    assert rate.share == pytest.approx(3.5 / 5)
    assert rate_of("???") is None


@pytest.mark.parametrize(("successes", "total"), [(0, 1), (1, 1), (3, 10), (50, 100), (1, 1000)])
def test_the_interval_of_a_share_is_exact(successes, total):
    """Clopper and Pearson's, as SciPy computes it."""
    stats = pytest.importorskip("scipy.stats")
    expected = stats.binomtest(successes, total).proportion_ci(method="exact")
    made = first_share(successes, total)
    assert made is not None and first_share(0, 0) is None
    assert (made.low, made.high) == pytest.approx((expected.low, expected.high))


def test_position_bias_counts_preferences_for_the_first_place():
    """Three of four prefer what was shown first; ties and missing verdicts prefer no place."""
    verdicts = ["first", "first", "second", "first", "tie", None]
    assert first_place([PairReading("a", verdict) for verdict in verdicts]) == (3, 4)  # type: ignore[arg-type]
    assert first_place([]) == (0, 0)


def judged(one: str | None, two: str | None) -> JudgePreference:
    """A judge's pair with its verdicts in both orders."""
    return JudgePreference("judge", outcome(readings(one, two)), readings(one, two))


def test_only_pairs_whose_verdict_changed_with_the_order_say_where_a_judge_leans():
    """Two flips to the first place, one of them with a tie, one to the second; consistent and undecided ones: none."""
    pairs = [
        ("first", "first"),
        ("first", "tie"),
        ("tie", "second"),
        ("first", "second"),
        ("tie", "tie"),
        (None, "first"),
    ]
    assert flips(judged(*pair) for pair in pairs) == Flips(first=2, second=1)


def test_ten_flips_of_ten_to_the_first_place_are_a_bias_however_many_pairs_are_consistent():
    """2 / 2**10 = 0.002; with 5 of 5, 2 / 2**5 = 0.06 is not a bias shown, with 6 of 6, 2 / 2**6 = 0.03 is."""
    pairs = [judged("first", "first")] * 10 + [judged("first", "second")] * 90
    assert favoured_place(flips(pairs)) == "first"
    assert favoured_place(Flips(second=6)) == "second"
    assert favoured_place(Flips(first=5)) is None
    assert favoured_place(Flips()) is None


@pytest.mark.parametrize("said", ["~" * 10, "=" * 10, "==~~~?"])
def test_a_judge_that_decides_nothing_has_no_win_rate(said):
    """Not 50 %: nothing was preferred."""
    assert rate_of(said) is None
    assert rate_of(f"{said}b") is not None


# --- Bradley-Terry -------------------------------------------------------------------------------


def result(a: str, b: str, won: str) -> PairResult:
    return PairResult("item", a, b, won)  # type: ignore[arg-type]


def test_two_systems_have_the_strengths_that_a_hand_calculation_gives():
    """Three wins to one with values v and -v: 4 s(2v) + s(v) = 3.5, where s is the logistic function.

    The gradient of the first one: 3 - 4 s(2v) + 0.5 - s(v) = 0.
    """
    made = {
        strength.system: strength
        for strength in strengths(["x", "y"], [result("x", "y", "a")] * 3 + [result("x", "y", "b")])
    }
    value = made["x"].value
    assert made["y"].value == pytest.approx(-value)

    def s(number: float) -> float:
        return 1 / (1 + exp(-number))

    assert 4 * s(2 * value) + s(value) == pytest.approx(3.5)


def test_systems_that_are_alike_have_strength_zero():
    """A win each, or ties only."""
    for outcomes in (("a", "b"), ("tie", "tie"), ("inconsistent",)):
        for strength in strengths(["x", "y"], [result("x", "y", each) for each in outcomes]):
            assert strength.value == pytest.approx(0)


def test_undecided_pairs_change_nothing():
    """No verdict is not half a win."""
    decided = [result("x", "y", "a"), result("y", "z", "a")]
    assert strengths(["x", "y", "z"], [*decided, result("x", "z", "undecided")]) == strengths(["x", "y", "z"], decided)


def test_a_system_that_always_wins_has_a_finite_strength():
    """A thousand wins in a row, by the imagined average opponent."""
    best, _ = strengths(["x", "y"], [result("x", "y", "a")] * 1000)
    assert best.system == "x"
    assert 1 < best.value < 20
    assert best.error > 0


def test_no_pairs_give_strength_zero_for_all():
    """There is nothing to tell them apart."""
    assert [strength.value for strength in strengths(["x", "y", "z"], [])] == [0, 0, 0]
    assert strengths([], []) == ()


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
