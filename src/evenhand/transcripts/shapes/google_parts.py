"""The parts of a message as Google's GenAI API has them, which Gemini CLI and Qwen Code keep.

Follows `Part` and `Content` of googleapis/js-genai `src/types.ts`: text (a thought when marked so), a function's call
or response, attached data, code that the model ran. Content is a text, a part, or a list of either.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from evenhand.transcripts.draft import Draft, count_of, listed, text_in
from evenhand.transcripts.json_text import written
from evenhand.transcripts.shapes.content_blocks import Speaker
from evenhand.work.submission import Usage

_ATTACHED = {"inlineData": "mimeType", "fileData": "mimeType"}


class Response(NamedTuple):
    """The result in a function response."""

    text: str
    failed: bool


def text_of(content: Any) -> str:
    """The text of content, without thoughts, calls and responses."""
    return "\n".join(filter(None, map(_words, listed(content))))


def _words(part: Any) -> str:
    """The text of a text part, and a note in brackets for an attachment."""
    if isinstance(part, str):
        return part
    if not isinstance(part, dict):
        return ""
    if text_in(part, "text") and not part.get("thought"):
        return text_in(part, "text")
    for key, kind in _ATTACHED.items():
        if isinstance(part.get(key), dict):
            return f"[{text_in(part[key], kind) or 'file'}]"
    return ""


def take_parts(draft: Draft, content: Any, speaker: Speaker) -> None:
    """Text, thoughts and calls of content as events; responses are handled by the format, which knows their calls."""
    texts: list[str] = []
    attached: list[Any] = []

    def flush() -> None:
        draft.message(speaker.role, "\n".join(texts), speaker.place, speaker.agent, speaker.model, speaker.time)
        draft.attach(attached)
        texts.clear()
        attached.clear()

    for part in listed(content):
        if words := _words(part):
            texts.append(words)
            attached += [part] if isinstance(part, dict) and part.keys() & _ATTACHED.keys() else []
            continue
        if part is None or part == "" or (isinstance(part, dict) and _says_nothing(part)):
            continue
        flush()
        if isinstance(part, dict):
            _take_other(draft, part, speaker)
        else:
            draft.count("part that is not an object")
    flush()


def _says_nothing(part: dict[str, Any]) -> bool:
    """A function's response, which is read elsewhere, or an empty text, perhaps with a signature."""
    return "functionResponse" in part or (not part.get("thought") and part.get("text") == "")


def _take_other(draft: Draft, part: dict[str, Any], speaker: Speaker) -> None:
    _, place, agent, model, time = speaker
    call = part.get("functionCall")
    if part.get("thought"):
        draft.reasoning(text_in(part, "text"), place, agent, model, time)
    elif isinstance(call, dict):
        id = text_in(call, "id")
        if not id or id not in draft.calls:  # a call that is listed again is not new
            draft.call(text_in(call, "name"), call.get("args"), place, id, agent, model, time)
    elif isinstance(code := part.get("executableCode"), dict):
        draft.call("code_execution", code, place, text_in(code, "id"), agent, model, time)
    elif isinstance(result := part.get("codeExecutionResult"), dict):
        failed = text_in(result, "outcome") not in ("", "OUTCOME_OK")
        draft.result(text_in(result, "id"), text_in(result, "output"), place, failed, "code_execution", agent, time)
    else:
        draft.count(f"{next(iter(part), 'empty')} part")


def responses(content: Any) -> list[dict[str, Any]]:
    """The functions' responses among the parts."""
    return [
        part["functionResponse"]
        for part in listed(content)
        if isinstance(part, dict) and isinstance(part.get("functionResponse"), dict)
    ]


def response_of(response: dict[str, Any]) -> Response:
    """A tool result: under `output` or `error`, as the API asks, or in any other shape."""
    value = response.get("response")
    if isinstance(value, dict):
        if value.get("error"):
            return Response(written(value["error"]), True)
        if isinstance(value.get("output"), str) and not value.keys() - {"output", "error"}:
            return Response(value["output"], False)
    return Response(written(value), False)


_TOKENS = tuple(
    f"{kind}TokenCount" for kind in ("prompt", "toolUsePrompt", "candidates", "cachedContent", "thoughts", "total")
)
"""The keys of the API's `usageMetadata`."""


def usage_of(counts: Any, keys: Sequence[str] = _TOKENS) -> Usage | None:
    """Tokens of a request: the keys of the prompt, of tools in it, the answer, the cache, thoughts, and the total.

    Thoughts are output. Some providers count them within the answer; the total tells which.
    """
    if not isinstance(counts, dict):
        return None
    prompt, tools, answered, cached, thoughts, total = (count_of(counts.get(key)) for key in keys)
    sent = prompt + tools
    return Usage(sent, max(answered, total - sent) if total else answered + thoughts, cached)
