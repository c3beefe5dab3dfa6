"""Scorecards and rubrics as the JSON documents that are published. Pure.

A scorecard is written as text straight away, each field in canonical form, because the receipt
hashes every field and because there may be a million of them. `fields` declares what is written.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import lru_cache
from typing import Any

from evenhand.core.receipt import canonical_rubric, canonical_text, checksum, sha256
from evenhand.core.values import Advice, Rubric, Scorecard
from evenhand.documents.kinds import Field, made_function
from evenhand.documents.scorecards.fields import V1, VERSIONS
from evenhand.files import codec


def scorecard_document(card: Scorecard, *, audit: bool = False) -> dict[str, Any]:
    """A scorecard in its published shape (`shapes.ScorecardDocument`), receipt and all."""
    document: dict[str, Any] = json.loads(scorecard_json(card, audit=audit))
    return document


def scorecard_json(card: Scorecard, *, audit: bool = False) -> str:
    """A scorecard's document as one line of JSON; with `audit`, every line of its arithmetic too."""
    write, keys, own, parts, optional = _writer(audit)
    texts = write(card)
    digests = [f'"{name}":"{checksum(texts[place])}"' for place, name in own if texts[place]]
    for place in parts:
        if texts[place]:
            texts[place], entries = texts[place]
            digests += entries
    digests.append(f'"receipt":"{checksum(texts[-1])}"')
    texts[-1] = f'{texts[-1][:-1]},"fields":{{{",".join(digests)}}}}}}}'
    pieces = [""] * (2 * len(texts))
    pieces[::2], pieces[1::2] = keys, texts
    for place in optional:
        if not texts[place]:
            pieces[2 * place] = ""
    return "".join(pieces)


_Writer = tuple[Callable[[Scorecard], list[Any]], list[str], list[tuple[int, str]], list[int], list[int]]
"""A version's fields made ready to be written: what gives the text of every field in its order, empty where there is
none, and of parts with their checksums; the keys; place and name of the fields that have a checksum as a whole; the
places of parts; the places of fields that may be left out."""


@lru_cache
def _writer(audit: bool) -> _Writer:
    wanted = ("audit",) if audit else ()
    fields = [field for field in V1.fields if not field.on_request or field.name in wanted]
    assert fields[-1].origin == "receipt", "the receipt comes last: it has the checksums of all others"
    functions = {f"write_{field.name}": field.kind.write for field in fields}
    functions |= {f"get_{field.name}": field.get for field in fields if field.get is not None}
    return (
        made_function(f"lambda card: [{', '.join(map(_piece, fields))}]", functions),
        [f'{"," if place else "{"}"{field.name}":' for place, field in enumerate(fields)],
        [(place, field.name) for place, field in enumerate(fields) if field.checksummed],
        [place for place, field in enumerate(fields) if field.origin == "parts"],
        [place for place, field in enumerate(fields) if field.optional],
    )


def _piece(field: Field) -> str:
    """The source of a field's text."""
    place = f"get_{field.name}(card)" if field.get else f"card[{Scorecard._fields.index(field.name)}]"
    if not field.optional:
        return f"write_{field.name}({place})"
    return f"'' if (value := {place}) is None else write_{field.name}(value)"


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


def following(document: dict[str, Any]) -> frozenset[str]:
    """The fields of a document's version that have no checksum as a whole: computed ones, parts and the receipt."""
    version = VERSIONS.get(str(document.get("schema")), V1)
    return frozenset(field.name for field in version.fields if not field.checksummed)


def field_digests(document: dict[str, Any]) -> dict[str, str]:
    """The expected `receipt.fields` of a document: a checksum of each field that cannot be recomputed.

    A field of the wrong shape has no checksum, and so differs from the recorded one.
    """
    without = following(document)
    digests = {name: checksum(canonical_text(value)) for name, value in document.items() if name not in without}
    for field in VERSIONS.get(str(document.get("schema")), V1).fields:
        if field.kind.checksums is not None and field.name in document:
            digests |= field.kind.checksums(document[field.name])
    if isinstance(document.get("receipt"), dict):
        hashes = {name: value for name, value in document["receipt"].items() if name != "fields"}
        digests["receipt"] = checksum(canonical_text(hashes))
    return digests
