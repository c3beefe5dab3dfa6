"""Code that does not parse. Pure; grammars come from the installed package only, never from the network.

A block is accused only when no reading of it parses: as a file, as the members of a class, as the body of
a function. Fragments with an elision, diffs, console sessions, templates and unknown languages are left alone.
"""

from __future__ import annotations

import ast
import re
import textwrap
import warnings
from collections.abc import Iterator
from functools import cache
from typing import TYPE_CHECKING, Final

from evenhand.judges.checks.finding import Check, Finding, limited
from evenhand.judges.checks.subject import Block, Subject

if TYPE_CHECKING:
    from tree_sitter import Node, Parser

ID: Final = "code-does-not-parse"
LONGEST: Final = 200_000
"""Characters of a block that are parsed at most."""

_SCRIPT = ("{}", "class A {{\n{}\n}}", "(function () {{\n{}\n}})", "x = {{\n{}\n}}", "async function f() {{\n{}\n}}")
_SCRIPT += ("switch (x) {{\n{}\n}}", "x = <>\n{}\n</>", "if (x) {{\n{}", "interface A {{\n{}\n}}")
_BRACES = ("{}", "class A {{\n{}\n}}", "class A {{ void f() {{\n{}\n}} }}")
_RUST = ("{}", "fn f() {{\n{}\n}}", "impl A {{\n{}\n}}", "struct A {{\n{}\n}}", "fn f() {{ match x {{\n{}\n}} }}")
_GO = ("{}", "package a\nfunc f() {{\n{}\n}}", "package a\ntype A struct {{\n{}\n}}", "package a\nvar x = A{{\n{}\n}}")
_ONE = ("{}",)

READINGS: Final[dict[str, tuple[tuple[str, ...], tuple[str, ...]]]] = {
    "javascript": (("javascript", "tsx"), _SCRIPT),
    "typescript": (("typescript", "tsx"), _SCRIPT),
    "go": (("go",), _GO),
    "rust": (("rust",), _RUST),
    "java": (("java",), (*_BRACES, "enum A {{\n{}\n}}")),
    "php": (("php",), ("<?php\n{}", "<?php class A {{\n{}\n}}", "{}")),
    "lua": (("lua",), (*_ONE, "x = {{\n{}\n}}")),
    "ruby": (("ruby",), _ONE),
    "bash": (("bash",), _ONE),
    "c": (("c", "cpp"), (*_ONE, "void f() {{\n{}\n}}", "struct a {{\n{}\n}};")),
    "cpp": (("cpp",), (*_ONE, "void f() {{\n{}\n}}", "struct a {{\n{}\n}};")),
    "csharp": (("csharp",), _BRACES),
}
"""The grammars to try for a language, and the surroundings a fragment may come from."""

NAMES: Final = {
    **{name: name for name in READINGS},
    **dict.fromkeys(("js", "jsx", "mjs", "cjs", "node"), "javascript"),
    **dict.fromkeys(("ts", "tsx", "mts"), "typescript"),
    **dict.fromkeys(("py", "python", "python3", "py3", "pycon"), "python"),
    **dict.fromkeys(("c++", "cc", "hpp", "cxx"), "cpp"),
    **dict.fromkeys(("cs", "c#"), "csharp"),
    **dict.fromkeys(("sh", "zsh", "shell"), "bash"),
    **{"golang": "go", "rs": "rust", "rb": "ruby", "h": "c"},
}
"""The languages that are parsed, by what people write after a fence."""

LOOSE: Final = ("c", "cpp", "csharp", "ruby")
"""Languages whose macros or dialects the grammars do not all know: their brackets must be wrong as well."""

_ELISION = re.compile(r"\.\.\.(?![\w\[{(])|…|\[(?:snip|truncated|omitted)[^\]]*\]", re.IGNORECASE)
_TEMPLATE = re.compile(r"\{\{|\{%|<%|\$\{\{|<\s*(?:your|my|insert|the|api|name|path|file)[\w -]*>|«")
_CONSOLE = re.compile(r"^(?:\$|>|%|C:\\[^>]*>|PS [^>]*>|In \[\d+\]:|Out\[\d+\]:|Traceback \(most)\s?", re.MULTILINE)
_DIFF = re.compile(r"^(?:@@|\+\+\+|---|[+-](?![\d.]))", re.MULTILINE)
_COMMAND = re.compile(r"^\s*(?:pip3?|python3?|npm|npx|cd|git|curl|uv|poetry|conda|pytest|brew|apt|export)\s+[\w./-]")
_MAGIC = re.compile(r"^(\s*)[%!](?=\w).*$", re.MULTILINE)
_CONTINUES = re.compile(r"\s*(?:elif|else|except|finally|case)\b")
_SIGNATURE = re.compile(r"\(\s*\[|\[,|\*,|/,|->")


@cache
def parser(language: str) -> Parser | None:
    """The installed grammar's parser; None when there is none here. Newer packs fetch grammars: those are not asked."""
    try:
        import tree_sitter_language_pack as pack  # costs start-up time
    except ImportError:
        return None
    present = getattr(pack, "available_languages", None)
    if present is not None and language not in present():
        return None
    try:
        made: Parser = pack.get_parser(language)  # type: ignore[arg-type]
    except (LookupError, ValueError):
        return None
    return made


def syntax(language: str, code: str) -> Node | None:
    """The tree of some code; None when there is no grammar for it."""
    known = parser(language)
    return None if known is None else known.parse(code.encode("utf-8", "replace")).root_node


def code_does_not_parse(subject: Subject) -> Iterator[Finding]:
    """Every block in a known language that no reading of it parses."""
    parsed = 0
    faults = []
    for block in subject.blocks:
        wrong = fault(block)
        parsed += wrong is not None
        if wrong:
            faults.append(_finding(block, *wrong))
    yield from limited(faults, 3)
    if parsed and not faults:
        yield Finding(ID, "correctness", 0, f"{_blocks(parsed)} of code parsed without an error.")


def fault(block: Block) -> tuple[int, str] | tuple[()] | None:
    """The line of the block that does not parse and why; empty when it parses; None when it cannot be told."""
    language = NAMES.get(block.language)
    if language is None or not block.code.strip() or len(block.code) > LONGEST or _left_alone(block.code):
        return None
    if language == "python":
        return _python(block.code)
    if language == "bash" and not block.code.lstrip().startswith("#!"):
        return None  # a shell block is often a session or a list of things to type, with words in place of values
    return _any_reading(language, block.code)


def _left_alone(code: str) -> bool:
    console = _CONSOLE.search(code) and ">>>" not in code
    return bool(console or _ELISION.search(code) or _TEMPLATE.search(code) or len(_DIFF.findall(code)) > 1)


def _any_reading(language: str, code: str) -> tuple[int, str] | tuple[()] | None:
    grammars, surroundings = READINGS[language]
    first: Node | None = None
    for grammar in grammars:
        for surrounding in surroundings:
            root = syntax(grammar, surrounding.format(code))
            if root is None:
                return None
            if not root.has_error:
                return ()
            first = first or root
    assert first is not None
    if language in LOOSE and _balanced(first):
        return None
    lines = code.count("\n") + 1
    offset = 1 if surroundings[0].startswith("<?php") else 0
    return min(lines, max(1, _error_line(first) - offset)), f"as {language.capitalize()}"


def _leaves(root: Node) -> Iterator[Node]:
    waiting = [root]
    while waiting:
        node = waiting.pop()
        if node.child_count:
            waiting.extend(reversed(node.children))
        else:
            yield node


def _balanced(root: Node) -> bool:
    kinds = [node.type for node in _leaves(root) if not node.is_missing]
    return all(kinds.count(opening) == kinds.count(closing) for opening, closing in ("()", "[]", "{}"))


def _error_line(root: Node) -> int:
    """The line of the first error that holds no other."""
    waiting, line = [root], root.start_point.row + 1
    while waiting:
        node = waiting.pop()
        if node.is_missing or node.is_error:
            return node.start_point.row + 1
        waiting.extend(child for child in reversed(node.children) if child.has_error)
    return line


def _python(code: str) -> tuple[int, str] | tuple[()] | None:
    import doctest  # costs start-up time

    if re.search(r"^\s*>>> ", code, re.MULTILINE):
        try:
            examples = doctest.DocTestParser().get_examples(code)
        except ValueError:
            return None
        broken = [(example.lineno + 1, _syntax_error(example.source)) for example in examples if not example.exc_msg]
        return next(((line, error.msg) for line, error in broken if error), ())
    code = _MAGIC.sub(r"\1pass", textwrap.dedent(code))
    error = _syntax_error(code)
    if error is None:
        return ()
    return None if _tolerable(code, error) else (error.lineno or 1, error.msg)


def _syntax_error(code: str) -> SyntaxError | None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            ast.parse(code)
        except SyntaxError as error:
            return error
        except (ValueError, RecursionError, MemoryError):
            return None
    return None


def _tolerable(code: str, error: SyntaxError) -> bool:
    """A fragment, a signature, another version of Python, or not Python at all."""
    lines = code.strip("\n").split("\n")
    if _CONTINUES.match(code) or _COMMAND.match(code) or (len(lines) == 1 and _SIGNATURE.search(code)):
        return True
    if error.msg.startswith("expected an indented block"):
        rest = "\n".join(lines[max(0, (error.lineno or 1) - 1) :]).strip()
        return not rest or bool(re.match(r"[ \t]*(?:def|class|async|@|#)", rest))
    if isinstance(error, IndentationError):
        return lines[0].startswith((" ", "\t"))  # a fragment whose first line lost or kept its indentation
    root = syntax("python", code)
    return not root.has_error if root is not None else "f-string" in error.msg or "print" in error.msg


def _finding(block: Block, line: int, reason: str) -> Finding:
    code = block.code.split("\n")
    quote = code[min(line, len(code)) - 1].strip() or block.code.strip().split("\n")[-1].strip()
    language = NAMES[block.language].capitalize()
    why = f"{reason} on its line {line}" if language == "Python" else f"it breaks at its line {line}"
    says = f"The {language} block on line {block.line} does not parse ({why}), so it cannot run as given."
    return Finding(ID, "correctness", -150, says, quote[:200])


def _blocks(count: int) -> str:
    return "1 block" if count == 1 else f"{count} blocks"


CHECKS: tuple[Check, ...] = (
    Check(
        id=ID,
        dimensions=("correctness",),
        sees="A fenced block of code that its language's parser rejects, also as a fragment of a class or function.",
        effect="-1.50 for each of at most three blocks: code that cannot run as given is a clear fault.",
        example="```python\ndef area(r:\n    return 3.14 * r ** 2\n```",
        run=code_does_not_parse,
    ),
)
