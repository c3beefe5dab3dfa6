"""Scorecards as OpenTelemetry events `gen_ai.evaluation.result`, in OTLP JSON: one document of log records.

After the GenAI conventions: an event has the evaluation's name, and its score and label or an error type, never both.
Their score has no range, and names for the evaluator are only proposed, so ours are in our own attributes. A trace that
was judged gives its events the trace's id.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

from evenhand._version import __version__
from evenhand.clock import microseconds
from evenhand.core.judgement import Evidence
from evenhand.core.rules import HIGHEST, LOWEST
from evenhand.core.scorecard import Scorecard
from evenhand.reports.scorecard import verdict
from evenhand.work.printable import printable

EVENT: Final = "gen_ai.evaluation.result"
INFO: Final = 9
"""OTLP's number for this severity."""
_TRACE = re.compile(r"[0-9a-f]{32}")


def otlp_document(cards: Iterable[Scorecard]) -> dict[str, Any]:
    """The events of some scorecards, as a collector takes them at /v1/logs."""
    resource = {"attributes": [_attribute("service.name", "evenhand"), _attribute("service.version", __version__)]}
    scope = {"name": "evenhand", "version": __version__}
    records = [record for card in cards for record in _records(card)]
    return {"resourceLogs": [{"resource": resource, "scopeLogs": [{"scope": scope, "logRecords": records}]}]}


def _records(card: Scorecard) -> Iterator[dict[str, Any]]:
    """The final score first, under the rubric's name, then each dimension."""
    quotes = _quoted([quote for flag in card.red_flags for quote in flag.evidence])
    words = [verdict(card), *(f"{flag.id}: {flag.explanation}" for flag in card.red_flags)]
    label = card.grade.letter if card.grade else None
    why = "unread" if card.unread else "unscored"
    yield _record(card, card.rubric, card.final, label, "\n".join(words) + quotes, why)
    for name, line in card.dimensions.items():
        words_of_line = line.justification if line.unscored is None else line.unscored
        explanation = words_of_line + _quoted(line.evidence)
        yield _record(card, f"{card.rubric}.{name}", line.score, None, explanation, why)


def _record(
    card: Scorecard, name: str, score: Any, label: str | None, explanation: str, without: str
) -> dict[str, Any]:
    judge = card.judge
    who = judge.get("name", "")
    attributes: dict[str, Any] = {"gen_ai.evaluation.name": name}
    if score is None:
        attributes["error.type"] = without
    else:
        attributes["gen_ai.evaluation.score.value"] = float(score)
        if label is not None:
            attributes["gen_ai.evaluation.score.label"] = label
    attributes |= {
        "gen_ai.evaluation.explanation": printable(explanation),
        "evenhand.score.min": LOWEST // 100,
        "evenhand.score.max": HIGHEST // 100,
        "evenhand.id": card.id,
        "evenhand.skill": card.skill,
        "evenhand.rubric.sha256": card.receipt.rubric,
        "evenhand.judge": who,
        "evenhand.evaluator.id": who,
        "evenhand.evaluator.type": _kind(judge),
        "evenhand.evaluator.version": judge.get("prompt") or judge.get("identities") or judge.get("version") or "",
        "evenhand.methodology": card.receipt.methodology,
        "evenhand.red_flags": [flag.id for flag in card.red_flags],
    }
    moment = str(microseconds(card.created) * 1000)
    record = {
        "timeUnixNano": moment,
        "observedTimeUnixNano": moment,
        "severityNumber": INFO,
        "severityText": "INFO",
        "eventName": EVENT,
        "attributes": [_attribute(key, value) for key, value in attributes.items()],
    }
    return {**record, "traceId": card.id} if _TRACE.fullmatch(card.id) else record


def _kind(judge: Mapping[str, str]) -> str:
    """human, agent, model, panel, checks, or unknown."""
    name = judge.get("name", "")
    if name in ("panel", "checks"):
        return name
    for kind in ("human", "agent"):
        if name.startswith(f"{kind}:"):
            return kind
    return "model" if "provider" in judge else "unknown"


def _quoted(evidence: Sequence[Evidence]) -> str:
    return "".join(f"\n\u201c{quote.quote}\u201d" for quote in evidence if quote.verified)


def _attribute(key: str, value: Any) -> dict[str, Any]:
    return {"key": key, "value": _value(value)}


def _value(value: Any) -> dict[str, Any]:
    """OTLP writes whole numbers as text."""
    if isinstance(value, float):
        return {"doubleValue": value}
    if isinstance(value, int):
        return {"intValue": str(value)}
    if isinstance(value, list):
        return {"arrayValue": {"values": [_value(item) for item in value]}}
    return {"stringValue": str(value)}
