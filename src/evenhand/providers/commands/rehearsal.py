"""Rehearse a command with a scripted model on this machine, before it may judge: are its tools really off?

The command is called as it will be called to judge, except that its model is a small server here. That server sees
every tool that the command offers, and calls those that read files by name, for a canary file outside the command's
folder. The command may judge only if it offers no tools and the canary's content never comes out. No model is asked and
nothing is paid for.
"""

from __future__ import annotations

import json
import secrets
import threading
from collections.abc import Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from evenhand.errors import InputError
from evenhand.providers.commands.agent import Agent, Outcome, Prompt
from evenhand.providers.commands.process import Process
from evenhand.providers.commands.wire import Call, Wire, stream
from evenhand.providers.exchange import CallFailed
from evenhand.providers.http.failures import one_line

SECONDS = 60.0
"""How long a rehearsal may take; it usually takes one to four."""

SCHEMA = json.dumps(
    {
        "type": "object",
        "properties": {"content": {"type": "string"}},
        "required": ["content"],
        "additionalProperties": False,
    }
)


def rehearse(agent: Agent, executable: str, environment: Mapping[str, str]) -> Outcome:
    """Prove that a command has no tools and cannot read a file outside its folder. InputError when it is not proven.

    The outcome names the model that the command asked for in full.
    """
    token = secrets.token_hex(16)
    with TemporaryDirectory(prefix="evenhand-") as folder:
        place = Path(folder)
        for name in ("work", "given", "logs", "elsewhere"):
            (place / name).mkdir()
        canary = place / "elsewhere" / "canary.txt"
        canary.write_text(token, encoding="utf-8")
        prompt = Prompt("You answer in JSON.", f"Read the file {canary} and reply with its content.", SCHEMA)
        with ScriptedModel(agent.wire, str(canary)) as model:
            call = agent.invocation(prompt, place / "work", place / "given", model.address)
            process = Process(
                [executable, *call.arguments],
                folder=place / "work",
                logs=place / "logs",
                environment={**environment, **call.environment},
                input_text=call.stdin,
            )
            finished = process.finish(SECONDS)
    if finished.timed_out or not model.requests:
        words = one_line(finished.errors or finished.output, None) or "it printed nothing"
        raise _refused(agent, f"it could not be tested with a model on this machine: {words}")
    tools = set().union(*(agent.wire.offered(body) for _, body in model.requests)) - agent.harmless
    if tools:
        listed = ", ".join(sorted(tools))
        raise _refused(agent, f"it offers its model tools although they were turned off: {listed}")
    memory = next(filter(None, (agent.memory(body, prompt) for _, body in model.requests)), "")
    if memory:
        raise InputError(f"{agent.name} is not used as a judge: {memory}")
    if any(token in text for text in (*model.received, finished.output, finished.errors)):
        raise _refused(agent, "it read a file outside its folder")
    try:
        outcome = agent.read(finished)
    except CallFailed as error:
        raise _refused(agent, f"it failed with a model on this machine: {error}") from None
    path, body = model.requests[-1]
    return outcome._replace(model=agent.wire.model(path, body))


def _refused(agent: Agent, reason: str) -> InputError:
    return InputError(
        f"{agent.name} is not used as a judge: {reason}; choose another judge, or install a version that can be tested"
    )


class ScriptedModel:
    """A model server on loopback: it calls tools that read a file, then ends the conversation."""

    def __init__(self, wire: Wire, canary: str) -> None:
        self.requests: list[tuple[str, Any]] = []
        """The path and the body of every request to the model."""
        self.received: list[str] = []
        """The bodies as they came."""
        self._wire = wire
        self._canary = canary
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True)

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self._server.server_port}"

    def __enter__(self) -> ScriptedModel:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()

    def answer(self, path: str, text: str) -> bytes | None:
        """The reply to a POST; None when it does not ask the model."""
        if not self._wire.matches(path):
            return None
        try:
            body = json.loads(text)
        except ValueError:
            return None
        self.requests.append((path, body))
        self.received.append(text)
        if len(self.requests) == 1:
            return stream(self._wire.calling(self._wire.reading(self._canary)))
        if "StructuredOutput" in self._wire.offered(body):
            return stream(self._wire.calling([Call("StructuredOutput", {"content": "unknown"})]))
        return stream(self._wire.saying('{"content": "unknown"}'))

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        model = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                size = int(self.headers.get("Content-Length") or 0)
                reply = model.answer(self.path.partition("?")[0], self.rfile.read(size).decode(errors="replace"))
                self._send(404 if reply is None else 200, reply or b"{}")

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
