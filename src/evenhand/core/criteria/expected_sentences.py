"""Sentences that a case expects to be true, as criteria of one leaf, and what judges' answers make of them. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction

from evenhand.core.values.criterion import NO, YES, Criterion
from evenhand.core.values.finding import NEEDS_A_READER, Checked, Expected
from evenhand.core.values.opinion import Evidence, Verdict
from evenhand.core.values.submission import Place


def sentences_of(checked: Checked | None) -> list[Criterion]:
    """The expectations that only a reader can decide, each under an id of its own."""
    if checked is None:
        return []
    return [
        Criterion(_id(place), expected.words, Fraction(1))
        for place, expected in enumerate(checked.expectations)
        if expected.message == NEEDS_A_READER
    ]


def with_answers(checked: Checked, verdicts: Mapping[str, Verdict], judges: Sequence[str]) -> Checked:
    """The expectations with what judges answered; one that they could not tell stays undecided, and says why."""
    by = ", ".join(judges)
    return checked._replace(
        expectations=tuple(
            _decided(expected, _unnamed(verdicts[_id(place)], place), by) if _id(place) in verdicts else expected
            for place, expected in enumerate(checked.expectations)
        )
    )


def _unnamed(verdict: Verdict, place: int) -> Verdict:
    """The verdict without the id that the judge was given: a reader knows the sentence only by its words."""
    return verdict._replace(reason=verdict.reason.replace(f"{_id(place)}: ", ""))


def _place(quote: Evidence) -> Place | None:
    """Where a quote is in the transcript's file; None when it is in the output."""
    if quote.source is None:
        return None
    file, colon, line = quote.source.rpartition(":")
    return Place(file, int(line)) if colon and line.isdecimal() else Place(quote.source)


def _id(place: int) -> str:
    return f"expectation-{place + 1}"


def _decided(expected: Expected, verdict: Verdict, by: str) -> Expected:
    quote = next((quote for quote in verdict.evidence if quote.verified), None)
    return expected._replace(
        result="met" if verdict.answer == YES else "unmet" if verdict.answer == NO else "undecided",
        message=verdict.reason or verdict.answer,
        quote="" if quote is None else quote.quote,
        place=None if quote is None else _place(quote),
        offset=None if quote is None else quote.offset,
        line_of_quote=None if quote is None else quote.line,
        by=by,
        votes=verdict.votes,
    )
