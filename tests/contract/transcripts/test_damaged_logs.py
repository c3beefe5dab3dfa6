"""A log that is cut, preceded by other words, or of another kind is read or refused; never read as nothing."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from contract.doors import run_here

FIXTURES = Path(__file__).parents[2] / "fixtures" / "transcripts"
LOGS = sorted(
    path
    for path in FIXTURES.iterdir()
    if path.is_file() and path.suffix in (".json", ".jsonl") and path.name != "submissions.jsonl"
)


def events(folder: Path, name: str, data: bytes) -> int | None:
    """How many events a file is read into; None where it is refused or its damage is named."""
    (folder / name).write_bytes(data)
    ran = run_here("show", name, "--format", "json", cwd=folder)
    if ran.code:
        assert ran.code == 2 and (ran.err.strip() or json.loads(ran.out)["problems"])
        return None
    document = json.loads(ran.out)
    documents = document if isinstance(document, list) else [document]
    return sum(entry["events"] if isinstance(entry["events"], int) else len(entry["events"]) for entry in documents)


@pytest.mark.parametrize("log", LOGS, ids=lambda path: path.name)
def test_a_log_that_is_not_whole_is_read_or_refused_and_never_read_as_nothing(tmp_path: Path, log: Path):
    """Cut in the middle; below words of something else; among records that no one knows; nothing but those."""
    data = log.read_bytes()
    whole = events(tmp_path, log.name, data)
    assert whole
    assert events(tmp_path, log.name, data[: len(data) // 2]) != 0
    assert events(tmp_path, log.name, b"Starting the agent ...\n" + data) in (whole, None)
    assert events(tmp_path, log.name, b"[2026-01-01 10:00] run started\n\n" + data) in (whole, None)
    lines = data.splitlines(keepends=True)
    if all(line.startswith(b"{") for line in lines):
        unknown = b'{"kind": "telemetry", "n": 1}\n'
        among = events(tmp_path, log.name, lines[0] + unknown + unknown.join(lines[1:]))
        assert among is None or among >= whole  # what was streamed in pieces may stay in pieces
        assert events(tmp_path, log.name, unknown * 5) is None


def test_words_above_and_below_a_log_do_not_make_it_an_answer(tmp_path: Path):
    """An answer may quote a line of a log; a log may end with what a program said at last."""
    quoted = json.dumps({"type": "user", "sessionId": "s", "message": {"content": "hi"}}).encode() + b"\n"
    assert events(tmp_path, "answer.md", b"The log says:\n\n" + quoted + b"\nSo it works.\n") == 0
    assert events(tmp_path, "run.jsonl", b"Starting the agent ...\n" + quoted * 3 + b"Done.\n") in (3, None)
