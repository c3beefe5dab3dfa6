"""A project's settings: `evenhand.toml`, or `[tool.evenhand]` in `pyproject.toml`, and the environment.

A command's own option comes first, then the environment, then the project's file, then the default.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal, get_args

from evenhand.errors import NUL, InputError, Problem
from evenhand.files.located import Located
from evenhand.files.text import read_text, readable

STORE_VARIABLE = "EVENHAND_STORE"
OUTPUTS_VARIABLE = "EVENHAND_ALLOW_OUTPUTS"
"""Folders, separated as in PATH, whose files judgements may name as their output although they lie elsewhere."""
SKILL_VERSIONS = ("EVENHAND_SKILL_VERSION", "GITHUB_SHA", "CI_COMMIT_SHA", "GIT_COMMIT")
"""Where the version of the skills is looked up: given by hand, or the commit that a CI system has checked out."""
DEFAULT_STORE = Path(".evenhand") / "evenhand.db"
RUNS = "runs"
"""The folder of a suite's kept runs, next to the store's file."""
Keep = Literal["text", "hash", "transcript"]
"""What a store keeps of an output: its text, only the hash of it, or also the transcript it is the end of."""
KEEP: tuple[Keep, ...] = get_args(Keep)


def _table(group: str) -> Any:
    """A table of settings of commands, as `evenhand.options.command_settings` declares them."""

    def read(written: object) -> dict[str, Any]:
        from evenhand.options.command_settings import table_problems  # loaded only for a project that sets some

        if not isinstance(written, dict):
            raise ValueError(f"{group} must be a table")
        problems = [Problem(message, path=(name,)) for name, message in table_problems(group, written)]
        if problems:
            raise InputError(problems)
        return written

    return Annotated[Mapping[str, Any], {"read": read}]


_WORDS = {"empty": False}


@dataclass(frozen=True, slots=True)
class Hook:
    """What the hook of an agent may do."""

    FACTS: ClassVar = {"closed": True}

    block: Literal["never", "critical"] = "never"
    """Whether it may keep an agent from stopping: never, or at critical faults."""


@dataclass(frozen=True, slots=True)
class Waiver:
    """A finding that someone in the project waived."""

    FACTS: ClassVar = {"closed": True}

    finding: Annotated[str, _WORDS]
    """The finding's id."""
    by: Annotated[str, {"pattern": "^human:.", "is": "a person, as human:NAME"}]
    """Who waived it."""
    reason: Annotated[str, _WORDS]
    """Why."""


@dataclass(frozen=True, slots=True)
class ProjectFile:
    """`evenhand.toml`, or `[tool.evenhand]` in `pyproject.toml`."""

    FACTS: ClassVar = {"closed": True, "noun": "setting", "wrong": "the settings of evenhand must be a table"}

    store: str | None = None
    """Where evaluations are kept, as a URL, a path, or `none`."""
    keep: Keep = "text"
    """What a store keeps of an output."""
    judges: Annotated[Mapping[str, Any], {"wrong": "judges must be a table of tables, such as [judges.mine]"}] = field(
        default_factory=dict
    )
    """Judges under names of the project's own; `judges.providers` knows what each provider takes."""
    judge: _table("judge") = field(default_factory=dict)  # type: ignore[valid-type]
    """How models are asked, and outputs read."""
    report: _table("report") = field(default_factory=dict)  # type: ignore[valid-type]
    """How much is shown."""
    score: _table("score") = field(default_factory=dict)  # type: ignore[valid-type]
    """How written judgements are scored."""
    rubric: _table("rubric") = field(default_factory=dict)  # type: ignore[valid-type]
    """How rubrics are tested."""
    run: _table("run") = field(default_factory=dict)  # type: ignore[valid-type]
    """How suites are run."""
    plugin: _table("plugin") = field(default_factory=dict)  # type: ignore[valid-type]
    """How claude plugin eval is called."""
    better: _table("better") = field(default_factory=dict)  # type: ignore[valid-type]
    """How versions are compared."""
    gate: _table("gate") = field(default_factory=dict)  # type: ignore[valid-type]
    """What every gate of the project allows."""
    labels: _table("labels") = field(default_factory=dict)  # type: ignore[valid-type]
    """How tables of ratings are read."""
    trust: _table("trust") = field(default_factory=dict)  # type: ignore[valid-type]
    """How agreement is computed and estimates are made."""
    table: _table("table") = field(default_factory=dict)  # type: ignore[valid-type]
    """How tables of evaluations are scored."""
    waivers: tuple[Waiver, ...] = ()
    """The findings that someone waived."""
    hook: Hook = Hook()
    """What the hook of an agent may do."""


@dataclass(frozen=True, slots=True)
class Settings:
    """The settings of a run."""

    store: str
    """Where evaluations are kept, as a URL, a path, or `none`."""
    keep: Keep

    @property
    def text_or_hash(self) -> Keep:
        """What is kept of an output by a command that has no transcripts."""
        return "hash" if self.keep == "hash" else "text"


def load_settings(*, store: str | None = None, keep: Keep | None = None) -> Settings:
    """The settings of this project; a command's own options come first."""
    if store is not None and not store.strip():
        raise InputError("`store` is empty; give a file, a URL, or none")
    folder = project_folder()
    written = _written(folder)
    chosen = store or os.environ.get(STORE_VARIABLE) or _from_folder(folder, written.store or str(DEFAULT_STORE))
    return Settings(store=chosen, keep=keep or written.keep)


def skill_version() -> str | None:
    """The version or commit of the skills that are judged, if the environment tells."""
    return next((version for name in SKILL_VERSIONS if (version := os.environ.get(name, "").strip())), None)


def allowed_outputs() -> list[Path]:
    """The folders that the environment allows. A project's own file cannot: it comes with the judgements."""
    return [Path(folder) for folder in os.environ.get(OUTPUTS_VARIABLE, "").split(os.pathsep) if folder]


def judge_tables() -> Located:
    """The tables `[judges.NAME]` of the project as they are written; `judges.providers` validates them."""
    folder = project_folder()
    own, shared = folder / "evenhand.toml", folder / "pyproject.toml"
    path, above = (own, ()) if own.is_file() or not shared.is_file() else (shared, ("tool", "evenhand"))
    if not path.is_file():
        return Located({}, str(_short(own)), lambda place: None)
    document = _toml(path)
    written = _checked(document, *above)
    return _below(document, (*above, "judges"))._replace(value=written.judges)


def waivers() -> tuple[Waiver, ...]:
    """The findings that someone in the project waived."""
    return _written(project_folder()).waivers


def option_defaults(use: str) -> dict[str, Any]:
    """The options of this `use` that the project sets under `[judge]`; what a command or a test says goes before."""
    from evenhand.options.model_options import OPTIONS

    written = _written(project_folder()).judge
    return {name: value for name, value in written.items() if name in OPTIONS and use in OPTIONS[name].used_by}


def command_settings() -> dict[str, Any]:
    """What the project sets for its commands, by the settings' names."""
    from evenhand.options.command_settings import GROUPS

    written = _written(project_folder())
    tables = {group: getattr(written, group, {}) for group in GROUPS}
    return {f"{group}.{name}": value for group, table in tables.items() for name, value in table.items()}


def hook_blocks() -> bool:
    """Whether `evenhand agent hook` may keep an agent from stopping."""
    return _written(project_folder()).hook.block == "critical"


def _from_folder(folder: Path, store: str) -> str:
    """A store as named in a project's file: a relative path starts from the project's folder."""
    path = store.removeprefix("sqlite:///")
    return store if "://" in path or store == "none" else str(_short(folder / path))


def runs_folder(store: str) -> Path:
    """The folder of kept runs: next to the store's file, or where that would be."""
    path = store.removeprefix("sqlite:///")
    inside = store == "none" or "://" in path
    return (project_folder() / DEFAULT_STORE.parent if inside else Path(path).parent) / RUNS


def replies_beside(store: str) -> str | None:
    """Where models' replies are kept unless told otherwise: next to the store, or nowhere if nothing is stored."""
    return None if store == "none" else str(runs_folder(store).parent / "replies.db")


def project_folder() -> Path:
    """The nearest folder up to the top of the repository with settings or a store, else that top, else this one."""
    current = Path.cwd()
    for folder in (current, *current.parents):
        if (folder / "evenhand.toml").is_file() or (folder / DEFAULT_STORE.parent).is_dir() or _has_table(folder):
            return folder
        if (folder / ".git").exists():
            return folder
    return current


def _has_table(folder: Path) -> bool:
    path = folder / "pyproject.toml"
    return path.is_file() and b"[tool.evenhand" in path.read_bytes()


def _written(folder: Path) -> ProjectFile:
    own, shared = folder / "evenhand.toml", folder / "pyproject.toml"
    if own.is_file():
        return _checked(_toml(own))
    if shared.is_file():
        with readable(str(shared)):
            text = shared.read_bytes()
        if (
            b"tool.evenhand" in text or b"[tool]" in text
        ):  # few projects have settings here; do not parse for the others
            return _checked(_toml(shared), "tool", "evenhand")
    return ProjectFile()


def _toml(path: Path) -> Located:
    from evenhand.files.toml_values import load_toml  # loaded only for a project with settings

    document = load_toml(read_text(str(_short(path))), str(_short(path)))
    _refuse_nul(document.value, document.source)
    return document


def _refuse_nul(value: Any, source: str, name: str = "") -> None:
    if isinstance(value, str) and "\0" in value:
        raise InputError(Problem(f"{name} {NUL}", source))
    items: Any = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, item in items:
        _refuse_nul(str(key), source, "a key")
        _refuse_nul(item, source, f"{name}.{key}".removeprefix("."))


def _checked(document: Located, *above: str) -> ProjectFile:
    """The settings in a file, where they are below some tables; InputError lists every problem with its line."""
    from evenhand.files import codec  # loaded only for a project with settings

    inside = _below(document, above)
    return codec.read(ProjectFile, inside.value, place=inside.place, error=InputError)


def _below(document: Located, above: tuple[str, ...]) -> Located:
    """The part of a document below some tables."""
    value = document.value
    for name in above:
        value = value.get(name, {}) if isinstance(value, dict) else {}
    return Located(value, document.source, lambda place: document.find_line((*above, *place)))


def _short(path: Path) -> Path:
    """A path relative to the current folder, where possible."""
    try:
        return path.relative_to(Path.cwd())
    except ValueError:
        return path


def user_name() -> str:
    """The name of the current user, as the system knows it."""
    import getpass

    try:
        return getpass.getuser()
    except (OSError, KeyError):
        return "local"
