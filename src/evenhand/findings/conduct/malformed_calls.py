"""Tool calls that were rejected for their form: unknown or missing arguments, or no such tool. Pure.

One mistake is forgiven, and calls made at once are one mistake. A failing command or a missing page is not a malformed
call, and neither is an error in the agent's own program. Calls repeated word
for word three times or more belong to the check for the same failure alone.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from functools import lru_cache
from typing import Final

from evenhand.findings.endings.effects import runs_program
from evenhand.findings.facts.calls import arguments_text, tries
from evenhand.findings.finding import Finding, check
from evenhand.findings.subject import Subject
from evenhand.work.submission import ToolCall

ID: Final = "malformed-call"
FEWEST: Final = 2

_REFUSED = re.compile(
    r"unexpected keyword argument|missing \d+ required (?:positional|keyword)"
    r"|missing required (?:parameter|argument|propert)"
    r"|InputValidationError|\binvalid (?:tool )?(?:arguments|parameters|tool call|tool name)\b"
    r"|\bunknown (?:tool|function)\b|\bno such tool\b|\btool '?\"?[\w.-]+'?\"? (?:not found|does not exist)"
    r"|is not a valid tool|not match the (?:tool's )?schema|required property|validation errors? for \w+",
    re.I,
)
_BY_THE_TOOL = re.compile(
    r"InputValidationError|\binvalid (?:tool )?(?:parameters|tool call|tool name)\b|\bno such tool\b"
    r"|is not a valid tool",
    re.I,
)
"""Words in which a program that was run does not fail: the tool that runs programs refused its call."""
_LONGEST: Final = 3000
"""Characters of a result that can be a refusal; a longer one is a text that mentions refusals."""


@lru_cache(maxsize=256)
def refusal(result: str) -> re.Match[str] | None:
    """The words of a result that refuse a call for its form; asked by several checks about each failure."""
    return _REFUSED.search(result)


def rejection(call: ToolCall) -> re.Match[str] | None:
    """The words with which a call was rejected for its form; None when it was carried out."""
    if not call.failed or not call.result or len(call.result) > _LONGEST:
        return None
    match = refusal(call.result)
    return match if match is None or not runs_program(call) else _BY_THE_TOOL.search(call.result)


@check(
    ID,
    "efficiency",
    sees="Two or more tool calls that were rejected: unknown or missing arguments, or no such tool.",
    severity="Minor: each cost a turn and achieved nothing.",
    example="`page_down() got an unexpected keyword argument 'pages'`, and then the same with `page`.",
    points=True,
)
def malformed_calls(subject: Subject) -> Iterator[Finding]:
    """Two rejected calls or more, reported once."""
    refused = []
    for event in subject.calls:
        match = rejection(event.call) if event.call else None
        if event.call and match:
            result = match.string
            key = (event.agent, event.call.name, arguments_text(event.call.arguments))
            refused.append((key, event, result[result.rfind("\n", 0, match.start()) + 1 :].partition("\n")[0].strip()))
    often = Counter(key for key, _, _ in refused)
    single = [row for row in refused if often[row[0]] <= 2]
    if tries(subject, [event for _, event, _ in single]) < FEWEST:
        return
    _, event, line = single[-1]
    message = f"{len(single)} of {len(subject.calls)} tool calls were rejected because of their name or arguments."
    place = (event.call.result_place if event.call else None) or event.place
    yield Finding(ID, "efficiency", "minor", message, line[:200], place)


CHECKS = (malformed_calls,)
