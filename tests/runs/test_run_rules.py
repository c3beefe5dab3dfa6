"""Single rules of running: what stays open, what is asked of the system, and where numbers begin and end."""

from __future__ import annotations

import ctypes
import errno
import fcntl
import json
import mmap
import os
import struct
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from decimal import Decimal
from io import StringIO
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from evenhand import InputError, Unavailable, clock
from evenhand.decisions.values.suite import Case, Command, Function, Limits, Recorded, Skill, StartFile, Variant
from evenhand.runs import landlock, limited_process, one_run, process_start, process_table
from evenhand.runs import planned as planning
from evenhand.runs.function_call import main as call_function
from evenhand.runs.kept_runs import KeptRuns, cannot_keep
from evenhand.runs.landlock import Rights
from evenhand.runs.limited_process import Interrupted
from evenhand.runs.planned import Planner, recorded_path
from evenhand.runs.process_table import files_in_use
from evenhand.runs.run_document import Aftermath, read_run, run_of_line, run_text
from evenhand.runs.run_lines import KeyedLines
from evenhand.runs.scratch import Scratch
from evenhand.runs.waits import Together, Wait, Work
from evenhand.runs.workspaces import start_listing, workspace
from evenhand.runs.workspaces.kept_back import KeptBack
from evenhand.runs.workspaces.own_folders import OwnFolders, with_folders
from evenhand.runs.workspaces.run_folders import FolderPool, times_tell
from evenhand.runs.workspaces.start_listing import Entry, hash_now, list_start
from evenhand.runs.workspaces.workspace import Changed, fill, write_new, write_over
from evenhand.runs.workspaces.workspace_changes import changes
from evenhand.work.agent_run import AgentRun, RunId
from finished_work import finish
from suite_values import planned, run_once, shell

linux = pytest.mark.skipif(not process_table.is_available(), reason="needs /proc")


# --- nothing stays open


def descriptors() -> set[str]:
    """What this process has open, but for the folder that is read here."""
    listed = {}
    for path in Path("/proc/self/fd").iterdir():
        with suppress(FileNotFoundError):
            listed[path.name] = str(path.readlink())
    return {f"{name} {target}" for name, target in listed.items() if "/proc/" not in target}


def kept_and_closed(folder: Path) -> None:
    with KeptRuns(folder / "kept") as kept:
        kept.find("0" * 64)
        with finish(kept.claim("0" * 64, threading.Event())):
            pass


def lines_opened(folder: Path) -> None:
    lines = KeyedLines(folder / "lines")
    lines.add("k", '{"key": "k"}\n')
    lines.find("k")
    lines.close()


def missing_start(folder: Path) -> None:
    (folder / "w").mkdir()
    with pytest.raises(Changed):
        fill(folder / "w", (Entry("a", "file", str(folder / "absent"), "h"),))


def written_twice(folder: Path) -> None:
    write_new(folder / "new", b"x")
    with pytest.raises(FileExistsError):
        write_new(folder / "new", b"x")
    write_over(folder / "new", b"y")


def filled(folder: Path) -> None:
    (folder / "source").write_text("x")
    (folder / "w").mkdir()
    fill(folder / "w", list_start([StartFile(str(folder / "source"), "a")]))


def scratch_used(folder: Path) -> None:
    with Scratch(folder / "base"), Scratch(folder / "base") as second:
        times_tell(second.folder)


@linux
@pytest.mark.parametrize(
    "work",
    [kept_and_closed, lines_opened, missing_start, written_twice, filled, scratch_used],
    ids=lambda work: work.__name__,
)
def test_nothing_stays_open(tmp_path: Path, work: Callable[[Path], None]) -> None:
    """A suite makes thousands of runs in one process, which may have a thousand files open."""
    before = descriptors()
    work(tmp_path)
    assert descriptors() == before


@linux
def test_orphans_are_looked_for_without_leaving_the_list_open(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(process_table, "_adopts", True)
    before = descriptors()
    assert process_table.has_orphans(b"EVENHAND_RUN=/nowhere/\0") is False
    assert descriptors() == before


# --- orphans


@linux
def test_orphans_are_adopted_and_known_by_the_mark_of_their_run(monkeypatch: pytest.MonkeyPatch) -> None:
    """A child that is itself the first process of a run is none, whatever its mark."""
    library = ctypes.CDLL(None)
    state = ctypes.c_int(-1)
    was = process_table._adopts
    try:
        assert process_table.adopt_orphans() is True
        library.prctl(37, ctypes.byref(state), 0, 0, 0)  # PR_GET_CHILD_SUBREAPER
        assert state.value == 1
        with subprocess.Popen(["sleep", "60"], env={"EVENHAND_RUN": "/r/1/", "PATH": os.environ["PATH"]}) as child:
            while not Path(f"/proc/{child.pid}/environ").read_bytes().startswith(b"EVENHAND_RUN"):
                pass
            assert process_table.has_orphans(b"EVENHAND_RUN=/r/1/\0") is True
            assert process_table.has_orphans(b"EVENHAND_RUN=/r/2/\0") is False
            monkeypatch.setattr(process_table, "started", {child.pid})
            assert process_table.has_orphans(b"EVENHAND_RUN=/r/1/\0") is False
            child.kill()
    finally:
        library.prctl(36, int(was), 0, 0, 0)
        process_table._adopts = was


def test_where_orphans_are_not_adopted_nobody_can_tell(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(process_table, "_adopts", False)
    assert process_table.has_orphans(b"x") is None


@pytest.mark.parametrize("is_linux", [True, False])
def test_a_system_that_refuses_adopts_nobody(monkeypatch: pytest.MonkeyPatch, is_linux: bool) -> None:
    def refuses(*_: object) -> None:
        raise OSError("no library")

    monkeypatch.setattr(process_table, "_adopts", True)
    monkeypatch.setattr(process_table, "is_available", lambda: is_linux)
    monkeypatch.setattr(ctypes, "CDLL", refuses)
    assert process_table.adopt_orphans() is False
    assert process_table._adopts is not is_linux  # nothing was tried elsewhere


def test_one_reading_of_the_table_serves_all_runs_for_a_moment(monkeypatch: pytest.MonkeyPatch) -> None:
    """For 0.2 seconds, unless it must be fresh."""
    now = [0.0]
    read: Callable[..., Any] = process_table.processes
    readings = iter([[1], [2], [3]])
    monkeypatch.setattr(clock, "elapsed", lambda: now[0])
    monkeypatch.setattr(process_table, "_read_at", float("-inf"))
    monkeypatch.setattr(process_table, "_table", ())  # put back as well: the next test may come within the moment
    monkeypatch.setattr(process_table, "_read", lambda: next(readings))
    assert read() == (1,)
    now[0] = 0.2
    assert read() == (1,)
    now[0] = 0.21
    assert read() == (2,)
    assert read(fresh=True) == (3,)


# --- starting


@pytest.fixture
def forgotten_child(monkeypatch: pytest.MonkeyPatch) -> None:
    """A system that was told to forget the ends of children."""

    def none(*_: object) -> tuple[int, int]:
        raise ChildProcessError

    monkeypatch.setattr(os, "waitpid", none)


@linux
def test_a_process_whose_end_the_system_forgot_counts_as_ended_well(forgotten_child: None) -> None:
    spawned = process_start._Spawned(2**22 + 1, ["x"])
    process_table.started.add(spawned.pid)
    assert (spawned.poll(), spawned.wait(), spawned.returncode) == (0, 0, 0)
    assert spawned.pid not in process_table.started


def null() -> int:
    return os.open(os.devnull, os.O_RDWR)


@linux
@pytest.mark.parametrize("low", [True, False])
def test_standard_streams_of_our_own_are_given_on_by_subprocess(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, low: bool
) -> None:
    """The C library would close a descriptor before it copies it to another's place."""
    used: list[Any] = []
    popen = subprocess.Popen

    def noted(*words: Any, **more: Any) -> Any:
        used.append(more)
        return popen(*words, **more)

    monkeypatch.setattr(subprocess, "Popen", noted)
    streams = [null() for _ in range(3)]
    try:
        stdin = 2 if low else streams[0]
        process = process_start.start(
            ["true"],
            folder=tmp_path,
            environment=dict(os.environ),
            stdin=stdin,
            stdout=streams[1],
            stderr=streams[2],
        )
        assert process.wait(60) == 0
    finally:
        for stream in streams:
            os.close(stream)
    assert [more["start_new_session"] for more in used] == ([True] if low else [])
    assert [(more["stdin"], more["stdout"], more["stderr"]) for more in used] == (
        [(2, streams[1], streams[2])] if low else []
    )


def executable(path: Path) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("#!/bin/sh\n")
    path.chmod(0o755)
    return path


def test_a_command_is_the_first_program_along_the_path(tmp_path: Path) -> None:
    """A folder of that name is none, nor is a file that may not be run; an empty part of PATH is the run's folder."""
    first, second = tmp_path / "a", tmp_path / "b"
    (first / "tool").mkdir(parents=True)
    executable(second / "tool")
    executable(tmp_path / "w" / "near")
    path = {"PATH": f"{first}:{second}"}
    find = process_start.find_program
    assert find("tool", tmp_path / "w", path) == os.fsencode(second / "tool")
    assert find("near", tmp_path / "w", {"PATH": f"{first}:"}) == os.fsencode(tmp_path / "w" / "near")
    assert find("../b/tool", tmp_path / "w", {"PATH": ""}) == os.fsencode(f"{tmp_path}/w/../b/tool")
    assert find(str(second / "tool"), tmp_path, {}) == os.fsencode(second / "tool")
    assert find("sh", tmp_path, {}).endswith(b"/sh")  # without a PATH, where programs usually are


@pytest.mark.parametrize(("name", "code"), [("plain", errno.EACCES), ("absent", errno.ENOENT)])
def test_a_file_that_may_not_be_run_is_refused_for_that(tmp_path: Path, name: str, code: int) -> None:
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "plain").write_text("x")
    with pytest.raises(OSError, match=name) as error:
        process_start.find_program(name, tmp_path, {"PATH": f"{tmp_path}/bin:{tmp_path}/none"})
    assert (error.value.errno, error.value.filename) == (code, name)


def test_where_a_command_was_found_is_remembered_unless_it_depends_on_the_folder(tmp_path: Path) -> None:
    """And as long as it is there."""
    here, there = executable(tmp_path / "here" / "tool-x"), executable(tmp_path / "there" / "tool-x")
    relative = {"PATH": f".:{there.parent}"}
    assert process_start.find_program("tool-x", here.parent, relative) == os.fsencode(f"{here.parent}/./tool-x")
    assert process_start.find_program("tool-x", tmp_path, relative) == os.fsencode(there)
    fixed = {"PATH": f"{here.parent}:{there.parent}"}
    assert process_start.find_program("tool-x", tmp_path, fixed) == os.fsencode(here)
    here.unlink()
    assert process_start.find_program("tool-x", tmp_path, fixed) == os.fsencode(there)


@pytest.mark.parametrize("words", [["a\0b"], ["true", "a\0b"]])
def test_a_word_with_a_nul_cannot_be_given_to_a_program(tmp_path: Path, words: list[str]) -> None:
    streams = [null() for _ in range(3)]
    try:
        with pytest.raises(ValueError, match="null"):
            process_start.start(
                words,
                folder=tmp_path,
                environment=dict(os.environ),
                stdin=streams[0],
                stdout=streams[1],
                stderr=streams[2],
            )
    finally:
        for stream in streams:
            os.close(stream)


# --- work that waits


def piped() -> tuple[int, int]:
    reading, writing = os.pipe()
    return reading, writing


def test_work_goes_on_when_its_descriptor_can_be_read_and_is_told_which() -> None:
    reading, writing = piped()
    other, other_writing = piped()
    os.write(writing, b"x")

    def work() -> Work[list[int]]:
        ready = yield Wait([reading, other], 60)
        return list(ready)

    try:
        assert finish(work()) == [reading]
    finally:
        for descriptor in (reading, writing, other, other_writing):
            os.close(descriptor)


def test_work_goes_on_when_its_time_is_up_and_not_before(monkeypatch: pytest.MonkeyPatch) -> None:
    """The time that others take counts; polling lasts until the first of them is due, in whole milliseconds."""
    now, polled = [10.0], []

    class Poll:
        def poll(self, milliseconds: int) -> list[tuple[int, int]]:
            polled.append(milliseconds)
            now[0] += milliseconds / 1000
            return []

    def work(seconds: float, name: str) -> Work[str]:
        assert (yield Wait([], seconds)) == []
        return name

    monkeypatch.setattr(clock, "elapsed", lambda: now[0])
    together: Together[str] = Together()
    monkeypatch.setattr(together, "_poll", Poll())
    together.add(work(0.0015, "second"))
    together.add(work(0.0004, "first"))
    assert (len(together), together.step(), polled) == (2, ["first"], [1])
    assert (len(together), together.step(), polled) == (1, ["second"], [1, 1])
    assert (len(together), together.step()) == (0, [])
    together.add(work(-1, "late"))
    assert (together.step(), polled[2:]) == (["late"], [0])


def test_what_one_piece_of_work_raises_leaves_the_others() -> None:
    def fails() -> Work[str]:
        yield Wait([], 0)
        raise KeyError("x")

    def lasts() -> Work[str]:
        yield Wait([], 60)
        return "never"

    ended: list[str] = []

    def noted() -> Work[str]:
        try:
            yield Wait([], 60)
        finally:
            ended.append("noted")
        return ""

    together: Together[str] = Together()
    for work in (lasts(), fails(), noted()):
        together.add(work)
    with pytest.raises(KeyError):
        together.step()
    assert len(together) == 2
    together.close()
    assert (len(together), ended) == (0, ["noted"])


def test_what_is_done_at_once_is_returned_by_the_next_step() -> None:
    def at_once() -> Work[int]:
        return 7
        yield  # a generator, though it waits for nothing

    together: Together[int] = Together()
    together.add(at_once())
    assert (len(together), together.step(), len(together)) == (1, [7], 0)


# --- limits


def test_a_run_without_a_limit_of_time_goes_on_after_many_looks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limited_process, "_TICK", 0.005)
    run, _ = run_once(Command(("sleep", "0.03")), tmp_path, limits=Limits(seconds=None))
    assert (run.outcome, run.reason) == ("finished", "")


def test_a_group_that_may_be_empty_is_only_asked_about(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Signal 0 reaches nobody."""
    sent: list[int] = []
    kill = os.killpg

    def noted(group: int, number: int) -> None:
        sent.append(number)
        kill(group, number)

    monkeypatch.setattr(os, "killpg", noted)
    assert run_once(Command(("true",)), tmp_path)[0].outcome == "finished"
    assert sent == [0]


# --- kept runs


def run_of(key: str = "k" * 64, **more: Any) -> AgentRun:
    return AgentRun(RunId("c", "v", 1), key, "finished", "", **more)


def test_a_lock_is_one_byte_that_another_process_waits_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of a key, the first fifteen digits tell which; a stop ends the waiting, and leaving gives it back."""
    locked: list[tuple[int, ...]] = []
    held = {int("a" * 15, 16)}

    def lockf(descriptor: int, how: int, length: int, place: int) -> None:
        locked.append((how, length, place))
        if how & fcntl.LOCK_EX and place in held:
            raise BlockingIOError

    with KeptRuns(tmp_path / "runs") as kept:
        monkeypatch.setattr(fcntl, "lockf", lockf)
        stop = threading.Event()
        waiting = kept.claim("a" * 64, stop)
        assert next(waiting).seconds == 0.1
        stop.set()
        with pytest.raises(Interrupted):
            next(waiting)
        del locked[:]
        with finish(kept.claim("0" * 14 + "f" + "1" * 49, stop)):
            assert locked == [(fcntl.LOCK_EX | fcntl.LOCK_NB, 1, 15)]
        assert locked[1:] == [(fcntl.LOCK_UN, 1, 15)]
        monkeypatch.undo()


def test_a_newer_run_of_a_key_replaces_the_older_one_whatever_is_killed_when(tmp_path: Path) -> None:
    """As soon as it lies beside the older one it counts; a folder that a killed process left there goes first."""
    with KeptRuns(tmp_path / "runs") as kept:
        first = kept.new()
        assert kept.keep(first, run_of(output="one"), Aftermath()).output == "one"
        beside = tmp_path / "runs" / ("k" * 64 + ".next")
        beside.mkdir()
        (beside / "half").touch()
        assert kept.find("k" * 64) is not None  # an unfinished one has no run.json
        second = kept.new()
        assert second != first
        kept.keep(second, run_of(output="two"), Aftermath())
        found = kept.find("k" * 64)
        assert found is not None and found[0].output == "two" and not beside.exists()
        (tmp_path / "runs" / ("k" * 64)).rename(beside)
        kept.keep(kept.new(), run_of(output="three"), Aftermath())
        found = kept.find("k" * 64)
        assert found is not None
        assert found[0].output == "two"  # the newer name counts until it is moved


def test_a_run_is_found_under_the_name_it_has_now(tmp_path: Path) -> None:
    with KeptRuns(tmp_path / "runs") as kept:
        kept.keep(kept.new(), run_of(), Aftermath())
        loaded = kept.load("k" * 64, RunId("other", "name", 3))
        assert loaded is not None and loaded.id == RunId("other", "name", 3)
        assert kept.load("0" * 64, RunId("", "", 1)) is None


def test_a_disk_that_cannot_be_written_says_where_and_why(tmp_path: Path) -> None:
    with pytest.raises(Unavailable) as error, cannot_keep(tmp_path):
        raise OSError(28, "No space left on device")
    assert str(error.value) == (
        f"runs cannot be kept in {tmp_path}: No space left on device; finished runs are safe, and the same command "
        "goes on from there"
    )
    with pytest.raises(Unavailable, match="kept in x: oops;"), cannot_keep(Path("x")):
        raise OSError("oops")


WHOLE = run_of(
    output="text\r\n",
    exit_code=3,
    seconds=Decimal("1.250"),
    started="2026-01-01T00:00:00Z",
    input_tokens=10,
    output_tokens=20,
    cost=Decimal("0.5"),
    transcript="transcript.jsonl",
    changes="changes.diff",
    notes=("a note",),
)
AFTER = Aftermath(
    (Entry("a.txt", "file", "/old/a.txt", executable=True), Entry("l", "link", "a.txt"), Entry("d", "folder", "")),
    ("gone",),
    False,
)


def test_a_run_is_read_back_as_it_was_written(tmp_path: Path) -> None:
    """Files lie beside it now; hashes of what it wrote are not kept."""
    (tmp_path / "output.txt").write_bytes(b"text\r\n")
    (tmp_path / "run.json").write_text(run_text(WHOLE, AFTER, {"output.txt": 6}))
    run, after = read_run(tmp_path)
    assert run == WHOLE._replace(transcript=f"{tmp_path}/transcript.jsonl", changes=f"{tmp_path}/changes.diff")
    assert after == Aftermath(
        (
            Entry("a.txt", "file", f"{tmp_path}/files/a.txt", executable=True),
            Entry("l", "link", "a.txt"),
            Entry("d", "folder", ""),
        ),
        ("gone",),
        False,
    )


def test_a_run_that_left_nothing_is_one_line_of_ascii() -> None:
    text = run_text(run_of(notes=("é",)), Aftermath(), {})
    assert text.isascii() and text.endswith("}\n") and text.count("\n") == 1
    run, after = run_of_line(json.loads(text), Path("runs.jsonl"))
    assert (run, after) == (run_of(notes=("é",)), Aftermath())
    assert (run.seconds, run.cost, run.output, after.whole) == (None, None, None, True)
    stopped = run_of()._replace(outcome="timed out", reason="it took longer than 5 s")
    assert run_of_line(json.loads(run_text(stopped, Aftermath(), {})), Path("runs.jsonl"))[0] == stopped


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"version": 2}, "another version of evenhand wrote it"),
        ({"outcome": "splendid"}, "another version of evenhand wrote it"),
        ({"sizes": {"output.txt": 5}}, "output.txt changed since it was stored: 4 bytes, expected 5"),
        ({"sizes": {"other.txt": 5}}, "other.txt is missing"),
        ({"seconds": "x"}, "damaged"),
        ({"written": [["a"]]}, "damaged"),
    ],
)
def test_a_damaged_run_says_what_to_remove(tmp_path: Path, change: dict[str, Any], message: str) -> None:
    (tmp_path / "output.txt").write_text("text")
    fields = json.loads(run_text(run_of(output="text"), Aftermath(), {"output.txt": 4}))
    (tmp_path / "run.json").write_text(json.dumps(fields | change))
    with pytest.raises(InputError) as error:
        read_run(tmp_path)
    said = str(error.value)
    assert message in said and "remove its folder to run it again" in said and said.startswith(f"{tmp_path}/run.json")


def test_a_folder_without_a_run_is_not_damaged(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        read_run(tmp_path)


# --- what is planned


@pytest.mark.parametrize(("pattern", "path"), [("{case}/{repeat}.md", "a/2.md"), ("{repeat}{repeat}", "22")])
def test_a_recorded_output_is_found_by_case_and_repeat(pattern: str, path: str) -> None:
    assert recorded_path(Recorded(pattern), RunId("a", "v", 2)) == path


@pytest.mark.parametrize(
    ("name", "problem"),
    [
        ("folder", "{0}/folder is a folder; a recorded output is a file"),
        ("absent", "{0}/absent: No such file or directory"),
        ("nul\0", "'{0}/nul\\x00' is not a path"),
    ],
)
def test_a_recorded_output_that_is_not_a_file_cannot_start(tmp_path: Path, name: str, problem: str) -> None:
    (tmp_path / "folder").mkdir()
    run = planned(Recorded(f"{tmp_path}/{name}"), tmp_path)
    assert (run.key, run.problem, run.listing) == ("", problem.format(tmp_path), ())


def test_a_skill_that_cannot_be_read_is_looked_up_once_and_is_every_runs_problem(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    variant = Variant("v", shell("true"), skill=Skill(f"{tmp_path}/absent", None))
    planner = Planner([variant], tmp_path / "revisions")
    first = planner.plan(Case("a", "x"), variant, 1)
    assert f"{tmp_path}/absent" in first.problem and first.key == ""
    (tmp_path / "absent").mkdir()
    assert planner.plan(Case("b", "x"), variant, 1).problem == first.problem


def test_a_skill_comes_over_the_files_of_a_case_sorted_by_path(tmp_path: Path) -> None:
    skill = tmp_path / "greet"
    skill.mkdir()
    (skill / "SKILL.md").write_text("new")
    (tmp_path / "old.md").write_text("old")
    case = Case("c", "x", files=(StartFile(f"{tmp_path}/old.md", ".claude/skills/greet/SKILL.md"),))
    run = planned(shell("true"), tmp_path, case=case, skill=Skill(str(skill), None))
    targets = [entry.target for entry in run.listing]
    assert targets == sorted(targets) and len(targets) == len(set(targets))
    (entry,) = [entry for entry in run.listing if entry.target == ".claude/skills/greet/SKILL.md"]
    assert entry.source == f"{skill}/SKILL.md"
    assert run.skill == "greet"


def test_a_key_depends_on_the_start_and_not_on_where_the_skill_lies(tmp_path: Path) -> None:
    keys = []
    for name in ("one", "two"):
        skill = tmp_path / name / "greet"
        skill.mkdir(parents=True)
        (skill / "SKILL.md").write_text("same")
        keys.append(planned(shell("true"), tmp_path, skill=Skill(str(skill), None)).key)
    assert keys[0] == keys[1] != planned(shell("true"), tmp_path).key


def test_the_file_of_a_function_counts_with_its_bytes(tmp_path: Path) -> None:
    file = tmp_path / "functions.py"
    keys = []
    for text in ("a = 1", "a = 2"):
        file.write_text(text)
        keys.append(planned(Function(f"{file}:run"), tmp_path).key)
    assert keys[0] != keys[1]


# --- what is kept back


def test_a_file_of_the_suite_that_is_gone_is_still_kept_back_by_its_name(tmp_path: Path) -> None:
    """It was there when the suite was read."""
    skill = tmp_path / "greet"
    skill.mkdir()
    (skill / "SKILL.md").write_text("x")
    kept = KeptBack([f"{skill}/gone.yaml"])
    (skill / "gone.yaml").write_text("answers")
    places = start_listing.skill_files(str(skill), "greet")
    split = kept.split(list_start(places), [place.target for place in places], str(skill), str(skill))
    assert split.left_out == ("gone.yaml",)


def test_an_empty_file_is_not_told_by_its_bytes(tmp_path: Path) -> None:
    """Every empty file has the same ones."""
    skill = tmp_path / "greet"
    skill.mkdir()
    (skill / "__init__.py").touch()
    (tmp_path / "cases.yaml").touch()
    places = start_listing.skill_files(str(skill), "greet")
    split = KeptBack([f"{tmp_path}/cases.yaml"]).split(list_start(places), [places[0].target], str(skill), str(skill))
    assert split.left_out == ()


def test_a_hard_link_to_a_file_of_the_suite_is_that_file_though_its_bytes_tell_nothing(tmp_path: Path) -> None:
    skill = tmp_path / "greet"
    skill.mkdir()
    (tmp_path / "cases.yaml").touch()
    os.link(tmp_path / "cases.yaml", skill / "other.yaml")
    places = start_listing.skill_files(str(skill), "greet")
    split = KeptBack([f"{tmp_path}/cases.yaml"]).split(list_start(places), [places[0].target], str(skill), str(skill))
    assert split.left_out == ("other.yaml",)


# --- revisions


def test_what_is_not_a_revision_is_refused_before_git_reads_it_as_an_option(tmp_path: Path) -> None:
    with pytest.raises(InputError) as error:
        planning.resolved_revision(str(tmp_path), "--output=x")
    (problem,) = error.value.problems
    assert (problem.message, problem.source) == ('"--output=x" is not a git revision', str(tmp_path))


def git(monkeypatch: pytest.MonkeyPatch, code: int, errors: bytes) -> list[list[str]]:
    calls: list[list[str]] = []

    def run(words: list[str], **_: Any) -> subprocess.CompletedProcess[bytes]:
        calls.append(words)
        return subprocess.CompletedProcess(words, code, b"", errors)

    monkeypatch.setattr(subprocess, "run", run)
    return calls


@pytest.mark.parametrize(
    ("errors", "why"),
    [(b"", ""), (b"hint\nfatal: bad\n", ": fatal: bad"), (b"x" * 201, ": " + "x" * 200), (b"\xff", ": \ufffd")],
)
def test_what_git_does_not_have_is_told_with_its_last_words(
    monkeypatch: pytest.MonkeyPatch, errors: bytes, why: str
) -> None:
    calls = git(monkeypatch, 1, errors)
    with pytest.raises(InputError) as error:
        planning.resolved_revision("/f", "v1")
    assert str(error.value) == f"/f: git has no v1 of this folder{why}"
    assert calls == [["git", "-C", "/f", "rev-parse", "--verify", "--quiet", "v1^{commit}"]]


def test_without_git_a_revision_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    def absent(*_: object, **__: object) -> None:
        raise FileNotFoundError("git")

    monkeypatch.setattr(subprocess, "run", absent)
    with pytest.raises(InputError, match="a git revision needs git, which is not installed"):
        planning.resolved_revision("/f", "v1")


# --- calling a function


@pytest.fixture
def called(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: Any) -> Iterator[Callable[..., tuple[str, str]]]:
    """Call a function of a file as a run does; what it returned and what it printed."""
    before, path = os.dup(1), list(sys.path)

    def call(body: str, name: str = "run") -> tuple[str, str]:
        (tmp_path / "beside.py").write_text("WORD = 'beside'\n")
        (tmp_path / "functions.py").write_text(body)
        monkeypatch.setattr(sys, "stdin", StringIO(json.dumps({"prompt": "Hi", "id": "c"})))
        try:
            call_function(f"{tmp_path}/functions.py:{name}")
        finally:
            sys.stdout.flush()
            os.dup2(before, 1)
        captured = capfd.readouterr()
        return captured.out, captured.err

    yield call
    os.close(before)
    sys.path[:] = path
    sys.modules.pop("beside", None)


@pytest.mark.parametrize(
    ("body", "result"),
    [
        ("def run(prompt):\n    return prompt + '!\\r\\n'", "Hi!\r\n"),
        ("def run(prompt, case):\n    return prompt + case['id']", "Hic"),
        ("import beside\ndef run(prompt):\n    return beside.WORD", "beside"),
    ],
)
def test_a_function_is_given_what_it_takes_and_may_import_what_lies_beside_it(
    called: Callable[..., tuple[str, str]], body: str, result: str
) -> None:
    assert called(body) == (result, "")


def test_what_a_function_prints_is_not_its_result(called: Callable[..., tuple[str, str]]) -> None:
    """Nor what a program prints that it starts."""
    out, err = called("import os\ndef run(prompt):\n    os.write(1, b'noise')\n    return 'result'")
    assert (out, err) == ("result", "noise")


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")  # its process ends with the file open
def test_a_function_that_returns_something_else_is_named(called: Callable[..., tuple[str, str]]) -> None:
    with pytest.raises(TypeError, match=r"functions.py:run returned int; it must return the output as a text"):
        called("def run(prompt):\n    return 3")


def test_a_function_of_a_module_is_imported(monkeypatch: pytest.MonkeyPatch, capfd: Any) -> None:
    monkeypatch.setattr(sys, "stdin", StringIO('{"prompt": "a//b"}'))
    before = os.dup(1)
    try:
        call_function("posixpath:normpath")
    finally:
        os.dup2(before, 1)
        os.close(before)
    assert capfd.readouterr().out == "a/b"


# --- folders


def test_times_tell_where_a_write_through_memory_changes_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file system that cannot be written, or whose files cannot be mapped, tells nothing; nothing is left there."""
    assert times_tell(tmp_path) in (True, False)
    assert list(tmp_path.iterdir()) == []
    assert times_tell(tmp_path / "absent") is False

    def unmapped(*_: object) -> None:
        raise OSError("no")

    monkeypatch.setattr(mmap, "mmap", unmapped)
    assert times_tell(tmp_path) is False
    assert list(tmp_path.iterdir()) == []


def test_folders_that_cannot_be_emptied_are_removed_and_others_are_made(tmp_path: Path) -> None:
    with Scratch(tmp_path / "base") as scratch:
        folders = FolderPool(scratch)
        assert folders.folder == tmp_path / "base"
        first, second = folders.take(), folders.take()
        assert first.root != second.root
        Path(second.home).chmod(0o755)
        folders.give_back(second)
        folders.give_back(first)
        assert not Path(second.root).exists()
        third = folders.take()
        assert third is first and Path(third.root).is_dir()
        assert folders.take() is not first


def test_a_home_that_a_run_wrote_into_is_not_empty(tmp_path: Path) -> None:
    folders = OwnFolders(f"{tmp_path}/r")
    assert folders.has_empty_home()
    (Path(folders.home) / "x").touch()
    assert not folders.has_empty_home()
    (Path(folders.home) / "x").unlink()
    assert folders.has_empty_home()


def test_only_the_owner_may_look_into_the_folders_of_a_run(tmp_path: Path) -> None:
    folders = OwnFolders(f"{tmp_path}/r")
    for path in (folders.root, folders.workspace, folders.home, folders.temporary):
        assert Path(path).stat().st_mode & 0o777 == 0o700
    with Scratch(tmp_path / "base") as scratch:
        assert scratch.folder.stat().st_mode & 0o777 == 0o700
        assert (tmp_path / "base").stat().st_mode & 0o777 == 0o700


def test_a_file_is_hashed_and_copied_piece_by_piece(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a").write_bytes(b"0123456789")
    whole = hash_now(str(tmp_path / "a"))
    monkeypatch.setattr(start_listing, "_PIECE", 3)
    monkeypatch.setattr(workspace, "_PIECE", 4)
    assert hash_now(str(tmp_path / "a")) == whole
    (tmp_path / "w").mkdir()
    fill(tmp_path / "w", list_start([StartFile(str(tmp_path / "a"), "a")]))
    assert (tmp_path / "w" / "a").read_bytes() == b"0123456789"


def test_a_link_that_is_made_again_as_it_was_is_not_a_change(tmp_path: Path) -> None:
    workspace = tmp_path / "w"
    workspace.mkdir()
    listing = (Entry("l", "link", "a"), Entry("m", "link", "a"))
    states = fill(workspace, listing)
    for name, target in (("l", "a"), ("m", "b")):
        (workspace / name).unlink()
        (workspace / name).symlink_to(target)
    changed, same = changes(workspace, with_folders(listing), states, 1 << 62)
    assert [change.target for change in changed] == ["m"] and same.isdisjoint("lm")


# --- confinement


def test_rights_are_given_up_by_an_older_system_only_with_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    """Version 3 is the first that watches truncation."""
    calls: list[tuple[Any, ...]] = []

    def call(library: object, number: int, *arguments: Any) -> int:
        calls.append((number, *arguments))
        return 2

    monkeypatch.setattr(landlock, "_call", call)
    with pytest.raises(OSError, match="Landlock has version 2 here, and 3 is needed"):
        landlock.restrict(Rights(None, []))
    assert calls == [(444, None, 0, 1)]


@linux
def test_rights_are_asked_for_by_their_numbers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As Linux numbers them: system calls 444 to 446; writing 1 << 1, making and removing 1 << 4 to 1 << 13, cutting
    off 1 << 14. A file, and what lies under /dev and /proc, can be written but not made."""
    everything, inside_files = 0x7FF2, 0x4002
    (tmp_path / "folder").mkdir()
    (tmp_path / "file").touch()
    ruleset = null()
    calls: list[tuple[Any, ...]] = []
    rules: dict[str, int] = {}

    def call(library: object, number: int, *arguments: Any) -> int:
        if number == 445:
            assert arguments[:2] == (ruleset, 1) and arguments[3] == 0
            rights, descriptor = struct.unpack("=Qi", arguments[2])
            rules[str(Path(f"/proc/self/fd/{descriptor}").readlink())] = rights
        else:
            calls.append((number, *arguments))
        return 3 if arguments[-1] == 1 else ruleset

    privileges: list[tuple[Any, ...]] = []

    class Library:
        @staticmethod
        def prctl(*words: Any) -> int:
            privileges.append(words)
            return 0

    monkeypatch.setattr(landlock, "_call", call)
    monkeypatch.setattr(ctypes, "CDLL", lambda *_, **__: Library)
    before = descriptors()
    landlock.restrict(Rights(None, [f"{tmp_path}/folder", f"{tmp_path}/file", f"{tmp_path}/absent"]))
    assert calls == [(444, None, 0, 1), (444, struct.pack("=Q", everything), 8, 0), (446, ruleset, 0)]
    assert rules.pop("/dev/shm", everything) == everything
    assert rules == {
        f"{tmp_path}/folder": everything,
        f"{tmp_path}/file": inside_files,
        "/dev": inside_files,
        "/proc": inside_files,
    }
    assert privileges == [(38, 1, 0, 0, 0)]
    assert len(before - descriptors()) == 1  # the ruleset, which is closed with the rest


def test_a_program_that_cannot_be_confined_does_not_start(monkeypatch: pytest.MonkeyPatch, capsys: Any) -> None:
    given: list[Rights] = []

    def refuse(rights: Rights) -> None:
        given.append(rights)
        raise OSError(1, "Operation not permitted")

    monkeypatch.setattr(landlock, "restrict", refuse)
    with pytest.raises(SystemExit) as end:
        landlock.main(['{"reads": ["/a"], "writes": ["/b"]}', "--", "tool", "--", "x"])
    assert (end.value.code, given) == (126, [Rights(["/a"], ["/b"])])
    assert capsys.readouterr().err == "tool cannot be started: Operation not permitted\n"


def test_after_the_rights_are_given_up_it_becomes_the_program(monkeypatch: pytest.MonkeyPatch) -> None:
    became: list[tuple[str, list[str]]] = []
    monkeypatch.setattr(landlock, "restrict", lambda rights: None)
    monkeypatch.setattr(os, "execvp", lambda name, words: became.append((name, words)))
    landlock.main(['{"reads": null, "writes": []}', "--", "tool", "--", "x"])
    assert became == [("tool", ["tool", "--", "x"])]


# --- what a run was refused


@pytest.mark.parametrize(
    ("reads", "limited", "notes"),
    [
        (True, True, ["TRIED errors", "REFUSED transcript"]),
        (True, False, ["REFUSED errors", "REFUSED transcript"]),  # writing was not limited
        (False, True, ["TRIED errors"]),
        (False, False, []),
    ],
)
def test_what_a_run_was_refused_is_noted_once_and_writing_comes_first(
    reads: bool, limited: bool, notes: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """From what it printed as errors and from its transcript, as far as its rights were limited."""
    (tmp_path / "t.jsonl").write_bytes(b"in the transcript")

    def refused(texts: list[bytes], allowed: tuple[str, ...], right: int) -> list[str]:
        assert texts == [b"in the errors", b"in the transcript"]
        assert allowed == (("r",) if right == os.R_OK else ("w",))
        return ["errors", "transcript"] if right == os.R_OK else ["errors"]

    monkeypatch.setattr(one_run, "refused_paths", refused)
    monkeypatch.setattr(one_run, "TRIED", "TRIED ")
    monkeypatch.setattr(one_run, "REFUSED", "REFUSED ")
    run: Any = SimpleNamespace(transcript="t.jsonl")
    ended: Any = SimpleNamespace(errors=b"in the errors")
    rights: Any = SimpleNamespace(reads=("r",) if reads else None, writes=("w",))
    limits = SimpleNamespace(limits=SimpleNamespace(writes=("w",) if limited else None))
    planned: Any = SimpleNamespace(variant=limits)
    assert list(one_run._refusals(run, ended, rights, planned, tmp_path)) == notes


def test_a_run_without_a_transcript_is_known_by_its_errors_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[list[bytes]] = []
    monkeypatch.setattr(one_run, "refused_paths", lambda texts, allowed, right: seen.append(texts) or [])
    run: Any = SimpleNamespace(transcript=None)
    ended: Any = SimpleNamespace(errors=b"e")
    rights: Any = SimpleNamespace(reads=("r",), writes=None)
    planned: Any = SimpleNamespace(variant=SimpleNamespace(limits=SimpleNamespace(writes=None)))
    assert one_run._refusals(run, ended, rights, planned, tmp_path) == ()
    assert seen == [[b"e"]]


def test_files_in_use_are_those_that_a_process_has_open_or_in_its_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Under the path that is asked for, and nowhere else; of this process and of one that has ended meanwhile."""
    monkeypatch.setattr(os, "listdir", lambda path: ["0", "self", str(os.getpid())])
    for name in ("opened", "mapped", "neither"):
        (tmp_path / name).write_bytes(b"x" * 4096)
    with (tmp_path / "opened").open("rb"), (tmp_path / "mapped").open("rb") as file:
        memory = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        file.close()
        found = files_in_use(f"{tmp_path}/")
        assert found == {str(tmp_path / "opened"), str(tmp_path / "mapped")}
        assert files_in_use(f"{tmp_path}/open") == {str(tmp_path / "opened")}
        memory.close()
    assert files_in_use(f"{tmp_path}/") == set()
