"""Quotes to the text of a scorecard's document and back, by hand: a scorecard has more of them than of anything else.
Pure."""

from __future__ import annotations

from typing import Any

from evenhand.core.basics.canonical import quoted
from evenhand.core.documents.kinds import YES_NO, Kind, listed, malformed
from evenhand.core.values.opinion import Evidence


def _write_evidence(evidence: tuple[Evidence, ...]) -> str:
    return listed([_quote(quote) for quote in evidence]) if evidence else "[]"


def _quote(evidence: Evidence) -> str:
    quote, verified, line, offset, source = evidence
    if source is not None:
        return f'{{"quote":{quoted(quote)},"source":{quoted(source)},"verified":{YES_NO[verified]}}}'
    place = f'"line":{line},"offset":{offset},' if verified else ""
    return f'{{{place}"quote":{quoted(quote)},"verified":{YES_NO[verified]}}}'


def _read_evidence(value: Any, where: str) -> tuple[Evidence, ...]:
    try:
        return tuple(map(evidence_from, [] if value is None else value))
    except (ValueError, TypeError):
        raise malformed(where, "a list of quotes, each verified with its line and offset or not verified") from None


def evidence_from(row: Any) -> Evidence:
    """One quote from its published form; ValueError when it is not one."""
    if not _is_evidence(row):
        raise ValueError("a quote, verified with its line and offset or not verified")
    return Evidence(row["quote"], row["verified"], row.get("line"), row.get("offset"), row.get("source"))


def _is_evidence(row: Any) -> bool:
    if not isinstance(row, dict) or not isinstance(row.get("quote"), str):
        return False
    if row.get("verified") is True:
        placed = type(row.get("line")) is int and type(row.get("offset")) is int
        return isinstance(row.get("source"), str) or placed
    return "verified" in row and row["verified"] in (None, False)


EVIDENCE = Kind("list[EvidenceDocument]", _write_evidence, _read_evidence)


def evidence_document(evidence: Evidence) -> dict[str, Any]:
    """A quote in its published form."""
    document: dict[str, Any] = {"quote": evidence.quote, "verified": evidence.verified}
    if evidence.source is not None:
        return document | {"source": evidence.source}
    return document | {"line": evidence.line, "offset": evidence.offset} if evidence.verified else document
