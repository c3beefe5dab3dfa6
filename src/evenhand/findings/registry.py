"""Every check there is: the built-in ones from the files beside this one, and a user's own, loaded the same way.

A plug-in is a Python file or a package with an entry point in the group `evenhand.findings`; either
gives a tuple `CHECKS`.
"""

from __future__ import annotations

import runpy
from collections.abc import Iterable
from functools import cache
from importlib import import_module
from pathlib import Path

from evenhand.core.rules import DIMENSIONS
from evenhand.errors import InputError, Problem
from evenhand.findings.finding import Check
from evenhand.work.names import is_id

MODULES = (
    "endings.ending_checks",
    "conduct.invented_addresses",
    "text.no_answer",
    "task.forbidden_changes",
    "safety.secrets",
    "safety.obeyed_results",
    "conduct.repeated_calls",
    "conduct.malformed_calls",
    "code.code_parses",
    "code.structured_data",
    "text.open_fence",
    "task.constraints",
    "safety.commands",
    "safety.insecure_code",
)
"""The files of the built-in checks: what gives faults, then what gives notes."""

ENTRY_POINTS = "evenhand.findings"


@cache
def built_in() -> tuple[Check, ...]:
    """The built-in checks."""
    return tuple(check for module in MODULES for check in import_module(f"evenhand.findings.{module}").CHECKS)


@cache
def about_runs() -> frozenset[str]:
    """The built-in checks that look at what an agent did: where there is no transcript they have nothing to look at."""
    modules = [name for name in MODULES if name.startswith(("endings.", "conduct."))] + [
        "safety.obeyed_results",
        "safety.commands",
    ]
    return frozenset(check.id for name in modules for check in import_module(f"evenhand.findings.{name}").CHECKS)


def installed() -> tuple[Check, ...]:
    """The checks of installed packages."""
    from importlib.metadata import entry_points  # costs start-up time

    loaded: list[Check] = []
    for point in entry_points(group=ENTRY_POINTS):
        source = f"entry point {point.name} = {point.value}"
        try:
            checks = point.load()
        except Exception as error:  # whatever someone else's module raises
            raise InputError(Problem(f"cannot be loaded: {type(error).__name__}: {error}", source)) from None
        if not isinstance(checks, tuple | list):
            raise InputError(Problem("does not lead to a tuple of checks", source))
        loaded += _sound(checks, source)
    return tuple(loaded)


def from_file(path: str) -> tuple[Check, ...]:
    """The checks of a Python file, which the user names and so trusts."""
    if not Path(path).is_file():
        raise InputError(Problem("no such file", path))
    try:
        checks = runpy.run_path(path).get("CHECKS")
    except Exception as error:
        raise InputError(Problem(f"cannot be loaded: {type(error).__name__}: {error}", path)) from None
    if not isinstance(checks, tuple | list):
        raise InputError(Problem("defines no tuple CHECKS", path))
    return _sound(checks, path)


def refuse_doubles(checks: Iterable[Check]) -> None:
    """Each id names one check, so that a rubric's `detect` means one thing."""
    seen: set[str] = set()
    for check in checks:
        if check.id in seen:
            raise InputError(f"a check named {check.id} already exists; give yours another id")
        seen.add(check.id)


def _sound(checks: Iterable[object], source: str) -> tuple[Check, ...]:
    """Refuse what is not a check before it runs."""
    accepted = []
    for check in checks:
        if not isinstance(check, Check):
            raise InputError(Problem(f"{check!r:.80} is not a check; see evenhand.findings.finding.Check", source))
        if not isinstance(check.id, str) or not is_id(check.id):
            raise InputError(Problem(f"{check.id!r:.80} is not an id; use lower-case words joined by hyphens", source))
        wrong = sorted(set(map(str, check.dimensions)) - set(DIMENSIONS))
        if wrong or not check.dimensions or isinstance(check.dimensions, str):
            problem = (
                f"check {check.id}: no dimension {', '.join(wrong)}" if wrong else f"check {check.id}: no dimensions"
            )
            raise InputError(Problem(f"{problem}; dimensions are {', '.join(DIMENSIONS)}", source))
        if not callable(check.run):
            raise InputError(Problem(f"check {check.id}: its run is not a function", source))
        accepted.append(check)
    return tuple(accepted)
