"""How the runs of a suite were confined, in sentences for its report, what single runs tried or missed, and which
expectations were not decided."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from evenhand.runs import confinement
from evenhand.runs.missed_paths import NEEDS, REFUSED, TRIED
from evenhand.runs.one_run import PROCESSES_UNWATCHED
from evenhand.runs.run_collection import DELETED, GIVEN_CHANGED
from evenhand.suites.judgement.counted_expectations import NO_JUDGE
from evenhand.work.agent_run import ALIKE, KEPT_FROM, NOT_CONFINED, SEEN, CaseResult

MOST_NAMED = 10
"""Notes on single runs that are shown; further ones are counted."""

_COUNTED = (confinement.NOT_CONFINED, confinement.CONFINED)
"""How the notes begin that are counted."""

_SUMMARIES = {
    PROCESSES_UNWATCHED: "processes and memory were not watched on this system",
    DELETED: "deleted the workspace",
}


_NAMED = (TRIED, REFUSED, NEEDS, GIVEN_CHANGED, SEEN, KEPT_FROM, ALIKE)
"""How the notes begin that are shown with the run they are about."""

_MORE = " more notes on single runs"

_UNDECIDED = " runs: an expectation was not decided and does not count: "


def watch_notes(notes: Iterable[str]) -> tuple[str, ...]:
    """Those of a run's notes that tell how it was watched."""
    return tuple(note for note in notes if note in _SUMMARIES or note.startswith((*_COUNTED, *_NAMED)))


def could_read_answers(notes: Iterable[str]) -> bool:
    """Whether a run's notes say that nothing kept the answers from it."""
    return any(note.startswith(confinement.NOT_CONFINED) for note in notes)


def in_order(notes: Iterable[str]) -> tuple[str, ...]:
    """Notes with the one first that nothing may come before."""
    return tuple(sorted(dict.fromkeys(notes), key=lambda note: note != NOT_CONFINED))


def is_summary(note: str) -> bool:
    """Whether it is one of the sentences about the runs of a suite, as `WatchNotes.lines` makes them."""
    ends = (_MORE, *(f" runs: {summary}" for summary in _SUMMARIES.values()))
    inside = (_UNDECIDED, *(f" runs: {counted}" for counted in _COUNTED), *(f": {named}" for named in _NAMED))
    return note == NOT_CONFINED or note.endswith(ends) or any(part in note for part in inside)


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
            if note in _SUMMARIES or note.startswith(_COUNTED):
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
            f"{count:,} of {self._runs:,} runs: {_SUMMARIES.get(note, note)}"
            for note, count in sorted(self._counts.items(), key=lambda entry: (entry[0] in _SUMMARIES, entry[0]))
        ]
        first = [NOT_CONFINED] if could_read_answers(self._counts) else []
        undecided = [
            f"{runs:,} of {self._runs:,}{_UNDECIDED}{reason}"
            for reason, runs in sorted(self._undecided.items(), key=lambda entry: (-entry[1], entry[0]))
        ]
        rest = [f"{self._more:,}{_MORE}"] if self._more else []
        return (*first, *sorted(self._seen), *undecided[:MOST_NAMED], *counted, *sorted(self._tried), *rest)
