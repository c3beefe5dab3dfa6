"""Whether a file is a report that evenhand wrote, told by its content: `-o` replaces those, and nothing else unasked.

Most formats name their maker. Markdown and plain text end with a mark that holds a hash of what is before it, so that
a report in which someone has written since is theirs. What people or stores would lose for good (judgements, labels,
rubrics, exported evaluations) is not a report.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from typing import Any, BinaryIO, Final

REPORTS: Final = frozenset(
    (
        "agreement", "anchor-run", "batch", "calibration", "comparison", "estimate", "gate", "judge-card",
        "label-diagnosis", "label-import", "plan", "plugin-eval", "preferences", "ranking",
        "scorecard", "decision", "suite-audit", "suite-check",
        "suite-plan", "suite-result", "suite-run", "transcript", "verification", "what-to-change",
    )
)  # fmt: skip
"""The documents that a command makes and the same command makes again."""

_PARSED: Final = 16 * 1024 * 1024
"""JSON up to this size is parsed; of a larger document the beginning must do."""
_HEAD: Final = 64 * 1024
_TAIL: Final = 1024 * 1024

_SCHEMA: Final = re.compile(r'\s*(?:\[\s*)?\{\s*"schema":\s*"evenhand/([a-z-]+)/v[0-9]+"')
_PAGE: Final = re.compile(
    r'<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
    r"<meta name=\"generator\" content=\"evenhand\">"
)
_CHARTS: Final = tuple(
    f'<svg xmlns="http://www.w3.org/2000/svg" class="{name}"' for name in ("history-chart", "standings", "badge")
)
_JUNIT: Final = re.compile(r'<\?xml [^>]*\?>\n<testsuites [^>]*>\n<testsuite name="evenhand ')
_ANNOTATION: Final = re.compile(r"::(?:error|warning|notice) [^\n]*title=evenhand\b")
_MARK: Final = re.compile(rb"(?:<!-- evenhand report ([0-9a-f]{16}) -->|\(evenhand report ([0-9a-f]{16})\))\n\Z")
_MARKED: Final = {"markdown": "<!-- evenhand report {} -->\n", "terminal": "(evenhand report {})\n"}

_ROWS: Final = (
    frozenset(("name", "colour", "says")),
    frozenset(("rank", "id", "skill", "equivalent_to", "decided_by")),
    frozenset(("id", "skill", "scores", "flags", "provisional", "drift_alarm", "not_told_apart")),
    frozenset(("skill", "evaluations", "last")),
    frozenset(("judge", "measure", "variants", "pairs")),
)
"""The keys of rows that name no schema: of gates, rankings, histories, skills, standings."""


def add_mark(file: BinaryIO, descriptor: int, format: str) -> None:
    """End a finished report with its mark, if its format has one; the descriptor is the file's, open for reading."""
    file.flush()
    if format in _MARKED and os.fstat(descriptor).st_size:
        file.write(b"\n")
        file.flush()
        file.write(_MARKED[format].format(_digest(descriptor, os.fstat(descriptor).st_size)).encode())


def is_report(path: Path) -> bool:
    """Whether a file is one of evenhand's reports."""
    with path.open("rb") as file:
        size = os.fstat(file.fileno()).st_size
        head = file.read(_HEAD)
        file.seek(max(0, size - _TAIL))
        tail = file.read(_TAIL)
        if mark := _MARK.search(tail):
            return _digest(file.fileno(), size - len(mark[0])) == (mark[1] or mark[2]).decode()
        if head.startswith(b"PAR1"):
            return _is_table(tail)
        try:
            begins = head.decode(errors="strict" if size <= _HEAD else "ignore")
        except UnicodeDecodeError:
            return False
        if begins.lstrip()[:1] in ("{", "["):
            file.seek(0)
            return _is_json(file, size, begins, tail)
        return any(test(begins) for test in _TESTS)


def _is_page(text: str) -> bool:
    return _PAGE.match(text) is not None or text.startswith(_CHARTS)


def _is_junit(text: str) -> bool:
    return _JUNIT.match(text) is not None


def _is_annotated(text: str) -> bool:
    return all(map(_ANNOTATION.match, text.splitlines()[:20]))


def _is_csv(text: str) -> bool:
    from evenhand.reports.exchange.decision_tables import COLUMNS

    return text.partition("\n")[0] in (",".join(_columns()), ",".join(COLUMNS))


def _is_latex(text: str) -> bool:
    from evenhand.reports.exchange.decision_tables import LATEX_HEAD

    return text.startswith(LATEX_HEAD)


_TESTS: Final[tuple[Callable[[str], bool], ...]] = (_is_page, _is_junit, _is_annotated, _is_csv, _is_latex)


def _is_table(tail: bytes) -> bool:
    """A row for each run of a suite, in Parquet: the names of its columns are in the footer."""
    footer = tail[-8 - int.from_bytes(tail[-8:-4], "little") :]
    return tail.endswith(b"PAR1") and all(name.encode() in footer for name in _columns())


def _columns() -> tuple[str, ...]:
    from evenhand.core.rules import DIMENSIONS
    from evenhand.reports.exchange.result_rows import ROW_COLUMNS

    return (*ROW_COLUMNS, *DIMENSIONS)


def _is_json(file: BinaryIO, size: int, begins: str, tail: bytes) -> bool:
    if size > _PARSED:
        last = tail.rstrip().rpartition(b"\n")[2].decode(errors="ignore")
        schemas = [found[1] for text in (begins, last) if (found := _SCHEMA.match(text))]
        return bool(schemas) and REPORTS.issuperset(schemas)
    text = file.read().decode(errors="replace")
    try:
        return _is_document(json.loads(text))
    except (ValueError, RecursionError):
        pass
    lines = [line for line in text.split("\n") if line.strip()]
    try:
        return all(_is_document(json.loads(line)) for line in (lines[0], lines[-1]))
    except (ValueError, RecursionError):
        return False


def _is_document(document: Any) -> bool:
    match document:
        case []:
            return True
        case [first, *_]:
            return isinstance(first, dict) and _is_document(first)
        case {"schema": str(schema)}:
            return schema.startswith("evenhand/") and schema.split("/")[1] in REPORTS
        case {"results": {"tool": {"name": "evenhand"}}} | {"runs": [{"tool": {"driver": {"name": "evenhand"}}}]}:
            return True
        case {"resourceLogs": [{"scopeLogs": [{"scope": {"name": "evenhand"}}]}]}:
            return True
        case (
            {"eval_library": {"name": "evenhand"}} | {"generator": "evenhand"} | {"metadata": {"generator": "evenhand"}}
        ):
            return True
        case dict():
            return any(keys <= document.keys() for keys in _ROWS[1:]) or document.keys() == _ROWS[0]
    return False


def _digest(descriptor: int, size: int) -> str:
    """A hash of a file's beginning."""
    digest = sha256()
    place = 0
    while place < size and (part := os.pread(descriptor, min(1 << 20, size - place), place)):
        digest.update(part)
        place += len(part)
    return digest.hexdigest()[:16]
