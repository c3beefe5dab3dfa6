"""Gemini CLI as a judge: `gemini -p`.

Its settings and a policy in the working folder turn tools, servers, hooks and skills off. It enforces no schema, so the
reply's form is only asked for. Checked with 0.61.0.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from evenhand.providers.commands.agent import Agent, Invocation, Outcome, Prompt, Run, events, fail, has_tools
from evenhand.providers.commands.command import agent_provider
from evenhand.providers.commands.process import Finished
from evenhand.providers.commands.wire import GeminiContents
from evenhand.providers.exchange import Reply

SETTINGS: dict[str, Any] = {
    "tools": {"core": ["none"]},
    "mcp": {"allowed": []},
    "hooksConfig": {"enabled": False},
    "skills": {"enabled": False},
    "context": {"fileName": ["none.md"], "includeDirectoryTree": False, "discoveryMaxDirs": 0},
    "privacy": {"usageStatisticsEnabled": False},
    "telemetry": {"enabled": False},
    "general": {"enableAutoUpdate": False, "enableAutoUpdateNotification": False},
    "experimental": {"enableAgents": False},
}
_NOT_COPIED = shutil.ignore_patterns(
    "tmp", "history", "node_modules", "*creds*", "*account*", "*token*", "*.log", "antigravity*"
)
POLICY = '[[rule]]\ntoolName = "*"\ndecision = "deny"\npriority = 999\n'


class GeminiCli(Agent):
    """The command `gemini`."""

    name = "gemini-cli"
    executable = "gemini"
    package = "@google/gemini-cli"
    login = "log in by starting: gemini"
    variables = (
        "GEMINI_API_KEY", "GOOGLE_API_KEY", "GOOGLE_CLOUD_PROJECT", "GOOGLE_CLOUD_LOCATION",
        "GOOGLE_GENAI_USE_VERTEXAI", "GOOGLE_GENAI_USE_GCA", "GOOGLE_APPLICATION_CREDENTIALS", "GEMINI_CLI_HOME",
        "GOOGLE_GEMINI_BASE_URL", "GOOGLE_VERTEX_BASE_URL", "CODE_ASSIST_ENDPOINT",
    )  # fmt: skip
    address = "GOOGLE_GEMINI_BASE_URL"
    wire = GeminiContents()
    harmless = frozenset()

    def __init__(self, model: str, run: Run, environment: Mapping[str, str]) -> None:
        self.model = model or "pro"
        self._environment = environment
        self.window: int | None = None

    def invocation(self, prompt: Prompt, work: Path, files: Path, address: str | None = None) -> Invocation:
        (files / "system.md").write_text(prompt.system, encoding="utf-8")
        (files / "policy.toml").write_text(POLICY, encoding="utf-8")
        (work / ".gemini").mkdir()
        (work / ".gemini" / "settings.json").write_text(json.dumps(SETTINGS), encoding="utf-8")
        arguments = (
            "-p", "", "--output-format", "stream-json", "--approval-mode", "default", "--extensions", "none",
            "--allowed-mcp-server-names", "none", "--policy", str(files / "policy.toml"), "--skip-trust",
            "--model", self.model,
        )  # fmt: skip
        environment = {"GEMINI_SYSTEM_MD": str(files / "system.md")}
        if address is not None:
            environment |= {
                "GEMINI_CLI_HOME": str(_copied_home(files / "home", self._environment)),
                "GEMINI_API_KEY": "rehearsal",
            }
            environment |= {"GOOGLE_GEMINI_BASE_URL": address}
        return Invocation(arguments, environment, prompt.user)

    def read(self, finished: Finished) -> Outcome:
        pieces, result, problem, model = [], None, "", ""
        for event in events(finished.output):
            match event.get("type"):
                case "init":
                    model = str(event.get("model", ""))
                case "message" if event.get("role") == "assistant":
                    pieces.append(str(event.get("content", "")))
                case "tool_result" if event.get("status") == "success":
                    has_tools(self, [str(event.get("tool_id"))])
                case "result":
                    result = event
                case "error":
                    problem = str(event.get("message", ""))
        if result is None or result.get("status") != "success":
            error = (result or {}).get("error") or {}
            fail(self, str(error.get("message") or problem or finished.errors or finished.output))
        stats = result.get("stats") or {}
        reply = Reply(
            text="".join(pieces),
            model=next(iter(stats.get("models") or {}), ""),
            input_tokens=stats.get("input_tokens"),
            output_tokens=stats.get("output_tokens"),
            cached_tokens=stats.get("cached"),
        )
        return Outcome(reply, model)

    def memory(self, body: Any, prompt: Prompt) -> str:
        parts = (body.get("systemInstruction") or {}).get("parts") or ()
        if "".join(str(part.get("text", "")) for part in parts).strip() == prompt.system.strip():
            return ""
        return (
            "it shows its model your own GEMINI.md, and no option turns that off; log in with GEMINI_CLI_HOME set "
            "to another folder, and run evenhand with the same GEMINI_CLI_HOME"
        )

    @staticmethod
    def logged_in(run: Run, environment: Mapping[str, str]) -> bool:
        keys = ("GEMINI_API_KEY", "GOOGLE_API_KEY", "GOOGLE_APPLICATION_CREDENTIALS")
        return (_home(environment) / "oauth_creds.json").is_file() or any(environment.get(key) for key in keys)


def _home(environment: Mapping[str, str]) -> Path:
    """Where Gemini CLI keeps its settings and its login."""
    return Path(environment.get("GEMINI_CLI_HOME") or environment.get("HOME") or "~").expanduser() / ".gemini"


def _copied_home(home: Path, environment: Mapping[str, str]) -> Path:
    """A copy of the user's settings, without the login: one with Google cannot be pointed at another server."""
    copy = home / ".gemini"
    source = _home(environment)
    if source.is_dir():
        shutil.copytree(source, copy, ignore=_NOT_COPIED, symlinks=True)
    copy.mkdir(parents=True, exist_ok=True)
    try:
        settings = json.loads((copy / "settings.json").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        settings = {}
    settings = settings if isinstance(settings, dict) else {}
    settings["security"] = {"auth": {"selectedType": "gemini-api-key"}}
    (copy / "settings.json").write_text(json.dumps(settings), encoding="utf-8")
    return home


PROVIDER = agent_provider(GeminiCli, "Gemini CLI", place=5)
