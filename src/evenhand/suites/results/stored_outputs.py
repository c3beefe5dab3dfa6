"""What a suite's runs stored: scorecards and outputs, expectations for skill-creator."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from evenhand.core.scorecard import Scorecard
from evenhand.decisions.gate import MOST_QUOTED, weakest
from evenhand.decisions.suite_run import StoredDetail, SuiteRun
from evenhand.errors import DocumentError, shortened_line
from evenhand.options.settings import runs_folder
from evenhand.reports.exchange.skill_creator import suite_benchmark, suite_row
from evenhand.runs.run_document import read_run
from evenhand.store.protocol import Store
from evenhand.store.stored_cards import card_of, submission_of
from evenhand.suites.results.run_transcripts import TranscriptReader
from evenhand.work.agent_run import AgentRun, CaseResult, RunId

MOST_CASES = 40
"""Cases whose scorecards and whole outputs are shown."""

MOST_REPEATS = 5
"""Runs of a case and variant whose scorecards are shown."""

BEGINNING = 2_000
"""Characters of an output that are shown."""


def stored_details(
    store: Store | None, results: Iterable[CaseResult], cases: list[str], folder: Path | None = None
) -> dict[RunId, StoredDetail]:
    """Scorecards, outputs and transcripts of the first cases and repeats, as far as they are there.

    `folder` has the kept runs; without it, they are where the store's runs are.
    """
    wanted = set(cases[:MOST_CASES])
    if folder is None and store is not None:
        folder = runs_folder(store.url)
    reader = TranscriptReader()
    details = {}
    for result in results:
        if result.id.case not in wanted or result.id.repeat > MOST_REPEATS:
            continue
        record = None if result.evaluation is None or store is None else store.find(result.evaluation, None)
        kept = _kept_run(folder, result.key)
        if record is not None or kept is not None:
            submission = None if record is None else submission_of(record)
            # Of a submission with a transcript the store has the hash alone.
            output = submission.output if submission is not None else None if kept is None else kept.output
            details[result.id] = StoredDetail(
                card=None if record is None else card_of(record),
                output=None if output is None else output[:BEGINNING],
                left_out=max(0, len(output or "") - BEGINNING),
                transcript=reader.shown(None if kept is None else kept.transcript),
            )
    return details


def stored_shortcomings(store: Store | None, result: CaseResult) -> list[str]:
    """Why a run does not pass, in words and with quotes; nothing when its scorecard is not stored."""
    record = None if result.evaluation is None or store is None else store.find(result.evaluation, None)
    return [] if record is None else shortcomings(card_of(record))


def shortcomings(card: Scorecard) -> list[str]:
    """Why an output does not pass: each unmet expectation, and below the pass mark the weakest dimension."""
    reasons = []
    for expected in () if card.checked is None else card.checked.expectations:
        if expected.result == "unmet":
            reasons.append(
                expected.line + (f" “{shortened_line(expected.quote, MOST_QUOTED)}”" if expected.quote else "")
            )
    if card.final is not None and card.final < card.pass_mark:
        reasons.append(
            "; ".join(filter(None, (f"{card.final} is below {card.pass_mark}", weakest(card, card.pass_mark))))
        )
    return reasons


def stored_benchmark(store: Store, run: SuiteRun, results: Iterable[CaseResult]) -> dict[str, Any]:
    """The run as skill-creator's `benchmark.json`, with each expectation from its stored scorecard.

    A run that did not finish, or of which nothing could be decided, is neither passed nor failed: it is in the notes.
    """
    rows, notes, numbers = [], [], dict[str, int]()
    for result in results:
        number = numbers.setdefault(result.id.case, len(numbers) + 1)
        where = f"{result.id.case}, {result.id.variant}, run {result.id.repeat}"
        record = None if result.evaluation is None else store.find(result.evaluation, None)
        if record is None:
            notes.append(f"{where}: left out: {result.reason or 'its scorecard is not stored'}")
        elif (row := suite_row(result, card_of(record), number)) is None:
            notes.append(f"{where}: left out, as none of its expectations could be decided")
        else:
            rows.append(row)
    return suite_benchmark(run, rows, notes)


def _kept_run(folder: Path | None, key: str) -> AgentRun | None:
    """A kept run, or None; a key that is not a hash comes from someone else's file and names no run."""
    if folder is None or not re.fullmatch("[0-9a-f]{64}", key):
        return None
    try:
        return read_run(folder / key)[0]
    except (OSError, DocumentError):
        return None
