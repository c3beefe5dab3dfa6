"""An output that ends inside a code block which is never closed. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from evenhand.findings.finding import Finding, check
from evenhand.findings.subject import Subject

ID: Final = "truncated-ending"

_DIFF: Final = re.compile(r"(?m)^(?:diff --git |@@ -\d)")


@check(
    ID,
    "completeness",
    sees="An output that ends inside a code block that is never closed.",
    severity="Major, a note: the end may be missing.",
    example="```python and some lines, and nothing after them",
    whole=True,
)
def open_fence(subject: Subject) -> Iterator[Finding]:
    """The last line of the block that is open."""
    text = subject.output.rstrip()
    if subject.open_block is None or _DIFF.search(text):
        return
    main = [event for event in subject.events if not event.agent and event.kind in ("message", "tool_call")]
    if main and main[-1].call is not None:
        return
    last = text[text.rfind("\n") + 1 :].strip()[-200:]
    yield Finding(
        ID,
        "completeness",
        "major",
        "The output ends inside a code block that is never closed.",
        last,
        offset=len(text) - len(last),
    )


CHECKS = (open_fence,)
