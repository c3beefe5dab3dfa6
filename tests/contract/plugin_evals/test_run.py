"""`better PLUGIN --run`: the plan, the user's own client, more runs until there is a verdict, and what is kept."""

from __future__ import annotations

import itertools
import json
import os
import sys
from pathlib import Path

import pytest

from contract.doors import Ran, run_here
from contract.plugin_evals import making

CLIENT = """#!{python}
import json, os, pathlib, sys
sys.path.insert(0, {tests!r})
from contract.plugin_evals import making
told = pathlib.Path({folder!r})
if sys.argv[1:] == ["--version"]:
    print({version!r}, "(Claude Code)")
    sys.exit(0)
with (told / "calls.jsonl").open("a") as file:
    file.write(json.dumps(sys.argv[1:]) + "\\n")
given = dict(zip(sys.argv, sys.argv[1:]))
calls = (told / "calls.jsonl").read_text().count("\\n")
pairs = json.loads((told / "pairs.json").read_text())
value = making.steady([tuple(pair) for pair in pairs[min(calls, len(pairs)) - 1]])
trace = pathlib.Path(os.environ["TMPDIR"], "claude-eval-a1", "out", "trace.jsonl")
trace.parent.mkdir(parents=True)
trace.write_text(json.dumps({{"type": "system", "subtype": "init", "model": "claude-told-5"}}) + "\\n")
value["cases"][0]["arms"]["with"][0]["tracePath"] = str(trace)
print("what the client prints")
if "--fail" in sys.argv:
    sys.exit(130)
making.write(pathlib.Path(given["--json"]).parent, value, "aggregate-result.json")
sys.exit(1)
"""
UP, SAME = ("8", "5"), ("5", "5")


def plugin(folder: Path, *steps: list[tuple[str, str]], version: str = "2.1.327", cases: int = 8) -> None:
    """A plugin with cases, and a client on the PATH that gives one step's scores after the other."""
    for number in range(1, cases + 1):
        place = folder / "notes" / "evals" / f"case-{number}"
        place.mkdir(parents=True)
        (place / "prompt.md").write_text(f"Do case-{number}.\n")
    (folder / "pairs.json").write_text(json.dumps(steps))
    tests = str(Path(__file__).parents[2])
    client = folder / "bin" / "claude"
    client.parent.mkdir()
    client.write_text(CLIENT.format(python=sys.executable, tests=tests, folder=str(folder), version=version))
    client.chmod(0o755)


def run(folder: Path, *arguments: str) -> Ran:
    """`evenhand better notes --run`, with that client."""
    environment = {"PATH": f"{folder / 'bin'}{os.pathsep}{os.environ['PATH']}"}
    return run_here("better", "notes", "--run", *arguments, cwd=folder, environment=environment)


def calls(folder: Path) -> list[list[str]]:
    """What the client was called with."""
    file = folder / "calls.jsonl"
    return [json.loads(line) for line in file.read_text().splitlines()] if file.exists() else []


def test_a_plan_is_shown_and_nothing_runs_unless_it_is_agreed_to(tmp_path: Path) -> None:
    """Without a terminal: 8 x 2 x 3 runs, and --yes is asked for; without a ceiling that anyone knows, the ceiling."""
    plugin(tmp_path, [UP] * 8)
    ran = run(tmp_path, "--max-cost", "1")
    assert ran.code == 2 and "give --yes" in ran.err
    assert "8 cases x 2 arms x 3 runs, 48 runs of claude plugin eval, what a run costs is unknown" in ran.err
    assert "no run starts beyond $1" in ran.err
    assert "say how much may be spent" in run(tmp_path, "--yes").err
    as_agent = run_here("better", "notes", "--agent", "claude-code", "--dry-run", cwd=tmp_path)
    assert as_agent.err == run(tmp_path, "--dry-run").err and as_agent.code == 0
    assert calls(tmp_path) == []


def test_the_client_is_called_with_a_pinned_model_and_a_ceiling_and_its_result_is_decided(tmp_path: Path) -> None:
    """Nothing is published; the answer alone is on stdout; the trace stays readable beside the result."""
    plugin(tmp_path, [UP] * 8)
    ran = run(tmp_path, "--yes", "--max-cost", "1", "--set", "plugin.model=claude-sonnet-5", "--set",
              "plugin.arguments=--allow-tools=Write")  # fmt: skip
    assert ran.code == 0, ran.err
    assert ran.out.startswith("Notes 1.0.0 is better than no plugin: in 8 of 8 cases")
    assert "what the client prints" in ran.err
    (call,) = calls(tmp_path)
    given = dict(itertools.pairwise(call))
    assert call[:3] == ["plugin", "eval", "."] and call[-1] == "--allow-tools=Write"
    assert {"--no-publish", "--keep-temp"} <= set(call)
    assert [given[name] for name in ("--model", "--max-cost-usd", "--runs")] == ["claude-sonnet-5", "1", "3"]
    (result,) = (tmp_path / "notes" / "evals" / "results").iterdir()
    assert [path.name for path in (result / "traces").iterdir()] == ["claude-eval-a1.jsonl"]
    again = run_here("better", "notes", cwd=tmp_path)
    assert again.code == 0 and "model is not recorded" not in again.out


def test_a_later_run_expects_what_the_latest_result_cost_and_pins_its_model(tmp_path: Path) -> None:
    """24 runs at $0.01: about $0.48 for 48 of them, and three times that is the ceiling."""
    plugin(tmp_path, [UP] * 8)
    assert run(tmp_path, "--yes", "--max-cost", "1").code == 0
    ran = run(tmp_path, "--dry-run")
    assert "48 runs of claude plugin eval by claude-told-5, about $" in ran.err
    assert "so far: notes 1.0.0 is better than no plugin" in ran.err
    assert "is not pinned" not in ran.err


def test_runs_are_added_until_there_is_a_verdict(tmp_path: Path) -> None:
    """Level after the first look, better after the second: the third and fourth are never run."""
    plugin(tmp_path, [SAME] * 8, [("9", "5")] * 8)
    ran = run(tmp_path, "--yes", "--max-cost", "9", "--set", "plugin.until_decided=true")
    assert "looked at after this many runs an arm: 6 (level 1.25%), 9 (level 1.56%) and 12 (level 2.19%)" in ran.err
    assert [call[call.index("--runs") + 1] for call in calls(tmp_path)] == ["6", "3"]
    assert ran.code == 0 and "is better than no plugin: in 8 of 8 cases" in ran.out
    assert "1.56% of the error rate of 5%" in " ".join(ran.out.split())


def test_a_suite_too_small_for_a_verdict_is_reported_before_it_is_paid_for(tmp_path: Path) -> None:
    """A sign test at 5 % needs six cases, however often each runs."""
    plugin(tmp_path, [UP] * 4, cases=4)
    ran = run(tmp_path, "--dry-run")
    assert "4 cases cannot give a verdict, however many runs: write at least 6" in ran.err


def test_what_was_run_is_kept_and_shows_the_same_verdict(tmp_path: Path) -> None:
    """In the store it is a run like any other; its decision has the same numbers as the file's."""
    plugin(tmp_path, [UP] * 8)
    assert run(tmp_path, "--yes", "--max-cost", "1", "--store", "kept.db").code == 0
    here = json.loads(run_here("better", "notes", "--format", "json", cwd=tmp_path).out)["decision"]["contrasts"][0]
    shown = run_here("run", "show", "latest", "--store", "kept.db", "--format", "json", cwd=tmp_path)
    kept = json.loads(shown.out)["contrasts"][0]
    same = ("verdict", "estimate", "low", "high", "cases", "better", "worse", "equal", "p_value")
    assert [kept[name] for name in same] == [here[name] for name in same], shown.err


@pytest.mark.parametrize(
    ("version", "arguments", "words"),
    [
        ("2.1.197", (), "claude 2.1.197 has no `claude plugin eval`; from 2.1.269 on it has"),
        ("2.1.327", ("--set", "plugin.arguments=--fail"), "ended with code 130 and wrote no result"),
    ],
)
def test_a_client_that_cannot_is_reported_in_one_line(
    tmp_path: Path, version: str, arguments: tuple[str, ...], words: str
) -> None:
    plugin(tmp_path, [UP] * 8, version=version)
    ran = run(tmp_path, "--yes", "--max-cost", "1", *arguments)
    assert (ran.code, ran.out) == (4, "") and words in ran.err
    assert not list((tmp_path / "notes" / "evals").glob("results/*"))


def test_weights_survive_in_the_store(tmp_path: Path) -> None:
    """Weights 2, 1 and .5: a run that met the first alone is 2 / 3.5, in the file and in the kept run."""
    arms = [making.run({"a": True, "b": False, "c": False}, {"a": 2, "c": 0.5})], [making.run({"a": False})]
    making.write(tmp_path, making.document([making.case("one", *arms)]))
    assert run_here("run", "import", "result.json", "--save", "--store", "kept.db", cwd=tmp_path).code == 0
    shown = json.loads(run_here("run", "show", "latest", "--store", "kept.db", "-f", "json", cwd=tmp_path).out)
    (facts,) = [facts for facts in shown["variants"] if facts["name"] == "notes"]
    assert facts["mean"] == pytest.approx(2 / 3.5, abs=1e-6)


def test_two_versions_are_compared_in_the_store_too(tmp_path: Path) -> None:
    """Kept once each, whatever their number of imports; the later against the earlier."""
    making.write(tmp_path, making.steady([("5", "3")] * 8), "v1.json")
    making.write(tmp_path, making.steady([("8", "3")] * 8, "1.1.0", startedAt="2026-11-02T10:00:00.000Z"), "v2.json")
    for _ in range(2):
        done = run_here("run", "import", "v1.json", "v2.json", "--save", "--store", "kept.db", cwd=tmp_path)
        assert done.code == 0, done.err
    first, second = (line.removeprefix("stored: ") for line in done.err.splitlines())
    ran = run_here("better", first, second, "--store", "kept.db", "--format", "json", cwd=tmp_path)
    found = {entry["variant"]: entry for entry in json.loads(ran.out)["contrasts"]}
    assert (found["notes"]["verdict"], found["notes"]["estimate"]) == ("better", 0.3)
    listed = run_here("run", "show", "--store", "kept.db", cwd=tmp_path)
    assert len(listed.out.splitlines()) == 2


def test_the_history_of_a_plugin_shows_its_versions_and_models(tmp_path: Path) -> None:
    """Two kept results: what ran, both means, the verdict, the cost; none of their runs counts as a failure."""
    making.write(tmp_path, making.steady([("5", "3")] * 8), "v1.json")
    newer = making.steady([("8", "3")] * 8, "1.1.0", startedAt="2026-11-02T10:00:00.000Z")
    newer["suite"]["modelOverride"] = "claude-sonnet-5"
    making.write(tmp_path, newer, "v2.json")
    run_here("run", "import", "v1.json", "v2.json", "--save", "--store", "kept.db", cwd=tmp_path)
    ran = run_here("history", "notes", "--store", "kept.db", "--format", "json", cwd=tmp_path)
    steps = json.loads(ran.out)
    assert [step["what"] for step in steps] == [
        "version 1.0.0, the model is not recorded", "version 1.1.0, by claude-sonnet-5",
    ]  # fmt: skip
    assert [step["means"] for step in steps] == [{"no plugin": 0.3, "notes": 0.5}, {"no plugin": 0.3, "notes": 0.8}]
    assert [step["contrasts"][0]["verdict"] for step in steps] == ["better", "better"]
    assert [step["cost"] for step in steps] == [pytest.approx(0.16)] * 2
    assert "in 8 of 8 cases" in run_here("history", "notes", "--store", "kept.db", "-f", "markdown", cwd=tmp_path).out
    overview = run_here("history", "--store", "kept.db", cwd=tmp_path)
    assert "runs of notes: evenhand history notes" in overview.err
    assert json.loads(run_here("history", "--failed", "--store", "kept.db", "-f", "json", cwd=tmp_path).out) == []
    assert run_here("history", "mine", "--store", "kept.db", cwd=tmp_path).code == 2
