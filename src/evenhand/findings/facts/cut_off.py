"""The code block, if any, in which an output breaks off. Pure."""

from __future__ import annotations

import re

from evenhand.findings.subject import Block, Subject


def breaks_off_in(subject: Subject) -> Block | None:
    """The last block, when its fence is never closed.

    Fences inside a Markdown block close it early. One without a language may be a fence too many, with words after it:
    it counts only when nothing that follows reads like words to the reader. A fence with words behind it does not
    close a block by the rules of Markdown, but its author may have meant it to.
    """
    fences = [token for token in subject.tokens if token.type == "fence" and token.map]
    if not fences or subject.rest or any(re.match(r"\s*(?:md|markdown|mdx)\b", token.info) for token in fences):
        return None
    token, lines = fences[-1], subject.output.rstrip().split("\n")
    closing = re.compile(rf"[ >\t]*{re.escape(token.markup[0])}{{{len(token.markup)},}}\s*$")
    reaches_the_end = token.map is not None and token.map[1] >= len(lines)
    opens_there = token.map is not None and token.map[0] >= len(lines) - 1
    if not reaches_the_end or (closing.match(lines[-1]) and not opens_there):
        return None
    meant = re.compile(rf"(?m)^[ >\t]*{re.escape(token.markup[0])}{{{len(token.markup)},}}")
    if meant.search(token.content):
        return None
    return subject.blocks[-1] if token.info.strip() or _is_code(token.content.strip()) else None


def _is_code(text: str) -> bool:
    """Whether it holds nothing that reads like the answer going on after a fence too many."""
    return bool(text) and not re.search(r"(?m)^(?:#{1,6}|[-*]|\d+\.) |[.!?:][)\"'*_]*\Z", text)
