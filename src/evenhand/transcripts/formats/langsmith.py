"""LangSmith runs: a batch of the SDK (`post` and `patch`), a list, one per line, or nested under `child_runs`.

Follows python/langsmith/schemas.py (RunBase, Run) and client.py of langchain-ai/langsmith-sdk: `post` is the start of a
run and `patch` its end, with the same id. Feedback is left out: a judge must not see what others thought of the work.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from decimal import Decimal
from typing import Any

from evenhand.core.finding import Place
from evenhand.errors import InputError
from evenhand.transcripts.draft import amount_of, count_of, list_in, listed, object_in, text_in
from evenhand.transcripts.formats.otel import traced
from evenhand.transcripts.json_stream import documents, within
from evenhand.transcripts.sources import Source
from evenhand.transcripts.spans.trace_spans import TraceStep, span_of
from evenhand.work.submission import Submission, Usage

FORMAT = "langsmith"
TITLE = "LangSmith runs"
PLACE = 250
MARKS = "run_type inputs trace_id"
LATE_MARKS = "run_type"

_LISTS = ("post", "patch", "runs")
_KINDS = {"llm": "LLM", "tool": "TOOL", "retriever": "RETRIEVER", "agent": "AGENT"}
_INPUT_DETAILS = ("input_token_details", "prompt_token_details", "prompt_tokens_details", "input_tokens_details")


def is_ours(value: dict[str, Any]) -> bool:
    """A run, or a batch of them."""
    return _is_run(value) or _is_batch(value)


def _is_run(value: Any) -> bool:
    if not isinstance(value, dict) or not isinstance(value.get("run_type"), str):
        return False
    return bool(value.keys() & {"inputs", "outputs", "child_runs", "dotted_order", "trace_id"})


def _is_batch(value: dict[str, Any]) -> bool:
    items = [item for key in _LISTS for item in list_in(value, key)]
    return any(map(_is_run, items[:20]))


def read(source: Source) -> Iterator[Submission | InputError]:
    """Every trace of a file."""
    runs: dict[str, tuple[dict[str, Any], Place]] = {}
    others: Counter[str] = Counter()
    for document in documents(source, within(*_LISTS)):
        for value in listed(document.value):
            if not isinstance(value, dict) or not (_is_run(value) or _is_batch(value)):
                others["entry that is not a run"] += 1
                continue
            parts = [value] if _is_run(value) else []
            for key in _LISTS if not parts else ():
                parts += [part for part in list_in(value, key) if isinstance(part, dict)]
            for part in parts:
                _collect(part, document.place(part), "", runs)
    spans = [span_of(_run(id, run), place) for id, (run, place) in runs.items()]
    yield from traced(source, FORMAT, spans, others)


def _collect(run: dict[str, Any], place: Place, parent: str, runs: dict[str, tuple[dict[str, Any], Place]]) -> None:
    """A run and those inside it; the start and the end of one are joined by its id."""
    id = text_in(run, "id") or text_in(run, "dotted_order").rpartition(".")[2].partition("Z")[2] or f"run {len(runs)}"
    known, at = runs.get(id, ({}, place))
    fields = {key: value for key, value in run.items() if value not in (None, "", [], {})}
    runs[id] = ({**known, **({"parent_run_id": parent} if parent else {}), **fields}, at)
    for child in list_in(run, "child_runs"):
        if isinstance(child, dict):
            _collect(child, place, id, runs)


def _run(id: str, run: dict[str, Any]) -> TraceStep:
    outputs, fields = run.get("outputs"), object_in(run, "outputs")
    kind = _KINDS.get(text_in(run, "run_type"), "CHAIN")
    trace = text_in(run, "trace_id") or text_in(run, "dotted_order").partition(".")[0].partition("Z")[2] or id
    inner = fields.get("output") if kind == "TOOL" and fields.keys() == {"output"} else outputs
    return TraceStep(
        kind=kind,
        id=id,
        trace=trace,
        parent=text_in(run, "parent_run_id"),
        name=text_in(run, "name"),
        start=run.get("start_time"),
        end=run.get("end_time"),
        input=run.get("inputs"),
        output=inner,
        error=text_in(run, "error"),
        model=_model(run, fields) if kind == "LLM" else "",
        usage=_usage(run, fields) if kind == "LLM" or not run.get("parent_run_id") else None,
        cost=_cost(run, fields),
    )


def _model(run: dict[str, Any], outputs: dict[str, Any]) -> str:
    extra = object_in(run, "extra")
    return (
        text_in(outputs, "model")
        or text_in(outputs.get("llm_output"), "model_name")
        or text_in(extra.get("metadata"), "ls_model_name")
        or text_in(extra.get("invocation_params"), "model")
        or text_in(run.get("inputs"), "model")
    )


def _cost(run: dict[str, Any], outputs: dict[str, Any]) -> Decimal | None:
    """What a run cost; the service adds up those inside it."""
    if (total := amount_of(run.get("total_cost"))) is not None:
        return total
    for used in _used(run, outputs):
        names = (("total_cost",), ("prompt_cost", "completion_cost"), ("input_cost", "output_cost"))
        for parts in names if isinstance(used, dict) else ():
            if amount := sum(filter(None, (amount_of(used.get(part)) for part in parts)), Decimal(0)):
                return amount
    return None


def _used(run: dict[str, Any], outputs: dict[str, Any]) -> tuple[Any, ...]:
    """Where a run may state what it used, best first."""
    metadata = object_in(object_in(run, "extra"), "metadata")
    tokens = object_in(outputs, "llm_output").get("token_usage")
    return outputs.get("usage_metadata"), metadata.get("usage_metadata"), outputs.get("usage"), tokens, run


def _usage(run: dict[str, Any], outputs: dict[str, Any]) -> Usage | None:
    for used in _used(run, outputs):
        if isinstance(used, dict):
            details: dict[str, Any] = next(
                (used[name] for name in _INPUT_DETAILS if isinstance(used.get(name), dict)), {}
            )
            cached = count_of(details.get("cache_read", details.get("cached_tokens")))
            sent = count_of(used.get("input_tokens", used.get("prompt_tokens")))
            got = count_of(used.get("output_tokens", used.get("completion_tokens")))
            if sent or got:
                return Usage(sent, got, cached)
    return None
