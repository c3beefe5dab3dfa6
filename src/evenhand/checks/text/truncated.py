"""An output that stops before its end: in the middle of a sentence, of a block, of a JSON value. Pure.

Of a very long output only the end is parsed. Logs, tables and listings are often as long, so its words are held
against it only where they read like prose.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise
from typing import Final

from evenhand.checks.facts.cut_off import _is_code, breaks_off_in
from evenhand.checks.facts.raw_code import reads_like_code
from evenhand.checks.finding import Finding, check
from evenhand.checks.subject import Subject
from evenhand.lazy_pattern import late_pattern, late_words
from evenhand.work.submission import Submission

ID: Final = "truncated-ending"

_WANTS_MORE = r"(?:,|\b(?:the|an|and|or|but|because|of|whose|your|our|their|(?:of|with|for|in|is|as|to|by|from) a))$"
_PROMISE = r"[\w)`*\"'][*_]*:[*_]*$"
_ENDED = r"[.!?:\u2026][\"'\u201d\u2019)*_\]]*$"
_IN_A_BLOCK = "inside a code block that is never closed"
_STOP = "end(?:s|ing)?|finish|stop|conclude"
_MAY_ASK_TO_STOP = late_words(_STOP)
_ASKED_TO_STOP = late_pattern(rf"\b(?:{_STOP})\b.{{0,30}}\b(?:with|at|on|in)\b", re.I)


@check(
    ID,
    "completeness",
    sees="An output that ends inside a sentence, an open code block or an open JSON value, or with a bare promise.",
    severity="Major: the end is missing. Minor when the only sign is a missing full stop.",
    example="Finally, restart the service and check the",
    whole=True,
)
def truncated_ending(subject: Subject) -> Iterator[Finding]:
    """The place where the output breaks off."""
    text = subject.output.rstrip()
    if not text or _goes_on(subject):
        return
    if _DIFF.search(text) or reads_like_code(text):
        return  # the last line is where the context of a change, or a file, happens to end
    if _MAY_ASK_TO_STOP.are_in(subject.task) and _ASKED_TO_STOP.search(subject.task):
        return
    last = text[text.rfind("\n") + 1 :].strip()[-200:]
    if _open_json(text):
        yield _finding(subject, "in the middle of a JSON value that is never closed", last)
    elif subject.rest:
        where = _long_ending(text)
        if where:
            yield _finding(subject, where, last)
    elif breaks_off_in(subject):
        yield _finding(subject, _IN_A_BLOCK, last)
    elif _ends_in_words(subject) and len(subject.words) > 5:
        where = _wants_more(last)
        if where:
            yield _finding(subject, where, last)
        elif _unlike_the_rest(subject):
            yield _finding(subject, "without a full stop, unlike every other sentence", last)._replace(severity="minor")


def _goes_on(subject: Subject) -> bool:
    """Whether a call of the main agent follows its last words: they announce it, and are not cut off."""
    main = [event for event in subject.events if not event.agent and event.kind in ("message", "tool_call")]
    return bool(main) and main[-1].call is not None


def _wants_more(last: str) -> str:
    """How the last words of a text ask for more; empty when they may be its end."""
    if re.search(_PROMISE, last):
        return "with a colon that nothing follows"
    return "in the middle of a sentence" if re.search(_WANTS_MORE, last) else ""


def _unlike_the_rest(subject: Subject) -> bool:
    """Whether the last sentence is long and ends in a plain word, where every other paragraph ends as it should."""
    paragraphs = [
        token.content.strip()
        for before, token in pairwise(subject.tokens)
        if before.type == "paragraph_open" and before.level == 0 and token.type == "inline"
    ]
    if not paragraphs or subject.tokens[-1].type != "paragraph_close":
        return False
    *others, last = paragraphs
    sentences = re.split(r"(?<=[.!?])\s+", last)
    ended = len(sentences) - 1 + sum(len(re.findall(r"[.!?](?:\s|$)", paragraph)) for paragraph in others)
    long = len(sentences[-1].split()) >= 8 and re.search(r"(?<![/.@_-])\b[a-z]{2,}$", sentences[-1])
    return (
        bool(long)
        and "\n" not in sentences[-1]
        and ended >= 3
        and all(re.search(_ENDED, paragraph) for paragraph in others)
    )


def _finding(subject: Subject, where: str, last: str) -> Finding:
    offset = len(subject.output.rstrip()) - len(last)
    return Finding(ID, "completeness", "major", f"The output ends {where}.", last, offset=offset)


_END = 4_000
"""Characters at the end of a very long output that are parsed."""

_FENCE = re.compile(r"(?m)^[ \t>]*(`{3,}|~{3,})[ \t]*([^`\n]*)$")
_DIFF = re.compile(r"(?m)^(?:diff --git |@@ -\d)")


def _long_ending(text: str) -> str:
    """Where a very long text breaks off; empty when it does not, or when its end does not show it."""
    opened: re.Match[str] | None = None
    after = 0
    for fence in _FENCE.finditer(text):
        mark, info = fence.groups()
        if info and re.match(r"(?:md|markdown|mdx)\b", info):
            return ""  # fences inside a Markdown block close it early, so which one is open at the end is unclear
        if opened is None:
            opened = fence
        elif not info and mark[0] == opened[1][0] and len(mark) >= len(opened[1]):
            opened, after = None, fence.end()
    if opened is not None:
        return _IN_A_BLOCK if _is_surely_open(opened, text[opened.end() :].strip()) else ""
    end = Subject(Submission(output=_whole_paragraphs(text[after:])))
    last = next((token for token in reversed(end.tokens) if token.nesting == 0), None)
    if last is None or last.type != "inline" or not _ends_in_words(end):
        return ""
    paragraph = last.content.strip()
    return _wants_more(paragraph) if _is_prose(paragraph) else ""


def _is_surely_open(fence: re.Match[str], block: str) -> bool:
    """Whether what follows a fence is a block: one that names its language shortly before the end, or nothing but code.
    A line of tildes may be an underline."""
    mark, info = fence.groups()
    named = bool(re.match(r"[\w{.]", info)) and len(block) < _END
    return named or (mark[0] == "`" and _is_code(block))


def _whole_paragraphs(text: str) -> str:
    """The end of a text, from the start of a paragraph or at least of a line on."""
    end = text[-_END:]
    if len(end) < len(text):
        start = max(end.find("\n\n"), 0) or max(end.find("\n"), 0)
        end = end[start:]
    return end.strip("\n")


def _is_prose(paragraph: str) -> bool:
    """Whether it is made of words, and not of the lines of a log or a table, each of which may end in a comma."""
    letters = sum(character.isalpha() or character.isspace() for character in paragraph)
    listed = paragraph.endswith(",") and ",\n" in paragraph
    return len(paragraph.split()) >= 8 and letters >= 0.9 * len(paragraph) and not listed


def _open_json(text: str) -> bool:
    """Whether a text that starts as JSON ends inside a string or with brackets open."""
    if not re.match(r"\{\s*\"|\[\s*(?:[\[{\"]|-?\d)", text) or re.match(r"\[[^\]\n]*\]\(", text):
        return False
    bare = re.sub(r'(?<!\\)"(?:[^"\\]|\\.)*"', "", text)
    opened = len(re.findall(r"[\[{]", bare))
    return '"' in bare or opened > len(re.findall(r"[\]}]", bare))


def _ends_in_words(subject: Subject) -> bool:
    """Whether the last thing is a paragraph or a list item, not a table, a heading, code or a quote."""
    if subject.rest:
        return False
    closings = [token.type for token in subject.tokens[-4:] if token.type.endswith("_close")]
    inline = [token for token in subject.tokens if token.type == "inline"]
    plain = all(
        kind in ("paragraph_close", "list_item_close", "ordered_list_close", "bullet_list_close") for kind in closings
    )
    return bool(closings and inline) and plain and not inline[-1].content.rstrip().endswith("`")


CHECKS = (truncated_ending,)
