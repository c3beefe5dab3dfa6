"""Criteria of other tools -> a tree of ours, and the verdicts that the file itself holds. Nothing is lost: what has no
counterpart is kept as notes where it can be written back, and listed with its line."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from fractions import Fraction
from pathlib import PurePath
from typing import Any, NamedTuple

from evenhand.core.criteria import DEEPEST, fraction
from evenhand.core.judgement import Verdict
from evenhand.core.numbers import plain
from evenhand.core.rubric import CANNOT_TELL, NO, PARTLY, YES, Answer, Criterion, Group, Tree
from evenhand.errors import Path, Problem, RubricError
from evenhand.files.located import Located
from evenhand.in_words import counted
from evenhand.rubrics.conversion.criteria_formats import (
    DEVAI,
    HARBOR,
    PAPERBENCH,
    PROMPTFOO,
    ROOT_FORMAT,
    CriteriaFormat,
    format_of,
)
from evenhand.rubrics.criteria import broken_requirements
from evenhand.work.names import is_id, slug

_GRADED = ("score", "valid_score", "explanation", "judge_metadata")
"""What a graded tree says of each node: verdicts, not the rubric."""
_ANSWERS: dict[Fraction, Answer] = {Fraction(1): YES, Fraction(0): NO, Fraction(1, 2): PARTLY}
_ALWAYS = {HARBOR.name: ("type",)}
"""What is written for each item; a file may leave it out."""
_LONGEST_ID = 40


class ImportedCriteria(NamedTuple):
    """What a file of another tool holds."""

    format: str
    tree: Tree
    verdicts: Mapping[str, Verdict]
    """Where the file holds the results of a judge."""
    losses: tuple[Problem, ...]
    """What has no counterpart, with its line, and what becomes of it."""
    open: Mapping[str, Problem]
    """The criteria whose requirements cannot hold, which a person has to fill in, by id; the tree has none for them."""


def load_foreign(text: str, path: str) -> Located | list[Located]:
    """A file's value, or those of its lines."""
    from evenhand.files.json_values import load_json
    from evenhand.files.toml_values import load_toml
    from evenhand.files.yaml_values import load_yaml

    suffix = PurePath(path).suffix.lower()
    if suffix == ".toml":
        return load_toml(text, path)
    if suffix in (".jsonl", ".ndjson"):
        lines = [(number, line) for number, line in enumerate(text.splitlines(), 1) if line.strip()]
        return [load_json(line, path, line=number) for number, line in lines]
    return load_yaml(text, path, foreign=True) if suffix in (".yaml", ".yml") else load_json(text, path)


def import_criteria(document: Located, entry: int | None = None) -> ImportedCriteria | None:
    """The criteria of a document, or of one of its entries; None when it is not known to hold some."""
    format = format_of(document.value)
    if format is None:
        return None
    return _Import(document, format).read(entry)


class _Import:
    def __init__(self, document: Located, format: CriteriaFormat) -> None:
        self._document = document
        self._format = format
        self._ids: dict[str, None] = {}
        self._lines: dict[str, int | None] = {}
        self._losses: list[Problem] = []
        self._verdicts: dict[str, Verdict] = {}
        self._noted: set[str] = set()
        """The keys beside a sentence that have been reported once."""
        self._others: dict[str, Any] = {}
        """What stands in the list and is not a criterion, by its place."""

    def read(self, entry: int | None) -> ImportedCriteria:
        value, path, around = self._entry(entry)
        if self._format is PAPERBENCH:
            root: Criterion | Group = self._node(value, path, 1)
            children: tuple[Criterion | Group, ...] = (
                root._replace(notes={ROOT_FORMAT: PAPERBENCH.name, **root.notes}),
            )
        else:
            listed = value[self._format.items] if self._format.items else value
            items_path = (*path, self._format.items) if self._format.items else path
            rest = {key: part for key, part in value.items() if key != self._format.items} if self._format.items else {}
            nodes = self._items(listed, items_path)
            others = {"others": self._others} if self._others else {}
            notes = {ROOT_FORMAT: self._format.name, **_plain(around), **_plain(rest), **_plain(others)}
            children = (Group(self._id("criteria", ""), "", Fraction(1), nodes, notes),)
            self._report_rest(rest, path)
        tree = Tree(children)
        broken: dict[str, Problem] = {}
        for id, problem in broken_requirements([tree], {}):
            says = f"{problem.message.partition('; ')[0]} in the source; its requirement is left open"
            broken.setdefault(id, Problem(says, self._document.source, self._lines.get(id)))
        losses = tuple(sorted(self._losses, key=_line_of))
        return ImportedCriteria(
            self._format.name, requiring(tree, dict.fromkeys(broken, ())), self._verdicts, losses, broken
        )

    def _entry(self, entry: int | None) -> tuple[Any, Path, dict[str, Any]]:
        """The value that holds the criteria, its path, and what is around it."""
        value, key = self._document.value, self._format.entries
        if not key:
            return value, (), {}
        entries = value[key]
        holding = [
            place for place, item in enumerate(entries) if isinstance(item, Mapping) and item.get(self._format.items)
        ]
        if entry is None and len(holding) != 1:
            raise RubricError(
                Problem(
                    f"{counted(len(holding), 'entry has', 'entries have')} criteria of their own; choose one with "
                    f"--entry N, from 1 to {len(entries)}",
                    self._document.source,
                    self._line((key,)),
                )
            )
        place = holding[0] if entry is None else entry - 1
        if place not in holding:
            raise RubricError(Problem(f"entry {entry} has no criteria", self._document.source, self._line((key,))))
        others = {name: part for name, part in value.items() if name != key}
        self._report_rest(others, ())
        if len(entries) > 1:
            left = counted(len(entries) - 1, "other entry is", "other entries are")
            self._lose(f"{left} left out; convert each with --entry N", (key,))
        return entries[place], (key, place), {"entry": place + 1, "file": others} if others else {"entry": place + 1}

    def _items(self, items: list[Any], path: Path) -> tuple[Criterion | Group, ...]:
        nodes = []
        for place, item in enumerate(items):
            node = self._item(item, (*path, place))
            if node is not None:
                nodes.append(node)
            else:
                self._others[str(place)] = item
        if not nodes:
            raise RubricError(
                Problem("holds no criterion that a judge could answer", self._document.source, self._line(path))
            )
        return tuple(self._required(node) for node in nodes)

    def _item(self, item: Any, path: Path) -> Criterion | None:
        format = self._format
        if isinstance(item, str):
            item = {format.sentence[0]: item}
        if format is PROMPTFOO and item.get("type") != "llm-rubric":
            self._lose(f"the assertion {item.get('type')} is not a sentence; evenhand run import reads it", path)
            return None
        key = next((key for key in format.sentence if isinstance(item.get(key), str)), None)
        if key is None or not item[key].strip():
            self._lose(f"an entry without {format.sentence[0]} is left out", path)
            return None
        named = item.get(format.id, item.get("name", "")) if format.id else ""
        id = self._id(str(named), item[key], format is DEVAI)
        self._lines[id] = self._line((*path, format.requires) if format.requires else path)
        notes = {name: part for name, part in item.items() if name not in (key, format.points, format.requires)}
        for name in notes:
            if name not in (format.id, "name", "type") and name not in self._noted:
                self._noted.add(name)
                self._lose(f"`{name}` of a criterion, kept as a note", (*path, name))
        if format.id and notes.get(format.id) == id:
            del notes[format.id]
        if key != format.sentence[0]:
            notes["key"] = key
        implied = [
            name
            for name in (format.id, format.points, format.requires, *_ALWAYS.get(format.name, ()))
            if name and name not in item
        ]
        if implied:
            notes["implied"] = implied
        if format is PROMPTFOO:
            del notes["type"]
        written = item.get(format.points) if format.points else None
        if format is HARBOR and item.get("type", "binary") != "binary":
            self._lose(
                f"type {item['type']} has no counterpart: it is answered with yes, no or partly", (*path, "type")
            )
        return Criterion(
            id,
            item[key],
            Fraction(1) if written is None else self._number(written, (*path, format.points)),
            tuple(str(required) for required in item.get(format.requires) or ()) if format.requires else (),
            notes=_plain(notes),
        )

    def _required(self, node: Criterion) -> Criterion:
        """The criterion with its prerequisites by our ids."""
        return (
            node._replace(requires=tuple(f"requirement-{required}" for required in node.requires))
            if node.requires
            else node
        )

    def _node(self, value: Mapping[str, Any], path: Path, depth: int) -> Any:
        """A node of a tree, with what is inside it."""
        if depth > DEEPEST or not isinstance(value, Mapping) or not isinstance(value.get("requirements"), str):
            raise RubricError(Problem("not a tree of requirements", self._document.source, self._line(path)))
        parts = {
            key: part for key, part in value.items() if key not in ("requirements", "sub_tasks", "weight", *_GRADED)
        }
        id = self._id(str(value.get("id", "")), value["requirements"])
        if parts.get("id") == id:
            del parts["id"]
        weight = self._number(value.get("weight", 1), (*path, "weight"))
        inside = value.get("sub_tasks") or []
        if (weight < 0 and inside) or not (inside or value["requirements"].strip()):
            what = "a group cannot have a negative weight" if inside else "a requirement without words cannot be judged"
            raise RubricError(Problem(what, self._document.source, self._line(path)))
        if inside:
            children = tuple(self._node(part, (*path, "sub_tasks", n), depth + 1) for n, part in enumerate(inside))
            return Group(id, value["requirements"], weight, children, _plain(parts))
        if "score" in value:
            self._verdicts[id] = self._verdict(value, path)
        return Criterion(id, value["requirements"], weight, notes=_plain(parts))

    def _verdict(self, value: Mapping[str, Any], path: Path) -> Verdict:
        reason = str(value.get("explanation") or "")
        if value.get("valid_score") is False:
            return Verdict(CANNOT_TELL, reason or "the file has no valid score for it")
        answer = None if value["score"] is None else _ANSWERS.get(self._number(value["score"], (*path, "score")))
        if answer is None:
            self._lose(
                f"the score {value['score']} is none of 0, 1/2 and 1: it counts as cannot tell", (*path, "score")
            )
        return Verdict(answer or CANNOT_TELL, reason)

    def _number(self, value: Any, path: Path) -> Fraction:
        try:
            return fraction(value)
        except (ValueError, TypeError) as error:
            raise RubricError(
                Problem(f"{'.'.join(map(str, path))}: {error}", self._document.source, self._line(path))
            ) from None

    def _id(self, written: str, sentence: str, numbered: bool = False) -> str:
        """A free id: the file's own, or one made of the sentence."""
        base = f"requirement-{written}" if numbered else written if is_id(written) else slug(written or sentence)
        base = base if is_id(written) or numbered else base[:_LONGEST_ID].rstrip("-") or "criterion"
        id, number = base, 1
        while id in self._ids:
            number += 1
            id = f"{base}-{number}"
        self._ids[id] = None
        return id

    def _report_rest(self, rest: Mapping[str, Any], path: Path) -> None:
        """What a file says beside its criteria: it is kept as notes, and has no effect."""
        for key in rest:
            if key == "scoring" and self._format is HARBOR:
                aggregation = rest[key].get("aggregation", "weighted-mean") if isinstance(rest[key], Mapping) else None
                if aggregation in ("weighted-mean", "weighted_mean"):
                    continue
                self._lose(
                    f"aggregation {aggregation} has no counterpart: criteria count by their weights", (*path, key)
                )
            elif key != self._format.title:
                self._lose(f"`{key}`, kept as a note", (*path, key))

    def _lose(self, message: str, path: Path) -> None:
        self._losses.append(Problem(message, self._document.source, self._line(path)))

    def _line(self, path: Path) -> int | None:
        return self._document.find_line(path)


def requiring(tree: Tree, requires: Mapping[str, tuple[str, ...]]) -> Tree:
    """The tree with other requirements for some of its criteria."""

    def node(child: Criterion | Group) -> Criterion | Group:
        if isinstance(child, Group):
            return child._replace(children=tuple(node(inner) for inner in child.children))
        return child._replace(requires=requires[child.id]) if child.id in requires else child

    return tree._replace(children=tuple(node(child) for child in tree.children)) if requires else tree


def _line_of(problem: Problem) -> int:
    return problem.line or 0


def _plain(value: Any) -> Any:
    """A value with its numbers as JSON has them."""
    if isinstance(value, Mapping):
        return {str(key): _plain(part) for key, part in value.items()}
    if isinstance(value, list):
        return [_plain(part) for part in value]
    return plain(value) if isinstance(value, Decimal) else value
