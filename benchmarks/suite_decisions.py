"""How often a suite's decision is wrong, and how often it finds a difference that is there. By simulation.

    python benchmarks/suite_decisions.py [--repetitions 1000] [--seed 1]

Every simulated suite has cases of different difficulty, variants that suit some cases better than others, three runs of
each case that scatter, and 10 % failed runs; hard cases fail more often. Scores are whole hundredths from 1 to 10.
"Fixed" decides once, after all cases. "Sequential" looks after every case and stops when it is decided.
"Runs pooled" is the wrong analysis that takes every run as independent; it is here to show what that costs.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from math import sqrt
from random import Random
from typing import NamedTuple

from evenhand.core.history.student import two_sided
from evenhand.core.suites.board import Board, pairs
from evenhand.core.suites.contrasts import LEVEL, decide
from evenhand.core.suites.sequential import no_evidence, states
from evenhand.core.values.agent_run import CaseResult, RunId
from evenhand.core.values.decision import Verdict

REPEATS = 3
BETWEEN, SUITS, RUN_TO_RUN = 1.2, 0.7, 0.8
"""Standard deviations in points: of cases, of how well a variant suits a case, of runs."""


class World(NamedTuple):
    """What is simulated."""

    cases: int
    effects: tuple[float, ...]
    """What each variant but the reference adds to the score."""
    skewed: bool = False
    """Variants suit most cases slightly better and a few much worse, by nothing on average."""


def results(world: World, draw: Random) -> Iterator[list[CaseResult]]:
    """The runs of one case after another."""
    for number in range(world.cases):
        difficulty = draw.gauss(0, BETWEEN)
        made = []
        for variant, effect in enumerate((0.0, *world.effects)):
            suits = (draw.expovariate(1) - 1) * -SUITS if world.skewed else draw.gauss(0, SUITS)
            for repeat in range(1, REPEATS + 1):
                failed = draw.random() < (0.05 if difficulty > 0 else 0.15)
                score = 6.0 + difficulty + suits + effect + draw.gauss(0, RUN_TO_RUN)
                final = min(1000, max(100, round(100 * score)))
                made.append(
                    CaseResult(
                        RunId(f"case{number:04}", f"v{variant}", repeat),
                        "failed" if failed else "finished",
                        "exit code 1" if failed else "",
                        final=None if failed else final,
                    )
                )
        yield made


def names(world: World) -> list[str]:
    return [f"v{number}" for number in range(len(world.effects) + 1)]


def fixed(world: World, draw: Random) -> tuple[list[Verdict], int]:
    board = Board(result for case in results(world, draw) for result in case)
    decision = decide(board, names(world), "v0")
    return [contrast.verdict for contrast in decision.contrasts], world.cases


def pooled(world: World, draw: Random) -> tuple[list[Verdict], int]:
    """A t test on the differences of single runs, without regard to their cases or to the number of variants."""
    runs: dict[RunId, int] = {}
    for case in results(world, draw):
        runs |= {result.id: result.final for result in case if result.final is not None}
    differences: dict[str, list[int]] = {name: [] for name in names(world)[1:]}
    for (case_id, variant, repeat), final in runs.items():
        before = runs.get(RunId(case_id, "v0", repeat))
        if variant != "v0" and before is not None:
            differences[variant].append(final - before)
    return [_pooled_verdict(values) for values in differences.values()], world.cases


def _pooled_verdict(values: list[int]) -> Verdict:
    mean = sum(values) / len(values)
    error = sqrt(sum((value - mean) ** 2 for value in values) / (len(values) - 1) / len(values))
    if two_sided(mean / error, len(values) - 1) > LEVEL:
        return "no difference shown"
    return "better" if mean > 0 else "worse"


def sequential(world: World, draw: Random) -> tuple[list[Verdict], int]:
    evidence = {name: no_evidence("final score") for name in names(world)[1:]}
    board = Board(result for case in results(world, draw) for result in case)
    paired = {name: {pair.case: pair for pair in pairs(board, name, board, "v0")} for name in evidence}
    state, used = states(evidence), 0
    for case in sorted(board.cases):
        used += 1
        for name in evidence:
            difference = paired[name][case].difference("final score")
            if difference is not None:
                evidence[name] = evidence[name].after(difference)
        state = states(evidence)
        if "undecided" not in state.values():
            break
    return ["not enough data" if one == "undecided" else one for one in state.values()], used


DESIGNS = {"fixed": fixed, "sequential": sequential, "runs pooled": pooled}
NULLS = [
    ("fixed", World(40, (0.0,))),
    ("fixed", World(40, (0.0,), skewed=True)),
    ("fixed", World(40, (0.0,) * 4)),
    ("sequential", World(120, (0.0,))),
    ("sequential", World(120, (0.0,), skewed=True)),
    ("sequential", World(120, (0.0,) * 4)),
    ("runs pooled", World(40, (0.0,))),
    ("runs pooled", World(40, (0.0,) * 4)),
]
EFFECTS = [
    (design, World(cases, (effect,)))
    for effect in (0.25, 0.5, 1.0)
    for design, cases in (("fixed", 40), ("sequential", 40), ("sequential", 120))
]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--repetitions", type=int, default=1000, help="where nothing differs; a third where it does")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    number = options.repetitions
    print(f"{REPEATS} runs of each case, 10 % of runs failed; nominal error {LEVEL:.0%}")
    print()
    print(f"No difference: how often any variant is called better or worse, in {number} suites a row")
    print(f"{'design':12} {'cases':>5} {'variants':>8} {'scatter':9} {'error':>6} {'+-':>5} {'mean cases used':>15}")
    for design, world in NULLS:
        wrong, used = run(design, world, number, options.seed, {"better", "worse"})
        margin = 1.96 * sqrt(wrong * (1 - wrong) / number)
        scatter = "skewed" if world.skewed else "symmetric"
        print(
            f"{design:12} {world.cases:5} {len(world.effects):8} {scatter:9} {wrong:6.3f} {margin:5.3f} {used:15.1f}",
            flush=True,
        )
    print()
    number = max(1, number // 3)
    print(f"A difference: how often it is found, in {number} suites a row")
    print(f"{'design':12} {'cases':>5} {'effect':>6} {'found':>6} {'+-':>5} {'mean cases used':>15}")
    for design, world in EFFECTS:
        right, used = run(design, world, number, options.seed, {"better"})
        margin = 1.96 * sqrt(right * (1 - right) / number)
        print(
            f"{design:12} {world.cases:5} {world.effects[0]:6} {right:6.3f} {margin:5.3f} {used:15.1f}",
            flush=True,
        )


def run(design: str, world: World, repetitions: int, seed: int, counted: set[str]) -> tuple[float, float]:
    """The share of suites with such a verdict on any variant, and the mean number of cases used."""
    hits, cases = 0, 0
    for repetition in range(repetitions):
        verdicts, used = DESIGNS[design](world, Random(f"{seed}/{repetition}"))
        hits += any(verdict in counted for verdict in verdicts)
        cases += used
    return hits / repetitions, cases / repetitions


if __name__ == "__main__":
    main()
