"""A real browser for the tests: Debian's Chromium through Playwright, and axe-core to look for barriers.

Pages are opened without a network. Whatever a page must not do is noted while it is open: an error on the console, a
script that ran, a dialog, a request that left. `OpenPage.check` fails on any of them.

While the browser is open, its thread has an event loop: a test must not call asyncio.run, and starts a server as a
process of its own.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path
from typing import Any, Literal
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, CDPSession, Page, sync_playwright
from real_tools import npm_file

Scheme = Literal["light", "dark"]
SCHEMES: tuple[Scheme, ...] = ("light", "dark")
WIDTHS = (360, 1280)
DESKTOPS = (1024, 1280, 1440)
LOOKS: tuple[tuple[int, Scheme], ...] = ((360, "light"), (1280, "dark"))
"""Every width and every scheme once: a colour does not depend on the width, nor the layout on the scheme."""

WCAG = ("wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice")
"""The rules of axe-core: WCAG 2.2 at level AA, and what it holds to be good practice."""


def find_chromium() -> str | None:
    """The browser's program: the one in EVENHAND_CHROMIUM, or the first on the PATH. The headless shell is the same
    engine without windows, and a page takes less than half the processor time in it."""
    chosen = os.environ.get("EVENHAND_CHROMIUM")
    names = (chosen, "chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
    return next((path for name in names if name and (path := shutil.which(name))), None)


@contextmanager
def chromium() -> Iterator[TestBrowser]:
    """The browser, for as long as a module's tests run. Without one, tests are skipped, but never in CI."""
    program = find_chromium()
    if program is None:
        missing = "no Chromium is installed here (apt-get install chromium), so no page is opened"
        pytest.fail(missing) if os.environ.get("CI") == "true" else pytest.skip(missing)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program)
        try:
            yield TestBrowser(browser)
        finally:
            browser.close()


class TestBrowser:
    """Opens pages, each in a profile of its own."""

    __test__ = False

    def __init__(self, browser: Browser) -> None:
        self._browser = browser

    @contextmanager
    def open(
        self,
        address: str | Path,
        *,
        width: int = 1280,
        scheme: Scheme = "light",
        height: int = 900,
        **options: Any,
    ) -> Iterator[OpenPage]:
        """A file, or a page of a server on this machine; further options are those of a Playwright context."""
        url = address.resolve().as_uri() if isinstance(address, Path) else address
        offline = url.startswith("file:")
        context = self._browser.new_context(
            viewport={"width": width, "height": height}, color_scheme=scheme, offline=offline, **options
        )
        context.set_default_timeout(120_000)  # machines that run tests are often busy
        try:
            page = context.new_page()
            opened = OpenPage(page, context.new_cdp_session(page), url)
            page.goto(url)
            yield opened
        finally:
            context.close()

    @contextmanager
    def without_scripts(self, url: str) -> Iterator[Page]:
        """A page of a server in a browser that runs no scripts at all."""
        context = self._browser.new_context(java_script_enabled=False)
        try:
            page = context.new_page()
            page.goto(url)
            yield page
        finally:
            context.close()


class OpenPage:
    """A page, and everything it did that it must not do."""

    def __init__(self, page: Page, session: CDPSession, url: str) -> None:
        self.page = page
        self.errors: list[str] = []
        """Errors on the console, refusals by the page's policy among them, and exceptions."""
        self.dialogs: list[str] = []
        self.requests: list[str] = []
        """The addresses asked for outside the page's own file or server."""
        self.scripts: list[str] = []
        """The scripts that the page itself ran: an address, or "inline" with the beginning of it."""
        self._own = url if url.startswith("file:") else _origin(url)
        self._watching = True
        page.on("console", lambda message: self.errors.append(message.text) if message.type == "error" else None)
        page.on("pageerror", lambda error: self.errors.append(str(error)))
        page.on("dialog", lambda dialog: (self.dialogs.append(dialog.message), dialog.dismiss()))  # type: ignore[call-overload]
        page.on("request", lambda request: self._asked(request.url))
        page.context.on("page", lambda other: self.requests.append(f"a new window: {other.url}"))
        session.on("Debugger.scriptParsed", self._ran)
        session.send("Debugger.enable")
        self._session = session

    def _asked(self, url: str) -> None:
        own = (
            url.split("#")[0] == self._own.split("#")[0] if self._own.startswith("file:") else _origin(url) == self._own
        )
        if not own:
            self.requests.append(url)

    def _ran(self, script: dict[str, Any]) -> None:
        context = script.get("executionContextAuxData", {})
        source = script.get("url", "")
        if self._watching and context.get("isDefault") and source:  # what Playwright itself runs has no address
            self.scripts.append(source if source and source != self.page.url else f"inline: {script.get('url')}")

    def evaluate(self, expression: str) -> Any:
        """The value of an expression in the page. What tests run themselves does not count as the page's script."""
        self._watching = False
        try:
            return self.page.evaluate(expression)
        finally:
            self._session.send("Debugger.setSkipAllPauses", {"skip": False})  # all events from before it have come then
            self._watching = True

    def check(self, *, scripts: tuple[str, ...] = (), idle: bool = True) -> None:
        """Fail if the page did what it must not. `scripts` are the beginnings of addresses that may run; with `idle`,
        half a second without a request has to pass first."""
        if idle:
            self.page.wait_for_load_state("networkidle")
        others = [source for source in self.scripts if not source.startswith(scripts or ("\0",))]
        assert others == [], f"scripts ran: {others}"
        assert self.dialogs == [], f"dialogs: {self.dialogs}"
        assert self.requests == [], f"requests left the page: {self.requests}"
        assert self.errors == [], f"errors on the console: {self.errors}"

    def look(self, width: int, scheme: Scheme) -> None:
        """Show the page that is open in another width and scheme."""
        self.page.set_viewport_size({"width": width, "height": 900})
        self.page.emulate_media(color_scheme=scheme)

    def check_width(self) -> None:
        """Fail if the page is wider than the window: then a reader has to scroll sideways for every line."""
        wide = self.evaluate("[document.documentElement.scrollWidth, document.documentElement.clientWidth]")
        assert wide[0] <= wide[1], f"{self.page.url} is {wide[0]} pixels wide in a window of {wide[1]}"

    def check_controls(self) -> None:
        """Fail if something can be seen to be clicked but not clicked: another element lies over its centre.

        Each control is scrolled into view. With the page at its top and in its middle, those in the window must be free
        too, unless a bar covers them that sticks to an edge of the window: a little scrolling frees them.
        """
        covered = self.evaluate(_COVERED)
        assert covered == [], "\n".join(covered)

    def check_barriers(self, *, without: str | None = None) -> None:
        """Fail if axe-core finds a violation of WCAG 2.2 AA, except in the part `without`, looked at before."""
        if not self.evaluate("'axe' in window"):
            self.evaluate(f"(() => {{ {axe_source()}\n; return true; }})()")
        options = f"{{runOnly: {list(WCAG)}, resultTypes: ['violations']}}"
        part = f"{{exclude: [[{without!r}]]}}" if without else "document"
        result = self.evaluate(f"axe.run({part}, {options})")
        found = [
            f"{self.page.url}: {violation['id']}: {violation['help']}: "
            + "; ".join(node["html"][:200] for node in violation["nodes"][:3])
            for violation in result["violations"]
        ]
        assert found == [], "\n".join(found)


_COVERED = """(() => {
  const found = [];
  const name = (at) => at
    ? `<${at.tagName.toLowerCase()} class="${at.className}"> ${at.textContent.trim().slice(0, 40)}` : "nothing";
  const controls = [...document.querySelectorAll("a[href], button, input, select, textarea, summary")].filter((at) =>
    at.checkVisibility({ visibilityProperty: true }) && !at.matches(".skip, [type=hidden]"));
  const centre = (at) => {
    const box = [...at.getClientRects()].find((one) => one.width > 0 && one.height > 0);
    return box && { x: box.left + box.width / 2, y: box.top + box.height / 2 };
  };
  const inside = (box, spot) => spot.x >= box.left && spot.x < box.right && spot.y >= box.top && spot.y < box.bottom;
  const shown = (at, spot) => {
    for (let up = at.parentElement; up; up = up.parentElement) {
      if (up === document.body) break;
      const clips = getComputedStyle(up).overflow !== "visible";
      if (clips && !inside(up.getBoundingClientRect(), spot)) return false;
    }
    return inside({ left: 0, top: 0, right: innerWidth, bottom: innerHeight }, spot);
  };
  const sticks = (at) => {
    for (let up = at; up; up = up.parentElement) if (getComputedStyle(up).position === "sticky") return true;
    return false;
  };
  const look = (at, where, lenient) => {
    const spot = centre(at);
    if (!spot) return;
    const hit = document.elementFromPoint(spot.x, spot.y);
    if (lenient && (!hit || !shown(at, spot) || (sticks(hit) && !sticks(at)))) return;
    const free = hit && (at.contains(hit) || [...(at.labels || [])].some((label) => label.contains(hit)));
    if (!free) found.push(`${where}: ${name(at)} is under ${name(hit)}`);
  };
  for (const at of controls) {
    at.scrollIntoView({ block: "center", inline: "center", behavior: "instant" });
    look(at, "in view", false);
  }
  for (const up of document.querySelectorAll("*")) up.scrollTop = 0;
  for (const part of [0, 0.5]) {
    const end = document.documentElement.scrollHeight - innerHeight;
    scrollTo({ top: part * end, behavior: "instant" });
    for (const at of controls) look(at, `scrolled to ${part}`, true);
  }
  scrollTo({ top: 0, behavior: "instant" });
  return found;
})()"""
"""The controls of a page under something else, each with what lies over it."""


def _origin(url: str) -> str:
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc}"


@lru_cache(maxsize=1)
def axe_source() -> str:
    """axe-core, from the npm registry, once; never part of the project."""
    return npm_file("axe-core", "axe.min.js").read_text(encoding="utf-8")
