"""Record what the judges of the documentation's examples reply, so that the examples run without a model.

python scripts/record_examples.py      write examples/recorded/*.jsonl

A recording answers the exact questions it was made with: run this again when the prompt, the rubric devops or
examples/answer.md changes. tests/test_docs.py notices.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "tests"))

from example_judges import answer  # noqa: E402
from fake_server import FakeServer  # noqa: E402

EXAMPLES = ROOT / "examples"
RECORDED = ("first", "second", "third", "stronger")
QUESTION = ["answer.md", "--task", "task.md", "--rubric", "devops"]


def main() -> None:
    """One recording a judge."""
    (EXAMPLES / "recorded").mkdir(exist_ok=True)
    with FakeServer() as server:
        server.answer = answer
        for name in RECORDED:
            recording = EXAMPLES / "recorded" / f"{name}.jsonl"
            recording.unlink(missing_ok=True)
            asked = ["--judge", f"openai:{name}", "--base-url", server.url, "--record", str(recording)]
            kept = ["--store", "none", "--concurrency", "1", "--format", "jsonl"]
            command = [sys.executable, "-m", "evenhand", "judge", *QUESTION, *asked, *kept]
            environment = {**os.environ, "OPENAI_API_KEY": "none"}
            subprocess.run(command, cwd=EXAMPLES, env=environment, stdout=subprocess.DEVNULL, check=True)


if __name__ == "__main__":
    main()
