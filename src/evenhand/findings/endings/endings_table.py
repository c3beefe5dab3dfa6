"""The table of how each consequential thing in a transcript ended, from its events alone. Pure.

A later success of the same thing supersedes a failure; what ran in a sub-agent counts. Calls that only look are not in
it, and neither are exploratory commands.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, Final, Literal

from evenhand.findings.endings.deed_kinds import Done, differ, is_file_tool, kind_of_tool, kinds_of
from evenhand.findings.endings.kinds import KINDS, ON_CODE
from evenhand.findings.endings.outcomes import Ended, Outcome, of_command, of_tool
from evenhand.findings.facts.files_written import files_written
from evenhand.findings.facts.shell import commands, text_of, was_refused
from evenhand.findings.subject import Subject
from evenhand.work.submission import Event, ToolCall

BAD: Final = frozenset({"failed", "refused", "timed out", "cut off", "held"})
_PATH_KEYS: Final = (
    "file_path",
    "path",
    "notebook_path",
    "filename",
    "target_file",
    "filepath",
    "relative_workspace_path",
)


@dataclass(frozen=True, slots=True, eq=False)
class Ending:
    """How one thing ended."""

    kind: str
    """tests, build, lint, types, migration, install, deploy, push, pull request, file, send, delete, and so on."""
    what: str
    """The command, the call or the file, in words."""
    outcome: Outcome
    line: str
    """The words of the result that say so."""
    event: Event
    order: int
    values: frozenset[str] = frozenset()
    """What it was done to: the words of the command, the values of the arguments; in lower case."""
    narrow: bool = False
    passed: int | None = None
    failed: int | None = None
    open: bool = False
    """Whether it ended badly and nothing later made up for it."""
    elsewhere: bool = False
    """Whether what made up for it was done to something else: to another address, on another server."""
    changed_since: bool = False
    """Whether a file was written after it."""


@lru_cache(maxsize=2)
def endings(subject: Subject) -> tuple[Ending, ...]:
    """Every action with consequences, in the order it ended; those still open are marked."""
    found = sorted(_found(subject), key=lambda ending: ending.order)
    if not found:
        return ()
    order = _orders(subject)
    changes = sorted(order[id(file.event)] for file in files_written(subject) if file.event is not None)
    last_change = changes[-1] if changes else -1
    listed = []
    for place, ending in enumerate(found):
        later = (
            "same" if ending.outcome not in BAD else _made_up_for(ending, found[place + 1 :], changes, subject, order)
        )
        listed.append(
            replace(ending, open=later == "", elsewhere=later == "another", changed_since=last_change > ending.order)
        )
    return tuple(listed)


@lru_cache(maxsize=2)
def _orders(subject: Subject) -> dict[int, int]:
    """The place of each call in time; the order of the file where not every call has a time."""
    calls = subject.calls
    timed = bool(calls) and all(event.time for event in calls)
    ordered = sorted(calls, key=lambda event: event.time) if timed else calls
    return {id(event): place for place, event in enumerate(ordered)}


def _found(subject: Subject) -> Iterator[Ending]:
    order = _orders(subject)
    answered = any(event.call and event.call.result is not None for event in subject.calls)
    for event in subject.calls:
        call = event.call
        if call is None or (call.result is None and not _is_cut_off(subject, event, answered)):
            continue
        text, _ = text_of(call)
        if text is not None:
            yield from _by_shell(text, event, order[id(event)])
        elif is_file_tool(call.name):
            yield from _by_file_tool(event, order[id(event)])
        else:
            kind = kind_of_tool(call.name or _named_in_result(call)) or _kind_of_query(call)
            if kind is not None:
                yield _ending(
                    kind, in_words(call), of_tool(call, kind), event, order[id(event)], _values(call.arguments)
                )


_NAMED: Final = re.compile(r"\s*([A-Za-z][\w.-]{2,40})(?:\([^)\n]*\))?: ")
_QUERY: Final = re.compile(
    r"(?:\A|;)\s*(insert|update|delete|drop|truncate|alter|merge)\s+(?:into|from|table|\w)", re.I
)
_QUERIES: Final = {
    "insert": "create",
    "update": "update",
    "delete": "delete",
    "drop": "delete",
    "truncate": "delete",
    "alter": "update",
    "merge": "update",
}


def _named_in_result(call: ToolCall) -> str:
    """The name of a tool whose call is not in the file, where its result begins with it."""
    match = _NAMED.match(call.result or "")
    return match[1] if match else ""


def _kind_of_query(call: ToolCall) -> str | None:
    """What a tool does that is given SQL."""
    arguments = call.arguments if isinstance(call.arguments, Mapping) else {}
    for value in arguments.values():
        if isinstance(value, str) and len(value) < 20_000 and (match := _QUERY.search(value)):
            return _QUERIES[match[1].lower()]
    return None


def _is_cut_off(subject: Subject, event: Event, answered: bool) -> bool:
    """Whether a call without a result really got none: others have theirs, and the agent went on after it."""
    return answered and event is not subject.calls[-1]


def _ending(
    kind: str, what: str, ended: Ended, event: Event, order: int, values: frozenset[str], narrow: bool = False
) -> Ending:
    return Ending(kind, what, ended.outcome, ended.line, event, order, values, narrow, ended.passed, ended.failed)


# --- commands ------------------------------------------------------------------------------------

_HARMLESS: Final = frozenset(
    "cd export source set mkdir sleep echo pushd popd . true ulimit umask unset nvm which touch printf sudo".split()
)
_CANNOT_REMOVE: Final = re.compile(
    r"(?m)^.*(?:cannot remove .*(?:denied|permitted|busy|read-only)|Permission denied|Operation not permitted"
    r"|Read-only file system|device or resource busy).*",
    re.I,
)


def _by_shell(text: str, event: Event, order: int) -> Iterator[Ending]:
    assert event.call is not None
    done = kinds_of(text)
    for one in done:
        alone, masked = _standing(text, one, len(done))
        ended = of_command(event.call, one.kind, alone=alone, masked=masked)
        yield _ending(
            one.kind, one.command.text.splitlines()[0][:120], ended, event, order, _words(one.target), one.narrow
        )
    if "rm " in text and event.call.result is not None:
        refused = was_refused(event.call)
        bad = _CANNOT_REMOVE.search(event.call.result)
        for command in commands(text) if refused or bad else ():
            if command.words[0] == "rm":
                paths = frozenset(word.lower().rstrip("/") for word in command.words[1:] if not word.startswith("-"))
                line = bad[0].strip() if bad else event.call.result.strip().partition("\n")[0]
                what = command.text.splitlines()[0][:120]
                yield Ending("delete", what, "refused" if refused else "failed", line[:200], event, order, paths)


def _standing(text: str, done: Done, number: int) -> tuple[bool, bool]:
    """Whether the exit code of a shell text is that of one command in it, and whether something after hides it."""
    place = text.find(done.command.text)
    if place < 0:
        return number == 1 and len(commands(text)) == 1, True
    before, after = text[:place], text[place + len(done.command.text) :]
    after = re.sub(r"^\s*(?:\d?>&\d|&?\d?>>?\s*\S+)", "", after).lstrip(" \t")
    says_code = re.match(r"[;\n]\s*(?:\w+=\$\?|echo\b[^;\n]*\$\{?(?:\?|PIPESTATUS|rc|status|code))", after) is not None
    piped = after.startswith("|") and not after.startswith("||") and "pipefail" not in text
    hidden = after.startswith("||") or (
        bool(re.match(r"[;\n]\s*\S", after)) and "set -e" not in before and not says_code
    )
    follows = after.startswith("&&")
    heads = [part.split()[0] for part in re.split(r"&&|;|\n|\|\||\|", before) if part.split()]
    clean = all(head in _HARMLESS or "=" in head for head in heads)
    return (clean and not piped and not hidden and not follows) or says_code, (piped or hidden) and not says_code


# --- files ---------------------------------------------------------------------------------------

_WRITTEN: Final = re.compile(r"(?i)\b(?:has been|have been|success\w*|updated|created|wrote|written|applied|edited)\b")
_NOT_WRITTEN: Final = re.compile(
    r"(?i)not found|could not|cannot|unable|timed? ?out|unavailable|exception|held|went wrong"
    r"|status (?:code )?[45]\d\d|http/?\S* [45]\d\d"
    r"|no match|does not match|did not match|no changes|failed|error|denied|refused|rejected"
    r"|doesn't want|not been read|read-only|outside|not allowed|multiple (?:matches|occurrences)|invalid"
)


def _by_file_tool(event: Event, order: int) -> Iterator[Ending]:
    call = event.call
    assert call is not None
    arguments = call.arguments if isinstance(call.arguments, Mapping) else {}
    path = next((arguments[key] for key in _PATH_KEYS if isinstance(arguments.get(key), str)), "")
    if not path or arguments.get("command") == "view":
        return
    kind = "delete" if re.search("delete|remove", call.name, re.I) else "file"
    text = (call.result or "").strip()
    is_json = text[:1] == "{"
    first = text if is_json else text.partition("\n")[0]  # what follows may be the file, which may speak of errors
    ended = of_tool(call._replace(result=first), kind)
    outcome = ended.outcome
    if not is_json and call.failed and not _NOT_WRITTEN.search(text[:300]):
        outcome = "unknown"
    elif not is_json and not call.failed and (_WRITTEN.search(first) or not _NOT_WRITTEN.search(first)):
        outcome = "done"
    yield Ending(
        kind,
        path,
        outcome,
        ended.line,
        event,
        order,
        frozenset({path.lower(), _base(path)}),
    )


def _base(path: str) -> str:
    return path.rstrip("/").rsplit("/", 1)[-1].rsplit("\\", 1)[-1].lower()


# --- calls ---------------------------------------------------------------------------------------


def in_words(call: ToolCall) -> str:
    """A call in one line."""
    shown = []
    if isinstance(call.arguments, Mapping):
        shown = [
            f"{key}={str(value)[:40]!r}" if isinstance(value, str) else f"{key}={str(value)[:40]}"
            for key, value in list(call.arguments.items())[:3]
        ]
    return f"{call.name}({', '.join(shown)})"[:160]


def _values(arguments: Any, depth: int = 0) -> frozenset[str]:
    """The short values among some arguments, in lower case."""
    if isinstance(arguments, str):
        return frozenset({arguments.strip().lower()}) if 0 < len(arguments.strip()) <= 80 else frozenset()
    if isinstance(arguments, bool) or arguments is None:
        return frozenset()
    if isinstance(arguments, int | float):
        return frozenset({str(arguments)})
    items: Sequence[Any] = (
        list(arguments.values()) if isinstance(arguments, Mapping) else arguments if isinstance(arguments, list) else []
    )
    return frozenset().union(*(_values(item, depth + 1) for item in items[:30])) if depth < 4 else frozenset()


def _words(target: str) -> frozenset[str]:
    return frozenset(word.lower() for word in re.findall(r"[\w.@/:-]{3,}", target))


# --- what makes up for a failure -----------------------------------------------------------------

_LATER: Final = re.compile(
    r"(?i)\b(?:approved|executed|completed|confirmed|released|succeeded|delivered|processed|finished)\b"
)


def _made_up_for(
    bad: Ending, later: Sequence[Ending], changes: Sequence[int], subject: Subject, order: Mapping[int, int]
) -> Literal["", "same", "another"]:
    """Whether something after it did the same, or shows that it is done after all; or did it to something else."""
    state: Literal["", "another"] = ""
    if bad.kind == "file" and _is_written_by_command(bad, subject, order):
        return "same"
    for ending in later:
        if not _is_same(bad, ending):
            continue
        if _is_other(bad, ending):
            state = "another"
            continue
        narrower = ending.narrow and not bad.narrow and ending.outcome == "done"
        if not (narrower and not any(bad.order < change < ending.order for change in changes)):
            return "same"  # a later attempt that went wrong as well stands for both
    return "same" if _seen_done(bad, subject, order) else state


def _is_written_by_command(bad: Ending, subject: Subject, order: Mapping[int, int]) -> bool:
    """Whether a later command that does more than read names the file: it may have written it."""
    name = _base(bad.what)
    for event in subject.calls:
        if event.call is None or event.call.failed or order[id(event)] <= bad.order:
            continue
        text, _ = text_of(event.call)
        if text is not None and name in text.lower() and not _only_reads(text):
            return True
    return False


def _is_other(bad: Ending, later: Ending) -> bool:
    """Whether a later thing of the kind was done to something else."""
    if bad.kind in ("tests", "lint", "types", "build", "file"):
        return False
    mine, others = _telling(bad.values), _telling(later.values)
    if bad.kind == "install" and any(name in other for name in mine for other in others):
        return False  # lxml and python3-lxml
    if bad.kind in ON_CODE:
        return bool(mine - others) and bool(others - mine)
    return bool(mine) and bool(others) and not mine & others


def _is_same(bad: Ending, other: Ending) -> bool:
    """Whether a later thing is the same again: of one kind, and done to the same as far as both say."""
    if bad.kind == "file":
        return other.kind in ("file", "save") and bool(bad.values & other.values)
    if bad.kind in ON_CODE:
        return other.kind == bad.kind or (bad.kind, other.kind) in _STANDS_FOR
    bad_call, other_call = bad.event.call, other.event.call
    assert bad_call is not None and other_call is not None
    if bad_call.name == other_call.name:
        return True
    if differ(bad_call.name, other_call.name):
        return False
    return other.kind == bad.kind and (bool(_telling(bad.values) & _telling(other.values)) or not bad.values)


_STANDS_FOR: Final = frozenset(
    {
        ("types", "lint"),
        ("lint", "types"),
        ("build", "deploy"),
        ("push", "pull request"),
        ("types", "build"),
        ("build", "types"),
    }
)


def _telling(values: frozenset[str]) -> frozenset[str]:
    return frozenset(value for value in values if len(value) > 3 or any(map(str.isdigit, value)))


def _seen_done(bad: Ending, subject: Subject, order: Mapping[int, int]) -> bool:
    """Whether a later result shows that it is done."""
    if not KINDS[bad.kind].shown:
        return False
    shows = KINDS[bad.kind].shows
    for event in subject.calls:
        call = event.call
        if call is None or call.failed or not call.result or order[id(event)] <= bad.order:
            continue
        if call.result.strip() == subject.output.strip():
            continue  # the answer itself, given by a call
        text = call.result if len(call.result) <= 8_000 else f"{call.result[:2_000]}\n{call.result[-6_000:]}"
        if bad.kind in ON_CODE:
            if shows.search(text) and not _is_own(bad, event):
                return True
        elif (shows.search(text) or (bad.outcome != "failed" and _LATER.search(text))) and _concerns(bad, call, text):
            return True
    return False


def _is_own(bad: Ending, event: Event) -> bool:
    """Whether an event is in the table with the same kind, so that its outcome was already weighed."""
    assert event.call is not None
    text, _ = text_of(event.call)
    return text is not None and (any(done.kind == bad.kind for done in kinds_of(text)) or _only_reads(text))


def _only_reads(text: str) -> bool:
    """Whether a command shows files of the project, whose words are not about this run."""
    return all(
        command.words[0] in ("cat", "sed", "head", "grep", "rg", "less", "awk", "find", "ls", "cd", "nl")
        and ".log" not in command.text
        for command in commands(text)
    )


def _concerns(bad: Ending, call: ToolCall, text: str) -> bool:
    """Whether a later call is about the same thing: it shares an id or a name with it."""
    if bad.outcome != "failed" and len(bad.values) == 0:
        return True
    lowered = text.lower()
    known = _telling(bad.values) | frozenset(re.findall(r"\b[\w-]*\d[\w-]{2,}\b", bad.line.lower()))
    named = frozenset(re.findall(r'"(?:\w+_)?id": ?"?([\w-]+)', bad.line.lower()))
    return bool((known | named) & _values(call.arguments)) or any(value in lowered for value in known)
