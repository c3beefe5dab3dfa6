"""Which of two outputs a text means: `Output (a)`, `Assistant 2`, `the first response`, `回答一`, `B`."""

from __future__ import annotations

import re

from evenhand.replies.verdicts.verdict_words import FIRST, OUTPUTS, SECOND

_ID = r"[a-f]|[1-6]|one|two|three|ii?|甲|乙|一|二|а|б|أ|ا|ب"
_OPEN = r"(?:['’]?s)?[\s_#-]*(?:number |no\.? |nr\.? )?[(\[（「]{0,2}"
_CLOSE = r"[)\]）」]{0,2}(?![^\W_\u3040-\u9fff\uac00-\ud7a3\u0900-\u097f])"
_NOUN_AND_ID = rf"{OUTPUTS}{_OPEN}(?P<id>{_ID}){_CLOSE}(?!\s?[-–/.]\d)"
_ORDINAL = rf"(?:(?P<first>{FIRST})|(?P<second>{SECOND}))(?:\s?(?:of the two )?{OUTPUTS}| one\b)?"
_AFTER_NOUN = rf"{OUTPUTS}\s(?:(?P<noun_first>{FIRST})|(?P<noun_second>{SECOND}))"
_ALONE = rf"(?<![\w'’.-])[(\[]{{0,2}}(?P<bare>[ab12]){_CLOSE}(?![.,]\d)"
SIDE = f"(?:{_NOUN_AND_ID}|{_AFTER_NOUN}|{_ORDINAL})"
"""An output named with its noun or its place."""
LONE_SIDE = f"(?:{_NOUN_AND_ID}|{_AFTER_NOUN}|{_ORDINAL}|{_ALONE})"
"""An output named with its noun or its place, or by a letter or number alone."""

_SIDES = {
    **dict.fromkeys(("a", "1", "one", "i", "甲", "一", "а", "أ", "ا"), "A"),
    **dict.fromkeys(("b", "2", "two", "ii", "乙", "二", "б", "ب"), "B"),
}
OTHER = "other"
"""An output beyond the two."""

_groups = iter(range(1_000_000))


def numbered(pattern: str) -> str:
    """The pattern with unused group names, so that it may occur twice in one expression."""
    suffix = next(_groups)
    return re.sub(r"\(\?P<(\w+)>", lambda match: f"(?P<{match[1]}_{suffix}>", pattern)


def side_of(match: re.Match[str], *, last: bool = False) -> str:
    """The output that the first or last reference of a match names: A, B, or `other`."""
    groups = [(match.start(name), name, value) for name, value in match.groupdict().items() if value is not None]
    references = sorted(entry for entry in groups if _kind(entry[1]))
    if not references:
        return ""
    _, name, value = references[-1 if last else 0]
    kind = _kind(name)
    if kind in ("id", "bare"):
        return _SIDES.get(value, OTHER)
    return "A" if kind.endswith("first") else "B"


def _kind(name: str) -> str:
    return next(
        (kind for kind in ("noun_first", "noun_second", "first", "second", "bare", "id") if name.startswith(kind)), ""
    )
