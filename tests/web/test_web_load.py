"""Many people at once: no error, nothing lost, and the benchmark commands that measure it run."""

from __future__ import annotations

import os
import re
import subprocess
import sys

import pytest
from conftest import ROOT

pytestmark = pytest.mark.slow


def benchmark(script: str, *options: str) -> str:
    done = subprocess.run(
        [sys.executable, f"benchmarks/{script}.py", *options],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT / "src"), str(ROOT / "benchmarks")])},
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_readers_and_reviewers_at_once_lose_nothing(postgresql_url):
    """Against PostgreSQL, with evaluations added meanwhile: whatever was acknowledged is in the store."""
    options = ("--readers", "8", "--reviewers", "2", "--seconds", "3", "--evaluations", "60")
    printed = benchmark("dashboard_load", *options, "--store", postgresql_url)
    assert "errors: 0; missing: 0; reached" in printed
    assert int(re.search(r"kept: (\d+) decisions", printed)[1]) >= 5  # those of the reviewer who was alone at first


def test_opening_pages_keeps_memory_flat_and_the_benchmark_times_them():
    """On a store of a size that a test can make. How long a page takes is for the benchmark, on a quiet machine."""
    printed = benchmark("dashboard", "--rows", "6000", "--rounds", "2")
    assert re.search(r"open /  +[\d.]+", printed)
    assert float(re.search(r"peak memory +([\d.]+)", printed)[1]) < 1.3
