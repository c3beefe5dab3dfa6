"""What is decided from a table of results. Frozen values that are documents; nothing here computes.

Every door shows these numbers and this sentence: a door that computes its own would one day contradict another.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Annotated, ClassVar, Literal

from evenhand.core.comparison import Change
from evenhand.decisions.table import MeasureName

Verdict = Literal["better", "worse", "no difference shown", "undecided"]
""""Better" exactly when the interval lies above zero, "worse" when below. "No difference shown": it lies within the
margin on both sides, or many cases were compared and too few differ. "Undecided": the data cannot tell."""

State = Literal["complete", "interrupted", "stopped", "shard"]
"""Whether all runs were made and judged. Ctrl-C interrupts a run; a budget or a fault stops it; a shard has some cases.
Nothing is compared unless it is complete."""

SIX = {"places": 6, "point": False}


@dataclass(frozen=True, slots=True)
class MoreData:
    """What would be enough for a verdict, from simulated continuations. Estimates."""

    cases: int | None
    """The fewest further cases that bring a verdict; None when it cannot be told."""
    most: int | None = None
    """The most, in 95 of 100 continuations; None when it may take any number."""


@dataclass(frozen=True, slots=True)
class CaseDifference:
    """One case that both sides have: the means of their runs."""

    case: str
    """The name of the case."""
    before: Annotated[float, SIX]
    """The reference's mean; of a run without a value the middle of what it may be."""
    after: Annotated[float, SIX]
    """The variant's."""
    low: Annotated[float, SIX]
    """Its lower end."""
    high: Annotated[float, SIX]
    """Between which ends the difference lies; twice the same where every run has a value."""
    cluster: str = ""
    """What it has in common with other cases."""

    @property
    def difference(self) -> float:
        """The variant's mean minus the reference's."""
        return self.after - self.before


@dataclass(frozen=True, slots=True)
class Detail:
    """A difference in one part of the results. Exploratory: a hint where to look, not a conclusion."""

    kind: Literal["tag", "dimension", "criterion", "finding"]
    """What the results were broken down by."""
    name: str
    """The name of the tag, dimension, criterion or check."""
    cases: int
    """Cases of both sides that have it."""
    mean: Annotated[float, SIX]
    """The mean difference: in the measure of the decision, in points, as a share, as a share of runs."""


@dataclass(frozen=True, slots=True)
class LeftOut:
    """Expectations that count on neither side, for one reason."""

    reason: str
    """Why they do not count."""
    expectations: int
    """How many."""


@dataclass(frozen=True, slots=True)
class Contrast:
    """A variant against its reference: the one claim, its interval, and what both rest on."""

    variant: str
    """What is called better or worse."""
    reference: str
    """What it is compared with."""
    verdict: Verdict
    """Read off the interval."""
    says: str
    """All of it in one sentence, as every report has it."""
    claim: Literal["typical", "mean"] | None
    """What the estimate is of: the median of the cases that differ, or the mean of all; None without a case."""
    estimate: Annotated[float | None, SIX]
    """In points, or as a share; None where no case differs."""
    low: Annotated[float | None, SIX]
    """Its lower end."""
    high: Annotated[float | None, SIX]
    """The ends of the interval at this contrast's level; None where too few cases differ, or nothing is concluded."""
    level: Annotated[float, {"places": 9, "point": False}]
    """How often chance alone may call this variant better or worse."""
    p_value: Annotated[float | None, {"digits": 4}]
    """The p-value of the test that belongs to the interval."""
    mean: Annotated[float | None, SIX]
    """The mean difference, whatever is claimed."""
    cases: int
    """The denominator: cases that both sides have."""
    units: int
    """What is counted: cases, or clusters of them."""
    unit: Literal["case", "cluster"]
    """What is counted, as a word."""
    better: int
    """In how many the variant is better, whatever the missing scores may be."""
    worse: int
    """In how many it is worse."""
    equal: int
    """In how many both are equal; these are in neither estimate nor interval of the typical case."""
    open: int
    """In how many units the answer depends on missing scores."""
    unpaired: int
    """Cases that one side alone has: named, not counted."""
    lost: int
    """Runs of the variant that were lost, and count as the worst."""
    reference_lost: int
    """Runs of the reference that were lost."""
    unscored: int
    """Runs of either side without a score, which are carried at both ends of what it may be."""
    needed: int
    """The fewest differing cases, all one way, that allow a verdict of the typical case at this level."""
    doubt: str = ""
    """Why nothing is concluded although there may be an interval; empty where that is not so."""
    more: MoreData | None = None
    """Set where it is undecided, and more cases would help."""
    expectations: int = 0
    """How many the compared cases have."""
    left_out: tuple[LeftOut, ...] = ()
    """Those of them that do not count, the most frequent reasons first."""
    seen: int = 0
    """Runs of either side that may have seen the answers."""
    differences: tuple[CaseDifference, ...] = ()
    """Every compared case, in the order of their names."""
    details: tuple[Detail, ...] = ()
    """Parts of at least ten cases."""

    @property
    def points_both_ways(self) -> bool:
        """Whether the typical case and the mean point in opposite directions."""
        return self.estimate is not None and self.mean is not None and self.estimate * self.mean < 0

    @property
    def counted(self) -> int:
        """How many expectations count on both sides."""
        return self.expectations - sum(entry.expectations for entry in self.left_out)


@dataclass(frozen=True, slots=True)
class Missing:
    """Runs without a value, for one reason."""

    kind: Literal["lost", "unscored"]
    """Whose fault it was: the variant's own, or ours."""
    reason: str
    """What happened."""
    runs: int
    """How many."""


@dataclass(frozen=True, slots=True)
class Share:
    """A share from 0 to 1."""

    value: Annotated[float, SIX]
    """The share itself."""
    low: Annotated[float | None, SIX] = None
    """Its lower end."""
    high: Annotated[float | None, SIX] = None
    """The interval that holds it with 95 % confidence; None with too few cases."""


@dataclass(frozen=True, slots=True)
class Passes:
    """How often k tries at a case pass, as a mean over cases."""

    k: int
    """How many tries."""
    at_least_one: Share
    """pass@k: at least one of k tries passes."""
    every: Share
    """pass^k: every one of k tries passes."""


@dataclass(frozen=True, slots=True)
class TriggerPrompt:
    """A prompt that tries a skill's description, and how often the skill was activated at it."""

    case: str
    """Its case."""
    wanted: bool
    """Whether the skill should be activated."""
    activated: int
    """In how many runs it was."""
    runs: int
    """Finished runs whose transcript tells."""


@dataclass(frozen=True, slots=True)
class Triggers:
    """How well a skill is activated. A prompt counts once, by the share of its runs."""

    recall: Share | None
    """The share of the prompts the skill is for at which it is activated; None without any."""
    precision: Share | None
    """The share of its activations that was wanted; None when it was never activated."""
    prompts: tuple[TriggerPrompt, ...]
    """Every such prompt."""


@dataclass(frozen=True, slots=True)
class VariantFacts:
    """What is known of a variant by itself."""

    name: str
    """As the suite calls it."""
    runs: int
    """How many there are."""
    valued: int
    """Runs that have a value of the measure; lost ones do not."""
    cases: int
    """Cases with a run that has a value or was lost."""
    mean: Annotated[float | None, SIX]
    """The weighted mean over these cases of their runs' values, described and not claimed; lost runs are the worst."""
    lost: int
    """Runs that did not finish by the variant's own fault."""
    unscored: int
    """Runs without a value for another reason."""
    missing: tuple[Missing, ...]
    """Both kinds by reason, the most frequent first."""
    met: int
    """Expectations that are met, over all runs."""
    expectations: int
    """Expectations that are met or unmet."""
    faults: Annotated[dict[str, int], {"is": "an object of numbers"}]
    """How many faults of each severity, over all runs."""
    seconds: Annotated[float | None, SIX]
    """Mean duration of a run, over those where it is known."""
    tokens: Annotated[float | None, SIX]
    """Mean number of tokens of a run, over those where it is known."""
    cost: Annotated[Decimal | None, SIX]
    """What its runs cost in US dollars, failed ones included; None when none is known."""
    cost_known: int
    """How many runs have a known cost."""
    judging_cost: Annotated[Decimal | None, SIX]
    """What judging them cost; None when none is known."""
    low: Annotated[float | None, SIX] = None
    """Its lower end."""
    high: Annotated[float | None, SIX] = None
    """Between which ends the mean over all its cases lies: unscored runs are carried at both ends."""
    passes: tuple[Passes, ...] = ()
    """For k from 1 to the fewest tries of a case, ten at most; empty where no try can be said to pass or not."""
    triggers: Triggers | None = None
    """For a suite with prompts that try a skill's description."""

    @property
    def cost_per_run(self) -> Decimal | None:
        """Over the runs whose cost is known."""
        return None if self.cost is None or not self.cost_known else self.cost / self.cost_known


@dataclass(frozen=True, slots=True)
class Decision:
    """What a table of results shows: every variant by itself, and every pair that is compared."""

    SCHEMA: ClassVar = "evenhand/decision/v1"

    measure: MeasureName
    """What is compared: the final score, in points, where somebody read the work; the share of expectations met; or
    how often a judge preferred the output, side by side."""
    reference: str | None
    """What all others are compared with; None where every pair is."""
    level: Annotated[float, {"places": 9, "point": False}]
    """How often any variant may be called better or worse by chance alone; each contrast has an equal part of it."""
    margin: Annotated[float, SIX]
    """A difference up to this is of no interest, in points or as a share."""
    cases: int
    """How many there are in all."""
    variants: tuple[VariantFacts, ...]
    """In the order of the table."""
    contrasts: tuple[Contrast, ...]
    """Empty for one variant, and unless the state is complete."""
    state: State = "complete"
    """Whether all runs were made and judged."""

    def facts(self, variant: str) -> VariantFacts:
        """The facts of one variant."""
        return next(facts for facts in self.variants if facts.name == variant)

    @property
    def advised_variant(self) -> str:
        """The variant whose shortcomings matter most: the best that is not the reference, or the only one."""
        first = self.reference or self.variants[0].name
        others = [facts for facts in self.variants if facts.name != first] or list(self.variants)
        return max(others, key=lambda facts: -1.0 if facts.mean is None else facts.mean).name

    @property
    def is_unscored(self) -> bool:
        """Whether runs were to be scored and none of any variant has a value."""
        return any(facts.unscored for facts in self.variants) and not any(facts.valued for facts in self.variants)

    @property
    def is_undecided(self) -> bool:
        """Whether complete results cannot tell: a contrast is undecided, or no run has a value."""
        if self.state != "complete":
            return False
        if not self.contrasts:
            return not any(facts.valued for facts in self.variants)
        return any(contrast.verdict == "undecided" for contrast in self.contrasts)


@dataclass(frozen=True, slots=True)
class SetComparison:
    """Sets of scorecards: two, or more of which every pair is compared."""

    names: tuple[str, ...]
    """What the sets are called."""
    decision: Decision
    """As of a suite with these variants; the names of its cases are those of the evaluations."""
    paired_by: str
    """The key that the cards of a case share: submission, id, file name or task."""
    changes: tuple[Change, ...] = ()
    """What else differs between the sets: rubric, judge, the skill's version."""
    ids: Mapping[str, tuple[tuple[str, ...], ...]] = field(default_factory=dict)
    """The evaluations of each case in every set."""

    @property
    def contrast(self) -> Contrast:
        """The second set against the first."""
        return self.decision.contrasts[0]
