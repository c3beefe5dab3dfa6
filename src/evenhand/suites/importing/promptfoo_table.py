"""A row of a table as a test of promptfoo: columns are variables, except its own, which start with underscores."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

_TYPES: Final = (
    "agent-rubric", "answer-relevance", "bleu", "classifier", "contains", "contains-all", "contains-any",
    "contains-html", "contains-json", "contains-sql", "contains-xml", "context-faithfulness", "context-recall",
    "context-relevance", "conversation-relevance", "cost", "equals", "factuality", "finish-reason", "g-eval", "gleu",
    "guardrails", "icontains", "icontains-all", "icontains-any", "is-html", "is-json", "is-refusal", "is-sql",
    "is-valid-function-call", "is-valid-openai-function-call", "is-valid-openai-tools-call", "is-xml", "javascript",
    "latency", "levenshtein", "llm-rubric", "meteor", "model-graded-closedqa", "model-graded-factuality", "moderation",
    "perplexity", "perplexity-score", "pi", "python", "regex", "rouge-n", "ruby", "search-rubric", "similar",
    "skill-used", "starts-with", "tool-call-f1", "trace-error-spans", "trace-span-count", "trace-span-duration",
    "webhook", "word-count",
)  # fmt: skip
"""The assertions that promptfoo knows in a cell; any other text is what the output must equal."""

_CELL: Final = re.compile(
    rf"((?:not-)?(?:{'|'.join(sorted(_TYPES, key=len, reverse=True))}))(?:\((\d+(?:\.\d+)?)\))?(?::(.*))?", re.DOTALL
)
_BEGINNINGS: Final = {
    "javascript:": "javascript",
    "fn:": "javascript",
    "eval:": "javascript",
    "grade:": "llm-rubric",
    "llm-rubric:": "llm-rubric",
    "python:": "python",
}
_PROGRAM: Final = re.compile(r"file://.*\.(py|[cm]?[jt]s)(:\w+)?")


def test_from_row(cells: Mapping[str, str | None]) -> dict[str, Any]:
    """The test in a row."""
    test: dict[str, Any] = {"vars": {}}
    for column, cell in cells.items():
        name, raw = column.strip(), cell or ""
        text = raw.strip()
        if name.startswith("__expected"):
            if text:
                test.setdefault("assert", []).append(from_cell(text))
        elif name in ("__prefix", "__suffix"):
            if raw:
                test.setdefault("options", {})[name.removeprefix("__")] = raw
        elif name == "__description":
            test["description"] = text
        elif name.startswith("__metadata:"):
            if text:
                test.setdefault("metadata", {}).update([_metadata(name.removeprefix("__metadata:"), text)])
        elif name.startswith("__config:") or name in ("__metadata", "__metric", "__threshold", "__providerOutput"):
            if text:
                test[name] = text
        else:
            test["vars"][name] = raw
    return test


def from_cell(cell: str) -> dict[str, Any]:
    """The assertion in a cell: `contains: Paris`, or the text that the output must equal."""
    for beginning, kind in _BEGINNINGS.items():
        if cell.startswith(beginning):
            return {"type": kind, "value": cell.removeprefix(beginning).strip()}
    if program := _PROGRAM.fullmatch(cell):
        return {"type": "python" if program[1] == "py" else "javascript", "value": cell}
    match = _CELL.fullmatch(cell)
    if match is None:
        return {"type": "equals", "value": cell}
    kind, threshold, value = match.groups()
    assertion: dict[str, Any] = {"type": kind}
    if value is not None:
        several = kind.endswith(("contains-any", "contains-all"))
        assertion["value"] = [part.strip() for part in value.split(",")] if several else value.strip()
    if threshold:
        assertion["threshold"] = threshold
    return assertion


def _metadata(name: str, text: str) -> tuple[str, Any]:
    if not name.endswith("[]"):
        return name, text
    return name.removesuffix("[]"), [part.strip().replace("\\,", ",") for part in re.split(r"(?<!\\),", text)]
