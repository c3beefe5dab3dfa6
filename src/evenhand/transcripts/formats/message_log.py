"""Logs made of role, content and tool calls in whatever spelling: of LangChain, Kimi, Droid, Kiro, Grok, Hermes.

The spellings are tables: a new one is a new word in them, and `records_of` turns a record into messages as chat formats
write them. This format is tried when no other fits: a file of records, one on
a line or in a list, of which at least one is someone speaking.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Any, Final

from evenhand.core.finding import Place
from evenhand.transcripts.conversation import Reader, read_conversations
from evenhand.transcripts.draft import listed, text_in
from evenhand.transcripts.head import Head
from evenhand.transcripts.json_stream import within
from evenhand.transcripts.json_text import maybe_json, written
from evenhand.transcripts.shapes.chat_shapes import langchain_message
from evenhand.transcripts.shapes.content_blocks import Speaker, result_text
from evenhand.transcripts.shapes.messages import take_message, usage_of
from evenhand.work.submission import Submission

FORMAT = "messages"
TITLE = "log of messages and tool calls"
PLACE = 335
IS_GENERAL = True
MARKS = "role content toolCalls"

Record = dict[str, Any]

_SPEAKERS: Final = {
    "user": "user human customer client prompt requester input",
    "assistant": "assistant ai gpt model bot agent chatbot chatgpt claude gemini grok response llm final completion",
    "system": "system developer instructions",
    "tool": "tool function observation environment ipython execution",
    "call": "action call",
    "thought": "thinking reasoning thought think",
}
_SPOKEN: Final = {name: role for role, names in _SPEAKERS.items() for name in names.split()}
"""What the first word of a role, or of a record's type, says about who speaks."""
_OF_TOOLS: Final = frozenset(("tool", "function"))
_OF_RESULTS: Final = frozenset("result results response output observation return execution message".split())
_OF_CALLS: Final = frozenset("call calls use request invocation action".split())
_OF_WORDS: Final = frozenset("message prompt chunk text response input reply answer query event result".split())
_WORDS: Final = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
_ROLES: Final = ("role", "from", "sender", "speaker", "author", "source", "type", "kind", "event", "event_type")
_AROUND_A_RECORD: Final = ("message", "data", "payload", "item", "entry", "event")
_CONTENTS: Final = tuple("content value text parts message body blocks final_text data utterance".split())
_CALLS: Final = tuple("tool_calls tool_uses calls function_calls tools_called tool_invocations actions".split())
_ONE_CALL: Final = ("function_call", "tool_call")
_INSIDE_A_CALL: Final = ("function", "tool_call", "function_call", "payload")
_NAMES: Final = ("name", "tool", "function", "recipient_name", "action")
_ARGUMENTS: Final = ("arguments", "args", "input", "parameters", "params", "raw_input", "kwargs", "action_input")
_RETURNED: Final = ("result", "output", "observation")
"""What a call's own record holds once the call is done."""
_RESULTS: Final = ("result", "output", "response", "observation", *_CONTENTS)
_PRINTED: Final = ("output", "text", "content", "error", "stdout", "return_value")
"""What a result that is an object holds."""
_FAILED: Final = frozenset(("error", "failed", "failure", "rejected", "denied"))
_CALL_IDS: Final = ("call_id", "use_id")
_IDS: Final = (*_CALL_IDS, "id", "tool_id")
_NAMES_OF_LOGS: Final = ("id", "session_id", "sessionId", "conversation_id")
_TIMES: Final = ("timestamp", "time", "created_at", "date")
_TASKS: Final = ("task", "question", "query", "prompt", "instruction")
_ANSWERS: Final = ("final_answer", "answer")
LISTS: Final = tuple(
    "messages history conversation conversations turns entries events items transcript log chat chat_history dialog "
    "dialogue trajectory traj records thread context inner_messages steps".split()
)
"""The keys of the lists of a conversation."""
_OF_A_TOOL: Final = re.compile(
    r"(?:tool|function)_(?=(?:name|input|output|args|arguments|parameters|params|result|call_id|use_id)$)"
)
_HUMP: Final = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_WRITTEN_CALL: Final = re.compile(r"<(tool_call|function_call)>\s*(\{.*?\})\s*</\1>", re.DOTALL)
_WRITTEN_RESULT: Final = re.compile(r"<(tool_response|tool_result|function_response)>\s*(.*?)\s*</\1>", re.DOTALL)
_WRITTEN_THOUGHT: Final = re.compile(r"<(think|thinking|scratch_pad)>(.*?)</\1>", re.DOTALL)


def _plain(value: Record) -> Record:
    """A record with its keys in one spelling: `toolCallId` and `tool_call_id` are both `call_id`."""
    return {_plain_key(key) if isinstance(key, str) else key: inner for key, inner in value.items()}


@lru_cache(maxsize=4096)
def _plain_key(key: str) -> str:
    return _OF_A_TOOL.sub("", _HUMP.sub("_", key).lower())


@lru_cache(maxsize=1024)
def _role_of(name: str) -> str:
    """Who speaks in a record of this role or type: `AIMessageChunk`, `tool_result`, `userMessage`."""
    words = [word.lower() for word in _WORDS.findall(name)]
    if not words or len(name) > _LONGEST_NAME:
        return ""
    found = frozenset(words)
    if thoughts := [word for word in words if _SPOKEN.get(word) == "thought"]:
        return "thought" if len(thoughts) == 1 else ""
    if found & _OF_TOOLS:
        if found <= _OF_TOOLS or found & _OF_RESULTS:
            return "call" if "request" in found else "tool"
        return "call" if found & _OF_CALLS else ""
    return _SPOKEN.get(words[0], "") if found - {words[0]} <= _OF_WORDS else ""


_LONGEST_NAME: Final = 60
_DEEPEST: Final = 3


def records_of(value: Any, depth: int = 0) -> list[Record]:
    """A record as chat messages; empty when it is none."""
    if not isinstance(value, dict) or depth > _DEEPEST:
        return []
    if (message := langchain_message(value)) is not None:
        return [message]
    plain = _plain(value)
    time = next((plain[key] for key in _TIMES if isinstance(plain.get(key), str)), "")
    found: list[Record] = []
    for key in _AROUND_A_RECORD:
        if isinstance(inner := plain.get(key), dict) and (found := records_of(inner, depth + 1)):
            break
    if not found:
        role = _role(plain)
        found = _of_nested(value) or list(_records(plain, role) if role else _step(plain))
    return [{"timestamp": time} | record for record in found] if time else found


def is_record(value: Any) -> bool:
    """Whether a value is a record of someone speaking, calling or answering, with something in it."""
    return bool(records_of(value))


def _role(value: Record) -> str:
    for key in _ROLES:
        name = value.get(key)
        if isinstance(name, dict):
            name = name.get("role") or name.get("type")
        if isinstance(name, str) and (role := _role_of(name)):
            return role
    return ""


def _step(value: Record) -> Iterator[Record]:
    """A step without a role: a thought, an action with what was observed, or the answer."""
    acts = isinstance(value.get("action"), str) and ("observation" in value or "action_input" in value)
    answer = next((value[key] for key in _ANSWERS if isinstance(value.get(key), str) and value[key]), "")
    if not acts and not (answer and isinstance(value.get("thought"), str)):
        return
    if isinstance(value.get("thought"), str):
        yield {"role": "assistant", "reasoning": value["thought"]}
    if acts:
        yield from _records(value, "call")
    if answer:
        yield {"role": "assistant", "content": answer}


def _records(value: Record, role: str) -> Iterator[Record]:
    if role == "call":
        content = maybe_json(_first(value, _CONTENTS))
        call = _call(value) or _call(content)
        if call is not None:
            yield {"role": "assistant", "tool_calls": [call]}
            yield from _returned(value, call)
        return
    if role == "tool":
        call = value.get("tool_call")
        content = _first(value, _RESULTS, empty=True)
        if isinstance(content, str) and _WRITTEN_RESULT.search(content):
            yield from _written(content, role, [])
        elif content is not None and not _has_blocks(content):
            found = _several_results(content)
            yield from found or [_result({**(_plain(call) if isinstance(call, dict) else {}), **value}, content)]
        if not _has_blocks(content):
            return
    content = _first(value, _CONTENTS)
    if isinstance(content, dict) and (inner := _first(_plain(content), ("content", "parts", "text"))) is not None:
        content = inner
    if role == "thought":
        if content is not None:
            yield {"role": "assistant", "reasoning": result_text(content)}
        return
    items = [item for key in _CALLS for item in _items(value.get(key))]
    items += [value[key] for key in _ONE_CALL if isinstance(value.get(key), dict)]
    if isinstance(content, list) and content and all(map(_is_request, content)):
        items += content  # AutoGen's requests
        content = None
    made = [(call, item) for item in items if (call := _call(item)) is not None]
    calls = [call for call, _ in made]
    if isinstance(content, str) and "<" in content:
        yield from _written(content, role, calls)
    else:
        blocks = [_block(item) for item in listed(content)] if isinstance(content, list | dict) else content
        if blocks or calls:
            message: Record = {"role": "user" if role == "tool" else role, "content": blocks, "tool_calls": calls}
            for key in ("reasoning_content", "reasoning", "thinking", "model", "usage"):
                if isinstance(value.get(key), str | dict):
                    message[key] = value[key]
            yield message
    for call, item in made:
        yield from _returned(_plain(item), call)


def _returned(value: Record, call: Record) -> Iterator[Record]:
    """The result that stands in the record of its call."""
    answer = _first(value, _RETURNED)
    if answer not in (None, ""):
        rows = [
            row for row in listed(answer) if isinstance(row, dict) and isinstance(row.get("functionResponse"), dict)
        ]
        answer = rows[0]["functionResponse"].get("response") if rows else answer  # as Gemini writes them
        yield _result({**value, "call_id": call["id"], "name": call["function"]["name"]}, answer)


def _has_blocks(content: Any) -> bool:
    """Whether results stand in blocks of Gemini's shape."""
    return isinstance(content, list) and any(isinstance(row, dict) and "functionResponse" in row for row in content)


def _is_request(item: Any) -> bool:
    return isinstance(item, dict) and "arguments" in item and "name" in item


def _first(value: Record, keys: Sequence[str], *, empty: bool = False) -> Any:
    """What stands under the first of these keys that has something; with `empty`, that may be an empty text."""
    return next((value[key] for key in keys if value.get(key) is not None and (empty or value[key] != "")), None)


def _items(value: Any) -> list[Any]:
    return value if isinstance(value, list) else list(value.values()) if isinstance(value, dict) else []


def _call(value: Any) -> Record | None:
    """A call of a tool as chat formats write it."""
    if not isinstance(value, dict):
        return None
    value = _plain(value)
    inner = next((_plain(value[key]) for key in _INSIDE_A_CALL if isinstance(value.get(key), dict)), value)
    if isinstance(inner.get("function"), dict):
        value, inner = inner, _plain(inner["function"])
    name = next((inner[key] for key in _NAMES if isinstance(inner.get(key), str) and inner[key]), "")
    arguments = next((inner[key] for key in _ARGUMENTS if key in inner), None)
    if not name:
        return None
    return {"id": _id(value) or _id(inner), "function": {"name": name, "arguments": maybe_json(arguments)}}


def _id(value: Record) -> str:
    return next((str(value[key]) for key in _IDS if isinstance(value.get(key), str | int) and value[key] != ""), "")


def _result(value: Record, content: Any) -> Record:
    content = "" if content is None else content
    inner = _plain(content) if isinstance(content, dict) else {}
    status = str(value.get("status") or inner.get("status") or "").lower()
    failed = any(owner.get(key) is True for owner in (value, inner) for key in ("is_error", "failed"))
    failed = failed or status in _FAILED or inner.get("success") is False or value.get("success") is False
    text = next((inner[key] for key in _PRINTED if inner.get(key)), content)
    record: Record = {"role": "tool", "content": text if isinstance(text, str) else result_text(text)}
    if id := _id(value):
        record["tool_call_id"] = id
    name = next((value[key] for key in _NAMES if isinstance(value.get(key), str) and not _role_of(value[key])), "")
    if name:
        record["name"] = name
    if failed:
        record["is_error"] = True
    return record


def _several_results(content: Any) -> list[Record]:
    """The results in a list of them, as AutoGen and Amazon Q write them."""
    rows = [_plain(row) if isinstance(row, dict) else {} for row in content] if isinstance(content, list) else []
    if not rows or not all(any(key in row for key in _CALL_IDS) for row in rows):
        return []
    return [_result(row, _first(row, _RESULTS, empty=True)) for row in rows]


def _block(block: Any) -> Any:
    """A block of content in the names that chat formats use."""
    if not isinstance(block, dict):
        return block
    plain = _plain(block)
    kind = _role_of(str(plain.get("type") or plain.get("kind") or ""))
    if plain.get("thought") is True or kind == "thought" or "think" in block:
        words = plain.get("think") or plain.get("thinking") or plain.get("text") or ""
        return {"type": "thinking", "thinking": result_text(words)}
    is_call = kind == "call" or any(isinstance(plain.get(key), dict) for key in _ONE_CALL)
    if (is_call or (kind == "tool" and "input" in plain)) and (call := _call(block)) is not None:
        return {"type": "tool_use", "id": call["id"], **call["function"], "input": call["function"]["arguments"]}
    if kind == "tool" or isinstance(plain.get("function_response"), dict):
        owner = _plain(plain.get("function_response") or plain)
        result = _result(owner, _first(owner, _RESULTS, empty=True))
        made: Record = {"type": "tool_result", "tool_use_id": result.get("tool_call_id", "")}
        made |= {key: result[key] for key in ("content", "name", "is_error") if key in result}
        return made
    text = plain.get("text", plain.get("value"))
    return {"type": "text", "text": text} if not plain.get("type") and isinstance(text, str) else block


def _written(text: str, role: str, calls: list[Record]) -> Iterator[Record]:
    """Calls, results and thoughts that stand in the text between tags."""
    results = _WRITTEN_RESULT.findall(text)
    if results:
        for _, words in results:
            value = maybe_json(words)
            yield (
                _result(value, value.get("content", value))
                if isinstance(value, dict)
                else {"role": "tool", "content": words}
            )
        return
    for _, words in _WRITTEN_CALL.findall(text) if role == "assistant" else ():
        if (call := _call(maybe_json(words))) is not None:
            calls.append(call)
    said = _WRITTEN_CALL.sub("", text) if role == "assistant" else text
    message: Record = {"role": role, "tool_calls": calls}
    if role == "assistant" and (thoughts := _WRITTEN_THOUGHT.findall(said)):
        message["reasoning"] = "\n".join(words.strip() for _, words in thoughts)
        said = _WRITTEN_THOUGHT.sub("", said)
    yield message | {"content": said.strip()}


def _of_nested(value: Record) -> list[Record]:
    """A turn that holds both sides: the user's prompt or results, and the answer or calls (Kiro, Amazon Q)."""
    user, assistant = value.get("user"), value.get("assistant")
    if not isinstance(assistant, dict) or not isinstance(user, dict):
        return []
    found: list[Record] = []
    content = user.get("content")
    for kind, inner in content.items() if isinstance(content, dict) else ():
        if isinstance(inner, dict) and isinstance(inner.get("prompt"), str):
            found.append({"role": "user", "content": inner["prompt"]})
        elif isinstance(inner, dict):
            for row in listed(inner.get("tool_use_results")):
                if isinstance(row, dict):
                    found.append(_result(row, _q_text(row.get("content"))))
        elif isinstance(inner, str) and kind.lower() in ("prompt", "text"):
            found.append({"role": "user", "content": inner})
    for inner in assistant.values():
        if isinstance(inner, dict):
            calls = [call for item in listed(inner.get("tool_uses")) if (call := _call(item)) is not None]
            text = inner.get("content")
            found.append({"role": "assistant", "content": text if isinstance(text, str) else "", "tool_calls": calls})
    return found


def _q_text(content: Any) -> str:
    parts = [
        next(iter(part.values()), "") if isinstance(part, dict) and len(part) == 1 else part for part in listed(content)
    ]
    return "\n".join(part if isinstance(part, str) else written(part) for part in parts)


_QUIET = frozenset(
    "session_start session session_meta system init metadata meta config checkpoint _checkpoint _usage usage "
    "title summary"
    " state status turn_start turn_end turn_begin step_start step_finish session_info settings header".split()
)
"""Kinds of records that say nothing of what was said or done."""
_AROUND = ("data", "session", "result", "chat", "state", "values", "channel_values", "kwargs", "output")
"""The keys of an object in which the conversation is."""
_FEWEST = 2
"""Records that a list needs to be taken for a conversation; a single one may be anything."""


def sniff(head: Head) -> bool:
    """Records of at least two that speak, on lines or in a list of an object."""
    alone = sum(map(is_record, head.objects))
    return alone >= _FEWEST or any(_held(value) is not None for value in head.objects)


def _held(value: dict[str, Any]) -> list[Any] | None:
    """The records that an object holds."""
    for key in LISTS:
        rows = value.get(key)
        if isinstance(rows, list) and sum(map(is_record, rows[:50])) >= min(_FEWEST, len(rows)) and rows:
            return rows
    inner = (_held(value[key]) for key in _AROUND if isinstance(value.get(key), dict))
    return next((rows for rows in inner if rows is not None), None)


class _Log(Reader):
    format = FORMAT

    def __init__(self, source: Any, holder: dict[str, Any] | None = None) -> None:
        super().__init__(source, holder)
        self.draft.id = next((self.holder[key] for key in _NAMES_OF_LOGS if isinstance(self.holder.get(key), str)), "")
        self.model = self.draft.saw_model(self.holder.get("model"))
        self.draft.saw_tools(self.holder.get("tools"))

    def take(self, value: dict[str, Any], place: Place) -> None:
        """One record; of what is none, its kind is counted."""
        self.draft.saw_tools(value.get("tools"))
        self.draft.folder = self.draft.folder or text_in(value, "cwd")
        records = records_of(value)
        if not records:
            kind = text_in(value, "type") or text_in(value, "role") or text_in(value, "kind")
            if kind.lower() not in _QUIET:
                self.draft.count(f"{kind} record" if kind else "record without a role")
            return
        self.draft.understood += 1
        for record in records:
            take_message(self.draft, record, Speaker("", place, "", self.model))
            if (usage := usage_of(record.get("usage"))) is not None and any(usage):
                self.draft.usage[len(self.draft.usage)] = usage

    def finish(self) -> Submission:
        """With the task and the answer of the object around the records, where no record has one."""
        speakers = {event.role for event in self.draft.events if event.kind == "message"}
        if "user" not in speakers:
            self.draft.task = next((self.holder[key] for key in _TASKS if text_in(self.holder, key)), None)
        if "assistant" not in speakers:
            self.draft.output = next((self.holder[key] for key in _ANSWERS if text_in(self.holder, key)), None)
        return self.draft.finish_if_any()


read = read_conversations(_Log, within(*LISTS, *_AROUND, items=True), _held)
