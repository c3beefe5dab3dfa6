"""`evenhand run`: from a suite file to results, resumable, with failures counted apart."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import threading
from contextlib import suppress
from decimal import Decimal
from pathlib import Path
from types import SimpleNamespace

import pytest

from evenhand.cli.commands.compare.run_outcome import progress_line
from evenhand.cli.main import run as command_line
from evenhand.judges.models.budget import Budget
from evenhand.runs.confinement import sentence
from evenhand.suites.execution.agent_runs import Activity
from evenhand.work.agent_run import RunId

AGENT = """import os, sys
prompt = sys.argv[1]
if os.path.exists(".claude/skills/greet/SKILL.md"):
    open("note.txt", "w").write("greeted")
    print("Hello, " + prompt)
elif "fail" in prompt:
    sys.exit("no idea")
else:
    print("hi")
with open(os.environ["COUNT"], "a") as file:
    file.write(prompt + chr(10))
"""
SUITE = """
suite: greetings
repeats: 2
limits: {reads: null, writes: [./counted]}
environment: [COUNT]
cases:
  - id: ada
    prompt: Ada
    tags: [short]
    expect:
      - answer: {contains: Hello}
      - file: {path: note.txt, contains: greeted}
      - command: {run: [cat, note.txt], contains: greeted, products: [note.txt]}
  - id: fails
    prompt: please fail
    expect:
      - answer: {contains: Hello}
variants:
  without_skill: {command: [PYTHON, ./agent.py, "{prompt}"]}
  with_skill: {like: without_skill, skill: ./greet}
"""


@pytest.fixture
def project(tmp_path, monkeypatch):
    """A suite of two cases and two variants in a folder of its own."""
    (tmp_path / "agent.py").write_text(AGENT)
    (tmp_path / "greet").mkdir()
    (tmp_path / "greet" / "SKILL.md").write_text("---\nname: greet\ndescription: d\n---\nGreet.\n")
    (tmp_path / "suite.yaml").write_text(SUITE.replace("PYTHON", sys.executable))
    (tmp_path / "counted").mkdir()
    monkeypatch.setenv("COUNT", str(tmp_path / "counted" / "count"))
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(monkeypatch, capfdbinary, *arguments):
    """Run the command; its exit code, standard output and standard error."""
    monkeypatch.setattr(sys, "argv", ["evenhand", "run", *arguments])
    code = command_line()
    output, errors = capfdbinary.readouterr()
    return code, output.decode(), errors.decode()


def test_a_table_on_the_terminal_has_no_column_that_is_empty(tmp_path, monkeypatch, capfdbinary):
    """Recorded outputs have no time and no cost; without those, 80 columns hold every heading whole."""
    (tmp_path / "suite.yaml").write_text(
        "suite: s\ncases: [{id: a, prompt: x, expect: [{answer: {contains: hello}}]}]\n"
        "variants: {one: {recorded: 'one/{case}.md'}, two: {recorded: 'two/{case}.md'}}\n"
    )
    for variant, text in (("one", "hello"), ("two", "bye")):
        (tmp_path / variant).mkdir()
        (tmp_path / variant / "a.md").write_text(text)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")
    _, output, _ = run(monkeypatch, capfdbinary, "suite.yaml", "--full")
    lines = [line.strip().split("  ") for line in output.splitlines()]
    table = [
        [cell.strip() for cell in cells if cell.strip()] for cells in lines if cells[0] in ("variant", "one", "two")
    ]
    assert table[0] == ["variant", "runs", "lost", "unscored", "mean", "expectations met", "faults"]
    assert [row[:6] for row in table[1:]] == [
        ["one", "1", "0", "0", "100.0%", "1 of 1"],
        ["two", "1", "0", "0", "0.0%", "0 of 1"],
    ]


@pytest.mark.slow
def test_a_suite_is_run_judged_and_reused(project, monkeypatch, capfdbinary):
    """Expectations about files are decided in the workspace as it was, also when the run is reused."""
    code, output, _ = run(
        monkeypatch, capfdbinary, "suite.yaml", "--set", "judge.run_commands=true", "--format", "json"
    )
    assert code == 5, "two cases decide nothing"
    without, with_skill = json.loads(output)["variants"]
    assert (without["runs"], without["lost"], with_skill["lost"]) == (4, 2, 0)
    # ada: three expectations, twice; fails: one, twice; without the skill all are unmet: a failed run met none
    assert (without["met"], without["expectations"]) == (0, 8)
    assert (with_skill["met"], with_skill["expectations"]) == (8, 8)
    made = (project / "counted" / "count").read_text()
    assert len(made.splitlines()) == 6
    _, again, _ = run(monkeypatch, capfdbinary, "suite.yaml", "--set", "judge.run_commands=true", "--format", "json")
    assert json.loads(again)["variants"] == [without, with_skill]
    assert (project / "counted" / "count").read_text() == made


def test_a_shard_is_the_document_of_a_decision_without_one(project, monkeypatch, capfdbinary):
    """Its state says so; it has the shard's runs, and no verdict."""
    _, output, _ = run(monkeypatch, capfdbinary, "suite.yaml", "--shard", "1/2", "--format", "json")
    document = json.loads(output)
    assert (document["schema"], document["state"]) == ("evenhand/decision/v1", "shard")
    assert document["contrasts"] == []
    assert sum(variant["runs"] for variant in document["variants"]) == 4


@pytest.mark.slow
def test_the_report_of_a_run_opens_to_scorecards_and_outputs(project, monkeypatch, capfdbinary):
    """As the report of the stored run does: the two are the same page."""
    code, page, errors = run(monkeypatch, capfdbinary, "suite.yaml", "--format", "html")
    assert code == 5
    assert "<summary>Outputs and reasons of" in page and "Hello, Ada" in page
    stored = errors.partition("evenhand run show ")[2].split()[0]
    monkeypatch.setattr(sys, "argv", ["evenhand", "run", "show", stored, "--format", "html"])
    assert command_line() == 0
    assert capfdbinary.readouterr().out.decode() == page


def test_a_command_that_does_not_exist_is_an_exit_code_and_a_reason(project, monkeypatch, capfdbinary):
    """Not a score, and not a silent success."""
    text = (project / "suite.yaml").read_text().replace(sys.executable, "no-such-agent")
    (project / "suite.yaml").write_text(text)
    code, output, errors = run(monkeypatch, capfdbinary, "suite.yaml", "--full")
    assert code == 3
    assert "4 runs unscored: not started: there is no command no-such-agent" in output
    assert "error: no run finished: not started: there is no command no-such-agent" in errors


def agents_counting_in(count: Path) -> list[str]:
    """The processes of agents told to count there. A confined agent's own number says nothing outside."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            if (
                b"slow.py" in (process / "cmdline").read_bytes()
                and str(count).encode() in (process / "environ").read_bytes()
            ):
                found.append(process.name)
    return found


@pytest.mark.slow
def test_ctrl_c_ends_the_agents_and_keeps_what_is_finished(project):
    """Exit code 130, no agent left running, and the same command goes on with the rest."""
    agent = project / "slow.py"
    agent.write_text(
        "import os, pathlib, sys, time\n"
        "if sys.argv[1] == 'Ada':\n    sys.exit(print('hi'))\n"
        "pathlib.Path(os.environ['COUNT']).write_text(str(os.getpid()))\n"
        "time.sleep(60)\n"
    )
    text = (project / "suite.yaml").read_text().replace("./agent.py", "./slow.py").replace("repeats: 2", "repeats: 1")
    (project / "suite.yaml").write_text(text)
    command = [sys.executable, "-m", "evenhand", "run", "suite.yaml", "--jobs", "1", "--variant", "without_skill"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    count = project / "counted" / "count"
    while not count.exists() or not count.read_text():
        threading.Event().wait(0.02)
    assert agents_counting_in(count), "or there is nothing to end"
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate()
    assert process.returncode == 130, errors
    assert "interrupted after 1 of 2 runs; what is finished is kept" in errors
    assert len([path for path in (project / ".evenhand" / "runs").iterdir() if len(path.name) == 64]) == 1
    assert agents_counting_in(count) == []


def test_progress_shows_runs_and_judging():
    """Four made in 60 s leave 60 s for four more; three judged in 60 s leave 140 s for seven; the longer one counts."""
    activity = Activity(10)
    activity.outcomes.update({"finished": 5, "failed": 1})
    activity.reused = 2
    activity.running = {RunId("c", "v", 1): 0.0, RunId("d", "v", 1): 0.0}
    budget = Budget()
    budget.calls, budget.cost = 40, Decimal("0.5")
    run = SimpleNamespace(runs=SimpleNamespace(activity=activity), budget=budget, judged=3, has_judges=True)
    assert progress_line(run, 60) == (
        "6 of 10 runs done, 2 reused, 1 failed, 2 running, 3 judged, 40 calls, $0.5000 spent, 1:00, about 2:20 left"
    )
    run.has_judges = False
    assert progress_line(run, 60).endswith("2 running, 40 calls, $0.5000 spent, 1:00, about 1:00 left")


@pytest.mark.slow
def test_a_stored_run_is_a_benchmark_for_skill_creator(project, monkeypatch, capfdbinary):
    """With the words and the evidence of every expectation; failed runs are in the notes, not in the rates."""
    run(monkeypatch, capfdbinary, "suite.yaml")
    monkeypatch.setattr(sys, "argv", ["evenhand", "run", "show", "latest", "--format", "skill-creator"])
    assert command_line() == 0
    benchmark = json.loads(capfdbinary.readouterr().out)
    assert benchmark["metadata"]["runs_per_configuration"] == 2
    assert [(row["eval_name"], row["configuration"], row["run_number"]) for row in benchmark["runs"]] == [
        ("ada", "with_skill", 1),
        ("ada", "with_skill", 2),
        ("ada", "without_skill", 1),
        ("ada", "without_skill", 2),
        ("fails", "with_skill", 1),
        ("fails", "with_skill", 2),
    ]
    summary = benchmark["run_summary"]
    assert (summary["with_skill"]["pass_rate"]["mean"], summary["without_skill"]["pass_rate"]["mean"]) == (1.0, 0.0)
    assert summary["delta"]["pass_rate"] == "+1.00"
    assert all(row["expectations"][0]["text"] for row in benchmark["runs"])
    assert benchmark["notes"] == [
        f"8 of 8 runs: {sentence(network=True)}",
        *(f"fails, without_skill, run {number}: left out: it ended with exit code 1: no idea" for number in (1, 2)),
    ]
