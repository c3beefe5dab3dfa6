"""Placeholders in a command's arguments, and the variables that every command is given."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from typing import NamedTuple

from evenhand.decisions.suite import Case, Command, Function

_PLACEHOLDER = re.compile(r"\{(prompt|prompt_file|workspace|case|repeat|skill|vars\.[A-Za-z_]\w*)\}")

LONGEST_VARIABLE = 100_000
"""Bytes of a prompt that fit into a variable on every system; a longer one is in its file only."""

PASSED_ON = frozenset({
    "PATH", "LANG", "LANGUAGE", "TZ", "TERM", "COLORTERM",
    "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "FTP_PROXY", "NO_PROXY",
    "SSL_CERT_FILE", "SSL_CERT_DIR", "NIX_SSL_CERT_FILE", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "NODE_EXTRA_CA_CERTS",
    "GIT_SSL_CAINFO", "PIP_CERT", "DENO_CERT",
})  # fmt: skip
"""The variables that every run gets, beside those that start with LC_: where programs are, the language, proxies,
certificates. No key or token is among them."""

_TEMPORARY = ("TMPDIR", "CLAUDE_CODE_TMPDIR")
"""What programs call the folder for temporary files; Claude Code has a name of its own and takes /tmp without it."""

_SECRET_NAME = re.compile(
    r"KEY|TOKEN|SECRET|PASSW|PASSPHRASE|CREDENTIAL|AUTH|COOKIE|PRIVATE|DSN|WEBHOOK|CONNECTION_STRING"
    r"|(?:^|_)(?:PASS|PAT|PWD|JWT|SAS)(?:_|$)",
    re.IGNORECASE,
)
_SECRET_VALUE = re.compile(
    r"://[^/\s:@]*:[^/\s@]+@|^(?:sk|pk|rk|ghp|gho|ghs|ghu|github_pat|glpat|xox[a-z]|AKIA|AIza|hf|npm)[-_A-Za-z0-9.]{16,}$"
    r"|PRIVATE KEY-----"
)
SHORTEST_SECRET = 8
"""Characters of a value that is worth hiding: shorter ones are in many texts by chance."""


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
    command: Command, given: Given, inherited: Mapping[str, str], *, home: str, temporary: str
) -> dict[str, str]:
    """The environment: what every run gets, what the suite lists, the run's own folders, and its prompt for scripts."""
    environment = {name: text for name, text in inherited.items() if _is_passed_on(name) or name in command.passed}
    environment["HOME"] = home
    environment |= zip(_GIVEN, map(str, given), strict=False)
    if len(given.prompt.encode()) > LONGEST_VARIABLE or "\0" in given.prompt:
        del environment["EVENHAND_PROMPT"]
    environment |= dict.fromkeys(_TEMPORARY, temporary) | {"PWD": given.workspace}
    return environment | dict(command.environment)


def _is_passed_on(name: str) -> bool:
    return name in PASSED_ON or name.startswith("LC_") or (name.islower() and name.upper() in PASSED_ON)


def secrets(does: Command | Function, inherited: Mapping[str, str]) -> dict[str, str]:
    """The names of variables that a variant is given and that hold secrets, by their texts, the longest first."""
    listed = {name: inherited[name] for name in does.passed if name in inherited} | dict(does.environment)
    named = {text: name for name, text in listed.items() if len(text) >= SHORTEST_SECRET and _is_secret(name, text)}
    return dict(sorted(named.items(), key=lambda item: -len(item[0])))


def _is_secret(name: str, text: str) -> bool:
    is_own = name in ("PWD", "OLDPWD") or name.endswith(("_PATH", "_FILE", "_DIR"))
    return bool((_SECRET_NAME.search(name) and not is_own) or _SECRET_VALUE.search(text))


def without_secrets(inherited: Mapping[str, str], listed: Collection[str]) -> dict[str, str]:
    """The variables but for secrets that are not listed, for a command that may run what an agent wrote."""
    return {name: text for name, text in inherited.items() if name in listed or not _is_secret(name, text)}


def only_passed_on(inherited: Mapping[str, str]) -> dict[str, str]:
    """The variables that every run gets."""
    return {name: text for name, text in inherited.items() if _is_passed_on(name)}


_GIVEN = [f"EVENHAND_{name.upper()}" for name in Given._fields if name != "variables"]
"""The variables that hold what a run is given, in its order; the case's own variables come last and have none."""
