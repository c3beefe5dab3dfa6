"""What to change in a skill, and where it is worse than its reference. Frozen values; nothing here computes."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from typing import Annotated, Literal, NamedTuple

from evenhand.core.published import ALWAYS, Count, SixPlaces

Kind = Literal["red_flag", "check", "expectation", "criterion", "reason"]
"""What costs points: a red flag, a fault that a check found, an unmet expectation, a judge's reason for a low score."""


class Passage(NamedTuple):
    """Words quoted as they stand."""

    text: str
    case: str
    source: Literal["output", "judge", "expectation", "check"]
    """Whose words they are. The output's are verified; the others stand in where nothing in the output shows it."""
    line: int | None = None
    """The line of the output."""


class Instruction(NamedTuple):
    """A line of SKILL.md."""

    line: Count
    text: str
    """Verbatim."""
    named_by: Literal["judge", "words"]
    """`judge`: the reason quotes it. `words`: it shares most of its words with the reasons; a person should look."""


class Complaint(NamedTuple):
    """One thing that cost one output points."""

    case: str
    kind: Kind
    name: str
    """The id of the red flag or check, the expectation's words; empty for a reason."""
    dimension: str
    text: str
    cost: Fraction
    """Points of the final score, before floor and ceiling."""
    quotes: tuple[Passage, ...] = ()


class Change(NamedTuple):
    """Complaints that say the same."""

    says: str
    """The most costly of them, in the words of whoever made it."""
    kind: Kind
    dimension: str
    """Where most of its cost lies; empty for a red flag, which belongs to none."""
    cost: Annotated[Decimal, {"point": True, "places": 4}]
    """Points of the final score that it costs a case in the mean over all cases, those without it included."""
    cases: tuple[str, ...]
    """The cases it was found in."""
    quotes: tuple[Passage, ...]
    """At least one, and two where there are two."""
    wordings: tuple[str, ...]
    """All the ways in which it was said."""
    name: str = ""
    """The id of the red flag or check, the expectation's words; empty for a reason."""
    dimensions: tuple[str, ...] = ()
    """All dimensions in which it cost points, the most costly first."""
    instruction: Annotated[Instruction | None, ALWAYS] = None
    """The line of SKILL.md that it is about; None where none was found, or no SKILL.md was given."""


class Changes(NamedTuple):
    """What to change, most costly first."""

    cases: Count
    """How many cases were looked at."""
    is_read: bool
    """Whether anyone read the outputs; else only checks and expectations are listed."""
    skill: str | None
    """The name of the skill's file, if one was given."""
    is_shown: bool
    """Whether judges were shown that file: only then does a missing instruction mean that there is none."""
    changes: tuple[Change, ...]


class WorseCase(NamedTuple):
    """A case in which a variant is worse than its reference: the means of its runs, in points or as a share."""

    case: str
    before: SixPlaces
    """The value of the reference."""
    after: SixPlaces
    why: str = ""
    """What costs it most that did not cost the reference as much, in the words of whoever said so."""
    quote: Passage | None = None
    """From the output, verified."""


class Answer(NamedTuple):
    """What to change in a variant, and where it is worse than its reference."""

    variant: str
    changes: Changes | None
    """None where no scorecard is at hand, as of results in a file."""
    got_worse: tuple[WorseCase, ...]
    """The cases that fell most, largest fall first."""
    left_out: Annotated[int, ALWAYS] = 0
    """How many more cases got worse."""
