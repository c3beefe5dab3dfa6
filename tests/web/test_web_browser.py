"""The dashboard in a real browser: no attack runs, no request leaves, there is no barrier, the keyboard suffices."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from aiohttp import web
from browser import DESKTOPS, LOOKS
from conftest import seven
from dashboard import Dashboard
from web_stores import ATTACKS, keep, store_of_attacks, store_with_history

from evenhand.judging.keeper import Keeper
from evenhand.store import open_store
from evenhand.web.access.people import Person
from evenhand.web.route import Route
from evenhand.web.routes import all_routes
from test_web_pages import PAGES, attack_pages

pytestmark = pytest.mark.slow


SHOWN = "requestAnimationFrame(() => requestAnimationFrame(() => shown(document.title)))"
"""After two frames the page has been drawn and has given the focus to whatever asked for it."""


async def nothing_new(request: web.Request) -> web.StreamResponse:
    return web.Response(status=204)


def quiet_routes() -> list[Route]:
    """All routes, but nothing ever changes: a page that waits for news is never done loading."""
    return [route._replace(handler=nothing_new) if route.path == "/changes" else route for route in all_routes()]


@pytest.fixture(scope="module")
def attacked(tmp_path_factory: Any) -> Iterator[Dashboard]:
    path = str(tmp_path_factory.mktemp("store") / "attacks.db")
    store_of_attacks(path)
    with Dashboard(path, routes=quiet_routes) as running:
        yield running


@pytest.fixture(scope="module")
def dashboard(tmp_path_factory: Any) -> Iterator[Dashboard]:
    path = str(tmp_path_factory.mktemp("store") / "evaluations.db")
    store_with_history(path)
    with Dashboard(path, routes=quiet_routes) as running:
        yield running


@pytest.mark.parametrize("attack", ATTACKS)
def test_no_attack_runs_or_asks_for_anything(browser, attacked, attack, long):
    """Every page that shows it, every link and button on them included in the page as it is. A short run opens each
    page with every third attack."""
    shared = {"/", "/evaluations", "/suites", "/judges", "/rubrics"}  # of all attacks
    with browser.open(f"{attacked.url}/rubrics") as opened:
        pages = [page for page in attack_pages(attack) if attack == ATTACKS[0] or page not in shared]
        for page in pages if long or attack == ATTACKS[0] else pages[ATTACKS.index(attack) % 3 :: 3]:
            opened.page.goto(f"{attacked.url}{page}")  # until everything on it is loaded or has failed to
            if "refresh" in attack:
                opened.page.wait_for_timeout(100)
            assert opened.evaluate(f"new Promise(shown => {SHOWN})") != "ran", page
            opened.errors[:] = [error for error in opened.errors if "status of 40" not in error]  # pages of mistakes
            opened.check(scripts=(f"{attacked.url}/static/",), idle=False)


@pytest.mark.parametrize("page", PAGES)
def test_no_page_has_a_barrier_in_light_or_dark_narrow_or_wide(browser, dashboard, page, long):
    """WCAG 2.2 AA by axe-core; and no page is wider than its window. A short run gives each page one of the looks."""
    with browser.open(f"{dashboard.url}{page}") as opened:
        opened.check(scripts=(f"{dashboard.url}/static/",))
        for width, scheme in LOOKS if long else [LOOKS[PAGES.index(page) % len(LOOKS)]]:
            opened.look(width, scheme)
            opened.check_width()
            opened.check_barriers()


@pytest.mark.parametrize("page", [*PAGES, "/evaluation?id=nope"])
def test_every_control_can_be_clicked_at_every_width(browser, dashboard, page, long):
    """Nothing lies over a link, a button, a field or the head of something that opens; opened or closed. A short run
    leaves out the widths between the narrowest and the widest."""
    with browser.open(f"{dashboard.url}{page}") as opened:
        desktops = [(width, height) for width in DESKTOPS for height in (500, 900)]
        for width, height in ((360, 900), *(desktops if long else desktops[-2:-1])):
            opened.page.set_viewport_size({"width": width, "height": height})
            opened.check_controls()
        opened.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
        opened.page.set_viewport_size({"width": 1280, "height": 900})
        opened.check_controls()


@pytest.mark.parametrize("width", DESKTOPS)
def test_a_quote_leads_to_its_passage_and_back_in_one_scroll(browser, tmp_path, width):
    """Nothing scrolls but the page; the seven bars are in view at first, and everything can be clicked."""
    path = str(tmp_path / "evaluations.db")
    output = "\n".join(["A line of the text."] * 300 + ["The very end."])
    quoting = {"score": 8, "justification": "It has an end.", "evidence": ["The very end."]}
    keep(
        Keeper(open_store(path)),
        output,
        skill="long",
        scores={**seven(8), "consistency": quoting},
        id="long",
        created="2026-03-01T00:00:00Z",
    )
    with (
        Dashboard(path, routes=quiet_routes) as running,
        browser.open(f"{running.url}/evaluation?id=long", width=width) as opened,
    ):
        bars = opened.page.locator(".bars").bounding_box()
        assert bars["y"] + bars["height"] <= opened.page.viewport_size["height"]
        in_view = (
            "(() => { const end = document.querySelector(':target').getBoundingClientRect();"
            " return end.top >= 0 && end.bottom <= innerHeight; })()"
        )
        opened.page.locator(".report a[href^='#quote-']").last.click()
        opened.page.wait_for_function("scrollY > 1000")
        assert opened.evaluate(in_view)
        opened.page.locator(".judged a[href^='#from-']").last.click()
        opened.page.wait_for_function("location.hash.startsWith('#from-')")
        assert opened.evaluate(in_view)
        inner = "[...document.querySelectorAll('.evaluation, .evaluation *')].filter(one => one.scrollTop > 0).length"
        assert opened.evaluate(inner) == 0
        opened.check_controls()


def test_the_two_views_of_a_text_are_chosen_side_by_side_above_it(browser, tmp_path):
    """On the dashboard too, whose other pages have styles of their own."""
    path = str(tmp_path / "evaluations.db")
    output = "# Title\n\n" + "Some words.\n\n" * 50
    keep(Keeper(open_store(path)), output, skill="s", scores=seven(8), id="x", created="2026-03-01T00:00:00Z")
    with Dashboard(path, routes=quiet_routes) as running, browser.open(f"{running.url}/evaluation?id=x") as opened:
        for _ in range(2):
            first, second = (opened.page.locator(".text-view > summary").nth(place).bounding_box() for place in (0, 1))
            assert first["y"] == second["y"] and first["x"] + first["width"] <= second["x"]
            opened.page.get_by_text("Raw text").click()


@pytest.mark.parametrize("page", ["/evaluation?id=nope", "/nowhere"])
def test_pages_of_mistakes_have_no_barrier_either(browser, dashboard, page):
    """And hold no less to the policy."""
    with browser.open(f"{dashboard.url}{page}", width=360) as opened:
        opened.check_width()
        opened.check_barriers()


def test_the_page_to_sign_in_has_no_barrier_and_works(browser, tmp_path):
    """With the keyboard; then signing out leads back to it."""
    ana = Person("ana", "ana-0123456789abcdefghij")
    path = str(tmp_path / "evaluations.db")
    store_with_history(path, evaluations=1)
    with (
        Dashboard(path, people=(ana,), routes=quiet_routes) as closed,
        browser.open(f"{closed.url}/skill?name=code") as opened,
    ):
        page = opened.page
        opened.check_barriers()
        page.get_by_label("Token").fill("wrong, and long enough")
        page.keyboard.press("Enter")
        page.wait_for_selector("#wrong")
        opened.check_barriers()
        page.get_by_label("Token").fill(ana.token)
        page.keyboard.press("Enter")
        page.wait_for_url("**/skill?name=code")
        assert page.get_by_role("heading", level=1).inner_text() == "code"
        opened.check_barriers()
        page.get_by_role("button", name="Sign out").press("Enter")
        page.wait_for_url("**/sign-in")
        page.goto(f"{closed.url}/")
        assert page.url.endswith("/sign-in")


def test_the_keyboard_alone_suffices(browser, dashboard):
    """From the first page to a skill, there to two evaluations compared, with Tab, Space, arrows and Enter."""
    with browser.open(f"{dashboard.url}/") as opened:
        page = opened.page
        page.keyboard.press("Tab")
        assert focused(opened) == "Skip to content"
        page.keyboard.press("Enter")
        tab_to(opened, "code")
        page.keyboard.press("Enter")
        page.wait_for_url("**/skill?name=code")
        tab_to(opened, "2026-01-14 00:00 as B", backwards=True)
        page.keyboard.press("ArrowDown")
        tab_to(opened, "Compare A and B")
        page.keyboard.press("Enter")
        page.wait_for_url("**/evaluation?against=*&id=*")
        tab_to(opened, "Search")
        page.keyboard.press("Shift+Tab")
        page.keyboard.type("never expires")
        page.keyboard.press("Enter")
        page.wait_for_url("**/evaluations?q=never+expires")
        assert page.locator("mark").first.inner_text() == "never expires"


def focused(opened: Any) -> str:
    """What the focus is on, as a screen reader names it."""
    name: str = opened.evaluate(
        "(() => { const at = document.activeElement;"
        " return (at.getAttribute('aria-label') || at.textContent || '').trim(); })()"
    )
    return name


def tab_to(opened: Any, name: str, *, backwards: bool = False) -> None:
    """Press Tab until the focus is on something of this name, as anyone could."""
    for _ in range(200):
        opened.page.keyboard.press("Shift+Tab" if backwards else "Tab")
        if focused(opened) == name:
            return
    raise AssertionError(f"the keyboard does not get to {name!r}")


def test_a_new_evaluation_appears_without_reloading(browser, tmp_path):
    """On the list of skills and in a skill's own list; what someone is typing in is left alone."""
    path = str(tmp_path / "evaluations.db")
    store_with_history(path, evaluations=1)
    with Dashboard(path) as running, browser.open(f"{running.url}/") as opened:
        page = opened.page
        opened.evaluate("window.same = true")
        add(path, "fresh", 1)
        page.wait_for_selector("tr.fresh >> text=fresh", timeout=20_000)
        assert opened.evaluate("window.same")
        assert "new evaluations" in page.locator("[role=status]").inner_text()
        opened.evaluate("document.querySelector('main a').focus()")
        add(path, "another", 2)
        page.wait_for_selector("text=New evaluations: show them", timeout=20_000)
        assert page.locator("text=another").count() == 0
        page.get_by_text("New evaluations: show them").click()
        page.wait_for_selector("text=another")


def add(path: str, skill: str, day: int) -> None:
    keep(
        Keeper(open_store(path)),
        skill,
        skill=skill,
        scores=seven(8),
        id=skill,
        created=f"2026-03-0{day}T00:00:00Z",
    )


def test_everything_works_without_scripts(browser, dashboard):
    """Links, filters and forms are plain HTML."""
    context = browser._browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(f"{dashboard.url}/skill?name=code")
    page.get_by_text("Narrow chart and list by field").click()
    page.get_by_label("Judge").select_option("human:bo")
    page.get_by_role("button", name="Show").click()
    page.wait_for_url("**judge=human%3Abo**")
    page.get_by_role("button", name="Compare A and B").click()
    page.wait_for_url("**/evaluation?**against=**")
    context.close()
