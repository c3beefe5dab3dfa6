"""The decision on a stored run: by the panel, then by each of its judges alone."""

from __future__ import annotations

from collections.abc import Iterable

from evenhand.core.panel import member_finals
from evenhand.decisions.decision import Decision
from evenhand.decisions.suite_run import SuiteRun
from evenhand.documents.restore import restore
from evenhand.errors import DocumentError
from evenhand.store.protocol import Store
from evenhand.suites.results.suite_results import decision_on
from evenhand.work.agent_run import CaseResult

TOGETHER = "the panel"


def judge_decisions(run: SuiteRun, results: Iterable[CaseResult], store: Store | None) -> list[tuple[str, Decision]]:
    """The decision by the official scores, then by each judge alone where several judged and the store has them.

    Each is a table of its own: a panel does not count as a rater beside its own members.
    """
    rows = list(results)
    official = decision_on(run, rows)
    by_judge = _by_judge(rows, store)
    if len(by_judge) < 2:
        return [(next(iter(by_judge), ", ".join(run.judges) or "checks"), official)]
    return [(TOGETHER, official), *((judge, decision_on(run, some)) for judge, some in by_judge.items())]


def _by_judge(results: Iterable[CaseResult], store: Store | None) -> dict[str, list[CaseResult]]:
    """The results with each judge's own final score in place of the panel's."""
    rows = list(results)
    finals = [_finals(result, store) for result in rows]
    judges = sorted({judge for judged in finals for judge in judged})
    return {
        judge: [result._replace(final=judged.get(judge)) for result, judged in zip(rows, finals, strict=True)]
        for judge in judges
    }


def _finals(result: CaseResult, store: Store | None) -> dict[str, int | None]:
    record = None if store is None or result.evaluation is None else store.find(result.evaluation, None)
    if record is None:
        return {}
    try:
        _, judgement, terms = restore(record.document)
    except DocumentError as error:
        raise record.damaged(error.problems[0].message) from None
    return {} if judgement.panel is None else member_finals(judgement.panel, terms, judgement)
