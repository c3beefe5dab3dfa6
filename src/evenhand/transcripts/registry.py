"""The table of formats. Built-in ones and those of other packages enter it alike.

A package adds a format with an entry point in the group `evenhand.transcripts` that leads to a `Format`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from importlib import import_module
from typing import NamedTuple

from evenhand.core.values.submission import Submission
from evenhand.errors import InputError, Problem
from evenhand.transcripts import (
    claude_code,
    codex,
    diff,
    inspect_log,
    openai_chat,
    otel,
    submissions,
)
from evenhand.transcripts import (
    plain_text as text,
)
from evenhand.transcripts.head import Head
from evenhand.transcripts.sources import Source

GROUP = "evenhand.transcripts"


class Format(NamedTuple):
    """A kind of file that can be judged."""

    name: str
    """As it is given with --from."""
    title: str
    """What it is, in a few words."""
    sniff: Callable[[Head], bool]
    """Whether a file that begins so is of this format."""
    read: Callable[[Source], Iterator[Submission | InputError]]
    """The submissions of a file; what cannot be read among them is a value in its place."""


def _late(name: str, title: str, module: str, begins: Callable[[Head], object]) -> Format:
    """A format whose module is loaded when a file may be of it: there are many, and each run meets few of them."""

    def sniff(head: Head) -> bool:
        return bool(begins(head)) and bool(import_module(f"evenhand.transcripts.{module}").sniff(head))

    def read(source: Source) -> Iterator[Submission | InputError]:
        yield from import_module(f"evenhand.transcripts.{module}").read(source)

    return Format(name, title, sniff, read)


def _has_objects(head: Head) -> object:
    return head.objects


COMMAND_LINE_AGENTS = (
    _late("gemini", "Gemini CLI session", "gemini", _has_objects),
    _late("gemini-stream", "Gemini CLI stream-json", "gemini_stream", _has_objects),
    _late("qwen", "Qwen Code session", "qwen", _has_objects),
    _late("copilot", "Copilot CLI session", "copilot", _has_objects),
    _late("cursor", "Cursor agent transcript", "cursor", _has_objects),
    _late("cursor-stream", "Cursor stream-json", "cursor_stream", _has_objects),
    _late("opencode", "opencode export", "opencode", _has_objects),
    _late("opencode-run", "opencode run --format json", "opencode_run", _has_objects),
    _late("cline", "Cline or Roo Code task, as shown", "cline", _has_objects),
    _late("cline-history", "Cline or Roo Code task, as sent", "cline_history", _has_objects),
    _late("goose", "Goose session", "goose", _has_objects),
    _late("pi", "Pi or OpenClaw session", "pi", _has_objects),
    _late("aider", "Aider chat history", "aider", lambda head: b"#### " in head.data and b"\n> " in head.data),
)

BUILT_IN = (
    Format("claude-code", "Claude Code session", claude_code.sniff, claude_code.read),
    Format("codex", "Codex rollout", codex.sniff, codex.read),
    *COMMAND_LINE_AGENTS,
    Format("inspect", "Inspect log", inspect_log.sniff, inspect_log.read),
    Format("otel", "OpenTelemetry or OpenInference spans", otel.sniff, otel.read),
    Format("openai", "OpenAI chat or Responses", openai_chat.sniff, openai_chat.read),
    Format("submissions", "submissions, one a line", submissions.sniff, submissions.read),
    Format("diff", "git diff", diff.sniff, diff.read),
)
"""In the order in which they are tried."""

TEXT = Format("text", "plain text or Markdown", text.sniff, text.read)
"""What everything else is."""


def all_formats() -> tuple[Format, ...]:
    """Every format there is, in the order in which they are tried."""
    return (*BUILT_IN, *_added(_refuse), TEXT)


def named(name: str) -> Format:
    """The format with a name."""
    for each in (*BUILT_IN, TEXT):
        if each.name == name:
            return each
    found = {each.name: each for each in all_formats()}
    if name not in found:
        from evenhand.core.basics.names import nearest

        guess = nearest(name, found)
        hint = f" Did you mean {guess}?" if guess else ""
        raise InputError(f"there is no format {name!r}.{hint} Formats: {', '.join(found)}")
    return found[name]


def fitting(source: Source) -> Format:
    """The format of a file, by its first bytes. A package's format that cannot be loaded is a problem of the file."""
    head = source.head
    for each in BUILT_IN:
        if each.sniff(head):
            return each
    for each in _added(source.problem):
        try:
            fits = each.sniff(head)
        except Exception as error:  # whatever a stranger's function raises
            source.problem(f"the format {each.name!r} of another package failed: {type(error).__name__}: {error}")
            continue
        if fits:
            return each
    if head.is_utf16:
        raise InputError(Problem("is UTF-16 text; save it as UTF-8", source.name))
    if head.is_archive:
        raise InputError(Problem("is a zip archive, but not an Inspect log; name the files in it", source.name))
    if not TEXT.sniff(head):
        raise InputError(Problem("is a binary file, not a transcript and not text", source.name))
    return TEXT


def _added(complain: Callable[[str], None]) -> tuple[Format, ...]:
    """The formats of other packages; what is wrong with one is complained of."""
    from importlib.metadata import entry_points  # costs start-up time

    found: dict[str, Format] = {}
    for point in entry_points(group=GROUP):
        try:
            format = point.load()
        except Exception as error:  # whatever a stranger's module raises
            complain(f"the format {point.name!r} of another package cannot be loaded: {error}")
            continue
        if not isinstance(format, Format):
            complain(f"the format {point.name!r} of another package is not a Format: {point.value}")
        elif format.name in {*found, *(each.name for each in (*BUILT_IN, TEXT))}:
            complain(f"the format {format.name!r} of another package is left out: there is one of that name already")
        else:
            found[format.name] = format._replace(read=_guarded(format))
    return tuple(found.values())


def _guarded(format: Format) -> Callable[[Source], Iterator[Submission | InputError]]:
    """The reader of another package; whatever goes wrong in it is an InputError in its place."""

    def read(source: Source) -> Iterator[Submission | InputError]:
        failed = f"the format {format.name!r} of another package failed"
        try:
            for each in format.read(source):
                if isinstance(each, Submission | InputError):
                    yield each
                else:
                    yield InputError(Problem(f"{failed}: it gave {each!r:.60}, not a Submission", source.name))
        except InputError:
            raise
        except Exception as error:
            yield InputError(Problem(f"{failed}: {type(error).__name__}: {error}", source.name))

    return read


def _refuse(message: str) -> None:
    raise InputError(message)
