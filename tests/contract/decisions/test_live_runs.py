"""A suite that is run: `run` in every format, `run show`, Python and two shards put together say the same."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from random import Random
from typing import Any

import pytest

import evenhand
from contract.decisions.test_doors import listed_tests, words
from contract.doors import Ran, run_here

AGENT = """import sys
variant, prompt = sys.argv[1:]
found = dict(part.split("=") for part in prompt.split() if "=" in part)[variant]
if found == "crash":
    sys.exit("the engine stalled")
print("The luggage:", *["hat", "coat", "shoes", "scarf"][:int(found)])
"""


def suite(folder: Path, seed: int) -> None:
    """Two or three variants whose outputs have some of four words; some runs crash."""
    draw = Random(seed)
    variants = "abc"[: draw.choice((2, 2, 3))]
    (folder / "agent.py").write_text(AGENT)
    command = [sys.executable, str(folder / "agent.py")]
    cases = []
    for number in range(draw.choice((3, 8, 12))):
        given = {
            name: "crash" if draw.random() < 0.05 else str(min(4, place + draw.randint(0, 3)))
            for place, name in enumerate(variants)
        }
        prompt = " ".join(f"{name}={found}" for name, found in given.items())
        expect = [{"answer": {"contains": word}} for word in ("hat", "coat", "shoes", "scarf")]
        cases.append({"id": f"case-{number:02}", "prompt": prompt, "expect": expect})
    made = {
        "suite": "luggage",
        "cases": cases,
        "variants": {name: {"command": [*command, name, "{prompt}"]} for name in variants},
    }
    (folder / "suite.yaml").write_text(json.dumps(made))


def told(document: dict[str, Any]) -> list[tuple[Any, ...]]:
    """What a decision says of each comparison."""
    names = ("verdict", "claim", "estimate", "low", "high", "cases", "units", "open", "says")
    return [tuple(contrast[name] for name in names) for contrast in document["contrasts"]]


@pytest.mark.parametrize("seed", range(3))
def test_a_run_says_the_same_while_it_runs_and_ever_after(seed: int, tmp_path: Path, monkeypatch):
    """Its JSON, sentence, JUnit and exit code; stored; by Python; as two shards that are put together."""
    suite(tmp_path, seed)
    monkeypatch.chdir(tmp_path)

    def run(*arguments: str) -> Ran:
        environment = {"COLUMNS": "400", "EVENHAND_STORE": str(tmp_path / "e.db")}
        return run_here(*arguments, cwd=tmp_path, environment=environment)

    live = run("run", "suite.yaml", "-f", "json")
    decision = json.loads(live.out)
    contrasts = decision["contrasts"]
    assert contrasts and all(contrast["says"] for contrast in contrasts)
    assert live.code == (5 if any(contrast["verdict"] == "undecided" for contrast in contrasts) else 0), live.err
    page = words(run("run", "suite.yaml", "--full").out)
    assert all(words(contrast["says"]) in page for contrast in contrasts)
    tests = listed_tests(run("run", "suite.yaml", "-f", "junit").out, "decision")
    assert [message for _, message in tests.values()] == [contrast["says"] for contrast in contrasts]
    stored = json.loads(run("run", "show", "latest", "-f", "json").out)
    assert told(stored) == told(decision) and stored["variants"] == decision["variants"]
    by_python = evenhand.run("suite.yaml", settings={"run.runs": tmp_path / "runs"}).decision
    assert [contrast.says for contrast in by_python.contrasts] == [contrast["says"] for contrast in contrasts]
    for shard in ("1/2", "2/2"):
        part = run("run", "suite.yaml", "--shard", shard, "-f", "jsonl", "--store", "none")
        (tmp_path / f"{shard[0]}.jsonl").write_text(part.out)
    assert run("run", "import", "1.jsonl", "2.jsonl", "-o", "all.jsonl").code == 0
    assert told(json.loads(run("run", "show", "all.jsonl", "-f", "json").out)) == told(decision)


def test_what_the_user_left_out_is_skipped_in_junit(tmp_path: Path):
    """One case of all, and one variant of two: the others are listed as skipped; of a whole run nothing is."""
    suite(tmp_path, 1)
    cases = [case["id"] for case in json.loads((tmp_path / "suite.yaml").read_text())["cases"]]
    options = ("--store", "none", "-f", "junit", "--set", "run.runs=runs")
    ran = run_here("run", "suite.yaml", "--only", cases[1], "--variant", "b", *options, cwd=tmp_path)
    tests = listed_tests(ran.out, "b")
    assert tests[cases[1]][0] != "skipped"
    assert {name for name, (kind, _) in tests.items() if kind == "skipped"} == {*cases} - {cases[1]}
    assert {kind for kind, _ in listed_tests(ran.out, "a").values()} == {"skipped"}
    whole = run_here("run", "suite.yaml", *options, cwd=tmp_path)
    assert "<skipped" not in whole.out and f'tests="{len(cases) * 2}"' in whole.out
