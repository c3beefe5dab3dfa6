"""How long criteria over a long table take, beside DuckDB's own GROUP BY over the same rows; and whether both agree.

100,000 evaluations with 30 criteria each, three million rows of evaluation, criterion and verdict. The GROUP BY is what
someone would write by hand for a flat list of criteria without prerequisites: the points joined, sums of what counts,
one score. The plan also does prerequisites, groups, negative points and intervals; it is timed with a flat list, whose
scores must be the same as the GROUP BY's, and with a tree that has all of these.

Both run in turn, and the fastest run of each counts: by the clock, and in processor time, which other programs on the
machine disturb less.

python benchmarks/criteria_table.py [EVALUATIONS]
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from fractions import Fraction
from typing import Any, NamedTuple

import duckdb

from evenhand.core.criteria import counted_answers, score_of, tree_value
from evenhand.core.rubric import Criterion, Group, Tree
from evenhand.tables.criteria_plan import CriteriaPlan

EVALUATIONS, CRITERIA, ROUNDS, LOOKED_AT = 100_000, 30, 5, 200
FLAT = Tree(tuple(Criterion(f"criterion-{n}", "", Fraction(1 + n % 5)) for n in range(CRITERIA)))
OWN = """
SELECT id,
  CASE WHEN whole > 0 THEN (2 * (200 * whole + 900 * got) + 2 * whole) // (4 * whole) END AS low,
  CASE WHEN whole > 0 THEN (2 * (200 * whole + 900 * most) + 2 * whole) // (4 * whole) END AS high
FROM (
  SELECT id,
    sum(CASE verdict WHEN 'yes' THEN 2 * points WHEN 'partly' THEN points ELSE 0 END)::BIGINT AS got,
    sum(CASE verdict WHEN 'yes' THEN 2 * points WHEN 'cannot tell' THEN 2 * points WHEN 'partly' THEN points ELSE 0 END
       )::BIGINT AS most,
    sum(CASE WHEN verdict <> 'does not apply' THEN points ELSE 0 END)::BIGINT AS whole
  FROM verdicts JOIN points USING (criterion)
  GROUP BY id
)
"""
"""1 + 9 * got / (2 * whole) in hundredths, halves up."""


def nested() -> Tree:
    """Five groups of six: every sixth criterion takes points away, every third requires the one before it."""
    groups = []
    for group in range(5):
        leaves = []
        for place in range(6):
            n = 6 * group + place
            requires = (f"criterion-{n - 1}",) if place % 3 == 2 else ()
            points = Fraction(1 + n % 5) if place != 5 else Fraction(-2)
            leaves.append(Criterion(f"criterion-{n}", "", points, requires))
        groups.append(Group(f"group-{group}", "", Fraction(1 + group), tuple(leaves)))
    return Tree(tuple(groups))


class Timed(NamedTuple):
    """The fastest of several runs, in seconds."""

    clock: float
    processor: float


def make(connection: Any, evaluations: int) -> None:
    """The long table, the same on every run."""
    answers = "['yes', 'no', 'partly', 'does not apply', 'cannot tell']"
    connection.execute(
        f"CREATE TABLE verdicts AS SELECT 'run-' || lpad(CAST(n // {CRITERIA} AS VARCHAR), 8, '0') AS id, "
        f"'criterion-' || (n % {CRITERIA}) AS criterion, {answers}[1 + CAST(hash(n) % 5 AS INTEGER)] AS verdict "
        f"FROM range({evaluations * CRITERIA}) numbers(n)"
    )
    connection.execute("CREATE TABLE points (criterion VARCHAR, points BIGINT)")
    rows = [(criterion.id, int(criterion.points)) for criterion in FLAT.criteria()]
    connection.executemany("INSERT INTO points VALUES (?, ?)", rows)


def timed(run: Callable[[], object]) -> Timed:
    """One run."""
    clock, processor = time.perf_counter(), time.process_time()
    run()
    return Timed(time.perf_counter() - clock, time.process_time() - processor)


def fastest(queries: dict[str, str], connection: Any) -> dict[str, Timed]:
    """Each query several times, in turn, its result kept in the engine."""
    best: dict[str, Timed] = {}
    for _ in range(ROUNDS):
        for name, query in queries.items():
            found = timed(lambda query=query: connection.execute(f"CREATE OR REPLACE TEMP TABLE result AS {query}"))  # type: ignore[misc]
            known = best.get(name, found)
            best[name] = Timed(min(found.clock, known.clock), min(found.processor, known.processor))
    return best


def differences(connection: Any, plan: str) -> int:
    """The evaluations whose scores differ between the plan for a flat list and the GROUP BY."""
    query = (
        f"SELECT count(*) FROM ({plan}) a FULL JOIN ({OWN}) b USING (id) "
        "WHERE correctness_low IS DISTINCT FROM low OR correctness_high IS DISTINCT FROM high"
    )
    return int(connection.execute(query).fetchall()[0][0])


def one_by_one(connection: Any, plan: str, tree: Tree) -> int:
    """The evaluations among some whose scores differ from those of scoring them one by one."""
    ids = f"SELECT DISTINCT id FROM verdicts ORDER BY id LIMIT {LOOKED_AT}"
    rows = connection.execute(f"SELECT id, criterion, verdict FROM verdicts WHERE id IN ({ids})").fetchall()
    given: dict[str, dict[str, Any]] = {}
    for id, criterion, verdict in rows:
        given.setdefault(id, {})[criterion] = verdict
    scores = connection.execute(
        f"SELECT id, correctness_low, correctness_high FROM ({plan}) WHERE id IN ({ids})"
    ).fetchall()
    wrong = 0
    for id, low, high in scores:
        value = tree_value(tree, counted_answers(tree.criteria(), given[id]))
        expected = (None, None) if value is None else tuple(int(100 * score_of(end)) for end in value)
        wrong += (low, high) != expected
    return wrong + abs(len(scores) - len(given))


def main(evaluations: int = EVALUATIONS) -> None:
    """Print times, ratios and differences."""
    connection = duckdb.connect()
    make(connection, evaluations)
    flat, tree = (CriteriaPlan({"correctness": tree}).query("verdicts") for tree in (FLAT, nested()))
    best = fastest({"own GROUP BY": OWN, "a flat list": flat, "a tree": tree}, connection)
    print(f"{evaluations:,} evaluations with {CRITERIA} criteria, fastest of {ROUNDS} runs")
    own = best["own GROUP BY"]
    for name, found in best.items():
        ratio = (
            f"{found.clock / own.clock:.2f} times by the clock, {found.processor / own.processor:.2f} in processor time"
        )
        print(f"{name:>14}: {found.clock:6.3f} s, {found.processor:6.3f} s of processor time; {ratio}")
    print(f"scores that differ from the GROUP BY's, flat list: {differences(connection, flat)} of {evaluations:,}")
    wrong = one_by_one(connection, tree, nested())
    print(f"scores that differ from scoring one by one, tree: {wrong} of {LOOKED_AT}")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:2]))
