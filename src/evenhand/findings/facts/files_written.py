"""The files an agent wrote: by edit tools, patches, shell commands, or as a diff shows it. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any, NamedTuple

from evenhand.findings.facts.shell import commands, runs
from evenhand.findings.subject import Subject
from evenhand.work.submission import Event


class Written(NamedTuple):
    """A file that was written, or a part of it."""

    path: str
    content: str
    """What was put into it; empty when that is not known."""
    event: Event | None
    """None when the output is itself a diff."""
    quote: str
    """Where it can be seen: words of the call, or a line of the diff."""
    is_new: bool = False
    """Whether it is known to be new."""


_PATH_KEYS = ("file_path", "path", "notebook_path", "filename", "target_file", "filepath")


_CONTENT_KEYS = ("content", "contents", "file_text", "new_string", "new_str", "new_source", "insert_text", "code_edit")
_WRITING_KEYS = frozenset((*_CONTENT_KEYS, "edits"))


_NEW = re.compile(r"creat(?:ed|es)\b|^A ", re.I)


@lru_cache(maxsize=1)
def files_written(subject: Subject) -> tuple[Written, ...]:
    """Every write that succeeded: by an edit tool, a patch, a shell command, or in a diff that is the output."""
    return tuple(_written(subject))


def _written(subject: Subject) -> Iterator[Written]:
    for event in subject.calls:
        call = event.call
        if call is None or call.failed or call.result is None:
            continue
        if isinstance(call.arguments, Mapping):
            yield from _by_tool(call.arguments, event, call.result)
        patch = call.arguments if isinstance(call.arguments, str) else ""
        if isinstance(call.arguments, Mapping):
            patch = str(call.arguments.get("patch") or call.arguments.get("input") or "")
        if patch:
            yield from _by_patch(patch, event)
    for run in runs(subject):
        if run.event.call and not run.event.call.failed:
            yield from _by_shell(run.text, run.event)
    if re.match(r"(?:diff --git |--- \S+\n\+\+\+ )", subject.output.lstrip()):
        yield from _by_diff(subject.output)


def _by_tool(arguments: Mapping[str, Any], event: Event, result: str) -> Iterator[Written]:
    if _WRITING_KEYS.isdisjoint(arguments):
        return
    path = next((arguments[key] for key in _PATH_KEYS if isinstance(arguments.get(key), str)), None)
    parts = [arguments[key] for key in _CONTENT_KEYS if isinstance(arguments.get(key), str)]
    edits = arguments.get("edits")
    if isinstance(edits, list):
        parts += [
            str(edit.get("new_string") or edit.get("new_str") or "") for edit in edits if isinstance(edit, Mapping)
        ]
    if path and parts:
        yield Written(path, "\n".join(parts), event, path, _NEW.search(result[:300]) is not None)


def _by_patch(patch: str, event: Event) -> Iterator[Written]:
    """The form that `*** Begin Patch` opens."""
    for part in re.split(r"^(?=\*\*\* (?:Add|Update|Delete) File: )", patch, flags=re.M)[1:]:
        head, _, body = part.partition("\n")
        added = "\n".join(line[1:] for line in body.splitlines() if line.startswith("+"))
        yield Written(head.partition(": ")[2].strip(), added, event, head, head.startswith("*** Add"))


_WRITES = re.compile(
    r"(?<![\d=-])>(?![&=])(?!\s*/dev/null)|\btee\b|\bsed\b.* -\w*i|\bsed -\w*i|--in-place|\brm\b|\bmv\b"
)


@lru_cache(maxsize=4096)
def _written_by(text: str) -> tuple[tuple[str, str, str], ...]:
    writes = []
    for command in commands(text) if _WRITES.search(text) else ():
        name, *words = command.words
        paths = [path for path in command.writes if not path.startswith(("/dev/", "&"))]
        plain = [word for word in words if not word.startswith("-")]
        if name == "tee" or (name in ("rm", "mv") and "*" not in " ".join(plain)):
            paths += plain
        if name == "sed" and any(re.match(r"-\w*i|--in-place", word) for word in words):
            paths += plain[0 if "-e" in words else 1 :]
        content = command.fed if name in ("cat", "tee") else ""
        writes += [(path, content, command.text) for path in paths if "$" not in path]
    return tuple(writes)


def _by_shell(text: str, event: Event) -> Iterator[Written]:
    for path, content, quote in _written_by(text):
        yield Written(path, content, event, quote.splitlines()[0][:200])
    if "*** Begin Patch" in text:
        yield from _by_patch(text, event)


def _by_diff(diff: str) -> Iterator[Written]:
    for part in re.split(r"^(?=diff --git |--- \S+\n\+\+\+ )", diff, flags=re.M):
        names = re.search(r"^--- (?:a/)?(\S+).*\n\+\+\+ (?:b/)?(\S+)", part, re.M)
        if names:
            added = "\n".join(re.findall(r"^\+(?!\+\+ )(.*)", part, re.M))
            path = names[1] if names[2] == "/dev/null" else names[2]
            yield Written(path, added, None, names[0].splitlines()[1], names[1] == "/dev/null")
