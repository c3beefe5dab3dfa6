"""A folder of cases. A case is a folder of its own, or one YAML file; its name is the case's id.

cases/late-fee/prompt.md       what the agent is told
               case.yaml       any fields of a case, when there are more
               task.md         what judges are told was asked for
               reference.md    a reference answer
               expect.yaml     expectations
               files/          what the workspace starts with
cases/no-fee.yaml              all fields of a case in one file
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from evenhand.decisions.suite import Case
from evenhand.errors import InputError, Problem, unknown
from evenhand.files.located import Located
from evenhand.files.text import read_text, readable
from evenhand.files.yaml_values import load_yaml
from evenhand.suites.case_entry import CaseReader
from evenhand.suites.located_entry import SuiteEntry
from evenhand.suites.paths import is_folder

TEXTS = ("prompt", "task", "reference")
PARTS = ("prompt.md", "case.yaml", "task.md", "reference.md", "expect.yaml", "files")
_SPELLINGS = {"case.yml": "case.yaml", "expect.yml": "expect.yaml"} | {f"{name}.txt": f"{name}.md" for name in TEXTS}


def folder_cases(folder: Path, reader: CaseReader, problems: list[Problem]) -> tuple[list[Case], list[str]]:
    """The cases in a folder, in the order of their names, and what was passed over."""
    cases: list[Case] = []
    passed_over = []
    with readable(str(folder)):
        paths = sorted(folder.iterdir())
    for path in paths:
        name = path.name
        if name.startswith((".", "_")):
            continue
        try:
            if is_folder(path):
                cases += _from_folder(path, name, reader, problems)
            elif name.endswith((".yaml", ".yml")):
                document = _yaml(path)
                cases.append(_case(SuiteEntry.of(document, problems), path.stem, reader))
            elif not name.upper().startswith("README"):
                passed_over.append(name)
        except InputError as error:
            problems.extend(error.problems)
    notes = [f"{folder}: not cases, and not read: {', '.join(passed_over)}"] if passed_over else []
    return cases, notes


def _from_folder(folder: Path, name: str, reader: CaseReader, problems: list[Problem]) -> list[Case]:
    parts: dict[str, Path] = {}
    with readable(str(folder)):
        paths = sorted(folder.iterdir())
    for path in paths:
        written = path.name
        if written.startswith("."):
            continue
        part = _SPELLINGS.get(written, written)
        if part not in PARTS:
            problems.append(
                Problem(f"{unknown('part of a case', written, PARTS)}; its files go into files/", str(path))
            )
        elif part in parts:
            problems.append(Problem(f"{parts[part].name} says the same; keep one of them", str(path)))
        parts[part] = path
    document, sources = _put_together(folder, parts, problems)
    if not document.value and not sources:
        problems.append(Problem("has no prompt.md and no case.yaml; a case needs one of them", str(folder)))
        return []
    return [_case(SuiteEntry.of(document, problems), name, reader, files_from=folder)]


def _put_together(folder: Path, parts: dict[str, Path], problems: list[Problem]) -> tuple[Located, dict[str, Located]]:
    """One document out of the parts of a case, in which every field remembers its own file and line."""
    base = Located({}, str(parts.get("prompt.md", folder)), lambda path: None)
    if "case.yaml" in parts:
        base = _yaml(parts["case.yaml"])
        if not isinstance(base.value, dict):
            raise InputError(Problem("must be an object with the fields of a case", base.source, 1))
    value: dict[str, Any] = dict(base.value)
    sources: dict[str, Located] = {}
    for field in TEXTS:
        if f"{field}.md" in parts:
            path = str(parts[f"{field}.md"])
            sources[field] = Located(read_text(path).strip("\n"), path, lambda path: 1)
    if "expect.yaml" in parts:
        expect = _yaml(parts["expect.yaml"])
        wrapped = isinstance(expect.value, dict) and expect.value.keys() == {"expect"}
        sources["expect"] = expect._replace(
            value=expect.value["expect"] if wrapped else expect.value,
            find_line=lambda path: expect.find_line(("expect", *path) if wrapped else path),
        )
    if "files" in parts:
        sources["files"] = Located("files", str(parts["files"]), lambda path: None)
    for field, source in sources.items():
        if field in value:
            problems.append(Problem(f"{field} is in {Path(base.source).name} too; keep one of them", source.source))
        value[field] = source.value
    joined = _Joined(value, base.source, base.find_line)
    joined.parts = sources
    return joined, sources


def _yaml(path: Path) -> Located:
    return load_yaml(read_text(str(path)), str(path))


class _Joined(Located):
    """A document whose fields come from several files."""

    parts: dict[str, Located]

    def place(self, problem: Problem) -> Problem:
        part = self.parts.get(str(problem.path[0])) if problem.path else None
        return super().place(problem) if part is None else part.place(problem._replace(path=problem.path[1:]))


def _case(entry: SuiteEntry, name: str, reader: CaseReader, files_from: Path | None = None) -> Case:
    if "id" in entry.value:
        entry.refuse(f'the id of this case is "{name}", the name of its file or folder; take id out', "id")
    else:
        entry.name_at(name)
    return reader.case(entry, id=name, files_from=files_from)
