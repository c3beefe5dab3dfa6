"""A rubric's Markdown -> its parts as written, each with its line: headings, tables, bullets, blocks. No meaning yet.

The Markdown itself is parsed by markdown-it; here its tokens are only sorted into sections.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from markdown_it.token import Token


DEEPEST = 260
"""How deep Markdown is followed: a list inside a list is two deeper. Criteria may be nested a hundred times."""


@dataclass(slots=True)
class Piece:
    """A paragraph, a list item or a table row, with the line it starts on."""

    line: int
    text: str
    label: str = ""
    """The leading bold words of a paragraph, without their colon; `text` is what follows them."""
    code: str = ""
    """The leading code span of a list item; `text` is what follows it."""
    cells: tuple[str, ...] = ()
    """The cells of a table row."""
    header: tuple[str, ...] = ()
    """The cells of the header above a table row."""
    lead: str = ""
    """The paragraph right above the list that a list item belongs to."""
    lines: tuple[str, ...] = ()
    """The lines of a paragraph as they were written."""
    nested: list[Piece] = field(default_factory=list)
    """The items of the lists inside a list item, at any depth; their text is part of `text` too."""
    children: list[Piece] = field(default_factory=list)
    """The items of the lists right inside a list item, with their own children."""
    written: str = ""
    """The first paragraph of a list item as it was written, without that of the items inside it."""
    read: bool = False
    """Whether a reader has used it for the scoring."""

    @property
    def whole(self) -> str:
        """A paragraph's text with its label, a list item's with its code span, a row's cells."""
        if self.cells:
            return " | ".join(self.cells)
        if self.lines:
            return " ".join(" ".join(self.lines).split())
        return f"`{self.code}` {self.text}".rstrip() if self.code else self.text


@dataclass(slots=True)
class Section:
    """A heading and everything under it, down to the next heading."""

    level: int
    heading: str
    line: int
    paragraphs: list[Piece] = field(default_factory=list)
    items: list[Piece] = field(default_factory=list)
    rows: list[Piece] = field(default_factory=list)
    """Table rows without the header row."""
    blocks: list[Piece] = field(default_factory=list)
    """Code and HTML as written, and definitions of links."""
    read: bool = False
    """Whether a reader has used the heading for the scoring."""


def outline(markdown: str, first_line: int = 1) -> list[Section]:
    """The sections of a text in order; the first has level 0 and holds what precedes any heading."""
    from markdown_it import MarkdownIt  # slows start-up; built-in rubrics do not need it

    environment: dict[str, Any] = {}
    tokens = MarkdownIt("commonmark", {"maxNesting": DEEPEST}).enable("table").parse(markdown, environment)
    sections = _Sorter(first_line).sort(tokens)
    for name, link in environment.get("references", {}).items():
        line = first_line + link["map"][0]
        section = next(section for section in reversed(sections) if section.line <= line)
        section.blocks.append(Piece(line, f"{name}: {link['href']}", label="reference"))
    return sections


class _Sorter:
    def __init__(self, first_line: int) -> None:
        self._first_line = first_line
        self._sections = [Section(0, "", first_line)]
        self._line = first_line
        self._level = 0
        self._open: list[str] = []
        self._item: Piece | None = None
        self._inner: Piece | None = None
        self._items: list[Piece] = []
        """The list items that are open, outermost first."""
        self._lead = ""
        self._cells: list[str] = []
        self._header: tuple[str, ...] = ()

    def sort(self, tokens: list[Token]) -> list[Section]:
        for token in tokens:
            if token.map:
                self._line = self._first_line + token.map[0]
            if token.type == "inline":
                self._inline(token)
            elif token.nesting == 1:
                self._opens(token)
            elif token.nesting == -1:
                self._closes(token)
            elif token.type in ("fence", "code_block", "html_block"):
                self._sections[-1].blocks.append(Piece(self._line, token.content, label=token.type))
                self._lead = ""
        return self._sections

    def _opens(self, token: Token) -> None:
        self._open.append(token.type)
        if token.type == "heading_open":
            self._level = int(token.tag[1:])
        elif token.type == "list_item_open" and self._open.count("list_item_open") == 1:
            self._item = Piece(self._line, "", lead=self._lead)
            self._sections[-1].items.append(self._item)
            self._items = [self._item]
        elif token.type == "list_item_open" and self._item is not None:
            self._inner = Piece(self._line, "")
            self._item.nested.append(self._inner)
            self._items[-1].children.append(self._inner)
            self._items.append(self._inner)
        elif token.type == "tr_open":
            self._cells = []

    def _closes(self, token: Token) -> None:
        self._open.pop()
        if token.type == "tr_close" and "tbody_open" in self._open:
            self._sections[-1].rows.append(Piece(self._line, "", cells=tuple(self._cells), header=self._header))
        elif token.type == "tr_close":
            self._header = tuple(self._cells)
        elif token.type == "list_item_close" and "list_item_open" not in self._open:
            self._item = None
        elif token.type == "list_item_close":
            self._inner = None
            self._items.pop()
        if not self._open:
            self._lead = self._sections[-1].paragraphs[-1].whole if token.type == "paragraph_close" else ""

    def _inline(self, token: Token) -> None:
        text = " ".join(token.content.split())
        around = self._open[-1]
        if around == "heading_open":
            self._sections.append(Section(self._level, text, self._line))
        elif around in ("td_open", "th_open"):
            self._cells.append(text)
        elif self._item is not None:
            self._items[-1].written = self._items[-1].written or token.content
            if self._inner is not None and not self._inner.text:
                self._inner.code, self._inner.text = _leading(token, "code_inline")
            if self._item.text or self._item.code:
                self._item.text = f"{self._item.text} {text}".strip()
            else:
                self._item.code, self._item.text = _leading(token, "code_inline")
        elif around == "paragraph_open":
            label, rest = _leading(token, "strong_open")
            lines = tuple(token.content.split("\n"))
            self._sections[-1].paragraphs.append(Piece(self._line, rest, label=label, lines=lines))


def _leading(token: Token, kind: str) -> tuple[str, str]:
    """A leading code span or bold phrase and the text after it, or nothing and the whole text."""
    text = " ".join(token.content.split())
    children = [child for child in token.children or [] if child.content or child.type != "text"]
    if not children or children[0].type != kind:
        return "", text
    mark = children[0].markup
    end = text.find(mark, len(mark))
    if end < 0:
        return "", text
    lead = text[len(mark) : end].strip().rstrip(":").strip()
    rest = text[end + len(mark) :].lstrip()
    return lead, rest.removeprefix(":").lstrip() if kind == "strong_open" else rest
