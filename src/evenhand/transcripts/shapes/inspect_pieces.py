"""A sample of an Inspect log stored in pieces: a small shell, with messages and long texts in separate chunks.

Newer versions of Inspect (log version 3) write large samples like this:

    samples/7_epoch_1/sample.json           everything but the lists below; `message_refs` are ranges of messages
    samples/7_epoch_1/messages/0.json       messages, each chunk named after the number of its first one
    samples/7_epoch_1/attachments/0.json    long texts, referred to by their number as `attachment://12`

Events and model calls are stored there too; they repeat the messages and are not read.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from evenhand.core.finding import Place
from evenhand.errors import Problem
from evenhand.transcripts.archive import Archive
from evenhand.transcripts.draft import list_in
from evenhand.transcripts.json_stream import Document, whole_documents, within
from evenhand.transcripts.sources import Source

_SHELL = re.compile(r"(samples/.+_epoch_\d+)/sample\.json")
_CHUNK = re.compile(r"(?:messages|attachments)/(\d{1,12})\.json")

LONGEST = 1_000_000
"""The most messages in all ranges of one sample, since ranges can repeat the same messages."""


def shells(archive: Archive) -> list[str]:
    """The shells of the samples that are kept in pieces."""
    return [name for name in archive.names if _SHELL.fullmatch(name)]


def put_together(source: Source, archive: Archive, shell: str) -> Iterator[Document]:
    """A sample assembled from its pieces; every message keeps its place in its chunk."""
    folder = shell.removesuffix("sample.json")
    for document in _documents(source, archive, shell):
        if not isinstance(document.value, dict):
            yield document
            continue
        chunks = [chunk for chunk in _chunks(source, archive, f"{folder}messages/") if isinstance(chunk.value, list)]
        pool = [message for chunk in chunks for message in chunk.value]
        origin = {id(message): chunk for chunk in chunks for message in chunk.value}
        sample = {**document.value, "messages": _named(source, document, shell, pool)}
        texts = [
            text
            for chunk in _chunks(source, archive, f"{folder}attachments/")
            for text in (chunk.value if isinstance(chunk.value, list) else [])
        ]
        sample["attachments"] = {str(number): text for number, text in enumerate(texts)}

        def place(part: object, document: Document = document, origin: dict[int, Document] = origin) -> Place:
            return origin.get(id(part), document).place(part)

        yield Document(sample, place)


def _named(source: Source, document: Document, shell: str, pool: list[Any]) -> list[Any]:
    """The messages of the final conversation, in order."""
    messages: list[Any] = []
    for ref in list_in(document.value, "message_refs"):
        whole = isinstance(ref, list) and len(ref) == 2 and all(type(number) is int and number >= 0 for number in ref)
        if not whole or ref[1] > len(pool) or len(messages) + ref[1] - ref[0] > LONGEST:
            at = document.place(document.value)
            text = f"the sample refers to messages {ref!r:.60}, but {len(pool):,} are there"
            source.note(Problem(text, f"{source.name}:{shell}", at.line))
            continue
        messages += pool[ref[0] : ref[1]]
    return messages


def _chunks(source: Source, archive: Archive, folder: str) -> Iterator[Document]:
    """The chunks of a list, in the order of their numbers."""
    kind = folder.rstrip("/").rsplit("/", 1)[-1]
    numbers = {}
    for name in archive.names:
        match = _CHUNK.fullmatch(f"{kind}/{name.removeprefix(folder)}") if name.startswith(folder) else None
        if match:
            numbers[int(match[1])] = name
    for number in sorted(numbers):
        yield from _documents(source, archive, numbers[number])


def _documents(source: Source, archive: Archive, name: str) -> Iterator[Document]:
    data = archive.read(name)
    if data is not None:
        yield from whole_documents(source, data, within(), name=f"{source.name}:{name}")
