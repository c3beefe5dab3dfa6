"""Build the documentation as a site: plain files, no network, no scripts but the search.

python scripts/make_site.py [FOLDER]    builds into FOLDER (build/site by default)

It opens from the file system. Beside the pages it holds a gallery of real reports, made by running evenhand on the
examples, and `llms.txt` and `llms-full.txt` for agents.
"""

from __future__ import annotations

import argparse
import posixpath
import re
import shutil
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final, NamedTuple

from jinja2 import Environment, FileSystemLoader
from markdown_it import MarkdownIt
from markdown_it.token import Token
from markupsafe import Markup

from site_gallery import EXHIBITS, make_gallery
from site_search import Section, search_index

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
PARTS = ROOT / "scripts" / "site"
BESIDE: Final = ("CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md")
"""Pages of the repository that the documentation links to."""
PROMISE: Final = "An even-handed judge for what agents and their skills produce."

_MARKDOWN = MarkdownIt("commonmark", {"html": False}).enable("table")


class Heading(NamedTuple):
    level: int
    anchor: str
    text: str


class Page(NamedTuple):
    """A page of the site."""

    path: str
    """Below the site's folder, such as how-to/install.html."""
    title: str
    text: str
    html: str
    headings: tuple[Heading, ...]
    sections: tuple[Section, ...]


class Group(NamedTuple):
    """A group of the navigation."""

    title: str
    links: tuple[tuple[str, str], ...]
    """Path and title of each page."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", nargs="?", type=Path, default=ROOT / "build" / "site")
    parser.add_argument("--no-gallery", action="store_true", help="leave the reports of the gallery out")
    arguments = parser.parse_args()
    built = build(arguments.folder, gallery=not arguments.no_gallery)
    size = sum(path.stat().st_size for path in arguments.folder.rglob("*") if path.is_file())
    print(f"{len(built)} pages, {size / 1e6:.1f} MB: {arguments.folder / 'index.html'}")


def build(folder: Path, *, gallery: bool = True) -> list[str]:
    """Write the site into a folder, which is replaced, and return the paths of its pages."""
    if folder.exists():
        if any(folder.iterdir()) and not (folder / "llms.txt").is_file():
            raise SystemExit(f"{folder} holds something else; name another folder")
        shutil.rmtree(folder)
    folder.mkdir(parents=True)
    sources = {source: _target(source) for source in [*sorted(DOCS.rglob("*.md")), *(ROOT / name for name in BESIDE)]}
    pages = [read_page(source, path, sources) for source, path in sources.items()]
    groups = navigation(DOCS / "index.md", {page.path: page.title for page in pages})
    template = Environment(loader=FileSystemLoader(PARTS), autoescape=True, trim_blocks=True).get_template("page.html")
    listed = [path for group in groups for path, _ in group.links]
    for page in pages:
        target = folder / page.path
        target.parent.mkdir(exist_ok=True)
        around = _neighbours(page.path, listed)
        target.write_text(
            template.render(
                page=page,
                body=Markup(page.html),
                groups=groups,
                up="../" * page.path.count("/"),
                contents=[heading for heading in page.headings if heading.level == 2],
                before=around[0] and (around[0], _title(around[0], pages)),
                after=around[1] and (around[1], _title(around[1], pages)),
                exhibits=EXHIBITS if page.path == "gallery.html" else (),
            ),
            encoding="utf-8",
        )
    for name in ("site.css", "search.js"):
        shutil.copy(PARTS / name, folder)
    (folder / "search-index.js").write_text(search_index([page.sections for page in pages]), encoding="utf-8")
    shutil.copytree(DOCS / "images", folder / "images", ignore=shutil.ignore_patterns("*.sha256", "*.txt"))
    _write_for_agents(folder, pages, groups)
    if gallery:
        make_gallery(folder / "gallery")
    return [page.path for page in pages]


def _target(source: Path) -> str:
    if source.parent == ROOT:
        return f"{source.stem.lower()}.html"
    return source.relative_to(DOCS).with_suffix(".html").as_posix()


def _title(path: str, pages: Sequence[Page]) -> str:
    return next(page.title for page in pages if page.path == path)


def _neighbours(path: str, listed: list[str]) -> tuple[str | None, str | None]:
    if path not in listed:
        return None, None
    place = listed.index(path)
    return (listed[place - 1] if place else None), (listed[place + 1] if place + 1 < len(listed) else None)


# --- one page ------------------------------------------------------------------------------------


def read_page(source: Path, path: str, sources: dict[Path, str]) -> Page:
    """A Markdown file as a page, its links leading to pages."""
    text = source.read_text(encoding="utf-8")
    tokens = _MARKDOWN.parse(text)
    headings: list[Heading] = []
    taken: set[str] = set()
    for place, token in enumerate(tokens):
        if token.type == "heading_open":
            heading = _heading(token, tokens[place + 1], taken)
            headings.append(heading)
            token.attrSet("id", heading.anchor)
        for child in token.children or ():
            _point_to_page(child, source, path, sources)
    title = headings[0].text if headings else source.stem
    rendered = _MARKDOWN.renderer.render(tokens, _MARKDOWN.options, {})
    return Page(path, title, text, _finished(rendered), tuple(headings), tuple(_sections(tokens, path, headings)))


def _heading(opening: Token, inline: Token, taken: set[str]) -> Heading:
    """With the anchor that GitHub would give it."""
    text = "".join(child.content for child in inline.children or ())
    slug = re.sub(r"[^\w\- ]", "", text.lower()).replace(" ", "-")
    repeats = sum(each == slug or re.fullmatch(rf"{re.escape(slug)}-\d+", each) is not None for each in taken)
    anchor = f"{slug}-{repeats}" if repeats else slug
    taken.add(anchor)
    return Heading(int(opening.tag[1]), anchor, text)


def _point_to_page(token: Token, source: Path, path: str, sources: dict[Path, str]) -> None:
    name = "href" if token.type == "link_open" else "src" if token.type == "image" else None
    target = str(token.attrs.get(name, "")) if name else ""
    if not name or not target or re.match(r"[a-z]+:|#", target):
        return
    file, _, anchor = target.partition("#")
    found = (source.parent / file).resolve()
    if found in sources:
        there = posixpath.relpath(sources[found], posixpath.dirname(path) or ".")
    elif found.is_relative_to(DOCS / "images"):
        there = posixpath.relpath(f"images/{found.name}", posixpath.dirname(path) or ".")
    else:  # a file of the repository that is not a page: its words remain
        token.attrs.pop(name)
        return
    token.attrSet(name, there + (f"#{anchor}" if anchor else ""))


def _finished(html: str) -> str:
    """With a link on every heading, and wide tables and code that can be scrolled with the keyboard."""
    html = re.sub(
        r'<h([2-6]) id="([^"]+)">(.*?)</h\1>',
        r'<h\1 id="\2">\3 <a class="anchor" href="#\2" aria-label="Link to this section">#</a></h\1>',
        html,
    )
    html = html.replace("<table>", '<div class="wide" tabindex="0"><table>')
    html = html.replace("</table>", "</table></div>").replace("<th></th>", "<td></td>")
    html = html.replace("<pre>", '<pre tabindex="0">')
    return re.sub(r"<a>(.*?)</a>", r"\1", html, flags=re.DOTALL)


def _sections(tokens: Sequence[Token], path: str, headings: Sequence[Heading]) -> Iterator[Section]:
    """What the search knows: the text under each heading."""
    remaining = iter(headings)
    current = Heading(1, "", "")
    words: list[str] = []
    title = headings[0].text if headings else path
    for place, token in enumerate(tokens):
        if token.type == "heading_open":
            if words or current.text:
                yield Section(path, title, current.anchor, current.text, " ".join(words))
            current, words = next(remaining), []
        elif token.type in ("fence", "code_block"):
            words.append(token.content)
        elif token.type == "inline" and (place == 0 or tokens[place - 1].type != "heading_open"):
            words += [child.content for child in token.children or () if child.content]
    yield Section(path, title, current.anchor, current.text, " ".join(words))


# --- navigation, and what agents read ------------------------------------------------------------


def navigation(index: Path, titles: dict[str, str]) -> list[Group]:
    """The groups of the map, each with its pages once."""
    groups: list[Group] = []
    seen: set[str] = set()
    for part in re.split(r"^##+ ", index.read_text(encoding="utf-8"), flags=re.MULTILINE)[1:]:
        name, _, body = part.partition("\n")
        paths = [f"{path}.html" for path in re.findall(r"^- \[[^\]]+\]\(([\w/-]+)\.md\)", body, flags=re.MULTILINE)]
        links = tuple((path, titles[path]) for path in dict.fromkeys(paths) if path not in seen)
        seen |= set(paths)
        if links:
            groups.append(Group(name, links))
    return groups


def _write_for_agents(folder: Path, pages: Sequence[Page], groups: Sequence[Group]) -> None:
    """`llms.txt` lists the pages, `llms-full.txt` holds them all as Markdown."""
    by_path = {page.path: page for page in pages}
    lines = ["# evenhand", "", f"> {PROMISE}", ""]
    for group in groups:
        lines += [
            f"## {group.title}",
            "",
            *(f"- [{title}]({path}): {_first(by_path[path])}" for path, title in group.links),
            "",
        ]
    (folder / "llms.txt").write_text("\n".join(lines), encoding="utf-8")
    whole = [by_path[path] for group in groups for path, _ in group.links]
    text = "\n\n".join(f"<!-- {page.path} -->\n\n{page.text.strip()}" for page in whole)
    (folder / "llms-full.txt").write_text(text + "\n", encoding="utf-8")


def _first(page: Page) -> str:
    """The first sentence of a page, without its marks."""
    paragraphs = [part for part in page.text.split("\n\n")[1:] if part[:1].isalnum() or part[:1] in "`[\"'"]
    plain = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", " ".join(paragraphs[0].split()) if paragraphs else page.title)
    return re.split(r"(?<=[.:?]) ", plain)[0].replace("`", "")


if __name__ == "__main__":
    main()
