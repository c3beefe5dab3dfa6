"""Whether an output is itself a program or a configuration, whose comments are not headings. Pure."""

from __future__ import annotations

from functools import lru_cache
from itertools import islice

from evenhand.lazy_pattern import late_pattern

_LIKE_CODE = late_pattern(
    r"[;{}]\s*$|^\s*(?:def|class|import|from|function|const|let|var|return|export|package|public|if|elif|for|while|fi|done|esac"
    r"|echo|set|local)\b|^\s*[\w.$\[\]\"'-]+\s*(?:=|\+=|:=)\s*\S|\w\([^()]*\)\s*:?\s*$|^\s*[\w.-]+:\s*\S*$|^ {4,}\S",
)


def reads_like_code(text: str) -> bool:
    """Whether a text is itself a program or a configuration, not Markdown."""
    return text.startswith("#!") or ("```" not in text and _begins_like_code(text[:20_000]))


@lru_cache(maxsize=2)
def _begins_like_code(text: str) -> bool:
    lines = [line for line in text.split("\n") if line.strip() and not line.lstrip().startswith(("#", "```"))]
    if len(lines) <= 2:
        return False
    enough = len(lines) // 3 + 1
    return sum(1 for _ in islice(filter(_LIKE_CODE.search, lines), enough)) == enough
