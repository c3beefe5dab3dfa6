"""The model server that the user's own Codex talks to, from its `config.toml`.

A judge is called without the user's configuration, which may turn tools on. What decides where a question goes is read
here and handed to the call: the provider, its address and the names of the variables that hold its key. What would have
to show a key on a command line is refused, since every user of the machine can read those.
"""

from __future__ import annotations

import json
import os
import re
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from evenhand.errors import InputError

PASSED_ON = ("openai_base_url", "chatgpt_base_url", "forced_login_method", "cli_auth_credentials_store")
"""Settings besides the provider that decide where a question goes, or where the login is."""

OWN = "openai"
"""The provider without any configuration."""

_SECRET = re.compile(r"auth|key|token|secret|cookie|pass|sig", re.IGNORECASE)
_LOGIN_IN_ADDRESS = re.compile(r"://[^/?#]*@")
_AWS = (
    "AWS_PROFILE", "AWS_REGION", "AWS_DEFAULT_REGION", "AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY",
    "AWS_SESSION_TOKEN", "AWS_BEARER_TOKEN_BEDROCK",
)  # fmt: skip
_BUILT_IN = {
    "amazon-bedrock": _AWS,
    "ollama": ("CODEX_OSS_BASE_URL", "CODEX_OSS_PORT"),
    "lmstudio": ("CODEX_OSS_PORT",),
}
"""Variables of providers that Codex knows by itself."""


class CodexProvider(NamedTuple):
    """Where Codex sends its questions."""

    model: str = ""
    """The model the user chose; empty without one."""
    settings: tuple[str, ...] = ()
    """Each as `--config` takes it."""
    variables: tuple[str, ...] = ()
    """The environment variables that the provider reads."""
    key: str | None = None
    """The variable that holds its key; None when it has none."""
    address: str | None = None
    """None for the one that Codex knows by itself."""
    has_login: bool = True
    """Whether it uses the login that `codex login` made."""


def codex_provider(environment: Mapping[str, str]) -> CodexProvider:
    """The provider that is configured. InputError when the configuration cannot be read, or cannot be handed on."""
    file = Path(environment.get("CODEX_HOME") or Path(environment.get("HOME") or "~") / ".codex") / "config.toml"
    settings = _effective(_read(file.expanduser()), file)
    model = settings["model"] if isinstance(settings.get("model"), str) else ""
    passed_on = {key: settings[key] for key in PASSED_ON if key in settings}
    name = settings.get("model_provider", OWN)
    table = _table(settings.get("model_providers")).get(name, {}) if isinstance(name, str) else None
    if not isinstance(table, dict):
        raise _refused(file, f"model_provider is {name!r}, which is not the name of a provider")
    if name != OWN:
        passed_on["model_provider"] = name
    if table:
        passed_on["model_providers"] = {name: table}
    _refuse_keys(passed_on, file)
    key = table.get("env_key")
    headers = _table(table.get("env_http_headers")).values()
    return CodexProvider(
        model=model,
        settings=tuple(f"{setting}={_toml(value)}" for setting, value in passed_on.items()),
        variables=tuple(word for word in (key, *headers, *_BUILT_IN.get(name, ())) if isinstance(word, str)),
        key=key if isinstance(key, str) else None,
        address=str(table.get("base_url") or passed_on.get("openai_base_url") or "") or None,
        has_login=name == OWN or bool(table.get("requires_openai_auth")),
    )


def _read(file: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(file.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return {}
    except (OSError, ValueError) as error:
        raise _refused(file, f"it cannot be read: {error}") from None


def _effective(settings: dict[str, Any], file: Path) -> dict[str, Any]:
    """The settings with those of the chosen profile over them, as earlier versions of Codex have it."""
    chosen = settings.get("profile")
    if chosen is None:
        return settings
    profile = _table(settings.get("profiles")).get(chosen) if isinstance(chosen, str) else None
    if not isinstance(profile, dict):
        raise _refused(file, f'it chooses the profile "{chosen}", which it does not define')
    return {**settings, **profile}


def _refuse_keys(passed_on: Mapping[str, Any], file: Path) -> None:
    """InputError when something that is handed on holds a key, or is an address with a login in it."""
    for path, value in _texts(passed_on, ()):
        named = len(path) > 1 and path[-2] in ("http_headers", "query_params") and _SECRET.search(path[-1])
        if named or path[-1] == "experimental_bearer_token" or _LOGIN_IN_ADDRESS.search(value):
            reason = f"{'.'.join(path)} holds a key, which the command line of a judge would show to others"
            raise _refused(file, f"{reason}; put it into a variable, and name that with env_key or env_http_headers")


def _texts(value: Any, path: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], str]]:
    """Every text inside a value, with its path."""
    if isinstance(value, Mapping):
        for key, item in value.items():
            yield from _texts(item, (*path, key))
    elif isinstance(value, list):
        for item in value:
            yield from _texts(item, path)
    elif isinstance(value, str):
        yield path, value


def _toml(value: Any) -> str:
    """A value in TOML, on one line."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{_key(key)} = {_toml(item)}" for key, item in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(_toml, value)) + "]"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    return str(value)


def _key(name: str) -> str:
    return name if re.fullmatch(r"[A-Za-z0-9_-]+", name) else json.dumps(name, ensure_ascii=False)


def _table(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _refused(file: Path, reason: str) -> InputError:
    return InputError(f"codex is not used as a judge: {os.fspath(file)}: {reason}")
