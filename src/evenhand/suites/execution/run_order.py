"""Which runs a suite asks for, and in which order. Pure.

All first runs come before all second ones, and the variants of a case directly after one another, in an order that
rotates from case to case: a slow hour, or a run that is stopped early, hits all variants alike.
"""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterator, Sequence
from typing import NamedTuple

from evenhand.decisions.suite import Case, Suite, Variant
from evenhand.errors import InputError, unknown


class Shard(NamedTuple):
    """One of several parts of the cases, for several machines."""

    number: int
    """From 1."""
    of: int

    def holds(self, case: str) -> bool:
        """Whether a case is in this part; that depends on its id alone, so adding a case moves no other."""
        return int(hashlib.sha256(case.encode()).hexdigest(), 16) % self.of == self.number - 1


def read_shard(text: str) -> Shard:
    """A shard as the user writes it, such as 3/8."""
    number, slash, of = text.partition("/")
    if not (slash and number.isdecimal() and of.isdecimal() and 1 <= int(number) <= int(of)):
        raise InputError(f'the shard "{text}" is not K/N, such as 3/8 for the third of eight parts')
    return Shard(int(number), int(of))


def narrowed(
    suite: Suite, *, shard: Shard | None = None, only: Collection[str] = (), variants: Collection[str] = ()
) -> Suite:
    """The suite with some of its cases, by id or tag, and some of its variants. InputError for an unknown name."""
    cases = suite.cases
    if only:
        known = [case.id for case in cases] + [tag for case in cases for tag in case.tags]
        _refuse_unknown(only, known, "case or tag")
        cases = tuple(case for case in cases if case.id in only or set(case.tags) & set(only))
    if shard is not None:
        cases = tuple(case for case in cases if shard.holds(case.id))
    chosen = suite.variants
    if variants:
        _refuse_unknown(variants, [variant.name for variant in chosen], "variant")
        chosen = tuple(variant for variant in chosen if variant.name in variants)
    return suite._replace(cases=cases, variants=chosen)


def in_order(suite: Suite) -> Iterator[tuple[Case, Variant, int]]:
    """Every run of a suite."""
    for repeat in range(1, suite.repeats + 1):
        for place, case in enumerate(suite.cases):
            turn = (place + repeat - 1) % len(suite.variants)
            for variant in (*suite.variants[turn:], *suite.variants[:turn]):
                yield case, variant, repeat


def run_count(suite: Suite) -> int:
    """The number of runs of a suite."""
    return len(suite.cases) * len(suite.variants) * suite.repeats


def _refuse_unknown(names: Collection[str], known: Sequence[str], what: str) -> None:
    for name in names:
        if name not in known:
            raise InputError(unknown(what, name, sorted(set(known))))
