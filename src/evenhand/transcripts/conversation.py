"""A conversation read entry by entry: what the formats share. A format says what one entry tells."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any, ClassVar

from evenhand.core.finding import Place
from evenhand.errors import InputError
from evenhand.transcripts.draft import Draft, listed
from evenhand.transcripts.json_stream import Document, Opened, documents, within
from evenhand.transcripts.sources import Source
from evenhand.work.submission import Submission

Read = Callable[[Source], Iterator[Submission | InputError]]
Held = Callable[[dict[str, Any]], list[Any] | None]
"""The entries that an object holds; None when it is an entry itself."""

_TOP = within()


class Reader:
    """One conversation while its entries are read."""

    format: ClassVar[str]
    stray: str = "line that is not an object"
    """What an entry that is not an object is counted as."""

    def __init__(self, source: Source, holder: dict[str, Any] | None = None) -> None:
        self.draft = Draft(source, self.format)
        self.model = ""
        self.holder = holder or {}
        """The object that holds all entries; empty if they stand alone."""
        self.seen: set[str] = set()
        """The ids of entries already taken: some tools write one twice, when a session is branched or moved."""

    def take(self, value: dict[str, Any], place: Place) -> None:
        """Add what one entry tells to the draft."""
        raise NotImplementedError

    def take_all(self, values: Iterable[Any], document: Document) -> None:
        """Add all entries of a document."""
        self.place_of = document.place
        for value in values:
            if isinstance(value, dict):
                self.take(value, document.place(value))
            else:
                self.draft.count(self.stray)

    def finish(self) -> Submission:
        """The submission, once all entries are read."""
        return self.draft.finish_if_any()


def read_lines(reader: type[Reader]) -> Read:
    """Read a file whose lines are the entries of one conversation."""

    def read(source: Source) -> Iterator[Submission | InputError]:
        conversation = reader(source)
        for value, place in source.json_lines():
            if isinstance(value, dict):
                conversation.take(value, place)
            else:
                conversation.draft.count(conversation.stray)
        yield conversation.finish()

    return read


def read_entries(reader: type[Reader], opened: Opened = _TOP) -> Read:
    """Read a file whose values, or the items of its lists, are the entries of one conversation."""

    def read(source: Source) -> Iterator[Submission | InputError]:
        conversation = reader(source)
        for document in documents(source, opened):
            conversation.take_all(listed(document.value), document)
        yield conversation.finish()

    return read


def read_conversations(reader: type[Reader], opened: Opened, held: Held) -> Read:
    """Read every conversation of a file: one for each object that holds entries, and one of all that stand alone."""

    def read(source: Source) -> Iterator[Submission | InputError]:
        alone: Reader | None = None
        for document in documents(source, opened):
            for value in listed(document.value):
                entries = held(value) if isinstance(value, dict) else None
                if entries is None:
                    alone = alone or reader(source)
                    alone.take_all([value], document)
                    continue
                conversation = reader(source, value)
                conversation.take_all(entries, document)
                yield located(conversation.finish(), document, value)
        if alone:
            yield alone.finish()

    return read


def located(submission: Submission, document: Document, value: object) -> Submission:
    """A submission of a file with one on each line is named by its line."""
    line = document.place(value).line
    return submission._replace(source=f"{submission.source}:{line}") if document.is_line else submission
