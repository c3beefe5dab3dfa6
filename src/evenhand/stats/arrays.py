"""NumPy and SciPy, which only those who measure judges need: the extra `trust`."""

from __future__ import annotations

from importlib.util import find_spec
from typing import TYPE_CHECKING, TypeAlias

from evenhand.errors import InputError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Array: TypeAlias = NDArray[np.float64]


def require_arrays(what: str) -> None:
    """InputError, naming what to install, where NumPy or SciPy is missing."""
    missing = [name for name in ("numpy", "scipy") if find_spec(name) is None]
    if missing:
        raise InputError(f"{what} needs {' and '.join(missing)}; install with: pip install 'evenhand[trust]'")
