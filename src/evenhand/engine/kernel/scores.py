"""Stage 2 over arrays: composite, capped deductions, floor, capped bonuses, cap, grade (R2, R3, R9, R10)."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

from evenhand.core.methodology import BONUS_CAP, DEDUCTION_CAP, GRADES, HIGHEST, LOWEST, grade_of
from evenhand.core.model import Terms

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


def score(dimensions: Sequence[Array], deduction: Array, bonus: Array, terms: Terms) -> Scored:
    """Seven arrays of hundredths, and what flags and bonuses come to before their caps."""
    import numpy as np

    whole: Any = np.int32 if 2 * HIGHEST * terms.scale < 2**31 else np.int64
    weighted: Array = np.full(len(deduction), terms.scale, whole)
    for values, unit in zip(dimensions, terms.units, strict=True):
        weighted += values.astype(whole) * whole(2 * unit)
    composite = (weighted // whole(2 * terms.scale)).astype(np.int16)
    taken = np.minimum(deduction, DEDUCTION_CAP).astype(np.int16)
    given = np.minimum(bonus, BONUS_CAP).astype(np.int16)
    final = np.minimum(np.maximum(composite - taken, LOWEST) + given, HIGHEST)
    return Scored(composite, taken, given, final)


def points(hundredths: Array) -> pa.Array:
    """Hundredths as decimals with two places."""
    import numpy as np
    import pyarrow as pa

    words = np.zeros((len(hundredths), 2), np.int64)  # a decimal of 128 bits, of which ours need few
    words[:, 0] = hundredths
    return pa.Array.from_buffers(pa.decimal128(4, 2), len(hundredths), [None, pa.py_buffer(words)])


@lru_cache(maxsize=1)
def _grade_places() -> Array:
    """The place in `GRADES` of every final score."""
    import numpy as np

    below = [0] * LOWEST
    return np.array(below + [GRADES.index(grade_of(each)) for each in range(LOWEST, HIGHEST + 1)], np.int8)


def grades(final: Array) -> tuple[pa.Array, pa.Array]:
    """The letter and the label of each final score."""
    import pyarrow as pa

    place = pa.array(_grade_places()[final])
    letters, labels = [grade.letter for grade in GRADES], [grade.label for grade in GRADES]
    return tuple(pa.DictionaryArray.from_arrays(place, pa.array(words)) for words in (letters, labels))
