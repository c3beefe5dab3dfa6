"""No run stops or stalls a suite: whatever it does is that run's failure or note, and the others are decided."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import pytest

import worlds
from contract.runs.stalls import STALLS, START

SUITE = """suite: stalls
cases:
  - {id: a, prompt: x, expect: [{answer: {contains: "42"}}, {file: {path: out.txt, contains: done}}]}
limits: {seconds: 20, output: 1MB, processes: 40, memory: 400MB, disk: 20MB}
"""
HONEST = "open('out.txt', 'w').write('done')"


@pytest.fixture(
    scope="module",
    params=["bubblewrap", *(pytest.param(world, marks=pytest.mark.long) for world in ("Landlock", "nothing"))],
)
def results(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Any]]:
    """Each run of one suite, by its agent."""
    folder = tmp_path_factory.mktemp("stalls")
    if not worlds.way_in(request.param, folder):
        pytest.skip("no bubblewrap")
    agents = {name: START + code for name, code in STALLS.items()} | {"honest": START + HONEST}
    if request.param == "nothing":
        del agents["kills_all"], agents["kills_its_parent"]  # nothing is promised there, and others would be hit
    for name, code in agents.items():
        (folder / f"{name}.py").write_text(code)
    variants = {name: {"command": [sys.executable, f"./{name}.py"]} for name in agents}
    (folder / "suite.yaml").write_text(f"{SUITE}variants: {json.dumps(variants)}\n")
    words = "run suite.yaml --jobs 3 --set gate.undecided=ok --format jsonl -o results.jsonl".split()
    done = subprocess.run(
        [*worlds.words(request.param, folder), sys.executable, "-m", "evenhand", *words],
        cwd=folder, capture_output=True, text=True, timeout=800,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    lines = (folder / "results.jsonl").read_text().splitlines()[1:]
    yield {line["variant"]: line for line in map(json.loads, lines)}
    assert not list(folder.glob(".evenhand/runs/**/*.tmp"))


def test_the_suite_ends_with_a_result_for_each(results: dict[str, Any]) -> None:
    missing = {*STALLS, "honest"} - {"kills_all", "kills_its_parent"} - results.keys()
    assert missing == set()


def test_the_others_are_decided(results: dict[str, Any]) -> None:
    """In the same suite, beside all of them."""
    assert (results["honest"]["met"], results["honest"]["expectations"]) == (2, 2)


def test_an_input_made_to_stall_does_not_meet_an_expectation(results: dict[str, Any]) -> None:
    """None of them wrote what is looked for; whatever is in its place, the expectation is unmet, not open."""
    for name in results.keys() - {"honest"}:
        assert results[name]["met"] <= 1 and results[name]["expectations"] == 2, results[name]


@pytest.mark.parametrize(
    ("name", "outcome"),
    [
        ("sleeps", "timed out"),
        ("sleeps_deaf", "timed out"),
        ("stops_itself", "timed out"),
        ("kills_itself", "failed"),
        ("prints_without_end", "stopped by a limit"),
        ("takes_memory", "stopped by a limit"),
        ("starts_many", "stopped by a limit"),
    ],
)
def test_a_limit_is_that_run_s_outcome(results: dict[str, Any], name: str, outcome: str) -> None:
    assert results[name]["outcome"] == outcome, results[name]


def test_files_of_any_kind_are_no_obstacle(results: dict[str, Any]) -> None:
    """What was left behind does not make a failure of a run that ended well."""
    for name in results:
        if name.startswith("leaves_") and name not in ("leaves_an_enormous_sparse_file", "leaves_a_device"):
            assert results[name]["outcome"] == "finished", results[name]
