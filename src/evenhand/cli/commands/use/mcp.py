"""evenhand agent mcp: the MCP server, through which an agent judges."""

from __future__ import annotations

import sys
from typing import Any

import click

from evenhand.cli.shared import Read, chosen_store, say, store_option
from evenhand.errors import InputError

DEFAULT_ADDRESS = "127.0.0.1:8765"


def _host_and_port(written: Any) -> tuple[str, int]:
    """An address to serve on; a value that was read already stays as it is."""
    if isinstance(written, tuple):
        return written
    host, _, port = written.rpartition(":")
    if not host or not port.isascii() or not port.isdigit() or not 0 < int(port) < 65536:
        raise ValueError(f'"{written}" is not HOST:PORT, such as {DEFAULT_ADDRESS}')
    return host.strip("[]"), int(port)


@click.command("mcp")
@click.argument("folders", metavar="[FOLDER]...", nargs=-1)
@store_option
@click.option(
    "--http",
    type=Read("host:port", _host_and_port),
    is_flag=False,
    flag_value=DEFAULT_ADDRESS,
    metavar="[HOST:PORT]",
    help=f"Serve over HTTP, at /mcp, instead of standard input and output. Default: {DEFAULT_ADDRESS}.",
)
def command(folders: tuple[str, ...], store: str | None, http: tuple[str, int] | None) -> None:
    """Serve judging to agents, over the Model Context Protocol.

    The agent's own model judges: judge_begin gives it the rubric and the work, judge_submit checks its
    quotes, scores and stores. More tools: findings, score, rank, better, history, verify, rubrics.

    Agents may name files in the given FOLDERs only, or in the current one if none is given. With --http, only
    this machine can connect, unless EVENHAND_MCP_TOKEN holds a token that clients must send.

    \b
    Examples:
      claude mcp add evenhand -- evenhand agent mcp
      codex mcp add evenhand -- evenhand agent mcp
      evenhand agent mcp ~/project/outputs ~/.claude/projects
      evenhand agent mcp --http 127.0.0.1:8765

    Needs the extra mcp: pip install "evenhand[mcp]"
    """
    from evenhand.mcp.allowed_files import Confinement
    from evenhand.mcp.transports import http_token, serve_http, serve_stdio

    confinement = Confinement(folders or (".",))
    token = None if http is None else http_token(http[0])
    kept, _ = chosen_store(store)
    try:
        import mcp  # noqa: F401 (only to see whether it is there)
    except ImportError:
        raise InputError('the MCP server needs another package; install it with: pip install "evenhand[mcp]"') from None
    from evenhand.mcp.server import make_server

    server = make_server(kept, confinement)
    if http is not None:
        host, port = http
        say(f"serving at http://{host}:{port}/mcp (stop with Ctrl-C)")
        serve_http(server, host, port, token)
        return
    if sys.stdin is not None and sys.stdin.isatty():
        say("waiting for an MCP client on standard input; an agent starts it by itself: evenhand agent mcp --help")
    serve_stdio(server)
