"""What a comparison comes to, in one sentence: the same words wherever two things are compared. Pure."""

from __future__ import annotations

from evenhand.core.scoring import NONE_READ
from evenhand.decisions.gate import doubt_of
from evenhand.decisions.gate_words import measured
from evenhand.decisions.values.decision import Contrast, Difference, Measure
from evenhand.in_words import counted


def conclusion(contrast: Contrast, measure: Measure) -> str:
    """Better, worse, no difference shown or undecided, with the count or the mean it rests on."""
    difference = contrast.difference
    if contrast.verdict in ("better", "worse"):
        head = f"{contrast.variant} is {contrast.verdict} than {contrast.reference}"
        return f"{head}: {_claim(difference, measure)}"
    head = f"{contrast.variant} against {contrast.reference}: {contrast.verdict}"
    if not difference.cases:
        unread = f": {NONE_READ}, and no expectation was decided; name a judge" if measure != "final score" else ""
        return f"{head}: no case has a value on both sides{unread}"
    if contrast.verdict == "no difference shown":
        return f"{head}: {_claim(difference, measure)}"
    if doubt := doubt_of(contrast, measure):
        return f"{head}: {doubt} ({count_text(difference)})"
    return f"{head}: {count_text(difference)}{_outlook(contrast)}"


def count_text(difference: Difference) -> str:
    """ "better in 7 of 8 cases, worse in 1"; the larger count first."""
    counts = [("better", difference.better), ("worse", difference.worse)]
    (first, most), (second, fewer) = counts if difference.better >= difference.worse else reversed(counts)
    if not most:
        alike = f"alike in all of {counted(difference.units, difference.unit)}"
        return alike if difference.units > 1 else f"alike in one {difference.unit}"
    text = f"{first} in {most} of {counted(difference.units, difference.unit)}"
    return f"{text}, {second} in {fewer}" if fewer else text


def cluster_note(difference: Difference) -> str:
    """That cases belong together, and how they count."""
    return (
        f"{counted(difference.cases, 'case')} of {counted(difference.units, 'cluster')}; the cases of a cluster are "
        "alike and count once, by their mean"
    )


def interval_text(difference: Difference, measure: Measure) -> str:
    """What is claimed and its interval: "typically by +1.40 (+0.30 to +2.10)", "+0.52 in the mean (...)"."""
    ends = ""
    if difference.low is not None and difference.high is not None and difference.low < difference.high:
        ends = f" ({measured(difference.low, measure)} to {measured(difference.high, measure)})"
    if difference.claim == "cases":
        return "" if difference.typical is None else f"typically by {measured(difference.typical, measure)}{ends}"
    return "" if difference.mean is None else f"{measured(difference.mean, measure)} in the mean{ends}"


def _claim(difference: Difference, measure: Measure) -> str:
    if difference.claim == "cases":
        return ", ".join(filter(None, (count_text(difference), interval_text(difference, measure))))
    return f"{interval_text(difference, measure)} over {counted(difference.units, difference.unit)}"


def _outlook(contrast: Contrast) -> str:
    """What a verdict still takes."""
    difference, more = contrast.difference, contrast.more
    parts = []
    if difference.better + difference.worse < contrast.needed and difference.claim != "mean":
        parts.append(f"a verdict needs at least {contrast.needed} that differ")
    if more is not None and more.cases and difference.units > 1:
        most = more.most
        number = (
            f"{more.cases}" if most == more.cases else f"{more.cases} to {most}" if most else f"at least {more.cases}"
        )
        ways = [f"{number} more {difference.unit}{'' if number == '1' else 's'}"]
        ways += [f"{more.repeats} runs of each of these"] if more.repeats else []
        parts.append(f"if it goes on like this, {' or '.join(ways)} will tell")
    return "".join(f"; {part}" for part in parts)
