"""Each score of each output as a line of Every Eval Ever's instance level, version 0.3.0. Pure.

A line belongs to one result of the document that `every_eval_ever` makes: the final score, or a dimension. What has no
score has no line: it is not a zero. The answer is called correct when its final score reaches the rubric's pass mark.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from hashlib import sha256
from typing import Any, Final
from uuid import UUID

from evenhand.core.basics.methodology import DIMENSIONS
from evenhand.core.basics.names import slug
from evenhand.core.values.scorecard import Scorecard
from evenhand.core.values.submission import Event, Submission
from evenhand.reports.cases import case_name
from evenhand.reports.exchange.evaluator import evaluator

WHOLE: Final = "whole output"
"""How the answer was taken from the output: it was judged as it is."""

Judged = tuple[Scorecard, Submission | None]
"""A scorecard, and what was judged where that is known."""


def instance_lines(document: Mapping[str, Any], judged: Iterable[Judged], clean: Callable[[str], str]) -> Iterator[str]:
    """The lines of a file of instances that belongs to a document; `clean` takes secrets out of a text."""
    for card, submission in judged:
        if card.final is None:
            continue
        scores = {"final": card.final} | {
            name: score for name in DIMENSIONS if (score := card.dimensions[name].score) is not None
        }
        sample = _sample(card, submission, clean)
        for name, score in scores.items():
            instance = {
                "schema_version": document["schema_version"],
                "evaluation_id": document["evaluation_id"],
                "model_id": document["model_info"]["id"],
                "evaluation_name": card.rubric,
                "evaluation_result_id": f"{card.rubric}.{name}",
                **sample,
                "evaluation": {"score": float(score), "is_correct": bool(card.passed), **_counts(sample)},
                "metadata": _metadata(card, name, clean),
            }
            yield json.dumps(instance, ensure_ascii=False, separators=(",", ":")) + "\n"


def reference_to(lines: Iterable[str], card: Scorecard) -> dict[str, Any]:
    """What the document says of the file: its place in a repository of such files, its hash, how many lines it has."""
    digest, rows = sha256(), 0
    for line in lines:
        digest.update(line.encode())
        rows += 1
    folder = "/".join(slug(name) or "unnamed" for name in (f"evenhand-{card.rubric}", "unknown", card.skill))
    return {
        "format": "jsonl",
        "file_path": f"data/{folder}/{UUID(bytes=digest.digest()[:16], version=4)}_samples.jsonl",
        "hash_algorithm": "sha256",
        "checksum": digest.hexdigest(),
        "total_rows": rows,
    }


def _metadata(card: Scorecard, name: str, clean: Callable[[str], str]) -> dict[str, str]:
    why = "" if name == "final" else card.dimensions[name].justification or ""
    return {
        "generator": "evenhand",
        "evaluation": card.id,
        "evaluator_id": evaluator(card.judge).id,
        **({"grade": card.grade.letter} if name == "final" and card.grade is not None else {}),
        **({"justification": clean(why)} if why else {}),
    }


def _sample(card: Scorecard, submission: Submission | None, clean: Callable[[str], str]) -> dict[str, Any]:
    """What all lines of one output have in common."""
    task = card.task if submission is None or submission.task is None else submission.task
    raw = clean(task or "")
    reference = [] if submission is None or submission.reference is None else [clean(submission.reference)]
    messages = [] if submission is None else _messages(submission.events, clean)
    sample: dict[str, Any] = {
        "sample_id": case_name(card),
        "sample_hash": sha256("".join((raw, *reference)).encode()).hexdigest() if raw else None,
        "interaction_type": _kind(submission),
        "input": {"raw": raw, "reference": reference},
    }
    output = None if submission is None else clean(submission.output)
    if messages:
        turn = _answer_turn(messages, output)
        sample |= {"output": None, "messages": messages}
        sample["answer_attribution"] = [_attribution(turn, f"messages[{turn}].content", output or "")]
    else:
        sample |= {"output": {"raw": [] if output is None else [output]}, "messages": None}
        sample["answer_attribution"] = [] if output is None else [_attribution(0, "output.raw", output)]
    usage = None if submission is None else submission.usage
    if usage is not None:
        sample["token_usage"] = {
            "input_tokens": usage.input,
            "output_tokens": usage.output,
            "total_tokens": usage.input + usage.output,
            "input_tokens_cache_read": usage.cached,
        }
    return sample


def _kind(submission: Submission | None) -> str:
    if submission is None or not submission.events:
        return "single_turn"
    return "agentic" if any(event.call is not None for event in submission.events) else "multi_turn"


def _attribution(turn: int, source: str, value: str) -> dict[str, Any]:
    return {
        "turn_idx": turn,
        "source": source,
        "extracted_value": value,
        "extraction_method": WHOLE,
        "is_terminal": True,
    }


def _answer_turn(messages: list[dict[str, Any]], output: str | None) -> int:
    """The last message with the answer; the last one where none has it word for word."""
    turns = [message["turn_idx"] for message in messages if message["content"] == output]
    return turns[-1] if turns else len(messages) - 1


def _counts(sample: Mapping[str, Any]) -> dict[str, int]:
    messages = sample["messages"]
    if messages is None:
        return {"num_turns": 1}
    calls = sum(len(message.get("tool_calls") or ()) for message in messages)
    return {"num_turns": len(messages), "tool_calls_count": calls}


def _messages(events: Iterable[Event], clean: Callable[[str], str]) -> list[dict[str, Any]]:
    """A message for each event; a tool call and its result are two."""
    messages: list[dict[str, Any]] = []

    def add(role: str, content: str | None, **more: Any) -> None:
        messages.append({"turn_idx": len(messages), "role": role, "content": content, **more})

    for event in events:
        call = event.call
        if call is None:
            is_thought = event.kind == "reasoning"
            text = clean(event.text)
            add(event.role, None if is_thought else text, **({"reasoning_trace": text} if is_thought else {}))
            continue
        id = call.id or f"call-{len(messages)}"
        add(
            event.role, None, tool_calls=[{"id": id, "name": call.name, "arguments": _arguments(call.arguments, clean)}]
        )
        if call.result is not None:
            add("tool", clean(call.result), tool_call_id=[id])
    return messages


def _arguments(arguments: Any, clean: Callable[[str], str]) -> dict[str, str]:
    """The schema wants texts by name; other values are their JSON."""
    named = arguments if isinstance(arguments, Mapping) else {"arguments": arguments}
    return {
        str(name): clean(value if isinstance(value, str) else json.dumps(value, ensure_ascii=False))
        for name, value in named.items()
    }
