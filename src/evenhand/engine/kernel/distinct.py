"""Numbers distinct values, for columns where only equality matters."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from evenhand.engine.kernel import compiled
from evenhand.engine.kernel.normal import encoded

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa

    Array = np.ndarray[Any, Any]


_NO_NUMBER = object()


class Names:
    """Numbers the values of a column that arrives in batches, from 0 in order of appearance; null is a value too."""

    def __init__(self) -> None:
        self._values: dict[Any, int] = {}
        self._hashes = _Hashes()

    def codes(self, column: pa.Array) -> Array:
        """The number of every row's value."""
        import numpy as np
        import pyarrow as pa

        if column.type == pa.uint64() and compiled.loops:
            numbers = self._hashes.codes(column.fill_null(0).to_numpy())
            return (
                np.where(column.is_null().to_numpy(zero_copy_only=False), -1, numbers) if column.null_count else numbers
            )
        distinct, places = encoded(column)
        # NaN is not equal to itself, so all NaNs share one key.
        keys = [_NO_NUMBER if value != value else value for value in distinct]
        codes = [self._values.setdefault(key, len(self._values)) for key in keys]
        return np.asarray(np.array(codes or [0], np.int32)[places])


class _Hashes:
    """The numbers of hashes, in a table that grows."""

    def __init__(self) -> None:
        self._known = 0
        self._make_table(1 << 12)

    def _make_table(self, places: int) -> None:
        import numpy as np

        self._slots, self._numbers = np.zeros(places, np.uint64), np.full(places, -1, np.int32)

    def codes(self, hashes: Array) -> Array:
        import numpy as np

        codes = np.empty(len(hashes), np.int32)
        done = 0
        while True:
            coded, self._known = compiled.loops.codes(
                hashes[done:], self._slots, self._numbers, self._known, codes[done:]
            )
            done += coded
            if done == len(hashes):
                return codes
            self._grow()

    def _grow(self) -> None:
        import numpy as np

        taken = self._numbers >= 0
        known = self._slots[taken][np.argsort(self._numbers[taken])]
        self._make_table(4 * len(self._slots))
        compiled.loops.codes(known, self._slots, self._numbers, 0, np.empty(len(known), np.int32))
