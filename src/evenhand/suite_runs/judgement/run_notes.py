"""How the runs of a suite were watched, in sentences for its report, which of them tried to write elsewhere, and which
expectations were not decided."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from evenhand.runs.confined_rights import CONFINED, READS_ANYTHING, REFUSED, TRIED, UNWATCHED
from evenhand.runs.one_run import DELETED, LEFT_IN_MEMORY, PROCESSES_UNWATCHED
from evenhand.suite_runs.judgement.counted_expectations import NO_JUDGE
from evenhand.work.agent_run import ALIKE, KEPT_FROM, SEEN, CaseResult

MOST_NAMED = 10
"""Notes on single runs that are shown; further ones are counted."""

_SUMMARIES = {
    UNWATCHED: UNWATCHED,
    READS_ANYTHING: "reading was not confined",
    CONFINED: "could write only in the workspace, HOME and the folder for temporary files, and what the suite lists",
    PROCESSES_UNWATCHED: "processes and memory were not watched on this system",
    DELETED: "deleted the workspace",
}


_NAMED = (TRIED, REFUSED, SEEN, KEPT_FROM, ALIKE, LEFT_IN_MEMORY)
"""How the notes begin that are shown with the run they are about."""

_MORE = " more notes on single runs"

_UNDECIDED = " runs: an expectation was not decided and does not count: "


def watch_notes(notes: Iterable[str]) -> tuple[str, ...]:
    """Those of a run's notes that tell how it was watched."""
    return tuple(note for note in notes if note in _SUMMARIES or note.startswith(_NAMED))


def is_summary(note: str) -> bool:
    """Whether it is one of the sentences about the runs of a suite, as `WatchNotes.lines` makes them."""
    ends = (_MORE, *(f" runs: {summary}" for summary in _SUMMARIES.values()))
    return note.endswith(ends) or _UNDECIDED in note or any(f": {tried}" in note for tried in _NAMED)


class WatchNotes:
    """The notes of runs, added up as they come."""

    def __init__(self) -> None:
        self._counts: Counter[str] = Counter()
        self._undecided: Counter[str] = Counter()
        self._runs = 0
        self._tried: list[str] = []
        self._seen: list[str] = []
        self._more = 0

    def add(self, result: CaseResult) -> None:
        """Take in the notes of one run."""
        self._runs += 1
        # That the suite names no judge is a note of its own, with what to do.
        self._undecided.update({*result.verdicts} - {"met", "unmet", NO_JUDGE})
        for note in result.notes:
            if note in _SUMMARIES:
                self._counts[note] += 1
            elif note.startswith(SEEN):  # all of them: a decision rests on each
                self._seen.append(f"{result.id.case}, {result.id.variant}, repeat {result.id.repeat}: {note}")
            else:
                self._tried.append(f"{result.id.case}, {result.id.variant}, repeat {result.id.repeat}: {note}")
        if len(self._tried) > MOST_NAMED:  # the first by name, whatever the order in which they come
            self._tried.sort()
            self._more += len(self._tried) - MOST_NAMED
            del self._tried[MOST_NAMED:]

    def lines(self) -> tuple[str, ...]:
        """Sentences for a report."""
        counted = [
            f"{self._counts[note]:,} of {self._runs:,} runs: {summary}"
            for note, summary in _SUMMARIES.items()
            if self._counts[note]
        ]
        undecided = [
            f"{runs:,} of {self._runs:,}{_UNDECIDED}{reason}"
            for reason, runs in sorted(self._undecided.items(), key=lambda entry: (-entry[1], entry[0]))
        ]
        rest = [f"{self._more:,}{_MORE}"] if self._more else []
        return (*sorted(self._seen), *undecided[:MOST_NAMED], *counted, *sorted(self._tried), *rest)
