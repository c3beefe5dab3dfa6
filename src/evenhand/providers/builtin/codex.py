"""Codex as a judge: `codex exec`.

No option turns all of its tools off, and a read-only sandbox still reads files. What a model may use is decided by its
entry in Codex's model catalogue, so Codex is given a catalogue of one model without tools, whose instructions are the
judge's. Of the user's configuration it gets the model and the login alone. Checked with 0.169.0.
"""

from __future__ import annotations

import json
import os
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from evenhand.errors import InputError
from evenhand.providers.commands.agent import Agent, Invocation, Outcome, Prompt, Run, events, fail, has_tools
from evenhand.providers.commands.command import agent_provider
from evenhand.providers.commands.process import Finished
from evenhand.providers.commands.wire import OpenAIResponses
from evenhand.providers.exchange import Reply

OFF = (
    "shell_tool", "unified_exec", "code_mode_host", "view_image", "multi_agent", "apps", "plugins", "hooks",
    "skill_search", "tool_suggest", "image_generation", "goals", "sleep_tool", "remote_plugin", "memories",
    "skill_mcp_dependency_install", "shell_snapshot", "browser_use", "computer_use",
)  # fmt: skip
"""Features to turn off; Codex ignores a name that it does not know."""

SETTINGS = (
    'web_search="disabled"', "project_doc_max_bytes=0", "include_permissions_instructions=false",
    "include_environment_context=false", "include_apps_instructions=false",
    "include_collaboration_mode_instructions=false", "skills.include_instructions=false",
    "skills.bundled.enabled=false",
)  # fmt: skip

NO_TOOLS: dict[str, Any] = {
    "shell_type": "disabled",
    "experimental_supported_tools": [],
    "supports_search_tool": False,
    "model_messages": None,
    "input_modalities": ["text"],
    "use_responses_lite": False,
    "node_repl_disabled": True,
}
_TOOL_KEYS = ("tool_mode", "multi_agent_version", "apply_patch_tool_type", "web_search_tool_type")


class Codex(Agent):
    """The command `codex`."""

    name = "codex"
    executable = "codex"
    package = "@openai/codex"
    login = "log in with: codex login"
    variables = ("CODEX_HOME", "CODEX_API_KEY", "OPENAI_BASE_URL")
    address = "OPENAI_BASE_URL"
    wire = OpenAIResponses()
    harmless = frozenset({"request_user_input"})  # nobody is there to answer it

    def __init__(self, model: str, run: Run, environment: Mapping[str, str]) -> None:
        self._configured = configuration(environment)
        self._entry = _entry(model or self._configured.model, run(["debug", "models", "--bundled"]))
        self.model: str = self._entry["slug"]
        size, share = self._entry.get("context_window"), self._entry.get("effective_context_window_percent", 100)
        self.window = size * share // 100 if isinstance(size, int) and isinstance(share, int) else None

    def invocation(self, prompt: Prompt, work: Path, files: Path, address: str | None = None) -> Invocation:
        catalogue = files / "models.json"
        catalogue.write_text(json.dumps({"models": [{**self._entry, "base_instructions": prompt.system}]}), "utf-8")
        arguments = [
            "exec", "--ephemeral", "--ignore-user-config", "--ignore-rules", "--skip-git-repo-check",
            "--sandbox", "read-only", "--color", "never", "--json", "--model", self.model,
        ]  # fmt: skip
        for feature in OFF:
            arguments += ["--disable", feature]
        for setting in (*SETTINGS, f"model_catalog_json={json.dumps(str(catalogue))}"):
            arguments += ["--config", setting]
        if prompt.schema is not None:
            (files / "schema.json").write_text(prompt.schema, encoding="utf-8")
            arguments += ["--output-schema", str(files / "schema.json")]
        environment = {}
        if address is None:  # the user's configuration is left out, but for where the login is
            for setting in self._configured.settings:
                arguments += ["--config", setting]
        else:
            server = f'{{name="rehearsal",base_url="{address}/v1",env_key="EVENHAND_REHEARSAL",wire_api="responses"}}'
            arguments += ["--config", 'model_provider="rehearsal"', "--config", f"model_providers.rehearsal={server}"]
            environment = {"EVENHAND_REHEARSAL": "rehearsal"}
        return Invocation((*arguments, "-"), environment, prompt.user)

    def read(self, finished: Finished) -> Outcome:
        text, usage, problem = None, None, ""
        for event in events(finished.output):
            item = event.get("item") or {}
            if item.get("type") == "agent_message":
                text = str(item.get("text", ""))
            elif item.get("type") not in (None, "reasoning", "error", "todo_list"):
                has_tools(self, [str(item["type"])])
            elif event.get("type") == "turn.completed":
                usage = event.get("usage") or {}
            elif event.get("type") in ("error", "turn.failed"):
                problem = str(event.get("message") or (event.get("error") or {}).get("message") or "")
        if text is None or usage is None:
            fail(self, problem or finished.errors or finished.output)
        reply = Reply(
            text=text,
            model=self.model,
            input_tokens=usage.get("input_tokens"),
            output_tokens=usage.get("output_tokens"),
            cached_tokens=usage.get("cached_input_tokens"),
        )
        return Outcome(reply, self.model)

    def memory(self, body: Any, prompt: Prompt) -> str:
        turns = [turn for turn in body.get("input") or () if isinstance(turn, dict) and turn.get("role") == "user"]
        texts = [part.get("text", "") for turn in turns for part in turn.get("content") or () if isinstance(part, dict)]
        if all(text.strip() == prompt.user.strip() for text in texts):
            return ""
        return (
            "it shows its model your own AGENTS.md, and no option turns that off; log in to a second folder with "
            "CODEX_HOME=~/.codex-judge codex login, and run evenhand with the same CODEX_HOME"
        )

    @staticmethod
    def logged_in(run: Run, environment: Mapping[str, str]) -> bool:
        configuration(environment)
        return run(["login", "status"]).code == 0


def _entry(model: str, listed: Finished) -> dict[str, Any]:
    """The catalogue's entry for a model, or for the one that Codex prefers, without tools."""
    try:
        models = [entry for entry in json.loads(listed.output)["models"] if isinstance(entry.get("slug"), str)]
        visible = [entry for entry in models if entry.get("visibility") == "list"] or models
        preferred = min(visible, key=lambda entry: entry.get("priority", 0))
    except (ValueError, KeyError, TypeError, AttributeError):
        raise InputError(
            "codex is not used as a judge: it does not list its models, so its tools cannot be turned off; "
            "update it with: npm install -g @openai/codex"
        ) from None
    known = next(
        (entry for entry in models if entry["slug"] == model), {**preferred, "slug": model or preferred["slug"]}
    )
    return {key: value for key, value in known.items() if key not in _TOOL_KEYS} | NO_TOOLS


PROVIDER = agent_provider(Codex, "Codex", place=4)


# --- what counts of the user's own config.toml
#
# A judge is called without the user's configuration, which may turn tools on. What it says of the login is handed on;
# one that sends questions to another server is refused, because a judge's would go to Codex's own.

PASSED_ON = ("forced_login_method", "cli_auth_credentials_store")
"""Settings that say where the login is."""
ELSEWHERE = ("model_provider", "openai_base_url", "chatgpt_base_url")
"""Settings that send questions to another server."""


class Configuration(NamedTuple):
    """What a judge takes from config.toml."""

    model: str = ""
    """The model the user chose; empty without one."""
    settings: tuple[str, ...] = ()
    """Each as `--config` takes it."""


def configuration(environment: Mapping[str, str]) -> Configuration:
    """The user's configuration. InputError when it cannot be read, or names another server."""
    file = (
        Path(environment.get("CODEX_HOME") or Path(environment.get("HOME") or "~") / ".codex") / "config.toml"
    ).expanduser()
    try:
        settings: dict[str, Any] = tomllib.loads(file.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return Configuration()
    except (OSError, ValueError) as error:
        raise _refused(file, f"it cannot be read: {error}") from None
    profiles = settings.get("profiles")
    profile = profiles.get(settings.get("profile")) if isinstance(profiles, dict) else None
    settings |= profile if isinstance(profile, dict) else {}
    elsewhere = next((name for name in ELSEWHERE if settings.get(name) not in (None, "openai")), None)
    if elsewhere is not None:
        reason = f"its {elsewhere} sends questions to another server, and a judge is called without that file"
        raise _refused(file, f"{reason}; name that server under [judges.NAME] in evenhand.toml, with its base_url")
    model = settings.get("model")
    known = [(name, settings[name]) for name in PASSED_ON if isinstance(settings.get(name), str)]
    return Configuration(
        model if isinstance(model, str) else "", tuple(f"{name}={json.dumps(text)}" for name, text in known)
    )


def _refused(file: Path, reason: str) -> InputError:
    return InputError(f"codex is not used as a judge: {os.fspath(file)}: {reason}")
