"""Judged Markdown and code on a page: formatted, and still nothing but text."""

from __future__ import annotations

import re
from typing import Any

import pytest
from browser import LOOKS
from conftest import make_rubric, seven
from hostile_text import ATTACKS, EVERY_ATTACK
from html_reading import PageReader, self_contained

import evenhand
from evenhand.reports.html.texts.highlighting import _LANGUAGES, highlighted, language_of
from evenhand.reports.html.texts.highlighting import LONGEST as LONGEST_CODE
from evenhand.reports.html.texts.rendered_text import LONGEST, rendered_text
from evenhand.work.submission import Submission
from every_case import every_case
from report_formats import scorecard_page

MARKDOWN = """\
# Title

Some *stress*, **weight**, ~~gone~~ and `code`.

3. third
4. fourth

> quoted

| name | value |
|------|------:|
| a    | 1     |

```python
def f():  # why
    return "text", 12
```
---
"""

ALLOWED: dict[str, tuple[str, ...]] = {
    **dict.fromkeys("em strong s ul li blockquote table thead tbody tr code hr br".split(), ()),
    **dict.fromkeys("p td pre span".split(), ("class",)),
    "ol": ("start",),
}
"""Every element that may come from Markdown, with its attributes; what they hold is ours, or a number."""


def shown(text: str, file_name: str = "") -> PageReader:
    made = rendered_text(text, file_name)
    assert made is not None
    return PageReader(str(made))


def test_markdown_becomes_headings_lists_tables_and_code():
    """Its marks are gone, and every word is there."""
    page = shown(MARKDOWN)
    assert page.text_in("p.heading depth-1") == ["Title"]
    assert (page.text_in("em"), page.text_in("strong"), page.text_in("s")) == (["stress"], ["weight"], ["gone"])
    assert [element.attributes for element in page.elements if element.tag == "ol"] == [{"start": "3"}]
    assert page.text_in("td.head") == ["name", "value"]
    assert page.text_in("span.code-word") == ["def", "return"]
    assert page.text_in("span.code-comment") == ["# why"]
    assert page.text_in("span.code-string") == ['"text"']
    assert page.text_in("span.code-number") == ["12"]


def test_a_text_of_plain_paragraphs_has_no_second_view():
    """It would look as it does already."""
    for text in ("", "  \n", "One line.", "Two lines\nof text.\n\nAnd a paragraph."):
        assert rendered_text(text) is None


@pytest.mark.parametrize(("length", "is_shown"), [(LONGEST, True), (LONGEST + 1, False)])
def test_a_text_is_formatted_up_to_a_length(length, is_shown):
    """Pages of long texts stay about as long as the text."""
    text = "# x\n" + "y" * (length - 4)
    assert (rendered_text(text) is not None) == is_shown


def test_raw_html_stays_text():
    """In blocks, in lines, in tables and in code."""
    for text in ("# h\n<b>x</b>", "*e*\n\n<script>x</script>", "`<b>`", "|a|\n|-|\n|<b>|", "```html\n<b>\n```"):
        made = str(rendered_text(text))
        assert "<b>" not in made and "<script" not in made
        assert "&lt;" in made


def test_a_picture_is_its_description_and_address_and_a_link_is_not_one():
    """Nothing is loaded, and nothing can be followed by mistake."""
    page = shown("![a cat](https://evil.example/p.png) [click](https://evil.example/) <https://evil.example/x>")
    assert page.words == "picture: a cat https://evil.example/p.png click https://evil.example/ https://evil.example/x"
    assert not {"a", "img"} & {element.tag for element in page.elements}


@pytest.mark.parametrize("address", ["javascript:alert(1)", "data:text/html,<script>alert(1)</script>", "vbscript:x"])
def test_an_address_that_would_run_is_shown_as_it_was_written(address):
    """Markdown itself refuses it."""
    page = shown(f"*x* [click]({address})")
    assert address in page.words
    assert page.links() == []


@pytest.mark.parametrize("attack", ATTACKS, ids=range(len(ATTACKS)))
def test_no_attack_makes_an_element_or_an_attribute(attack):
    """In a heading, a list, a table, a link, a picture, a quote, code with a language, and the name of a language."""
    text = (
        f"# {attack}\n\n- {attack}\n- *{attack}*\n\n> {attack}\n\n|a|\n|-|\n|{attack}|\n\n[{attack}]({attack})\n\n"
        f"![{attack}](<{attack}>)\n\n[x](x '{attack}')\n\n`{attack}`\n\n```html\n{attack}\n```\n\n"
        f"~~~{attack}\n{attack}\n~~~\n"
    )
    page = shown(text)
    for element in page.elements:
        assert set(element.attributes) <= {*ALLOWED[element.tag]}, element
        assert re.fullmatch(r"[a-z0-9 -]*", " ".join(element.attributes.values())), element
    assert not set(str(rendered_text(text))) & set("\u202e\x1b\u200b\x07")


@every_case("language", sorted(_LANGUAGES))
def test_highlighted_code_is_the_code(language):
    """Nothing is added or lost, whatever it is."""
    for code in ("x = 1\n", "\n\n  a\t'b\n", MARKDOWN, EVERY_ATTACK.replace("\x85", "")):
        page = PageReader(str(highlighted(code, language)))
        expected = PageReader(str(highlighted(code, "no such language")))
        assert "".join(text for _, text in page.texts) == "".join(text for _, text in expected.texts)


def test_an_unknown_language_and_long_code_are_shown_plain():
    """So is what the list of languages lacks."""
    for code, language in (("x = 1", ""), ("x = 1", "klingon"), ("x = 1", "brainfuck")):
        assert str(highlighted(code, language)) == "x = 1"
    assert "<span" in highlighted("1 " * (LONGEST_CODE // 2), "python")
    assert "<span" not in highlighted("1 " * (LONGEST_CODE // 2) + "1", "python")
    block = "```python\n" + "1 " * (LONGEST_CODE // 4) + "\n```\n"
    assert str(rendered_text(block)).count("code-number") == LONGEST_CODE // 4
    assert (
        str(rendered_text(3 * block)).count("code-number") == LONGEST_CODE // 4
    )  # two do not fit: each has a line break


@pytest.mark.parametrize(
    ("name", "language"),
    [("a.py", "python"), ("src/a.rs", "rust"), ("answer.md", ""), ("notes.txt", ""), ("run.jsonl", ""), ("", "")],
)
def test_a_file_of_source_code_is_known_by_its_name(name, language):
    """A transcript is not source code."""
    assert (language_of(name) if name else "") == language


def page_of(output: str, evidence: str = "", **more: Any) -> str:
    quoting = {"score": 8, "justification": "It says so.", "evidence": [evidence]} if evidence else 8
    scores = {**seven(8), "correctness": quoting}
    card = evenhand.score({"scores": scores}, rubric=make_rubric(), output=output, id="x")
    return scorecard_page(card, Submission(output=output, **more))


def opened_views(page: PageReader) -> list[bool]:
    return ["open" in element.attributes for element in page.elements if element.attributes.get("class") == "text-view"]


def test_the_view_with_the_quotes_is_open_when_there_are_quotes():
    """Otherwise the formatted one; of source code that is its colours."""
    assert opened_views(self_contained(page_of(MARKDOWN, "Some *stress*"))) == [False, True]
    assert opened_views(self_contained(page_of(MARKDOWN))) == [True, False]
    assert opened_views(self_contained(page_of("x = 1", source="a.py"))) == [True, False]
    assert opened_views(self_contained(page_of("Plain."))) == []


@pytest.mark.slow
def test_the_views_switch_by_mouse_and_keyboard_and_a_quote_opens_its_own(browser: Any, tmp_path: Any):
    """One is open at a time, without a script."""
    (tmp_path / "page.html").write_text(page_of(MARKDOWN + "\n\nMore.\n" * 200 + "The end.\n", "The end."))
    with browser.open(tmp_path / "page.html") as opened:
        page = opened.page
        formatted, raw = page.locator(".rendered"), page.locator("ol.lines").first
        assert (formatted.is_visible(), raw.is_visible()) == (False, True)
        page.get_by_text("Formatted", exact=True).click()
        assert (formatted.is_visible(), raw.is_visible()) == (True, False)
        page.locator("summary", has_text="Raw text").focus()
        page.keyboard.press("Enter")
        assert (formatted.is_visible(), raw.is_visible()) == (False, True)
        page.get_by_text("Formatted", exact=True).focus()
        page.keyboard.press("Space")
        assert formatted.is_visible()
        page.locator("a[href='#quote-1']").last.click()  # its passage is in the raw text
        page.locator("#quote-1").wait_for(state="visible")
        assert not formatted.is_visible()
        opened.check()


@pytest.mark.slow
def test_formatted_text_has_no_barrier_and_runs_nothing(browser: Any, tmp_path: Any):
    """With every attack in it, in light and dark, narrow and wide."""
    text = MARKDOWN + "".join(f"\n\n## {attack}\n\n- {attack}\n\n```html\n{attack}\n```\n" for attack in ATTACKS)
    (tmp_path / "page.html").write_text(page_of(text), encoding="utf-8")
    with browser.open(tmp_path / "page.html") as opened:
        assert opened.page.locator(".rendered").is_visible()
        for width, scheme in LOOKS:
            opened.look(width, scheme)
            opened.check_width()
            opened.check_barriers()
        opened.check()
        assert opened.evaluate("window.ran") is None
