"""A skill's earlier evaluations, as far as a comparison looks, and a scorecard against them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from operator import mul
from typing import Annotated, NamedTuple

from evenhand.core.published import BARE, published
from evenhand.core.rules import DIMENSIONS, WINDOW

MOST_LEFT_OUT = 1000
"""The most evaluations outside a history that are counted."""


REACH = 64
"""How many evaluations the moving average looks back; what lies further weighs less than a millionth."""


KEPT, OF = 4, 5
"""The moving average keeps four fifths of what it was with each evaluation; the new one counts the rest."""


_WEIGHTS = [KEPT**age * OF ** (REACH - 1 - age) for age in range(REACH)]
"""What each of the newest scores counts in the moving average, in whole numbers."""


_NO_SCORES = (0,) * len(DIMENSIONS)


class Past(NamedTuple):
    """The parts of an earlier evaluation that a comparison needs."""

    scores: tuple[int, ...]
    """Hundredths, in the order of the dimensions."""
    rubric: str
    """The rubric's hash."""
    judge: str
    """The judge's identity, as canonical text."""


Sums = Sequence[tuple[int, int]]
"""For each dimension the scores of a window added up, and their squares, in hundredths."""


class Timeline(NamedTuple):
    """A skill's completed evaluations before one, as far as a comparison looks."""

    window: Sequence[Past]
    """The newest ten (R13)."""
    baseline: Sequence[int]
    """The final scores of the first ten, in hundredths."""
    since: Sequence[int]
    """The final scores after the baseline, newest first, up to `REACH` of them."""
    last: int | None = None
    """When the newest was completed."""
    left_out: int = 0
    """How many evaluations of the skill do not belong to its history, counted up to `MOST_LEFT_OUT`."""
    known_sums: Sums | None = None
    """The sums of the window where they are known; `sums` adds them up otherwise."""
    known_recent: int | None = None
    """`recent` where it is known."""

    @property
    def sums(self) -> Sums:
        """The scores of the window, added up."""
        if self.known_sums is not None:
            return self.known_sums
        columns = list(zip(*(past.scores for past in self.window), strict=True)) or [()] * len(DIMENSIONS)
        return [(sum(column), sum(map(mul, column, column))) for column in columns]

    @property
    def recent(self) -> int:
        """The final scores of a whole reach, weighted as the moving average weights them and added up."""
        return sum(map(mul, _WEIGHTS, self.since)) if self.known_recent is None else self.known_recent

    def followed_by(self, past: Past, final: int, completed: int) -> "Timeline":
        """The timeline with one more evaluation, the newest of all."""
        window = [past, *self.window[: WINDOW - 1]]
        dropped = self.window[-1].scores if len(self.window) == WINDOW else _NO_SCORES
        # Ten scores and their weighted finals need not be added up again for each line of a long file.
        sums = [
            (total + new - old, squares + new * new - old * old)
            for (total, squares), new, old in zip(self.sums, past.scores, dropped, strict=True)
        ]
        if len(self.baseline) < WINDOW:
            return Timeline(window, [*self.baseline, final], self.since, completed, self.left_out, sums)
        recent = None
        if len(self.since) == REACH:  # every weight becomes the next one; the oldest score drops out
            recent = final * _WEIGHTS[0] + (self.recent - self.since[-1] * _WEIGHTS[-1]) * KEPT // OF
        since = [final, *self.since[: REACH - 1]]
        return Timeline(window, self.baseline, since, completed, self.left_out, sums, recent)


@dataclass(frozen=True, slots=True)
class DimensionComparison:
    """One dimension against its window."""

    mean: Annotated[float, BARE]
    """The mean of the earlier scores."""
    deviation: Annotated[float | None, BARE]
    """The sample deviation; null with a single earlier evaluation."""
    delta: Annotated[float, BARE]
    """The score less the mean."""
    flagged: bool
    """Whether it lies more than two deviations off (R14)."""
    provisional: bool
    """Whether the window is shorter than ten, so that a flag means less."""
    reason: str
    """Why it is flagged, or not, in words."""
    strength: Annotated[float | None, {"digits": 4}]
    """The probability of a score at least this far off in any of the seven dimensions, had nothing changed."""


@dataclass(frozen=True, slots=True)
class Drift:
    """Where the skill's final scores are heading, against its first ten."""

    alarm: bool
    """Whether the average lies further off than the limit."""
    baseline: Annotated[float, BARE]
    """The mean of the first ten final scores."""
    deviation: Annotated[float, BARE]
    """Their sample deviation."""
    average: Annotated[float, BARE]
    """The exponentially weighted moving average of the final scores since the baseline."""
    limit: Annotated[float, BARE]
    """How far the average may lie from the baseline before the alarm is raised."""
    since: int
    """How many evaluations came after the baseline, counted up to the reach of the average."""


@dataclass(frozen=True, slots=True)
class Change:
    """A circumstance that differs from one evaluation to the next, or between two sets of them."""

    what: str
    """`skill version`, `rubric`, a part of the judge's identity, or `model as served`."""
    before: str
    """What it was."""
    after: str
    """What it is."""


@dataclass(frozen=True, slots=True)
class Comparison:
    """A scorecard against the window of its skill's earlier ones."""

    n: int
    """How many earlier evaluations are in the window."""
    dimensions: Mapping[str, DimensionComparison]
    """Each scored dimension against its window."""
    other_rubric: int
    """How many of the window were scored with another rubric (R18)."""
    other_judge: int
    """How many of the window were judged by another judge (R18)."""
    drift: Drift | None
    """Null until the baseline is complete."""
    left_out: int = 0
    """Earlier evaluations of the skill that do not count: no one read the output, or there was no final score."""
    changes: tuple[Change, ...] | None = None
    """What changed since the evaluation before; looked up where a dimension is flagged or the drift alarm is raised."""

    @property
    @published
    def flags(self) -> tuple[str, ...]:
        """The dimensions that the literal rule flags."""
        return tuple([name for name, line in self.dimensions.items() if line.flagged])
