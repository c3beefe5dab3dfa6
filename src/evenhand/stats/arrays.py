"""NumPy and SciPy, which only those who measure judges need: the extra `trust`."""

from __future__ import annotations

from importlib import import_module
from typing import Any, TypeAlias

from evenhand.errors import InputError

Array: TypeAlias = Any
"""A NumPy array; NumPy's own types do not describe shapes, and importing them would load NumPy."""


def require_arrays(what: str) -> None:
    """InputError, naming what to install, where NumPy or SciPy is missing."""
    missing = []
    for name in ("numpy", "scipy"):
        try:
            import_module(name)
        except ImportError:
            missing.append(name)
    if missing:
        raise InputError(f"{what} needs {' and '.join(missing)}; install with: pip install 'evenhand[trust]'")
