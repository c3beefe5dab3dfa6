"""A rubric file taken apart: front matter, headings and the blocks under them, each with its line. No meaning yet.

markdown-it parses the Markdown. Nothing is dropped here: what a block cannot hold, such as a cell that has no column,
is noted on it, so that the reader can refuse it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal

from evenhand.errors import InputError, Problem, RubricError
from evenhand.files.located import Located

if TYPE_CHECKING:
    from markdown_it.token import Token

DEEPEST = 260
"""How deep Markdown is followed: a list inside a list is two deeper. Criteria may be nested a hundred times."""

_LINE = re.compile(r"[^\r\n]*(?:\r\n?|\n)|[^\r\n]+")
_TICK = re.compile(r"\[[ xX]\]\s+")
"""The box at the start of a task; it means nothing here."""
_PIPE = re.compile(r"(?<!\\)\|")

Kind = Literal["paragraph", "list", "table", "code", "HTML", "comment", "quotation", "link"]


@dataclass(frozen=True)
class Item:
    """A bullet."""

    line: int
    text: str
    """Its first paragraph as written."""
    children: tuple[Item, ...] = ()
    html: bool = False
    """Whether the text holds HTML, such as a comment."""
    other: int | None = None
    """The line of something else inside it: a second paragraph, code, a table."""


@dataclass(frozen=True)
class Row:
    """A row of a table."""

    line: int
    cells: tuple[str, ...]
    written: int
    """How many cells the line has; Markdown drops those that have no column."""
    html: bool = False


@dataclass(frozen=True)
class Block:
    """A paragraph, a list, a table or another block."""

    kind: Kind
    line: int
    end: int
    text: str = ""
    items: tuple[Item, ...] = ()
    header: tuple[str, ...] = ()
    rows: tuple[Row, ...] = ()
    html: bool = False


@dataclass(frozen=True)
class Section:
    """A heading and the blocks under it, down to the next heading. The first has level 0 and no heading."""

    level: int
    heading: str
    line: int
    blocks: tuple[Block, ...] = ()


@dataclass(frozen=True)
class Document:
    """A file."""

    source: str
    front: Located | None
    front_lines: tuple[int, int] | None
    sections: tuple[Section, ...]
    lines: tuple[str, ...]
    """The text as it is, line by line."""


def document_from(text: str, source: str) -> Document:
    """The parts of a file. RubricError when its front matter is not valid YAML."""
    lines = _LINE.findall(text)  # not splitlines, which splits at characters that editors do not count as line ends
    whole = tuple(line.rstrip("\r\n") for line in lines)
    if not lines or lines[0].removeprefix("\ufeff").strip() != "---":
        return Document(source, None, None, _sections(text, 1), whole)
    for place, line in enumerate(lines[1:], start=1):
        if line.strip() == "---":
            front = _front_matter("".join(lines[1:place]), source)
            return Document(source, front, (1, place + 1), _sections("".join(lines[place + 1 :]), place + 2), whole)
    raise RubricError(Problem('the front matter opened here is never closed; end it with a line "---"', source, 1))


def _front_matter(text: str, source: str) -> Located | None:
    from evenhand.files.yaml_values import load_yaml  # not needed without front matter

    if not text.strip():
        return None
    try:
        front = load_yaml(text, source, first_line=2)
    except InputError as error:
        raise RubricError(error.problems) from None
    if not isinstance(front.value, dict):
        raise RubricError(Problem("the front matter must be a list of keys with values", source, 2))
    return front


def _sections(markdown: str, first_line: int) -> tuple[Section, ...]:
    from markdown_it import MarkdownIt  # slows start-up; built-in rubrics do not need it

    environment: dict[str, Any] = {}
    tokens = MarkdownIt("commonmark", {"maxNesting": DEEPEST}).enable("table").parse(markdown, environment)
    walker = _Walker(tokens, markdown.splitlines(), first_line)
    sections = walker.sections()
    for name, link in environment.get("references", {}).items():
        line = first_line + link["map"][0]
        place = max(index for index, section in enumerate(sections) if not index or section.line <= line)
        block = Block("link", line, line, f"{name}: {link['href']}")
        blocks = sorted((*sections[place].blocks, block), key=lambda block: block.line)
        sections[place] = replace(sections[place], blocks=tuple(blocks))
    return tuple(sections)


class _Walker:
    """Tokens to sections."""

    def __init__(self, tokens: list[Token], lines: list[str], first_line: int) -> None:
        self._tokens = tokens
        self._lines = lines
        self._first_line = first_line
        self._place = 0

    def sections(self) -> list[Section]:
        found: list[tuple[int, str, int, list[Block]]] = [(0, "", self._first_line, [])]
        while self._place < len(self._tokens):
            token = self._tokens[self._place]
            if token.type == "heading_open":
                heading = " ".join(self._tokens[self._place + 1].content.split())
                found.append((int(token.tag[1:]), heading, self._line(token), []))
                self._place += 3
            elif (block := self._block()) is not None:
                found[-1][3].append(block)
        return [Section(level, heading, line, tuple(blocks)) for level, heading, line, blocks in found]

    def _line(self, token: Token) -> int:
        return self._first_line + (token.map[0] if token.map else 0)

    def _block(self) -> Block | None:
        """The block that begins here; a rule across the page is none."""
        token = self._tokens[self._place]
        start, end = self._line(token), self._first_line + (token.map[1] if token.map else 1) - 1
        if token.type == "paragraph_open":
            inline = self._tokens[self._place + 1]
            self._place += 3
            return Block("paragraph", start, end, inline.content, html=_has_html(inline))
        if token.type in ("bullet_list_open", "ordered_list_open"):
            return Block("list", start, end, items=self._items())
        if token.type == "table_open":
            return self._table(start, end)
        if token.type in ("fence", "code_block"):
            self._place += 1
            return Block("code", start, end, token.content)
        if token.type == "html_block":
            self._place += 1
            text = token.content.strip()
            comment = text.startswith("<!--") and text.find("-->") == len(text) - 3
            return Block("comment" if comment else "HTML", start, end, text)
        if token.type == "blockquote_open":
            self._skip()
            return Block("quotation", start, end, "\n".join(self._lines[start - self._first_line :][: end - start + 1]))
        self._place += 1
        return None

    def _skip(self) -> None:
        """Pass a block with everything in it."""
        depth = 0
        while True:
            depth += self._tokens[self._place].nesting
            self._place += 1
            if depth == 0:
                return

    def _items(self) -> tuple[Item, ...]:
        items = []
        self._place += 1
        while self._tokens[self._place].type == "list_item_open":
            items.append(self._item())
        self._place += 1
        return tuple(items)

    def _item(self) -> Item:
        line = self._line(self._tokens[self._place])
        self._place += 1
        text, html, other = "", False, None
        children: list[Item] = []
        first = True
        while (token := self._tokens[self._place]).type != "list_item_close":
            if token.type in ("bullet_list_open", "ordered_list_open"):
                children += self._items()
            elif token.type == "paragraph_open" and first:
                inline = self._tokens[self._place + 1]
                text, html = _without_tick(inline.content), _has_html(inline)
                self._place += 3
            else:
                other = other or self._line(token)
                self._skip()
            first = False
        self._place += 1
        return Item(line, text, tuple(children), html, other)

    def _table(self, start: int, end: int) -> Block:
        header: tuple[str, ...] = ()
        rows: list[Row] = []
        cells: list[str] = []
        html = False
        while (token := self._tokens[self._place]).type != "table_close":
            if token.type == "tr_open":
                cells, html, line = [], False, self._line(token)
            elif token.type == "inline":
                cells.append(" ".join(token.content.split()))
                html = html or _has_html(token)
            elif token.type == "tr_close" and not header:
                header = tuple(cells)
            elif token.type == "tr_close":
                raw = self._lines[line - self._first_line].strip().lstrip(">").strip()
                raw = raw.removeprefix("|")
                raw = raw[:-1] if raw.endswith("|") and not raw.endswith("\\|") else raw
                rows.append(Row(line, tuple(cells), len(_PIPE.findall(raw)) + 1, html))
            self._place += 1
        self._place += 1
        return Block("table", start, end, header=header, rows=tuple(rows))


def _without_tick(text: str) -> str:
    match = _TICK.match(text)
    return text[match.end() :] if match else text


def _has_html(token: Token) -> bool:
    return any(child.type == "html_inline" for child in token.children or ())
