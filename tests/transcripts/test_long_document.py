"""A chat in one long JSON document: read item by item, and to the same submission as in one piece."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from evenhand import InputError
from evenhand.transcripts import limits, long_document, read
from evenhand.work.submission import Submission

CALL = {"id": "c1", "type": "function", "function": {"name": "bash", "arguments": '{"command": "ls"}'}}
MESSAGES = [
    {"role": "system", "content": "Be brief."},
    {"role": "user", "content": 'List "naïve" files → \ud83d\ude00 and half a pair \ud83d.\nThen say so. ]}'},
    {"role": "assistant", "content": None, "tool_calls": [CALL]},
    {"role": "tool", "tool_call_id": "c1", "content": "a.py\\b.py"},
    {"role": "assistant", "content": "Two files."},
]
PARTS = [
    {"type": "message", "role": "user", "id": "m1", "content": "List the files."},
    {"type": "message", "role": "assistant", "id": "m2", "content": [{"type": "output_text", "text": "Two."}]},
]
DOCUMENTS: dict[str, Any] = {
    "messages": {"messages": MESSAGES},
    "beside them": {
        "id": "run-1",
        "messages": MESSAGES,
        "model": "m-1",
        "n": 12.5,
        "usage": {"prompt_tokens": 3, "completion_tokens": 4},
        "expect": {"output": {"contains": "Two"}},
        "error": {"message": "cut short"},
    },
    "a list": MESSAGES,
    "an answer first": {"output": PARTS[1:], "input": PARTS[:1], "model": "m-2"},
    "a question in words": {"model": "m-3", "input": "List the files.", "output": PARTS[1:]},
    "conversations": [{"messages": MESSAGES}, {"messages": MESSAGES[:2]}],
    "a request": {"custom_id": "7", "body": {"model": "m-4", "messages": MESSAGES}},
}


def read_both_ways(path: Path, piece: int, monkeypatch) -> tuple[list[Any], list[Any]]:
    """What is read of a file whole, and of the same as if it were long."""
    whole = list(read(str(path), partial=True))
    monkeypatch.setattr(limits, "LONG_DOCUMENT", 0)
    monkeypatch.setattr(long_document, "_PIECE", piece)
    return whole, list(read(str(path), partial=True))


def _at_their_line(submission: Submission) -> str:
    return re.sub(r"offset=\d+", "offset", repr(submission))


@pytest.mark.parametrize("piece", [1, 7, 64, 1_000_000])
@pytest.mark.parametrize("indent", [None, 2])
@pytest.mark.parametrize("name", DOCUMENTS)
def test_a_long_document_is_read_as_a_short_one(name, indent, piece, tmp_path, monkeypatch):
    """With every event at the same line and byte, wherever the pieces end; all on one line, the byte is known now."""
    path = tmp_path / "chat.json"
    path.write_text(json.dumps(DOCUMENTS[name], indent=indent, ensure_ascii=name == "messages"), errors="replace")
    whole, in_items = read_both_ways(path, piece, monkeypatch)
    if indent is None:
        whole, in_items = ([_at_their_line(each) for each in way] for way in (whole, in_items))
    assert whole == in_items
    assert "Event(" in str(whole[0])


@pytest.mark.parametrize("keep", [150, 300, 420])
def test_what_stands_before_the_damage_is_read(keep, tmp_path, monkeypatch):
    """A document that was cut off: the messages before it, and where it ends."""
    path = tmp_path / "chat.json"
    path.write_text(json.dumps({"messages": MESSAGES})[:keep])
    monkeypatch.setattr(limits, "LONG_DOCUMENT", 0)
    (submission,) = read(str(path), partial=True)
    assert isinstance(submission, Submission)
    assert [problem.message for problem in submission.problems] == [
        "could not be read to its end: it ends in the middle; the file may be cut off"
    ]
    assert submission.events[0].text == "Be brief."
    (refused,) = read(str(path))
    assert isinstance(refused, InputError)


def test_no_value_is_longer_than_a_line_may_be(tmp_path, monkeypatch):
    """Beyond that the rest is not read: it would have to be held in memory."""
    path = tmp_path / "chat.json"
    path.write_text(json.dumps({"messages": [*MESSAGES[:1], {"role": "user", "content": "x" * 3000}]}))
    monkeypatch.setattr(limits, "LONG_DOCUMENT", 0)
    monkeypatch.setattr(limits, "LINE", 1000)
    monkeypatch.setattr(limits, "MIB", 1000)
    monkeypatch.setattr(long_document, "_PIECE", 100)
    (submission,) = read(str(path), partial=True)
    assert isinstance(submission, Submission)
    assert [problem.message for problem in submission.problems] == [
        "could not be read to its end: a value in it is longer than 1 MiB"
    ]
