"""Files of documents, one after another: YAML, JSON, or JSONL with one per line, streamed.

A broken line of a JSONL file is reported with its line number; the lines after it are still read.
"""

from __future__ import annotations

from codecs import BOM_UTF8
from collections.abc import Iterator
from functools import partial
from itertools import chain
from pathlib import PurePath
from typing import IO, NamedTuple

from evenhand.errors import InputError, Problem
from evenhand.files.json_values import load_json
from evenhand.files.located import Located
from evenhand.files.text import DOCUMENT_LIMIT, decode, open_bytes, readable, shown_name

_LINES = (".jsonl", ".ndjson")
_YAML = (".yaml", ".yml")
_CHUNK = 1024 * 1024


class DocumentFile(NamedTuple):
    """A file of documents, opened but not yet read."""

    path: str
    one: bool
    """Whether its format holds a single document, rather than any number of them."""
    documents: Iterator[Located | InputError]


def open_documents(path: str) -> DocumentFile:
    """Open a file, detect its format, and yield its documents as they are read."""
    name = shown_name(path)
    suffix = PurePath(path).suffix.lower()
    if suffix in _LINES:
        return DocumentFile(path, False, _lines_of(path, name))
    file = open_bytes(path)
    head: list[bytes] = []
    if suffix not in (*_YAML, ".json"):
        head = _first_lines(file, name)
        if _looks_like_lines(head):
            return DocumentFile(path, False, _lines(head, file, name))
    text = _whole(head, file, name)
    is_yaml = suffix in _YAML or (suffix != ".json" and not text.lstrip().startswith(("{", "[")))
    documents = _load(text, name, yaml=is_yaml)
    many = len(documents) != 1 or isinstance(documents[0].value, list)
    return DocumentFile(path, not many, _items(documents))


def _load(text: str, name: str, *, yaml: bool) -> list[Located]:
    if not text.strip():
        raise InputError(Problem("is empty", name))
    if not yaml:
        return [load_json(text, name)]
    from evenhand.files.yaml_values import load_all_yaml  # not needed for JSON

    documents = load_all_yaml(text, name)
    if not documents:
        raise InputError(Problem("is empty", name))
    return documents


def _items(documents: list[Located]) -> Iterator[Located | InputError]:
    """Documents one by one; every item of a list is a document."""
    for document in documents:
        if not isinstance(document.value, list):
            yield document
            continue
        if not document.value:
            yield InputError(Problem("holds an empty list", document.source, document.find_line(())))
        for place, item in enumerate(document.value):
            yield Located(item, document.source, lambda path, d=document, p=place: d.find_line((p, *path)))  # type: ignore[misc]


def _whole(head: list[bytes], file: IO[bytes], name: str) -> str:
    with file, readable(name):
        data = b"".join(head) + file.read(DOCUMENT_LIMIT + 1)
    if len(data) > DOCUMENT_LIMIT:
        raise InputError(Problem(_too_large("one document"), name))
    return decode(data, name)


def _lines_of(path: str, name: str) -> Iterator[Located | InputError]:
    """The lines of a file that is opened only when it is read, so that any number of files can be queued."""
    try:
        file = open_bytes(path)
    except InputError as error:
        yield error
        return
    yield from _lines([], file, name)


def _lines(head: list[bytes], file: IO[bytes], name: str) -> Iterator[Located | InputError]:
    """Each non-blank line, as its value or as the problem with it."""
    seen = False
    try:
        with file, readable(name):
            for number, line in enumerate(chain(head, iter(partial(file.readline, DOCUMENT_LIMIT + 1), b"")), start=1):
                if not line.strip():
                    continue
                seen = True
                yield _line(line, name, number)
                if len(line) > DOCUMENT_LIMIT:
                    _skip_line(file, line)
    except InputError as error:
        yield error
        return
    if not seen:
        yield InputError(Problem("is empty", name))


def _line(line: bytes, name: str, number: int) -> Located | InputError:
    if len(line) > DOCUMENT_LIMIT:
        return InputError(Problem(_too_large("one line"), name, number))
    try:
        return load_json(decode(line, name, line=number), name, line=number)
    except InputError as error:
        return error


def _first_lines(file: IO[bytes], name: str) -> list[bytes]:
    """Up to the second line that is not blank: enough to tell the format, without waiting for more from a pipe."""
    lines: list[bytes] = []
    filled = size = 0
    try:
        with readable(name):
            while filled < 2 and size <= DOCUMENT_LIMIT and (line := file.readline(DOCUMENT_LIMIT + 1)):
                lines.append(line)
                size += len(line)
                filled += bool(line.strip())
    except InputError:
        file.close()
        raise
    return lines


def _skip_line(file: IO[bytes], part: bytes) -> None:
    while part and not part.endswith(b"\n"):
        part = file.readline(_CHUNK)


def _looks_like_lines(head: list[bytes]) -> bool:
    """Whether the first two lines each open an object; in a document over several lines, the second does not."""
    lines = [line.removeprefix(BOM_UTF8).strip() for line in head if line.strip()]
    return len(lines) == 2 and all(line.startswith(b"{") for line in lines)


def _too_large(what: str) -> str:
    return f"{what} larger than {DOCUMENT_LIMIT // 1024 // 1024} MiB, the most that is read"


def open_lines(path: str) -> Iterator[Located]:
    """The lines of a JSONL file that evenhand wrote itself: any length, and possibly none."""
    name = shown_name(path)
    with open_bytes(path) as file, readable(name):
        for number, line in enumerate(file, start=1):
            if line.strip():
                yield load_json(decode(line, name, line=number), name, line=number)
