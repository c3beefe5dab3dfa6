"""How often a suite's decision is wrong, and how often it finds a difference that is there. By simulation.

    python benchmarks/suite_decisions.py [--suites 2000] [--seed 1]

Every simulated suite has cases of different difficulty, variants that suit some cases better than others, three runs of
each case that scatter, and 10 % failed runs; hard cases fail more often. Scores are whole hundredths from 1 to 10.
The worlds in which nothing is to be found:

- even: variants suit cases differently, by nothing on average and in the typical case.
- skewed: a variant is 0.5 better in nine cases of ten and 4.5 worse in the tenth: by nothing on average. That it is
  better in most cases is true there; that it is better or worse in the mean is false.
- failing: no difference, but the variant's runs that would score below 4.5 fail: what is left of it looks better.

"All cases" decides once, after all cases. "Looks" looks at a quarter, a half and three quarters of them and stops when
it is decided. Two wrong analyses are here to show what they cost: "runs pooled" takes every run as independent, "mean
alone" tests the mean by Student's t whatever the differences look like, and leaves failed runs out. Exit code 1 when an
error rate of ours is above 5 % at the 1 % level.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Iterator
from fractions import Fraction
from math import comb, sqrt
from random import Random
from typing import Literal, NamedTuple

from evenhand.core.history import two_sided
from evenhand.decisions.sets.case_verdicts import LEVEL
from evenhand.decisions.suites.board import Board, CaseEntry, Cell, pairs
from evenhand.decisions.suites.contrasts import contrasts_of
from evenhand.decisions.suites.looks import contrasts_at_looks, planned_looks
from evenhand.decisions.values.decision import Claim, Verdict
from evenhand.decisions.values.suite_run import SuiteRun

REPEATS = 3
BETWEEN, SUITS, RUN_TO_RUN = 1.2, 0.7, 0.8
"""Standard deviations in points: of cases, of how well a variant suits a case, of runs."""

HIDDEN_BELOW = 4.5
"""In the failing world: the variant's runs that would score less than this fail."""


class World(NamedTuple):
    """What is simulated."""

    cases: int
    effects: tuple[float, ...] = (0.0,)
    """What each variant but the reference adds to the score."""
    kind: Literal["even", "skewed", "failing"] = "even"


class Concluded(NamedTuple):
    """What is said of one variant."""

    verdict: Verdict
    claim: Claim | None


class SimulatedRun(NamedTuple):
    """A final score in hundredths; None of a failed run."""

    case: str
    variant: str
    repeat: int
    final: int | None


def simulated(world: World, draw: Random) -> Iterator[SimulatedRun]:
    """The runs of one case after another."""
    is_skewed = world.kind == "skewed"
    for number in range(world.cases):
        difficulty = draw.gauss(0.8, 0.4) if is_skewed else draw.gauss(0, BETWEEN)
        for variant, effect in enumerate((0.0, *world.effects)):
            suits = draw.gauss(0, SUITS)
            if is_skewed:  # kept away from the ends of the scale, which would change the mean
                suits = 0.0 if not variant else 0.5 if draw.random() < 0.9 else -4.5
            for repeat in range(1, REPEATS + 1):
                failed = draw.random() < (0.05 if difficulty > 0 else 0.15)
                score = 6.0 + difficulty + suits + effect + draw.gauss(0, RUN_TO_RUN)
                failed = failed or (world.kind == "failing" and variant > 0 and score < HIDDEN_BELOW)
                final = min(1000, max(100, round(100 * score)))
                yield SimulatedRun(f"case{number:04}", f"v{variant}", repeat, None if failed else final)


def board_of(runs: Iterable[SimulatedRun]) -> Board:
    """What `Board.add` makes of such results, without making the results first."""
    scores: dict[str, dict[str, list[int]]] = {}
    for run in runs:
        finals = scores.setdefault(run.case, {}).setdefault(run.variant, [])
        if run.final is not None:
            finals.append(run.final)
    board = Board()
    for case, cells in scores.items():
        made = {name: Cell(REPEATS, len(finals), tuple(sorted(finals))) for name, finals in cells.items()}
        board.cases[case] = CaseEntry((), Fraction(1), made)
    return board


def names(world: World) -> list[str]:
    return [f"v{number}" for number in range(len(world.effects) + 1)]


def all_cases(world: World, draw: Random) -> tuple[list[Concluded], int]:
    board = board_of(simulated(world, draw))
    contrasts = contrasts_of(board, names(world), "v0", "final score", LEVEL, brief=True)
    return [Concluded(entry.verdict, entry.difference.claim) for entry in contrasts], world.cases


def at_looks(world: World, draw: Random) -> tuple[list[Concluded], int]:
    board = board_of(simulated(world, draw))
    looks = planned_looks(world.cases, len(world.effects))
    run = SuiteRun("", "", "", "", (*names(world),), "v0", REPEATS, world.cases, looks=looks)
    contrasts = contrasts_at_looks(board, run, "final score", brief=True)
    used = max(next(look for look in looks if look >= entry.difference.cases) for entry in contrasts)
    return [Concluded(entry.verdict, entry.difference.claim) for entry in contrasts], used


def pooled(world: World, draw: Random) -> tuple[list[Concluded], int]:
    """A t test on the differences of single runs, without regard to their cases or to the number of variants."""
    runs = {run[:3]: run.final for run in simulated(world, draw) if run.final is not None}
    differences: dict[str, list[Fraction]] = {name: [] for name in names(world)[1:]}
    for (case, variant, repeat), final in runs.items():
        before = runs.get((case, "v0", repeat))
        if variant != "v0" and before is not None:
            differences[variant].append(Fraction(final - before))
    return [t_test(values) for values in differences.values()], world.cases


def mean_alone(world: World, draw: Random) -> tuple[list[Concluded], int]:
    """A t test on the differences of cases, whatever they look like."""
    board = board_of(simulated(world, draw))
    concluded = []
    for name in names(world)[1:]:
        differences = [pair.difference("final score") for pair in pairs(board, name, board, "v0")]
        concluded.append(t_test([entry.value for entry in differences if entry is not None]))
    return concluded, world.cases


def t_test(values: list[Fraction]) -> Concluded:
    numbers = [float(value) for value in values]
    mean = sum(numbers) / len(numbers)
    error = sqrt(sum((value - mean) ** 2 for value in numbers) / (len(numbers) - 1) / len(numbers))
    if two_sided(mean / error, len(numbers) - 1) > LEVEL:
        return Concluded("no difference shown", "mean")
    return Concluded("better" if mean > 0 else "worse", "mean")


DESIGNS = {"all cases": all_cases, "looks": at_looks, "runs pooled": pooled, "mean alone": mean_alone}
OURS = ("all cases", "looks")
FOUR = (0.0,) * 4
NULLS = [
    ("all cases", World(12)),
    ("all cases", World(40)),
    ("all cases", World(100)),
    ("all cases", World(40, FOUR)),
    ("all cases", World(40, kind="skewed")),
    ("all cases", World(100, kind="skewed")),
    ("all cases", World(12, kind="failing")),
    ("all cases", World(40, kind="failing")),
    ("all cases", World(100, kind="failing")),
    ("looks", World(40)),
    ("looks", World(100)),
    ("looks", World(100, FOUR)),
    ("looks", World(40, kind="skewed")),
    ("looks", World(100, kind="skewed")),
    ("looks", World(40, kind="failing")),
    ("looks", World(100, kind="failing")),
    ("runs pooled", World(40)),
    ("runs pooled", World(40, FOUR)),
    ("mean alone", World(40, kind="skewed")),
    ("mean alone", World(100, kind="skewed")),
    ("mean alone", World(100, kind="failing")),
]
EFFECTS = [
    (design, World(cases, (effect,)))
    for cases, effect in ((12, 1.0), (12, 1.5), (40, 0.5), (40, 1.0), (100, 0.25), (100, 0.41), (100, 0.5))
    for design in OURS
]


def is_wrong(world: World, said: Concluded) -> bool:
    """Whether a claim is false where nothing is to be found."""
    if said.verdict not in ("better", "worse"):
        return False
    return not (world.kind == "skewed" and said == ("better", "cases"))


def chance(hits: int, suites: int, rate: float) -> float:
    """Of so many hits or more at this rate."""
    part = Fraction(rate).limit_denominator(1000)
    below = sum(comb(suites, count) * part**count * (1 - part) ** (suites - count) for count in range(hits))
    return float(1 - below)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--suites", type=int, default=2000, help="where nothing differs; half where something does")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    number, failures = options.suites, 0
    print(f"{REPEATS} runs of each case, 10 % of runs failed; nominal error {LEVEL:.0%}")
    print()
    print(f"No difference: how often any variant is falsely called better or worse, in {number} suites a row")
    print("design       world    cases variants  error    +- true claims   used")

    for design, world in NULLS:
        wrong = right = cases = 0
        for repetition in range(number):
            concluded, used = DESIGNS[design](world, Random(f"{options.seed}/{repetition}"))
            is_false = any(is_wrong(world, said) for said in concluded)
            wrong += is_false
            right += not is_false and any(said.verdict in ("better", "worse") for said in concluded)
            cases += used
        rate = wrong / number
        is_high = design in OURS and chance(wrong, number, LEVEL) <= 0.01
        failures += is_high
        print(
            f"{design:12} {world.kind:8} {world.cases:5} {len(world.effects):8} {rate:6.3f} "
            f"{margin(rate, number):5.3f} {right / number:11.3f} {cases / number:6.1f}",
            "above 5 %" if is_high else "",
            flush=True,
        )
    print()
    number = max(1, number // 2)
    print(f"A difference: how often it is found, in {number} suites a row")
    print(f"{'design':12} {'cases':>5} {'effect':>6} {'found':>6} {'+-':>5} {'used':>6}")
    for design, world in EFFECTS:
        found = cases = 0
        for repetition in range(number):
            concluded, used = DESIGNS[design](world, Random(f"{options.seed}/{repetition}"))
            found += concluded[0].verdict == "better"
            cases += used
        rate = found / number
        print(
            f"{design:12} {world.cases:5} {world.effects[0]:6} {rate:6.3f} {margin(rate, number):5.3f} "
            f"{cases / number:6.1f}",
            flush=True,
        )
    return 1 if failures else 0


def margin(rate: float, suites: int) -> float:
    return 1.96 * sqrt(rate * (1 - rate) / suites)


if __name__ == "__main__":
    raise SystemExit(main())
