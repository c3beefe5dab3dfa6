"""A result of `claude plugin eval` as a finished run of a suite, so that it is kept, listed and compared like others.

Nothing is judged again: its graders decided. A grader's weight is how many times its verdict stands among those of a
run, so that the share of them is the runner's own score. The plugin is one variant whatever its version, and two runs
of its suite are compared by it; the version and the model are in the run's notes.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from fractions import Fraction
from math import lcm
from pathlib import Path

from evenhand import clock
from evenhand.core.receipt import canonical_text
from evenhand.decisions.suite_run import SuiteRun
from evenhand.errors import DocumentError, Problem
from evenhand.plugin_evals.recount import refuse_miscounted
from evenhand.plugin_evals.result import Case, Result, Run
from evenhand.plugin_evals.result_files import models_of, read_result
from evenhand.store.protocol import Store
from evenhand.suites.results.suite_results import StoredResults, save_run
from evenhand.work.agent_run import CaseResult, RunId
from evenhand.work.names import slug

_MOST_VERDICTS = 1_000
NOTE = "its own graders decided; how its runs were confined is not known"


def plugin_run(path: Path) -> StoredResults:
    """The run in a result file. InputError where it contradicts its own graders, or cannot be kept exactly."""
    result = read_result(path)
    refuse_miscounted(result)
    name = slug(result.plugin.name)[:60] or "plugin"
    results = [*_results(result, name, path)]
    asked = [[case.name, case.prompt, [[grader.name, grader.type, str(grader.weight), repr(grader.config)]
              for grader in case.graders]] for case in result.cases]  # fmt: skip
    run = SuiteRun(
        id=f"plugin-{hashlib.sha256(path.read_bytes()).hexdigest()[:16]}",
        suite=name,
        sha256=hashlib.sha256(canonical_text(asked).encode()).hexdigest(),
        created=result.started or clock.now(),
        variants=(result.reference, name),
        reference=result.reference,
        repeats=max((kept.id.repeat for kept in results), default=1),
        cases=len(result.cases),
        judges=(result.suite.judge_model,) if result.suite.judge_model else (),
        notes=(f"made by {result.made_by}: {NOTE}", *_told(result)),
    )
    return StoredResults(run, results)


def keep_plugin_run(store: Store, path: Path) -> str:
    """Keep a result, and say as which run; one that is kept already is left as it is."""
    run, results = plugin_run(path)
    known = store.suite_run(run.id)
    if known is None or known.id != run.id:
        save_run(store, run, results)
    return run.id


def _told(result: Result) -> Iterator[str]:
    if result.plugin.version:
        yield f"version {result.plugin.version}"
    models = ", ".join(sorted(models_of(result)))
    yield f"by {models}" if models else "the model is not recorded"
    if result.partial:
        yield f"partial: {result.partial_reason.replace('_', ' ') or 'no reason given'}"


def _results(result: Result, name: str, path: Path) -> Iterator[CaseResult]:
    for case in result.cases:
        for variant, runs in ((name, case.arms.with_plugin), (result.reference, case.arms.without or ())):
            for number, run in enumerate(runs, 1):
                yield _result(RunId(case.name, variant, number), case, run, path)


def _result(id: RunId, case: Case, run: Run, path: Path) -> CaseResult:
    judging = run.judge_cost
    paid = CaseResult(
        id, "finished", seconds=run.seconds, cost=None if run.cost is None else run.cost - (judging or 0),
        judging_cost=judging,
    )  # fmt: skip
    if run.unscored:
        return paid._replace(outcome="not started", reason=run.unscored)
    verdicts = tuple(_verdicts(run))
    if len(verdicts) > _MOST_VERDICTS:
        message = f'the weights of the graders of "{case.name}" are too fine to be kept exactly; use whole numbers'
        raise DocumentError(Problem(message, str(path)))
    met = verdicts.count("met")
    return paid._replace(verdicts=verdicts, met=met, expectations=len(verdicts))


def _verdicts(run: Run) -> Iterator[str]:
    scored = [grader for grader in run.graders if grader.scored]
    scale = lcm(*(Fraction(grader.weight).denominator for grader in scored)) if scored else 1
    for grader in scored:
        times = min(int(Fraction(grader.weight) * scale), _MOST_VERDICTS + 1)
        yield from ("met" if grader.passed else "unmet" for _ in range(times))


def are_plugin_results(files: tuple[str, ...]) -> bool:
    """Whether all files are results of `claude plugin eval`."""
    from evenhand.plugin_evals.result_files import are_results

    return are_results(files) and not any(Path(file).is_dir() for file in files)
