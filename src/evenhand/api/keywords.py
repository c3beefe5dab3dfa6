"""The arguments of public functions, checked before they run: misspelt or misplaced names, values of another type."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from functools import wraps
from inspect import signature
from os import PathLike
from typing import Any, Final, ParamSpec, TypeVar

Parameters = ParamSpec("Parameters")
Result = TypeVar("Result")

_TYPES: Final[Mapping[str, tuple[type, ...]]] = {
    "None": (type(None),),
    "str": (str,),
    "Path": (PathLike,),
    "int": (int,),
    "bool": (bool,),
    "float": (float, int),
    "Mapping": (Mapping,),
}
_MANY: Final = ("Iterable", "Sequence")
_OURS: Final = ("Calibration", "Judgement", "ModelOptions", "Rubric", "Scorecard", "Store", "Submission")
_TOLD_APART: Final = (type(None), int, float, str, bytes, list, tuple, set, frozenset, dict, PathLike)
"""The types that are checked. Values of others, such as arrays, may be fit for anything and are let through."""
_IN_BRACKETS = re.compile(r"\[[^\[\]]*\]")


def suggesting(function: Callable[Parameters, Result]) -> Callable[Parameters, Result]:
    """A function whose error for a wrong argument names it, and says what was meant, where it goes or what it takes."""
    valid = {name: str(parameter.annotation) for name, parameter in signature(function).parameters.items()}
    kinds = {name: _kinds(annotation) for name, annotation in valid.items()}

    def described() -> str:
        return function.__qualname__.removesuffix(".__init__")

    @wraps(function)
    def call(*arguments: Parameters.args, **keywords: Parameters.kwargs) -> Result:
        for name in keywords:
            if name not in valid:
                raise TypeError(f"{described()}: {_explained(name, [name for name in valid if name != 'self'])}")
        for name, value in _named(valid, arguments, keywords):
            if name != "self" and not _fits(value, kinds[name]):
                raise TypeError(
                    f"{described()}: {name} is {_shown(value)}, not {valid[name]}{_instead(value, kinds[name])}"
                )
        return function(*arguments, **keywords)

    return call


def _named(
    valid: Mapping[str, str], arguments: tuple[Any, ...], keywords: Mapping[str, Any]
) -> Iterator[tuple[str, Any]]:
    yield from zip(valid, arguments, strict=False)  # too many of them: Python says so itself
    yield from keywords.items()


def _kinds(annotation: str) -> tuple[str, ...]:
    """`str | Sequence[str] | None` as `str`, `Sequence` and `None`; nothing for an annotation that allows more."""
    while annotation != (annotation := _IN_BRACKETS.sub("", annotation)):
        pass
    kinds = tuple(annotation.split(" | "))
    if "Mapping" in kinds and any(kind in _OURS for kind in kinds):
        return ()  # data, perhaps from a file: whoever reads it says what is wrong with it
    return kinds if all(kind in (*_TYPES, *_MANY, *_OURS) for kind in kinds) else ()


def _fits(value: object, kinds: tuple[str, ...]) -> bool:
    """Whether a value may be of one of these kinds; what cannot be told may."""
    if not kinds or not isinstance(value, _TOLD_APART):
        return True
    if any(isinstance(value, _TYPES[kind]) for kind in kinds if kind in _TYPES):
        return True
    if hasattr(value, "_fields"):  # a record of ours is a tuple, and not several of anything
        return any(parent.__name__ in kinds for parent in type(value).__mro__)
    # A text is several characters, which is never what was meant.
    return not isinstance(value, str | bytes) and hasattr(value, "__iter__") and any(kind in _MANY for kind in kinds)


def _shown(value: object) -> str:
    if value is None:
        return "None"
    name = type(value).__name__
    return f"{'an' if name[0] in 'aeiouAEIOU' else 'a'} {name}"


def _instead(value: object, kinds: tuple[str, ...]) -> str:
    """Advice for a value of the wrong type."""
    if "Store" in kinds and isinstance(value, str | PathLike):
        return f"; open it with evenhand.open_store({str(value)!r})"
    if "ModelOptions" in kinds and isinstance(value, dict):
        return f"; give ModelOptions({', '.join(f'{name}=...' for name in value)})"
    return ""


def _explained(name: str, valid: list[str]) -> str:
    from evenhand.errors import unknown
    from evenhand.options.model_options import OPTIONS
    from evenhand.work.submission import Submission

    if "options" in valid and name in OPTIONS:
        return f"{name} is one of the options; give options=ModelOptions({name}=...)"
    if "submission" in valid and name in Submission._fields:
        return f"{name} belongs to the submission; give Submission(output=..., {name}=...)"
    return unknown("argument", name, valid)
