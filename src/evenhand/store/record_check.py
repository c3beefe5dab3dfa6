"""Whether a stored evaluation is still what was stored: its scorecard verifies, and its columns say the same. Pure."""

from __future__ import annotations

import json
from typing import Any

from evenhand.documents.restore import restore
from evenhand.documents.verification import verify
from evenhand.errors import DocumentError, InputError, StoreUnavailable
from evenhand.store.record import Record, kept_submission, record_of
from evenhand.work.submission import Submission

_NOT_ON_SCORECARDS = ("scorecard", "submission", "agent_cost", "agent_tokens", "agent_run")


def check_record(record: Record) -> list[str]:
    """What is wrong with a stored evaluation: a changed scorecard, or columns that say something else."""
    try:
        document = record.document
        submission = None if record.submission is None else submission_from(json.loads(record.submission))
        wrong = differences(document, submission)
        again = record_of(restore(document)[0], completed=record.completed, submission=submission, keep_text=True)
    except (InputError, StoreUnavailable, ValueError) as error:
        return [f"{record.id}: {error}"]
    skip = _NOT_ON_SCORECARDS if record.submission is not None else (*_NOT_ON_SCORECARDS, "title", "kind", "preview")
    pairs = zip(Record._fields, record, again, strict=True)
    wrong += [
        f"the column {name} says {stored}, the scorecard {now}"
        for name, stored, now in pairs
        if name not in skip and stored != now
    ]
    return [f"{record.id}: {problem}" for problem in wrong]


def differences(scorecard: dict[str, Any], submission: Submission | None) -> list[str]:
    """What `verify` finds, and whether the submission, its task included, is the one that was judged."""
    same = submission is None or all(scorecard.get(name) == getattr(submission, name) for name in ("task", "reference"))
    if not same:
        wrong = [f"{difference.field} {difference.problem}" for difference in verify(scorecard).differences]
        return wrong or ["the task or the reference of the submission does not match the scorecard"]
    return [
        f"{difference.field} {difference.problem}"
        for difference in verify(scorecard, submission=submission).differences
    ]


def submission_from(value: Any) -> Submission | None:
    """What was judged, as a store keeps it. DocumentError when it is of another form."""
    if value is None:
        return None
    if (
        not isinstance(value, dict)
        or value.keys() - {"reference", "images"} != {"output", "task"}
        or not isinstance(value["output"], str)
        or not isinstance(value.get("reference", ""), str)
        or not _are_images(value.get("images", []))
    ):
        raise DocumentError("submission must be null, or an object with output, task and if known reference, images")
    return kept_submission(value)


def _are_images(value: Any) -> bool:
    return isinstance(value, list) and all(
        isinstance(image, dict)
        and image.keys() == {"media", "sha256"}
        and all(isinstance(text, str) for text in image.values())
        for image in value
    )
