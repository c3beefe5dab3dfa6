"""Copilot Chat in VS Code: a chat as "Chat: Export Chat..." writes it, or as VS Code keeps it.

Follows microsoft/vscode `src/vs/workbench/contrib/chat/common/chatModel.ts` (IExportableChatData) and
microsoft/vscode-copilot-chat `toolCallRound.ts`. Where the rounds of tool calls are kept with a request, they are
read; else the calls that are shown in the response.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from evenhand.core.finding import Place
from evenhand.errors import InputError
from evenhand.transcripts.draft import Draft, list_in, listed, object_in, text_in
from evenhand.transcripts.json_stream import Document, documents, within
from evenhand.transcripts.json_text import maybe_json, written
from evenhand.transcripts.shapes.content_blocks import says_error
from evenhand.transcripts.sources import Source
from evenhand.transcripts.times import moment
from evenhand.work.submission import Submission

FORMAT = "copilot-chat"
TITLE = "VS Code Copilot Chat"
PLACE = 72
MARKS = "requests responderUsername"
LATE_MARKS = "responderUsername"

_QUIET = frozenset(
    "inlineReference reference undoStop progressMessage prepareToolInvocation codeblockUri command warning "
    "confirmation markdownVuln"
    " progressTask progressTaskSerialized mcpServersStarting extensions multiDiffData elicitationSerialized".split()
)
"""Parts of a response that say nothing of what was said or done."""


def is_ours(value: dict[str, Any]) -> bool:
    """A chat with requests, each with a message and a response."""
    rows = [row for row in list_in(value, "requests") if isinstance(row, dict)]
    return any("message" in row and ("response" in row or "result" in row or "requestId" in row) for row in rows[:20])


def read(source: Source) -> Iterator[Submission | InputError]:
    """Every chat of a file; usually one."""
    for document in documents(source, within("requests", items=True)):
        for value in listed(document.value):
            if isinstance(value, dict) and is_ours(value):
                yield _chat(Draft(source, FORMAT), document, value)


def _chat(draft: Draft, document: Document, value: dict[str, Any]) -> Submission:
    draft.id = text_in(value, "sessionId")
    for request in draft.objects(value, "requests", "request"):
        draft.understood += 1
        place, time = document.place(request), moment(request.get("timestamp"))
        draft.saw_time(time)
        message = request.get("message")
        draft.message("user", message if isinstance(message, str) else text_in(message, "text"), place, "", "", time)
        model = draft.saw_model(text_in(request, "modelId"))
        metadata = object_in(object_in(request, "result"), "metadata")
        rounds = [row for row in list_in(metadata, "toolCallRounds") if isinstance(row, dict)]
        if any(list_in(row, "toolCalls") for row in rounds):
            _rounds(draft, rounds, object_in(metadata, "toolCallResults"), place, model, time)
            said = [event.text for event in draft.events if event.kind == "message" and event.role == "assistant"]
            last = "".join(_words(part) for part in _after_the_last_call(list_in(request, "response"))).strip()
            if last and last not in said:
                draft.message("assistant", last, place, "", model, time)
        else:
            _response(draft, list_in(request, "response"), place, model, time)
        error = text_in(object_in(object_in(request, "result"), "errorDetails"), "message")
        if error:
            draft.error(error, place, "", model, time)
    return draft.finish_if_any()


def _rounds(
    draft: Draft, rounds: list[dict[str, Any]], results: dict[str, Any], place: Place, model: str, time: str
) -> None:
    for row in rounds:
        draft.message("assistant", text_in(row, "response"), place, "", model, time)
        for call in draft.objects(row, "toolCalls", "tool call"):
            id = text_in(call, "id")
            draft.call(text_in(call, "name"), maybe_json(call.get("arguments")), place, id, "", model, time)
            if id in results:
                text = _result(results[id])
                draft.result(id, text, place, says_error(text))


def _result(value: Any) -> str:
    """The text of a result: its parts, each with a value."""
    parts = list_in(value, "content") or listed(value)
    texts = [text_in(part, "value") or text_in(part, "text") if isinstance(part, dict) else str(part) for part in parts]
    return "\n".join(filter(None, texts)) or written(value)


def _words(part: Any) -> str:
    """The words that a part of a response shows."""
    if isinstance(part, str):
        return part
    if not isinstance(part, dict) or text_in(part, "kind") not in ("", "markdownContent"):
        return ""
    return text_in(part, "value") or text_in(object_in(part, "content"), "value")


def _after_the_last_call(parts: list[Any]) -> list[Any]:
    calls = [place for place, part in enumerate(parts) if text_in(part, "kind") == "toolInvocationSerialized"]
    return parts[calls[-1] + 1 :] if calls else parts


def _response(draft: Draft, parts: list[Any], place: Place, model: str, time: str) -> None:
    words: list[str] = []

    def say() -> None:
        draft.message("assistant", "".join(words).strip(), place, "", model, time)
        words.clear()

    for part in parts:
        kind = text_in(part, "kind")
        if said := _words(part):
            words.append(said)
        elif kind == "toolInvocationSerialized":
            say()
            _invocation(draft, part, place, model, time)
        elif kind in ("textEditGroup", "notebookEditGroup"):
            say()
            path = text_in(object_in(part, "uri"), "path") or text_in(object_in(part, "uri"), "fsPath")
            edits = [text_in(edit, "text") for group in list_in(part, "edits") for edit in listed(group)]
            index = draft.call("edit_file", {"path": path, "content": "\n".join(edits)}, place, "", "", model, time)
            draft.answer(index, "edited", place, failed=False)
        elif kind == "thinking":
            draft.reasoning(written(part.get("value")), place, "", model, time)
        elif kind and kind not in _QUIET:
            draft.count(f"{kind} part")
    say()


def _invocation(draft: Draft, part: dict[str, Any], place: Place, model: str, time: str) -> None:
    """A call as it is shown: its tool, what it was given, and what came back."""
    details, data = object_in(part, "resultDetails"), object_in(part, "toolSpecificData")
    command = text_in(data, "command") or text_in(object_in(data, "commandLine"), "original")
    arguments = {"command": command} if command else maybe_json(details.get("input")) or data.get("rawInput")
    name = "run_in_terminal" if command else text_in(part, "toolId") or "tool"
    index = draft.call(name, arguments, place, text_in(part, "toolCallId"), "", model, time)
    refused = object_in(part, "isConfirmed").get("type") == 0 or part.get("isConfirmed") is False
    output = details.get("output")
    text = _result(output) if output is not None else _shown(part.get("pastTenseMessage"))
    if refused:
        draft.answer(index, "The tool use was rejected by the user.", place, failed=True)
    elif part.get("isComplete") is not False:
        draft.answer(index, text, place, failed=details.get("isError") is True)


def _shown(message: Any) -> str:
    return message if isinstance(message, str) else text_in(message, "value")
