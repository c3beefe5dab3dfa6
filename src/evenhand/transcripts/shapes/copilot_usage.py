"""The tokens of a Copilot session: counted by request, or by model when the session ends. Input includes the cache."""

from __future__ import annotations

from typing import Any

from evenhand.core.values.submission import Usage
from evenhand.transcripts.draft import count_of


class Tokens:
    """Token counts from a session's events."""

    def __init__(self) -> None:
        self._requests: dict[object, Usage] = {}
        self._totals: dict[tuple[int, str], Usage] = {}
        self._run = 0
        """Which run of the session is counted: a resumed session may restart its count."""

    def request(self, id: str, data: dict[str, Any]) -> None:
        """Tokens of one request."""
        self._requests[id] = _usage(data)

    def session(self, data: dict[str, Any]) -> None:
        """Tokens when a session ends. If a later total is not smaller, it includes the earlier one."""
        totals = _by_model(data)
        earlier = {model: usage for (run, model), usage in self._totals.items() if run == self._run}
        if any(usage.input < earlier.get(model, Usage()).input for model, usage in totals.items()):
            self._run += 1
        for model, usage in totals.items():
            self._totals[self._run, model] = usage

    def counted(self) -> dict[object, Usage]:
        """Every request once, or the totals where no request was counted."""
        return self._requests or dict(self._totals.items())


def _by_model(data: dict[str, Any]) -> dict[str, Usage]:
    metrics = data.get("modelMetrics")
    totals: dict[str, Usage] = {}
    for model, metric in metrics.items() if isinstance(metrics, dict) else ():
        if isinstance(metric, dict) and isinstance(metric.get("usage"), dict):
            totals[model] = _usage(metric["usage"])
    details = data.get("tokenDetails")
    if not totals and isinstance(details, dict):
        counts = {
            name: count_of(detail.get("tokenCount")) for name, detail in details.items() if isinstance(detail, dict)
        }
        cached = counts.get("cache_read", 0)
        sent = counts.get("input", 0) + cached + counts.get("cache_write", 0)
        totals[""] = Usage(sent, counts.get("output", 0), cached)
    return totals


def _usage(data: dict[str, Any]) -> Usage:
    return Usage(
        count_of(data.get("inputTokens")), count_of(data.get("outputTokens")), count_of(data.get("cacheReadTokens"))
    )
