"""Boundaries that a second sample of small mistakes found open."""

from __future__ import annotations

from typing import Any

import pytest
from conftest import judged, make_rubric, seven

import evenhand
from evenhand.core.finding import Place
from evenhand.core.judgement import Evidence
from evenhand.core.panel import consensus
from evenhand.judges.models.questions.layout import arguments_text
from evenhand.work.quotes import checker
from evenhand.work.submission import Event, Submission
from panels import card_of, model_judgement


def test_a_scorecard_whose_rubric_gives_a_dimension_no_weight_holds():
    """Weights may be 0, not less."""
    card = judged(seven(8), rubric=make_rubric(weights=seven("0", "0", "0", "0", "0", "0.5", "0.5")))
    document = evenhand.document(card)
    assert evenhand.verify(document).ok
    document["dimensions"]["correctness"]["weight"] = -0.1
    document["dimensions"]["safety"]["weight"] = 0.6
    assert not evenhand.verify(document).ok


@pytest.mark.parametrize(
    ("quote", "events", "verified", "source"),
    [
        ("The lock is held", True, True, False),  # in the output itself: a line of it
        ("it was never released", True, True, True),  # said on the way: the event it is in
        ("it was never released", False, False, False),
        ("it was released", True, False, False),
    ],
)
def test_a_quote_is_looked_for_in_the_output_and_then_in_the_transcript(
    quote: str, events: bool, verified: bool, source: bool
):
    """What is in neither is not verified."""
    said = Event("message", "assistant", "I see: it was never released.", Place("run.jsonl", 3))
    submission = Submission(output="The lock is held.", events=(said,) if events else ())
    found = checker(submission)(Evidence(quote))
    assert (found.verified, found.source is not None, found.line is not None) == (verified, source, verified > source)


def test_who_raised_a_flag_is_named_only_among_several():
    """A single judge's explanation stands as it is."""
    rubric = make_rubric()
    raised = [model_judgement(6, name=name, red_flags=["f0"]) for name in ("a", "b")]
    alone = card_of(consensus(raised[:1]), rubric)
    assert alone.red_flags[0].explanation == "Seen: f0."
    both = card_of(consensus(raised), rubric)
    assert both.red_flags[0].explanation.startswith("a: Seen: f0.")


def test_arguments_that_no_json_can_hold_are_still_mentioned():
    """A call is shown, whatever it was given."""
    endless: list[Any] = []
    endless.append(endless)
    assert arguments_text(endless) == "(arguments that cannot be shown)"
