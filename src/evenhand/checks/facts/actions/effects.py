"""What a call did, by what it returned: changed something, failed, or only looked. Pure."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Final

from evenhand.checks.facts.actions.deeds import DEEDS
from evenhand.checks.facts.actions.read_only_calls import in_words, only_looks
from evenhand.checks.facts.actions.shell import commands
from evenhand.checks.facts.actions.test_runs import kinds_of
from evenhand.lazy_pattern import late_pattern
from evenhand.work.submission import ToolCall

_CHANGES = late_pattern(
    r"(?:^|_)(?:cancel|update|modify|exchange|return|book|create|send|delete|remove|write|edit|apply|set|add|issue|transfer|submit"
    r"|post|put|patch|insert|upload|deploy|push|commit|move|save|make|place|process|schedule|reschedule|task"
    r"|agent|call|pay|invite|reserve|append|install|upgrade|reset|rename)(?:_|$)",
    re.I,
)
_THINKS = late_pattern(r"(?:^|_)(?:think|plan|todo|calculate|calculator|reflect)(?:_|$)", re.I)
_SAYS_FAILED = late_pattern(
    r"\s*(?:\W{0,3}(?:error\b|invalid\b|failed\b|failure\b|cannot\b|could not\b|unable to\b"
    r"|not (?:found|allowed|permitted|authorized)\b|permission denied|\[?call error|time[d-]? ?out\b"
    r"|(?:http )?[45]\d\d (?:error|bad request|unauthorized|payment required|forbidden|not found|conflict|internal"
    r"|service)"
    r"|(?!no\b|zero\b|0\b)[\w-]+ (?:error|failure)\W*$)"
    r"|\{(?:[^{}\[\]]*,)?\s*\"(?:(?:success|ok)\"\s*:\s*false|status\"\s*:\s*\"(?:error|failed|failure)\"))",
    re.I,
)
_DEED = "|".join(DEEDS.values())
_DONE = late_pattern(
    rf"\bsuccess(?:ful|fully)?\b|^\W*(?:done|ok|completed|{_DEED})\b|\b(?:has|have) been (?:{_DEED})\b"
    r"|\"(?:success|ok)\"\s*:\s*true",
    re.I,
)
_PROGRAM_TOOL = late_pattern(
    r"(?:^|_)(?:bash|sh|zsh|shell|terminal|i?python3?|jupyter|notebook|interpreter|repl|powershell)(?:_|$)", re.I
)
_CODE = late_pattern(r"[\n();=]|\s-")
_LOOKS = late_pattern(r"(?:get|list|read|search|find|view|show|check|is|lookup|query|fetch)_(?!.*_and_)", re.I)
_LONGEST: Final = 400
"""Characters of a result that can say what became of a call; a longer one is a document."""


def failed(call: ToolCall) -> bool:
    """Whether a call failed: its result is marked as an error, or says so at once."""
    return call.failed or (call.result is not None and _SAYS_FAILED.match(call.result[:_LONGEST]) is not None)


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


def says_done(call: ToolCall) -> bool:
    """Whether a short result says that something was done, whatever the tool is called."""
    result = call.result or ""
    if isinstance(call.arguments, Mapping) and call.arguments.keys() & {"command", "cmd"}:
        return False  # the shell's own words say what it does
    return not failed(call) and 0 < len(result) <= _LONGEST and _DONE.search(result) is not None


def may_change(call: ToolCall) -> bool:
    """Whether a call could have done something. One that only runs tests does nothing to what they test."""
    arguments = call.arguments if isinstance(call.arguments, Mapping) else {}
    command = arguments.get("command") or arguments.get("cmd")
    if isinstance(command, str) and len(command) < 2000 and kinds_of(command) == {"tests"}:
        return any(part.writes for part in commands(command))
    if _thinks(call.name):
        return False
    return not only_looks(call) or _changes_by_name(call.name)


@lru_cache(maxsize=256)
def _thinks(tool: str) -> bool:
    return _THINKS.search(tool) is not None


@lru_cache(maxsize=256)
def _changes_by_name(tool: str) -> bool:
    return bool(_CHANGES.search(tool) and not _LOOKS.match(in_words(tool)))
