"""Whole pages: each file of `pages/` says what is in a folder and which commands are run there.

What they print, with their exit codes and messages, is in the golden file of the same name. Hours and random ids are
replaced, nothing else. Whatever is printed as JSON must fit its published schema.
"""

from __future__ import annotations

import json
import re
import shlex
import shutil
from functools import cache
from pathlib import Path
from typing import Any

import yaml
from jsonschema import Draft202012Validator

from contract.doors import Ran, run_here
from contract.goldens import compare

SCHEMAS = Path(__file__).parents[2] / "src" / "evenhand" / "schemas"

SHORT = 180
"""Documents of fewer lines stand in golden files as they were printed, line by line."""

_VARIES = (
    (re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z"), "<the time it was made>"),
    (re.compile(r"\b(?:20\d\d)-\d\d-\d\d(?: \d\d:\d\d(?::\d\d)?)?"), "<date>"),
    (re.compile(r'("created": ?")[0-9a-f]{8}"'), r'\1<digest>"'),
    (re.compile(r"\b[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}\b"), "<a new id>"),
)


def pages_of(room: Path) -> list[str]:
    """The names of a room's pages."""
    return sorted(path.stem for path in (room / "pages").glob("*.yaml"))


def check_page(room: Path, page: str, tmp_path: Path) -> None:
    """Run the commands of one page, in their order, and compare with its golden file."""
    given = yaml.safe_load((room / "pages" / f"{page}.yaml").read_text(encoding="utf-8"))
    for shared in (room / "shared").glob("*"):
        shutil.copy(shared, tmp_path)
    for name, content in given.get("files", {}).items():
        text = content if isinstance(content, str) else json.dumps(content)
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    shown = []
    # Most commands run in the page's folder; `in` names others, each with commands of its own.
    lines = [("", line) for line in given["run"]]
    lines += [(folder, line) for folder, own in given.get("in", {}).items() for line in own]
    for folder, line in lines:
        line, _, kept = line.partition(" > ")
        ran = run_here(*shlex.split(line), cwd=tmp_path / folder, environment=given.get("environment"))
        if kept:
            (tmp_path / kept).write_text(ran.out, encoding="utf-8")
        fits_its_schema(ran.out)
        shown.append(as_shown(line, ran, hidden=bool(kept)))
    compare(room / "golden" / f"{page}.txt", steady("\n".join(shown), tmp_path))


def as_shown(line: str, ran: Ran, *, hidden: bool) -> str:
    """A command with its exit code, output and messages."""
    parts = [f"$ evenhand {line}\n", "" if hidden else laid_out(ran.out)]
    if ran.err:
        parts.append("".join(f"! {message}\n" for message in ran.err.splitlines()))
    parts.append(f"= {ran.code}\n")
    return "".join(part if part.endswith("\n") or not part else f"{part}\n" for part in parts)


def laid_out(text: str) -> str:
    """A long document with a line for each field of its own and of the objects in it; anything else as it is."""
    if not text.startswith(("{\n", "[\n")) or text.count("\n") < SHORT:
        return text
    if text.startswith("["):
        return "[\n" + ",\n".join(f" {_compact(part)}" for part in json.loads(text)) + "\n]\n"
    lines = []
    for key, value in json.loads(text).items():
        if isinstance(value, dict) and value:
            inner = ",\n".join(f"  {_compact(name)}: {_compact(part)}" for name, part in value.items())
            lines.append(f" {_compact(key)}: {{\n{inner}\n }}")
        elif isinstance(value, list) and len(value) > 1:
            inner = ",\n".join(f"  {_compact(part)}" for part in value)
            lines.append(f" {_compact(key)}: [\n{inner}\n ]")
        else:
            lines.append(f" {_compact(key)}: {_compact(value)}")
    return "{\n" + ",\n".join(lines) + "\n}\n"


def _compact(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def steady(text: str, folder: Path) -> str:
    """What is printed, without the hour, new ids and the folder's name."""
    text = text.replace(str(folder), "<folder>")
    for pattern, name in _VARIES:
        text = pattern.sub(name, text)
    return text


def fits_its_schema(text: str) -> None:
    """JSON that names a schema fits it: one document, or one a line."""
    if not text.startswith("{"):
        return
    try:
        documents = [json.loads(text)]
    except ValueError:
        documents = [json.loads(line) for line in text.splitlines()]
    for document in documents:
        check = validator(document)
        if check is not None:
            check.validate(document)


def validator(document: dict[str, Any]) -> Draft202012Validator | None:
    """The published schema that a document names."""
    named = re.fullmatch(r"evenhand/([\w-]+)/v(\d+)", str(document.get("schema", "")))
    return None if named is None else schema(f"{named[1]}.v{named[2]}")


@cache
def schema(name: str) -> Draft202012Validator:
    return Draft202012Validator(json.loads((SCHEMAS / f"{name}.schema.json").read_text(encoding="utf-8")))
