"""What was made with an earlier prompt is refused by name and not used: calibrations and recorded replies."""

from __future__ import annotations

import json
from hashlib import sha256
from pathlib import Path

import pytest
from conftest import ROOT

from evenhand.core.documents.calibration import calibration_from
from evenhand.core.trust.calibration_file import misfit
from evenhand.questions.prompt import prompt_hash

FIRST = ROOT / "tests" / "fixtures" / "first_version"
EXAMPLES = ROOT / "examples"
JUDGED = ("judge", str(EXAMPLES / "answer.md"), "--task", str(EXAMPLES / "task.md"), "--rubric", "devops")


def test_a_calibration_of_an_earlier_prompt_is_refused():
    """Both prompts are named; nothing else about the judge has changed."""
    document = json.loads((FIRST / "judge.calibration.json").read_text(encoding="utf-8"))
    calibration, now = calibration_from(document), prompt_hash()
    assert misfit(calibration, calibration.judge) is None
    why = misfit(calibration, {**calibration.judge, "prompt": now})
    assert why == f"it was made with another prompt ({document['judge']['prompt'][:12]}, now {now[:12]})"


@pytest.mark.slow
def test_replies_to_an_earlier_prompt_are_not_used(evenhand_command, tmp_path: Path):
    """Every question has another hash then, so that none finds a reply; the reason says so."""
    lines = (EXAMPLES / "recorded" / "first.jsonl").read_text(encoding="utf-8").splitlines()
    exchanges = [json.loads(line) for line in lines]
    for exchange in exchanges:
        exchange["prompt"] = sha256(f"earlier {exchange['prompt']}".encode()).hexdigest()
    recording = tmp_path / "first.jsonl"
    recording.write_text("\n".join(map(json.dumps, exchanges)), encoding="utf-8")
    done = evenhand_command(*JUDGED, "--judge", f"replay:{recording}", "--store", "none", "--format", "json")
    assert done.code == 3
    card = json.loads(done.out)
    assert card["final"] is None
    assert {line["score"] for line in card["dimensions"].values()} == {None}
    assert all("another prompt, rubric, task or output" in line["unscored"] for line in card["dimensions"].values())
