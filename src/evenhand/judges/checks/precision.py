"""Which checks are known to be right often enough to cap the scores of those who read the work."""

from __future__ import annotations


def precise() -> frozenset[str]:
    """The ids of those checks."""
    return frozenset()
