"""Every sentence about two variants compared, and how its numbers are shown. Pure."""

from __future__ import annotations

from math import floor, log10

from evenhand.decisions.decision import Contrast
from evenhand.decisions.table import MeasureName
from evenhand.in_words import counted, plural

MISSED = 0.05
"""How often a loss of the named frequency stays out of the sample."""


def shown(value: float, measure: MeasureName, *, sign: bool = True) -> str:
    """A value or a difference in the unit of its measure. One that is not zero is never shown as zero, so that
    a verdict can be read off the digits."""
    points = measure in ("final score", "graders passed")
    number, places = (value, 2) if points else (100 * value, 1)
    if number and round(number, places) == 0:
        places = -floor(log10(abs(number)))
    text = f"{number:{'+' if sign else ''}.{places}f}"
    if float(text) == 0:
        text = text.lstrip("+-")
        text = f"+{text}" if sign else text
    return text if points else f"{text}%"


def rarest(units: int) -> int | None:
    """Losses rarer than 1 in this many units may not be among these; None where all might be missed."""
    share = 1 - MISSED ** (1 / units) if units else 1.0
    seldom = floor(1 / share)
    return seldom if seldom > 1 else None


def interval_text(contrast: Contrast, measure: MeasureName) -> str:
    """The ends in brackets: " (+0.30 to +2.10)"; empty without an interval."""
    if contrast.low is None or contrast.high is None:
        return ""
    return f" ({shown(contrast.low, measure)} to {shown(contrast.high, measure)})"


def claim_text(contrast: Contrast, measure: MeasureName) -> str:
    """What is claimed, with its interval: "typically by +1.40 (+0.30 to +2.10)"; empty where nothing differs."""
    if contrast.estimate is None:
        return ""
    by = f"by {shown(contrast.estimate, measure)}"
    ends = interval_text(contrast, measure)
    if contrast.claim == "mean":
        return f"{by} in the mean{ends}"
    return f"typically {by}{' there' if contrast.equal else ''}{ends}"


def count_text(contrast: Contrast) -> str:
    """In how many cases, of which: "in 7 of the 8 cases that differ, 4 equal"; without the side it is about."""
    most, fewer = sorted((contrast.better, contrast.worse), reverse=True)
    differing = most + fewer
    unit = contrast.unit
    if not differing:
        return f"equal in {_all(contrast.equal, unit)}" if contrast.equal else ""
    if contrast.equal:
        if differing == 1:
            return f"in the one {unit} that differs, {contrast.equal} equal"
        return f"in {most} of the {counted(differing, unit)} that differ, {contrast.equal} equal"
    return f"in {most} of {counted(differing, unit)}"


def sentence(contrast: Contrast, measure: MeasureName) -> str:
    """A comparison in one sentence: verdict, count, claim with its interval, and what is missing."""
    # A preference has no size: in how many cases is all there is to say.
    head, claim = _head(contrast), "" if measure == "preferred" else claim_text(contrast, measure)
    if contrast.claim is None:
        return f"{head}: {contrast.doubt}"
    if contrast.claim == "mean" and claim:
        parts = [f"{claim} over {counted(contrast.units, contrast.unit)}"]
    else:
        parts = [", ".join(filter(None, (_sided(contrast), claim)))]
    parts += _missing(contrast)
    if contrast.doubt:
        parts.append(contrast.doubt)
    elif contrast.verdict == "undecided":
        parts += _outlook(contrast)
    elif (seldom := rarest(contrast.units)) is not None:
        what = {"better": "losses", "worse": "gains"}.get(contrast.verdict, "differences")
        parts.append(f"{what} rarer than 1 in {seldom} {plural(2, contrast.unit)} may not show")
    return f"{head}: {'; '.join(filter(None, parts))}"


def _head(contrast: Contrast) -> str:
    if contrast.verdict in ("better", "worse"):
        return f"{contrast.variant} is {contrast.verdict} than {contrast.reference}"
    return f"{contrast.variant} against {contrast.reference}: {contrast.verdict}"


def _sided(contrast: Contrast) -> str:
    """The count with its side, unless the head has named it."""
    count = count_text(contrast)
    if not count and contrast.open:
        return ""
    if contrast.verdict in ("better", "worse") or not contrast.better + contrast.worse:
        return count
    if contrast.better == contrast.worse:
        return f"better {count.replace(' of ', ', worse in as many of ', 1)}"
    return f"{'better' if contrast.better > contrast.worse else 'worse'} {count}"


def _all(units: int, unit: str) -> str:
    return f"all of {counted(units, unit)}" if units > 1 else f"the one {unit}"


def _missing(contrast: Contrast) -> list[str]:
    parts = []
    if contrast.open:
        more = "more " if contrast.open < contrast.units else ""
        parts.append(f"{counted(contrast.open, f'{more}{contrast.unit}')} could not be scored")
    elif contrast.unscored:
        parts.append(f"{counted(contrast.unscored, 'run')} could not be scored, which changes nothing")
    lost = [
        f"{counted(runs, 'run')} of {name}"
        for name, runs in ((contrast.variant, contrast.lost), (contrast.reference, contrast.reference_lost))
        if runs
    ]
    if lost:
        total = contrast.lost + contrast.reference_lost
        parts.append(f"{' and '.join(lost)} lost, {plural(total, 'which counts', 'which count')} as the worst")
    if contrast.unpaired:
        parts.append(f"{counted(contrast.unpaired, 'case')} of one side alone not counted")
    return parts


def _outlook(contrast: Contrast) -> list[str]:
    """What a verdict still takes."""
    more, parts = contrast.more, []
    if contrast.claim == "typical" and contrast.better + contrast.worse + contrast.open < contrast.needed:
        parts.append(f"a verdict needs at least {contrast.needed} that differ")
    if more is not None and more.cases:
        most = more.most
        number = (
            f"{more.cases}" if most == more.cases else f"{more.cases} to {most}" if most else f"at least {more.cases}"
        )
        parts.append(f"if it goes on like this, {number} more {plural(2 - (number == '1'), contrast.unit)} will tell")
    return parts


def doubt_unscored() -> str:
    """Why missing scores leave it open."""
    return "their scores could turn it: ask for them again"


def doubt_all_unscored() -> str:
    """Why there is no estimate: the middle of all that is possible is none."""
    return "no case has scores on both sides: ask again"


def doubt_opposite() -> str:
    """Why a majority is not enough."""
    return "most cases and the mean point in opposite directions, so nothing is concluded"
