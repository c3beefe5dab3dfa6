"""Remarks as SARIF 2.1.0, which code scanning shows at the line they are about."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final
from urllib.parse import quote

from evenhand._version import __version__
from evenhand.decisions.gate import Colour, Ruling
from evenhand.in_words import counted
from evenhand.reports.exchange.remarks import Remark
from evenhand.work.printable import printable

MOST = 5_000
"""The most results of a run that GitHub keeps."""


_LEVELS: Final[dict[Colour, str]] = {"red": "error", "unscored": "warning", "undecided": "warning", "green": "note"}


def sarif_document(remarks: Iterable[Remark], rulings: Iterable[Ruling] = ()) -> dict[str, Any]:
    """The remarks that have a place, the worst first; each once. What a gate rules has none and is a notification."""
    placed = {(remark.id, remark.place): remark for remark in remarks if remark.place is not None}
    results = sorted(placed.values(), key=lambda remark: ("error", "warning", "note").index(remark.level))
    shown = results[:MOST]
    run: dict[str, Any] = {
        "tool": {
            "driver": {
                "name": "evenhand",
                "version": __version__,
                "rules": [{"id": rule} for rule in sorted({remark.rule for remark in shown})],
            }
        },
        "columnKind": "unicodeCodePoints",
        "results": [_result(remark) for remark in shown],
    }
    notes = [_note(_LEVELS[ruling.colour], f"{ruling.colour}: {ruling.name}: {ruling.says}") for ruling in rulings]
    if len(shown) < len(results):
        more = len(results) - MOST
        notes.append(_note("warning", counted(more, "more result was left out", "more results were left out")))
    if notes:
        run["invocations"] = [{"executionSuccessful": True, "toolExecutionNotifications": notes}]
    return {
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [run],
    }


def _note(level: str, text: str) -> dict[str, Any]:
    return {"level": level, "message": {"text": printable(text)}}


def _result(remark: Remark) -> dict[str, Any]:
    assert remark.place is not None
    region: dict[str, Any] = {"startLine": remark.place.line or 1}
    if remark.quote:
        region["snippet"] = {"text": printable(remark.quote)}
    location = {"artifactLocation": {"uri": quote(remark.place.file)}, "region": region}
    return {
        "ruleId": remark.rule,
        "level": remark.level,
        "message": {"text": printable(remark.message)},
        "locations": [{"physicalLocation": location}],
        "partialFingerprints": {"evenhandFinding/v1": remark.id},
    }
