"""Quotes to the text of a scorecard's document and back, by hand: a scorecard has more of them than of anything else.
Pure."""

from __future__ import annotations

from typing import Any

from evenhand.core.judgement import Evidence
from evenhand.core.receipt import quoted
from evenhand.documents.kinds import YES_NO, Kind, listed
from evenhand.files import codec


def _write_evidence(evidence: tuple[Evidence, ...]) -> str:
    return listed([_quote(quote) for quote in evidence]) if evidence else "[]"


def _quote(evidence: Evidence) -> str:
    quote, verified, line, offset, source = evidence
    if source is not None:
        return f'{{"quote":{quoted(quote)},"source":{quoted(source)},"verified":{YES_NO[verified]}}}'
    place = f'"line":{line},"offset":{offset},' if verified else ""
    return f'{{{place}"quote":{quoted(quote)},"verified":{YES_NO[verified]}}}'


def _read_evidence(value: Any, where: str) -> tuple[Evidence, ...]:
    return () if value is None else codec.read_list(Evidence, value, "scorecard", where)


EVIDENCE = Kind("list[EvidenceDocument]", _write_evidence, _read_evidence)
