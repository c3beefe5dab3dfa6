"""Create the provider for a spec, with its address, key, limits and price."""

from __future__ import annotations

import ipaddress
import json
import os
from collections.abc import Mapping
from typing import TYPE_CHECKING
from urllib.parse import urlencode, urlsplit

from evenhand.core.basics.canonical import sha256
from evenhand.errors import InputError
from evenhand.providers.configured import Configured
from evenhand.providers.entries import checked_address
from evenhand.providers.hooks import Hooks
from evenhand.providers.http.pace import Timing
from evenhand.providers.keys import Key, Keys, checked_key, find_key
from evenhand.providers.prices import FREE, Price, with_cache_prices
from evenhand.providers.sight import no_pictures
from evenhand.providers.specs import Spec

if TYPE_CHECKING:
    from evenhand.providers.anthropic import Anthropic
    from evenhand.providers.batch.batched import Batched, Journal
    from evenhand.providers.commands.command import AgentCommand
    from evenhand.providers.exchange import Provider
    from evenhand.providers.http.limits import Limits, Timeouts
    from evenhand.providers.local import Local
    from evenhand.providers.openai import OpenAI
    from evenhand.providers.replay import Replay

TRUST_VARIABLE = "EVENHAND_TRUST_ENV"
"""Set to 1 to use the proxies named in the environment; otherwise only the address itself is contacted."""

KEY_VARIABLES = {"openai": "OPENAI_API_KEY", "anthropic": "ANTHROPIC_API_KEY"}
OLLAMA_WINDOW = 4096
"""Ollama's default context length; it truncates longer prompts silently."""


def open_provider(
    spec: Spec,
    named: Mapping[str, Configured] | None = None,
    *,
    base_url: str | None = None,
    concurrency: int | None = None,
    environment: Mapping[str, str] = os.environ,
    timing: Timing | None = None,
    hooks: Hooks | None = None,
) -> OpenAI | Anthropic | AgentCommand | Local | Replay:
    """The provider for a spec. No model is asked yet; InputError when something is missing, such as a key.

    `base_url` and `concurrency` come from the command line and override the provider's table; `hooks` are the run's.
    """
    table = (named or {}).get(spec.provider, Configured())
    if spec.kind == "replay":
        from evenhand.providers.replay import Replay

        return Replay(spec.model)
    if spec.kind == "local":
        from evenhand.providers.local import Local

        return Local(spec.model, window=table.window, threads=table.threads)
    if spec.kind == "command":
        from evenhand.providers.commands.command import open_command

        if concurrency is not None:
            table = table._replace(concurrency=concurrency)
        return open_command(spec.provider, spec.text, spec.model, table, environment)
    if spec.kind == "checks":
        raise InputError("checks is a judge without a model; there is nothing to open")
    if concurrency is not None:
        table = table._replace(concurrency=concurrency)
    address = _address(spec, table, base_url)
    key = _key(spec, table, address, environment)
    return _server(spec, table, address, key, environment, timing or Timing(), hooks or Hooks())


def in_batches(provider: Provider, journal: Journal, hooks: Hooks) -> Batched:
    """The same provider, asked through its service's batch API; InputError when it has none."""
    from evenhand.providers.anthropic import Anthropic
    from evenhand.providers.batch.batch_api import AnthropicBatches, OpenAIBatches
    from evenhand.providers.batch.batched import Batched
    from evenhand.providers.openai import OpenAI

    name = provider.identity["name"]
    if isinstance(provider, Anthropic):
        return Batched(provider, AnthropicBatches(provider.client, name), journal, hooks=hooks)
    if isinstance(provider, OpenAI) and provider.identity["provider"] != "ollama":
        return Batched(provider, OpenAIBatches(provider.client, name), journal, hooks=hooks)
    raise InputError(f"--batch needs a service with a batch API, as OpenAI and Anthropic have; {name} has none")


def _address(spec: Spec, table: Configured, base_url: str | None) -> str:
    from evenhand.providers import anthropic, openai

    if base_url is not None and spec.kind == "openai":
        try:
            return checked_address(base_url)
        except ValueError as error:
            raise InputError(f"--base-url {error}") from None
    if table.base_url is not None:
        return table.base_url
    default = {"openai": openai.ADDRESS, "anthropic": anthropic.ADDRESS, "ollama": openai.OLLAMA_ADDRESS}
    return default[spec.provider]


def _key(spec: Spec, table: Configured, address: str, environment: Mapping[str, str]) -> Key | None:
    """The key, if there is one. A hosted service needs one; the user's own server may not."""
    if spec.provider == "ollama":
        return None
    variable = table.key_env or KEY_VARIABLES.get(spec.provider)
    near = _is_local(address)
    key = find_key(spec.provider, variable, environment, keyring=not near)
    if key is None and (table.key_env or (spec.provider in KEY_VARIABLES and not near)):
        raise InputError(
            f"{spec.text} needs a key: set the environment variable {variable}, "
            f"or store one with: keyring set evenhand {spec.provider}"
        )
    if key is not None:
        _refuse_unencrypted(spec, address)
    return key


def _is_local(address: str) -> bool:
    """Whether an address is on this machine or the local network, going by its name alone."""
    host = urlsplit(address).hostname or ""
    try:
        return ipaddress.ip_address(host).is_private
    except ValueError:
        return "." not in host or host.endswith((".localhost", ".local", ".internal", ".lan"))


def _server(
    spec: Spec,
    table: Configured,
    address: str,
    key: Key | None,
    environment: Mapping[str, str],
    timing: Timing,
    hooks: Hooks,
) -> OpenAI | Anthropic:
    from evenhand.providers.anthropic import VERSION, WINDOW, Anthropic
    from evenhand.providers.http.client import Client
    from evenhand.providers.openai import ADDRESS, OpenAI

    tokens = _tokens(spec, table, address, environment)
    headers = {"anthropic-version": VERSION} if spec.kind == "anthropic" else {}
    headers |= {**_key_header(spec, table, key), **table.headers}
    headers |= {name: token.reveal() for name, token in tokens.items()}
    secrets = [*([key] if key is not None else []), *tokens.values()]
    client = Client(
        spec.text,
        _with_query(address, table.query),
        headers=headers,
        key=secrets[0] if len(secrets) == 1 else Keys(secrets) if secrets else None,
        limits=_limits(spec, table),
        timeouts=_timeouts(spec, table),
        timing=timing,
        proxy=_proxy(address, environment),
        hooks=hooks,
    )
    identity, price = _identity(spec, table, address, key), _price(spec, table, address)
    blind = no_pictures(spec.model, spec.provider, table.images)
    if spec.kind == "anthropic":
        window = table.window or (WINDOW if spec.provider == "anthropic" else None)
        return Anthropic(client, identity=identity, window=window, price=price, extra=table.extra, no_pictures=blind)
    window = table.window or (OLLAMA_WINDOW if spec.provider == "ollama" else None)
    newest = address == ADDRESS
    return OpenAI(
        client, identity=identity, window=window, price=price, extra=table.extra, newest=newest, no_pictures=blind
    )


def _key_header(spec: Spec, table: Configured, key: Key | None) -> dict[str, str]:
    if key is None:
        return {}
    if table.key_header is not None and table.key_header.lower() != "authorization":
        return {table.key_header: key.reveal()}
    if spec.kind == "anthropic" and table.key_header is None:
        return {"x-api-key": key.reveal()}
    return {"Authorization": f"Bearer {key.reveal()}"}


def _tokens(spec: Spec, table: Configured, address: str, environment: Mapping[str, str]) -> dict[str, Key]:
    """The headers whose values are in environment variables; as secret as a key."""
    tokens = {}
    for header, variable in table.headers_env.items():
        text = (environment.get(variable) or "").strip()
        if not text:
            raise InputError(
                f"{spec.text}: the header {header} needs the environment variable {variable}, which is not set"
            )
        tokens[header] = checked_key(text, f"the environment variable {variable}")
        _refuse_unencrypted(spec, address)
    return tokens


def _refuse_unencrypted(spec: Spec, address: str) -> None:
    if address.startswith("http://") and not _is_local(address):
        raise InputError(f"{spec.text}: the key would be sent unencrypted; use an address that begins with https://")


def _with_query(address: str, query: Mapping[str, str]) -> str:
    if not query:
        return address
    return f"{address}{'&' if '?' in address else '?'}{urlencode(query)}"


def _limits(spec: Spec, table: Configured) -> Limits:
    from evenhand.providers.http.limits import Limits

    default = Limits(concurrency=4) if spec.provider == "ollama" else Limits()
    return default._replace(
        concurrency=table.concurrency or default.concurrency,
        requests_per_minute=table.requests_per_minute,
        tokens_per_minute=table.tokens_per_minute,
    )


def _timeouts(spec: Spec, table: Configured) -> Timeouts:
    from evenhand.providers.http.limits import Timeouts

    # A local model may take minutes to load before it sends its first byte.
    default = Timeouts(first_byte=600.0, total=900.0) if spec.provider == "ollama" else Timeouts()
    return Timeouts(
        connect=table.connect_timeout or default.connect,
        first_byte=table.first_byte_timeout or default.first_byte,
        total=table.total_timeout or max(default.total, table.first_byte_timeout or 0.0),
    )


def _proxy(address: str, environment: Mapping[str, str]) -> str | None:
    """The proxy for an address from the environment, if the user chose to trust the environment."""
    if environment.get(TRUST_VARIABLE, "").lower() not in ("1", "true", "yes", "on"):
        return None
    parts = urlsplit(address)
    proxies = {name.lower(): value for name, value in environment.items() if name.lower().endswith("_proxy") and value}
    host = f".{parts.hostname}"
    for exempt in proxies.get("no_proxy", "").replace(",", " ").split():
        if exempt == "*" or host.endswith(f".{exempt.lstrip('*.').partition(':')[0].lower()}"):
            return None
    return proxies.get(f"{parts.scheme}_proxy") or proxies.get("all_proxy")


def _identity(spec: Spec, table: Configured, address: str, key: Key | None) -> dict[str, str]:
    """What affects a reply: spec, model, extra parameters, configured headers and query, and the address without its
    own query, unless default."""
    from evenhand.providers import anthropic, openai

    identity = {"name": spec.text, "provider": spec.provider, "model": spec.model}
    if address not in (openai.ADDRESS, anthropic.ADDRESS):
        identity["address"] = address.partition("?")[0]
    if table.extra:
        identity["extra"] = json.dumps(table.extra, sort_keys=True, ensure_ascii=False)
    if table.query:
        identity["query"] = urlencode(sorted(table.query.items()))
    if table.headers:  # a gateway may choose the model by them; their values are kept private
        identity["headers"] = sha256(json.dumps(dict(table.headers), sort_keys=True))[:16]
    return {name: key.scrub(value) if key else value for name, value in identity.items()}


def _price(spec: Spec, table: Configured, address: str) -> Price | None:
    """The configured price; free for a local Ollama, except for its cloud models."""
    from evenhand.providers.openai import ADDRESS as OPENAI_ADDRESS

    known = table.price(spec.model)
    if known is not None and (spec.kind == "anthropic" or address == OPENAI_ADDRESS):
        known = with_cache_prices(known, spec.kind)
    if known is None and spec.provider == "ollama" and _is_local(address) and not spec.model.endswith("cloud"):
        return FREE
    return known
