"""A suite's run and its results as documents, and back. Pure. What is read is checked field by field."""

from __future__ import annotations

from typing import Any

from evenhand.decisions.sets.preference_document import preference_document, preferences_from
from evenhand.decisions.values.suite import SuiteGate
from evenhand.decisions.values.suite_run import SuiteRun
from evenhand.errors import DocumentError, Problem
from evenhand.files import codec
from evenhand.work.agent_run import CaseResult

RUN_SCHEMA = "evenhand/suite-run/v1"
RESULT_SCHEMA = "evenhand/suite-result/v1"


def run_document(run: SuiteRun) -> dict[str, Any]:
    """The head of a file of results."""
    document = codec.document(run, RUN_SCHEMA)
    return document if run.pairs is None else document | {"pairs": preference_document(run.pairs)}


def result_document(result: CaseResult) -> dict[str, Any]:
    """One run with its judgement in numbers. Numbers in hundredths are whole; others are decimal text."""
    return codec.document(result, RESULT_SCHEMA)


def run_from(document: Any) -> SuiteRun:
    """The head of a file of results; DocumentError when it is not one."""
    _expect(document, RUN_SCHEMA)
    pairs = None if document.get("pairs") is None else preferences_from(document["pairs"])
    gate = document.get("gate")
    if isinstance(gate, dict):  # other programs may leave out what has its usual value
        document = document | {"gate": codec.document(SuiteGate()) | gate}
    return codec.read(SuiteRun, document, part_of="run of a suite", pairs=pairs)


def result_from(document: Any) -> CaseResult:
    """One result; DocumentError when it is not one."""
    _expect(document, RESULT_SCHEMA)
    result = codec.read(CaseResult, document, part_of="result of a suite")
    if result.weight <= 0:
        raise DocumentError(Problem("not a whole result of a suite: weight must be above 0", path=("weight",)))
    return result


def _expect(document: Any, schema: str) -> None:
    if not isinstance(document, dict) or document.get("schema") != schema:
        raise DocumentError(f'"schema" must be "{schema}"')
