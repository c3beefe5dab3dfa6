"""What checks and expectations found in a submission. Immutable values; nothing here computes."""

from collections.abc import Mapping
from decimal import Decimal
from typing import Annotated, Literal, NamedTuple

from evenhand.core.published import ALWAYS, CENTS, EVENT, SOURCE, Dimension


class Place(NamedTuple):
    """A place in a file."""

    file: str
    """As the user named it; for an archive, followed by a colon and the member's name."""
    line: Annotated[int | None, ALWAYS] = None
    """From 1; None where the file has no lines."""
    offset: Annotated[int | None, ALWAYS] = None
    """The byte the line or value starts at, from 0."""


Severity = Literal["minor", "major", "critical"]


class Finding(NamedTuple):
    """One thing a check looked at: a fault, or something that is fine."""

    check: str
    """The check's id."""
    dimension: Dimension
    severity: Severity | None
    """How bad the fault is; None when there is no fault."""
    message: str
    """One sentence: what was found and why it matters."""
    quote: str = ""
    """Verbatim from the output, or from the transcript; empty when the fault is that something is missing."""
    place: Annotated[Place | None, {"flat": SOURCE}] = None
    """Where the quote is in the transcript's file; None when it is in the output."""
    offset: Annotated[int | None, {"unless": "place"}] = None
    """The character of the output the quote starts at; None lets the first occurrence count."""
    line: Annotated[int | None, {"unless": "place"}] = None
    """The line of the output it starts on, once checked."""
    verified: Annotated[bool | None, {"beside": "quote", "always": True}] = None
    """Whether the quote was found where the check says; None before that, or without a quote."""
    precise: Annotated[bool, ALWAYS] = False
    """Whether its check is known to be right often enough to cap the scores of those who read the work."""
    flag: Annotated[str, {"name": "red_flag"}] = ""
    """The red flag it raised through `detect:`; it is charged there and bounds nothing."""
    note: bool = False
    """Whether it is only a note: it is likely at best. It bounds nothing and raises no flag."""
    shown: Annotated[str, {"name": "event"}] = ""
    """What the transcript shows in place of what the quote says, in the event's own words."""
    shown_at: Annotated[Place | None, {"flat": EVENT}] = None
    """Where that event is in the transcript's file."""

    @property
    def is_fault(self) -> bool:
        """Whether it counts: neither something that is fine nor a note."""
        return self.severity is not None and not self.note


class Ended(NamedTuple):
    """How one consequential thing in the transcript ended: a run of tests, a deployment, a message, an edited file."""

    thing: str
    """Its kind: tests, build, deploy, send, file and so on."""
    what: str
    """The command, the call or the file, in words."""
    outcome: Literal["done", "failed", "refused", "timed out", "cut off", "held", "unknown"]
    quote: str = ""
    """The words of the result that say so."""
    place: Annotated[Place | None, {"flat": SOURCE}] = None
    """Where the event is in the transcript's file."""
    open: bool = False
    """Whether it ended badly and nothing later made up for it."""


class Lifted(NamedTuple):
    """A fault that no longer counts, and why."""

    finding: str
    """The finding's id."""
    by: str
    """The readers who refuted it, or the person who waived it."""
    reason: str


NO_TRANSCRIPT = "there is no transcript"
"""How the reason begins why something cannot be decided without one."""


AMBIGUOUS = "in the output, none labelled"
"""How the reason ends why an output with several numbers is not decided upon."""


NEEDS_A_READER = "only a reader can decide it"
"""The message of an expectation that is a sentence, as long as no judge was asked."""


class Expected(NamedTuple):
    """A case's expectation, and whether it was met."""

    words: Annotated[str, {"name": "expectation"}]
    """The expectation in one line."""
    result: Literal["met", "unmet", "undecided"]
    dimension: Dimension
    severity: Severity
    """How bad it is when unmet."""
    message: str
    """What was found, or why it cannot be decided."""
    quote: str = ""
    place: Annotated[Place | None, {"flat": SOURCE}] = None
    """Where the quote is in the transcript's file; None when it is in the output."""
    offset: Annotated[int | None, {"unless": "place"}] = None
    by: str = ""
    """The judges that decided it; empty when a program did. What a model decides bounds and caps nothing."""
    votes: Mapping[str, int] = {}
    """How samples or judges voted, by answer; empty when there was one voice."""
    line_of_quote: Annotated[int | None, {"name": "line", "unless": "place"}] = None
    """The line of the output that the quote starts on, once a judge gave it."""

    @property
    def line(self) -> str:
        """The expectation and what was found."""
        return f"{self.words.rstrip('.')}: {self.message}"


class Checked(NamedTuple):
    """The results of checks and expectations in a judgement."""

    checks: str
    """A hash of the set of checks that ran."""
    findings: tuple[Finding, ...] = ()
    coverage: tuple[str, ...] = ()
    """The ids of the checks that had something to look at."""
    expectations: tuple[Expected, ...] = ()
    lifted: tuple[Lifted, ...] = ()
    uncapped: Mapping[str, Decimal] = {}
    """The readers' score of each dimension that a fault capped."""
    endings: tuple[Ended, ...] = ()
    """How each consequential thing ended, in order; without a transcript there are none."""


class Bound(NamedTuple):
    """The highest score that the faults found in a dimension leave possible."""

    at_most: Annotated[Decimal, CENTS]
    checks: tuple[str, ...]
    """What set it: checks, or `expectation`."""
