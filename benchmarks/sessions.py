"""Made-up Claude Code sessions of any size, the same ones every time: for measuring how they are judged.

An agent reads files, searches, edits, writes, runs tests and says what it does, with results of every length, and ends
with a final answer. Names and numbers differ from turn to turn, as they do in real sessions.
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

_WORDS = (
    "the change cache entry expires request returns profile lock writes older value test covers path names file reader "
    "finds cause says what breaks where how often naïve “quoted” fallback → stays misses one of three callers"
).split()
_TASK = (
    "Fix the cache so that an expired profile is loaded again. You must:\n\n1. hold the lock across load and store\n"
    "2. add a test for the race\n3. explain the cause in at most 200 words\n\nDo not modify `settings.py`."
)
_CODE = (
    "def load_{n}(user: str, *, fresh: bool = False) -> Profile:\n"
    '    """Load a profile, from the cache unless a fresh one is asked for."""\n'
    "    with lock(user):\n"
    "        entry = cache.get(user) if not fresh else None\n"
    "        if entry is None or entry.age > {n}:\n"
    "            entry = cache[user] = fetch(user, limit={n})\n"
    "        return entry.profile\n\n\n"
)
_SECTION = (
    "## Part {n}\n\n{prose} The limit of {n} seconds is stated in `cache_{n}.py`.\n\n"
    "- **First:** {first}\n- **Then:** {then}\n\n"
    "```python\n{code}```\n\n"
    "| name | value |\n|---|---|\n| limit | {n} |\n| lock | {lock} |\n\n"
    "See [the documentation](https://example.com/cache/{n}) for `load_{n}`, where {n} + 1 = {next}.\n\n"
)


def write_session(path: Path, size: int, answer: str | None = None) -> int:
    """Write a session of about so many bytes, with this final answer; the number of its lines."""
    chance = random.Random(4)
    written = lines = 0
    with path.open("wb") as file:

        def put(line: dict[str, Any]) -> None:
            nonlocal written, lines
            data = json.dumps(line, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"
            file.write(data)
            written += len(data)
            lines += 1

        put(_line(0, "user", {"role": "user", "content": _TASK}))
        last = _line(0, "assistant", _said(chance, 0, {"type": "text", "text": answer or document(4_000)}))
        room = size - len(json.dumps(last, ensure_ascii=False).encode())
        for number, line in enumerate(_turns(chance)):
            if written >= room and number % 4 == 0:  # never between a call and its result
                break
            put(line)
        put(last)
    return lines


def write_chat(path: Path, size: int, *, in_lines: bool = False) -> int:
    """Write a chat in OpenAI's form of about so many bytes, all in one JSON document or a message a line; the number of
    its messages."""
    begin, between, end = ("", "\n", "\n") if in_lines else ('{"messages": [', ", ", "]}")
    number = 0
    with path.open("w", encoding="utf-8") as file:
        for number, message in enumerate(_messages(size), 1):
            file.write((between if number > 1 else begin) + json.dumps(message))
        file.write(end)
    return number


def _messages(size: int) -> Iterator[dict[str, Any]]:
    chance = random.Random(6)
    yield {"role": "user", "content": _TASK}
    written = number = 0
    while written < size:
        number += 1
        name, given, result = _call(chance, number)
        function = {"name": name, "arguments": json.dumps(given)}
        call = {"id": f"call_{number}", "type": "function", "function": function}
        pair: list[dict[str, Any]] = [
            {"role": "assistant", "content": prose(chance, 40), "tool_calls": [call]},
            {"role": "tool", "tool_call_id": call["id"], "content": result},
        ]
        written += sum(len(json.dumps(message)) for message in pair)
        yield from pair
    yield {"role": "assistant", "content": document(4_000)}


def document(size: int) -> str:
    """Markdown of so many characters: headings, prose, lists, code, tables and links."""
    chance = random.Random(5)
    parts: list[str] = ["# The cause, and what was changed\n\n"]
    length = number = 0
    while length < size:
        number += 1
        words = {"prose": prose(chance, 120), "first": prose(chance, 15), "then": prose(chance, 15)}
        parts.append(
            _SECTION.format(
                n=number, next=number + 1, lock=f"lock-{number}", code=_CODE.format(n=number).rstrip() + "\n", **words
            )
        )
        length += len(parts[-1])
    return "".join(parts) + "That is all that was changed.\n"


def prose(chance: random.Random, words: int) -> str:
    """Sentences of some ten words each."""
    sentences = []
    while words > 0:
        length = min(words, chance.randrange(6, 16))
        sentences.append(" ".join(chance.choices(_WORDS, k=length)).capitalize() + ".")
        words -= length
    return " ".join(sentences)


def _turns(chance: random.Random) -> Iterator[dict[str, Any]]:
    """Four lines for each call: a thought, a word, the call, its result."""
    number = 0
    while True:
        number += 1
        thought = {"type": "thinking", "thinking": prose(chance, 40), "signature": "A" * 300}
        name, given, result = _call(chance, number)
        call = {"type": "tool_use", "id": f"toolu_{number}", "name": name, "input": given}
        yield _line(number, "assistant", _said(chance, number, thought))
        yield _line(number, "assistant", _said(chance, number, {"type": "text", "text": prose(chance, 30)}))
        yield _line(number, "assistant", _said(chance, number, call))
        back = {"type": "tool_result", "tool_use_id": call["id"], "content": result, "is_error": number % 29 == 0}
        yield _line(number, "user", {"role": "user", "content": [back]}, toolUseResult={"stdout": result, "stderr": ""})


def _call(chance: random.Random, number: int) -> tuple[str, dict[str, Any], str]:
    """A tool, its arguments and its result."""
    path = f"/home/ana/project/src/cache_{number % 400}.py"
    functions = max(1, round(chance.lognormvariate(1.5, 1.2)))
    code = "".join(_CODE.format(n=number + each) for each in range(functions))
    log = "\n".join(f"tests/test_{each}.py::test_race PASSED" for each in range(functions * 3))
    kind = number % 6
    if kind == 0:
        return "Read", {"file_path": path, "offset": number}, code
    if kind == 1:
        return "Grep", {"pattern": f"load_{number}", "path": "src"}, "\n".join(code.splitlines()[::7])
    if kind == 2:
        return "Edit", {"file_path": path, "old_string": code[:300], "new_string": code[:400]}, "The file was updated."
    if kind == 3:
        return "Write", {"file_path": path, "content": code}, "The file was written."
    if kind == 4:
        command = f"cd /home/ana/project && pytest -q tests/test_{number}.py 2>&1 | tail -{number % 50}"
        return "Bash", {"command": command, "description": "Run the tests"}, f"{log}\n{functions} passed in 0.{number}s"
    command = f'git add src/cache_{number}.py && git commit -m "Hold the lock, part {number}" && git log --oneline -3'
    return "Bash", {"command": command, "description": prose(chance, 5)}, prose(chance, functions * 20)


def _said(chance: random.Random, number: int, content: dict[str, Any]) -> dict[str, Any]:
    usage = {"input_tokens": 3, "cache_creation_input_tokens": 900, "cache_read_input_tokens": 20_000}
    return {
        "id": f"msg_{number}_{content['type']}",
        "type": "message",
        "role": "assistant",
        "model": "claude-opus-4-6",
        "usage": {**usage, "output_tokens": chance.randrange(20, 900)},
        "content": [content],
    }


def _line(number: int, kind: str, message: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {
        "parentUuid": f"{number:032x}",
        "isSidechain": False,
        "userType": "external",
        "cwd": "/home/ana/project",
        "sessionId": "55604662-cf2a-4331-851a-ec234028f8ca",
        "version": "2.1.38",
        "gitBranch": "main",
        "type": kind,
        "message": message,
        **more,
        "timestamp": f"2026-02-10T21:{number % 60:02}:00Z",
    }
