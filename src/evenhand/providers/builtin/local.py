"""A model in this process: any GGUF file, run by llama.cpp through the package `xllamacpp` (evenhand[local]).

One call at a time, in its own thread. A cancelled call stops at its next token. Before the first question, one cheap
call shows whether the model follows a schema, and llama.cpp is asked how large a window it really has. A model that
cannot follow a schema is held to a grammar for JSON, or else asked for plain text; one that cannot do that is refused.
"""

from __future__ import annotations

import asyncio
import json
import os
import re
import threading
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

from evenhand.errors import InputError
from evenhand.providers.builtin.openai import body_for_llama, read_chat
from evenhand.providers.configured import Configured
from evenhand.providers.exchange import CallFailed, Reply, Request
from evenhand.providers.gguf import Gguf, read_gguf
from evenhand.providers.http.failures import one_line
from evenhand.providers.known import KnownProvider, Standing
from evenhand.providers.prices import FREE

_JSON = r"""
root ::= object
object ::= "{" ws (string ":" ws value ws ("," ws string ":" ws value ws)*)? "}"
array ::= "[" ws (value ws ("," ws value ws)*)? "]"
value ::= object | array | string | number | "true" | "false" | "null"
string ::= "\"" ([^"\\\x00-\x1f] | "\\" (["\\/bfnrt] | "u" [0-9a-fA-F] [0-9a-fA-F] [0-9a-fA-F] [0-9a-fA-F]))* "\""
number ::= "-"? [0-9]+ ("." [0-9]+)?
ws ::= [ \n]?
"""
"""A grammar for any JSON object, in llama.cpp's notation."""
_ANSWERS = re.compile(r"\b(?:3|7|three|seven)\b", re.I)
TRIAL_TOKENS = 40
"""Tokens of a reply in a trial."""

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
        self._form = _FORMS[0]
        self._secret = ""  # of the port that llama.cpp opens
        self._note = ""
        self.notice: Callable[[str], None] = lambda text: None
        """Gets a sentence for the user."""
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="evenhand-local")

    async def ask(self, request: Request) -> Reply:
        """One reply; CallFailed when there is none."""
        given_up = threading.Event()
        work = partial(self._answer, body_for_llama(request), given_up)
        try:
            return await asyncio.get_running_loop().run_in_executor(self._thread, work)
        finally:
            given_up.set()
            if self._note:
                note, self._note = self._note, ""
                self.notice(note)

    async def models(self) -> tuple[str, ...]:
        """The one model there is."""
        return (self.identity["model"],)

    async def close(self) -> None:
        """Wait for the thread, then free the model's memory."""
        await asyncio.to_thread(self._thread.shutdown, wait=True, cancel_futures=True)
        self._server = None

    def _answer(self, body: dict[str, Any], given_up: threading.Event) -> Reply:
        reason = ""
        try:
            server = self._loaded()
            return self._reply(server, self._form.shape(body), given_up)
        except (ValueError, RuntimeError) as error:
            reason = one_line(str(error), None)
        raise CallFailed(f"{self.identity['name']}: {reason}", kind="rejected")

    def _reply(self, server: Any, body: dict[str, Any], given_up: threading.Event) -> Reply:
        """One reply of a loaded model; ValueError or RuntimeError when there is none."""
        pieces: list[Any] = []

        def more(piece: Any) -> bool:
            pieces.append(piece)
            self.tokens_under_way = len(pieces)
            return given_up.is_set()

        try:
            server.handle_chat_completions(body, more)
            return read_chat(_whole(pieces))._replace(model=self.identity["model"])
        finally:
            self.tokens_under_way = 0

    def _loaded(self) -> Any:
        if self._broken:
            raise RuntimeError(self._broken)
        if self._server is None:
            try:
                server = _package().Server(self._parameters())
            except RuntimeError:
                self._broken = (
                    "llama.cpp cannot load this model: the file is damaged, too new, or larger than the memory"
                )
                raise RuntimeError(self._broken) from None
            self._broken = self._too_small(server) or self._find_form(server)
            if self._broken:
                raise RuntimeError(self._broken)
            self._server = server
        return self._server

    def _too_small(self, server: Any) -> str:
        """What to do if the model has a smaller window than questions are made for; empty if it does not."""
        window = _real_window(server.listening_address, self._secret)
        if window is None or window >= self.window:
            return ""
        return (
            f"its window has {window:,} tokens, not {self.window:,}; "
            f"set window = {window} under [judges.local] in evenhand.toml"
        )

    def _find_form(self, server: Any) -> str:
        """Choose the strictest form of reply that the model can follow; if there is none, what to do about it."""
        from evenhand.providers.trial import REQUEST

        body = body_for_llama(REQUEST._replace(max_tokens=TRIAL_TOKENS, logprobs=False))
        for form in _FORMS:
            try:
                followed = form.followed(self._reply(server, form.shape(body), threading.Event()))
            except (ValueError, RuntimeError):
                followed = False
            if followed:
                if form is not _FORMS[0]:
                    self._note = f"{self.identity['name']} cannot follow a schema; {form.words}"
                self._form = form
                return ""
        return (
            "it follows neither a schema nor a grammar, and does not answer a simple question in text; use a model "
            "that is tuned to follow instructions (its name often ends in -Instruct, -it or -Chat), or run it in "
            "Ollama and name it as ollama:MODEL"
        )

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
        self._secret = secrets.token_hex(32)
        settings.api_keys = [self._secret]
        return settings


def _window(head: Gguf, configured: int | None) -> int:
    window = configured or DEFAULT_WINDOW
    return min(window, head.context) if head.context else window


class _Form(NamedTuple):
    """A way to hold a model to the form of a reply."""

    words: str
    """What is done instead of a schema."""
    shape: Callable[[dict[str, Any]], dict[str, Any]]
    """Turns the body of a call with a schema into one of this form."""
    followed: Callable[[Reply], bool]
    """Whether the reply to the trial shows that it works."""


def _without_schema(body: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in body.items() if name != "response_format"}


def _with_grammar(body: dict[str, Any]) -> dict[str, Any]:
    return {**_without_schema(body), "grammar": _JSON} if "response_format" in body else body


def _in_schema(reply: Reply) -> bool:
    from evenhand.providers.trial import follows_schema

    # A weak model may fill the trial with spaces between two keys; what it wrote so far is in the schema all the same.
    return follows_schema(reply) or (reply.finish == "length" and reply.text.startswith("{"))


_FORMS = (
    _Form("", lambda body: body, _in_schema),
    _Form(
        "its replies are held to a grammar for JSON instead",
        _with_grammar,
        lambda reply: reply.text.lstrip().startswith("{"),
    ),
    _Form(
        "its replies are read as plain text, without quotes, so that high scores stay unscored",
        _without_schema,
        lambda reply: _ANSWERS.search(reply.text) is not None,
    ),
)


def _real_window(address: str, secret: str) -> int | None:
    """How many tokens llama.cpp gives a conversation; None if it does not say."""
    from http.client import HTTPConnection, HTTPException
    from urllib.parse import urlsplit

    connection = HTTPConnection(urlsplit(address).netloc, timeout=10)  # no proxy stands before our own process
    try:
        connection.request("GET", "/props", headers={"Authorization": f"Bearer {secret}"})
        window = json.loads(connection.getresponse().read())["default_generation_settings"]["n_ctx"]
    except (OSError, HTTPException, ValueError, KeyError, TypeError):
        return None
    finally:
        connection.close()
    return window if isinstance(window, int) and window > 0 else None


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
