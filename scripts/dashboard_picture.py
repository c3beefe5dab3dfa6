"""Take the pictures of the dashboard, from the real pages in a real browser.

python scripts/dashboard_picture.py            write docs/images/dashboard.png, and what it was taken of
python scripts/dashboard_picture.py --check    exit 1 if the page has changed since; needs no browser

Two browsers draw the same page a little differently, so a picture is not compared: beside it is the hash of the page.
"""

from __future__ import annotations

import hashlib
import random
import re
import shutil
import sys
import tempfile
from pathlib import Path

import evenhand
from evenhand import DIMENSIONS
from evenhand._version import __version__
from evenhand.pipeline.keeping import Keeper
from evenhand.pipeline.run import Evaluated
from evenhand.store import open_store
from evenhand.web.pages.skill_list import skills
from evenhand.web.parameters import Parameters
from evenhand.web.rendering import Frame, Renderer
from evenhand.web.static_files import static_files

IMAGES = Path(__file__).parents[1] / "docs" / "images"
PICTURE, HASH = IMAGES / "dashboard.png", IMAGES / "dashboard.txt"
SKILLS = {
    "code-review": 8.2,
    "release-notes": 8.9,
    "sql-writer": 6.6,
    "support-replies": 7.4,
    "translate-contracts": 9.2,
}
SIZE = {"width": 1100, "height": 420}


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        page = _page(Path(folder) / "picture.db")
    content = re.sub(
        r"/static/dashboard-[0-9a-f]+", "/static/dashboard", page
    )  # a new style alone needs no new picture
    digest = hashlib.sha256(content.encode()).hexdigest()
    if "--check" in sys.argv:
        current = HASH.exists() and HASH.read_text(encoding="utf-8").split()[:1] == [digest]
        sys.exit(0 if current else f"{PICTURE.name} is out of date; run: python scripts/dashboard_picture.py")
    _take(page)
    HASH.write_text(f"{digest}  the page that dashboard.png shows\n", encoding="utf-8")
    print(PICTURE)


def _page(path: Path) -> str:
    """The list of skills over a made-up history, the same every time."""
    store = open_store(str(path))
    assert store is not None
    keeper, chance = Keeper(store), random.Random(4)
    for number in range(24):
        for name, mean in SKILLS.items():
            falls = 1.6 if name == "support-replies" and number > 15 else 0
            scores = {one: max(1, min(10, round(chance.gauss(mean - falls, 0.5) * 2) / 2)) for one in DIMENSIONS}
            given = {"skill": name, "judge": "human:ana", "scores": scores}
            card = evenhand.score(
                given, rubric="default", id=f"{name}-{number}", created=f"2026-10-{number + 1:02d}T09:00:00Z"
            )
            keeper.keep(Evaluated(card, None, True))
    parameters = Parameters("/", {})
    frame = Frame(parameters, ".evenhand/evenhand.db", False, "ana", False, "")
    text = Renderer().page(skills(store, parameters), frame)
    store.close()
    return re.sub(re.escape(f"evenhand {__version__}"), "evenhand", text)


def _take(page: str) -> None:
    from playwright.sync_api import Route, sync_playwright

    chromium = shutil.which("chromium") or shutil.which("google-chrome")
    files = {file.address: file for file in static_files().values()}
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium)
        opened = browser.new_page(viewport=SIZE, device_scale_factor=2)  # type: ignore[arg-type]
        address = "http://dashboard.invalid"

        def fulfil(route: Route) -> None:
            path = route.request.url.removeprefix(address)
            file = files.get(path)
            if file is not None:
                route.fulfill(body=file.body, content_type=file.kind)
            elif path == "/":
                route.fulfill(body=page, content_type="text/html")
            else:
                route.abort()

        opened.route("**", fulfil)
        opened.goto(f"{address}/")
        opened.screenshot(path=str(PICTURE))
        browser.close()


if __name__ == "__main__":
    main()
