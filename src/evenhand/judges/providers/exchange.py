"""What passes between a question, a model and the reader of its reply. Nothing here knows a vendor."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, NamedTuple, Protocol

from evenhand.errors import Unavailable


class Message(NamedTuple):
    """One turn of the conversation with a model."""

    role: Literal["system", "user", "assistant"]
    content: str


class Request(NamedTuple):
    """One call: everything that shapes its reply, but for the model itself."""

    messages: tuple[Message, ...]
    schema: Mapping[str, Any] | None = None
    """The JSON Schema of the reply, for servers that can hold a model to one."""
    max_tokens: int = 2048
    temperature: float = 0.0
    seed: int | None = None
    logprobs: bool = False
    """Whether the probabilities of the tokens are wanted, where the server offers them."""


class Token(NamedTuple):
    """A token of a reply, with the logarithms of the probabilities of what could have stood there."""

    text: str
    alternatives: Mapping[str, float]
    """Itself included."""


class Reply(NamedTuple):
    """What came back, as it came."""

    text: str
    finish: Literal["stop", "length", "refused", "unknown"] = "stop"
    model: str = ""
    """The model as the server names it."""
    input_tokens: int | None = None
    output_tokens: int | None = None
    tokens: tuple[Token, ...] = ()
    """The reply token by token; empty where the server gives no probabilities."""


class CallFailed(Unavailable):
    """A call that brought no reply: nothing was scored, nothing is known. Becomes `Unscored`, never a number."""

    def __init__(
        self, reason: str, *, kind: Literal["unreachable", "timeout", "limited", "server", "rejected"]
    ) -> None:
        super().__init__(reason)
        self.kind = kind
        """unreachable, timeout, limited (429) and server (5xx) may pass; rejected (other 4xx, redirects) will not."""


class Stopped(Exception):
    """The run is ending, or its budget of calls or money is spent: the call was never made."""


class Provider(Protocol):
    """A place that answers requests. Retries, limits and time-outs are its own business."""

    @property
    def identity(self) -> Mapping[str, str]:
        """What of it shapes a reply: at least `name` (the judge's spec), `provider` and `model`. Never a key."""

    @property
    def window(self) -> int | None:
        """How many tokens a call may hold, question and reply together; None when unknown."""

    async def ask(self, request: Request) -> Reply:
        """One reply; CallFailed when there is none."""

    async def close(self) -> None:
        """Let go of connections."""
