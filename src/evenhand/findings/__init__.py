"""What a check of your own is made of. Public.

>>> from evenhand.findings import Check, Finding, Subject
>>> def says_simply(subject: Subject):
...     if "simply" in subject.words:
...         yield Finding("says-simply", "consistency", -50, "It says simply.", quote="simply")
>>> check = Check("says-simply", ("consistency",), "The word simply.", "Half a point.", "Simply run it.", says_simply)
>>> [finding.quote for finding in check.run(Subject(Submission(output="You simply run it.")))]
['simply']
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from evenhand.core.finding import Place
    from evenhand.findings.finding import Check, Finding
    from evenhand.findings.subject import Subject
    from evenhand.work.submission import Submission

_HOMES = {
    "Check": "evenhand.findings.finding",
    "Finding": "evenhand.findings.finding",
    "Place": "evenhand.core.finding",
    "Subject": "evenhand.findings.subject",
    "Submission": "evenhand.work.submission",
}

__all__ = ["Check", "Finding", "Place", "Subject", "Submission"]


def __getattr__(name: str) -> Any:
    """Load a public name when it is first used: the checks themselves are loaded one by one."""
    if name in _HOMES:
        from importlib import import_module

        return getattr(import_module(_HOMES[name]), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
