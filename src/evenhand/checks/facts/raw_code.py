"""Whether an output is itself a program or a configuration, whose comments are not headings. Pure."""

from __future__ import annotations

from functools import lru_cache

from evenhand.core.basics.lazy_pattern import late_pattern

_LIKE_CODE = late_pattern(
    r"[;{}]\s*$|^\s*(?:def|class|import|from|function|const|let|var|return|export|package|public|if|elif|for|while|fi|done|esac"
    r"|echo|set|local)\b|^\s*[\w.$\[\]\"'-]+\s*(?:=|\+=|:=)\s*\S|\w\([^()]*\)\s*:?\s*$|^\s*[\w.-]+:\s*\S*$|^ {4,}\S",
)


@lru_cache(maxsize=2)
def reads_like_code(text: str) -> bool:
    """Whether a text is itself a program or a configuration, not Markdown."""
    if text.startswith("#!"):
        return True
    if "```" in text:
        return False
    lines = [line for line in text[:20_000].split("\n") if line.strip() and not line.lstrip().startswith(("#", "```"))]
    return len(lines) > 2 and sum(bool(_LIKE_CODE.search(line)) for line in lines) * 3 > len(lines)
