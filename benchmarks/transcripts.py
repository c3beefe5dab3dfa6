"""What reading a transcript costs: processor time against parsing the same lines, and the memory it takes.

python benchmarks/transcripts.py [--megabytes 1 10 100]

The lines are like those of a Claude Code session: prompts, thoughts, tool calls, results of every length, most of
them short, a few very long. Reading and judging together may take 30 times what `json.loads` takes for the same
lines; reading alone should stay below 6 times, and 100 MB below 1 GB of memory.
"""

from __future__ import annotations

import argparse
import json
import random
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from measuring import PYTHON, table, verdict

ROUNDS = 3
MOST_TIMES = 6.0
MOST_MEMORY = 1024 * 1024 * 1024

PARSING = """
import json
for line in open(path, "rb"):
    json.loads(line)
"""
READING = """
from evenhand.transcripts import read
for each in read(path):
    assert each.events and not each.problems and not each.unknown, each
"""
MEASURED = """
import json, resource, sys, time
import evenhand.transcripts.registry  # starting is measured in start_up.py
path = sys.argv[1]
begun = time.process_time()
{work}
used = time.process_time() - begun
unit = 1 if sys.platform == "darwin" else 1024
print(json.dumps([used, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit]))
"""

_WORDS = (
    "the change cache entry expires request returns profile lock writes older value test covers path names file reader "
    "finds cause says what breaks where how often naïve “quoted” fallback → stays misses one of three callers"
).split()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--megabytes", type=int, nargs="+", default=[1, 10, 100])
    sizes = parser.parse_args().megabytes
    rows = []
    with tempfile.TemporaryDirectory() as name:
        for size in sizes:
            path = Path(name) / f"{size}.jsonl"
            lines = write_session(path, size * 1_000_000)
            parsing, reading = _best(PARSING, path), _best(READING, path)
            times = reading[0] / parsing[0]
            reached = times < MOST_TIMES and reading[1] < MOST_MEMORY
            rows.append(
                (
                    f"{size} MB, {lines:,} lines",
                    f"{parsing[0]:.2f} s",
                    f"{reading[0]:.2f} s",
                    f"{times:.2f}",
                    f"{reading[1] / 1024 / 1024:.0f} MiB",
                    verdict(reached),
                )
            )
    print("Processor time of reading a Claude Code session, best of three\n")
    print(table(("session", "json.loads", "read", "times", "peak memory", f"< {MOST_TIMES:.0f} times, < 1 GiB"), rows))


def _best(work: str, path: Path) -> tuple[float, int]:
    """Seconds and bytes of the quickest of some runs, each in a process of its own."""
    command = [PYTHON, "-c", MEASURED.format(work=work), str(path)]
    runs = []
    for _ in range(ROUNDS):
        done = subprocess.run(command, stdout=subprocess.PIPE, check=False)
        if done.returncode:
            sys.exit(f"a run failed with exit code {done.returncode}")
        seconds, memory = json.loads(done.stdout)
        runs.append((float(seconds), int(memory)))
    return min(runs)


def write_session(path: Path, size: int) -> int:
    """Write a made-up session of so many bytes, the same one every time; the number of its lines."""
    chance = random.Random(4)
    written = lines = 0
    with path.open("wb") as file:
        for line in _lines(chance):
            data = json.dumps(line, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"
            file.write(data)
            written += len(data)
            lines += 1
            if written >= size:
                return lines
    raise AssertionError("the session never ends")


def _lines(chance: random.Random) -> Iterator[dict[str, Any]]:
    number = 0
    yield _line(number, "user", {"role": "user", "content": _prose(chance, 60)})
    while True:
        number += 1
        request = {"requestId": f"req_{number}"}
        message = {"id": f"msg_{number}", "type": "message", "role": "assistant", "model": "claude-opus-4-6"}
        usage = {"input_tokens": 3, "cache_creation_input_tokens": 900, "cache_read_input_tokens": 20_000}
        message["usage"] = {**usage, "output_tokens": chance.randrange(20, 900)}
        thought = {"type": "thinking", "thinking": _prose(chance, 40), "signature": "A" * 300}
        call = {"type": "tool_use", "id": f"toolu_{number}", "name": chance.choice(("Bash", "Read", "Edit", "Grep"))}
        call["input"] = {"command": _prose(chance, 12), "description": _prose(chance, 5)}
        yield _line(number, "assistant", {**message, "content": [thought]}, **request)
        yield _line(
            number, "assistant", {**message, "content": [{"type": "text", "text": _prose(chance, 30)}]}, **request
        )
        yield _line(number, "assistant", {**message, "content": [call]}, **request)
        yield _line(number, "progress", None, data={"type": "hook_progress", "hookName": "PreToolUse:Bash"})
        output = _prose(chance, round(chance.lognormvariate(4, 1.5)))
        result = {"type": "tool_result", "tool_use_id": call["id"], "content": output, "is_error": number % 9 == 0}
        yield _line(
            number, "user", {"role": "user", "content": [result]}, toolUseResult={"stdout": output, "stderr": ""}
        )


def _line(number: int, kind: str, message: dict[str, Any] | None, **more: Any) -> dict[str, Any]:
    head = {
        "parentUuid": f"{number:032x}",
        "isSidechain": False,
        "userType": "external",
        "cwd": "/home/ana/project",
        "sessionId": "55604662-cf2a-4331-851a-ec234028f8ca",
        "version": "2.1.38",
        "gitBranch": "main",
        "type": kind,
    }
    return {
        **head,
        **({"message": message} if message else {}),
        **more,
        "timestamp": f"2026-02-10T21:{number % 60:02}:00Z",
    }


def _prose(chance: random.Random, words: int) -> str:
    return " ".join(chance.choices(_WORDS, k=max(1, words))).capitalize() + "."


if __name__ == "__main__":
    main()
