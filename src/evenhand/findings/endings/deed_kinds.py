"""What a command or a tool does, as far as it has consequences: tests, builds, deployments, messages, orders. Pure.

A command is known by its program, or by the words in the name of the script or of the task that a runner is told to
do; a tool by the words of its name. What only looks at something has no kind.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Final, NamedTuple

from evenhand.findings.endings.kinds import KINDS, VERB_OF
from evenhand.findings.facts.shell import Command, commands

_TASK_ORDER: Final = "migration deploy publish types lint tests build install backup data".split()
"""The first kind that a word in the name of a script or a task has counts."""
_COMMANDS: Final = tuple(kind for kind in KINDS.values() if kind.programs)

_RUNNERS: Final = frozenset(
    "make gmake just mise task rake invoke inv npm yarn pnpm bun deno poe hatch pdm tox nox composer mage doit "
    "grunt gulp nx turbo moon pixi rye bazelisk earthly ant gradle sbt lein".split()
)
"""Programs that are told a task by its name."""
_RUNNER_WORDS: Final = frozenset("run run-script exec -s --silent -e --session -w --workspace tasks".split())
_PREFIXES: Final = {
    "uv": ("run",),
    "poetry": ("run",),
    "pdm": ("run",),
    "hatch": ("run",),
    "pipenv": ("run",),
    "rye": ("run",),
    "npx": (),
    "bunx": (),
    "pnpx": (),
    "bundle": ("exec",),
    "docker": ("exec", "run"),
    "timeout": (),
    "xvfb-run": (),
    "direnv": ("exec",),
    "mise": ("exec", "x"),
    "asdf": ("exec",),
    "yarn": ("exec", "dlx"),
    "pnpm": ("exec", "dlx"),
    "npm": ("exec",),
    "python": ("-m",),
    "python3": ("-m",),
    "py": ("-m",),
    "coverage": ("run",),
    "dotenv": ("run", "--"),
    "doppler": ("run", "--"),
    "ssh": (),
    "wsl": (),
    "stdbuf": (),
    "php": (),
    "ruby": (),
    "node": (),
    "perl": (),
    "sh": (),
    "bash": (),
    "zsh": (),
    "conda": ("run",),
    "nix": ("develop",),
    "dotnet": ("tool",),
    "sudo": (),
    "strace": (),
    "chronic": (),
    "retry": (),
}
"""Programs that run another one, with the word that says so."""
_ALIKE: Final = {
    "yarn": "npm",
    "pnpm": "npm",
    "bun": "npm",
    "mvnw": "mvn",
    "gradlew": "gradle",
    "pip3": "pip",
    "podman": "docker",
}
_SCRIPT: Final = re.compile(r"\.(?:sh|bash|py|js|mjs|ts|rb|pl|ps1|php)$")
_INTERPRETERS: Final = frozenset(
    "python python3 py sh bash zsh node ruby perl php deno bun tsx ts-node pwsh powershell".split()
)
_ONLY_SHOWS: Final = frozenset(
    "--version --help -h -V --collect-only --co --list --list-tests --dry-run -n --dryrun --check-only --what-if plan"
    " help version".split()
)
_DRY: Final = frozenset("make npm git".split())
"""Programs for which `-n` is a dry run or nothing of the kind; for others it may be a number of workers."""

_HINT: Final = re.compile(
    "|".join(
        [
            *map(re.escape, {entry.split()[0] for kind in _COMMANDS for entry in kind.programs.split("|")}),
            *map(re.escape, (*_ALIKE, *_RUNNERS)),
            *(KINDS[kind].tasks for kind in _TASK_ORDER),
        ]
    ),
    re.I,
)
"""In every command that has a kind; most commands have none, which is seen many times as fast."""


class Done(NamedTuple):
    """What one command does."""

    kind: str
    command: Command
    target: str
    """Its words without options, from which the same thing is known again."""
    narrow: bool
    """Whether it is told to look at a part only: a file, a name."""


@lru_cache(maxsize=4096)
def kinds_of(text: str) -> tuple[Done, ...]:
    """What a shell text does that has consequences, in order."""
    if not _HINT.search(text):
        return ()
    return tuple(_done(text))


def _done(text: str) -> Iterator[Done]:
    for command in commands(text):
        words = _plain(command.words)
        if not words:
            continue
        kind = _kind(words)
        if kind is not None and not _only_shows(command.words, kind):
            plain = [word for word in words if not word.startswith("-")]
            yield Done(kind, command, " ".join(plain)[:200], _is_narrow(kind, words))


def _only_shows(words: tuple[str, ...], kind: str) -> bool:
    said = _ONLY_SHOWS & set(words)
    if "--version" in words[2:-1]:
        said -= {"--version"}  # the version of what is installed or deployed
    return bool(said - {"-n", "-h", "-V"}) or bool(said & {"-n"} and words[0] in _DRY and kind != "tests")


def _plain(words: tuple[str, ...]) -> tuple[str, ...]:
    """The words of the command that is really run, without what runs it."""
    left = list(words)
    for _ in range(4):
        if not left:
            return ()
        left[0] = posixpath.basename(left[0]) if not left[0].startswith("-") else left[0]
        name, rest = left[0], left[1:]
        if name not in _PREFIXES or name in ("node", "php", "ruby", "perl", "sh", "bash", "zsh", "ssh"):
            break
        leads = _PREFIXES[name]
        if leads:
            if not rest or rest[0] not in leads:
                break
            left = rest[1:]
        else:
            left = rest
        while left and (left[0].startswith("-") or re.fullmatch(r"\d+[smh]?|[\w.-]+=.*", left[0])):
            left.pop(0)
        if name == "docker" and left:
            left.pop(0)  # the container
    if left:
        left[0] = _ALIKE.get(left[0], left[0])
    return tuple(left)


def _kind(words: tuple[str, ...]) -> str | None:
    joined = " ".join(words[:8])
    plain = " ".join([word for word in words if not word.startswith(("-", "+"))][:6])
    name = words[0]
    if name in ("git", "hg", "jj") and "-C" in words:
        place = words.index("-C")
        plain = " ".join([name, *[word for word in words[place + 2 :] if not word.startswith("-")]])
    if name not in ("make", "bundle", "task", "tox", "nox"):
        bare = " ".join(_without_options(words)[:6])
        for kind in _COMMANDS:
            if any(map(kind.commands.match, (plain, joined, bare))):
                return None if _looks(name, words) else kind.id
    if name in _RUNNERS:
        tasks = [
            word for word in words[1:] if word not in _RUNNER_WORDS and not word.startswith("-") and "=" not in word
        ]
        kinds = filter(None, map(_kind_of_name, tasks[:3]))
        found = next(kinds, None)
        if found is None and name in ("tox", "nox"):
            return "tests"
        return "build" if found is None and name == "make" and not tasks else found
    if name == "bundle" and len(words) == 1:
        return "install"
    script = name
    if name in _INTERPRETERS:
        script = next((word for word in words[1:] if not word.startswith("-")), "")
        if not _SCRIPT.search(script) and "manage.py" not in script and "/" not in script:
            return None
        if script.endswith("manage.py"):
            task = words[words.index(script) + 1] if words.index(script) + 1 < len(words) else ""
            return _kind_of_name(task)
    elif not _SCRIPT.search(name) and name not in ("test",):
        return None
    return _kind_of_name(_SCRIPT.sub("", posixpath.basename(script)))


def _without_options(words: tuple[str, ...]) -> list[str]:
    """The words of a command without options and their likely values: of `kubectl -n shop set`, kubectl set."""
    left: list[str] = []
    for before, word in zip(("", *words), words, strict=False):
        if not word.startswith("-") and (not before.startswith("-") or "=" in before):
            left.append(word)
    return left


def _looks(name: str, words: tuple[str, ...]) -> bool:
    """Whether a command of a known program only looks: `kubectl rollout history`, `docker ps`."""
    if words[1:3] == ("rollout", "status"):
        return False  # it waits for the end of the rollout
    return bool(
        {"status", "history", "list", "ls", "show", "diff", "logs", "get", "describe"} & set(words[1:4])
    ) and name in (
        "kubectl",
        "helm",
        "vercel",
        "fly",
        "flyctl",
        "alembic",
        "systemctl",
        "git",
        "docker",
        "argocd",
        "prisma",
        "bundle",
        "hugo",
    )


@lru_cache(maxsize=1024)
def _kind_of_name(name: str) -> str | None:
    """What a script or a task is for, by the words of its name: `test:unit`, `run_migrations`, `deploy-prod`."""
    words = [word for word in re.split(r"[^A-Za-z0-9]+|(?<=[a-z])(?=[A-Z])", name) if word]
    return next((kind for kind in _TASK_ORDER if any(map(KINDS[kind].task_words.match, words))), None)


def _is_narrow(kind: str, words: tuple[str, ...]) -> bool:
    """Whether a run of tests, types or lint is told to look at a part."""
    if kind not in ("tests", "types", "lint", "build"):
        return False
    if {"-k", "-t", "--grep", "--filter", "-run", "--run", "--testNamePattern", "-m", "--lf", "--last-failed"} & set(
        words[1:]
    ):
        return True
    return any(re.search(r"[\w*]\.[a-z]{1,5}(?:$|::)|::|/\w", word) for word in words[1:] if not word.startswith("-"))


# --- tools ---------------------------------------------------------------------------------------

_LOOKING: Final = frozenset(
    "get list read search find lookup look query fetch show view check describe retrieve browse is has count "
    "validate calculate"
    " compute think plan todo todowrite todoread preview verify estimate inspect explain summarize analyze wait "
    "poll status"
    " select download open_url navigate screenshot history logs glob grep ls cat".split()
)
_ACTING_FIRST: Final = frozenset("run execute start trigger do perform call invoke re rerun exec".split())
_NOT_OURS: Final = frozenset(
    "todo todowrite todoread think task agent skill bash shell terminal python code_interpreter finish "
    "submit_answer final_answer"
    " answer done exit respond reply_to_user message_user ask_user complete_task".split()
)


@lru_cache(maxsize=512)
def words_of_tool(name: str) -> tuple[str, ...]:
    """The words of a tool's own name, in lower case: of `mcp__mail__sendMessage`, send and message."""
    own = name.rsplit("__", 1)[-1].rsplit(".", 1)[-1].rsplit("/", 1)[-1].rsplit(":", 1)[-1]
    return tuple(word.lower() for word in re.split(r"[^A-Za-z0-9]+|(?<=[a-z0-9])(?=[A-Z])", own) if word)


def differ(name: str, other: str) -> bool:
    """Whether two tools are for different things: `update_flights` and `update_baggages`."""
    mine, others = (frozenset(words_of_tool(one)) - VERB_OF.keys() for one in (name, other))
    return bool(mine - others) and bool(others - mine)


@lru_cache(maxsize=512)
def kind_of_tool(name: str) -> str | None:
    """What a tool does by its name; None where it only looks, or where the name does not say."""
    words = words_of_tool(name)
    if not words or "_".join(words) in _NOT_OURS or "".join(words) in _NOT_OURS:
        return None
    acting = words[0] in _ACTING_FIRST
    if words[0] in _LOOKING or (len(words) > 1 and words[0] == "make" and words[1] in _LOOKING):
        return None
    for kind in _COMMANDS:
        names = kind.tools.split("|")
        if any(word in names for word in words) and (acting or words[0] in names or words[0] in VERB_OF):
            return kind.id
    if words[:2] == ("pull", "request") or (
        words[1:3] == ("pull", "request") and words[0] in ("create", "open", "submit", "update")
    ):
        return "pull request"
    if words[1:3] == ("merge", "request") or words[1:3] == ("pull", "request"):
        return "merge" if words[0] == "merge" else "pull request"
    if words[0] in VERB_OF:
        return VERB_OF[words[0]]
    if acting or len(words) == 1:
        return None
    if any(word in _LOOKING for word in words):
        return None
    return next((VERB_OF[word] for word in words if word in VERB_OF), None)


_FILE_TOOL: Final = re.compile(
    r"^(?:edit|write|multiedit|multi_edit|notebookedit|str_replace\w*|apply_patch|applypatch|create_file"
    r"|write_file|write_to_file"
    r"|replace_in_file|edit_file|insert|insert_edit\w*|apply_diff|search_replace|patch|replace|update_file"
    r"|delete_file|text_editor"
    r"|str_replace_based_edit_tool|file_editor|writefile|editfile|remove_file|move_file|rename_file)$",
    re.I,
)


@lru_cache(maxsize=512)
def is_file_tool(name: str) -> bool:
    """Whether a tool writes, edits or deletes files, by its name."""
    return _FILE_TOOL.match("_".join(words_of_tool(name))) is not None
