"""What is done to a user's own outputs before they are judged again: functions of the text alone. Pure.

Nothing is known about these outputs, so every change is one whose effect follows from the text itself. A change that an
output has no room for (no list to reorder, no phrase to reword) gives None, and the output is left out of that probe.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Final, NamedTuple

from evenhand.judges.probing.probes import AGAIN, BASE, NAMES, PADDING, laid_out
from evenhand.stats.trust.probe_effects import Probe
from evenhand.work.submission import Submission

OWN_PROBES: Final = (
    Probe("repeatability", "repeat", BASE, AGAIN),
    Probe("paraphrase", "same", BASE, "paraphrase", "correctness", "scores a paraphrase higher",
          "scores a paraphrase lower"),
    Probe("reordering", "same", BASE, "reordering", "consistency", "scores lists in another order higher",
          "scores lists in another order lower"),
    Probe("padding", "not-up", BASE, "padding", "completeness", "marks padding up"),
    Probe("format", "not-up", BASE, "format", "actionability", "marks headings and bullets up"),
    Probe("author", "same", "author one", "author two", "correctness",
          f"scores {NAMES['author two']} higher than {NAMES['author one']}",
          f"scores {NAMES['author two']} lower than {NAMES['author one']}"),
    Probe("truncation", "down", BASE, "truncation", "completeness", down="marks half of an output down"),
    Probe("fact-changed", "noticed", BASE, "fact", "correctness", down="marks a contradicted fact down"),
    Probe("blank", "down", BASE, "blank", None, down="marks a blank output down"),
)  # fmt: skip
"""The probes on a user's outputs."""

LEAST_TEXT: Final = 200
"""Characters: of a shorter output, half may be as good as the whole."""

_REWORDING: Final = {
    "in order to": "to", "for example": "for instance", "for instance": "for example", "such as": "like",
    "do not": "don't", "does not": "doesn't", "did not": "didn't", "is not": "isn't", "are not": "aren't",
    "was not": "wasn't", "cannot": "can't", "don't": "do not", "doesn't": "does not", "isn't": "is not",
    "aren't": "are not", "can't": "cannot", "because": "since", "therefore": "for that reason", "however": "even so",
    "a lot of": "plenty of", "due to": "because of", "make sure": "ensure", "needs to": "has to", "need to": "have to",
    "also": "additionally", "several": "a number of", "approximately": "roughly", "currently": "at present",
    "immediately": "at once", "usually": "normally", "often": "frequently", "quickly": "rapidly", "large": "big",
    "whole": "entire", "finished": "completed", "starts": "begins", "begins": "starts", "shows": "displays",
    "helps": "assists", "additional": "further", "afterwards": "after that", "instead of": "in place of",
}  # fmt: skip
"""Words for words that mean the same wherever they stand."""

_CODE = re.compile(r"```.*?(?:```|\Z)|`[^`\n]*`|https?://\S+|^(?: {4}|\t).*$", re.DOTALL | re.MULTILINE)
_BULLETS = re.compile(r"(?:^[ ]{0,3}[-*+] .+(?:\n|\Z)){2,}", re.MULTILINE)
_NUMBER = re.compile(r"(?<![\w.,/:-])\d+(?:\.\d+)?(?![\w/:-]|[.,]\d)")
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+|\n+")


class OwnOutput(NamedTuple):
    """One output to probe with."""

    id: str
    task: str | None
    output: str


Variant = Callable[[OwnOutput], Submission | None]


def own_variants() -> Mapping[str, Variant]:
    """Every variant by its name."""
    return {
        BASE: _changed(lambda text: text),
        AGAIN: _changed(lambda text: text),
        "paraphrase": _changed(paraphrased),
        "reordering": _changed(reordered),
        "padding": _changed(lambda text: f"{text}\n\n{PADDING}"),
        "format": _changed(lambda text: None if _CODE.search(text) or _BULLETS.search(text) else laid_out(text)),
        "truncation": _changed(truncated),
        "fact": _changed(contradicted),
        "blank": _changed(lambda text: ""),
        **{name: _changed(f"{{}}\n\nWritten by {person}".format) for name, person in NAMES.items()},
    }


def paraphrased(text: str) -> str | None:
    """Other words for the same, outside code; None where fewer than two can be replaced."""
    count = 0

    def other(match: re.Match[str]) -> str:
        nonlocal count
        count += 1
        word = _REWORDING[match[0].lower()]
        return word.capitalize() if match[0][0].isupper() else word

    words = "|".join(sorted(map(re.escape, _REWORDING), key=len, reverse=True))
    pattern = re.compile(rf"\b(?:{words})\b", re.IGNORECASE)
    changed = _outside_code(text, lambda part: pattern.sub(other, part))
    return changed if count > 1 else None


def reordered(text: str) -> str | None:
    """The bullets of every list without numbers in the opposite order; None without such a list."""

    def turned(match: re.Match[str]) -> str:
        lines = match[0].splitlines()
        return "\n".join(reversed(lines)) + ("\n" if match[0].endswith("\n") else "")

    changed = _outside_code(text, lambda part: _BULLETS.sub(turned, part))
    return None if changed == text else changed


def truncated(text: str) -> str | None:
    """The first half, broken off in the middle of a word; None for a short text."""
    if len(text.strip()) < LEAST_TEXT:
        return None
    half = len(text) // 2
    while half < len(text) - 1 and not (text[half - 1].isalnum() and text[half].isalnum()):
        half += 1
    return text[:half]


def contradicted(text: str) -> str | None:
    """The output with one of its sentences repeated at the end, its numbers tripled: it contradicts itself."""
    prose = _CODE.sub(" ", text)
    for sentence in _SENTENCE_END.split(prose):
        if sentence.endswith((".", "!", "?")) and _NUMBER.search(sentence):
            changed = _NUMBER.sub(lambda match: f"{float(match[0]) * 3 + 1:g}", sentence.strip(" -*+>#\t"))
            return f"{text}\n\nTo sum up: {changed}"
    return None


def _outside_code(text: str, change: Callable[[str], str]) -> str:
    """A change made to everything but code and addresses."""
    parts, end = [], 0
    for match in _CODE.finditer(text):
        parts += [change(text[end : match.start()]), match[0]]
        end = match.end()
    return "".join([*parts, change(text[end:])])


def _changed(change: Callable[[str], str | None]) -> Variant:
    def variant(item: OwnOutput) -> Submission | None:
        text = change(item.output)
        return None if text is None else Submission(output=text, task=item.task, id=item.id)

    return variant
