"""A plugin's `evals/` folder as a suite, so that other agents can be run on its cases.

What means the same here becomes an expectation; what has no counterpart is left out and listed with its file and line.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from decimal import Decimal
from pathlib import Path
from typing import Any, NamedTuple

from evenhand.errors import InputError, Problem
from evenhand.files.json_values import load_json
from evenhand.files.located import Located
from evenhand.files.text import read_text
from evenhand.files.yaml_values import load_yaml
from evenhand.plugin_evals.result_files import case_folders, is_evals_folder
from evenhand.suites.importing.import_notes import ImportNotes
from evenhand.suites.importing.imported_expectations import in_python, matching, no_match, unique
from evenhand.suites.importing.known_tools import Imported
from evenhand.suites.paths import shown
from evenhand.suites.suite_text import suite_text
from evenhand.work.names import slug

_FRONT = re.compile(r"\A---[ \t]*\n(.*?\n)?---[ \t]*(?:\n|\Z)(.*)", re.DOTALL)
_EXECUTION = ("prompt", "name", "tags", "runs", "description", "expected_outcome", "schema_version", "timeout_seconds",
              "max_turns", "model", "allowed_tools", "plugins")  # fmt: skip
_OUTSIDE = {
    "append_system_prompt": "append_system_prompt: put it into the command of your agent",
    "env": "env: list the variables under environment",
}
_CONTEXT = {
    "scaffold_script": "the scaffold script: put what it makes under files, or run it in the agent's command",
    "history_file": "the history before the prompt: write it as a conversation",
    "add_dirs": "further folders: put them under files",
}
_OTHERWISE = "write it as a sentence, or expect a command"
_ELSEWHERE = {
    "files": "expect the file by its name, as in file: {path: '*.md', exists: true}",
    "trace": "expect the calls, with a pattern under matches",
    "mock_calls": "expect the calls, with a pattern under matches",
}
"""What to do instead about a pattern that is not about the last message."""
_FLAGS = {"i", "m", "s"}
_WITHOUT_MEANING = {"g", "u", "y", "v", "d"}
"""Flags of JavaScript that change nothing about whether something is found."""


def imported_suite(path: str, folder: Path) -> Imported:
    """The suite of a plugin's cases, to be written into `folder`. `path` is the plugin, or its evals.

    Prompts that try whether the skill is activated are a suite of their own, which stands below as a comment: with the
    plugin alone, the runner does not score that either.
    """
    given = Path(path)
    evals = given / "evals" if is_evals_folder(given / "evals") else given
    root = evals.parent
    notes = ImportNotes(Located({}, shown(evals), lambda steps: None))
    skill = _skill(root, notes)
    taken: set[str] = set()
    tries = _Triggers({"should": [], "should_not": []}, _skill_name(skill))
    cases = [case for place in case_folders(evals) if (case := _case(place, evals, notes, tries)) is not None]
    if not cases:
        raise InputError([*notes.problems, Problem("no case of claude plugin eval could be imported", shown(evals))])
    for case in cases:
        case["id"] = unique(case["id"], taken)
    command = ["claude", "-p", "{prompt}"]
    variants: dict[str, Any] = {"agent": {"command": command}}
    tried: dict[str, Any] = variants
    if skill is not None:
        given_skill = _relative(skill, folder)
        variants = {"command": command, "skill": given_skill, "versions": ["none", "now"]}
        tried = {"now": {"command": command, "skill": given_skill}}
    name = slug(_plugin_name(root))[:60].strip("-") or "imported"
    suite = {"suite": name, "cases": cases, "variants": variants}
    header = f"Imported from {evals.name}/ of claude plugin eval. Check it with: evenhand run check FILE"
    text = suite_text(suite, header) + tries.as_comment(name, tried)
    problems = tuple(note._replace(path=()) for note in dict.fromkeys(notes.problems))
    count = len(variants.get("versions", variants))
    return Imported("claude plugin eval", text, len(cases), count, problems)


def _plugin_name(root: Path) -> str:
    manifest = root / ".claude-plugin" / "plugin.json"
    if manifest.is_file():
        try:
            value = load_json(read_text(str(manifest)), shown(manifest)).value
        except InputError:
            return root.resolve().name
        if isinstance(value, Mapping) and isinstance(value.get("name"), str):
            return str(value["name"])
    return root.resolve().name


def _skill(root: Path, notes: ImportNotes) -> Path | None:
    """The plugin's one skill; with several, or none, the person has to choose."""
    skills = sorted(path.parent for path in root.glob("skills/*/SKILL.md"))
    if len(skills) == 1:
        return skills[0]
    if skills:
        names = ", ".join(path.name for path in skills)
        notes.left_out(
            f"which skill the agent is given: the plugin has {names}; add one to a variant, as in skill: PATH"
        )
    return None


class _Triggers(NamedTuple):
    """The prompts that try whether the skill is activated."""

    prompts: dict[str, list[str]]
    skill: str
    """Empty where the plugin has several, or none."""

    def as_comment(self, name: str, variants: Mapping[str, Any]) -> str:
        """The suite of them, to be copied into a file of its own; empty without any."""
        if not any(self.prompts.values()):
            return ""
        tried = {key: prompts for key, prompts in self.prompts.items() if prompts}
        suite = {
            "suite": f"{name}-triggers",
            "triggers": {"skill": self.skill or "NAME", **tried},
            "variants": variants,
        }
        lines = suite_text(suite, "Whether the skill is activated; a suite of its own, in a file of its own:")
        return "".join(f"# {line}".rstrip() + "\n" for line in ("", *lines.splitlines()))


def _skill_name(skill: Path | None) -> str:
    """As its SKILL.md gives it, else its folder's."""
    if skill is None:
        return ""
    named = _front_matter(skill / "SKILL.md")[0].value.get("name")
    return named if isinstance(named, str) else skill.name


def _case(place: Path, evals: Path, notes: ImportNotes, tries: _Triggers) -> dict[str, Any] | None:
    values: dict[str, Any] = {}
    graders: list[tuple[Mapping[str, Any], ImportNotes, tuple[str | int, ...]]] = []
    prompt = ""
    if (place / "case.yaml").is_file():
        document = _yaml(place / "case.yaml")
        inner = notes.inside(document)
        base = document.value if isinstance(document.value, Mapping) else {}
        execution = base.get("execution")
        values |= {key: value for key, value in base.items() if key not in ("execution", "graders", "context")}
        values |= execution if isinstance(execution, Mapping) else {}
        context = base.get("context")
        for key in context if isinstance(context, Mapping) else ():
            inner.left_out(_CONTEXT.get(key, str(key)), "context", key)
        listed = base.get("graders")
        for number, grader in enumerate(listed if isinstance(listed, list) else []):
            if isinstance(grader, Mapping):
                graders.append((grader, inner, ("graders", number)))
        prompt = str(values.get("prompt") or "")
        _list_rest(values, inner)
    if (place / "prompt.md").is_file():
        document, body = _front_matter(place / "prompt.md")
        inner = notes.inside(document)
        values |= document.value
        prompt = body.strip() or prompt
        _list_rest(document.value, inner)
    for path in sorted((place / "graders").glob("*.md")):
        document, body = _front_matter(path)
        if document.value:  # a file without front matter is a note of the author's
            graders.append(({"name": path.stem, "body": body.strip(), **document.value}, notes.inside(document), ()))
    if (place / "mocks").is_dir() or (evals / "mocks").is_dir():
        notes.left_out("the canned answers of tools under mocks: give the agent a server that answers them")
    if not prompt.strip():
        notes.left_out(f"the case {place.name}: it has no prompt")
        return None
    name = slug(str(values.get("name") or place.relative_to(evals).as_posix().replace("/", "-")))[:80].strip("-")
    case: dict[str, Any] = {"id": name or "case", "prompt": prompt.strip()}
    if isinstance(tags := values.get("tags"), list) and (texts := [tag for tag in tags if isinstance(tag, str)]):
        case["tags"] = texts
    expect = []
    for grader, inner, steps in graders:
        at = _Notes(inner, steps)
        if grader.get("type") == "tool_used" and grader.get("tool") == "Skill":
            never = _count(grader.get("max")) == 0
            tries.prompts["should_not" if never else "should"].append(prompt.strip())
            if never and grader.get("arm") == "both" and tries.skill:
                expect.append({"skill": {"unused": tries.skill}})
            else:
                at.changed("whether the skill is activated: tried by the suite of triggers in the comment at the end")
        else:
            expect += [*_expected(grader, at)]
    if expect:
        case["expect"] = expect
    return case


class _Notes(NamedTuple):
    """Notes about one grader, at its place in its file."""

    notes: ImportNotes
    steps: tuple[str | int, ...]

    def left_out(self, what: str) -> None:
        self.notes.left_out(what, *self.steps)

    def changed(self, what: str) -> None:
        self.notes.changed(what, *self.steps)


def _list_rest(values: Mapping[str, Any], notes: ImportNotes) -> None:
    for key in values:
        if key not in _EXECUTION:
            notes.left_out(_OUTSIDE.get(key, str(key)), key)


def _yaml(path: Path) -> Located:
    return load_yaml(read_text(str(path)), shown(path), foreign=True)


def _front_matter(path: Path) -> tuple[Located, str]:
    """A file's front matter, empty where it has none, and its body."""
    text = read_text(str(path)).replace("\r\n", "\n")
    match = _FRONT.match(text)
    if match is None:
        return Located({}, shown(path), lambda steps: 1), text
    document = load_yaml(match[1] or "{}", shown(path), first_line=2, foreign=True)
    return (document if isinstance(document.value, Mapping) else Located({}, shown(path), lambda steps: 1)), match[2]


def _expected(grader: Mapping[str, Any], notes: _Notes) -> Iterator[dict[str, Any]]:
    """A grader as expectations; what cannot be said here is noted."""
    name = str(grader.get("name") or grader.get("type"))
    readers = {
        "regex": _regex,
        "tool_used": _tool_used,
        "tool_order": _tool_order,
        "file_exists": _file_exists,
        "llm": _sentence,
    }
    kind = grader.get("type")
    if kind not in readers:
        why = f"the grader {name} of the unknown type {kind}"
        if kind == "baseline":
            why = (
                f"the grader {name} of type baseline: write what must not get worse as a sentence, or give a reference"
            )
        notes.left_out(why)
        return
    expectation = readers[kind](grader, name, notes)
    if expectation is None:
        return
    if str(grader.get("weight", 1)) not in ("1", "1.0"):
        notes.changed(f"the weight {grader['weight']} of the grader {name}: every expectation counts once")
    yield expectation


def _regex(grader: Mapping[str, Any], name: str, notes: _Notes) -> dict[str, Any] | None:
    target = grader.get("target", "last_message")
    match = str(grader.get("match", "contains"))
    source = str(grader.get("pattern") or grader.get("body") or "")
    if isinstance(target, Mapping) and target.get("source") == "file":
        return _in_file(str(target.get("path", "")), source, match, grader, name, notes)
    if target != "last_message":
        what = target if isinstance(target, str) else "another source"
        notes.left_out(f"the grader {name}: it looks at {what}; {_ELSEWHERE.get(what, _OTHERWISE)}")
        return None
    pattern = _python_pattern(source, str(grader.get("flags") or ""))
    expectation = None
    if pattern is not None and match in ("contains", "not_contains"):
        expectation = matching(pattern) if match == "contains" else no_match(pattern)
    if expectation is None:
        what = "a pattern that Python cannot express"
        if match not in ("contains", "not_contains"):
            what = f"match {match}: write it as a sentence, or as a command that counts"
        notes.left_out(f"the grader {name}: {what}")
    return expectation


def _python_pattern(source: str, flags: str) -> str | None:
    """A pattern of JavaScript with its flags as Python's; None where there is none."""
    if set(flags) - _FLAGS - _WITHOUT_MEANING:
        return None
    pattern = in_python(source)
    ours = "".join(sorted(_FLAGS & set(flags)))
    return pattern if pattern is None or not ours else f"(?{ours}){pattern}"


def _in_file(
    path: str, source: str, match: str, grader: Mapping[str, Any], name: str, notes: _Notes
) -> dict[str, Any] | None:
    if not path or match not in ("contains", "not_contains"):
        notes.left_out(f"the grader {name}: match {match} in {path or 'a file'}")
        return None
    literal = re.sub(r"\\([^\w\s])", r"\1", source)
    plain = not re.search(r"[\\^$.|?*+()\[\]{}]", re.sub(r"\\[^\w\s]", "", source)) and not grader.get("flags")
    if not plain:
        pattern = _python_pattern(source, str(grader.get("flags") or ""))
        if pattern is None:
            notes.left_out(f"the grader {name}: a pattern that Python cannot express")
            return None
        wanted = "" if match == "contains" else "not "
        look = f"import re,pathlib;assert {wanted}re.search({pattern!r},pathlib.Path({path!r}).read_text())"
        notes.changed(f"the grader {name}: a command looks for the pattern in {path}")
        return {"command": {"run": ["python3", "-c", look], "products": [path]}}
    return {"file": {"path": path, "contains" if match == "contains" else "lacks": literal}}


def _tool_used(grader: Mapping[str, Any], name: str, notes: _Notes) -> dict[str, Any] | None:
    least, most = _count(grader.get("min", 1)), _count(grader.get("max"))
    call = _call(grader, name, notes)
    if call is None:
        return None
    if most == 0:
        return {"calls": {"not_made": call}}
    bounds = {"at_least": 1 if least is None else least} | ({} if most is None else {"at_most": most})
    return {"calls": {"made": call} if bounds == {"at_least": 1} else {"made": call, **bounds}}


def _call(step: Any, name: str, notes: _Notes) -> str | dict[str, str] | None:
    """A tool, with a pattern of its arguments where there is one; None, and a note, where that cannot be said."""
    tool, source = (step.get("tool"), step.get("input_match")) if isinstance(step, Mapping) else (step, None)
    if not isinstance(tool, str) or not tool:
        notes.left_out(f"the grader {name}: it names no tool")
        return None
    if not source:
        return tool
    pattern = _python_pattern(str(source), "")
    if pattern is None or matching(pattern) is None:
        notes.left_out(f"the grader {name}: a pattern that Python cannot express")
        return None
    return {"name": tool, "matches": pattern}


def _count(value: Any) -> int | None:
    return int(value) if isinstance(value, int | Decimal) and not isinstance(value, bool) else None


def _tool_order(grader: Mapping[str, Any], name: str, notes: _Notes) -> dict[str, Any] | None:
    calls = [_call(grader.get(step), name, notes) for step in ("before", "after")]
    if None in calls:
        return None
    tools = [call if isinstance(call, str) else call["name"] for call in calls if call is not None]
    notes.changed(f"the grader {name}: met when {tools[0]} was called and {tools[1]} after it")
    return {"calls": {"in_order": calls}}


def _file_exists(grader: Mapping[str, Any], name: str, notes: _Notes) -> dict[str, Any] | None:
    path = str(grader.get("path", ""))
    if not path or re.search(r"[?\[{!(]", path):
        notes.left_out(f"the grader {name}: the pattern {path or '(none)'}; name the file, or write it with * alone")
        return None
    return {"file": {"path": path, "exists": grader.get("exists", True) is not False}}


def _sentence(grader: Mapping[str, Any], name: str, notes: _Notes) -> dict[str, Any] | None:
    criteria = " ".join(str(grader.get("criteria") or grader.get("body") or "").split())
    if not criteria:
        notes.left_out(f"the grader {name}: it has no criteria")
        return None
    if grader.get("focus", "last_message") != "last_message":
        notes.changed(f"the grader {name}: judges read the whole output")
    return {"text": criteria}


def _relative(path: Path, folder: Path) -> str:
    return Path(os.path.relpath(path, folder.absolute())).as_posix()
