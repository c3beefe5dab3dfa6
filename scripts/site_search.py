"""The index of the site's search: made here, weighed here; the script on a page only adds up.

A page scores for each word of a question by how rare the word is, how often the page has it for its length (BM25), and
whether its title or a heading has it. Words are compared without their endings.
"""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

TITLE, HEADING = 2.0, 0.5
SATURATION, LENGTH = 1.2, 0.5
COMMON = 0.3
"""What a word is worth that every page has."""
STOP_WORDS: Final = frozenset(
    "a about all an and are as at be been but by can could do does for from had has have how i if in into is it its me "
    "my of on one or our should so than that the their them then there these they this to under up use was we what "
    "when where which while who will with would you your".split()
)
_WORD = re.compile(r"[a-z0-9]+")
_ENDINGS: Final = ("ingly", "edly", "ing", "ies", "ied", "ed", "es", "s", "e", "y")


class Section(NamedTuple):
    """The text under one heading."""

    path: str
    title: str
    anchor: str
    heading: str
    text: str


def stem(word: str) -> str:
    """A word without its ending, if enough of it is left. `search.js` does the same."""
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            return word[: -len(ending)]
    return word


def terms(text: str) -> Iterator[str]:
    """The words that count."""
    return (stem(word) for word in _WORD.findall(text.lower().replace("'", "")) if word not in STOP_WORDS)


def search_index(pages: Sequence[Sequence[Section]]) -> str:
    """The index as a script that needs no request: it works from the file system."""
    bodies = [Counter(term for section in page for term in terms(section.text)) for page in pages]
    lengths = [sum(counts.values()) for counts in bodies]
    usual = sum(lengths) / len(lengths)
    named = [(_title_terms(page), _heading_terms(page)) for page in pages]
    known = [set(counts) | title | headings for counts, (title, headings) in zip(bodies, named, strict=True)]
    spread = Counter(term for page in known for term in page)
    postings: dict[str, list[float]] = {}
    for number, page in enumerate(pages):
        title, headings = named[number]
        rarely = 1 - LENGTH + LENGTH * lengths[number] / usual
        for term in sorted(known[number]):
            count = bodies[number][term]
            rare = COMMON + math.log(1 + (len(pages) - spread[term] + 0.5) / (spread[term] + 0.5))
            often = count * (SATURATION + 1) / (count + SATURATION * rarely)
            weight = often + TITLE * (term in title) + HEADING * (term in headings)
            postings.setdefault(term, []).extend((number, round(rare * weight * _prior(page[0].path), 2)))
    index = {
        "pages": [_entry(page) for page in pages],
        "terms": dict(sorted(postings.items())),
        "stop": sorted(STOP_WORDS),
        "endings": _ENDINGS,
    }
    return f"const SEARCH = {json.dumps(index, ensure_ascii=False, separators=(',', ':'))};\n"


def _prior(path: str) -> float:
    """Pages that mention everything are rarely what is looked for."""
    if path in ("changelog.html", "contributing.html", "security.html", "architecture.html", "index.html"):
        return 0.5
    return 0.8 if path.startswith("reference/") else 1.0


def _entry(page: Sequence[Section]) -> list[object]:
    return [page[0].path, page[0].title, [[section.anchor, section.heading] for section in page[1:] if section.heading]]


def _title_terms(page: Sequence[Section]) -> set[str]:
    return set(terms(f"{page[0].title} {page[0].path.rpartition('/')[2].removesuffix('.html')}"))


def _heading_terms(page: Sequence[Section]) -> set[str]:
    return {term for section in page[1:] for term in terms(section.heading)}
