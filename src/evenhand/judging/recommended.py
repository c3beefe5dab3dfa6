"""A scorecard's document with what would help most: the same recommendations that its page shows."""

from __future__ import annotations

import json
from typing import Any

from evenhand.core.advice import advise
from evenhand.core.rubric import Rubric
from evenhand.core.scorecard import Scorecard
from evenhand.documents.scorecard import recommending, scorecard_json
from evenhand.rubrics.resolved import rubric_used


def recommended_json(
    card: Scorecard, *, rubric: Rubric | None = None, text: str | None = None, audit: bool = False
) -> str:
    """One line of JSON. `rubric` is the one the card was made with, `text` its document, where they are at hand."""
    return recommending(text or scorecard_json(card, audit=audit), advise(card, rubric or rubric_used(card)))


def recommended_document(card: Scorecard, *, rubric: Rubric | None = None, audit: bool = False) -> dict[str, Any]:
    """The same as plain values."""
    document: dict[str, Any] = json.loads(recommended_json(card, rubric=rubric, audit=audit))
    return document
