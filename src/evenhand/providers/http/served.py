"""A model behind a server, with any protocol: tries parameter forms in turn until the server accepts one."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from decimal import Decimal
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

from evenhand.providers.exchange import Reply, Request
from evenhand.providers.http.client import Client
from evenhand.providers.http.ladders import PICTURES, Ladder, Ladders, refuses_a_picture, vague
from evenhand.providers.http.responses import Rejected
from evenhand.providers.prices import Price
from evenhand.providers.tokens import estimate_input

if TYPE_CHECKING:
    from evenhand.providers.batch.batch_api import BatchApi

ONLY_REASONING = "the model reasoned and then gave no answer"


class Protocol(NamedTuple):
    """The API of a kind of server."""

    path: str
    fixed: Callable[[str, Request], dict[str, Any]]
    """The parameters that every request contains."""
    read: Callable[[Any], Reply]
    """Reads the reply from the response; ValueError when there is none."""
    ladders: tuple[Ladder, ...]
    """The parameters that a server may not support."""


class Served:
    """A model behind a server."""

    headers: ClassVar[Mapping[str, str]] = {}
    """Sent with every request."""
    key_header: ClassVar[str] = ""
    """The header that holds the key alone; empty: `Authorization`, with `Bearer`."""
    cached_at_most: ClassVar[Decimal | None] = None
    """The most that the vendor asks for a cached token, as a share of the price of input; None: its models differ."""
    cache_write_at_most: ClassVar[Decimal | None] = None
    """The most that it asks for a token that is added to its cache, unless it is to be kept for longer."""
    charges_alike: ClassVar[bool] = False
    """Whether these shares hold at every address, not only at the vendor's."""

    @classmethod
    def at(cls, client: Client, *, is_home: bool, **known: Any) -> Served:
        """The model behind a client; `is_home` says whether that is the vendor's own address."""
        return cls(client, **known)

    def batch_api(self) -> BatchApi | None:
        """The batch API that belongs to this one, if there is one."""
        return None

    def __init__(
        self,
        client: Client,
        protocol: Protocol,
        *,
        identity: Mapping[str, str],
        window: int | None,
        price: Price | None,
        extra: Mapping[str, Any] | None,
        no_pictures: str = "",
    ) -> None:
        self.identity = identity
        self.no_pictures = no_pictures
        """Why pictures are not passed, as a clause; empty when they are."""
        self.window = window
        self.price = price
        self._client = client
        self._protocol = protocol
        self._ladders = Ladders(protocol.ladders)
        self._extra = dict(extra or {})
        self._accepted = False  # whether the server has accepted a request in this run
        self._search = asyncio.Lock()
        self._no_pictures = ""  # why pictures are no longer sent
        self._searched = False  # whether leaving out parameters was tried in vain

    async def ask(self, request: Request) -> Reply:
        """One reply; CallFailed when there is none."""
        retry, unseen, suspected = False, "", False
        while True:
            body, rungs = self._ladders.body(request)
            try:
                reply = await self._send(request, body, retry=retry)
            except Rejected as error:
                retry = True
                one, pictured = refuses_a_picture(error), request.has_pictures and PICTURES not in self.refused
                if pictured and one:
                    request, unseen = request.as_text(), f"the server refuses one of them: {error.message}"
                elif self._ladders.step_down(error, rungs, request):
                    self._note_pictures(error, pictured)
                elif pictured and vague(error):
                    suspected, why = True, error
                    request, unseen = request.as_text(), _refuses_pictures(error)
                elif self._accepted or not vague(error):
                    raise
                else:
                    return await self._without_what_is_refused(request, rungs, error)
                continue
            self._accepted = True
            if suspected:
                self._ladders.leave_out(PICTURES)
                self._note_pictures(why, True)
            return reply._replace(unseen=unseen) if unseen else self.marked(reply, request, rungs)

    def _note_pictures(self, refusal: Rejected, were_sent: bool) -> None:
        """Say so when a refusal means that pictures are no longer sent."""
        if were_sent and PICTURES in self.refused and not self._no_pictures:
            self._no_pictures = _refuses_pictures(refusal)
            self._client.hooks.notice(
                f"{self.identity['name']} refuses images ({refusal.message or f'HTTP {refusal.status}'}); "
                "asking without them from now on"
            )

    def marked(self, reply: Reply, request: Request, rungs: tuple[int, ...]) -> Reply:
        """The reply, with the reason if the model did not see the pictures of the question."""
        if not request.has_pictures or not self._ladders.leaves_out(PICTURES, rungs):
            return reply
        return reply._replace(unseen=self._no_pictures or "the server refuses them")

    async def _without_what_is_refused(self, request: Request, sent: tuple[int, ...], refusal: Rejected) -> Reply:
        """Ask again without one parameter after another, since the server refuses one and does not say which.

        The search runs once: others that were refused wait for it, and then ask as it found.
        """
        async with self._search:
            body, rungs = self._ladders.body(request)
            if self._accepted and rungs != sent:
                return await self._send(request, body, retry=True)
            for name, body, rungs in () if self._searched else self._ladders.without_each(request):
                try:
                    reply = await self._send(request, body, retry=True)
                except Rejected as error:
                    if not vague(error):
                        raise
                    continue
                self._ladders.settle(rungs)
                self._accepted = True
                self._client.hooks.notice(
                    f"{self.identity['name']} refuses {name} ({refusal.message or f'HTTP {refusal.status}'}); "
                    "asking without it from now on"
                )
                return reply
            self._searched = True
        raise refusal

    async def _send(self, request: Request, body: dict[str, Any], *, retry: bool) -> Reply:
        path, _, read, _ = self._protocol
        whole = self._whole(request, body)
        tokens = estimate_input(request.messages) + request.max_tokens if self._client.counts_tokens else 0
        return await self._client.post(path, whole, read, tokens=tokens, used=used, retry=retry)

    def _whole(self, request: Request, body: dict[str, Any]) -> dict[str, Any]:
        return {**self._protocol.fixed(self.identity["model"], request), **body, **self._extra}

    def body(self, request: Request) -> tuple[dict[str, Any], tuple[int, ...]]:
        """The body of a call as the server accepts it, as far as known, and which forms it uses."""
        body, rungs = self._ladders.body(request)
        return self._whole(request, body), rungs

    def without_refused(self, refusal: Rejected, rungs: tuple[int, ...], request: Request) -> bool:
        """Whether a refused call can be made in another form from now on."""
        return self._ladders.step_down(refusal, rungs, request)

    def read(self, document: Any) -> Reply:
        """The reply in a response; ValueError when there is none."""
        return self._protocol.read(document)

    @property
    def client(self) -> Client:
        """The connection to the server."""
        return self._client

    @property
    def refused(self) -> tuple[str, ...]:
        """The parameters that the server refused in this run."""
        return self._ladders.refused()

    @property
    def reduced(self) -> tuple[str, ...]:
        """The parameters that it accepts in a reduced form only."""
        return self._ladders.reduced()

    async def models(self) -> tuple[str, ...]:
        """The models the server offers; CallFailed when it does not answer."""
        return await self._client.look("models", read_models)

    async def close(self) -> None:
        """Close connections."""
        await self._client.close()


def _refuses_pictures(refusal: Rejected) -> str:
    return f"the server refuses them ({refusal.message or f'HTTP {refusal.status}'})"


def used(reply: Reply) -> int | None:
    """The tokens a call used, for the limit per minute."""
    if reply.input_tokens is None or reply.output_tokens is None:
        return None
    return reply.input_tokens + reply.output_tokens


def read_models(document: Any) -> tuple[str, ...]:
    """The ids in a list of models. ValueError when it is not one."""
    entries = document.get("data") if isinstance(document, dict) else None
    if not isinstance(entries, list):
        raise ValueError("the reply is not a list of models")
    return tuple(str(entry["id"]) for entry in entries if isinstance(entry, dict) and "id" in entry)


def called_a_tool(name: Any) -> str:
    """What is wrong with a reply that calls a tool, which no question offers."""
    return f"the model called a tool ({brief(name)}) instead of answering" if name else "the model called a tool"


def brief(error: Any) -> str:
    """The message of an error inside a reply, on one line."""
    message = error.get("message", error) if isinstance(error, dict) else error
    return " ".join(str(message).split())[:300]


def clean(text: str) -> str:
    """A text without what files and databases cannot hold: lone surrogates and NUL."""
    if not text.isascii():
        text = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return text.replace("\0", "\ufffd")


def count(value: Any) -> int | None:
    """A number of tokens, or None for anything else."""
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None
