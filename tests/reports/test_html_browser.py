"""Every page opened in a real browser: nothing runs, nothing leaves, no barrier, in light and dark, narrow and wide."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from browser import SCHEMES, WIDTHS

pytestmark = pytest.mark.slow

ATTACK = "<!doctype html><html lang=en><title>attack</title><main><h1>attack</h1>{}</main>"


@pytest.mark.parametrize(
    ("attack", "noticed"),
    [
        ("<script>document.title = 'ran'</script>", "scripts ran"),
        ("<img src=x alt=x onerror=\"document.title='ran'\">", "scripts ran|requests left|errors"),
        ("<script>alert(1)</script>", "scripts ran"),
        ("<link rel=stylesheet href=https://example.com/x.css>", "requests left"),
        ("<iframe title=x src=https://example.com/></iframe>", "requests left"),
        ("<style>@import url(https://example.com/x.css)</style>", "requests left"),
    ],
)
def test_the_browser_notices_what_a_page_must_not_do(browser: Any, tmp_path: Path, attack: str, noticed: str):
    """Otherwise the tests of our pages would prove nothing."""
    page = tmp_path / "page.html"
    page.write_text(ATTACK.format(attack), encoding="utf-8")
    with browser.open(page) as opened, pytest.raises(AssertionError, match=noticed):
        opened.check()


def test_the_browser_notices_barriers_and_pages_that_are_too_wide(browser: Any, tmp_path: Path):
    """Grey on white, and a line that does not wrap."""
    page = tmp_path / "page.html"
    page.write_text(ATTACK.format(f"<p style='color:#ccc;white-space:nowrap'>{'word ' * 100}</p>"), encoding="utf-8")
    with browser.open(page, width=360) as opened:
        opened.check()
        with pytest.raises(AssertionError, match="color-contrast"):
            opened.check_barriers()
        with pytest.raises(AssertionError, match="pixels wide"):
            opened.check_width()


def test_a_plain_page_passes(browser: Any, tmp_path: Path):
    """In every scheme and width."""
    page = tmp_path / "page.html"
    page.write_text(ATTACK.format("<p>Fine.</p>"), encoding="utf-8")
    with browser.open(page) as opened:
        for scheme in SCHEMES:
            for width in WIDTHS:
                opened.look(width, scheme)
                opened.check_width()
                opened.check_barriers()
        opened.check()
