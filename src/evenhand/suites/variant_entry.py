"""Variants: what is run on every case. One that is `like` another starts from that one's fields."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from evenhand.decisions.suite import Command, Function, Limits, Model, Recorded, Skill, Variant
from evenhand.errors import InputError, shortened_line, unknown
from evenhand.suites import placeholders
from evenhand.suites.allowances import limits_from
from evenhand.suites.located_entry import SuiteEntry
from evenhand.suites.paths import absolute, is_file
from evenhand.work.names import slug

KINDS = ("command", "function", "model", "recorded")
OPTIONS: Mapping[str, tuple[str, ...]] = {
    "command": ("shell", "environment", "stdin", "output", "transcript", "own_home"),
    "function": ("environment",),
    "model": ("prompt", "system"),
    "recorded": (),
}
EVERY = ("skill", "limits")
VARIANT = ("like", *KINDS, *(option for options in OPTIONS.values() for option in options), *EVERY)
VERSIONS = ("versions", *VARIANT[1:])


class Layers:
    """A variant's own fields, before those of the variants it is like."""

    def __init__(self, entries: list[SuiteEntry]) -> None:
        self.entries = entries
        self.keys = {key for entry in entries for key in entry.value}

    def of(self, key: str) -> SuiteEntry:
        """The entry that decides a field."""
        return next((entry for entry in self.entries if key in entry.value), self.entries[0])


class VariantReader:
    """Makes variants out of entries."""

    def __init__(self, limits: Limits, check_model: Callable[[str], object], suite: SuiteEntry | None = None) -> None:
        """`suite` has the environment that all variants share."""
        self._limits = limits
        self._check_model = check_model
        self._shared = {} if suite is None else _environment(suite)

    def variants(self, whole: SuiteEntry) -> tuple[Variant, ...]:
        """What is under `variants`: names with their fields, or the versions of one skill in a line."""
        if not whole.value:
            whole.refuse("a suite needs at least one variant, such as mine: {command: [my-agent, '{prompt}']}")
            return ()
        if isinstance(whole.value.get("versions"), list):
            return self._versions(whole)
        entries = {}
        for name in whole.value:
            whole.name_at(name, name)
            entry = whole.inside(name)
            entry.known(VARIANT)
            entries[name] = entry
        return tuple(
            variant
            for name, entry in entries.items()
            if (variant := self._variant(name, _layers(name, entry, entries))) is not None
        )

    def _variant(self, name: str, layers: Layers | None) -> Variant | None:
        if layers is None:
            return None
        does = self._does(layers)
        limits = self._limits
        for entry in reversed(layers.entries):
            limits = limits_from(entry.inner("limits"), limits)
        entry = layers.of("skill")
        skill = skill_from(entry, entry.value["skill"], "skill") if "skill" in entry.value else None
        return None if does is None else Variant(name, does, skill, limits, layers.entries[0].place)

    def _does(self, layers: Layers) -> Command | Function | Model | Recorded | None:
        first = layers.entries[0]
        kinds = [kind for kind in KINDS if kind in layers.keys]
        if len(kinds) != 1:
            given = f", not {' and '.join(kinds)}" if kinds else ""
            first.refuse(f"a variant is exactly one of {', '.join(KINDS)}{given}; or like another variant")
            return None
        kind = kinds[0]
        for key in sorted(layers.keys & set(VARIANT)):
            if key not in (kind, "like", *OPTIONS[kind], *EVERY):
                valid = ", ".join((*OPTIONS[kind], *EVERY))
                layers.of(key).refuse(f'"{key}" does not go with {kind}; valid beside it: {valid}', key)
        makers: Mapping[str, Callable[[Layers], Any]] = {
            "command": _command,
            "function": _function,
            "model": self._model,
            "recorded": _recorded,
        }
        action: Command | Function | Model | Recorded | None = makers[kind](layers)
        return self._with_shared(action) if isinstance(action, Command | Function) else action

    def _with_shared(self, does: Command | Function) -> Command | Function:
        """A command or function with the variables that all variants share, unless it has its own of that name."""
        environment = {*does.environment, *does.passed}
        shared = {name: text for name, text in self._shared.get("environment", {}).items() if name not in environment}
        passed = (name for name in self._shared.get("passed", ()) if name not in environment)
        return does._replace(environment=shared | dict(does.environment), passed=(*passed, *does.passed))

    def _model(self, layers: Layers) -> Model | None:
        entry = layers.of("model")
        spec = entry.text("model")
        template, system = layers.of("prompt"), layers.of("system").text("system", empty=True) or ""
        text = template.text("prompt") if "prompt" in template.value else "{prompt}"
        if spec is None or text is None:
            return None
        spec = absolute_spec(entry, spec)
        if spec in ("checks", "auto"):
            entry.refuse(f'"{spec}" is not a model; write one such as openai:gpt-5-mini', "model")
            return None
        try:
            self._check_model(spec)
        except InputError as error:
            entry.refuse_all(error, "model")
        if not placeholders.has(text, "prompt") and not placeholders.variables_in(text):
            template.refuse("prompt must hold {prompt}: that is where the case's prompt goes; or {vars.NAME}", "prompt")
        return Model(
            spec,
            placeholders.checked(template, text, placeholders.MODEL, "prompt"),
            placeholders.checked(layers.of("system"), system, placeholders.MODEL, "system"),
        )

    def _versions(self, whole: SuiteEntry) -> tuple[Variant, ...]:
        """One variant for each version of a skill: none, now, a git revision, or another folder."""
        whole.known(VERSIONS)
        path = whole.text("skill")
        if path is None and "skill" not in whole.value:
            whole.refuse("versions needs the skill's folder, as in skill: skills/mine")
        if not whole.value["versions"]:
            whole.refuse("versions is empty; list some of none, now, a git revision, ./another-folder", "versions")
        does = self._does(Layers([whole]))
        limits = limits_from(whole.inner("limits"), self._limits)
        variants: dict[str, Variant] = {}
        for number, item in enumerate(whole.value["versions"]):
            steps = ("versions", number)
            version = whole.text_at(item, *steps)
            if version is None or path is None:
                continue
            name, skill = version_from(whole, version, path, *steps)
            if name in variants:
                whole.refuse(f'two versions are named "{name}"; write the variants out to name them', *steps)
            if does is not None:
                variants.setdefault(name, Variant(name, does, skill, limits, whole.place))
        return tuple(variants.values())


def _layers(name: str, entry: SuiteEntry, entries: Mapping[str, SuiteEntry]) -> Layers | None:
    """A variant and those it is like, nearest first; None when that leads nowhere or in a circle."""
    chain, names = [entry], [name]
    while "like" in chain[-1].value:
        last = chain[-1]
        base = last.text("like")
        if base is None:
            return None
        if base in names:
            how = "itself" if len(names) == 1 else f"itself, through {', '.join(names[1:])}"
            last.refuse(f'the variant "{name}" is like {how}; one of them must say what is run', "like")
            return None
        if base not in entries:
            last.refuse(unknown("variant", base, [known for known in entries if known != name]), "like")
            return None
        chain.append(entries[base])
        names.append(base)
    return Layers(chain)


def _command(layers: Layers) -> Command | None:
    entry = layers.of("command")
    shell = layers.of("shell").yes_no("shell", False)
    value = entry.value["command"]
    if shell:
        if not isinstance(value, str):
            entry.refuse("with shell: true, command is a single text", "command")
            return None
        if placeholders.has(value, "prompt"):
            entry.refuse('a shell would run what is in the prompt; use "$EVENHAND_PROMPT" or {prompt_file}', "command")
        if placeholders.variables_in(value):
            entry.refuse("a shell would run what is in {vars.NAME}; use it in stdin, or without a shell", "command")
    elif not isinstance(value, list) or not value:
        entry.refuse(
            "command must be a list of arguments, such as [claude, -p, '{prompt}']; or text beside shell: true",
            "command",
        )
        return None
    words = entry.texts("command") if shell else _words(entry, value)
    if not shell and words and not words[0].strip():
        entry.refuse("command starts with an empty word; name a program", "command", 0)
    stdin = layers.of("stdin")
    output = layers.of("output")
    return Command(
        arguments=tuple(_filled(entry, word, shell, "command") for word in words),
        shell=shell,
        stdin=placeholders.checked(stdin, stdin.text("stdin", empty=True) or "", placeholders.COMMAND, "stdin"),
        output=_inside(output, "output"),
        transcript=_transcript(layers.of("transcript")),
        own_home=layers.of("own_home").yes_no("own_home", True),
    )._replace(**_environment(layers.of("environment")))


def _words(entry: SuiteEntry, value: list[Any]) -> tuple[str, ...]:
    words = [entry.text_at(item, "command", number, empty=True) for number, item in enumerate(value)]
    return tuple(_beside(entry, word) for word in words if word is not None)


def _beside(entry: SuiteEntry, word: str) -> str:
    """A word that names a file beside the suite, such as ./agent.py, as its path: a run works in another folder."""
    path = absolute(entry.folder, word)
    return str(path) if word.startswith(("./", "../")) and is_file(path) else word


def _filled(entry: SuiteEntry, word: str, shell: bool, key: str) -> str:
    """A word with its placeholders checked. A shell has braces of its own, so there only ours are looked at."""
    return word if shell else placeholders.checked(entry, word, placeholders.COMMAND, key)


def _environment(entry: SuiteEntry) -> dict[str, Any]:
    """The fields `environment` and `passed`: a list of names to pass on, or names with texts to set, or null."""
    value = entry.value.get("environment")
    if isinstance(value, list | str):
        names = entry.texts("environment")
        for name in names:
            if not _is_variable(name):
                entry.refuse(f"{_VARIABLE}: {shortened_line(name)}", "environment")
        return {"passed": tuple(dict.fromkeys(names))}
    inner = entry.inner("environment")
    if inner is None:
        return {}
    environment = {}
    for name, text in inner.value.items():
        if not _is_variable(name):
            inner.refuse(_VARIABLE, name)
        if text is not None and (given := inner.text(name, empty=True)) is not None:
            environment[name] = given
    passed = tuple(name for name, text in inner.value.items() if text is None)
    return {"environment": environment, "passed": passed}


_VARIABLE = "a variable's name must not be empty, nor hold = or NUL"


def _is_variable(name: str) -> bool:
    return bool(name) and "=" not in name and "\0" not in name


def _inside(entry: SuiteEntry, key: str) -> str | None:
    """A path inside the workspace."""
    text = entry.text(key)
    if text is not None and (text.startswith(("/", "\\")) or ".." in text.replace("\\", "/").split("/")):
        entry.refuse(f"{key} must be a file inside the workspace, without .. in it", key)
        return None
    return text


def _transcript(entry: SuiteEntry) -> str | None:
    if "transcript" not in entry.value:
        return "auto"
    if entry.value["transcript"] in (None, "none"):
        return None
    return _inside(entry, "transcript")


def _function(layers: Layers) -> Function | None:
    entry = layers.of("function")
    text = entry.text("function")
    if text is None:
        return None
    where, _, name = text.rpartition(":")
    if not where or not name.isidentifier():
        entry.refuse("function must be file.py:name or package.module:name", "function")
        return None
    if not where.endswith(".py"):
        return Function(text, **_environment(layers.of("environment")))
    path = entry.at(where)
    if not is_file(path):
        entry.refuse(f"there is no file {where} beside the suite file", "function")
    return Function(f"{path}:{name}", **_environment(layers.of("environment")))


def _recorded(layers: Layers) -> Recorded | None:
    entry = layers.of("recorded")
    text = entry.text("recorded")
    if text is None:
        return None
    return Recorded(str(entry.at(placeholders.checked(entry, text, placeholders.RECORDED, "recorded"))))


def absolute_spec(entry: SuiteEntry, spec: str) -> str:
    """A judge or model as after --judge; where it names a file, the path starts at the suite file."""
    provider, colon, path = spec.partition(":")
    return f"{provider}:{entry.at(path)}" if colon and path and provider == "replay" else spec


# --- the versions of a skill, in one line


def skill_from(entry: SuiteEntry, value: object, *steps: str | int) -> Skill | None:
    """A folder, a folder with a git revision, or none."""
    if value in (None, "none"):
        return None
    if not isinstance(value, Mapping):
        text = entry.text_at(value, *steps)
        return None if text is None else _folder(entry, text, None, *steps)
    inner = entry.inside(*steps)
    inner.known(("path", "revision"))
    path = inner.text("path")
    if "path" not in value:
        inner.refuse("a skill needs the path of its folder")
    revision = inner.text("revision")
    return None if path is None else _folder(inner, path, revision, "path" if revision is None else "revision")


def _folder(entry: SuiteEntry, written: str, revision: str | None, *steps: str | int) -> Skill:
    path = entry.at(written)
    if revision is None and not is_file(path / "SKILL.md"):
        entry.refuse(f"there is no SKILL.md in {written}; name the skill's folder", *steps)
    if revision is not None and (revision.startswith("-") or any(mark.isspace() for mark in revision)):
        entry.refuse("a git revision is a tag, a branch or a commit, without spaces", *steps)
    return Skill(str(path), revision)


def version_from(whole: SuiteEntry, version: str, path: str, *steps: str | int) -> tuple[str, Skill | None]:
    """The name and the skill of a version."""
    if version == "none":
        return "without_skill", None
    if version == "now":
        return "with_skill", _folder(whole, path, None, "skill")
    if version.startswith((".", "/")):
        folder = _folder(whole, version, None, *steps)
        return slug(Path(folder.path).name) or "folder", folder
    name = version.replace("/", "-").replace("~", "-").replace("^", "-").strip("-")
    whole.name_at(name, *steps)
    return name, _folder(whole, path, version, *steps)
