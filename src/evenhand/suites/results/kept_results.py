"""Results of a suite as they come: scorecards stored in batches, the run stored at the end, then the decision."""

from __future__ import annotations

import errno
import json
import os
import tempfile
import weakref
from collections.abc import Callable, Container, Iterator, Mapping
from contextlib import suppress
from typing import NamedTuple

from evenhand import clock
from evenhand.core.scorecard import Scorecard, SuitePlace
from evenhand.decisions.decide import undecided
from evenhand.decisions.decision import Decision, State
from evenhand.decisions.gate import Ruling
from evenhand.decisions.grouped_complaints import MOST_CASES, CollectedComplaints
from evenhand.decisions.suite_run import SuiteRun, result_document, result_from
from evenhand.decisions.suite_table import suite_table
from evenhand.decisions.what_to_change import Answer
from evenhand.errors import InputError, StoreUnavailable, Unavailable
from evenhand.judging.evaluated import Evaluated
from evenhand.judging.keeper import Keeper
from evenhand.options.settings import Keep
from evenhand.runs.run_collection import GOES_ON
from evenhand.store.protocol import Store
from evenhand.store.tables.suites import SuiteProgress
from evenhand.suites.judgement.run_judgements import JudgedRun
from evenhand.suites.judgement.run_notes import WatchNotes, in_order
from evenhand.suites.results.run_answer import run_answer, stored_complaints
from evenhand.suites.results.stored_outputs import shortcomings
from evenhand.suites.results.suite_results import decision_on, rulings_on, save_run
from evenhand.work.agent_run import CaseResult, RunId

NOTED_EVERY = 2.0
"""Seconds between two notes of how far a run is."""

_BATCH = 200
"""Scorecards that are committed together."""


class SuiteOutcome(NamedTuple):
    """What a finished run shows."""

    decision: Decision
    rulings: list[Ruling]
    """The rulings of the suite's gate; empty without one."""


class SuiteKeeper:
    """Takes in every judged run. Without a store, or when it fails, the decision is made all the same."""

    def __init__(self, run: SuiteRun, store: Store | None, *, partial: bool = False, keep: Keep = "text") -> None:
        """`partial`: a shard, which is neither stored nor held to the gate; that is done when all are merged."""
        self.run = run
        self.cases: dict[str, None] = {}
        """In the order in which they came."""
        self.results = ResultSpool()
        self._notes = WatchNotes()
        self.reasons: dict[RunId, list[str]] = {}
        """Without a store: why each run that does not pass does not."""
        self.complaints: dict[str, CollectedComplaints] = {}
        """Without a store: what cost the outputs of each variant points, in the first cases."""
        self.problems: list[str] = []
        """What could not be stored, and why."""
        self.is_stored = False
        self._partial = partial
        self.store = None if partial else store
        """None without one, and once it has failed."""
        self._keeper = Keeper(self.store, keep=keep)
        self._waiting: list[Evaluated | InputError] = []
        self._counts = [0, 0]
        """The runs that are done, and those of them that failed."""
        self._noted: float | None = None

    def add(self, judged: JudgedRun) -> None:
        """One run with its judgement."""
        self.cases.setdefault(judged.result.id.case)
        self.results.add(judged.result)
        if self.store is None and judged.card is not None:
            self._remember(judged.result.id, judged.card)
        self._notes.add(judged.result)
        self._counts[0] += 1
        self._counts[1] += judged.card is None
        self._note_progress()
        if judged.card is None or self.store is None:
            return
        card = judged.card._replace(suite=SuitePlace(self.run.id, *judged.result.id))
        self._waiting.append(Evaluated(card, judged.submission, named=True))
        if len(self._waiting) >= _BATCH:
            self._keep()

    def finish(self, state: State = "complete") -> SuiteOutcome:
        """Store a complete run and decide. InputError when the gate names a baseline that does not exist."""
        self.run = self.run._replace(notes=in_order((*self.run.notes, *self._notes.lines())))
        if self.store is not None and self._noted is not None:
            with suppress(StoreUnavailable):
                self.store.end_progress(self.run.id)
        if state != "complete":
            return SuiteOutcome(undecided(suite_table(self.run, self.results), state), [])
        self._keep()
        if self.store is not None and self._keeper.failure is None:
            try:
                save_run(self.store, self.run, self.results)
                self.is_stored = True
            except StoreUnavailable as error:
                self.problems.append(str(error))
        rulings = [] if self._partial else rulings_on(self.run, self.results, self.store)
        return SuiteOutcome(decision_on(self.run, self.results), rulings)

    def _note_progress(self) -> None:
        """Say in the store how far the run is, every few seconds; a run never fails for it."""
        now = clock.elapsed()
        if self.store is None or (self._noted is not None and now - self._noted < NOTED_EVERY):
            return
        self._noted = now
        total = self.run.cases * self.run.repeats * len(self.run.variants)
        with suppress(StoreUnavailable):
            self.store.note_progress(
                SuiteProgress(
                    self.run.id, self.run.suite, self.run.created, clock.now(), self._counts[0], total, self._counts[1]
                )
            )

    def answer(
        self, outcome: SuiteOutcome, skill: Callable[[str], tuple[str, str] | None], notice: Callable[[str], None]
    ) -> Answer | None:
        """What to change and what got worse; None while some runs are missing. `skill` has a variant's instructions.

        A store that fails now must not keep anyone from the decision: `notice` hears of it.
        """
        if outcome.decision.state != "complete":
            return None
        try:
            return run_answer(outcome.decision, sorted(self.cases), self._complaints, skill)
        except StoreUnavailable as error:
            notice(f"the advice on what to change could not be made: {error}")
            return None

    def _complaints(self, cases: Container[str]) -> Mapping[str, CollectedComplaints]:
        if self.store is None or not self.is_stored:
            return self.complaints
        return stored_complaints(self.store, self.results, cases)

    def _remember(self, id: RunId, card: Scorecard) -> None:
        """What reports show of a scorecard that is not stored."""
        if found := shortcomings(card):
            self.reasons[id] = found
        if len(self.cases) <= MOST_CASES:
            self.complaints.setdefault(id.variant, CollectedComplaints()).add(card, id.case)

    def _keep(self) -> None:
        if self._waiting:
            kept = self._keeper.keep_batch(self._waiting)
            self.problems += [str(entry) for entry in kept if isinstance(entry, InputError)]
            self._waiting = []
            if self._keeper.failure is not None:
                self.problems.append(str(self._keeper.failure))
                self.store = None


# --- results on their way to the store and the report: in a file without a name, not in memory

_PIECE = 1 << 16


class ResultSpool:
    """Add results, and go through all of them as often as needed. The file is gone with the process."""

    def __init__(self) -> None:
        self._file = tempfile.TemporaryFile(buffering=0)  # noqa: SIM115 (open for as long as this object)
        weakref.finalize(self, self._file.close)

    def add(self, result: CaseResult) -> None:
        """Append one result."""
        line = json.dumps(result_document(result)).encode() + b"\n"
        try:
            if self._file.write(line) != len(line):
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        except OSError as error:
            raise Unavailable(
                f"results cannot be written to {tempfile.gettempdir()}: {error.strerror or error}; {GOES_ON}"
            ) from None

    def __iter__(self) -> Iterator[CaseResult]:
        place, rest = 0, b""
        while piece := os.pread(self._file.fileno(), _PIECE, place):
            place += len(piece)
            *lines, rest = (rest + piece).split(b"\n")
            for line in lines:
                yield result_from(json.loads(line))
