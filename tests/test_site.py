"""The site that is built from docs/: whole, linked, readable by everyone, found by those who ask."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from html.parser import HTMLParser
from pathlib import Path

import pytest
import yaml
from browser import LOOKS, TestBrowser, chromium

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
QUESTIONS: list[list[str]] = yaml.safe_load((ROOT / "tests/fixtures/site_questions.yaml").read_text(encoding="utf-8"))
PAGES = [path.relative_to(DOCS).with_suffix(".html").as_posix() for path in sorted(DOCS.rglob("*.md"))]

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Built by the one command, with every proxy closed: it needs no network."""
    folder = tmp_path_factory.mktemp("built") / "site"
    closed = dict.fromkeys(("http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY"), "http://127.0.0.1:9")
    command = [sys.executable, str(ROOT / "scripts" / "make_site.py"), str(folder)]
    done = subprocess.run(command, env={**os.environ, **closed}, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return folder


@pytest.fixture(scope="module")
def browser() -> Iterator[TestBrowser]:
    with chromium() as opened:
        yield opened


class Read(HTMLParser):
    """What a page links to and loads, its ids and its scripts."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.links: list[str] = []
        self.ids: list[str] = []
        self.scripts: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        for name, value in attrs:
            if name in ("href", "src") and value:
                self.links.append(value)
            if name == "id" and value:
                self.ids.append(value)
            assert not name.startswith("on"), f"a script in the attribute {name}"
        if tag == "script":
            self.scripts.append(dict(attrs).get("src") or "inline")


@cache
def read(path: Path) -> Read:
    return Read(path.read_text(encoding="utf-8"))


def test_every_page_is_built_and_the_site_is_small(site: Path):
    """Under 15 MB with the gallery; what agents read is there, too."""
    built = {path.relative_to(site).as_posix() for path in site.rglob("*.html")}
    assert set(PAGES) <= built
    assert sum(path.stat().st_size for path in site.rglob("*") if path.is_file()) < 15_000_000
    assert {"gallery/scorecard.html", "gallery/better.html", "gallery/history.html", "changelog.html"} <= built
    listed = (site / "llms.txt").read_text(encoding="utf-8")
    assert listed.startswith("# evenhand\n\n> ")
    missing = [page for page in PAGES if page != "index.html" and f"({page})" not in listed]
    assert missing == []
    assert "# What it cannot judge" in (site / "llms-full.txt").read_text(encoding="utf-8")


def test_no_link_or_anchor_is_broken(site: Path):
    """Every address of a page is a file of the site, and its anchor an id in it, once."""
    broken = []
    for page in site.rglob("*.html"):
        if page.parent.name == "gallery":
            continue
        found = read(page)
        assert len(found.ids) == len(set(found.ids)), f"{page}: an id twice"
        for link in found.links:
            if re.match(r"https?:|mailto:", link):
                continue
            file, _, anchor = link.partition("#")
            target = (page.parent / file).resolve() if file else page
            if not target.is_file() or (anchor and anchor not in read(target).ids):
                broken.append(f"{page.relative_to(site)}: {link}")
    assert broken == []


def test_pages_load_nothing_from_elsewhere_and_run_the_search_only(site: Path):
    """No address outside but links to follow; two scripts, both of the search."""
    for page in PAGES:
        text = (site / page).read_text(encoding="utf-8")
        assert [Path(script).name for script in read(site / page).scripts] == ["search-index.js", "search.js"]
        assert not re.search(r'(?:src|rel="stylesheet" href)="https?:', text)


def test_pages_are_read_without_scripts(site: Path, browser: TestBrowser):
    """Text, navigation and gallery are there; the search, which could do nothing, is not."""
    with browser.without_scripts((site / "gallery.html").as_uri()) as page:
        assert page.locator("main h1").inner_text() == "Gallery"
        assert page.locator("nav.pages a").count() > 30
        assert not page.locator("#search").is_visible()
        frame = page.frame_locator("iframe").first
        assert "3.44" in frame.locator("body").inner_text()


@pytest.mark.parametrize("place", range(2), ids=["narrow and light", "wide and dark"])
def test_axe_finds_nothing(site: Path, browser: TestBrowser, place: int, long: bool):
    """Every page, in one of the two looks each, and none is wider than its window; in a short run every sixth. The list
    of pages beside the text, the same on all, is looked at once in each look."""
    width, scheme = LOOKS[place]
    first, *others = PAGES[place :: 2 if long else 6]
    with browser.open(site / first, width=width, scheme=scheme) as opened:
        opened.check_barriers()
        opened.check_width()
        for path in others:
            opened.page.goto((site / path).as_uri())
            opened.check_barriers(without="nav.pages")
            opened.check_width()


def test_the_right_page_is_among_the_first_three_hits(site: Path, browser: TestBrowser):
    """For each question, typed into the field of a page below a folder."""
    assert len(QUESTIONS) >= 35
    missed = []
    with browser.open(site / "how-to" / "gate-a-ci-job.html") as opened:
        for question, page in QUESTIONS:
            opened.page.locator("#search input").fill(question)
            links = opened.page.locator("#hits a").evaluate_all("all => all.map(link => link.href)")
            names = [link.partition("#")[0].removeprefix(site.resolve().as_uri() + "/") for link in links[:3]]
            if f"{page}.html" not in names:
                missed.append((question, page, names))
    assert missed == []


def test_no_page_is_long_except_references():
    """2,000 words without examples; what is looked up rather than read may be longer."""
    references = {DOCS / "methodology.md", DOCS / "architecture.md", *(DOCS / "reference").glob("*.md")}
    texts = {path: path.read_text(encoding="utf-8") for path in DOCS.rglob("*.md")}
    lengths = {path: len(re.sub(r"(?ms)^```.*?^```$", "", text).split()) for path, text in texts.items()}
    assert {path.name: length for path, length in lengths.items() if length > 2000 and path not in references} == {}
