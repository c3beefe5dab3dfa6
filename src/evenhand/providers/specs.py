"""Judge specs: parse the value of `--judge`."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import NamedTuple

from evenhand.errors import InputError, unknown
from evenhand.providers.known import Configured
from evenhand.providers.registry import added, built_in_names, find_provider, providers


class Spec(NamedTuple):
    """A judge as the user named it."""

    text: str
    kind: str
    """How it is called: `openai` is any server with OpenAI's chat completions API, `command` an agent's command."""
    provider: str
    """Whose settings, prices and key it uses."""
    model: str
    """The model's name, or the file; empty for `checks`, and for a command that uses its default."""


_FAMILIES = (
    (re.compile(r"gpt-|o\d|chatgpt-|codex-", re.I), "openai"),
    (re.compile(r"claude-(?!code)", re.I), "anthropic"),
    (re.compile(r"(?:llama|qwen|mistral|gemma|phi|deepseek)[\w.-]*$", re.I), "ollama"),
)
"""How names of models begin, and the provider to name before them."""


def parse_spec(text: str, named: Mapping[str, Configured] | None = None) -> Spec:
    """Parse a spec; `named` are the providers of evenhand.toml. InputError says what is valid."""
    named = named or {}
    provider, colon, model = text.strip().partition(":")
    if provider == "checks":
        if colon:
            raise InputError(f'the judge "{text}": checks takes nothing after it')
        return Spec("checks", "checks", "checks", "")
    table = named.get(provider)
    known = find_provider(provider)
    if known is None and table is None:
        raise InputError(_unknown(provider, named))
    model = model.strip() or (table.model if table is not None and not colon else None) or ""
    if not model and not colon and known is not None and not known.needs_model:
        return Spec(provider, known.kind, provider, "")
    if not model:
        what, form = ("a model", f"{provider}:MODEL") if known is None else (known.takes, known.spec_form)
        raise InputError(f'the judge "{text}" needs {what}: {form}')
    if "://" in model:
        raise InputError(
            f'the judge "{text}" has an address in it; give that with --base-url, and here {provider}:MODEL'
        )
    kind = known.kind if known is not None else (table or Configured()).kind
    return Spec(f"{provider}:{model}", kind, provider, model)


def judge_forms() -> list[str]:
    """How a judge can be named, for messages: checks, the built-in providers, and what starts no provider."""
    return ["checks", *(known.spec_form for known in providers()), "auto"]


def _unknown(provider: str, named: Mapping[str, Configured]) -> str:
    names = [*built_in_names(), *added()]
    configured = [name for name in named if name not in names]
    hint = (
        f"; named in evenhand.toml: {', '.join(configured)}" if configured else "; or a server named in evenhand.toml"
    )
    for pattern, owner in _FAMILIES:
        if pattern.match(provider) and owner in names:
            return f'unknown judge "{provider}"; did you mean {owner}:{provider}?'
    return unknown(
        "judge", provider, ["checks", *names, *configured], otherwise=f"valid: {', '.join(judge_forms())}{hint}"
    )
