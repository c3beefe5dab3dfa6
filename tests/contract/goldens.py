"""Golden files: a whole page or document, compared with how it was. UPDATE_GOLDEN=1 writes them; read the difference."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any


def compare(path: Path, text: str) -> None:
    """The text is that of the golden file."""
    if os.environ.get("UPDATE_GOLDEN"):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    assert text == path.read_text(encoding="utf-8"), f"{path.name} changed; if it should: UPDATE_GOLDEN=1, and read it"


def compare_json(path: Path, value: Any) -> None:
    """The value, as indented JSON, is that of the golden file."""
    compare(path, json.dumps(value, ensure_ascii=False, indent=1) + "\n")
