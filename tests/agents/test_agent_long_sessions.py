"""Long sessions in the hook: what is skipped changes no finding."""

from __future__ import annotations

import gzip
import json
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from conftest import SHARED_DATA
from test_agent_hook import CLAIM, Session

from evenhand import transcripts
from evenhand.agents import earlier_turns, hook
from evenhand.agents.earlier_turns import all_but_last_turn, needless_lines
from evenhand.agents.last_turn import faults
from evenhand.core.finding import Finding
from evenhand.work.submission import Submission


@pytest.fixture(autouse=True)
def short_sessions_too(monkeypatch: pytest.MonkeyPatch) -> None:
    """Lines are skipped however short a session is."""
    monkeypatch.setattr(earlier_turns, "SHORTEST", 0)


def in_the_whole(path: Path, said: str | None) -> list[Finding]:
    """The faults when every line is read."""
    submission = next(transcripts.read(str(path)), None)
    if not isinstance(submission, Submission) or not submission.events:
        return []
    if not hook_reads_it(path, submission):
        return []
    return faults(submission._replace(output=said) if said else submission)


def hook_reads_it(path: Path, submission: Submission) -> bool:
    from evenhand.agents.whole_session import is_whole

    return is_whole(path.read_bytes(), submission)


OUTPUTS = (
    None,
    CLAIM,
    "I ran the test suite. The build succeeded and mypy is clean.",
    "I have deleted the old files.",
    "I've updated the settings and the parser.",
    "The parser now reads quoted fields.",
)


def agree(path: Path) -> int:
    """Compare for several last messages; returns how many faults there were."""
    count = 0
    for said in OUTPUTS:
        whole = in_the_whole(path, said)
        assert hook._faults(str(path), said) == whole
        count += len(whole)
    return count


CLAUDE = sorted((SHARED_DATA / "claude_code").glob("*.jsonl.gz")) if SHARED_DATA.is_dir() else []


@pytest.mark.slow
@pytest.mark.skipif(not CLAUDE, reason="the shared transcripts are not here")
@pytest.mark.parametrize("packed", CLAUDE, ids=lambda path: path.name)
def test_real_sessions_have_the_same_faults_as_when_read_in_full(packed: Path, tmp_path: Path):
    """Cut after every tenth line, with several last messages."""
    lines = gzip.decompress(packed.read_bytes()).splitlines(keepends=True)
    path = tmp_path / "session.jsonl"
    for end in {*range(10, len(lines), max(10, len(lines) // 12)), len(lines)}:
        path.write_bytes(b"".join(lines[:end]))
        agree(path)


TASKS = ("Fix the parser.", "Fix it. Do not modify settings.py.", "Fix it. Do not change the tests.")


def random_session(path: Path, seed: int) -> Session:
    """Turns of reading, searching, editing, testing, talking, in any order; sometimes broken or by a sub-agent."""
    chance = random.Random(seed)
    session = Session(path)
    steps: dict[str, Callable[[], Any]] = {
        "read": lambda: session.runs("Read", f"def f{chance.random()}(): test_api.py", file_path="parser.py"),
        "grep": lambda: session.runs(
            "Grep", "I have deleted the old files.", pattern="x", failed=chance.random() < 0.2
        ),
        "fetch": lambda: session.runs("WebFetch", "12 passed", url="https://example.com", prompt="x"),
        "edit": lambda: session.edits(chance.choice(["parser.py", "settings.py", "tests/test_api.py", "notes.md"])),
        "write": lambda: session.runs("Write", "File created", file_path="tests/test_api.py", content="x"),
        "test": lambda: session.tests(chance.choice(["12 passed in 0.3s", "2 failed, 10 passed in 1s", "?"])),
        "shell": lambda: session.runs("Bash", "ok", command=chance.choice(["ls", "make check", "./run.sh", "mypy ."])),
        "talk": lambda: session.says(chance.choice(["I look at it now.", "All tests pass so far."])),
        "think": lambda: session.add("assistant", [{"type": "thinking", "thinking": "hm " * 20}]),
        "user": lambda: session.user(chance.choice(["Go on.", "The tests pass here.", TASKS[2], TASKS[1]])),
        "unanswered": lambda: session.add(
            "assistant", [{"type": "tool_use", "id": f"x{session.count}", "name": "Read", "input": {"file_path": "a"}}]
        ),
        "sidechain": lambda: session.add(
            "assistant", [{"type": "text", "text": "aside"}], isSidechain=True, agentId="a1"
        ),
    }
    session.user(chance.choice(TASKS))
    names = list(steps)
    weights = [6, 4, 2, 4, 1, 3, 3, 4, 3, 2, 0.1, 0.3]
    looks_only = seed % 5 == 0
    for name in chance.choices(names, weights, k=chance.randrange(4, 40)):
        if not looks_only or name not in ("edit", "write", "test", "shell"):
            steps[name]()
    if chance.random() < 0.7:
        session.says(chance.choice([text for text in OUTPUTS if text]))
    return session


@pytest.mark.slow
def test_made_up_sessions_have_the_same_faults_as_when_read_in_full(tmp_path: Path, long: bool):
    """Fifty of them, in a long run two hundred, and there are faults to find."""
    found = 0
    for seed in range(200 if long else 50):
        found += agree(random_session(tmp_path / "session.jsonl", seed).path)
    assert found > 10


def test_most_of_an_earlier_turn_is_skipped(tmp_path: Path):
    """Of twenty calls that look, nineteen with their results; of what the agent said and thought, all of it."""
    session = Session(tmp_path / "session.jsonl").user("Fix the parser.")
    for _ in range(20):
        session.says("I look.").runs("Read", "x", file_path="a.py")
    session.edits().tests().user("And now?").runs("Read", "x", file_path="a.py").says(CLAIM)
    data = session.path.read_bytes()
    assert len(needless_lines(data)) == 20 + 2 * 19
    assert max(needless_lines(data)) < data[: data.index(b"And now?")].count(b"\n") + 1


def test_a_damaged_line_is_not_skipped(tmp_path: Path):
    """The reader must see it, and then nothing is said."""
    session = Session(tmp_path / "session.jsonl").user("Fix the parser.").says("I look.").says("Again.").edits()
    session.user("And?").says(CLAIM)
    lines = session.path.read_bytes().splitlines(keepends=True)
    assert needless_lines(b"".join(lines)) == {2, 3}
    for broken, needless in ((lines[1][:40] + b"\n", {3}), (lines[1].replace(b"look", b"\xff\xfe"), set())):
        damaged = b"".join([lines[0], broken, *lines[2:]])
        assert needless_lines(damaged) == needless
        session.path.write_bytes(damaged)
        assert hook._faults(str(session.path), None) == in_the_whole(session.path, None)


def test_a_short_session_is_read_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """Skipping would gain nothing."""
    session = Session(tmp_path / "session.jsonl").user("Fix the parser.").says("I look.").user("And?").says(CLAIM)
    data = session.path.read_bytes()
    monkeypatch.setattr(earlier_turns, "SHORTEST", len(data) + 1)
    assert needless_lines(data) == frozenset()
    monkeypatch.setattr(earlier_turns, "SHORTEST", len(data))
    assert needless_lines(data) == {2}


def test_text_that_looks_like_a_line_is_only_text(tmp_path: Path):
    """Quotation marks inside a text are escaped, so a quoted call is not taken for one."""
    quoted = json.dumps({"type": "tool_use", "id": "t9", "name": "Bash", "input": {"command": "pytest"}})
    session = (
        Session(tmp_path / "session.jsonl")
        .user("Fix it.")
        .says(quoted)
        .edits()
        .tests("1 failed")
        .user("And?")
        .says(CLAIM)
    )
    assert needless_lines(session.path.read_bytes()) == {2}
    assert agree(session.path) > 0


@pytest.mark.parametrize(
    "shown", ["==== 12 passed in 1s ====", "ran\nOK", "ok  \tapp\t0.2s", '<testsuite failures="0">']
)
def test_a_log_of_a_run_that_was_read_in_an_earlier_turn_is_not_skipped(tmp_path: Path, shown: str):
    """It leaves room for a claim, as when all of the session is read."""
    session = Session(tmp_path / "session.jsonl").user("Fix the parser.").edits()
    session.runs("Read", "x", file_path="/w/a.py").runs("Read", "x", file_path="/w/a.py")
    session.runs("Read", shown, file_path="/w/test.log").user("And?").says(CLAIM)
    assert len(needless_lines(session.path.read_bytes())) == 2
    assert hook._faults(str(session.path), None) == in_the_whole(session.path, None) == []


def test_the_lines_before_the_last_prompt(tmp_path: Path):
    """Results of calls are not prompts, nor is the end of the file; without a prompt it is every line."""
    session = Session(tmp_path / "session.jsonl").user("Fix it.").edits().says("Done.")
    assert all_but_last_turn(session.path.read_bytes()) == range(1, 1)
    session.user("And?").tests().says(CLAIM)
    data = session.path.read_bytes()
    assert data.splitlines()[4].count(b"And?") == 1
    assert all_but_last_turn(data) == range(1, 5)
    assert all_but_last_turn(data.rstrip(b"\n")) == range(1, 5)
    assert list(all_but_last_turn(b"{}\n{}")) == [1, 2]
