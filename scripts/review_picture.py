"""Make docs/images/review.png, the page on which a person reviews; --check only tells whether it is out of date.

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
from evenhand.core.values.review import SAMPLE
from evenhand.pipeline.review_rounds import Request, start_round
from evenhand.pipeline.reviewing import open_task, save_draft
from evenhand.store import open_store
from evenhand.store.web_log import LogEntry
from evenhand.web.pages.review import item_page
from evenhand.web.parameters import Parameters
from evenhand.web.rendering import Frame, Renderer
from evenhand.web.static_files import static_files

ROOT = Path(__file__).parents[1]
PICTURE = ROOT / "docs" / "images" / "review.png"

FILLED_IN = {
    "score.correctness": "7",
    "why.correctness": "Both faults are real; the third comment is about a line that did not change.",
    "quotes.correctness": "hides every failure",
}
WORK = """\
# Review of the change

Three comments, most important first.

1. `client.py:88`: `except Exception: pass` hides every failure. A time-out then looks like an empty user,
   and the caller writes that to the cache. Catch `Timeout` only, and raise the rest.
2. `client.py:91`: the loop has no limit. With the server down it never ends. Use three attempts.
3. `models.py:12`: the name `data` says little.

The rest looks fine. I did not run the test-suite.
"""


def review_page() -> str:
    """A review in progress, as the server sends it but for what differs from run to run."""
    with tempfile.TemporaryDirectory() as folder:
        store = open_store(str(Path(folder, "evaluations.db")))
        assert store is not None
        for number in range(3):
            judgement = {"scores": dict.fromkeys(evenhand.DIMENSIONS, 7), "judge": "model:m", "skill": "code-review"}
            task = "Review the change to the client. Report faults first."
            evenhand.score({**judgement, "task": task}, output=WORK + "\n" * number, store=store, id=f"e{number}")
        round = start_round(store, Request(SAMPLE, 3, seed="picture"), "ana").round.id
        save_draft(store, open_task(store, round, 1), "ana", FILLED_IN, 0, LogEntry("", "ana", "", "", ""))
        parameters = Parameters("/review", {"round": (round,), "item": ("1",)})
        page = item_page(store, parameters, "ana")
        page = page._replace(shown={**page.shown, "saved": "2026-11-16T12:00:00Z"})
        store.close()
    return Renderer().page(page, Frame(parameters, ".evenhand/evenhand.db", False, "ana", False, "token"))


def main() -> int:
    page = review_page()
    files = static_files().values()
    digest = sha256((page + "".join(file.address for file in files)).encode()).hexdigest() + "\n"
    kept = PICTURE.with_suffix(".sha256")
    if PICTURE.is_file() and kept.is_file() and kept.read_text(encoding="utf-8") == digest:
        return 0
    if "--check" in sys.argv[1:]:
        print("out of date: docs/images/review.png")
        return 1
    for file in files:
        page = page.replace(file.address, file.name)
    with tempfile.TemporaryDirectory() as folder:
        for file in files:
            Path(folder, file.name).write_bytes(file.body)
        Path(folder, "page.html").write_text(page, encoding="utf-8")
        take_picture(Path(folder, "page.html"))
    kept.write_text(digest, encoding="utf-8")
    print("written: docs/images/review.png")
    return 0


def take_picture(page: Path) -> None:
    """What a window of 1280 by 900 pixels shows."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"))
        opened = browser.new_page(viewport={"width": 1280, "height": 900}, color_scheme="light")
        opened.goto(page.as_uri())
        opened.locator("[name='score.correctness'][value='7']").focus()
        opened.screenshot(path=PICTURE)
        browser.close()


if __name__ == "__main__":
    sys.exit(main())
