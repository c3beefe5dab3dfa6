"""What a suite's results show: each variant against a reference, as values. Immutable; nothing here computes."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from typing import Annotated, Literal, NamedTuple

from evenhand.files.published import Json, SixPlaces, published

Measure = Literal["final score", "expectations met"]
"""What is compared: the final score, in points, where somebody read the work; else the share of expectations met."""

Verdict = Literal["better", "worse", "no difference shown", "undecided"]
""""No difference shown": a relevant one would have been detected. "Undecided": the data cannot tell."""

Claim = Literal["cases", "mean"]
"""What a verdict says: better in so many of the cases, which is about the typical one, or better in the mean."""

State = Literal["complete", "interrupted", "stopped", "shard"]
"""Whether all runs were made and judged. Ctrl-C interrupts a run; a budget or a fault stops it; a shard has some cases.
Nothing is compared unless it is complete."""

Losses = Literal["this variant's", "the reference's", "everybody's"]
"""Whose runs without a value are counted as losses."""


class CaseDifference(NamedTuple):
    """One case: the mean of a variant's runs minus the mean of the reference's, in hundredths."""

    case: str
    value: Fraction
    weight: Fraction
    after: Fraction = Fraction(0)
    """The mean of the variant's runs."""
    cluster: str = ""
    """What it has in common with other cases, which are then compared as one; empty for a case by itself."""


_Mean = Annotated[Decimal, Json(places=6, shape=float)]


class Difference(NamedTuple):
    """The differences of cases, variant minus reference, in points or as a share, and what can be claimed of them."""

    cases: int
    """How many cases have a value on both sides."""
    mean: SixPlaces | None
    """The weighted mean; None without a case."""
    low: SixPlaces | None
    high: SixPlaces | None
    """The confidence interval of what is claimed, which belongs to the test: of the mean, or of the typical difference
    of cases that differ; None with too few cases."""
    p_value: SixPlaces | None
    test: Literal["sign", "sign-and-t", "t", "none"]
    """Of the claim: "sign" for cases, "t" for the mean, "sign-and-t" for cases where chance may have made differences
    skewed: then the larger p-value of both counts."""
    detectable: SixPlaces | None
    """The smallest difference that this much data would detect four times in five; None when none could be."""
    error: SixPlaces | None = None
    """The standard error of the mean."""
    better: int = 0
    worse: int = 0
    """In how many cases the variant is better, and in how many worse; the others are ties."""
    typical: SixPlaces | None = None
    """The median difference of the cases that differ; None when none does."""
    claim: Claim | None = None
    """None with fewer than two cases."""
    mean_low: Annotated[float | None, Json(hidden=True)] = None
    mean_high: Annotated[float | None, Json(hidden=True)] = None
    """The interval of the mean, whatever is claimed."""
    clusters: Annotated[int | None, Json(optional=True)] = None
    """How many clusters the cases belong to, where some belong together; a cluster then counts as one."""

    @property
    def units(self) -> int:
        """How many things are compared: clusters, or else cases."""
        return self.cases if self.clusters is None else self.clusters

    @property
    def unit(self) -> str:
        return "case" if self.clusters is None else "cluster"

    @property
    def way(self) -> int:
        """1 where the variant comes out ahead, by count or by mean as claimed, -1 where it falls behind."""
        ahead = self.better - self.worse if self.claim == "cases" else self.mean or 0
        return (ahead > 0) - (ahead < 0)

    @property
    def is_contradicted(self) -> bool:
        """Whether the mean points the other way than most cases: rare large differences outweigh them."""
        return self.way * (self.mean or 0) <= 0


class MoreData(NamedTuple):
    """What would be enough for a verdict, from simulated continuations of the suite. Estimates."""

    cases: int | None
    """The fewest further cases, run as often as these, that bring a verdict; None when it cannot be told."""
    repeats: int | None
    """How many runs of each of these cases, in all, would show a relevant difference of the mean four times in five;
    None when it cannot be told or no number would do."""
    most: int | None = None
    """The most further cases that bring a verdict, in 95 of 100 continuations; None when it may take any number."""


class WhatIf(NamedTuple):
    """The conclusion if runs without a value had been losses: a score of 1, or no expectation met."""

    losses: Losses
    verdict: Verdict
    difference: Difference


class Detail(NamedTuple):
    """A difference in one part of the results. Exploratory: a hint where to look, not a conclusion."""

    kind: Literal["tag", "dimension", "criterion", "finding"]
    name: str
    difference: Difference
    """Of criteria: of how far they are met, from 0 to 1. Of findings: of the share of runs that have it."""
    adjusted: SixPlaces | None
    """The p-value after Holm's correction for all details of this kind."""


class LeftOut(NamedTuple):
    """Expectations that count on neither side, for one reason."""

    reason: str
    expectations: int


class Contrast(NamedTuple):
    """A variant against its reference."""

    variant: str
    reference: str
    verdict: Verdict
    difference: Difference
    adjusted: SixPlaces | None
    """The p-value after Holm's correction for all contrasts of the decision."""
    more: MoreData | None
    """Set when it is undecided."""
    what_if: tuple[WhatIf, ...]
    """Empty when every run has a value."""
    details: tuple[Detail, ...]
    unpaired: int
    """Cases left out because one side has no value for them."""
    differences: Annotated[tuple[CaseDifference, ...], Json(hidden=True)]
    expectations: int = 0
    """How many the cases of both sides have."""
    left_out: tuple[LeftOut, ...] = ()
    """Those of them that do not count, the most frequent reasons first."""
    seen: int = 0
    """Runs of either side that may have seen the answers."""
    turned: bool = False
    """Whether the data would show a difference, but not with runs without a value counted as losses, so that it is
    undecided."""
    needed: int = 0
    """The fewest cases, all differing one way, with which a verdict is possible, by the test in use and after the
    correction for several comparisons."""
    contradicted: bool = False
    """Whether the cases would show a difference, but the mean points the other way, so that it is undecided."""
    part: SixPlaces = 1.0
    """The part of the error rate that it was tested with: less than 1 at a look of a run that may stop early."""

    @property
    def counted(self) -> int:
        """How many expectations count on both sides."""
        return self.expectations - sum(entry.expectations for entry in self.left_out)

    @property
    def is_mostly_left_out(self) -> bool:
        """Whether fewer than two thirds of the expectations were decided on both sides."""
        return 3 * self.counted < 2 * self.expectations

    @property
    def depends_on_losses(self) -> bool:
        """Whether the verdict would be another if runs without a value were losses."""
        return any(scenario.verdict != self.verdict for scenario in self.what_if)


class Missing(NamedTuple):
    """Runs without a value, by what happened and why."""

    outcome: str
    """How the run ended, or `unscored` when it finished and has no value."""
    reason: str
    runs: int


class Share(NamedTuple):
    """A share from 0 to 1, and the interval that holds it with 95 % confidence; None with fewer than two cases."""

    value: SixPlaces
    low: SixPlaces | None
    high: SixPlaces | None


class Passes(NamedTuple):
    """How often k tries at a case pass, as a mean over cases.

    A try passes when all its expectations are met and its final score, if it was to have one, reaches the pass mark. A
    run that did not finish does not pass; one that no one could judge is not counted as a try.
    """

    k: int
    at_least_one: Share
    """pass@k: at least one of k tries passes."""
    every: Share
    """pass^k: every one of k tries passes."""


class TriggerPrompt(NamedTuple):
    """A prompt under `triggers`, and how often the skill was activated at it."""

    case: str
    wanted: bool
    """Whether the skill should be activated."""
    activated: int
    runs: int
    """Finished runs whose transcript tells."""


class Triggers(NamedTuple):
    """How well a skill is activated. A prompt counts once, by the share of its runs."""

    recall: Share | None
    """Of the prompts that the skill is for, the share at which it is activated; None without any."""
    precision: Share | None
    """Of its activations, the share that was wanted; None when it was never activated."""
    prompts: tuple[TriggerPrompt, ...]


class VariantFacts(NamedTuple):
    """What is known of a variant by itself."""

    name: str
    runs: int
    valued: int
    """Runs that have a value of the measure."""
    cases: int
    """Cases with at least one such run."""
    mean: SixPlaces | None
    """The weighted mean over cases of their runs' means."""
    missing: tuple[Missing, ...]
    """The runs that have none, the most frequent reasons first."""
    met: int
    expectations: int
    faults: Annotated[tuple[tuple[str, int], ...], Json(shape=dict[str, int], write=dict)]
    """How many faults of each severity, over all runs."""
    seconds: _Mean | None
    """Mean duration of a run, over those where it is known."""
    tokens: _Mean | None
    """Mean number of tokens of a run, over those where it is known."""
    cost: _Mean | None
    """What its runs cost in all, failed ones included; None when none is known."""
    cost_known: int
    """Of how many runs the cost is known."""
    judging_cost: _Mean | None
    passes: tuple[Passes, ...] = ()
    """For k from 1 to the fewest tries of a case, ten at most; empty where no try can be said to pass or not."""
    triggers: Triggers | None = None
    """Of a suite with `triggers`."""
    exact_mean: Annotated[Fraction | None, Json(hidden=True)] = None
    """The mean itself, for a limit to be held against."""

    @property
    @published
    def failed(self) -> int:
        """Runs that did not finish."""
        return sum(entry.runs for entry in self.missing if entry.outcome != "unscored")

    @property
    def cost_per_run(self) -> Decimal | None:
        """Over the runs whose cost is known."""
        return None if self.cost is None or not self.cost_known else self.cost / self.cost_known


class Decision(NamedTuple):
    """Every variant against the reference."""

    measure: Measure
    reference: str
    level: Annotated[float, Json(places=15)]
    """How often any of the contrasts may be called better or worse by chance alone."""
    relevant: Annotated[float, Json(places=15)]
    """The difference that the data should be able to show, in points or as a share."""
    cases: int
    variants: tuple[VariantFacts, ...]
    contrasts: tuple[Contrast, ...]
    state: State = "complete"

    def facts(self, variant: str) -> VariantFacts:
        """The facts of one variant."""
        return next(facts for facts in self.variants if facts.name == variant)
