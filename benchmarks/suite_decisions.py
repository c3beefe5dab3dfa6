"""How often a decision is wrong, and how often it finds a difference that is there. By simulation.

    python benchmarks/suite_decisions.py [--suites 500] [--seed 1]

Every simulated suite has cases of different difficulty, variants that suit some cases better than others, three runs of
each case that scatter, and 10 % lost runs on either side; hard cases fail more often. The worlds in which nothing is to
be found, or where one claim only is true:

- even: variants suit cases differently, by nothing on average and in the typical case.
- same: the same agent twice. Its runs scatter and fail alike.
- identical: the same outputs twice.
- skewed: a variant is 0.5 better in nine cases of ten and 4.5 worse in the tenth: by nothing on average. That it is
  better in the typical case is true there; anything said of the mean is false, and so is "worse".
- one-sided: differences with a median of zero and a long tail above: that the mean is higher is true, that the typical
  case is better is false.
- unscored: one run in ten has no score, on both sides alike; half of these have an interval of two points.
- documents: five cases of each document, which have most of their differences in common, declared as clusters.
- crashing: a variant that is no different otherwise loses the runs that would score below 4.5. It is worse, and
  never better: what is left of it must not be taken for the whole.

"All cases" decides once. "Looks" looks at a quarter, a half and three quarters of them and stops when it is decided.
Three wrong analyses are here to show what they cost: "runs pooled" takes every run as independent, "mean alone" tests
the mean by Student's t whatever the differences look like and leaves lost runs out, "undeclared" does not know that
cases share documents. Exit code 1 when an error rate of ours is above 5 % at the 1 % level.
"""

from __future__ import annotations

import argparse
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from math import comb, exp, sqrt
from random import Random
from typing import Literal

from evenhand.core.history import two_sided
from evenhand.decisions.decide import LEVEL, decide
from evenhand.decisions.decision import Verdict
from evenhand.decisions.looks import decide_at_looks, planned_looks
from evenhand.decisions.table import ResultsTable, Row

REPEATS = 3
BETWEEN, SUITS, RUN_TO_RUN = 1.2, 0.7, 0.8
"""Standard deviations in points: of cases, of how well a variant suits a case, of runs."""

CRASHES_BELOW = 4.5
OF_DOCUMENT = 5

Kind = Literal[
    "even", "same", "identical", "skewed", "one-sided", "unscored", "documents", "undeclared", "crashing", "exact"
]


@dataclass(frozen=True)
class World:
    """What is simulated."""

    cases: int
    effects: tuple[float, ...] = (0.0,)
    """What each variant but the first adds to the score."""
    kind: Kind = "even"


@dataclass(frozen=True)
class Concluded:
    """What is said of one variant."""

    verdict: Verdict
    claim: str | None


def simulated(world: World, draw: Random) -> Iterator[Row]:
    """The runs of one case after another."""
    kind, of_document = world.kind, 0.0
    for number in range(world.cases):
        case, cluster = f"case{number:04}", ""
        difficulty = draw.gauss(0.8, 0.4) if kind in ("skewed", "one-sided") else draw.gauss(0, BETWEEN)
        if kind in ("documents", "undeclared"):
            of_document = draw.gauss(0, 1.2) if not number % OF_DOCUMENT else of_document
            cluster = f"document{number // OF_DOCUMENT}" if kind == "documents" else ""
        for variant, effect in enumerate((0.0, *world.effects)):
            suits = 0.0 if kind == "same" else draw.gauss(0, SUITS)
            if kind == "skewed":  # kept away from the ends of the scale, which would change the mean
                suits = 0.0 if not variant else 0.5 if draw.random() < 0.9 else -4.5
            elif kind == "one-sided":
                suits = 0.0 if not variant else exp(draw.gauss(0, 0.8)) - 1
            elif kind in ("documents", "undeclared"):
                suits = draw.gauss(0, 0.3) + (of_document if variant else 0.0)
            for repeat in range(1, REPEATS + 1):
                row = Row(case, f"v{variant}", repeat, cluster=cluster)
                score = 5.5 + difficulty + suits + effect + draw.gauss(0, RUN_TO_RUN)
                points = min(1000, max(100, round(100 * score)))
                loses = kind not in ("skewed", "one-sided", "exact") and draw.random() < (
                    0.05 if difficulty > 0 else 0.15
                )
                if loses or (kind == "crashing" and variant > 0 and score < CRASHES_BELOW):
                    yield replace(row, lost="failed", finished=False)
                elif kind == "unscored" and draw.random() < 0.1:
                    low = Fraction(max(100, points - 100), 100)
                    known = {"low": low, "high": min(Fraction(10), low + 2)} if draw.random() < 0.5 else {}
                    yield replace(row, unscored="no reply", **known)
                else:
                    yield replace(row, value=Fraction(points, 100))


def table_of(world: World, draw: Random) -> ResultsTable:
    rows = [*simulated(world, draw)]
    if world.kind == "identical":
        first = [row for row in rows if row.variant == "v0"]
        rows = [*first, *(replace(row, variant="v1") for row in first)]
    return ResultsTable(rows, tuple(f"v{number}" for number in range(len(world.effects) + 1)), reference="v0")


def all_cases(world: World, draw: Random) -> tuple[list[Concluded], int]:
    contrasts = decide(table_of(world, draw), brief=True).contrasts
    return [Concluded(entry.verdict, entry.claim) for entry in contrasts], world.cases


def at_looks(world: World, draw: Random) -> tuple[list[Concluded], int]:
    looks = planned_looks(world.cases, len(world.effects))
    contrasts = decide_at_looks(table_of(world, draw), looks, REPEATS, brief=True).contrasts
    used = max(next(look for look in looks if look >= entry.cases) for entry in contrasts)
    return [Concluded(entry.verdict, entry.claim) for entry in contrasts], used


def pooled(world: World, draw: Random) -> tuple[list[Concluded], int]:
    """A t test on the differences of single runs, without regard to their cases or to the number of variants."""
    values = {(row.case, row.variant, row.repeat): row.value for row in table_of(world, draw).rows}
    differences: dict[str, list[float]] = defaultdict(list)
    for (case, variant, repeat), value in values.items():
        before = values.get((case, "v0", repeat))
        if variant != "v0" and value is not None and before is not None:
            differences[variant].append(float(value - before))
    return [t_test(some) for some in differences.values()], world.cases


def mean_alone(world: World, draw: Random) -> tuple[list[Concluded], int]:
    """A t test on the differences of cases, whatever they look like; lost runs are left out."""
    runs: dict[tuple[str, str], list[float]] = defaultdict(list)
    for row in table_of(world, draw).rows:
        if row.value is not None:
            runs[row.case, row.variant].append(float(row.value))
    means = {key: sum(values) / len(values) for key, values in runs.items()}
    cases = sorted({case for case, _ in means})
    both = [case for case in cases if (case, "v0") in means and (case, "v1") in means]
    return [t_test([means[case, "v1"] - means[case, "v0"] for case in both])], world.cases


def t_test(values: list[float]) -> Concluded:
    mean = sum(values) / len(values)
    error = sqrt(sum((value - mean) ** 2 for value in values) / (len(values) - 1) / len(values))
    if two_sided(mean / error, len(values) - 1) > LEVEL:
        return Concluded("no difference shown", "mean")
    return Concluded("better" if mean > 0 else "worse", "mean")


DESIGNS = {"all cases": all_cases, "looks": at_looks, "runs pooled": pooled, "mean alone": mean_alone}
OURS = ("all cases", "looks")
FOUR = (0.0,) * 4
NULLS = [
    *(("all cases", World(cases)) for cases in (12, 40, 100)),
    ("all cases", World(40, FOUR)),
    *(("all cases", World(cases, kind="same")) for cases in (12, 40)),
    ("all cases", World(40, kind="identical")),
    *(("all cases", World(cases, kind="skewed")) for cases in (40, 100)),
    *(("all cases", World(cases, kind="one-sided")) for cases in (20, 40, 100)),
    *(("all cases", World(cases, kind="unscored")) for cases in (12, 40)),
    *(("all cases", World(cases, kind="documents")) for cases in (40, 100)),
    *(("all cases", World(cases, kind="crashing")) for cases in (12, 40)),
    *(("looks", World(cases)) for cases in (40, 100)),
    ("looks", World(100, FOUR)),
    ("looks", World(100, kind="skewed")),
    ("looks", World(40, kind="crashing")),
    ("runs pooled", World(40)),
    ("runs pooled", World(40, FOUR)),
    ("all cases", World(40, kind="undeclared")),
    ("mean alone", World(100, kind="skewed")),
    ("mean alone", World(100, kind="crashing")),
]
EFFECTS = [
    *(("all cases", World(cases, (1.0,), "exact")) for cases in (8, 12, 40)),
    *(
        (design, World(cases, (effect,)))
        for cases, effect in ((12, 1.0), (12, 1.5), (40, 0.5), (40, 1.0), (100, 0.41), (100, 0.5))
        for design in OURS
    ),
    ("all cases", World(40, (1.0, 0.0, 0.0, 0.0))),
    ("all cases", World(40, (1.0,), "unscored")),
]


def is_wrong(world: World, said: Concluded) -> bool:
    """Whether a claim is false in its world."""
    if said.verdict not in ("better", "worse"):
        return False
    true = {
        "skewed": [("better", "typical")],
        "one-sided": [("better", "mean")],
        "crashing": [("worse", "typical"), ("worse", "mean")],
    }.get(world.kind, [])
    return (said.verdict, said.claim) not in true


def chance(hits: int, suites: int, rate: float) -> float:
    """Of so many hits or more at this rate."""
    part = Fraction(rate).limit_denominator(1000)
    below = sum(comb(suites, count) * part**count * (1 - part) ** (suites - count) for count in range(hits))
    return float(1 - below)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--suites", type=int, default=500, help="where nothing differs; half where something does")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    number, failures = options.suites, 0
    print(f"{REPEATS} runs of each case, 10 % of runs lost; nominal error {LEVEL:.0%}")
    print()
    print(f"How often any variant is falsely called better or worse, in {number} suites a row")
    print("design       world       cases variants  error    +- true claims   used")

    for design, world in NULLS:
        wrong = right = cases = 0
        for repetition in range(number):
            concluded, used = DESIGNS[design](world, Random(f"{options.seed}/{repetition}"))
            is_false = any(is_wrong(world, said) for said in concluded)
            wrong += is_false
            right += not is_false and any(said.verdict in ("better", "worse") for said in concluded)
            cases += used
        rate = wrong / number
        is_high = design in OURS and world.kind != "undeclared" and chance(wrong, number, LEVEL) <= 0.01
        failures += is_high
        print(
            f"{design:12} {world.kind:11} {world.cases:5} {len(world.effects):8} {rate:6.3f} "
            f"{margin(rate, number):5.3f} {right / number:11.3f} {cases / number:6.1f}",
            "above 5 %" if is_high else "",
            flush=True,
        )
    print()
    number = max(1, number // 2)
    print(f"A difference: how often it is found, in {number} suites a row")
    print(f"{'design':12} {'world':11} {'cases':>5} {'variants':>8} {'effect':>6} {'found':>6} {'+-':>5} {'used':>6}")
    for design, world in EFFECTS:
        found = cases = 0
        for repetition in range(number):
            concluded, used = DESIGNS[design](world, Random(f"{options.seed}/{repetition}"))
            found += concluded[0].verdict == "better"
            cases += used
        rate = found / number
        print(
            f"{design:12} {world.kind:11} {world.cases:5} {len(world.effects):8} {world.effects[0]:6} {rate:6.3f} "
            f"{margin(rate, number):5.3f} {cases / number:6.1f}",
            flush=True,
        )
    return 1 if failures else 0


def margin(rate: float, suites: int) -> float:
    return 1.96 * sqrt(rate * (1 - rate) / suites)


if __name__ == "__main__":
    raise SystemExit(main())
