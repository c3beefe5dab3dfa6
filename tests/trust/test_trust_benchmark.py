"""The simulations behind the promised error rates still run, every one of them."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

BENCHMARK = Path(__file__).parents[2] / "benchmarks" / "trust.py"


@pytest.mark.slow
def test_every_section_of_the_trust_benchmark_runs_to_its_end():
    """With so few worlds the figures say nothing; that sections print rows, and check themselves against the code that
    users run, does."""
    command = [sys.executable, str(BENCHMARK), "--repetitions", "3", "--outputs", "600"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=600, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    sections = done.stdout.strip().split("\n\n")
    titles = [section.splitlines()[0].split(" (")[0] for section in sections[:-1]]
    assert titles == [
        "estimate: the mean",
        "estimate: the mean and the pass rate of just the judged outputs; width against labels alone",
        "estimate: the difference",
        "estimate: the mean",
        "estimate: the pass rate where items had different chances of being labelled; width against labels alone",
        "estimate: the pass rate",
        "estimate: the mean where outputs are runs of cases; width against labels alone",
        "estimate: the pass rate where outputs are runs of cases; width against labels alone",
        "calibrate: the interval for one label; width in points",
        "calibrate: mean absolute error in points on unseen outputs",
    ]
    assert all(len(section.splitlines()) > 10 for section in sections[:-1])
