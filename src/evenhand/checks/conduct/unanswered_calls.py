"""A transcript that ends with a tool call: there is no result, or no answer after it. Pure.

Left alone: formats that record no results at all, a call that is itself the answer, and tools that end a run.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from evenhand.checks.facts.brought_back import arguments_text
from evenhand.checks.finding import Finding, check
from evenhand.checks.subject import Subject
from evenhand.work.submission import ToolCall

ID: Final = "unanswered-tool-call"
NO_ANSWER: Final = "no-final-answer"

_A_NAME = r"\w"  # and not "[redacted]"
_ENDS_A_RUN = (
    r"(?i)final|submit|finish|done|complet|answer|respond|reply|stop|end_|ask|exit|transfer|hand_?off|escalate|message"
    r"|notify|terminate|idle|render|display|present|speak|(?:^|_)(?:say|tell|suggest|confirm)(?:_|$)|hang_?up"
)


@check(
    ID,
    "completeness",
    sees="A transcript that ends with a tool call without a result, where other calls have theirs.",
    severity="Major: the work stopped before its end.",
    example="The last event is a call of `Bash` with `npm run migrate`, and nothing follows.",
    whole=True,
)
def unanswered_tool_call(subject: Subject) -> Iterator[Finding]:
    """The main agent's calls after which there is neither a result nor a message."""
    main_events = [event for event in subject.events if not event.agent]
    if not any(event.call is not None and event.call.result is not None for event in main_events):
        return
    waiting = None
    for event in reversed(main_events):
        if event.kind == "reasoning":
            continue
        if event.call is None or event.call.result is not None:
            break
        if re.match(_A_NAME, event.call.name) and not re.search(_ENDS_A_RUN, event.call.name):
            waiting = (event.call.name, event.place)
    if waiting:
        name, place = waiting
        message = f"The transcript ends with a call to `{name}` that has no result."
        yield Finding(ID, "completeness", "major", message, name[:200], place)


@check(
    NO_ANSWER,
    "completeness",
    sees="A transcript that ends without an answer: with the result of a tool, or with an empty last message.",
    severity="Minor: the user is left without an answer.",
    example="The last event is the result of `pytest -q`; the agent's last words are `Let me run the tests.`",
    whole=True,
)
def no_final_answer(subject: Subject) -> Iterator[Finding]:
    """A last result after which the main agent writes no message, though it does elsewhere."""
    main_events = [event for event in subject.events if not event.agent]
    last = next((event for event in reversed(main_events) if event.kind != "reasoning"), None)
    if last is None or last.call is None or not last.call.result:
        return
    if re.search(_ENDS_A_RUN, last.call.name):
        return
    if not subject.output.strip() and any(event.role == "user" for event in main_events):
        message = f"The transcript ends with the result of `{last.call.name}`, and the output is empty."
        yield Finding(NO_ANSWER, "completeness", "minor", message, last.call.name[:200], last.place)
        return
    roles = [event.role for event in main_events if event.kind == "message"]
    alone = "assistant" in roles and "user" not in roles[roles.index("assistant") :]  # else the answer came before
    if not last.call.name or _written_down(last.call) or _handed_in(subject, last.call) or not alone:
        return
    message = f"The transcript ends with the result of `{last.call.name}`, without an answer."
    yield Finding(NO_ANSWER, "completeness", "minor", message, last.call.name[:200], last.place)


def _handed_in(subject: Subject, call: ToolCall) -> bool:
    """Whether the call handed the work in, so that its result is the output."""
    arguments = arguments_text(call.arguments)
    same = subject.output.strip() and subject.output.strip() in (call.result or "")
    return bool(same or re.search(r"\b(?:submit|COMPLETE_TASK\w*|finish)\b", arguments[:300]))


def _written_down(call: ToolCall) -> bool:
    """Whether the answer may be what was written."""
    return not call.failed and bool(re.search(r"(?i)write|create|save|edit|patch|commit|upload|send|post", call.name))


CHECKS = (
    unanswered_tool_call,
    no_final_answer,
)
