"""Whole pages on whether a judge can be trusted, in `pages/`; see `contract/pages.py`."""

from __future__ import annotations

from pathlib import Path

import pytest

from contract.pages import check_page, pages_of

HERE = Path(__file__).parent


@pytest.mark.parametrize("page", pages_of(HERE))
def test_a_page(page: str, tmp_path: Path):
    """The commands of one folder, in their order."""
    check_page(HERE, page, tmp_path)
