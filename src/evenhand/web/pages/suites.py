"""Runs of suites: a list of them, and the report of one."""

from __future__ import annotations

from typing import Final

from evenhand.decisions.suite_run import SuiteRun, run_document
from evenhand.errors import InputError
from evenhand.reports.comparison.decision import FACT_COLUMNS, fact_rows
from evenhand.reports.comparison.suite import decision_document, run_report, shown_cases
from evenhand.reports.html.walker import report_body
from evenhand.store.protocol import Store
from evenhand.suites.results.run_answer import run_answer, stored_complaints
from evenhand.suites.results.stored_outputs import stored_details
from evenhand.suites.results.suite_results import baseline_run, decision_on, rulings_on, stored_run, stored_runs
from evenhand.web.page import Page, Sheet
from evenhand.web.pages.first_page import SuiteVerdict, verdict_of
from evenhand.web.parameters import NotFound, Parameters, link
from evenhand.web.responses import page_route

LISTED: Final = 50
REFRESHED: Final = 5
"""Seconds after which a page with runs that have not ended is loaded again, by the browser itself."""
_COLUMNS: Final = ("id", "created", "suite", "cases", "repeats", "variants", "baselines", "verdict", "cost")


def suites(store: Store, parameters: Parameters) -> Page:
    """The newest runs of suites."""
    names: dict[str, list[str]] = {}
    for row in store.baselines():
        names.setdefault(row.run, []).append(row.name)
    runs = stored_runs(store, limit=LISTED)
    verdicts = {run.id: verdict_of(store, run) for run in runs}
    rows = [_row(run, names.get(run.id, []), verdicts[run.id]) for run in runs]
    running = [progress._asdict() for progress in store.suites_running()]
    return Page(
        name="suites",
        title="Suites",
        template="suites.html",
        document={
            "running": running,
            "runs": [
                run_document(run) | {"baselines": names.get(run.id, []), **verdicts[run.id]._asdict()} for run in runs
            ],
        },
        sheet=Sheet(_COLUMNS, rows),
        shown={"most": LISTED, "refreshed": REFRESHED if running else 0},
    )


def _row(run: SuiteRun, names: list[str], found: SuiteVerdict) -> list[str | int | float | None]:
    texts = [", ".join(run.variants), ", ".join(names), "; ".join(found.verdict)]
    return [run.id, run.created, run.suite, run.cases, run.repeats, *texts, found.cost]


def suite(store: Store, parameters: Parameters) -> Page:
    """What a run of a suite decided; compared with a baseline if one is named."""
    id = parameters.needed("run", "the id of a run")
    try:
        opened = stored_run(store, id)
    except InputError as error:
        raise NotFound(f"{error}") from None
    run = opened.run
    results = list(opened.results)
    baseline = parameters.text("baseline") or None
    try:
        before = None if baseline is None else baseline_run(store, run.suite, baseline)
        rulings = rulings_on(run, results, store, baseline=baseline)
    except InputError as error:
        raise NotFound(f"{error}") from None
    decision = decision_on(run, results, before, baseline or "")
    cases = shown_cases(decision, sorted({result.id.case for result in results}))
    details = stored_details(store, results, cases)
    answer = run_answer(decision, cases, lambda some: stored_complaints(store, results, some))
    report = run_report(
        run, decision, results, rulings=rulings, answer=answer, details=details, address=_evaluation_page
    )
    return Page(
        name=f"suite-{run.id}",
        title=f"{run.suite} {run.id}",
        template="suite_run.html",
        document=decision_document(decision, run_document(run), rulings, answer),
        sheet=Sheet(FACT_COLUMNS, [list(row) for row in fact_rows(decision)]),
        shown={
            "run": run,
            "body": report_body(report),
            "baselines": [row.name for row in store.baselines(run.suite)],
        },
    )


def _evaluation_page(id: str) -> str:
    return link("/evaluation", {"id": id})


ROUTES: Final = (page_route("/suites", suites), page_route("/suite", suite))
