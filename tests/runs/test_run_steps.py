"""The steps of one run: what a function and a command are given, what is confined, noted, found and kept."""

from __future__ import annotations

import json
import os
import sys
import threading
import time
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from evenhand import clock
from evenhand.decisions.values.suite import Case, Command, Function, Limits, Skill, StartFile
from evenhand.runs import confined_rights, one_run
from evenhand.runs.confined_rights import CONFINED, READS_ANYTHING, REFUSED, UNWATCHED
from evenhand.runs.landlock import Rights
from evenhand.runs.one_run import execute
from evenhand.runs.readable_paths import NOTHING_HIDDEN
from evenhand.runs.run_document import Aftermath
from evenhand.runs.workspaces import workspace_changes
from evenhand.runs.workspaces.own_folders import OwnFolders
from evenhand.work.agent_run import AgentRun, RunId
from finished_work import finish
from suite_values import planned, run_once, shell

landlock = pytest.mark.skipif(not confined_rights.is_possible(), reason="this system has no Landlock")


def aftermath_of(does, tmp_path: Path, **more) -> Aftermath:
    plan = planned(does, tmp_path, **more)
    return finish(execute(plan, OwnFolders(f"{tmp_path}/root"), tmp_path / "kept", threading.Event()))[1]


# --- what it is given


def test_a_function_finds_what_we_find_and_never_the_folder_it_runs_in(tmp_path, monkeypatch):
    """An empty entry of Python's path is the folder we are in; for the run, it would be its workspace."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", ["", "/a", "/b", "/a"])
    does = Function("m:f", environment={"X": "1"}, passed=("KEY",))
    command = one_run._program(planned(does, tmp_path)).command
    assert command.arguments[0] == sys.executable
    assert command.environment == {"PYTHONPATH": f"{tmp_path}:/a:/b", "X": "1"}
    assert command.passed == ("KEY",)
    monkeypatch.setattr(sys, "path", ["/a"])
    assert one_run._program(planned(does, tmp_path)).command.environment["PYTHONPATH"] == f"/a:{tmp_path}"
    own = does._replace(environment={"PYTHONPATH": "/own"})
    assert one_run._program(planned(own, tmp_path)).command.environment == {"PYTHONPATH": "/own"}


def test_a_skill_is_told_by_its_place_in_the_first_of_the_folders(tmp_path):
    """Where Claude Code looks."""
    skill = tmp_path / "review"
    skill.mkdir()
    (skill / "SKILL.md").write_text("Review.")
    plan = planned(Function("m:f"), tmp_path, skill=Skill(str(skill)))
    assert json.loads(one_run._program(plan).stdin or "")["skill"] == ".claude/skills/review"
    folders = OwnFolders(f"{tmp_path}/root")
    given = one_run._given(plan, folders)
    assert given.skill == f"{tmp_path}/root/workspace/.claude/skills/review"


def test_what_a_run_is_given_comes_from_its_case(tmp_path):
    case = Case("c", "Say hello.", variables=(("name", "Ann"),))
    folders = OwnFolders(f"{tmp_path}/root")
    given = one_run._given(planned(shell("true"), tmp_path, case=case), folders)
    assert given._asdict() == {
        "prompt": "Say hello.",
        "prompt_file": f"{tmp_path}/root/prompt.txt",
        "workspace": f"{tmp_path}/root/workspace",
        "case": "c",
        "repeat": 1,
        "skill": "",
        "variables": {"name": "Ann"},
    }
    assert Path(given.prompt_file).read_text() == "Say hello."


def test_standard_input_is_a_file_only_if_there_is_any(tmp_path):
    for name, text in (("with", "x"), ("without", "")):
        (tmp_path / name).mkdir()
        run_once(Command(("true",), stdin=text), tmp_path / name)
    assert (tmp_path / "with/root/stdin.txt").read_text() == "x"
    assert not (tmp_path / "without/root/stdin.txt").exists()


def test_a_run_began_when_the_clock_says(tmp_path, monkeypatch):
    monkeypatch.setattr(clock, "now", lambda: "2026-01-02T03:04:05.678Z")
    assert run_once(Command(("true",)), tmp_path)[0].started == "2026-01-02T03:04:05.678Z"


def test_a_run_has_its_own_home_or_the_users(tmp_path, monkeypatch):
    """Its processes are known by the folder of the run, and temporary files are in that folder."""
    folders = OwnFolders(f"{tmp_path}/root")
    given = one_run._given(planned(shell("true"), tmp_path), folders)
    inherited = {"HOME": "/user", "PATH": "/bin", "KEY": "k", "OTHER": "o"}
    own = one_run._environment(Command(("x",), passed=("KEY",)), given, inherited, folders)
    assert (own["HOME"], own["TMPDIR"]) == (f"{tmp_path}/root/home", f"{tmp_path}/root/tmp")
    assert (own["EVENHAND_RUN"], own["KEY"], "OTHER" in own) == (f"{tmp_path}/root/", "k", False)
    assert one_run._environment(Command(("x",), own_home=False), given, inherited, folders)["HOME"] == "/user"


# --- what is confined


OWN = ["/r/workspace", "/r/tmp"]


@pytest.mark.parametrize(
    ("own_home", "limits", "rights"),
    [
        (True, {}, None),
        (True, {"writes": ("/w",)}, Rights(None, [*OWN, "/r/home", "/r/home", "/w"])),
        (False, {"writes": ("/w",)}, Rights(None, [*OWN, "/user", "/w"])),
        (True, {"reads": ("/d",)}, Rights(["/r", "/usr", "/d"], [*OWN, "/r/home", "/usr", "/d"])),
        (False, {"reads": ("/d",)}, Rights(["/r", "/usr", "/d"], [*OWN, "/usr", "/d"])),
        (
            True,
            {"reads": ("/d",), "writes": ()},
            Rights(["/r", "/usr", "/d"], [*OWN, "/r/home", "/r/home"]),
        ),
        (
            False,
            {"reads": ("/d",), "writes": ("/w",)},
            Rights(["/r", "/usr", "/d"], [*OWN, "/user", "/w"]),
        ),
    ],
)
def test_a_run_can_use_its_own_folders_and_what_is_listed(own_home, limits, rights, monkeypatch):
    """Where nothing is said of writing, it can write whatever it can read outside; HOME is its own or the user's."""
    asked = []

    def readable(variant, hidden, search):
        asked.append((hidden, search))
        return ("/usr", "/d")

    monkeypatch.setenv("HOME", "/user")
    monkeypatch.setattr(one_run, "is_possible", lambda: True)
    monkeypatch.setattr(one_run, "readable_paths", readable)
    folders: Any = SimpleNamespace(root="/r", workspace="/r/workspace", temporary="/r/tmp", home="/r/home")
    plan: Any = SimpleNamespace(variant=SimpleNamespace(limits=Limits(**limits)))
    command = Command(("x",), own_home=own_home)
    assert one_run._rights(command, folders, plan, NOTHING_HIDDEN, {"PATH": "/bin"}) == rights
    assert asked == ([(NOTHING_HIDDEN, "/bin")] if "reads" in limits else [])
    one_run._rights(command, folders, plan, NOTHING_HIDDEN, {})
    assert asked[1:] == ([(NOTHING_HIDDEN, os.defpath)] if "reads" in limits else [])
    monkeypatch.setattr(one_run, "is_possible", lambda: False)
    assert one_run._rights(command, folders, plan, NOTHING_HIDDEN, {}) is None


@pytest.mark.parametrize(
    ("rights", "writes", "notes"),
    [
        (None, None, (UNWATCHED, READS_ANYTHING)),
        (None, ("/w",), (UNWATCHED, READS_ANYTHING)),
        (Rights(None, ["/w"]), ("/w",), (CONFINED, READS_ANYTHING)),
        (Rights(["/d"], ["/w"]), ("/w",), (CONFINED,)),
        (Rights(["/d"], ["/d"]), None, (UNWATCHED,)),
    ],
)
def test_what_was_not_confined_is_noted(rights, writes, notes):
    plan: Any = SimpleNamespace(variant=SimpleNamespace(limits=Limits(writes=writes)))
    assert one_run._watched(rights, plan) == notes


@landlock
def test_a_run_that_can_read_in_some_places_only_is_refused_the_others(tmp_path):
    """Its own folders, the system and what is listed; what it was refused is noted."""
    for name in ("listed", "other"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "f").write_text(f"{name}\n")
    script = f"cat {tmp_path}/listed/f; cat {tmp_path}/other/f; echo x > {tmp_path}/other/new; echo y > mine; cat mine"
    limits = Limits(reads=(str(tmp_path / "listed"),))
    run, _ = run_once(shell(script), tmp_path, limits=limits)
    assert (run.outcome, run.output) == ("finished", "listed\ny\n")
    assert run.notes == (UNWATCHED, f"{REFUSED}{tmp_path}/other/f", f"{REFUSED}{tmp_path}/other/new")
    assert not (tmp_path / "other/new").exists()


@landlock
@pytest.mark.skipif(one_run.without_network() is None, reason="no way without network here")
def test_a_run_without_network_is_confined_all_the_same(tmp_path):
    outside = tmp_path / "outside"
    outside.mkdir()
    limits = Limits(network=False, writes=())
    run, _ = run_once(shell(f"echo x > {outside}/new; echo done"), tmp_path, limits=limits)
    assert (run.outcome, run.output, list(outside.iterdir())) == ("finished", "done\n", [])
    assert CONFINED in run.notes


def test_a_way_without_network_is_tried_for_ten_seconds_at_most(monkeypatch):
    tried = []

    def run(words, **how):
        tried.append((words, how))
        raise OSError("no such program")

    monkeypatch.setattr(one_run.subprocess, "run", run)
    assert one_run._works(("a", "b")) is False
    assert tried == [(["a", "b", "true"], {"capture_output": True, "timeout": 10, "check": False})]


# --- shared memory


@pytest.fixture
def memory(tmp_path, monkeypatch):
    """A folder in the place of shared memory."""
    folder = tmp_path / "shm"
    folder.mkdir()
    monkeypatch.setattr(one_run, "SHARED_MEMORY", str(folder))
    return folder


def test_what_a_run_left_in_shared_memory_is_named_in_order(memory):
    """Five names; what was there before is not its own."""
    (memory / "before").touch()
    before = one_run._shared_memory()
    assert before == {"before"}
    assert one_run._left_in_memory(before) == ()
    for name in "gfedcba":
        (memory / name).touch()
    assert one_run._left_in_memory(before) == (f"{one_run.LEFT_IN_MEMORY}a, b, c, d, e",)


def test_what_others_made_in_shared_memory_was_not_left_by_a_run(memory, monkeypatch):
    """Another user's file, or one that is gone meanwhile."""
    (memory / "theirs").touch()
    user = os.geteuid()
    monkeypatch.setattr(os, "geteuid", lambda: user + 1)
    assert one_run._left_in_memory(set()) == ()
    assert one_run._is_own(f"{memory}/absent") is False


def test_what_is_in_use_is_looked_at_three_times(memory, monkeypatch):
    """At once, after 0.05 and after 0.2 more seconds: another run may only be reading it. What nobody uses at one of
    these moments was left."""
    waits: list[float] = []
    users = iter([{"used", "read"}, {"used"}, {"used", "read"}])
    monkeypatch.setattr(time, "sleep", waits.append)
    monkeypatch.setattr(one_run.process_table, "files_in_use", lambda start: {f"{start}{name}" for name in next(users)})
    for name in ("used", "read"):
        (memory / name).touch()
    assert one_run._left_in_memory(set()) == (f"{one_run.LEFT_IN_MEMORY}read",)
    assert waits == [0.0, 0.05, 0.2]


def test_nobody_waits_where_nothing_is_used(memory, monkeypatch):
    waits: list[float] = []
    monkeypatch.setattr(time, "sleep", waits.append)
    monkeypatch.setattr(one_run.process_table, "files_in_use", lambda start: set())
    assert one_run._left_in_memory(set()) == ()
    (memory / "left").touch()
    assert one_run._left_in_memory(set()) == (f"{one_run.LEFT_IN_MEMORY}left",)
    assert waits == [0.0]


def test_a_system_without_shared_memory_has_nothing_in_it(monkeypatch, tmp_path):
    monkeypatch.setattr(one_run, "SHARED_MEMORY", str(tmp_path / "absent"))
    assert one_run._shared_memory() == set()


# --- output and transcript


def test_a_failed_run_stays_failed_though_its_output_is_too_large(tmp_path):
    command = shell("printf 1234567 > out.md; exit 3", output="out.md")
    run, _ = run_once(command, tmp_path, limits=Limits(output_bytes=5))
    assert (run.outcome, run.reason, run.output) == ("failed", "it ended with exit code 3", "12345")


@pytest.mark.parametrize(("before", "is_found"), [(1.0, True), (1.0625, False)])
def test_a_session_may_seem_a_second_older_than_its_run(before, is_found, tmp_path, monkeypatch):
    """Some file systems keep whole seconds."""
    home = tmp_path / "user"
    session = home / ".claude/projects/x/s.jsonl"
    session.parent.mkdir(parents=True)
    folders = OwnFolders(f"{tmp_path}/root")
    session.write_text(folders.workspace)
    os.utime(session, (1000.0, 1000.0))
    monkeypatch.setenv("HOME", str(home))
    run = AgentRun(RunId("c", "v", 1), "k", "finished", "")
    ended: Any = SimpleNamespace(output=b"")
    made = one_run._with_transcript(
        run, Command(("x",), own_home=False), folders, tmp_path / "kept", ended, 1000.0 + before
    )
    assert made.transcript == ("transcript/s.jsonl" if is_found else None)
    assert (tmp_path / "kept").exists() is is_found


def test_links_beside_a_session_stay_links(tmp_path):
    """They could lead to anything of the user's."""
    place = "$HOME/.claude/projects/-w"
    script = f'mkdir -p "{place}/s"; echo "{{}}" > "{place}/s.jsonl"; ln -s /etc/passwd "{place}/s/link"'
    _, into = run_once(shell(script), tmp_path)
    assert str((into / "transcript/s/link").readlink()) == "/etc/passwd"


# --- changes


def test_what_a_run_changed_is_told_with_all_that_is_kept(tmp_path):
    """Two new files in one folder, one gone; the bytes of all of them are there."""
    (tmp_path / "old").write_text("old\n")
    case = Case("c", "p", files=(StartFile(str(tmp_path / "old"), "old"),))
    made = aftermath_of(shell("rm old; mkdir d; echo a > d/a; echo b > d/b; ln -s a d/l"), tmp_path, case=case)
    assert [(entry.target, entry.kind) for entry in made.written] == [
        ("d", "folder"),
        ("d/a", "file"),
        ("d/b", "file"),
        ("d/l", "link"),
    ]
    assert (made.gone, made.whole) == (("old",), True)
    kept = tmp_path / "kept/files/d"
    assert sorted((path.name, path.read_text()) for path in kept.iterdir()) == [("a", "a\n"), ("b", "b\n")]


def test_what_is_too_much_to_keep_is_not_the_whole(tmp_path, monkeypatch):
    monkeypatch.setattr(workspace_changes, "MOST_FILES", 1)
    made = aftermath_of(shell("echo a > a; echo b > b"), tmp_path)
    assert ([entry.target for entry in made.written], made.gone, made.whole) == (["a"], (), False)


def test_a_run_that_changed_nothing_leaves_nothing(tmp_path):
    assert aftermath_of(shell("true"), tmp_path) == Aftermath()
    assert not (tmp_path / "kept").exists()


def test_a_name_that_is_not_text_is_in_the_diff_byte_by_byte(tmp_path):
    run, into = run_once(shell("echo x > \"$(printf 'a\\377')\""), tmp_path)
    assert run.changes == "changes.diff"
    assert b"+++ b/a\xff\n" in (into / "changes.diff").read_bytes()
