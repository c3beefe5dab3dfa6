"""evenhand agent mcp: the MCP server, through which an agent judges."""

from __future__ import annotations

import sys

import click

from evenhand.cli.shared import chosen_store, say, store_option
from evenhand.errors import InputError


@click.command("mcp")
@click.argument("folders", metavar="[FOLDER]...", nargs=-1)
@store_option
@click.option("--http", is_flag=True, help="Serve over HTTP, at /mcp, instead of standard input and output.")
@click.option("--host", default="127.0.0.1", show_default=True, help="The address to serve on, with --http.")
@click.option(
    "--port", type=click.IntRange(1, 65535), default=8765, show_default=True, help="The port to serve on, with --http."
)
def command(folders: tuple[str, ...], store: str | None, http: bool, host: str, port: int) -> None:
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
      evenhand agent mcp --http --port 8765

    Needs the extra mcp: pip install "evenhand[mcp]"
    """
    from evenhand.mcp.allowed_files import Confinement
    from evenhand.mcp.transports import http_token, serve_http, serve_stdio

    confinement = Confinement(folders or (".",))
    token = http_token(host) if http else None
    kept, _ = chosen_store(store)
    try:
        import mcp  # noqa: F401 (only to see whether it is there)
    except ImportError:
        raise InputError('the MCP server needs another package; install it with: pip install "evenhand[mcp]"') from None
    from evenhand.mcp.server import make_server

    server = make_server(kept, confinement)
    if http:
        say(f"serving at http://{host}:{port}/mcp (stop with Ctrl-C)")
        serve_http(server, host, port, token)
        return
    if sys.stdin is not None and sys.stdin.isatty():
        say("waiting for an MCP client on standard input; an agent starts it by itself: evenhand agent mcp --help")
    serve_stdio(server)
