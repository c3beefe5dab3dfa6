"""`evenhand agent mcp` as a real process: over standard input and output, and over HTTP on loopback."""

from __future__ import annotations

import asyncio
import json
import os
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from conftest import Ran, seven
from mcp_client import call, command

from mcp import Client

WORK = "The parser keeps every comment of the file and reports the line of each mistake.\n"
GOOD = {"scores": seven({"score": 8, "evidence": ["reports the line of each mistake."]})}


async def judged(client: Client) -> dict[str, Any]:
    begun = await call(client, "judge_begin", {"file": "work.md", "skill": "parsing"})
    submitted = await call(client, "judge_submit", {"handle": begun.document["handle"], "judgement": GOOD})
    assert not submitted.refused, submitted.text
    return submitted.document


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / ".git").mkdir()
    (tmp_path / "work.md").write_text(WORK)
    return tmp_path


@pytest.mark.slow
@pytest.mark.parametrize("mode", ["legacy", "auto"])
def test_the_official_client_judges_over_stdio(project: Path, mode: str, evenhand_command: Callable[..., Ran]):
    """With the handshake of older clients and without; the scorecard is then in the project's store."""

    async def session() -> dict[str, Any]:
        async with Client(command(cwd=project), mode=mode) as client:
            assert len((await client.list_tools()).tools) == 9
            return await judged(client)

    card = asyncio.run(session())
    assert card["final"] == 8
    shown = evenhand_command("show", card["id"], "--format", "json", cwd=project)
    assert json.loads(shown.out) == card


@pytest.mark.slow
def test_a_50_mb_answer_and_broken_json_on_standard_input_do_not_end_the_server(project: Path):
    """The next request is answered; standard output carries nothing but the protocol."""
    hello = {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "a-host", "version": "1"},
    }
    large = {"name": "findings", "arguments": {"output": "word " * (10 * 1024 * 1024)}}
    begin = {"name": "judge_begin", "arguments": {"output": WORK}}
    messages = [
        {"id": 1, "method": "initialize", "params": hello},
        {"method": "notifications/initialized"},
        {"id": 2, "method": "tools/call", "params": large},
        {"id": 3, "method": "tools/call", "params": begin},
    ]
    lines = [json.dumps({"jsonrpc": "2.0", **message}) for message in messages]
    lines[2:2] = ["{this is not JSON", "[]", '"text"', "\x00\ufffd", "", '{"id": 7, "method": 8}']
    server = subprocess.Popen(
        [sys.executable, "-m", "evenhand", "agent", "mcp", "--store", "none"],
        cwd=project,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert server.stdin is not None and server.stdout is not None
    server.stdin.write("".join(f"{line}\n" for line in lines).encode())
    server.stdin.flush()
    answers = {}
    malformed = []
    while not {1, 2, 3, 7} <= answers.keys():
        answer = json.loads(server.stdout.readline())
        answers[answer.get("id")] = answer
        malformed += [answer["error"]["code"]] if answer.get("id") is None else []
    server.stdin.close()
    assert server.wait(timeout=30) == 0
    assert malformed == [-32700, -32600, -32600, -32700]
    assert answers[7]["error"] == {"code": -32600, "message": "this line is not a message of JSON-RPC 2.0"}
    assert answers[1]["result"]["serverInfo"]["name"] == "evenhand"
    assert answers[2]["result"]["isError"] is True
    assert "50.0 MiB are more than 16 MiB" in answers[2]["result"]["content"][0]["text"]
    assert answers[3]["result"]["structuredContent"]["handle"]
    server.stdout.close()
    assert server.stderr is not None
    server.stderr.close()


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@pytest.fixture
def http(project: Path) -> Iterator[Callable[..., str]]:
    """Start a server over HTTP; returns its address."""
    started: list[subprocess.Popen[bytes]] = []

    def start(**environment: str) -> str:
        port = free_port()
        arguments = [sys.executable, "-m", "evenhand", "agent", "mcp", "--http", f"127.0.0.1:{port}", "--store", "none"]
        started.append(subprocess.Popen(arguments, cwd=project, env={**os.environ, **environment}))
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline:
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", port)) == 0:
                    return f"http://127.0.0.1:{port}/mcp"
            time.sleep(0.1)
        raise TimeoutError("the server did not start")

    yield start
    for server in started:
        server.terminate()
        server.wait(timeout=30)


def status(address: str, **headers: str) -> int:
    body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}}).encode()
    accept = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}
    request = urllib.request.Request(address, body, {**accept, **headers})
    try:
        with urllib.request.urlopen(request, timeout=30) as reply:
            return int(reply.status)
    except urllib.error.HTTPError as error:
        error.close()
        return error.code


@pytest.mark.slow
def test_the_official_client_judges_over_http_and_web_pages_cannot(http: Callable[..., str]):
    """A page that resolves its own name to this machine, or calls from its own origin, is turned away."""
    address = http()

    async def session() -> dict[str, Any]:
        async with Client(address) as client:
            return await judged(client)

    assert asyncio.run(session())["final"] == 8
    assert status(address, Host="evil.example:80") == 421
    assert status(address, Origin="https://evil.example") == 403


@pytest.mark.slow
def test_a_token_is_required_when_one_is_set(http: Callable[..., str]):
    """Without it, or with another: 401."""
    address = http(EVENHAND_MCP_TOKEN="a-long-token")
    assert status(address) == 401
    assert status(address, Authorization="Bearer another") == 401
    assert status(address, Authorization="Bearer a-long-token") != 401


def test_other_machines_are_served_only_with_a_token(evenhand_command: Callable[..., Ran]):
    """Refused before anything listens."""
    ran = evenhand_command("agent", "mcp", "--http", "0.0.0.0:8765", EVENHAND_MCP_TOKEN="")
    assert ran.code == 2
    assert "--host 0.0.0.0 lets other machines connect; set EVENHAND_MCP_TOKEN to a token" in ran.err


def test_without_the_extra_the_command_says_how_to_get_it(tmp_path: Path, evenhand_command: Callable[..., Ran]):
    """One line and exit code 2, no traceback."""
    (tmp_path / "mcp.py").write_text("raise ImportError('not installed')")
    path = f"{tmp_path}{os.pathsep}{os.environ.get('PYTHONPATH', '')}"
    ran = evenhand_command("agent", "mcp", PYTHONPATH=path)
    assert (ran.code, ran.err) == (
        2,
        'error: the MCP server needs another package; install it with: pip install "evenhand[mcp]"\n',
    )


def test_a_folder_that_does_not_exist_is_an_error(evenhand_command: Callable[..., Ran]):
    """Before any client connects."""
    ran = evenhand_command("agent", "mcp", "nowhere")
    assert ran.code == 2
    assert "nowhere: is not a folder" in ran.err


def test_score_loads_nothing_of_the_server():
    """Nor does --version."""
    for arguments in ("['evenhand', '--version']", "['evenhand', 'score', 'none.json', '--store', 'none']"):
        code = (
            f"import sys, atexit, runpy; sys.argv = {arguments}\n"
            "atexit.register(lambda: print('LOADED', [m for m in sys.modules if m.split('.')[0] in ('mcp', 'anyio') "
            "or m.startswith('evenhand.mcp')]))\n"
            "runpy.run_module('evenhand', run_name='__main__')"
        )
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
        assert done.stdout.endswith("LOADED []\n"), done.stdout
