"""PyYAML, imported without compiling its patterns.

One of them, of all characters that are not printable, takes as long to compile as half of Python's own start, and the
parser in C that is used here never looks at it. Each is compiled when it is first used.
"""

from __future__ import annotations

import re
import sys
from typing import Any

_compile = re.compile


class _LatePattern:
    """Compiles its pattern on first access to one of its attributes."""

    def __init__(self, *pattern: Any) -> None:
        self._pattern = pattern

    def __getattr__(self, name: str) -> Any:
        attribute = getattr(_compile(*self._pattern), name)
        setattr(self, name, attribute)
        return attribute


def _compile_late(pattern: Any, flags: Any = 0) -> Any:
    """Put off what PyYAML compiles; other threads, which may be importing something else, get what they ask for."""
    caller = sys._getframe(1).f_globals.get("__name__", "")
    return _LatePattern(pattern, flags) if caller.startswith("yaml.") else _compile(pattern, flags)


re.compile = _compile_late
try:
    import yaml
finally:
    re.compile = _compile

__all__ = ["yaml"]
