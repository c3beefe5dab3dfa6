"""The check `code-does-not-parse`: what it must see, and what it must leave alone."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from check_subjects import in_place
from evenhand.core.finding import Place
from evenhand.findings.code.code_parses import CHECKS, READINGS
from evenhand.findings.facts.shell import runs
from evenhand.findings.facts.syntax import GRAMMARS, parser
from evenhand.findings.finding import Finding
from evenhand.findings.subject import Subject
from evenhand.work.submission import Event, Submission, ToolCall

(CHECK,) = CHECKS


def fence(language: str, code: str) -> str:
    return f"Here is the code.\n\n```{language}\n{code}\n```\n"


def seen(output: str) -> list[Finding]:
    findings = list(CHECK.run(Subject(Submission(output=output))))
    assert all(in_place(finding, output) for finding in findings if finding.severity)
    return findings


BROKEN = {
    "a bracket left open": ("python", "def area(r:\n    return 3.14 * r ** 2"),
    "a body that is not indented": ("python", "def double(x):\nreturn x * 2"),
    "a line indented for no reason": ("py", "total = 0\n    total += 1\nprint(total)"),
    "a missing colon": ("python", "for name in names\n    print(name)"),
    "a doctest with a stray bracket": ("python", ">>> add(1, 2))\n3"),
    "a string in JavaScript that ends early": ("js", "const opts = { '//host/:_token: 'abc' }\nrun(opts)"),
    "one bracket too many": ("javascript", "fetch(url).then((r) => r.json()))\nconsole.log('done')"),
    "a Go function without its last brace": ("go", "package main\n\nfunc main() {\n\tprintln(1)\n"),
    "a Rust function without its last brace": ("rust", "fn main() {\n    let x = vec![1, 2];\n    println!(x);\n"),
    "a Java class without its last brace": ("java", "class A {\n    int f() {\n        return 1;\n    }\n"),
    "a TypeScript call left open": ("ts", "const total = sum([1, 2, 3]\nexport function f(a: string) { return a }"),
    "a script whose if has no end": ("bash", '#!/bin/bash\nif [ -f "$1" ]; then\n  cat "$1"\necho done'),
}

SOUND = {
    "Python": ("python", "def area(r):\n    return 3.14 * r ** 2"),
    "a doctest": ("python", ">>> for i in range(2):\n...     print(i)\n0\n1"),
    "a doctest without the dots": ("python", '>>> data = {\n    "a": 1,\n}\n>>> len(data)\n1'),
    "a notebook cell": ("python", "%matplotlib inline\n!pip install pandas\nimport pandas as pd"),
    "an invalid escape, which only warns": ("python", "import re\nre.compile('\\d+')"),
    "the methods of a class": ("python", "    def f(self):\n        return 1\n\n    def g(self):\n        return 2"),
    "a JavaScript method": ("js", "async save(user) {\n  await this.db.put(user)\n}"),
    "the properties of an object": ("javascript", "name: 'a',\nport: 80,"),
    "JSX": ("jsx", '<Card title="x">\n  <p>{text}</p>\n</Card>'),
    "statements of Go": ("go", 'x := 1\nfmt.Println("x", x)'),
    "a Java method": ("java", "public int twice(int x) {\n    return 2 * x;\n}"),
    "the arms of a Rust match": ("rust", "Some(x) => println!(x),\nNone => (),"),
    "PHP without its tag": ("php", "$user = find(1);\necho $user->name;"),
    "PHP with its tag": ("php", "<?php\nfunction f($x) { return $x; }"),
}

LEFT_ALONE = {
    "a block that says what to replace": ("python", "<<<<<<< SEARCH\nx = 1\n=======\nx = 2\n>>>>>>> REPLACE"),
    "an elision": ("python", "config = {\n    'a': 1,\n    ...\n"),
    "an elision in C": ("c", "int main(void) {\n    ...\n"),
    "a diff": ("python", "-def f(x:\n+def f(x):\n     return x"),
    "a console session": ("python", "$ python app.py --port 80\nServing on http://localhost:80"),
    "a template": ("js", "const name = {{ user.name }};\nlet = {% if x %}"),
    "a place to fill in": ("python", "client = Client(<your-key>)"),
    "an unknown language": ("klingon", "(((("),
    "no language": ("", "def f(:"),
    "pseudo-code under its own name": ("pseudocode", "if x then (((("),
    "a signature": ("python", "def connect(host: str, port: int) -> Connection:"),
    "a comment in place of a body": ("python", "def handler(event):\n    # your code here\n\nhandler(1)"),
    "the other branch of an if": ("python", "else:\n    return None"),
    "Python of another age": ("python", 'print "hello"'),
    "an edit of two versions": ("python", "<<<<<<< SEARCH\nx = 1\n=======\nx = 2\n>>>>>>> REPLACE"),
    "a manual's optional argument": ("js", "const result = parse(pattern[, options]);"),
    "a table that was printed": ("python", "user_id price\n      1   4.0\n      2   3.0"),
    "what a program printed": ("js", "await list('a')\n=>\n[ 'b',\n  'c' ]"),
    "a comment in place of a value": ("js", "const port = /* your own */\nif (port) { serve(port) }"),
    "the head of a C++ function": ("cpp", "Handle::Handle(Env* env)\n    : Base(env),\n      id_(1) {"),
    "a command in the wrong fence": ("python", "pip install requests\npython app.py"),
    "things to type": ("bash", "git commit -m <message>\nif you like (optional"),
    "a macro the grammar does not know": ("c", "#define FOR(x) for (int x = 0;;) {\nFOR(i) }"),
    "nothing at all": ("python", ""),
}


@pytest.mark.parametrize(("language", "code"), BROKEN.values(), ids=BROKEN)
def test_broken_code_is_a_clear_fault(language, code):
    """The fault is major and the sentence says where."""
    (finding,) = seen(fence(language, code))
    assert (finding.dimension, finding.severity) == ("correctness", "major")
    assert "code does not parse" in finding.message
    assert finding.quote


@pytest.mark.parametrize(("language", "code"), SOUND.values(), ids=SOUND)
def test_sound_code_and_sound_fragments_are_in_order(language, code):
    """A fragment is read as part of what it may come from."""
    assert not seen(fence(language, code))


@pytest.mark.parametrize(("language", "code"), LEFT_ALONE.values(), ids=LEFT_ALONE)
def test_what_cannot_be_decided_is_left_alone(language, code):
    """No word, neither of blame nor of praise."""
    assert not seen(fence(language, code))


def test_the_sentence_names_the_line_and_the_reason():
    """The reader finds the fault without counting."""
    (finding,) = seen(fence("python", "total = 0\ntotal = 1\n    total += 1"))
    assert finding.message == "This Python code does not parse: unexpected indent on line 6."
    assert finding.quote == "total += 1"


def test_one_habit_is_reported_three_times_at_most():
    """Five broken blocks cost as much as three."""
    findings = seen(fence("python", "print((1)") * 5)
    assert [finding.severity for finding in findings] == ["major"] * 3


def test_a_sound_block_beside_a_broken_one_earns_nothing():
    """The block is in order only if every part of it parses."""
    findings = seen(fence("python", "x = 1") + fence("python", "print((1)"))
    assert [finding.severity for finding in findings] == ["major"]


def test_no_block_no_word():
    """Prose is not code."""
    assert not seen("def area(r: is how it begins.")


def test_a_very_long_block_and_a_very_deep_one_do_no_harm():
    """Neither a crash nor an accusation."""
    assert not seen(fence("python", "x = 1\n" * 50_000 + "x = ("))
    assert not [finding for finding in seen(fence("python", "(" * 2000 + ")" * 2000)) if finding.severity]


@pytest.mark.parametrize("grammar", sorted(GRAMMARS))
def test_the_grammars_are_on_the_machine(grammar):
    """They are installed with evenhand; nothing is fetched."""
    assert parser(grammar) is not None


def test_every_language_the_check_reads_has_a_grammar():
    """Python is parsed by Python itself first."""
    assert {grammar for grammars, _ in READINGS.values() for grammar in grammars} | {"python"} == set(GRAMMARS)


@pytest.fixture
def without_grammars(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Without the grammars of Lua and bash, and with one for Go that is made for another release."""
    monkeypatch.setitem(GRAMMARS, "lua", ("tree-sitter-lua-is-not-here", "language"))
    monkeypatch.setitem(GRAMMARS, "bash", ("tree-sitter-bash-is-not-here", "language"))
    monkeypatch.setitem(GRAMMARS, "go", ("tree-sitter-go", "language_of_another_release"))
    parser.cache_clear()
    yield
    parser.cache_clear()


@pytest.mark.usefixtures("without_grammars")
def test_a_missing_grammar_is_a_note_and_neither_blame_nor_praise():
    """The scorecard says what was not parsed and what to install; other languages are parsed as ever."""
    code = fence("lua", "x = (((") + fence("go", "package main\n\nfunc main() {") + fence("js", "run())")
    subject = Subject(Submission(output=code))
    (finding,) = CHECK.run(subject)
    assert "Javascript code does not parse" in finding.message
    assert list(subject.notes) == [
        "code in lua was not parsed: its grammar cannot be loaded; "
        "run: pip install --upgrade tree-sitter tree-sitter-lua-is-not-here",
        "code in go was not parsed: its grammar cannot be loaded; "
        "run: pip install --upgrade tree-sitter tree-sitter-go",
    ]


@pytest.mark.usefixtures("without_grammars")
def test_commands_that_could_not_be_read_are_a_note_too():
    """Only where commands were run: a shell block in the answer that is left alone anyway needs none."""
    call = ToolCall(name="bash", arguments={"command": "rm -rf build"}, result="")
    subject = Subject(
        Submission(output="Done.", events=(Event("tool_call", "assistant", "", Place("run.jsonl"), call),))
    )
    assert len(runs(subject)) == 1
    assert [note.partition(":")[0] for note in subject.notes] == ["the commands that were run were not looked at"]
    unread = Subject(Submission(output=fence("sh", "make install")))
    assert not list(CHECK.run(unread)) and not unread.notes
