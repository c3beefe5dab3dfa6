"""What was read to detect a format is not read again, and nothing reads differently because of it."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from evenhand import transcripts
from evenhand.findings.facts.calls import arguments_text
from evenhand.transcripts import json_text, limits
from evenhand.transcripts.formats import mini_swe_agent
from evenhand.transcripts.json_stream import within
from evenhand.work.submission import Submission

DOCUMENT = json.dumps(
    {"info": {"a": [1, {}]}, "messages": [{"role": "user", "content": 'a "quoted" {word'}, -2.5, "text", [[], 12]]},
    indent=1,
)


@pytest.mark.parametrize("end", range(len(DOCUMENT) + 1))
def test_a_document_reads_the_same_wherever_its_head_was_cut(end: int) -> None:
    opened = within("messages")
    head = json_text.walk(DOCUMENT[:end], 0, lambda path: len(path) < 12, in_steps=False, is_cut=True)
    again = json_text.walk(DOCUMENT, 0, opened, known=head.known)
    alone = json_text.walk(DOCUMENT, 0, opened)
    assert (again.value, again.end, again.fault) == (alone.value, alone.end, alone.fault)
    assert sorted(again.starts.values()) == sorted(alone.starts.values())


def test_a_number_at_the_end_of_a_head_is_not_known() -> None:
    assert json_text.walk("[[1], -2", 0, lambda path: len(path) < 1, in_steps=False, is_cut=False).known == {
        1: ([1], 4)
    }


def test_messages_of_a_document_longer_than_its_head_keep_their_places(tmp_path: Path) -> None:
    messages = [{"role": "system", "content": "s"}, {"role": "user", "content": "do it"}]
    for number in range(60):
        messages += [
            {"role": "assistant", "content": f"look\n\n```bash\necho {number}\n```"},
            {"role": "user", "content": f"<returncode>0</returncode>\n<output>\n{'x' * 2000}{number}\n</output>"},
        ]
    text = json.dumps({"trajectory_format": "mini-swe-agent-1", "messages": messages}, indent=2)
    assert len(text) > limits.HEAD
    path = tmp_path / "run.json"
    path.write_text(text, encoding="utf-8")
    (run,) = transcripts.read(str(path))
    assert isinstance(run, Submission)
    calls = [event for event in run.events if event.call is not None]
    assert len(calls) == 60
    for number, event in enumerate(calls):
        assert event.call is not None and event.call.arguments == {"command": f"echo {number}"}
        offset = event.place.offset
        assert offset is not None and json.JSONDecoder().raw_decode(text, offset)[0] == messages[2 + 2 * number]
        assert event.place.line == text.count("\n", 0, offset) + 1


@pytest.mark.parametrize(
    "text",
    [
        "no command",
        "a\n```bash\nls\n```\nb",
        "```bash\n\n```",
        "```bash\n\n\n```\nmore\n```",
        "```bash\nls",
        "```bash\nls\n```\n```bash\npwd\n```",
        "```bash\nls\n```\n```bash\nnot closed",
        "```bash ls\n```\n```mswea_bash_command  \n ls\n```",
        "```bash\n```\n```bash\nls\n```",
        "```bash\n \n\n```bash\n\n```",
        "```bash\n\n```x\n```",
    ],
)
def test_commands_are_found_as_their_pattern_finds_them(text: str) -> None:
    pattern = re.compile(r"```(?:bash|mswea_bash_command)\s*\n(.*?)\n```", re.DOTALL)
    expected = [(match.start(), match.end(), match[1]) for match in pattern.finditer(text)]
    assert mini_swe_agent._commands(text) == expected


@pytest.mark.parametrize("piece", ["```bash\nls ", "\n"])
def test_commands_that_are_left_open_take_time_in_proportion_to_the_text(piece: str) -> None:
    """Each would otherwise be looked through to the end, once for each line it may begin with."""
    assert mini_swe_agent._commands("```bash\n" + 300_000 * piece) == []


@pytest.mark.parametrize(
    "arguments", [{}, {"command": 'echo "é"\n\t\u2028'}, {"a": "x", "b": "y\x7f"}, {"a": 1}, {1: "a"}, ["a"], None, 2.5]
)
def test_the_arguments_of_a_call_are_written_as_json(arguments: object) -> None:
    assert arguments_text(arguments) == json.dumps(arguments, default=str, ensure_ascii=False)


class Counted(str):
    """A text that counts the characters that are copied out of it."""

    copied = 0

    def __getitem__(self, key):
        part = super().__getitem__(key)
        Counted.copied += len(part) if isinstance(key, slice) else 0
        return part


@pytest.mark.parametrize("end", ["", '"cut'])
def test_a_large_object_is_walked_without_copying_what_is_left_of_it_for_each_member(end, monkeypatch):
    """1,000 members, whole or cut off: a copy for each would be 500 times the text, and a cut file would hang."""
    monkeypatch.setattr(Counted, "copied", 0)
    text = Counted(
        json.dumps({"events": {f"k{n}": {"role": "user"} for n in range(1000)}})[: -2 if end else None] + end
    )
    walked = json_text.walk(text, 0, lambda path: len(path) < 3, in_steps=False, is_cut=bool(end))
    assert len(walked.value["events"]) == 1000
    assert Counted.copied <= len(text)
