"""Make the pictures of pages in docs/images with a real browser; --check only tells whether they are out of date.

The pixels of a screenshot differ from machine to machine, so what is checked is the page it was taken of: its hash is
kept beside the picture. Needs Chromium and Playwright, but --check needs neither.
"""

from __future__ import annotations

import shutil
import sys
import tempfile
from hashlib import sha256
from pathlib import Path

import evenhand
from evenhand.reports.html.scorecard import scorecard_page

ROOT = Path(__file__).parents[1]
IMAGES = ROOT / "docs" / "images"


def panel_report() -> str:
    """The page of the example, judged by a panel of three whose replies are recorded."""
    examples = ROOT / "examples"
    output, task = ((examples / name).read_text(encoding="utf-8") for name in ("answer.md", "task.md"))
    judges = [f"replay:{examples / 'recorded' / name}.jsonl" for name in ("first", "second", "third")]
    card = evenhand.judge(output, task=task, rubric="devops", judges=judges, id="answer.md")
    card = card._replace(created="2026-11-16T12:00:00Z")
    return scorecard_page(card, evenhand.Submission(output=output, task=task))


PICTURES = {"report": (panel_report, "#quote-16")}
"""By name: the page, and the part of it that is in view."""


def main() -> int:
    check = "--check" in sys.argv[1:]
    stale = []
    for name, (make, fragment) in PICTURES.items():
        page = make()
        digest = sha256(page.encode()).hexdigest() + "\n"
        kept = IMAGES / f"{name}.sha256"
        if kept.is_file() and kept.read_text(encoding="utf-8") == digest and (IMAGES / f"{name}.png").is_file():
            continue
        stale.append(f"docs/images/{name}.png")
        if not check:
            take_picture(page, fragment, IMAGES / f"{name}.png")
            kept.write_text(digest, encoding="utf-8")
    if stale:
        print(f"{'out of date' if check else 'written'}: {', '.join(stale)}")
    return 1 if check and stale else 0


def take_picture(page: str, fragment: str, target: Path) -> None:
    """What a window of 1280 by 900 pixels shows."""
    from playwright.sync_api import sync_playwright

    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        file = Path(folder, "page.html")
        file.write_text(page, encoding="utf-8")
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"))
        opened = browser.new_page(viewport={"width": 1280, "height": 900}, color_scheme="light")
        opened.goto(file.as_uri() + fragment)
        opened.screenshot(path=target)
        browser.close()


if __name__ == "__main__":
    sys.exit(main())
