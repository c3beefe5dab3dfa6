"""The published shapes of what was judged: a transcript as it was understood, and an evaluation as it is exported.
Nothing here runs."""

from __future__ import annotations

from typing import Any, Literal, NotRequired, TypedDict

from evenhand.core.documents.shapes.scorecard import ScorecardDocument


class PlaceDocument(TypedDict):
    """A place in a file: the file, the line from 1, the byte from 0."""

    file: str
    line: int | None
    offset: int | None


class ToolCallDocument(TypedDict):
    """A tool call, with its result; `arguments` is any JSON value."""

    name: str
    arguments: Any
    id: str
    result: str | None
    failed: bool
    result_place: PlaceDocument | None


class ImageDocument(TypedDict):
    """A picture: what it is, or why it could not be read."""

    media: NotRequired[str]
    bytes: NotRequired[int]
    sha256: NotRequired[str]
    problem: NotRequired[str]


class EventDocument(TypedDict):
    """One thing that happened: words, or the call of a tool."""

    kind: Literal["message", "tool_call", "reasoning", "error"]
    role: str
    place: PlaceDocument
    text: NotRequired[str]
    call: NotRequired[ToolCallDocument]
    agent: NotRequired[str]
    model: NotRequired[str]
    time: NotRequired[str]
    images: NotRequired[list[ImageDocument]]


class UsageDocument(TypedDict):
    """Tokens as the transcript counts them."""

    input: int
    output: int
    cached: int


class ToolDocument(TypedDict):
    """How often a tool was called."""

    calls: int
    failed: int
    unanswered: int


class CountsDocument(TypedDict):
    """The numbers of a transcript."""

    events: int
    messages: dict[str, int]
    tool_calls: int
    failed: int
    unanswered: int
    errors: int
    reasoning: int
    tools: dict[str, ToolDocument]
    agents: dict[str, int]


class ReadingProblemDocument(TypedDict):
    """Something that could not be read."""

    message: str
    file: str | None
    line: int | None


class TranscriptDocument(TypedDict):
    """A submission as it was understood."""

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
    counts: CountsDocument
    unknown: dict[str, int]
    problems: list[ReadingProblemDocument]
    images: NotRequired[list[ImageDocument]]
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
