"""An answer as a reader sees it. Many agents answer in JSON with one text in it; that text is the answer. Pure."""

from __future__ import annotations

import json
from typing import Any, Final

NAMES: Final = ("message", "answer", "text", "output", "result", "content", "response", "reply", "final_answer")
"""The names under which such an answer has its text."""

_LONGEST: Final = 200_000


def answer_text(output: str) -> str:
    """The text of an answer that is a JSON object with one text under a usual name; any other output as it is."""
    start = output.lstrip()[:1]
    if start != "{" or len(output) > _LONGEST:
        return output
    try:
        value = json.loads(output)
    except (ValueError, RecursionError):
        return output
    return _only_text(value) or output


def _only_text(value: Any) -> str:
    texts = {name: text for name, text in value.items() if isinstance(text, str) and text.strip()}
    nested = [one for one in value.values() if isinstance(one, (dict, list)) and one]
    named = [name for name in NAMES if name in texts]
    return texts[named[0]] if len(texts) == 1 and named and not nested else ""
