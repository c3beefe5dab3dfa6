"""A model behind a server, with any protocol: tries parameter forms in turn until the server accepts one."""

from __future__ import annotations

import asyncio
from abc import ABC, abstractmethod
from collections.abc import Mapping
from decimal import Decimal
from typing import TYPE_CHECKING, Any, ClassVar

from evenhand.providers.exchange import Reply, Request
from evenhand.providers.http.client import Client
from evenhand.providers.http.failures import Rejected
from evenhand.providers.http.ladders import PICTURES, Ladder, Ladders, refuses_a_picture, vague
from evenhand.providers.prices import Price
from evenhand.providers.tokens import estimate_input

if TYPE_CHECKING:
    from evenhand.providers.batch.batch_api import BatchApi

ONLY_REASONING = "the model reasoned and then gave no answer"


class Served(ABC):
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

    path: ClassVar[str]
    """Where questions go, below the server's address."""

    def __init__(
        self,
        client: Client,
        *,
        identity: Mapping[str, str],
        window: int | None = None,
        price: Price | None = None,
        extra: Mapping[str, Any] | None = None,
        listed: str = "",
        no_pictures: str = "",
        is_home: bool = False,
    ) -> None:
        """`is_home` says whether the client leads to the vendor's own address."""
        self.client = client
        self.identity = identity
        self.no_pictures = no_pictures
        """Why pictures are not passed, as a clause; empty when they are."""
        self.window = window
        self.price = price
        self.listed = listed
        """The day of the list that the price is from; empty where it was set, or is not known."""
        self.ladders = Ladders(self.parameters(is_home))
        self._extra = dict(extra or {})
        self._accepted = False  # whether the server has accepted a request in this run
        self._search = asyncio.Lock()
        self._no_pictures = ""  # why pictures are no longer sent
        self._searched = False  # whether leaving out parameters was tried in vain

    @abstractmethod
    def fixed(self, request: Request) -> dict[str, Any]:
        """What every request contains beside the model's name."""

    @abstractmethod
    def parameters(self, is_home: bool) -> tuple[Ladder, ...]:
        """The parameters that a server may not support."""

    @staticmethod
    @abstractmethod
    def read(document: Any) -> Reply:
        """The reply in a response; ValueError when there is none."""

    def batch_api(self) -> BatchApi | None:
        """The batch API that belongs to this one, if there is one."""
        return None

    async def ask(self, request: Request) -> Reply:
        """One reply; CallFailed when there is none."""
        retry, unseen, suspected = False, "", False
        while True:
            body, rungs = self.ladders.body(request)
            try:
                reply = await self._send(request, body, retry=retry)
            except Rejected as error:
                retry = True
                one, pictured = refuses_a_picture(error), request.has_pictures and PICTURES not in self.refused
                if pictured and one:
                    request, unseen = request.as_text(), f"the server refuses one of them: {error.message}"
                elif self.ladders.step_down(error, rungs, request):
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
                self.ladders.leave_out(PICTURES)
                self._note_pictures(why, True)
            return reply._replace(unseen=unseen) if unseen else self.marked(reply, request, rungs)

    def _note_pictures(self, refusal: Rejected, were_sent: bool) -> None:
        """Say so when a refusal means that pictures are no longer sent."""
        if were_sent and PICTURES in self.refused and not self._no_pictures:
            self._no_pictures = _refuses_pictures(refusal)
            self.client.hooks.notice(
                f"{self.identity['name']} refuses images ({refusal.message or f'HTTP {refusal.status}'}); "
                "asking without them from now on"
            )

    def marked(self, reply: Reply, request: Request, rungs: tuple[int, ...]) -> Reply:
        """The reply, with the reason if the model did not see the pictures of the question."""
        if not request.has_pictures or not self.ladders.leaves_out(PICTURES, rungs):
            return reply
        return reply._replace(unseen=self._no_pictures or "the server refuses them")

    async def _without_what_is_refused(self, request: Request, sent: tuple[int, ...], refusal: Rejected) -> Reply:
        """Ask again without one parameter after another, since the server refuses one and does not say which.

        The search runs once: others that were refused wait for it, and then ask as it found.
        """
        async with self._search:
            body, rungs = self.ladders.body(request)
            if self._accepted and rungs != sent:
                return await self._send(request, body, retry=True)
            for name, body, rungs in () if self._searched else self.ladders.without_each(request):
                try:
                    reply = await self._send(request, body, retry=True)
                except Rejected as error:
                    if not vague(error):
                        raise
                    continue
                self.ladders.settle(rungs)
                self._accepted = True
                self.client.hooks.notice(
                    f"{self.identity['name']} refuses {name} ({refusal.message or f'HTTP {refusal.status}'}); "
                    "asking without it from now on"
                )
                return reply
            self._searched = True
        raise refusal

    async def _send(self, request: Request, body: dict[str, Any], *, retry: bool) -> Reply:
        whole = self._whole(request, body)
        tokens = estimate_input(request.messages) + request.max_tokens if self.client.counts_tokens else 0
        return await self.client.post(self.path, whole, self.read, tokens=tokens, used=used, retry=retry)

    def _whole(self, request: Request, body: dict[str, Any]) -> dict[str, Any]:
        return {"model": self.identity["model"], **self.fixed(request), **body, **self._extra}

    def body(self, request: Request) -> tuple[dict[str, Any], tuple[int, ...]]:
        """The body of a call as the server accepts it, as far as known, and which forms it uses."""
        body, rungs = self.ladders.body(request)
        return self._whole(request, body), rungs

    @property
    def refused(self) -> tuple[str, ...]:
        """The parameters that the server refused in this run."""
        return self.ladders.refused()

    @property
    def reduced(self) -> tuple[str, ...]:
        """The parameters that it accepts in a reduced form only."""
        return self.ladders.reduced()

    async def models(self) -> tuple[str, ...]:
        """The models the server offers; CallFailed when it does not answer."""
        return await self.client.look("models", read_models)

    async def close(self) -> None:
        """Close connections."""
        await self.client.close()


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


def no_message(error: Any) -> ValueError:
    """What is wrong with a reply that has an error, or nothing, in place of a message."""
    return ValueError(f"the reply contains an error: {brief(error)}" if error else "the reply contains no message")


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
