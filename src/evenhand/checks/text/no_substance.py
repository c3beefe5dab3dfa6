"""An output without an answer: empty, without a word, boilerplate only, or the task repeated back. Pure.

A short answer is an answer, a refusal may be the right one, and words to a judge are a matter of screening: all three
are left alone. So is a transcript that was not read to its end, that records no words of the agent at all, or whose
answer may be in a call.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from evenhand.checks.facts.brought_back import ends_or_thinks
from evenhand.checks.facts.substance import REFUSAL, TO_JUDGE, lacks_substance
from evenhand.checks.finding import Finding, check
from evenhand.checks.subject import Subject

ID: Final = "no-substance"
DIMENSIONS: Final = ("correctness", "completeness", "adherence", "actionability")


@check(
    ID,
    *DIMENSIONS,
    sees="An output that is empty, has no words, is only boilerplate, or only repeats the task.",
    severity="Critical: there is no answer.",
    example="Sure! Here is the summary you asked for:",
    whole=True,
)
def no_substance(subject: Subject) -> Iterator[Finding]:
    """One critical fault for each dimension that needs an answer."""
    reason = lacks_substance(subject)
    if reason is None or reason in (REFUSAL, TO_JUDGE) or not _read_to_its_end(subject):
        return
    text = subject.output.strip()
    quote = text.partition("\n")[0].strip()[:200]
    for dimension in DIMENSIONS:
        yield Finding(ID, dimension, "critical", reason, quote, offset=subject.output.find(quote) if quote else None)


def _read_to_its_end(subject: Subject) -> bool:
    """Whether the output can be trusted to be all there is."""
    submission = subject.submission
    stopped = any(event.kind == "error" for event in subject.events)
    elsewhere = any(event.call and ends_or_thinks(event.call.name) for event in subject.events)
    silent = bool(subject.events) and not any(
        event.role == "assistant" and event.kind == "message" and event.text for event in subject.events
    )
    return not (submission.unknown or stopped or elsewhere or silent)


CHECKS = (no_substance,)
