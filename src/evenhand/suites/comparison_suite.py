"""A suite that compares things which exist: outputs, folders of outputs, or versions of a skill, two or more.

Outputs are taken as they are; an agent is run on the tasks with each version of a skill. Cases are the outputs with the
same name on all sides, and a task belongs to the case of its name.
"""

from __future__ import annotations

import os
import shlex
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

from evenhand.core.receipt import sha256
from evenhand.decisions.suite import NO_RUBRIC
from evenhand.errors import InputError, Problem, nearest
from evenhand.files.text import read_text
from evenhand.in_words import counted
from evenhand.options.settings import project_folder
from evenhand.suites.paths import is_file, is_folder
from evenhand.suites.suite_text import suite_text
from evenhand.work.names import slug

AGENTS: Final[Mapping[str, dict[str, Any]]] = {
    "claude-code": {
        "command": ["claude", "-p", "{prompt}", "--output-format", "json", "--dangerously-skip-permissions"],
    },
    "codex": {
        "command": ["codex", "exec", "--json", "--skip-git-repo-check", "--full-auto", "{prompt}"],
    },
}
"""How the agents that are known by name are run."""

KEYS: Final[Mapping[str, tuple[str, ...]]] = {
    "claude-code": ("ANTHROPIC_API_KEY", "CLAUDE_CODE_OAUTH_TOKEN", "ANTHROPIC_AUTH_TOKEN"),
    "codex": ("OPENAI_API_KEY", "CODEX_API_KEY"),
}
"""The variables of their keys. Where none is set, they need the login that is in HOME."""

BESIDE_KEYS: Final[Mapping[str, tuple[str, ...]]] = {
    "claude-code": ("ANTHROPIC_BASE_URL", "ANTHROPIC_MODEL", "IS_SANDBOX"),
    "codex": ("OPENAI_BASE_URL",),
}
"""Further variables that they read, passed on where they are set."""

TEXTS: Final = (".md", ".txt", ".markdown", ".prompt", "")
"""Endings of a task's file."""

SUITES: Final = Path("evenhand")
"""The folder of a project for what is made to be committed: suites of comparisons are written there."""

MADE_BY: Final = "Made by: evenhand better"
"""How the first line of such a suite starts."""

NOT_ASKED: Final = "(the output was recorded)"
"""The prompt of a case whose task is not known: it is given to no one."""

MOST_NAMED: Final = 5


class Side(NamedTuple):
    """One side of a comparison."""

    given: str
    """The name as it was given."""
    path: Path
    revision: str | None
    kind: str
    """file, folder, pattern, skill or none."""


class ComparisonSuite(NamedTuple):
    """A suite file to write."""

    name: str
    text: str
    notes: tuple[str, ...]
    """What was left out."""


def side_of(given: str) -> Side:
    """What a name stands for. InputError when it stands for nothing that can be compared."""
    if given == "none":
        return Side(given, Path(), None, "none")
    path = Path(given)
    if "*" in given and not path.exists():
        if given.count("*") > 1:
            raise InputError(Problem("has more than one *; it stands for the case, as in outputs/*/v1.md", given))
        return Side(given, path, None, "pattern")
    text, at, revision = given.rpartition("@")
    if at and text and not path.exists():
        folder = Path(text).parent if Path(text).name == "SKILL.md" else Path(text)
        if not revision or revision.startswith("-"):
            raise InputError(Problem("names no git revision after the @, as in skills/mine@v1", given))
        return Side(given, folder, revision, "skill")
    if path.name == "SKILL.md" and is_file(path):
        return Side(given, path.absolute().parent, None, "skill")
    if is_file(path):
        return Side(given, path, None, "file")
    if is_folder(path):
        return Side(given, path, None, "skill" if is_file(path / "SKILL.md") else "folder")
    raise InputError(
        Problem("no such file or folder; name an output, a folder of outputs, a skill, or skill@REVISION", given)
    )


def written_suite(
    systems: Sequence[str],
    *,
    tasks: str | None,
    agent: str | None,
    repeats: int,
    judges: Sequence[str],
    rubric: str | None,
    skill_file: str | None,
    criteria: Sequence[str] = (),
) -> tuple[ComparisonSuite, Path]:
    """The suite of a comparison and its file, one for what is compared, whatever the options: it can be committed."""
    folder = project_folder() / SUITES
    settings: dict[str, Any] = {"judges": [_from(folder, judge) for judge in judges]} if judges else {}
    if rubric is not None:
        is_path = rubric.endswith(".md") or os.sep in rubric
        settings["rubric"] = os.path.relpath(rubric, folder) if is_path else rubric
    elif criteria:
        settings["rubric"] = NO_RUBRIC
    if skill_file is not None:
        settings["options"] = {"skill_file": os.path.relpath(skill_file, folder)}
    sides = [side_of(given) for given in systems]
    suite = comparison_suite(
        sides, beside=folder, tasks=tasks, agent=agent, repeats=repeats, criteria=criteria, settings=settings
    )
    path = _place(folder, suite)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        path.write_text(suite.text, encoding="utf-8")
    except OSError as error:
        raise InputError(f"{path} cannot be written: {error.strerror}") from None
    return suite, Path(os.path.relpath(path))


def _place(folder: Path, suite: ComparisonSuite) -> Path:
    """The file of this comparison; one of that name which someone wrote, or of other things, is left alone."""
    made_by, *_ = suite.text.splitlines()
    path = folder / f"{suite.name}.yaml"
    if not path.exists() or path.read_text(encoding="utf-8", errors="replace").splitlines()[:1] == [made_by]:
        return path
    return folder / f"{suite.name}-{sha256(made_by)[:6]}.yaml"


def _from(folder: Path, judge: str) -> str:
    """A judge as the suite file names it: one in a file by its path from the suite's folder."""
    provider, colon, path = judge.partition(":")
    return f"{provider}:{os.path.relpath(path, folder)}" if colon and provider == "replay" else judge


def comparison_suite(
    sides: Sequence[Side],
    *,
    beside: Path,
    tasks: str | None = None,
    agent: str | None = None,
    repeats: int = 1,
    criteria: Sequence[str] = (),
    settings: Mapping[str, Any] | None = None,
) -> ComparisonSuite:
    """The suite that compares these, two or more. Its paths start from the folder `beside`.

    `criteria` are sentences that every output is expected to meet. `settings` are further keys of the suite: judges,
    rubric, options.
    """
    kinds = {side.kind for side in sides} - {"none"}
    if kinds not in ({"file"}, {"folder"}, {"pattern"}, {"skill"}):
        said = " and ".join(f"{side.given} is a {side.kind}" for side in sides if side.kind != "none")
        raise InputError(f"only things of one kind can be compared, and {said or 'all are none'}")
    names = _names(sides)
    if kinds == {"skill"}:
        body, notes = _of_skills(dict(zip(names, sides, strict=True)), tasks, agent, repeats, beside)
    else:
        if agent is not None:
            raise InputError(f"--agent runs a skill, and {sides[0].given} holds outputs, which are taken as they are")
        if any(side.kind == "none" for side in sides):
            raise InputError("none stands for no skill; outputs are compared with outputs")
        body, notes = _of_outputs(names, sides, tasks, beside)
    if criteria:
        body["cases"] = _expecting(body["cases"], criteria)
    name = f"{names[1]}-against-{names[0]}" if len(names) == 2 else "-".join(names)
    skills = {slug(side.path.absolute().name) for side in sides if side.kind == "skill"} - {""}
    filed = {"skill": skills.pop()} if len(skills) == 1 else {}
    whole = {"suite": name, **filed, **(settings or {}), **body}
    made_by = f"{MADE_BY} {' '.join(side.given for side in sides)}"
    return ComparisonSuite(name, suite_text(whole, made_by), notes)


def _expecting(cases: Any, criteria: Sequence[str]) -> list[dict[str, Any]]:
    if isinstance(cases, str):
        raise InputError(f"--criterion goes with tasks in a folder; write the sentences under expect in {cases}")
    return [case | {"expect": [*criteria]} for case in cases]


def _names(sides: Sequence[Side]) -> list[str]:
    """Names that tell the sides apart, as short as they can be."""
    short = [_short(side) for side in sides]
    if len({*short}) < len(short):
        short = [slug(side.given) or "side" for side in sides]
    if len({*short}) < len(short):
        short = [f"{name}-{place}" for place, name in enumerate(short, start=1)]
    return short


def _short(side: Side) -> str:
    if side.kind == "none":
        return "without_skill"
    path = side.path.absolute()
    return slug(side.revision or (path.stem if side.kind == "file" else path.name)) or "side"


def _of_skills(
    sides: Mapping[str, Side], tasks: str | None, agent: str | None, repeats: int, beside: Path
) -> tuple[dict[str, Any], tuple[str, ...]]:
    if agent is None:
        raise InputError(
            "a skill is compared by running an agent with it: name one with --agent claude-code, --agent codex or "
            "--agent 'my-agent {prompt}'"
        )
    cases, notes = _skill_cases([side.path for side in sides.values() if side.kind == "skill"], tasks, beside)
    run = AGENTS[agent] | _access(agent) if agent in AGENTS else {"command": _command(agent)}
    variants = {name: run | _skill(side, beside) for name, side in sides.items()}
    return {"repeats": repeats, "cases": cases, "variants": variants}, notes


def _access(agent: str) -> dict[str, Any]:
    """How a known agent is let in: by a key that is set, else by the login in HOME."""
    keys = [name for name in KEYS[agent] if os.environ.get(name)]
    passed = [*keys, *(name for name in BESIDE_KEYS[agent] if os.environ.get(name))]
    return ({"environment": passed} if passed else {}) | ({} if keys else {"own_home": False})


def _skill(side: Side, beside: Path) -> dict[str, Any]:
    if side.kind == "none":
        return {}
    path = _relative(side.path, beside)
    return {"skill": path if side.revision is None else {"path": path, "revision": side.revision}}


def _command(agent: str) -> list[str]:
    """A command's words. The prompt goes to the end unless they say where."""
    words = shlex.split(agent)
    if not words:
        raise InputError("--agent is empty; name claude-code, codex or a command")
    # Only the program: an argument such as ./notes.md may be a file that the agent is to write.
    if shutil.which(words[0]) is None and not is_file(Path(words[0])):
        hint = f"did you mean {near[0]}? " if (near := nearest(words[0], AGENTS)) else ""
        raise InputError(f"--agent {words[0]}: there is no such command; {hint}name claude-code, codex or a command")
    # A run works in a folder of its own, where a file of this one would not be found.
    words = [str(Path(word).absolute()) if is_file(Path(word)) else word for word in words]
    return words if any("{prompt" in word for word in words) else [*words, "{prompt}"]


def _skill_cases(skills: Sequence[Path], tasks: str | None, beside: Path) -> tuple[Any, tuple[str, ...]]:
    if tasks is None:
        evals = next((path for skill in skills if is_file(path := skill / "evals" / "evals.json")), None)
        if evals is None:
            raise InputError("name the tasks with --tasks: a folder with a file for each, or any file of cases")
        return _relative(evals, beside), ()
    found = task_texts(tasks)
    if found is None:
        return _relative(Path(tasks), beside), ()
    return [{"id": name, "prompt": text} for name, text in found.items()], ()


def _of_outputs(
    names: Sequence[str], sides: Sequence[Side], tasks: str | None, beside: Path
) -> tuple[dict[str, Any], tuple[str, ...]]:
    notes: tuple[str, ...]
    if sides[0].kind == "file":
        ids, patterns, notes = ["output"], [str(side.path) for side in sides], ()
    else:
        ids, patterns, notes = _paired(sides)
    texts = _tasks_of_outputs(tasks, ids)
    cases = [
        {"id": id, "prompt": texts[id]} if id in texts else {"id": id, "prompt": NOT_ASKED, "task": ""} for id in ids
    ]
    without = [id for id in ids if tasks is not None and id not in texts]
    if without:
        notes = (*notes, f"no task is named like {counted(len(without), 'output')}: {_few(without)}")
    variants = {
        name: {"recorded": _relative(Path(pattern), beside)} for name, pattern in zip(names, patterns, strict=True)
    }
    return {"cases": cases, "variants": variants}, notes


def _paired(sides: Sequence[Side]) -> tuple[list[str], list[str], tuple[str, ...]]:
    """The names of outputs on all sides, the patterns of their files, and what has no partner."""
    found = [_outputs(side) for side in sides]
    is_pattern = sides[0].kind == "pattern"
    if not is_pattern and (
        len({bool(suffix) for suffix, _ in found}) > 1
        or (not set.intersection(*(set(ids) for _, ids in found)) and len({suffix for suffix, _ in found}) > 1)
    ):
        found = [("", [f"{id}{suffix}" for id in ids]) for suffix, ids in found]
    everywhere = set.intersection(*(set(ids) for _, ids in found))
    shared = [id for id in found[0][1] if id in everywhere]
    if not shared:
        held = " and ".join(f"{side.given} ({_few(ids)})" for side, (_, ids) in zip(sides, found, strict=True))
        advice = "the * must stand for the same names" if is_pattern else "give the outputs of one task the same name"
        raise InputError(f"no case is in all of {held}; {advice}")
    notes = tuple(
        f"left out of {side.given}, because not all sides have an output of that name: {_few(alone)}"
        for side, (_, ids) in zip(sides, found, strict=True)
        if (alone := [id for id in ids if id not in everywhere])
    )
    if is_pattern:
        return shared, [str(side.path).replace("*", "{case}") for side in sides], notes
    patterns = [f"{side.path}/{{case}}{suffix}" for side, (suffix, _) in zip(sides, found, strict=True)]
    return shared, patterns, notes


def pattern_files(pattern: str) -> dict[str, str]:
    """The files that a pattern with one * matches, by what the * stands for."""
    _, names = _outputs(side_of(pattern))
    return {name: pattern.replace("*", name) for name in names}


def _outputs(side: Side) -> tuple[str, list[str]]:
    """The ending that all outputs of a folder share, and their names without it.

    In a folder of folders, each with one file of the same name, the ending is that file's path.
    """
    if side.kind == "pattern":
        before, _, after = str(side.path).partition("*")
        base = Path(before) if before.endswith(os.sep) else Path(before).parent
        start = len(before)
        found = sorted(str(path) for path in base.glob(str(side.path)[len(str(base)) + 1 :])) if base.is_dir() else []
        names = [name[start : len(name) - len(after)] for name in found if Path(name).is_file()]
        if not names:
            raise InputError(Problem("matches no file; the * stands for the case, as in outputs/*/v1.md", side.given))
        return after, names
    entries = sorted(path for path in side.path.iterdir() if not path.name.startswith((".", "_")))
    files = [path for path in entries if is_file(path)]
    folders = [path for path in entries if is_folder(path)]
    if files:
        endings = {path.suffix for path in files}
        ending = endings.pop() if len(endings) == 1 else ""
        return ending, [path.name.removesuffix(ending) for path in files]
    inside = {tuple(sorted(path.name for path in folder.iterdir() if is_file(path))) for folder in folders}
    if len(inside) == 1 and len(only := inside.pop()) == 1:
        return f"/{only[0]}", [folder.name for folder in folders]
    message = "holds no outputs: it should have a file for each case, or folders with one file each of the same name"
    raise InputError(Problem(message, side.given))


def _tasks_of_outputs(tasks: str | None, ids: Sequence[str]) -> dict[str, str]:
    """The task of each output, as far as there is one."""
    if tasks is None:
        return {}
    if is_file(Path(tasks)) and Path(tasks).suffix in TEXTS:
        text = read_text(tasks).strip("\n")
        return dict.fromkeys(ids, text)
    found = task_texts(tasks)
    if found is None:
        raise InputError(Problem("holds no tasks: it should hold a text file for each, named after the output", tasks))
    named = {id: found.get(id) or found.get(Path(id).stem) for id in ids}
    return {id: task for id, task in named.items() if task}


def task_texts(tasks: str) -> dict[str, str] | None:
    """The texts of a folder of tasks, by name; None for anything else, such as a folder or a file of cases."""
    folder = Path(tasks)
    if not is_folder(folder) and not is_file(folder):
        raise InputError(Problem("no such file or folder; name the tasks", tasks))
    if not is_folder(folder):
        return None
    found: dict[str, str] = {}
    for path in sorted(folder.iterdir()):
        prompt = path / "prompt.md"
        if is_file(path) and path.suffix in TEXTS and not path.name.startswith((".", "_", "README")):
            found[path.stem] = read_text(str(path)).strip("\n")
        elif is_file(prompt) and not any((path / part).exists() for part in ("files", "case.yaml", "expect.yaml")):
            found[path.name] = read_text(str(prompt)).strip("\n")
        elif not path.name.startswith((".", "_", "README")):
            return None
    empty = [name for name, text in found.items() if not text.strip()]
    if empty:
        raise InputError(Problem(f"the task {empty[0]} is empty", tasks))
    return found or None


def _relative(path: Path, beside: Path) -> str:
    return os.path.relpath(path.absolute(), beside.absolute())


def _few(names: Sequence[str]) -> str:
    rest = f" and {len(names) - MOST_NAMED} more" if len(names) > MOST_NAMED else ""
    return ", ".join(names[:MOST_NAMED]) + rest
