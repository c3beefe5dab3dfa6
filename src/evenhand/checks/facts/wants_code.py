"""Whether a task asks for code. Pure."""

from __future__ import annotations

import re
from functools import lru_cache

from evenhand.core.basics.lazy_pattern import late_pattern, late_words

_CODE = r"(?:code|script|program|function|class|method|command|query|snippet|regex|module|app|api|endpoint|cli|tool)"


_IMPLEMENT = late_words("implement|refactor|debug")
_ASKS = late_pattern(
    r"(?is)\b(?:(?:re)?write|create|implement|build|give|provide|generate|make|need|want|complete|fix|refactor|add|update|port"
    rf"|convert|improve|optimi[sz]e)\b.{{0,60}}?\b{_CODE}s?\b"
)


_ASKS_TO_DO = late_words("run|execute|deploy|install|setup|automate|curl")
_SET_UP = late_pattern(r"\bset up\b", re.I)
_ASKS_TO_TELL = late_words("explain|compare|describe|review|why")
_FRAME = late_words("skeleton|scaffold|template|stubs?|pseudocode|outline|placeholders?")
_PSEUDO_CODE = late_pattern(r"\bpseudo-code\b", re.I)


@lru_cache(maxsize=1)
def asks_for_code(task: str) -> bool:
    """Whether the task asks for something that runs, not for words about it or a bare frame of it."""
    if _FRAME.are_in(task) or _PSEUDO_CODE.search(task):
        return False
    return bool(_IMPLEMENT.are_in(task) or _ASKS.search(task) or _asks_to_do(task))


def _asks_to_do(task: str) -> bool:
    return (_ASKS_TO_DO.are_in(task) or _SET_UP.search(task) is not None) and not _ASKS_TO_TELL.are_in(task)
