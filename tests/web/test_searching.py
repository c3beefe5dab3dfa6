"""Searching for words: all of them, in any order, each text once, with the words marked."""

from __future__ import annotations

from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import pytest
from conftest import judged, seven
from dashboard import Dashboard, on_one_store
from web_stores import store_with_course

from evenhand.store.record import record_of
from evenhand.store.tables.filter import words_of
from evenhand.store.tables.word_index import LONGEST_WORD, split
from evenhand.web.pages.evaluations import places_of
from evenhand.web.rendering import found_in
from evenhand.work.submission import Submission


@pytest.fixture(scope="module", params=["sqlite", "postgresql"])
def address(request: Any, tmp_path_factory: Any) -> str:
    if request.param == "postgresql":
        url = request.getfixturevalue("postgresql_server").empty_database()
    else:
        url = str(tmp_path_factory.mktemp("store") / "evaluations.db")
    store_with_course(url, evaluations=30, fall=30)
    return str(url)


@pytest.fixture(scope="module")
def dashboard(address: str) -> Iterator[Dashboard]:
    with Dashboard(address) as running:
        yield running


def found(output: str, query: str, task: str | None = None) -> list[list[str]]:
    """The pieces of each place in a submission's texts."""
    submission = Submission(output=output, task=task)
    record = record_of(judged(seven(8)), completed=0, submission=submission, keep_text=True)
    nothing_more: Any = SimpleNamespace(notes=lambda id: [], transcript=lambda submission: None)
    return [place["text"] for place in places_of(nothing_more, record, query)]


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


def test_where_a_text_stands_is_said_for_readers():
    assert found_in("dimensions safety justification") == "safety reason"
    assert found_in("dimensions correctness evidence quote") == "correctness quote"
    assert (found_in("findings message"), found_in("output")) == ("finding message", "output")


def test_signs_of_patterns_are_signs():
    """Nothing of a query is taken for a pattern."""
    assert found("a.b (c) [d] 100%", "(c) 100%") == [["a.b ", "(c)", " [d] ", "100%", ""]]
    assert found("axb", "a.b") == []


def test_a_search_finds_words_of_task_and_output(dashboard):
    """`17` in the output, `test` in the task."""
    rows = dashboard.json("/evaluations?q=test+17+expires")["listed"]
    assert [(row["id"], row["title"]) for row in rows] == [("fix-0017", "Fix bug 17")]
    assert [place["where"] for place in rows[0]["places"]][:2] == ["output", "task"]
    assert dashboard.json("/evaluations?q=%22bug+never%22")["listed"] == []


def test_evaluations_that_only_seem_to_hold_a_word_do_not_hide_those_that_do(dashboard):
    """`1` is in the hashes of all 30; only the first ones have `bug 1.` as words, and they are the oldest."""
    assert [row["id"] for row in dashboard.json('/evaluations?q="bug+1."')["listed"]] == ["fix-0001"]


def test_a_search_narrows_by_skill_and_goes_on_from_page_to_page(dashboard):
    """All 30 hold `never`, 20 of them on the first page; each once."""
    first = dashboard.json("/evaluations?q=never+expires&skill=fix-bug")
    assert (len(first["listed"]), first["next"] is not None) == (20, True)
    second = dashboard.json(f"/evaluations?q=never+expires&skill=fix-bug&before={first['next']}")
    ids = [row["id"] for row in [*first["listed"], *second["listed"]]]
    assert ids == sorted({f"fix-{number:04}" for number in range(30)}, reverse=True)
    assert second["next"] is None
    assert dashboard.json("/evaluations?q=never&skill=fix")["listed"] == []


def test_words_are_split_alike_for_texts_and_questions():
    """Small letters, at signs and lines; each sign of a script without spaces by itself; a word has an end."""
    assert split("Never_ever AGAIN, naïve v2.0!") == ["never", "ever", "again", "naïve", "v2", "0"]
    assert split("障害です ok") == ["障", "害", "で", "す", "ok"]
    assert split("x" * (LONGEST_WORD + 1)) == ["x" * LONGEST_WORD]
    assert split("— (") == []


@pytest.mark.slow
@on_one_store("address")
def test_searching_with_the_keyboard_marks_the_words(browser, dashboard):
    """From the field at the top; no barrier."""
    with browser.open(f"{dashboard.url}/") as opened:
        page = opened.page
        page.get_by_label("Search everything kept").fill("Fixed 17")
        page.keyboard.press("Enter")
        page.wait_for_url("**/evaluations?q=Fixed+17")
        assert page.locator("mark").all_inner_texts()[:2] == ["Fixed", "17"]
        opened.check_barriers()
        opened.check_controls()
