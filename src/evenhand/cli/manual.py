"""The pages of the documentation by name, and the pages that a topic may mean."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from evenhand.cli.packaged_files import packaged_folder

_LINK = re.compile(r"^- \[[^\]]+\]\(([\w/-]+)\.md\)", re.MULTILINE)

_TO_PAGE = re.compile(r"\]\((?!https?:)(?:[\w./-]*/)?([\w-]+)\.md(?:#[\w-]*)?\)")
"""A link to another page, and its name."""
_WORD = re.compile(r"\w+")
_LITTLE = frozenset(
    ("a", "an", "the", "to", "of", "in", "on", "for", "is", "it", "do", "i", "my", "how", "what", "with")
)
_LAST = ("cli", "python", "checks", "settings", "architecture")
"""Pages that mention everything, or are for people who change evenhand: found, but after others."""
_MOST_HITS = 6


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


class Hit(NamedTuple):
    """A section that speaks of a topic."""

    page: str
    heading: str
    line: str
    """The line of it that has most words of the topic."""


def find_page(topic: str, pages: Sequence[Page]) -> Page | None:
    """The page of that name, or the only one whose name or title has all words of the topic.

    A link as pages have it is such a name: ../how-to/install.md#windows is the page install.
    """
    address = topic.strip().lower().partition("#")[0] or topic
    name = address.removesuffix(".md").rpartition("/")[2].replace(" ", "-")
    exact = [page for page in pages if page.name == name]
    words = name.split("-")
    near = [page for page in pages if all(word in f"{page.name} {page.title}".lower() for word in words)]
    return exact[0] if exact else near[0] if len(near) == 1 else None


def search(topic: str, pages: Sequence[Page]) -> list[Hit]:
    """The sections that speak of a topic, best first, one a page; some pages come after all others."""
    # Without its last letter, a word of five or more also finds its plural and its other forms.
    words = sorted({word[:-1] if len(word) > 4 else word for word in _WORD.findall(topic.lower())} - _LITTLE)
    starts = {word: re.compile(rf"\b{re.escape(word)}") for word in words}
    found: list[tuple[tuple[float, ...], Hit]] = []
    for place, page in enumerate(pages):
        best: tuple[tuple[float, ...], Hit] | None = None
        for heading, body in _sections(page):
            title, text = f"{page.title} {heading}".lower(), body.lower()
            in_title = sum(start.search(title) is not None for start in starts.values())
            counts = [len(starts[word].findall(text)) for word in words]
            known = sum(bool(count or starts[word].search(title)) for word, count in zip(words, counts, strict=True))
            if not known:
                continue
            lines = [line.strip(" |#") for line in body.splitlines() if re.search(r"\w", line)]
            together = [sum(bool(start.search(line.lower())) for start in starts.values()) for line in lines] or [0]
            line = lines[together.index(max(together))] if lines else ""
            rank = (known, max(in_title, *together), in_title, -(page.name in _LAST), sum(counts) / len(text))
            if best is None or rank > best[0]:
                best = rank, Hit(page.name, heading, line)
        if best is not None:
            found.append(((*best[0], -place), best[1]))
    most = max((rank[0] for rank, _ in found), default=0)
    return [hit for rank, hit in sorted(found, reverse=True) if rank[0] == most][:_MOST_HITS]


def _sections(page: Page) -> Iterator[tuple[str, str]]:
    """Each heading with the text under it, the page's introduction under its title."""
    heading, lines, in_code = page.title, list[str](), False
    for line in page.text.splitlines()[1:]:
        in_code ^= line.startswith("```")
        if line.startswith("#") and not in_code:
            yield heading, "\n".join(lines) or " "
            heading, lines = line.lstrip("# "), []
        else:
            lines.append(line)
    yield heading, "\n".join(lines) or " "


def with_page_names(text: str) -> str:
    """A page with the names of other pages in place of links to their files, which the reader does not have."""
    return _TO_PAGE.sub(lambda link: f"]({link[1]})", text)
