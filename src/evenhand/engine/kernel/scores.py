"""Stage 2 over arrays: composite, capped deductions, floor, capped bonuses, cap, grade (R2, R3, R9, R10)."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

from evenhand.core.basics.methodology import BONUS_CAP, DEDUCTION_CAP, GRADES, HIGHEST, LOWEST, grade_of
from evenhand.core.values.rubric import Terms
from evenhand.engine.kernel import compiled

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa

    Array = np.ndarray[Any, Any]


class Scored(NamedTuple):
    """The results of many rows, in hundredths."""

    composite: Array
    deduction: Array
    bonus: Array
    final: Array


def score(dimensions: Array, deduction: Array, bonus: Array, terms: Terms, into: Scored) -> None:
    """Score rows of hundredths, given the totals of flags and bonuses before their caps."""
    import numpy as np

    if compiled.loops:
        units = np.array(terms.units, np.int64)
        limits = (DEDUCTION_CAP, BONUS_CAP, LOWEST, HIGHEST)
        compiled.loops.weigh(dimensions, deduction, bonus, units, terms.scale, *limits, *into)
        return
    whole: Any = np.int32 if 2 * HIGHEST * terms.scale < 2**31 else np.int64
    weighted: Array = np.full(len(deduction), terms.scale, whole)
    for place, unit in enumerate(terms.units):
        weighted += dimensions[:, place].astype(whole) * whole(2 * unit)
    into.composite[:] = weighted // whole(2 * terms.scale)
    into.deduction[:] = np.minimum(deduction, DEDUCTION_CAP)
    into.bonus[:] = np.minimum(bonus, BONUS_CAP)
    into.final[:] = np.minimum(np.maximum(into.composite - into.deduction, LOWEST) + into.bonus, HIGHEST)


def points(hundredths: Array) -> pa.Array:
    """Hundredths as 128-bit decimals with two places."""
    import numpy as np
    import pyarrow as pa

    if compiled.loops:
        words = np.empty((len(hundredths), 2), np.int64)
        compiled.loops.decimals(hundredths, words)
    else:
        words = np.zeros((len(hundredths), 2), np.int64)
        words[:, 0] = hundredths
    return pa.Array.from_buffers(pa.decimal128(4, 2), len(hundredths), [None, pa.py_buffer(words)])


@lru_cache(maxsize=1)
def _grade_places() -> Array:
    """The place in `GRADES` of every final score."""
    import numpy as np

    below = [0] * LOWEST
    return np.array(below + [GRADES.index(grade_of(score)) for score in range(LOWEST, HIGHEST + 1)], np.int8)


def grades(final: Array) -> tuple[pa.Array, pa.Array]:
    """The letter and the label of each final score."""
    import pyarrow as pa

    place = pa.array(_grade_places()[final])
    letters, labels = [grade.letter for grade in GRADES], [grade.label for grade in GRADES]
    return tuple(pa.DictionaryArray.from_arrays(place, pa.array(words)) for words in (letters, labels))
