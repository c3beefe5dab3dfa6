"""What known agents need to reach a model, a listed key or a login in HOME, and where they write their sessions."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from evenhand.decisions.suite import Command, Variant
from evenhand.errors import Problem


class Agent(NamedTuple):
    """How an agent is let in."""

    keys: tuple[str, ...]
    """Variables of which one is enough; the usual one first."""
    login: str
    """The file of a login, in HOME."""
    settings: tuple[str, ...]
    """Other files in HOME without which a login is not found; none with memory, plug-ins or instructions."""
    options: tuple[str, ...]
    """Arguments after which it may get a key in another way."""


UNASKED = "--dangerously-skip-permissions"

AGENTS = {
    "claude": Agent(
        (
            "ANTHROPIC_API_KEY", "CLAUDE_CODE_OAUTH_TOKEN", "ANTHROPIC_AUTH_TOKEN", "CLAUDE_CODE_USE_BEDROCK",
            "CLAUDE_CODE_USE_VERTEX", "CLAUDE_CODE_USE_FOUNDRY",
        ),
        ".claude/.credentials.json",
        (),
        ("--settings",),
    ),
    "codex": Agent(("OPENAI_API_KEY", "CODEX_API_KEY"), ".codex/auth.json", (), ("env_key", "--oss", "--profile")),
    "gemini": Agent(
        ("GEMINI_API_KEY", "GOOGLE_API_KEY", "GOOGLE_APPLICATION_CREDENTIALS"), ".gemini/oauth_creds.json",
        (".gemini/google_accounts.json", ".gemini/installation_id"), (),
    ),
}  # fmt: skip
"""By the name of the command."""

LOGINS = tuple(file for agent in AGENTS.values() for file in (agent.login, *agent.settings))
"""What is copied from the user's HOME for a variant that uses a login."""


def needed_keys(variants: Iterable[Variant]) -> Iterator[tuple[str, str]]:
    """The name of each variant that is a known agent, with the variable of its key that is listed, else the usual."""
    for variant in variants:
        agent = _agent(variant)
        if agent is not None and isinstance(variant.does, Command):
            listed = {*variant.does.passed, *variant.does.environment}
            yield variant.name, next((key for key in agent.keys if key in listed), agent.keys[0])


def missing_keys(variants: Iterable[Variant]) -> list[Problem]:
    """The known agents that would get neither a key nor a login, each with what to do."""
    return [problem for variant in variants if (problem := _problem(variant)) is not None]


def _problem(variant: Variant) -> Problem | None:
    agent, does = _agent(variant), variant.does
    if agent is None or not isinstance(does, Command):
        return None
    if any(option in argument for argument in does.arguments for option in agent.options):
        return None
    listed = [key for key in agent.keys if key in does.passed]
    if {*does.environment}.intersection(agent.keys) or any(os.environ.get(key) for key in listed):
        return None
    if not does.own_home and (sys.platform == "darwin" or (Path.home() / agent.login).exists()):  # or the key chain
        return None
    name = os.path.basename(does.arguments[0])  # noqa: PTH119
    if listed:
        why = f"{listed[0]} is listed and not set; set it, or log in with {name} and write own_home: false"
    elif not does.own_home:
        why = (
            f"there is no login in {Path.home()}; log in with {name}, or set {agent.keys[0]} and list it under "
            "environment"
        )
    else:
        why = (
            "variables are passed on only if the suite lists them; add "
            f"environment: [{agent.keys[0]}], or own_home: false to use your login"
        )
    return Problem(
        f'the variant "{variant.name}" runs {name}, which gets no key: {why}',
        variant.place.file or None,
        variant.place.line,
    )


def refused_as_root(variants: Iterable[Variant]) -> list[Problem]:
    """The variants that Claude Code would refuse to run: it skips no permissions for root, unless told that it may."""
    if os.geteuid() != 0:
        return []
    return [
        Problem(
            f'the variant "{variant.name}" runs claude as root, which refuses {UNASKED}; in a container, where nothing '
            "can be harmed, set IS_SANDBOX=1 and list it under environment; elsewhere run it as another user",
            variant.place.file or None,
            variant.place.line,
        )
        for variant in variants
        if _agent(variant) is AGENTS["claude"] and isinstance(variant.does, Command) and _is_refused(variant.does)
    ]


def _is_refused(does: Command) -> bool:
    passed = os.environ.get("IS_SANDBOX") if "IS_SANDBOX" in does.passed else None
    return UNASKED in does.arguments and does.environment.get("IS_SANDBOX", passed) != "1"


def _agent(variant: Variant) -> Agent | None:
    if not isinstance(variant.does, Command) or variant.does.shell:
        return None
    return AGENTS.get(os.path.basename(variant.does.arguments[0]))  # noqa: PTH119


# --- the transcript that an agent wrote during a run: found where known agents write theirs, or by a pattern

AUTO = "auto"
STDOUT = "stdout"
"""The transcript is what the command prints."""

KNOWN = (
    ".claude/projects/*/*.jsonl",  # Claude Code
    ".codex/sessions/**/*.jsonl",  # Codex
    ".gemini/tmp/*/chats/*.json*",  # Gemini CLI
    ".qwen/projects/*/chats/*.jsonl",  # Qwen Code
)
"""Where agents write their sessions, under HOME."""


def find_transcript(pattern: str, workspace: Path, home: Path) -> tuple[Path | None, tuple[str, ...]]:
    """The session's file in a run's own folders, and notes about it."""
    patterns = KNOWN if pattern == AUTO else (pattern,)
    paths = [path for place in patterns for path in _files(home, place)]
    if pattern != AUTO:
        paths += _files(workspace, pattern)
    if not paths:
        return None, () if pattern == AUTO else (f"no transcript matches {pattern}",)
    newest = max(paths, key=lambda path: (path.lstat().st_mtime_ns, str(path)))
    note = f"{len(paths)} transcripts were written; the newest is used"
    return newest, (note,) if len(paths) > 1 else ()


def _files(folder: Path, pattern: str) -> Iterator[Path]:
    """Plain files in a folder by pattern; links are left out."""
    try:
        for path in folder.glob(pattern):
            if not path.is_symlink() and path.is_file() and path.resolve().is_relative_to(folder.resolve()):
                yield path
    except (OSError, ValueError, NotImplementedError, RuntimeError):  # an absolute pattern, or folders without an end
        return
