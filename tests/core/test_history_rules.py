"""Rules R13 to R18, the drift alarm, and the distribution behind them."""

from __future__ import annotations

import math
import statistics
from decimal import Decimal
from fractions import Fraction

import pytest
from columns_oracle import compared_with
from conftest import judged, make_rubric, seven
from hypothesis import example, given, settings
from hypothesis import strategies as st

import evenhand
from evenhand.core.comparison import REACH, Past, Timeline
from evenhand.core.history import LEAST_SPREAD, compare
from evenhand.store.databases.sqlite_store import SqliteStore

hundredths = st.integers(100, 1000)


@pytest.fixture
def store(tmp_path):
    opened = SqliteStore(tmp_path / "evaluations.db")
    yield opened
    opened.close()


def kept(store, *scores, skill="s", **more):
    """One evaluation, scored and stored."""
    return evenhand.score({"skill": skill, "scores": seven(*scores), **more}, rubric=make_rubric(), store=store)


def history_of(values, current, **more):
    """The comparison of one score with earlier ones, all dimensions alike."""
    window = [Past((value,) * 7, "r", "j") for value in values[::-1][:10]]
    finals = list(values)
    timeline = Timeline(window, finals[:10], finals[10:][::-1][:REACH])
    return compare([current] * 7, current, timeline, rubric="r", judge="j")


def test_R13_the_same_evaluation_again_does_not_enter_twice(store):
    """Same submission text, judge, rubric and judgement: it is the evaluation that is there already."""
    judgement = {"skill": "s", "scores": seven(8)}
    first = evenhand.score(judgement, rubric=make_rubric(), output="text", store=store)
    again = evenhand.score(judgement, rubric=make_rubric(), output="text", store=store)
    assert (again.id, again.created, again.history.n) == (first.id, first.created, 0)
    assert evenhand.score(judgement, rubric=make_rubric(), output="other", store=store).history.n == 1


def test_R13_judgements_without_text_and_id_each_enter(store):
    """Nothing says that they are the same."""
    assert [kept(store, 8).history.n for _ in range(4)] == [0, 1, 2, 3]


@given(st.lists(hundredths, min_size=2, max_size=10), hundredths)
def test_R14_the_flag_is_exact(window, score):
    """Strictly more than two sample deviations, decided in fractions by an independent formula."""
    n = len(window)
    mean = Fraction(sum(window), n)
    variance = sum((Fraction(value) - mean) ** 2 for value in window) / (n - 1)
    assert compared_with(score, window).flagged == ((score - mean) ** 2 > 4 * variance)


@pytest.mark.slow
@settings(max_examples=30)
@given(st.lists(st.tuples(hundredths, hundredths), min_size=1, max_size=15))
@example([(100 + 60 * number, 1000 - 60 * number) for number in range(15)])
def test_R16_history_never_changes_a_score(pairs):
    """With and without a store the numbers are the same."""
    from tempfile import TemporaryDirectory

    with TemporaryDirectory() as folder:
        store = SqliteStore(f"{folder}/e.db")
        for one, other in pairs:
            scores = seven(*[Decimal(one) / 100] * 6, Decimal(other) / 100)
            alone, with_history = judged(scores, 1, 1), judged(scores, 1, 1, skill="unnamed")
            stored = evenhand.score(
                {"scores": scores, "red_flags": ["f0"], "bonuses": ["b0"]}, rubric=make_rubric(), store=store
            )
            assert (stored.composite, stored.final, stored.grade) == (alone.composite, alone.final, with_history.grade)
            assert stored.dimensions == alone.dimensions
        store.close()


# --- drift -----------------------------------------------------------------------------------------------------------


@given(st.lists(hundredths, min_size=11, max_size=90))
@pytest.mark.slow
def test_drift_is_the_textbook_chart(finals):
    """lambda 0.2, L = 3, the standard error of average and baseline together; a plain loop over the whole history."""
    *earlier, current = finals
    drift = history_of(earlier, current).drift
    baseline = [value / 100 for value in earlier[:10]]
    mean, spread = statistics.mean(baseline), max(LEAST_SPREAD, statistics.stdev(baseline))
    average = mean
    for value in finals[10:]:
        average = 0.2 * value / 100 + 0.8 * average
    steps = len(finals) - 10
    error = spread * math.sqrt(0.2 / 1.8 * (1 - 0.8 ** (2 * steps)) + (1 - 0.8**steps) ** 2 / 10)
    assert drift.average == pytest.approx(average, abs=1e-4)  # beyond 64 evaluations the rest weighs nothing
    assert drift.limit == pytest.approx(3 * error, rel=1e-4)


# --- Student's t -----------------------------------------------------------------------------------------------------


# --- the rates the documentation quotes ------------------------------------------------------------------------------


@pytest.mark.slow
def test_the_quoted_false_alarm_rates_hold():
    """The simulation in benchmarks/false_alarms.py, smaller: the words of the report are true."""
    import importlib.util

    from conftest import ROOT

    spec = importlib.util.spec_from_file_location("false_alarms", ROOT / "benchmarks" / "false_alarms.py")
    simulation = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(simulation)
    literal, _ = simulation.shares(300, 1, 50)
    assert 0.40 <= literal <= 0.55  # "nearly half of all evaluations"
    assert 0.05 <= simulation.drift_alarms(600, 2, 10, 0.0) <= 0.10  # "about 7 of 100 within 10 evaluations"
    assert 0.16 <= simulation.drift_alarms(400, 2, 100, 0.0) <= 0.27  # "22 within 100"
    assert simulation.drift_alarms(200, 2, 10, 1.0) >= 0.95


@given(st.lists(st.tuples(*[st.integers(100, 1000)] * 7), max_size=25))
@pytest.mark.slow
def test_sums_kept_up_one_by_one_equal_those_of_the_window(evaluations: list[tuple[int, ...]]) -> None:
    """Scoring a file adds each evaluation to the sums and takes the eleventh out; adding up gives the same."""
    timeline = Timeline([], [], [])
    for completed, scores in enumerate(evaluations):
        timeline = timeline.followed_by(Past(scores, "rubric", "judge"), 800, completed)
    assert timeline.sums == timeline._replace(known_sums=None).sums


@given(st.lists(hundredths, min_size=REACH + 9, max_size=REACH + 30))
@pytest.mark.slow
def test_weighted_finals_kept_up_one_by_one_equal_those_of_the_reach(finals: list[int]) -> None:
    """The same for the moving average, beginning before and after its reach is full; whole numbers, so exactly."""
    timeline = Timeline([], [], [])
    for completed, final in enumerate(finals):
        timeline = timeline.followed_by(Past((800,) * 7, "rubric", "judge"), final, completed)
        again = timeline._replace(known_recent=None)
        assert len(timeline.since) < REACH or timeline.recent == again.recent
