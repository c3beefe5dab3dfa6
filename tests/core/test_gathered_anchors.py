"""Evidence of anchors over several runs: a slow drift shows, and many looks raise no more false alarms."""

from __future__ import annotations

from random import Random

from evenhand.stats.trust.anchor_drift import FIELDS, LEVEL, gathered_movements, movements


def run(shift: float, draw: Random, noise: float = 60.0) -> dict[str, dict[str, int]]:
    """Twenty anchors of qualities from 4 to 8, in hundredths, with noise of their own."""
    qualities = [400 + 20 * place for place in range(20)]
    return {
        str(place): {field: round(quality + 100 * shift + draw.gauss(0, noise)) for field in FIELDS}
        for place, quality in enumerate(qualities)
    }


def test_a_drift_that_no_single_run_shows_adds_up():
    """A tenth of a point from run to run: by the eighth run it is plain, where a single pair of runs was not enough."""
    draw = Random(3)
    runs = [run(0.1 * number, draw) for number in range(8)]
    assert not any(movement.alarm for movement in movements(runs[0], runs[3]))
    assert any(movement.alarm for movement in gathered_movements(runs))


def test_three_runs_are_too_few_to_add_up():
    """Four are enough: two earlier, two later."""
    draw = Random(4)
    runs = [run(2.0 * (number > 1), draw) for number in range(4)]
    assert gathered_movements(runs[:3]) == ()
    assert all(movement.alarm for movement in gathered_movements(runs))


def test_the_mean_of_the_later_half_is_compared_with_that_of_the_earlier():
    """Five runs: the first two against the last three; 5, 6 against 7, 8, 9 is 5.5 against 8."""
    runs = [{str(n): dict.fromkeys(FIELDS, score) for n in range(11)} for score in (500, 600, 700, 800, 900)]
    assert {movement.mean for movement in gathered_movements(runs)} == {2.5}


def test_an_anchor_without_a_score_in_one_run_counts_by_its_other_runs():
    """And one without any in a half is left out."""
    runs: list[dict[str, dict[str, int | None]]]
    runs = [{str(n): dict.fromkeys(FIELDS, 500) for n in range(12)} for _ in range(4)]
    runs[0]["0"] = dict.fromkeys(FIELDS)
    runs[2]["1"] = runs[3]["1"] = dict.fromkeys(FIELDS)
    assert {(movement.anchors, movement.missing) for movement in gathered_movements(runs)} == {(11, 1)}


def test_the_looks_of_all_runs_together_stay_within_half_of_the_level():
    """LEVEL / (k (k + 1)) from the third comparison on: a third of it."""
    spent = sum(LEVEL / ((count - 1) * count) for count in range(4, 100_000))
    assert LEVEL / 3 * 0.99 < spent < LEVEL / 2
