"""Calls that are made again for a reason: to wait for something, to act once more, or because the user asks. Pure."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

from evenhand.findings.facts.actions.read_only_calls import in_words, only_looks
from evenhand.findings.facts.actions.shell import requests
from evenhand.findings.subject import Subject
from evenhand.lazy_pattern import late_pattern
from evenhand.work.submission import ToolCall

_SHORT: Final = 1000
"""Characters of a user's message, or of a result, that say such a thing; a longer one is a document."""
_STATE = r"[\"']?(?:state|status|phase|stage)[\"']?\s*[:=]\s*[\"']?"
_GOING_ON = late_pattern(
    rf"{_STATE}(?:running|queued|in[_ -]?progress|processing|starting|waiting|building|not[_ -]?ready|provisioning)\b"
    r"|^\W*(?:running|queued|in[_ -]?progress|processing|not ready|waiting)\W*$|\b(?:still running"
    r"|not (?:yet )?(?:ready|finished))\b",
    re.I,
)
_PENDING = late_pattern(rf"{_STATE}(?:pending|submitted|scheduled)\b|^\W*pending\W*$", re.I)
_JOB = late_pattern(
    r"(?:^|_)(?:job|task|run|build|deploy(?:ment)?|workflow|pipeline|export|import|batch|operation|query|execution)s?(?:_|$)",
    re.I,
)
"""An order that is pending stays so; a job that is pending will run."""
_ACTS = late_pattern(
    r"(?:^|_)(?:scroll|press|key|keys|click|tap|swipe|type|drag|hover|back|forward|zoom|turn|increase|decrease|volume|step"
    r"|computer|mouse|refresh|reload|move|page_?(?:up|down)|up|down|left|right)(?:_|$)",
    re.I,
)
_DIFFERS = late_pattern(
    r"(?:^|_)(?:random\w*|roll|draw|shuffle|flip|toss|sample|next|previous|prev|screenshot|snapshot)(?:_|$)", re.I
)
_NUMBER = r"(?:\d+|two|three|four|five|six|seven|eight|nine|ten|several|multiple|many|a few|a couple of)"
_ASKED = late_pattern(
    rf"\b{_NUMBER} times\b|\btwice\b|\bflak(?:y|iness)\b|\brepeatedly\b|\bin a loop\b|\bevery (?:\d+ )?(?:seconds?"
    rf"|minutes?)\b"
    r"|\bkeep (?:on )?(?:checking|trying|polling|retrying)\b|\b(?:poll|monitor)\b|\bwait (?:for|until|till)\b"
    r"|\b(?:check|try|retry|run|repeat)\b[^.?!\n]{0,60}\buntil\b"
    r"|\b(?:when|once|as soon as)\b(?:[^.?!\n]|\.(?=\w)){1,40}\b(?:up|there|done|ready|finished|complete[ds]?"
    r"|available|online)\b",
    re.I,
)
_TRY_AGAIN = late_pattern(
    r"\b(?:re-?try|re-?run)\b|\b(?:try|run|do|test|check|attempt)\b[^.?!\n]{0,30}\b(?:again|once more|one more time)\b"
    r"|\bI(?:['\u2019]ve| have)?(?: \w+){0,2} (?:fixed|changed|restarted|updated|reset|installed|corrected|enabled"
    r"|granted"
    r"|started|unlocked|freed)\b",
    re.I,
)


def goes_on(call: ToolCall) -> bool:
    """Whether a result says that something is not finished yet, so that asking again is waiting."""
    result = call.result or ""
    if len(result) > _SHORT:
        return False
    return bool(_GOING_ON.search(result) or (_is_job(call.name) and _PENDING.search(result)))


@lru_cache(maxsize=256)
def _is_job(tool: str) -> bool:
    return _JOB.search(in_words(tool)) is not None


def acts_once_more(call: ToolCall) -> bool:
    """Whether each such call does one thing more: scrolls further, presses a key, draws another card."""
    return _differs(call.name) or (_acts(call.name) and not only_looks(call))


@lru_cache(maxsize=256)
def _differs(tool: str) -> bool:
    return _DIFFERS.search(in_words(tool)) is not None


@lru_cache(maxsize=256)
def _acts(tool: str) -> bool:
    return _ACTS.search(in_words(tool)) is not None


@lru_cache(maxsize=1)
def asks_for_repetition(subject: Subject) -> bool:
    """Whether the user asks to do something several times, or to wait for something."""
    return any(len(text) <= _SHORT and _ASKED.search(text) for text in requests(subject))


def asks_to_retry(message: str) -> bool:
    """Whether a user's message asks for another try, or tells of a change that makes one worth it."""
    return len(message) <= _SHORT and _TRY_AGAIN.search(message) is not None
