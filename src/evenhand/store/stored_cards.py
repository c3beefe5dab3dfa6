"""What a store keeps of an evaluation: its scorecard, and what was judged."""

from __future__ import annotations

import json

from evenhand.core.scorecard import Scorecard
from evenhand.documents.restore import restore
from evenhand.errors import DocumentError
from evenhand.store.protocol import Store
from evenhand.store.record import Record
from evenhand.store.submission_text import transcript_from
from evenhand.work.submission import Submission


def card_of(record: Record) -> Scorecard:
    """The scorecard of a stored evaluation; StoreUnavailable when its row was damaged."""
    try:
        return restore(record.document)[0]
    except DocumentError as error:
        raise record.damaged(error.problems[0].message) from None


def submission_of(record: Record) -> Submission | None:
    """The text of a stored evaluation; None when only its hash is kept; of transcripts see below."""
    if record.submission is None:
        return None
    try:
        kept = json.loads(record.submission)
        return Submission(output=kept["output"], task=kept["task"], reference=kept.get("reference"))
    except (ValueError, LookupError, TypeError, AttributeError):
        raise record.damaged("its text cannot be read") from None


def stored_submission(store: Store, record: Record) -> Submission | None:
    """What was judged, as far as a store keeps it: the text of an output, or a transcript that was asked to be kept."""
    if record.submission is None:
        digest = (record.document.get("receipt") or {}).get("submission")
        text = None if digest is None else store.transcript(digest)
        if text is not None:
            try:
                return transcript_from(text)
            except (ValueError, LookupError, TypeError, AttributeError):
                raise record.damaged("its transcript cannot be read") from None
    return submission_of(record)
