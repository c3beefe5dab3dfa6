"""The official MCP client, one call at a time: in this process, or over standard input and output of a real one."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from mcp.server.lowlevel.server import Server

from evenhand.mcp.allowed_files import Confinement
from evenhand.mcp.server import make_server
from evenhand.store.protocol import Store
from mcp import Client, StdioServerParameters

Result = TypeVar("Result")


class Answer(NamedTuple):
    """What a tool answered."""

    refused: bool
    text: str
    document: dict[str, Any]
    progress: list[tuple[float, float | None, str | None]]


async def call(client: Client, name: str, arguments: dict[str, Any]) -> Answer:
    """Call a tool; the client itself checks the answer against the output schema."""
    progress: list[tuple[float, float | None, str | None]] = []

    async def report(done: float, total: float | None, message: str | None) -> None:
        progress.append((done, total, message))

    result = await client.call_tool(name, arguments, progress_callback=report)
    document = result.structured_content
    assert isinstance(document, dict) or result.is_error
    text = "".join(getattr(block, "text", "") for block in result.content)
    return Answer(bool(result.is_error), text, document or {}, progress)


class InProcess:
    """A server in this process, and a client for every call."""

    def __init__(self, store: Store | None, *folders: Path) -> None:
        self.server: Server[Any] = make_server(store, Confinement([str(folder) for folder in folders]))

    def use(self, work: Callable[[Client], Awaitable[Result]]) -> Result:
        async def session() -> Result:
            async with Client(self.server) as client:
                return await work(client)

        return asyncio.run(session())

    def __call__(self, name: str, /, **arguments: Any) -> Answer:
        return self.use(lambda client: call(client, name, arguments))


def command(*arguments: str, cwd: Path) -> StdioServerParameters:
    """`evenhand agent mcp` as a process of its own."""
    return StdioServerParameters(
        command=sys.executable, args=["-m", "evenhand", "agent", "mcp", *arguments], cwd=cwd, env=dict(os.environ)
    )
