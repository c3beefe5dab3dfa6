"""Published documents: nothing in them can be changed unnoticed, and what is read back is what was written."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import cache
from math import sqrt
from pathlib import Path
from typing import Any

import pytest
from conftest import make_rubric, seven

import evenhand
import flat_calls
from evenhand.core.finding import Place
from evenhand.work.submission import Event, Submission, ToolCall

Steps = tuple[str | int, ...]


@cache
def judged_document() -> str:
    """A person's judgement with a flag, a bonus, a quote that is there, one that is not, and a dimension unscored."""
    scores = seven(8, 7, 6.5, 9, 5, 4, 3) | {
        "correctness": {"score": 8, "justification": "Right.", "evidence": ["the lock is held", "not there"]},
        "safety": {"unscored": "no answer"},
    }
    judgement = {
        "skill": "notes",
        "judge": {"name": "human:ana", "team": "docs"},
        "scores": scores,
        "red_flags": [{"id": "f1", "explanation": "Seen.", "evidence": ["the lock is held"]}],
        "bonuses": [{"id": "b2", "explanation": "Good."}],
    }
    card = evenhand.score(judgement, rubric=make_rubric(), output="Here\nthe lock is held.", task="Look.", id="one")
    return json.dumps(evenhand.document(card))


"""A document, and every which field of it is tried: a panel's document is long."""


def places(value: Any, path: Steps = ()) -> Iterator[Steps]:
    """Every place in a document that holds something: leaves, and lists and objects as a whole."""
    if path:
        yield path
    steps = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for step, inner in steps:
        yield from places(inner, (*path, step))


def holds(document: dict[str, Any]) -> bool:
    try:
        return evenhand.verify(document).ok
    except evenhand.DocumentError:
        return False


@pytest.mark.parametrize("score", ["0.99", "10.01", "-1", "11"])
def test_a_score_off_the_scale_makes_no_scorecard(score: str):
    """The message names the field and what is valid."""
    document = json.loads(judged_document())
    document["dimensions"]["adherence"]["score"] = float(score)
    (difference, *_) = evenhand.verify(document).differences
    assert difference.field == "dimensions.adherence.score"
    assert "must be a number from 1 to 10" in difference.problem


# --- what is hashed of a transcript ----------------------------------------------------------------

PLACE = Place("run.jsonl", 1)
SAID = Event("message", "assistant", "I look.", PLACE)
CALLED = Event("tool_call", "assistant", "", PLACE, ToolCall("bash", {"command": "ls"}, result="a.txt"))
OTHERS = {
    "none": (),
    "one less": (SAID,),
    "another order": (CALLED, SAID),
    "another kind": (SAID._replace(kind="reasoning"), CALLED),
    "another role": (SAID._replace(role="user"), CALLED),
    "another agent": (SAID._replace(agent="helper"), CALLED),
    "other words": (SAID._replace(text="I look!"), CALLED),
    "another tool": (SAID, CALLED._replace(call=ToolCall("sh", {"command": "ls"}, result="a.txt"))),
    "other arguments": (SAID, CALLED._replace(call=ToolCall("bash", {"command": "ls -a"}, result="a.txt"))),
    "another result": (SAID, CALLED._replace(call=ToolCall("bash", {"command": "ls"}, result="b.txt"))),
    "no result": (SAID, CALLED._replace(call=ToolCall("bash", {"command": "ls"}))),
}


def submission_hash(events: tuple[Event, ...]) -> str | None:
    return flat_calls.judge(Submission(output="There is one file.", task="Look.", events=events)).receipt.submission


@pytest.mark.parametrize("events", OTHERS.values(), ids=OTHERS)
def test_the_receipt_of_a_transcript_covers_everything_that_happened(events: tuple[Event, ...]):
    """Not only the final output."""
    assert submission_hash((SAID, CALLED)) == submission_hash((SAID, CALLED))
    assert submission_hash(events) != submission_hash((SAID, CALLED))


# --- the history, in figures -------------------------------------------------------------------------


def test_the_figures_of_a_history_are_those_of_the_formulas(tmp_path: Path):
    """Ten finals for the baseline, then three; the moving average is followed by hand."""
    store = evenhand.open_store(str(tmp_path / "history.db"))
    finals = [8.0, 8.5, 7.5, 8.25, 7.75, 8.0, 8.5, 7.5, 8.0, 9.0, 7.0, 7.25, 6.75]
    cards = [
        evenhand.score({"skill": "s", "scores": seven(final)}, rubric=make_rubric(), store=store) for final in finals
    ]
    assert all(card.history.drift is None for card in cards[:10])
    for number, card in enumerate(cards[10:], start=1):
        baseline, since = finals[:10], finals[10 : 10 + number]
        mean = sum(baseline) / 10
        deviation = sqrt(sum((value - mean) ** 2 for value in baseline) / 9)
        average = mean
        for value in since:
            average = 0.2 * value + 0.8 * average
        kept = 0.8**number
        limit = 3 * deviation * sqrt(0.2 / 1.8 * (1 - kept**2) + (1 - kept) ** 2 / 10)
        drift = card.history.drift
        assert drift.since == number
        assert (drift.baseline, drift.deviation) == (pytest.approx(mean), pytest.approx(deviation))
        assert (drift.average, drift.limit) == (pytest.approx(average), pytest.approx(limit))
        assert drift.alarm == (abs(average - mean) > limit)


def test_equal_baselines_are_given_a_spread(tmp_path: Path):
    """Ten equal finals: the deviation is taken as 0.05, not as nothing."""
    store = evenhand.open_store(str(tmp_path / "history.db"))
    cards = [evenhand.score({"skill": "s", "scores": seven(8)}, rubric=make_rubric(), store=store) for _ in range(11)]
    drift = cards[-1].history.drift
    assert (drift.deviation, drift.alarm) == (0.05, False)
