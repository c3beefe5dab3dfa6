"""Calibration examples: how people judged other works, as a judge reads them. Pure.

They are the same for every submission of a run and come right after the rubric, so that servers can cache them. Each
work is fenced by lines with a code: a hash of all examples, which none of them can contain.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from hashlib import sha256
from typing import NamedTuple

from evenhand.judges.models.questions import wording
from evenhand.judges.models.questions.layout import NONCE_HERE
from evenhand.judges.models.questions.shown_work import show
from evenhand.work.submission import Submission


class Example(NamedTuple):
    """A work and how a person judged it."""

    submission: Submission
    scores: Mapping[str, str]
    """By dimension: the score, and the justification if there is one."""
    red_flags: tuple[str, ...] = ()
    bonuses: tuple[str, ...] = ()


def examples_text(examples: Sequence[Example]) -> str:
    """The examples as they are shown; empty when there are none."""
    if not examples:
        return ""
    shown = [_written(number, example) for number, example in enumerate(examples, 1)]
    text = wording.EXAMPLES.format(nonce=NONCE_HERE, examples="\n".join(shown))
    return text.replace(NONCE_HERE, sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16])


def _written(number: int, example: Example) -> str:
    shown = show(example.submission, window_tokens=None)
    scores = "\n".join(f"{name}: {verdict}" for name, verdict in example.scores.items()).replace(NONCE_HERE, " ")
    return wording.EXAMPLE.format(
        nonce=NONCE_HERE,
        number=number,
        task=shown.task or "(not known)",
        text=shown.text,
        scores=scores,
        red_flags=", ".join(example.red_flags) or "none",
        bonuses=", ".join(example.bonuses) or "none",
    )
