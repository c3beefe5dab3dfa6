"""promptfoo's tests and scenarios: inline, in YAML, JSON, JSONL and CSV files, with defaultTest mixed in."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from itertools import islice, product
from pathlib import Path
from typing import Any, NamedTuple

from evenhand.core.basics.names import slug
from evenhand.errors import InputError
from evenhand.reading.documents import open_documents
from evenhand.reading.located import Located
from evenhand.reading.tables import read_table
from evenhand.suites.import_notes import ImportNotes
from evenhand.suites.imported_expectations import unique
from evenhand.suites.paths import shown
from evenhand.suites.promptfoo_assertions import expectations, from_cell
from evenhand.suites.promptfoo_prompts import filled
from evenhand.suites.promptfoo_variables import Written, read_one, resolved, variables_of

_READ = ("description", "vars", "assert", "metadata")
_DOCUMENTS = (".yaml", ".yml", ".json", ".jsonl")
MOST = 10_000
"""The most cases that the lists in one test's variables may multiply to."""


class Test(NamedTuple):
    """One test with one choice of its variables."""

    id: str
    variables: Mapping[str, Any]
    expect: tuple[Any, ...]
    tags: tuple[str, ...]
    notes: ImportNotes
    steps: tuple[str | int, ...]


def tests_of(config: Mapping[str, Any], folder: Path, notes: ImportNotes) -> list[Test]:
    """All tests of a configuration."""
    default = _default(config.get("defaultTest") or {}, folder, notes)
    taken: set[str] = set()
    made: list[Test] = []
    scenarios = config.get("scenarios") or []
    for written in _read_tests(config.get("tests", [] if scenarios else [{}]), folder, notes, ("tests",)):
        made += _tests([default, written], len(made) + 1, taken)
    for scenario in _written(scenarios, folder, notes, ("scenarios",)):
        for data, test in _in_scenario(scenario):
            made += _tests([default, data, test], len(made) + 1, taken)
    return made


def _read_tests(value: Any, folder: Path, notes: ImportNotes, steps: tuple[str | int, ...]) -> Iterator[Written]:
    """Tests that can be understood; what else there is, is noted."""
    for written in _written(value, folder, notes, steps):
        if not isinstance(written.value, Mapping):
            written.notes.left_out("a test that is no object", *written.steps)
        elif "path" in written.value:
            written.notes.left_out("tests that a program makes", *written.steps, "path")
        else:
            written.notes.rest(written.value, _READ, *written.steps)
            yield written


def _in_scenario(scenario: Written) -> Iterator[tuple[Written, Written]]:
    """Every set of data of a scenario with every test of it."""
    value, notes, steps, folder = scenario
    if not isinstance(value, Mapping):
        notes.left_out("a scenario that is no object", *steps)
        return
    notes.rest(value, ("description", "config", "tests"), *steps)
    tests = list(_read_tests(value.get("tests") or [{}], folder, notes, (*steps, "tests")))
    config = value.get("config")
    if not isinstance(config, list) or not config:
        notes.left_out("a scenario without a list of data under config", *steps)
        return
    yield from product(_read_tests(config, folder, notes, (*steps, "config")), tests)


def _default(value: Any, folder: Path, notes: ImportNotes) -> Written:
    """defaultTest, here or in a file of its own."""
    written = Written(value, notes, ("defaultTest",), folder)
    if isinstance(value, str):
        path = folder / value.removeprefix("file://")
        try:
            document = read_one(path)
            written = Written(document.value, notes.inside(document), (), folder)
        except InputError as error:
            notes.left_out(f"defaultTest in {value[:60]}: {error}", "defaultTest")
            return written._replace(value={})
    if not isinstance(written.value, Mapping):
        notes.left_out("defaultTest, which is no object", "defaultTest")
        return written._replace(value={})
    written.notes.rest(written.value, _READ, *written.steps)
    return written


def _tests(parts: list[Written], number: int, taken: set[str]) -> Iterator[Test]:
    """A test for every choice of the variables that are lists; of its parts, the later ones count."""
    written = parts[-1]
    variables = {name: value for part in parts for name, value in variables_of(part).items()}
    title = next((part.value["description"] for part in reversed(parts) if part.value.get("description")), "")
    name = slug(str(title))[:60].strip("-") or f"test-{number}"
    choices = [value if isinstance(value, list) else [value] for value in variables.values()]
    every = [dict(zip(variables, choice, strict=True)) for choice in islice(product(*choices), MOST + 1)]
    if len(every) > MOST:
        written.notes.left_out(f"a test whose lists of variables multiply to more than {MOST} cases", *written.steps)
        return
    for choice in map(resolved, every):
        fill: Callable[[str], str] = partial(filled, variables=choice)
        expect = [
            expectation
            for source in parts
            if source.value.get("assert") is not None
            for expectation in expectations(source.value["assert"], fill, source.notes, *source.steps, "assert")
        ]
        tags = tuple(dict.fromkeys(tag for part in parts[1:] for tag in _tags(part.value.get("metadata"))))
        yield Test(unique(name, taken), choice, tuple(expect), tags, written.notes, written.steps)


def _tags(metadata: Any) -> Iterator[str]:
    if isinstance(metadata, Mapping):
        for key, value in metadata.items():
            for item in value if isinstance(value, list) else [value]:
                if isinstance(item, str) and item.strip():
                    yield f"{key}:{item.strip()}"


def _written(value: Any, folder: Path, notes: ImportNotes, steps: tuple[str | int, ...]) -> Iterator[Written]:
    """Every test or scenario, from the configuration itself and from the files it names."""
    if isinstance(value, list):
        for number, item in enumerate(value):
            yield from _written(item, folder, notes, (*steps, number))
    elif isinstance(value, str):
        name = value.removeprefix("file://")
        for path in _matches(folder, name):
            try:
                yield from _in_file(path, folder, notes)
            except InputError as error:
                notes.left_out(f"{steps[0]} in {name[:60]}: {error}", *steps)
    else:
        yield Written(value, notes, steps, folder)


def _matches(folder: Path, name: str) -> list[Path]:
    if "*" not in name or Path(name).is_absolute():
        return [folder / name]
    return sorted(path for path in folder.glob(name) if path.is_file()) or [folder / name]


def _in_file(path: Path, folder: Path, notes: ImportNotes) -> Iterator[Written]:
    if path.suffix == ".csv":
        table = read_table(shown(path), empty_only=True)
        for row in table.rows:
            cells = Located(row.cells, table.source, lambda _, line=row.line: line)  # type: ignore[misc]
            yield Written(_from_row(row.cells), notes.inside(cells), (), folder)
        return
    if path.suffix not in _DOCUMENTS:
        raise InputError(f"only {', '.join((*_DOCUMENTS, '.csv'))} are read")
    for document in open_documents(shown(path)).documents:
        if isinstance(document, InputError):
            raise document
        yield Written(document.value, notes.inside(document), (), folder)


def _from_row(cells: Mapping[str, str | None]) -> dict[str, Any]:
    """A row of a table as a test: columns are variables, but for promptfoo's own, which start with two underscores."""
    test: dict[str, Any] = {"vars": {name: cell or "" for name, cell in cells.items() if not name.startswith("__")}}
    wanted = [cell for name, cell in cells.items() if name.startswith("__expected") and cell]
    if wanted:
        test["assert"] = [from_cell(cell) for cell in wanted]
    for name, cell in cells.items():
        if name == "__description" and cell:
            test["description"] = cell
        elif name.startswith("__metadata:") and cell:
            test.setdefault("metadata", {})[name.removeprefix("__metadata:").removesuffix("[]")] = cell
        elif name.startswith("__") and not name.startswith("__expected") and cell:
            test[name] = cell
    return test
