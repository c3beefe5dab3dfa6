"""What good means in a domain: bands, criteria, red flags, bonuses, and the part of it that the arithmetic uses."""

from collections.abc import Iterator, Mapping
from decimal import Decimal
from fractions import Fraction
from typing import Annotated, Final, Literal, NamedTuple

from evenhand.core.published import CENTS

Answer = Literal["yes", "no", "partly", "does not apply", "cannot tell"]
"""What a criterion is answered with."""


YES: Final = "yes"


NO: Final = "no"


PARTLY: Final = "partly"


DOES_NOT_APPLY: Final = "does not apply"


CANNOT_TELL: Final = "cannot tell"


ANSWERS: Final[tuple[Answer, ...]] = (YES, NO, PARTLY, DOES_NOT_APPLY, CANNOT_TELL)


UNANSWERED: Final = "no answer"
"""What stands as the decider of a verdict where no usable answer came: the judge broke, and did not say cannot tell."""


HALF: Final = Fraction(1, 2)


def answer_from(value: object) -> Answer:
    """One of the five answers. ValueError when it is none of them."""
    for answer in ANSWERS:
        if value == answer:
            return answer
    raise ValueError(f"one of {', '.join(ANSWERS)}")


class Criterion(NamedTuple):
    """One concrete statement about the work that a judge answers: yes, no, partly, does not apply, cannot tell."""

    id: str
    """Unique in the whole rubric, groups included."""
    sentence: str
    points: Fraction
    """What it is worth among its siblings; below 0 it takes points away when it is true. 0 counts for nothing."""
    requires: tuple[str, ...] = ()
    """The criteria, of any dimension, that must be met before this one is asked."""
    unmet: Literal["no", "does not apply"] = NO
    """What it counts as when one of those is not met."""
    applies_when: str = ""
    """The condition under which it is asked, in words; empty for always."""
    check: str = ""
    """The check that decides it without a model."""
    expect: Mapping[str, object] | None = None
    """The expectation that decides it without a model, as a suite writes it."""
    notes: Mapping[str, object] = {}
    """What another tool's file says of it and that has no meaning here; kept to be written back."""

    @property
    def asked(self) -> bool:
        """Whether a judge is asked; a program decides the others."""
        return not self.check and self.expect is None


class Group(NamedTuple):
    """Criteria that count together, with one weight among their siblings."""

    id: str
    title: str
    weight: Fraction
    """Not negative: only criteria take points away."""
    children: "tuple[Criterion | Group, ...]"
    notes: Mapping[str, object] = {}


class Tree(NamedTuple):
    """The criteria of one dimension; they give its score."""

    children: tuple[Criterion | Group, ...]
    partly: Fraction = HALF
    """What `partly` is worth."""

    def criteria(self) -> Iterator[Criterion]:
        """Every criterion in the order of the rubric."""
        return _criteria(self.children)


def _criteria(children: tuple[Criterion | Group, ...]) -> Iterator[Criterion]:
    for child in children:
        if isinstance(child, Group):
            yield from _criteria(child.children)
        else:
            yield child


RAW: Final = "raw"


CALIBRATED: Final = "calibrated"


OFFICIAL: Final = (RAW, CALIBRATED)
"""Which final score a rubric can make official: the one by the judge's own scores, or the one people would give."""


class Band(NamedTuple):
    """What earns the scores from `low` to `high`."""

    low: int
    high: int
    criteria: str


class Criteria(NamedTuple):
    """What one dimension means in a rubric's domain."""

    measures: str
    bands: tuple[Band, ...]
    """Best first."""
    tree: Annotated[Tree | None, {"hidden": True}] = None
    """The criteria that give its score; None where judges give it by the bands, which are otherwise guidance."""


class RedFlag(NamedTuple):
    """A fault that costs points whatever the scores say."""

    id: str
    description: str
    deduction: Decimal
    detect: str = ""
    """The check that may raise it without a reader; empty when only a reader can tell."""


class Bonus(NamedTuple):
    """A merit beyond the bands."""

    id: str
    description: str
    detect: str = ""
    """The check that may give it without a reader; empty when only a reader can tell."""


class Rubric(NamedTuple):
    """What good means in a domain."""

    name: str
    title: str
    domain: str
    version: str
    summary: str
    """The prose that introduces the rubric."""
    weights: Mapping[str, Decimal]
    """One for each dimension; they sum to exactly 1 (R6)."""
    pass_mark: Annotated[Decimal, CENTS]
    pass_mark_reason: str
    dimensions: Mapping[str, Criteria]
    red_flags: tuple[RedFlag, ...]
    bonuses: tuple[Bonus, ...]
    official: Annotated[str, {"enum": ("calibrated",)}] = RAW
    """Which final score is graded, compared and ranked; one of `OFFICIAL`."""


class Terms(NamedTuple):
    """The part of a rubric that the arithmetic uses. A scorecard carries enough to rebuild it."""

    rubric: str
    sha256: str
    """The hash of the whole rubric, bands and all."""
    weights: Mapping[str, Decimal]
    pass_mark: Decimal
    red_flags: Mapping[str, RedFlag]
    bonuses: Mapping[str, Bonus]
    units: tuple[int, ...]
    """The weights as whole numbers, in the order of the dimensions; they sum to `scale`."""
    scale: int
    criteria: Mapping[str, str] = {}
    """Checksums of everything a judge is asked about, by name: each dimension's bands, each flag, each bonus."""
    official: str = RAW
    """Which final score is the official one; one of `OFFICIAL`."""
    trees: Mapping[str, Tree] = {}
    """The criteria of each dimension that has some; they give its score."""
