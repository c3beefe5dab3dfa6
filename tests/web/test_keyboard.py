"""The pages of suites, search, comparing and a kept transcript with the keyboard alone, without scripts."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from dashboard import Dashboard
from web_stores import store_with_history

import evenhand
from evenhand.store.tables.suites import SuiteProgress

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def dashboard(tmp_path_factory: Any) -> Iterator[Dashboard]:
    """Two skills, a suite, a run that has not ended, and an evaluation whose transcript is kept."""
    folder: Path = tmp_path_factory.mktemp("store")
    path = str(folder / "evaluations.db")
    store_with_history(path, evaluations=2)
    call = {"id": "c1", "type": "function", "function": {"name": "bash", "arguments": '{"command": "pytest -q"}'}}
    messages = [
        {"role": "user", "content": "Run the tests."},
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "c1", "content": "Error: 1 failed"},
        {"role": "assistant", "content": "All tests pass."},
    ]
    chat = folder / "chat.jsonl"
    chat.write_text("".join(json.dumps(message) + "\n" for message in messages), encoding="utf-8")
    with closing(evenhand.open_store(path)) as store:
        (submission,) = evenhand.read_submissions(chat)
        assert isinstance(submission, evenhand.Submission)
        evenhand.check(submission._replace(skill="chat"), store=store, keep="transcript")
        moment = "2026-01-01T00:00:00Z"
        store.note_progress(SuiteProgress("run-9", "docs-agent", moment, moment, 17, 40, 2))
    with Dashboard(path) as running:
        yield running


def at(page: Any) -> str:
    """What the focus is on."""
    name: str = page.evaluate(
        "(() => { const at = document.activeElement;"
        " return (at.getAttribute('aria-label') || at.name || at.textContent || '').trim(); })()"
    )
    return name


def tab_to(page: Any, *names: str) -> None:
    """Press Tab until the focus is on each of these, one after another."""
    for name in names:
        for _ in range(60):
            page.keyboard.press("Tab")
            if at(page) == name:
                break
        else:
            raise AssertionError(f"the keyboard does not get to {name!r}")


def test_a_search_is_typed_and_its_first_hit_opened(browser, dashboard):
    """In the search of every page, then in that of the page itself, which keeps the words."""
    with browser.without_scripts(f"{dashboard.url}/suites") as page:
        tab_to(page, "Search everything kept")
        page.keyboard.type("never expires")
        page.keyboard.press("Enter")
        page.wait_for_url("**/evaluations?q=never+expires")
        tab_to(page, "Search", "q")  # the button above, then the field of the page
        page.keyboard.press("End")
        page.keyboard.type(" skill:prose")
        page.keyboard.press("Enter")
        page.wait_for_url("**/evaluations?q=never+expires+skill%3Aprose")
        assert page.locator("tbody tr").count() == 4
        assert "never expires" in page.locator(".preview mark").first.inner_text()
        tab_to(page, "Output 1 of prose.")
        page.keyboard.press("Enter")
        page.wait_for_url("**/evaluation?id=prose-1-**")


def test_the_folded_fields_of_the_list_are_unfolded_and_narrow_it(browser, dashboard):
    """Enter on their heading opens them, and sends what is typed into one; Enter on the chip takes it off again."""
    with browser.without_scripts(f"{dashboard.url}/evaluations") as page:
        fields = page.locator("details.more-filters")
        tab_to(page, "Narrow by field")
        page.keyboard.press("Enter")
        assert fields.get_attribute("open") is not None
        tab_to(page, "skill")
        page.keyboard.type("chat")
        page.keyboard.press("Enter")
        page.wait_for_url("**/evaluations?skill=chat&**")
        assert page.locator("tbody tr").count() == 1
        tab_to(page, "Remove skill:chat")
        page.keyboard.press("Enter")
        page.wait_for_url("**/evaluations")
        assert page.locator("tbody tr").count() > 1


def test_a_run_of_a_suite_is_opened_beside_one_that_has_not_ended(browser, dashboard):
    """How far that one is can be read; the bar is named."""
    with browser.without_scripts(f"{dashboard.url}/suites") as page:
        assert "17 of 40 runs, 2 not judged" in page.locator(".running").inner_text()
        assert page.get_by_role("progressbar", name="docs-agent: 17 of 40 runs").count() == 1
        tab_to(page, "Runs of suites", "demo")
        page.keyboard.press("Enter")
        page.wait_for_url("**/suite?run=run-demo")


def test_a_call_in_a_conversation_is_unfolded(browser, dashboard):
    """The tool call is folded until Enter is pressed on it."""
    with browser.without_scripts(f"{dashboard.url}/skill?name=chat") as page:
        page.locator("tbody a").first.press("Enter")
        page.wait_for_url("**/evaluation?**")
        fold = page.locator("details.call").first
        was = fold.evaluate("one => one.open")
        fold.locator("summary").press("Enter")
        assert fold.evaluate("one => one.open") is not was
