"""What the tests of transcript formats share: small files made on the spot, and real ones kept beside the project."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from conftest import SHARED_DATA

from evenhand.transcripts import read
from evenhand.work.submission import Submission

SAMPLES = SHARED_DATA / "transcripts"

real_files = pytest.mark.skipif(not SAMPLES.is_dir(), reason=f"{SAMPLES} is absent")


def samples(tool: str, pattern: str = "*") -> list[Path]:
    """The real files of a tool."""
    return sorted((SAMPLES / tool).glob(pattern))


def document(path: Path, value: Any, *, indent: int | None = 1) -> Path:
    """One JSON document as a file."""
    path.write_text(json.dumps(value, indent=indent), encoding="utf-8")
    return path


def lines(path: Path, *values: Any) -> Path:
    """JSON values as a file, one a line."""
    path.write_text("".join(json.dumps(value) + "\n" for value in values), encoding="utf-8")
    return path


def all_in(path: Path) -> list[Submission]:
    """Every submission of a file, of which all must be readable."""
    items = list(read(str(path)))
    assert all(isinstance(item, Submission) and not item.problems for item in items), items
    return items  # type: ignore[return-value]


def only(path: Path) -> Submission:
    """The one submission of a file."""
    (submission,) = all_in(path)
    return submission


def story(submission: Submission) -> list[tuple[str, ...]]:
    """The events in short: who says what, and for a call its name, result, and whether it failed."""
    told: list[tuple[str, ...]] = []
    for event in submission.events:
        if event.call is None:
            told.append((event.role if event.kind == "message" else event.kind, event.text))
        else:
            failed = ("failed",) if event.call.failed else ()
            told.append((event.call.name, "..." if event.call.result is None else event.call.result, *failed))
    return told


def calls(submission: Submission) -> tuple[int, int, int]:
    """Tool calls, those with an answer, and those that failed."""
    made = [event.call for event in submission.events if event.call is not None]
    return len(made), sum(call.result is not None for call in made), sum(call.failed for call in made)
