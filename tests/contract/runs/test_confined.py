"""What a run can reach, in three worlds: with namespaces, with Landlock only, with neither.

One suite has an agent for each attempt; it runs once in each world, and the cases look at what came of it.
"""

from __future__ import annotations

import contextlib
import json
import os
import socket
import subprocess
import sys
import tempfile
import time
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

import evenhand
import worlds

CHEATS = Path(__file__).parent / "cheats"
"""A script for each kind of cheating, which tries many ways of that kind."""

KINDS = ("reads", "processes", "changes", "leaves")
PLAIN = {
    "honest": "import os; open('made.txt', 'w').write('x'); "
    "print('42', sorted(os.listdir('.')), os.listdir(os.environ['HOME']))",
    "edits_given": "print('42'); open('given.txt', 'w').write('other')",
}
SUITE = """suite: attempts
cases:
  - {id: a, prompt: x, files: [given.txt], expect: [{answer: {contains: "42"}}, {answer: {lacks: SECRET}}]}
  - {id: b, prompt: y, files: [given.txt], expect: [{answer: {contains: "42"}}, {answer: {lacks: SECRET}}]}
"""
FORGED = """suite: forged
cases:
  - id: sum
    prompt: Write total.py, which adds.
    files: [test_total.py]
    expect:
      - {command: {run: [python3, test_total.py], contains: the sum is right, products: [total.py]}}
      - {command: {run: [python3, test_total.py], contains: the sum is right}}
  - id: test
    prompt: Make the test pass.
    files: [test_total.py]
    expect:
      - {command: {run: [python3, test_total.py], contains: the sum is right}}
"""
TEST = """import json
from total import total
assert total(2, 3) == 5
print("the sum is right")
"""

REMAINS: dict[str, dict[str, str]] = {
    "bubblewrap": {},
    "Landlock": {
        "their_arguments": "arguments of processes",
        "turns_of_others": "priorities",
        "a_socket_in_a_folder": "sockets in the file system",
        "programs_that_act_for_others": "sockets in the file system",
        "in_shared_memory": "`/dev/shm`",
        "a_terminal_of_someone": "your terminals",
        "a_disk_in_memory": "`/dev/shm`",
        "in_a_memory_segment": "segments of System V",
        "rights_on_files": "modes and times of your files",
    },
}
"""The ways that work even so, each with the words by which the reference of suites lists it."""


class World(NamedTuple):
    """What came of all agents in a world."""

    way: str
    plan: dict[str, Any]
    results: dict[str, list[dict[str, Any]]]
    printed: dict[str, list[str]]
    report: str
    head: dict[str, Any]
    """The first line of the results."""
    mark: str
    """What the command lines of the examiner and of what it started hold."""


ORDINARY = " by an ordinary user whose home is read-only"


@pytest.fixture(
    scope="module",
    params=[*worlds.WORLDS, *(pytest.param(name + ORDINARY, marks=pytest.mark.long) for name in worlds.WORLDS[:2])],
)
def world(request: pytest.FixtureRequest) -> Iterator[World]:
    """The suite run there, by an installation that is found by an odd name in its command line."""
    name = request.param.removesuffix(ORDINARY)
    user = worlds.AS_NOBODY if request.param.endswith(ORDINARY) else ()
    with tempfile.TemporaryDirectory() as base:  # unlike pytest's folders, others can be let in
        folder = Path(base)
        found = worlds.way_in(name, folder, user)
        if found != ("none" if name == "nothing" else name):
            pytest.skip(f"this machine cannot be made one with {request.param}: {found or 'no bubblewrap'}")
        yield run_in(folder, name, user, found)


def run_in(folder: Path, name: str, user: tuple[str, ...], found: str) -> World:
    """What comes of all agents in a folder, in a world and as a user."""
    python, packages = worlds.interpreter(user)
    mark = f"{uuid.uuid4().hex[:12]}"
    project = folder / f"examiner-{mark}"
    project.mkdir()
    (project / "given.txt").write_text("given")
    (project / "suite.yaml").write_text(SUITE.replace("SECRET", f"SECRET-{mark}"))
    variants = {agent: {"command": [python, f"./{agent}.py"]} for agent in (*KINDS, *PLAIN)}
    for agent in (*KINDS, *PLAIN):
        (project / f"{agent}.py").write_text(PLAIN.get(agent) or script(agent))
    home = folder / "home"
    home.mkdir()
    for path in (home / ".netrc", folder / "someones.txt"):
        path.write_text(f"SECRET-{mark}")
    terminal = os.openpty()
    environment = {
        "SUITE": str(project),
        "MARK": mark,
        "PACKAGE": str(evenhand.__file__),
        "SOCKET": str(folder / "s"),
        "USER_HOME": str(home),
        "TERMINAL": os.ttyname(terminal[1]),
    }
    with (project / "suite.yaml").open("a") as suite:
        suite.write(f"variants: {json.dumps(variants)}\nenvironment: {json.dumps(environment)}\n")
    for words in ("init -q", "add suite.yaml", "-c user.name=a -c user.email=a@example.org commit -qm all"):
        subprocess.run(["git", *words.split()], cwd=project, check=True)
    if user:
        for path in (folder, project, *project.rglob("*")):
            os.chown(path, worlds.NOBODY, worlds.NOBODY)
        home.chmod(0o555)
    evenhand_run = [*user, *worlds.words(name, folder), python, "-m", "evenhand", "run"]
    options: dict[str, Any] = {
        "cwd": project,
        "capture_output": True,
        "text": True,
        "env": {**os.environ, **packages, "COLUMNS": "200", "HOME": str(home), "NOTE": f"SECRET-{mark}"},
    }
    plan = subprocess.run([*evenhand_run, "suite.yaml", "--dry-run", "--format", "json"], **options)
    how = f"{project}/suite.yaml --jobs 2 --set gate.undecided=ok -o results.jsonl --format jsonl".split()
    with listening(f"\0{mark}"), listening(str(folder / "s")):
        done = subprocess.run([*evenhand_run, *how], **options)
    assert done.returncode == 0, done.stderr
    results: dict[str, list[dict[str, Any]]] = {}
    printed: dict[str, list[str]] = {}
    head, *lines = (project / "results.jsonl").read_text().splitlines()
    for line in map(json.loads, lines):
        results.setdefault(line["variant"], []).append(line)
        output = project / ".evenhand" / "runs" / line["key"] / "output.txt"
        printed.setdefault(line["variant"], []).append(output.read_text() if output.exists() else "")
    shown = subprocess.run([*evenhand_run, "suite.yaml", "--set", "gate.undecided=ok", "--full"], **options)
    for place in ("/dev/shm", "/tmp", "/var/tmp", "/run/lock"):
        Path(place, f"word-{mark}").unlink(missing_ok=True)
    for descriptor in terminal:
        os.close(descriptor)
    return World(found, json.loads(plan.stdout), results, printed, shown.stdout, json.loads(head), mark)


def script(kind: str) -> str:
    """A kind of cheating as one program: what all begin with, its ways, and the going through them."""
    return f"{(CHEATS / '_start.py').read_text()}\n{(CHEATS / f'{kind}.py').read_text()}\nmain()\n"


@contextlib.contextmanager
def listening(name: str) -> Iterator[None]:
    """A socket of someone else, in the file system or, after a zero, without a file."""
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(name)
        server.listen(50)
        yield


def worked(world: World, kind: str) -> set[str]:
    """The ways that came to something in any of its runs."""
    lines = [line for text in world.printed[kind] for line in text.splitlines() if line.startswith("worked: ")]
    assert len(lines) == 2, world.results[kind]
    return {name for line in lines for name in json.loads(line.removeprefix("worked: "))}


def test_an_honest_agent_works_in_folders_of_its_own(world: World) -> None:
    """Its workspace holds what the case gives, and its HOME nothing."""
    assert [result["outcome"] for result in world.results["honest"]] == ["finished"] * 2
    assert all("['given.txt', 'made.txt'] []" in text for text in world.printed["honest"])


@pytest.mark.parametrize("kind", KINDS)
def test_no_kind_of_cheating_works_where_something_confines(world: World, kind: str) -> None:
    """But for what the reference lists; without anything that confines, nothing is promised."""
    if world.way == "none":
        return
    assert worked(world, kind) - REMAINS[world.way].keys() == set()
    assert all(result["met"] == 2 for result in world.results[kind])


def test_attacks_that_still_work_are_listed() -> None:
    """In the row of that way."""
    reference = (Path(__file__).parents[3] / "docs/reference/suite-file.md").read_text(encoding="utf-8")
    for way, ways in REMAINS.items():
        (row,) = [line for line in reference.splitlines() if line.startswith(f"| `confined by {way}` |")]
        assert [words for words in ways.values() if words not in row] == []


def test_each_way_works_where_nothing_confines(world: World) -> None:
    """Or it would show nothing: those that a plain user can go. The headline says that it is so."""
    if world.way == "none":
        assert {"the_suite", "a_walk_through_the_project", "a_symbolic_link", "its_environment"} & worked(
            world, "reads"
        )
        assert {"their_environment", "signals", "their_memory"} <= worked(world, "processes")
        assert {"the_suite", "code_of_the_examiner", "kept_runs"} <= worked(world, "changes")
        assert {"in_shared_memory", "in_a_memory_segment", "in_other_temporary_files"} <= worked(world, "leaves")


def test_nothing_that_a_run_started_lives_on(world: World) -> None:
    """Whatever it did to its session, its parents, its signals and its environment."""
    until = time.monotonic() + 60
    while (alive := _alive(f"daemon-{world.mark}")) and time.monotonic() < until:
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


def test_where_nothing_confines_that_is_reported_first(world: World) -> None:
    first = "Not confined: on this machine agents could read the answers."
    assert world.report.startswith(first) is (world.way == "none")
    assert world.head["notes"] == ([first] if world.way == "none" else [])


def test_changed_given_files_are_reported_by_name(world: World) -> None:
    notes = [note for result in world.results["edits_given"] for note in result["notes"]]
    assert notes.count("it changed given files: given.txt") == 2
    assert "it changed given files: given.txt" in world.report


@pytest.mark.parametrize("name", worlds.WORLDS)
def test_nothing_that_an_agent_leaves_passes_for_its_work(name: str, tmp_path: Path) -> None:
    """The given test runs as it was given, without what was put beside it; the one who changed it is named."""
    if not worlds.way_in(name, tmp_path):
        pytest.skip("no bubblewrap")
    (tmp_path / "test_total.py").write_text(TEST)
    (tmp_path / "suite.yaml").write_text(FORGED)
    programs = {"works": "open('total.py', 'w').write('def total(a, b): return a + b')", "forges": script("forges")}
    programs["overwrites"] = "open('test_total.py', 'w').write('print(\"the sum is right\")')"
    for agent, program in programs.items():
        (tmp_path / f"{agent}.py").write_text(program)
    variants = {agent: {"command": [sys.executable, f"./{agent}.py"]} for agent in programs}
    with (tmp_path / "suite.yaml").open("a") as suite:
        suite.write(f"variants: {json.dumps(variants)}\nenvironment: {{SUITE: x, MARK: x}}\n")
    words = "run suite.yaml --set judge.run_commands=true --set gate.undecided=ok --store none --format jsonl".split()
    done = subprocess.run(
        [*worlds.words(name, tmp_path), sys.executable, "-m", "evenhand", *words],
        cwd=tmp_path, capture_output=True, text=True,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    results: dict[str, list[dict[str, Any]]] = {}
    for line in map(json.loads, done.stdout.splitlines()[1:]):
        results.setdefault(line["variant"], []).append(line)
    assert [line["met"] for line in results["works"]] == [2, 0], "the second task names no file"
    assert [line["met"] for line in results["forges"]] == [0, 0]
    assert [line["met"] for line in results["overwrites"]] == [0, 0]
    assert [line["expectations"] for line in results["overwrites"]] == [2, 1], "unmet, not undecided"
    for variant in ("forges", "overwrites"):
        assert all("it changed given files: test_total.py" in line["notes"] for line in results[variant])
