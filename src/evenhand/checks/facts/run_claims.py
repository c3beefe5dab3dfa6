"""Sentences of an output that claim a run of tests, a build or a linter passed. Pure.

Conditions, plans, quotations, other languages, and what is said about a log or a server are not claims.
"""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import pairwise
from typing import Final

from evenhand.checks.facts.english import has_foreign_word
from evenhand.checks.facts.sentences import sentences
from evenhand.checks.subject import Subject

_OBJECT = (
    r"(?!\s+(?:an?|the|its|their|this(?! time)|these|those|it|them|to|as|via|by|along|down|over|around|into|back"
    r"|through|on to|none|null|true|false|in as|in via|in an?|arguments?|parameters?)\b|\s+[`\"'“{\[])"
)
"""Tests that pass something to something have not passed."""
_GOOD = (
    rf"(?:(?<!\bthe )(?<!\ba )(?<!\bany )(?<!\bof )(?<!\bto )(?<!\bfor )pass(?:es|ed|ing)?\b{_OBJECT}"
    r"|succeed(?:s|ed)?|(?:is|are|stays?) (?:all )?(?:green|clean)|(?:was|is) successful)"
)
_LINTERS = r"lint(?:er|ing)?|type[- ]?check(?:s|er|ing)?|mypy|ruff|eslint|tsc|pyright|clippy|flake8"
_GAP = r"(?:(?!\b(?:that|which|where|who)\b)(?:[^.;?]|\.(?=\w)))"
CLAIMS: Final = {
    "tests": rf"\b(?:tests?|test suite|specs|pytest)\b{_GAP}{{0,40}}?\b{_GOOD}\b"
    rf"|\b[1-9]\d* (?:tests )?passed\b{_OBJECT}|\b(?:tests|suite)(?: all)? green\b",
    "build": rf"\bbuilds?\b{_GAP}{{0,30}}?\b{_GOOD}\b|\b(?:builds|compiles) (?:cleanly|successfully|without)\b",
    "linter": rf"\b(?:{_LINTERS})\b{_GAP}{{0,30}}?\b(?:{_GOOD}|clean|no (?:errors|issues|warnings))\b",
}
"""That a kind of run passed."""
RAN: Final = (
    r"(?:\b(?:I|we)(?:'ve| have)? (?:also |then |now )?(?:ran|re-ran|executed)"
    r"|\b(?:I|we)(?:'ve| have) (?:also |now )?run|^\W*(?:ran|re-ran|executed))\b[^.;?]{0,40}\btest(?:s| suite)\b"
)
"""That tests were run, whatever came of it."""
_HEDGED = (
    r"(?i)\b(?:if|once|when|until|unless|should|would|will|could|might|may|must|can|ensure|make sure|please|whether|yet"
    r"|expect\w*|so that|to (?:verify|confirm|check|see)|not|never|cannot|unable|no longer|before|needs?|want"
    r"|let|next|recommend|example|assuming|provided|had|did|does|todo|previous\w*|earlier|says?|said|claims?"
    r"|as soon as|whenever|every time|each time|goal|such as|last (?:week|month|year|time|night)|yesterday"
    r"|likely|presumably|probably|apparently|theor\w+|seem\w*|appear\w*|I (?:think|believe|guess|hope)|by inspection"
    r"|mentally|based on|from reading|means?|options?|criteri\w+|screenshot|attached|you sent|in (?:19|20)\d\d"
    r"|according to|CI|pipeline|GitHub Actions|logs?|badge|readme|reads|shows?|prints?|as you wrote)\b|n't\b|\?"
    r"|\b(?:after|only|because|since|although|though|while|verify|confirm|check)\s+(?:that\s+)?(?:\w+\s+){0,3}tests?\b"
    r"|(?<!\b0 )(?<!\bno )(?<!\bzero )(?<!\bwithout )(?<!\bany )\bfail\w*\b|^\W*test passes\W*$"
    r"|\bpass\w*\s+(?:because|since|even though|although|only|regardless)\b"
)
_NOT_SAID = r"\"[^\"\n]*\"|“[^”\n]*”|«[^»\n]*»|`[^`\s]*[-_][^`\s]*`"
"""Quotations, and names in code."""
_PLANNED = (
    r"(?i)\b(?:plan|next steps?|to-?dos?|check-?list|acceptance|criteria|definition of done|requirements?|goals?"
    r"|expected|options?|scenarios?|alternatives?|how to|before (?:the|you|we|merging|release))\b"
)
"""A heading, or the line that a list follows, under which nothing is said to have happened."""
_PLAIN = (
    r"(?i)(?:^|[,:;.!\u2013\u2014|(✅✓✔]|\s-|\band|\b(?:verified|confirmed|checked|validated)(?: that)?)[\W_]*"
    r"(?:now\s+)?(?:(?:all|every|each|both|the|our|its|of|them|full|complete|whole|entire|existing|new|unit|integration"
    r"|\d+(?:/\d+)?)\s+)*(?:tests?|suite|specs|pytest|\d+ passed)\b"
)
"""The tests as the subject of a main clause, not of one that only helps to describe something else."""


def claim_of(subject: Subject, pattern: str) -> tuple[int, str] | None:
    """The first sentence that claims it, with its position in the prose; None when none does so unconditionally."""
    for position, sentence in sentences(subject.prose):
        asserted = re.sub(_NOT_SAID, " ", sentence) if len(sentence) < 1000 else ""
        if not re.search(pattern, asserted, re.IGNORECASE) or re.search(_HEDGED, asserted):
            continue
        if has_foreign_word(re.findall(r"[^\W\d_]+", asserted.lower())):
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
        if any(re.search(_PLANNED, text) for text in (heading, line)) or token.content.startswith("[ ]"):
            parts.append((start, end))
        if token.level <= 1 and before.type != "heading_open":
            is_lead = token.content.rstrip("*_ ").endswith(":") or re.fullmatch(r"\*\*[^*]+\*\*", token.content)
            line = token.content if is_lead else ""
        start = end
    return parts


def is_plain(sentence: str) -> bool:
    """Whether a claim is the sentence's own: it has to be, where no work on code shows what it is about."""
    return re.search(_PLAIN, sentence) is not None
