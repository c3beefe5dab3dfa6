"""Criteria over a long table of verdicts, in SQL: one row for each evaluation and criterion in, the scores of each
evaluation out. Pure: criteria in, SQL text out; it runs nothing.

1. `packed(verdicts)`  one row for each evaluation, with all its verdicts in a few 64-bit integers, three bits each.
                       A GROUP BY over the long table, and the only pass over it.
2. `counted(source)`   each verdict as it counts, prerequisites considered.
3. `valued(source)`    the value of each node as a whole numerator and denominator, both for the low and the high end.
4. `scored(source)`    the score of each dimension with criteria, low and high, in hundredths; null if nothing applies.

Everything is computed in whole numbers. The largest that can occur is known beforehand from the points and weights; a
tree whose numbers would not fit into 128 bits is refused.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from math import lcm
from typing import NamedTuple

from evenhand.core.criteria import in_order_of_requirement
from evenhand.core.rubric import ANSWERS, CANNOT_TELL, DOES_NOT_APPLY, NO, PARTLY, YES, Criterion, Group, Tree
from evenhand.core.rules import HIGHEST, LOWEST
from evenhand.errors import InputError
from evenhand.tables.columns import PREFIX
from evenhand.tables.dialect import DUCKDB

_CODES = {YES: 1, NO: 2, PARTLY: 3, DOES_NOT_APPLY: 4, CANNOT_TELL: 5}
"""0 stands for a missing verdict, which counts as "cannot tell"."""
_UNMET, _UNMET_NOT_APPLYING = 6, 7
"""Not asked, because a prerequisite failed: it counts as no, or does not apply."""
_BITS, _EACH = 3, 21
"""How many bits a verdict takes, and how many verdicts a 64-bit integer holds, its sign bit unused."""
_WIDEST, _USUAL = 126, 62
"""The bits of the largest numbers that are computed with, and of those that fit into 64 bits."""

TWICE, STRANGE = f"{PREFIX}twice", f"{PREFIX}strange"
"""The columns that say what is wrong with the verdicts of an evaluation."""


class _Span(NamedTuple):
    """The columns of a node: its low and high numerator over one denominator, 0 where nothing in it applies."""

    low: str
    high: str
    whole: str
    largest: int
    """No numerator is larger, whatever the verdicts are; the sign aside."""
    widest: int
    """No denominator is larger."""


class CriteriaPlan:
    """The stages for the criteria of one rubric."""

    def __init__(self, trees: Mapping[str, Tree]) -> None:
        """InputError for trees whose exact values need more than 128 bits."""
        self.trees = trees
        self._criteria = [criterion for tree in trees.values() for criterion in tree.criteria()]
        self._place = {criterion.id: place for place, criterion in enumerate(self._criteria)}
        self._stages: list[list[str]] = []
        self._spans = {name: self._tree(name, tree) for name, tree in trees.items()}

    @property
    def words(self) -> int:
        """How many integers hold the verdicts of an evaluation."""
        return -(-len(self._criteria) // _EACH)

    def codes(self) -> Iterator[tuple[str, ...]]:
        """Every criterion with every answer, and what it adds to each integer, as the rows of a table in SQL."""
        for criterion in self._criteria:
            word, shift = divmod(self._place[criterion.id], _EACH)
            for answer in ANSWERS:
                code = _CODES[answer] << _BITS * shift
                yield criterion.id, answer, *(str(code if place == word else 0) for place in range(self.words))

    # --- 1 and 2: the verdicts ---------------------------------------------------------------------------

    def packed(self, verdicts: str, id: str = "id", criterion: str = "criterion", verdict: str = "verdict") -> str:
        """The verdicts of each evaluation, and what is wrong with them: an answer given twice, one that is unknown."""
        words = range(self.words)
        rows = ", ".join(
            f"({DUCKDB.text(name)}, {DUCKDB.text(answer)}, {', '.join(f'CAST({code} AS BIGINT)' for code in codes)})"
            for name, answer, *codes in self.codes()
        )
        names = ", ".join(f"{_code(word)}" for word in words)
        joined = (
            f"{_name('criterion')} = {DUCKDB.name_of(criterion)} AND {_name('verdict')} = {DUCKDB.name_of(verdict)}"
        )
        ors = ", ".join(f"COALESCE(BIT_OR({_code(word)}), 0) AS {_code(word)}" for word in words)
        return (
            f"SELECT {DUCKDB.name_of(id)} AS {_name('id')}, {ors}, COUNT(*) AS {_name('rows')}, "
            f"COUNT({_code(0)}) AS {_name('known')}\nFROM {verdicts}\nLEFT JOIN (VALUES {rows}) AS "
            f"{_name('codes')}({_name('criterion')}, {_name('verdict')}, {names}) ON {joined}\nGROUP BY 1"
        )

    def counted(self, source: str) -> str:
        """Each verdict by itself, then as it counts: those without prerequisites first."""
        given = [
            f"CAST(({_code(place // _EACH)} >> {_BITS * (place % _EACH)}) & 7 AS TINYINT) AS {_column(place)}"
            for place in range(len(self._criteria))
        ]
        kept = f"{_name('id')}, {_name('rows')}, {_name('known')}"
        query = f"SELECT {kept}, {', '.join(given)}\nFROM {source}"
        answered = " + ".join(f"({_column(place)} > 0)::INTEGER" for place in range(len(self._criteria)))
        query = f"SELECT *, {answered} AS {_name('answered')}\nFROM ({query})"
        for level in self._levels():
            changed = [f"{self._after_prerequisites(criterion)} AS {self._column(criterion.id)}" for criterion in level]
            query = f"SELECT * REPLACE ({', '.join(changed)})\nFROM ({query})"
        return query

    def _levels(self) -> Iterator[list[Criterion]]:
        """The criteria with prerequisites, in as few steps as their order allows."""
        by_id = {criterion.id: criterion for criterion in self._criteria}
        depth: dict[str, int] = {}
        for id in in_order_of_requirement(self._criteria):
            known = [depth[required_id] for required_id in by_id[id].requires if required_id in depth]
            depth[id] = 1 + max(known) if known else 0
        for level in range(1, max(depth.values(), default=0) + 1):
            yield [by_id[id] for id, at in depth.items() if at == level]

    def _after_prerequisites(self, criterion: Criterion) -> str:
        required = [self._column(required_id) for required_id in criterion.requires if required_id in self._place]
        failed = " OR ".join(f"{column} IN ({_CODES[NO]}, {_UNMET}, {_UNMET_NOT_APPLYING})" for column in required)
        open_ = " OR ".join(f"{column} IN (0, {_CODES[CANNOT_TELL]})" for column in required)
        unmet = _UNMET_NOT_APPLYING if criterion.unmet == DOES_NOT_APPLY else _UNMET
        own = self._column(criterion.id)
        cases = f"WHEN {failed} THEN {unmet} WHEN {open_} THEN {_CODES[CANNOT_TELL]} ELSE {own}"
        return f"CAST(CASE {cases} END AS TINYINT)"

    def _column(self, id: str) -> str:
        return _column(self._place[id])

    # --- 3: what they are worth --------------------------------------------------------------------------

    def valued(self, source: str) -> str:
        """The numerators and the denominator of every node, from the deepest to the dimensions."""
        for stage in self._stages:
            source = f"(SELECT *, {', '.join(stage)}\nFROM {source})"
        return f"SELECT * FROM {source}"

    def _tree(self, name: str, tree: Tree) -> _Span:
        return self._node(f"{name}", tree.children, tree.partly, 0)

    def _node(self, name: str, children: Sequence[Criterion | Group], partly: Fraction, depth: int) -> _Span:
        """The columns of a node; what computes them goes to the stage after that of its groups."""
        groups = [
            (child.weight, self._node(f"{name}_{place}", child.children, partly, depth + 1))
            for place, child in enumerate(children)
            if isinstance(child, Group)
        ]
        leaves = [child for child in children if isinstance(child, Criterion) and child.points]
        scale = lcm(*(weight.denominator for weight in _weights(children)))
        of_leaves = _Leaves(self, f"{name}_leaves", leaves, scale, partly)
        level = self._level_of(children)
        self._stage(2 * level).extend(of_leaves.columns())
        span = _Sums(name, of_leaves, [(int(weight * scale), span) for weight, span in groups if weight])
        if max(span.largest, span.widest).bit_length() > _WIDEST - 11:
            raise InputError(
                f"the criteria of {name.split('_')[0]} are nested too deeply, with too many different weights, to be "
                "scored exactly in a table; score them one by one with evenhand score"
            )
        self._stage(2 * level + 1).extend(span.columns())
        return _Span(*span.names, span.largest, span.widest)

    def _level_of(self, children: Iterable[Criterion | Group]) -> int:
        """How many groups are inside one another below a node."""
        return max((1 + self._level_of(child.children) for child in children if isinstance(child, Group)), default=0)

    def _stage(self, number: int) -> list[str]:
        while len(self._stages) <= number:
            self._stages.append([])
        return self._stages[number]

    # --- 4: the scores -----------------------------------------------------------------------------------

    def scored(self, source: str) -> str:
        """The scores, and beside them what is wrong with an evaluation's verdicts."""
        ends = [
            f"{_score(end, span)} AS {DUCKDB.name_of(f'{name}_{side}')}"
            for name, span in self._spans.items()
            for side, end in (("low", span.low), ("high", span.high))
        ]
        wrong = [
            f"{_name('rows')} - {_name('known')} AS {STRANGE}",
            f"{_name('known')} - {_name('answered')} AS {TWICE}",
        ]
        return f"SELECT {_name('id')} AS id, {', '.join([*ends, *wrong])}\nFROM {source}"

    def query(self, verdicts: str, id: str = "id", criterion: str = "criterion", verdict: str = "verdict") -> str:
        """All stages over a long table."""
        packed = f"({self.packed(verdicts, id, criterion, verdict)})"
        valued = f"({self.valued(f'({self.counted(packed)})')})"
        return self.scored(valued)


class _Leaves:
    """The criteria directly under a node: sums of weight times value, in whole numbers over `parts`."""

    def __init__(
        self, plan: CriteriaPlan, name: str, leaves: Sequence[Criterion], scale: int, partly: Fraction
    ) -> None:
        self._plan, self._leaves, self._scale, self._partly = plan, leaves, scale, partly
        self.parts = partly.denominator
        self.positive, self.negative = (
            [leaf for leaf in leaves if (leaf.points > 0) == above] for above in (True, False)
        )
        self.low, self.high, self.whole = (_name(f"{name}_{part}") for part in ("low", "high", "whole"))
        self.lost_low, self.lost_high, self.lost = (
            _name(f"{name}_{part}") for part in ("lost_low", "lost_high", "lost")
        )
        self.most = sum(self._weight(leaf) for leaf in self.positive)
        self.most_lost = sum(self._weight(leaf) for leaf in self.negative)

    def _weight(self, leaf: Criterion) -> int:
        return int(abs(leaf.points) * self._scale)

    def columns(self) -> Iterator[str]:
        """The six sums, except those that are always 0."""
        for leaves, names in (
            (self.positive, (self.low, self.high, self.whole)),
            (self.negative, (self.lost_low, self.lost_high, self.lost)),
        ):
            if leaves:
                yield from self._sums(leaves, names)

    def _sums(self, leaves: Sequence[Criterion], names: tuple[str, str, str]) -> Iterator[str]:
        """Three sums: as three fields of one integer where they fit, since one CASE is quicker than three."""
        most = self.parts * sum(map(self._weight, leaves))
        width = most.bit_length()
        if 3 * width > _USUAL:
            for place, name in enumerate(names):
                yield f"{self._sum(leaves, [int(place == n) for n in range(3)])} AS {name}"
            return
        packed = self._sum(leaves, [1, 1 << width, 1 << 2 * width])
        mask = (1 << width) - 1
        for place, name in enumerate(names):
            yield f"(({packed}) >> {place * width}) & {mask} AS {name}"

    def _sum(self, leaves: Sequence[Criterion], factors: list[int]) -> str:
        first, *others = (self._case(leaf, factors) for leaf in leaves)
        wide = "BIGINT" if (self.parts * sum(map(self._weight, leaves))).bit_length() <= _USUAL else "HUGEINT"
        return " + ".join([f"CAST({first} AS {wide})", *others])

    def _case(self, leaf: Criterion, factors: list[int]) -> str:
        """What a leaf adds: its low and its high value and 1 if it applies, times its weight."""
        weight, parts = self._weight(leaf), self.parts
        partly = int(self._partly * parts)
        worth = {
            YES: (parts, parts, 1),
            PARTLY: (partly, partly, 1),
            CANNOT_TELL: (0, parts, 1),
            NO: (0, 0, 1),
        }
        sums = {answer: sum(f * w * weight for f, w in zip(factors, of, strict=True)) for answer, of in worth.items()}
        cases = " ".join(f"WHEN {_CODES[answer]} THEN {value}" for answer, value in sums.items())
        missing = f"WHEN 0 THEN {sums[CANNOT_TELL]} WHEN {_UNMET} THEN {sums[NO]}"
        return f"CASE {self._plan._column(leaf.id)} {cases} {missing} ELSE 0 END"


class _Sums:
    """A node: its criteria and groups put over one denominator."""

    def __init__(self, name: str, leaves: _Leaves, groups: Sequence[tuple[int, _Span]]) -> None:
        self._leaves, self._groups = leaves, groups
        self.names = (_name(f"{name}_low"), _name(f"{name}_high"), _name(f"{name}_whole"))
        product = 1
        for _, span in groups:
            product *= span.widest
        self._type = "BIGINT"
        most_weight = leaves.most + sum(weight for weight, _ in groups)
        self.widest = max(most_weight * leaves.parts * product, leaves.most_lost * leaves.parts, 1)
        numerator = (leaves.most + leaves.most_lost) * leaves.parts * product
        for weight, span in groups:
            numerator += weight * span.largest * leaves.parts * (product // span.widest)
        self.largest = max(numerator, self.widest)
        if max(self.largest, self.widest).bit_length() > _USUAL - 11:
            self._type = "HUGEINT"

    def columns(self) -> Iterator[str]:
        low, high, whole = self.names
        leaves = self._leaves
        if not self._groups:
            yield from self._flat(low, high, whole)
            return
        # A group that does not apply has the denominator 0: it counts as 1 in the product, and its weight as 0.
        denominators = [f"GREATEST({self._wide(span.whole)}, 1)" for _, span in self._groups]
        product = " * ".join(denominators)
        weights = [f"CASE WHEN {span.whole} > 0 THEN {weight} ELSE 0 END" for weight, span in self._groups]
        sum_of_weights = " + ".join([*([leaves.whole] if leaves.positive else []), *weights])
        for end, own, lost in ((low, "low", leaves.lost_high), (high, "high", leaves.lost_low)):
            terms = []
            if leaves.positive:
                terms.append(f"{self._wide(getattr(leaves, own))} * {product}")
            if leaves.negative:
                terms.append(f"-{self._wide(lost)} * {product}")
            for place, (weight, span) in enumerate(self._groups):
                others = [each for at, each in enumerate(denominators) if at != place]
                value = f"CASE WHEN {span.whole} > 0 THEN {getattr(span, own)} ELSE 0 END"
                terms.append(" * ".join([self._wide(value), str(weight * leaves.parts), *others]))
            numerator = " + ".join(terms)
            if leaves.negative:  # with only negative criteria that apply: 1 less the share that was lost
                alone = f"{leaves.lost} * {leaves.parts} - {lost}"
                numerator = f"CASE WHEN {sum_of_weights} > 0 THEN {numerator} ELSE {alone} END"
            yield f"{numerator} AS {end}"
        denominator = f"{self._wide(f'({sum_of_weights})')} * {leaves.parts} * {product}"
        if leaves.negative:
            denominator = f"CASE WHEN {sum_of_weights} > 0 THEN {denominator} ELSE {leaves.lost} * {leaves.parts} END"
        yield f"{denominator} AS {whole}"

    def _flat(self, low: str, high: str, whole: str) -> Iterator[str]:
        leaves, parts = self._leaves, self._leaves.parts
        if not leaves.negative:
            if not leaves.positive:
                yield from (f"CAST(0 AS BIGINT) AS {name}" for name in (low, high, whole))
                return
            yield f"{leaves.low} AS {low}"
            yield f"{leaves.high} AS {high}"
            yield f"{leaves.whole} * {parts} AS {whole}"
            return
        alone = [f"{leaves.lost} * {parts} - {lost}" for lost in (leaves.lost_high, leaves.lost_low)]
        if not leaves.positive:
            yield from (f"{value} AS {name}" for value, name in zip(alone, (low, high), strict=True))
            yield f"{leaves.lost} * {parts} AS {whole}"
            return
        some = f"{leaves.whole} > 0"
        yield f"CASE WHEN {some} THEN {leaves.low} - {leaves.lost_high} ELSE {alone[0]} END AS {low}"
        yield f"CASE WHEN {some} THEN {leaves.high} - {leaves.lost_low} ELSE {alone[1]} END AS {high}"
        yield f"CASE WHEN {some} THEN {leaves.whole} ELSE {leaves.lost} END * {parts} AS {whole}"

    def _wide(self, value: str) -> str:
        return f"CAST({value} AS {self._type})"


def _score(numerator: str, span: _Span) -> str:
    """1 + 9 * value in hundredths, clipped first, halves up: floor((2 * (100 d + 900 n) + d) / 2 d)."""
    wide = "HUGEINT" if max(span.largest, span.widest).bit_length() > _USUAL - 11 else "BIGINT"
    n, d = f"CAST(LEAST(GREATEST({numerator}, 0), {span.whole}) AS {wide})", f"CAST({span.whole} AS {wide})"
    twice = f"2 * ({LOWEST} * {d} + {HIGHEST - LOWEST} * {n}) + {d}"
    return f"CASE WHEN {span.whole} > 0 THEN CAST(({twice}) // (2 * {d}) AS INTEGER) END"


def _weights(children: Iterable[Criterion | Group]) -> Iterator[Fraction]:
    for child in children:
        yield child.weight if isinstance(child, Group) else child.points


def _name(name: str) -> str:
    return f"{PREFIX}{name}"


def _code(word: int) -> str:
    return f"{PREFIX}word_{word}"


def _column(place: int) -> str:
    return f"{PREFIX}c{place}"
