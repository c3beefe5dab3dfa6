"""The commands an agent really ran, read with a shell grammar. Pure.

A command in prose does not count; one in a shell tool's call that returned a result does. A word only known when the
command runs (`$DIR`) is never guessed at.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import TYPE_CHECKING, Final, NamedTuple

from evenhand.findings.facts.syntax import missing, parser, syntax
from evenhand.findings.subject import Subject
from evenhand.work.submission import Event, ToolCall

if TYPE_CHECKING:
    from tree_sitter import Node

LONGEST: Final = 20_000
"""Characters of one shell text that are parsed: on nonsense, the time grows with the square of the length."""

KEPT: Final = 8_192
"""Shell texts whose commands are kept for the next check: in a session of 200 MB, as many take 13 MB."""

MOST: Final = 100
"""Files that one command writes, and commands that feed it, which are kept."""


class Command(NamedTuple):
    """One simple command."""

    words: tuple[str, ...]  # its name and arguments without quotes or wrappers such as sudo; `$HOME` is `~`
    text: str
    fed: str = ""  # by a here-document
    writes: tuple[str, ...] = ()  # the files its output is redirected to
    reads: tuple[tuple[str, ...], ...] = ()  # the commands whose output it is given, by a pipe or a substitution


class ShellCall(NamedTuple):
    """A shell text an agent ran, in a folder if the call names one."""

    text: str
    folder: str
    event: Event


_SHELL_TOOL = re.compile(r"(?:^|[^a-z])(?:bash|zsh|sh|shell|terminal|exec|execute|command|cmd)(?:$|[^a-z])")
_REFUSED = re.compile(r"doesn't want to proceed|rejected by|denied by|blocked by|requires approval|not executed", re.I)
_TWO_WORDS = re.compile(r"(?<=[a-z])(?=[A-Z])")
_REDIRECTS = re.compile(r"[\d&]?>")
_SCRIPT_FOLLOWS = re.compile(r"-[a-z]*c")
_HOME = re.compile(r"\$\{?HOME\}?")
_WRAPPERS = {"sudo", "env", "nohup", "time", "command", "exec", "nice"}
_PLAIN = {"word", "number", "raw_string"}
"""Kinds of words without a command inside them."""
_SHELLS = {"sh", "bash", "zsh", "dash", "ksh"}


@lru_cache(maxsize=1)
def runs(subject: Subject) -> tuple[ShellCall, ...]:
    """Every shell text that was really executed: calls that were refused or returned nothing are left out."""
    executed = []
    for event in subject.calls:
        call = event.call
        if call is None or call.result is None or not _is_shell(call.name) or was_refused(call):
            continue
        text, folder = text_of(call)
        if text is not None:
            if len(text) > LONGEST:
                subject.notes[f"of commands longer than {LONGEST:,} characters only the beginning was looked at"] = None
            if parser("bash") is None:
                subject.notes[f"the commands that were run were not looked at: {missing('bash')}"] = None
            executed.append(ShellCall(text, folder, event))
    return tuple(executed)


def text_of(call: ToolCall) -> tuple[str | None, str]:
    """The text that a call gives to a shell, and the folder it names; None when the tool is no shell."""
    if not _is_shell(call.name):
        return None, ""
    arguments = call.arguments if isinstance(call.arguments, Mapping) else {"command": call.arguments}
    text = arguments.get("command") or arguments.get("cmd")
    if isinstance(text, list):
        text = text[2] if len(text) > 2 and text[0] in _SHELLS else " ".join(map(str, text))
    return (text if isinstance(text, str) else None), str(arguments.get("workdir") or arguments.get("cwd") or "")


def was_refused(call: ToolCall) -> bool:
    """Whether a call was not carried out: the user or the program did not allow it."""
    return call.failed and call.result is not None and _REFUSED.search(call.result[:500]) is not None


@lru_cache(maxsize=256)
def _is_shell(tool: str) -> bool:
    return _SHELL_TOOL.search(_TWO_WORDS.sub("_", tool).lower()) is not None


@lru_cache(maxsize=KEPT)
def commands(text: str) -> tuple[Command, ...]:
    """The simple commands of a shell text, in order, those inside `bash -c '...'` too."""
    root = syntax("bash", text if len(text) <= LONGEST else text[: text.rfind("\n", 0, LONGEST) + 1 or LONGEST])
    if root is None:
        return ()
    try:
        return tuple(_commands(root, Command((), "")))
    except RecursionError:
        return ()


def _commands(node: Node, around: Command) -> Iterator[Command]:
    """The commands below a node; `around` carries what its surroundings feed, write and pipe."""
    kind = node.type
    if kind == "command":
        yield from _command(node, around)
        return
    parts = node.named_children
    redirects = [part for part in parts if part.type.endswith("_redirect")] if kind == "redirected_statement" else []
    redirects += [
        part for redirect in redirects for part in redirect.named_children
    ]  # `cat <<EOF > file`: one in another
    for part in redirects:
        if part.type == "file_redirect" and _REDIRECTS.match(_text(part)) and ">&" not in _text(part):
            around = around._replace(writes=(*around.writes, *map(_word, part.named_children[-1:]))[:MOST])
        if part.type == "heredoc_redirect":
            body = "".join(_text(line) for line in part.named_children if line.type == "heredoc_body")
            around = around._replace(fed=around.fed + body)
    for part in parts:
        if part.type not in ("heredoc_body", "function_definition"):  # text, and what is not yet called
            below = list(_commands(part, around))
            yield from below
            if kind == "pipeline":
                around = around._replace(reads=(*around.reads, *(command.words for command in below))[-MOST:])


def _command(node: Node, around: Command) -> Iterator[Command]:
    parts = [(part, part.type) for part in node.named_children]
    inner = [command for part, kind in parts if kind not in _PLAIN for command in _commands(part, Command((), ""))]
    yield from inner
    words = [_word(part) for part, kind in parts if not kind.endswith(("assignment", "redirect"))]
    while words and (words[0] in _WRAPPERS or "=" in words[0] or words[0].startswith("-")):
        words.pop(0)
    if not words:
        return
    words[0] = posixpath.basename(words[0])
    fed = around.fed + "".join([_text(part) for part, kind in parts if kind == "herestring_redirect"])
    reads = (*around.reads, *(command.words for command in inner))
    yield Command(tuple(words), _text(node), fed, around.writes, reads)
    if words[0] in _SHELLS:
        script = next((place for place, word in enumerate(words) if _SCRIPT_FOLLOWS.fullmatch(word)), 0)
        if 0 < script < len(words) - 1:
            yield from commands(words[script + 1])


def _text(node: Node) -> str:
    return (node.text or b"").decode("utf-8", "replace")


def _word(node: Node) -> str:
    kind = node.type
    if kind in ("concatenation", "command_name"):
        return "".join(map(_word, node.children))
    text = _text(node)
    if kind == "raw_string":
        return text[1:-1]
    if kind in ("string", "expansion", "simple_expansion"):
        return _HOME.sub("~", text[1:-1] if kind == "string" else text)
    return text.replace("\\ ", " ")
