"""Whether an agent activated a skill, from its transcript. Pure.

Claude Code calls its tool Skill with the skill's name, Gemini CLI activate_skill, OpenCode skill; other agents read the
skill's SKILL.md with whatever reads files.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, Final

from evenhand.core.finding import NO_TRANSCRIPT
from evenhand.findings.expectations.expectation import Expectation, Verdict
from evenhand.work.submission import Event, ToolCall

_TOOLS: Final = ("skill", "activate_skill", "load_skill", "use_skill")
_NAMES: Final = ("skill", "name", "skill_name", "command")


def decide_skill(expectation: Expectation, events: Sequence[Event]) -> Verdict:
    """Whether a skill was activated, as it should or should not be."""
    if not events:
        return Verdict(None, f"not measured: {NO_TRANSCRIPT}")
    name, wanted = str(expectation.value), expectation.rule == "used"
    used = next((event for event in events if event.call is not None and _activates(event.call, name)), None)
    if used is None:
        return Verdict(not wanted, f"no activation of the skill {name} is in its transcript")
    assert used.call is not None
    return Verdict(
        wanted, f"its transcript reports that the skill {name} was activated", used.call.name, place=used.place
    )


def _activates(call: ToolCall, skill: str) -> bool:
    if call.failed:
        return False
    arguments = call.arguments if isinstance(call.arguments, Mapping) else {}
    if call.name.lower() in _TOOLS:
        named = next((str(arguments[key]) for key in _NAMES if key in arguments), "")
        return named.strip().lstrip("/").rpartition(":")[2].split(" ")[0] == skill  # a plug-in's is called PLUGIN:SKILL
    path = rf"(?<![\w.-]){re.escape(skill)}[\\/]+SKILL\.md\b"
    return any(re.search(path, text) for text in _texts(call.arguments))


def _texts(value: Any) -> list[str]:
    if isinstance(value, str):
        return [value]
    inner = value.values() if isinstance(value, Mapping) else value if isinstance(value, list | tuple) else ()
    return [text for item in inner for text in _texts(item)]
