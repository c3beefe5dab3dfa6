"""The sentences that stand below the fields of a class, read from its source: only schemas and reference pages ask."""

from __future__ import annotations

import ast
import inspect
import textwrap
from functools import cache


@cache
def sentences_of(kind: type) -> dict[str, str]:
    """By field or property: its docstring, on one line."""
    [body] = ast.parse(textwrap.dedent(inspect.getsource(kind))).body
    assert isinstance(body, ast.ClassDef)
    found = {}
    for declared, below in zip(body.body, [*body.body[1:], ast.Pass()], strict=True):
        if isinstance(declared, ast.AnnAssign) and isinstance(declared.target, ast.Name):
            if isinstance(below, ast.Expr) and isinstance(below.value, ast.Constant):
                found[declared.target.id] = inspect.cleandoc(str(below.value.value))
        elif isinstance(declared, ast.FunctionDef):
            found[declared.name] = ast.get_docstring(declared) or ""
    return {name: " ".join(text.split()) for name, text in found.items() if text}


def summary_of(kind: type) -> str:
    """The docstring of the class, on one line; none where the dataclass only repeats its signature."""
    text = kind.__doc__ or ""
    return "" if text.startswith(f"{kind.__name__}(") else " ".join(inspect.cleandoc(text).split())
