"""What the first page says before its table of skills: the last week, what needs a look, suites, what waits."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Any, Final, NamedTuple

from evenhand import clock
from evenhand.core.history import changes_words
from evenhand.decisions.suite_run import SuiteRun
from evenhand.decisions.words import shown
from evenhand.errors import EvenhandError
from evenhand.reports.charts import date_text
from evenhand.reports.comparison.decision import conclusion_lines
from evenhand.store.figures.drift import drifts
from evenhand.store.protocol import Store
from evenhand.store.record import Record
from evenhand.store.tables.browsed_lists import MOST_COUNTED
from evenhand.store.tables.filter import Filter
from evenhand.store.tables.over_time import CallSums
from evenhand.suites.results.suite_results import decision_on, stored_run, stored_runs

WEEK: Final = 7 * 86_400_000_000
LOOKED_AT: Final = 200
"""Skills that are looked at for drift: where there are more, those that were evaluated last."""

AMONG: Final = 5_000
"""The newest evaluations whose skills those are."""

DESCRIBED: Final = 10
"""Skills with drift that are described; the others are counted."""

SUITES: Final = 8
"""Suites whose newest run is shown."""

ROUNDS: Final = 50
MOST_VERDICTS: Final = 400
"""Runs whose verdict is remembered."""

_RUNS: Final = 100
_DRIFT: Final = '"drift":{"alarm":true'


class Week(NamedTuple):
    """The seven days up to the newest evaluation."""

    start: int
    end: int
    """Just after the newest one."""

    @property
    def before(self) -> int:
        """When the week before began."""
        return self.start - WEEK


def week_of(store: Store) -> Week | None:
    """The week that the first page is about; None in an empty store."""
    newest = store.newest()
    return None if newest is None else Week(newest.completed + 1 - WEEK, newest.completed + 1)


class WeekFigures(NamedTuple):
    """What evaluations say of a week; over very many of them it takes a while to work out."""

    evaluations: int
    evaluations_before: int
    calls: CallSums
    calls_before: CallSums
    skills: Mapping[str, Mapping[str, Any]]
    """The week of each skill on the page."""
    looks: list[dict[str, Any]]


def week_figures(store: Store, week: Week, shown: Sequence[str], alarmed: Sequence[str]) -> WeekFigures:
    """The figures of a week: of all, of the skills that are shown, and the drift of those with an alarm."""
    return WeekFigures(
        store.count_between(*week, most=MOST_COUNTED),
        store.count_between(week.before, week.start, most=MOST_COUNTED),
        store.calls_between(*week),
        store.calls_between(week.before, week.start),
        {name: skill_week(store, name, week) for name in shown},
        needs_a_look(store, alarmed),
    )


def week_document(
    week: Week, figures: WeekFigures, suites: Sequence[Mapping[str, Any]], waiting: int
) -> dict[str, Any]:
    """What happened in the week, beside the one before."""
    return {
        "from": date_text(week.start),
        "to": date_text(week.end - 1),
        "evaluations": figures.evaluations,
        "evaluations_before": figures.evaluations_before,
        "failed": figures.calls.failed,
        "suite_runs": sum(week.start <= clock.microseconds(suite["created"]) < week.end for suite in suites),
        "cost": float(round(figures.calls.cost, 4)),
        "cost_before": float(round(figures.calls_before.cost, 4)),
        "unpriced": figures.calls.unpriced,
        "waiting": waiting,
    }


def skill_week(store: Store, skill: str, week: Week) -> dict[str, Any]:
    """A skill's week beside the one before: how many evaluations, their mean, and what judging one cost."""
    parts = {part.number: part for part in store.scores_in_parts(Filter(skill), week.before, WEEK, week.end)}
    means = [
        None if number not in parts else round(parts[number].total / parts[number].evaluations / 100, 2)
        for number in (0, 1)
    ]
    calls = store.calls_between(*week, skill=skill)
    return {
        "evaluations": parts[1].evaluations if 1 in parts else 0,
        "mean": means[1],
        "mean_before": means[0],
        "change": None if None in means else round(means[1] - means[0], 2),  # type: ignore[operator]
        "cost": float(round(calls.cost, 4)) if calls.evaluations else None,
        "cost_each": float(round(calls.cost / calls.evaluations, 4)) if calls.evaluations else None,
        "unpriced": calls.unpriced,
    }


def alarmed_skills(store: Store, newest: Mapping[str, Record]) -> list[str]:
    """Skills whose latest graded evaluation has a drift alarm, from their newest evaluations."""
    alarmed = []
    for name, record in newest.items():
        graded = record if record.in_history else store.previous(name)
        if graded is not None and _DRIFT in graded.scorecard:
            alarmed.append(name)
    return alarmed


def needs_a_look(store: Store, alarmed: Sequence[str]) -> list[dict[str, Any]]:
    """The drift of skills with an alarm, the furthest fall first."""
    found = []
    for name in alarmed[:DESCRIBED]:
        stretches = [drift for drift in drifts(store, name) if drift.stretch.open]
        if stretches:
            drift = stretches[-1]
            found.append(
                {
                    "skill": name,
                    "since": date_text(drift.onset.completed),
                    "onset": drift.onset.id,
                    "baseline": round(drift.stretch.baseline, 2),
                    "average": round(drift.stretch.average, 2),
                    "changed": changes_words(drift.changes).replace("->", "→"),
                }
            )
    return sorted(found, key=lambda row: row["average"] - row["baseline"])


def waiting_reviews(store: Store) -> list[dict[str, Any]]:
    """Rounds of review with items that no one has decided."""
    started = store.review_rounds(limit=ROUNDS)
    progress = store.review_progress([round.id for round in started])
    rows = []
    for round in started:
        open = round.size - len({entry.place for entry in progress[round.id] if entry.done})
        if open > 0:
            rows.append({"id": round.id, "created": round.created, "skill": round.skill, "open": open})
    return rows


class SuiteVerdict(NamedTuple):
    """What a run of a suite decided, and what it took."""

    verdict: list[str]
    means: list[tuple[str, str]]
    """Each variant with its mean."""
    cost: float | None
    """US dollars for agents and judges, as far as they are known."""


def suite_verdicts(store: Store) -> list[dict[str, Any]]:
    """The newest run of each suite with what it decided."""
    newest: dict[str, SuiteRun] = {}
    for run in stored_runs(store, limit=_RUNS):
        newest.setdefault(run.suite, run)
    return [
        {"suite": run.suite, "run": run.id, "created": run.created, **verdict_of(store, run)._asdict()}
        for run in list(newest.values())[:SUITES]
    ]


_verdicts: dict[tuple[str, str], SuiteVerdict] = {}
"""By store and run: a run never changes, and deciding one takes a while."""


def verdict_of(store: Store, run: SuiteRun) -> SuiteVerdict:
    """What a run decided, in the words of its own page."""
    key = (store.url, run.id)
    if key not in _verdicts:
        try:
            opened = stored_run(store, run.id)
            decision = decision_on(opened.run, opened.results)
        except EvenhandError as error:
            return SuiteVerdict([f"cannot be decided: {error}"], [], None)
        while len(_verdicts) >= MOST_VERDICTS:
            _verdicts.pop(next(iter(_verdicts)), None)
        means = [
            (facts.name, "-" if facts.mean is None else shown(facts.mean, decision.measure, sign=False))
            for facts in decision.variants
        ]
        known = [cost for facts in decision.variants for cost in (facts.cost, facts.judging_cost) if cost is not None]
        cost = float(round(sum(known, Decimal(0)), 4)) if known else None
        _verdicts[key] = SuiteVerdict(conclusion_lines(opened.run, decision), means, cost)
    return _verdicts[key]
