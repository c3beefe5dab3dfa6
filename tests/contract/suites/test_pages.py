"""Whole pages: each file of `pages/` says what is in a folder and which commands are run there.

What they print, with their exit codes and messages, is in the golden file of the same name. Hours, ids and the folder's
name are replaced, nothing else.
"""

from __future__ import annotations

import json
import re
import shlex
import sys
from pathlib import Path

import pytest
import yaml

from contract.doors import Ran, run_here
from contract.goldens import compare

HERE = Path(__file__).parent
PAGES = sorted(path.stem for path in (HERE / "pages").glob("*.yaml"))

_VARIES = (
    (re.compile(r"\b20\d\d-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?Z?)?)?"), "<date>"),
    (re.compile(r"\b[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}\b"), "<id>"),
    (re.compile(r"\b[0-9a-f]{64}\b"), "<sha256>"),
    (re.compile(r'"(seconds|agent_seconds)": "?[0-9]+\.[0-9]+"?'), r'"\1": <seconds>'),
    (re.compile(r"(?i)(?:not )?confined(?: by \w+)?[^\"\n]*(?:network open|no network)"), "<how it was confined>"),
    (re.compile(r"\b\d+(?:\.\d+)? ?(?:ms|s|min)\b"), "<time>"),
    (re.compile(r"(?m)(?<=\| )\d+\.\d(?= \|$)"), "<seconds>"),
)


@pytest.mark.parametrize("page", PAGES)
def test_a_page(page: str, tmp_path: Path) -> None:
    """The commands of one folder, in their order."""
    tmp_path = tmp_path / "project"
    tmp_path.mkdir()
    given = yaml.safe_load((HERE / "pages" / f"{page}.yaml").read_text(encoding="utf-8"))
    if given.get("confined") and sys.platform != "linux":
        pytest.skip("what is shown begins otherwise where nothing confines runs")
    for name, content in given.get("files", {}).items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")
    shown = []
    for line in given["run"]:
        words, _, kept = line.partition(" > ")
        ran = run_here(*shlex.split(words), cwd=tmp_path, environment=given.get("environment"))
        if kept:
            (tmp_path / kept).write_text(ran.out, encoding="utf-8")
        shown.append(_as_shown(line, ran, hidden=bool(kept)))
    text = "\n".join(shown)
    for folder in (str(tmp_path), str(tmp_path).replace("_", "\\_")):  # as it is, and in Markdown
        text = text.replace(folder, "<folder>")
    for pattern, name in _VARIES:
        text = pattern.sub(name, text)
    compare(HERE / "golden" / f"{page}.txt", text)


def _as_shown(line: str, ran: Ran, *, hidden: bool) -> str:
    """A command with its exit code, output and messages."""
    parts = [f"$ evenhand {line}\n", "" if hidden else ran.out]
    parts += [f"! {message}\n" for message in ran.err.splitlines()]
    parts.append(f"= {ran.code}\n")
    return "".join(part if part.endswith("\n") or not part else f"{part}\n" for part in parts)
