"""Placeholders in a command's arguments, and the variables that every command is given."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from typing import NamedTuple

from evenhand.core.values.suite import Case, Command

_PLACEHOLDER = re.compile(r"\{(prompt|prompt_file|workspace|case|repeat|skill|vars\.[A-Za-z_]\w*)\}")

LONGEST_VARIABLE = 100_000
"""Bytes of a prompt that fit into a variable on every system; a longer one is in its file only."""

AGENT_FOLDERS = (
    "XDG_CONFIG_HOME", "XDG_CACHE_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", "CLAUDE_CONFIG_DIR", "CODEX_HOME",
    "GEMINI_CLI_HOME", "CLAUDECODE", "CLAUDE_CODE_ENTRYPOINT",
)  # fmt: skip
"""Variables that would lead an agent with a HOME of its own back to the user's, or make it think that it runs inside
another."""

MARK = "EVENHAND_RUN"
"""The variable by which the processes of a run are recognised."""


class Given(NamedTuple):
    """What a run is given."""

    prompt: str
    prompt_file: str
    workspace: str
    case: str
    repeat: int
    skill: str = ""
    """Where its skill is in the workspace; empty without one."""
    variables: Mapping[str, str] = {}
    """The case's, for `{vars.NAME}`."""


def whole_prompt(case: Case) -> str:
    """The prompt; after a conversation, all of it with each speaker's name before the words."""
    if not case.conversation:
        return case.prompt
    turns = [*((message.role, message.text) for message in case.conversation), ("user", case.prompt)]
    return "\n\n".join(f"{role.capitalize()}: {text}" for role, text in turns)


SAFE = ("prompt_file", "workspace", "repeat")
"""Placeholders whose values we make ourselves: a shell may read them."""


def filled(text: str, given: Given, names: Collection[str] = Given._fields) -> str:
    """A text with its placeholders replaced, once: braces in a prompt stay as they are."""
    if "{" not in text:
        return text
    values = {name: str(value) for name, value in given._asdict().items() if name in names}
    if "variables" in names:
        values |= {f"vars.{name}": value for name, value in given.variables.items()}
    return _PLACEHOLDER.sub(lambda match: values.get(match[1], match[0]), text)


def variables(
    command: Command, given: Given, inherited: Mapping[str, str], *, home: str | None, temporary: str, mark: str
) -> dict[str, str]:
    """The environment: inherited, with the run's own folders, and its prompt for shells and scripts."""
    environment = dict(inherited)
    if home is not None:
        for name in AGENT_FOLDERS:
            environment.pop(name, None)
        environment["HOME"] = home
    environment |= zip(_GIVEN, map(str, given), strict=False)
    if len(given.prompt.encode(errors="surrogatepass")) > LONGEST_VARIABLE or "\0" in given.prompt:
        del environment["EVENHAND_PROMPT"]
    return environment | {"TMPDIR": temporary, "PWD": given.workspace, MARK: mark} | dict(command.environment)


_GIVEN = [f"EVENHAND_{name.upper()}" for name in Given._fields if name != "variables"]
"""The variables that hold what a run is given, in its order; the case's own variables come last and have none."""
