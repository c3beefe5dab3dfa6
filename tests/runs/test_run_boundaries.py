"""Where the rules of running begin and end: keys, kept files, rights, readable places, variables, processes."""

from __future__ import annotations

import ctypes
import errno
import os
import shutil
import struct
import subprocess
import sys
import threading
from decimal import Decimal
from io import StringIO
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from evenhand import InputError, clock
from evenhand.core.values import Place
from evenhand.decisions.values.suite import (
    Case,
    Command,
    Function,
    Limits,
    Message,
    Model,
    Recorded,
    Skill,
    StartFile,
    Suite,
    Variant,
)
from evenhand.runs import confined_rights, function_call, kept_runs, landlock, process_start, process_table
from evenhand.runs import planned as planning
from evenhand.runs import readable_paths as paths
from evenhand.runs.confined_rights import MOST_READ, refused_paths, with_rights
from evenhand.runs.kept_runs import KeptRuns
from evenhand.runs.landlock import Rights
from evenhand.runs.planned import LARGEST_PROGRAM, Planner
from evenhand.runs.readable_paths import Hidden
from evenhand.runs.run_document import Aftermath
from evenhand.runs.run_environment import LONGEST_VARIABLE, only_passed_on, secrets, without_secrets
from evenhand.runs.run_lines import KeyedLines
from evenhand.runs.waits import Together, Wait, Work
from evenhand.runs.workspaces import kept_back, workspace, workspace_changes
from evenhand.runs.workspaces.kept_back import KeptBack, answer_paths
from evenhand.runs.workspaces.own_folders import OwnFolders, keep_untouched, with_folders
from evenhand.runs.workspaces.start_listing import Entry, file_hash, list_start, skill_files
from evenhand.runs.workspaces.workspace import fill, remove, state_of
from evenhand.runs.workspaces.workspace_changes import changes, is_untouched
from evenhand.work.agent_run import AgentRun, RunId
from suite_values import planned, run_once, shell

linux = pytest.mark.skipif(not process_table.is_available(), reason="needs /proc")
confinable = pytest.mark.skipif(not confined_rights.is_possible(), reason="this system has no Landlock")


def test_limits_are_what_they_were():
    """People have runs that were kept within them."""
    assert (LARGEST_PROGRAM, LONGEST_VARIABLE, MOST_READ) == (1_000_000, 100_000, 10_000_000)
    assert (workspace_changes.MOST_BYTES, workspace_changes.MOST_FILES) == (50_000_000, 5_000)
    assert (kept_back.MOST_FOLDERS, kept_back.LARGEST_COPY) == (20_000, 1_000_000)


# --- keys


def test_runs_that_were_kept_by_earlier_versions_are_found_again(tmp_path):
    """Whoever changes what a key is made of raises its version and writes the new keys here."""
    assert planned(Command(("true",)), tmp_path).key == (
        "627a51e2c8863e5d76ace0c47f94804acf12f036239df43e4549d761fa9f4ad6"
    )
    assert planned(Function("m:f"), tmp_path).key == (
        "b968443457cace3e470509fd6cf548b68a03c7747a49886169e2f63fb2df2b77"
    )
    (tmp_path / "r.md").write_text("out")
    assert planned(Recorded(str(tmp_path / "r.md")), tmp_path).key == (
        "793d2f84f5ea859acd18f34e04039ae29b033296a4a023519a83be7fde3d539d"
    )
    (tmp_path / "greet").mkdir()
    (tmp_path / "greet/SKILL.md").write_text("Greet.\n")
    (tmp_path / "a.txt").write_text("a\n")
    case = Case(
        "c",
        "Now?",
        conversation=(Message("user", "Before."),),
        files=(StartFile(str(tmp_path / "a.txt"), "a.txt"),),
        variables=(("n", "v"),),
    )
    command = Command(("agent", "-p", "{prompt}"), environment={"A": "1"}, passed=("KEY",))
    limits = Limits(seconds=Decimal("1.5"), writes=("/w",))
    variant = Variant("v", command, skill=Skill(str(tmp_path / "greet")), limits=limits)
    assert Planner([variant], tmp_path).plan(case, variant, 2).key == (
        "7bddf5b1b369c38acf18ef64a9a7dd673c710372f36c6321107ce1cd9f8c9cb2"
    )


def test_variants_on_other_lines_of_a_suite_are_told_apart_by_their_order(tmp_path):
    """The first keeps the key that it has alone."""
    first, second = (Variant(name, Command(("true",)), place=Place("s", line)) for name, line in (("x", 3), ("w", 9)))
    planner = Planner([first, second], tmp_path)
    keys = [planner.plan(Case("c", "Say hello."), variant, 1).key for variant in (first, second)]
    assert keys == [
        "627a51e2c8863e5d76ace0c47f94804acf12f036239df43e4549d761fa9f4ad6",
        "cd0f99c8f05b7f6acb0ac47e0f809351e64e19eba89dd5723461e0001baaf6fb",
    ]


def test_only_files_that_are_named_by_their_whole_path_count_as_programs(tmp_path, monkeypatch):
    """What a relative name means depends on the workspace; a NUL is in no name."""
    monkeypatch.chdir(tmp_path)
    script = tmp_path / "script"
    script.write_text("x")
    does = Command(("script", str(script), f"{script}\0", str(tmp_path)))
    assert planning._programs(does) == {str(script): file_hash(str(script))}
    assert planning._programs(Function(f"{script}:f")) == {str(script): file_hash(str(script))}
    assert planning._programs(Model("openai:m")) == {}


def test_a_case_without_files_starts_from_the_same_every_time(tmp_path):
    variant = Variant("v", Command(("x",)))
    planner = Planner([variant], tmp_path)
    assert [planner.plan(Case("c", "p"), variant, repeat).problem for repeat in (1, 2)] == ["", ""]


def test_a_revision_is_extracted_once_for_all_who_use_its_folder(tmp_path, monkeypatch):
    asked: list[Any] = []

    def extract(folder: str, commit: str, target: Path) -> None:
        asked.append((folder, commit))
        target.mkdir(parents=True)
        (target / "SKILL.md").write_text("x")

    monkeypatch.setattr(planning, "resolved_revision", lambda folder, revision: f"{revision}-commit")
    monkeypatch.setattr(planning, "extract", extract)
    for path, revision in (("/a/greet", "v1"), ("/a/greet", "v1"), ("/b/greet", "v1"), ("/a/greet", "v2")):
        variant = Variant("v", Command(("x",)), skill=Skill(path, revision))
        assert Planner([variant], tmp_path / "revisions").plan(Case("c", "p"), variant, 1).problem == ""
    assert asked == [("/a/greet", "v1-commit"), ("/b/greet", "v1-commit"), ("/a/greet", "v2-commit")]


def test_a_folder_that_a_commit_does_not_have_is_named_with_both(monkeypatch):
    """The commit with twelve digits, the folder as git sees it."""

    def run(words, **how):
        assert how["capture_output"] is True
        done = 0 if "rev-parse" in words else 128
        return subprocess.CompletedProcess(words, done, b"skills/greet/\n", b"fatal: no such path\n")

    monkeypatch.setattr(subprocess, "run", run)
    with pytest.raises(InputError) as error:
        planning.extract("/f", "0123456789abcdef", Path("/nowhere"))
    assert str(error.value) == "/f: git has no 0123456789ab (skills/greet/) of this folder: fatal: no such path"


def test_without_git_a_revision_is_a_problem_of_its_folder(monkeypatch):
    def absent(*_: object, **__: object) -> None:
        raise FileNotFoundError("git")

    monkeypatch.setattr(subprocess, "run", absent)
    with pytest.raises(InputError) as error:
        planning.resolved_revision("/f", "v1")
    (problem,) = error.value.problems
    assert (problem.source, problem.message) == ("/f", "a git revision needs git, which is not installed")


# --- kept runs


def test_a_run_that_cannot_be_moved_costs_no_other(tmp_path):
    """Of a key whose newer run is only beside its place, that one stays."""
    with KeptRuns(tmp_path / "runs") as kept:
        beside = tmp_path / "runs" / "key.next"
        beside.mkdir()
        with pytest.raises(FileNotFoundError):
            kept._place(tmp_path / "absent", tmp_path / "runs" / "key")
        assert beside.exists()


def test_the_sizes_of_a_kept_run_are_of_all_its_files_and_not_of_links(tmp_path):
    (tmp_path / "run/d/e").mkdir(parents=True)
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside/x").write_text("12345")
    for name, text in {"a": "1", "d/b": "12", "d/e/c": "123"}.items():
        (tmp_path / "run" / name).write_text(text)
    (tmp_path / "run/link").symlink_to(tmp_path / "outside/x")
    (tmp_path / "run/folder").symlink_to(tmp_path / "outside")
    assert kept_runs._sizes(str(tmp_path / "run")) == {"a": 1, "d/b": 2, "d/e/c": 3}


def test_a_run_with_an_output_a_folder_or_an_older_run_gets_a_folder(tmp_path):
    """Any other one is a line."""
    run = AgentRun(RunId("c", "v", 1), "k" * 64, "finished", "")
    with KeptRuns(tmp_path) as kept:
        place = tmp_path / run.key
        kept.keep(kept.new(), run, Aftermath())
        assert not place.exists()
        made = kept.keep(kept.new(), run._replace(output="x", transcript="t", changes=None), Aftermath())
        assert (made.transcript, made.changes) == (str(place / "t"), None)
        assert (place / "output.txt").read_text() == "x"
        kept.keep(kept.new(), run, Aftermath())
        assert sorted(path.name for path in place.iterdir()) == ["run.json"]
        found = kept.load(run.key, RunId("d", "w", 2))
        assert found == run._replace(id=RunId("d", "w", 2))
        folder = kept.new()
        folder.mkdir()
        kept.keep(folder, run._replace(key="j" * 64), Aftermath())
        assert (tmp_path / ("j" * 64) / "run.json").exists()


def test_lines_that_others_add_meanwhile_are_found_in_their_places(tmp_path):
    """Mine, theirs, mine: each is read from where it begins, whoever has added it."""
    mine, theirs = KeyedLines(tmp_path / "lines"), KeyedLines(tmp_path / "lines")
    try:
        mine.add("a", '{"key": "a", "n": 1}\n')
        theirs.add("b", '{"key": "b", "n": 2}\n')
        mine.add("c", '{"key": "c", "n": 3}\n')
        for lines in (mine, theirs):
            assert [(lines.find(key) or {}).get("n") for key in "abcd"] == [1, 2, 3, None]
        mine.add("a", '{"key": "a", "n": 4}\n')
        assert [(lines.find("a") or {})["n"] for lines in (mine, theirs)] == [4, 4]
    finally:
        mine.close()
        theirs.close()


def test_what_was_added_here_need_not_be_read_again(tmp_path, monkeypatch):
    lines = KeyedLines(tmp_path / "lines")
    monkeypatch.setattr(lines, "_read_on", lambda: pytest.fail("it was read"))
    for number, key in enumerate("ab"):
        lines.add(key, f'{{"key": "{key}", "n": {number}}}\n')
    assert [(lines.find(key) or {})["n"] for key in "ab"] == [0, 1]
    lines.close()


@pytest.mark.parametrize("line", ["[1]", '"key"', "3", '{"other": 1}', '{"key"'])
def test_a_line_that_holds_no_run_is_passed_by(tmp_path, line):
    (tmp_path / "lines").write_text(f'{line}\n\n{{"key": "k"}}\n')
    lines = KeyedLines(tmp_path / "lines")
    assert lines.find("k") == {"key": "k"}
    lines.close()


# --- work that waits


def test_work_whose_moment_has_come_goes_on_and_waiting_is_in_milliseconds(monkeypatch):
    """Two seconds are 2,000; at the moment itself nothing waits any longer."""
    now, polled = [10.0], []

    def poll(milliseconds: int) -> list[tuple[int, int]]:
        polled.append(milliseconds)
        return []

    def work(seconds: float) -> Work[str]:
        yield Wait([], seconds)
        return "done"

    monkeypatch.setattr(clock, "elapsed", lambda: now[0])
    together: Together[str] = Together()
    monkeypatch.setattr(together, "_poll", SimpleNamespace(poll=poll))
    together.add(work(2.0))
    assert together.step() == []
    now[0] = 12.0
    assert (together.step(), polled) == (["done"], [2000, 0])


def test_results_that_are_there_are_not_kept_waiting(monkeypatch):
    def lasts() -> Work[str]:
        yield Wait([], 60)
        return "never"

    def at_once() -> Work[str]:
        return "now"
        yield Wait([], 0)

    together: Together[str] = Together()
    together.add(lasts())
    together.add(at_once())
    monkeypatch.setattr(together, "_poll", SimpleNamespace(poll=lambda milliseconds: pytest.fail("it waited")))
    assert (together.step(), len(together)) == (["now"], 1)
    together.close()


# --- workspaces


def test_the_folders_of_a_run_have_their_names(tmp_path):
    folders = OwnFolders(f"{tmp_path}/r")
    names = [folders.root, folders.workspace, folders.home, folders.temporary]
    assert names == [f"{tmp_path}/r{name}" for name in ("", "/workspace", "/home", "/tmp")]
    folders.move(f"{tmp_path}/s")
    names = [folders.root, folders.workspace, folders.home, folders.temporary]
    assert names == [f"{tmp_path}/s{name}" for name in ("", "/workspace", "/home", "/tmp")]
    assert all(map(os.path.isdir, names))


def test_what_changed_within_20_milliseconds_before_a_run_is_not_told_by_its_time(tmp_path, monkeypatch):
    """1,000 seconds are 10^12 nanoseconds."""
    folders = OwnFolders(f"{tmp_path}/r")
    monkeypatch.setattr(clock, "epoch_seconds", lambda: 1000.0)
    folders.fill(())
    assert folders._settled == 10**12 - 20_000_000


def test_a_folder_is_made_once_for_all_the_files_in_it(tmp_path, monkeypatch):
    for name in ("a", "b", "c"):
        (tmp_path / name).write_text(name)
    (tmp_path / "w").mkdir()
    listing = list_start(
        [StartFile(str(tmp_path / name), target) for name, target in (("a", "d/e/a"), ("b", "d/e/b"), ("c", "d/c"))]
    )
    made: list[str] = []
    make = os.makedirs

    def noted(path: str, **how: bool) -> None:
        made.append(path)
        make(path, **how)

    monkeypatch.setattr(os, "makedirs", noted)
    states = fill(tmp_path / "w", listing)
    assert made == [f"{tmp_path}/w/d", f"{tmp_path}/w/d/e"]
    assert set(states) == {"", "d", "d/c", "d/e", "d/e/a", "d/e/b"}


def test_what_cannot_be_removed_at_once_is_made_removable(tmp_path, monkeypatch):
    """Folders that a run has closed are opened to their owner; what links lead to keeps its rights."""
    outside = tmp_path / "outside"
    outside.mkdir(mode=0o755)
    folder = tmp_path / "folder"
    (folder / "inner").mkdir(parents=True)
    (folder / "inner").chmod(0o500)
    (folder / "link").symlink_to(outside)
    modes: list[int] = []
    rmtree = shutil.rmtree

    def noted(path: Path, **how: bool) -> None:
        modes.extend(place.stat().st_mode & 0o777 for place in (folder / "inner", outside))
        assert how == {"ignore_errors": True}
        rmtree(path, **how)

    def refuse(path: object) -> None:
        raise PermissionError(errno.EACCES, "Permission denied")

    monkeypatch.setattr(workspace, "remove_inside", refuse)
    monkeypatch.setattr(shutil, "rmtree", noted)
    remove(folder)
    assert (folder.exists(), outside.exists(), modes) == (False, True, [0o700, 0o755])


def test_a_file_that_is_new_has_changed_its_folder_though_no_time_tells(tmp_path):
    """It came within the moment in which the folder was looked at."""
    made = tmp_path / "w"
    (made / "d").mkdir(parents=True)
    (made / "d/new").write_text("x")
    states = {"": state_of(os.lstat(made)), "d": state_of(os.lstat(made / "d"))}
    changed, same = changes(made, {"d": Entry("d", "folder", "")}, states, 1 << 62)
    assert ([change.target for change in changed], same) == (["d/new"], {""})


def test_a_file_whose_last_change_is_at_the_settled_moment_is_read(tmp_path):
    """A nanosecond later, its time tells."""
    made = tmp_path / "w"
    made.mkdir()
    (made / "a").write_text("now")
    status = os.lstat(made / "a")
    start = {"a": Entry("a", "file", "", "another hash")}
    states = {"": state_of(os.lstat(made)), "a": state_of(status)}
    late = status.st_ctime_ns
    assert [change.target for change in changes(made, start, states, late)[0]] == ["a"]
    assert changes(made, start, states, late + 1)[0] == []
    only = {"a": states["a"]}
    assert not is_untouched(made, start, only, late, times_tell=True)
    assert is_untouched(made, start, only, late + 1, times_tell=True)


def test_a_file_that_a_run_made_unreadable_has_changed_and_has_no_hash(tmp_path, monkeypatch):
    made = tmp_path / "w"
    made.mkdir()
    (made / "a").write_text("x")

    def refuse(path: str) -> str:
        raise PermissionError(errno.EACCES, "Permission denied", path)

    monkeypatch.setattr(workspace_changes, "hash_now", refuse)
    (change,) = changes(made, {}, {"": state_of(os.lstat(made))}, 0)[0]
    assert change.now == Entry("a", "file", f"{made}/a", "", executable=False)
    (made / "a").chmod(0o755)
    (change,) = changes(made, {}, {"": state_of(os.lstat(made))}, 0)[0]
    assert change.now is not None and change.now.executable


def test_a_listing_names_the_folders_above_its_files_only_once():
    listing = (Entry("a", "folder", ""), Entry("a/b/c", "file", "x", "h"), Entry("a/b/d", "file", "y", "h"))
    assert with_folders(listing) == {
        "a": Entry("a", "folder", ""),
        "a/b": Entry("a/b", "folder", ""),
        "a/b/c": listing[1],
        "a/b/d": listing[2],
    }


def test_a_link_to_a_folder_stays_without_being_followed(tmp_path):
    """What it leads to is not the workspace's."""
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "mine").touch()
    made = tmp_path / "w"
    made.mkdir()
    listing = (Entry("link", "link", str(outside)), Entry("other", "link", str(outside)))
    states = fill(made, listing)
    kept = keep_untouched(str(made), states, {"", "link"})
    assert (outside / "mine").exists()
    assert [path.name for path in made.iterdir()] == ["link"]
    assert kept["link"] == states["link"]


# --- what is kept back


def test_copies_are_known_of_small_files_that_agents_do_not_start_from(tmp_path, monkeypatch):
    """Neither empty nor larger than ten bytes here; not behind links, not in .git, not what a case gives."""
    monkeypatch.setattr(kept_back, "LARGEST_COPY", 10)
    cases = tmp_path / "cases"
    names = {
        "empty": 0,
        "ten": 10,
        "eleven": 11,
        "given": 3,
        "deep/four": 4,
        ".git/five": 5,
        "deep/.evenhand/six": 6,
        "start/seven": 7,
    }
    for name, size in names.items():
        (cases / name).parent.mkdir(parents=True, exist_ok=True)
        (cases / name).write_bytes(b"x" * size)
    (tmp_path / "outside").write_bytes(b"y")
    (cases / "link").symlink_to(tmp_path / "outside")
    kept = KeptBack([str(cases)], [str(cases / "given"), str(cases / "start")])
    assert kept._hashes == {file_hash(str(cases / name)) for name in ("ten", "deep/four")}


def split(kept: KeptBack, skill: Path) -> kept_back.Split:
    places = skill_files(str(skill), "greet")
    return kept.split(list_start(places), [place.target for place in places], str(skill), str(skill))


def test_a_folder_that_is_left_out_is_named_without_what_it_holds(tmp_path):
    """In both places of the skill, and once; what is named alike elsewhere stays."""
    skill = tmp_path / "greet"
    for name in ("evals/deep/a.json", "scripts/evals.py", "suite/cases.yaml", "suite-not/x"):
        (skill / name).parent.mkdir(parents=True, exist_ok=True)
        (skill / name).write_text(name)
    made = split(KeptBack([str(skill / "suite")]), skill)
    assert made.left_out == ("evals", "suite")
    assert [entry.target.removeprefix(".agents/skills/greet/") for entry in made.listing if ".agents" in entry.target][
        1:
    ] == ["scripts", "scripts/evals.py", "suite-not", "suite-not/x"]
    assert len(made.listing) == 10


@pytest.mark.parametrize(
    ("inside", "is_kept"),
    [
        ("evals", True),
        ("Evals/a", True),
        ("evalset", False),
        ("a/evals", False),
        ("a/.git/b", True),
        (".Evenhand", True),
        ("a.git", False),
    ],
)
def test_names_that_are_never_copied(inside, is_kept):
    assert kept_back._is_kept_back(inside) is is_kept


def test_what_is_not_there_is_not_kept_back_unless_it_is_named(tmp_path):
    kept = KeptBack([f"{tmp_path}/gone"])
    assert kept._has(f"{tmp_path}/gone/deep") is True
    assert kept._has(f"{tmp_path}/other") is False


def test_the_folders_above_a_path_are_in_order():
    assert kept_back._parents("a/b/c") == ["a", "a/b"]
    assert kept_back._with_parents("/a/b") == ["", "/a", "/a/b"]
    assert kept_back._parents("a") == []


def test_everything_that_a_suite_was_read_from_is_an_answer(tmp_path):
    """A rubric's name is none, and what has no name is nothing."""
    case = Case("c", "p", rubric=f"{tmp_path}/own.md", place=Place(f"{tmp_path}/cases.jsonl", 3))
    suite = Suite(
        "s",
        (case, Case("d", "p", rubric="devops")),
        (Variant("v", Recorded(f"{tmp_path}/outputs/{{case}}.md")), Variant("w", Command(("x",)))),
        rubric="general",
        calibration=f"{tmp_path}/calibration.json",
        source=f"{tmp_path}/suite.yaml",
        sources=(f"{tmp_path}/more.jsonl",),
    )
    names = ("own.md", "cases.jsonl", "calibration.json", "suite.yaml", "more.jsonl", "outputs")
    assert sorted(answer_paths(suite)) == sorted(f"{tmp_path}/{name}" for name in names)
    whole = suite._replace(rubric=f"{tmp_path}/rubric.md")
    assert f"{tmp_path}/rubric.md" in answer_paths(whole)


# --- rights


@pytest.fixture
def asked(monkeypatch):
    """What the system is asked for, as a function of the version of Landlock that it has."""

    def ask(version: int, rights: Rights) -> tuple[list[tuple[Any, ...]], dict[str, int]]:
        calls: list[tuple[Any, ...]] = []
        rules: dict[str, int] = {}
        ruleset = os.open(os.devnull, os.O_RDONLY)

        def call(library: object, number: int, *words: Any) -> int:
            if number == 445:
                allowed, descriptor = struct.unpack("=Qi", words[2])
                rules[str(Path(f"/proc/self/fd/{descriptor}").readlink())] = allowed
                return 0
            calls.append((number, *words))
            return version if words[-1] == 1 else ruleset

        library = SimpleNamespace(prctl=lambda *_: 0)
        monkeypatch.setattr(landlock, "_call", call)
        monkeypatch.setattr(landlock.ctypes, "CDLL", lambda *_, **__: library)
        landlock.restrict(rights)
        return [call for call in calls[1:] if call[0] == 444], rules

    return ask


READ, WRITE = 0b1100, 0x7FF2
"""Reading files and listing folders; writing, cutting off, making and removing."""


@linux
@pytest.mark.parametrize(
    ("version", "reads", "attributes"),
    [
        (3, False, struct.pack("=Q", WRITE)),
        (7, False, struct.pack("=Q", WRITE)),
        (5, True, struct.pack("=Q", READ | WRITE)),
        (6, True, struct.pack("=QQQ", READ | WRITE, 0, 3)),
    ],
)
def test_only_the_rights_that_are_limited_are_asked_for(version, reads, attributes, asked, tmp_path):
    """Where reading is limited, so are signals and sockets, from version 6 on."""
    calls, _ = asked(version, Rights([str(tmp_path)] if reads else None, [str(tmp_path)]))
    assert calls == [(444, attributes, len(attributes), 0)]


@linux
def test_each_path_has_the_rights_of_its_lists(asked, tmp_path):
    """Read, written or both; of a file, only what can be done with files; devices can be read and written to."""
    for name in ("read", "write", "both"):
        (tmp_path / name).mkdir()
    (tmp_path / "file").touch()
    reads = [str(tmp_path / name) for name in ("read", "both", "file")]
    writes = [str(tmp_path / name) for name in ("write", "both", "file", "file/inner", "absent")]
    _, rules = asked(7, Rights(reads, writes))
    assert {name: rules[str(tmp_path / name)] for name in ("read", "write", "both", "file")} == {
        "read": READ,
        "write": WRITE,
        "both": READ | WRITE,
        "file": 0b100 | 0x4002,
    }
    assert rules["/dev"] == rules["/proc"] == READ | 0x4002
    assert rules["/dev/shm"] == READ | WRITE
    assert len(rules) == 7


@confinable
def test_a_confinement_counts_only_if_reading_and_writing_outside_are_refused(tmp_path):
    """Both, and both are possible inside."""
    for name in ("in", "out"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "old").write_text("old")
    inside, outside = tmp_path / "in", tmp_path / "out"

    def confined(rights: Rights) -> bool:
        for made in (inside / "sub" / "new", inside / "sub"):
            if made.exists():
                made.unlink() if made.is_file() else made.rmdir()
        return with_rights(rights, lambda: confined_rights._is_confined(inside, outside))

    here = [str(inside)]
    assert confined(Rights(here, here)) is True
    assert confined(Rights(here, [str(tmp_path)])) is False
    assert confined(Rights(None, here)) is False
    with pytest.raises(PermissionError):
        confined(Rights([str(outside)], here))


@linux
@pytest.mark.parametrize(("version", "is_possible"), [(2, False), (3, True)])
def test_the_third_version_is_the_first_that_confines(version, is_possible, monkeypatch):
    confined_rights.is_possible.cache_clear()
    with monkeypatch.context() as patch:
        patch.setattr(landlock, "version", lambda: version)
        patch.setattr(confined_rights, "with_rights", lambda rights, work: True)
        assert confined_rights.is_possible() is is_possible
    confined_rights.is_possible.cache_clear()


def test_a_system_without_landlock_has_version_0(monkeypatch):
    library = SimpleNamespace(syscall=lambda *_: -1)
    monkeypatch.setattr(landlock.ctypes, "CDLL", lambda *_, **__: library)
    monkeypatch.setattr(landlock.ctypes, "get_errno", lambda: errno.ENOSYS)
    assert landlock.version() == 0
    with pytest.raises(OSError, match="Function not implemented") as error:
        landlock._call(library, 444)  # type: ignore[arg-type]
    assert error.value.errno == errno.ENOSYS


@confinable
def test_what_is_raised_with_fewer_rights_is_raised_here(tmp_path):
    def fail() -> None:
        raise KeyError("x")

    with pytest.raises(KeyError, match="x"):
        with_rights(Rights(None, [str(tmp_path)]), fail)
    assert with_rights(Rights(None, [str(tmp_path)]), threading.get_ident) != threading.get_ident()
    (tmp_path / "new").touch()  # this thread has its rights


def test_a_program_that_cannot_be_started_for_no_known_reason_says_what_there_is(monkeypatch, capsys):
    def refuse(rights: Rights) -> None:
        raise OSError("odd")

    monkeypatch.setattr(landlock, "restrict", refuse)
    with pytest.raises(SystemExit):
        landlock.main(['{"reads": null, "writes": []}', "--", "tool"])
    assert capsys.readouterr().err == "tool cannot be started: odd\n"


def test_a_confined_command_is_started_by_python_alone():
    """Without the user's packages and variables."""
    words = confined_rights.confined_to(Rights(["/a"], ["/b"]))
    assert words == (sys.executable, "-I", "-S", landlock.__file__, '{"reads": ["/a"], "writes": ["/b"]}', "--")


def test_a_refused_path_is_one_that_we_could_use_there(tmp_path, monkeypatch):
    """What exists is asked about itself, anything else about its folder; only so much of a text is looked through."""
    (tmp_path / "old").touch()
    text = f"{tmp_path}/old: Permission denied\n{tmp_path}/new: Permission denied\n".encode()
    able = str(tmp_path)
    asked: list[tuple[str, int]] = []

    def access(path: str, right: int) -> bool:
        asked.append((path, right))
        return path == able

    monkeypatch.setattr(os, "access", access)
    assert refused_paths([text], [], os.R_OK) == [f"{tmp_path}/new"]
    assert asked == [(f"{tmp_path}/old", os.R_OK), (str(tmp_path), os.R_OK)]
    able = f"{tmp_path}/old"
    assert refused_paths([text], []) == [f"{tmp_path}/old"]
    assert asked[2] == (f"{tmp_path}/old", os.W_OK)
    monkeypatch.setattr(confined_rights, "MOST_READ", text.index(b"\n"))
    asked.clear()
    refused_paths([text], [])
    assert len(asked) == 1


# --- readable places


@pytest.fixture
def home(tmp_path, monkeypatch):
    for name in ("home", "scratch"):
        (tmp_path / name).mkdir()
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "scratch"))
    return tmp_path / "home"


def test_a_folder_of_programs_comes_with_what_it_is_a_part_of(home):
    """A tool's folder in HOME, the folder above `bin`, or nothing else."""
    for folder, made in {
        "/opt/tool/bin": ["/opt/tool/bin", "/opt/tool"],
        "/opt/tool": ["/opt/tool"],
        f"{home}/.tool/versions/1": [f"{home}/.tool/versions/1", f"{home}/.tool"],
        f"{home}/.tool/bin": [f"{home}/.tool/bin", f"{home}/.tool", f"{home}/.tool"],
        f"{home}/tool/.hidden": [f"{home}/tool/.hidden"],
        str(home): [str(home)],
        str(home.parent): [str(home.parent)],
    }.items():
        assert list(paths._installation(folder)) == made


def test_twenty_links_are_followed(tmp_path):
    for number in range(25):
        (tmp_path / str(number)).mkdir()
        (tmp_path / str(number) / "tool").symlink_to(f"../{number + 1}/tool")
    assert list(paths._link_folders(f"{tmp_path}/0/tool")) == [f"{tmp_path}/{number}" for number in range(20)]


def test_a_function_needs_this_python_and_what_it_imports(home, tmp_path, monkeypatch):
    """The folder that we are in is a place of packages, and for a file, its own folder is."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", ["", "/a", "relative"])
    evenhand = str(Path(paths.__file__).parents[1])
    assert evenhand.endswith("/evenhand")
    assert list(paths._python())[:5] == [sys.prefix, sys.base_prefix, sys.exec_prefix, evenhand, "/a"]
    assert os.path.dirname(sys.executable) in list(paths._python())[5:]  # noqa: PTH120
    assert list(paths._function("/x/agent.py:answer")) == ["/x/agent.py", "/x"]
    assert list(paths._function("agent.deep:answer")) == [
        f"{folder}/{name}" for folder in (tmp_path, "/a", "relative", tmp_path) for name in ("agent", "agent.py")
    ]


@pytest.mark.parametrize(
    ("path", "is_barred"),
    [
        ("cases", True),
        ("cases/folder", True),  # a folder among the answers
        ("cases/script", False),  # a file among them, which is a program
        ("answer", True),
        ("", True),  # it holds them
        ("project", True),
        ("project/tool", False),
        ("home", True),
        ("home/bin", False),
        ("scratch", True),
        ("scratch/bin", False),
    ],
)
def test_what_belongs_to_a_program_is_read_unless_the_answers_are_in_it(path, is_barred, home, tmp_path):
    """Nor are HOME, the folder for temporary files and the project read whole."""
    for folder in ("cases/folder", "project/tool", "home/bin", "scratch/bin"):
        (tmp_path / folder).mkdir(parents=True)
    for file in ("cases/script", "answer"):
        (tmp_path / file).touch()
    hidden = Hidden((f"{tmp_path}/cases", f"{tmp_path}/answer"), (f"{tmp_path}/project",))
    assert paths._is_barred(os.path.normpath(tmp_path / path), hidden) is is_barred


def test_of_paths_inside_one_another_the_topmost_are_left_in_order(tmp_path):
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "real")
    assert paths._topmost(["/b", "/a/x", "/a", "/ab", "/a"]) == ("/a", "/ab", "/b")
    assert paths._topmost([str(tmp_path / "link")]) == (str(tmp_path / "real"),)
    assert paths._topmost(["/", "/a"]) == ("/",)
    assert not paths._is_inside("/", "/a")


# --- variables


def test_secrets_are_known_by_name_or_value_and_the_longest_comes_first():
    """Eight characters or more, given to the variant: by name, or an address with a password."""
    does = Command(
        ("x",),
        environment={"OWN_TOKEN": "12345678", "LEVEL": "very-long-and-harmless"},
        passed=("KEY", "SHORT_KEY", "ABSENT_KEY", "URL", "SSL_KEY_FILE", "PWD"),
    )
    inherited = {
        "KEY": "a-long-secret",
        "SHORT_KEY": "1234567",
        "OTHER_KEY": "not-listed-here",
        "URL": "https://user:pass@host",
        "SSL_KEY_FILE": "/etc/ssl/private.pem",
        "PWD": "/home/someone",
    }
    found = secrets(does, inherited)
    assert list(found.items()) == [
        ("https://user:pass@host", "URL"),
        ("a-long-secret", "KEY"),
        ("12345678", "OWN_TOKEN"),
    ]


@pytest.mark.parametrize(
    ("name", "value", "is_secret"),
    [
        ("PWD", "/x", False),
        ("OLDPWD", "/x", False),
        ("DB_PWD", "x", True),
        ("MONKEY_PATH", "x", False),
        ("KEY_DIR", "https://u:p@h", True),  # by its value
        ("PATH", "/bin", False),
        ("SASS", "x", False),
        ("MY_SAS", "x", True),
        ("NOTE", "ghp_0123456789abcdef", True),
        ("NOTE", "ghp_0123456789abcd", False),  # 15 characters after ghp
        ("NOTE", "-----BEGIN PRIVATE KEY-----", True),
        ("NOTE", "https://host/a:b@c", False),
    ],
)
def test_what_looks_like_a_secret_is_not_handed_on_unless_it_is_listed(name, value, is_secret):
    assert without_secrets({name: value}, ()) == ({} if is_secret else {name: value})
    assert without_secrets({name: value}, (name,)) == {name: value}


def test_every_run_gets_language_proxies_and_certificates():
    """A proxy is also written in lower case; nothing else is."""
    given = dict.fromkeys(("PATH", "LC_ALL", "https_proxy", "HTTPS_PROXY", "path", "Https_Proxy", "HOME", "XLC_A"), "x")
    assert set(only_passed_on(given)) == {"PATH", "LC_ALL", "https_proxy", "HTTPS_PROXY", "path"}


# --- starting


def test_a_step_before_the_start_that_fails_is_an_error():
    """Changing the folder, giving the three descriptors, closing the others; what was prepared is given back."""
    for place in range(5):
        calls: list[tuple[Any, ...]] = []

        def step(*words: Any, calls: list[tuple[Any, ...]] = calls, place: int = place) -> int:
            calls.append(words[1:])
            return errno.ENOMEM if len(calls) == place + 1 else 0

        destroyed: list[object] = []
        library: Any = SimpleNamespace(
            posix_spawn_file_actions_init=lambda actions: 0,
            posix_spawn_file_actions_addchdir_np=step,
            posix_spawn_file_actions_adddup2=step,
            posix_spawn_file_actions_addclosefrom_np=step,
            posix_spawn_file_actions_destroy=destroyed.append,
        )
        with (
            pytest.raises(OSError, match=os.strerror(errno.ENOMEM)),
            process_start._file_actions(library, "/f", (7, 8, 9)),
        ):
            pytest.fail("it went on")
        assert calls == [(b"/f",), (7, 0), (8, 1), (9, 2), (3,)][: place + 1]
        assert len(destroyed) == 1


@pytest.mark.parametrize(("platform", "lacks"), [("darwin", ""), ("linux", "posix_spawn_file_actions_addclosefrom_np")])
def test_a_library_that_lacks_something_is_not_used(platform, lacks, monkeypatch):
    process_start._library.cache_clear()
    with monkeypatch.context() as patch:
        patch.setattr(sys, "platform", platform)
        if lacks:
            patch.setattr(process_start, "_NAMES", (*process_start._NAMES, "no_such_function_anywhere"))
        assert process_start._library() is None
    process_start._library.cache_clear()


@linux
def test_a_program_inherits_no_ignored_signals(tmp_path):
    """Python ignores a closed pipe and a file that is too long, 13 and 25; a program that inherited that would go on
    for ever."""
    run, _ = run_once(Command(("grep", "SigIgn", "/proc/self/status")), tmp_path)
    mask = int((run.output or "").split()[1], 16)
    assert mask & (1 << 12 | 1 << 24) == 0
    assert int(dict_of_status()["SigIgn"], 16) & 1 << 12


def dict_of_status() -> dict[str, str]:
    """What the system says of this process."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return {name: text.strip() for name, _, text in (line.partition(":") for line in lines)}


@linux
def test_a_program_is_known_as_started_until_its_end_was_noticed(tmp_path):
    """Else it would be taken for an orphan."""
    nowhere = [os.open(os.devnull, os.O_RDWR) for _ in range(3)]
    try:
        stdin, stdout, stderr = nowhere
        process = process_start.start(
            ["true"], folder=tmp_path, environment={"PATH": os.defpath}, stdin=stdin, stdout=stdout, stderr=stderr
        )
        assert process.pid in process_table.started
        assert process.wait() == 0
        assert process.pid not in process_table.started
    finally:
        for descriptor in nowhere:
            os.close(descriptor)


@linux
def test_waiting_for_a_program_ends_after_the_time_given(monkeypatch):
    """At the moment itself it is looked at once more; later nobody waits any longer."""
    now = [100.0]
    looks: list[int] = []

    def waitpid(pid: int, options: int) -> tuple[int, int]:
        looks.append(options)
        return 0, 0

    def sleep(seconds: float) -> None:
        now[0] += 0.5

    monkeypatch.setattr(clock, "elapsed", lambda: now[0])
    monkeypatch.setattr(os, "waitpid", waitpid)
    monkeypatch.setattr(process_start.time, "sleep", sleep)
    spawned = process_start._Spawned(2**22 + 1, ["tool"])
    with pytest.raises(subprocess.TimeoutExpired) as error:
        spawned.wait(1.0)
    assert (error.value.cmd, error.value.timeout, now[0]) == (["tool"], 1.0, 101.5)
    assert looks == [os.WNOHANG] * 5


# --- processes


@pytest.mark.parametrize(
    ("platform", "shows", "is_available"), [("linux", True, True), ("darwin", True, False), ("linux", False, False)]
)
def test_processes_are_shown_by_linux_with_proc(platform, shows, is_available, monkeypatch):
    process_table.is_available.cache_clear()
    with monkeypatch.context() as patch:
        patch.setattr(sys, "platform", platform)
        patch.setattr(os.path, "exists", lambda path: shows and path == "/proc/self/stat")
        assert process_table.is_available() is is_available
    process_table.is_available.cache_clear()


@linux
def test_a_system_that_adopts_nobody_says_so(monkeypatch):
    monkeypatch.setattr(process_table, "_adopts", True)
    monkeypatch.setattr(ctypes, "CDLL", lambda *_: SimpleNamespace(prctl=lambda *words: -1))
    assert process_table.adopt_orphans() is False
    assert process_table.has_orphans(b"x") is None


@linux
def test_the_table_has_the_memory_of_a_process_and_passes_by_who_has_ended(monkeypatch):
    monkeypatch.setattr(os, "listdir", lambda path: ["0", "self", str(os.getpid())])
    (own,) = process_table._read()
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    assert own.pid == os.getpid()
    assert 0.5 < own.resident / (pages * os.sysconf("SC_PAGE_SIZE")) < 2


@linux
def test_only_children_of_ours_outside_its_session_are_asked_for_the_mark_of_a_run(monkeypatch):
    here = os.getpid()
    asked: list[int] = []
    table = [
        process_table.Process(pid, parent, session, False, 0)
        for pid, parent, session in ((10, here, 10), (20, here, 20), (30, 1, 30))
    ]

    def has_mark(pid: int, mark: bytes) -> bool:
        asked.append(pid)
        return False

    monkeypatch.setattr(process_table, "_has_mark", has_mark)
    assert [entry.pid for entry in process_table.members(table, 10, b"m")] == [10]
    assert asked == [20]


# --- calling a function


def test_what_a_function_returns_is_written_byte_by_byte(tmp_path, monkeypatch, capfdbinary):
    """Though it is not valid text; its file's folder comes first where Python looks."""
    (tmp_path / "mine.py").write_text("def run(prompt):\n    return prompt + '\\udcff\\r\\n'\n")
    monkeypatch.setattr(sys, "stdin", StringIO('{"prompt": "a"}'))
    monkeypatch.setattr(sys, "path", ["/other", *sys.path])
    before = os.dup(1)
    try:
        function_call.main(f"{tmp_path}/mine.py:run")
    finally:
        os.dup2(before, 1)
        os.close(before)
    assert capfdbinary.readouterr().out == b"a\xff\r\n"
    assert sys.path[0] == str(tmp_path)


def test_a_shell_is_not_needed_for_a_command(tmp_path):
    """Its words are its own."""
    run, _ = run_once(Command(("printf", "%s|", "a b", "$HOME", "{case}")), tmp_path)
    assert run.output == "a b|$HOME|c|"
    (tmp_path / "s").mkdir()
    assert run_once(shell("printf '%s|' a b"), tmp_path / "s")[0].output == "a|b|"
