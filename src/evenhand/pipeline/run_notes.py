"""How the runs of a suite were watched, in sentences for its report, and which of them tried to write elsewhere."""

from __future__ import annotations

from collections import Counter

from evenhand.core.values.agent_run import AgentRun
from evenhand.runs.confined_writes import CONFINED, TRIED, UNWATCHED
from evenhand.runs.one_run import PROCESSES_UNWATCHED

MOST_NAMED = 10
"""Attempts to write elsewhere that are named; further ones are counted."""

_SUMMARIES = {
    UNWATCHED: "writes outside the workspace were not watched",
    CONFINED: "could write only in the workspace, HOME and the folder for temporary files, and what the suite lists",
    PROCESSES_UNWATCHED: "processes and memory were not watched on this system",
}


class RunNotes:
    """The notes of runs, added up as they come."""

    def __init__(self) -> None:
        self._counts: Counter[str] = Counter()
        self._runs = 0
        self._tried: list[str] = []
        self._more = 0

    def add(self, run: AgentRun) -> None:
        """Take in the notes of one run."""
        self._runs += 1
        for note in run.notes:
            if note in _SUMMARIES:
                self._counts[note] += 1
            elif note.startswith(TRIED):
                self._try(f"{run.id.case}, {run.id.variant}, repeat {run.id.repeat}: {note}")

    def _try(self, attempt: str) -> None:
        if len(self._tried) < MOST_NAMED:
            self._tried.append(attempt)
        else:
            self._more += 1

    def lines(self) -> tuple[str, ...]:
        """Sentences for a report."""
        counted = [
            f"{self._counts[note]:,} of {self._runs:,} runs: {summary}"
            for note, summary in _SUMMARIES.items()
            if self._counts[note]
        ]
        more = [f"{self._more:,} more attempts to write outside a workspace"] if self._more else []
        return (*counted, *sorted(self._tried), *more)
