"""The processes of runs: how they are found, limited, waited for and described, and what is kept of them."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import threading
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path

import pytest

from evenhand.decisions.values.suite import Case, Command, Limits, Message
from evenhand.errors import DocumentError, InputError, Unavailable
from evenhand.runs import confined_rights, limited_process, one_run, planned, process_start, process_table, scratch
from evenhand.runs.confined_rights import MOST_NAMED, READS_ANYTHING, TRIED, UNWATCHED, notes_on_refusals, refused_paths
from evenhand.runs.kept_runs import KeptRuns, cannot_keep
from evenhand.runs.landlock import Rights
from evenhand.runs.limited_process import Interrupted
from evenhand.runs.process_table import Process, members
from evenhand.runs.run_document import Aftermath, read_run, run_of_line, run_text
from evenhand.runs.run_environment import LONGEST_VARIABLE, Given, filled, variables, whole_prompt
from evenhand.runs.run_lines import KeyedLines
from evenhand.runs.scratch import Scratch
from evenhand.runs.waits import Together, Wait
from evenhand.runs.workspaces.start_listing import Entry
from evenhand.work.agent_run import AgentRun, RunId
from finished_work import finish
from suite_values import run_once, shell

linux = pytest.mark.skipif(not process_table.is_available(), reason="needs /proc")

# --- limits of a command


def folder(tmp_path: Path, name: str) -> Path:
    (tmp_path / name).mkdir()
    return tmp_path / name


@pytest.mark.parametrize("has_descriptor", [True, False])
def test_a_run_is_ended_at_its_time_limit(tmp_path, monkeypatch, has_descriptor):
    """Also where the system has no descriptor that tells the end of a process."""
    if not has_descriptor:
        monkeypatch.delattr(limited_process.os, "pidfd_open", raising=False)
    run, _ = run_once(Command(("sleep", "60")), tmp_path, limits=Limits(seconds=Decimal("0.05")))
    assert (run.outcome, run.reason) == ("timed out", "it took longer than 0.05 s")
    assert run.seconds is not None and run.seconds >= Decimal("0.05")


@pytest.mark.parametrize("has_descriptor", [True, False])
def test_a_run_within_its_limits_finishes(tmp_path, monkeypatch, has_descriptor):
    if not has_descriptor:
        monkeypatch.delattr(limited_process.os, "pidfd_open", raising=False)
    limits = Limits(seconds=Decimal(60), output_bytes=100, processes=50, memory_bytes=10**9)
    run, _ = run_once(shell("echo out; echo err >&2"), tmp_path, limits=limits)
    assert (run.outcome, run.output, run.exit_code, run.reason) == ("finished", "out\n", 0, "")


def held() -> list[str]:
    """The pipes and the descriptors of processes that this process has open."""
    found = []
    for path in Path("/proc/self/fd").iterdir():
        try:
            target = str(path.readlink())
        except OSError:
            continue
        if target.startswith(("pipe:", "anon_inode:[pidfd]")):
            found.append(target)
    return sorted(found)


@linux
def test_nothing_is_left_open_after_a_run(tmp_path):
    """However it ended, and when it could not be started."""
    before = held()
    run_once(shell("echo out"), folder(tmp_path, "a"))
    run_once(Command(("yes",)), folder(tmp_path, "b"), limits=Limits(output_bytes=10))
    run_once(Command(("no-such-command",)), folder(tmp_path, "c"))
    assert held() == before


@pytest.mark.parametrize(
    ("code", "errors", "outcome", "reason"),
    [
        (0, b"ignored", "finished", ""),
        (3, b"", "failed", "it ended with exit code 3"),
        (3, b"first\nlast words\n\n  \n", "failed", "it ended with exit code 3: last words"),
        (3, b"x" * 301, "failed", "it ended with exit code 3: " + "x" * 300),
        (-9, b"", "failed", "it was killed by SIGKILL"),
        (-11, b"oops", "failed", "it was killed by SIGSEGV: oops"),
        (-250, b"", "failed", "it was killed by signal 250"),
        (1, b"\xff\n", "failed", "it ended with exit code 1: \ufffd"),
    ],
)
def test_an_end_is_told_with_the_last_words(code, errors, outcome, reason):
    assert limited_process._ended(code, errors) == (outcome, reason)


@pytest.mark.parametrize(
    ("count", "note"),
    [(1, "it left a process running, which was ended"), (1200, "it left 1,200 processes running, which were ended")],
)
def test_processes_left_behind_are_counted(count, note):
    assert limited_process._left_behind(count) == note


def test_processes_and_memory_that_cannot_be_watched_are_noted(tmp_path, monkeypatch):
    """Only where the suite limits one of them."""
    monkeypatch.setattr(one_run.process_table, "is_available", lambda: False)
    noted = [
        one_run.PROCESSES_UNWATCHED
        in run_once(Command(("true",)), folder(tmp_path, f"{place}"), limits=limits)[0].notes
        for place, limits in enumerate(
            (
                Limits(processes=None, memory_bytes=None),
                Limits(processes=5, memory_bytes=None),
                Limits(processes=None, memory_bytes=10**9),
                Limits(processes=5, memory_bytes=10**9),
            )
        )
    ]
    assert noted == [False, True, True, True]
    monkeypatch.setattr(one_run.process_table, "is_available", lambda: True)
    assert (
        one_run.PROCESSES_UNWATCHED
        not in run_once(Command(("true",)), folder(tmp_path, "w"), limits=Limits(processes=5))[0].notes
    )


def test_a_flood_over_many_pieces_is_cut_at_its_limit(tmp_path):
    """More than one reading of a pipe, which gives 65,536 bytes at most."""
    run, _ = run_once(Command(("yes",)), tmp_path, limits=Limits(output_bytes=200_001))
    assert (run.outcome, run.reason) == ("stopped by a limit", "it printed more than 200,001 bytes")
    assert run.output is not None and len(run.output) == 200_001


def with_member(monkeypatch, **more) -> None:
    """Let every run seem to have one process, which does not exist, and to have left something behind."""
    member = process(2**22 + 1, 1, 1, **more)
    monkeypatch.setattr(limited_process.process_table, "has_orphans", lambda mark: True)
    monkeypatch.setattr(limited_process.process_table, "members", lambda table, session, mark: [member])


def test_a_process_that_has_ended_is_neither_left_behind_nor_takes_memory(tmp_path, monkeypatch):
    """A zombie waits for somebody to notice its end; nothing is left of it."""
    with_member(monkeypatch, is_zombie=True, resident=10**12)
    limits = Limits(memory_bytes=10**9, processes=0)
    run, _ = run_once(Command(("sleep", "0.25")), tmp_path, limits=limits)
    assert (run.outcome, run.notes) == ("finished", (UNWATCHED, READS_ANYTHING))


@pytest.mark.parametrize(
    ("limits", "reason"),
    [
        (Limits(processes=0, memory_bytes=None), "it had more than 0 processes at once"),
        (Limits(processes=1, memory_bytes=999), "it took 1,000 bytes of memory, more than 999"),
    ],
)
def test_a_run_beyond_its_processes_or_memory_is_stopped(tmp_path, monkeypatch, limits, reason):
    """Looked at five times a second; exactly the limit is allowed."""
    with_member(monkeypatch, resident=1000)
    monkeypatch.setattr(limited_process, "GRACE", 0.01)
    run, _ = run_once(Command(("sleep", "60")), tmp_path, limits=limits)
    assert (run.outcome, run.reason) == ("stopped by a limit", reason)


def test_exactly_the_limit_of_processes_and_memory_is_allowed(tmp_path, monkeypatch):
    with_member(monkeypatch, resident=1000)
    monkeypatch.setattr(limited_process, "GRACE", 0.01)
    run, _ = run_once(Command(("sleep", "0.25")), tmp_path, limits=Limits(processes=1, memory_bytes=1000))
    assert run.outcome == "finished"
    assert run.notes[0] == "it left a process running, which was ended"


# --- who belongs to a run


def process(pid: int, parent: int, session: int, **more) -> Process:
    return Process(pid, parent, session, more.get("is_zombie", False), more.get("resident", 0))


def test_a_run_has_the_processes_of_its_session_their_children_and_what_we_adopted(monkeypatch):
    """A grandchild in another session too; a child of ours without the mark does not belong to it."""
    here = os.getpid()
    table = [
        process(10, here, 10),
        process(11, 10, 11),
        process(12, 11, 12),
        process(20, here, 20),
        process(21, here, 21),
        process(22, 21, 22),
        process(30, 1, 10),
        process(40, 1, 40),
    ]
    monkeypatch.setattr(process_table, "_has_mark", lambda pid, mark: (pid, mark) == (21, b"m"))
    assert [entry.pid for entry in members(table, 10, b"m")] == [10, 11, 12, 21, 22, 30]
    assert [entry.pid for entry in members(table, 99, b"x")] == []


@linux
def test_this_process_is_in_the_table_with_its_memory():
    (own,) = [entry for entry in process_table.processes(fresh=True) if entry.pid == os.getpid()]
    assert (own.parent, own.session, own.is_zombie) == (os.getppid(), os.getsid(0), False)
    assert own.resident > 5_000_000
    assert process_table.processes() is process_table.processes()


@linux
def test_processes_are_known_by_a_mark_in_their_environment():
    """A program that has ended is a zombie until somebody notices."""
    mark = f"EVENHAND_TEST_MARK={os.getpid()}"
    name, _, value = mark.partition("=")
    with subprocess.Popen(["sleep", "60"], env={name: value, "PATH": os.environ["PATH"]}) as child:
        assert process_table.marked(mark.encode()) == [child.pid]
        child.send_signal(signal.SIGKILL)
        os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOWAIT)
        (entry,) = [entry for entry in process_table.processes(fresh=True) if entry.pid == child.pid]
        assert entry.is_zombie
    assert process_table.marked(mark.encode()) == []


# --- writes elsewhere


def test_refused_paths_are_paths_that_we_could_write_ourselves(tmp_path):
    """As shells and as Python print them; once each, and none inside."""
    inside, outside = folder(tmp_path, "inside"), folder(tmp_path, "outside")
    (outside / "old").touch()
    texts = [
        f"sh: 1: cannot create {outside}/new: Permission denied\n",
        f"rm: cannot remove '{outside}/old': Permission denied\n",
        f"PermissionError: [Errno 13] Permission denied: '{outside}/new'\n",
        f"cat: {inside}/x: Permission denied\ncat: /nowhere/x: Permission denied\ncat: relative: Permission denied\n",
    ]
    found = refused_paths([text.encode() for text in texts], [str(inside)])
    assert found == [f"{outside}/new", f"{outside}/old"]
    assert refused_paths([f"{inside}: Permission denied".encode()], [str(inside)]) == []
    assert refused_paths([f"{inside}side/x: Permission denied".encode()], [str(inside)]) == []


def test_only_so_many_refusals_are_named():
    names = [f"/x/{number}" for number in range(MOST_NAMED + 2)]
    assert notes_on_refusals(names[:MOST_NAMED]) == tuple(TRIED + name for name in names[:MOST_NAMED])
    assert notes_on_refusals(names)[-1] == f"{TRIED}2 more paths"
    assert len(notes_on_refusals(names)) == MOST_NAMED + 1
    assert notes_on_refusals([]) == ()


def test_a_confined_command_comes_after_its_rights():
    words = confined_rights.confined_to(Rights(["/a"], ["/b"]))
    assert (json.loads(words[-2]), words[-1]) == ({"reads": ["/a"], "writes": ["/b"]}, "--")


@linux
@pytest.mark.parametrize("refuses", [True, False])
def test_a_confinement_that_cannot_be_made_is_not_possible(monkeypatch, refuses):
    """A system that refuses, and one that pretends: the files outside can still be read."""

    def pretends(rights, work):
        if refuses:
            raise PermissionError
        return work()

    confined_rights.is_possible.cache_clear()
    with monkeypatch.context() as patch:
        patch.setattr(confined_rights.landlock, "version", lambda: 7)
        patch.setattr(confined_rights, "with_rights", pretends)
        assert not confined_rights.is_possible()
    confined_rights.is_possible.cache_clear()


def test_only_linux_confines_runs(monkeypatch):
    """Elsewhere nothing is even tried."""
    confined_rights.is_possible.cache_clear()
    with monkeypatch.context() as patch:
        patch.setattr(confined_rights, "with_rights", lambda rights, work: True)
        patch.setattr(confined_rights.landlock, "version", lambda: 7)
        patch.setattr(confined_rights.sys, "platform", "linux")
        assert confined_rights.is_possible()
        confined_rights.is_possible.cache_clear()
        patch.setattr(confined_rights.sys, "platform", "darwin")
        assert not confined_rights.is_possible()
    confined_rights.is_possible.cache_clear()


# --- no network


def ways(monkeypatch, *, programs: dict[str, str], works: set[str], root: bool) -> tuple[tuple[str, ...] | None, list]:
    """The way that is taken, and those that were tried."""
    tried: list[list[str]] = []

    def run(words, **more):
        tried.append(words[:-1])
        assert words[-1] == "true"
        if " ".join(words[:-1]) == "/broken --net":
            raise OSError("broken")
        return subprocess.CompletedProcess(words, 0 if " ".join(words[:-1]) in works else 1)

    monkeypatch.setattr(one_run.shutil, "which", programs.get)
    monkeypatch.setattr(one_run.os, "geteuid", lambda: 0 if root else 1000)
    monkeypatch.setattr(one_run.subprocess, "run", run)
    one_run.without_network.cache_clear()
    try:
        return one_run.without_network(), tried
    finally:
        one_run.without_network.cache_clear()


BOTH = {"unshare": "/u", "bwrap": "/b"}
USER = "/u --user --map-current-user --net"
BWRAP = "/b --dev-bind / / --unshare-net"


@pytest.mark.parametrize(
    ("programs", "works", "root", "way"),
    [
        (BOTH, {"/u --net", USER, BWRAP}, True, "/u --net"),
        (BOTH, {"/u --net", USER, BWRAP}, False, USER),
        (BOTH, {USER, BWRAP}, True, USER),
        (BOTH, {BWRAP}, False, BWRAP),
        ({"bwrap": "/b"}, {BWRAP}, True, BWRAP),
        ({"unshare": "/u"}, {BWRAP}, True, None),
        ({"unshare": "/broken"}, set(), True, None),
        ({}, {BWRAP}, True, None),
    ],
)
def test_the_first_way_without_network_that_works_is_taken(monkeypatch, programs, works, root, way):
    """As root no user namespace is needed; bubblewrap comes last."""
    found, _ = ways(monkeypatch, programs=programs, works=works, root=root)
    assert found == (None if way is None else tuple(way.split()))


# --- what a command is given

GIVEN = Given("Say {case}.", "/p.txt", "/w", "c-1", 2, "/w/.claude/skills/s", {"name": "Ann"})


def test_placeholders_are_filled_once_and_only_those_that_are_known():
    text = "{prompt}|{prompt_file}|{workspace}|{case}|{repeat}|{skill}|{vars.name}|{vars.other}|{else}"
    assert filled(text, GIVEN) == "Say {case}.|/p.txt|/w|c-1|2|/w/.claude/skills/s|Ann|{vars.other}|{else}"
    assert filled(text, GIVEN, ("workspace", "repeat")) == text.replace("{workspace}", "/w").replace("{repeat}", "2")
    assert filled("plain", GIVEN) == "plain"


def test_a_prompt_comes_after_its_conversation():
    case = Case("c", "Now?", conversation=(Message("system", "Be brief."), Message("assistant", "Hi.")))
    assert whole_prompt(case) == "System: Be brief.\n\nAssistant: Hi.\n\nUser: Now?"
    assert whole_prompt(Case("c", "Now?")) == "Now?"


def environment(given: Given = GIVEN, home: str | None = "/h", **own: str) -> dict[str, str]:
    inherited = {"PATH": "/bin", "HOME": "/old", "TMPDIR": "/old", "CODEX_HOME": "x", "GITHUB_TOKEN": "x"}
    command = Command(("x",), environment=own)
    return variables(command, given, inherited, home=home, temporary="/t", mark="/root/")


@pytest.mark.parametrize(
    ("inherited", "home", "got"),
    [({"HOME": "/old"}, "/h", "/h"), ({"HOME": "/old"}, None, "/old"), ({}, "/h", "/h"), ({}, None, None)],
)
def test_home_is_its_own_or_else_the_users_if_there_is_one(
    inherited: dict[str, str], home: str | None, got: str | None
) -> None:
    made = variables(Command(("x",)), GIVEN, inherited, home=home, temporary="/t", mark="/root/")
    assert made.get("HOME") == got


def test_a_command_gets_its_own_folders_and_what_it_is_given():
    """Its own variables come last; the user's other variables are not passed on."""
    made = environment(TMPDIR="/mine")
    assert (made["HOME"], made["TMPDIR"], made["PWD"], made["EVENHAND_RUN"], made["PATH"]) == (
        "/h",
        "/mine",
        "/w",
        "/root/",
        "/bin",
    )
    assert not {"CODEX_HOME", "GITHUB_TOKEN"} & set(made)
    assert {name: value for name, value in made.items() if name.startswith("EVENHAND_") and name != "EVENHAND_RUN"} == {
        "EVENHAND_PROMPT": "Say {case}.",
        "EVENHAND_PROMPT_FILE": "/p.txt",
        "EVENHAND_WORKSPACE": "/w",
        "EVENHAND_CASE": "c-1",
        "EVENHAND_REPEAT": "2",
        "EVENHAND_SKILL": "/w/.claude/skills/s",
    }
    shared = environment(home=None)
    assert shared["HOME"] == "/old" and "CODEX_HOME" not in shared and shared["TMPDIR"] == "/t"


@pytest.mark.parametrize(
    ("prompt", "is_there"),
    [
        ("x" * LONGEST_VARIABLE, True),
        ("x" * (LONGEST_VARIABLE + 1), False),
        ("é" * (LONGEST_VARIABLE // 2 + 1), False),
        ("a\0b", False),
    ],
)
def test_a_prompt_that_fits_into_no_variable_is_in_its_file_only(prompt, is_there):
    assert ("EVENHAND_PROMPT" in environment(GIVEN._replace(prompt=prompt))) is is_there


# --- finding programs


def test_a_program_is_found_along_the_path_of_its_environment(tmp_path):
    """A file that may not be run is passed by, and is the reason when nothing else is found."""
    first, second = folder(tmp_path, "first"), folder(tmp_path, "second")
    (first / "tool").write_text("#!/bin/sh\n")
    (second / "tool").write_text("#!/bin/sh\n")
    (second / "tool").chmod(0o755)
    path = {"PATH": f"{first}:{second}"}
    assert process_start.find_program("tool", tmp_path, path) == os.fsencode(second / "tool")
    with pytest.raises(PermissionError):
        process_start.find_program("tool", tmp_path, {"PATH": str(first)})
    with pytest.raises(FileNotFoundError):
        process_start.find_program("none", tmp_path, path)
    with pytest.raises(PermissionError):
        process_start.find_program("./first", tmp_path, path)
    assert process_start.find_program("./second/tool", tmp_path, path) == os.fsencode(f"{tmp_path}/./second/tool")
    (second / "tool").unlink()
    with pytest.raises(PermissionError):
        process_start.find_program("tool", tmp_path, path)
    with pytest.raises(ValueError, match="null byte"):
        process_start.find_program("a\0b", tmp_path, path)


# --- work that waits


def counting(steps: int, seconds: float = 0.0) -> Iterator[Wait]:
    for _ in range(steps):
        yield Wait((), seconds)
    return steps  # type: ignore[return-value]


def test_work_is_done_by_turns_and_each_result_comes_once():
    together: Together[int] = Together()
    for steps in (3, 1, 2):
        together.add(counting(steps))
    assert len(together) == 3
    results: list[int] = []
    while together:
        results += together.step()
    assert results == [1, 2, 3] and len(together) == 0
    assert together.step() == []


def test_work_that_is_done_at_once_waits_for_nobody():
    together: Together[int] = Together()
    together.add(counting(0))
    together.add(counting(1, 3600.0))
    assert len(together) == 2
    assert together.step() == [0]
    together.close()
    assert len(together) == 0


def test_work_goes_on_when_what_it_waits_for_can_be_read():
    """It is sent the descriptors that are ready, and no others."""
    ready_end, ready_write = os.pipe()
    other_end, other_write = os.pipe()
    os.write(ready_write, b"x")

    def waiting():
        return (yield Wait([other_end, ready_end], 3600.0))

    assert finish(waiting()) == [ready_end]
    for descriptor in (ready_end, ready_write, other_end, other_write):
        os.close(descriptor)


def test_what_work_raises_is_raised_and_the_others_go_on():
    together: Together[int] = Together()

    def failing():
        yield Wait((), 0.0)
        raise ValueError("broken")

    together.add(counting(2))
    together.add(failing())
    together.add(counting(2))
    with pytest.raises(ValueError, match="broken"):
        list(iter(together.step, None))
    results: list[int] = []
    while together:
        results += together.step()
    assert results == [2, 2]


def test_what_is_given_up_is_closed():
    closed: list[bool] = []

    def working():
        try:
            yield Wait((), 3600.0)
        finally:
            closed.append(True)

    together: Together[None] = Together()
    together.add(working())
    together.close()
    assert closed == [True]


# --- kept runs

RUN = AgentRun(
    RunId("c", "v", 2), "0" * 64, "finished", "", output="Done.", exit_code=0, seconds=Decimal("1.25"),
    started="2026-01-01T00:00:00Z", input_tokens=10, output_tokens=20, cost=Decimal("0.5"), notes=("a note",),
)  # fmt: skip
AFTERMATH = Aftermath(
    (Entry("a/b", "file", "", executable=True), Entry("l", "link", "a"), Entry("d", "folder", "")), ("gone",)
)


def kept(tmp_path: Path, run: AgentRun = RUN, aftermath: Aftermath = AFTERMATH, **sizes: int) -> Path:
    """A run in a folder, as it is kept."""
    made = tmp_path / "run"
    made.mkdir()
    (made / "output.txt").write_text(run.output or "", newline="")
    (made / "run.json").write_text(run_text(run, aftermath, {"output.txt": len((run.output or "").encode()), **sizes}))
    return made


def test_a_kept_run_comes_back_as_it_was(tmp_path):
    """The files that it wrote are in its folder; a transcript and changes are named by their paths."""
    run = RUN._replace(transcript="transcript/s.jsonl", changes="changes.diff", output="a\r\nb\n")
    made = kept(tmp_path, run)
    back, aftermath = read_run(made)
    assert back == run._replace(transcript=str(made / "transcript/s.jsonl"), changes=str(made / "changes.diff"))
    assert aftermath.gone == ("gone",) and aftermath.whole
    assert [(entry.target, entry.kind, entry.source, entry.executable) for entry in aftermath.written] == [
        ("a/b", "file", str(made / "files/a/b"), True),
        ("l", "link", "a", False),
        ("d", "folder", "", False),
    ]


@pytest.mark.parametrize("output", [None, ""])
def test_a_run_without_output_is_one_line(tmp_path, output):
    run = RUN._replace(output=output, seconds=None, cost=None)
    line = run_text(run, Aftermath(whole=False), {})
    assert line.endswith("\n") and line.count("\n") == 1 and line.isascii()
    back, aftermath = run_of_line(json.loads(line), tmp_path / "runs.jsonl")
    assert (back, aftermath.whole) == (run, False)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"version": 2}, "another version of evenhand wrote it"),
        ({"outcome": "won"}, "another version of evenhand wrote it"),
        ({"seconds": "x"}, "damaged"),
        ({"notes": 3}, "damaged"),
    ],
)
def test_a_run_that_cannot_be_read_is_damaged(tmp_path, change, message):
    made = kept(tmp_path)
    fields = json.loads((made / "run.json").read_text()) | change
    (made / "run.json").write_text(json.dumps(fields))
    with pytest.raises(DocumentError, match=message) as error:
        read_run(made)
    assert "remove its folder to run it again" in str(error.value)
    with pytest.raises(DocumentError, match="remove the line with its key to run it again"):
        run_of_line(fields, tmp_path / "runs.jsonl")


def test_a_file_of_another_length_or_a_missing_one_is_damage(tmp_path):
    made = kept(tmp_path)
    (made / "output.txt").write_text("Done!!")
    with pytest.raises(DocumentError, match=r"output\.txt"):
        read_run(made)
    (made / "output.txt").unlink()
    with pytest.raises(DocumentError, match=r"output\.txt is missing"):
        read_run(made)
    (made / "run.json").unlink()
    with pytest.raises(FileNotFoundError):
        read_run(made)


def test_lines_are_found_by_key_and_the_later_counts(tmp_path):
    lines, other = KeyedLines(tmp_path / "l"), KeyedLines(tmp_path / "l")
    lines.add("a", '{"key": "a", "n": 1}\n')
    other.add("b", '{"key": "b", "n": 2}\n')
    other.add("a", '{"key": "a", "n": 3}\n')
    assert [lines.find(key) and lines.find(key)["n"] for key in "abc"] == [3, 2, None]
    assert [other.find(key) and other.find(key)["n"] for key in "abc"] == [3, 2, None]
    lines.add("c", '{"key": "c", "n": 4}\n')
    assert (lines.find("c")["n"], other.find("c")["n"], lines.find("a")["n"]) == (4, 4, 3)
    with (tmp_path / "l").open("ab") as file:
        file.write(b'\n[1]\n{"n": 5}\nnot JSON\n{"key": "d"')
    assert lines.find("d") is None
    with (tmp_path / "l").open("ab") as file:
        file.write(b', "n": 6}\n')
    assert lines.find("d")["n"] == 6
    lines.close()
    other.close()


def test_a_run_is_kept_under_its_key_and_a_newer_one_takes_its_place(tmp_path):
    """With files in a folder, without in a line; a folder counts rather than a line."""
    bare = RUN._replace(output=None)
    with KeptRuns(tmp_path / "kept") as runs:
        assert runs.find(RUN.key) is None and runs.load(RUN.key, RUN.id) is None
        assert runs.keep(runs.new(), bare, Aftermath()) == bare
        assert not (tmp_path / "kept" / RUN.key).exists()
        assert runs.load(RUN.key, RunId("c", "other", 9)) == bare._replace(id=RunId("c", "other", 9))
        runs.keep(runs.new(), RUN, Aftermath())
        assert runs.find(RUN.key)[0].output == "Done."
        runs.keep(runs.new(), RUN._replace(output="Again."), Aftermath())
        assert runs.find(RUN.key)[0].output == "Again."
        runs.keep(runs.new(), bare, Aftermath())
        assert runs.find(RUN.key)[0].output is None
        assert sorted(path.name for path in (tmp_path / "kept").iterdir()) == [
            RUN.key,
            "locks",
            "runs.jsonl",
            "unfinished",
        ]


def test_a_run_half_moved_into_place_is_the_newer_one(tmp_path):
    with KeptRuns(tmp_path / "kept") as runs:
        runs.keep(runs.new(), RUN, Aftermath())
        (tmp_path / "kept" / RUN.key).rename(tmp_path / "kept" / f"{RUN.key}.next")
        assert runs.find(RUN.key)[0].output == "Done."


def test_a_key_that_another_process_holds_is_waited_for(tmp_path):
    """Asked to stop, it is not waited for any longer; another key is free."""
    with KeptRuns(tmp_path / "kept") as runs, finish(runs.claim("a" * 64, threading.Event())):
        child = os.fork()
        if child == 0:
            code = 1
            try:
                stop = threading.Event()
                stop.set()
                others = KeptRuns(tmp_path / "kept")
                with finish(others.claim("b" * 64, stop)):
                    code = 2
                finish(others.claim("a" * 64, stop))
                code = 3
            except Interrupted:
                code = 0
            finally:
                os._exit(code)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


def test_a_disk_that_cannot_be_written_stops_everything():
    message = "runs cannot be kept in /x: No space left on device; finished runs are safe"
    with pytest.raises(Unavailable, match=message), cannot_keep(Path("/x")):
        raise OSError(28, "No space left on device")


# --- scratch folders


@pytest.mark.parametrize("moment", ["before it is opened", "before it is locked"])
def test_a_folder_that_another_process_swept_away_is_made_anew(tmp_path, monkeypatch, moment):
    """Two commands that start at once: one of them may take the other's new folder for an abandoned one."""
    real_open, real_lock = os.open, scratch.fcntl.flock
    swept: list[str] = []

    def sweep() -> None:
        (folder,) = (tmp_path / "base").iterdir()
        swept.append(folder.name)
        folder.rmdir()

    def opened(path, *more):
        if moment == "before it is opened" and not swept:
            sweep()
        return real_open(path, *more)

    def locked(descriptor, how):
        if moment == "before it is locked" and not swept:
            sweep()
        real_lock(descriptor, how)

    with monkeypatch.context() as patch:
        patch.setattr(scratch.os, "open", opened)
        patch.setattr(scratch.fcntl, "flock", locked)
        made = Scratch(tmp_path / "base")
    assert made.folder.is_dir() and made.folder.name not in swept and len(swept) == 1
    made.close()
    assert not made.folder.exists()


def test_a_scratch_folder_is_made_with_the_folders_above_it_and_for_its_owner_alone(tmp_path):
    with Scratch(tmp_path / "above" / "base") as made:
        assert made.folder.parent == tmp_path / "above" / "base"
        assert made.folder.stat().st_mode & 0o777 == 0o700


def test_a_scratch_folder_hands_out_new_paths_and_sweeps_what_nobody_holds(tmp_path):
    with Scratch(tmp_path) as first:
        assert first.new() != first.new() and first.new().parent == first.folder and not first.new().exists()
        (tmp_path / "abandoned").mkdir()
        (tmp_path / "abandoned" / "file").touch()
        with Scratch(tmp_path) as second:
            assert first.folder.exists() and second.folder != first.folder
            assert not (tmp_path / "abandoned").exists()
        assert not second.folder.exists()


# --- revisions


def git(folder: Path, *words: str) -> str:
    about = ["-c", "user.name=a", "-c", "user.email=a@b.c", "-c", "commit.gpgsign=false"]
    done = subprocess.run(["git", "-C", str(folder), *about, *words], capture_output=True, check=True, text=True)
    return done.stdout.strip()


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """A skill in a folder of a repository, changed since its first commit."""
    skill = folder(tmp_path, "repository") / "skill"
    skill.mkdir()
    git(tmp_path / "repository", "init", "-q")
    for text in ("first", "second"):
        (skill / "SKILL.md").write_text(text)
        git(tmp_path / "repository", "add", ".")
        git(tmp_path / "repository", "commit", "-q", "-m", text)
    return skill


def test_a_skill_of_a_revision_has_the_files_of_that_time(repository, tmp_path):
    """A branch may move, a commit does not; the files as they are stay untouched."""
    commit = planned.resolved_revision(str(repository), "HEAD~1")
    assert len(commit) == 40 and commit == git(repository, "rev-parse", "HEAD~1")
    planned.extract(str(repository), commit, tmp_path / "out" / "skill")
    assert (tmp_path / "out/skill/SKILL.md").read_text() == "first"
    assert (repository / "SKILL.md").read_text() == "second"


def test_a_revision_that_is_none_is_refused_with_its_folder(repository, monkeypatch):
    with pytest.raises(InputError) as error:
        planned.resolved_revision(str(repository), "no-such")
    (problem,) = error.value.problems
    assert problem.message.startswith("git has no no-such of this folder") and problem.source == str(repository)
    with pytest.raises(InputError, match='"--help" is not a git revision'):
        planned.resolved_revision(str(repository), "--help")
    monkeypatch.setenv("PATH", "/nowhere")
    with pytest.raises(InputError, match="a git revision needs git, which is not installed"):
        planned.resolved_revision(str(repository), "HEAD")
