"""The criteria under a dimension, from the bullets of its section "Criteria". Whatever is not understood is refused.

#### Criteria

- `names-ticket` (2 points): The answer names the ticket.
- `invents` (-3 points): It states a number that is not in the log.
  - requires: names-ticket
  - otherwise: does not apply
  - applies when: the task has a log
- `tests` (weight 2): Tests
  - `tests-run` (1 point): The tests run.
    - decided by: expect {calls: {made: [{name: pytest}]}}
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from decimal import Decimal
from fractions import Fraction
from typing import Any, Literal, NamedTuple

from evenhand.core.criteria import DEEPEST, LARGEST, fraction, in_order_of_requirement
from evenhand.core.numbers import plain
from evenhand.core.values import DOES_NOT_APPLY, HALF, NO, Criterion, Group, Rubric, Tree
from evenhand.errors import InputError, unknown
from evenhand.in_words import shortened
from evenhand.names import is_id
from evenhand.rubrics.outline import Piece, Section
from evenhand.rubrics.sections import Draft

_HEADING = re.compile(r"[*_\s]*criteria[*_\s:]*", re.IGNORECASE)
_NUMBER = r"[+\u2212-]?\s*[0-9]+(?:\.[0-9]+|\s*/\s*[0-9]+)?"
_POINTS = re.compile(rf"(?P<number>{_NUMBER})\s*(?:points?|pts?\.?)", re.IGNORECASE)
_WEIGHT = re.compile(rf"weight\s*:?\s*(?P<number>{_NUMBER})", re.IGNORECASE)
_ENTRY = re.compile(r"`(?P<id>[^`]+)`\s*(?:\((?P<mark>[^()]*)\))?\s*:?\s*(?P<text>.*)", re.DOTALL)
_ATTRIBUTE = re.compile(r"(?P<key>[A-Za-z][A-Za-z ]*?)(?:\s+(?P<name>`[^`]+`))?\s*:\s*(?P<value>.*)", re.DOTALL)
_PARTLY = re.compile(r"partly counts (?P<number>[0-9.]+(?:\s*/\s*[0-9]+)?)\.?", re.IGNORECASE)
_DECIDED = re.compile(r"(?P<kind>check|expect)\s+(?P<what>.+)", re.DOTALL)
ATTRIBUTES = ("requires", "otherwise", "applies when", "decided by", "note")
FINEST = 10**18
"""Points and weights have at most eighteen digits behind the point, which any number of JSON has."""


class _Attributes(NamedTuple):
    requires: tuple[str, ...] = ()
    unmet: Literal["no", "does not apply"] = NO
    applies_when: str = ""
    check: str = ""
    expect: Mapping[str, object] | None = None
    notes: Mapping[str, object] = {}


def lists_criteria(section: Section) -> bool:
    """Whether a section under a dimension lists criteria: by its heading, and by points or weights in its bullets."""
    return _HEADING.fullmatch(section.heading) is not None and any(
        _marked(item) or any(map(_marked, item.nested)) for item in section.items
    )


def _marked(item: Piece) -> bool:
    entry = _ENTRY.fullmatch(item.written)
    return entry is not None and bool(_POINTS.fullmatch(entry["mark"] or "") or _WEIGHT.fullmatch(entry["mark"] or ""))


def tree_from(draft: Draft, name: str) -> Tree:
    """The criteria of a dimension; problems go to the draft."""
    sections = draft.criteria_sections[name]
    if len(sections) > 1:
        draft.say(sections[1].line, f"{name} has a second list of criteria; the first is on line {sections[0].line}")
    section = sections[0]
    partly = HALF
    for piece in section.paragraphs:
        match = _PARTLY.fullmatch(piece.whole)
        if match:
            partly = _share(draft, piece, match["number"])
        elif re.search("[0-9]", piece.whole):
            message = f'"{shortened(piece.whole)}" is not read; a criterion is a bullet, and what partly is worth is'
            draft.say(piece.line, f'{message} written as "Partly counts 1/2."')
    for piece in (*section.rows, *section.blocks):
        draft.say(piece.line, f"{name}: criteria are bullets; tables and code are not read here")
    reader = _Reader(draft)
    return Tree(reader.nodes(section.items, 1), partly)


def _share(draft: Draft, piece: Piece, written: str) -> Fraction:
    try:
        share = fraction("".join(written.split()))
    except ValueError:
        share = Fraction(-1)
    if not 0 <= share <= 1:
        draft.say(piece.line, f"partly counts a share from 0 to 1, such as 1/2, not {written}")
        return HALF
    return share


class _Reader:
    """Bullets to criteria and groups."""

    def __init__(self, draft: Draft) -> None:
        self._draft = draft

    def nodes(self, items: list[Piece], depth: int) -> tuple[Criterion | Group, ...]:
        if depth > DEEPEST:
            self._draft.say(items[0].line, f"criteria are nested more than {DEEPEST} deep")
            return ()
        return tuple(node for item in items if (node := self._node(item, depth)) is not None)

    def _node(self, item: Piece, depth: int) -> Criterion | Group | None:
        entry = _ENTRY.fullmatch(item.written.strip())
        if entry is None:
            example = "- `names-ticket` (2 points): The answer names the ticket."
            self._draft.say(item.line, f'"{shortened(item.written)}" is not a criterion; write it like {example}')
            return None
        id, mark, text = entry["id"].strip(), entry["mark"], text_from(entry["text"])
        self._take_id(id, item.line)
        children = [child for child in item.children if child.written.startswith("`")]
        attributes = self._attributes([child for child in item.children if child not in children])
        weight = _WEIGHT.fullmatch(mark.strip()) if mark is not None else None
        if weight or children:
            return self._group(item, id, text, weight, children, attributes, depth)
        points = _POINTS.fullmatch(mark.strip()) if mark is not None else None
        if mark is not None and points is None:
            self._draft.say(item.line, f"{id}: ({mark}) is not understood; write (2 points), (-1 point) or (weight 3)")
        if not text:
            self._draft.say(item.line, f"{id} has no sentence to answer")
        worth = Fraction(1) if points is None else self._number(points["number"], id, item.line)
        return Criterion(id, text, worth, *attributes)

    def _group(
        self,
        item: Piece,
        id: str,
        title: str,
        weight: re.Match[str] | None,
        children: list[Piece],
        attributes: _Attributes,
        depth: int,
    ) -> Group:
        if weight is None:
            self._draft.say(item.line, f"{id} holds criteria, so it is a group; give its weight, like (weight 2)")
        if not children:
            self._draft.say(item.line, f"{id} has a weight and no criteria inside it; a criterion has points")
        if attributes._replace(notes={}) != _Attributes():
            self._draft.say(item.line, f"{id} is a group; only criteria have requirements, conditions and checks")
        number = Fraction(1) if weight is None else self._number(weight["number"], id, item.line)
        if number < 0:
            self._draft.say(item.line, f"{id} is a group, and its weight cannot be negative; its criteria can")
        return Group(id, title, number, self.nodes(children, depth + 1), attributes.notes)

    def _take_id(self, id: str, line: int) -> None:
        first = self._draft.lines.setdefault(("criteria", id), line)
        if first != line:
            self._draft.say(line, f"a second criterion {id}; the first is on line {first}; ids are unique in a rubric")
        if not is_id(id):
            self._draft.say(line, f'the id "{id}" must be lower-case words joined by hyphens, like names-ticket')

    def _number(self, written: str, id: str, line: int) -> Fraction:
        try:
            number = fraction("".join(written.replace("\u2212", "-").replace("+", "").split()))
        except ValueError as error:
            self._draft.say(line, f"{id}: {error}")
            return Fraction(1)
        if number.denominator > FINEST or abs(number) >= LARGEST:
            most = "at most nine before the point, eighteen behind it"
            self._draft.say(line, f"{id}: {written} has too many digits; {most}")
        return number

    def _attributes(self, items: list[Piece]) -> _Attributes:
        found: dict[str, Any] = {}
        notes: dict[str, object] = {}
        for item in items:
            match = _ATTRIBUTE.fullmatch(item.written.strip())
            key = " ".join(match["key"].lower().split()) if match else ""
            if match is None or key not in ATTRIBUTES or item.children:
                words = unknown("line under a criterion", key or shortened(item.written), ATTRIBUTES)
                self._draft.say(item.line, words)
            elif key == "note":
                notes[(match["name"] or "``")[1:-1]] = self._json(match["value"], item.line)
            elif key in found:
                self._draft.say(item.line, f"a second {key}: under one criterion; keep one")
            else:
                found[key] = None
                found |= self._attribute(key, match["value"].strip(), item.line)
        fields = {name: value for name, value in found.items() if name in _Attributes._fields}
        return _Attributes(**fields, notes=notes)

    def _attribute(self, key: str, value: str, line: int) -> dict[str, Any]:
        if key == "requires":
            ids = tuple(id.strip(" `") for id in value.split(","))
            return {"requires": tuple(dict.fromkeys(filter(None, ids)))}
        if key == "applies when":
            return {"applies_when": text_from(value)}
        if key == "otherwise":
            answer = " ".join(value.lower().rstrip(".").split())
            if answer not in (NO, DOES_NOT_APPLY):
                self._draft.say(line, f"otherwise: is {NO} or {DOES_NOT_APPLY}, not {shortened(value)}")
            return {"unmet": DOES_NOT_APPLY if answer == DOES_NOT_APPLY else NO}
        return self._decided(value, line)

    def _decided(self, value: str, line: int) -> dict[str, Any]:
        match = _DECIDED.fullmatch(value)
        if match and match["kind"] == "check":
            return {"check": match["what"].strip(" `")}
        expect = self._expectation(match["what"], line) if match else None
        if not isinstance(expect, Mapping):
            valid = '"check ID", or "expect" with an expectation such as {answer: {contains: x}}'
            self._draft.say(line, f"decided by: is {valid}")
            return {}
        return {"expect": expect}

    def _expectation(self, written: str, line: int) -> object:
        from evenhand.reading.yaml_values import load_yaml  # few criteria have one

        try:
            return _plain(load_yaml(written.strip(" `"), self._draft.source, first_line=line).value)
        except InputError as error:
            self._draft.problems += error.problems
            return {}

    def _json(self, written: str, line: int) -> object:
        try:
            return json.loads(written)
        except ValueError:
            return " ".join(written.split())


def _plain(value: Any) -> Any:
    """A value with its numbers as JSON has them."""
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_plain(item) for item in value]
    return plain(value) if isinstance(value, Decimal) else value


def text_from(written: str) -> str:
    """A sentence as written, or the text in a JSON string: what a bullet cannot hold, such as a line break."""
    written = written.strip()
    if len(written) > 1 and written[0] == written[-1] == '"':
        try:
            text = json.loads(written)
            if isinstance(text, str):
                return text
        except ValueError:
            pass
    return " ".join(written.split())


def refuse_broken_requirements(draft: Draft, rubric: Rubric) -> None:
    """Refuse a criterion that requires something unknown or, directly or not, itself."""
    trees = [criteria.tree for criteria in rubric.dimensions.values() if criteria.tree is not None]
    by_id = {criterion.id: criterion for tree in trees for criterion in tree.criteria()}
    for criterion in by_id.values():
        line = draft.lines.get(("criteria", criterion.id))
        for required in criterion.requires:
            if required not in by_id:
                group = " (a group cannot be required)" if ("criteria", required) in draft.lines else ""
                draft.say(line, f"{criterion.id} requires {unknown('criterion', required, by_id)}{group}")
    place = {id: number for number, id in enumerate(in_order_of_requirement(by_id.values()))}
    for criterion in by_id.values():
        late = [required for required in criterion.requires if place.get(required, -1) >= place[criterion.id]]
        if late:
            line = draft.lines.get(("criteria", criterion.id))
            circle = " -> ".join(_circle(by_id, criterion.id, late[0]))
            draft.say(line, f"{criterion.id} requires itself: {circle}")


def _circle(by_id: Mapping[str, Criterion], start: str, second: str) -> list[str]:
    """The shortest way from a criterion through one it requires back to it."""
    came_from = {second: start}
    waiting = [second]
    for id in waiting:
        if id == start:
            break
        for required in by_id[id].requires:
            if required in by_id and required not in came_from:
                came_from[required] = id
                waiting.append(required)
    way = [start]
    while len(way) == 1 or way[-1] != start:
        way.append(came_from.get(way[-1], start))
    return way[::-1]
