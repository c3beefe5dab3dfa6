"""Whether there is an answer: one question, and one fault whatever is missing. Pure.

Left alone: a transcript that was not read to its end, one that records no words of the agent at all, and a last call
that is itself the answer or hands the work in.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from evenhand.findings.facts.calls import arguments_text, ends_or_thinks
from evenhand.findings.finding import Finding, check
from evenhand.findings.subject import Subject
from evenhand.work.submission import Event, ToolCall

ID: Final = "no-answer"

_A_NAME: Final = r"\w"  # and not "[redacted]"
_ENDS_A_RUN: Final = (
    r"(?i)final|submit|finish|done|complet|answer|respond|reply|stop|end_|ask|exit|transfer|hand_?off|escalate|message"
    r"|notify|terminate|idle|render|display|present|speak|(?:^|_)(?:say|tell|suggest|confirm)(?:_|$)|hang_?up"
)
_WRITES: Final = r"(?i)write|create|save|edit|patch|commit|upload|send|post"


@check(
    ID,
    "completeness",
    sees="No answer: an output without a word, or a transcript that ends with a call or its result and no answer "
    "after it.",
    severity="Critical when there is no word at all; major when earlier words stand where the answer should.",
    example="The last event is the result of `pytest -q`; the agent's last words are `Let me run the tests.`",
    whole=True,
    most=1,
    points=True,
)
def no_answer(subject: Subject) -> Iterator[Finding]:
    """Why there is no answer, once."""
    submission = subject.submission
    text = subject.output.strip()
    if not subject.events:
        if not re.search(r"\w", text) and submission.format in ("text", "diff", "submissions"):
            quote = text.partition("\n")[0][:200]
            yield Finding(ID, "completeness", "critical", _without(text), quote, offset=0 if quote else None)
        return
    last = _last_event(subject)
    if last is None or any(event.kind == "error" for event in subject.events) or submission.unknown:
        return
    if last.call is None:
        if not re.search(r"\w", text) and _speaks(subject) and not _acted(subject):
            yield Finding(ID, "completeness", "critical", _without(text), "")
        return
    if (
        re.search(_ENDS_A_RUN, last.call.name)
        or not re.match(_A_NAME, last.call.name)
        or not _answers_elsewhere(subject)
    ):
        return
    if last.call.result is None:
        if not any(event.call and event.call.result is not None for event in subject.calls):
            return  # the format records no results
        message = f"The transcript ends with a call to `{last.call.name}` that has no result, and no answer follows."
    elif _hands_in(subject, last.call) or (not last.call.failed and re.search(_WRITES, last.call.name) and text):
        return
    else:
        message = f"The transcript ends with the result of `{last.call.name}`, and no answer follows."
    yield Finding(ID, "completeness", "major" if text else "critical", message, last.call.name[:200], last.place)


def _without(text: str) -> str:
    return "The output has no words." if text else "The output is empty."


def _last_event(subject: Subject) -> Event | None:
    main = (event for event in reversed(subject.events) if not event.agent and event.kind != "reasoning")
    return next(main, None)


def _speaks(subject: Subject) -> bool:
    """Whether the file records words of the agent anywhere, so that silence means something."""
    return any(event.role == "assistant" and event.kind == "message" and event.text for event in subject.events)


def _acted(subject: Subject) -> bool:
    """Whether the answer may be in a call that ends the run."""
    return any(event.call is not None and ends_or_thinks(event.call.name) for event in subject.events)


def _answers_elsewhere(subject: Subject) -> bool:
    """Whether the file records both sides, and the agent has not answered since the last request."""
    roles = [event.role for event in subject.events if event.kind == "message" and not event.agent]
    if not subject.output.strip():
        return "user" in roles
    return "assistant" in roles and "user" not in roles[roles.index("assistant") :]


def _hands_in(subject: Subject, call: ToolCall) -> bool:
    """Whether the call handed the work in, so that its result is the output."""
    arguments = arguments_text(call.arguments)
    same = subject.output.strip() and subject.output.strip() in (call.result or "")
    return bool(same or re.search(r"\b(?:submit|COMPLETE_TASK\w*|finish)\b", arguments[:300]))


CHECKS = (no_answer,)
