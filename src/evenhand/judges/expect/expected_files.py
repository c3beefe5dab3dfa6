"""Whether files are as a case expects: in the folder the agent worked in, or as the transcript shows."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

from evenhand.core.values.submission import Submission
from evenhand.judges.checks.facts.files_written import files_written
from evenhand.judges.checks.subject import Subject
from evenhand.judges.expect.expectation import Expectation, Verdict
from evenhand.judges.expect.expected_answers import contained

LARGEST = 50 * 1024 * 1024
"""Bytes of a file that are looked at."""


def decide_file(expectation: Expectation, submission: Submission, folder: Path | None) -> Verdict:
    """One expectation about a file."""
    name = expectation.options["path"]
    if expectation.rule == "unchanged":
        return _unchanged(name, submission, wanted=expectation.value)
    if folder is None:
        return Verdict(None, "the folder the agent worked in is not known; name it with --workspace")
    path = (folder / name).resolve()
    if not path.is_relative_to(folder.resolve()):
        return Verdict(None, f"{name} lies outside {folder}")
    if expectation.rule == "exists":
        there = path.exists()
        return Verdict(there is expectation.value, f"{name} {'exists' if there else 'does not exist'}")
    try:
        content = path.read_bytes() if path.stat().st_size <= LARGEST else None
    except OSError:
        return Verdict(False, f"{name} does not exist or cannot be read")
    if content is None:
        return Verdict(None, f"{name} is larger than {LARGEST // 1024 // 1024} MiB, the most that is looked at")
    if expectation.rule == "sha256":
        digest = hashlib.sha256(content).hexdigest()
        return Verdict(digest == expectation.value.lower(), f"the SHA-256 of {name} is {digest}")
    text = content.decode("utf-8", "replace")
    if expectation.rule == "json_schema":
        return _schema(name, text, expectation.value, folder)
    found = contained(expectation.value, text, wanted=expectation.rule == "contains", name=name)
    return found._replace(quote="", offset=None)  # a quote is one from the output or the transcript


def _unchanged(name: str, submission: Submission, *, wanted: bool) -> Verdict:
    if not submission.events and submission.format != "diff":
        return Verdict(None, "there is no transcript, so it is not known which files were written")
    written = any(
        file.path == name or file.path.endswith(f"/{name.lstrip('./')}") for file in files_written(Subject(submission))
    )
    return Verdict(written is not wanted, f"{name} was {'changed' if written else 'not changed'}")


def _schema(name: str, text: str, schema: str, folder: Path) -> Verdict:
    try:
        import jsonschema  # type: ignore[import-untyped,unused-ignore]
    except ImportError:
        return Verdict(None, "checking a schema needs jsonschema: pip install 'evenhand[expect]'")
    try:
        wanted: Any = json.loads((folder / schema).read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        return Verdict(None, f"the schema {schema} cannot be read: {error}")
    try:
        jsonschema.validate(json.loads(text), wanted)
    except ValueError:
        return Verdict(False, f"{name} is not JSON")
    except jsonschema.SchemaError as error:
        return Verdict(None, f"{schema} is not a valid schema: {error.message}")
    except jsonschema.ValidationError as error:
        return Verdict(False, f"{name} does not follow {schema}: {error.message[:200]}")
    return Verdict(True, f"{name} follows {schema}")
