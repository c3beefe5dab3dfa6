"""A finished run of a suite and its results: values, and as documents that are read again. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

from evenhand.core.published import ALWAYS
from evenhand.decisions.preference import Preferences
from evenhand.decisions.preferences import preference_document, preferences_from
from evenhand.decisions.suite import SuiteGate
from evenhand.errors import DocumentError, Problem
from evenhand.files import codec
from evenhand.work.agent_run import CaseResult
from evenhand.work.submission import Event

if TYPE_CHECKING:
    from evenhand.core.scorecard import Scorecard


def _write_shared(shared: tuple[tuple[str, tuple[tuple[str, str], ...]], ...]) -> dict[str, dict[str, str]]:
    return {name: dict(of_case) for name, of_case in shared}


def _read_shared(document: Any) -> tuple[tuple[str, tuple[tuple[str, str], ...]], ...]:
    return tuple((name, tuple(of_case.items())) for name, of_case in document.items())


class SuiteRun(NamedTuple):
    """One run of a suite: the head of its results."""

    id: str
    suite: str
    """The suite's name."""
    sha256: str
    """The hash of the suite file."""
    created: str
    variants: tuple[str, ...]
    reference: str
    repeats: int
    cases: int
    """How many cases the suite has; a shard or an interrupted run has results for some of them only."""
    skill: Annotated[str | None, ALWAYS] = None
    judges: Annotated[tuple[str, ...], ALWAYS] = ()
    gate: Annotated[SuiteGate | None, ALWAYS] = None
    notes: Annotated[tuple[str, ...], ALWAYS] = ()
    """What a reader must know of the run as a whole."""
    looks: Annotated[tuple[int, ...], ALWAYS] = ()
    """After how many cases the results were to be looked at, when the run was to stop as soon as the answer was clear;
    empty when all cases were to be run."""
    reference_is_named: bool = False
    """Whether the suite names its reference: then all others are compared with it, else every pair of variants is."""
    shared: Annotated[
        tuple[tuple[str, tuple[tuple[str, str], ...]], ...],
        {"shape": dict[str, dict[str, str]], "write": _write_shared, "read": _read_shared},
    ] = ()
    """What cases have in common although no one has declared it: by a column's name, the value of each case."""
    pairs: Annotated[Preferences | None, {"hidden": True}] = None
    """How judges compared the variants' outputs side by side, by the first run of each case; None when nobody did."""

    @property
    def stops_early(self) -> bool:
        """Whether it was to stop as soon as the answer was clear."""
        return bool(self.looks)


class ShownTranscript(NamedTuple):
    """The beginning of a run's transcript, as far as a page shows it."""

    path: str = ""
    """Where it is kept, seen from here; empty when it is not on this machine."""
    events: tuple[Event, ...] = ()
    left_out: int = 0
    """Events that follow."""
    problem: str = ""
    """Why none of it is shown, as a clause."""


class StoredDetail(NamedTuple):
    """What is stored of one run besides its numbers: what a reader opens a cell of the report for."""

    card: Scorecard | None
    """None when it was not judged, as of a run that failed."""
    output: str | None
    """The beginning of its output; None when only a hash is stored."""
    left_out: int
    """How many characters of the output follow."""
    transcript: ShownTranscript = ShownTranscript()


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
