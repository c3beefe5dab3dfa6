"""What an output leaves undone: bodies that do nothing, code left out, words in place of content, empty sections. Pure.

Stubs and omissions count where the task asks for code, or where an agent wrote them into a file. Abstract methods,
overrides that do nothing on purpose, frames that were asked for, and what the task itself says are left alone.
"""

from __future__ import annotations

import ast
import re
import textwrap
import warnings
from collections.abc import Iterator
from itertools import islice, pairwise
from typing import TYPE_CHECKING, Final, NamedTuple

from evenhand.checks.facts.actions.files_written import files_written
from evenhand.checks.facts.raw_code import reads_like_code
from evenhand.checks.facts.wants_code import asks_for_code
from evenhand.checks.finding import Finding, check
from evenhand.checks.subject import Subject
from evenhand.core.basics.lazy_pattern import late_pattern, late_words
from evenhand.core.values.finding import Severity
from evenhand.core.values.submission import Place

if TYPE_CHECKING:
    from markdown_it.token import Token

ID: Final = "unfinished"

_WHOLE = late_pattern(
    r"(?is)\b(?:full|complete|entire|whole|working|final)\b.{0,40}\b(?:code|file|script|program|implementation|module|class"
    r"|function|solution|source|version)\b|\b(?:do not|don't|without|no)\b.{0,20}\b(?:omit|abbreviat|elid|skip)"
)
_LEFT_OUT = (
    r"(?i)^\s*(?:#|//|--|/\*|<!--|;|%)+\s*(?:"
    r"\W*(?:the )?(?:rest|remainder)\b.{0,40}\b(?:code|file|same|unchanged|function|class|methods?|here|above|before)"
    r"|(?:\.\.\.|…)\s*\(?(?:the )?(?:existing|rest|other|remaining|previous|unchanged|same|more)\b"
    r"|\W*(?:existing|other|previous|remaining) (?:code|methods?|functions?|imports?)\b.{0,30}(?:here|unchanged|same|…)"
    r"|\W*(?:your|add|put|insert|more)\b.{0,30}\b(?:code|logic|implementation) (?:goes )?here"
    r"|\W*(?:implementation|logic) (?:goes )?here)"
)
_TO_DO = late_pattern(r"(?i)(?:#|//|--|/\*|<!--|;)\s*(?:TODO|FIXME)\b")
_IN_PLACE_OF_WORDS = late_pattern(
    r"(?i)(?:TODO|TBD|FIXME|T\.B\.D\.|to be (?:determined|done|added|written|completed|defined)|coming soon)[.!]?"
    r"|(?:TODO|FIXME|TBD)\b[:\s-]*(?:write|fill in|add|complete|insert|finish|expand|describe)\b.*"
    r"|\[(?:insert|add|write|your)\b[^\]]{3,60}\bhere\]|lorem ipsum\b.*|(?:content|text|details?) goes? here\.?"
)
_FRAME_ASKED = late_words(
    "outline|skeleton|template|scaffold|headings?|stubs?|interface|protocol|abstract|todos?|placeholders?|fixme"
    "|pseudocode|boilerplate|lorem"
)
_OUTLINE_ASKED = late_pattern(r"\b(?:table of contents|pseudo-code)\b", re.I)
_BASE = r"Base|Abstract|Interface|Mixin|Protocol|Stub|Fake|Dummy|Null|Noop|Mock"

_NO_TITLE = r"(?i):\s*\S|[`(;=]|unreleased|[.,:]$"


class Code(NamedTuple):
    """A piece of code: a block of the output, or a file an agent wrote."""

    language: str
    text: str
    name: str
    line: int
    """The line of the output that it starts on; 1 for a file."""
    place: Place | None


@check(
    ID,
    "completeness",
    sees="Functions that do nothing, code left out in a comment, things still to do, placeholders, empty sections.",
    severity="Major for a stub or an omission; minor for an empty section, a placeholder or a note.",
    example="```python\ndef refund(order):\n    pass\n```\nwhere the task asks to implement refunds.",
)
def unfinished(subject: Subject) -> Iterator[Finding]:
    """Stubs, omissions, words in place of content, and empty sections."""
    if _FRAME_ASKED.are_in(subject.task) or _OUTLINE_ASKED.search(subject.task):
        return
    code = list(_code(subject))
    findings = [*islice((*_stubs(subject, code), *_omissions(subject, code)), 3)]
    findings += [*islice(_to_dos(subject, code), 3), *islice(_empty_sections(subject), 3)]
    yield from findings
    if code and not findings:
        yield Finding(ID, "completeness", None, "The code has no stubs, omissions or to-do notes.")


def _code(subject: Subject) -> Iterator[Code]:
    """The blocks, where code was asked for, and the files as an agent last wrote them."""
    if asks_for_code(subject.task) or _WHOLE.search(subject.task):
        for block in subject.blocks:
            yield Code(block.language, block.code, f"The code block on line {block.line}", block.line, None)
    written = {file.path: file for file in files_written(subject)}
    for path, file in written.items():
        if file.event is not None and file.is_new and file.content:
            yield Code(path.rsplit(".", 1)[-1], file.content, f"The file `{path}`", 1, file.event.place)


def _stubs(subject: Subject, code: list[Code]) -> Iterator[Finding]:
    for part in code:
        for number, line in _empty_functions(part.text) if part.language in ("py", "python", "python3") else ():
            if line not in subject.task:
                message = f"{part.name} has a function with an empty body, so that part of the work is not done."
                yield _in_code(subject, part, number, line, "major", message)


def _in_code(subject: Subject, part: Code, number: int, line: str, severity: Severity, message: str) -> Finding:
    """A finding about the line of a block or file with that number, from 0."""
    quote = line.strip()[:200]
    offset = subject.on_line(quote, part.line + number) if part.place is None else None
    return Finding(ID, "completeness", severity, message, quote, part.place, offset)


def _empty_functions(code: str) -> Iterator[tuple[int, str]]:
    """The first lines of functions that only pass, show an ellipsis or raise NotImplementedError, with their number."""
    code = textwrap.dedent(code)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            tree = ast.parse(code)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return
    lines = code.split("\n")
    for parent in ast.walk(tree):
        if isinstance(parent, ast.ClassDef) and (parent.bases or parent.keywords or re.search(_BASE, parent.name)):
            continue  # a subclass may override with nothing, and a base leaves it to others
        for node in ast.iter_child_nodes(parent):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and _does_nothing(node):
                body = lines[node.body[-1].lineno - 1].strip()
                signature = not body.startswith(("pass", "...", "raise"))  # all on one line
                yield from () if signature else ((node.lineno - 1, lines[node.lineno - 1].strip()),)


def _does_nothing(node: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    """Whether its one statement is a stub. A decorator may do the work, and a docstring alone explains itself."""
    documented = ast.get_docstring(node) is not None
    body = node.body[1:] if documented else node.body
    if node.decorator_list or node.name.startswith("__") or len(body) != 1:
        return False
    only = body[0]
    ellipsis = isinstance(only, ast.Expr) and isinstance(only.value, ast.Constant) and only.value.value is ...
    raises = isinstance(only, ast.Raise) and only.exc is not None and "NotImplementedError" in ast.dump(only.exc)
    return isinstance(only, ast.Pass) or ellipsis or raises


def _omissions(subject: Subject, code: list[Code]) -> Iterator[Finding]:
    """Comments in place of code. They may shorten an answer, but not a file, nor where all of it was asked for."""
    for part in code:
        if part.place is None and not _WHOLE.search(subject.task):
            continue
        for number, line in enumerate(part.text.split("\n")):
            if re.match(_LEFT_OUT, line) and line.strip() not in subject.task:
                message = f"{part.name} has a comment in place of code."
                yield _in_code(subject, part, number, line, "major", message)


def _to_dos(subject: Subject, code: list[Code]) -> Iterator[Finding]:
    for part in code:
        for number, line in enumerate(part.text.split("\n")) if _TO_DO.search(part.text) else ():
            if _TO_DO.search(line) and line.strip() not in subject.task:
                yield _in_code(subject, part, number, line, "minor", f"{part.name} leaves something to do.")
    for before, token in pairwise(subject.tokens):
        bare = token.content.strip("*_ \n") if before.type == "paragraph_open" else ""
        if bare and _IN_PLACE_OF_WORDS.fullmatch(bare) and bare not in subject.task:
            offset = subject.on_line(bare[:200], token.map[0] + 1 if token.map else 1)
            yield Finding(
                ID, "completeness", "minor", "There is a placeholder instead of content.", bare[:200], None, offset
            )


def _empty_sections(subject: Subject) -> Iterator[Finding]:
    """Headings with nothing before the next heading of their level or a higher one, or before the end."""
    tokens, lines = subject.tokens, subject.output.split("\n")
    if reads_like_code(subject.output):
        return  # its comments look like headings
    blocks = [(place, token) for place, token in enumerate(tokens) if token.level == 0 and token.nesting >= 0]
    blocks = [(place, token) for place, token in blocks if token.type != "hr" and not _comment(token)]
    for number, (place, token) in enumerate(blocks):
        following = blocks[number + 1][1] if number + 1 < len(blocks) else None
        if number and _is_heading(token) and (following is None or _closes(following, token)):
            title = tokens[place + 1].content
            start, end = token.map or (0, 0)
            apart = not "".join((*lines[start - 1 : start], *lines[end : end + 1])).strip()  # comments come together
            if apart and 0 < len(title.split()) <= 10 and not re.search(_NO_TITLE, title):
                message = f"The section “{title[:60]}” is empty."
                offset = subject.on_line(title[:200], start + 1)
                yield Finding(ID, "completeness", "minor", message, title[:200], None, offset)


def _is_heading(token: Token) -> bool:
    return token.type == "heading_open" and token.markup.startswith("#")


def _closes(following: Token, token: Token) -> bool:
    return _is_heading(following) and int(following.tag[1]) <= int(token.tag[1])


def _comment(token: Token) -> bool:
    """A note to fill something in; other comments may be filled by a program."""
    return token.type == "html_block" and bool(
        re.match(r"<!--[^>]*\b(?:todo|fill|add|insert|write)\b", token.content, re.I)
    )


CHECKS = (unfinished,)
