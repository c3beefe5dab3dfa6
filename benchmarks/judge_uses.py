"""How often each use of a judge is answered yes and no, for judges that can serve it and judges that cannot.

    python benchmarks/judge_uses.py [--worlds 500] [--only NAME]

A world has cases with two outputs each, whose quality is half the case's and half the output's own; people give whole
points, with noise of their own. A judge that cannot serve a use may be called fit for it in at most 4 % of worlds, an
honest one (a correlation of 0.6 or more) unfit in at most 4 %. Seeded.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from math import sqrt
from random import Random

from evenhand.stats.trust.use_verdicts import LabelledOutput, judge_uses

SIZES = (20, 50, 100, 120, 150, 200, 400)
MARK = 7.0
CENTRE, SPREAD = 6.7, 1.7
USES = ("level", "compare", "gate")

Output = tuple[int, int, float]
"""The case, the place of the output in it, and its quality."""
Judge = Callable[[Random, Output, dict[int, float]], float]


def honest(r: float) -> Judge:
    """Scores that correlate with quality, over cases and within them alike."""

    def judge(draw: Random, output: Output, cases: dict[int, float]) -> float:
        return CENTRE + r * (output[2] - CENTRE) + draw.gauss(0, SPREAD * sqrt(1 - r * r))

    return judge


def coin_above_five(draw: Random, output: Output, cases: dict[int, float]) -> float:
    return draw.randint(6, 10) if output[2] > 5 else draw.randint(1, 5)


JUDGES: dict[str, tuple[Judge, frozenset[str]]] = {
    "honest, r = .8": (honest(0.8), frozenset(USES)),
    "honest, r = .7": (honest(0.7), frozenset(USES)),
    "honest, r = .6": (honest(0.6), frozenset(USES)),
    # The first pays for nothing but the crossing of 5, the second does not read the output: both predict a level.
    "a coin above 5": (coin_above_five, frozenset({"level"})),
    "knows the case": (lambda draw, output, cases: cases[output[0]] + draw.gauss(0, 0.5), frozenset({"level", "gate"})),
    "random": (lambda draw, output, cases: draw.randint(1, 10), frozenset()),
    "constant": (lambda draw, output, cases: 8, frozenset()),
    "dice": (lambda draw, output, cases: draw.randint(1, 6), frozenset()),
    "hash of words": (lambda draw, output, cases: draw.uniform(1, 10), frozenset()),
    "length": (lambda draw, output, cases: min(10, max(1, draw.lognormvariate(1.7, 0.4))), frozenset()),
    "position": (lambda draw, output, cases: 8 if output[1] == 0 else 6, frozenset()),
    "echo": (lambda draw, output, cases: draw.choice((9, 9, 10, 7)), frozenset()),
    "inverted": (lambda draw, output, cases: 2 * CENTRE - output[2] + draw.gauss(0, 0.7), frozenset()),
}


def world(judge: Judge, labels: int, draw: Random) -> list[LabelledOutput]:
    """Labelled outputs, two of each case."""
    rows = []
    cases: dict[int, float] = {}
    part = sqrt(SPREAD**2 - 0.25) / sqrt(2)
    for number in range(labels):
        case, place = divmod(number, 2)
        base = cases.setdefault(case, CENTRE + draw.gauss(0, part))
        output = (case, place, base + draw.gauss(0, part) + draw.gauss(0, 0.5))
        people = float(min(10, max(1, round(output[2]))))
        score = float(min(10, max(1, round(judge(draw, output, cases), 1))))
        rows.append(LabelledOutput(case, score, people, score >= MARK, people >= MARK, MARK))
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--worlds", type=int, default=500)
    parser.add_argument("--only", choices=JUDGES)
    options = parser.parse_args()
    missed = 0
    print(f"{'judge':<18}{'use':<10}{'serves':<8}" + "".join(f"{size:>14}" for size in SIZES))
    print(f"{'':<36}" + f"{'yes    no':>14}" * len(SIZES))
    for number, (name, (judge, serves)) in enumerate(JUDGES.items()):
        if options.only not in (None, name):
            continue
        cells: dict[str, list[str]] = {use: [] for use in USES}
        for size in SIZES:
            draw = Random(1000 * number + size)
            found = [judge_uses(world(judge, size, draw)) for _ in range(options.worlds)]
            for use in USES:
                answers = [verdict.verdict for verdicts in found for verdict in verdicts if verdict.use == use]
                yes, no = (answers.count(answer) / options.worlds for answer in ("yes", "no"))
                short = (yes > 0.04 and use not in serves) or (no > 0.04 and name.startswith("honest"))
                missed += short
                cells[use].append(f"{yes:>6.0%}{no:>6.1%}{' !' if short else '  '}")
        for use in USES:
            print(f"{name:<18}{use:<10}{'yes' if use in serves else 'no':<8}" + "".join(cells[use]), flush=True)
    print(f"\n{missed} cells miss their limits" if missed else "\nno cell misses its limits")


if __name__ == "__main__":
    main()
