"""A misspelt or misplaced argument of a public function, told apart and put right."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from inspect import signature
from typing import ParamSpec, TypeVar

Parameters = ParamSpec("Parameters")
Result = TypeVar("Result")


def suggesting(function: Callable[Parameters, Result]) -> Callable[Parameters, Result]:
    """A function whose error for an unknown keyword says what was meant, as newer Pythons do, and where it belongs."""
    valid = [name for name in signature(function).parameters if name != "self"]

    @wraps(function)
    def call(*arguments: Parameters.args, **keywords: Parameters.kwargs) -> Result:
        for name in keywords:
            if name not in valid:
                raise TypeError(f"{function.__qualname__.removesuffix('.__init__')}: {_explained(name, valid)}")
        return function(*arguments, **keywords)

    return call


def _explained(name: str, valid: list[str]) -> str:
    from evenhand.core.values.model_options import OPTIONS
    from evenhand.core.values.submission import Submission
    from evenhand.errors import unknown

    if "options" in valid and name in OPTIONS:
        return f"{name} is one of the options; give options=ModelOptions({name}=...)"
    if "submission" in valid and name in Submission._fields:
        return f"{name} belongs to the submission; give Submission(output=..., {name}=...)"
    return unknown("argument", name, valid)
