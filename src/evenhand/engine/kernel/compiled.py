"""The loops over rows in C, if they could be built; if not, `loops` is None and array operations do the same work."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np

loops: Any
try:
    from evenhand.engine.kernel import _loops as loops  # type: ignore[attr-defined, no-redef]
except ImportError:
    loops = None


def kind_of(values: np.ndarray[Any, Any]) -> str:
    """The type of an array's numbers, in the notation of the loops: i4, u8, f8."""
    return f"{values.dtype.kind}{values.dtype.itemsize}"
