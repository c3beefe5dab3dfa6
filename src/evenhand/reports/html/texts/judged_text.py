"""What was judged, with every quote found again at its place in the output or in an event of the transcript. Pure."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from evenhand.core.finding import Place
from evenhand.core.judgement import Evidence
from evenhand.errors import shortened_line
from evenhand.reports.html.texts.marked_text import Kind, MarkedLine, Note, Passage, marked_lines
from evenhand.work.quotes import Quotable
from evenhand.work.submission import Event, Submission

LONGEST_SUMMARY = 80
"""Characters of a folded call's first argument."""

FOLDED_FROM = 16
"""A tool's result of more lines than this is shown folded, unless a quote is in it."""


class Quoted(NamedTuple):
    """A quote that the page shows, and what it is evidence for."""

    evidence: Evidence
    kind: Kind
    label: str
    severity: str = ""
    message: str = ""
    """For a finding: shown at the passage as well."""


class Part(NamedTuple):
    """A text of an event: its words, an argument of a call, or the call's result."""

    label: str
    lines: Sequence[str | MarkedLine]
    folded: bool


class EventView(NamedTuple):
    """One thing that happened, as a page shows it."""

    who: str
    what: str
    place: str
    failed: bool
    parts: tuple[Part, ...]
    is_output: bool
    """Whether its words are the final answer, which is shown above."""
    agent: str = ""
    """The sub-agent it belongs to."""
    call: bool = False
    quoted: bool = False
    """Whether a quote is in it, so that it is not folded."""
    summary: str = ""
    """For a call: how its first argument begins."""


class JudgedText(NamedTuple):
    """A submission as a page shows it."""

    output: Sequence[str | MarkedLine]
    task: str
    reference: str
    events: tuple[EventView, ...]
    numbers: dict[int, int]
    """The number on the page of each quote that was found, by its place in the list of quotes."""


def judged_text(submission: Submission, quotes: Sequence[Quoted]) -> JudgedText:
    """The submission's texts with the quotes marked, numbered in the order in which the page lists them."""
    texts = [(None, "output", submission.output), *_texts_of(submission.events)]
    passages: list[list[Passage]] = [[] for _ in texts]
    searched: dict[int, Quotable] = {}
    numbers: dict[int, int] = {}
    for index, quoted in enumerate(quotes):
        for place, (event, _, text) in enumerate(texts):
            if not _may_hold(quoted.evidence, event):
                continue
            if place not in searched:
                searched[place] = Quotable(text)
            span = searched[place].span(quoted.evidence.quote, quoted.evidence.offset if event is None else None)
            if span is not None:
                number = numbers[index] = len(numbers) + 1
                note = Note(number, quoted.severity, quoted.message) if quoted.message else None
                passages[place].append(Passage(*span, number, quoted.kind, quoted.label, note))
                break
    lines = [marked_lines(text, inside) for (_, _, text), inside in zip(texts, passages, strict=True)]
    return JudgedText(
        output=lines[0],
        task=submission.task or "",
        reference=submission.reference or "",
        events=tuple(_views(submission, texts, lines, passages)),
        numbers=numbers,
    )


def events_of(submission: Submission) -> tuple[EventView, ...]:
    """A transcript without marks."""
    return judged_text(submission, ()).events


def _may_hold(evidence: Evidence, event: Event | None) -> bool:
    """Whether a quote was found in this text when it was checked."""
    if not evidence.verified or not evidence.quote.strip():
        return False
    if event is None:
        return evidence.source is None
    places = [event.place, None if event.call is None else event.call.result_place]
    return evidence.source is not None and evidence.source in map(_shown_place, places)


def _texts_of(events: Sequence[Event]) -> Iterator[tuple[Event, str, str]]:
    """Every text of every event, with a label."""
    for event in events:
        if event.text:
            yield event, "", event.text
        if event.call is not None:
            yield from ((event, label, text) for label, text in _arguments(event.call.arguments))
            if event.call.result is not None:
                yield event, "result", event.call.result


def _arguments(value: Any, path: str = "") -> Iterator[tuple[str, str]]:
    """The arguments of a call: each text by itself, as quotes are checked against it, the rest as JSON."""
    if isinstance(value, str):
        yield path or "arguments", value
    elif isinstance(value, Mapping):
        for key, item in value.items():
            yield from _arguments(item, f"{path}.{key}" if path else str(key))
    elif isinstance(value, list) and any(isinstance(item, str | Mapping | list) for item in value):
        for place, item in enumerate(value):
            yield from _arguments(item, f"{path}[{place}]")
    else:
        yield path or "arguments", json.dumps(value, ensure_ascii=False, default=str)


def _views(
    submission: Submission,
    texts: Sequence[tuple[Event | None, str, str]],
    lines: Sequence[Sequence[str | MarkedLine]],
    passages: Sequence[Sequence[Passage]],
) -> Iterator[EventView]:
    parts: dict[int, list[Part]] = {}
    quoted: set[int] = set()
    for (event, label, text), shown, inside in zip(texts, lines, passages, strict=True):
        if event is not None and (inside or not _is_output(event, text, submission)):
            folded = label == "result" and len(shown) > FOLDED_FROM and not inside
            parts.setdefault(id(event), []).append(Part(label, shown, folded))
            if inside:
                quoted.add(id(event))
    for event in submission.events:
        yield EventView(
            who=event.role,
            what=event.call.name if event.call is not None else "" if event.kind == "message" else event.kind,
            place=_where(event.place, submission),
            failed=event.kind == "error" or (event.call is not None and event.call.failed),
            parts=tuple(parts.get(id(event), ())),
            is_output=_is_output(event, event.text, submission),
            agent=event.agent,
            call=event.call is not None,
            quoted=id(event) in quoted,
            summary="" if event.call is None else _summary(event.call.arguments),
        )


def _summary(arguments: Any) -> str:
    first = next((text for _, text in _arguments(arguments)), "")
    return shortened_line(first, LONGEST_SUMMARY)


def _where(place: Place, submission: Submission) -> str:
    """A place for people: the file's name only when it is another than the submission's."""
    if place.file == submission.source and place.line is not None:
        return f"line {place.line}"
    return _shown_place(place) or ""


def _is_output(event: Event, text: str, submission: Submission) -> bool:
    return event.role == "assistant" and event.kind == "message" and bool(text) and text == submission.output


def _shown_place(place: Place | None) -> str | None:
    """As evidence names it."""
    return None if place is None else place.file if place.line is None else f"{place.file}:{place.line}"
