"""Lines on standard input that are not messages: answered as JSON-RPC asks, so that a client does not wait for ever."""

from __future__ import annotations

from contextvars import Context
from typing import Any

import anyio
import mcp_types as types
from mcp.shared.message import SessionMessage
from pydantic import ValidationError


class AnsweredStream:
    """The messages of a stream; anything else is answered on the other stream and left out."""

    def __init__(self, incoming: Any, outgoing: Any) -> None:
        self._incoming = incoming
        self._outgoing = outgoing

    @property
    def last_context(self) -> Context | None:
        """That of the sender of the last message; the server restores it."""
        context: Context | None = self._incoming.last_context
        return context

    async def receive(self) -> SessionMessage:
        """The next message."""
        while isinstance(item := await self._incoming.receive(), Exception):
            if (error := error_answer(item)) is not None:
                await self._outgoing.send(SessionMessage(error))
        message: SessionMessage = item
        return message

    def close(self) -> None:
        self._incoming.close()

    async def aclose(self) -> None:
        await self._incoming.aclose()

    def __aiter__(self) -> AnsweredStream:
        return self

    async def __anext__(self) -> SessionMessage:
        try:
            return await self.receive()
        except anyio.EndOfStream:
            raise StopAsyncIteration from None

    async def __aenter__(self) -> AnsweredStream:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()


def error_answer(error: Exception) -> types.JSONRPCError | None:
    """What to answer to a line that could not be read; nothing to an empty one."""
    details = error.errors() if isinstance(error, ValidationError) else []
    unreadable = any(detail["type"] == "json_invalid" for detail in details)
    inputs = [detail["input"] for detail in details]
    if unreadable and all(isinstance(value, str) and not value.strip() for value in inputs):
        return None
    ids = [value.get("id") for value in inputs if isinstance(value, dict)]
    known = next((id for id in ids if isinstance(id, (str, int)) and not isinstance(id, bool)), None)
    code, message = (
        (types.PARSE_ERROR, "this line is not JSON")
        if unreadable
        else (types.INVALID_REQUEST, "this line is not a message of JSON-RPC 2.0")
    )
    return types.JSONRPCError(jsonrpc="2.0", id=known, error=types.ErrorData(code=code, message=message))
