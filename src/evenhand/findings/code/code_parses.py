"""Code that does not parse. Pure; grammars are installed packages, never fetched from the network.

A block is accused only when no reading of it parses: as a file, as the members of a class, as the body of
a function. Fragments with an elision, diffs, console sessions, templates and unknown languages are left alone.
"""

from __future__ import annotations

import ast
import re
import textwrap
import warnings
from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING, Final, NamedTuple

from evenhand.findings.facts.syntax import leaves, missing, parser, syntax
from evenhand.findings.finding import Finding, check
from evenhand.findings.subject import Block, Subject

if TYPE_CHECKING:
    from tree_sitter import Node

ID: Final = "code-does-not-parse"
LONGEST: Final = 200_000  # characters of a block; longer ones are not parsed
_SCRIPT = (
    *("{}", "class A {{\n{}\n}}", "(function () {{\n{}\n}})", "x = {{\n{}\n}}", "async function f() {{\n{}\n}}"),
    *("switch (x) {{\n{}\n}}", "x = <>\n{}\n</>", "if (x) {{\n{}", "interface A {{\n{}\n}}"),
)
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
    **dict.fromkeys(("py", "python", "python3", "pycon"), "python"),
    **dict.fromkeys(("sh", "zsh", "shell"), "bash"),
    **dict(zip(("c++", "cs", "c#", "rs", "rb"), ("cpp", "csharp", "csharp", "rust", "ruby"), strict=True)),
}
"""The languages that are parsed, by what people write after a fence."""

STRICT: Final = ("javascript", "go")
"""Languages whose grammars know all of them. In the others a block's brackets must be wrong as well."""

_ELISION = r"(?i)\.\.\.(?![\w\[{(])|…|\[(?:snip|truncated|omitted)[^\]]*\]"
_TEMPLATE = r"\{\{|\{%|<%|\$\{\{|<\s*(?:your|my|insert|the|api|name|path|file)[\w -]*>|«"
_CONFLICT = r"(?m)^(?:<{5,}|>{5,}|={7})(?: |$)"
_CONSOLE = r"(?m)^(?:[$>%] |C:\\[^>]*>|PS [^>]*>|In \[\d+\]:|Out\[\d+\]:|Traceback \(most)"
_DIFF = r"(?m)^(?:@@|\+\+\+|---|<{7} |>{7} |[+-](?![\d.]))"
_COMMAND = r"^\s*(?:pip3?|python3?|npm|npx|cd|git|curl|uv|poetry|conda|pytest|brew|apt|export)\s+[\w./-]"
_MAGIC = r"(?m)^(\s*)[%!](?=\w).*$"
_RESULT = r"(?m)^\s*(?:(?://|#)\s*)?(?:=>|→|->)|^[A-Z]\w* \{|<[\w.]+ object at 0x"
_OMITTED = r"(?m)[({=?:]\s*/\*[^*]*\*/|/\*[^*]*\*/\s*[)}?:]|\{\s*\Z|^#\s*(?:define|if)"
_CONTINUES = r"\s*(?:elif|else|except|finally|case)\b"
_BRACKETS = (("(", ")"), ("[", "]"), ("{", "}"))
_WORDS = (("if", "fi"), ("do", "done"), ("case", "esac"))
_INCOMPLETE = r"never closed|indented block|unterminated|unexpected indent|EOF"
_OPTIONAL = r"\[, ?\w+\]"  # as manuals write what may be left out
_SIGNATURE = r"\(\s*\[|\[,|\*,|/,|->"


@check(
    ID,
    "correctness",
    sees="A fenced block of Python, JavaScript, TypeScript, Go, Rust, Java, C, C++, C#, PHP, Ruby or Lua, or of a "
    "shell script that begins with `#!`, that its parser rejects, also as a fragment of a class or function.",
    severity="Major, three at most: code that does not parse cannot run.",
    example="```python\ndef area(r:\n    return 3.14 * r ** 2\n```",
)
def code_does_not_parse(subject: Subject) -> Iterator[Finding]:
    """Every block in a known language that does not parse in any reading."""
    broken_off = subject.open_block  # another check reports that one
    parsed, faults = 0, list[Finding]()
    for block in subject.blocks:
        syntax_fault = fault(block) if block != broken_off and len(faults) < 3 else None
        parsed += syntax_fault is not None
        faults += [_finding(subject, block, syntax_fault)] if syntax_fault is not None and syntax_fault.line else []
        _note_missing_grammars(subject, block)
    yield from faults


class Fault(NamedTuple):
    """The line where a block stops parsing, from 1, and why; line 0 when it parses."""

    line: int = 0
    reason: str = ""


def _language(block: Block) -> str | None:
    """The language to parse a block in; None when it is left alone."""
    language = NAMES.get(block.language)
    if language is None or not block.code.strip() or len(block.code) > LONGEST:
        return None
    if language == "bash" and not block.code.lstrip().startswith("#!"):
        return None  # a shell block is often a session or a list of things to type, with words in place of values
    return language


def _note_missing_grammars(subject: Subject, block: Block) -> None:
    language = _language(block)
    for grammar in READINGS[language][0] if language in READINGS else ():
        if parser(grammar) is None:
            subject.notes[f"code in {language} was not parsed: {missing(grammar)}"] = None
            return


def fault(block: Block) -> Fault | None:
    """Where a block stops parsing; None when that is unknown."""
    language = _language(block)
    if language is None:
        return None
    syntax_fault = _python(block.code) if language == "python" else _any_reading(language, block.code)
    return None if syntax_fault and syntax_fault.line and _left_alone(block.code) else syntax_fault


def _left_alone(code: str) -> bool:
    signs = (_ELISION, _TEMPLATE, _RESULT, _OMITTED, _CONFLICT, _OPTIONAL)
    console = re.search(_CONSOLE, code) and ">>>" not in code
    return bool(console or len(re.findall(_DIFF, code)) > 1 or any(re.search(sign, code) for sign in signs))


def _any_reading(language: str, code: str) -> Fault | None:
    grammars, surroundings = READINGS[language]
    first: Node | None = None
    for grammar in grammars:
        for surrounding in surroundings[: 1 if len(code) > LONGEST // 10 else None]:
            if "<>" in surrounding and not code.lstrip().startswith("<"):
                continue  # any words at all are text between tags
            root = syntax(grammar, surrounding.format(code))
            if root is None or not root.has_error:
                return root and Fault()
            first = first or root
    if first is None or (language not in STRICT and _balanced(first, language, code)):
        return None
    line = max(1, _error_line(first) - surroundings[0].count("\n"))
    return Fault(min(code.count("\n") + 1, line), "unexpected text" if language in STRICT else "unmatched brackets")


def _balanced(root: Node, language: str, code: str) -> bool:
    """Whether what is opened is closed as often, to the grammar or to the eye."""
    tokens = Counter(node.type for node in leaves(root) if not node.is_missing)
    seen = Counter(re.findall(r"\w+|\S", code))
    pairs = _WORDS if language == "bash" else _BRACKETS
    return all(tokens[opening] == tokens[closing] or seen[opening] == seen[closing] for opening, closing in pairs)


def _error_line(root: Node) -> int:
    """The line of the first error."""
    waiting = [root]
    while waiting:
        node = waiting.pop()
        if node.is_missing or node.is_error:
            return node.start_point.row + 1
        waiting.extend(child for child in reversed(node.children) if child.has_error)
    return 1


def _python(code: str) -> Fault | None:
    if re.search(r"^\s*>>> ", code, re.MULTILINE):
        import doctest  # with unittest and a debugger behind it, slow to load

        try:
            examples = doctest.DocTestParser().get_examples(code)
        except ValueError:
            return None
        for example in examples:
            error = None if example.exc_msg else _syntax_error(example.source)
            if error and not re.search(_INCOMPLETE, error.msg):  # people leave out the dots of further lines
                return Fault(example.lineno + 1, error.msg)
        return Fault()
    code = re.sub(_MAGIC, r"\1pass", textwrap.dedent(code))
    error = _syntax_error(code)
    if error is None:
        return Fault()
    return None if _tolerable(code, error) else Fault(error.lineno or 1, error.msg)


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
    """Whether a block may fail to parse: a fragment, a signature, another version of Python, or not Python at all."""
    if not re.search(r"[=(\[:]|\b(?:import|return|pass|def|class|if|for|while|print)\b", code):
        return True  # words or a table: what the code prints
    one_line = "\n" not in code.strip("\n")
    if re.match(_CONTINUES, code) or re.match(_COMMAND, code) or (one_line and re.search(_SIGNATURE, code)):
        return True
    header = re.match(r"expected an indented block after .* on line (\d+)", error.msg)
    if header:  # a header alone, or with a comment in place of its body, shows a shape
        rest = "\n".join(code.split("\n")[int(header[1]) :]).strip()
        return not rest or bool(re.match(r"(?:def|class|async|@|#)", rest))
    if isinstance(error, IndentationError):
        return code.lstrip("\n").startswith((" ", "\t"))  # a fragment whose first line lost or kept its indentation
    root = syntax("python", code)
    return not root.has_error if root is not None else "f-string" in error.msg or "print" in error.msg


def _finding(subject: Subject, block: Block, syntax_fault: Fault) -> Finding:
    quote, offset = subject.in_block(block, syntax_fault.line)
    name, line = NAMES[block.language].capitalize(), block.line + syntax_fault.line - 1
    message = f"This {name} code does not parse: {syntax_fault.reason} on line {line}."
    return Finding(ID, "correctness", "major", message, quote, offset=offset)


CHECKS = (code_does_not_parse,)
