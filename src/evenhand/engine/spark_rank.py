"""The rank of every row of a distributed table, without ever moving all rows to one place (R11, R12).

A window over the whole table would be one task for all of it. Instead the range of keys is cut into parts of
about equal size. The rows of each part are counted, which is all that one part needs to know about the others.
Within a part, the distinct keys are sorted and their counts added up, and each row looks up its key.
Equivalent rows have the same key, and so share a rank.
"""

from __future__ import annotations

from itertools import accumulate
from typing import TYPE_CHECKING

from evenhand.engine.columns import RANK
from evenhand.engine.plan import Plan, inner

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

MOST_PARTS = 512


def with_rank(session: SparkSession, scored: DataFrame, plan: Plan, view: str) -> DataFrame:
    """The scored rows with their rank; `view` is a name that may be used for temporary views."""
    scored.createOrReplaceTempView(view)
    if plan.layout.rank_by is not None:
        return session.sql(plan.ranked(view))
    names = [inner(f"key{place}") for place in range(len(plan.sort_keys()))]
    keyed = ", ".join(f"{key} AS {name}" for key, name in zip(plan.sort_keys(), names, strict=True))
    session.sql(f"SELECT *, {keyed} FROM {view}").createOrReplaceTempView(f"{view}_keyed")
    part = _part(names[0], _bounds(session, f"{view}_keyed", names[0]))
    better = _better(session, f"{view}_keyed", part)
    listed = ", ".join(names)
    counted = f"SELECT {listed}, COUNT(*) AS {inner('n')} FROM {view}_keyed GROUP BY {listed}"
    order = ", ".join(f"{name} DESC" for name in names)
    before = (
        f"COALESCE(SUM({inner('n')}) OVER (PARTITION BY {part} ORDER BY {order} "
        "ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), 0)"
    )
    places = f"SELECT {listed}, 1 + get(array({better}), {part}) + {before} AS {RANK} FROM ({counted})"
    return session.sql(f"SELECT * FROM {view}_keyed JOIN ({places}) USING ({listed})").drop(*names)


def _bounds(session: SparkSession, keyed: str, key: str) -> list[int]:
    """Keys that cut the range into parts of about equal size. They need not be exact: any cut gives the same ranks."""
    parts = min(int(session.conf.get("spark.sql.shuffle.partitions") or MOST_PARTS), MOST_PARTS)
    shares = ", ".join(f"{place / parts:.6f}D" for place in range(1, parts))
    if not shares:
        return []
    row = session.sql(f"SELECT percentile_approx({key}, array({shares}), 10000) FROM {keyed}").first()
    return sorted(set(row[0])) if row and row[0] else []


def _part(key: str, bounds: list[int], first: int = 0) -> str:
    """The number of bounds that a key reaches, by binary search."""
    if not bounds:
        return str(first)
    middle = len(bounds) // 2
    below = _part(key, bounds[:middle], first)
    above = _part(key, bounds[middle + 1 :], first + middle + 1)
    return f"CASE WHEN {key} < {bounds[middle]}L THEN {below} ELSE {above} END"


def _better(session: SparkSession, keyed: str, part: str) -> str:
    """For each part, the number of rows in better parts."""
    rows = session.sql(f"SELECT {part} AS part, COUNT(*) AS n FROM {keyed} GROUP BY ALL").collect()
    counts = {row["part"]: row["n"] for row in rows}
    sizes = [counts.get(place, 0) for place in range(max(counts, default=0) + 1)]
    better = [0, *accumulate(reversed(sizes[1:]))]
    return ", ".join(f"{count}L" for count in reversed(better))
