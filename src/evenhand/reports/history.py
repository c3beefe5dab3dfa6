"""A scorecard's comparison with its skill's earlier ones, in words for people who are not statisticians. Pure.

The rates quoted here are printed by `python benchmarks/false_alarms.py`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

from evenhand.core.bounds import NONE_READ
from evenhand.core.comparison import MOST_LEFT_OUT, Comparison, DimensionComparison, Drift
from evenhand.core.history import changes_words
from evenhand.core.numbers import plain
from evenhand.core.rules import WINDOW
from evenhand.core.scorecard import Scorecard
from evenhand.files import codec
from evenhand.in_words import plural

CHANCE_OF_A_FLAG = "when nothing has changed, this rule still flags some dimension in nearly half of all evaluations"
CHANCE_OF_AN_ALARM = "of 100 unchanged skills, about 7 raise this alarm within 10 evaluations, 22 within 100"

LIKELY_CHANCE = 0.05
"""A flag whose strength is above this is shown quietly: chance explains it well enough."""

FLAGGED = "flagged for review"
"""What a report calls a score more than two deviations from its mean, in every format."""

MOST_SENTENCES = 2
"""Flagged dimensions that have a sentence each; more are told in one."""

Weight = Literal["alarm", "unusual", "plain", "quiet"]
"""How loudly a line is shown."""


def history_row(card: Scorecard) -> dict[str, Any]:
    """One evaluation in a list, for a program."""
    history = card.history
    return {
        "id": card.id,
        "skill": card.skill,
        "created": card.created,
        "final": None if card.final is None else plain(card.final),
        "grade": card.grade.letter if card.grade else None,
        "scores": {name: None if line.score is None else plain(line.score) for name, line in card.dimensions.items()},
        "red_flags": [flag.id for flag in card.red_flags],
        "bonuses": [award.id for award in card.bonuses],
        "rubric": card.rubric,
        "judge": card.judge.get("name"),
        "disputed": [] if card.agreement is None else list(card.agreement.disputed),
        "flags": [] if history is None else list(history.flags),
        "provisional": history is not None and any(line.provisional for line in history.dimensions.values()),
        "drift_alarm": bool(history and history.drift and history.drift.alarm),
        "case": card.case,
        "skill_version": card.skill_version,
        "suite": None if card.suite is None else codec.document(card.suite),
        "changes": [] if history is None else [codec.document(change) for change in history.changes or ()],
    }


def flag_lines(comparison: Comparison) -> tuple[tuple[str, Weight], ...]:
    """The dimensions flagged for review, those first that chance does not explain well; many of them in one line."""
    flagged = [(name, line) for name, line in comparison.dimensions.items() if line.flagged]
    unusual = [entry for entry in flagged if is_unusual(entry[1])]
    likely = [entry for entry in flagged if not is_unusual(entry[1])]
    lines: list[tuple[str, Weight]] = []
    if len(unusual) > MOST_SENTENCES:
        moved = _moved(unusual)
        lines.append((f"{len(unusual)} dimensions are {FLAGGED}, which chance hardly explains: {moved}", "unusual"))
    else:
        lines += ((f"{name} {_flag(line)}", "unusual") for name, line in unusual)
    if len(likely) > MOST_SENTENCES:
        lines.append(
            (f"{len(likely)} dimensions are {FLAGGED}, but chance may explain them: {_moved(likely)}", "quiet")
        )
    else:
        lines += ((f"{name} {_flag(line)}", "quiet") for name, line in likely)
    return tuple(lines)


def _moved(flagged: Sequence[tuple[str, DimensionComparison]]) -> str:
    """Each dimension with its distance from its mean, the furthest first."""
    ordered = sorted(flagged, key=lambda entry: -abs(entry[1].delta))
    moved = ", ".join(f"{name} {line.delta:+.2f}" for name, line in ordered)
    provisional = any(line.provisional for _, line in flagged)
    return f"{moved}; provisional, as there are few evaluations yet" if provisional else moved


def history_lines(comparison: Comparison, *, flags: bool = True) -> tuple[tuple[str, Weight], ...]:
    """What a report shows of the history, line by line; without `flags`, where they are shown already."""
    if comparison.n == 0:
        left_out = _left_out(comparison)
        counted = " that counts" if left_out else ""
        return ((f"history starts here: this is the skill's first evaluation{counted}", "plain"), *left_out)
    if comparison.n == 1:
        return (("only one earlier evaluation; the differences from it:", "plain"), (_differences(comparison), "plain"))
    flagged = flag_lines(comparison)
    window = f"the last {WINDOW}" if comparison.n == WINDOW else f"only {comparison.n} earlier"
    alarm = comparison.drift is not None and comparison.drift.alarm
    lines: list[tuple[str, Weight]] = _drift(comparison)
    lines += flagged if flags else ()
    lines += _changes(comparison)
    if flagged:
        lines.append((f"the means are over {window} evaluations; {CHANCE_OF_A_FLAG}", "quiet"))
    elif not alarm:
        usual = f"as usual: every dimension is within two deviations of its mean over {window} evaluations"
        lines.append((usual + _no_drift(comparison.drift), "plain"))
    lines += [(line, "plain") for line in _unlike(comparison)]
    lines += _left_out(comparison)
    return tuple(lines)


def mean_words(line: DimensionComparison) -> str:
    """What a score is compared with: mean and deviation, or the only earlier score and the difference (R15)."""
    if line.deviation is None:
        return f"{line.mean:.2f} before ({line.delta:+.2f})"
    return f"mean {line.mean:.2f} (deviation {line.deviation:.2f})"


def flag_words(line: DimensionComparison) -> str:
    """The mark of a flagged score, in a few words; empty for others."""
    if not line.flagged:
        return ""
    side = "above" if line.delta > 0 else "below"
    provisional = ", provisional" if line.provisional else ""
    return f"{FLAGGED}: {abs(line.delta):.2f} {side} its mean{provisional}"


def is_unusual(line: DimensionComparison) -> bool:
    """Whether a score was flagged, and chance does not explain it well."""
    return line.flagged and (line.strength is None or line.strength <= LIKELY_CHANCE)


def strength_words(strength: float) -> str:
    """How often that is, in words."""
    if strength >= 0.5:
        return "more often than not"
    if strength < 0.001:
        return "less than once in 1000 evaluations"
    return f"about once in {round(1 / strength)} evaluations"


def _flag(line: DimensionComparison) -> str:
    side = "above" if line.delta > 0 else "below"
    spread = "" if line.deviation is None else f" (deviation {line.deviation:.2f})"
    text = f"is {FLAGGED}: {abs(line.delta):.2f} {side} its mean of {line.mean:.2f}{spread}"
    if line.strength is None:
        text += "; it had never changed before"
    else:
        often = strength_words(line.strength)
        text += f"; by chance, some dimension is this far off {often}"
    return f"{text}; provisional, as there are few evaluations yet" if line.provisional else text


def _differences(comparison: Comparison) -> str:
    moved = [f"{name} {line.delta:+.2f}" for name, line in comparison.dimensions.items() if line.delta]
    return ", ".join(moved) if moved else "none, every score is the same"


def _unlike(comparison: Comparison) -> list[str]:
    """R18: like with like."""
    return [
        f"{count} of those {comparison.n} came from a different {what}"
        for count, what in ((comparison.other_rubric, "rubric"), (comparison.other_judge, "judge"))
        if count
    ]


def _changes(comparison: Comparison) -> list[tuple[str, Weight]]:
    if not comparison.changes:
        return []
    return [(f"changed since the evaluation before: {changes_words(comparison.changes)}", "unusual")]


def _left_out(comparison: Comparison) -> list[tuple[str, Weight]]:
    count = comparison.left_out
    if not count:
        return []
    number = f"{count:,} or more" if count == MOST_LEFT_OUT else f"{count:,}"
    are = plural(count, "evaluation is", "evaluations are")
    return [(f"{number} earlier {are} left out: {NONE_READ}, or there was no final score", "plain")]


def _no_drift(drift: Drift | None) -> str:
    if drift is None:
        return ""
    return f"; no drift (moving average {drift.average:.2f}, first ten {drift.baseline:.2f})"


def _drift(comparison: Comparison) -> list[tuple[str, Weight]]:
    drift = comparison.drift
    if drift is None or not drift.alarm:
        return []
    way = "fallen" if drift.average < drift.baseline else "risen"
    change = f"from {drift.baseline:.2f} in the first ten evaluations to a moving average of {drift.average:.2f}"
    return [
        (f"DRIFT: the final score has {way} {change}; chance explains at most {drift.limit:.2f}", "alarm"),
        (CHANCE_OF_AN_ALARM, "quiet"),
    ]
