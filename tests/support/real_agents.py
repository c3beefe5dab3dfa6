"""The real Claude Code, Codex and Gemini CLI from the npm registry, and a scripted model for them on loopback.

They are installed once, into a folder outside the repository (EVENHAND_AGENTS, or one in the user's cache). Tests that
need them are skipped with a message when npm or the registry is out of reach.
"""

from __future__ import annotations

import fcntl
import json
import os
import shutil
import subprocess
import threading
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from evenhand.providers.commands.wire import (
    AnthropicMessages,
    Call,
    Event,
    GeminiContents,
    OpenAIResponses,
    stream,
)

PACKAGES = {"claude": "@anthropic-ai/claude-code", "codex": "@openai/codex", "gemini": "@google/gemini-cli"}
PLUGIN_EVAL = {"claude": "@anthropic-ai/claude-code@2.1.327"}
"""One that has `claude plugin eval`, in a folder of its own: what npm gives without a version may lack it."""
WIRES = (AnthropicMessages(), OpenAIResponses(), GeminiContents())


def installed_commands() -> Path:
    """The folder with the commands, installed on first use."""
    return _installed(_agents(), PACKAGES)


def installed_plugin_eval() -> Path:
    """The folder with a `claude` that has `claude plugin eval`, installed on first use."""
    return _installed(_agents() / "plugin-eval", PLUGIN_EVAL)


def _agents() -> Path:
    chosen = os.environ.get("EVENHAND_AGENTS")
    return Path(chosen) if chosen else Path.home() / ".cache" / "evenhand-test-agents"


def _installed(folder: Path, packages: dict[str, str]) -> Path:
    commands = folder / "node_modules" / ".bin"
    if all((commands / name).exists() for name in packages):
        return commands
    npm = shutil.which("npm")
    if npm is None:
        pytest.skip("npm is not installed, so the real agent commands are not tested")
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # another process of the same test run may be at it
        if not all((commands / name).exists() for name in packages):
            _install(npm, folder, packages)
    return commands


def _install(npm: str, folder: Path, packages: dict[str, str]) -> None:
    try:
        options = ["--prefix", str(folder), "--no-audit", "--no-fund", "--loglevel", "error"]
        subprocess.run([npm, "install", *options, *packages.values()], check=True, capture_output=True, timeout=300)
    except (subprocess.CalledProcessError, subprocess.TimeoutExpired) as error:
        words = (error.stderr or b"").decode(errors="replace").strip()[-200:]
        pytest.skip(f"the agent commands cannot be installed from the npm registry: {words}")


class Asked(NamedTuple):
    """One request to the model."""

    path: str
    headers: dict[str, str]
    """Names in lower case."""
    body: dict[str, Any]
    tools: set[str]
    system: str
    user: str
    """The texts of the user's turns, oldest first, joined."""


class ScriptedServer:
    """Answers as a model would, in the form of whichever API is asked. `answer` gets a request and returns a text, a
    list of tool calls, or an HTTP status."""

    def __init__(self) -> None:
        self.asked: list[Asked] = []
        self.answer: Callable[[Asked], str | list[Call] | int] = lambda asked: "ok"
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self._server.daemon_threads = True

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self._server.server_port}"

    def __enter__(self) -> ScriptedServer:
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()

    def reply(self, path: str, headers: dict[str, str], data: bytes) -> tuple[int, bytes]:
        wire = next((wire for wire in WIRES if wire.matches(path)), None)
        if wire is None:
            return 404, b"{}"
        body = json.loads(data)
        asked = Asked(path, headers, body, wire.offered(body), _system(body), _user(body))
        self.asked.append(asked)
        answer = self.answer(asked)
        if isinstance(answer, int):
            kind = {401: "authentication_error", 429: "rate_limit_error"}.get(answer, "api_error")
            error = {"type": kind, "message": f"scripted {kind}", "code": kind, "status": kind.upper()}
            return answer, json.dumps({"type": "error", "error": error}).encode()
        events: list[Event]
        if isinstance(answer, str) and "StructuredOutput" in asked.tools:
            events = wire.calling([Call("StructuredOutput", json.loads(answer))])
        else:
            events = wire.saying(answer) if isinstance(answer, str) else wire.calling(answer)
        if isinstance(wire, OpenAIResponses):
            _as_codex_calls(events)
        return 200, _with_ids(stream(events), len(self.asked))

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        server = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                data = self.rfile.read(int(self.headers.get("Content-Length") or 0))
                headers = {name.lower(): value for name, value in self.headers.items()}
                self._send(*server.reply(self.path.partition("?")[0], headers, data))

            def do_GET(self) -> None:
                self._send(404, b"{}")

            def do_HEAD(self) -> None:
                self._send(404, b"")

            def _send(self, status: int, body: bytes) -> None:
                self.send_response(status)
                self.send_header("Content-Type", "text/event-stream" if status == 200 else "application/json")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_: object) -> None:
                """Print nothing."""

        return Handler


def _as_codex_calls(events: list[Event]) -> None:
    """Calls as Codex takes them: its search for tools is an item of its own, and a server's tool has a namespace."""
    for _, event in events:
        item = event.get("item", {})
        if item.get("type") != "function_call":
            continue
        if item["name"] == "tool_search":
            item |= {"type": "tool_search_call", "execution": "client", "arguments": json.loads(item["arguments"])}
        elif item["name"].startswith("mcp__"):
            namespace, _, item["name"] = item["name"].rpartition("__")
            item["namespace"] = namespace


def _with_ids(reply: bytes, turn: int) -> bytes:
    """A reply whose ids no other turn has: a command takes the same call twice for one."""
    for name in (b"msg_", b"toolu_", b"call_", b"fc_"):
        reply = reply.replace(b': "' + name, b': "%s%d_' % (name, turn))  # values only: call_id is a key
    return reply


def _texts(content: Any) -> list[str]:
    if isinstance(content, str):
        return [content]
    pieces = [part for part in content or () if isinstance(part, dict)]
    return [str(part["text"]) for part in pieces if "text" in part] + [
        text for part in pieces if part.get("type") == "tool_result" for text in _texts(part.get("content"))
    ]


def _turns(body: dict[str, Any]) -> list[tuple[str, list[str]]]:
    turns = body.get("messages") or body.get("input") or body.get("contents") or ()
    return [(turn.get("role", ""), _texts(turn.get("content") or turn.get("parts"))) for turn in turns]


def _user(body: dict[str, Any]) -> str:
    return "\n".join(text for role, texts in _turns(body) if role == "user" for text in texts)


def _system(body: dict[str, Any]) -> str:
    named = body.get("system") or (body.get("systemInstruction") or {}).get("parts") or body.get("instructions") or ""
    turns = [text for role, texts in _turns(body) if role in ("system", "developer") for text in texts]
    return "\n".join([*_texts(named), *turns])
