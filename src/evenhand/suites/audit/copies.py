"""Cases that appear twice in a suite, and cases copied from the skill they test. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Final, NamedTuple

from evenhand.decisions.suite import Case
from evenhand.findings.expectations.expectation import Expectation

FEWEST_WORDS: Final = 6
"""A shorter prompt may appear in a skill by chance."""

FEWEST_WORDS_OF_REFERENCE: Final = 8
FEWEST_BYTES: Final = 16
"""A smaller file may be the same by chance."""

_FRONT_MATTER: Final = re.compile(r"\A---\n.*?\n---\n", re.S)
_PARTS_OF_A_SKILL: Final = frozenset(
    ("assets", "templates", "template", "scripts", "schemas", "themes", "fonts", "lib")
)
"""Folders of what a skill works with: a case may start from such a file."""


class CaseText(NamedTuple):
    """What a case asks, and what it starts from."""

    case: Case
    asked: str
    """The prompt; after a conversation, all of it."""
    expectations: tuple[Expectation, ...]
    files: Mapping[str, bytes]
    """What its workspace starts with, by path."""


def duplicates(cases: Iterable[CaseText]) -> Iterator[tuple[CaseText, ...]]:
    """Groups of cases with the same prompt and files, white space and capitals aside."""
    groups: dict[object, list[CaseText]] = {}
    for text in cases:
        key = " ".join(text.asked.casefold().split()), tuple(sorted(text.files.items())), text.case.variables
        groups.setdefault(key, []).append(text)
    for group in groups.values():
        first, *others = group
        alike = [text for text in others if not _differ_on_purpose(first, text)]
        if alike:
            yield first, *alike


def _differ_on_purpose(left: CaseText, right: CaseText) -> bool:
    """Whether the capitals or the indentation may be what is asked about, since the answers differ."""
    if left.expectations == right.expectations or left.asked.split() == right.asked.split():
        is_code = any(re.search(r"(?m)^(?:[ \t]{2,}|\t)\S|```", text.asked) for text in (left, right))
        return is_code and left.asked != right.asked and left.expectations != right.expectations
    return True


def copied_from(text: CaseText, skill: Mapping[str, bytes]) -> str:
    """What of a case is in its skill, in words; empty when nothing is. `skill` has the skill's files by path."""
    pages = {path: _words(_readable(content)) for path, content in skill.items()}
    asked = _words(text.asked)
    if len(asked.split()) >= FEWEST_WORDS and (path := _page_with(asked, pages)):
        return f"its prompt is in {path}"
    reference = _words(text.case.reference or "")
    if len(reference.split()) >= FEWEST_WORDS_OF_REFERENCE and (path := _page_with(reference, pages)):
        return f"its reference is in {path}"
    for name, content in text.files.items():
        for path, other in skill.items():
            if len(content) >= FEWEST_BYTES and content == other and not _PARTS_OF_A_SKILL & set(path.split("/")[:-1]):
                return f"its file {name} is the skill's {path}"
    return ""


def _page_with(words: str, pages: Mapping[str, str]) -> str:
    return next((path for path, page in pages.items() if f" {words} " in f" {page} "), "")


def _readable(content: bytes) -> str:
    """A page without its front matter, whose description quotes what users ask; escapes of JSON are white space."""
    text = content.decode("utf-8", "replace").replace("\r\n", "\n")
    return re.sub(r"\\[nrt]", " ", _FRONT_MATTER.sub("", text)).replace('\\"', '"')


def _words(text: str) -> str:
    return " ".join(re.findall(r"\w+", text.casefold()))
