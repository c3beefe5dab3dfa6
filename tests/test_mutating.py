"""The mutation run: which mistakes it makes, and that it makes them nowhere else."""

from __future__ import annotations

import ast
import sys
from pathlib import Path

import pytest

sys.path.append(str(Path(__file__).parents[1] / "benchmarks"))

from mutating import changed, mutants_of


def changes(source: str) -> set[str]:
    return {f"{mutant.before} -> {mutant.after}" for mutant in mutants_of("a.py", source)}


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("x = a < b <= c", {"< -> <=", "<= -> <"}),
        ("x = a not in b", {"not in -> in"}),
        ("x = (a) is not (b)", {"is not -> is"}),
        ("x = a and b or c", {"and -> or", "or -> and"}),
        ("x = a * (b - c)", {"* -> /", "- -> +"}),
        ("x = 'é' + a", set()),
        ("x = 'é' if a else b", {"a -> not (a)"}),
        ("def f(n=1, on=True): ...", {"1 -> 2", "1 -> 0", "True -> False"}),
        ("def f():\n    return a", {"a -> None"}),
        ("def f():\n    return None", set()),
        ("def f():\n    note(a)\n    x.y = a\n    x = a", {"note(a) -> pass", "x.y = a -> pass"}),
        ("x = [a for a in b if a]", {"a -> not (a)"}),
        ('"""Text."""\nfrom a import b\nx: list[int | None]', set()),
        ("if TYPE_CHECKING:\n    import a", set()),
    ],
)
def test_the_mistakes_of_a_line(source: str, expected: set[str]):
    """Every operator has its opposite, boundaries move by one, statements go; texts and types are left alone."""
    assert changes(source) == expected


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
