"""The mutation run: which mistakes it makes, and that it makes them nowhere else."""

from __future__ import annotations

import ast
import gc
import json
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest

from every_case import every_case

sys.path.append(str(Path(__file__).parents[1] / "benchmarks"))

from loaded_tests import loaded_functions, replacements
from mutating import changed, mutants_of
from related_tests import Related, forget, functions

ROOT = Path(__file__).parents[1]


def changes(source: str) -> set[str]:
    return {f"{mutant.before} -> {mutant.after}" for mutant in mutants_of("a.py", source)}


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("x = a < b <= c", {"< -> <=", "<= -> <"}),
        ("x = a not in b", {"not in -> in"}),
        ("x = (a) is not (b)", {"is not -> is"}),
        ("x = a * (b - c)", {"* -> /", "- -> +"}),
        ("x = 'é' + a", set()),
        ("x = 'é' if a else b", {"a -> not (a)", "a -> True", "a -> False"}),
        ("def f(n=1, on=True): pass", {"1 -> 2", "1 -> 0", "True -> False"}),
        ("def f(n=1, on=True): ...", set()),
        ("def f(n=1):\n    'Declares it.'", set()),
        ("def f():\n    return a", {"a -> None"}),
        ("def f():\n    return None", set()),
        ("def f():\n    note(a)\n    x.y = a\n    x = a", {"note(a) -> pass", "x.y = a -> pass"}),
        ("x = [a for a in b if a]", {"a -> not (a)", "a -> True", "a -> False"}),
        ('"""Text."""\nfrom a import b\nx: list[int | None]', set()),
        ("if TYPE_CHECKING:\n    import a", set()),
    ],
)
def test_the_mistakes_of_a_line(source: str, expected: set[str]):
    """Every operator has its opposite, boundaries move by one, statements go; texts and types are left alone."""
    assert changes(source) == expected


def results(source: str) -> set[str]:
    """The file after each mistake, in one line."""
    texts = {ast.unparse(ast.parse(changed(source, mutant))) for mutant in mutants_of("a.py", source)}
    return {text.replace("\n", "; ").replace("    ", "") for text in texts}


@every_case(
    ("source", "expected"),
    [
        ("x = a and (b or c)", {"x = a", "x = b or c", "x = a and b", "x = a and c", "x = a or (b or c)"}),
        ("x = (a or b) and c", {"x = c", "x = a or b", "x = a and c"}),
        ("x = a and b and c", {"x = b and c", "x = a and c", "x = a and b"}),
        ("x = c and not (a or b)", {"x = c and (a or b)", "x = c", "x = not (a or b)"}),
        ("x = [a for a in b if c]", {"x = [a for a in b if True]", "x = [a for a in b if False]"}),
        ("if a:\n    b\nelse:\n    c", {"if True:; b; else:; c", "if a:; pass; else:; c", "if a:; b; else:; pass"}),
        (
            "if a:\n    b\nelif c:\n    d",
            {"if a:; b; elif False:; d", "if a:; b; elif True:; d", "if a:; pass; elif c:; d"},
        ),
        ("while a:\n    b", {"while False:; b"}),
        ("match a:\n    case 'b':\n        c", {"match a:; case 'b':; pass"}),
        ("try:\n    a\nexcept B:\n    c", {"try:; a; except B:; raise"}),
        ("for a in b:\n    if c:\n        continue", {"for a in b:; if c:; break", "for a in b:; if c:; pass"}),
        ("for a in b:\n    if c:\n        break", {"for a in b:; if c:; continue", "for a in b:; if c:; pass"}),
        ("def f():\n    if a:\n        b()\n        return\n    c()", {"def f():; if a:; b(); pass; c()"}),
        ("def f():\n    yield a", {"def f():; yield from ()"}),
        ("def f(a):\n    a = b(a)\n    c = a", {"def f(a):; pass; c = a"}),
        ("a += b", {"a -= b", "pass"}),
        ("a -= b", {"a += b", "pass"}),
        ("raise a", {"pass"}),
    ],
)
def test_branches_conditions_and_statements_are_left_out(source: str, expected: set[str]):
    """Brackets stay with what they hold; a branch that is gone leaves `pass`."""
    assert expected <= results(source)


@every_case(
    ("source", "expected"),
    [
        ("f(a, b, c)", {"f(b, a, c)", "f(a, c, b)", "pass"}),
        ("x = isinstance(a, b)", set()),
        ("x = min(a, b)", {"x = max(a, b)"}),
        ("x = any(a)", {"x = all(a)"}),
        ("x = a.startswith(b)", {"x = a.endswith(b)"}),
        ("x = sorted(a, key=b)", {"x = sorted(a, key=b, reverse=True)", "x = sorted(a)"}),
        ("x = sorted(a for a in b)", set()),
        ("x = sorted(a, reverse=b)", {"x = sorted(a)"}),
        ("x = f(a=1.5, b=c)", {"x = f(b=c)", "x = f(a=1.5)"}),
        ("x = f(a=c)", {"x = f()"}),
        ("x = open(a, encoding=b)", set()),
        ("x = run(a, check=False)", {"x = run(a, check=True)"}),
        ("x = run(a, check=True)", {"x = run(a, check=False)", "x = run(a)"}),
        ("x = zip(a, b, strict=c)", {"x = zip(b, a, strict=c)"}),
        ("x = Decimal('0.5')", {"x = Decimal('0.6')"}),
        (
            "def f(a='b', c=D, *, e=0.5): pass",
            {
                f"def f(a={text}, c={name}, *, e={number}):; pass"
                for text, name, number in [("''", "D", 0.5), ("'b'", "None", 0.5), ("'b'", "D", 1.5)]
            },
        ),
        ("class A(B):\n    c: str = 'd'", {"class A(B):; c: str = ''"}),
        ("class A(B):\n    c: str = ''", {"class A(B):; c: str = 'other'"}),
    ],
)
def test_arguments_and_defaults_are_swapped_changed_and_left_out(source: str, expected: set[str]):
    """Not where the order of arguments means nothing, nor what only machines of other kinds would notice."""
    assert results(source) == expected


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("x = (a, b)", {"x = (b, a)"}),
        ("a, b = c", {"b, a = c"}),
        ("x = (a, a)", set()),
        ("x = ('a', 'b')", set()),
        ("x = c in (a, b)", {"x = c not in (a, b)"}),
        ("x = -a", {"x = a"}),
        ("x = -(a @ b) @ c", {"x = a @ b @ c"}),
        ("x = a[0]", {"x = a[1]", "x = a[-1]"}),
        ("x = rows[0]", {"x = rows[1]"}),
        ("x = a()[0]", {"x = a()[1]"}),
        ("x = a[-1]", {"x = a[-2]", "x = a[-0]", "x = a[1]"}),
        ("x = a[b:c]", {"x = a[:c]", "x = a[b:]"}),
        (
            "x = a[:'c'.d].lower, a.upper",
            {
                "x = (a[:'c'.d].upper, a.upper)",
                "x = (a[:'c'.d].lower, a.lower)",
                "x = (a.upper, a[:'c'.d].lower)",
                "x = (a[:].lower, a.upper)",
            },
        ),
        ("def f(low, high):\n    x = low", {"def f(low, high):; x = high"}),
        ("def f(low):\n    x = low", set()),
    ],
)
def test_order_sign_and_names_of_a_pair_are_confused(source: str, expected: set[str]):
    """The first is taken for the last, `low` for `high` where both are known; a tuple that is searched has no order."""
    assert results(source) == expected


@pytest.mark.slow
def test_every_mistake_leaves_a_file_that_can_be_read():
    """What cannot be compiled is caught by any test, and says nothing about them."""
    for name in ("core/agreement/resampling.py", "judges/model/influence.py", "store/tables/kept_rows.py"):
        source = (ROOT / "src" / "evenhand" / name).read_text(encoding="utf-8")
        before = ast.dump(ast.parse(source))
        for mutant in mutants_of(name, source)[::7]:
            assert ast.dump(ast.parse(changed(source, mutant))) != before, mutant


def test_a_change_is_made_in_its_place_only():
    """Bytes before it may be wide characters; the rest of the file is as it was."""
    source = "x = 'é'\ny = 1 if x == 'é' else 2\n"
    texts = [changed(source, mutant) for mutant in mutants_of("a.py", source)]
    assert "x = 'é'\ny = 1 if x != 'é' else 2\n" in texts
    assert all(ast.parse(text) and text != source and text.startswith("x = 'é'\ny = ") for text in texts)


def test_a_sample_stays_the_same_when_other_lines_change():
    """A mutant is known by its line of code, not by the line's number; of twins, by which of them it is."""
    before = mutants_of("a.py", "x = a + b\nx = a + b\n")
    after = mutants_of("a.py", "import a\n\nx = a + b\nx = a + b\n")
    assert [mutant.rank(7) for mutant in before] == [mutant.rank(7) for mutant in after]
    assert len({mutant.rank(7) for mutant in before}) == 2
    assert before[0].rank(7) != before[0].rank(8)


SOURCE = """LIMIT = 3

class Box:
    def full(self):
        def inner():
            return 1
        return self.size > LIMIT

async def wait():
    return 2
"""


def test_a_function_has_the_same_name_in_the_record_and_in_a_mutant():
    """With the names around it, so that two methods of one name are told apart."""
    assert [name for name, _ in functions(ast.parse(SOURCE))] == ["Box.full", "Box.full.inner", "wait"]
    assert {mutant.function for mutant in mutants_of("a.py", SOURCE)} == {"", "Box.full", "Box.full.inner", "wait"}


def test_the_tests_of_a_mutant_are_those_that_run_its_function(tmp_path: Path):
    """The quickest first, as many as fit; for a constant, the tests of the functions that use it."""
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "a.py").write_text(SOURCE)
    rows = [
        {"test": "tests/test_a.py::slow", "seconds": 5, "functions": ["a.py:Box.full"]},
        {"test": "tests/test_a.py::quick", "seconds": 1, "functions": ["a.py:Box.full", "a.py:wait"]},
        {"test": "tests/test_b.py::other", "seconds": 1, "functions": ["a.py:wait"]},
    ]
    (tmp_path / "rows.jsonl").write_text("\n".join(map(json.dumps, rows)) + '\n{"test": "cut o')
    related = Related(tmp_path, tmp_path / "src")
    assert related.to("a.py", "Box.full", "", 6) == ["tests/test_a.py::quick", "tests/test_a.py::slow"]
    assert related.to("a.py", "Box.full", "", 5) == ["tests/test_a.py::quick"]
    assert related.to("a.py", "", "LIMIT", 6) == ["tests/test_a.py::quick", "tests/test_a.py::slow"]
    assert related.to("a.py", "Box.full.inner", "", 6) == []


def test_the_tests_of_what_makes_a_constant_are_those_of_its_users(tmp_path: Path):
    """A table is filled when its file is loaded, before any test runs; a private name of another file is another."""
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "a.py").write_text("def _rows(): return {1: 2}\n_LAST = 3\nTABLE = {**_rows(), 2: _LAST}\n")
    (tmp_path / "src" / "b.py").write_text("_LAST = 4\ndef look(key): return TABLE[key]\ndef last(): return _LAST\n")
    rows = [
        {"test": f"tests/test_b.py::{name}", "seconds": 1, "functions": [f"b.py:{name}"]} for name in ("look", "last")
    ]
    (tmp_path / "rows.jsonl").write_text("\n".join(map(json.dumps, rows)))
    related = Related(tmp_path, tmp_path / "src")
    assert related.to("a.py", "_rows", "", 6) == ["tests/test_b.py::look"]
    assert related.to("a.py", "", "TABLE", 6) == ["tests/test_b.py::look"]
    assert related.to("b.py", "", "_LAST", 6) == ["tests/test_b.py::last"]


def test_a_test_file_that_changed_is_forgotten_and_the_others_stay(tmp_path: Path):
    """Also what was cut off when a run was stopped."""
    rows = [{"test": f"tests/test_{name}.py::t", "seconds": 1, "functions": ["a.py:wait"]} for name in "abc"]
    (tmp_path / "rows.jsonl").write_text("\n".join(map(json.dumps, rows)) + '\n{"test": "cut o')
    forget(tmp_path, {"tests/test_b.py"})
    assert [json.loads(line) for line in (tmp_path / "rows.jsonl").read_text().splitlines()] == [rows[0], rows[2]]


@pytest.mark.slow
def test_every_survivor_that_is_listed_with_a_reason_is_a_mutant_of_the_code():
    """A line that has changed since must be looked at again."""
    rows = tomllib.loads((ROOT / "benchmarks" / "mutants.toml").read_text(encoding="utf-8"))["survivor"]
    made = {
        (mutant.file, mutant.text, f"{mutant.before} -> {mutant.after}")
        for file in {row["file"] for row in rows}
        for mutant in mutants_of(file, (ROOT / "src" / file).read_text(encoding="utf-8"))
    }
    assert [row for row in rows if (row["file"], row["line"], row["change"]) not in made] == []


LOADED = """
X = 3

def f(a, b=2):
    def g(c):
        return c + 1
    return g(a) * b

class A:
    Y = 4

    @property
    def h(self):
        return [n + 5 for n in (1, 2)]
"""


@pytest.mark.parametrize(
    ("before", "after", "result"),
    [
        ("g(a) * b", "g(a) - b", (9, [6, 7])),
        ("c + 1", "c - 1", (18, [6, 7])),
        ("n + 5", "n - 5", (22, [-4, -3])),
    ],
)
def test_a_change_inside_a_function_replaces_its_code(before: str, after: str, result: tuple[int, list[int]]) -> None:
    """Also in functions inside it; the function stays the one that others have imported."""
    space: dict[str, Any] = {}
    exec(compile(LOADED, "/a.py", "exec"), space)
    loaded = {"f": space["f"], "A.h": vars(space["A"])["h"].fget}
    functions = {("/a.py", name, function.__code__.co_firstlineno): [function] for name, function in loaded.items()}
    new = replacements(LOADED, LOADED.replace(before, after), "/a.py", functions)
    assert new is not None and len(new) == 1
    for function, code in new:
        function.__code__ = code
    assert (space["f"](10), space["A"]().h) == result


@pytest.mark.parametrize(("before", "after"), [("X = 3", "X = 4"), ("b=2", "b=3"), ("Y = 4", "Y = 5"), ("X", "X")])
def test_a_change_elsewhere_needs_everything_loaded_anew(before: str, after: str) -> None:
    """A constant, a default or a class is made once, when its file is loaded."""
    space: dict[str, Any] = {}
    exec(compile(LOADED, "/a.py", "exec"), space)
    functions = {("/a.py", "f", space["f"].__code__.co_firstlineno): [space["f"]]}
    assert replacements(LOADED, LOADED.replace(before, after), "/a.py", functions) is None


def test_functions_are_found_that_the_garbage_collector_no_longer_looks_at() -> None:
    """As all that is loaded with the tests, which stays to the end: a change to them is then made in a fork."""
    gc.freeze()
    try:
        found, _ = loaded_functions()
    finally:
        gc.freeze()  # as it was
    code = replacements.__code__
    assert found[code.co_filename, "replacements", code.co_firstlineno] == [replacements]
