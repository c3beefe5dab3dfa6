"""What the graders of a result tell: what to change, where the plugin hurts, and which graders tell nothing."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction

from evenhand.plugin_evals.recount import delta_of
from evenhand.plugin_evals.result import Case, Grader, GraderResult, Result, Run

_SPLIT_VOTES = Fraction(1, 5)
"""The share of split votes from which a grader is called uncertain."""
_FEWEST_SPLITS = 3
_TURNS = Fraction(7, 27)
"""How often a majority of three comes out the other way when each vote is right two times in three: 1 - 20/27."""


@dataclass(frozen=True, slots=True)
class Failure:
    """A grader that failed with the plugin: one entry, however many cases have it."""

    grader: str
    type: str
    failed: int
    runs: int
    cases: tuple[str, ...]
    """The cases in which it failed, worst first."""
    reason: str
    """The explanation given most often."""
    evidence: str
    """What the grader looked at, where it says so."""
    cost: Fraction
    """What the failures cost the mean score over all cases of the suite."""


@dataclass(frozen=True, slots=True)
class Silent:
    """A grader whose verdicts do not tell the two arms apart."""

    grader: str
    cases: tuple[str, ...]
    why: str


@dataclass(frozen=True, slots=True)
class Split:
    """A grader whose three votes often disagree."""

    grader: str
    split: int
    graded: int

    @property
    def turned(self) -> Fraction:
        """How many of its verdicts would be expected to come out the other way if asked again."""
        return self.split * _TURNS


@dataclass(frozen=True, slots=True)
class Arm:
    """What the runs of one arm took, on average."""

    runs: int
    cost: Fraction | None
    turns: Fraction | None
    seconds: Fraction | None


def failures(result: Result) -> list[Failure]:
    """Every scored grader that failed with the plugin, the most costly first.

    Graders of the same name and type are one entry: authors repeat them from case to case.
    """
    found: dict[tuple[str, str], list[tuple[Case, Run, GraderResult]]] = defaultdict(list)
    for case in result.cases:
        kinds = {grader.name: grader.type for grader in case.graders}
        for run in _counted(case.arms.with_plugin):
            for verdict in run.graders:
                if verdict.scored:
                    found[verdict.name, kinds.get(verdict.name, "")].append((case, run, verdict))
    entries = [_failure(name, kind, seen, len(result.cases)) for (name, kind), seen in found.items()]
    return sorted((entry for entry in entries if entry.failed), key=lambda entry: (-entry.cost, entry.grader))


def _failure(name: str, kind: str, seen: list[tuple[Case, Run, GraderResult]], cases: int) -> Failure:
    failed = [(case, run, verdict) for case, run, verdict in seen if not verdict.passed]
    cost: dict[str, Fraction] = defaultdict(Fraction)
    for case, run, verdict in failed:
        whole = sum((Fraction(other.weight) for other in run.graders if other.scored), Fraction(0))
        counted = len(_counted(case.arms.with_plugin))
        if whole:
            cost[case.name] += Fraction(verdict.weight) / whole / counted / cases
    reasons = [verdict.explanation for _, _, verdict in failed if verdict.explanation]
    shown = next((verdict.evidence for _, _, verdict in failed if verdict.evidence.strip()), "")
    return Failure(
        name,
        kind,
        len(failed),
        len(seen),
        tuple(sorted(cost, key=lambda case: (-cost[case], case))),
        max(reasons, key=reasons.count, default=""),
        shown,
        sum(cost.values(), Fraction(0)),
    )


def hurt(result: Result) -> list[tuple[str, Fraction]]:
    """The cases whose mean is lower with the plugin than without it, worst first, with the difference."""
    deltas = [(case.name, delta) for case in result.cases if (delta := delta_of(case)) is not None and delta < 0]
    return sorted(deltas, key=lambda entry: (entry[1], entry[0]))


def silent(result: Result) -> list[Silent]:
    """Graders that passed in every run of both arms, or failed in every one, in all their cases."""
    verdicts: dict[str, list[tuple[str, bool]]] = defaultdict(list)
    arms: dict[str, set[str]] = defaultdict(set)
    for case in result.cases:
        for arm, runs in (("with", case.arms.with_plugin), ("without", case.arms.without or ())):
            for run in _counted(runs):
                for verdict in run.graders:
                    if verdict.scored:
                        verdicts[verdict.name].append((case.name, verdict.passed))
                        arms[verdict.name].add(arm)
    found = []
    for name, seen in verdicts.items():
        passed = {verdict for _, verdict in seen}
        if len(arms[name]) == 2 and len(passed) == 1:
            cases = tuple(dict.fromkeys(case for case, _ in seen))
            way = "passes in every run of both arms" if True in passed else "fails in every run of both arms"
            found.append(Silent(name, cases, way))
    return found


def splits(result: Result) -> list[Split]:
    """Graders asked three times whose votes differ in a fifth of their verdicts or more."""
    counts: dict[str, list[bool]] = defaultdict(list)
    for case in result.cases:
        for run in (*case.arms.with_plugin, *(case.arms.without or ())):
            for verdict in run.graders:
                if len(verdict.judge_votes) > 1:
                    counts[verdict.name].append(len(set(verdict.judge_votes)) > 1)
    found = [Split(name, sum(seen), len(seen)) for name, seen in counts.items()]
    often = [entry for entry in found if entry.split >= _FEWEST_SPLITS and entry.split >= _SPLIT_VOTES * entry.graded]
    return sorted(often, key=lambda entry: (-entry.split, entry.grader))


def advisories(result: Result) -> list[tuple[str, str]]:
    """What the runner itself warns of, by case."""
    return [(case.name, _advice(advice)) for case in result.cases for advice in case.advisories]


def _advice(value: object) -> str:
    """An advisory is text, or an object with its text under one of a few names."""
    if isinstance(value, dict):
        for key in ("message", "text", "detail", "reason"):
            if isinstance(value.get(key), str):
                return str(value[key])
    return value if isinstance(value, str) else str(value)


def spent(result: Result) -> tuple[Arm, Arm]:
    """What a run takes with the plugin, and without it."""
    with_plugin = [run for case in result.cases for run in case.arms.with_plugin]
    without = [run for case in result.cases for run in case.arms.without or ()]
    return _arm(with_plugin), _arm(without)


def _arm(runs: list[Run]) -> Arm:
    return Arm(
        len(runs),
        _mean(run.cost for run in runs),
        _mean(run.turns for run in runs),
        _mean(run.seconds for run in runs),
    )


def _mean(values: Iterable[object]) -> Fraction | None:
    known = [Fraction(str(value)) for value in values if value is not None]
    return sum(known, Fraction(0)) / len(known) if known else None


def _counted(runs: tuple[Run, ...]) -> list[Run]:
    return [run for run in runs if not run.unscored]


def declared(result: Result, name: str) -> Grader | None:
    """A grader's declaration, from the first case that has it."""
    return next((grader for case in result.cases for grader in case.graders if grader.name == name), None)
