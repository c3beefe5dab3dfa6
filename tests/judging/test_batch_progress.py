"""How far evenhand table is: told while it works, shown on a terminal only."""

from __future__ import annotations

import os
import pty
import re
import subprocess
import sys
from pathlib import Path

import duckdb
import pytest

import evenhand


def write_table(path: Path, rows: int) -> None:
    """So many evaluations of a thousand skills."""
    scores = [f"1 + (hash(i * {n}) % 19) / 2 AS {name}" for n, name in enumerate(evenhand.DIMENSIONS, start=1)]
    when = "TIMESTAMPTZ '2026-01-01 00:00:00Z' + INTERVAL (i) SECOND AS created"
    table = f"SELECT 'r' || i AS id, 's' || i % 1000 AS skill, {when}, {', '.join(scores)} FROM range({rows}) t(i)"
    duckdb.sql(f"COPY ({table}) TO '{path}' (FORMAT parquet)")


@pytest.mark.slow
def test_a_table_too_large_for_memory_shows_its_progress_on_a_terminal(tmp_path: Path):
    """One line that counts, and nothing of DuckDB's own; without a terminal there is none."""
    write_table(tmp_path / "in.parquet", 700_000)
    run = [
        sys.executable,
        "-m",
        "evenhand",
        "table",
        "in.parquet",
        "out.arrow",
        "--set",
        "table.memory=100MB",
        "--set",
        "output.overwrite=true",
    ]
    quiet = subprocess.run(run, cwd=tmp_path, capture_output=True, check=True)
    assert quiet.stderr == b""
    ours, theirs = pty.openpty()
    with subprocess.Popen(run, cwd=tmp_path, stdout=subprocess.PIPE, stderr=theirs) as process:
        os.close(theirs)
        said = b""
        while True:
            try:
                said += os.read(ours, 65536)
            except OSError:  # how Linux says that nobody holds the other end any more
                break
        assert process.stdout is not None and process.stdout.read() == quiet.stdout
    os.close(ours)
    lines = [line.strip() for line in said.decode().split("\r") if line.strip()]
    assert lines[-1].startswith("done in ") and len(lines) > 2
    counting = r"(?:checking|comparing ids|scoring): \d+% of 700,000 rows"
    assert [line for line in lines[:-1] if not re.fullmatch(counting, line)] == []
