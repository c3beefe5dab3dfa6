"""A submission is hashed part by part, to the same hash as in one piece."""

from __future__ import annotations

import json

import pytest

from evenhand.core.finding import Place
from evenhand.core.receipt import sha256
from evenhand.work.submission import Event, Image, Submission, ToolCall, submission_sha256

PLACE = Place("a.jsonl", 1, 0)
SAID = Event("message", "user", 'Say "naïve →"', PLACE)
CALLED = Event("tool_call", "assistant", "", PLACE, ToolCall("bash", {"b": [1.5, None], "a": ""}, "1", None))


@pytest.mark.parametrize("events", [0, 1, 255, 256, 257, 513])
def test_events_are_hashed_in_parts_as_in_one_piece(events):
    """Parts have 256 events; sorted keys, no white space, and no key for what there is not."""
    happened = tuple((SAID, CALLED)[number % 2] for number in range(events))
    submission = Submission(output="Done.", task=None, events=happened)
    written = [
        ["message", "user", "", 'Say "naïve →"'],
        ["tool_call", "assistant", "", "bash", {"a": "", "b": [1.5, None]}, None],
    ]
    document: dict[str, object] = {"output": "Done.", "task": None}
    if events:
        document["events"] = [written[number % 2] for number in range(events)]
    expected = json.dumps(document, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    assert submission_sha256(submission) == sha256(expected)


def test_pictures_and_a_reference_are_hashed_too():
    """All five keys, in the order of their names."""
    picture = Image("image/png", b"x", "abc")
    submission = Submission(output="O", task="T", events=(SAID,), reference="R", images=(picture,))
    assert submission_sha256(submission) == sha256(
        '{"events":[["message","user","","Say \\"naïve →\\""]],"images":[[0,"image/png","abc"]],'
        '"output":"O","reference":"R","task":"T"}'
    )
