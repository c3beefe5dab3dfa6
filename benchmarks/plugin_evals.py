"""How often results of `claude plugin eval` are called better or worse when the plugin does nothing, and when it helps.

    python benchmarks/plugin_evals.py [--worlds 500] [--seed N]

Every world is a result file as the runner writes it: cases of differing difficulty, three runs an arm, five graders a
run. With a gain, the plugin raises each grader's chance in every case by it.
"""

from __future__ import annotations

import argparse
import random
from collections import Counter

from evenhand.plugin_evals.recount import score_of
from evenhand.plugin_evals.result import Arms, Case, GraderResult, Result, Run
from evenhand.plugin_evals.verdict import plugin_verdict

RUNS, GRADERS = 3, 5


def world(chance: random.Random, cases: int, gain: float) -> list[tuple[float, float]]:
    """The difficulty of each case: the chance of a grader without the plugin, and with it."""
    levels = [chance.uniform(0.15, 0.85 - gain) for _ in range(cases)]
    return [(level, level + gain) for level in levels]


def result(chance: random.Random, levels: list[tuple[float, float]], first: int = 0) -> Result:
    """A result drawn from a world."""

    def run(level: float) -> Run:
        graders = tuple(GraderResult(f"g{number}", chance.random() < level) for number in range(GRADERS))
        share = sum(grader.passed for grader in graders)
        plain = Run(score=0, graders=graders, passed=share == GRADERS)  # type: ignore[arg-type]
        return Run(score=score_of(plain), graders=graders, passed=plain.passed)  # type: ignore[arg-type]

    cases = tuple(
        Case(f"case-{first + number}", Arms(tuple(run(up) for _ in range(RUNS)), tuple(run(low) for _ in range(RUNS))))
        for number, (low, up) in enumerate(levels)
    )
    return Result(1, cases)


def main() -> None:
    """Print both tables."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--worlds", type=int, default=500)
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(10**6))
    arguments = parser.parse_args()
    print(f"seed {arguments.seed}, {arguments.worlds} worlds a row, {RUNS} runs an arm, {GRADERS} graders a run\n")
    print("gain  cases   better   worse   no difference   undecided   enough with N more")
    for gain in (0.0, 0.2):
        for cases in (6, 8, 12, 20) if not gain else (12,):
            print(row(random.Random(f"{arguments.seed} {gain} {cases}"), cases, gain, arguments.worlds))
    print("\nN more: of the undecided results that name a most number of further cases, those that it decides")


def row(chance: random.Random, cases: int, gain: float, worlds: int) -> str:
    """One line of the table."""
    verdicts: Counter[str] = Counter()
    told = enough = 0
    for _ in range(worlds):
        levels = world(chance, cases, gain)
        drawn = result(chance, levels)
        contrast = plugin_verdict(drawn).contrast
        verdicts[contrast.verdict] += 1
        if gain and contrast.more is not None and contrast.more.most is not None:
            told += 1
            more = result(chance, world(chance, contrast.more.most, gain), first=cases)
            later = plugin_verdict(Result(1, drawn.cases + more.cases)).contrast
            enough += later.verdict != "undecided"
    shares = [f"{verdicts[name] / worlds:6.1%}" for name in ("better", "worse", "no difference shown", "undecided")]
    hits = f"{enough / told:.0%} of {told}" if told else ""
    return f"{gain:4.1f}  {cases:5}   {shares[0]}  {shares[1]}          {shares[2]}      {shares[3]}   {hits}"


if __name__ == "__main__":
    main()
