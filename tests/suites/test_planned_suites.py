"""What running a suite would take: time and cost by the runs that are kept, and the lengths that judges would read."""

from __future__ import annotations

from decimal import Decimal
from types import SimpleNamespace

import pytest

from evenhand.decisions.suite import Case, Command, Model, Suite, Variant
from evenhand.runs.planned import PlannedRun
from evenhand.suites.suite_plan import PlannedSuite
from evenhand.work.agent_run import AgentRun, RunId

OLD, NEW = Variant("old", Command(("x",))), Variant("new", Command(("y",)))
MODEL = Variant("new", Model("openai:one"))
CASES = (Case("a", "p"), Case("b", "q"))


def run(variant: Variant, case: str = "a", **more) -> AgentRun:
    about = {"output": "word " * 40, "seconds": Decimal(10), "cost": Decimal("0.5")} | more
    return AgentRun(RunId(case, variant.name, 1), "k" * 64, "finished", **about)


def todo(variant: Variant, case: Case = CASES[0], repeat: int = 1) -> PlannedRun:
    return PlannedRun(RunId(case.id, variant.name, repeat), case, variant, "k" * 64)


def planned(
    *entries: tuple[PlannedRun, AgentRun | None, AgentRun | None], variants=(OLD, NEW), models=None
) -> PlannedSuite:
    made = PlannedSuite(Suite("s", CASES, variants), models)
    for entry in entries:
        made.add(*entry)
    return made


def test_runs_that_are_kept_need_not_be_made():
    """Two of three; the third takes the mean of its variant's, 10 and 20 seconds, 0.5 and 1.5 dollars."""
    made = planned(
        (todo(OLD), run(OLD), None),
        (todo(OLD, CASES[1]), run(OLD, "b", seconds=Decimal(20), cost=Decimal("1.5")), None),
        (todo(OLD, repeat=2), None, None),
    ).plan(1)
    assert (made.runs, made.kept, made.seconds, made.cost, made.unpriced) == (3, 2, Decimal(15), Decimal(1), 0)


def test_a_run_that_is_to_be_made_again_is_taken_to_be_like_the_one_it_replaces():
    made = planned((todo(OLD), None, run(OLD)), (todo(OLD, CASES[1]), None, run(OLD, "b"))).plan(1)
    assert (made.runs, made.kept, made.seconds, made.cost) == (2, 0, Decimal(20), Decimal(1))


def test_time_may_be_taken_from_other_variants_and_cost_may_not():
    """How long a machine takes is much the same; what a model costs is not."""
    made = planned((todo(OLD), run(OLD), None), (todo(NEW), None, None)).plan(1)
    assert (made.seconds, made.cost, made.unpriced) == (Decimal(10), 0, 1)


@pytest.mark.parametrize(("jobs", "seconds"), [(1, 40), (2, 20), (4, 10), (9, 10)])
def test_several_jobs_share_the_time(jobs, seconds):
    """Four runs of ten seconds; more jobs than runs are of no use."""
    entries = [(todo(OLD, repeat=n), None, run(OLD)) for n in range(4)]
    assert planned(*entries).plan(jobs).seconds == seconds


def test_without_anything_to_go_by_the_time_is_unknown():
    made = planned((todo(OLD), None, None)).plan(1)
    assert (made.seconds, made.cost, made.unpriced) == (None, 0, 1)
    bare = planned((todo(OLD), None, run(OLD, seconds=None, cost=None))).plan(1)
    assert (bare.seconds, bare.unpriced) == (None, 1)
    assert planned().plan(1).seconds == 0


def test_a_model_costs_at_most_what_its_price_says_until_it_was_run():
    models = SimpleNamespace(most_cost=lambda run: Decimal("0.25"), most_tokens=lambda model: 77)
    entries = [(todo(MODEL), None, None), (todo(OLD), None, None)]
    made = planned(*entries, variants=(OLD, MODEL), models=models).plan(1)
    assert (made.cost, made.unpriced) == (Decimal("0.25"), 1)
    ran = planned((todo(MODEL), None, run(MODEL)), variants=(OLD, MODEL), models=models).plan(1)
    assert ran.cost == Decimal("0.5")


def assumed(*entries, **more) -> list[tuple[str, int, str]]:
    made = planned(*entries, **more)
    return [(entry.variant, entry.runs, entry.basis) for entry in made._assumed()]


def test_lengths_are_taken_from_its_own_runs_then_from_others_then_from_its_model():
    models = SimpleNamespace(most_cost=lambda run: None, most_tokens=lambda model: 77)
    own = [(todo(OLD), run(OLD), None), (todo(OLD, CASES[1]), None, None)]
    assert assumed(*own) == [("old", 1, "its kept runs")]
    assert assumed((todo(OLD), run(OLD), None), (todo(NEW), None, None)) == [("new", 1, "other variants' kept runs")]
    assert assumed((todo(MODEL), None, None), variants=(OLD, MODEL), models=models) == [("new", 1, "its model's limit")]
    assert assumed((todo(NEW), None, None)) == [("new", 1, "nothing is kept")]
    assert assumed((todo(OLD), run(OLD), None)) == []


def test_the_mean_length_is_that_of_finished_runs():
    made = planned(
        (todo(OLD), run(OLD, output="word " * 100), None),
        (todo(OLD, CASES[1]), run(OLD, "b", output="word " * 300), None),
        (todo(OLD, repeat=2), run(OLD)._replace(outcome="failed"), None),
        (todo(OLD, repeat=3), None, None),
    )
    (entry,) = made._assumed()
    assert 200 <= entry.tokens <= 280
