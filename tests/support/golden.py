"""Golden files: a whole report, compared with how it was. UPDATE_GOLDEN=1 writes them anew; read the difference."""

from __future__ import annotations

import io
import os
import re
from collections.abc import Callable

from conftest import ROOT
from rich.console import Console

GOLDEN = ROOT / "tests" / "golden"


def compare(name: str, text: str) -> None:
    """The text is that of the golden file."""
    path = GOLDEN / name
    if os.environ.get("UPDATE_GOLDEN"):
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
    assert text == path.read_text(encoding="utf-8"), f"{name} changed; if it should, run again with UPDATE_GOLDEN=1"


def coloured(show: Callable[[Console], None], width: int = 80) -> str:
    """What is printed on a terminal with colours, each code as `{1;32}`."""
    stream = io.StringIO()
    show(
        Console(
            file=stream,
            width=width,
            color_system="standard",
            force_terminal=True,
            legacy_windows=False,
            highlight=False,
            markup=False,
            emoji=False,
            _environ={},
        )
    )
    text = re.sub("\x1b\\[([0-9;]*)m", lambda code: f"{{{code[1]}}}", stream.getvalue())
    return "".join(f"{line.rstrip()}\n" for line in text.splitlines())


def body(page: str) -> str:
    """What a page shows, without its frame and style sheet: a line for each of its own that is not empty."""
    lines = (line.strip() for line in str(getattr(page, "body", page)).splitlines())
    return "".join(f"{line}\n" for line in lines if line)
