"""When drift began: the stretches of alarms are those of the comparison, and the onset is where the step was."""

from __future__ import annotations

import random

from evenhand.core.comparison import Past, Timeline
from evenhand.core.history import compare, drift_stretches
from evenhand.core.rules import DIMENSIONS

BASE = [790, 800, 810, 800, 790, 810, 800, 800, 790, 810]


def alarms(finals: list[int]) -> list[int]:
    """The places with a drift alarm, by the comparison that scorecards have."""
    timeline, found = Timeline([], [], []), []
    for place, final in enumerate(finals):
        drift = compare([final] * 7, final, timeline, rubric="r", judge="j").drift
        if drift is not None and drift.alarm:
            found.append(place)
        timeline = timeline.followed_by(Past((final,) * len(DIMENSIONS), "r", "j"), final, place)
    return found


def test_no_drift_before_the_eleventh_evaluation_or_without_a_change():
    """There is nothing to compare with."""
    assert drift_stretches([]) == drift_stretches(BASE) == drift_stretches(BASE * 5) == []


def test_a_step_is_found_where_it_was():
    """Eight before, six from place 30 on: the alarm comes at once, and the onset is the step."""
    [found] = drift_stretches([*BASE, *BASE, *BASE, *[600] * 20])
    assert (found.onset, found.last, found.open) == (30, 49, True)
    assert round(found.baseline, 2) == 8.00 and 5.9 < found.average < 6.1


def test_a_small_step_is_found_although_the_alarm_comes_later():
    """A fall of 0.12 where the deviation is 0.08 takes some evaluations to show."""
    [found] = drift_stretches([*BASE, *BASE, *[final - 12 for final in BASE * 3]])
    assert found.raised > 20 and abs(found.onset - 20) <= 2


def test_a_stretch_ends_and_another_way_is_another_stretch():
    """Down, back, up; the last one goes on."""
    down, up = [600] * 15, [990] * 15
    stretches = drift_stretches([*BASE, *down, *BASE * 4, *up])
    assert [one.open for one in stretches] == [False, True]
    assert stretches[0].average < 8 < stretches[1].average


def test_the_stretches_cover_the_alarms_of_the_comparison():
    """Over random walks: every alarm lies within a stretch, and every stretch begins and ends with one."""
    for seed in range(20):
        chance = random.Random(seed)
        level, finals = 750.0, []
        for _ in range(200):
            level = min(950, max(200, level + chance.gauss(0, 8)))
            finals.append(min(1000, max(100, round(level + chance.gauss(0, 40)))))
        stretches = drift_stretches(finals)
        found = alarms(finals)
        assert {place for one in stretches for place in (one.raised, one.last)} <= set(found)
        assert all(any(one.raised <= place <= one.last for one in stretches) for place in found)
