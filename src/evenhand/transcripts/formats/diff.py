"""A git diff: the output is the change itself."""

from __future__ import annotations

import re
from collections.abc import Iterator

from evenhand.files.text import OUTPUT_LIMIT
from evenhand.transcripts.head import Head
from evenhand.transcripts.sources import Source
from evenhand.work.submission import Submission

FORMAT = "diff"
TITLE = "git diff"
PLACE = 340
LOOKS_FOR = ""

_BEGINS = re.compile(
    r"\s*(?:diff --git |diff --cc |Index: \S|--- [^\n]+\n\+\+\+ |From [0-9a-f]{40} |commit [0-9a-f]{7,40}\b)"
)
_CHANGES = re.compile(
    r"^(?:@@ -\d+(?:,\d+)? \+\d+|@@@ -|Binary files |GIT binary patch|(?:old|new|deleted file|new file) mode \d"
    r"|(?:rename|copy) from )",
    re.MULTILINE,
)


def sniff(head: Head) -> bool:
    """A diff header and a change; a diff quoted in prose does not count."""
    return _BEGINS.match(head.text) is not None and _CHANGES.search(head.text) is not None


def read(source: Source) -> Iterator[Submission]:
    """The whole file is the output."""
    text = source.text(OUTPUT_LIMIT)
    yield Submission(output=text, source=source.name, format=FORMAT, problems=source.take_problems())
