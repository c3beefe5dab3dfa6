"""Transcripts for reviewers: read again from the file that was judged, and kept with the round as JSON.

A store keeps the texts of outputs, but of a transcript only the hash. A transcript counts only if it still has it.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from evenhand.core.documents.receipt import submission_sha256
from evenhand.errors import InputError
from evenhand.store.submission_text import submission_text, transcript_from
from evenhand.transcripts import read


def transcript_text(document: Mapping[str, Any]) -> str | None:
    """The transcript of a scorecard as JSON; None when its file is gone, or is no longer what was judged."""
    source, digest = document.get("output"), (document.get("receipt") or {}).get("submission")
    try:
        if not source or not Path(source).is_file():
            return None
        for submission in read(source):
            if isinstance(submission, InputError):
                continue
            judged = submission._replace(task=document.get("task"), reference=document.get("reference"))
            text = submission_text(judged)
            if submission_sha256(transcript_from(text)) == digest:
                return text
    except (InputError, OSError, ValueError):
        return None
    return None
