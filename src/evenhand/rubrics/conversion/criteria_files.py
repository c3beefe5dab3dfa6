"""Whole files: criteria of another tool to a rubric of ours with the verdicts that the file holds, and back."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import PurePath
from typing import Any, NamedTuple

from evenhand.core.criteria import counted_answers, tree_value
from evenhand.core.judgement import Verdict
from evenhand.core.rules import DIMENSIONS
from evenhand.core.scorecard import Span
from evenhand.documents.criteria import tree_lines, verdict_document
from evenhand.errors import InputError, Path, Problem, RubricError, unknown
from evenhand.files.located import Located
from evenhand.in_words import counted
from evenhand.rubrics.conversion.criteria_export import export_criteria
from evenhand.rubrics.conversion.criteria_formats import FORMATS, NAMES, lists_one_each
from evenhand.rubrics.conversion.criteria_import import import_criteria, load_foreign, requiring
from evenhand.rubrics.library import parse_file
from evenhand.rubrics.new import rubric_text
from evenhand.work.names import slug

BASE = "default"
"""The built-in rubric whose text the other dimensions get."""


class ConvertedCriteria(NamedTuple):
    """A rubric made of another tool's criteria."""

    text: str
    format: str
    criteria: int
    losses: tuple[Problem, ...]
    """What has no counterpart, with its line."""
    judgement: str
    """The verdicts in the file as a judgement to score; empty when it holds none."""
    open: tuple[Problem, ...]
    """The requirements that are left open, as TODO, with their lines."""
    value: Span | None
    """What those verdicts give at the root, not clipped."""


def converted_criteria(
    text: str, path: str, *, name: str, dimension: str, entry: int | None = None
) -> ConvertedCriteria | None:
    """A rubric with a file's criteria under one dimension; None when the file is not known to hold criteria."""
    if PurePath(path).suffix.lower() in (".md", ".markdown", ".txt", ""):
        return None
    try:
        document = load_foreign(text, path)
    except InputError as error:
        raise RubricError(error.problems) from None
    if isinstance(document, list) and lists_one_each([one.value for one in document]):
        document = _one_list(document)
    if isinstance(document, list):
        if entry is None and len(document) != 1:
            raise RubricError(Problem(f"has {len(document)} entries; choose one with --entry N", path))
        if entry is not None and not 1 <= entry <= len(document):
            raise RubricError(Problem(f"there is no entry {entry}; it has {len(document)}", path))
        document, entry = document[(entry or 1) - 1], None
    imported = import_criteria(document, entry)
    if imported is None and path.endswith(".toml"):
        raise RubricError(Problem("holds no [[criterion]] with a description", path))
    if imported is None:
        return None
    tree = imported.tree
    written = requiring(tree, dict.fromkeys(imported.open, ("TODO",)))
    answers = {id: verdict.answer for id, verdict in imported.verdicts.items()}
    return ConvertedCriteria(
        _with_criteria(rubric_text(name, BASE), dimension, [*tree_lines(written)]),
        imported.format,
        sum(1 for _ in tree.criteria()),
        imported.losses,
        _judgement(imported.verdicts, name, dimension) if imported.verdicts else "",
        tuple(imported.open.values()),
        tree_value(tree, counted_answers(tree.criteria(), answers)) if answers else None,
    )


def _one_list(lines: list[Located]) -> Located:
    """The lines of a file as one list."""

    def find_line(path: Path) -> int | None:
        first = path[0] if path else 0
        return lines[first].find_line(path[1:]) if isinstance(first, int) else None

    return Located([line.value for line in lines], lines[0].source, find_line)


def _with_criteria(text: str, dimension: str, lines: list[str]) -> str:
    """A rubric's text with criteria at the end of a dimension's section."""
    start = re.search(rf"^### {dimension}\b.*$", text, re.MULTILINE | re.IGNORECASE)
    assert start is not None, "the base has every dimension"
    end = re.compile(r"^#{1,3} ", re.MULTILINE).search(text, start.end())
    place = end.start() if end else len(text)
    section = "\n".join(["#### Criteria", "", *lines, "", ""])
    return f"{text[:place].rstrip()}\n\n{section}{text[place:]}".rstrip() + "\n"


def _judgement(verdicts: Mapping[str, Verdict], name: str, dimension: str) -> str:
    scores: dict[str, Any] = {other: {"unscored": "not judged"} for other in DIMENSIONS}
    scores[dimension] = {"criteria": {id: verdict_document(verdict) for id, verdict in verdicts.items()}}
    return json.dumps({"skill": name, "judge": "imported", "scores": scores}, indent=2, ensure_ascii=False) + "\n"


def exported_criteria(path: str, to: str, dimension: str | None) -> tuple[str, tuple[Problem, ...]]:
    """The criteria of one of our rubrics as a file of another tool, and what has no counterpart there."""
    format = next((format for format in FORMATS if format.name == to), None)
    if format is None:
        raise InputError(unknown("format", to, NAMES))
    parsed = parse_file(path)
    trees = {name: part.tree for name, part in parsed.rubric.dimensions.items() if part.tree is not None}
    if not trees:
        raise InputError(Problem('has no criteria to write; put some under a heading "#### Criteria"', path))
    chosen = [dimension] if dimension in trees else [*trees] if dimension is None else []
    if len(chosen) != 1:
        having = ", ".join(trees)
        some = counted(len(trees), "dimension has", "dimensions have")
        which = f"{dimension} has no criteria" if dimension else f"{some} criteria"
        raise InputError(Problem(f"{which}; choose one with --dimension: {having}", path))
    tree = trees[chosen[0]]
    assert tree is not None
    text, losses = export_criteria(tree, format, parsed.rubric.title)
    places = {id: parsed.lines.get(("criteria", id)) for id, _ in losses}
    problems = [Problem(f"{id}: {what}" if id else what, path, places[id]) for id, what in losses]
    return text, tuple(sorted(problems, key=lambda problem: problem.line or 0))


def name_of(path: str) -> str:
    """The name of a rubric made of a file."""
    return slug(PurePath(path).name.split(".")[0]) or "converted"
