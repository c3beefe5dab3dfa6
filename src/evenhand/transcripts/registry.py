"""The formats: the files in `formats`, and those of other packages.

A new file in that folder is a new format. It has a function `read`; either `is_ours`, which tells whether an object of
a file is its own, or `sniff`, which is shown the first part of a file; and, each on a line near its beginning,

    FORMAT = "gemini"                  the name used with --from
    TITLE = "Gemini CLI session"       what it is, in a few words
    PLACE = 30                         where it is tried; 500 when absent
    MARKS = "sessionId messages"       typical keys, to suggest it for an unknown file
    LATE_MARKS = "projectHash"         keys that may follow a long list of messages and show that it is not a plain chat
    LOOKS_FOR = "#### "                for what is not JSON: what the first part of a file must hold
    IS_GENERAL = True                  for what others resemble

These lines are read without importing the file: there are many formats, and a run needs few.

A package adds a format with an entry point in the group `evenhand.transcripts` that points to a `Format`.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable, Iterator, Mapping
from functools import cache, lru_cache
from importlib import import_module
from typing import TYPE_CHECKING, Any, NamedTuple

from evenhand.errors import InputError, Problem, unknown
from evenhand.transcripts import limits
from evenhand.transcripts.head import Head
from evenhand.transcripts.json_text import walk
from evenhand.transcripts.sources import Source
from evenhand.work.submission import Submission

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

GROUP = "evenhand.transcripts"
FOLDER = "evenhand.transcripts.formats"


# Explains a file of unknown format: what it is, which format comes closest, and what to do.

_INSTEAD = "name its format with `format` FORMAT, or judge the file itself with `format` text"
_NOTHING = {"": "is empty", "[]": "is an empty JSON list", "{}": "is an empty JSON object", "null": "is JSON null"}
_SHOWN_KEYS = 5


def refuse_unknown(source: Source, marks: Mapping[str, tuple[str, ...]]) -> None:
    """Raise an InputError unless the file is text. `marks` are the typical keys of each format."""
    head = source.head
    reason = _no_text(head) or _nothing(head) or (_json(head, source, marks) if head.is_json else "")
    if reason:
        raise InputError([*source.take_problems(), Problem(reason, source.name)])


def _no_text(head: Head) -> str:
    if head.is_utf16:
        return "is UTF-16 text; save it as UTF-8"
    if head.is_archive:
        return "is a zip archive, but not an Inspect log; name the files in it"
    return "is a binary file, not a transcript and not text" if head.is_binary else ""


def _nothing(head: Head) -> str:
    """What a file without content is."""
    if len(head.data) > 1000:
        return "" if head.data.strip() else f"{_NOTHING['']}; there is nothing to judge"
    kind = _NOTHING.get("".join(head.text.split()))
    return f"{kind}; there is nothing to judge" if kind else ""


def _json(head: Head, source: Source, marks: Mapping[str, tuple[str, ...]]) -> str:
    """Why JSON is not a transcript: it is damaged, or of an unknown kind."""
    if not head.is_lines and head.is_whole and (damage := _damage(head.text)):
        return damage
    keys = _keys(head.values)
    about = "is JSON in no known format"
    if not head.is_whole:
        about = f"is JSON in no known format as far as {limits.DOCUMENT // limits.MIB} MiB into it"
    ranked = sorted(marks, key=lambda name: -len(keys.keys() & set(marks[name])) / len(marks[name]))
    if not ranked or not keys.keys() & set(marks[ranked[0]]):
        listed = f" (its keys: {_quoted(list(keys)[:_SHOWN_KEYS])})" if keys else ""
        return f"{about}, and close to none{listed}; {_INSTEAD}"
    closest = ranked[0]
    missing = [key for key in marks[closest] if key not in keys]
    lacks = f"it has no {_quoted(missing)}" if missing else f"its {_quoted(marks[closest])} are not where they belong"
    return f"{about}; the closest is {closest}, but {lacks}; {_INSTEAD}"


def _damage(text: str) -> str:
    start = len(text) - len(text.lstrip())
    walked = walk(text, start, lambda path: len(path) < 2)
    if walked.fault is None:
        return ""
    line = text.count("\n", 0, walked.end) + 1
    return f"is JSON that could not be read beyond line {line}, and no format was recognised before it: {walked.fault}"


def _keys(values: list[Any]) -> dict[str, None]:
    """The keys of objects down to the third level, in order."""
    keys: dict[str, None] = {}
    level = list(values)
    for _ in range(6):
        below: list[Any] = []
        for value in level[:200]:
            if isinstance(value, dict):
                keys.update(dict.fromkeys(map(str, value)))
                below += value.values()
            elif isinstance(value, list):
                below += value[:20]
        level = below
    return keys


def _quoted(keys: Any) -> str:
    return ", ".join(f'"{key[:40]}"' for key in keys)


class Format(NamedTuple):
    """A kind of file that can be judged."""

    name: str
    """The name used with --from."""
    title: str
    """What it is, in a few words."""
    sniff: Callable[[Head], bool]
    """Whether a file with this head has the format. If no format fits, it is called again with a longer head."""
    read: Callable[[Source], Iterator[Submission | InputError]]
    """The submissions of a file, with an InputError in place of an unreadable one."""
    marks: tuple[str, ...] = ()
    """Typical keys, used to suggest a format for an unknown file."""


_DECLARES = re.compile(r'^(FORMAT|TITLE|PLACE|MARKS|LATE_MARKS|LOOKS_FOR|IS_GENERAL) = (?:"(.*)"|(\w+))$', re.MULTILINE)
_BEGINNING = 4096
"""The bytes of a file in which its declaration is looked for."""


class _Declared(NamedTuple):
    """What a file in the folder says about itself."""

    format: Format
    place: int
    late_marks: tuple[str, ...]
    is_general: bool


def _declared(path: str, module: str) -> _Declared:
    with open(path, encoding="utf-8") as file:
        declared = {name: text or word for name, text, word in _DECLARES.findall(file.read(_BEGINNING))}
    looks_for = declared["LOOKS_FOR"].encode() if "LOOKS_FOR" in declared else None

    def sniff(head: Head) -> bool:
        if looks_for is None:
            may_fit = bool(head.objects) or head.is_archive
        else:
            may_fit = looks_for in head.data
        if not may_fit:
            return False
        format = _module(module)
        return bool(format.sniff(head)) if hasattr(format, "sniff") else any(map(format.is_ours, head.objects))

    def read(source: Source) -> Iterator[Submission | InputError]:
        yield from _module(module).read(source)

    return _Declared(
        Format(declared["FORMAT"], declared["TITLE"], sniff, read, tuple(declared.get("MARKS", "").split())),
        int(declared.get("PLACE", 500)),
        tuple(declared.get("LATE_MARKS", "").split()),
        "IS_GENERAL" in declared,
    )


@cache
def _module(name: str) -> Any:
    return import_module(f"{FOLDER}.{name}")


def _listed() -> list[_Declared]:
    """Every file of the folder, in the order in which they are tried."""
    files = [
        (entry.path, entry.name.removesuffix(".py"))
        for folder in import_module(FOLDER).__path__
        for entry in os.scandir(folder)
        if entry.name.endswith(".py") and not entry.name.startswith("_")
    ]
    return sorted((_declared(*file) for file in files), key=lambda known: (known.place, known.format.name))


_KNOWN = _listed()

BUILT_IN = tuple(known.format for known in _KNOWN[:-1])
"""In the order in which they are tried."""

TEXT = _KNOWN[-1].format
"""The fallback, which fits every text."""

GENERAL = frozenset(known.format.name for known in _KNOWN if known.is_general)
"""Formats that others resemble: they are tried last, and only when a whole value is visible."""

_LATE_MARKS = f'"(?:{"|".join(mark for known in _KNOWN for mark in known.late_marks)})"'.encode()


def all_formats() -> tuple[Format, ...]:
    """Every format there is, in the order in which they are tried."""
    return (*BUILT_IN, *_added(_refuse), TEXT)


def named(name: str) -> Format:
    """The format with a name."""
    for format in (*BUILT_IN, TEXT):
        if format.name == name:
            return format
    formats = {format.name: format for format in all_formats()}
    if name not in formats:
        raise InputError(unknown("format", name, formats))
    return formats[name]


def fitting(source: Source) -> Format:
    """The format of a file, from its head, and if that is not enough, from more and more of it.

    A package's format that cannot be loaded is a warning.
    """
    added = None
    while True:
        head = source.head
        for format in BUILT_IN:
            if format.sniff(head) and (format.name not in GENERAL or head.shows_a_value or _is_sure(source)):
                return _chosen(format, source.head)
        if source.head is not head:
            continue  # it looked generic, but the rest may show a specific format
        if added is None:
            added = _added(source.warn)
        for format in added:
            try:
                fits = format.sniff(head)
            except Exception as error:  # another package's code may raise anything
                reason = f"{type(error).__name__}: {error}"
                source.warn(f"the format {format.name!r} of another package failed: {reason}")
                continue
            if fits:
                return _chosen(format, head)
        if head.is_binary or head.is_utf16 or head.is_archive or not source.read_on():
            break
    refuse_unknown(source, all_known())
    _refuse_behind_words(head, source)
    return _chosen(TEXT, head)


_LINE_OF_JSON = re.compile(rb"^[{\[]", re.MULTILINE)


def _refuse_behind_words(head: Head, source: Source) -> None:
    """Refuse a log with words of something else above it, which would be taken for a text without any message."""
    if _is_prose(head):
        return
    ends_as_json = head.is_whole and head.data.rstrip()[-1:] in (b"}", b"]")
    for begins in _LINE_OF_JSON.finditer(head.data):
        line = head.data.count(b"\n", 0, begins.start())
        if line > limits.STRAY:
            return
        below = Head(head.data[begins.start() :], is_whole=head.is_whole)
        if not line or not (below.is_json or ends_as_json):
            continue
        for format in BUILT_IN:
            if format.sniff(below):
                last = "the first line is" if line == 1 else f"the first {line} lines are"
                message = f"{last} no JSON, and what follows is {format.title}; take out what stands above it, or name"
                raise InputError(Problem(f"{message} text with --from", source.name, 1))


def _is_prose(head: Head) -> bool:
    """Whether a file only quotes JSON: it ends with words, and no more than half of its lines could be of a log."""
    lines = [line for line in head.data.splitlines() if line.strip()]
    of_a_log = [line[:1] in b"{[}] \t" for line in lines]
    return head.is_whole and not of_a_log[-1] and sum(of_a_log) * 2 <= len(lines)


def _is_sure(source: Source) -> bool:
    """Whether the rest of a document that looks generic does not point to a specific format."""
    if source.plain_size > limits.LONG_DOCUMENT and not source.holds(_LATE_MARKS):
        return True
    while source.read_on():
        pass
    return re.search(_LATE_MARKS, source.head.data) is None


def _chosen(format: Format, head: Head) -> Format:
    head.forget()
    return format


def all_known() -> dict[str, tuple[str, ...]]:
    """The typical keys of each built-in format."""
    return {format.name: format.marks for format in BUILT_IN if format.marks}


@lru_cache(maxsize=2)
def _entry_points(path: tuple[str, ...]) -> tuple[EntryPoint, ...]:
    """Where installed packages offer formats. Looking through all of them takes longer than reading a short file."""
    from importlib.metadata import entry_points  # slows start-up

    return tuple(entry_points(group=GROUP))


def _added(complain: Callable[[str], None]) -> tuple[Format, ...]:
    """The formats of other packages; problems are passed to `complain`."""
    formats: dict[str, Format] = {}
    for point in _entry_points(tuple(sys.path)):
        try:
            format = point.load()
        except Exception as error:  # another package's code may raise anything
            complain(f"the format {point.name!r} of another package cannot be loaded: {error}")
            continue
        if not isinstance(format, Format):
            complain(f"the format {point.name!r} of another package is not a Format: {point.value}")
        elif format.name in {*formats, *(known.name for known in (*BUILT_IN, TEXT))}:
            complain(f"the format {format.name!r} of another package is left out: there is one of that name already")
        else:
            formats[format.name] = format._replace(read=_guarded(format))
    return tuple(formats.values())


def _guarded(format: Format) -> Callable[[Source], Iterator[Submission | InputError]]:
    """The reader of another package, with its exceptions turned into InputErrors."""

    def read(source: Source) -> Iterator[Submission | InputError]:
        failed = f"the format {format.name!r} of another package failed"
        try:
            for item in format.read(source):
                if isinstance(item, Submission | InputError):
                    yield item
                else:
                    yield InputError(
                        Problem(f"{failed}: it returned {item!r:.60}, which is not a Submission", source.name)
                    )
        except InputError:
            raise
        except Exception as error:
            yield InputError(Problem(f"{failed}: {type(error).__name__}: {error}", source.name))

    return read


def _refuse(message: str) -> None:
    raise InputError(message)
