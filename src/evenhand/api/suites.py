"""The Python API: suites run, and results as tables."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from evenhand.api.given_settings import read_settings
from evenhand.api.judging import with_replies
from evenhand.api.keywords import suggesting
from evenhand.core.scorecard import Scorecard
from evenhand.decisions.suite_run import SuiteRun
from evenhand.errors import EvenhandError, InputError, Unavailable, unknown
from evenhand.options.model_options import ModelOptions
from evenhand.options.settings import runs_folder
from evenhand.work.agent_run import CaseResult

if TYPE_CHECKING:
    from evenhand.decisions.decision import Decision
    from evenhand.decisions.gate import Ruling
    from evenhand.decisions.what_to_change import Answer
    from evenhand.store.protocol import Store

LIBRARIES = ("pandas", "polars")


class SuiteResults(NamedTuple):
    """A suite that was run: what each run gave, and what was decided."""

    run: SuiteRun
    results: tuple[CaseResult, ...]
    """By case, variant and repeat, as they ended."""
    decision: Decision
    rulings: tuple[Ruling, ...]
    """The rulings of the suite's gate; empty without one."""
    problems: tuple[str, ...] = ()
    """What could not be stored, and why."""
    answer: Answer | None = None
    """What to change in the best variant that is not the reference, and the cases in which it got worse."""


@suggesting
def run(
    suite: str | Path,
    *,
    store: Store | None = None,
    options: ModelOptions | None = None,
    only: Sequence[str] = (),
    variants: Sequence[str] = (),
    cluster: str | None = None,
    settings: Mapping[str, Any] | None = None,
) -> SuiteResults:
    """Run the variants of a suite on its cases and judge them, as `evenhand run` does.

    Finished runs are kept (by default next to the store) and reused, and so are the judges' replies. Without
    `options`, those in the suite's file count. With a `store`, evaluations and the run are kept there. Cases of one
    `cluster`, a column of a table such as `cases.csv:repository`, count once. `settings` are `run.jobs`,
    `run.runs` (the folder of finished runs) and `keep` ("transcript" keeps transcripts in the store too). Raises
    Unavailable when the budget or a judge stopped it before every run was judged.
    """
    from evenhand.suites.checked_suite import read_suite
    from evenhand.suites.execution.run_order import narrowed
    from evenhand.suites.results.kept_results import SuiteKeeper
    from evenhand.suites.results.suite_results import suite_run
    from evenhand.suites.suite_run import OpenSuite, SuiteOptions
    from evenhand.trust.anchors import moved_since

    given = read_settings(settings, "run.jobs", "run.runs", "keep")
    if (keep := given.get("keep", "text")) not in ("text", "transcript"):
        raise InputError(f"keep: {unknown('choice', keep, ('text', 'transcript'))}")
    whole = read_suite(str(suite), cluster=cluster)
    chosen = narrowed(whole, shard=None, only=tuple(only), variants=tuple(variants))
    address = "none" if store is None else store.url
    asked = ModelOptions(**(chosen.options or {})) if options is None else options
    folder = Path(given["runs"]) if given.get("runs") else runs_folder(address)
    secret = None if store is None else store.secret
    asking = SuiteOptions(given.get("jobs", 1), models=with_replies(asked, store))
    stale = None if store is None else lambda calibration: moved_since(store, calibration)
    with OpenSuite(chosen, folder, asking, secret=secret, stale=stale) as opened:
        keeper = SuiteKeeper(suite_run(chosen, cases=len(whole.cases), notes=opened.notes), store, keep=keep)
        for judged in opened.results():
            keeper.add(judged)
        if opened.budget.stopped is not None:
            raise Unavailable(f"{opened.budget.stopped}; what is finished is kept; run it again to continue")
        outcome = keeper.finish()
        answer = keeper.answer(outcome, opened.skill_of, keeper.problems.append)
    return SuiteResults(
        keeper.run, tuple(keeper.results), outcome.decision, tuple(outcome.rulings), tuple(keeper.problems), answer
    )


def table(
    items: SuiteResults | Iterable[Scorecard | EvenhandError], *, library: Literal["pandas", "polars"] | None = None
) -> Any:
    """Scorecards, or the results of a suite, as a data frame: one row each. A list of rows without pandas and polars.

    A scorecard that could not be made is a row with its `error`.

    >>> cards = [score({"id": "a", "rubric": "default", "scores": dict.fromkeys(DIMENSIONS, 8)})]
    >>> from evenhand import table
    >>> table(cards, library="pandas")[["case", "final", "grade"]].to_dict("records")
    [{'case': 'a', 'final': 8.0, 'grade': 'B+'}]
    """
    if isinstance(items, SuiteResults):
        from evenhand.reports.exchange.result_rows import result_rows

        rows = [dict(row) for row in result_rows(items.results)]
    else:
        rows = [_row(item) for item in items]
    if library is None:
        library = next((name for name in LIBRARIES if find_spec(name) is not None), None)  # type: ignore[misc]
    elif library not in LIBRARIES or find_spec(library) is None:
        raise InputError(f"{library} is not installed here; valid: {', '.join(LIBRARIES)}, or None for what there is")
    if library is None:
        return rows
    columns = list(dict.fromkeys(key for row in rows for key in row))
    return import_module(library).DataFrame([{column: row.get(column) for column in columns} for row in rows])


def _row(item: Scorecard | EvenhandError) -> dict[str, Any]:
    if isinstance(item, EvenhandError):
        return {"error": str(item)}
    calls = None if item.panel is None else item.panel.calls
    return {
        "id": item.id,
        "case": item.case,
        "skill": item.skill,
        "skill_version": item.skill_version,
        "rubric": item.rubric,
        "judge": item.judge.get("name"),
        "final": None if item.final is None else float(item.final),
        "grade": None if item.grade is None else item.grade.letter,
        "passed": item.passed,
        **{name: None if line.score is None else float(line.score) for name, line in item.dimensions.items()},
        "cost": None if calls is None or calls.cost is None else float(calls.cost),
    }
