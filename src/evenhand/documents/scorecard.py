"""Scorecards and rubrics as the JSON documents that are published. Pure.

A scorecard is written as text straight away, each field in canonical form, because the receipt hashes every field and
because there may be a million of them. `fields` declares what is written.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from decimal import Decimal
from functools import lru_cache, partial
from operator import itemgetter
from typing import Any

from evenhand.core.advice import Advice
from evenhand.core.audit import audit as audit_lines
from evenhand.core.finding import Finding
from evenhand.core.judgement import Agreement, Evidence, Panel
from evenhand.core.receipt import (
    canonical_rubric,
    canonical_text,
    checksum,
    finding_document,
    names_text,
    number_text,
    quoted,
    sha256,
)
from evenhand.core.rubric import Rubric
from evenhand.core.scorecard import Award, Deduction, Official, Scorecard, ScoredDimension
from evenhand.documents.fields import CHECKSUMMED, ORIGINS, SCHEMA, From, ScorecardDocument, panel_checksums, panel_json
from evenhand.files import codec
from evenhand.files.forms import Either, Form, Number, Text, record_of

_YES_NO = {True: "true", False: "false", None: "null"}


@lru_cache(maxsize=4096)
def _number(number: Decimal | None) -> str:
    return "null" if number is None else number_text(number)


def _words(text: str | None) -> str:
    return "null" if text is None else quoted(text)


def _quotes(evidence: tuple[Evidence, ...]) -> str:
    return f"[{','.join([_quote(quote) for quote in evidence])}]" if evidence else "[]"


def _quote(evidence: Evidence) -> str:
    quote, verified, line, offset, source = evidence
    if source is not None:
        return f'{{"quote":{quoted(quote)},"source":{quoted(source)},"verified":{_YES_NO[verified]}}}'
    place = f'"line":{line},"offset":{offset},' if verified else ""
    return f'{{{place}"quote":{quoted(quote)},"verified":{_YES_NO[verified]}}}'


def _criteria(scored: Any) -> str:
    from evenhand.documents.criteria import scored_criteria_json  # few rubrics have criteria

    return scored_criteria_json(scored)


def _text_of(form: Form) -> Callable[[Any], str]:
    """How values of a form are written: by the codec, but for those of which there are most."""
    (inner,) = form.forms if isinstance(form, Either) and len(form.forms) == 1 else (form,)
    if isinstance(inner, Number) and inner.kind is Decimal:
        return _number
    if isinstance(inner, Text):
        return _words
    return lambda value: canonical_text(form.write(value))


@lru_cache
def _steps(kind: Any) -> list[tuple[str, int, Callable[[Any], str], bool]]:
    """The fields of a line of a scorecard in canonical order: key, place, how it is written, whether it always is."""
    by_hand = {"evidence": _quotes}
    steps = [
        (field.key, kind._fields.index(field.attribute), by_hand.get(field.key) or _text_of(field.form), field.always)
        for field in record_of(kind).fields
    ]
    if kind is ScoredDimension:
        steps.append(("criteria", kind._fields.index("criteria"), _criteria, False))
    return [(f'"{key}":', place, write, always) for key, place, write, always in sorted(steps, key=itemgetter(0))]


def _line(value: tuple[Any, ...]) -> str:
    """A dimension, a red flag or a bonus, straight as text: a scorecard has more of them than of anything else."""
    texts = []
    for key, place, write, always in _steps(type(value)):
        part = value[place]
        if part is not None or always:
            texts.append(key + write(part))
    return "{" + ",".join(texts) + "}"


_Parts = tuple[str, dict[str, str]]
"""A text, and the checksums of its parts by path."""


def _dimensions(lines: Mapping[str, ScoredDimension]) -> _Parts:
    texts = {name: _line(line) for name, line in lines.items()}
    written = ",".join([f'"{name}":{text}' for name, text in texts.items()])
    return "{" + written + "}", {f"dimensions.{name}": checksum(text) for name, text in texts.items()}


def _claims(field: str, claims: tuple[Deduction, ...] | tuple[Award, ...]) -> _Parts:
    texts = {claim.id: _line(claim) for claim in claims}
    return f"[{','.join(texts.values())}]", {f"{field}.{id}": checksum(text) for id, text in texts.items()}


def _panel(panel: tuple[Panel, Agreement]) -> _Parts:

    return panel_json(*panel)


_PARTS: dict[str, Callable[[Any], _Parts]] = {
    "dimensions": _dimensions,
    "red_flags": partial(_claims, "red_flags"),
    "bonuses": partial(_claims, "bonuses"),
    "panel": _panel,
}


def _findings(findings: tuple[Finding, ...]) -> str:
    return canonical_text([finding_document(finding) for finding in findings])


def _official(official: Official) -> str:
    from evenhand.documents.calibration import official_document  # few rubrics want calibrated scores

    return canonical_text(official_document(official))


@lru_cache
def _texts() -> list[tuple[str, From, Callable[[Any], str], bool]]:
    """Every field in order: its name, where it comes from, how it is written, whether it always is."""
    by_hand: dict[str, Callable[[Any], str]] = {"judge": names_text, "findings": _findings, "official": _official}
    texts = []
    for field in record_of(ScorecardDocument).fields:
        write: Callable[[Any], str] = by_hand.get(field.key) or _text_of(field.form)
        if field.key in ("rubric", "deduction", "bonus", "next_step"):  # there are few different ones
            write = lru_cache(maxsize=4096)(write)
        texts.append((field.key, ORIGINS[field.key], write, field.always))
    return texts


def scorecard_document(card: Scorecard, *, audit: bool = False) -> dict[str, Any]:
    """A scorecard in its published shape (`ScorecardDocument`), receipt and all."""
    document: dict[str, Any] = json.loads(scorecard_json(card, audit=audit))
    return document


def scorecard_json(card: Scorecard, *, audit: bool = False) -> str:
    """A scorecard's document as one line of JSON; with `audit`, every line of its arithmetic too."""
    written, digests, of_parts = [f'"schema":"{SCHEMA}"'], [], []
    for name, source, write, always in _texts():
        if source.on_request:
            value = audit_lines(card) if audit and name == "audit" else None
        else:
            value = getattr(card, name) if source.get is None else source.get(card)
        if value is None and not always:
            continue
        if source.origin == "parts":
            text, checksums = _PARTS[name](value)
            of_parts += [f'{quoted(path)}:"{digest}"' for path, digest in checksums.items()]
        else:
            text = write(value)
        if name in CHECKSUMMED:
            digests.append(f'"{name}":"{checksum(text)}"')
        elif source.origin == "receipt":  # the last field: it has the checksums of all others
            whole = ",".join([*digests, *of_parts, f'"receipt":"{checksum(text)}"'])
            text = f'{text[:-1]},"fields":{{{whole}}}}}'
        written.append(f'"{name}":{text}')
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
    """A rubric in its published shape."""
    canonical = canonical_rubric(rubric)
    return {"schema": "evenhand/rubric/v1", **canonical, "sha256": sha256(canonical_text(canonical))}


def field_digests(document: dict[str, Any]) -> dict[str, str]:
    """The expected `receipt.fields` of a document: a checksum of each field that cannot be recomputed.

    A field of the wrong shape has no checksum, and so differs from the recorded one.
    """
    whole = {name: value for name, value in document.items() if not covered(name)}
    digests = {name: checksum(canonical_text(value)) for name, value in whole.items()}
    lines = document.get("dimensions")
    for name, line in lines.items() if isinstance(lines, dict) else ():
        digests[f"dimensions.{name}"] = checksum(canonical_text(line))
    for field in ("red_flags", "bonuses"):
        claims = document.get(field)
        for row in claims if isinstance(claims, list) else ():
            if isinstance(row, dict) and isinstance(row.get("id"), str):
                digests[f"{field}.{row['id']}"] = checksum(canonical_text(row))
    if "panel" in document:
        digests |= panel_checksums(document["panel"])
    if isinstance(document.get("receipt"), dict):
        hashes = {name: value for name, value in document["receipt"].items() if name != "fields"}
        digests["receipt"] = checksum(canonical_text(hashes))
    return digests


def covered(name: str) -> bool:
    """Whether a field is compared as a whole or in parts, and so has no checksum: computed, parts, the receipt."""
    return name == "schema" or (name in ORIGINS and name not in CHECKSUMMED)
