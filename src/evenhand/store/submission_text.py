"""A submission with everything that happened, as a store keeps it: as JSON, and back. Pure."""

from __future__ import annotations

import json
from typing import Any

from evenhand.core.finding import Place
from evenhand.core.receipt import canonical_text
from evenhand.work.submission import Event, Image, Submission, ToolCall


def transcript_from(text: str) -> Submission:
    """The submission that was kept."""
    kept = json.loads(text)
    return Submission(
        output=kept["output"],
        task=kept["task"],
        source=kept["source"],
        reference=kept["reference"],
        events=tuple(map(_event, kept["events"])),
        images=tuple(map(_image, kept["images"])),
    )


def submission_text(submission: Submission) -> str:
    """A submission as it is kept: everything that is judged, of pictures the hashes."""
    return canonical_text(
        {
            "output": submission.output,
            "task": submission.task,
            "source": submission.source,
            "reference": submission.reference,
            "events": [_event_document(event) for event in submission.events],
            "images": [_image_document(image) for image in submission.images],
        }
    )


def _event_document(event: Event) -> dict[str, Any]:
    call = event.call
    return {
        "kind": event.kind,
        "role": event.role,
        "text": event.text,
        "agent": event.agent,
        "place": list(event.place),
        "images": [_image_document(image) for image in event.images],
        "call": None
        if call is None
        else {
            "name": call.name,
            "arguments": call.arguments,
            "result": call.result,
            "failed": call.failed,
            "result_place": None if call.result_place is None else list(call.result_place),
        },
    }


def _event(kept: dict[str, Any]) -> Event:
    call = kept["call"]
    if call is not None:
        place = call.pop("result_place")
        call = ToolCall(**call, result_place=None if place is None else Place(*place))
    return Event(
        kind=kept["kind"],
        role=kept["role"],
        text=kept["text"],
        place=Place(*kept["place"]),
        call=call,
        agent=kept["agent"],
        images=tuple(map(_image, kept["images"])),
    )


def _image_document(image: Image) -> dict[str, str]:
    return {"media": image.media, "sha256": image.sha256}


def _image(kept: dict[str, str]) -> Image:
    return Image(media=kept["media"], sha256=kept["sha256"])
