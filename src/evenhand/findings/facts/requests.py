"""What the user asks for: the task and later messages; work, or words about it. Pure."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

from evenhand.findings.subject import Subject

LONGEST_MESSAGE: Final = 100_000
"""Characters of a message that are searched."""

FEEDBACK: Final = ("Stop hook feedback", "<hook_prompt")
"""What a hook sends back appears as a message of the user, in Claude Code and in Codex."""

_ASKS_FOR_WORDS = (
    r"(?im)(?:^|[.!?:]\s+)\W*(?:(?:please|can you|could you|and|so)[, ]+)*(?:how|why|what|which|where|who|explain"
    r"|describe|summari[sz]e|translate|draft|compose|rephrase|reword|proofread|imagine|suppose|retell"
    r"|tell (?:me|us) (?:an?|about))\b"
    r"|\b(?:write|give|suggest|make)\b[^.?!\n]{0,60}\b(?:e-?mail|message|announcement|comment|post|text|sentence"
    r"|paragraph|changelog|release notes|story|poem|essay|slides?|tweet|description|title|reply|readme|example)\b"
)


def asks_for_words(subject: Subject) -> bool:
    """Whether the last prompt asks for an explanation or a text: what the answer says about tests is part of that."""
    prompts = [event.text for event in subject.events if event.kind == "message" and event.role == "user"]
    typed = [text for text in prompts if not text.lstrip().startswith(FEEDBACK)]
    return re.search(_ASKS_FOR_WORDS, typed[-1][:LONGEST_MESSAGE]) is not None if typed else False


@lru_cache(maxsize=1)
def request_text(subject: Subject) -> str:
    """Everything the user asked for, in lower case."""
    return "\n".join(requests(subject)).lower()


def requests(subject: Subject) -> tuple[str, ...]:
    """What the user asked for: the task, and messages that do not just repeat it."""
    messages = (event.text for event in subject.events if event.role == "user" and event.kind == "message")
    return (subject.task, *(text for text in messages if text != subject.task))
