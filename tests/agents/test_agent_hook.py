"""evenhand agent hook: quiet when nothing is wrong, right about the last turn, and never a nuisance."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from io import BytesIO
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import jsonschema
import pytest
from conftest import Ran

from evenhand.agents import hook as agents_hook
from evenhand.agents.hook import answer, late_answer, within
from evenhand.agents.last_turn import faults
from evenhand.cli.commands.use.hook import command as hook_command
from evenhand.transcripts import read
from evenhand.work.submission import Submission

CODEX_OUTPUT = {
    "type": "object",
    "additionalProperties": False,
    "properties": {
        "continue": {"type": "boolean"},
        "decision": {"enum": ["block"]},
        "reason": {"type": "string"},
        "stopReason": {"type": "string"},
        "suppressOutput": {"type": "boolean"},
        "systemMessage": {"type": "string"},
    },
}
"""What Codex accepts; an unknown field makes the hook fail."""

CLAIM = "Done. All tests pass."
NO_RUN = "The answer says that the tests pass, and no call in the transcript ran them."


class Session:
    """A Claude Code session that is written line by line."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.last: str | None = None
        self.count = 0
        self.entries: list[dict[str, Any]] = []

    def add(self, kind: str, content: Any, **more: Any) -> Session:
        self.count += 1
        own = f"u{self.count}"
        message = {"role": kind, "content": content, **({"model": "m"} if kind == "assistant" else {})}
        entry = {"type": kind, "sessionId": "s", "uuid": own, "parentUuid": self.last, "message": message, **more}
        self.entries.append({"cwd": "/w", "version": "2.1", "timestamp": "2026-11-01T10:00:00Z", **entry})
        self.last = own
        self.path.write_text("".join(json.dumps(entry) + "\n" for entry in self.entries), encoding="utf-8")
        return self

    def user(self, text: str) -> Session:
        return self.add("user", text)

    def says(self, text: str) -> Session:
        return self.add("assistant", [{"type": "text", "text": text}])

    def runs(self, name: str, result: str, *, failed: bool = False, **arguments: Any) -> Session:
        id = f"t{self.count}"
        self.add("assistant", [{"type": "tool_use", "id": id, "name": name, "input": arguments}])
        return self.add("user", [{"type": "tool_result", "tool_use_id": id, "content": result, "is_error": failed}])

    def edits(self, path: str = "parser.py") -> Session:
        return self.runs("Edit", "The file has been updated.", file_path=path, old_string="a", new_string="b")

    def tests(self, result: str = "12 passed in 0.31s", **more: Any) -> Session:
        return self.runs("Bash", result, command="pytest -q", **more)


@pytest.fixture
def session(tmp_path: Path) -> Session:
    return Session(tmp_path / "session.jsonl").user("Fix the parser.")


@pytest.fixture
def hook(tmp_path: Path, evenhand_command: Callable[..., Ran]) -> Callable[..., dict[str, Any]]:
    """Run the hook on the session; what it prints, after it was held against Codex's schema."""

    def run(**event: Any) -> dict[str, Any]:
        given = {"hook_event_name": "Stop", "session_id": "s", "transcript_path": str(tmp_path / "session.jsonl")}
        given |= {"cwd": str(tmp_path), "stop_hook_active": False}
        ran = evenhand_command("agent", "hook", stdin=json.dumps(given | event), XDG_STATE_HOME=str(tmp_path / "state"))
        assert ran.code == 0
        assert ran.err == ""
        if not ran.out:
            return {}
        document: dict[str, Any] = json.loads(ran.out)
        jsonschema.validate(document, CODEX_OUTPUT)
        return document

    return run


@pytest.fixture
def blocking(tmp_path: Path) -> None:
    (tmp_path / "evenhand.toml").write_text('[hook]\nblock = "critical"\n', encoding="utf-8")


@pytest.mark.slow
def test_a_claimed_run_that_never_happened_is_reported(session: Session, hook: Callable[..., dict[str, Any]]):
    """To the user, with the words of the agent; the agent itself is not stopped by default."""
    session.edits().says(CLAIM)
    words = f'{NO_RUN} ("All tests pass.")'
    assert hook() == {"systemMessage": f"evenhand: {words}"}


def test_silent_when_nothing_is_wrong(session: Session, hook: Callable[..., dict[str, Any]]):
    """Not even an empty object."""
    session.edits().tests().says(CLAIM)
    assert hook() == {}


def test_more_tests_than_ran_are_reported(session: Session, hook: Callable[..., dict[str, Any]]):
    """12 are claimed and 11 ran: the user is told, and the agent is not stopped."""
    session.edits().tests("11 passed in 0.31s").says("The parser reads quoted fields. All 12 tests pass.")
    words = "The transcript contradicts it: the answer says 12 tests, and the runs show 11: 11 passed in 0.31s."
    assert hook() == {"systemMessage": f'evenhand: {words} ("All 12 tests pass.")'}


@pytest.mark.parametrize(
    ("commands", "claim"),
    [
        ({"pytest -q": "12 passed in 0.31s"}, "All 12 tests pass."),
        ({"pytest -q": "15 passed in 0.31s"}, "All 12 tests pass."),  # some of them
        ({"pytest -q": "11 passed, 1 skipped in 0.31s"}, "All 12 tests pass."),
        ({"pytest -q": "collected 12 items / 1 deselected\n11 passed in 0.31s"}, "All 12 tests pass."),
        ({"pytest tests/a": "5 passed in 0.1s", "pytest tests/b": "7 passed in 0.1s"}, "All 12 tests pass."),
        ({"pytest -q": "12 passed in 0.1s", "pytest -q tests/a": "3 passed in 0.1s"}, "All 12 tests pass."),
        ({"pytest -q | grep passed": "11 passed"}, "All 12 tests pass."),  # perhaps not all that it said
        ({"pytest a; pytest b | tail -1": "11 passed"}, "All 12 tests pass."),
        ({"cargo test": "test result: ok. 11 passed; 0 failed"}, "All 12 tests pass."),  # one of several such lines
        ({"pytest -q": "11 passed in 0.31s", "./run_all.sh": "done"}, "All 12 tests pass."),
        ({"pytest -q": "11 passed in 0.31s"}, "All 12 new checks and tests pass."),
        ({"pytest -q": "11 passed in 0.31s"}, "All tests pass in 12 files."),
        ({"pytest -q": "11 passed in 0.31s"}, "With your change, all 12 tests should pass."),
    ],
)
def test_a_number_of_tests_that_may_be_right_is_left_alone(tmp_path: Path, commands: dict[str, str], claim: str):
    """Skipped ones, some of them, several runs together, and whatever is not shown."""
    session = Session(tmp_path / "session.jsonl").user("Fix the parser.").edits()
    for command, result in commands.items():
        session.runs("Bash", result, command=command)
    session.says(claim)
    (submission,) = read(str(session.path))
    assert isinstance(submission, Submission)
    assert not [fault for fault in faults(submission) if fault.check == "miscounted-tests"]


@pytest.mark.slow
def test_a_run_in_an_earlier_turn_counts(session: Session, hook: Callable[..., dict[str, Any]]):
    """The whole session is evidence, not only the last turn."""
    session.edits().tests().says("The parser reads quoted fields now.").user("And what is the state?").says(CLAIM)
    assert hook() == {}


@pytest.mark.slow
def test_faults_of_earlier_turns_are_not_reported(session: Session, hook: Callable[..., dict[str, Any]]):
    """They were reported when they happened, or are forgiven."""
    session.edits().tests("2 failed, 10 passed", failed=True).says("The parser reads quoted fields now.")
    failing = hook()
    assert "The answer does not mention it: the last run of the tests failed" in failing["systemMessage"]
    session.user("Thanks. What does the module do?").says("It reads CSV files.")
    assert hook(session_id="another") == {}


@pytest.mark.slow
def test_a_forbidden_file_changed_in_the_last_turn(session: Session, hook: Callable[..., dict[str, Any]]):
    """The prompt of the turn counts as well as the first one of the session."""
    session.says("Which file?").user("Fix parser.py. Do not modify setup.cfg.").edits("setup.cfg").says("It is fixed.")
    assert "setup.cfg was changed, although the task says" in hook()["systemMessage"]
    session.user("Thanks.").says("You are welcome.")
    assert hook(session_id="another") == {}


@pytest.mark.usefixtures("blocking")
@pytest.mark.slow
def test_it_blocks_once_when_the_settings_say_so(session: Session, hook: Callable[..., dict[str, Any]]):
    """With the fault quoted; the second time the same fault is not reported at all."""
    session.edits().tests("1 failed, 11 passed", failed=True).says(CLAIM)
    answer = hook()
    assert answer["decision"] == "block"
    assert '("All tests pass.")' in answer["reason"]
    assert "systemMessage" not in answer
    assert hook() == {}
    session.user("Stop hook feedback:\n" + answer["reason"]).says(CLAIM)
    assert hook(stop_hook_active=True) == {}


@pytest.mark.usefixtures("blocking")
@pytest.mark.parametrize(
    "event",
    [
        {"stop_hook_active": True},
        {"background_tasks": [{"id": "1", "command": "pytest"}]},
        {"session_crons": [{"id": "1"}]},
    ],
)
@pytest.mark.slow
def test_it_never_blocks_a_hooks_own_turn_or_background_work(
    session: Session, hook: Callable[..., dict[str, Any]], event: dict[str, Any]
):
    """A loop of hooks would never end, and tests in the background may still be running."""
    session.edits().tests("1 failed, 11 passed", failed=True).says(CLAIM)
    assert "decision" not in hook(**event)


@pytest.mark.usefixtures("blocking")
@pytest.mark.slow
def test_it_does_not_block_when_it_cannot_remember(
    tmp_path: Path, session: Session, hook: Callable[..., dict[str, Any]]
):
    """Without memory it could block twice for the same fault."""
    (tmp_path / "state").write_text("a file where a folder should be", encoding="utf-8")
    session.edits().tests("1 failed, 11 passed", failed=True).says(CLAIM)
    assert list(hook()) == ["systemMessage"]


@pytest.mark.slow
def test_the_last_message_may_not_be_in_the_file_yet(session: Session, hook: Callable[..., dict[str, Any]]):
    """The event itself carries it."""
    session.edits()
    assert NO_RUN in hook(last_assistant_message=CLAIM)["systemMessage"]


@pytest.mark.slow
def test_a_line_that_is_still_being_written_is_not_an_obstacle(
    tmp_path: Path, session: Session, hook: Callable[..., dict[str, Any]]
):
    """The rest of the session is read all the same."""
    session.edits().says(CLAIM)
    with (tmp_path / "session.jsonl").open("a", encoding="utf-8") as file:
        file.write('{"type": "assistant", "mess')
    assert NO_RUN in hook()["systemMessage"]


@pytest.mark.parametrize("lost", ["its beginning", "what was summarised", "a call"])
def test_silent_when_earlier_events_are_missing(session: Session, hook: Callable[..., dict[str, Any]], lost: str):
    """The run that is claimed could be among them."""
    if lost == "a call":
        session.add("user", [{"type": "tool_result", "tool_use_id": "gone", "content": "12 passed"}])
    session.edits().says(CLAIM)
    if lost == "its beginning":
        session.entries[0]["parentUuid"] = "elsewhere"
    if lost == "what was summarised":
        session.entries[0]["logicalParentUuid"] = "elsewhere"
    session.path.write_text("".join(json.dumps(entry) + "\n" for entry in session.entries), encoding="utf-8")
    assert hook() == {}


@pytest.mark.slow
def test_a_compaction_within_the_file_loses_nothing(session: Session, hook: Callable[..., dict[str, Any]]):
    """What was summarised is still there, further up."""
    session.edits()
    session.add("user", "A summary.", isCompactSummary=True, logicalParentUuid=session.last)
    session.says(CLAIM)
    assert NO_RUN in hook()["systemMessage"]


@pytest.mark.slow
def test_a_sub_agent_is_held_to_its_own_transcript(tmp_path: Path, hook: Callable[..., dict[str, Any]]):
    """SubagentStop names the file."""
    own = Session(tmp_path / "agent-1.jsonl")
    own.add("user", "Fix the parser.", isSidechain=True, agentId="1")
    own.edits().says(CLAIM)
    for entry in own.entries:
        entry |= {"isSidechain": True, "agentId": "1"}
    own.path.write_text("".join(json.dumps(entry) + "\n" for entry in own.entries), encoding="utf-8")
    event = {"hook_event_name": "SubagentStop", "agent_id": "1", "agent_transcript_path": str(own.path)}
    assert NO_RUN in hook(**event)["systemMessage"]


@pytest.mark.slow
@pytest.mark.parametrize(
    "stdin",
    [
        b"",
        b"{",
        b"[1]",
        b"\xff\xfe",
        b'{"hook_event_name": "Stop"}',
        b'{"hook_event_name": "Stop", "transcript_path": null}',
        b'{"hook_event_name": "Stop", "transcript_path": "gone.jsonl"}',
        b'{"hook_event_name": "Stop", "transcript_path": "."}',
        b'{"hook_event_name": "SessionStart", "transcript_path": "session.jsonl"}',
    ],
)
def test_bad_input_disturbs_nobody(evenhand_command: Callable[..., Ran], stdin: bytes):
    """Exit code 0 and not a word: the agent's own work goes on."""
    ran = evenhand_command("agent", "hook", stdin=stdin)
    assert (ran.code, ran.out, ran.err) == (0, "", "")


@pytest.mark.slow
def test_broken_settings_disturb_no_one(tmp_path: Path, session: Session, hook: Callable[..., dict[str, Any]]):
    """A mistake in evenhand.toml is an error everywhere else."""
    (tmp_path / "evenhand.toml").write_text('[hook]\nblock = "always"\n', encoding="utf-8")
    session.edits().tests("1 failed", failed=True).says(CLAIM)
    assert hook() == {}


def test_the_settings_of_the_hook_are_checked(tmp_path: Path, evenhand_command: Callable[..., Ran]):
    """What is valid is said by the commands that read the file."""
    (tmp_path / "evenhand.toml").write_text('[hook]\nblock = "always"\n', encoding="utf-8")
    ran = evenhand_command("history")
    assert ran.code == 2
    assert 'unknown block "always"; valid: never, critical' in ran.err


@pytest.mark.slow
def test_a_hook_that_takes_too_long_says_nothing():
    """Even inside a search that no signal interrupts, and that would take days."""
    import re

    assert within(0.3, lambda early: str(re.match(r"(a+)+$", "a" * 60 + "b"))) == ""
    assert within(60, lambda early: "x" * 200_000) == "x" * 200_000


@pytest.mark.slow
def test_an_early_answer_counts_when_time_runs_out(monkeypatch: pytest.MonkeyPatch):
    """And only then; an error in between is no reason to disturb anyone."""
    now = iter([0.0, 0.0])  # when it begins, and before the first look; then the time is up

    def work(early: Callable[[str], None], seconds: float) -> str:
        early("first")
        time.sleep(seconds)
        return "whole"

    assert within(60, lambda early: work(early, 0), lambda text: f"late: {text}") == "whole"
    with monkeypatch.context() as patch:
        patch.setattr(time, "monotonic", lambda: next(now, 1_000_000.0))
        assert within(600, lambda early: work(early, 600), lambda text: f"late: {text}") == "late: first"
    assert within(0.1, lambda early: str(time.sleep(600)), lambda text: f"late: {text}") == "late: "
    assert within(0.1, lambda early: work(early, 600), lambda text: str(1 / 0)) == ""
    assert within(60, lambda early: str(1 / 0), lambda text: "late") == ""


@pytest.fixture
def event(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> bytes:
    """A Stop event, for the functions behind the command."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.chdir(tmp_path)
    given = {"hook_event_name": "Stop", "session_id": "s", "transcript_path": str(tmp_path / "session.jsonl")}
    return json.dumps(given).encode()


def test_a_session_too_long_to_be_read_in_time_is_reported_once(session: Session, event: bytes):
    """In one line with its size; what the last turn alone shows is reported all the same."""
    session.edits().says("x" * 5_000_000)
    note = "evenhand: this session (5 MB) could not be read in time: "
    assert json.loads(late_answer(event, "[]")) == {"systemMessage": f"{note}only its last turn was checked."}
    assert late_answer(event, "[]") == ""
    faults = [["contradicted-claim", "correctness", "major", "The last test run failed.", "1 failed"]]
    assert json.loads(late_answer(event, json.dumps(faults))) == {
        "systemMessage": 'evenhand: The last test run failed. ("1 failed")'
    }


def test_a_session_whose_last_turn_was_not_read_in_time(session: Session, event: bytes):
    """Then nothing was compared, and that is what it says; of a short session it says nothing."""
    session.edits().says(CLAIM)
    assert late_answer(event, "") == ""
    session.says("x" * 1_100_000)
    assert "this session (1 MB) could not be read in time: it was not checked." in late_answer(event, "")


def test_a_session_too_large_to_be_held_in_memory_is_reported(
    session: Session, event: bytes, monkeypatch: pytest.MonkeyPatch
):
    """Without reading it."""
    session.edits().says("x" * 1_100_000)
    monkeypatch.setattr("evenhand.agents.hook.LARGEST_SESSION", 10)
    assert "in time: it was not checked." in answer(event)


def test_there_is_nothing_to_say_late_about_something_else(tmp_path: Path, session: Session):
    """Another event, work in the background, or no file."""
    session.says(CLAIM)
    path = str(session.path)
    for other in (
        {"hook_event_name": "SessionStart", "transcript_path": path},
        {"hook_event_name": "Stop", "transcript_path": path, "background_tasks": [1]},
        {"hook_event_name": "Stop", "transcript_path": str(tmp_path / "gone.jsonl")},
    ):
        assert late_answer(json.dumps(other).encode(), "[]") == ""


FAILED_RUN = "2 failed, 10 passed"


@pytest.mark.parametrize(
    ("steps", "checks"),
    [
        (lambda s: s.edits().tests(FAILED_RUN).says("The parser reads quoted fields."), []),
        (lambda s: s.edits().tests(FAILED_RUN).says(CLAIM), ["contradicted-claim"]),
        (lambda s: s.edits("setup.cfg").says("Done."), ["forbidden-change"]),
        (lambda s: s.edits().says(CLAIM), []),
        (lambda s: s.says(CLAIM), []),
        (lambda s: s.edits().tests(FAILED_RUN).runs("Task", "fixed", prompt="Fix it").says(CLAIM), []),
    ],
    ids=["failing", "claimed", "forbidden", "no run in this turn", "nothing in this turn", "a sub-agent"],
)
def test_the_last_turn_alone_shows_what_no_earlier_turn_could_excuse(
    session: Session,
    event: bytes,
    monkeypatch: pytest.MonkeyPatch,
    steps: Callable[[Session], Session],
    checks: list[str],
):
    """A missing run may be in what was not read, so that is not reported."""
    session.edits().tests().says("Done.").user("Go on. Do not modify setup.cfg.")
    steps(session)
    said: list[str] = []
    monkeypatch.setattr("evenhand.agents.hook.LONG", 0)
    answer(event, said.append)
    assert [fault[0] for fault in json.loads(said[0])] == checks


@pytest.mark.slow
def test_a_long_answer_after_a_long_session_disturbs_nobody(session: Session, hook: Callable[..., dict[str, Any]]):
    """An answer of 50 MB: nothing is said, or what is wrong with it."""
    for _ in range(200):
        session.runs("Bash", "x" * 1000, command="ls")
    session.edits()
    assert set(hook(last_assistant_message=CLAIM + " y" * 25_000_000)) <= {"systemMessage"}


def test_the_command_has_less_than_two_seconds_and_reads_so_much(monkeypatch: pytest.MonkeyPatch):
    """Whatever it is given, so that the agent does not wait; Python itself takes part of the two seconds."""
    limits: list[float] = []
    stdin = SimpleNamespace(buffer=BytesIO(b"x" * 20))
    monkeypatch.setattr("sys.stdin", stdin)
    monkeypatch.setattr(agents_hook, "LARGEST", 8)
    monkeypatch.setattr(agents_hook, "within", lambda seconds, *work: limits.append(seconds) or "")
    callback = hook_command.callback
    assert callback is not None and callback() == 0
    assert limits == [agents_hook.SECONDS] and agents_hook.SECONDS < 2
    assert stdin.buffer.tell() == 8


def test_findings_are_written_to_a_file_where_no_one_sees_messages(
    session: Session, tmp_path: Path, evenhand_command: Callable[..., Ran]
):
    """One JSON object a line, once for each fault; nothing is written where nothing was found."""
    event = {"hook_event_name": "Stop", "session_id": "s", "transcript_path": str(session.path), "cwd": str(tmp_path)}
    settings = {"XDG_STATE_HOME": str(tmp_path / "state"), "EVENHAND_HOOK_LOG": "found.jsonl"}
    session.edits().says("Done.")
    evenhand_command("agent", "hook", stdin=json.dumps(event), **settings)
    assert not (tmp_path / "found.jsonl").exists()
    session.user("And the tests?").tests(FAILED_RUN).says(CLAIM)
    for _ in range(2):
        evenhand_command("agent", "hook", stdin=json.dumps(event), **settings)
    (line,) = (tmp_path / "found.jsonl").read_text(encoding="utf-8").splitlines()
    found = json.loads(line)
    assert (found["session"], found["blocked"]) == ("s", False)
    assert "tests" in found["message"] and found["quote"] in CLAIM
