"""Judged text is hostile: attacks in every field of every page stay text, and nothing runs or leaves."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

import pytest
from browser import LOOKS
from hostile_text import ATTACKS, EVERY_ATTACK, OUTPUT, poisoned, rich_card
from html_reading import PageReader, self_contained
from test_html_pages import preferences, two_sets

import evenhand
from evenhand.core.comparison import Comparison, DimensionComparison, Drift
from evenhand.decisions.changes import changes
from evenhand.decisions.gate import Ruling
from evenhand.decisions.suite_run import ShownTranscript, StoredDetail, SuiteRun
from evenhand.decisions.suite_table import suite_table
from evenhand.reports.comparison.changes import changes_report
from evenhand.reports.comparison.decision_tables import tables_report
from evenhand.reports.comparison.sets import sets_report
from evenhand.reports.comparison.suite import run_report
from evenhand.reports.html.walker import report_page
from evenhand.work.submission import Submission
from report_formats import gate_page, history_page, preferences_page, ranking_page, scorecard_page, scorecards_page
from suite_cases import failed, result


@lru_cache(maxsize=1)
def subject() -> tuple[evenhand.Scorecard, Submission]:
    """A scorecard with a history, and its submission."""
    card, submission = rich_card()
    line = DimensionComparison(8.1, 0.3, -3.1, True, False, "why", 0.004)
    history = Comparison(10, dict.fromkeys(evenhand.DIMENSIONS, line), 2, 1, Drift(True, 8.0, 0.2, 7.0, 0.3, 12), 3)
    return card._replace(history=history), submission


def two_variants() -> Any:
    rows = [evenhand.Row("case", name, 1, score) for name, score in (("a", 7), ("b", 8))]
    return evenhand.decide(evenhand.ResultsTable(rows, ("a", "b")))


def ranking() -> Any:
    cards = [evenhand.score({"id": f"id {n}", "scores": dict.fromkeys(evenhand.DIMENSIONS, n)}) for n in (6, 7)]
    return evenhand.rank([*cards, subject()[0]])


def suite(change: Callable[[Any], Any]) -> str:
    """A suite's page with a stored scorecard, an output and a transcript in a cell, and a failed run."""
    names = (change("the first"), change("the variant") + "2")
    texts = {"tags": (change("tag"),), "faults": ((change("check"), "major"),), "evaluation": change("the card")}
    results = [
        result(change("the case"), names[0], 1, 500, **texts),
        failed(change("the case"), names[1], 1, change("why")),
    ]
    run = SuiteRun("run", change("suite"), "ab" * 32, "2026-01-01", names, names[0], 1, 1, notes=(change("a note"),))
    transcript = ShownTranscript("a/transcript", subject()[1].events, 3, "why it is cut")
    details = {results[0].id: change(StoredDetail(subject()[0], "its output", 5, transcript))}
    return report_page(run_report(run, evenhand.decide(suite_table(run, results)), results, details=details))


def pairs(change: Callable[[Any], Any]) -> str:
    """A page of preferences whose systems have hostile names; two of one name could not be compared."""
    given = preferences()
    names = {
        name: name if change(name) == name else f"{change(name)}{place}" for place, name in enumerate(given.systems)
    }
    made = change(given)
    results = tuple(
        result._replace(a=names[before.a], b=names[before.b])
        for result, before in zip(made.results, given.results, strict=True)
    )
    return preferences_page(made._replace(systems=tuple(names.values()), results=results))


PAGES: dict[str, Callable[[Callable[[Any], Any]], str]] = {
    "scorecard": lambda change: scorecard_page(*change(subject())),
    "scorecards": lambda change: scorecards_page(change([("name", subject()[0])] * 2), change(["an error"])),
    "changes": lambda change: (
        lambda before, after, text: report_page(
            changes_report(
                before, after, changes(before, after), (text, text._replace(output=f"{text.output}\nchanged"))
            )
        )
    )(change(subject()[0]), change(rich_card()[0])._replace(red_flags=()), change(subject()[1])),
    "sets": lambda change: report_page(sets_report(change(two_sets("1")))),
    "standings": lambda change: report_page(tables_report(change("suite"), change([("judge", two_variants())]))),
    "ranking": lambda change: ranking_page(change(ranking()), {}),
    "gate": lambda change: gate_page(
        "red", change([Ruling("name", "red", "why")]), change([("name", subject()[0])]), change(["an error"])
    ),
    "history": lambda change: history_page(change("skill"), change([subject()[0]] * 3)),
    "suite": suite,
    "preferences": pairs,
}


VIEWS = re.compile(
    r'<div class="text-views">.*?<div class="rendered">(.*?)</div></details>\s*<details[^>]*><summary>[^<]*</summary>'
    r"(.*?)</details>\s*</div>",
    re.DOTALL,
)
"""A text in two views: formatted as Markdown, and raw. Attacks with an asterisk in them have the first one too."""


def shape(text: str) -> list[tuple[str, tuple[str, ...]]]:
    """The elements of a page with the names of their attributes, without what depends on the text itself."""
    return [(element.tag, tuple(element.attributes)) for element in PageReader(VIEWS.sub(r"\2", text)).elements]


@cache
def harmless_shape(name: str) -> list[tuple[str, tuple[str, ...]]]:
    """The shape of a page with harmless words, made once for all attacks."""
    return shape(PAGES[name](lambda value: poisoned(value, "harmless")))


@pytest.mark.parametrize("name", PAGES)
@pytest.mark.slow
def test_no_attack_changes_the_elements_of_a_page(name: str, long: bool):
    """The page has the elements and attributes that it has with harmless words. A short run tries each attack on two
    of the ten pages; below, a browser opens each page with all of them."""
    place = list(PAGES).index(name)
    for attack in ATTACKS if long else ATTACKS[place % 5 :: 5]:
        page = PAGES[name](lambda value, attack=attack: poisoned(value, attack))
        self_contained(page)
        assert shape(page) == harmless_shape(name), attack


def test_the_text_of_an_attack_is_shown_as_it_is():
    """Except for what no reader could see: a replacement character shows that something is there."""
    page = self_contained(PAGES["scorecard"](lambda value: poisoned(value, ATTACKS[0])))
    assert page.words.count(ATTACKS[0]) > 20
    raw = PAGES["scorecard"](lambda value: poisoned(value, "\u202eevil\x1b\u200b"))
    assert not set(raw) & set("\u202e\x1b\u200b")


@pytest.mark.slow
@pytest.mark.parametrize("name", PAGES)
def test_nothing_runs_and_nothing_leaves(browser: Any, tmp_path: Path, name: str):
    """Every attack at once, in every field, in a real browser; every part unfolded."""
    page = tmp_path / "page.html"
    page.write_text(PAGES[name](lambda value: poisoned(value, EVERY_ATTACK)), encoding="utf-8")
    with browser.open(page, width=360) as opened:
        opened.evaluate("document.querySelectorAll('details').forEach(one => one.open = true)")
        opened.check()
        opened.check_width()
        assert opened.evaluate("window.ran") is None


@pytest.mark.slow
@pytest.mark.parametrize("name", PAGES)
def test_no_page_has_a_barrier(browser: Any, tmp_path: Path, name: str):
    """WCAG 2.2 AA, in light and dark, narrow and wide, folded and unfolded."""
    page = tmp_path / "page.html"
    page.write_text(PAGES[name](lambda value: value), encoding="utf-8")
    with browser.open(page) as opened:
        for width, scheme in LOOKS:
            opened.look(width, scheme)
            for is_open in ("false", "true"):
                opened.evaluate(f"document.querySelectorAll('details').forEach(one => one.open = {is_open})")
                opened.check_width()
                opened.check_barriers()
        opened.check()


@pytest.mark.slow
def test_a_keyboard_alone_follows_a_quote_to_its_passage_and_back(browser: Any, tmp_path: Path):
    """Tab to the number, Enter, Tab and Enter again."""
    page = tmp_path / "page.html"
    page.write_text(scorecard_page(*subject()), encoding="utf-8")
    with browser.open(page) as opened:
        opened.page.locator("a[href='#quote-1']").last.focus()
        opened.page.keyboard.press("Enter")
        assert opened.page.url.endswith("#quote-1")
        assert opened.page.locator("#quote-1").is_visible()
        opened.page.locator("#quote-1").focus()
        opened.page.keyboard.press("Enter")
        assert opened.page.url.endswith("#from-1")


@pytest.mark.slow
def test_five_megabytes_of_text_open(browser: Any, tmp_path: Path):
    """As many short lines, and as one line without a space."""
    card, _ = rich_card()
    for text in (f"{OUTPUT}\n" + "<b>a line of fifty characters, more or less</b>\n" * 100_000, "x" * 5_000_000):
        made = scorecard_page(card, Submission(output=text))
        assert len(made) < 2 * len(text)
        (tmp_path / "page.html").write_text(made, encoding="utf-8")
        with browser.open(tmp_path / "page.html") as opened:
            opened.check()
