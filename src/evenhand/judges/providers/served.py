"""A model behind a server, whatever protocol it speaks: asked in the forms the server takes, one after another."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from evenhand.judges.providers.exchange import Reply, Request
from evenhand.judges.providers.http import Client
from evenhand.judges.providers.ladders import Ladder, Ladders
from evenhand.judges.providers.prices import Price
from evenhand.judges.providers.responses import Rejected
from evenhand.judges.providers.tokens import estimate_input


class Protocol(NamedTuple):
    """How a kind of server is spoken to."""

    path: str
    fixed: Callable[[str, Request], dict[str, Any]]
    """What is sent to a model, whatever else the server takes."""
    read: Callable[[Any], Reply]
    """The reply in what came back; ValueError when there is none."""
    ladders: tuple[Ladder, ...]
    """What a server may not know."""


class Served:
    """A model behind a server."""

    def __init__(
        self,
        client: Client,
        protocol: Protocol,
        *,
        identity: Mapping[str, str],
        window: int | None,
        price: Price | None,
        extra: Mapping[str, Any] | None,
    ) -> None:
        self.identity = identity
        self.window = window
        self.price = price
        self._client = client
        self._protocol = protocol
        self._ladders = Ladders(protocol.ladders)
        self._extra = dict(extra or {})

    async def ask(self, request: Request) -> Reply:
        """One reply; CallFailed when there is none."""
        path, fixed, read, _ = self._protocol
        always = fixed(self.identity["model"], request)
        tokens = estimate_input(request.messages) + request.max_tokens if self._client.counts_tokens else 0
        while True:
            body, rungs = self._ladders.body(request)
            whole = {**always, **body, **self._extra}
            try:
                return await self._client.post(path, whole, read, tokens=tokens, used=used)
            except Rejected as error:
                if not self._ladders.step_down(error, rungs, request):
                    raise

    async def models(self) -> tuple[str, ...]:
        """The models the server offers; CallFailed when it does not answer."""
        return await self._client.look("models", read_models)

    async def close(self) -> None:
        """Let go of connections."""
        await self._client.close()


def used(reply: Reply) -> int | None:
    """The tokens a call took, for the limit a minute."""
    if reply.input_tokens is None or reply.output_tokens is None:
        return None
    return reply.input_tokens + reply.output_tokens


def read_models(document: Any) -> tuple[str, ...]:
    """The ids in a list of models. ValueError when it is no such list."""
    entries = document.get("data") if isinstance(document, dict) else None
    if not isinstance(entries, list):
        raise ValueError("the reply is no list of models")
    return tuple(str(entry["id"]) for entry in entries if isinstance(entry, dict) and "id" in entry)


def brief(error: Any) -> str:
    """What an error inside a reply says, on one line."""
    said = error.get("message", error) if isinstance(error, dict) else error
    return " ".join(str(said).split())[:300]


def clean(text: str) -> str:
    """A text as it came, but for what no file and no database can hold: half a surrogate pair, and NUL."""
    if not text.isascii():
        text = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return text.replace("\0", "\ufffd")


def count(value: Any) -> int | None:
    """A number of tokens, or None for anything else."""
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None
