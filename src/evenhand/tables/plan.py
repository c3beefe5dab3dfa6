"""The methodology as SQL over whole hundredths. Pure: terms and a layout in, SQL text out; it runs nothing.

A `Plan` gives one SELECT for each stage, over a relation that is named or written out in brackets. Chain
them, as `query` does, or let an engine do a stage in its own way:

1. `accepted(source)`   the rows that can be scored, every column kept, and beside them the scores in
                        `evenhand_correctness` and so on, the unique flags and bonuses as counts in
                        `evenhand_flags` and `evenhand_bonuses`, and their totals before the caps in
                        `evenhand_nominal_deduction` and `evenhand_nominal_bonus`.
                        `rejected(source)` gives the other rows: number and reason.
2. `scored(source)`     adds `evenhand_composite`, `_deduction`, `_bonus` and `_final`, all in hundredths.
3. `ranked(source)`     adds `rank`, over the whole table or within each value of the column `rank_by`.
4. `compared(source)`   adds `history`, `provisional`, and mean, deviation and flagged for each dimension.
5. `shown(source)`      the input's columns and the results: points as decimals, letters and labels.

Every number comes from `core.methodology` or from the terms. Sort keys and window sums are packed into few
64-bit integers, since engines sort and slide one integer much faster than ten columns.

The engine does two things first. It numbers the rows in the column `ROW`, which `rejected` reports and which breaks
the remaining ties in a history. And before stage 4 it removes the rows that repeat the id of an earlier row, which
`repeated` finds: an evaluation is in a window only once (R13).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from math import gcd

from evenhand.core.rubric import Terms
from evenhand.core.rules import (
    BONUS_CAP,
    DEDUCTION_CAP,
    DEVIATIONS,
    DIMENSIONS,
    GRADES,
    HIGHEST,
    LOWEST,
    POINT,
    TIE_BREAKS,
    WINDOW,
)
from evenhand.tables.acceptance import MOST, claimed, requirements
from evenhand.tables.columns import PREFIX, PROVISIONAL, RANK, SCORED, WINDOW_SIZE, Layout
from evenhand.tables.dialect import DUCKDB, Dialect

_ROOM = 62
"""How many bits of a 64-bit integer packing may fill, so that the sign bit stays clear."""


def inner(name: str) -> str:
    """The name of a column that exists only inside the query."""
    return PREFIX + name


ROW = inner("row")
"""The column that numbers the rows of the input from 1."""


class Plan:
    """The stages for one rubric and one table."""

    def __init__(self, terms: Terms, layout: Layout, dialect: Dialect = DUCKDB) -> None:
        self.terms, self.layout, self.sql = terms, layout, dialect
        self.whole = "INTEGER" if 2 * HIGHEST * terms.scale < 2**31 else "BIGINT"

    def query(self, source: str, columns: Sequence[str]) -> str:
        """The whole methodology as one SELECT over a table whose `columns` are passed through in this order."""
        stages = [("accepted", self.accepted)]
        stages += [("scored", self.scored)]
        stages += [("ranked", self.ranked)] if self.layout.rank else []
        stages += [("compared", self.compared)] if self.layout.history else []
        parts = []
        for name, stage in stages:
            parts.append(f"{inner(name)} AS (\n{stage(source)}\n)")
            source = inner(name)
        return f"WITH {', '.join(parts)}\n{self.shown(source, columns)}"

    # --- 1: what can be scored ---------------------------------------------------------------------------

    def accepted(self, source: str) -> str:
        """The rows that can be scored, with their numbers in whole hundredths."""
        roles = self.layout.roles
        added = [f"{self.sql.hundredths(roles[name], self.whole)} AS {inner(name)}" for name in DIMENSIONS]
        for role, count, nominal in (("red_flags", "flags", "deduction"), ("bonuses", "bonuses", "bonus")):
            claims = claimed(role, self.terms, self.layout, self.sql)
            added += [f"{claims.number} AS {inner(count)}", f"{claims.nominal} AS {inner(f'nominal_{nominal}')}"]
        return f"SELECT *{_lines(added)}\nFROM {source}\nWHERE {self.valid()}"

    def valid(self) -> str:
        """Whether a row can be scored; false or null when it cannot."""
        return "\n  AND ".join(requirement.test for requirement in requirements(self.terms, self.layout, self.sql))

    def rejected(self, source: str) -> str:
        """The rows that cannot be scored: their number, and every reason."""
        reasons = self.sql.joined(
            [
                f"CASE WHEN NOT COALESCE({requirement.test}, FALSE) THEN {requirement.complaint} END"
                for requirement in requirements(self.terms, self.layout, self.sql)
            ]
        )
        return f"SELECT {ROW} AS row, {reasons} AS reason\nFROM {source}\nWHERE NOT COALESCE({self.valid()}, FALSE)"

    def repeated(self, source: str) -> str:
        """The rows that repeat the id of an earlier row, with that row's number."""
        id = self.sql.name_of(self.layout.roles["id"].name)
        first = f"SELECT *, MIN({ROW}) OVER (PARTITION BY {id}) AS {inner('first')} FROM {source}"
        later = f"{id} IS NOT NULL AND {ROW} > {inner('first')}"
        return (
            f"SELECT {ROW} AS row, {id} AS id, {inner('first')} AS first\nFROM ({first}) {inner('ids')}\nWHERE {later}"
        )

    # --- 2: the score ------------------------------------------------------------------------------------

    def scored(self, source: str) -> str:
        """R2, R9, R10: the composite rounded once; deductions, floor, bonuses, cap."""
        deduction = self.sql.least(inner("nominal_deduction"), DEDUCTION_CAP)
        bonus = self.sql.least(inner("nominal_bonus"), BONUS_CAP)
        named = [(self._composite(), "composite"), (deduction, "deduction"), (bonus, "bonus")]
        summed = f"SELECT *{_lines([f'{expression} AS {inner(name)}' for expression, name in named])}\nFROM {source}"
        after = self.sql.greatest(f"{inner('composite')} - {inner('deduction')}", LOWEST)
        floored = f"SELECT *, {after} AS {inner('after')}\nFROM (\n{summed}\n) {inner('summed')}"
        final = self.sql.least(f"{inner('after')} + {inner('bonus')}", HIGHEST)
        return f"SELECT *, {final} AS {inner('final')}\nFROM (\n{floored}\n) {inner('floored')}"

    def _composite(self) -> str:
        """The weighted mean, half up; whole points times whole percents are exact, so there is no division."""
        double = 2 * self.terms.scale
        factors: dict[int, list[str]] = {}
        for name, unit in zip(DIMENSIONS, self.terms.units, strict=True):
            column = self.layout.roles[name]
            whole = column.kind == "integer"
            score = f"CAST({self.sql.name_of(column.name)} AS {self.whole})" if whole else inner(name)
            factors.setdefault(2 * unit * (POINT if whole else 1), []).append(score)
        if all(factor % double == 0 for factor in factors):
            return _weighted({factor // double: scores for factor, scores in factors.items()})
        return self.sql.divide(f"{_weighted(factors)} + {self.terms.scale}", double)

    # --- 3: the rank -------------------------------------------------------------------------------------

    def ranked(self, source: str) -> str:
        """R11, R12: the place of each row; equivalent rows share one."""
        order = ", ".join(f"{key} DESC" for key in self.sort_keys())
        group = self.layout.rank_by
        within = f"PARTITION BY {self.sql.name_of(group)} " if group is not None else ""
        return f"SELECT *, RANK() OVER ({within}ORDER BY {order}) AS {RANK}\nFROM {source}"

    def sort_keys(self) -> list[str]:
        """The sort keys of a rank, packed into as few integers as possible; higher is better in all of them."""
        fields = [(inner(name), HIGHEST) for name in ("final", *TIE_BREAKS)]
        most = max(MOST, len(self.terms.red_flags), len(self.terms.bonuses))
        fields += [(f"({most} - {inner('flags')})", most), (inner("bonuses"), most)]
        return [_packed(part) for part in _groups(fields)]

    # --- 4: the history ----------------------------------------------------------------------------------

    def compared(self, source: str) -> str:
        """R13 to R15: each row against the ten before it with the same skill, by time, then id."""
        sums = _groups([(inner(name), WINDOW * HIGHEST) for name in DIMENSIONS])
        squares = _groups([(f"{inner(name)} * {inner(name)}", WINDOW * HIGHEST**2) for name in DIMENSIONS])
        within = f"PARTITION BY {self.sql.name_of(self.layout.roles['skill'].name)} ORDER BY {self.history_order()}"
        over = inner("window")
        named = f"\nWINDOW {over} AS ({within} ROWS BETWEEN {WINDOW} PRECEDING AND 1 PRECEDING)"
        added = [f"COUNT(*) OVER {over} AS {WINDOW_SIZE}"]
        unpacked = []
        for letter, groups in (("s", sums), ("q", squares)):
            names = iter(DIMENSIONS)
            for place, fields in enumerate(groups):
                packed = inner(f"{letter}{place}")
                added.append(f"CAST(SUM({_packed(fields)}) OVER {over} AS BIGINT) AS {packed}")
                unpacked += list(self._unpacked(packed, letter, fields, names))
        slid = f"SELECT *{_lines(added)}\nFROM {source}{named}"
        whole = f"SELECT *{_lines(unpacked)}\nFROM (\n{slid}\n) {inner('slid')}"
        results = [f"{WINDOW_SIZE} BETWEEN 2 AND {WINDOW - 1} AS {PROVISIONAL}"]
        results += [column for name in DIMENSIONS for column in self._comparison(name)]
        return f"SELECT *{_lines(results)}\nFROM (\n{whole}\n) {inner('whole')}"

    def history_order(self) -> str:
        """R13: the time of completion, then the id as text, then the row's number."""
        order = [self.sql.time(self.layout.roles["created"])]
        if "id" in self.layout.roles:
            order.append(self.sql.id_order(self.layout.roles["id"]))
        return ", ".join([*order, ROW])

    def _unpacked(
        self, packed: str, letter: str, fields: Sequence[tuple[str, int]], names: Iterator[str]
    ) -> Iterator[str]:
        """The sums of single dimensions out of a packed one; the first field is the highest."""
        step = 2 ** _bits(fields)
        for place in reversed(range(len(fields))):
            high = self.sql.divide(packed, step**place) if place else packed
            total = high if place == len(fields) - 1 else self.sql.remainder(high, step)
            yield f"{total} AS {inner(f'{letter}_{next(names)}')}"

    def _comparison(self, name: str) -> Iterator[str]:
        """R14, in whole numbers: (n - 1) (n x - S)^2 > 4 n (n Q - S^2); null for n = 0, no flag for n = 1."""
        n, total, squares, score = f"CAST({WINDOW_SIZE} AS BIGINT)", inner(f"s_{name}"), inner(f"q_{name}"), inner(name)
        spread = f"({n} * {squares} - {total} * {total})"
        off = f"({n} * {score} - {total})"
        real = self.sql.real
        yield f"CASE WHEN {WINDOW_SIZE} > 0 THEN {real(total)} / {WINDOW_SIZE} / {POINT} END AS {name}_mean"
        root = f"SQRT({real(spread)} / {real(f'({n} * ({n} - 1))')}) / {POINT}"
        yield f"CASE WHEN {WINDOW_SIZE} > 1 THEN {root} END AS {name}_deviation"
        flagged = f"({n} - 1) * {off} * {off} > {DEVIATIONS**2} * {n} * {spread}"
        yield f"CASE WHEN {WINDOW_SIZE} > 1 THEN {flagged} WHEN {WINDOW_SIZE} = 1 THEN FALSE END AS {name}_flagged"

    # --- 5: what is shown --------------------------------------------------------------------------------

    def shown(self, source: str, columns: Sequence[str]) -> str:
        """The input's columns, then the results in the order of `Layout.results`."""
        points = [f"{self.sql.points(inner(name))} AS {name}" for name in ("composite", "deduction", "bonus", "final")]
        letters = [f"{self._by_grade([grade.letter for grade in GRADES])} AS grade"]
        labels = [f"{self._by_grade([grade.label for grade in GRADES])} AS label"]
        rest = [name for name in self.layout.results if name not in SCORED]
        listed = [*map(self.sql.name_of, columns), *points, *letters, *labels, *rest]
        return f"SELECT{_lines(listed)[1:]}\nFROM {source}"

    def _by_grade(self, words: Sequence[str]) -> str:
        """R3: the first grade whose lower bound the final score reaches."""
        *cases, last = zip(GRADES, words, strict=True)
        whens = " ".join(f"WHEN {inner('final')} >= {grade.lower} THEN {self.sql.text(word)}" for grade, word in cases)
        return f"CASE {whens} ELSE {self.sql.text(last[1])} END"


def _lines(columns: Sequence[str]) -> str:
    """Further columns, one per line."""
    return "".join(f",\n  {column}" for column in columns)


def _weighted(factors: Mapping[int, Sequence[str]]) -> str:
    """A sum of products, with common factors pulled out to save multiplications."""
    common = gcd(*factors)
    return _times(common, [_times(factor // common, values) for factor, values in factors.items()])


def _times(factor: int, values: Sequence[str]) -> str:
    summed = f"({' + '.join(values)})" if len(values) > 1 else values[0]
    return summed if factor == 1 else f"{factor} * {summed}"


def _bits(fields: Sequence[tuple[str, int]]) -> int:
    return max(most for _, most in fields).bit_length()


def _groups(fields: Sequence[tuple[str, int]]) -> list[list[tuple[str, int]]]:
    """Fields with their maximum, in groups that each fit into one integer when packed."""
    size = _ROOM // _bits(fields)
    return [list(fields[start : start + size]) for start in range(0, len(fields), size)]


def _packed(fields: Sequence[tuple[str, int]]) -> str:
    """Several small numbers packed into one, the first one highest."""
    step = 2 ** _bits(fields)
    last = len(fields) - 1
    return " + ".join(f"CAST({field} AS BIGINT) * {step ** (last - place)}" for place, (field, _) in enumerate(fields))
