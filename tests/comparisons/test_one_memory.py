"""Evaluations made by suites beside the others: listed, summed, compared and rescored, but in no window."""

from __future__ import annotations

import json
from contextlib import closing
from dataclasses import astuple
from decimal import Decimal
from pathlib import Path

import pytest
from conftest import judged, make_rubric, seven

import evenhand
from evenhand.core.judgement import Calls
from evenhand.core.scorecard import SuitePlace
from evenhand.decisions.suite_run import SuiteRun
from evenhand.judging.evaluated import Evaluated
from evenhand.judging.keeper import Keeper
from evenhand.judging.kept.found_cards import cards_of_skill
from evenhand.judging.rescoring import Rescorer, rescore_each
from evenhand.judging.steps import Steps
from evenhand.store.figures.spending import spending
from evenhand.store.protocol import Store
from evenhand.suites.results.suite_results import save_run
from panels import OUTPUT, model_judgement
from suite_cases import result


@pytest.fixture
def store(tmp_path: Path):
    """An empty store in a file."""
    with closing(evenhand.open_store(str(tmp_path / "s.db"))) as opened:
        yield opened


def paid(
    score: int, cost: str | None, *, judge: str = "openai:m", served: str = "model-1", **more: str
) -> evenhand.Scorecard:
    """A scorecard by a model at this cost."""
    calls = Calls(2, 0, 0, 100, 10, None if cost is None else Decimal(cost), served=(served,))
    judgement = model_judgement(score, name=judge, calls=calls)._replace(skill=more.pop("skill", "notes"))
    output = f"{OUTPUT} {more['id']}"  # another text each time, so that none is taken for another
    return Steps(make_rubric()).evaluate_written(judgement, output=output, id=more["id"]).card._replace(**more)


def keep(store: Store, card: evenhand.Scorecard, suite: str | None = None, case: str = "c") -> evenhand.Scorecard:
    if suite is not None:
        card = card._replace(suite=SuitePlace(f"run of {suite}", case, "v", 1))
    return Keeper(store).keep(Evaluated(card, None, True))


def run_of(store: Store, suite: str, results=(), **more) -> None:
    created = f"2026-01-02T00:00:{len(store.suite_runs()):02}Z"
    run = SuiteRun(f"run of {suite}", suite, "ab" * 32, created, ("v",), "v", 1, 1, **more)
    save_run(store, run, results)


def test_evaluations_of_suites_change_no_window_and_no_drift(store, tmp_path):
    """The same evaluations get the same histories with runs of suites between them as without."""
    histories = []
    with closing(evenhand.open_store(str(tmp_path / "alone.db"))) as alone:
        for opened in (alone, store):
            for number in range(14):
                score = 8 if number < 12 else 3
                card = keep(opened, judged(seven(score + number % 2), id=f"mine-{number}", skill="notes"))
                histories.append(card.history)
                if opened is store:
                    keep(store, judged(seven(2), id=f"suite-{number}", skill="notes"), suite="s", case=f"c{number}")
        assert histories[:14] == histories[14:]
        assert histories[-1].drift.alarm
        assert alone.window("notes") == store.window("notes")


def test_a_skill_lists_its_own_evaluations_or_those_of_a_suite(store):
    """Both sorts are never mixed; one that was only evaluated in suites has those."""
    keep(store, judged(seven(8), id="own", skill="notes"))
    keep(store, judged(seven(7), id="a", skill="notes"), suite="first")
    keep(store, judged(seven(6), id="b", skill="notes"), suite="second")
    keep(store, judged(seven(6), id="c", skill="other"), suite="second")
    run_of(store, "first")
    run_of(store, "second")
    assert [named.name for named in cards_of_skill(store, "notes")] == ["own"]
    assert [named.name for named in cards_of_skill(store, "notes", suite="first")] == ["a"]
    assert [named.name for named in cards_of_skill(store, "notes", suite="run of second")] == ["b"]
    assert [named.name for named in cards_of_skill(store, "other")] == ["c"]
    with pytest.raises(evenhand.InputError, match='no run of a suite "third"'):
        cards_of_skill(store, "notes", suite="third")


def test_a_rescored_evaluation_of_a_suite_stays_with_its_suite(store):
    """Saved, it has the place of the original, and the window is as before."""
    keep(store, judged(seven(8), id="own", skill="notes"))
    keep(store, judged(seven(7), id="a", skill="notes"), suite="first")
    before = store.window("notes")
    rescored = [*rescore_each(["a"], store, Rescorer(make_rubric(amounts=["0.5"])), keeper=Keeper(store))]
    assert [(one.card.suite.run, one.card.rescored_from) for one in rescored] == [("run of first", "a")]
    assert store.window("notes") == before
    assert len([*store.evaluations()]) == 3


def test_costs_are_summed_by_skill_judge_and_suite(store):
    """A rescored evaluation and a run that was reused cost nothing again; unknown prices are counted apart.

    Judging: 0.10 + 0.20 outside suites, 0.30 in one; agents 1.00 + 0.50 of two runs, of which one was reused.
    """
    first = paid(8, "0.10", id="a")
    keep(store, first)
    keep(store, paid(7, "0.20", id="b", judge="openai:n"))
    keep(store, paid(6, None, id="c", skill="other"))
    keep(store, paid(6, "0.30", id="d", skill="other"), suite="s")
    keep(store, judged(seven(5), id="e", skill="notes", judge="human:ana"))
    keep(store, first._replace(id="f", rescored_from="a", case=None))
    runs = [result("c", "v", 1, cost=Decimal("1.00"), key="k1"), result("c", "v", 2, cost=Decimal("0.50"), key="k2")]
    run_of(store, "s", runs, skill="other")
    run_of(store, "again", [result("c", "v", 1, cost=Decimal("1.00"), key="k1")], skill="other")
    spent = spending(store)
    assert (spent.total.judging, spent.total.agents, spent.total.unknown) == (Decimal("0.60"), Decimal("1.50"), 1)
    assert spent.total.evaluations == 9, "six evaluations, and three cells of suites that have none"
    assert {one.name: one.cost for one in spent.skills} == {"notes": Decimal("0.30"), "other": Decimal("1.80")}
    assert {one.name: one.judging for one in spent.judges} == {
        "openai:m": Decimal("0.40"),
        "openai:n": Decimal("0.20"),
        "no model": 0,
    }
    assert [(one.name, one.cost) for one in spent.suites] == [("s", Decimal("1.80")), ("again", 0)]
    assert [one.name for one in spent.skills] == ["other", "notes"], "the dearest first"


def test_costs_since_a_day_leave_out_what_was_made_before(store, evenhand_command, tmp_path):
    """By the time of completion; a date that cannot be is refused."""
    for day in (1, 2, 3):
        keep(store, paid(day + 4, "1.25", id=f"a{day}", created=f"2026-01-0{day}T12:00:00Z"))
    address = str(tmp_path / "s.db")
    done = evenhand_command("history", "--cost", "--since", "2026-01-02", "--store", address, "-f", "json")
    assert json.loads(done.out)["total"]["cost"] == 2.5
    shown = evenhand_command("history", "--cost", "--store", address)
    assert "by skill" in shown.out and "3.75" in shown.out
    refused = evenhand_command("history", "--cost", "--since", "tomorrow", "--store", address)
    assert refused.code == 2 and "it must be a day such as 2026-11-01" in refused.err


def test_a_flagged_evaluation_says_what_changed_since_the_one_before(store):
    """The skill's version, the rubric, the judge and the model as served; nothing is said to have changed if not."""
    for skill in ("notes", "other"):
        for number in range(4):
            keep(store, paid(8, "0.1", id=f"{skill}{number}", skill=skill, skill_version="v1"))
    same = keep(store, paid(2, "0.1", id="same", skill="other", skill_version="v1"))
    assert same.history.flags
    assert same.history.changes == ()
    changed = keep(store, paid(2, "0.1", id="b", judge="openai:n", served="model-2", skill_version="v2"))
    assert [astuple(change) for change in changed.history.changes] == [
        ("skill version", "v1", "v2"),
        ("judge's name", "openai:m", "openai:n"),
        ("model as served", "model-1", "model-2"),
    ]
    again = evenhand.verify(evenhand.document(changed))
    assert again.ok, again.differences


@pytest.mark.parametrize("name", ["EVENHAND_SKILL_VERSION", "GITHUB_SHA", "CI_COMMIT_SHA", "GIT_COMMIT"])
def test_the_version_of_the_skill_comes_from_the_environment(monkeypatch, name):
    """The commit that a CI system has checked out; one given by hand goes before it."""
    monkeypatch.setenv(name, "0d6776e7")
    assert judged(seven(8)).skill_version == "0d6776e7"
    monkeypatch.setenv("EVENHAND_SKILL_VERSION", "1.2.0")
    assert judged(seven(8)).skill_version == "1.2.0"


def test_no_report_calls_scores_usual_below_a_drift_alarm(store):
    """`within two deviations` and an alarm would contradict each other."""
    from evenhand.reports.history import history_lines

    for number in range(30):
        points = 8 if number < 10 else 5
        card = keep(store, judged(seven(points + number % 2), id=f"a{number}", skill="notes"))
    assert card.history.drift.alarm and not card.history.flags
    lines = [line for line, _ in history_lines(card.history)]
    assert any(line.startswith("DRIFT") for line in lines)
    assert not any("within two deviations" in line for line in lines)
