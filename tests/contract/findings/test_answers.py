"""Whether there is an answer, and whether its form is as asked: what each check says of a log or a text."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from contract.doors import run_here

ASKED = {"role": "user", "content": "Fix the parser."}
SPOKEN = {"role": "assistant", "content": "I look at the parser first."}


def called(name: str, arguments: str = "{}") -> dict[str, Any]:
    return {
        "role": "assistant",
        "content": None,
        "tool_calls": [{"id": "c", "type": "function", "function": {"name": name, "arguments": arguments}}],
    }


def answered(text: str) -> dict[str, Any]:
    return {"role": "tool", "tool_call_id": "c", "content": text}


def found(folder: Path, name: str, text: str, *more: str) -> list[tuple[str, str]]:
    """The findings of a file: each check with its severity."""
    (folder / name).write_text(text, encoding="utf-8")
    ran = run_here("judge", name, "--store", "none", "--format", "json", *more, cwd=folder)
    assert ran.code == 0, ran.err
    return [(finding["check"], finding["severity"]) for finding in json.loads(ran.out)["findings"]]


@pytest.mark.parametrize(
    ("messages", "expected"),
    [
        ([ASKED, called("read_file"), answered("def parse(): ...")], [("no-answer", "critical")]),
        ([ASKED, SPOKEN, called("read_file"), answered("def parse(): ...")], [("no-answer", "major")]),
        ([ASKED, SPOKEN, {"role": "user", "content": "And?"}, called("search"), answered("a.py")], []),
        ([ASKED, called("submit", '{"patch": "..."}'), answered("accepted")], []),
        ([ASKED, called("bash", '{"command": "submit"}'), answered("the patch")], []),
        ([ASKED, called("read_file"), answered("def parse(): ..."), SPOKEN], []),
    ],
    ids=[
        "it ends with a result",
        "earlier words stand for the answer",
        "the user spoke meanwhile",
        "the work was handed in",
        "a command hands it in",
        "answered",
    ],
)
def test_a_run_without_an_answer_is_charged_once(
    tmp_path: Path, messages: list[dict[str, Any]], expected: list[tuple[str, str]]
):
    text = json.dumps({"messages": messages})
    got = [finding for finding in found(tmp_path, "run.json", text) if finding[0] == "no-answer"]
    assert got == expected


def test_an_output_without_a_word_is_no_answer(tmp_path: Path):
    assert found(tmp_path, "output.md", "---\n") == [("no-answer", "critical")]


def test_an_open_fence_and_too_many_words_are_notes(tmp_path: Path):
    """They limit no score, and a closed fence or a text that is short enough is none."""
    opened = "Here it is:\n\n```python\nprint(1)\n"
    assert [check for check, _ in found(tmp_path, "output.md", opened)] == ["truncated-ending"]
    assert found(tmp_path, "output.md", opened + "```\n") == []
    long = "word " * 60
    task = ("--task", "Summarise the incident in at most 50 words.")
    assert [check for check, _ in found(tmp_path, "output.md", long, *task)] == ["constraint-broken"]
    assert found(tmp_path, "output.md", "word " * 40, *task) == []
