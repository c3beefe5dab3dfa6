"""Calls that only look at something and change nothing. Pure."""

from __future__ import annotations

import re
from collections.abc import Mapping

from evenhand.core.basics.lazy_pattern import late_pattern
from evenhand.core.values.submission import ToolCall
from evenhand.judges.checks.facts.shell import commands

_READS_FILE = late_pattern(r"(?:^|_)(?:read|view|cat|open)(?:_|$)|^read(?:file)?$", re.I)


_LOOKS = late_pattern(
    r"(?:^|_)(?:read|view|cat|grep|glob|ls|list|get|find|search|lookup|query|fetch|show|think)(?:_|$)", re.I
)


_LOOKING = set(
    "ls cat head tail grep rg egrep find pwd echo printf wc which tree stat file du df env date type awk cut sort uniq "
    "test [ true cd nl less diff jq".split()
)


_GIT_LOOKING = late_pattern(r"(?:status|log|diff|show|branch|remote|rev-parse|ls-files|blame)\b")


def _name(call: ToolCall) -> str:
    return re.sub(r"(?<=[a-z])(?=[A-Z])", "_", call.name)


def only_looks(call: ToolCall) -> bool:
    """Whether a call can be known to change nothing."""
    text = call.arguments.get("command") or call.arguments.get("cmd") if isinstance(call.arguments, Mapping) else None
    if not isinstance(text, str):
        return bool(_LOOKS.search(_name(call)))
    if len(text) > 2000 or re.search(r"-delete|-exec|sed -\w*i|xargs", text):
        return False
    return all(
        not command.writes
        and (
            command.words[0] in _LOOKING
            or (command.words[0] == "git" and _GIT_LOOKING.match(" ".join(command.words[1:])) is not None)
        )
        for command in commands(text)
    )
