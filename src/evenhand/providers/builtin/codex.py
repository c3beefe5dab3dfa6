"""Codex as a judge: `codex exec`.

No option turns all of its tools off, and a read-only sandbox still reads files. What a model may use is decided by its
entry in Codex's model catalogue, so Codex is given a catalogue of one model without tools, whose instructions are the
judge's. Of the user's configuration it gets the model server alone. Checked with 0.169.0.
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
    wire = OpenAIResponses()
    harmless = frozenset({"request_user_input"})  # nobody is there to answer it

    @classmethod
    def configured(cls, environment: Mapping[str, str]) -> dict[str, str]:
        names = codex_provider(environment).variables
        return {name: environment[name] for name in names if environment.get(name)}

    def __init__(self, model: str, run: Run, environment: Mapping[str, str]) -> None:
        self._provider = codex_provider(environment)
        self.address = self._provider.address
        self._entry = _entry(model or self._provider.model, run(["debug", "models", "--bundled"]))
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
        if address is None:  # the user's configuration is left out, but for where questions go
            for setting in self._provider.settings:
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
        provider = codex_provider(environment)
        if provider.key is not None:
            return bool(environment.get(provider.key))
        return not provider.has_login or run(["login", "status"]).code == 0


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


# --- the model server that the user's own Codex talks to, from its config.toml
#
# A judge is called without the user's configuration, which may turn tools on. What decides where a question goes is
# read here and handed to the call: the provider, its address and the names of the variables that hold its key. What
# would have to show a key on a command line is refused, since every user of the machine can read those.

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
