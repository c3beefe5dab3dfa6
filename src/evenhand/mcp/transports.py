"""How clients reach the server: standard input and output, or HTTP, on this machine only unless a token is set."""

from __future__ import annotations

import hmac
import os
from typing import TYPE_CHECKING, Any, Final

from evenhand.errors import InputError
from evenhand.mcp.allowed_files import LIMIT

if TYPE_CHECKING:
    from mcp.server.lowlevel.server import Server

LOOPBACK: Final = ("127.0.0.1", "localhost", "::1")
TOKEN_VARIABLE: Final = "EVENHAND_MCP_TOKEN"
"""Holds the token that HTTP clients must send; without it, only loopback addresses are served."""

LARGEST_REQUEST: Final = 6 * LIMIT
"""Bytes of the largest HTTP request: JSON may write a character with six."""


def serve_stdio(server: Server[Any]) -> None:
    """Serve one client until it closes standard input."""
    import anyio
    from mcp.server.stdio import stdio_server

    from evenhand.mcp.malformed_lines import AnsweredStream

    async def serve() -> None:
        async with stdio_server() as (incoming, outgoing):
            answered = AnsweredStream(incoming, outgoing)
            await server.run(answered, outgoing, server.create_initialization_options())

    anyio.run(serve)


def http_token(host: str) -> str | None:
    """The token that clients must send. InputError when other machines could connect without one."""
    token = os.environ.get(TOKEN_VARIABLE) or None
    if token is None and host not in LOOPBACK:
        raise InputError(
            f"--host {host} lets other machines connect; set {TOKEN_VARIABLE} to a token that clients must send, "
            f"or use {LOOPBACK[0]}"
        )
    return token


def serve_http(server: Server[Any], host: str, port: int, token: str | None) -> None:
    """Serve clients over streamable HTTP, at /mcp, until interrupted."""
    import uvicorn

    app: Any = server.streamable_http_app(host=host, max_request_body_size=LARGEST_REQUEST)
    if token is not None:
        app = _TokenRequired(app, token)
    uvicorn.run(app, host=host, port=port, log_level="warning")


class _TokenRequired:
    """Passes a request on only if it carries the token."""

    def __init__(self, app: Any, token: str) -> None:
        self._app = app
        self._expected = f"Bearer {token}".encode()

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] == "http":
            sent = dict(scope["headers"]).get(b"authorization", b"")
            if not hmac.compare_digest(sent, self._expected):
                headers = [(b"content-type", b"text/plain"), (b"www-authenticate", b"Bearer")]
                await send({"type": "http.response.start", "status": 401, "headers": headers})
                await send({"type": "http.response.body", "body": b"this server needs a token"})
                return
        await self._app(scope, receive, send)
