"""Searching for words: all of them, in any order, each text once, with the words marked."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from conftest import judged, seven
from dashboard import Dashboard
from web_stores import store_with_course

from evenhand.core.values.submission import Submission
from evenhand.store.record import record_of
from evenhand.store.tables.filter import words_of
from evenhand.web.pages.evaluations import places_of


@pytest.fixture(scope="module", params=["sqlite", "postgresql"])
def dashboard(request: Any, tmp_path_factory: Any) -> Iterator[Dashboard]:
    if request.param == "postgresql":
        url = request.getfixturevalue("postgresql_server").empty_database()
    else:
        url = str(tmp_path_factory.mktemp("store") / "evaluations.db")
    store_with_course(url, evaluations=30, fall=30)
    with Dashboard(url) as running:
        yield running


def found(output: str, query: str, task: str | None = None) -> list[list[str]]:
    """The pieces of each place in a submission's texts."""
    submission = Submission(output=output, task=task)
    record = record_of(judged(seven(8)), completed=0, submission=submission, keep_text=True)
    return [place["text"] for place in places_of(record, query)]


def test_words_and_phrases_are_told_apart():
    """Each once, eight at most; a quotation mark alone is a word."""
    assert words_of(' never "ever  again" never " ') == ["never", "ever again", '"']
    assert words_of("") == words_of('""') == []
    assert len(words_of("a b c d e f g h i")) == 8


def test_every_word_has_to_be_there_in_any_order():
    """In capitals or not; in one text or in several."""
    text = "The cache never expires."
    assert found(text, "EXPIRES cache") == [["The ", "cache", " never ", "expires", "."]]
    assert found(text, "expires often") == []
    assert found(text, "cache bug", task="Fix the bug.") == [
        ["The ", "cache", " never expires."],
        ["Fix the ", "bug", "."],
    ]


def test_words_that_follow_one_another_are_marked_together():
    """Also over the end of a line."""
    assert found("It never\nexpires.", "never expires") == [["It ", "never\nexpires", "."]]


def test_a_phrase_is_found_as_it_is_over_any_white_space():
    """Its words apart are not it."""
    assert found("It never\n  expires.", '"never expires"') == [["It ", "never\n  expires", "."]]
    assert found("It never quite expires.", '"never expires"') == []


def test_a_text_is_shown_once_and_long_ones_are_cut():
    """Ninety characters around the first words."""
    [[before, word, after]] = found("x" * 200 + " cache " + "y" * 200, "cache", task="x" * 200 + " cache " + "y" * 200)
    assert (before, word, after) == ("…" + "x" * 89 + " ", "cache", " " + "y" * 89 + "…")


def test_signs_of_patterns_are_signs():
    """Nothing of a query is taken for a pattern."""
    assert found("a.b (c) [d] 100%", "(c) 100%") == [["a.b ", "(c)", " [d] ", "100%", ""]]
    assert found("axb", "a.b") == []


def test_a_search_finds_words_of_task_and_output(dashboard):
    """`17` in the output, `test` in the task."""
    rows = dashboard.json("/search?q=test+17+expires")["found"]
    assert [(row["id"], row["title"]) for row in rows] == [("fix-0017", "Fix bug 17")]
    assert [place["where"] for place in rows[0]["places"]][:2] == ["output", "task"]
    assert dashboard.json("/search?q=%22bug+never%22")["found"] == []


def test_evaluations_that_only_seem_to_hold_a_word_do_not_hide_those_that_do(dashboard):
    """`1` is in the hashes of all 30; only the first ones have `bug 1.` as words, and they are the oldest."""
    assert [row["id"] for row in dashboard.json('/search?q="bug+1."')["found"]] == ["fix-0001"]


@pytest.mark.slow
def test_searching_with_the_keyboard_marks_the_words(browser, dashboard):
    """From the field at the top; no barrier."""
    with browser.open(f"{dashboard.url}/") as opened:
        page = opened.page
        page.get_by_label("Search texts").fill("Fixed 17")
        page.keyboard.press("Enter")
        page.wait_for_url("**/search?q=Fixed+17")
        assert page.locator("mark").all_inner_texts()[:2] == ["Fixed", "17"]
        opened.check_barriers()
        opened.check_controls()
