"""What a call did, by what it returned: changed something, failed, or only looked. Pure."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache

from evenhand.findings.endings.deed_kinds import kinds_of
from evenhand.findings.facts.calls import in_words, only_looks
from evenhand.findings.facts.shell import commands
from evenhand.work.submission import ToolCall

_CHANGES = re.compile(
    r"(?:^|_)(?:cancel|update|modify|exchange|return|book|create|send|delete|remove|write|edit|apply|set|add|issue|transfer|submit"
    r"|post|put|patch|insert|upload|deploy|push|commit|move|save|make|place|process|schedule|reschedule|task"
    r"|agent|call|pay|invite|reserve|append|install|upgrade|reset|rename)(?:_|$)",
    re.I,
)
_THINKS = re.compile(r"(?:^|_)(?:think|plan|todo|calculate|calculator|reflect)(?:_|$)", re.I)
_PROGRAM_TOOL = re.compile(
    r"(?:^|_)(?:bash|sh|zsh|shell|terminal|i?python3?|jupyter|notebook|interpreter|repl|powershell)(?:_|$)", re.I
)
_CODE = re.compile(r"[\n();=]|\s-")
_LOOKS = re.compile(r"(?:get|list|read|search|find|view|show|check|is|lookup|query|fetch)_(?!.*_and_)", re.I)


def runs_program(call: ToolCall) -> bool:
    """Whether a call runs a command or code of the agent's, which may do anything, and whose errors are its own."""
    arguments = call.arguments if isinstance(call.arguments, Mapping) else {}
    if _is_program_tool(call.name) or any(isinstance(arguments.get(key), str) for key in ("command", "cmd")):
        return True
    texts = (arguments.get(key) for key in ("code", "script", "source", "python_code"))
    return any(isinstance(text, str) and _CODE.search(text) for text in texts)


@lru_cache(maxsize=256)
def _is_program_tool(tool: str) -> bool:
    return _PROGRAM_TOOL.search(in_words(tool)) is not None


def may_change(call: ToolCall) -> bool:
    """Whether a call could have done something. One that only runs tests does nothing to what they test."""
    arguments = call.arguments if isinstance(call.arguments, Mapping) else {}
    command = arguments.get("command") or arguments.get("cmd")
    if isinstance(command, str) and len(command) < 2000 and _only_tests(command):
        return any(part.writes for part in commands(command))
    if _thinks(call.name):
        return False
    return not only_looks(call) or _changes_by_name(call.name)


@lru_cache(maxsize=4096)
def _only_tests(text: str) -> bool:
    found = kinds_of(text)
    tests = {id(done.command) for done in found if done.kind == "tests"}
    return bool(tests) and all(
        id(command) in tests or command.words[0] in ("cd", "export") for command in commands(text)
    )


@lru_cache(maxsize=256)
def _thinks(tool: str) -> bool:
    return _THINKS.search(tool) is not None


@lru_cache(maxsize=256)
def _changes_by_name(tool: str) -> bool:
    return bool(_CHANGES.search(tool) and not _LOOKS.match(in_words(tool)))
