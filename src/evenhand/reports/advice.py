"""What would help an output most, in words. Pure; renderers below it do no arithmetic."""

from __future__ import annotations

from dataclasses import dataclass

from evenhand.core.advice import Advice, Effect, Recommendation, advise
from evenhand.core.judgement import Evidence
from evenhand.core.numbers import points
from evenhand.core.rubric import Rubric
from evenhand.core.rules import DEDUCTION_CAP, LOWEST
from evenhand.core.scorecard import Scorecard
from evenhand.reports.history import FLAGGED

TITLE = "What would help most"

LONGEST = 240
"""How many characters of a criterion, a reason or a quote are shown; a report has all of them further down."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AdviceRow:
    """One recommendation as a report shows it."""

    title: str
    """ "Raise safety from 4.00 to 8.00"."""
    effect: str
    """ "+0.40, to 8.20 (B+); no longer flagged for review"."""
    lines: tuple[tuple[str, str], ...]
    """What the rubric asks for, and the reason for the score now: a label and a text each."""
    evidence: tuple[Evidence, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class AdviceReport:
    """The recommendations as data to show."""

    rows: tuple[AdviceRow, ...]
    notes: tuple[str, ...]
    """What all of them do together, and what limits them."""


def advice_report(card: Scorecard, rubric: Rubric | None) -> AdviceReport:
    """Put a scorecard's recommendations into words; empty for work that no one has read."""
    advice = advise(card, rubric)
    return AdviceReport(
        rows=tuple(_row(card, entry, advice) for entry in advice.recommendations),
        notes=tuple(_notes(card, advice)),
    )


def _row(card: Scorecard, entry: Recommendation, advice: Advice) -> AdviceRow:
    says = "The judge says" if card.panel is None or len(card.panel.members) == 1 else "The judges say"
    reason = (says if entry.found_by == "judge" else "A check found", entry.reason or "no reason given")
    if entry.kind == "red_flag":
        title, asked = f"Avoid the red flag {entry.name}", ("The red flag", entry.criterion)
    else:
        title, asked = (
            f"Raise {entry.name} from {entry.score} to {entry.target}",
            ("The rubric asks for", entry.criterion),
        )
        uncapped = card.dimensions[entry.name].uncapped
        if uncapped is not None:
            asked = ("Its readers gave", f"{uncapped}; a fault caps it at {entry.score}")
    quote = entry.evidence
    return AdviceRow(
        title=title,
        effect=_effect(entry.effect, advice) + _by_itself(entry, advice) + _cleared(entry),
        lines=tuple((label, _shortened(text)) for label, text in (asked, reason) if text),
        evidence=() if quote is None else (quote,),
    )


def _effect(effect: Effect, advice: Advice) -> str:
    if not effect.gain and not effect.best_gain:
        return ""
    rise = f"+{effect.gain}" if effect.gain == effect.best_gain else f"+{effect.gain} to +{effect.best_gain}"
    text = f"{'raw score ' if advice.raw else ''}{rise}"
    text += "" if effect.final is None else f", to {effect.final}"
    text += f" ({effect.grade})" if effect.grade else ""
    return f"{text}; passes" if effect.passes else text


def _by_itself(entry: Recommendation, advice: Advice) -> str:
    """Why a change alone moves nothing, if it does not."""
    if entry.effect.gain or entry.effect.best_gain:
        return ""
    if not entry.worth:
        if entry.kind == "dimension":
            return "no change of the final score"
        return (
            f"no change by itself: the red flags come to more than {points(DEDUCTION_CAP)}, which is all they can cost"
        )
    return f"+{entry.worth} towards leaving the floor" if advice.below_floor else "no change of the final score"


def _cleared(entry: Recommendation) -> str:
    return f"; no longer {FLAGGED}" if entry.clears_flag else ""


def _notes(card: Scorecard, advice: Advice) -> list[str]:
    notes = []
    if advice.below_floor:
        notes.append(
            f"the score is held at the floor of {points(LOWEST)}: without it, it would be {advice.below_floor} lower"
        )
    if advice.together is not None:
        number = "both" if len(advice.recommendations) == 2 else f"all {_WORDS[len(advice.recommendations)]}"
        notes.append(f"{number} together: {_effect(advice.together, advice) or 'no change yet'}")
    if advice.raw and advice.recommendations:
        notes.append("these are raw scores: the calibration does not reach all of them")
    if not advice.recommendations and card.raw_final is not None:
        nothing = "nothing to improve: every dimension is at 10, and there is no red flag"
        full = all(line.score == 10 for line in card.dimensions.values()) and not card.red_flags
        notes.append(nothing if full else "no single change would raise the final score")
    return notes


_WORDS = {3: "three"}


def shortened_quote(evidence: Evidence) -> Evidence:
    """A quote as a recommendation shows it."""
    return evidence._replace(quote=_shortened(evidence.quote))


def _shortened(text: str) -> str:
    """Text on one line, cut at a word where it is long."""
    line = " ".join(text.split())
    if len(line) <= LONGEST:
        return line
    cut = line[: LONGEST - 4]
    return f"{cut[: cut.rfind(' ')] if ' ' in cut[LONGEST // 2 :] else cut} ..."
