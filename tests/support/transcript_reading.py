"""What the tests of transcript formats share: reading one file, and events as short rows."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from conftest import SHARED_DATA

from evenhand.transcripts import read
from evenhand.work.submission import Submission, ToolCall

FIXTURES = Path(__file__).parents[1] / "fixtures" / "transcripts"
SAMPLES = SHARED_DATA / "transcripts"

needs_samples = pytest.mark.skipif(not SAMPLES.is_dir(), reason=f"{SAMPLES} is absent")


def all_of(path: Path, format: str | None = None) -> list[Submission]:
    """Every submission of a file, none of them an error."""
    submissions = list(read(str(path), format))
    assert all(isinstance(submission, Submission) for submission in submissions), submissions
    return submissions  # type: ignore[return-value]


def one(path: Path, format: str | None = None) -> Submission:
    """The only submission of a file."""
    (submission,) = all_of(path, format)
    return submission


def rows(submission: Submission) -> list[tuple[str, str, str]]:
    """Events in a row each: kind, who or which tool, words or result."""
    return [
        (event.kind, event.role, event.text)
        if event.call is None
        else (event.kind, event.call.name, f"{'FAILED ' if event.call.failed else ''}{event.call.result}")
        for event in submission.events
    ]


def calls(submission: Submission) -> list[ToolCall]:
    return [event.call for event in submission.events if event.call is not None]


def counts(submission: Submission) -> tuple[int, int, int, int, int]:
    """Messages of the user and the assistant, tool calls, those that failed, reasoning, errors."""
    kinds = Counter(event.kind for event in submission.events)
    spoken = sum(event.kind == "message" and event.role in ("user", "assistant") for event in submission.events)
    failed = sum(call.failed for call in calls(submission))
    return spoken, kinds["tool_call"], failed, kinds["reasoning"], kinds["error"]


def json_values(path: Path) -> list[Any]:
    """The JSON values of a file, read plainly: one document, or one a line."""
    data = path.read_text(encoding="utf-8")
    try:
        return [json.loads(data)]
    except ValueError:
        return [json.loads(line) for line in data.splitlines() if line.strip()]


def places_are_exact(path: Path, submission: Submission) -> bool:
    """Whether each event stands at the byte and on the line that it names."""
    data = path.read_bytes()
    for event in submission.events:
        place = event.place
        assert place.offset is not None and place.line == data.count(b"\n", 0, place.offset) + 1, event
        begun = data[place.offset : place.offset + 1]
        assert begun in (b"{", b"[") or path.suffix == ".md", (event, begun)
    return True
