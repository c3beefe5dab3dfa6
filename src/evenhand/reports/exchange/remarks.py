"""What a scorecard has to say about places in files: faults, unmet expectations, red flags. Pure; worst first."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, Literal, NamedTuple

from evenhand.core.bounds import faults_of, finding_id
from evenhand.core.finding import Place, Severity
from evenhand.core.judgement import Evidence
from evenhand.core.receipt import checksum
from evenhand.core.scorecard import Deduction, Scorecard

Level = Literal["error", "warning", "note"]
LEVELS: Final[dict[Severity, Level]] = {"critical": "error", "major": "warning", "minor": "note"}
_ORDER = list(LEVELS.values())


class Remark(NamedTuple):
    """One thing to show at a place in a file."""

    rule: str
    """The check, the red flag, or `expectation`."""
    level: Level
    message: str
    quote: str
    id: str
    """Stays the same as long as the fault does."""
    place: Place | None
    """Where the quote should be; None when it is in no file."""
    of: str
    """The scorecard's id."""


def remarks_of(card: Scorecard) -> list[Remark]:
    """The remarks of a scorecard, worst first; findings that were waived or refuted are left out."""
    return sorted(_remarks(card), key=lambda remark: _ORDER.index(remark.level))


def _remarks(card: Scorecard) -> Iterator[Remark]:
    for flag in card.red_flags:
        yield _of_flag(card, flag)
    if card.checked is None:
        return
    for finding in faults_of(card.checked):
        if not finding.flag and finding.severity is not None:
            place = finding.place or _in_output(card, finding.line)
            level = LEVELS[finding.severity]
            yield Remark(finding.check, level, finding.message, finding.quote, finding_id(finding), place, card.id)
    for expected in card.checked.expectations:
        if expected.result == "unmet":
            message = expected.line
            id = f"expectation-{checksum(expected.words)}"
            level = LEVELS[expected.severity]
            yield Remark("expectation", level, message, expected.quote, id, expected.place, card.id)


def _of_flag(card: Scorecard, flag: Deduction) -> Remark:
    quote = next((quote for quote in flag.evidence if quote.verified), Evidence(""))
    message = f"{flag.description} {flag.explanation}".strip()
    id = f"{flag.id}-{checksum(quote.quote or message)}"
    return Remark(flag.id, "error", message, quote.quote, id, _place(card, quote), card.id)


def _place(card: Scorecard, evidence: Evidence) -> Place | None:
    if evidence.source is None:
        return _in_output(card, evidence.line)
    file, _, line = evidence.source.rpartition(":")
    return Place(file, int(line)) if file and line.isdecimal() else Place(evidence.source)


def _in_output(card: Scorecard, line: int | None) -> Place | None:
    return None if card.output is None or line is None else Place(card.output, line)
