"""What is judged: an output, or a transcript with everything that happened. Immutable values; nothing here computes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from math import isfinite
from typing import Annotated, Any, Literal, NamedTuple, NotRequired, TypedDict

from evenhand.core.finding import Place
from evenhand.core.published import ALWAYS
from evenhand.core.receipt import canonical_text, sha256_of
from evenhand.errors import Problem


def _finite(value: Any) -> Any:
    """A value without numbers that JSON cannot express, such as 1e999."""
    if isinstance(value, float):
        return value if isfinite(value) else str(value)
    if isinstance(value, list):
        return [_finite(item) for item in value]
    return {key: _finite(item) for key, item in value.items()} if isinstance(value, dict) else value


class ToolCall(NamedTuple):
    """A tool call, with its result."""

    name: str
    arguments: Annotated[Any, {"write": _finite}]
    """A plain JSON value; the raw text when it is not valid JSON."""
    id: Annotated[str, ALWAYS] = ""
    result: Annotated[str | None, ALWAYS] = None
    """The text that came back; None when nothing did."""
    failed: Annotated[bool, ALWAYS] = False
    """Whether the result says it is an error."""
    result_place: Annotated[Place | None, ALWAYS] = None


class Image(NamedTuple):
    """A picture in a submission."""

    media: str = ""
    """image/png, image/jpeg, image/gif or image/webp; empty when it could not be read."""
    data: bytes = b""
    sha256: str = ""
    """The hash of the data; empty when it could not be read."""
    problem: str = ""
    """Why there is no data, as a clause."""


class PictureFacts(TypedDict):
    """A picture: what it is, or why it could not be read."""

    media: NotRequired[str]
    bytes: NotRequired[int]
    sha256: NotRequired[str]
    problem: NotRequired[str]


def picture_facts(images: Sequence[Image]) -> list[PictureFacts]:
    """What is published of pictures in place of their data."""
    return [
        {"problem": image.problem}
        if image.problem
        else {"media": image.media, "bytes": len(image.data), "sha256": image.sha256}
        for image in images
    ]


class Event(NamedTuple):
    """One thing that happened, in the order it happened."""

    kind: Literal["message", "tool_call", "reasoning", "error"]
    role: str
    """user, assistant, system or tool."""
    text: Annotated[str, {"unless": "call"}]
    """The words; empty for a tool call."""
    place: Place
    call: ToolCall | None = None
    """Set for a tool call."""
    agent: str = ""
    """The sub-agent it belongs to; empty for the main one."""
    model: str = ""
    time: str = ""
    images: Annotated[tuple[Image, ...], {"shape": list[PictureFacts], "write": picture_facts}] = ()
    """The pictures in the message or in the result."""


class Usage(NamedTuple):
    """Tokens as the transcript counts them; each request once."""

    input: Annotated[int, ALWAYS] = 0
    output: Annotated[int, ALWAYS] = 0
    cached: Annotated[int, ALWAYS] = 0


class Submission(NamedTuple):
    """What is judged: an output alone, or a whole transcript with its final output.

    >>> card = check(Submission("Cats sleep 12 hours a day.", id="cats", skill="facts"))
    >>> card.id, card.skill
    ('cats', 'facts')
    """

    output: str
    """The text that was produced; of a transcript, the agent's final answer."""
    task: str | None = None
    """What was asked for."""
    source: str | None = None
    """Where the output came from, as the user named it."""
    skill: str | None = None
    id: str | None = None
    format: str = "text"
    """The format it was read as."""
    events: tuple[Event, ...] = ()
    """Everything that happened; empty for an output alone."""
    usage: Usage | None = None
    models: tuple[str, ...] = ()
    """The models that wrote it, in order of appearance."""
    started: str = ""
    ended: str = ""
    unknown: Mapping[str, int] = {}
    """Kinds of lines or entries that were not understood, with how many of each; never dropped silently."""
    reference: str | None = None
    """An answer to compare the work with, shown to judges that read; never part of the work."""
    expect: Any = None
    """The expectations in the file, as a plain value; None when it has none."""
    problems: tuple[Problem, ...] = ()
    """Damage: lines that could not be read, each with its number. Empty unless partial reading was asked for."""
    warnings: tuple[Problem, ...] = ()
    """Notes about a file that is not damaged, such as that its last line is still being written."""
    cost: Decimal | None = None
    """US dollars, as the transcript states them."""
    images: tuple[Image, ...] = ()
    """The pictures in the output; those of a transcript are with its events."""
    folder: str = ""
    """The folder that the agent worked in, where the transcript says so."""
    workspace: str | None = None
    """The folder in which expectations look for files and run commands; given by the caller, never by a transcript."""
    task_read: bool = False
    """Whether the task was read from the transcript, so that it is screened like the work; a user's own is trusted."""
    tools: tuple[str, ...] = ()
    """The names of the tools that the agent was offered, where the transcript lists them."""


_AT_ONCE = 256
"""How many events are written at once."""


def submission_sha256(submission: Submission) -> str:
    """The hash of what was judged: task, output, reference, pictures, and of a transcript all that happened."""
    return sha256_of(_canonical_parts(submission))


def _canonical_parts(submission: Submission) -> Iterator[str]:
    """The canonical text of a submission, some events at a time: a transcript may have hundreds of megabytes."""
    yield "{"
    for start in range(0, len(submission.events), _AT_ONCE):
        events = [
            [event.kind, event.role, event.agent, event.text]
            if event.call is None
            else [event.kind, event.role, event.agent, event.call.name, event.call.arguments, event.call.result]
            for event in submission.events[start : start + _AT_ONCE]
        ]
        yield ("," if start else '"events":[') + canonical_text(events)[1:-1]
    if submission.events:
        yield "],"
    if images := images_of(submission):
        pictures = [[place, image.media, image.sha256] for place, image in images]
        yield f'"images":{canonical_text(pictures)},'
    yield f'"output":{canonical_text(submission.output)},'
    if submission.reference is not None:
        yield f'"reference":{canonical_text(submission.reference)},'
    yield f'"task":{canonical_text(submission.task)}}}'


def images_of(submission: Submission) -> list[tuple[int, Image]]:
    """The pictures that could be read, each with the number of its event; 0 for the output."""
    pictures = [(0, image) for image in submission.images]
    pictures += [(number, image) for number, event in enumerate(submission.events, 1) for image in event.images]
    return [(place, image) for place, image in pictures if image.sha256]
