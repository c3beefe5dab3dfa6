"""A scorecard's comparison with its skill's earlier ones, in words a non-statistician understands. Pure.

The rates quoted here are printed by `python benchmarks/false_alarms.py`.
"""

from __future__ import annotations

from evenhand.core.basics.methodology import WINDOW
from evenhand.core.values.comparison import MOST_LEFT_OUT, Comparison, DimensionComparison

CHANCE_OF_A_FLAG = "when nothing has changed, this rule still flags some dimension in nearly half of all evaluations"
CHANCE_OF_AN_ALARM = "of 100 unchanged skills, about 7 raise this alarm within 10 evaluations, 22 within 100"


def history_lines(comparison: Comparison) -> tuple[str, ...]:
    """What a report says of the history, one line each."""
    if comparison.n == 0:
        return ("history starts here: this is the skill's first evaluation", *_left_out(comparison))
    if comparison.n == 1:
        return ("one earlier evaluation: differences only", *_differences(comparison))
    flagged = {name: line for name, line in comparison.dimensions.items() if line.flagged}
    earlier = f"{'the last' if comparison.n == WINDOW else 'only'} {comparison.n} evaluations"
    lines = []
    if not flagged:
        lines.append(f"no dimension is more than two deviations from the mean of {earlier} ({CHANCE_OF_A_FLAG})")
    lines += [f"{name} {_flag(line)}" for name, line in flagged.items()]
    if flagged:
        lines.append(f"read a flag with its strength: {CHANCE_OF_A_FLAG}")
    lines += _unlike(comparison)
    lines += _left_out(comparison)
    lines += _drift(comparison)
    return tuple(lines)


def strength_words(strength: float) -> str:
    """How surprising a score is, as odds."""
    if strength >= 0.5:
        return "nothing unusual"
    if strength < 0.001:
        return "less than once in 1000 evaluations by chance"
    return f"about once in {round(1 / strength)} evaluations by chance"


def _flag(line: DimensionComparison) -> str:
    side = "above" if line.delta > 0 else "below"
    said = f"is {abs(line.delta):.2f} {side} its mean {line.mean:.2f}"
    if line.strength is None:
        said += ", which never varied"
    else:
        said += f" (deviation {line.deviation:.2f}); so far off in any dimension: {strength_words(line.strength)}"
    return f"{said}; provisional, few evaluations yet" if line.provisional else said


def _differences(comparison: Comparison) -> tuple[str, ...]:
    moved = [f"{name} {line.delta:+.2f}" for name, line in comparison.dimensions.items() if line.delta]
    return (", ".join(moved) if moved else "every score is the same",)


def _unlike(comparison: Comparison) -> list[str]:
    """R18: like with like."""
    return [
        f"{count} of those {comparison.n} came from another {what}"
        for count, what in ((comparison.other_rubric, "rubric"), (comparison.other_judge, "judge"))
        if count
    ]


def _left_out(comparison: Comparison) -> list[str]:
    count = comparison.left_out
    if not count:
        return []
    number = f"{count:,} or more" if count == MOST_LEFT_OUT else f"{count:,}"
    are = "evaluation is" if count == 1 else "evaluations are"
    return [f"{number} earlier {are} left out: nobody read the work, or there was no final score"]


def _drift(comparison: Comparison) -> list[str]:
    drift = comparison.drift
    if drift is None:
        return ["drift is watched from the eleventh evaluation on"]
    way = "fallen" if drift.average < drift.baseline else "risen"
    said = f"moving average {drift.average:.2f}, first ten {drift.baseline:.2f}, limit {drift.limit:.2f}"
    if not drift.alarm:
        return [f"no drift: {said} ({CHANCE_OF_AN_ALARM})"]
    return [f"DRIFT: quality has {way}: {said}; {CHANCE_OF_AN_ALARM}"]
