"""promptfoo's tests and scenarios: inline, in YAML, JSON, JSONL and CSV files, with defaultTest mixed in."""

from __future__ import annotations

import re
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
from evenhand.reading.text import read_text
from evenhand.reading.yaml_values import load_all_yaml
from evenhand.suites.importing.import_notes import ImportNotes
from evenhand.suites.importing.imported_expectations import unique
from evenhand.suites.importing.nunjucks_template import rendered
from evenhand.suites.importing.promptfoo_assertions import Surroundings, expectations
from evenhand.suites.importing.promptfoo_prompt_files import matching_files
from evenhand.suites.importing.promptfoo_table import test_from_row
from evenhand.suites.importing.promptfoo_variables import Written, choices_of, loaded, read_one, resolved, variables_of
from evenhand.suites.importing.template_values import NotRendered, has_object, text_of
from evenhand.suites.paths import shown

_READ = ("description", "vars", "assert", "metadata", "options")
_CHOICES = ("provider", "providers", "prompts")
"""By which a test chooses what is run on it."""

_OPTIONS = ("prefix", "suffix", "disableDefaultAsserts", "disableVarExpansion", "transform", "postprocess")
_DOCUMENTS = (".yaml", ".yml", ".json", ".jsonl")
_TRIM = re.compile(r"\s*(?:return\s+)?output\.trim\(\)\s*;?\s*")
"""A transform that makes no difference here: white space around an output does not matter."""

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
    prefix: str = ""
    suffix: str = ""
    unread: frozenset[str] = frozenset()
    """Variables in files that could not be read."""


def tests_of(config: Mapping[str, Any], folder: Path, notes: ImportNotes) -> list[Test]:
    """All tests of a configuration."""
    default = _default(config.get("defaultTest") or {}, folder, notes)
    taken: set[str] = set()
    tests: list[Test] = []
    scenarios = config.get("scenarios") or []
    for written in _read_tests(config.get("tests", [] if scenarios else [{}]), folder, notes, ("tests",)):
        tests += _tests([default, written], len(tests) + 1, taken)
    for scenario in _written(scenarios, folder, notes, ("scenarios",)):
        for data, test in _in_scenario(scenario):
            tests += _tests([default, data, test], len(tests) + 1, taken)
    return tests


def _read_tests(value: Any, folder: Path, notes: ImportNotes, steps: tuple[str | int, ...]) -> Iterator[Written]:
    """Tests that can be understood; what else there is, is noted."""
    for written in _written(value, folder, notes, steps):
        if not isinstance(written.value, Mapping):
            written.notes.left_out("a test that is not an object", *written.steps)
        elif "path" in written.value:
            written.notes.left_out("tests that a program makes", *written.steps, "path")
        else:
            _note_rest(written)
            yield written


def _note_rest(written: Written) -> None:
    written.notes.rest(written.value, (*_READ, *_CHOICES), *written.steps)
    for name in _CHOICES:
        if name in written.value:
            written.notes.left_out(f"{name}; every variant is run on it", *written.steps, name)
    options = written.value.get("options")
    if isinstance(options, Mapping):
        written.notes.rest(options, _OPTIONS, *written.steps, "options")
    for name, value in _mapping(written.value.get("metadata")).items():
        if has_object(value):
            written.notes.left_out(f"metadata {str(name)[:40]}, which is an object", *written.steps, "metadata", name)


def _in_scenario(scenario: Written) -> Iterator[tuple[Written, Written]]:
    """Every set of data of a scenario with every test of it."""
    value, notes, steps, folder = scenario
    if not isinstance(value, Mapping):
        notes.left_out("a scenario that is not an object", *steps)
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
        notes.left_out("defaultTest, which is not an object", "defaultTest")
        return written._replace(value={})
    _note_rest(written)
    return written


def _tests(parts: list[Written], number: int, taken: set[str]) -> Iterator[Test]:
    """A test for every choice of the variables that are lists; of its parts, the later ones count."""
    written = parts[-1]
    owners = {name: part for part in parts for name in variables_of(part)}
    variables = {name: value for part in parts for name, value in variables_of(part).items()}
    options = {name: value for part in parts for name, value in _mapping(part.value.get("options")).items()}
    title = next((part.value["description"] for part in reversed(parts) if part.value.get("description")), "")
    name = slug(str(title))[:60].strip("-") or f"test-{number}"
    choices = [[value] for value in variables.values()]
    if options.get("disableVarExpansion") is not True:
        choices = choices_of(variables, written.folder)
    every = [dict(zip(variables, choice, strict=True)) for choice in islice(product(*choices), MOST + 1)]
    if len(every) > MOST:
        written.notes.left_out(f"a test whose lists of variables multiply to more than {MOST} cases", *written.steps)
        return
    metadata = {name: value for part in parts for name, value in _mapping(part.value.get("metadata")).items()}
    tags = tuple(dict.fromkeys(_tags(metadata)))
    for choice in every:
        texts = loaded(choice, owners)
        try:
            known = resolved(texts)
        except NotRendered as error:
            written.notes.left_out(f"the test {name}, because of {error} in a variable", *written.steps)
            continue
        expect = _expectations(parts, known, options)
        prefix, suffix = (str(options.get(key) or "") for key in ("prefix", "suffix"))
        unread = frozenset(choice.keys() - texts.keys())
        yield Test(
            unique(name, taken), known, tuple(expect), tags, written.notes, written.steps, prefix, suffix, unread
        )


def _expectations(parts: list[Written], variables: Mapping[str, Any], options: Mapping[str, Any]) -> Iterator[Any]:
    fill: Callable[[str], str] = partial(rendered, variables=variables)
    transform = str(options.get("transform") or options.get("postprocess") or "")
    around = Surroundings(fill, parts[-1].folder, bool(transform) and not _TRIM.fullmatch(transform))
    for place, part in enumerate(parts):
        if part.value.get("assert") is None or (place == 0 and options.get("disableDefaultAsserts") is True):
            continue
        yield from expectations(part.value["assert"], around, part.notes, *part.steps, "assert")


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


def _tags(metadata: Mapping[str, Any]) -> Iterator[str]:
    for key, value in metadata.items():
        for item in value if isinstance(value, list) else [value]:
            if not has_object(item) and (text := text_of(item).strip()):
                yield f"{key}:{text}"


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
    return (matching_files(folder, name) if "*" in name else []) or [folder / name]


def _in_file(path: Path, folder: Path, notes: ImportNotes) -> Iterator[Written]:
    if path.suffix == ".csv":
        table = read_table(shown(path), empty_only=True)
        for row in table.rows:
            cells = Located(row.cells, table.source, lambda _, line=row.line: line)  # type: ignore[misc]
            yield Written(test_from_row(row.cells), notes.inside(cells), (), folder)
        return
    if path.suffix not in _DOCUMENTS:
        raise InputError(f"only {', '.join((*_DOCUMENTS, '.csv'))} are read")
    if path.suffix in (".yaml", ".yml"):
        for whole in load_all_yaml(read_text(str(path)), shown(path), foreign=True):
            file_notes = notes.inside(whole)
            if not isinstance(whole.value, list):
                yield Written(whole.value, file_notes, (), folder)
                continue
            for number, item in enumerate(whole.value):
                yield Written(item, file_notes, (number,), folder)
        return
    for document in open_documents(shown(path)).documents:
        if isinstance(document, InputError):
            raise document
        yield Written(document.value, notes.inside(document), (), folder)
