"""The format of a file is found wherever its marks are, and what is in no known format is refused, not guessed."""

from __future__ import annotations

import gzip
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from evenhand.errors import InputError
from evenhand.transcripts import limits, read, sniff
from evenhand.work.submission import Submission

FIXTURES = Path(__file__).parents[1] / "fixtures" / "transcripts"
SESSION = FIXTURES / "project" / "5f0c2a9e-1d7b-4c55-9a57-2b6f6f2f9a01.jsonl"
ASK = {"role": "user", "content": "What is 6 times 7?"}
ANSWER = {"role": "assistant", "content": "42"}


def save(path: Path, *values: Any) -> Path:
    path.write_text("".join(json.dumps(value) + "\n" for value in values), encoding="utf-8")
    return path


def refusal(path: Path, format: str | None = None) -> str:
    (error,) = read(str(path), format)
    assert isinstance(error, InputError), error
    return str(error).removeprefix(f"{path}: ")


# --- far into the file ---------------------------------------------------------------------------


@pytest.mark.parametrize("packed", [False, True])
def test_marks_behind_many_lines_of_another_kind_are_found(packed: bool, tmp_path: Path):
    """Three thousand lines that no format knows come first; they are counted, and the session behind them is read."""
    others = "".join(json.dumps({"kind": "trace", "n": n, "note": "x" * 100}) + "\n" for n in range(3000)).encode()
    assert len(others) > 4 * limits.HEAD
    data = others + SESSION.read_bytes()
    path = tmp_path / "session"
    path.write_bytes(gzip.compress(data) if packed else data)
    (session,) = read(str(path))
    (alone,) = read(str(SESSION))
    assert isinstance(session, Submission) and isinstance(alone, Submission)
    assert (session.format, session.task) == ("claude-code", alone.task)
    assert session.unknown["line without a type"] == 3000
    assert session.events[0].place.line == 3000 + (alone.events[0].place.line or 0)


def test_marks_behind_a_huge_first_line_are_found(tmp_path: Path):
    """A first prompt of a megabyte, with the session's id behind it."""
    line = {"type": "user", "message": {"role": "user", "content": "x" * 2**20}, "uuid": "1", "sessionId": "s"}
    (session,) = read(str(save(tmp_path / "s", line)))
    assert isinstance(session, Submission)
    assert (session.format, len(session.task or "")) == ("claude-code", 2**20)


@pytest.mark.parametrize("indent", [None, 1])
def test_marks_at_the_end_of_a_long_document_are_found(indent: int | None, tmp_path: Path):
    """The conversation comes after half a megabyte of metadata."""
    path = tmp_path / "chat.json"
    document = {"meta": [{"n": n, "note": "x" * 50} for n in range(7000)], "messages": [ASK, ANSWER]}
    path.write_text(json.dumps(document, indent=indent), encoding="utf-8")
    assert path.stat().st_size > 7 * limits.HEAD
    (chat,) = read(str(path))
    assert isinstance(chat, Submission)
    assert (chat.format, chat.output) == ("openai", "42")


@pytest.mark.parametrize("opening", ['{"messages": [', '{"messages": [' + "\n"])
def test_a_document_with_one_item_a_line_is_one_document(opening: str, tmp_path: Path):
    """Most of its lines begin as those of JSON Lines do, but only all of them together are JSON."""
    items = [ASK, ANSWER, ASK, ANSWER]
    path = tmp_path / "chat.json"
    path.write_text(opening + ",\n".join(map(json.dumps, items)) + "]}\n")
    (submission,) = read(str(path))
    assert isinstance(submission, Submission), submission
    assert submission.output == "42"


def test_lines_of_which_the_first_is_cut_are_still_lines(tmp_path: Path):
    """The first is damaged in the middle of a text; a document cannot go on like that."""
    path = tmp_path / "chat.jsonl"
    lines = [json.dumps({"messages": [ASK, ANSWER]})] * 3
    path.write_text("\n".join([lines[0][:40], *lines[1:]]) + "\n")
    kinds = [type(value) for value in read(str(path))]
    assert kinds.count(Submission) == 2


def test_lines_behind_a_preamble_of_text_are_found_and_the_preamble_is_a_warning(tmp_path: Path):
    """What a program printed before the first line is left out, with its place."""
    path = tmp_path / "printed"
    path.write_bytes(b"npm warn something\n" + SESSION.read_bytes())
    (whole,) = read(str(path))
    assert isinstance(whole, Submission)
    assert (whole.format, [warning.line for warning in whole.warnings]) == ("claude-code", [1])


def test_a_pipe_is_read_once(tmp_path: Path):
    """Standard input cannot be read twice, however far in the marks are."""
    lines = [json.dumps({"kind": "trace", "note": "x" * 1000})] * 200
    code = "from evenhand.transcripts import read; print([(each.format, len(each.events)) for each in read('-')])"
    data = "\n".join(lines).encode() + b"\n" + (FIXTURES / "codex.jsonl").read_bytes()
    done = subprocess.run([sys.executable, "-c", code], input=data, capture_output=True, check=True)
    (alone,) = read(str(FIXTURES / "codex.jsonl"))
    assert isinstance(alone, Submission)
    assert done.stdout.decode() == f"[('codex', {len(alone.events)})]\n"


@pytest.mark.slow
def test_a_hundred_megabytes_in_no_known_format_are_refused_in_reasonable_memory(tmp_path: Path):
    """One pass over the bytes; what was parsed on the way is let go."""
    path = tmp_path / "big.jsonl"
    line = json.dumps({"kind": "trace", "note": "x" * 1000}).encode() + b"\n"
    path.write_bytes(line * 100_000)
    assert refusal(path).startswith("is JSON in no known format")


# --- in no known format --------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "is empty; there is nothing to judge"),
        (" \n\t\n", "is empty; there is nothing to judge"),
        ("[]", "is an empty JSON list; there is nothing to judge"),
        ("[ ]\n", "is an empty JSON list; there is nothing to judge"),
        ("{}", "is an empty JSON object; there is nothing to judge"),
        ("{\n}\n", "is an empty JSON object; there is nothing to judge"),
        ("null\n", "is JSON null; there is nothing to judge"),
    ],
)
def test_nothing_is_not_judged(text: str, message: str, tmp_path: Path, evenhand_command: Any):
    """An agent is not charged for a file without content."""
    path = tmp_path / "x.json"
    path.write_text(text, encoding="utf-8")
    assert refusal(path) == message
    judged = evenhand_command("judge", str(path), "--store", "none")
    assert (judged.code, judged.out) == (2, "")
    assert message in judged.err


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ({"messages": [{"text": "hi"}]}, 'the closest is openai, but it has no "role", "content"'),
        ({"eval": {"task": "t"}, "samples": []}, 'the closest is inspect, but it has no "version"'),
        ({"name": "llm", "trace_id": "1"}, 'the closest is otel, but it has no "span_id"'),
        ({"answer": 4}, 'and close to none (its keys: "answer")'),
        ([1, 2, 3], "and close to none"),
    ],
)
def test_json_in_no_known_format_names_the_closest_and_what_is_missing(value: Any, message: str, tmp_path: Path):
    """It is never taken for prose; the way out is named."""
    refused = refusal(save(tmp_path / "x.json", value))
    assert refused.startswith("is JSON in no known format")
    assert message in refused
    assert refused.endswith("name its format with `format` FORMAT, or judge the file itself with `format` text")


def test_a_json_document_is_judged_as_an_output_when_it_is_named_as_text(tmp_path: Path):
    """The user wants to judge the document itself."""
    (output,) = read(str(save(tmp_path / "x.json", {"answer": 4})), "text")
    assert isinstance(output, Submission)
    assert (output.format, output.output) == ("text", '{"answer": 4}\n')


def test_cut_json_in_no_known_format_is_refused_with_the_line_of_the_cut(tmp_path: Path):
    """Before any mark of a format was seen."""
    path = tmp_path / "x.json"
    path.write_text('{\n "answer": {\n  "n": 4,\n', encoding="utf-8")
    assert "beyond line" in refusal(path)


# --- on the command line -------------------------------------------------------------------------


def test_a_damaged_session_is_refused_and_with_partial_judged_with_a_warning(tmp_path: Path, evenhand_command: Any):
    """Exit code 2 and nothing on standard output; or a scorecard that says it is of a part."""
    path = tmp_path / "session.jsonl"
    lines = SESSION.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join([*lines[:3], b'{"type": oops\n', *lines[3:]]))
    asked = ("judge", str(path), "--format", "json", "--store", "none")
    refused = evenhand_command(*asked)
    assert (refused.code, refused.out) == (2, "")
    assert f"{path}:4: the line could not be read" in refused.err and "--set", "judge.partial=true" in refused.err
    judged = evenhand_command(*asked, "--set", "judge.partial=true")
    assert judged.code != 2
    (warning,) = (warning for warning in json.loads(judged.out)["warnings"] if "partly" in warning)
    assert warning.startswith(f"only partly judged, because the file is damaged: {path}:4: ")


@pytest.mark.slow
def test_many_submissions_are_one_json_document(tmp_path: Path, evenhand_command: Any):
    """A list of scorecards for several, whether they stand in one file or in two; one scorecard for one."""
    one, two = ({"id": name, "task": "Greet", "output": f"Hello, {name}."} for name in ("ana", "ben"))
    both, single = save(tmp_path / "both.jsonl", one, two), save(tmp_path / "one.jsonl", one)

    def run(format: str, *paths: Path) -> str:
        return str(evenhand_command("judge", *map(str, paths), "--store", "none", "--format", format).out)

    assert [card["id"] for card in json.loads(run("json", both))] == ["ana", "ben"]
    assert len(json.loads(run("json", both, single))) == 3
    assert json.loads(run("json", single))["id"] == "ana"
    assert [json.loads(card)["id"] for card in run("jsonl", both).splitlines()] == ["ana", "ben"]


def test_show_shows_what_it_can_of_a_damaged_file_and_ends_with_code_2(tmp_path: Path, evenhand_command: Any):
    """It is there to find out what is wrong with a file."""
    path = tmp_path / "x.jsonl"
    path.write_bytes(SESSION.read_bytes() + b"oops\n")
    shown = evenhand_command("show", str(path), "--format", "json")
    assert shown.code == 2
    assert json.loads(shown.out)["problems"][0]["line"] == len(SESSION.read_bytes().splitlines()) + 1


# --- Claude Code behind a compaction -------------------------------------------------------------


def line(kind: str, uuid: str, content: Any, **more: Any) -> dict[str, Any]:
    message = {"role": kind, "content": content, **({"id": f"msg-{uuid}"} if kind == "assistant" else {})}
    return {"type": kind, "uuid": uuid, "sessionId": "s", "message": message, **more}


def call(id: str) -> list[dict[str, Any]]:
    return [{"type": "tool_use", "id": id, "name": "Bash", "input": {"command": "ls"}}]


def result(id: str) -> list[dict[str, Any]]:
    return [{"type": "tool_result", "tool_use_id": id, "content": "cart.py"}]


def test_lines_that_are_written_again_behind_a_compaction_count_once(tmp_path: Path):
    """The part of the conversation that is kept is written again with the same ids."""
    kept = [line("assistant", "2", call("t1")), line("user", "3", result("t1"))]
    boundary = {"type": "system", "subtype": "compact_boundary", "uuid": "4", "sessionId": "s"}
    again = [{**entry, "uuid": f"{entry['uuid']}-again"} for entry in kept]
    for copies in (kept, again):
        path = save(
            tmp_path / "s.jsonl", line("user", "1", "List"), *kept, boundary, *copies, line("assistant", "5", "Done.")
        )
        (session,) = read(str(path))
        assert isinstance(session, Submission)
        assert [event.kind for event in session.events] == ["message", "tool_call", "message"]


def test_a_sub_agent_stays_one_agent_over_its_compaction(tmp_path: Path):
    """Behind it the chain begins anew, and only the logical parent leads back."""
    side = {"isSidechain": True}
    boundary = {"type": "system", "subtype": "compact_boundary", "uuid": "c", "parentUuid": None, "sessionId": "s"}
    path = save(
        tmp_path / "s.jsonl",
        line("user", "1", "Go"),
        line("user", "a", "Look around", parentUuid=None, **side),
        line("assistant", "b", "Looking.", parentUuid="a", **side),
        {**boundary, **side, "logicalParentUuid": "b"},
        line("assistant", "d", "Seen.", parentUuid="c", **side),
        line("assistant", "2", "Done."),
    )
    (session,) = read(str(path))
    assert isinstance(session, Submission)
    assert [event.agent for event in session.events] == ["", "agent-a", "agent-a", "agent-a", ""]


def test_the_copy_that_a_compaction_works_on_is_not_a_sub_agent(tmp_path: Path):
    """Claude Code keeps it beside the sub-agents; everything in it would count twice."""
    lines = [line("user", "1", "List"), line("assistant", "2", call("t1")), line("user", "3", result("t1"))]
    path = save(tmp_path / "s.jsonl", *lines, line("assistant", "4", "Done."))
    folder = tmp_path / "s" / "subagents"
    folder.mkdir(parents=True)
    copy = [{**entry, "uuid": f"x{entry['uuid']}", "isSidechain": True, "agentId": "acompact-1"} for entry in lines]
    save(folder / "agent-acompact-1.jsonl", *copy, line("assistant", "x4", "A summary", isSidechain=True))
    (session,) = read(str(path))
    assert isinstance(session, Submission)
    assert [event.kind for event in session.events] == ["message", "tool_call", "message"]


def test_a_sub_agent_that_nobody_is_seen_to_launch_stands_where_it_began(tmp_path: Path):
    """Behind the last event before it that has a time; what has none does not count."""
    path = save(
        tmp_path / "s.jsonl",
        line("user", "1", "Go", timestamp="2026-01-01T10:00:00Z"),
        line("assistant", "2", "On it.", timestamp="2026-01-01T10:00:01Z"),
        line("assistant", "3", "Done.", timestamp="2026-01-01T10:05:00Z"),
        line("assistant", "4", "Bye."),
    )
    folder = tmp_path / "s" / "subagents"
    folder.mkdir(parents=True)
    save(folder / "agent-x.jsonl", line("assistant", "5", "Inside.", timestamp="2026-01-01T10:01:00Z"))
    (session,) = read(str(path))
    assert isinstance(session, Submission)
    assert [event.text for event in session.events] == ["Go", "On it.", "Inside.", "Done.", "Bye."]


def test_sniff_names_the_format():
    """As the command line names it."""
    assert sniff(str(SESSION)).name == "claude-code"
