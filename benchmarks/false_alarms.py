"""How often the history rules raise an alarm when nothing changed, and how soon they do when something did.

    python benchmarks/false_alarms.py [--skills 2000]

Each simulated skill is judged again and again by an unchanged process: seven dimensions, each
normal around its own mean, rounded to whole or half points as judges do. Seeded, so that the
printed shares are the same on every machine.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from random import Random

from evenhand.core.comparison import REACH, Comparison, Past, Timeline
from evenhand.core.history import compare
from evenhand.core.numbers import half_up
from evenhand.core.rules import DEFAULT_WEIGHTS, DIMENSIONS, WINDOW

STRONG = 0.05
"""Below this strength a flag is called strong."""


class Skill:
    """A skill whose outputs are of the same quality every time, until it falls."""

    def __init__(self, draw: Random, step: int) -> None:
        self._draw = draw
        self._step = step
        self._means = [draw.uniform(600, 850) for _ in DIMENSIONS]
        self._spreads = [draw.uniform(40, 100) for _ in DIMENSIONS]

    def judged(self, fallen: float = 0.0) -> tuple[int, ...]:
        """Seven scores in hundredths; `fallen` lowers each by so many points."""
        values = (
            self._draw.gauss(mean - 100 * fallen, spread)
            for mean, spread in zip(self._means, self._spreads, strict=True)
        )
        return tuple(min(1000, max(100, round(value / self._step) * self._step)) for value in values)


def final_of(scores: tuple[int, ...]) -> int:
    weighted = sum(score * int(DEFAULT_WEIGHTS[name] * 100) for name, score in zip(DIMENSIONS, scores, strict=True))
    return half_up(weighted, 100)


def history(
    skill: Skill, length: int, falls_at: int | None, by: float, *, windows: bool = True
) -> Iterator[Comparison]:
    """Evaluate a skill so many times; after each, once the window is full, what the rules say. Without windows,
    what they say about drift alone, which is quicker."""
    past: list[tuple[int, ...]] = []
    finals: list[int] = []
    for number in range(length):
        scores = skill.judged(by if falls_at is not None and number >= falls_at else 0.0)
        final = final_of(scores)
        if number >= WINDOW:
            timeline = Timeline(
                window=[Past(each, "r", "j") for each in past[::-1][:WINDOW]] if windows else [],
                baseline=finals[:WINDOW],
                since=finals[WINDOW:][::-1][:REACH],
            )
            yield compare(scores, final, timeline, rubric="r", judge="j")
        past.append(scores)
        finals.append(final)


def shares(skills: int, seed: int, step: int) -> tuple[float, float]:
    """The shares of unchanged evaluations, each with a full window, in which a dimension is flagged, and in which one
    is flagged and strong."""
    draw = Random(seed)
    seen = flagged = strong = 0
    for _ in range(skills):
        for comparison in history(Skill(draw, step), WINDOW + 10, None, 0):
            seen += 1
            flagged += bool(comparison.flags)
            strong += any(
                line.flagged and line.strength is not None and line.strength <= STRONG
                for line in comparison.dimensions.values()
            )
    return flagged / seen, strong / seen


def drift_alarms(skills: int, seed: int, length: int, by: float) -> float:
    """The share of skills with a drift alarm within so many evaluations after the baseline."""
    draw = Random(seed)
    alarmed = 0
    for _ in range(skills):
        lines = history(Skill(draw, 50), WINDOW + length, WINDOW if by else None, by, windows=False)
        alarmed += any(comparison.drift is not None and comparison.drift.alarm for comparison in lines)
    return alarmed / skills


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--skills", type=int, default=2000)
    skills = parser.parse_args().skills
    print(f"{skills} skills, unchanged, window of {WINDOW}; share of evaluations in which")
    for name, step in (("scores in whole points", 100), ("scores in half points", 50), ("scores in cents", 1)):
        literal, strong = shares(skills, 1, step)
        print(f"  {name:24} some dimension is flagged {literal:6.1%}   one is flagged and strong {strong:6.1%}")
    print("share of skills with a drift alarm within 10, 50 and 100 evaluations after the baseline")
    for by in (0.0, 0.5, 1.0):
        rates = [drift_alarms(max(200, skills // 4), 2, length, by) for length in (10, 50, 100)]
        name = "unchanged" if not by else f"every dimension {by} lower"
        print(f"  {name:28}" + "".join(f"{rate:8.1%}" for rate in rates))


if __name__ == "__main__":
    main()
