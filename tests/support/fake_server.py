"""A model server on a real socket that misbehaves as told, and counts what it was asked.

    with FakeServer() as server:
        server.script = [Fault.status(429, retry_after="1"), chat("yes")]   # one a request, in order
        server.answer = lambda asked: chat("and so on")                      # then this, for ever
        ... ask server.url ...
        assert server.count == 3

As a program (`python tests/support/fake_server.py --delay 0.05`) it prints its address and serves until it is stopped.
"""

from __future__ import annotations

import asyncio
import json
import sys
import threading
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple


class Asked(NamedTuple):
    """One request, as it arrived."""

    method: str
    path: str
    headers: dict[str, str]
    """Names in lower case."""
    body: Any
    """The JSON that was sent, the bytes of a form, or None."""
    number: int
    """The first request is 1."""


class Step(NamedTuple):
    """What the server does with one request."""

    status: int = 200
    body: bytes = b""
    headers: tuple[tuple[str, str], ...] = (("Content-Type", "application/json"),)
    delay: float | None = None
    """Seconds before anything is sent; the server's own delay unless said here."""
    cut_after: int | None = None
    """Close the connection after so many bytes of the body, though more were promised."""
    byte_every: float | None = None
    """Send the body a byte at a time, with so many seconds between two."""
    header_byte_every: float | None = None
    """The same with the head of the reply."""
    silent: bool = False
    """Accept the request and never answer."""
    hang_up: bool = False
    """Close the connection without a word."""


class Fault:
    """The misbehaviours by name."""

    silence = Step(silent=True)
    hang_up = Step(hang_up=True)
    not_json = Step(body=b'{"choices": [{"mess')
    not_an_object = Step(body=b"[1, 2, 3]")
    empty = Step()
    web_page = Step(body=b"<html><body>Sign in</body></html>", headers=(("Content-Type", "text/html"),))

    @staticmethod
    def status(status: int, message: str = "no", *, retry_after: str | None = None, **error: Any) -> Step:
        """A reply with this status and an error in the usual form."""
        body = json.dumps({"error": {"message": message, **error}}).encode()
        more = (("Retry-After", retry_after),) if retry_after is not None else ()
        return Step(status=status, body=body, headers=(("Content-Type", "application/json"), *more))

    @staticmethod
    def redirect(to: str, status: int = 307) -> Step:
        """Elsewhere."""
        return Step(status=status, headers=(("Location", to),))

    @staticmethod
    def cut(step: Step, after: int = 20) -> Step:
        """The connection closes mid-reply."""
        return step._replace(cut_after=after)

    @staticmethod
    def trickle(step: Step, every: float = 0.05) -> Step:
        """The body comes a byte at a time."""
        return step._replace(byte_every=every)

    @staticmethod
    def slow_head(step: Step, every: float = 0.05) -> Step:
        """The head comes a byte at a time."""
        return step._replace(header_byte_every=every)

    @staticmethod
    def huge(size: int) -> Step:
        """Valid JSON of this size."""
        return Step(body=b'{"pad": "' + b"x" * (size - 11) + b'"}')


def chat(
    text: str | None,
    *,
    finish: str | None = "stop",
    usage: bool = True,
    model: str = "fake-1",
    tokens: tuple[int, int] = (100, 20),
    cached: int | None = None,
    **message: Any,
) -> Step:
    """A reply in the form of OpenAI's chat completions."""
    document: dict[str, Any] = {
        "id": "chat-1",
        "object": "chat.completion",
        "model": model,
        "choices": [
            {"index": 0, "message": {"role": "assistant", "content": text, **message}, "finish_reason": finish}
        ],
    }
    if usage:
        read, written = tokens
        document["usage"] = {"prompt_tokens": read, "completion_tokens": written, "total_tokens": read + written}
        if cached is not None:
            document["usage"]["prompt_tokens_details"] = {"cached_tokens": cached}
    return Step(body=json.dumps(document).encode())


def said(*blocks: dict[str, Any], stop: str = "end_turn") -> Step:
    """A reply in the form of Anthropic's messages."""
    document = {
        "id": "msg-1",
        "type": "message",
        "role": "assistant",
        "model": "fake-claude",
        "content": list(blocks),
        "stop_reason": stop,
        "usage": {"input_tokens": 90, "output_tokens": 10},
    }
    return Step(body=json.dumps(document).encode())


class FakeServer:
    """Listens on a port of its own, in a thread of its own, from `start` to `stop`."""

    def __init__(self, *, delay: float = 0.0) -> None:
        self.delay = delay
        self.script: list[Step] = []
        self.answer: Callable[[Asked], Step] = lambda asked: chat("ok")
        self.asked: list[Asked] = []
        self.keep = True
        """Whether requests are kept in `asked`; a benchmark counts only."""
        self.hold: Callable[[Asked], bool] = lambda asked: False
        """Whether a request waits for its reply a while longer, so that how many wait at once is not left to chance."""
        self.count = 0
        self.connections = 0
        self.most_at_once = 0
        self.port = 0
        self._busy = 0
        self._open: set[asyncio.Task[None]] = set()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread: threading.Thread | None = None

    @property
    def url(self) -> str:
        """The base address, as a user would configure it."""
        return f"http://127.0.0.1:{self.port}/v1"

    def __enter__(self) -> FakeServer:
        return self.start()

    def __exit__(self, *details: object) -> None:
        self.stop()

    def start(self) -> FakeServer:
        """Begin to listen; returns once the port is open."""
        ready = threading.Event()
        self._thread = threading.Thread(target=lambda: asyncio.run(self._serve(ready)), daemon=True)
        self._thread.start()
        assert ready.wait(10), "the fake server did not start"
        return self

    def stop(self) -> None:
        """Close every connection and the port."""
        if self._loop is not None and self._thread is not None and self._thread.is_alive():
            self._loop.call_soon_threadsafe(self._done.set)
            self._thread.join(10)

    async def _serve(self, ready: threading.Event, port: int = 0) -> None:
        self._loop = asyncio.get_running_loop()
        self._done = asyncio.Event()
        server = await asyncio.start_server(self._connection, "127.0.0.1", port, backlog=1024)
        self.port = server.sockets[0].getsockname()[1]
        ready.set()
        await self._done.wait()
        server.close()
        for task in list(self._open):
            task.cancel()
        await asyncio.gather(*self._open, return_exceptions=True)

    async def _connection(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._open.add(task)
        self.connections += 1
        try:
            while await self._exchange(reader, writer):
                pass
        except (ConnectionError, asyncio.IncompleteReadError, asyncio.CancelledError):
            pass
        finally:
            self._open.discard(task)
            writer.close()

    async def _exchange(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        """One request and what becomes of it; whether the connection stays open."""
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
        first, *lines = head.split("\r\n")
        method, path, _ = first.split(" ")
        headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines if line)}
        sent = await reader.readexactly(int(headers.get("content-length", "0")))
        self.count += 1
        kind = headers.get("content-type", "")
        body = sent if kind.startswith("multipart/") else json.loads(sent) if sent else None
        asked = Asked(method, path, headers, body, self.count)
        if self.keep:
            self.asked.append(asked)
        self._busy += 1
        self.most_at_once = max(self.most_at_once, self._busy)
        try:
            return await self._answer(asked, writer)
        finally:
            self._busy -= 1

    async def _answer(self, asked: Asked, writer: asyncio.StreamWriter) -> bool:
        step = self.script.pop(0) if self.script else self.answer(asked)
        delay = self.delay if step.delay is None else step.delay
        if delay:
            await asyncio.sleep(delay)
        while self.hold(asked):
            await asyncio.sleep(0.002)
        if step.silent:
            await asyncio.Event().wait()
        if step.hang_up:
            return False
        lines = [f"HTTP/1.1 {step.status} said", f"Content-Length: {len(step.body)}"]
        lines += [f"{name}: {value}" for name, value in step.headers]
        head = ("\r\n".join(lines) + "\r\n\r\n").encode("latin-1")
        if step.header_byte_every is None and step.byte_every is None and step.cut_after is None:
            writer.write(head + step.body)
            await writer.drain()
            return True
        await _send(writer, head, step.header_byte_every)
        await _send(writer, step.body[: step.cut_after], step.byte_every)
        return step.cut_after is None


async def _send(writer: asyncio.StreamWriter, data: bytes, every: float | None) -> None:
    pieces: Iterable[bytes] = (data,) if every is None else (data[n : n + 1] for n in range(len(data)))
    for piece in pieces:
        writer.write(piece)
        await writer.drain()
        if every is not None:
            await asyncio.sleep(every)


def main(arguments: list[str]) -> None:
    """Serve until standard input closes; the count of requests is printed at the end."""
    delay = float(arguments[arguments.index("--delay") + 1]) if "--delay" in arguments else 0.0
    server = FakeServer(delay=delay)
    server.keep = False
    with server:
        print(server.url, flush=True)
        sys.stdin.read()
    print(server.count, flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
