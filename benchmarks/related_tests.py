"""Which quick tests run which functions, recorded once: every test with its duration and the functions it called.

The functions of a copy of the project note their calls. Processes that tests start write theirs to a file as they end.
As a pytest plug-in (`-p related_tests`) it records; `Related` reads the record. Functions are known by their names, so
that a record outlives changes to other lines of a file.
"""

from __future__ import annotations

import ast
import atexit
import builtins
import json
import os
import time
from collections import Counter, defaultdict
from collections.abc import Iterator, Set
from contextlib import suppress
from pathlib import Path
from typing import Any

Body = ast.FunctionDef | ast.AsyncFunctionDef | ast.Module

RECORD = "EVENHAND_TEST_RECORD"
"""The environment variable with the folder to record into."""

_NOTES = "import builtins as __builtins; __called__ = __builtins.__dict__.setdefault('__called__', set())"
_called: set[str] = builtins.__dict__.setdefault("__called__", set())


def note_calls(source: Path) -> None:
    """Change every file of a source folder, which must be a copy: each function begins by noting its own name."""
    for path in source.rglob("*.py"):
        text = path.read_text(encoding="utf-8")
        path.write_text(noting(text, path.relative_to(source).as_posix()), encoding="utf-8")


def noting(text: str, file: str) -> str:
    """A file whose functions note their names. Only lines are added: some files are also read as text."""
    tree = ast.parse(text)
    lines = text.split("\n")
    added = [_begin(tree, lines, _NOTES)]
    added += [_begin(node, lines, f"__called__.add({f'{file}:{name}'!r})") for name, node in functions(tree)]
    for row, column, note in sorted(added, reverse=True):
        line = lines[row].encode()
        lines[row] = (line[:column] + note.encode() + line[column:]).decode()
    return "\n".join(lines)


def _begin(node: Body, lines: list[str], note: str) -> tuple[int, int, str]:
    """Where a body begins, after its docstring and imports from the future, with what to write there."""
    skipped = [part for part in node.body if _comes_first(part, node)]
    if len(skipped) == len(node.body):
        if not skipped:
            return 0, 0, f"{note}\n"
        last = skipped[-1]
        return (last.end_lineno or 1) - 1, last.end_col_offset or 0, f"; {note}"
    first = node.body[len(skipped)]
    row = min([first.lineno, *(part.lineno for part in getattr(first, "decorator_list", ()))]) - 1
    column = len(lines[row].encode()) - len(lines[row].lstrip().encode())
    if row == first.lineno - 1 and column != first.col_offset:  # on the line of its function's name
        return row, first.col_offset, f"{note}; "
    return row, 0, f"{' ' * column}{note}\n"


def _comes_first(part: ast.stmt, node: Body) -> bool:
    if isinstance(part, ast.ImportFrom) and part.module == "__future__":
        return True
    return part is node.body[0] and _has_docstring(node)


def functions(tree: ast.AST, around: str = "") -> Iterator[tuple[str, ast.FunctionDef | ast.AsyncFunctionDef]]:
    """Every function with its name and the names around it: `Class.method`, `outer.inner`."""
    for node in ast.iter_child_nodes(tree):
        inside = around
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            inside = f"{around}.{node.name}".lstrip(".")
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield inside, node
        yield from functions(node, inside)


def _has_docstring(node: Body) -> bool:
    return ast.get_docstring(node, clean=False) is not None


def watch_process() -> None:
    """In a process that a test started: write what was called, and for which test, when it ends."""
    folder, test = os.environ[RECORD], os.environ["PYTEST_CURRENT_TEST"].rpartition(" (")[0]

    def write() -> None:
        line = json.dumps({"test": test, "functions": sorted(_called)})
        Path(folder, f"process-{os.getpid()}-{time.monotonic_ns()}.jsonl").write_text(line, encoding="utf-8")

    atexit.register(write)


class Recorder:
    """The plug-in: a line for every test that passed."""

    def __init__(self, folder: Path) -> None:
        # Not by the number of the process: in a namespace of its own it is the same every time.
        self.lines = (folder / f"tests-{time.time_ns()}.jsonl").open("w", encoding="utf-8")
        self.reports: dict[str, list[Any]] = defaultdict(list)

    def pytest_runtest_logreport(self, report: Any) -> None:
        self.reports[report.nodeid].append(report)

    def pytest_runtest_logstart(self) -> None:
        _called.clear()

    def pytest_runtest_logfinish(self, nodeid: str) -> None:
        reports = self.reports.pop(nodeid, [])
        if reports and all(report.passed for report in reports):
            seconds = sum(report.duration for report in reports)
            self.lines.write(json.dumps({"test": nodeid, "seconds": seconds, "functions": sorted(_called)}) + "\n")
            self.lines.flush()


def pytest_configure(config: Any) -> None:
    config.pluginmanager.register(Recorder(Path(os.environ[RECORD])))


def forget(record: Path, files: Set[str]) -> None:
    """Drop what is recorded of some test files, before they are recorded again."""
    for path in record.glob("*.jsonl"):
        kept = [json.dumps(row) for row in _rows(path) if row["test"].partition("::")[0] not in files]
        path.write_text("".join(f"{line}\n" for line in kept), encoding="utf-8")


def _rows(path: Path) -> Iterator[dict[str, Any]]:
    """What was recorded, but for a line that was cut off with its process."""
    for line in path.read_text(encoding="utf-8").splitlines():
        with suppress(ValueError):
            yield json.loads(line)


class Related:
    """The record, read: tests by the functions they call."""

    def __init__(self, folder: Path, source: Path) -> None:
        self.seconds: dict[str, float] = {}
        self.tests: dict[str, set[str]] = defaultdict(set)
        for path in sorted(folder.glob("*.jsonl")):
            for row in _rows(path):
                self._add(row)
        self.users: dict[str, set[str]] = defaultdict(set)
        self.made: dict[str, set[str]] = defaultdict(set)
        for path in sorted(source.rglob("*.py")):
            self._note_names(path.relative_to(source).as_posix(), ast.parse(path.read_text(encoding="utf-8")))

    def _add(self, row: dict[str, Any]) -> None:
        if "seconds" in row:
            self.seconds[row["test"]] = row["seconds"]
        for function in row["functions"]:
            self.tests[function].add(row["test"])

    def _note_names(self, file: str, tree: ast.Module) -> None:
        """Which functions use which names, and which constants are made of them when their file is loaded: no test is
        seen to run what makes a constant, so its tests are those of the functions that use the constant."""
        for statement in tree.body:
            if isinstance(statement, ast.Assign | ast.AnnAssign):
                targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
                constants = {target.id for target in targets if isinstance(target, ast.Name)}
                for part in ast.walk(statement):
                    if isinstance(part, ast.Name):
                        self.made[_key(file, part.id)] |= constants - {part.id}
        for function, node in functions(tree):
            for part in ast.walk(node):
                name = part.id if isinstance(part, ast.Name) else getattr(part, "attr", None)
                if isinstance(name, str):
                    self.users[name].add(f"{file}:{function}")

    def _constants(self, file: str, name: str) -> set[str]:
        """The constants of a file that are made of a function or a constant, and of these, and so on."""
        known: set[str] = set()
        new = self.made[_key(file, name)]
        while new:
            known |= new
            new = {further for one in new for further in self.made[_key(file, one)]} - known
        return known

    def to(self, file: str, function: str, name: str, budget: float) -> list[str]:
        """The tests of a function, or of those that use a name; as many as fit into some seconds."""
        names = self._constants(file, function or name) | ({name} if not function else set())
        places = {f"{file}:{function}"} | {user for name in names for user in self.users[name]}
        tests = {test for place in places for test in self.tests[place]} & set(self.seconds)
        if not tests and not function:  # used by other constants only: whatever runs code of that file
            tests = {test for place, running in self.tests.items() if place.startswith(f"{file}:") for test in running}
        chosen: list[str] = []
        total = 0.0
        for test in self._in_turn(tests & set(self.seconds)):
            total += self.seconds[test]
            if chosen and total > budget:
                break
            chosen.append(test)
        return chosen

    def _in_turn(self, tests: set[str]) -> list[str]:
        """Quick ones first; a test with many parameters is taken to be slower each time it comes again."""
        turns = Counter[str]()
        ordered = []
        for test in sorted(tests, key=lambda test: (self.seconds[test], test)):
            name = test.partition("[")[0]
            turns[name] += 1
            ordered.append((turns[name] * self.seconds[test], test))
        return [test for _, test in sorted(ordered)]


def _key(file: str, name: str) -> str:
    """Private names mean something in their own file only."""
    return f"{file}:{name}" if name.startswith("_") else name
