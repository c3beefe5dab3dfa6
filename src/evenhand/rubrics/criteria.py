"""The criteria under a dimension, from the bullets of its section "Criteria". What does not follow the form is refused.

#### Criteria

- The answer names the ticket.
- `invents` (-3 points): It states a number that is not in the log.
  - requires: the-answer-names-the-ticket
  - otherwise: does not apply
  - applies when: the task has a log
- `tests` (weight 2): Tests
  - `tests-run` (1 point): The tests run.
    - decided by: expect {calls: {made: [{name: pytest}]}}
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal
from fractions import Fraction
from typing import Any, Literal, NamedTuple

from evenhand.core.criteria import DEEPEST, LARGEST, fraction, in_order_of_requirement
from evenhand.core.numbers import plain
from evenhand.core.rubric import DOES_NOT_APPLY, HALF, NO, Criterion, Group, Tree
from evenhand.errors import InputError, Path, Problem, shortened, unknown
from evenhand.rubrics.markdown_document import Block, Item
from evenhand.rubrics.weights import stray_amount
from evenhand.work.names import is_id, slug

ATTRIBUTES = ("requires", "otherwise", "applies when", "decided by", "note")
FINEST = 10**18
"""Points and weights have at most eighteen digits behind the point, which any number of JSON has."""

EXAMPLE = "- `names-ticket` (2 points): The answer names the ticket."
_NUMBER = r"[+\u2212-]?\s*[0-9]+(?:\.[0-9]+|\s*/\s*[0-9]+)?"
_POINTS = rf"(?P<number>{_NUMBER})\s*(?:points?|pts?\.?)"
_WEIGHT = re.compile(rf"weight\s*:?\s*(?P<number>{_NUMBER})", re.IGNORECASE)
_MARK = re.compile(_POINTS, re.IGNORECASE)
_BRACKET = re.compile(rf"\({_POINTS}\)", re.IGNORECASE)
_ENTRY = re.compile(r"`(?P<id>[^`]+)`\s*(?:\((?P<mark>[^()]*)\))?\s*(?:[:\u2013\u2014-]\s*)?(?P<text>.*)", re.DOTALL)
_ATTRIBUTE = re.compile(r"(?P<key>[A-Za-z][A-Za-z ]*?)(?:\s+(?P<name>`[^`]+`))?\s*:\s*(?P<value>.*)", re.DOTALL)
_PARTLY = re.compile(r"partly counts (?P<number>[0-9.]+(?:\s*/\s*[0-9]+)?)\.?", re.IGNORECASE)
_DECIDED = re.compile(r"(?P<kind>check|expect)\s+(?P<what>.+)", re.DOTALL)
_LONGEST_ID = 48

Say = Callable[[int | None, str], None]


class _Attributes(NamedTuple):
    requires: tuple[str, ...] = ()
    unmet: Literal["no", "does not apply"] = NO
    applies_when: str = ""
    check: str = ""
    expect: Mapping[str, object] | None = None
    notes: Mapping[str, object] = {}


class CriteriaReader:
    """Blocks to trees of criteria, for all dimensions of a file; ids are unique in it."""

    def __init__(self, source: str, say: Say, lines: dict[Path, int]) -> None:
        self._source = source
        self._say = say
        self._lines = lines

    def tree(self, blocks: Sequence[Block], dimension: str, line: int) -> Tree:
        """The criteria of a dimension."""
        partly = HALF
        items: list[Item] = []
        for block in blocks:
            if block.kind == "list":
                items += block.items
            elif block.kind == "paragraph" and (match := _PARTLY.fullmatch(block.text.strip())):
                partly = self._share(match["number"], block.line)
            elif block.kind != "comment":
                what = (
                    f'"{shortened(" ".join(block.text.split()))}"'
                    if block.kind == "paragraph"
                    else f"{block.kind} under Criteria"
                )
                allowed = 'or, before them, "Partly counts 1/2."; other text belongs under "## Notes"'
                self._say(block.line, f"{what} is not read; criteria are bullets such as {EXAMPLE}, {allowed}")
        if not items and not any(block.kind != "comment" for block in blocks):
            self._say(line, f'{dimension} has a heading "Criteria" and no bullet under it; write {EXAMPLE}')
        return Tree(self._nodes(items, 1), partly)

    def _share(self, written: str, line: int) -> Fraction:
        try:
            share = fraction("".join(written.split()))
        except ValueError:
            share = Fraction(-1)
        if not 0 <= share <= 1:
            self._say(line, f"partly counts a share from 0 to 1, such as 1/2, not {written}")
            return HALF
        return share

    def _nodes(self, items: Sequence[Item], depth: int) -> tuple[Criterion | Group, ...]:
        if depth > DEEPEST:
            self._say(items[0].line, f"criteria are nested more than {DEEPEST} deep")
            return ()
        return tuple(node for item in items if (node := self._node(item, depth)) is not None)

    def _node(self, item: Item, depth: int) -> Criterion | Group | None:
        if item.html or item.other is not None:
            what = "HTML, such as a comment," if item.html else "a second paragraph, a table or code"
            self._say(
                item.other or item.line, f"{what} in a criterion is not read; keep each criterion to one sentence"
            )
        entry = _ENTRY.fullmatch(item.text.strip())
        weight = _WEIGHT.fullmatch(entry["mark"].strip()) if entry is not None and entry["mark"] else None
        children = [child for child in item.children if weight is not None or child.text.startswith("`")]
        children = [child for child in children if not _is_attribute(child)]
        attributes = self._attributes([child for child in item.children if child not in children])
        if entry is not None and (weight is not None or children):
            return self._group(item, entry, weight, children, attributes, depth)
        if children:
            self._say(
                item.line, f"holds criteria, so it is a group; begin it like - `{_made_id(item.text)}` (weight 1): "
            )
            return None
        worth, text = self._worth(item, entry)
        id = entry["id"].strip() if entry is not None else _made_id(text)
        sentence = text_from(text)
        if not re.search(r"\w", sentence):
            self._say(item.line, f"{id or 'a criterion'} has no sentence to answer; write it like {EXAMPLE}")
            return None
        self._take_id(id, item.line, made=entry is None)
        return Criterion(id, sentence, worth, *attributes)

    def _worth(self, item: Item, entry: re.Match[str] | None) -> tuple[Fraction, str]:
        """A criterion's points, 1 when it has none, and its text without them."""
        if entry is not None and entry["mark"] is not None:
            match = _MARK.fullmatch(entry["mark"].strip())
            if match is None:
                message = f"({entry['mark']}) is not understood; write (2 points), (-1 point) or (weight 3)"
                self._say(item.line, f"{entry['id'].strip()}: {message}")
                return Fraction(1), entry["text"]
            return self._number(match["number"], item.line), entry["text"]
        text = (item.text if entry is None else entry["text"]).strip()
        if text.startswith('"') and text.endswith('"'):
            return Fraction(1), text
        bracket = next(
            (b for b in _BRACKET.finditer(text) if not text[: b.start()] or not text[b.end() :].strip(" .")), None
        )
        if bracket is not None:
            rest = text[: bracket.start()].rstrip() + text[bracket.end() :].lstrip(" :\u2013\u2014-")
            self._refuse_stray(rest, item.line, has_amount=True)
            return self._number(bracket["number"], item.line), rest
        self._refuse_stray(text, item.line)
        return Fraction(1), text

    def _refuse_stray(self, text: str, line: int, *, has_amount: bool = False) -> None:
        stray = stray_amount(" ".join(text.split()), has_amount=has_amount)
        if stray is not None:
            message = f'"{stray}" in "{shortened(text)}" may mean points and is not read'
            self._say(
                line, f"{message}; write the points as in {EXAMPLE}, after which numbers in the text are only text"
            )

    def _group(
        self,
        item: Item,
        entry: re.Match[str],
        weight: re.Match[str] | None,
        children: Sequence[Item],
        attributes: _Attributes,
        depth: int,
    ) -> Group:
        id = entry["id"].strip()
        self._take_id(id, item.line)
        if weight is None:
            self._say(item.line, f"{id} holds criteria, so it is a group; give its weight, like (weight 2)")
        if not children:
            self._say(
                item.line, f"{id} has a weight and no criteria inside it; a criterion has points, like (2 points)"
            )
        if attributes._replace(notes={}) != _Attributes():
            self._say(item.line, f"{id} is a group; only criteria have requirements, conditions and checks")
        number = Fraction(1) if weight is None else self._number(weight["number"], item.line)
        if number < 0:
            self._say(item.line, f"{id} is a group, and its weight cannot be negative; its criteria can")
        return Group(id, text_from(entry["text"]), number, self._nodes(children, depth + 1), attributes.notes)

    def _take_id(self, id: str, line: int, *, made: bool = False) -> None:
        first = self._lines.setdefault(("criteria", id), line)
        if first != line:
            hint = "; begin one of them with an id of its own, such as `another`" if made else ""
            self._say(line, f"a second criterion {id}; the first is on line {first}; ids are unique in a rubric{hint}")
        if not made and not is_id(id):
            self._say(line, f'the id "{id}" must be lower-case words joined by hyphens, like names-ticket')

    def _number(self, written: str, line: int) -> Fraction:
        try:
            number = fraction("".join(written.replace("\u2212", "-").replace("+", "").split()))
        except ValueError as error:
            self._say(line, f"({written}): {error}")
            return Fraction(1)
        if number.denominator > FINEST or abs(number) >= LARGEST:
            self._say(line, f"{written} has too many digits; at most nine before the point, eighteen behind it")
        return number

    def _attributes(self, items: Sequence[Item]) -> _Attributes:
        found: dict[str, Any] = {}
        notes: dict[str, object] = {}
        for item in items:
            match = _ATTRIBUTE.fullmatch(item.text.strip())
            key = _key(match) if match else ""
            if match is None or key not in ATTRIBUTES:
                self._say(item.line, unknown("line under a criterion", key or shortened(item.text), ATTRIBUTES))
            elif item.children or item.html or item.other is not None:
                self._say(item.line, f"{key}: is one line of text; take out what else stands in it or under it")
            elif key == "note":
                notes[(match["name"] or "``")[1:-1]] = _json(match["value"])
            elif key in found:
                self._say(item.line, f"a second {key}: under one criterion; keep one")
            else:
                found[key] = None
                found |= self._attribute(key, match["value"].strip(), item.line)
        fields = {name: value for name, value in found.items() if name in _Attributes._fields}
        return _Attributes(**fields, notes=notes)

    def _attribute(self, key: str, value: str, line: int) -> dict[str, Any]:
        if key == "requires":
            ids = tuple(dict.fromkeys(filter(None, (id.strip(" `") for id in value.split(",")))))
            if not ids:
                self._say(line, "requires: names no criterion; write the ids, like requires: names-ticket")
            return {"requires": ids}
        if key == "applies when":
            return {"applies_when": text_from(value)}
        if key == "otherwise":
            answer = " ".join(value.lower().rstrip(".").split())
            if answer not in (NO, DOES_NOT_APPLY):
                self._say(line, f"otherwise: is {NO} or {DOES_NOT_APPLY}, not {shortened(value)}")
            return {"unmet": DOES_NOT_APPLY if answer == DOES_NOT_APPLY else NO}
        return self._decided(value, line)

    def _decided(self, value: str, line: int) -> dict[str, Any]:
        match = _DECIDED.fullmatch(value)
        if match and match["kind"] == "check":
            return {"check": match["what"].strip(" `")}
        expect = self._expectation(match["what"], line) if match else None
        if not isinstance(expect, Mapping):
            valid = '"check ID", or "expect" with an expectation such as {answer: {contains: x}}'
            self._say(line, f"decided by: is {valid}")
            return {}
        return {"expect": expect}

    def _expectation(self, written: str, line: int) -> object:
        from evenhand.files.yaml_values import load_yaml  # few criteria have one

        try:
            return _plain(load_yaml(written.strip(" `"), self._source, first_line=line).value)
        except InputError as error:
            for problem in error.problems:
                self._say(problem.line, problem.message)
            return {}


def _key(match: re.Match[str]) -> str:
    return " ".join(match["key"].lower().split())


def _is_attribute(item: Item) -> bool:
    match = _ATTRIBUTE.fullmatch(item.text.strip())
    return match is not None and _key(match) in ATTRIBUTES


def _made_id(text: str) -> str:
    """An id made of a sentence: its first words."""
    id = slug(text)
    return id if len(id) <= _LONGEST_ID else id[:_LONGEST_ID].rpartition("-")[0] or id[:_LONGEST_ID]


def _json(written: str) -> object:
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


def broken_requirements(trees: Sequence[Tree], lines: Mapping[Path, int]) -> list[tuple[str, Problem]]:
    """The criteria that require something unknown or, directly or not, themselves: the id, and what is wrong."""
    by_id = {criterion.id: criterion for tree in trees for criterion in tree.criteria()}
    problems: list[tuple[str, Problem]] = []
    for criterion in by_id.values():
        for required in criterion.requires:
            if required not in by_id and required != "TODO":  # which is refused as it is
                group = " (a group cannot be required)" if ("criteria", required) in lines else ""
                message = f"{criterion.id} requires {unknown('criterion', required, by_id)}{group}"
                problems.append((criterion.id, Problem(message, None, lines.get(("criteria", criterion.id)))))
    place = {id: number for number, id in enumerate(in_order_of_requirement(by_id.values()))}
    for criterion in by_id.values():
        late = [required for required in criterion.requires if place.get(required, -1) >= place[criterion.id]]
        if late:
            circle = " -> ".join(_circle(by_id, criterion.id, late[0]))
            message = f"{criterion.id} requires itself: {circle}; take one of these requirements out"
            problems.append((criterion.id, Problem(message, None, lines.get(("criteria", criterion.id)))))
    return problems


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
