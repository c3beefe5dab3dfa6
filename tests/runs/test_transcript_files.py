"""Which file is the transcript of a run: the newest where agents write theirs, or by a pattern."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from evenhand.runs.transcript_files import AUTO, find_transcript

CLAUDE = ".claude/projects/-w"


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    """An empty workspace, with an empty HOME beside it."""
    (tmp_path / "home").mkdir()
    made = tmp_path / "workspace"
    made.mkdir()
    return made


def wrote(path: Path, second: float = 0.0, text: str = "{}") -> Path:
    """A file last written at a second."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    os.utime(path, ns=(0, int(second * 1e9)))
    return path


def found(workspace: Path, pattern: str = AUTO, *, own_home: bool = True, since: float = 0.0):
    """The transcript that a run in this workspace wrote, and the notes about it."""
    return find_transcript(pattern, workspace, workspace.parent / "home", own_home=own_home, since=since)


@pytest.mark.parametrize("seconds", [(1, 3, 2), (3, 2, 1), (1, 2, 3)])
def test_of_several_transcripts_the_newest_counts(workspace, seconds):
    """Whatever their names; that there were others is noted."""
    sessions = [
        wrote(workspace.parent / "home" / CLAUDE / f"{name}.jsonl", second)
        for name, second in zip("abc", seconds, strict=True)
    ]
    newest = sessions[seconds.index(3)]
    assert found(workspace) == (newest, ("3 transcripts were written; the newest is used",))


def test_times_a_nanosecond_apart_tell_which_is_the_newest(workspace):
    """As floating-point seconds the two would be equal, and the later name would win."""
    home = workspace.parent / "home"
    newer, older = wrote(home / CLAUDE / "a.jsonl"), wrote(home / CLAUDE / "b.jsonl")
    moment = 1_767_225_600_000_000_000
    os.utime(newer, ns=(0, moment + 1))
    os.utime(older, ns=(0, moment))
    assert found(workspace)[0] == newer


def test_of_transcripts_of_one_moment_the_last_by_name_counts(workspace):
    """So that the choice is always the same."""
    home = workspace.parent / "home"
    last = wrote(home / ".codex/sessions/2026/s.jsonl", 5)
    wrote(home / CLAUDE / "s.jsonl", 5)
    assert found(workspace)[0] == last


@pytest.mark.parametrize(
    "place",
    [
        ".claude/projects/-w/s.jsonl",
        ".codex/sessions/2026/01/01/rollout-s.jsonl",
        ".codex/sessions/s.jsonl",
        ".gemini/tmp/hash/chats/s.json",
        ".gemini/tmp/hash/chats/s.jsonl",
        ".qwen/projects/p/chats/s.jsonl",
    ],
)
def test_every_known_agent_is_found_by_its_place_and_one_transcript_needs_no_note(workspace, place):
    """In the run's own HOME it need not be new, and need not name the workspace."""
    session = wrote(workspace.parent / "home" / place, second=1)
    assert found(workspace, since=1000.0) == (session, ())


@pytest.mark.parametrize("place", [".claude/s.jsonl", ".claude/projects/s.jsonl", "s.jsonl"])
def test_a_file_elsewhere_in_home_is_not_a_transcript(workspace, place):
    """An agent that wrote none has none, and nothing has to be noted."""
    wrote(workspace.parent / "home" / place)
    assert found(workspace) == (None, ())


def test_a_pattern_is_looked_for_in_the_workspace_and_in_a_home_of_its_own(workspace):
    """Not in a HOME that others write to as well; there only what agents are known to write is looked at."""
    home = workspace.parent / "home"
    inside = wrote(workspace / "logs/a.json", 1)
    beside = wrote(home / "logs/b.json", 2)
    assert found(workspace, "logs/*.json")[0] == beside
    assert found(workspace, "logs/*.json", own_home=False) == (inside, ())


@pytest.mark.parametrize("pattern", ["logs/*.json", "/etc/*"])
def test_a_pattern_that_nothing_matches_is_noted(workspace, pattern):
    """A path from the root leads out of the workspace, so that nothing can match it."""
    assert found(workspace, pattern) == (None, (f"no transcript matches {pattern}",))


@pytest.mark.parametrize(("second", "counts"), [(999, False), (1000, True), (1001, True)])
def test_in_a_shared_home_a_session_counts_from_the_moment_the_run_began(workspace, second, counts):
    """Not one that was there before."""
    session = wrote(workspace.parent / "home" / CLAUDE / "s.jsonl", second, f'{{"cwd": "{workspace}"}}')
    assert found(workspace, own_home=False, since=1000.0) == (session if counts else None, ())


@pytest.mark.parametrize(("before", "counts"), [(65536, True), (65537, False)])
def test_in_a_shared_home_a_session_names_its_workspace_within_its_first_64_kib(workspace, before, counts):
    """65,536 bytes are read, of which the name is the last."""
    text = " " * (before - len(str(workspace))) + str(workspace)
    session = wrote(workspace.parent / "home" / CLAUDE / "s.jsonl", 1, text)
    assert found(workspace, own_home=False) == (session if counts else None, ())


def test_in_a_shared_home_a_session_of_another_folder_does_not_count(workspace):
    """Somebody else may have been at work in the same minute."""
    wrote(workspace.parent / "home" / CLAUDE / "s.jsonl", 1, '{"cwd": "/elsewhere"}')
    assert found(workspace, own_home=False) == (None, ())


def test_a_link_that_leads_out_and_a_folder_are_not_transcripts(workspace):
    """What a run could make us copy lies in its own folders; a link within them is a file like any other."""
    outside = wrote(workspace.parent / "secret.json")
    (workspace / "a.json").symlink_to(outside)
    (workspace / "b.json").mkdir()
    assert found(workspace, "*.json") == (None, ("no transcript matches *.json",))
    inside = wrote(workspace / "sub" / "real.txt")
    (workspace / "c.json").symlink_to(inside)
    assert found(workspace, "*.json") == (workspace / "c.json", ())
