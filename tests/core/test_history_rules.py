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
from evenhand.core.comparison import REACH, Change, Past, Timeline
from evenhand.core.history import LEAST_SPREAD, Circumstances, changed, compare, two_sided
from evenhand.core.rules import DIMENSIONS
from evenhand.reports.history import history_lines, strength_words
from evenhand.stats.student import one_sided, quantile
from evenhand.store.databases.sqlite_store import SqliteStore
from report_formats import history_markdown

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


def test_R13_one_window_serves_both_mean_and_deviation():
    """Old, wild scores outside the window touch neither."""
    line = history_of([100, 1000, 100] + [800, 820] * 5, 810).dimensions["safety"]
    assert (line.mean, round(line.deviation, 6)) == (8.1, round(statistics.stdev([8.0, 8.2] * 5), 6))


@given(st.lists(hundredths, min_size=2, max_size=10), hundredths)
def test_R14_the_flag_is_exact(window, score):
    """Strictly more than two sample deviations, decided in fractions by an independent formula."""
    n = len(window)
    mean = Fraction(sum(window), n)
    variance = sum((Fraction(value) - mean) ** 2 for value in window) / (n - 1)
    assert compared_with(score, window).flagged == ((score - mean) ** 2 > 4 * variance)


def test_R15_the_history_table_marks_flags_of_a_short_history_as_provisional(store):
    """With two to nine evaluations before it a flag says so; with ten it does not."""
    cards = [kept(store, score) for score in (8, 8, 7, *[8] * 8, 7)]
    newest, *_, third, _, _ = [line for line in history_markdown("s", cards).splitlines() if line.startswith("| 2")]
    assert "safety -1.00 (provisional)" in third
    quiet = newest.split("by chance: ")[1]
    assert "safety -0.90" in quiet and "provisional" not in quiet  # nine 8s and a 7: 2.8 deviations, p 0.16 for seven


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


def test_R17_a_literal_flag_is_shown_with_its_strength_and_how_often_chance_does_it():
    """A flag of little strength says so."""
    comparison = history_of([700, 800] * 5, 861)
    assert comparison.flags == DIMENSIONS
    text = " ".join(text for text, _ in history_lines(comparison))
    assert "about once in" in text
    assert "when nothing has changed, this rule still flags some dimension" in text


# --- drift -----------------------------------------------------------------------------------------------------------


def test_drift_raises_an_alarm_when_quality_falls_and_stays_low():
    """A lasting fall by one point in a skill that varies by a third of one."""
    baseline = [800, 830, 770, 810, 790, 840, 760, 800, 820, 780]
    assert not history_of(baseline, 790).drift.alarm
    fallen = history_of([*baseline, 700, 710, 690], 700)
    assert fallen.drift.alarm
    [alarm] = [line for line, weight in history_lines(fallen) if weight == "alarm"]
    assert alarm.startswith("DRIFT: the final score has fallen from 8.00 in the first ten evaluations to")


def test_drift_is_not_absorbed_by_the_window():
    """After twenty low evaluations the window has forgotten; the alarm has not."""
    baseline = [800, 830, 770, 810, 790, 840, 760, 800, 820, 780]
    later = history_of(baseline + [690, 700, 710, 700] * 5, 700)
    assert later.flags == ()
    assert later.drift.alarm


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


@pytest.mark.parametrize("since", [REACH - 1, REACH])
def test_drift_loses_nothing_up_to_the_evaluations_it_looks_back(since):
    """A fall from 10 to 1: after n more, the average is still 9 * 0.8**n above 1, though that is next to nothing."""
    drift = history_of([1000] * 10 + [100] * since, 100).drift
    assert drift.average - 1 == pytest.approx(9 * 0.8 ** (since + 1), rel=1e-6)


# --- Student's t -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("freedom", [1, 2, 3, 4, 9, 10, 29, 100, 999])
def test_the_t_distribution_agrees_with_scipy(freedom):
    """Tails and quantiles."""
    stats = pytest.importorskip("scipy.stats")
    for t in (0, 0.1, 0.5, 1, 2, 3, 5, 10):
        assert two_sided(t, freedom) == pytest.approx(2 * stats.t.sf(t, freedom), abs=1e-12)
        assert one_sided(-t, freedom) == pytest.approx(stats.t.sf(-t, freedom), abs=1e-12)
    for probability in (0.4, 0.2, 0.05, 0.01, 0.001):
        assert quantile(probability, freedom) == pytest.approx(stats.t.isf(probability, freedom), rel=1e-9)


def test_strength_in_words():
    """Odds, not p-values."""
    assert strength_words(0.004) == "about once in 250 evaluations"
    assert strength_words(0.0001) == "less than once in 1000 evaluations"
    assert strength_words(0.9) == "more often than not"


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


def test_a_first_change_is_said_to_be_one():
    """Ten equal scores and then another: there is no strength, and the sentence says why."""
    lines = [line for line, _ in history_lines(history_of([800] * 10, 700))]
    assert (
        "safety is flagged for review: 1.00 below its mean of 8.00 (deviation 0.00); it had never changed before"
        in lines
    )


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


def test_how_a_panels_judges_are_asked_is_a_change_only_where_they_are_the_same():
    """Its hash follows from who they are: beside other judges it says nothing new."""
    panel = {"name": "panel", "judges": "a + b", "identities": "625d"}
    before = Circumstances(None, "default", panel, ())
    other_prompt = before._replace(judge={**panel, "identities": "9cfd"})
    assert changed(before, other_prompt) == (Change("how the panel's judges are asked (a hash)", "625d", "9cfd"),)
    other_judge = before._replace(judge={**panel, "judges": "a + c", "identities": "9cfd"})
    assert changed(before, other_judge) == (Change("judges of the panel", "a + b", "a + c"),)
