"""Words that add nothing: repeated passages, the task copied out, and filler. Pure.

Only verbatim repetition counts, of passages long enough not to be chance, and not where the task wants it (a refrain,
a letter's closing, a text to be copied).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice
from typing import NamedTuple

from evenhand.checks.facts.sentences import sentences
from evenhand.checks.finding import Finding, check
from evenhand.checks.subject import Block, Subject
from evenhand.core.basics.lazy_pattern import late_pattern, late_words
from evenhand.core.values.finding import Severity

LONG = 15
"""Words a sentence has before its repetition alone is a fault."""

SHORT = 5
"""Words a sentence has before its repetition counts as padding."""

_COPIED_WORDS = 40
"""Words of the task in one piece before repeating them is padding."""

_REFERENCE = 800
"""Words of an output that may be a reference, whose entries say the same thing about several items."""

_STRIDE = _COPIED_WORDS // 2
"""Any piece of `_COPIED_WORDS` words holds a whole stretch of this length that starts at a multiple of it."""

_REFRAIN = late_words("song|poem|lyrics?|chorus|refrain|chant|villanelle|rap|repeat\\w*|mantra|verbatim|template")
_REWORKS = late_words(
    "repeat|copy|quote|rewrite|rephrase|edit|proofread|correct|translate|format|convert|extract|improve|fix|complete"
    "|expand|annotate|summari[sz]e|review|fill"
)
_CORRESPONDENCE = late_words("email|letter|message|post|chat|dialogue|script|speech")
_REPLY = late_pattern(r"\b(?:e-mail|reply to|response to)\b", re.I)
_IN_ANOTHERS_VOICE = late_pattern(
    r"\b(?:corrected|revised|rewritten|improved|sample|example|suggested|draft)\b.{0,40}\b(?:response|reply|answer|message"
    r"|e-?mail|version)\b",
    re.I,
)
"""Words before a second version of a text, or one for someone else, with its pleasantries."""
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


class _Passage(NamedTuple):
    """A sentence or a code block that may occur more than once."""

    text: str
    words: int
    times: int
    offset: int | None
    """Where it occurs the second time."""
    is_code: bool


def _passages(subject: Subject) -> Iterator[_Passage]:
    """The sentences and code blocks that occur more than once, in the order of their first occurrence.

    Items of lists are left out: a reference describes the same thing in several places.
    """
    code = [block for block in subject.blocks if block.code.strip().count("\n") >= 4]
    places: dict[str, list[tuple[str, int | Block]]] = {}
    for position, sentence in sentences(subject.prose, lines=False):
        if len(sentence.split()) >= SHORT and not subject.in_list(position):
            places.setdefault(" ".join(sentence.lower().split()), []).append((sentence, position))
    for block in code:
        places.setdefault(" ".join(block.code.lower().split()), []).append((block.code.strip(), block))
    for key, same in places.items():
        if len(same) > 1:
            text, second = same[1]
            quote = _quote(text)
            at = subject.on_line(quote, second.line) if isinstance(second, Block) else subject.in_prose(quote, second)
            yield _Passage(text, key.count(" ") + 1, len(same), at, isinstance(second, Block))


def _quote(text: str) -> str:
    return text.splitlines()[0][:200] if text else ""


def _repeated(subject: Subject) -> Iterator[Finding]:
    if _REFRAIN.are_in(subject.task) or _IN_ANOTHERS_VOICE.search(subject.prose):
        return
    passages = list(_passages(subject))
    if not passages:
        return
    wasted = sum(passage.words * (passage.times - 1) for passage in passages)
    words = sum(1 for _ in re.finditer(r"\S+", subject.output))  # without a list of them: an output may have millions
    share = wasted * 100 // max(words, 1)
    if share >= 25:
        message = f"{share}% of the text repeats earlier passages word for word."
        yield _finding("major", message, passages[0].text, passages[0].offset)
    elif share >= 5 and words < _REFERENCE:  # in a long text some lines occur twice
        for text, words, times, offset, is_code in passages:
            if is_code or (words >= LONG and share >= 10):
                message = f"A passage of {words} words occurs {'twice' if times == 2 else f'{times} times'}."
                yield _finding("minor", message, text, offset)


def _copied_task(subject: Subject) -> Iterator[Finding]:
    """A long piece of the task, repeated before the answer."""
    words = subject.prose.split()
    if len(words) < _COPIED_WORDS:
        return
    task_words = subject.task.lower().split()
    if len(task_words) < _COPIED_WORDS or not _shares_stretch(words, frozenset(task_words)):
        return
    if _REWORKS.are_in(subject.task):
        return
    pieces = {" ".join(task_words[place : place + _STRIDE]) for place in range(len(task_words) - _STRIDE + 1)}
    whole = f" {' '.join(task_words)} "
    for place in range(0, len(words), _STRIDE):
        if " ".join(words[place : place + _STRIDE]).lower() in pieces:
            for start in range(max(0, place - _STRIDE), place + 1):
                if (
                    f" {' '.join(words[start : start + _COPIED_WORDS]).lower()} " in whole
                    and start + _COPIED_WORDS <= len(words)
                ):
                    message = f"{_COPIED_WORDS} or more words in a row are copied from the task."
                    first = re.search(r"\s+".join(map(re.escape, words[start : start + 8])), subject.output)
                    quote = _quote(first[0]) if first else ""
                    yield _finding("minor", message, quote, first.start() if first else None)
                    return


def _shares_stretch(words: list[str], task_words: frozenset[str]) -> bool:
    """Whether a stretch of the output has no word that the task does not have; in most outputs none has."""
    starts = range(0, len(words), _STRIDE)
    return any(task_words.issuperset(map(str.lower, words[place : place + _STRIDE])) for place in starts)


def _filler(subject: Subject) -> Iterator[Finding]:
    """Two or more sentences that only make noise; one is a courtesy."""
    if _CORRESPONDENCE.are_in(subject.task) or _REPLY.search(subject.task):
        return
    if _IN_ANOTHERS_VOICE.search(subject.prose):
        return
    empty = [
        (position, sentence)
        for position, sentence in sentences(subject.prose, lines=False)
        if _FILLER.search(sentence) and len(sentence.split()) <= 25
    ]
    if len(empty) >= 2:
        position, sentence = empty[0]
        message = f"{len(empty)} sentences are filler; this is the first."
        yield _finding("minor", message, sentence, subject.in_prose(_quote(sentence), position))


def _finding(severity: Severity | None, message: str, text: str = "", offset: int | None = None) -> Finding:
    return Finding("repetition", "efficiency", severity, message, _quote(text), offset=offset)


@check(
    "repetition",
    "efficiency",
    sees="Passages that occur twice, long stretches of the task copied out, and sentences of filler.",
    severity="Minor for each long passage, three at most; major when a quarter of the text is repetition.",
    example="Certainly! I'd be happy to help. ... I hope this helps!",
)
def _repetition(subject: Subject) -> Iterator[Finding]:
    findings = [*islice(_repeated(subject), 3), *_copied_task(subject), *_filler(subject)]
    yield from findings
    if not findings and subject.output.strip():
        yield _finding(None, "No repeated passages and no filler.")


CHECKS = (_repetition,)
