"""Normalises the times in transcripts."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from typing import Any

_ZERO = datetime(1970, 1, 1, tzinfo=UTC)
_DATE = re.compile(r"\d{4}-\d\d-\d\d(?:$|[T ]\d\d:\d\d)")
_MILLISECONDS = 10**11
"""A number of seconds beyond this would be a date after the year 5000: it counts milliseconds."""


def moment(value: Any) -> str:
    """A time as RFC 3339: from a written date, or from seconds or milliseconds since 1970.

    Empty for anything else.
    """
    if isinstance(value, str):
        return value.replace(" ", "T", 1) if _DATE.match(value) else ""
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value < 10**15:
        return ""
    milliseconds = int(value) if value >= _MILLISECONDS else int(value * 1000)
    try:
        shown = (_ZERO + timedelta(milliseconds=milliseconds)).isoformat(timespec="milliseconds")
    except OverflowError:
        return ""
    return shown.replace("+00:00", "Z")
