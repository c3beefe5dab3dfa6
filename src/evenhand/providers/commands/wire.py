"""The APIs that agent commands use to talk to a model: what a request offers, and replies in their form. Pure.

Used to rehearse: a scripted model on this machine sees which tools a command offers, and tries to use some.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple, Protocol

Event = tuple[str, dict[str, Any]]


class Call(NamedTuple):
    """A tool that a scripted model calls."""

    tool: str
    arguments: dict[str, Any]


class Wire(Protocol):
    """One of the APIs."""

    def matches(self, path: str) -> bool:
        """Whether a POST to this path asks the model."""

    def offered(self, body: Any) -> set[str]:
        """The tools that a request offers to the model."""

    def model(self, path: str, body: Any) -> str:
        """The model that a request is for."""

    def reading(self, path: str) -> list[Call]:
        """Calls that would read a file, under the names such tools have in these commands."""

    def calling(self, calls: Sequence[Call]) -> list[Event]:
        """A reply that calls tools."""

    def saying(self, text: str) -> list[Event]:
        """A reply in words."""


def stream(events: Iterable[Event]) -> bytes:
    """Server-sent events; one without a name has data only."""
    return "".join(
        f"{f'event: {name}{chr(10)}' if name else ''}data: {json.dumps(data)}\n\n" for name, data in events
    ).encode()


class AnthropicMessages:
    """`/v1/messages`, as Claude Code uses it."""

    def matches(self, path: str) -> bool:
        return path.endswith("/v1/messages")

    def offered(self, body: Any) -> set[str]:
        return {str(tool.get("name") or tool.get("type")) for tool in body.get("tools") or ()}

    def model(self, path: str, body: Any) -> str:
        return str(body.get("model", ""))

    def reading(self, path: str) -> list[Call]:
        return [Call("Read", {"file_path": path}), Call("Bash", {"command": f"cat {path}"})]

    def calling(self, calls: Sequence[Call]) -> list[Event]:
        blocks: list[tuple[dict[str, Any], dict[str, Any]]] = []
        for number, call in enumerate(calls):
            block = {"type": "tool_use", "id": f"toolu_{number}", "name": call.tool, "input": {}}
            blocks.append((block, {"type": "input_json_delta", "partial_json": json.dumps(call.arguments)}))
        return self._message(blocks, "tool_use")

    def saying(self, text: str) -> list[Event]:
        return self._message([({"type": "text", "text": ""}, {"type": "text_delta", "text": text})], "end_turn")

    def _message(self, blocks: Sequence[tuple[dict[str, Any], dict[str, Any]]], stop: str) -> list[Event]:
        message: dict[str, Any] = {
            "id": "msg_1",
            "type": "message",
            "role": "assistant",
            "model": "scripted",
            "content": [],
        }
        message |= {"stop_reason": None, "stop_sequence": None, "usage": {"input_tokens": 10, "output_tokens": 1}}
        sent: list[dict[str, Any]] = [{"type": "message_start", "message": message}]
        for index, (block, delta) in enumerate(blocks):
            sent += [
                {"type": "content_block_start", "index": index, "content_block": block},
                {"type": "content_block_delta", "index": index, "delta": delta},
                {"type": "content_block_stop", "index": index},
            ]
        ended = {"stop_reason": stop, "stop_sequence": None}
        sent += [{"type": "message_delta", "delta": ended, "usage": {"output_tokens": 5}}, {"type": "message_stop"}]
        return [(event["type"], event) for event in sent]


class OpenAIResponses:
    """`/responses`, as Codex uses it. Tools may also be listed in the input, in namespaces."""

    def matches(self, path: str) -> bool:
        return path.endswith("/responses")

    def offered(self, body: Any) -> set[str]:
        listed = list(body.get("tools") or ())
        for item in body.get("input") or ():
            if isinstance(item, dict) and item.get("type") == "additional_tools":
                listed += item.get("tools") or ()
        names: set[str] = set()
        for tool in listed:
            inner = tool.get("tools")
            names |= {str(part.get("name")) for part in inner} if inner else {str(tool.get("name") or tool.get("type"))}
        return names

    def model(self, path: str, body: Any) -> str:
        return str(body.get("model", ""))

    def reading(self, path: str) -> list[Call]:
        return [
            Call("exec_command", {"cmd": f"cat {path}"}),
            Call("shell", {"command": ["cat", path]}),
            Call("shell_command", {"command": f"cat {path}"}),
            Call("view_image", {"path": path}),
        ]

    def calling(self, calls: Sequence[Call]) -> list[Event]:
        items = []
        for number, call in enumerate(calls):
            item = {"type": "function_call", "id": f"fc_{number}", "call_id": f"call_{number}", "name": call.tool}
            items.append({**item, "arguments": json.dumps(call.arguments), "status": "completed"})
        return self._response(items)

    def saying(self, text: str) -> list[Event]:
        content = [{"type": "output_text", "text": text, "annotations": []}]
        return self._response([{"type": "message", "id": "m", "role": "assistant", "content": content}])

    def _response(self, items: list[dict[str, Any]]) -> list[Event]:
        sent: list[dict[str, Any]] = [{"type": "response.created", "response": {"id": "r", "status": "in_progress"}}]
        sent += [
            {"type": "response.output_item.done", "output_index": place, "item": item}
            for place, item in enumerate(items)
        ]
        usage: dict[str, Any] = {"input_tokens": 10, "output_tokens": 5, "total_tokens": 15}
        usage |= {"input_tokens_details": {"cached_tokens": 0}, "output_tokens_details": {"reasoning_tokens": 0}}
        response = {"id": "r", "status": "completed", "output": items, "usage": usage}
        return [(event["type"], event) for event in [*sent, {"type": "response.completed", "response": response}]]


class GeminiContents:
    """`models/MODEL:streamGenerateContent`, as Gemini CLI uses it."""

    def matches(self, path: str) -> bool:
        return path.endswith(("eamGenerateContent", ":generateContent"))

    def offered(self, body: Any) -> set[str]:
        names: set[str] = set()
        for tool in body.get("tools") or ():
            declared = tool.get("functionDeclarations")
            names |= set(tool) - {"functionDeclarations"} | {str(function.get("name")) for function in declared or ()}
        return names

    def model(self, path: str, body: Any) -> str:
        return path.rpartition("/")[2].partition(":")[0]

    def reading(self, path: str) -> list[Call]:
        return [Call("read_file", {"file_path": path}), Call("run_shell_command", {"command": f"cat {path}"})]

    def calling(self, calls: Sequence[Call]) -> list[Event]:
        return self._content([{"functionCall": {"name": call.tool, "args": call.arguments}} for call in calls])

    def saying(self, text: str) -> list[Event]:
        return self._content([{"text": text}])

    def _content(self, parts: list[dict[str, Any]]) -> list[Event]:
        usage = {"promptTokenCount": 10, "candidatesTokenCount": 5, "totalTokenCount": 15}
        candidate = {"content": {"role": "model", "parts": parts}, "finishReason": "STOP", "index": 0}
        return [("", {"candidates": [candidate], "usageMetadata": usage})]
