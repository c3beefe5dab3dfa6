"""What is kept of a table that comes in batches: each column in one array, which is made large enough at once."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from evenhand.engine.kernel.normal import Encoded

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa

    Array = np.ndarray[Any, Any]

_LEAST = 1 << 16
"""Rows for which room is made at first, when nobody says how many will come."""


class Kept:
    """Columns that grow."""

    def __init__(self, rows: int = 0) -> None:
        self._expected = rows or _LEAST
        self._arrays: dict[str, Array] = {}
        self._filled: dict[str, int] = {}
        self._codes: dict[str, dict[Any, int]] = {}
        self._ids: list[Any] = []

    def add(self, columns: dict[str, Any]) -> None:
        """Add a batch: arrays as they are, names as a code for each distinct one, ids as Arrow has them."""
        for name, values in columns.items():
            if name == "id":
                self._ids.append(values)
            else:
                self._append(name, self._coded(name, values) if isinstance(values, Encoded) else values)

    def _append(self, name: str, values: Array) -> None:
        import numpy as np

        filled = self._filled.get(name, 0)
        stop = filled + len(values)
        array = self._arrays.get(name)
        if array is None or stop > len(array):
            larger = np.empty((max(self._expected, stop, 2 * filled), *values.shape[1:]), values.dtype)
            if array is not None:
                larger[:filled] = array[:filled]
            array = self._arrays[name] = larger
        array[filled:stop] = values
        self._filled[name] = stop

    def _coded(self, name: str, values: Encoded) -> Array:
        """One code for one value in all batches; null is a value like others."""
        import numpy as np

        codes = self._codes.setdefault(name, {})
        places = [codes.setdefault(value, len(codes)) for value in values.distinct]
        return np.array(places or [0], np.int32)[values.places]

    def columns(self) -> dict[str, Array]:
        """Every column, whole; the ids aside."""
        return {name: array[: self._filled[name]] for name, array in self._arrays.items()}

    def ids(self) -> pa.ChunkedArray:
        """The ids, which are not kept any longer."""
        import pyarrow as pa

        ids, self._ids = self._ids, []
        return pa.chunked_array(ids)
