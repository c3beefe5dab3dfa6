"""YAML into plain values: decimals from their text, repeated keys and alias bombs refused, lines kept.

Plain scalars mean what they would in JSON: null, true, false, a number; everything else is
text (so `no` is the word no, and 08 is not octal). Tags other than the core ones are refused.
"""

from __future__ import annotations

import re
from decimal import Decimal
from typing import Any

from evenhand.errors import InputError, Path, Problem
from evenhand.files.located import Located
from evenhand.files.text import DEPTH_LIMIT
from evenhand.files.yaml_package import yaml

ALIAS_LIMIT = 20
"""How many times one file may repeat a value with a YAML alias."""

FOREIGN_ALIAS_LIMIT = 1000
"""The limit for files of other tools, where aliases are a habit."""

REPEATED_LIMIT = 10_000
"""How many values the aliases of one document may add up to; aliases of aliases multiply."""

_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?", re.ASCII)
_LONE_SURROGATE = "[\ud800-\udfff]"
_CORE_TAGS = {
    f"tag:yaml.org,2002:{kind}" for kind in ("map", "seq", "str", "int", "float", "bool", "null", "timestamp", "value")
}
_WORDS = {"": None, "~": None} | {
    spelling: value
    for word, value in (("null", None), ("true", True), ("false", False))
    for spelling in (word, word.capitalize(), word.upper())
}


class _Loader(getattr(yaml, "CSafeLoader", yaml.SafeLoader)):  # type: ignore[misc]
    """Tells merge keys from other plain scalars; what those mean is told here, so PyYAML's patterns are not tried."""

    yaml_implicit_resolvers = {"<": yaml.SafeLoader.yaml_implicit_resolvers["<"]}  # noqa: RUF012


def load_yaml(text: str, source: str, *, first_line: int = 1, foreign: bool = False) -> Located:
    """The one YAML document of a text; in another tool's (`foreign`), merge keys (<<) are read."""
    documents = load_all_yaml(text, source, first_line=first_line, foreign=foreign)
    if len(documents) != 1:
        what = "is empty" if not documents else f"holds {len(documents)} YAML documents; one is needed"
        raise InputError(Problem(what, source, None if not documents else first_line))
    return documents[0]


def load_all_yaml(text: str, source: str, *, first_line: int = 1, foreign: bool = False) -> list[Located]:
    """Every YAML document of a text, in order."""
    _refuse_bombs(text, source, first_line, FOREIGN_ALIAS_LIMIT if foreign else ALIAS_LIMIT)
    try:
        nodes = [node for node in yaml.compose_all(text, Loader=_Loader) if node is not None]
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        message = " ".join(str(part) for part in (error.context, error.problem) if part)
        raise InputError(
            Problem(f"not valid YAML: {message}", source, first_line + mark.line if mark else None)
        ) from None
    except yaml.YAMLError:
        raise InputError(_unprintable(text, source, first_line)) from None
    return [_Reader(source, first_line, foreign).document(node) for node in nodes]


def _refuse_bombs(text: str, source: str, first_line: int, most: int) -> None:
    """Limit nesting and aliases on the flat stream of events, before anything recurses."""
    depth = aliases = 0
    try:
        for event in yaml.parse(text, Loader=_Loader):
            if isinstance(event, yaml.CollectionStartEvent):
                depth += 1
            elif isinstance(event, yaml.CollectionEndEvent):
                depth -= 1
            elif isinstance(event, yaml.AliasEvent):
                aliases += 1
            if depth > DEPTH_LIMIT or aliases > most:
                message = (
                    f"nested more than {DEPTH_LIMIT} levels deep"
                    if depth > DEPTH_LIMIT
                    else f"repeats values with more than {most} aliases; write them out"
                )
                mark = event.start_mark
                assert mark is not None  # only events made by hand have none
                raise InputError(Problem(message, source, first_line + int(mark.line)))
    except yaml.YAMLError:
        return  # composing reports it, with its line


def _unprintable(text: str, source: str, first_line: int) -> Problem:
    """The character that YAML does not allow."""
    match = yaml.reader.Reader.NON_PRINTABLE.search(text)
    if not match:
        return Problem("not valid YAML", source)
    line = first_line + text.count("\n", 0, match.start())
    return Problem(f"not valid YAML: the character U+{ord(match[0]):04X} is not allowed", source, line)


class _Reader:
    """Turns one document's nodes into values; remembers lines and counts what aliases repeat."""

    def __init__(self, source: str, first_line: int, merging: bool) -> None:
        self._source = source
        self._merging = merging
        self._first_line = first_line
        self._lines: dict[Path, int] = {}
        self._seen: set[int] = set()
        self._open: set[int] = set()
        self._repeated = 0

    def document(self, node: yaml.Node) -> Located:
        value = self._value(node, ())

        def find_line(path: Path) -> int | None:
            while path not in self._lines:
                path = path[:-1]
            return self._lines[path]

        return Located(value, self._source, find_line)

    def _value(self, node: yaml.Node, path: Path) -> Any:
        self._lines.setdefault(path, self._line(node))
        if id(node) in self._open:
            raise self._fail(node, "a value holds an alias of itself; write it out")
        self._repeated += id(node) in self._seen
        if self._repeated > REPEATED_LIMIT:
            raise self._fail(node, f"aliases repeat more than {REPEATED_LIMIT} values; write them out")
        self._seen.add(id(node))
        if node.tag not in _CORE_TAGS:
            raise self._fail(
                node, f"the tag {node.tag.replace('tag:yaml.org,2002:', '!!')} is not read; use plain values"
            )
        if isinstance(node, yaml.ScalarNode):
            return self._scalar(node)
        self._open.add(id(node))
        value: Any
        if isinstance(node, yaml.MappingNode):
            value = self._mapping(node, path)
        else:
            value = [self._value(item, (*path, place)) for place, item in enumerate(node.value)]
        self._open.remove(id(node))
        return value

    def _mapping(self, node: yaml.MappingNode, path: Path) -> dict[str, Any]:
        mapping: dict[str, Any] = {}
        merged: list[yaml.Node] = []
        for key_node, value_node in node.value:
            if not isinstance(key_node, yaml.ScalarNode):
                raise self._fail(key_node, "a key must be a word")
            if key_node.tag == "tag:yaml.org,2002:merge" and self._merging:
                merged += value_node.value if isinstance(value_node, yaml.SequenceNode) else [value_node]
                continue
            if key_node.tag == "tag:yaml.org,2002:merge":
                raise self._fail(key_node, "a merge key (<<) is not read; write the values out")
            key = self._text(key_node)
            if key in mapping:
                raise self._fail(key_node, f'the key "{key}" appears twice in one mapping; keep one')
            self._lines[(*path, key)] = self._line(key_node)
            mapping[key] = self._value(value_node, (*path, key))
        for source in merged:
            values = self._value(source, path)
            if not isinstance(values, dict):
                raise self._fail(source, "a merge key (<<) takes mappings only")
            mapping = {**values, **mapping}
        return mapping

    def _scalar(self, node: yaml.ScalarNode) -> Any:
        text = self._text(node)
        if node.style:  # quoted or block: always text
            return text
        if text in _WORDS:
            return _WORDS[text]
        if not _NUMBER.fullmatch(text):
            return text
        try:
            return Decimal(text)
        except ArithmeticError:
            raise self._fail(node, "a number has too large an exponent to be read") from None

    def _text(self, node: yaml.ScalarNode) -> str:
        text = str(node.value)
        if not text.isascii() and re.search(_LONE_SURROGATE, text):
            raise self._fail(node, "an escape is half a character; write the whole character")
        return text

    def _line(self, node: yaml.Node) -> int:
        return self._first_line + int(node.start_mark.line)

    def _fail(self, node: yaml.Node, message: str) -> InputError:
        return InputError(Problem(message, self._source, self._line(node)))
