"""Runs that can write in their own folders only; where they tried to write elsewhere; what the report says of it."""

from __future__ import annotations

import os

import pytest

from evenhand.decisions.values.suite import Command, Limits
from evenhand.runs import confined_rights, one_run
from evenhand.runs.confined_rights import CONFINED, READS_ANYTHING, TRIED, UNWATCHED, notes_on_refusals, refused_paths
from evenhand.suite_runs.judgement.run_notes import MOST_NAMED, WatchNotes
from evenhand.work.agent_run import CaseResult, RunId
from suite_values import planned, run_once, shell

landlock = pytest.mark.skipif(not confined_rights.is_possible(), reason="this system has no Landlock")
INSIDE = Limits(writes=())


@landlock
def test_a_confined_run_writes_in_its_own_folders_and_nowhere_else(tmp_path):
    """Workspace, HOME, temporary files and devices; a file outside is neither made, changed, emptied nor removed."""
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "old").write_text("old")
    script = (
        "mkdir sub; echo a > a; mv a sub/b; echo h > $HOME/h; echo t > $TMPDIR/t; echo n > /dev/null; "
        f"echo x > {outside}/new; echo x > {outside}/old; (: > {outside}/old); rm -f {outside}/old; cat {outside}/old"
    )
    run, into = run_once(shell(script), tmp_path, limits=INSIDE)
    assert (run.outcome, run.output) == ("finished", "old")
    assert sorted(outside.iterdir()) == [outside / "old"]
    assert "+++ b/sub/b" in (into / "changes.diff").read_text()
    assert run.notes == (CONFINED, READS_ANYTHING, f"{TRIED}{outside}/new", f"{TRIED}{outside}/old")


@landlock
def test_a_confined_run_may_write_where_the_suite_lists_it(tmp_path):
    """A cache that all runs share; a folder that does not exist is passed by."""
    cache = tmp_path / "cache"
    cache.mkdir()
    limits = Limits(writes=(str(cache), str(tmp_path / "absent")))
    run, _ = run_once(shell(f"echo x > {cache}/x"), tmp_path, limits=limits)
    assert (run.outcome, run.notes) == ("finished", (CONFINED, READS_ANYTHING))
    assert (cache / "x").read_text() == "x\n"


@landlock
@pytest.mark.parametrize(
    ("command", "reason"),
    [
        (Command(("no-such-command",)), "there is no command no-such-command"),
        (Command(("./absent",)), "there is no command ./absent"),
        (Command(("/etc/passwd",)), "/etc/passwd cannot be started: Permission denied"),
    ],
)
def test_a_command_that_cannot_be_started_says_why_when_confined(command, reason, tmp_path):
    """The program that arranges the confinement does not hide it."""
    run, _ = run_once(command, tmp_path, limits=INSIDE)
    assert (run.outcome, run.reason) == ("not started", reason)


def test_where_nothing_can_be_arranged_a_run_says_that_it_was_not_watched(tmp_path, monkeypatch):
    """It runs all the same; only the report knows less."""
    monkeypatch.setattr(one_run, "is_possible", lambda: False)
    run, _ = run_once(shell(f"echo x > {tmp_path}/x"), tmp_path, limits=INSIDE)
    assert (run.outcome, run.notes) == ("finished", (UNWATCHED, READS_ANYTHING))
    assert (tmp_path / "x").exists()


def test_only_paths_that_we_could_write_ourselves_count_as_refused(tmp_path, monkeypatch):
    """What the user may not write either was denied for another reason; the run's own folders are not news."""
    inside, outside = tmp_path / "in", tmp_path / "out"
    for folder in (inside, outside):
        folder.mkdir()
    monkeypatch.setattr(os, "access", lambda path, mode: str(path).startswith(str(tmp_path)))
    text = (
        f"{outside}/sh: 1: cannot create {outside}/a: Permission denied\n"
        f"PermissionError: [Errno 13] Permission denied: '{outside}/b'\n"
        f'{{"error": "EACCES: permission denied, open \\"{outside}/c d\\""}}\n'
        f"{inside}/x: Permission denied\n/elsewhere/y: Permission denied\nread {outside}/z\n"
    ).encode()
    found = refused_paths([text, text], [str(inside)])
    assert found == [f"{outside}/a", f"{outside}/b", f"{outside}/c"]


def test_many_refused_paths_are_counted():
    """Five are named."""
    notes = notes_on_refusals([f"/x/{number}" for number in range(7)])
    assert (len(notes), notes[0], notes[-1]) == (6, f"{TRIED}/x/0", f"{TRIED}2 more paths")
    assert notes_on_refusals([]) == ()


def test_the_key_of_a_run_that_may_write_anywhere_is_what_it_was(tmp_path):
    """Runs that were kept before are found again; confined ones are other runs."""
    free, confined, more = (
        planned(Command(("true",)), tmp_path, limits=Limits(writes=writes)).key for writes in (None, (), ("/x",))
    )
    assert len({free, confined, more}) == 3
    assert free == planned(Command(("true",)), tmp_path).key


def test_the_report_says_how_runs_were_watched():
    """How many of them, and which tried to write elsewhere; beyond ten they are counted."""
    notes = WatchNotes()
    for number in range(12):
        told = (CONFINED, f"{TRIED}/etc/{number}") if number else (UNWATCHED,)
        notes.add(CaseResult(RunId(f"c{number:02}", "v", 1), "finished", notes=told))
    lines = notes.lines()
    assert lines[0] == "1 of 12 runs: writes outside the workspace were not watched"
    assert lines[1].startswith("11 of 12 runs: could write only in the workspace")
    assert lines[2] == f"c01, v, repeat 1: {TRIED}/etc/1"
    assert lines[-1] == "1 more notes on single runs"
    assert len(lines) == 2 + MOST_NAMED + 1
    assert WatchNotes().lines() == ()
