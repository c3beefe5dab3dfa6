"""What a run can reach, in three worlds: with namespaces, with Landlock only, with neither.

One suite has an agent for each attempt; it runs once in each world, and the cases look at what came of it.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
import uuid
from pathlib import Path
from typing import Any, NamedTuple

import pytest

import worlds

AGENTS = {
    "honest": "print('42'); open('made.txt', 'w').write('x'); print(sorted(os.listdir('.')), os.listdir(H))",
    "reads_suite": "print('42', open(S + '/suite.yaml').read())",
    "reads_kept": "print('42', glob.glob(S + '/.evenhand/*'))",
    "asks_parents": "print('42', [p for p in pids() if p not in O and can(lambda: open(f'/proc/{p}/environ', 'rb').read())])",  # noqa: E501
    "ends_examiner": "print('42', [p for p in pids() if p not in O and can(lambda: os.kill(p, 0))])",
    "opens_package": "print('42', [p for p in E if can(lambda: open(p, 'r+b').close())])",
    "writes_outside": "print('42', can(lambda: open(S + '/left.txt', 'w').write('x')))",
    "daemon": "daemon()",
    "mailbox": "print('42', open('/dev/shm/' + M).read() if os.path.exists('/dev/shm/' + M) else ''); "
    "open('/dev/shm/' + M, 'w').write('mail')",
    "edits_given": "print('42'); open('given.txt', 'w').write('other')",
}
START = """import glob, os, sys, time
O = (1, os.getpid())
S, M, H = os.environ['SUITE'], os.environ['NAME'], os.environ['HOME']
E = [os.environ['PACKAGE']]
def can(action):
    try: action()
    except OSError: return False
    return True
def pids():
    found = []
    for p in filter(str.isdigit, os.listdir("/proc")):
        try: found += [int(p)] if M in open(f"/proc/{p}/cmdline").read() else []
        except OSError: pass
    return found
def daemon():
    print('42', flush=True)
    if os.fork(): return time.sleep(.2)
    os.setsid()
    if os.fork(): os._exit(0)
    null = os.open('/dev/null', os.O_RDWR)
    for number in (0, 1, 2): os.dup2(null, number)
    os.execve(sys.executable, [sys.executable, '-c', 'import time; time.sleep(60)', 'daemon-' + M], {})
"""
SUITE = """suite: attempts
cases:
  - {id: a, prompt: x, files: [given.txt], expect: [{answer: {contains: "42"}}]}
  - {id: b, prompt: y, files: [given.txt], expect: [{answer: {contains: "42"}}]}
"""


class World(NamedTuple):
    """What came of all agents in a world."""

    way: str
    plan: dict[str, Any]
    results: dict[str, list[dict[str, Any]]]
    printed: dict[str, list[str]]
    report: str
    head: dict[str, Any]
    """The first line of the results."""
    name: str
    """What the command lines of the examiner and of what it started hold."""
    folder: Path


@pytest.fixture(scope="module", params=worlds.WORLDS)
def world(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> World:
    """The suite run there, by an installation that is found by an odd name in its command line."""
    folder = tmp_path_factory.mktemp("world")
    found = worlds.way_in(request.param, folder)
    wanted = "none" if request.param == "nothing" else request.param
    if found != wanted:
        pytest.skip(f"this machine cannot be made one with {request.param}: {found or 'no bubblewrap'}")
    name = f"examiner{uuid.uuid4().hex[:12]}"
    project = folder / name
    project.mkdir()
    (project / "given.txt").write_text("given")
    import evenhand

    environment = {"SUITE": str(project), "NAME": name, "PACKAGE": str(evenhand.__file__)}
    variants = {}
    for agent, code in AGENTS.items():
        (project / f"{agent}.py").write_text(START + code + "\n")
        variants[agent] = {"command": [sys.executable, f"./{agent}.py"], "environment": environment}
    (project / "suite.yaml").write_text(SUITE + f"variants: {json.dumps(variants)}\n")
    evenhand_run = [*worlds.words(request.param, folder), sys.executable, "-m", "evenhand", "run"]
    options: dict[str, Any] = {
        "cwd": project,
        "capture_output": True,
        "text": True,
        "env": {**os.environ, "COLUMNS": "200"},
    }
    plan = subprocess.run([*evenhand_run, "suite.yaml", "--dry-run", "--format", "json"], **options)
    words = f"{project}/suite.yaml --jobs 2 --undecided ok -o results.jsonl --format jsonl".split()
    done = subprocess.run([*evenhand_run, *words], **options)
    assert done.returncode == 0, done.stderr
    results: dict[str, list[dict[str, Any]]] = {}
    printed: dict[str, list[str]] = {}
    head, *lines = (project / "results.jsonl").read_text().splitlines()
    for line in map(json.loads, lines):
        results.setdefault(line["variant"], []).append(line)
        output = project / ".evenhand" / "runs" / line["key"] / "output.txt"
        printed.setdefault(line["variant"], []).append(output.read_text() if output.exists() else "")
    shown = subprocess.run([*evenhand_run, "suite.yaml", "--undecided", "ok"], **options)
    return World(found, json.loads(plan.stdout), results, printed, shown.stdout, json.loads(head), name, project)


def test_an_honest_agent_works_in_folders_of_its_own(world: World) -> None:
    """Its workspace holds what the case gives, and its HOME nothing."""
    assert [result["outcome"] for result in world.results["honest"]] == ["finished"] * 2
    assert all("['given.txt', 'made.txt'] []" in text for text in world.printed["honest"])


def test_nothing_that_a_run_started_lives_on(world: World) -> None:
    """Whatever it did to its session, its parents and its environment."""
    assert all("42" in text for text in world.printed["daemon"])
    until = time.monotonic() + 30
    while (alive := _alive(f"daemon-{world.name}")) and time.monotonic() < until:
        time.sleep(0.1)
    assert alive == []


def _alive(name: str) -> list[str]:
    found = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            found += [path.parent.name] if name in path.read_text(errors="replace") else []
        except OSError:
            continue
    return found


def test_every_record_says_how_it_was_confined(world: World) -> None:
    """And whether the network was open: in the plan, in each run and in the report."""
    said = {
        "bubblewrap": "confined by bubblewrap, network open",
        "Landlock": "confined by Landlock, network open",
        "none": "not confined: the agent could read the answers, network open",
    }[world.way]
    assert world.plan["confined"] == said
    assert all(said in result["notes"] for results in world.results.values() for result in results)
    assert f"runs: {said}" in world.report


def test_where_nothing_confines_that_is_said_first(world: World) -> None:
    first = "Not confined: on this machine agents could read the answers."
    assert world.report.startswith(first) is (world.way == "none")
    assert world.head["notes"] == ([first] if world.way == "none" else [])


def test_the_answers_are_out_of_reach_where_something_confines(world: World) -> None:
    """The suite's file is not read, and nothing of kept runs is listed."""
    assert any("suite: attempts" in text for text in world.printed["reads_suite"]) is (world.way == "none")
    assert any(".evenhand/" in text for text in world.printed["reads_kept"]) is (world.way == "none")


def test_no_run_changes_what_judges_it_where_something_confines(world: World) -> None:
    """Neither evenhand's own files nor the suite's folder."""
    if world.way == "none":
        return  # nothing is promised, and what this agent could do is not tried
    assert world.printed["opens_package"] == ["42 []\n"] * 2
    assert not (world.folder / "left.txt").exists()


def test_no_run_reaches_the_processes_that_judge_it_where_something_confines(world: World) -> None:
    if world.way != "none":
        assert world.printed["ends_examiner"] == ["42 []\n"] * 2
        assert world.printed["asks_parents"] == ["42 []\n"] * 2


def test_no_run_leaves_word_for_the_next_in_a_namespace(world: World) -> None:
    """Shared memory is shared without one, which the documentation says."""
    if world.way == "bubblewrap":
        assert world.printed["mailbox"] == ["42 \n"] * 2
    Path("/dev/shm", world.name).unlink(missing_ok=True)


def test_changed_given_files_are_reported_by_name(world: World) -> None:
    notes = [note for result in world.results["edits_given"] for note in result["notes"]]
    assert notes.count("it changed given files: given.txt") == 2
    assert "it changed given files: given.txt" in world.report
