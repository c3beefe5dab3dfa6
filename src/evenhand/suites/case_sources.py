"""Where cases come from: a list, a folder, JSONL, CSV, YAML, JSON, or skill-creator's evals.json."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from evenhand.core.numbers import exact
from evenhand.decisions.suite import Case
from evenhand.errors import InputError, Problem, shortened_line
from evenhand.errors import Path as Steps
from evenhand.files.documents import open_documents
from evenhand.files.json_values import load_json
from evenhand.files.located import Located
from evenhand.files.tables import read_table
from evenhand.files.text import read_text
from evenhand.findings.expectations.skill_creator import sentence_in
from evenhand.suites.case_entry import CASE, CaseReader
from evenhand.suites.case_folder import folder_cases
from evenhand.suites.located_entry import SuiteEntry
from evenhand.suites.paths import is_file, is_folder, shown

TABLES = (".csv", ".tsv")
DOCUMENTS = (".jsonl", ".ndjson", ".json", ".yaml", ".yml")
CASE_LIMIT = 1_000_000
"""The most cases in one suite."""


class Source(NamedTuple):
    """What a file or folder of cases held."""

    cases: list[Case]
    notes: list[str]
    skill: str | None = None
    """The skill that the file names."""
    paths: tuple[str, ...] = ()
    """The files and folders themselves, absolute."""


def cases_from(entry: SuiteEntry, reader: CaseReader) -> Source:
    """What is under `cases`: a path, or a list of cases and paths."""
    value = entry.value["cases"]
    if isinstance(value, str):
        return _from_path(entry, value, reader, "cases")
    if not isinstance(value, list) or not value:
        entry.refuse("cases must be a folder, a file, or a list of cases with at least one in it", "cases")
        return Source([], [])
    total = Source([], [])
    for number, item in enumerate(value):
        if isinstance(item, str):
            source = _from_path(entry, item, reader, "cases", number)
            total = Source(
                total.cases + source.cases,
                total.notes + source.notes,
                total.skill or source.skill,
                (*total.paths, *source.paths),
            )
        else:
            total.cases.append(reader.case(entry.inside("cases", number)))
    return total


def _from_path(entry: SuiteEntry, written: str, reader: CaseReader, *steps: str | int) -> Source:
    if entry.text_at(written, *steps) is None:
        return Source([], [])
    where = entry.at(written)
    path = shown(where)
    before = len(entry.problems)
    try:
        if is_folder(where):
            cases, notes = folder_cases(Path(path), reader, entry.problems)
            source = Source(cases, notes)
        elif not is_file(where):
            entry.refuse(f"there is no file or folder {shortened_line(written)}", *steps)
            return Source([], [])
        elif path.lower().endswith(TABLES):
            source = _from_table(path, reader, entry.problems)
        elif path.lower().endswith(DOCUMENTS):
            source = _from_documents(path, reader, entry.problems)
        else:
            entry.refuse(
                f"{shortened_line(written)}: cases are in a folder or in {', '.join((*DOCUMENTS, *TABLES))}", *steps
            )
            return Source([], [])
    except InputError as error:
        entry.problems.extend(error.problems)
        return Source([], [])
    if not source.cases and len(entry.problems) == before:
        entry.refuse(f"there are no cases in {shortened_line(written)}", *steps)
    return source._replace(paths=(str(where),))


def _from_documents(path: str, reader: CaseReader, problems: list[Problem]) -> Source:
    """Each document is a case; evals.json is one document with all of them."""
    if path.lower().endswith(".json"):
        whole = load_json(read_text(path), path)
        if isinstance(whole.value, dict) and isinstance(whole.value.get("evals"), list):
            return _from_evals(whole, reader, problems)
    source = Source([], [])
    for document in open_documents(path).documents:
        if isinstance(document, InputError):
            problems.extend(document.problems)
            continue
        source.cases.append(reader.case(SuiteEntry.of(_without_nulls(document), problems)))
        if len(source.cases) > CASE_LIMIT:
            raise InputError(Problem(f"holds more than {CASE_LIMIT} cases, the most that a suite may have", path))
    return source


def _without_nulls(document: Located) -> Located:
    """A row whose null fields are absent, as exports write them."""
    if not isinstance(document.value, dict) or None not in document.value.values():
        return document
    return document._replace(value={key: value for key, value in document.value.items() if value is not None})


def _from_table(path: str, reader: CaseReader, problems: list[Problem]) -> Source:
    """A case for each row; the notes name columns that are not fields of a case."""
    head = read_text(path, limit=256 * 1024 * 1024).lstrip().partition("\n")[0].strip().strip('"')
    table = read_table(path, separator="," if head in CASE else None, empty_only=True)
    columns = {column.strip().lower(): column for column in table.columns if column.strip().lower() in CASE}
    if not columns.keys() & {"prompt", "conversation"}:
        listed = ", ".join(table.columns)
        raise InputError(Problem(f"has no column named prompt; its columns: {listed}", table.source, 1))
    cases = []
    for row in table.rows:
        cells = {field: row.cells[column] for field, column in columns.items()}
        try:
            value = {
                field: _cell(field, cell, table.source, row.line) for field, cell in cells.items() if cell is not None
            }
        except InputError as error:
            problems.extend(error.problems)
            continue
        document = Located(value, table.source, lambda _, line=row.line: line)  # type: ignore[misc]
        cases.append(reader.case(SuiteEntry.of(document, problems)))
    extra = [column for column in table.columns if column not in columns.values()]
    notes = [f"{path}: these columns are not fields of a case and were not read: {', '.join(extra)}"] if extra else []
    return Source(cases, notes)


def _cell(field: str, text: str, source: str, line: int) -> Any:
    """A cell as the value that the field has elsewhere."""
    if field in ("tags", "files"):
        return [part.strip() for part in text.replace(";", ",").split(",") if part.strip()]
    if field == "weight":
        try:
            return exact(text)
        except ValueError:
            return text
    if field in ("expect", "conversation", "vars") and text.lstrip().startswith(("[", "{")):
        return load_json(text, source, line=line).value
    return text


_EVAL = {
    "id": "id",
    "prompt": "prompt",
    "files": "files",
    "reference": "expected_output",
    "expect": "expectations",
}
"""A case's fields by their names in evals.json; some write `assertions` for `expectations`."""


def _from_evals(whole: Located, reader: CaseReader, problems: list[Problem]) -> Source:
    """skill-creator's evals.json. Its files are named from the skill's folder, which is above `evals/`."""
    folder = Path(whole.source).absolute().parent
    root = folder.parent if folder.name == "evals" else folder
    skill = whole.value.get("skill_name")
    source = Source([], [], skill if isinstance(skill, str) and skill.strip() else None)
    left_out: dict[str, None] = {}
    beside: dict[str, None] = {}
    for number, row in enumerate(whole.value["evals"]):
        if not isinstance(row, Mapping):
            problems.append(whole.place(Problem("an eval must be an object", path=("evals", number))))
            continue
        left_out |= dict.fromkeys(str(key) for key in row if key not in (*_EVAL.values(), "assertions"))
        names = {field: key for field, key in _EVAL.items() if row.get(key) not in (None, [], "")}
        names |= {"expect": "assertions"} if "expect" not in names and row.get("assertions") else {}
        value = {field: row[key] for field, key in names.items()}
        if isinstance(value.get("expect"), list):
            pairs = [sentence_in(item) for item in value["expect"]]
            value["expect"] = [sentence for sentence, _ in pairs]
            beside |= dict.fromkeys(key for _, keys in pairs for key in keys)
        document = Located(value, whole.source, _lines_of_eval(whole, number, names))
        source.cases.append(reader.case(SuiteEntry.of(document, problems), files_from=root))
    if left_out:
        source.notes.append(f"{whole.source}: these fields of evals were not read: {', '.join(left_out)}")
    if beside:
        source.notes.append(f"{whole.source}: these fields of assertions were not read: {', '.join(beside)}")
    return source


def _lines_of_eval(whole: Located, number: int, names: Mapping[str, str]) -> Callable[[Steps], int | None]:
    """Lines by the names that the fields have in evals.json."""

    def find_line(path: Steps) -> int | None:
        inside = (names.get(str(path[0]), path[0]), *path[1:]) if path else ()
        return whole.find_line(("evals", number, *inside))

    return find_line
