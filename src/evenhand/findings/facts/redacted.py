"""A line shown without the secret in it. Pure."""

from __future__ import annotations


def beside(line: str, hidden: str) -> str:
    """The longer part of a line that does not hold what must not be shown."""
    before, _, after = line.partition(hidden)
    best = max((part.strip() for part in (before, after.replace(hidden, ""))), key=len)
    return best[:200] if len(best) >= 4 and best in line and hidden not in best else ""
