"""A regular expression that is compiled when it is first used. Pure.

Most outputs need few of the patterns there are, and compiling all of them would cost more than looking at the output.
"""

from __future__ import annotations

import re
from functools import cached_property
from typing import Any, cast


class _Late:
    """Stands for a pattern until one of its methods is asked for."""

    def __init__(self, text: str, flags: int) -> None:
        self._text, self._flags = text, flags

    @cached_property
    def _compiled(self) -> re.Pattern[str]:
        return re.compile(self._text, self._flags)

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._compiled, name)
        setattr(self, name, found)
        return found


def late_pattern(text: str, flags: int = 0) -> re.Pattern[str]:
    """The pattern, not yet compiled."""
    return cast("re.Pattern[str]", _Late(text, flags))
