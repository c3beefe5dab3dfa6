"""Requests to models and their replies, independent of any vendor."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal, NamedTuple, Protocol

from evenhand.errors import Unavailable


class Picture(NamedTuple):
    """A picture that is passed to a model."""

    media: str
    data: bytes
    label: str
    """What and where it is, with its SHA-256, on one line."""
    tokens: int
    """A high estimate of what it takes."""


class Message(NamedTuple):
    """One turn of the conversation with a model."""

    role: Literal["system", "user", "assistant"]
    content: str
    breaks: tuple[int, ...] = ()
    """Where parts end that other calls share: a server may cache everything up to such a place."""
    pictures: tuple[Picture, ...] = ()
    pictures_at: int = 0
    """Where in the content the pictures belong."""
    no_pictures: str = ""
    """What the content says there if the server refuses them."""

    def as_text(self) -> Message:
        """The turn without its pictures."""
        if not self.pictures:
            return self
        at, note = self.pictures_at, self.no_pictures
        breaks = tuple(place if place <= at else place + len(note) for place in self.breaks)
        return Message(self.role, self.content[:at] + note + self.content[at:], breaks)


Sampling = tuple[tuple[str, Any], ...]
USUAL: Sampling = (("temperature", 0.0),)


class Request(NamedTuple):
    """One call: everything that affects its reply except the model itself."""

    messages: tuple[Message, ...]
    schema: Mapping[str, Any] | None = None
    """The JSON Schema of the reply, for servers that can enforce one."""
    max_tokens: int = 2048
    sampling: Sampling = USUAL
    """How the server draws the reply: parameters by name, as options for asking models declare them."""
    seed: int | None = None
    logprobs: bool = False
    """Whether to request token probabilities, where the server offers them."""
    cache_key: str = ""
    """Equal for calls that share a long beginning, for servers that distribute calls over machines."""

    @property
    def has_pictures(self) -> bool:
        """Whether any turn has pictures."""
        return any(message.pictures for message in self.messages)

    def as_text(self) -> Request:
        """The call without pictures."""
        return self._replace(messages=tuple(message.as_text() for message in self.messages))


class Token(NamedTuple):
    """A token of a reply, with the log probabilities of the alternatives."""

    text: str
    alternatives: Mapping[str, float]
    """Including the token itself."""


class Reply(NamedTuple):
    """A raw reply."""

    text: str
    finish: Literal["stop", "length", "refused", "unknown"] = "stop"
    model: str = ""
    """The model as the server names it."""
    input_tokens: int | None = None
    """All of them, cached or not."""
    output_tokens: int | None = None
    tokens: tuple[Token, ...] = ()
    """The reply token by token; empty where the server gives no probabilities."""
    cached_tokens: int | None = None
    """The input tokens that the server had in its cache."""
    written_tokens: int | None = None
    """The input tokens that it added to its cache, where it charges for that."""
    reported_cost: str | None = None
    """US dollars, where the reply itself says what it cost."""
    instead: str = ""
    """What the reply holds where a text was expected, as a clause; empty when there is a text, or nothing at all."""
    discounted: bool = False
    """Whether it came in a batch, for half the price."""
    unseen: str = ""
    """Why the model did not see the pictures of the question, as a clause; empty when it did, or there were none."""


class CallFailed(Unavailable):
    """A call without a reply. Becomes `Unscored`, never a number."""

    def __init__(
        self, reason: str, *, kind: Literal["unreachable", "timeout", "limited", "server", "rejected"]
    ) -> None:
        super().__init__(reason)
        self.kind = kind
        """unreachable, timeout, limited (429) and server (5xx) may be temporary; rejected (other 4xx, 3xx) is not."""


class Stopped(Exception):
    """The call was not made: the run is stopping, or its budget of calls or money is spent."""


class Provider(Protocol):
    """Answers requests. It handles retries, limits and time-outs itself."""

    @property
    def identity(self) -> Mapping[str, str]:
        """What affects its replies: at least `name` (the judge's spec), `provider` and `model`. Never a key."""

    @property
    def window(self) -> int | None:
        """How many tokens a call may hold, question and reply together; None when unknown."""

    async def ask(self, request: Request) -> Reply:
        """One reply; CallFailed when there is none."""

    async def close(self) -> None:
        """Close connections."""


class WrittenSchema(dict[str, Any]):
    """A schema with its JSON text."""

    def __init__(self, schema: Mapping[str, Any], text: str) -> None:
        super().__init__(schema)
        self.text = text


def relaxed(schema: Any) -> Any:
    """A schema for servers that reject limits: any length, and any score with any band."""
    if isinstance(schema, Mapping):
        if "anyOf" in schema:
            return relaxed(_either(schema["anyOf"]))
        return {key: relaxed(value) for key, value in schema.items() if key not in ("maxItems", "maxLength")}
    return [relaxed(item) for item in schema] if isinstance(schema, list) else schema


def _either(objects: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Merge object schemas with the same keys: each key accepts what any of them accepts."""
    keys = dict(objects[0]["properties"])
    for key, value in keys.items():
        if "enum" in value:
            allowed = [option for schema in objects for option in schema["properties"][key]["enum"]]
            keys[key] = {**value, "enum": sorted(allowed) if value["type"] == "integer" else allowed}
    return closed_object(keys)


def closed_object(keys: dict[str, Any]) -> dict[str, Any]:
    return {"type": "object", "properties": keys, "required": list(keys), "additionalProperties": False}
