"""A regular expression that is compiled when it is first used. Pure.

Most outputs need only a few of the patterns, and compiling all of them would cost more than checking the output.
"""

from __future__ import annotations

import re
from functools import cached_property
from typing import Any, cast


class _LazyPattern:
    """Compiles its pattern on first access to one of its attributes."""

    def __init__(self, text: str, flags: int) -> None:
        self._text, self._flags = text, flags

    @cached_property
    def _compiled(self) -> re.Pattern[str]:
        return re.compile(self._text, self._flags)

    def __getattr__(self, name: str) -> Any:
        attribute = getattr(self._compiled, name)
        setattr(self, name, attribute)
        return attribute


def late_pattern(text: str, flags: int = 0) -> re.Pattern[str]:
    """The pattern, not yet compiled."""
    return cast("re.Pattern[str]", _LazyPattern(text, flags))
