"""A reader can follow a submission through the code in one direction."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[2] / "scripts" / "follow_path.py"
STEPS = (
    "judging/steps.py: read_submissions",
    "judging/steps.py: Steps.resolve",
    "judges/panel.py: PanelJudge.judge",
    "work/quotes.py: verify_judgement",
    "core/scoring.py: settle",
    "core/scoring.py: score",
    "judging/steps.py: Steps.keep",
    "store/evaluation_store.py: EvaluationStore.add_all",
    "cli/cards.py: CardWriter.card",
)
"""Read, resolve, ask, verify, settle, score, compare and keep, show."""


@pytest.mark.slow
def test_a_submission_takes_the_steps_in_their_order_with_few_returns():
    """On a real run of the command. A step that is added may not lead back and forth more than they do now."""
    ran = subprocess.run([sys.executable, SCRIPT, "--list"], capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr
    lines = ran.stdout.splitlines()
    entered = [line.partition("(")[0] for line in lines]
    places = [entered.index(step) for step in STEPS]
    assert places == sorted(places)
    figures = {line[7:].split(",")[0]: int(line[:5]) for line in lines if line[:5].strip().isdigit()}
    assert figures["returns to a file already left"] <= 44
    assert figures["files entered"] <= 58
