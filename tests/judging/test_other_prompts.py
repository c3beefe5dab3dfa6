"""Replies that were recorded with another prompt are not used, and the reason says so."""

from __future__ import annotations

import json
from hashlib import sha256
from pathlib import Path

import pytest
from conftest import ROOT

EXAMPLES = ROOT / "examples"
JUDGED = ("judge", str(EXAMPLES / "answer.md"), "--task", str(EXAMPLES / "task.md"), "--rubric", "devops")


@pytest.mark.slow
def test_replies_to_another_prompt_are_not_used(evenhand_command, tmp_path: Path):
    """Every question has another hash then, so that none finds a reply; the reason says so."""
    lines = (EXAMPLES / "recorded" / "first.jsonl").read_text(encoding="utf-8").splitlines()
    exchanges = [json.loads(line) for line in lines]
    for exchange in exchanges:
        exchange["prompt"] = sha256(f"another {exchange['prompt']}".encode()).hexdigest()
    recording = tmp_path / "first.jsonl"
    recording.write_text("\n".join(map(json.dumps, exchanges)), encoding="utf-8")
    done = evenhand_command(*JUDGED, "--judge", f"replay:{recording}", "--store", "none", "--format", "json")
    assert done.code == 3
    card = json.loads(done.out)
    assert card["final"] is None
    assert {line["score"] for line in card["dimensions"].values()} == {None}
    assert all("another prompt, rubric, task or output" in line["unscored"] for line in card["dimensions"].values())
