"""What people wrote about evaluations, in a SQL store: notes and tags, only ever appended to."""

from __future__ import annotations

from typing import Annotated, Final, NamedTuple

from evenhand.store.sql_connection import SqlConnection, columns_of

NOTE: Final = "note"
TAGGED: Final = "tag"
UNTAGGED: Final = "untag"


class Note(NamedTuple):
    """One row of the notes, in the order of its columns."""

    evaluation: str
    written: str
    """RFC 3339, in UTC."""
    person: str
    kind: Annotated[str, {"enum": ("note", "tag", "untag")}]
    """A note, or a tag that was put on or taken off."""
    words: str
    """The note, or the tag."""


class Notes(SqlConnection):
    """Notes over a connection that runs statements."""

    def add_note(self, note: Note) -> None:
        """Append a note, or the change of a tag. Inside a transaction only."""
        marks = ", ".join("?" * len(note))
        self._write(f"INSERT INTO notes ({columns_of(Note)}) VALUES ({marks}) ON CONFLICT DO NOTHING", [note])

    def notes(self, evaluation: str) -> list[Note]:
        """Everything that was written about an evaluation, oldest first."""
        order = "WHERE evaluation = ? ORDER BY written, person, kind, words"
        return self._select(Note, "notes", order, (evaluation,))


def tags_of(notes: list[Note]) -> list[str]:
    """The tags that an evaluation has now, in alphabetical order."""
    state = {note.words: note.kind == TAGGED for note in notes if note.kind in (TAGGED, UNTAGGED)}
    return sorted(tag for tag, is_on in state.items() if is_on)
