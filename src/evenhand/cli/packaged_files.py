"""The documentation and the examples: in the package once it is installed, beside it in a checkout."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

_PACKAGE = Path(__file__).parents[1]


def packaged_folder(name: Literal["docs", "examples"]) -> Path:
    """The folder of that name. A wheel has it inside the package (see pyproject.toml)."""
    inside = _PACKAGE / name
    return inside if inside.is_dir() else _PACKAGE.parents[1] / name
