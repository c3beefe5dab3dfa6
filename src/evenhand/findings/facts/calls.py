"""What a call is given and what it is for: one that only looks, one that ends the run, several made at once. Pure."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from functools import lru_cache

from evenhand.findings.facts.shell import Command, commands
from evenhand.findings.subject import Subject
from evenhand.work.submission import Event, ToolCall

_READS_FILE = re.compile(r"(?:^|_)(?:read|view|cat|open)(?:_|$)|^read(?:file)?$", re.I)


_LOOKS = re.compile(
    r"(?:^|_)(?:read|view|cat|grep|glob|ls|list|get|find|search|lookup|query|fetch|show|think)(?:_|$)", re.I
)


_LOOKING = set(
    "ls cat head tail grep rg egrep find pwd echo printf wc which tree stat file du df env date type awk cut sort uniq "
    "test [ true cd nl less diff jq sed".split()
)


_GIT_LOOKING = re.compile(r"(?:status|log|diff|show|branch|remote|rev-parse|ls-files|blame)\b")


_MAY_CHANGE = re.compile(r"-delete|-exec|\bsed\b[^|;&\n]*\s(?:-\w*i|--in-place)|\bsed\b[^|;&\n]*\bw |xargs")


@lru_cache(maxsize=256)
def _looks_by_name(tool: str) -> bool:
    return _LOOKS.search(in_words(tool)) is not None


def in_words(tool: str) -> str:
    """A tool's name with its words apart: `readFile` as `read_File`."""
    return re.sub(r"(?<=[a-z])(?=[A-Z])", "_", tool)


@lru_cache(maxsize=256)
def reads_file(tool: str) -> bool:
    """Whether a tool reads a file, by its name."""
    return _READS_FILE.search(in_words(tool)) is not None


def only_looks(call: ToolCall) -> bool:
    """Whether a call can be known to change nothing."""
    arguments = call.arguments
    is_mapping = type(arguments) is dict or isinstance(arguments, Mapping)
    text = arguments.get("command") or arguments.get("cmd") if is_mapping else None
    if not isinstance(text, str):
        return _looks_by_name(call.name)
    return len(text) <= 2000 and _text_only_looks(text)


@lru_cache(maxsize=4096)
def _text_only_looks(text: str) -> bool:
    """Whether the commands of a shell text are known to change nothing; asked by several checks about each call."""
    if _MAY_CHANGE.search(text):
        return False
    return all(not command.writes and looks(command) for command in commands(text))


def looks(command: Command) -> bool:
    """Whether a command is one of those that look at something, wherever it writes what it finds."""
    program, *words = command.words
    return program in _LOOKING or (program == "git" and _GIT_LOOKING.match(" ".join(words)) is not None)


_ENDS_OR_THINKS = re.compile(
    r"final|submit|finish|^done|complete|answer|respond|reply|^end|think|plan|todo|handoff|transfer", re.I
)

_quoted = json.JSONEncoder(ensure_ascii=False).encode
"""A text as JSON."""


@lru_cache(maxsize=256)
def ends_or_thinks(name: str) -> bool:
    """Whether a tool of that name ends a run or only thinks, and so looks nothing up."""
    return _ENDS_OR_THINKS.search(name) is not None


def arguments_text(arguments: object) -> str:
    """A call's arguments as one text."""
    if isinstance(arguments, str):
        return arguments
    if type(arguments) is dict and all(type(part) is str for pair in arguments.items() for part in pair):
        # as below: making an encoder takes longer than writing a command
        return "{" + ", ".join([f"{_quoted(name)}: {_quoted(text)}" for name, text in arguments.items()]) + "}"
    return json.dumps(arguments, default=str, ensure_ascii=False)


def tries(subject: Subject, events: Sequence[Event]) -> int:
    """The number of messages that these calls were made in; of calls, where the file has them all in one place."""
    calls = subject.calls
    in_one_place = bool(calls) and all(event.place == calls[0].place for event in calls)
    return len(events) if in_one_place else len({event.place for event in events})
