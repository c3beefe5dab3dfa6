"""OpenAI's chat completions API, also offered by vLLM, llama.cpp, Ollama, LM Studio and most hosted services."""

from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import Mapping, Sequence
from decimal import Decimal
from math import exp, isfinite, log
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from evenhand.providers.exchange import Message, Picture, Reply, Request, Token, relaxed
from evenhand.providers.http.ladders import PICTURE_WORDS, PICTURES, Ladder, nothing, sampling_ladders
from evenhand.providers.http.served import ONLY_REASONING, Served, called_a_tool, clean, count, no_message
from evenhand.providers.known import KnownProvider

if TYPE_CHECKING:
    from evenhand.providers.batch.batch_api import OpenAIBatches

_FINISH: dict[str | None, Literal["stop", "length", "refused"]] = {
    "stop": "stop",
    "length": "length",
    "content_filter": "refused",
}


class OpenAI(Served):
    """A model behind a server with this API."""

    cache_write_at_most = Decimal("1.25")

    path = "chat/completions"

    def fixed(self, request: Request) -> dict[str, Any]:
        return {"messages": [_turn(message.as_text()) for message in request.messages]}

    def parameters(self, is_home: bool) -> tuple[Ladder, ...]:
        return _ladders(is_home)

    @staticmethod
    def read(document: Any) -> Reply:
        return read_chat(document)

    def batch_api(self) -> OpenAIBatches:
        from evenhand.providers.batch.batch_api import OpenAIBatches

        return OpenAIBatches(self.client, self.identity["name"])


def _pictures(request: Request) -> dict[str, Any]:
    """The turns with their pictures, in place of those without."""
    return {"messages": [_turn(message) for message in request.messages]} if request.has_pictures else {}


def _cache_key(request: Request) -> dict[str, Any]:
    """OpenAI sends calls to a machine by their first words, which are ours and always the same, and by this key."""
    return {"prompt_cache_key": request.cache_key} if request.cache_key else {}


def _turn(message: Message) -> dict[str, Any]:
    if not message.pictures:
        return {"role": message.role, "content": message.content}
    before, after = message.content[: message.pictures_at], message.content[message.pictures_at :]
    pictures = [{"type": "image_url", "image_url": {"url": _data_url(picture)}} for picture in message.pictures]
    return {"role": message.role, "content": [_text_part(before), *pictures, _text_part(after)]}


def _text_part(text: str) -> dict[str, str]:
    return {"type": "text", "text": text}


def _data_url(picture: Picture) -> str:
    return f"data:{picture.media};base64,{b64encode(picture.data).decode()}"


def _ladders(newest: bool) -> tuple[Ladder, ...]:
    """Parameters a server may not support. OpenAI wants `max_completion_tokens`; most others only know `max_tokens`."""
    lengths = [lambda request: {"max_tokens": request.max_tokens}]
    lengths.insert(0 if newest else 1, lambda request: {"max_completion_tokens": request.max_tokens})
    return (
        Ladder(
            "schema",
            ("response_format", "json_schema", "json schema", "grammar", "schema", "maxitems", "maxlength"),
            (_schema, _without_limits, _object, nothing),
        ),
        Ladder("logprobs", ("logprobs",), (_logprobs(20), _logprobs(5), nothing)),
        Ladder("max_tokens", ("max_tokens", "max_completion_tokens"), (*lengths, nothing)),
        Ladder("seed", ("seed",), (lambda request: {} if request.seed is None else {"seed": request.seed}, nothing)),
        *sampling_ladders(),
        Ladder(PICTURES, PICTURE_WORDS, (_pictures, nothing)),
        *([Ladder("prompt_cache_key", ("prompt_cache_key",), (_cache_key, nothing))] if newest else []),
    )


def _schema(request: Request) -> dict[str, Any]:
    if request.schema is None:
        return {}
    form = {"name": "answer", "strict": True, "schema": request.schema}
    return {"response_format": {"type": "json_schema", "json_schema": form}}


def _without_limits(request: Request) -> dict[str, Any]:
    return {} if request.schema is None else _schema(request._replace(schema=relaxed(request.schema)))


def _object(request: Request) -> dict[str, Any]:
    return {} if request.schema is None else {"response_format": {"type": "json_object"}}


def _logprobs(most: int) -> Any:
    return lambda request: {"logprobs": True, "top_logprobs": most} if request.logprobs else {}


def read_chat(document: Any) -> Reply:
    """A chat completion as a reply, without the model's reasoning. ValueError when it is not a chat completion."""
    if not isinstance(document, dict):
        raise ValueError("the reply is not an object")
    choices = document.get("choices")
    choice = choices[0] if isinstance(choices, list) and choices else None
    message = choice.get("message") if isinstance(choice, dict) else None
    if not isinstance(choice, dict) or not isinstance(message, dict):
        error = document.get("error") or (choice.get("error") if isinstance(choice, dict) else None)
        raise no_message(error)
    if error := choice.get("error") or (choice.get("finish_reason") == "error" and "the server broke off"):
        raise no_message(error)
    usage = document.get("usage")
    usage = usage if isinstance(usage, dict) else {}
    refusal = message.get("refusal")
    finish = choice.get("finish_reason")
    text = clean(refusal) if isinstance(refusal, str) and refusal else _text(message.get("content"))
    called = _called(message)
    if not text.strip() and len(called) == 1 and called[0].arguments.strip() not in ("", "{}"):
        text = clean(called[0].arguments)
    return Reply(
        text=text,
        finish="refused" if refusal else _FINISH.get(finish if isinstance(finish, str) else None, "unknown"),
        model=clean(str(document.get("model") or "")),
        input_tokens=count(usage.get("prompt_tokens")),
        output_tokens=_output_tokens(usage),
        cached_tokens=_cached(document, usage),
        written_tokens=count(_details(usage).get("cache_write_tokens")),
        tokens=_tokens(choice.get("logprobs"), text) if not refusal else (),
        instead="" if text.strip() else _instead(message, called),
    )


def _output_tokens(usage: dict[str, Any]) -> int | None:
    """Output tokens; where the total is larger, the rest are thoughts that Google's servers count only there."""
    read, written, total = (count(usage.get(f"{kind}_tokens")) for kind in ("prompt", "completion", "total"))
    if read is None or written is None or total is None:
        return written
    return max(written, total - read)


class _Called(NamedTuple):
    """A tool that was called, though none was offered: some models answer in that form."""

    name: Any
    arguments: str


def _called(message: dict[str, Any]) -> list[_Called]:
    calls = message.get("tool_calls") or ([message["function_call"]] if message.get("function_call") else [])
    called = []
    for call in calls if isinstance(calls, list) else ():
        function = call.get("function", call) if isinstance(call, dict) else None
        written = function.get("arguments") if isinstance(function, dict) else None
        text = written if isinstance(written, str) else "" if written is None else json.dumps(written)
        called.append(_Called(function.get("name") if isinstance(function, dict) else None, text))
    return called


def _instead(message: dict[str, Any], called: Sequence[_Called]) -> str:
    """What a message without a text contains."""
    if called:
        return called_a_tool(called[0].name)
    reasoning = message.get("reasoning_content") or message.get("reasoning") or message.get("reasoning_details")
    return ONLY_REASONING if reasoning else ""


def _details(usage: Mapping[str, Any]) -> Mapping[str, Any]:
    details = usage.get("prompt_tokens_details")
    return details if isinstance(details, dict) else {}


def _cached(document: Mapping[str, Any], usage: Mapping[str, Any]) -> int | None:
    """The cached input tokens as OpenAI and most servers count them, else as DeepSeek or llama.cpp does."""
    timings = document.get("timings")
    counts = (
        _details(usage).get("cached_tokens"),
        usage.get("prompt_cache_hit_tokens"),
        timings.get("cache_n") if isinstance(timings, dict) else None,
    )
    return next((number for value in counts if (number := count(value)) is not None), None)


def _text(content: Any) -> str:
    """A message's text: a string, or the text parts of a list."""
    if isinstance(content, list):
        parts = (part.get("text") for part in content if isinstance(part, dict) and part.get("type") in ("text", None))
        content = "".join(part for part in parts if isinstance(part, str))
    return clean(content) if isinstance(content, str) else ""


def _tokens(logprobs: Any, text: str) -> tuple[Token, ...]:
    """The reply token by token; none if any entry is incomplete, because half a distribution misleads.

    llama.cpp strips a fence like ```json from the text but not from the tokens; tokens before the text are dropped.
    """
    content = logprobs.get("content") if isinstance(logprobs, dict) else None
    if not isinstance(content, list):
        return ()
    try:
        tokens = tuple(_token(entry) for entry in content)
    except (AttributeError, KeyError, TypeError):
        return ()
    before = "".join(token.text for token in tokens).find(text)
    first = 0
    while before > 0 and first < len(tokens):
        before -= len(tokens[first].text)
        first += 1
    return tokens[first:] if before == 0 else tokens


def _token(entry: dict[str, Any]) -> Token:
    """One token. Alternatives with the same text, such as two end tokens, are added up."""
    token = clean(str(entry["token"]))
    alternatives: dict[str, float] = {}
    for alternative in entry.get("top_logprobs") or ():
        text, logarithm = clean(str(alternative["token"])), float(alternative["logprob"])
        if isfinite(logarithm):
            known = alternatives.get(text)
            alternatives[text] = min(logarithm if known is None else log(exp(logarithm) + exp(known)), 0.0)
    if token not in alternatives and isfinite(logarithm := float(entry["logprob"])):
        alternatives[token] = min(logarithm, 0.0)
    return Token(text=token, alternatives=alternatives)


PROVIDER = KnownProvider(
    "openai",
    "a model of OpenAI's, or of any server with its chat completions API, with `--base-url`",
    place=1,
    serve=OpenAI,
    address="https://api.openai.com/v1",
    key="OPENAI_API_KEY",
)
