"""What contracts share: the command in process, and golden files."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from contract.doors import Ran, run_here


@pytest.fixture
def command(tmp_path: Path) -> Callable[..., Ran]:
    """Run `evenhand` in process, in an empty folder unless another is named."""
    return partial(run_here, cwd=tmp_path)
