"""Results of a suite's runs: in files of JSON lines, in a store, and decided upon.

A file of results has the run on its first line and one result on each further line. Everything goes through one result
at a time, so that ten thousand cases need no more memory than their numbers.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from evenhand import clock
from evenhand.decisions.decide import decide
from evenhand.decisions.decision import Decision
from evenhand.decisions.gate import Ruling, judge_suite
from evenhand.decisions.looks import decide_at_looks
from evenhand.decisions.suite import Case, Suite, SuiteGate
from evenhand.decisions.suite_run import SuiteRun, result_document, result_from, run_document, run_from
from evenhand.decisions.suite_table import baseline_table, suite_table
from evenhand.errors import DocumentError, InputError, StoreUnavailable
from evenhand.files.documents import open_lines
from evenhand.judging.sets.case_clusters import listed_clusters
from evenhand.store.protocol import Store
from evenhand.store.tables.suites import BaselineRow, StoredSuite, SuiteResultRow
from evenhand.suites.overview import undecided_sentences
from evenhand.work.agent_run import CaseResult


class StoredResults(NamedTuple):
    """A run and its results, which are read as they are gone through."""

    run: SuiteRun
    results: Iterable[CaseResult]


def suite_run(suite: Suite, *, cases: int | None = None, notes: Sequence[str] = ()) -> SuiteRun:
    """The head of a new run of a suite; `cases` is how many the whole suite has, where this is a part of it."""
    names = [variant.name for variant in suite.variants]
    undecided = undecided_sentences(suite)
    return SuiteRun(
        id=clock.new_id(),
        suite=suite.name,
        sha256=suite.sha256,
        created=clock.now(),
        variants=tuple(names),
        reference=suite.reference if suite.reference in names else names[0],
        reference_is_named=suite.reference in names,
        shared=shared_by(suite.cases),
        repeats=suite.repeats,
        cases=len(suite.cases) if cases is None else cases,
        skill=suite.skill,
        judges=suite.judges,
        gate=suite.gate,
        notes=(*notes, *([undecided] if undecided else [])),
    )


LEAST_SHARED = 4
"""Fewer groups of cases than this are categories, such as easy and hard, not documents that cases come from."""


def shared_by(cases: Sequence[Case]) -> tuple[tuple[str, tuple[tuple[str, str], ...]], ...]:
    """What cases seem to have in common: a column whose values come twice or more on average, or the same files.

    Nothing where clusters are declared.
    """
    if any(case.cluster for case in cases):
        return ()
    columns = {name for case in cases for name, _ in case.variables}
    shared = {name: {case.id: dict(case.variables).get(name, "") for case in cases} for name in sorted(columns)}
    shared["files"] = {case.id: ", ".join(sorted(file.source for file in case.files)) for case in cases}
    found = []
    for name, of_case in shared.items():
        groups = Counter(of_case.values())
        if "" not in groups and LEAST_SHARED <= len(groups) <= len(cases) / 2:
            found.append((name, tuple(of_case.items())))
    return tuple(found)


def results_text(run: SuiteRun, results: Iterable[CaseResult]) -> Iterator[str]:
    """The lines of a file of results."""
    yield _line(run_document(run))
    for result in results:
        yield result_line(result)


def result_line(result: CaseResult) -> str:
    """The line of one result."""
    return _line(result_document(result))


def read_results(path: str) -> StoredResults:
    """A file of results; InputError with file and line when something in it is wrong."""
    documents = open_lines(path)
    first = next(documents, None)
    if first is None:
        raise InputError(f"{path} is empty; it should hold the results of a suite's run")
    try:
        run = run_from(first.value)
    except DocumentError as error:
        raise first.place_all(error) from None

    def results() -> Iterator[CaseResult]:
        for document in documents:
            try:
                result = result_from(document.value)
            except DocumentError as error:
                raise document.place_all(error) from None
            if result.id.variant not in run.variants:
                variants = ", ".join(run.variants)
                raise document.place_all(
                    InputError(f'no variant is named "{result.id.variant}"; there are: {variants}')
                )
            yield result

    return StoredResults(run, results())


def save_run(store: Store, run: SuiteRun, results: Iterable[CaseResult]) -> None:
    """Store a run with all its results, or nothing of it. InputError when the store has the run already."""
    with store.transaction():
        stored = store.suite_run(run.id)
        if stored is not None and stored.id == run.id:
            raise InputError(f"{store.url} already has the run {run.id}")
        store.add_suite_run(
            StoredSuite(run.id, run.suite, run.created, _line(run_document(run)).rstrip()),
            (SuiteResultRow(run.id, *result.id, result_line(result).rstrip()) for result in results),
        )


def stored_run(store: Store, name: str) -> StoredResults:
    """A stored run by its id, the start of it, `latest`, or SUITE@BASELINE."""
    row = _row(store, name)

    def results() -> Iterator[CaseResult]:
        for result in store.suite_results(row.id):
            try:
                yield result_from(json.loads(result.document))
            except (ValueError, DocumentError) as error:
                raise StoreUnavailable(f"a result of the run {row.id} is damaged: {error}") from None

    return StoredResults(_run_of(row), results())


def find_run(name: str, store: Store | None) -> StoredResults:
    """A run by the name of a file of results, or from the store."""
    if Path(name).is_file() or store is None:
        return read_results(name)
    return stored_run(store, name)


def clustered_run(name: str, store: Store | None, cluster: str | None) -> StoredResults:
    """A run as `find_run` finds it; with `cluster`, its cases are taken together by a column of a table."""
    opened = find_run(name, store)
    if cluster is None:
        return opened
    cluster_of = listed_clusters(cluster)
    return opened._replace(results=(result._replace(cluster=cluster_of(result.id.case)) for result in opened.results))


def stored_runs(store: Store, *, suite: str | None = None, limit: int = 100) -> list[SuiteRun]:
    """The runs in a store, newest first."""
    return [_run_of(row) for row in store.suite_runs(suite=suite, limit=limit)]


def name_baseline(store: Store, name: str, run: str) -> BaselineRow:
    """Give a stored run a name, once and for all. InputError when its suite has another run of that name."""
    with store.transaction():
        row = _row(store, run)
        for known in store.baselines(row.suite):
            if known.name == name and known.run != row.id:
                raise InputError(
                    f'the suite {row.suite} has a baseline "{name}" already, the run {known.run}; '
                    "baselines are never changed: choose another name"
                )
            if known.name == name:
                return known
        baseline = BaselineRow(row.suite, name, row.id, clock.now())
        store.add_baseline(baseline)
    return baseline


def baseline_run(store: Store, suite: str, name: str) -> StoredResults:
    """The run that a baseline's name stands for."""
    known = store.baselines(suite)
    run = next((row.run for row in known if row.name == name), None)
    if run is None:
        names = ", ".join(row.name for row in known) or "none"
        raise InputError(
            f'the suite {suite} has no baseline "{name}" in {store.url}; it has: {names}; give a stored run that name '
            f"with: evenhand run show RUN --name {name} (the first run is made without a baseline under gate)"
        )
    return stored_run(store, run)


def decision_on(
    run: SuiteRun, results: Iterable[CaseResult], baseline: StoredResults | None = None, label: str = ""
) -> Decision:
    """Every variant against the reference, every pair of them, or every one against a baseline."""
    if baseline is None:
        table = suite_table(run, results)
        return decide_at_looks(table, run.looks, run.repeats) if run.looks else decide(table)
    if run.stops_early:
        raise InputError(
            "a run that stops as soon as its own variants differ says too little about a baseline; "
            "run the suite without run.stop_early to compare with one"
        )
    return decide(baseline_table(run, results, baseline.run, baseline.results, label or "baseline"))


def rulings_on(
    run: SuiteRun,
    results: Iterable[CaseResult],
    store: Store | None,
    gate: SuiteGate | None = None,
    *,
    baseline: str | None = None,
) -> list[Ruling]:
    """What the gate of a run's suite rules, or another in its place: against its baseline where it names one, or the
    `baseline` given. Nothing without a gate. InputError for a baseline that is not there."""
    gate = gate or run.gate
    if gate is None:
        return []
    name = baseline or gate.baseline
    if name is None:
        return judge_suite(decision_on(run, results), gate)
    if store is None:
        raise InputError(f'the gate compares with the baseline "{name}", which needs a store; name it with --store')
    return judge_suite(decision_on(run, results, baseline_run(store, run.suite, name), name), gate)


def _row(store: Store, name: str) -> StoredSuite:
    """The stored run that a name stands for. InputError when there is none."""
    suite, at, baseline = name.rpartition("@")
    if name == "latest":
        row = next(iter(store.suite_runs(limit=1)), None)
    else:
        id = next((row.run for row in store.baselines(suite) if row.name == baseline), None) if at else name
        row = None if id is None else store.suite_run(id)
    if row is None:
        raise InputError(f'no run in {store.url} has the id "{name}"; see: evenhand run show')
    return row


def _run_of(row: StoredSuite) -> SuiteRun:
    try:
        return run_from(json.loads(row.document))
    except (ValueError, DocumentError) as error:
        raise StoreUnavailable(f"the stored run {row.id} is damaged: {error}") from None


def _line(document: object) -> str:
    return json.dumps(document, ensure_ascii=False, separators=(",", ":")) + "\n"
