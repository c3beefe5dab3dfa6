"""Take the pictures of pages in docs/images, in a real browser.

python scripts/page_pictures.py            take those whose page has changed; needs Chromium and Playwright
python scripts/page_pictures.py --check    exit 1 if any page has changed since; needs neither

Two browsers draw the same page a little differently, so no picture is compared: the hash of its page is kept beside it.
"""

from __future__ import annotations

import re
import shutil
import sys
import tempfile
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from evenhand._version import __version__
from evenhand.web.static_files import static_files
from pictured_pages import dashboard_page, report_page, review_page, skill_page
from pictured_suite import suite_run_page

if TYPE_CHECKING:
    from playwright.sync_api import Browser

IMAGES = Path(__file__).parents[1] / "docs" / "images"
ADDRESS = re.compile(r"/static/(\w+)-[0-9a-f]+(\.\w+)")
"""A file of the dashboard, with the hash of its content: a change of style alone needs no new picture."""


class Picture(NamedTuple):
    """A page, and what of it the picture shows."""

    page: Callable[[], str]
    height: int = 900
    fragment: str = ""
    """The part of the page that is in view."""
    focused: str = ""
    """The element that has the focus."""
    opened: str = ""
    """The folded parts that are open."""


PICTURES = {
    "report": Picture(report_page, fragment="#quote-16"),
    "dashboard": Picture(dashboard_page, height=480),
    "skill": Picture(skill_page, height=1080),
    "suite": Picture(suite_run_page, height=860),
    "suite-cell": Picture(
        suite_run_page, height=860, fragment="#cases", opened=".case:nth-of-type(1) .opened > td > details"
    ),
    "review": Picture(review_page, focused="[name='score.correctness'][value='7']"),
}
"""By the names of their files."""


def main() -> int:
    check = "--check" in sys.argv[1:]
    stale: list[tuple[str, str, str]] = []
    for name, picture in PICTURES.items():
        page = ADDRESS.sub(r"\1\2", picture.page()).replace(f"evenhand {__version__}", "evenhand")
        digest = sha256(page.encode()).hexdigest() + "\n"
        target, kept = IMAGES / f"{name}.png", IMAGES / f"{name}.sha256"
        if target.is_file() and kept.is_file() and kept.read_text(encoding="utf-8") == digest:
            continue
        stale.append((name, page, digest))
    if stale and not check:
        _take_all(stale)
    if stale:
        files = ", ".join(f"docs/images/{name}.png" for name, _, _ in stale)
        print(f"{'out of date' if check else 'written'}: {files}")
    if check and stale:
        print("run: python scripts/page_pictures.py")
    return 1 if check and stale else 0


def _take_all(pages: list[tuple[str, str, str]]) -> None:
    """Take the pictures of some pages, each with its name and its hash, in one browser."""
    from playwright.sync_api import sync_playwright

    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        for file in static_files().values():
            Path(folder, file.name).write_bytes(file.body)
        program = shutil.which("chromium") or shutil.which("chromium-headless-shell")
        browser = playwright.chromium.launch(executable_path=program)
        for name, page, digest in pages:
            _take(browser, Path(folder, "page.html"), page, PICTURES[name], IMAGES / f"{name}.png")
            Path(IMAGES, f"{name}.sha256").write_text(digest, encoding="utf-8")
        browser.close()


def _take(browser: Browser, written: Path, page: str, picture: Picture, target: Path) -> None:
    """What a window shows."""
    written.write_text(page, encoding="utf-8")
    with browser.new_page(viewport={"width": 1280, "height": picture.height}, color_scheme="light") as opened:
        opened.goto(written.as_uri())
        if picture.opened:
            opened.locator(picture.opened).evaluate_all("parts => parts.forEach(part => { part.open = true })")
        if picture.fragment:
            opened.goto(written.as_uri() + picture.fragment)
        if picture.focused:
            opened.locator(picture.focused).focus()
        opened.screenshot(path=target)


if __name__ == "__main__":
    sys.exit(main())
