"""The model server that the user's own Claude Code talks to, from its environment and `settings.json`.

A judge is called without the user's settings, which may turn hooks and tools on. What decides where a question goes is
read here: variables that `settings.json` sets are handed to the call, and a cloud that cannot be rehearsed is refused.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from evenhand.errors import InputError

CLOUDS = {
    "CLAUDE_CODE_USE_BEDROCK": "Amazon Bedrock",
    "CLAUDE_CODE_USE_MANTLE": "Amazon Bedrock",
    "CLAUDE_CODE_USE_ANTHROPIC_AWS": "Anthropic on AWS",
    "CLAUDE_CODE_USE_VERTEX": "Google Vertex AI",
    "CLAUDE_CODE_USE_FOUNDRY": "Microsoft Foundry",
    "CLAUDE_CODE_USE_GATEWAY": "a gateway",
}
"""Switches that send questions elsewhere, in a form that cannot be rehearsed."""

ROUTES = ("ANTHROPIC_UNIX_SOCKET",)
"""Variables that lead elsewhere and that a rehearsal could not replace."""


def claude_variables(environment: Mapping[str, str], names: Sequence[str]) -> dict[str, str]:
    """The variables of these names that `settings.json` sets, which win over those of the environment. InputError when
    Claude Code is set up to ask a server that a judge cannot be sent to."""
    folder = environment.get("CLAUDE_CONFIG_DIR") or Path(environment.get("HOME") or "~") / ".claude"
    file = Path(folder).expanduser() / "settings.json"
    settings = _read(file)
    variables = settings.get("env")
    variables = {str(name): str(value) for name, value in variables.items()} if isinstance(variables, dict) else {}
    everything = {**environment, **variables}
    for switch, cloud in CLOUDS.items():
        if everything.get(switch, "").strip().lower() not in ("", "0", "false", "no", "off"):
            raise _refused(f"it is set up for {cloud} ({switch}), and would ask another server as a judge")
    for name in ROUTES:
        if everything.get(name):
            raise _refused(f"it is set up with {name}, and would ask another server as a judge")
    if settings.get("apiKeyHelper"):
        raise _refused(f"{file} gets its key from apiKeyHelper, which is not run for a judge; set ANTHROPIC_API_KEY")
    return {name: variables[name] for name in names if name in variables}


def _read(file: Path) -> dict[str, Any]:
    try:
        settings = json.loads(file.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return {}
    except (OSError, ValueError, RecursionError) as error:
        raise _refused(f"{file} cannot be read: {error}") from None
    return settings if isinstance(settings, dict) else {}


def _refused(reason: str) -> InputError:
    return InputError(f"claude-code is not used as a judge: {reason}; choose another judge")
