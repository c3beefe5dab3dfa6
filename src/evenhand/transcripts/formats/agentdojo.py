"""AgentDojo runs: one JSON object with `suite_name`, `user_task_id`, the messages, and how the run was graded.

Follows ethz-spylab/agentdojo (types.py, logging.py). Projects derived from it write `conversations` in place of
`messages`, put thoughts, calls and the answer into the text between tags, and report a refused call as a message of
the user. The output is the agent's answer: what it says after its last call, empty when it says nothing.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import Any

from evenhand.errors import InputError, Problem
from evenhand.transcripts.draft import Draft, list_in, listed, text_in
from evenhand.transcripts.json_stream import Document, documents, within
from evenhand.transcripts.json_text import written
from evenhand.transcripts.shapes.content_blocks import Speaker, result_text
from evenhand.transcripts.shapes.messages import take_call
from evenhand.transcripts.sources import Source
from evenhand.work.submission import Submission

FORMAT = "agentdojo"
TITLE = "AgentDojo run"
PLACE = 155
MARKS = "suite_name pipeline_name user_task_id injection_task_id"
LATE_MARKS = "suite_name user_task_id"

_TAGGED = re.compile(r"<(function_thought|function_call|final_answer)>(.*?)</\1>", re.DOTALL)
_OPENED = re.compile(r"<final_answer>((?:(?!</?function_).)*)\Z", re.DOTALL)
"""An answer whose tag is never closed."""
_REFUSED = re.compile(r"\s*</?function_error>|\s*\[CALL ERROR\]")


def is_ours(value: dict[str, Any]) -> bool:
    """A run of a suite's task."""
    return "suite_name" in value and "user_task_id" in value and bool(value.keys() & {"messages", "conversations"})


def _messages(value: dict[str, Any]) -> list[Any]:
    return list_in(value, "messages") or list_in(value, "conversations")


def read(source: Source) -> Iterator[Submission | InputError]:
    """Every run of a file; usually one."""
    for document in documents(source, within("messages", "conversations", items=True)):
        damage = source.take_problems()
        for value in listed(document.value):
            if not isinstance(value, dict) or not is_ours(value):
                continue
            if not _messages(value):
                error = text_in(value, "error")
                reason = f": {error[:200]}" if error else ""
                yield InputError(Problem(f"the run has no messages, so there is nothing to judge{reason}", source.name))
            else:
                yield _run(Draft(source, FORMAT), document, value)._replace(problems=damage)


def _run(draft: Draft, document: Document, value: dict[str, Any]) -> Submission:
    draft.saw_model(text_in(value, "pipeline_name"))
    parts = ("suite_name", "user_task_id", "attack_type", "injection_task_id")
    draft.id = "-".join(name for key in parts if (name := text_in(value, key)) not in ("", "none"))
    for message in _messages(value):
        if isinstance(message, dict):
            _message(draft, message, document)
        else:
            draft.count("message that is not an object")
    error = value.get("error")
    if error:
        draft.error(error if isinstance(error, str) else written(error), document.place(value))
    last = max((index for index, event in enumerate(draft.events) if event.call is not None), default=-1)
    said = [event.text for event in draft.events[last + 1 :] if (event.kind, event.role) == ("message", "assistant")]
    draft.output = said[-1] if said else ""
    return draft.finish()


def _message(draft: Draft, message: dict[str, Any], document: Document) -> None:
    role, place = text_in(message, "role"), document.place(message)
    text = "" if message.get("content") is None else result_text(message["content"])
    speaker = Speaker(role, place)
    if role == "assistant":
        _assistant(draft, message, text, speaker)
    elif role == "tool":
        error = message.get("error")
        id = text_in(message, "tool_call_id")
        name = text_in(message.get("tool_call"), "function")
        shown = text if text.strip() or not error else written(error)
        if id and draft.is_open(id):
            draft.result(id, shown, place, bool(error))
        else:
            _answer(draft, shown, speaker, bool(error), name)
    elif role == "user" and _REFUSED.match(text):
        _answer(draft, text, speaker, True)
    elif role in ("user", "system"):
        draft.message(role, text, place)
    else:
        draft.count(f"role {role}" if role else "message without a role")


def _answer(draft: Draft, text: str, speaker: Speaker, failed: bool, name: str = "") -> None:
    """The result of the first call, of this name if one is given, that still waits for one."""
    waiting = (
        index
        for index, event in enumerate(draft.events)
        if event.call is not None and event.call.result is None and (not name or event.call.name == name)
    )
    index = next(waiting, None)
    if index is None:
        draft.result("", text, speaker.place, failed, name)
        return
    draft.answer(index, text, speaker.place, failed)
    for further in () if name else waiting:  # a refusal is of all the calls of a message
        draft.answer(further, text, speaker.place, failed)


def _assistant(draft: Draft, message: dict[str, Any], text: str, speaker: Speaker) -> None:
    tagged = {tag: words.strip() for tag, words in _TAGGED.findall(text)}
    if "final_answer" not in tagged and (opened := _OPENED.search(text)):
        tagged["final_answer"] = opened[1].strip()
    if tagged:
        thought = tagged.get("function_thought", "")
        if thought:
            draft.reasoning(thought, speaker.place)
        text = tagged.get("final_answer", "")
    draft.message("assistant", text, speaker.place)
    calls = list(draft.objects(message, "tool_calls", "tool call"))
    for call in calls or _written_calls(tagged.get("function_call", "")):
        take_call(draft, call, speaker)


def _written_calls(text: str) -> Iterator[dict[str, Any]]:
    """The calls in `[name(key="value"), ...]`; those whose arguments are not plain values keep them as text."""
    try:
        tree = ast.parse(text.strip(), mode="eval").body if len(text) < 20_000 else None
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return
    for node in tree.elts if isinstance(tree, ast.List | ast.Tuple) else [tree]:
        if isinstance(node, ast.Call):
            yield {"function": ast.unparse(node.func), "args": _arguments(node)}


def _arguments(node: ast.Call) -> Any:
    try:
        return {word.arg: ast.literal_eval(word.value) for word in node.keywords if word.arg} | {
            str(place): ast.literal_eval(value) for place, value in enumerate(node.args)
        }
    except (ValueError, TypeError, SyntaxError, RecursionError, MemoryError):
        return ast.unparse(node)
