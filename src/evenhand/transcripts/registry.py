"""The table of formats. Built-in ones and those of other packages enter it alike.

A package adds a format with an entry point in the group `evenhand.transcripts` that leads to a `Format`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

from evenhand.core.values.submission import Submission
from evenhand.errors import InputError, Problem
from evenhand.transcripts import (
    aider,
    claude_code,
    cline,
    cline_history,
    codex,
    copilot,
    cursor,
    cursor_stream,
    diff,
    gemini,
    gemini_stream,
    goose,
    inspect_log,
    openai_chat,
    opencode,
    opencode_run,
    otel,
    pi,
    qwen,
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


COMMAND_LINE_AGENTS = (
    Format("gemini", "Gemini CLI session", gemini.sniff, gemini.read),
    Format("gemini-stream", "Gemini CLI stream-json", gemini_stream.sniff, gemini_stream.read),
    Format("qwen", "Qwen Code session", qwen.sniff, qwen.read),
    Format("copilot", "Copilot CLI session", copilot.sniff, copilot.read),
    Format("cursor", "Cursor agent transcript", cursor.sniff, cursor.read),
    Format("cursor-stream", "Cursor stream-json", cursor_stream.sniff, cursor_stream.read),
    Format("opencode", "opencode export", opencode.sniff, opencode.read),
    Format("opencode-run", "opencode run --format json", opencode_run.sniff, opencode_run.read),
    Format("cline", "Cline or Roo Code task, as shown", cline.sniff, cline.read),
    Format("cline-history", "Cline or Roo Code task, as sent", cline_history.sniff, cline_history.read),
    Format("goose", "Goose session", goose.sniff, goose.read),
    Format("pi", "Pi or OpenClaw session", pi.sniff, pi.read),
    Format("aider", "Aider chat history", aider.sniff, aider.read),
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
