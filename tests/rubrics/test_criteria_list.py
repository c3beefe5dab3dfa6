"""Criteria under a dimension of a rubric file: read with their lines, written back, refused where not understood."""

from __future__ import annotations

import random
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import evenhand
from evenhand.core.rules import DIMENSIONS
from evenhand.core.values import Criterion, Group, Tree
from evenhand.documents.criteria import quoted_text, tree_lines
from evenhand.errors import RubricError
from evenhand.reports.markdown import rubric_markdown
from evenhand.rubrics.check import weaknesses
from evenhand.rubrics.criteria_list import text_from
from evenhand.rubrics.rubric_file import ParsedRubric, parse_rubric
from every_case import every_case

BANDS = "| Score | Criteria |\n|---|---|\n" + "".join(
    f"| {low}-{low + 1} | {word} of it holds. |\n"
    for low, word in ((9, "All"), (7, "Most"), (5, "Half"), (3, "Little"), (1, "Nothing"))
)


def rubric_text(criteria: str, *, bands: bool = True) -> str:
    """A rubric whose correctness has these criteria; the first of their lines is line 9, or 18 with bands."""
    text = (
        f"# Fixes\n\n### Correctness\n\nIs it right?\n\n{BANDS + chr(10) if bands else ''}#### Criteria\n\n{criteria}\n"
    )
    return text + "".join(f"\n### {name.title()}\n\nIs it so?\n\n{BANDS}" for name in DIMENSIONS[1:])


def parsed(criteria: str, **more: Any) -> ParsedRubric:
    return parse_rubric(rubric_text(criteria, **more), "fixes.md", name="fixes")


def tree_of(criteria: str) -> Tree:
    tree = parsed(criteria).rubric.dimensions["correctness"].tree
    assert tree is not None
    return tree


EXAMPLE = """\
Partly counts 1/3.

- `names-ticket` (2 points): The answer names the ticket, 41 of 42.
- `invents` (-3 points): It states a number that is
  not in the log.
  - requires: names-ticket
  - otherwise: does not apply
  - applies when: the task has a log
- `tests` (weight 2.5): Tests
  - `tests-run` (1 point): The tests run.
    - decided by: expect {answer: {contains: pytest}}
    - note `category`: "Code"
  - `deeper` (weight 1/3): Deeper
    - `secrets`: No secret is shown.
      - decided by: check secrets
"""
TREE = Tree(
    (
        Criterion("names-ticket", "The answer names the ticket, 41 of 42.", Fraction(2)),
        Criterion(
            "invents",
            "It states a number that is not in the log.",
            Fraction(-3),
            ("names-ticket",),
            "does not apply",
            "the task has a log",
        ),
        Group(
            "tests",
            "Tests",
            Fraction(5, 2),
            (
                Criterion(
                    "tests-run",
                    "The tests run.",
                    Fraction(1),
                    expect={"answer": {"contains": "pytest"}},
                    notes={"category": "Code"},
                ),
                Group(
                    "deeper",
                    "Deeper",
                    Fraction(1, 3),
                    (Criterion("secrets", "No secret is shown.", Fraction(1), check="secrets"),),
                ),
            ),
        ),
    ),
    Fraction(1, 3),
)


def test_a_list_of_criteria_is_read():
    assert tree_of(EXAMPLE) == TREE


def test_it_is_written_as_it_is_read():
    assert tree_of("\n".join(tree_lines(TREE))) == TREE


def test_a_rubric_shown_as_markdown_is_the_same_rubric():
    rubric = parsed(EXAMPLE).rubric
    again = parse_rubric(rubric_markdown(rubric), "again.md", name="fixes").rubric
    assert evenhand.document(again) == evenhand.document(rubric)


def test_bands_are_guidance_and_may_be_left_out():
    rubric = parsed(EXAMPLE, bands=False).rubric
    assert rubric.dimensions["correctness"].bands == () and rubric.dimensions["correctness"].tree == TREE


def test_lines_of_criteria_are_known():
    lines = parsed(EXAMPLE, bands=False).lines
    assert lines["criteria", "names-ticket"] == 11 and lines["criteria", "secrets"] == 22


@every_case(
    ("criteria", "line", "message"),
    [
        ("- `a` (1 point): A.\n- `a` (1 point): B.", 10, "a second criterion a; the first is on line 9"),
        ("- `a` (1 point): A.\n  - requires: b", 9, 'a requires unknown criterion "b"'),
        ("- `a` (1 point): A.\n  - requires: g\n- `g` (weight 1): G\n  - `c`: C.", 9, "a group cannot be required"),
        ("- `a` (1 point): A.\n  - requires: a", 9, "a requires itself: a -> a"),
        ("- `a` (2 points): A.\n  - requires: b\n- `b`: B.\n  - requires: a", 11, "b requires itself: b -> a -> b"),
        ("- `a` (1 point):", 9, "a has no sentence"),
        ("- `a` (1 point): A.\n- Names the ticket.", 10, "is not a criterion; write it like"),
        ("- `a` (1 point): A.\n- `b` (twice): B.", 10, "(twice) is not understood"),
        ("- `A B` (1 point): A.", 9, "must be lower-case words"),
        ("- `g` (weight -1): G\n  - `a`: A.", 9, "its weight cannot be negative"),
        ("- `g` (weight 1): G", 9, "has a weight and no criteria"),
        ("- `g` (2 points): G\n  - `a`: A.", 9, "give its weight, like (weight 2)"),
        ("- `g` (weight 2): G\n  - requires: a\n  - `a`: A.", 9, "is a group; only criteria have requirements"),
        ("- `a` (1 point): A.\n  - needs: b", 10, 'unknown line under a criterion "needs"'),
        ("- `a` (1 point): A.\n  - otherwise: partly", 10, "otherwise: is no or does not apply"),
        ("- `a` (1 point): A.\n  - decided by: magic", 10, 'decided by: is "check ID"'),
        ("- `a` (1 point): A.\n  - requires: b\n  - requires: c\n- `b`: B.\n- `c`: C.", 11, "a second requires:"),
        ("- `a` (0.0000000000000000001 points): A.", 9, "too many digits"),
        ("- `a` (1/0 points): A.", 9, "divides by zero"),
        ("Everything counts 3 times.\n\n- `a` (1 point): A.", 9, "is not read; a criterion is a bullet"),
        ("Partly counts 3/2.\n\n- `a` (1 point): A.", 9, "a share from 0 to 1"),
        ("- `a` (1 point): A.\n\n```\nweight: 2\n```", 11, "tables and code are not read"),
    ],
)
def test_what_is_not_understood_is_refused_with_its_line(criteria: str, line: int, message: str):
    with pytest.raises(RubricError) as error:
        parsed(criteria, bands=False)
    assert [(p.line, message in p.message) for p in error.value.problems] == [(line, True)], error.value.problems


def test_ids_are_unique_across_dimensions():
    text = rubric_text("- `a` (1 point): A.").replace(
        "### Safety\n\nIs it so?\n", "### Safety\n\nIs it so?\n\n#### Criteria\n\n- `a` (1 point): A.\n\n### x\n"
    )
    with pytest.raises(RubricError, match="a second criterion a"):
        parse_rubric(text.replace("\n### x\n", ""), "fixes.md", name="fixes")


@pytest.mark.parametrize(
    ("criteria", "message"),
    [
        ("- `a` (0 points): A.\n- `b` (1 point): B.", "a cannot be reached: it has no points"),
        ("- `g` (weight 0): G\n  - `a`: A.\n- `b` (1 point): B.", "nothing in g can be reached"),
        ("- `a` (1 point): It names it.\n- `b` (1 point): it names IT!", "b says the same as a"),
        ("- `a` (1 point): TODO: the ticket.", "a still holds a placeholder"),
    ],
)
def test_weak_criteria_are_found(criteria: str, message: str):
    assert any(message in problem.message and problem.line for problem in weaknesses(parsed(criteria)))


def test_a_criterion_without_points_that_others_require_is_sound():
    sound = "- `a` (0 points): It opens.\n- `b` (1 point): It runs.\n  - requires: a"
    assert not any("reached" in problem.message for problem in weaknesses(parsed(sound)))


@pytest.mark.parametrize(
    ("decided", "message"),
    [
        ("check no-such-check", 'unknown check "no-such-check"'),
        ("expect {text: It is polite.}", "only a reader can decide it"),
        ("expect {command: {run: [rm, -rf, x]}}", "a rubric runs no commands"),
        ("expect {answr: {contains: x}}", "an expectation is about exactly one of"),
    ],
)
def test_undecidable_criteria_are_errors(evenhand_command: Any, tmp_path: Path, decided: str, message: str):
    path = tmp_path / "fixes.md"
    path.write_text(rubric_text(f"- `a` (1 point): A.\n  - decided by: {decided}", bands=False))
    done = evenhand_command("rubric", "check", str(path))
    assert done.code == 2 and f"{path}:9: a cannot be decided: " in done.err and message in done.err


def test_a_heading_criteria_over_bands_is_what_it_was():
    text = rubric_text("", bands=False).replace("#### Criteria\n", f"#### Criteria\n\n{BANDS}")
    assert parse_rubric(text, "x.md", name="x").rubric.dimensions["correctness"].tree is None


@given(st.text(max_size=60))
@settings(max_examples=300, deadline=None)
def test_any_text_survives_a_bullet(text: str):
    assert text_from(quoted_text(text)) == text


@pytest.mark.slow
def test_random_trees_survive_the_file():
    """Whatever is in the sentences: Markdown, LaTeX, line breaks, quotation marks, other scripts."""
    chance = random.Random(5)
    odd = ["two\nlines", '"quoted"', " spaces  here ", "日本語", "- x", "a\\", "#", "", "1. x"]
    texts = ["$f(x)=\\sum_i x_i$", "`a` | b", "<b>x</b> & *y*", *odd]

    def node(path: str, depth: int) -> Criterion | Group:
        if depth < 6 and chance.random() < 0.5:
            children = tuple(node(f"{path}-{n}", depth + 1) for n in range(chance.randint(1, 3)))
            return Group(path, chance.choice(texts), Fraction(chance.randint(0, 9), chance.randint(1, 8)), children)
        points = Fraction(chance.choice([-3, -1, 0, 1, 7]), chance.choice([1, 2, 3, 400]))
        return Criterion(path, chance.choice(texts) or "x", points, notes={"k": [1, None, {"a": "b\n"}]})

    for _ in range(60):
        tree = Tree(tuple(node(f"n{n}", 1) for n in range(chance.randint(1, 4))), Fraction(chance.randint(0, 5), 5))
        if next(tree.criteria(), None) is not None:
            assert tree_of("\n".join(tree_lines(tree))) == tree


def test_a_tree_may_be_a_hundred_groups_deep():
    node: Criterion | Group = Criterion("leaf", "It holds.", Fraction(1))
    for depth in range(99):
        node = Group(f"g{depth}", "", Fraction(1), (node,))
    assert tree_of("\n".join(tree_lines(Tree((node,))))) == Tree((node,))
    deeper = Tree((Group("top", "", Fraction(1), (node,)),))
    with pytest.raises(RubricError, match="more than 100 deep"):
        tree_of("\n".join(tree_lines(deeper)))
