"""What a call brought back from outside, and the phrases in which an answer admits failure. Pure."""

from __future__ import annotations

import json
import re
from functools import lru_cache

from evenhand.lazy_pattern import late_pattern
from evenhand.work.submission import ToolCall

_ENDS_OR_THINKS = late_pattern(
    r"final|submit|finish|^done|complete|answer|respond|reply|^end|think|plan|todo|handoff|transfer", re.I
)


_COMPUTES = late_pattern(r"python|interpreter|calculat|^code|exec(?:ute)?_?code|eval|repl|sandbox", re.I)


_FETCHES = late_pattern(
    r"https?://|\b(?:requests|urllib|httpx|aiohttp|subprocess|sqlite3|pandas|wikipedia)\b"
    r"|(?:search|visit|fetch|open|read|inspect|browse|query|load|download|lookup|agent|scrape|crawl|retrieve)"
    r"\w{0,40}\s{0,3}\(",
    re.I,
)


_LABELS = late_pattern(r"execution logs:|last output from code snippet:|stdout:|stderr:|output:|result:|none", re.I)


_FAILURE = late_pattern(r"(?i)\b(?:error|exception|traceback|failed|failure|not found|timed out|denied|forbidden)\b")


_WORD = late_pattern(r"[^\W_]{2,}")
_quoted = json.JSONEncoder(ensure_ascii=False).encode
"""A text as JSON."""


_LONGEST = 20_000
"""Characters of a message, or of a call's arguments, that are read."""
_COMPARED = 4_000
"""Characters of a result that are compared with its call: a few lines show whether it says anything new."""


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


def _new_words(arguments: str, result: str) -> bool:
    """Whether a result, apart from labels and errors, has words that were not in the call."""
    compared = result[:_COMPARED]
    if _FAILURE.search(compared):
        compared = " ".join(line for line in compared.splitlines() if not _FAILURE.search(line))
    else:
        compared = " ".join(compared.splitlines())
    if _LABELS.search(compared):
        compared = _LABELS.sub(" ", compared)
    words = set(_WORD.findall(compared.lower()))
    fresh = words - set(_WORD.findall(arguments.lower()))
    return len(fresh) * 10 > len(words)


def brought_back(call: ToolCall) -> str:
    """What a call brought from outside; empty when it brought nothing, or only computed."""
    if not call.result or not call.result.strip() or ends_or_thinks(call.name):
        return ""
    arguments = arguments_text(call.arguments)[:_LONGEST]
    if _COMPUTES.search(call.name) and not _FETCHES.search(arguments):
        return ""
    return call.result if _new_words(arguments, call.result) else ""
