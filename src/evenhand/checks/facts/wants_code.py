"""Whether a task asks for code. Pure."""

from __future__ import annotations

import re

_CODE = r"(?:code|script|program|function|class|method|command|query|snippet|regex|module|app|api|endpoint|cli|tool)"


_ASKS = (
    r"(?is)\b(?:(?:re)?write|create|implement|build|give|provide|generate|make|need|want|complete|fix|refactor|add|update|port"
    rf"|convert|improve|optimi[sz]e)\b.{{0,60}}?\b{_CODE}s?\b|\b(?:implement|refactor|debug)\b"
)


_ASKS_TO_DO = r"(?i)\b(?:run|execute|deploy|install|set ?up|automate|curl)\b"
_ASKS_TO_TELL = r"(?i)\b(?:explain|compare|describe|review|why)\b"
_FRAME = r"(?i)\b(?:skeleton|scaffold|template|stubs?|pseudo-?code|outline|placeholders?)\b"


def asks_for_code(task: str) -> bool:
    """Whether the task asks for something that runs, not for words about it or a bare frame of it."""
    to_do = re.search(_ASKS_TO_DO, task) and not re.search(_ASKS_TO_TELL, task)
    return bool(re.search(_ASKS, task) or to_do) and not re.search(_FRAME, task)
