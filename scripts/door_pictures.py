"""What a user sees of evenhand in pytest, on GitHub and over MCP, as pictures for the docs. Used by make_docs.py.

Each is made from the example on its own page, so that page and picture agree.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from rich.markdown import Markdown
from rich.text import Text

from agent_pictures import COLUMNS, drawn, recording_console

ROOT = Path(__file__).parents[1]
EXAMPLES = ROOT / "examples"
PAGES = ROOT / "docs" / "how-to"


def pytest_picture() -> str:
    """The end of a pytest run in which one test fails."""
    test = _block("use-from-python.md", r"py title=test_answer\.py")
    with _examples() as folder:
        Path(folder, "test_answer.py").write_text(test, encoding="utf-8")
        command = ["pytest", "-p", "evenhand_pytest", "-p", "no:cacheprovider", "-q", "--color=yes", "--tb=short"]
        shown = _run(folder, *command, "-c", os.devnull, "--rootdir", folder, "test_answer.py")
    console = recording_console()
    steady = re.sub(r"\d{4}-\d\d-\d\d \d\d:\d\d", "2026-11-16 12:00", re.sub(r" in [\d.]+s", "", shown))
    console.print(Text.from_ansi(steady.rstrip()))
    return drawn(console, "pytest -q test_answer.py", "pytest")


def github_picture() -> str:
    """The summary of a job whose gate is red."""
    with _examples() as folder:
        cards = _run(folder, "evenhand", "judge", "answer.md", "--task", "task.md", "--format", "jsonl")
        Path(folder, "scorecards.jsonl").write_text(cards, encoding="utf-8")
        files = {"EVENHAND_GATE_FILES": "scorecards.jsonl", "GITHUB_STEP_SUMMARY": "summary.md"}
        _run(folder, "evenhand", "gate", "--github", **files, EVENHAND_GATE_NO_FAULT="major")
        summary = Path(folder, "summary.md").read_text(encoding="utf-8")
    console = recording_console()
    console.print(Markdown(summary))
    return drawn(console, "the job's summary on GitHub", "github")


def mcp_picture() -> str:
    """An agent that judges through the tools, is told what to fix, and fixes it."""
    console = recording_console()
    for line in (
        _block("judge-inside-an-agent.md", r"text(?=\n> )").replace("\u23bf", "\u2514").splitlines()
    ):  # few fonts have it
        style = "dim" if line.startswith(">") else "bold" if line.startswith("● evenhand") else ""
        console.print(Text(line, style="red" if "Error:" in line else style))
    return drawn(console, "an agent with evenhand agent mcp", "mcp")


def _block(page: str, head: str) -> str:
    """The first code block of a page that begins so."""
    found = re.search(rf"^```{head}\n(.*?)^```", (PAGES / page).read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    assert found is not None, f"{page} has no block {head}"
    return found[1]


@contextmanager
def _examples() -> Iterator[str]:
    """A folder with the example that the pages judge."""
    with tempfile.TemporaryDirectory() as folder:
        for name in ("answer.md", "task.md"):
            shutil.copy(EXAMPLES / name, folder)
        yield folder


def _run(folder: str, *command: str, **more: str) -> str:
    """What a module prints as a command, run in a folder of its own without a store."""
    kept = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("CI", "PYTEST_", "EVENHAND_", "GITHUB_"))
    }
    kept |= {"COLUMNS": str(COLUMNS - 4), "PYTHONPATH": str(ROOT / "src"), "EVENHAND_STORE": "none"}
    line = [sys.executable, "-m", *command]
    return subprocess.run(line, cwd=folder, env=kept | more, capture_output=True, text=True, check=False).stdout
