"""Phrases that are shown in many places are written in one."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

import evenhand
from evenhand.core.bounds import NONE_READ, NOT_READ

SOURCE = Path(evenhand.__file__).parent


def phrases(path: Path) -> set[str]:
    """The texts of a file of at least five words, except docstrings."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    notes = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    texts = (node for node in ast.walk(tree) if isinstance(node, ast.Constant) and id(node) not in notes)
    return {node.value.strip() for node in texts if isinstance(node.value, str) and len(node.value.split()) >= 5}


@pytest.mark.slow
def test_that_no_one_has_read_an_output_is_said_in_one_place():
    """Every room takes the words from there, so that they can be changed there."""
    written = {path.relative_to(SOURCE).as_posix(): phrases(path) for path in SOURCE.rglob("*.py")}
    for phrase in (NOT_READ, NONE_READ):
        holders = [path for path, texts in written.items() if any(phrase in text for text in texts)]
        assert holders == ["core/bounds.py"]
