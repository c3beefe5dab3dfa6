"""evenhand docs: the pages of the documentation and the JSON Schemas, from the package."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from evenhand.cli.manual import Page, find_page, read_pages, search, with_page_names
from evenhand.cli.presenter import console, format_option, markdown_table, present, write
from evenhand.cli.shared import say
from evenhand.errors import InputError, shortened, unknown

_SCHEMAS = Path(__file__).parents[3] / "schemas"
_ENDING = ".v1.schema.json"
_NAMES = sorted(path.name.removesuffix(_ENDING) for path in _SCHEMAS.glob(f"*{_ENDING}"))


@click.command("docs")
@click.argument("topic", metavar="[TOPIC | schema NAME]", nargs=-1)
@format_option()
def command(topic: tuple[str, ...], format: str) -> None:
    """Print a page of the documentation, or a JSON Schema; without a topic, list the pages.

    TOPIC is a page's name, such as start, gate-a-ci-job or methodology, or words of its title. Other words are looked
    for, and the sections that speak of them are listed. With schema and the name of a document, its JSON Schema is
    printed, for editors and other tools. It is that of the installed version and needs no network.

    \b
    Examples:
      evenhand docs
      evenhand docs start
      evenhand docs trust a judge
      evenhand docs delete an evaluation
      evenhand docs gate-a-ci-job --format markdown
      evenhand docs schema judgement > judgement.schema.json
    """
    if topic[:1] == ("schema",):
        _print_schema(" ".join(topic[1:]))
        return
    pages = read_pages()
    if not topic:
        _list(pages, format)
        return
    page = find_page(" ".join(topic), pages)
    if page is None:
        _search(" ".join(topic), pages, format)
        return

    def terminal() -> None:
        from evenhand.cli.page_view import PageView

        console().print(PageView(with_page_names(page.text), hyperlinks=False))
        if with_page_names(page.text) != page.text:
            say("names in brackets are pages: evenhand docs NAME")

    present(format, lambda: _document(page) | {"text": page.text}, terminal=terminal, markdown=lambda: page.text)


def _print_schema(name: str) -> None:
    if name not in _NAMES:
        valid = f"valid: {', '.join(_NAMES)}"
        raise InputError(unknown("schema", name, _NAMES) if name else f"name the document of the schema; {valid}")
    write((_SCHEMAS / f"{name}{_ENDING}").read_text(encoding="utf-8"))


def _list(pages: list[Page], format: str) -> None:
    width = max(len(page.name) for page in pages)
    present(
        format,
        lambda: [_document(page) for page in pages],
        plain=lambda: [f"{page.name:{width}}  {page.title}" for page in pages],
        markdown=lambda: markdown_table(("page", "title"), [(page.name, page.title) for page in pages]),
    )
    if format == "terminal":
        say("read one with: evenhand docs PAGE")


def _search(topic: str, pages: list[Page], format: str) -> None:
    hits = search(topic, pages)
    if not hits:
        raise InputError(unknown("page", topic, [page.name for page in pages], otherwise="see: evenhand docs"))
    present(
        format,
        lambda: [hit._asdict() for hit in hits],
        plain=lambda: [
            line for hit in hits for line in (f"{hit.page}: {hit.heading}", f"    {shortened(hit.line, 74)}")
        ],
        markdown=lambda: markdown_table(("page", "section", "line"), hits),
    )
    if format == "terminal":
        say("read one with: evenhand docs PAGE")


def _document(page: Page) -> dict[str, Any]:
    return {"name": page.name, "title": page.title, "folder": page.folder or None}
