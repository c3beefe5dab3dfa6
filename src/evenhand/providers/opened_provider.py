"""Create the provider for a spec, with its address, key, limits and price."""

from __future__ import annotations

import ipaddress
import json
import os
from collections.abc import Mapping
from decimal import Decimal
from typing import TYPE_CHECKING
from urllib.parse import urlencode, urlsplit

from evenhand.core.receipt import sha256
from evenhand.errors import InputError
from evenhand.providers.entries import KINDS, checked_address
from evenhand.providers.hooks import Hooks
from evenhand.providers.keys import Key, Keys, checked_key, find_key
from evenhand.providers.known import Configured, KnownProvider
from evenhand.providers.limits import Timing
from evenhand.providers.prices import FREE, Price, listed_price, table_date, with_cache_prices
from evenhand.providers.registry import find_provider
from evenhand.providers.sight import no_pictures
from evenhand.providers.specs import Spec

if TYPE_CHECKING:
    from evenhand.providers.batch.batched import Batched, Journal
    from evenhand.providers.exchange import Provider
    from evenhand.providers.http.served import Served
    from evenhand.providers.limits import Limits, Timeouts

TRUST_VARIABLE = "EVENHAND_TRUST_ENV"
"""Set to 1 to use the proxies named in the environment; otherwise only the address itself is contacted."""

PLAIN = KnownProvider("", "")
"""What is known of a server that evenhand.toml names."""


def open_provider(
    spec: Spec,
    named: Mapping[str, Configured] | None = None,
    *,
    base_url: str | None = None,
    concurrency: int | None = None,
    price: tuple[Decimal, Decimal] | None = None,
    environment: Mapping[str, str] = os.environ,
    timing: Timing | None = None,
    hooks: Hooks | None = None,
    needs_key: bool = True,
) -> Provider:
    """The provider for a spec. No model is asked yet; InputError when something is missing, such as a key.

    `base_url`, `concurrency` and `price` come from the command line and override the provider's table; `hooks` are the
    run's.
    Without `needs_key` a missing key is not an error: a plan can be made without one.
    """
    if spec.kind == "checks":
        raise InputError("checks is a judge without a model; there is nothing to open")
    table = (named or {}).get(spec.provider, Configured())
    if concurrency is not None:
        table = table._replace(concurrency=concurrency)
    if price is not None:
        table = table._replace(price_input=price[0], price_output=price[1], prices={})
    known = find_provider(spec.provider) or PLAIN
    if known.open is not None:
        return known.open(spec.text, spec.model, table, environment)
    address = _address(spec, known, table, base_url)
    key = _key(spec, known, table, address, environment, is_needed=needs_key)
    return _server(spec, known, table, address, key, environment, timing or Timing(), hooks or Hooks())


def in_batches(provider: Provider, journal: Journal, hooks: Hooks) -> Batched:
    """A provider, asked through its service's batch API; InputError when it has none."""
    from evenhand.providers.batch.batched import Batched
    from evenhand.providers.http.served import Served

    name = provider.identity["name"]
    known = find_provider(provider.identity["provider"]) or PLAIN
    api = provider.batch_api() if isinstance(provider, Served) and known.batches else None
    if not isinstance(provider, Served) or api is None:
        raise InputError(f"`batch` needs a service with a batch API, as OpenAI and Anthropic have; {name} has none")
    return Batched(provider, api, journal, hooks=hooks)


def _address(spec: Spec, known: KnownProvider, table: Configured, base_url: str | None) -> str:
    if base_url is not None and spec.kind == "openai":
        try:
            return checked_address(base_url)
        except ValueError as error:
            raise InputError(f"`base_url` {error}") from None
    return known.address if table.base_url is None else table.base_url


def _key(
    spec: Spec,
    known: KnownProvider,
    table: Configured,
    address: str,
    environment: Mapping[str, str],
    *,
    is_needed: bool,
) -> Key | None:
    """The key, if there is one. A hosted service needs one; the user's own server may not."""
    if not known.takes_key:
        return None
    variable = table.key_env or known.key or None
    near = _is_local(address)
    key = find_key(spec.provider, variable, environment, keyring=not near)
    if key is None and is_needed and (table.key_env or (known.key and not near)):
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
    known: KnownProvider,
    table: Configured,
    address: str,
    key: Key | None,
    environment: Mapping[str, str],
    timing: Timing,
    hooks: Hooks,
) -> Served:
    from evenhand.providers.http.client import Client

    home = find_provider(spec.kind)  # the provider whose API this one has
    assert home is not None and home.serve is not None
    tokens = _tokens(spec, table, address, environment)
    headers = {**home.serve.headers, **_key_header(home.serve, table, key), **table.headers}
    headers |= {name: token.reveal() for name, token in tokens.items()}
    secrets = [*([key] if key is not None else []), *tokens.values()]
    client = Client(
        spec.text,
        _with_query(address, table.query),
        headers=headers,
        key=secrets[0] if len(secrets) == 1 else Keys(secrets) if secrets else None,
        limits=_limits(known, table),
        timeouts=_timeouts(known, table),
        timing=timing,
        proxy=_proxy(address, environment),
        hooks=hooks,
    )
    is_home = address == home.address
    price, listed = _price(spec, known, table, home.serve if is_home or home.serve.charges_alike else None, address)
    return home.serve(
        client,
        is_home=is_home,
        identity=_identity(spec, table, address, key),
        window=table.window or known.window,
        price=price,
        listed=listed,
        extra=table.extra,
        no_pictures=no_pictures(spec.model, spec.provider, table.images),
    )


def _key_header(api: type[Served], table: Configured, key: Key | None) -> dict[str, str]:
    if key is None:
        return {}
    header = table.key_header or api.key_header or "Authorization"
    if header.lower() != "authorization":
        return {header: key.reveal()}
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


def _limits(known: KnownProvider, table: Configured) -> Limits:
    from evenhand.providers.limits import Limits

    return Limits(
        concurrency=table.concurrency or known.concurrency,
        requests_per_minute=table.requests_per_minute,
        tokens_per_minute=table.tokens_per_minute,
    )


def _timeouts(known: KnownProvider, table: Configured) -> Timeouts:
    default = known.timeouts
    return default._replace(
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
    own query, unless it is that of a vendor whose API is a `kind`."""
    identity = {"name": spec.text, "provider": spec.provider, "model": spec.model}
    if address not in [vendor.address for kind in KINDS if (vendor := find_provider(kind)) is not None]:
        identity["address"] = address.partition("?")[0]
    if table.extra:
        identity["extra"] = json.dumps(table.extra, sort_keys=True, ensure_ascii=False)
    if table.query:
        identity["query"] = urlencode(sorted(table.query.items()))
    if table.headers:  # a gateway may choose the model by them; their values are kept private
        identity["headers"] = sha256(json.dumps(dict(table.headers), sort_keys=True))[:16]
    return {name: key.scrub(value) if key else value for name, value in identity.items()}


def _price(
    spec: Spec, known: KnownProvider, table: Configured, charges: type[Served] | None, address: str
) -> tuple[Price | None, str]:
    """The configured price, with what the vendor charges for its cache; else the one listed at the vendor's own
    address, with the day of the list; free for a local Ollama."""
    price = table.price(spec.model)
    if price is not None:
        return price if charges is None else with_cache_prices(
            price, charges.cached_at_most, charges.cache_write_at_most
        ), ""
    price = listed_price(address, spec.model)
    if price is not None:
        return price, table_date()
    return FREE if known.is_free is not None and _is_local(address) and known.is_free(spec.model) else None, ""
