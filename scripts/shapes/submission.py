"""The published shapes of what was judged: a transcript as it was understood, and an evaluation as it is exported.
Nothing here runs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, NotRequired, TypedDict

from evenhand.work.submission import Event, PictureFacts, Usage
from shapes.record_types import shape_of
from shapes.scorecard import ScorecardDocument

if TYPE_CHECKING:
    EventDocument = dict[str, Any]
    UsageDocument = dict[str, Any]
else:
    EventDocument = shape_of(Event)
    UsageDocument = shape_of(Usage)


class ReadingProblemDocument(TypedDict):
    """Something that could not be read."""

    message: str
    file: str | None
    line: int | None


class TranscriptDocument(TypedDict):
    """A submission as it was understood; the counts of what is in it are added where they are made."""

    schema: Literal["evenhand/transcript/v1"]
    source: str | None
    format: str
    id: str | None
    skill: str | None
    task: str | None
    output: str
    models: list[str]
    started: str | None
    ended: str | None
    usage: UsageDocument | None
    unknown: dict[str, int]
    problems: list[ReadingProblemDocument]
    images: NotRequired[list[PictureFacts]]
    """The pictures in the output; those of a transcript are with its events."""
    events: list[EventDocument]


class KeptImageDocument(TypedDict):
    """A picture of what was judged; its data is not kept."""

    media: str
    sha256: str


class KeptSubmissionDocument(TypedDict):
    """What was judged, where its text is kept."""

    output: str
    task: str | None
    reference: NotRequired[str]
    images: NotRequired[list[KeptImageDocument]]


class EvaluationDocument(TypedDict):
    """A stored evaluation, as `evenhand store export` writes it."""

    schema: Literal["evenhand/evaluation/v1"]
    completed: int
    scorecard: ScorecardDocument
    submission: KeptSubmissionDocument | None
    sha256: NotRequired[str]
    """Over the other fields."""


class StoredRowDocument(TypedDict):
    """A row of what a store keeps beside evaluations, as `evenhand store export` writes it."""

    schema: Literal["evenhand/stored-row/v1"]
    table: str
    row: dict[str, str | int | None]
    """Its values by the names of the columns."""
    sha256: str
    """Over the table and the row."""


class ExportDocument(TypedDict):
    """The last line of what `evenhand store export` writes: how many evaluations and rows came before it."""

    schema: Literal["evenhand/export/v1"]
    evaluations: int
    rows: NotRequired[int]
    """Beside evaluations; left out where there are none."""
    sha256: str
    """Over the hashes of the evaluations and the rows, in their order."""
