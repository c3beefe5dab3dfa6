"""A model in this process: any GGUF file, run by llama.cpp through the package `xllamacpp` (evenhand[local]).

One call at a time, in its own thread. A cancelled call stops at its next token.
"""

from __future__ import annotations

import asyncio
import os
import threading
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any

from evenhand.errors import InputError
from evenhand.providers.builtin.openai import body_for_llama, read_chat
from evenhand.providers.configured import Configured
from evenhand.providers.exchange import CallFailed, Reply, Request
from evenhand.providers.gguf import Gguf, read_gguf
from evenhand.providers.http.responses import one_line
from evenhand.providers.known import KnownProvider, Standing
from evenhand.providers.prices import FREE

DEFAULT_WINDOW = 8192
"""Tokens, unless evenhand.toml says otherwise: memory use grows with it, and many models support 131072."""


class Local:
    """A model file, loaded at the first question."""

    price = FREE

    def __init__(self, path: str, *, window: int | None = None, threads: int | None = None) -> None:
        _package()
        head = read_gguf(path)
        self.window = _window(head, window)
        self.identity: Mapping[str, str] = {
            "name": f"local:{Path(path).name}",
            "provider": "local",
            "model": Path(path).name,
            "fingerprint": head.fingerprint,
            "runtime": f"xllamacpp {_version()}",
        }
        self._path = path
        self._threads = threads or os.cpu_count() or 1
        self._server: Any = None
        self.tokens_under_way = 0
        """The tokens so far of the reply that the model is writing."""
        self._broken = ""
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="evenhand-local")

    async def ask(self, request: Request) -> Reply:
        """One reply; CallFailed when there is none."""
        given_up = threading.Event()
        work = partial(self._answer, body_for_llama(request), given_up)
        try:
            return await asyncio.get_running_loop().run_in_executor(self._thread, work)
        finally:
            given_up.set()

    async def models(self) -> tuple[str, ...]:
        """The one model there is."""
        return (self.identity["model"],)

    async def close(self) -> None:
        """Wait for the thread, then free the model's memory."""
        await asyncio.to_thread(self._thread.shutdown, wait=True, cancel_futures=True)
        self._server = None

    def _answer(self, body: dict[str, Any], given_up: threading.Event) -> Reply:
        pieces: list[Any] = []

        def more(piece: Any) -> bool:
            pieces.append(piece)
            self.tokens_under_way = len(pieces)
            return given_up.is_set()

        reason = ""
        try:
            self._loaded().handle_chat_completions(body, more)
            return read_chat(_whole(pieces))._replace(model=self.identity["model"])
        except (ValueError, RuntimeError) as error:
            reason = one_line(str(error), None)
        finally:
            self.tokens_under_way = 0
        raise CallFailed(f"{self.identity['name']}: {reason}", kind="rejected")

    def _loaded(self) -> Any:
        if self._broken:
            raise RuntimeError(self._broken)
        if self._server is None:
            try:
                self._server = _package().Server(self._parameters())
            except RuntimeError:
                self._broken = (
                    "llama.cpp cannot load this model: the file is damaged, too new, or larger than the memory"
                )
                raise RuntimeError(self._broken) from None
        return self._server

    def _parameters(self) -> Any:
        import secrets

        settings = _package().CommonParams()
        settings.model.path = self._path
        settings.n_ctx = self.window
        settings.n_parallel = 1
        settings.cpuparams.n_threads = settings.cpuparams_batch.n_threads = self._threads
        settings.warmup = False
        settings.verbosity = -1
        # llama.cpp also opens a local port; a random key keeps others out.
        settings.api_keys = [secrets.token_hex(32)]
        return settings


def _window(head: Gguf, configured: int | None) -> int:
    window = configured or DEFAULT_WINDOW
    return min(window, head.context) if head.context else window


def _whole(pieces: list[Any]) -> dict[str, Any]:
    """The chunks of a streamed reply, combined into one."""
    text: list[str] = []
    tokens: list[Any] = []
    finish = usage = None
    for piece in pieces:
        if "error" in piece:
            raise ValueError(str(piece["error"].get("message", "no reply")))
        usage = piece.get("usage") or usage
        for choice in piece.get("choices", ()):
            text.append(choice.get("delta", {}).get("content") or "")
            tokens += (choice.get("logprobs") or {}).get("content") or ()
            finish = choice.get("finish_reason") or finish
    choice = {"message": {"content": "".join(text)}, "finish_reason": finish, "logprobs": {"content": tokens}}
    return {"choices": [choice], "usage": usage}


def installed() -> bool:
    """Whether models can be run in this process."""
    from importlib.util import find_spec

    return find_spec("xllamacpp") is not None


def _package() -> Any:
    try:
        return import_module("xllamacpp")
    except ImportError:
        raise InputError("local: needs the package xllamacpp; install it with: pip install 'evenhand[local]'") from None


def _version() -> str:
    from importlib.metadata import version

    return version("xllamacpp")


def _open(spec: str, file: str, table: Configured, environment: Mapping[str, str]) -> Local:
    return Local(file, window=table.window, threads=table.threads)


def _status(table: Configured, environment: Mapping[str, str], strict: bool) -> Standing:
    if installed():
        return Standing("local", answers=True, detail="any model in a GGUF file: local:FILE.gguf", price=FREE)
    return Standing("local", answers=None, detail="not installed: pip install 'evenhand[local]'", price=FREE)


PROVIDER = KnownProvider(
    "local",
    "a model's file, in this process; needs `evenhand[local]`",
    form="local:FILE.gguf",
    place=7,
    kind="local",
    open=_open,
    status=_status,
    settings=("model", "window", "max_tokens", "threads"),
    takes="a file",
)
