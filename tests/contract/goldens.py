"""Golden files: a whole page or document, compared with how it was. UPDATE_GOLDEN=1 writes it; read the difference."""

from __future__ import annotations

import json
import os
from difflib import unified_diff
from itertools import islice
from pathlib import Path
from typing import Any

import pytest

SHOWN = 60
"""How many lines of a difference are shown."""


def compare(path: Path, text: str) -> None:
    """The text is that of the golden file."""
    if os.environ.get("UPDATE_GOLDEN"):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    expected = path.read_text(encoding="utf-8")
    if text != expected:
        lines = unified_diff(expected.splitlines(), text.splitlines(), "golden", "now", lineterm="", n=1)
        shown = "\n".join(line[:300] for line in islice(lines, SHOWN))
        pytest.fail(f"{path.name} changed; if it should, run with UPDATE_GOLDEN=1:\n{shown}", pytrace=False)


def compare_json(path: Path, value: Any) -> None:
    """The value, as indented JSON, is that of the golden file."""
    compare(path, json.dumps(value, ensure_ascii=False, indent=1) + "\n")
