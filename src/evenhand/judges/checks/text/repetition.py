"""Words that say nothing new: repeated passages, the task told back, and filler. Pure.

Only verbatim repetition counts, of passages long enough not to be chance, and not where the task wants it (a refrain,
a letter's closing, a text to be copied).
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from evenhand.core.basics.lazy_pattern import late_pattern
from evenhand.core.values.finding import Severity
from evenhand.judges.checks.finding import Check, Finding, limited
from evenhand.judges.checks.subject import Subject

LONG = 15
"""Words a sentence has before its repetition alone is a fault."""

SHORT = 5
"""Words a sentence has before its repetition counts as padding."""

_TOLD_BACK = 40
"""Words of the task in one piece before telling them back is padding."""

_STRIDE = _TOLD_BACK // 2
"""Any piece of `_TOLD_BACK` words holds a whole stretch of this length that starts at a multiple of it."""

_REFRAIN = late_pattern(
    r"\b(?:song|poem|lyrics?|chorus|refrain|chant|villanelle|rap|repeat\w*|mantra|verbatim|template)\b", re.I
)
_REWORKS = late_pattern(
    r"\b(?:repeat|copy|quote|rewrite|rephrase|edit|proofread|correct|translate|format|convert|extract|improve|fix|complete"
    r"|expand|annotate|summari[sz]e|review|fill)\b",
    re.I,
)
_CORRESPONDENCE = late_pattern(
    r"\b(?:e-?mail|letter|message|reply to|response to|post|chat|dialogue|script|speech)\b", re.I
)
_FILLER = late_pattern(
    r"^(?:certainly|sure(?: thing)?|of course|absolutely|great question|good question|happy to help)\s*[!,.]"
    r"|^as an ai(?: language model| assistant)?\b"
    r"|^i(?:'d| would) be (?:happy|glad|delighted) to (?:help|assist)"
    r"|^i hope (?:this|that) (?:helps|was helpful|is helpful|clarifies)"
    r"|^(?:please )?(?:feel free to|don't hesitate to) (?:ask|reach out|let me know)"
    r"|^(?:please )?let me know if (?:you|there|anything)"
    r"|^if you have any (?:other |further |more |additional )?questions",
    re.I,
)


def _sentences(prose: str) -> list[str]:
    return [each.strip() for each in re.split(r"(?<=[.!?])\s+|\n\n+", prose) if each.strip()]


def _passages(subject: Subject) -> dict[str, tuple[str, int, int]]:
    """The sentences and code blocks: as first written, their words, and how often they stand there."""
    code = [block.code.strip() for block in subject.blocks if block.code.strip().count("\n") >= 4]
    found: dict[str, tuple[str, int, int]] = {}
    for least, passage in (*((SHORT, each) for each in _sentences(subject.prose)), *((0, each) for each in code)):
        words = passage.lower().split()
        if len(words) >= least:
            first, length, times = found.get(" ".join(words), (passage, len(words), 0))
            found[" ".join(words)] = first, length, times + 1
    return found


def _repeated(subject: Subject) -> Iterator[Finding]:
    if _REFRAIN.search(subject.task):
        return
    passages = [each for each in _passages(subject).values() if each[2] > 1]
    wasted = sum(length * (times - 1) for _, length, times in passages)
    share = wasted * 100 // max(len(subject.output.split()), 1)
    if share >= 25:
        says = f"{share} % of the text stands in it more than once, word for word, and tells the reader nothing new."
        yield _finding("major", says, passages[0][0])
    elif share >= 5:  # in a long text a line that stands there twice is no fault
        for first, length, _ in passages:
            if length >= LONG or "\n" in first:
                yield _finding("minor", f"A passage of {length} words stands here word for word a second time.", first)


def _told_back(subject: Subject) -> Iterator[Finding]:
    """A long piece of the task, repeated before the answer."""
    asked = subject.task.lower().split()
    if len(asked) < _TOLD_BACK or _REWORKS.search(subject.task):
        return
    said = subject.prose.split()
    pieces = {" ".join(asked[place : place + _STRIDE]) for place in range(len(asked) - _STRIDE + 1)}
    whole = f" {' '.join(asked)} "
    for place in range(0, len(said), _STRIDE):
        if " ".join(said[place : place + _STRIDE]).lower() in pieces:
            for start in range(max(0, place - _STRIDE), place + 1):
                if f" {' '.join(said[start : start + _TOLD_BACK]).lower()} " in whole and start + _TOLD_BACK <= len(
                    said
                ):
                    says = f"{_TOLD_BACK} words or more of the task are told back word for word."
                    yield _finding("minor", says, _first_words(subject, said[start : start + 8]))
                    return


def _first_words(subject: Subject, words: list[str]) -> str:
    found = re.search(r"\s+".join(map(re.escape, words)), subject.output)
    return found[0] if found else ""


def _filler(subject: Subject) -> Iterator[Finding]:
    """Two or more sentences that only make noise; one is a courtesy."""
    if _CORRESPONDENCE.search(subject.task):
        return
    empty = [each for each in _sentences(subject.prose) if _FILLER.search(each) and len(each.split()) <= 25]
    if len(empty) >= 2:
        yield _finding(
            "minor", f"{len(empty)} sentences are filler that could be left out, this one among them.", empty[0]
        )


def _finding(severity: Severity | None, says: str, quote: str) -> Finding:
    return Finding("repetition", "efficiency", severity, says, quote.splitlines()[0][:200] if quote else "")


def _repetition(subject: Subject) -> Iterator[Finding]:
    found = [*limited(_repeated(subject), 3), *_told_back(subject), *_filler(subject)]
    yield from found
    if not found and subject.output.strip():
        yield _finding(None, "Nothing of any length is said twice, and there is no filler to speak of.", "")


CHECKS = (
    Check(
        id="repetition",
        dimensions=("efficiency",),
        sees="Passages that stand in the output twice, the task told back at length, and sentences of filler.",
        severity="Minor for each long passage, three at most; major instead when a quarter of the text repeats itself.",
        example="Certainly! I'd be happy to help. ... I hope this helps!",
        run=_repetition,
    ),
)
