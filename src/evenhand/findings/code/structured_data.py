"""Data that does not parse: JSON, YAML, TOML, XML and CSV, each with its standard parser. Pure.

Annotated and shortened examples are left alone: comments in JSON, elisions, templates, type names in place of values.
"""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Callable, Iterator
from itertools import islice
from typing import Final

from evenhand.findings.finding import Finding, check
from evenhand.findings.subject import Block, Subject

ID: Final = "data-does-not-parse"
DEEPEST: Final = 100  # nested brackets; a YAML parser's time grows with the square of this

_ELISION = r"(?i)\.\.\.|…|\[(?:snip|truncated|omitted)[^\]]*\]"
_TEMPLATE = r"\{\{|\{%|<%|%\(\w+\)s|<your\b"
_TO_FILL_IN = r"<\w[\w -]*>"
_DIFF = r"(?m)^(?:@@|[+-](?![-\d.\s]))"
_STRING = r'(?<!\\)"(?:[^"\\\n]|\\.)*"'
_COMMENT = r'(?s)(?<!\\)("(?:[^"\\\n]|\\.)*")|//[^\n]*|#[^\n]*|/\*(?:.*?\*/|.*)'
_TRAILING_COMMA = r",(\s*[}\]])"
_LONG_KEY = r"(?<![\w.])(?:[\w\"'-]++\s*+\.\s*+){50}"  # of TOML: the parser takes the square of its parts
_TYPE_NAME = r"(?i):\s*\[?\s*(?:string|number|bool(?:ean)?|int(?:eger)?|float|any|object|array|date\w*)\b|\|"


class _Wrong(Exception):
    """Why some data does not parse, and on which of its lines."""

    def __init__(self, reason: str, line: int) -> None:
        super().__init__(reason)
        self.line = line


@check(
    ID,
    "correctness",
    sees="A block of JSON, JSON Lines, YAML, TOML, XML or CSV that its standard parser rejects.",
    severity="Major, three at most: no program can read data that does not parse.",
    example='```json\n{"name": "evenhand", "tags": ["judge",]}\n```',
)
def data_does_not_parse(subject: Subject) -> Iterator[Finding]:
    """Every block of data that its parser rejects, and an output asked for as JSON that is not."""
    parsed = 0
    faults = []
    broken_off = subject.open_block  # another check reports that one
    for block in (*subject.blocks, *_whole_output(subject)):
        reader = None if block == broken_off else READERS.get(block.language)
        if reader is None or not block.code.strip():
            continue
        try:
            parsed += reader[1](block.code)
        except _Wrong as wrong:
            if not _left_alone(block):
                faults.append(_finding(subject, block, reader[0], wrong))
        except RecursionError:
            continue
    yield from islice(faults, 3)


def _whole_output(subject: Subject) -> list[Block]:
    """The output itself, when the task asks for JSON and the output is nothing else."""
    text = subject.output.strip()
    if (text[:1], text[-1:]) not in (("{", "}"), ("[", "]")) or subject.blocks:
        return []
    if re.search(r"\bJSON\b", subject.task, re.IGNORECASE):
        return [Block("json", text, subject.line_of(subject.output.index(text[0])))]
    return []


def _left_alone(block: Block) -> bool:
    xml = READERS[block.language][0] == "XML"
    code = block.code if xml else re.sub(_STRING, '""', block.code)
    signs = (_ELISION, _TEMPLATE) if xml else (_ELISION, _TEMPLATE, _TO_FILL_IN)
    return len(re.findall(_DIFF, code)) > 1 or any(re.search(sign, code) for sign in signs)


def _json(text: str) -> bool:
    """JSON, several values of it, or a part of an object or list."""
    if text.lstrip()[:1] not in ("{", "[", '"'):
        return False
    try:
        json.loads(text)
    except ValueError as error:
        if _several(text) or _part(text):
            return True
        bare = re.sub(_COMMENT, lambda match: match[1] or "", text)
        if bare != text and (_loads(bare) or _loads(re.sub(_TRAILING_COMMA, r"\1", bare))):
            return False  # annotated on purpose
        if re.search(_TYPE_NAME, re.sub(_STRING, '""', text)):
            return False  # a shape, not data
        raise _Wrong(*_where(error)) from None
    return True


def _where(error: ValueError) -> tuple[str, int]:
    if isinstance(error, json.JSONDecodeError):
        return error.msg[:1].lower() + error.msg[1:], error.lineno
    return str(error), 1


def _loads(text: str) -> bool:
    try:
        json.loads(text)
    except ValueError:
        return False
    return True


def _several(text: str) -> bool:
    decoder, place, blank, end = json.JSONDecoder(), 0, re.compile(r"[\s,]*"), len(text.rstrip())
    while place < end:
        place = blank.match(text, place).end()  # type: ignore[union-attr]  # it matches nothing too
        try:
            _, place = decoder.raw_decode(text, place)
        except ValueError:
            return False
    return True


def _part(text: str) -> bool:
    inside = text.strip().rstrip(",")
    return text.lstrip().startswith('"') and (_loads("{" + inside + "}") or _loads("[" + inside + "]"))


def _annotated_json(text: str) -> bool:
    bare = re.sub(_COMMENT, lambda match: match[1] or "", text)
    return _json(re.sub(_TRAILING_COMMA, r"\1", bare))


def _json_lines(text: str) -> bool:
    for number, line in enumerate(text.split("\n"), 1):
        if line.strip():
            try:
                json.loads(line)
            except ValueError as error:
                if _several(text):
                    return True  # pretty-printed values, one after another
                raise _Wrong(_where(error)[0], number) from None
    return True


def _yaml(text: str) -> bool:
    import yaml  # costs start-up time

    if _deepest(text) > DEEPEST:
        return False
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # the same in C, ten times as quick
    try:
        for _ in yaml.parse(text, Loader=loader):
            pass
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else 1
        raise _Wrong(error.problem or "not YAML", line) from None
    except yaml.YAMLError as error:
        raise _Wrong(str(error).split("\n")[0], 1) from None
    return True


def _deepest(text: str) -> int:
    """How deeply brackets are nested."""
    deepest = depth = 0
    for bracket in re.findall(r"[][{}]", text):
        depth += 1 if bracket in "[{" else -1
        deepest = max(deepest, depth)
    return deepest


def _toml(text: str) -> bool:
    import tomllib

    if re.search(_LONG_KEY, text):
        return False
    try:
        tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        line = re.search(r"line (\d+)", str(error))
        reason = re.sub(r"\s*\(at [^)]*\)", "", str(error))
        raise _Wrong(reason[:1].lower() + reason[1:], int(line[1]) if line else text.count("\n") + 1) from None
    return True


def _xml(text: str) -> bool:
    """One document, or elements side by side. Its own entities would need the whole document, so they are ignored."""
    from xml.parsers import expat

    if "<!" in text.replace("<!--", "").replace("<![CDATA[", "") or "<" not in text:
        return False
    bare = re.sub(r"<\?xml[^>]*\?>", "", text)
    try:
        expat.ParserCreate().Parse(f"<root>{bare}</root>", True)
    except expat.ExpatError as error:
        if "undefined entity" in str(error):
            return False
        lines = text.count("\n") + 1
        raise _Wrong(expat.errors.messages[error.code], min(error.lineno, lines)) from None
    return True


def _csv(text: str) -> bool:
    """Quotes that close, and no row wider than the first."""
    lines = [line for line in text.strip("\n").split("\n") if line.strip() and not line.startswith("#")]
    delimiter = max(",;\t|", key=lines[0].count) if lines else ","
    try:
        rows = list(csv.reader(lines, delimiter=delimiter, strict=True, skipinitialspace=True))
    except csv.Error as error:
        raise _Wrong(str(error), 1) from None
    if len(rows) < 2 or len(rows[0]) < 2 or len(rows) != len(lines):
        return False
    for line, row in zip(lines, rows, strict=True):
        if len(row) > len(rows[0]) and any(row[len(rows[0]) :]):
            number = text.split("\n").index(line) + 1
            raise _Wrong(f"{len(row)} fields under a header of {len(rows[0])}", number)
    return True


Reader = tuple[str, Callable[[str], bool]]

READERS: Final[dict[str, Reader]] = {
    "json": ("JSON", _json),
    "jsonc": ("JSON", _annotated_json),
    **dict.fromkeys(("jsonl", "ndjson"), ("JSON Lines", _json_lines)),
    **dict.fromkeys(("yaml", "yml"), ("YAML", _yaml)),
    "toml": ("TOML", _toml),
    **dict.fromkeys(("xml", "svg", "xsd", "xslt"), ("XML", _xml)),
    "csv": ("CSV", _csv),
}
"""Each format's name, and the function that returns whether it was parsed, or raises."""


def _finding(subject: Subject, block: Block, name: str, wrong: _Wrong) -> Finding:
    quote, offset = subject.in_block(block, wrong.line)
    message = f"This {name} does not parse: {wrong} on line {block.line + wrong.line - 1}."
    return Finding(ID, "correctness", "major", message, quote, offset=offset)


CHECKS = (data_does_not_parse,)
