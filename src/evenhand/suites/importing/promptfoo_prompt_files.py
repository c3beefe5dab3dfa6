"""The files in which promptfoo's prompts are: texts, Markdown, JSON, YAML, JSONL and tables."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from evenhand.core.numbers import plain
from evenhand.errors import InputError
from evenhand.files.tables import read_table
from evenhand.files.text import read_text
from evenhand.files.yaml_values import load_yaml
from evenhand.suites.paths import is_file

_READ = (".txt", ".md", ".j2", ".json", ".jsonl", ".yaml", ".yml", ".csv")
_PROGRAMS = (".py", ".js", ".cjs", ".mjs", ".ts", ".cts", ".mts", ".sh", ".bash", ".exe", ".bat", ".cmd", ".ps1", ".rb",
             ".pl")  # fmt: skip
_NAMED = re.compile(r"\S+(?:" + "|".join(map(re.escape, (*_READ, *_PROGRAMS))) + r")(?::\w+)?")
"""Something that promptfoo takes for the name of a file."""


class Raw(NamedTuple):
    """A template, and the name of its file without the ending."""

    label: str
    text: str
    name: str = ""


def paths_of(text: str, folder: Path) -> list[Path] | None:
    """The files that a prompt names; None when it is a prompt itself. InputError when there are none."""
    name = text.removeprefix("file://").strip()
    if not text.startswith("file://"):
        is_pattern = "*" in name and "/" in name
        is_short = len(name) < 1000 and "\n" not in name and "\0" not in name
        if not is_short or not (_NAMED.fullmatch(name) or is_pattern or (_has_ending(name) and is_file(folder / name))):
            return None
    if "*" in name or "?" in name:
        matches = matching_files(folder, name)
        if not matches and not text.startswith("file://"):
            return None
        if not matches:
            raise InputError("there are no such files")
        return matches
    path = folder / name
    suffix = path.suffix.partition(":")[0].lower()
    if suffix in _PROGRAMS:
        raise InputError("it is made by a program")
    if suffix not in _READ:
        raise InputError(f"only {', '.join(_READ)} are read")
    return [path]


def from_file(path: Path) -> Iterator[Raw]:
    """The prompts in a file. Only in a text file do lines of dashes separate several."""
    suffix = path.suffix.lower()
    if suffix in _PROGRAMS:
        raise InputError(f"{path.name} is a program")
    if suffix not in _READ:
        raise InputError(f"{path.name}: only {', '.join(_READ)} are read")
    if suffix == ".csv":
        yield from _from_table(path)
        return
    text = read_text(str(path))
    if suffix == ".txt":
        texts = [part.strip() for part in re.split(r"(?m)^[^\S\n]*---[^\S\n]*$", text.replace("\r\n", "\n"))]
    elif suffix == ".jsonl":
        texts = text.splitlines()
    elif suffix in (".yaml", ".yml"):
        texts = [json.dumps(load_yaml(text, str(path)).value, ensure_ascii=False, default=plain)]
    else:
        texts = [text]
    for part in texts:
        if part.strip():
            yield Raw(path.stem, part, path.name)


def matching_files(folder: Path, pattern: str) -> list[Path]:
    """The files in a folder that match a pattern, in order."""
    try:
        return sorted(path for path in folder.glob(pattern) if path.is_file())
    except (ValueError, OSError, NotImplementedError, IndexError):
        return []


def _from_table(path: Path) -> Iterator[Raw]:
    if "," not in (text := read_text(str(path))):
        lines = [line for line in text.splitlines() if line.strip()]
        for line in lines[1:] if lines and lines[0].strip().lower() == "prompt" else lines:
            yield Raw("", line)
        return
    table = read_table(str(path), separator=",", empty_only=True)
    if "prompt" not in table.columns:
        raise InputError(f"{path.name} has no column named prompt")
    for row in table.rows:
        if cell := (row.cells["prompt"] or "").strip():
            yield Raw((row.cells.get("label") or "").strip(), cell)


def _has_ending(name: str) -> bool:
    return name.lower().endswith(_READ)
