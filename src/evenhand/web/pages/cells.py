"""What cells of tables show alike on all pages: scores, judges, times. Pure."""

from __future__ import annotations

import json
from functools import lru_cache


def score_number(hundredths: int | None) -> float | None:
    """A stored score as a number with two decimals."""
    return None if hundredths is None else hundredths / 100


@lru_cache(maxsize=256)
def judge_name(judge: str) -> str:
    """The name in a judge's identity."""
    try:
        return str(json.loads(judge).get("name", judge))
    except (ValueError, AttributeError):
        return judge


def short_time(created: str) -> str:
    """A moment to the minute."""
    return created[:16].replace("T", " ")
