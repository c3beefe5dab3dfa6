"""Scorecards and rubrics as the JSON documents that are published. Pure.

A scorecard is written as text straight away, each field in canonical form, because the receipt
hashes every field and because there may be a million of them. `fields` declares what is written.
"""

from __future__ import annotations

import json
from typing import Any

from evenhand.core.advice import Advice
from evenhand.core.receipt import canonical_rubric, canonical_text, checksum, sha256
from evenhand.core.rubric import Rubric
from evenhand.core.scorecard import Scorecard
from evenhand.documents.scorecards.fields import FIELDS
from evenhand.files import codec


def scorecard_document(card: Scorecard, *, audit: bool = False) -> dict[str, Any]:
    """A scorecard in its published shape (`shapes.ScorecardDocument`), receipt and all."""
    document: dict[str, Any] = json.loads(scorecard_json(card, audit=audit))
    return document


def scorecard_json(card: Scorecard, *, audit: bool = False) -> str:
    """A scorecard's document as one line of JSON; with `audit`, every line of its arithmetic too."""
    written, whole, of_parts = [], [], []
    for field in FIELDS:
        value = None if field.on_request and not (audit and field.name == "audit") else field.value_of(card)
        if value is None and field.optional:
            continue
        text = field.kind.write(value)
        if field.origin == "parts":
            text, entries = text
            of_parts += entries
        elif field.checksummed:
            whole.append(f'"{field.name}":"{checksum(text)}"')
        elif field.origin == "receipt":  # the last field: it has the checksums of all others
            digests = ",".join([*whole, *of_parts, f'"receipt":"{checksum(text)}"'])
            text = f'{text[:-1]},"fields":{{{digests}}}}}'
        written.append(f'"{field.name}":{text}')
    return "{" + ",".join(written) + "}"


def recommending(text: str, advice: Advice) -> str:
    """A scorecard's document, as one line of JSON, with what would help most; the receipt has its checksum.

    Put into the text that there is, which may have been stored: the recommendations need the text of the rubric, which
    a scorecard does not have.
    """
    written = canonical_text([codec.document(entry) for entry in advice.recommendations])
    start, receipt, end = text.rpartition(',"receipt":{')
    end = end.replace('"fields":{', f'"fields":{{"recommendations":"{checksum(written)}",', 1)
    return f'{start},"recommendations":{written}{receipt}{end}'


def rubric_document(rubric: Rubric) -> dict[str, Any]:
    """A rubric in its published shape (`shapes.RubricDocument`)."""
    canonical = canonical_rubric(rubric)
    return {"schema": "evenhand/rubric/v1", **canonical, "sha256": sha256(canonical_text(canonical))}


NOT_CHECKSUMMED = frozenset(field.name for field in FIELDS if not field.checksummed)
"""The fields that have no checksum as a whole: computed ones, parts and the receipt."""


def field_digests(document: dict[str, Any]) -> dict[str, str]:
    """The expected `receipt.fields` of a document: a checksum of each field that cannot be recomputed.

    A field of the wrong shape has no checksum, and so differs from the recorded one.
    """
    whole = {name: value for name, value in document.items() if name not in NOT_CHECKSUMMED}
    digests = {name: checksum(canonical_text(value)) for name, value in whole.items()}
    for field in FIELDS:
        if field.kind.checksums is not None and field.name in document:
            digests |= field.kind.checksums(document[field.name])
    if isinstance(document.get("receipt"), dict):
        hashes = {name: value for name, value in document["receipt"].items() if name != "fields"}
        digests["receipt"] = checksum(canonical_text(hashes))
    return digests
