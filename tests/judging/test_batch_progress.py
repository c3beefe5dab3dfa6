"""How far evenhand table is: told while it works, shown on a terminal only."""

from __future__ import annotations

import os
import pty
import re
import subprocess
import sys
import threading
from contextlib import suppress
from itertools import groupby
from pathlib import Path

import duckdb
import pytest

import evenhand
from evenhand.cli.commands.use import score_table as command
from evenhand.engine import duck
from evenhand.engine.duck import BatchOptions
from evenhand.judging.tables.batch import batch_files


def write_table(path: Path, rows: int) -> None:
    """So many evaluations of a thousand skills."""
    scores = [f"1 + (hash(i * {n}) % 19) / 2 AS {name}" for n, name in enumerate(evenhand.DIMENSIONS, start=1)]
    when = "TIMESTAMPTZ '2026-01-01 00:00:00Z' + INTERVAL (i) SECOND AS created"
    table = f"SELECT 'r' || i AS id, 's' || i % 1000 AS skill, {when}, {', '.join(scores)} FROM range({rows}) t(i)"
    duckdb.sql(f"COPY ({table}) TO '{path}' (FORMAT parquet)")


@pytest.mark.slow
def test_a_run_tells_how_far_it_is(tmp_path: Path, monkeypatch):
    """In order, never more than there is, and nobody goes on watching afterwards."""
    monkeypatch.setattr(duck, "_LOOK", 0.01)
    before = set(threading.enumerate())
    rows = 150_000
    write_table(tmp_path / "in.parquet", rows)
    told: list[tuple[str, int, int]] = []
    source, target = str(tmp_path / "in.parquet"), str(tmp_path / "out.parquet")
    batch_files(source, target, rubric=None, wanted=BatchOptions(), progress=lambda *each: told.append(each))
    by_step = {step: [done for _, done, _ in each] for step, each in groupby(told, key=lambda each: each[0])}
    assert list(by_step) == ["checking", "comparing ids", "scoring"]
    assert {each[2] for each in told} == {rows}
    for step in ("checking", "scoring"):  # comparing ids takes several queries
        assert by_step[step] == sorted(by_step[step]) and 0 == by_step[step][0] <= by_step[step][-1] <= rows
    assert set(threading.enumerate()) <= before  # one of an earlier test may have ended meanwhile


def test_the_line_that_counts_waits_a_second_and_is_taken_away_by_an_error(monkeypatch, capsys):
    """Quick work shows nothing; an error does not stand behind half a line."""
    now = 0.0
    monkeypatch.setattr(command.time, "monotonic", lambda: now)
    with command._Counter() as counter:
        counter("scoring", 1, 4)
        now = 0.9
        counter("scoring", 2, 4)
    assert capsys.readouterr().err == ""
    with suppress(ValueError), command._Counter() as counter:
        now = 3.0
        counter("scoring", 3, 4)
        raise ValueError
    shown, gone, end = capsys.readouterr().err.removeprefix("\r").split("\r")
    assert (shown.rstrip(), gone.strip(), end) == ("scoring: 75% of 4 rows", "", "")
    with command._Counter() as counter:
        now = 5.0
        counter("scoring", 4, 4)
    assert capsys.readouterr().err.endswith("\rdone in 2.0 s\n")


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
