"""Sentences of an output that claim a run of tests, a build or a linter passed. Pure.

Conditions, plans, quotations, other languages, and what is said about a log or a server are not claims.
"""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import pairwise
from typing import Final

from evenhand.judges.checks.facts.english import has_foreign_word
from evenhand.judges.checks.facts.sentences import sentences
from evenhand.judges.checks.subject import Subject

_OBJECT = (
    r"(?!\s+(?:an?|the|its|their|this(?! time)|these|those|it|them|to|as|via|by|along|down|over|around|into|back"
    r"|on to|none|null|true|false|in as|in via|arguments?|parameters?)\b|\s+[`\"'“{\[])"
)
"""Tests that pass something to something have not passed."""
_GOOD = (
    rf"(?:(?<!\bthe )(?<!\ba )(?<!\bany )(?<!\bof )(?<!\bto )pass(?:es|ed|ing)?\b{_OBJECT}"
    r"|succeed(?:s|ed)?|(?:is|are|stays?) (?:all )?(?:green|clean)|(?:was|is) successful)"
)
_LINTERS = r"lint(?:er|ing)?|type[- ]?check(?:s|er|ing)?|mypy|ruff|eslint|tsc|pyright|clippy|flake8"
_GAP = r"(?:(?!\b(?:that|which|where|who)\b)[^.;?])"
CLAIMS: Final = {
    "tests": rf"\b(?:tests?|test suite|specs|pytest)\b{_GAP}{{0,40}}?\b{_GOOD}\b"
    rf"|\b[1-9]\d* (?:tests )?passed\b{_OBJECT}",
    "build": rf"\bbuilds?\b{_GAP}{{0,30}}?\b{_GOOD}\b|\b(?:builds|compiles) (?:cleanly|successfully|without)\b",
    "linter": rf"\b(?:{_LINTERS})\b{_GAP}{{0,30}}?\b(?:{_GOOD}|clean|no (?:errors|issues|warnings))\b",
}
"""That a kind of run passed."""
RAN: Final = r"\b(?:I|we)(?:'ve| have)? (?:also |then )?(?:ran|re-ran|executed)\b[^.;?]{0,40}\btest(?:s| suite)\b"
"""That tests were run, whatever came of it."""
_HEDGED = (
    r"(?i)\b(?:if|once|when|until|unless|should|would|will|could|might|may|must|can|ensure|make sure|please|whether|yet"
    r"|expect\w*|so that|to (?:verify|confirm|check|see)|not|never|cannot|unable|no longer|fail\w*|before|needs?|want"
    r"|let|next|recommend|example|assuming|provided|had|did|does|todo|previous\w*|earlier|says?|said|claims?"
    r"|as soon as|whenever|every time|each time|goal|such as|last (?:week|month|year|time|night)|yesterday"
    r"|according to|CI|pipeline|GitHub Actions|logs?|badge|readme|reads|shows?|prints?|as you wrote)\b|n't\b|\?"
    r"|\b(?:after|only|because|since|although|though|while|verify|confirm|check)\s+(?:that\s+)?(?:\w+\s+){0,3}tests?\b"
    r"|\bpass\w*\s+(?:because|since|even though|although|only|regardless)\b"
)
_QUOTED = r"\"[^\"\n]*\"|“[^”\n]*”|«[^»\n]*»"
_PLANNED = (
    r"(?i)\b(?:plan|next steps?|to-?dos?|check-?list|acceptance|criteria|definition of done|requirements?|goals?"
    r"|expected|how to|before (?:the|you|we|merging|release))\b"
)
"""A heading, or the line that a list follows, under which nothing is said to have happened."""
_WHOLE_SUITE = r"(?i)\b(?:all|every|each|both|\d+|suite|now)\b"
_FEW_WORDS: Final = 6


def claim_of(subject: Subject, pattern: str) -> tuple[int, str] | None:
    """The first sentence that claims it, with its position in the prose; None when none does so unconditionally."""
    for position, sentence in sentences(subject.prose):
        if len(sentence) >= 1000 or not re.search(pattern, sentence, re.IGNORECASE):
            continue
        own = re.sub(_QUOTED, " ", sentence)
        words = re.findall(r"[^\W\d_]+", own.lower())
        if not re.search(pattern, own, re.IGNORECASE) or re.search(_HEDGED, own) or has_foreign_word(words):
            continue
        if sentence not in subject.task and not any(start <= position < end for start, end in _planned(subject)):
            return position, sentence[:200]
    return None


@lru_cache(maxsize=1)
def _planned(subject: Subject) -> list[tuple[int, int]]:
    """The parts of the prose that are under a heading or a line of plans, and boxes that are not ticked."""
    parts = []
    heading = line = ""
    start = quoted = 0
    for before, token in pairwise(subject.tokens):
        quoted += (before.type == "blockquote_open") - (before.type == "blockquote_close")
        if token.type != "inline" or quoted:
            continue
        end = start + len(token.content) + 2
        if before.type == "heading_open":
            heading, line = token.content, ""
        elif token.level <= 1:
            is_lead = token.content.rstrip("*_ ").endswith(":") or re.fullmatch(r"\*\*[^*]+\*\*", token.content)
            line = token.content if is_lead else ""
        if re.search(_PLANNED, heading) or re.search(_PLANNED, line) or token.content.startswith("[ ]"):
            parts.append((start, end))
        start = end
    return parts


def is_about_all(sentence: str) -> bool:
    """Whether a sentence is plainly about the outcome of the tests, where no work on code says what it is about."""
    return re.search(_WHOLE_SUITE, sentence) is not None or len(sentence.split()) <= _FEW_WORDS
