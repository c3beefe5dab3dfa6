"""Judge specs: parse the value of `--judge`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, NamedTuple

from evenhand.errors import InputError, unknown
from evenhand.providers.configured import COMMANDS, Configured

Kind = Literal["checks", "openai", "anthropic", "command", "local", "replay"]

_FORMS: dict[str, tuple[Kind, str]] = {
    "checks": ("checks", "checks"),
    "openai": ("openai", "openai:MODEL"),
    "anthropic": ("anthropic", "anthropic:MODEL"),
    "ollama": ("openai", "ollama:MODEL"),
    "claude-code": ("command", "claude-code[:MODEL]"),
    "codex": ("command", "codex[:MODEL]"),
    "gemini-cli": ("command", "gemini-cli[:MODEL]"),
    "local": ("local", "local:FILE.gguf"),
    "replay": ("replay", "replay:FILE"),
}


class Spec(NamedTuple):
    """A judge as the user named it."""

    text: str
    kind: Kind
    """How it is called: `openai` is any server with OpenAI's chat completions API, `command` an agent's command."""
    provider: str
    """Whose settings, prices and key it uses."""
    model: str
    """The model's name, or the file; empty for `checks`, and for a command that uses its default."""


def parse_spec(text: str, named: Mapping[str, Configured] | None = None) -> Spec:
    """Parse a spec; `named` are the providers of evenhand.toml. InputError says what is valid."""
    named = named or {}
    provider, colon, model = text.strip().partition(":")
    if provider == "checks":
        if colon:
            raise InputError(f'the judge "{text}": checks takes nothing after it')
        return Spec("checks", "checks", "checks", "")
    if provider not in _FORMS and provider not in named:
        raise InputError(_unknown(provider, named))
    table = named.get(provider)
    model = model.strip() or (table.model if table is not None and not colon else None) or ""
    if not model and provider in COMMANDS and not colon:
        return Spec(provider, "command", provider, "")
    if not model:
        form = _FORMS[provider][1] if provider in _FORMS else f"{provider}:MODEL"
        what = "a file" if provider in ("local", "replay") else "a model"
        raise InputError(f'the judge "{text}" needs {what}: {form}')
    kind: Kind = _FORMS[provider][0] if provider in _FORMS else _kind(named[provider])
    return Spec(f"{provider}:{model}", kind, provider, model)


def _kind(table: Configured) -> Kind:
    return "anthropic" if table.kind == "anthropic" else "openai"


def _unknown(provider: str, named: Mapping[str, Configured]) -> str:
    own = [name for name in named if name not in _FORMS]
    valid = ", ".join([*(form for _, form in _FORMS.values()), "auto"])
    more = f"; named in evenhand.toml: {', '.join(own)}" if own else "; or a server named in evenhand.toml"
    return unknown("judge", provider, [*_FORMS, *own], otherwise=f"valid: {valid}{more}")
