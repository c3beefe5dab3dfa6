"""Whether files are as a case expects: in the agent's working folder, or according to the transcript."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

from evenhand.checks.facts.files_written import files_written
from evenhand.checks.subject import Subject
from evenhand.core.values.submission import Submission
from evenhand.expectations.expectation import Expectation, Verdict
from evenhand.expectations.expected_answers import contained

LARGEST = 50 * 1024 * 1024
"""The most bytes of a file that are read."""


def decide_file(expectation: Expectation, submission: Submission, folder: Path | None) -> Verdict:
    """One expectation about a file."""
    name = expectation.options["path"]
    if expectation.rule == "unchanged":
        return _unchanged(name, submission, required=expectation.value)
    if folder is None:
        return Verdict(None, "the agent's working folder is unknown; pass it with --workspace")
    path = (folder / name).resolve()
    if not path.is_relative_to(folder.resolve()):
        return Verdict(None, f"{name} is outside {folder}")
    if expectation.rule == "exists":
        exists = path.exists()
        return Verdict(exists is expectation.value, f"{name} {'exists' if exists else 'does not exist'}")
    try:
        content = path.read_bytes() if path.stat().st_size <= LARGEST else None
    except OSError:
        return Verdict(False, f"{name} does not exist or cannot be read")
    if content is None:
        return Verdict(None, f"{name} is larger than {LARGEST // 1024 // 1024} MiB, the largest file that is checked")
    if expectation.rule == "sha256":
        digest = hashlib.sha256(content).hexdigest()
        return Verdict(digest == expectation.value.lower(), f"the SHA-256 of {name} is {digest}")
    text = content.decode("utf-8", "replace")
    if expectation.rule == "json_schema":
        return _schema(name, text, expectation.value, folder)
    verdict = contained(expectation.value, text, required=expectation.rule == "contains", name=name)
    return verdict._replace(quote="", offset=None)  # quotes come only from the output or the transcript


def _unchanged(name: str, submission: Submission, *, required: bool) -> Verdict:
    if not submission.events and submission.format != "diff":
        return Verdict(None, "there is no transcript, so the written files are unknown")
    written = any(
        file.path == name or file.path.endswith(f"/{name.lstrip('./')}") for file in files_written(Subject(submission))
    )
    return Verdict(written is not required, f"{name} was {'changed' if written else 'not changed'}")


def _schema(name: str, text: str, schema: str, folder: Path) -> Verdict:
    try:
        import jsonschema  # type: ignore[import-untyped,unused-ignore]
    except ImportError:
        return Verdict(None, "checking a schema needs jsonschema: pip install 'evenhand[expect]'")
    try:
        schema_document: Any = json.loads((folder / schema).read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        return Verdict(None, f"the schema {schema} cannot be read: {error}")
    try:
        jsonschema.validate(json.loads(text), schema_document)
    except ValueError:
        return Verdict(False, f"{name} is not JSON")
    except jsonschema.SchemaError as error:
        return Verdict(None, f"{schema} is not a valid schema: {error.message}")
    except jsonschema.ValidationError as error:
        return Verdict(False, f"{name} does not follow {schema}: {error.message[:200]}")
    return Verdict(True, f"{name} follows {schema}")
