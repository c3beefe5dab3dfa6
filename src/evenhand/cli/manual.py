"""The pages of the documentation by name, and the pages that a topic may mean."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from evenhand.cli.packaged_files import packaged_folder
from evenhand.errors import InputError, unknown

_LINK = re.compile(r"^- \[[^\]]+\]\(([\w/-]+)\.md\)", re.MULTILINE)

_TO_PAGE = re.compile(r"\]\((?!https?:)(?:[\w./-]*/)?([\w-]+)\.md(?:#[\w-]*)?\)")
"""A link to another page, and its name."""


class Page(NamedTuple):
    """A page of the documentation."""

    name: str
    """The name of its file without the ending, such as gate-a-ci-job."""
    title: str
    folder: str
    """how-to, reference, or nothing."""
    text: str


def read_pages() -> list[Page]:
    """Every page, in the order of the map in docs/index.md."""
    docs = packaged_folder("docs")
    listed = _LINK.findall((docs / "index.md").read_text(encoding="utf-8"))
    found = [path.relative_to(docs).with_suffix("").as_posix() for path in sorted(docs.rglob("*.md"))]
    return [_page(docs, name) for name in dict.fromkeys(["index", *listed, *found])]


def _page(docs: Path, name: str) -> Page:
    text = (docs / f"{name}.md").read_text(encoding="utf-8")
    folder, _, stem = name.rpartition("/")
    return Page(stem, text.partition("\n")[0].removeprefix("# "), folder, text)


def find_page(topic: str, pages: Sequence[Page]) -> Page:
    """The page of that name, or the only one whose name or title has all words of the topic; InputError otherwise.

    A link as pages have it is such a name: ../how-to/install.md#windows is the page install.
    """
    address = topic.strip().lower().partition("#")[0] or topic
    name = address.removesuffix(".md").rpartition("/")[2].replace(" ", "-")
    exact = [page for page in pages if page.name == name]
    words = name.split("-")
    near = [page for page in pages if all(word in f"{page.name} {page.title}".lower() for word in words)]
    matches = exact or near
    if len(matches) == 1 or exact:
        return matches[0]
    mentioned = near or sorted(pages, key=lambda page: -_mentions(page, words))[:5]
    if not near and not _mentions(mentioned[0], words):
        raise InputError(f"{unknown('page', topic, [page.name for page in pages], otherwise='see: evenhand docs')}")
    names = ", ".join(page.name for page in mentioned if near or _mentions(page, words))
    raise InputError(f'no page is named "{topic}"; about it: {names}')


def with_page_names(text: str) -> str:
    """A page with the names of other pages in place of links to their files, which the reader does not have."""
    return _TO_PAGE.sub(lambda link: f"]({link[1]})", text)


def _mentions(page: Page, words: Sequence[str]) -> int:
    text = page.text.lower()
    return min(text.count(word) for word in words)
