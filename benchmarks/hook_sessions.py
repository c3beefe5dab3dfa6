"""What `evenhand agent hook` costs at the end of a turn, by size of session: processor time, with Python's start.

    python benchmarks/hook_sessions.py

Each session has one long earlier turn that ends with an edit, and a short last one that claims passing tests: the hook
must report that files were changed after the last run. `needs` is what it takes without a limit; `answered` says how
often it reports the fault within its own limit, which other work on the machine makes tighter.
"""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from sessions import write_session

SIZES = (1, 5, 10, 20)
CLAIM = "Done. All tests pass."
WITHOUT_LIMIT = "import sys; from evenhand.agents.hook import answer; print(answer(sys.stdin.buffer.read()))"


def write_two_turns(path: Path, size: int) -> None:
    """A session whose last turn is a question and an answer."""
    write_session(path, size, answer="Done for now.")
    first, *rest = path.read_bytes().splitlines(keepends=True)
    entry = json.loads(first) | {"parentUuid": None}
    said = json.loads(rest[-1])
    edit = {"type": "tool_use", "id": "toolu_last", "name": "Edit", "input": {"file_path": "a.py", "new_string": "x"}}
    back = {"type": "tool_result", "tool_use_id": "toolu_last", "content": "The file was updated."}
    last = [
        _changed(said, "edit", edit),
        _changed(entry, "edited", back),
        _changed(entry, "question", {"type": "text", "text": "Go on."}),
        _changed(said, "answer", {"type": "text", "text": CLAIM}),
    ]
    path.write_bytes(b"".join([_written(entry), *rest, *map(_written, last)]))


def _changed(entry: dict[str, Any], id: str, block: dict[str, Any]) -> dict[str, Any]:
    message = entry["message"] | {"content": [block]}
    return entry | {"uuid": id, "timestamp": "2099-01-01T00:00:00Z", "message": message}


def _written(entry: dict[str, Any]) -> bytes:
    return json.dumps(entry, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"


def run_hook(path: Path, state: Path, *command: str) -> tuple[float, bool]:
    """Seconds of processor time, and whether it reported the fault."""
    event = {"hook_event_name": "Stop", "session_id": str(path), "transcript_path": str(path)}
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(
        [sys.executable, *command],
        input=json.dumps(event).encode(),
        env={**os.environ, "XDG_STATE_HOME": str(state)},
        capture_output=True,
        check=True,
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, b"changed after" in done.stdout


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        print("MB    needs, seconds   answered")
        for size in SIZES:
            path = Path(folder) / f"{size}.jsonl"
            write_two_turns(path, size * 1024 * 1024)
            states = (Path(folder) / f"state-{size}-{number}" for number in range(100))
            needs = [run_hook(path, next(states), "-c", WITHOUT_LIMIT) for _ in range(3)]
            assert all(is_right for _, is_right in needs), "the fault was not found"
            limited = [run_hook(path, next(states), "-m", "evenhand", "agent", "hook")[1] for _ in range(3)]
            print(f"{size:<5} {min(seconds for seconds, _ in needs):<16.2f} {sum(limited)} of {len(limited)}")


if __name__ == "__main__":
    main()
