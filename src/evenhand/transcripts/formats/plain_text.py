"""Plain text and Markdown: the output alone, without a transcript."""

from __future__ import annotations

from collections.abc import Iterator

from evenhand.files.text import OUTPUT_LIMIT
from evenhand.transcripts.head import Head
from evenhand.transcripts.images import images_of_text
from evenhand.transcripts.sources import Source
from evenhand.work.submission import Submission

FORMAT = "text"
TITLE = "plain text or Markdown"
PLACE = 1000
LOOKS_FOR = ""


def sniff(head: Head) -> bool:
    """Any text; tried last."""
    return not head.is_binary and not head.is_utf16


def read(source: Source) -> Iterator[Submission]:
    """The whole file is the output; pictures that it shows are in files beside it."""
    text = source.text(OUTPUT_LIMIT)
    images = images_of_text(text, source.folder)
    yield Submission(output=text, source=source.name, format=FORMAT, problems=source.take_problems(), images=images)
