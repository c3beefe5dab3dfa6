"""A suite that was run: what every result of it shares. Immutable values; nothing here computes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, NamedTuple

from evenhand.decisions.values.preference import Preferences
from evenhand.decisions.values.suite import SuiteGate
from evenhand.files.published import Json
from evenhand.work.submission import Event

if TYPE_CHECKING:
    from evenhand.core.values import Scorecard


class SuiteRun(NamedTuple):
    """One run of a suite: the head of its results."""

    id: str
    suite: str
    """The suite's name."""
    sha256: str
    """Of the suite file."""
    created: str
    variants: tuple[str, ...]
    reference: str
    repeats: int
    cases: int
    """How many cases the suite has; a shard or an interrupted run has results for some of them only."""
    skill: str | None = None
    judges: tuple[str, ...] = ()
    gate: SuiteGate | None = None
    notes: tuple[str, ...] = ()
    """What a reader must know of the run as a whole."""
    looks: tuple[int, ...] = ()
    """After how many cases the results were to be looked at, when the run was to stop as soon as the answer was clear;
    empty when all cases were to be run."""
    pairs: Annotated[Preferences | None, Json(hidden=True)] = None
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
