"""Many readers at once: no error, and the benchmark commands that measure it run."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import threading

import pytest
from conftest import ROOT, seven
from web_stores import keep

from evenhand.pipeline.keeping import Keeper
from evenhand.store import open_store

pytestmark = pytest.mark.slow


def benchmark(*options: str) -> str:
    done = subprocess.run(
        [sys.executable, "benchmarks/dashboard.py", *options],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT / "src"), str(ROOT / "benchmarks")])},
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_fifty_readers_while_evaluations_are_added(postgresql_url):
    """Against PostgreSQL: every page comes, and every evaluation that was added meanwhile is there."""
    stop = threading.Event()
    added: list[str] = []

    def write() -> None:
        store = open_store(postgresql_url)
        store.migrate()
        keeper = Keeper(store)
        while not stop.wait(0.2):
            id = f"added-{len(added)}"
            keep(keeper, id, skill="added", scores=seven(8), id=id, created="2026-01-01T00:00:00Z")
            added.append(id)
        store.close()

    writer = threading.Thread(target=write)
    writer.start()
    try:
        told = benchmark("--readers", "50", "--seconds", "15", "--rows", "2000", "--store", postgresql_url)
    finally:
        stop.set()
        writer.join()
    assert "errors: 0;" in told
    assert int(re.search(r"([\d,]+) pages", told)[1].replace(",", "")) >= 100
    store = open_store(postgresql_url)
    assert len(added) > 10
    assert store.present(added, []) == set(added)
    store.close()


def test_the_first_page_stays_near_its_queries_and_memory_flat():
    """On a store of a size that a test can make; the full one is the benchmark's own."""
    told = benchmark("--rows", "20000", "--rounds", "5")
    assert float(re.search(r"open /  +([\d.]+)", told)[1]) < 20  # a busy machine may double it
    assert float(re.search(r"peak memory +([\d.]+)", told)[1]) < 1.3
