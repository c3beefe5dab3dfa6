"""Record what the judges of the documentation's examples reply, so that the examples run without a model.

python scripts/record_examples.py            write examples/recorded/*.jsonl
python scripts/record_examples.py --check    exit 1 if any is out of date

A recording answers the exact questions it was made with: it changes with the prompt, with the rubric devops, and with
the example itself.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "tests" / "support"))

from example_judges import READER, answer  # noqa: E402
from fake_server import FakeServer  # noqa: E402

EXAMPLES = ROOT / "examples"
RECORDED = ("first", "second", "third", "stronger")
QUESTION = ["answer.md", "--task", "task.md", "--rubric", "devops"]


def recordings() -> dict[Path, str]:
    """Each file with what belongs into it."""
    with FakeServer() as server, tempfile.TemporaryDirectory() as folder:
        server.answer = answer
        for name in RECORDED:
            asked = [
                "--judge",
                f"openai:{name}",
                "--base-url",
                server.url,
                "--set",
                f"judge.record={folder}/{name}.jsonl",
            ]
            kept = ["--store", "none", "--set", "judge.concurrency=1", "--format", "jsonl"]
            command = [sys.executable, "-m", "evenhand", "judge", *QUESTION, *asked, *kept]
            environment = {**os.environ, "OPENAI_API_KEY": "none"}
            subprocess.run(command, cwd=EXAMPLES, env=environment, stdout=subprocess.DEVNULL, check=True)
        made = {name: Path(folder, f"{name}.jsonl").read_text(encoding="utf-8") for name in RECORDED}
        made[READER] = _recorded_notes(server.url, Path(folder))
    return {
        EXAMPLES / "recorded" / f"{name}.jsonl": "".join(map(_settled, text.splitlines()))
        for name, text in made.items()
    }


def _recorded_notes(url: str, folder: Path) -> str:
    """What the reader of the release notes says, in the order of the questions' hashes."""
    shutil.copytree(EXAMPLES / "notes", folder / "notes")
    (folder / ".git").mkdir()  # a project of its own
    command = [sys.executable, "-m", "evenhand", "better", "notes/old", "notes/new", "--tasks", "notes/tasks"]
    command += ["--judge", f"openai:{READER}", "--base-url", url, "--yes", "--set", "judge.record=notes.jsonl"]
    environment = {**os.environ, "OPENAI_API_KEY": "none"}
    subprocess.run(command, cwd=folder, env=environment, capture_output=True, check=True)
    lines = (folder / "notes.jsonl").read_text(encoding="utf-8").splitlines()
    return "\n".join(sorted(lines))  # each begins with its question's hash


def _settled(line: str) -> str:
    """An exchange with a nonce that is the same in every recording: the start of the question's hash."""
    exchange = json.loads(line)
    return line.replace(exchange["nonce"], exchange["prompt"][:32]) + "\n"


def main(arguments: list[str]) -> int:
    """Write the recordings, or say which are out of date."""
    made = recordings()
    stale = [path for path, text in made.items() if not path.exists() or path.read_text(encoding="utf-8") != text]
    if arguments == ["--check"]:
        for path in stale:
            print(f"out of date: {path.relative_to(ROOT).as_posix()}")
        return 1 if stale else 0
    for path in stale:
        path.parent.mkdir(exist_ok=True)
        path.write_text(made[path], encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
