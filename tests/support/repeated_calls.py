"""A chat in which an agent makes the same call three times: a fault of a check that was measured."""

from __future__ import annotations

from typing import Any


def repeated_chat(asked: str, call: tuple[str, str], result: str, answer: str) -> dict[str, Any]:
    """Three calls with these arguments and this result, between what was asked and the answer."""
    name, arguments = call
    messages: list[dict[str, Any]] = [{"role": "user", "content": asked}]
    for number in range(3):
        function = {"name": name, "arguments": arguments}
        calls = [{"id": f"c{number}", "type": "function", "function": function}]
        messages += [
            {"role": "assistant", "content": None, "tool_calls": calls},
            {"role": "tool", "tool_call_id": f"c{number}", "content": result},
        ]
    return {"messages": [*messages, {"role": "assistant", "content": answer}]}
