"""Code that the task asks for and the output lacks. Pure.

Only where the task names code itself, or a program in a language: a script may be for a film, and a function may be a
formula. Anything that could be code counts as given: a block, a piece in backticks, a line that reads like code.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from evenhand.checks.finding import Finding, check
from evenhand.checks.subject import Subject
from evenhand.core.basics.lazy_pattern import late_pattern

ID: Final = "missing-code"

_LANGUAGE = (
    r"(?:python|bash|shell|sql|javascript|js|typescript|java|go|golang|rust|ruby|php|kotlin|swift|c\+\+|c#|powershell"
    r"|perl)"
)
_KIND = r"(?:(?:complete|full|short|simple|working|example|sample|minimal|actual|corrected|fixed|new)\s+)*"
_ASKED = late_pattern(
    rf"\b(?:show|write|give|provide|include)\s+(?:me\s+)?(?:(?:the|some|your|an?)\s+)?{_KIND}"
    rf"(?:(?:{_LANGUAGE}\s+)?code(?: snippets?)?\b(?!\s+(?:of|reviews?|names?|words?|comments?|style|for the))"
    rf"|(?:{_LANGUAGE}\s+)?unit tests?\b(?! plan)"
    rf"|{_LANGUAGE}\s+(?:script|function|program|class|query|one-liner)s?\b(?!\s+(?:names?|descriptions?)))",
    re.I,
)
_DENIED = late_pattern(r"\b(?:no|not|without|don't|avoid|never)\b|\bif\b", re.I)
_READS_LIKE_CODE = late_pattern(
    r"[;{}]\s*$|^\s*(?:def|class|import|from|function|const|let|var|return|select|insert|update|create|package|public|#!|<\w)\b"
    r"|^\s*\w+\s*(?:=|\+=|:=)\s*\S|\w\(.*\)\s*[:;{]?\s*$|^(?: {4}|\t)\S",
    re.I | re.M,
)


@check(
    ID,
    "completeness",
    sees="A task that asks for code in so many words, and an output without a line of it.",
    severity="Major: what was asked for is missing.",
    example="“Explain the cache and show the code.” answered with two paragraphs of words.",
    whole=True,
)
def missing_code(subject: Subject) -> Iterator[Finding]:
    """The words that ask for code, where there is none."""
    if subject.calls or not subject.words:
        return
    for sentence in re.split(r"(?<=[.!?])\s+|\n+", subject.task[:20_000]):
        match = _ASKED.search(sentence)
        if match and not _DENIED.search(sentence):
            has_code = subject.blocks or "`" in subject.output or _READS_LIKE_CODE.search(subject.output)
            if not has_code:
                message = f"The task asks to “{match[0].strip()}”, but the output contains no code."
                yield Finding(ID, "completeness", "major", message)
            return


CHECKS = (missing_code,)
