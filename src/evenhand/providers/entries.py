"""A project's provider settings: the tables `[judges.NAME]`, validated, with a line number for every problem.

A reader's ValueError says what is valid and never repeats a secret.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from decimal import Decimal
from typing import Any
from urllib.parse import urlsplit

from evenhand.errors import InputError, Problem, unknown
from evenhand.files.entry import Entry
from evenhand.files.located import Located
from evenhand.providers.known import Configured, KnownProvider
from evenhand.providers.prices import Price
from evenhand.providers.registry import RESERVED, find_provider

KINDS = ("openai", "anthropic")

SECRET_NAMES = ("key", "api_key", "apikey", "api-key", "token", "secret", "password", "authorization")
_KEY_LIKE = re.compile(r"(sk|pk|rk|gsk|xai|hf|key|AIza|ghp|nvapi|pplx)[-_]?[A-Za-z0-9_-]{20,}|Bearer\s+\S{8,}")


def looks_like_a_key(value: Any) -> bool:
    """Whether a value, or one inside it, looks like an API key."""
    if isinstance(value, dict):
        return any(key.lower() in SECRET_NAMES or looks_like_a_key(item) for key, item in value.items())
    if isinstance(value, list):
        return any(map(looks_like_a_key, value))
    return isinstance(value, str) and _KEY_LIKE.fullmatch(value.strip()) is not None


def _text(value: Any) -> str:
    if not isinstance(value, str) or not value.strip():
        raise ValueError("must be text")
    return value.strip()


def _kind(value: Any) -> str:
    if value not in KINDS:
        raise ValueError(f"must be one of {', '.join(KINDS)}")
    return str(value)


def checked_address(value: Any) -> str:
    """A valid base URL. A ValueError does not repeat the URL, because it may contain a password."""
    text = _text(value).rstrip("/")
    try:
        parts = urlsplit(text)
        usable = parts.scheme in ("http", "https") and parts.hostname and (parts.port or 1)
    except ValueError:
        usable = False
    if not usable or any(char.isspace() or not char.isprintable() for char in text):
        raise ValueError("is not an address; give one such as http://localhost:8000/v1 or https://host.example/v1")
    if parts.username is not None or parts.password is not None:
        raise ValueError("contains a user name or a password; put a key into an environment variable instead")
    if parts.fragment:
        raise ValueError("ends in a fragment (#...), which servers never see; leave it out")
    if parts.path.endswith(("/chat/completions", "/messages")):
        raise ValueError("is too long: leave out /chat/completions or /messages")
    return text


def _variable(value: Any) -> str:
    if not isinstance(value, str) or not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", value):
        raise ValueError("must be the name of an environment variable, such as MY_SERVER_KEY, not the key")
    return value


def _count(value: Any) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or value < 1:
        raise ValueError("must be a whole number, 1 or more")
    return value


def _seconds(value: Any) -> float:
    number = _number(value)
    if not 0 < number <= 86_400:
        raise ValueError("must be a number of seconds, above 0 and at most 86400")
    return float(number)


def _amount(value: Any) -> Decimal:
    number = _number(value)
    if number < 0:
        raise ValueError("must be US dollars per million tokens, 0 or more")
    return number


def _number(value: Any) -> Decimal:
    if isinstance(value, bool) or not isinstance(value, int | Decimal) or not Decimal(value).is_finite():
        raise ValueError("must be a number")
    return Decimal(value)


def _extra(value: Any) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise ValueError("must be a table of parameters to add to each request")
    ours = sorted({"model", "messages", "stream"} & value.keys())
    if ours:
        raise ValueError(f"{', '.join(ours)} cannot be set here")
    try:
        plain: dict[str, Any] = json.loads(json.dumps(value, default=_plain))
    except TypeError:
        raise ValueError("contains a date, or another value that JSON cannot represent") from None
    return plain


def _plain(value: Any) -> float:
    if isinstance(value, Decimal) and value.is_finite():
        return float(value)
    raise TypeError


def _prices(value: Any) -> dict[str, Price]:
    if not isinstance(value, dict) or not all(isinstance(price, dict) for price in value.values()):
        raise ValueError('must be tables by model, such as [judges.openai.prices."some-model"]')
    prices = {}
    for model, price in value.items():
        if not {"input", "output"} <= price.keys() <= set(Price._fields):
            raise ValueError(f"{model} needs input and output; cached and cache_write are optional")
        prices[model] = Price(**{name: _amount(amount) for name, amount in price.items()})
    return prices


OWN_HEADERS = (
    "authorization", "x-api-key", "content-type", "content-length", "content-encoding", "transfer-encoding", "host",
    "connection", "accept-encoding", "cookie", "anthropic-version",
)  # fmt: skip
"""Headers that evenhand sets itself, or that would let one request change another."""


def _header_name(name: str) -> str:
    if not re.fullmatch(r"[A-Za-z0-9!#$%&'*+.^_`|~-]+", name):
        raise ValueError(f'"{name}" is not the name of a header')
    if name.lower() in OWN_HEADERS:
        raise ValueError(
            f"{name} cannot be set here; for the key use key_env and, if it needs another header, key_header"
        )
    return name


def _headers(value: Any) -> dict[str, str]:
    table = _table_of_texts(value, 'headers such as {X-Team = "quality"}')
    for name, text in table.items():
        _header_name(name)
        if not text.isascii() or not text.isprintable():
            raise ValueError(f"{name} must be printable ASCII text")
    return table


def _headers_from_environment(value: Any) -> dict[str, str]:
    table = _table_of_texts(value, 'headers such as {X-Gateway-Token = "GATEWAY_TOKEN"}')
    return {_header_name(name): _variable(text) for name, text in table.items()}


def _query(value: Any) -> dict[str, str]:
    return _table_of_texts(value, 'parameters such as {api-version = "2024-10-21"}')


def _key_header(value: Any) -> str:
    name = _text(value)
    if name.lower() in ("authorization", "x-api-key"):
        return name
    return _header_name(name)


def _table_of_texts(value: Any, example: str) -> dict[str, str]:
    if not isinstance(value, dict) or not all(isinstance(text, str) and text.strip() for text in value.values()):
        raise ValueError(f"must be a table of {example}")
    return {name: text.strip() for name, text in value.items()}


def _flag(value: Any) -> bool:
    if not isinstance(value, bool):
        raise ValueError("must be true or false")
    return value


READERS: dict[str, Callable[[Any], Any]] = {
    "base_url": checked_address,
    "model": _text,
    "kind": _kind,
    "key_env": _variable,
    "key_header": _key_header,
    "headers": _headers,
    "headers_env": _headers_from_environment,
    "query": _query,
    "window": _count,
    "max_tokens": _count,
    "concurrency": _count,
    "requests_per_minute": _count,
    "tokens_per_minute": _count,
    "price_input": _amount,
    "price_output": _amount,
    "price_cached": _amount,
    "price_cache_write": _amount,
    "prices": _prices,
    "connect_timeout": _seconds,
    "first_byte_timeout": _seconds,
    "total_timeout": _seconds,
    "images": _flag,
    "extra": _extra,
}


def configured(written: Located) -> dict[str, Configured]:
    """A project's providers by name. InputError lists every problem."""
    problems: list[Problem] = []
    tables = Entry.of(written, problems)
    providers = {}
    for name in tables.value:
        known = find_provider(name)
        is_reserved = name in RESERVED or (known is not None and not known.settings)
        if is_reserved or not re.fullmatch(r"[A-Za-z0-9][\w.-]*", name):
            reason = "is reserved" if is_reserved else "is not a valid name: use letters, digits, '.', '_' and '-'"
            tables.refuse(f'a provider cannot be named "{name}": it {reason}', name)
        elif not isinstance(tables.value[name], dict):
            tables.refuse(f"judges.{name} must be a table: [judges.{name}]", name)
        else:
            providers[name] = _provider(name, known, tables.inside(name))
    if problems:
        raise InputError(sorted(problems, key=lambda problem: problem.line or 0))
    return providers


def _provider(name: str, known: KnownProvider | None, entry: Entry) -> Configured:
    values: dict[str, Any] = {}
    for key, value in entry.value.items():
        if key not in READERS and key.lower() not in SECRET_NAMES and not looks_like_a_key(value):
            entry.refuse(f"judges.{name}: {unknown('setting', key, READERS)}", key)
            continue
        try:
            if key.lower() in SECRET_NAMES or (key != "headers_env" and looks_like_a_key(value)):
                raise ValueError(
                    "keys do not belong in a file; put the key in an environment variable and name that in key_env"
                )
            if known is not None and key not in known.settings:
                raise ValueError(
                    f"cannot be set for {name}, which is built in; configure the server under its own name"
                )
            values[key] = READERS[key](value)
        except ValueError as error:
            entry.refuse(f"judges.{name}: {key}: {error}", key)
    if known is None and "base_url" not in entry.value:
        entry.refuse(f"judges.{name}: base_url is missing; give the server's address, such as http://localhost:8000/v1")
    if ("price_input" in entry.value) != ("price_output" in entry.value):
        entry.refuse(f"judges.{name}: price_input and price_output must be set together")
    return Configured(**values)
