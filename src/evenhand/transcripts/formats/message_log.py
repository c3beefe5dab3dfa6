"""Logs made of role, content and tool calls in whatever spelling: of LangChain, Kimi, Droid, Kiro, Grok, Hermes.

The spellings are tables: a new one is a new word in them, and `records_of` turns a record into messages as chat formats
write them. This format is tried when no other fits: a file of records, one on
a line or in a list, of which at least one is someone speaking.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
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
    "user": "user human human_message humanmessage customer client prompt usermessage user_message user_prompt "
    "requester input",
    "assistant": "assistant ai gpt model bot agent chatbot assistantmessage assistant_message aimessage aimessagechunk "
    "chatgpt claude gemini grok response llm agent_message final_answer final completion",
    "system": "system developer systemmessage system_message system_prompt instructions",
    "tool": "tool function tool_result toolresult tool-result tool_response toolresponse tool_output function_response "
    "function_result functionresponse observation environment ipython toolmessage tool_message tool_call_result "
    "function_call_output tool_execution_result toolcallexecutionevent execution_result functionexecutionresult",
    "call": "tool_call toolcall tool-call tool_use tooluse function_call functioncall tool_request "
    "toolcallrequestevent action call",
    "thought": "thinking reasoning thought think agent_thought reasoning_message thoughtevent",
}
SPOKEN: Final = {name: role for role, names in _SPEAKERS.items() for name in names.split()}
"""What a role, or the type of a record, says about who speaks."""
_ROLES: Final = ("role", "from", "sender", "speaker", "author", "source", "type", "kind", "event")
_CONTENTS: Final = ("content", "value", "text", "parts", "message", "body", "blocks", "finalText", "data")
_CALLS: Final = tuple(
    "tool_calls toolCalls tool_uses toolUses calls function_calls functionCalls tools_called toolInvocations".split()
)
_ONE_CALL: Final = ("function_call", "functionCall", "tool_call", "toolCall")
_INSIDE_A_CALL: Final = ("function", "toolCall", "tool_call", "functionCall", "payload")
_NAMES: Final = ("name", "toolName", "tool_name", "tool", "function", "function_name", "recipient_name", "action")
_ARGUMENTS: Final = tuple("arguments args input parameters params tool_input toolInput rawInput kwargs".split())
_RESULTS: Final = ("result", "output", "toolResult", "tool_result", "response", "observation", *_CONTENTS)
_RETURNED: Final = ("result", "output", "toolResult", "observation")
"""What a call's own record holds once the call is done."""
_PRINTED: Final = ("output", "text", "content", "error", "stdout", "return_value")
"""What a result that is an object holds."""
_FAILED: Final = frozenset(("error", "failed", "failure", "rejected", "denied"))
_IDS: Final = tuple("tool_call_id toolCallId tool_use_id toolUseId toolId callId call_id id tool_id callID".split())
_NAMES_OF_LOGS: Final = ("id", "session_id", "sessionId", "conversation_id")
_TIMES: Final = ("timestamp", "time", "created_at", "createdAt", "date")
LISTS: Final = tuple(
    "messages history conversation conversations turns entries events items transcript log chat chat_history dialog "
    "dialogue trajectory traj records thread context inner_messages steps".split()
)
"""The keys of the lists of a conversation."""
_WRITTEN_CALL: Final = re.compile(r"<(tool_call|function_call)>\s*(\{.*?\})\s*</\1>", re.DOTALL)
_WRITTEN_RESULT: Final = re.compile(r"<(tool_response|tool_result|function_response)>\s*(.*?)\s*</\1>", re.DOTALL)
_WRITTEN_THOUGHT: Final = re.compile(r"<(think|thinking|scratch_pad)>(.*?)</\1>", re.DOTALL)


def records_of(value: Any) -> list[Record]:
    """A record as chat messages; empty when it is none."""
    if not isinstance(value, dict):
        return []
    if (message := langchain_message(value)) is not None:
        return [message]
    inner = value.get("message")
    if isinstance(inner, dict) and (_role(inner) or _of_nested(inner)):
        outer = {key: value[key] for key in _TIMES if isinstance(value.get(key), str)}
        return [{**outer, **record} for record in (records_of(inner) if _role(inner) else _of_nested(inner))]
    if nested := _of_nested(value):
        return nested
    role = _role(value)
    time = next((value[key] for key in _TIMES if isinstance(value.get(key), str)), "")
    found = list(_records(value, role)) if role else []
    return [record | {"timestamp": time} if time else record for record in found]


def is_record(value: Any) -> bool:
    """Whether a value is a record of someone speaking, calling or answering, with something in it."""
    return bool(records_of(value))


def _role(value: Record) -> str:
    for key in _ROLES:
        name = value.get(key)
        if isinstance(name, dict):
            name = name.get("role") or name.get("type")
        if isinstance(name, str) and (role := SPOKEN.get(name.lower())):
            return role
    return ""


def _records(value: Record, role: str) -> Iterator[Record]:
    if role == "call":
        if (call := _call(value)) is not None:
            yield {"role": "assistant", "tool_calls": [call]}
            if (answer := _first(value, _RETURNED)) not in (None, ""):
                yield _result(value, answer)
        return
    if role == "tool":
        calls = value.get("toolCall") or value.get("tool_call")
        content = _first(value, _RESULTS, empty=True)
        if isinstance(content, str) and _WRITTEN_RESULT.search(content):
            yield from _written(content, role, [])
        elif content is not None:
            found = _several_results(content)
            yield from found or [_result({**(calls if isinstance(calls, dict) else {}), **value}, content)]
        return
    content = _first(value, _CONTENTS)
    if role == "thought":
        if content is not None:
            yield {"role": "assistant", "reasoning": result_text(content)}
        return
    calls = [call for key in _CALLS for item in _items(value.get(key)) if (call := _call(item)) is not None]
    calls += [call for key in _ONE_CALL if isinstance(value.get(key), dict) and (call := _call(value[key])) is not None]
    if (
        isinstance(content, list)
        and content
        and all(isinstance(item, dict) and "arguments" in item and "name" in item for item in content)
    ):
        calls += [call for item in content if (call := _call(item)) is not None]  # AutoGen's requests
        content = None
    if isinstance(content, str) and "<" in content:
        yield from _written(content, role, calls)
        return
    blocks = [_block(item) for item in content] if isinstance(content, list) else content
    if isinstance(blocks, dict):
        blocks = [_block(blocks)]
    if blocks or calls:
        message: Record = {"role": role, "content": blocks, "tool_calls": calls}
        for key in ("reasoning_content", "reasoning", "thinking", "model"):
            if isinstance(value.get(key), str):
                message[key] = value[key]
        yield message


def _first(value: Record, keys: Sequence[str], *, empty: bool = False) -> Any:
    """What stands under the first of these keys that has something; with `empty`, that may be an empty text."""
    return next((value[key] for key in keys if value.get(key) is not None and (empty or value[key] != "")), None)


def _items(value: Any) -> list[Any]:
    return value if isinstance(value, list) else list(value.values()) if isinstance(value, dict) else []


def _call(value: Any) -> Record | None:
    """A call of a tool as chat formats write it."""
    if not isinstance(value, dict):
        return None
    inner = next((value[key] for key in _INSIDE_A_CALL if isinstance(value.get(key), dict)), value)
    if isinstance(inner.get("function"), dict):
        value, inner = inner, inner["function"]
    name = next((inner[key] for key in _NAMES if isinstance(inner.get(key), str) and inner[key]), "")
    arguments = next((inner[key] for key in _ARGUMENTS if key in inner), None)
    if not name:
        return None
    return {"id": _id(value) or _id(inner), "function": {"name": name, "arguments": maybe_json(arguments)}}


def _id(value: Record) -> str:
    return next((str(value[key]) for key in _IDS if isinstance(value.get(key), str | int) and value[key] != ""), "")


def _result(value: Record, content: Any) -> Record:
    content = "" if content is None else content
    inner = content if isinstance(content, dict) else {}
    status = str(value.get("status") or inner.get("status") or "").lower()
    failed = any(owner.get(key) is True for owner in (value, inner) for key in ("is_error", "isError", "failed"))
    failed = failed or status in _FAILED or inner.get("success") is False or value.get("success") is False
    text = next((inner[key] for key in _PRINTED if inner.get(key)), content)
    record: Record = {"role": "tool", "content": text if isinstance(text, str) else result_text(text)}
    if id := _id(value):
        record["tool_call_id"] = id
    name = next(
        (value[key] for key in _NAMES if isinstance(value.get(key), str) and value[key].lower() not in SPOKEN), ""
    )
    if name:
        record["name"] = name
    if failed:
        record["is_error"] = True
    return record


def _several_results(content: Any) -> list[Record]:
    """The results in a list of them, as AutoGen and Amazon Q write them."""
    rows = content if isinstance(content, list) else []
    if not rows or not all(isinstance(row, dict) and any(key in row for key in _IDS[:-2]) for row in rows):
        return []
    return [_result(row, _first(row, _RESULTS, empty=True)) for row in rows]


def _block(block: Any) -> Any:
    """A block of content in the names that chat formats use."""
    if not isinstance(block, dict):
        return block
    kind = SPOKEN.get(str(block.get("type", "")).lower(), "")
    if kind == "thought" or "think" in block:
        return {
            "type": "thinking",
            "thinking": result_text(block.get("think") or block.get("thinking") or block.get("text") or ""),
        }
    if kind == "call" and (call := _call(block)) is not None:
        return {
            "type": "tool_use",
            "id": call["id"],
            "name": call["function"]["name"],
            "input": call["function"]["arguments"],
        }
    if kind == "tool":
        result = _result(block, _first(block, _RESULTS, empty=True))
        made: Record = {
            "type": "tool_result",
            "tool_use_id": result.get("tool_call_id", ""),
            "content": result["content"],
        }
        return made | ({"is_error": True} if result.get("is_error") else {})
    if not block.get("type") and isinstance(block.get("value"), str):
        return {"type": "text", "text": block["value"]}
    return block


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
            if (usage := usage_of(record.get("usage"))) is not None:
                self.draft.usage[len(self.draft.usage)] = usage

    def finish(self) -> Submission:
        return self.draft.finish_if_any()


read = read_conversations(_Log, within(*LISTS, *_AROUND, items=True), _held)
