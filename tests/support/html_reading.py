"""A page read the way a browser's parser does, as far as tests need it: elements, ids, links, text."""

from __future__ import annotations

from html.parser import HTMLParser
from typing import NamedTuple

VOID = {"meta", "link", "br", "hr", "img", "input"}


class Element(NamedTuple):
    """An element's start."""

    tag: str
    attributes: dict[str, str]
    inside: tuple[str, ...]
    """The tags it is in."""


class PageReader(HTMLParser):
    """Collects what tests look at."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.elements: list[Element] = []
        self.texts: list[tuple[str, str]] = []
        """Each piece of text with the tag and class it is directly in."""
        self._open: list[tuple[str, str]] = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        attributes = {name: value or "" for name, value in attrs}
        if tag == "li":  # a list item ends where the next begins
            self._close("li", within=("ol", "ul"))
        self.elements.append(Element(tag, attributes, tuple(name for name, _ in self._open)))
        if tag not in VOID:
            self._open.append((tag, attributes.get("class", "")))

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append(
            Element(tag, {name: value or "" for name, value in attrs}, tuple(name for name, _ in self._open))
        )

    def handle_endtag(self, tag: str) -> None:
        if tag in ("ol", "ul"):
            self._close("li", within=("ol", "ul"))
        assert self._open, f"</{tag}> closes nothing"
        assert self._open[-1][0] == tag, f"</{tag}> closes <{self._open[-1][0]}>"
        self._open.pop()

    def _close(self, tag: str, within: tuple[str, ...]) -> None:
        for name, _ in reversed(self._open):
            if name == tag:
                while self._open.pop()[0] != tag:
                    pass
                return
            if name in within:
                return

    def handle_data(self, data: str) -> None:
        tag, kind = self._open[-1] if self._open else ("", "")
        self.texts.append((f"{tag}.{kind}" if kind else tag, data))

    def by_id(self) -> dict[str, Element]:
        ids = [element.attributes["id"] for element in self.elements if "id" in element.attributes]
        assert len(ids) == len(set(ids)), "an id is used twice"
        return {element.attributes["id"]: element for element in self.elements if "id" in element.attributes}

    def links(self) -> list[str]:
        return [element.attributes["href"] for element in self.elements if "href" in element.attributes]

    def text_in(self, place: str) -> list[str]:
        """The texts directly in a tag, or a tag with a class: "mark.flag"."""
        return [data for where, data in self.texts if where == place or where.split(".")[0] == place]

    @property
    def words(self) -> str:
        """All text that a reader sees, white space folded."""
        shown = [data for where, data in self.texts if where.split(".")[0] not in ("style", "title")]
        return " ".join("".join(shown).split())


def self_contained(text: str) -> PageReader:
    """The page, after checking that it loads nothing, runs nothing, and that every link in it leads somewhere."""
    page = PageReader(text)
    tags = {element.tag for element in page.elements}
    assert not tags & {"script", "iframe", "object", "embed", "img", "link", "base", "form"}
    for element in page.elements:
        assert not [name for name in element.attributes if name.startswith("on") or name in ("style", "src", "srcset")]
    ids = page.by_id()
    for link in page.links():
        assert link.startswith("#"), link
        assert link[1:] in ids, f"{link} leads nowhere"
    (policy,) = [
        element.attributes["content"]
        for element in page.elements
        if element.attributes.get("http-equiv") == "Content-Security-Policy"
    ]
    assert policy.startswith("default-src 'none'; style-src 'sha256-")
    assert "unsafe" not in policy
    return page


class _Rows(HTMLParser):
    """Collects the cells of tables."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.rows: list[list[str]] = []
        self.in_cell = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "tr":
            self.rows.append([])
        elif tag in ("td", "th"):
            self.rows[-1].append("")
            self.in_cell = True

    def handle_endtag(self, tag: str) -> None:
        if tag in ("td", "th"):
            self.in_cell = False

    def handle_data(self, data: str) -> None:
        if self.in_cell:
            self.rows[-1][-1] += data


def table_rows(text: str) -> list[list[str]]:
    """The rows of all tables of a page, in order: the text of each cell, white space folded."""
    reader = _Rows()
    reader.feed(text)
    return [[" ".join(cell.split()) for cell in row] for row in reader.rows]
