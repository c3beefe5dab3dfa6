"""The results of shards as one run. What they hold goes through a database without a name, not through memory."""

from __future__ import annotations

import hashlib
import json
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing

from evenhand.core.receipt import canonical_text
from evenhand.decisions.preference import PairResult, Preferences
from evenhand.decisions.suite_run import SuiteRun, result_from
from evenhand.errors import InputError, Unavailable
from evenhand.suites.judgement.run_notes import WatchNotes, is_summary
from evenhand.suites.results.suite_results import StoredResults, result_line, results_text
from evenhand.work.agent_run import CaseResult

_SHARED = ("suite", "sha256", "variants", "reference", "repeats", "cases", "judges", "gate", "skill")
"""What the shards of one run have in common."""

_TABLE = """CREATE TABLE results
    (name BLOB, variant BLOB, repeat INTEGER, line TEXT, PRIMARY KEY (name, variant, repeat)) WITHOUT ROWID"""
_MEMORY = "PRAGMA cache_size = -2000"
"""Two megabytes."""


def merge_results(parts: Sequence[StoredResults]) -> StoredResults:
    """The results of shards as one run, whatever the order of the parts.

    InputError for parts of different suites, and for two different results of the same run; equal ones count once.
    """
    heads = [part.run for part in parts]
    first = min(heads, key=lambda run: (run.created, run.id))
    _check_heads(first, heads)
    merged = MergedResults(result for part in parts for result in part.results)
    watched = WatchNotes()
    for result in merged:
        watched.add(result)
    notes = {note for run in heads for note in run.notes if not is_summary(note)}
    pairs = merge_pairs([run.pairs for run in heads if run.pairs is not None])
    head = first._replace(id="", notes=(*sorted(notes), *watched.lines()), pairs=pairs)
    digest = hashlib.sha256()
    for line in results_text(head, merged):
        digest.update(line.encode())
    return StoredResults(head._replace(id=f"merged-{digest.hexdigest()[:24]}"), merged)


def _check_heads(first: SuiteRun, heads: Iterable[SuiteRun]) -> None:
    for run in heads:
        if run.stops_early:
            raise InputError("runs that stop early are not merged: where one stops depends on its own results alone")
        for field in _SHARED:
            if getattr(run, field) != getattr(first, field):
                raise InputError(
                    f"the runs {first.id} and {run.id} do not belong together: {field} is "
                    f"{getattr(first, field)} in one and {getattr(run, field)} in the other"
                )


def merge_pairs(parts: Sequence[Preferences]) -> Preferences | None:
    """What judges of all shards preferred; a case is in one shard, and what two of them share counts once."""
    if not parts:
        return None
    systems = sorted({part.systems for part in parts}, key=lambda names: (-len(names), names))[0]
    results: dict[tuple[str, str, str], PairResult] = {}
    for result in sorted((result for part in parts for result in part.results), key=repr):
        key = (result.item, result.a, result.b)
        if results.setdefault(key, result).outcome != result.outcome:
            raise InputError(
                f"{result.a} and {result.b} were compared on case {result.item} with different outcomes; "
                "merge the shards of one run only"
            )
    judges = {canonical_text(dict(identity)): identity for part in parts for identity in part.judges}
    rubrics = {name: digest for part in parts for name, digest in part.rubrics.items()}
    return Preferences(
        systems=systems,
        results=tuple(results[key] for key in sorted(results)),
        judges=tuple(judges[text] for text in sorted(judges)),
        rubrics=dict(sorted(rubrics.items())),
        unmatched=tuple(sorted({entry for part in parts for entry in part.unmatched})),
        failures=tuple(sorted({failure for part in parts for failure in part.failures})),
        left_out=sum(part.left_out for part in parts),
    )


class MergedResults:
    """Results sorted by case, variant and repeat, each once; go through them as often as needed."""

    def __init__(self, results: Iterable[CaseResult]) -> None:
        """InputError for two different results of the same run."""
        self._database = sqlite3.connect("", isolation_level=None)  # in a file that is gone with the process
        for statement in (_MEMORY, "PRAGMA journal_mode = OFF", _TABLE, "BEGIN"):
            self._database.execute(statement)
        try:
            for result in results:
                self._add(result)
        except sqlite3.Error as error:
            raise Unavailable(f"results cannot be merged: {error}") from None

    def _add(self, result: CaseResult) -> None:
        case, variant, repeat = result.id
        key = (_bytes(case), _bytes(variant), repeat)
        line = result_line(result)
        if self._database.execute("INSERT OR IGNORE INTO results VALUES (?, ?, ?, ?)", (*key, line)).rowcount:
            return
        where = "WHERE name = ? AND variant = ? AND repeat = ?"
        (known,) = self._database.execute(f"SELECT line FROM results {where}", key).fetchone()
        if known == line:
            return
        if result_from(json.loads(known)) != result:
            raise InputError(
                f"two different results of case {case}, variant {variant}, repeat {repeat}; "
                "merge the shards of one run only"
            )
        # The same numbers written in two ways, as 1 and 1.0: which is kept must not depend on the order.
        self._database.execute(f"UPDATE results SET line = ? {where}", (min(known, line), *key))

    def __iter__(self) -> Iterator[CaseResult]:
        with closing(self._database.cursor()) as rows:
            for (line,) in rows.execute("SELECT line FROM results ORDER BY name, variant, repeat"):
                yield result_from(json.loads(line))


def _bytes(name: str) -> bytes:
    """A name that sorts as its characters do."""
    return name.encode(errors="surrogatepass")
