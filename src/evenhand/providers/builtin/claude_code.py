"""Claude Code as a judge: `claude -p`.

`--bare` would turn more off, but ignores the login of a subscription; `--safe-mode` keeps it. Checked with 2.1.197.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from evenhand.errors import InputError
from evenhand.providers.commands.agent import (
    Agent,
    Invocation,
    Outcome,
    Prompt,
    Run,
    events,
    fail,
    has_tools,
)
from evenhand.providers.commands.command import agent_provider
from evenhand.providers.commands.process import NETWORK, Finished
from evenhand.providers.commands.wire import AnthropicMessages
from evenhand.providers.exchange import CallFailed, Reply

STRUCTURED = "StructuredOutput"
"""The tool by which the model delivers a reply that fits the schema."""


class ClaudeCode(Agent):
    """The command `claude`."""

    name = "claude-code"
    executable = "claude"
    package = "@anthropic-ai/claude-code"
    login = "log in with: claude auth login"
    variables = (
        "ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "ANTHROPIC_BASE_URL", "ANTHROPIC_CUSTOM_HEADERS",
        "ANTHROPIC_DEFAULT_OPUS_MODEL", "ANTHROPIC_DEFAULT_SONNET_MODEL", "ANTHROPIC_DEFAULT_HAIKU_MODEL",
        "CLAUDE_CODE_OAUTH_TOKEN", "CLAUDE_CONFIG_DIR",
    )  # fmt: skip
    address = "ANTHROPIC_BASE_URL"
    wire = AnthropicMessages()
    harmless = frozenset({STRUCTURED})
    reports_cost = True

    @classmethod
    def configured(cls, environment: Mapping[str, str]) -> dict[str, str]:
        return claude_variables(environment, (*NETWORK, *cls.variables))

    def __init__(self, model: str, run: Run, environment: Mapping[str, str]) -> None:
        self.model = model or "sonnet"  # every plan includes it; a rehearsal shows its full name
        self.window: int | None = None

    def invocation(self, prompt: Prompt, work: Path, files: Path, address: str | None = None) -> Invocation:
        system = files / "system.md"
        system.write_text(prompt.system, encoding="utf-8")
        arguments = [
            "-p", "--safe-mode", "--tools", "", "--strict-mcp-config", "--setting-sources", "",
            "--disable-slash-commands", "--no-chrome", "--no-session-persistence", "--output-format", "stream-json",
            "--verbose", "--model", self.model, "--system-prompt-file", str(system),
        ]  # fmt: skip
        if prompt.schema is not None:
            arguments += ["--json-schema", prompt.schema]
        if prompt.most is not None:
            arguments += ["--max-budget-usd", f"{prompt.most:f}"]
        environment = {
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
            "CLAUDE_CODE_DISABLE_AUTO_MEMORY": "1",
            "DISABLE_AUTOUPDATER": "1",
            "CLAUDE_CODE_MAX_RETRIES": "3",  # ten by default, which takes minutes even for a wrong key
        }
        if address is not None:
            environment |= {"ANTHROPIC_BASE_URL": address, "ANTHROPIC_API_KEY": "rehearsal"}
        return Invocation(tuple(arguments), environment, prompt.user)

    def read(self, finished: Finished) -> Outcome:
        start: dict[str, Any] | None = None
        result: dict[str, Any] | None = None
        writer = ""
        for event in events(finished.output):
            if event.get("type") == "system" and event.get("subtype") == "init":
                start = event
            elif event.get("type") == "assistant":
                writer = self._writer(event) or writer
            elif event.get("type") == "result":
                result = event
        if start is None or result is None:
            fail(self, finished.errors or finished.output)
        # It lists its tools at the start of every run.
        tools = [str(tool) for tool in start.get("tools") or () if tool != STRUCTURED]
        tools += [str(name) for key in ("mcp_servers", "plugins", "skills") for name in start.get(key) or ()]
        if tools:
            has_tools(self, tools)
        windows = [used.get("contextWindow") for used in (result.get("modelUsage") or {}).values()]
        return Outcome(
            self._reply(result, writer),
            model=str(start.get("model", "")).partition("[")[0],
            window=next((window for window in windows if isinstance(window, int)), None),
        )

    @staticmethod
    def logged_in(run: Run, environment: Mapping[str, str]) -> bool:
        return run(["auth", "status"]).code == 0

    def _writer(self, event: dict[str, Any]) -> str:
        """The model that wrote a message, as the server names it."""
        message = event.get("message") or {}
        if event.get("error"):
            texts = [str(block.get("text", "")) for block in message.get("content") or () if isinstance(block, dict)]
            fail(self, f"{event['error']}: {' '.join(texts)}")
        return str(message.get("model", ""))

    def _reply(self, result: dict[str, Any], writer: str) -> Reply:
        if result.get("subtype") == "error_max_budget_usd":
            raise CallFailed(f"{self.name} stopped: the reply would cost more than it may", kind="rejected")
        if result.get("is_error") or result.get("subtype") != "success":
            fail(self, f"{result.get('subtype')}: {result.get('result') or result.get('errors') or ''}")
        usage = result.get("usage") or {}
        read = [usage.get(key) for key in ("input_tokens", "cache_read_input_tokens", "cache_creation_input_tokens")]
        structured = result.get("structured_output")
        cost = result.get("total_cost_usd")
        return Reply(
            text=str(result.get("result", "")) if structured is None else json.dumps(structured, ensure_ascii=False),
            finish="refused" if result.get("stop_reason") == "refusal" else "stop",
            model=writer,
            input_tokens=sum(count for count in read if isinstance(count, int)),
            output_tokens=usage.get("output_tokens"),
            cached_tokens=read[1],
            written_tokens=read[2],
            reported_cost=None if cost is None else f"{cost:.6f}",
        )


PROVIDER = agent_provider(ClaudeCode, "Claude Code", place=3)


# --- the model server that the user's own Claude Code talks to, from its environment and settings.json
#
# A judge is called without the user's settings, which may turn hooks and tools on. What decides where a question goes
# is read here: variables that settings.json sets are handed to the call, and a cloud that cannot be rehearsed is
# refused.

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
