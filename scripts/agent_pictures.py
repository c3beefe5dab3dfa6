"""What a user sees of evenhand inside an agent, as pictures for the documentation. Used by make_docs.py."""

from __future__ import annotations

import io
import json
import os
import re
import tempfile
from pathlib import Path
from typing import Any

import yaml
from rich.console import Console
from rich.terminal_theme import MONOKAI

import evenhand
from evenhand.agents.hook import answer
from evenhand.agents.skills import shipped_skills
from evenhand.reports.scorecard import scorecard_report
from evenhand.reports.terminal.walker import print_report

COLUMNS = 100


def skill_picture(examples: Path) -> str:
    """The scorecard of the judgement in the skill evenhand-judge, as the agent shows it."""
    skill = next(skill for skill in shipped_skills() if skill.name == "evenhand-judge")
    written = re.search(r"```yaml\n(.*?)```", skill.files["SKILL.md"].decode(), re.DOTALL)
    assert written is not None
    judgement = yaml.safe_load(written[1])
    output = (examples / judgement.pop("output")).read_text(encoding="utf-8")
    card = evenhand.score(judgement, output=output, created="2026-11-01T10:00:00Z")
    console = recording_console()
    print_report(scorecard_report(card._replace(id="example"), brief=True), console)
    return drawn(console, "evenhand score judgement.yaml", "skill")


def hook_picture() -> str:
    """The end of a turn in Claude Code, with the message of the hook below it."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "session.jsonl"
        path.write_text("".join(json.dumps(entry) + "\n" for entry in _session()), encoding="utf-8")
        event = {"hook_event_name": "Stop", "session_id": "example", "transcript_path": str(path)}
        before = os.environ.get("XDG_STATE_HOME")
        os.environ["XDG_STATE_HOME"] = folder
        try:
            message = json.loads(answer(json.dumps(event).encode()))["systemMessage"]
        finally:
            if before is None:
                del os.environ["XDG_STATE_HOME"]
            else:
                os.environ["XDG_STATE_HOME"] = before
    console = recording_console()
    console.print("> Fix the parser: it drops quoted fields.\n", style="dim")
    console.print("● Update(parser.py)\n", style="bold")
    console.print("● Bash(pytest -q)\n", style="bold")
    console.print("● Done. The parser keeps quoted fields now. All tests pass.\n")
    console.print(f"  Stop says: {message}", style="yellow")
    return drawn(console, "claude", "hook")


def _session() -> list[dict[str, Any]]:
    base = {"sessionId": "example", "cwd": "/project", "version": "2.1", "timestamp": "2026-11-01T10:00:00Z"}
    change = {"file_path": "parser.py", "old_string": "row", "new_string": "fields"}
    edit = {"type": "tool_use", "id": "1", "name": "Edit", "input": change}
    done = {"type": "tool_result", "tool_use_id": "1", "content": "The file has been updated."}
    ran = {"type": "tool_use", "id": "2", "name": "Bash", "input": {"command": "pytest -q"}}
    failed = {"type": "tool_result", "tool_use_id": "2", "content": "1 failed, 11 passed in 0.31s"}
    last = {"type": "text", "text": "Done. The parser keeps quoted fields now. All tests pass."}
    turns: list[tuple[str, Any]] = [
        ("user", "Fix the parser: it drops quoted fields."),
        ("assistant", [edit]),
        ("user", [done]),
        ("assistant", [ran]),
        ("user", [failed]),
        ("assistant", [last]),
    ]
    return [
        {**base, "type": role, "uuid": str(number), "parentUuid": str(number - 1) if number else None}
        | {"message": {"role": role, "model": "model", "content": content}}
        for number, (role, content) in enumerate(turns)
    ]


def recording_console() -> Console:
    """A terminal that keeps what it shows, for a picture."""
    return Console(
        record=True,
        width=COLUMNS,
        file=io.StringIO(),
        force_terminal=True,
        color_system="truecolor",
        legacy_windows=False,
        highlight=False,
        emoji=False,
        markup=False,
    )


def drawn(console: Console, title: str, name: str) -> str:
    """As SVG, without fonts from elsewhere."""
    svg = console.export_svg(title=title, theme=MONOKAI, unique_id=name)
    svg = re.sub(r"\s*@font-face \{.*?\n    \}", "", svg, flags=re.DOTALL)
    return svg.replace("Fira Code", "DejaVu Sans Mono").rstrip() + "\n"
