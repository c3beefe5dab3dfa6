"""A skill over time and lists of evaluations: zoom, drift with what changed, costs, orders, filters, titles."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest
from browser import LOOKS
from dashboard import Dashboard, on_one_store
from web_stores import ATTACKS, store_with_course

from evenhand.store.tables.filter import Filter
from evenhand.web.pages.filters import holds

SKILL = "/skill?name=fix-bug"


@pytest.fixture(scope="module", params=["sqlite", "postgresql"])
def dashboard(request: Any, tmp_path_factory: Any) -> Iterator[Dashboard]:
    """300 evaluations, three a day from 2026-01-01 on; number 200 is the first by another model, two points lower."""
    if request.param == "postgresql":
        url = request.getfixturevalue("postgresql_server").empty_database()
    else:
        url = str(tmp_path_factory.mktemp("store") / "evaluations.db")
    store_with_course(url)
    with Dashboard(url) as running:
        yield running


def titles(document: dict[str, Any]) -> list[str]:
    return [row["title"] for row in document["listed"]]


def test_the_chart_shows_all_of_the_time_and_the_list_its_newest(dashboard):
    """All 270 with a final score and the 30 without one; 300 days / 3 = 100 days in at most 60 parts."""
    document = dashboard.json(SKILL)
    periods = document["periods"]
    assert sum(period["evaluations"] for period in periods) == 300
    assert sum(period["unscored"] for period in periods) == 30
    assert len(periods) <= 60 and periods[0]["from"] == "2026-01-01T00:00"
    assert len(document["listed"]) == 50
    text = dashboard.get(SKILL).text
    assert "Final scores of 270 evaluations" in text
    assert text.count('class="part"') == len([period for period in periods if period["mean"] is not None])


def test_drift_is_marked_where_it_began_with_what_changed_then(dashboard):
    """Number 200 is of 2026-03-08 (66 days and two thirds after the first); its judge has another model."""
    [drift] = dashboard.json(SKILL)["drifts"]
    assert (drift["since"], drift["onset"], drift["open"]) == ("2026-03-08", "fix-0200", True)
    assert drift["changes"] == [{"what": "judge's model", "before": "m-2", "after": "m-3"}]
    assert 6.1 < drift["average"] < 6.3 and 8.1 < drift["baseline"] < 8.2
    text = dashboard.get(SKILL).text
    assert "Changed around then: judge&#39;s model: m-2 → m-3." in text
    assert text.count('class="onset"') == 1 and 'class="shade"' in text


def test_a_part_of_the_time_is_an_address(dashboard):
    """Ten days have 27 scores, few enough to draw each; the chart of a part has no mark of a drift after it."""
    zoomed = f"{SKILL}&from=2026-01-01&to=2026-01-10"
    document = dashboard.json(zoomed)
    assert sum(period["evaluations"] for period in document["periods"]) == 30
    assert len(document["listed"]) == 30
    text = dashboard.get(zoomed).text
    assert text.count('<circle class="point"') == 27 and 'class="onset"' not in text


def test_what_judging_cost_is_shown_over_time(dashboard):
    """300 evaluations at one cent, 1,100 tokens each."""
    text = dashboard.get(SKILL).text
    for words in ("$3.00 in all", "330,000 in all", "10% of those that were read"):
        assert words in text
    periods = dashboard.json(SKILL)["periods"]
    assert round(sum(period["cost"] for period in periods), 2) == 3.00


def test_a_list_is_sorted_by_time_and_by_score(dashboard):
    """Newest, oldest, best, worst; those without a score are left out of the last two."""
    assert titles(dashboard.json("/evaluations"))[0] == "Fix bug 299"
    assert titles(dashboard.json("/evaluations?sort=oldest"))[0] == "Fix bug 0"
    best, worst = (dashboard.json(f"/evaluations?sort={order}")["listed"] for order in ("best", "worst"))
    assert (best[0]["final"], worst[0]["final"]) == (8.4, 6.0)
    ordered = [row["final"] for row in worst]
    assert ordered == sorted(ordered)
    second = dashboard.get("/evaluations?sort=worst").text
    [following] = re.findall(r'rel="next" href="([^"]+)"', second)
    assert dashboard.json(following.replace("&amp;", "&"))["listed"][0]["final"] >= ordered[-1]


def test_filters_combine_and_a_row_has_a_title_a_preview_and_its_id(dashboard):
    """Of January the 10th, at least 8.20."""
    document = dashboard.json("/evaluations?skill=fix-bug&from=2026-01-10&to=2026-01-10&min=8.2&judge=openai:m")
    assert [(row["id"], row["final"]) for row in document["listed"]] == [("fix-0028", 8.3), ("fix-0027", 8.2)]
    assert document["filter"] == {
        "skill": "fix-bug",
        "judge": "openai:m",
        "min": "8.2",
        "from": "2026-01-10",
        "to": "2026-01-10",
    }
    assert document["listed"][0]["preview"] == "Fixed bug 28. The cache never expires."
    assert len(dashboard.json("/evaluations?grade=none")["listed"]) == 30


@pytest.mark.parametrize(
    ("query", "message"),
    [
        ("sort=up", "&#34;sort&#34; must be one of newest, oldest, best, worst"),
        ("min=eleven", "&#34;min&#34; must be a score from 0 to 10"),
        ("max=10.5", "&#34;max&#34; must be a score from 0 to 10"),
        ("min=8&max=7", "&#34;min&#34; must not be above &#34;max&#34;"),
        ("from=yesterday", "&#34;from&#34; must be a date such as 2026-01-31"),
        ("from=2026-02-01&to=2026-01-01", "&#34;from&#34; must not be after &#34;to&#34;"),
        ("grade=Z", "&#34;grade&#34; must be one of"),
        ("sort=best&before=5~x", "&#34;before&#34; is not a place in this list"),
        ("before=99999999999999999999~x", "&#34;before&#34; is not a place in this list"),
    ],
)
def test_a_mistake_in_an_address_is_named(dashboard, query, message):
    """What is wrong, and what is valid."""
    for page in ("/evaluations?", f"{SKILL}&"):
        answer = dashboard.get(f"{page}{query}")
        assert answer.status == 400
        assert message in answer.text


def test_what_only_a_scorecard_tells_is_asked_of_it():
    """A bonus of the same name is not a red flag, nor a check in order a fault, and a met criterion is not missed."""
    group = {"criteria": [{"id": "group", "criteria": [{"id": "tested", "verdict": "partly"}]}]}
    document = {
        "red_flags": [{"id": "leak"}],
        "bonuses": [{"id": "bonus"}],
        "findings": [{"check": "secrets", "severity": "major"}, {"check": "links", "severity": "info"}],
        "dimensions": {"safety": {"criteria": group}, "consistency": {"criteria": None}},
    }
    for asked, expected in (
        ({"flag": "leak"}, True),
        ({"flag": "bonus"}, False),
        ({"flag": "drift"}, True),  # the store has told already
        ({"finding": "secrets"}, True),
        ({"finding": "links"}, False),
        ({"criterion": "tested"}, True),
        ({"criterion": "group"}, False),
    ):
        assert holds(Filter(**asked), document) is expected, asked


@pytest.mark.slow
@on_one_store("dashboard")
def test_zooming_works_with_the_mouse_and_with_the_keyboard_without_scripts(browser, dashboard):
    """A click on a part of the chart, or two dates and Enter; then back to all of the time."""
    with browser.without_scripts(f"{dashboard.url}{SKILL}") as page:
        page.locator("a .part").nth(5).click()
        page.wait_for_url("**from=2026-01-**")
        assert page.locator("circle.point").count() > 0
        page.get_by_role("link", name="all of the time").press("Enter")
        page.wait_for_url("**/skill?name=fix-bug")
        page.locator("details.more-filters:not(.compared-with) > summary").press("Enter")
        page.get_by_label("From", exact=True).fill("2026-03-01")
        page.get_by_label("To", exact=True).first.fill("2026-03-20")
        page.get_by_label("To", exact=True).first.press("Enter")
        page.wait_for_url("**from=2026-03-01&to=2026-03-20**")
        assert "Drift since" in page.locator(".drift-note").inner_text()
        page.get_by_role("link", name="Final").press("Enter")
        page.wait_for_url("**sort=best**")
        assert page.locator("th[aria-sort=descending]").inner_text().startswith("Final")


@pytest.mark.slow
@on_one_store("dashboard")
def test_the_chart_has_no_barrier_and_every_part_can_be_clicked(browser, dashboard, long):
    """Whole and zoomed, in light and dark, narrow and wide; a short run gives each one look."""
    for place, address in enumerate((SKILL, f"{SKILL}&from=2026-01-01&to=2026-01-10")):
        with browser.open(f"{dashboard.url}{address}") as opened:
            opened.check(scripts=(f"{dashboard.url}/static/",), idle=False)
            for width, scheme in LOOKS if long else [LOOKS[place]]:
                opened.look(width, scheme)
                opened.check_width()
                opened.check_barriers()
                opened.check_controls()


@pytest.mark.slow
@on_one_store("dashboard")
def test_hostile_filters_stay_text(browser, dashboard, long):
    """Every field of the forms given attacks: they are shown again, and nothing runs. A short run tries a third."""
    with browser.open(f"{dashboard.url}/evaluations") as opened:
        for attack in ATTACKS if long else ATTACKS[::3]:
            opened.page.locator("details.more-filters:not(.compared-with) > summary").press("Enter")
            for name in ("skill", "judge", "rubric", "version", "flag", "finding", "criterion"):
                opened.page.locator(f"input[name={name}]").fill(attack)
            opened.page.get_by_role("button", name="Show").click()
            opened.page.wait_for_url("**criterion=**")
            assert opened.page.title() == "Work · evenhand"
            opened.page.goto(f"{dashboard.url}/evaluations")
        opened.check(scripts=(f"{dashboard.url}/static/",), idle=False)
