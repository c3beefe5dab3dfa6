"""Judged text is hostile: attacks in every field of every page stay text, and nothing runs or leaves."""

from __future__ import annotations

import re
from functools import lru_cache
from pathlib import Path
from typing import Any

import pytest
from hostile_text import OUTPUT, rich_card
from html_reading import PageReader

import evenhand
from evenhand.core.values import Comparison, DimensionComparison, Drift
from evenhand.reports.html.scorecard import scorecard_page
from evenhand.work.submission import Submission


@lru_cache(maxsize=1)
def subject() -> tuple[evenhand.Scorecard, Submission]:
    """A scorecard with a history, and its submission."""
    card, submission = rich_card()
    line = DimensionComparison(8.1, 0.3, -3.1, True, False, "why", 0.004)
    history = Comparison(10, dict.fromkeys(evenhand.DIMENSIONS, line), 2, 1, Drift(True, 8.0, 0.2, 7.0, 0.3, 12), 3)
    return card._replace(history=history), submission


def ranking() -> Any:
    cards = [evenhand.score({"id": f"id {n}", "scores": dict.fromkeys(evenhand.DIMENSIONS, n)}) for n in (6, 7)]
    return evenhand.rank([*cards, subject()[0]])


VIEWS = re.compile(
    r'<div class="text-views">.*?<div class="rendered">(.*?)</div></details>\s*<details[^>]*><summary>[^<]*</summary>'
    r"(.*?)</details>\s*</div>",
    re.DOTALL,
)
"""A text in two views: formatted as Markdown, and raw. Attacks with an asterisk in them have the first one too."""


def shape(text: str) -> list[tuple[str, tuple[str, ...]]]:
    """The elements of a page with the names of their attributes, without what depends on the text itself."""
    return [(element.tag, tuple(element.attributes)) for element in PageReader(VIEWS.sub(r"\2", text)).elements]


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
