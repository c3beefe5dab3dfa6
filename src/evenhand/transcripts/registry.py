"""The table of formats, built in or from other packages.

A package adds a format with an entry point in the group `evenhand.transcripts` that points to a `Format`.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterator
from functools import lru_cache
from importlib import import_module
from typing import TYPE_CHECKING, NamedTuple

from evenhand.core.values.submission import Submission
from evenhand.errors import InputError, Problem, unknown
from evenhand.transcripts.formats import claude_code, codex, diff, inspect_log, openai_chat, otel, submissions
from evenhand.transcripts.formats import plain_text as text
from evenhand.transcripts.head import Head
from evenhand.transcripts.sources import Source
from evenhand.transcripts.unknown import refuse_unknown

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

GROUP = "evenhand.transcripts"


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


def _late(name: str, title: str, module: str, begins: Callable[[Head], object], marks: tuple[str, ...] = ()) -> Format:
    """A format whose module is loaded only when a file may have it: there are many, and a run needs few."""

    def sniff(head: Head) -> bool:
        return bool(begins(head)) and bool(import_module(f"evenhand.transcripts.formats.{module}").sniff(head))

    def read(source: Source) -> Iterator[Submission | InputError]:
        yield from import_module(f"evenhand.transcripts.formats.{module}").read(source)

    return Format(name, title, sniff, read, marks)


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

FRAMEWORKS = (
    _late("atif", "ATIF trajectory", "atif", _has_objects, ("schema_version", "agent", "steps", "step_id")),
    _late("openhands", "OpenHands events", "openhands", _has_objects, ("source", "timestamp", "action", "args")),
    _late(
        "swe-agent",
        "SWE-agent trajectory",
        "swe_agent",
        _has_objects,
        ("trajectory", "history", "action", "observation"),
    ),
    _late(
        "mini-swe-agent",
        "mini-swe-agent trajectory",
        "mini_swe_agent",
        _has_objects,
        ("messages", "info", "trajectory_format", "exit_status"),
    ),
    _late("autogen", "AutoGen or Magentic-One conversation", "autogen", _has_objects, ("source", "type", "content")),
    _late("openai-agents", "OpenAI Agents trace", "openai_agents", _has_objects, ("trace_id", "span_data")),
    _late("langfuse", "Langfuse trace", "langfuse", _has_objects, ("observations", "traceId", "startTime")),
    _late("langsmith", "LangSmith runs", "langsmith", _has_objects, ("run_type", "inputs", "trace_id")),
    _late(
        "langchain",
        "LangChain or LangGraph messages",
        "langchain",
        _has_objects,
        ("content", "type", "response_metadata"),
    ),
    _late("vercel-ai", "Vercel AI SDK messages", "vercel_ai", _has_objects, ("role", "parts", "toolCallId")),
    _late("pydantic-ai", "Pydantic AI messages", "pydantic_ai", _has_objects, ("kind", "parts", "part_kind")),
    _late("google-adk", "Google ADK session", "google_adk", _has_objects, ("events", "author", "content")),
    _late("crewai", "CrewAI events", "crewai", _has_objects, ("type", "timestamp", "task_name")),
    _late("webarena", "WebArena runs", "webarena", _has_objects, ("role", "tool_calls", "function", "metadata")),
)

BUILT_IN = (
    Format("claude-code", "Claude Code session", claude_code.sniff, claude_code.read, ("type", "sessionId", "message")),
    Format("codex", "Codex rollout", codex.sniff, codex.read, ("type", "payload", "timestamp")),
    *COMMAND_LINE_AGENTS,
    Format("inspect", "Inspect log", inspect_log.sniff, inspect_log.read, ("eval", "version", "samples")),
    Format("otel", "OpenTelemetry or OpenInference spans", otel.sniff, otel.read, ("name", "span_id", "trace_id")),
    *FRAMEWORKS,
    Format("openai", "OpenAI chat or Responses", openai_chat.sniff, openai_chat.read, ("messages", "role", "content")),
    Format("submissions", "submissions, one per line", submissions.sniff, submissions.read, ("output", "id", "task")),
    Format("diff", "git diff", diff.sniff, diff.read),
)
"""In the order in which they are tried."""

GENERAL = frozenset(("openai", "submissions"))
"""Formats that others resemble: they are tried last, and only when a whole value is visible."""

_LATE_MARKS = (
    rb'"(?:trajectory_format|mini_version|trajectory|mistake_agent|ground_truth|schema_version|observations|run_type'
    rb'|span_data|toolCallId|part_kind|sessionId)"'
)
"""Keys that may follow a long list of messages and show that it is not a plain chat."""

TEXT = Format("text", "plain text or Markdown", text.sniff, text.read)
"""The fallback."""


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
    return _chosen(TEXT, head)


def _is_sure(source: Source) -> bool:
    """Whether the rest of a document that looks generic does not point to a specific format."""
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
                    yield InputError(Problem(f"{failed}: it gave {item!r:.60}, not a Submission", source.name))
        except InputError:
            raise
        except Exception as error:
            yield InputError(Problem(f"{failed}: {type(error).__name__}: {error}", source.name))

    return read


def _refuse(message: str) -> None:
    raise InputError(message)
