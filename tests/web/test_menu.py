"""The menu: pages and one group, opened with the mouse or the keyboard, without scripts, and nothing lies under it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from browser import DESKTOPS
from dashboard import Dashboard
from web_stores import store_with_history

from evenhand.web.rendering import MENU, menu_for
from evenhand.web.routes import all_routes


@pytest.fixture(scope="module")
def dashboard(tmp_path_factory: Any) -> Iterator[Dashboard]:
    path = str(tmp_path_factory.mktemp("store") / "evaluations.db")
    store_with_history(path, evaluations=1)
    with Dashboard(path) as running:
        yield running


def test_every_page_of_the_menu_is_a_route_and_is_in_one_group():
    """So that no entry leads nowhere, and none is listed twice."""
    addresses = [entry.address for group in MENU for entry in group.entries]
    assert len(set(addresses)) == len(addresses)
    assert set(addresses) <= {route.path for route in all_routes()}


def test_a_read_only_dashboard_offers_no_review():
    """Nobody could save anything there."""
    assert "/reviews" not in [entry.address for group in menu_for(read_only=True) for entry in group.entries]


@pytest.mark.slow
def test_the_group_opens_with_the_mouse_and_covers_nothing(browser, dashboard):
    """At every width every control can still be clicked while it is open."""
    with browser.open(f"{dashboard.url}/evaluations") as opened:
        page = opened.page
        for width in (360, *DESKTOPS):
            page.set_viewport_size({"width": width, "height": 900})
            page.locator("summary", has_text="More").click()
            assert page.get_by_role("link", name="Findings", exact=True).is_visible()
            opened.check_controls()
            opened.check_width()
            opened.check_barriers()
            page.locator("summary", has_text="More").click()
        page.locator("summary", has_text="More").click()
        page.get_by_role("link", name="Log", exact=True).click()
        page.wait_for_url("**/log")
        assert page.locator("nav summary[aria-current]").inner_text() == "More"


@pytest.mark.slow
def test_the_keyboard_opens_the_group_and_follows_a_link_without_scripts(browser, dashboard):
    """Tab, Enter, Tab, Enter; nothing of it needs a script."""
    with browser.without_scripts(f"{dashboard.url}/evaluations") as page:
        page.locator("summary", has_text="More").focus()
        page.keyboard.press("Enter")
        for _ in range(2):  # Findings, Ranking
            page.keyboard.press("Tab")
        page.keyboard.press("Enter")
        page.wait_for_url("**/ranking")
