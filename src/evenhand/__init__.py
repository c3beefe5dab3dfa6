"""evenhand: an even-handed judge for what agents and their skills produce.

>>> import evenhand
>>> card = evenhand.score({"skill": "summary", "rubric": "writing",
...                        "scores": dict.fromkeys(evenhand.DIMENSIONS, 7)})
>>> f"{card.final} {card.grade.letter}"
'7.00 B-'
"""

from __future__ import annotations

from evenhand._version import __version__

TYPE_CHECKING = False  # as type checkers know it: importing it from typing would take a fifth of `evenhand --version`

if TYPE_CHECKING:
    from typing import Any

    from evenhand.api.anchors import add_anchors, run_anchors
    from evenhand.api.calibration import calibrate, estimate
    from evenhand.api.labels import agree, import_labels
    from evenhand.api.preferences import prefer, prefer_async
    from evenhand.api.probes import probe
    from evenhand.api.scorecards import (
        compare,
        compare_sets,
        document,
        history,
        load_rubric,
        open_store,
        rank,
        read_submissions,
        rescore,
        score,
    )
    from evenhand.core.basics.methodology import DIMENSIONS, METHODOLOGY_VERSION, Grade
    from evenhand.core.documents.verification import Verification
    from evenhand.core.method.audit import audit
    from evenhand.core.values.judgement import Judgement
    from evenhand.core.values.preference import Preferences
    from evenhand.core.values.ranking import Ranking
    from evenhand.core.values.rubric import Rubric
    from evenhand.core.values.scorecard import Scorecard
    from evenhand.core.values.submission import Submission
    from evenhand.core.values.suite import Suite
    from evenhand.errors import (
        DocumentError,
        EvenhandError,
        InputError,
        JudgementError,
        RubricError,
        StoreUnavailable,
        Unavailable,
    )
    from evenhand.evaluations.gate import gate
    from evenhand.judging.single import judge, judge_async
    from evenhand.judging.tables.batch import batch
    from evenhand.judging.verification import verify
    from evenhand.suite_runs.checked_suite import read_suite

_HOMES = {
    "evenhand.core.method.audit": ("audit",),
    "evenhand.core.basics.methodology": ("DIMENSIONS", "METHODOLOGY_VERSION", "Grade"),
    "evenhand.core.values.judgement": ("Judgement",),
    "evenhand.core.values.preference": ("Preferences",),
    "evenhand.core.values.ranking": ("Ranking",),
    "evenhand.core.values.rubric": ("Rubric",),
    "evenhand.core.values.scorecard": ("Scorecard",),
    "evenhand.core.values.submission": ("Submission",),
    "evenhand.core.values.suite": ("Suite",),
    "evenhand.core.documents.verification": ("Verification",),
    "evenhand.errors": (
        "DocumentError",
        "EvenhandError",
        "InputError",
        "JudgementError",
        "RubricError",
        "StoreUnavailable",
        "Unavailable",
    ),
    "evenhand.api.anchors": ("add_anchors", "run_anchors"),
    "evenhand.judging.tables.batch": ("batch",),
    "evenhand.evaluations.gate": ("gate",),
    "evenhand.api.scorecards": (
        "compare",
        "compare_sets",
        "document",
        "history",
        "load_rubric",
        "open_store",
        "rank",
        "read_submissions",
        "rescore",
        "score",
    ),
    "evenhand.judging.single": ("judge", "judge_async"),
    "evenhand.api.preferences": ("prefer", "prefer_async"),
    "evenhand.api.calibration": ("calibrate", "estimate"),
    "evenhand.api.probes": ("probe",),
    "evenhand.suite_runs.checked_suite": ("read_suite",),
    "evenhand.api.labels": ("agree", "import_labels"),
    "evenhand.judging.verification": ("verify",),
}

__all__ = [
    "DIMENSIONS",
    "METHODOLOGY_VERSION",
    "DocumentError",
    "EvenhandError",
    "Grade",
    "InputError",
    "Judgement",
    "JudgementError",
    "Preferences",
    "Ranking",
    "Rubric",
    "RubricError",
    "Scorecard",
    "StoreUnavailable",
    "Submission",
    "Suite",
    "Unavailable",
    "Verification",
    "__version__",
    "add_anchors",
    "agree",
    "audit",
    "batch",
    "calibrate",
    "compare",
    "compare_sets",
    "document",
    "estimate",
    "gate",
    "history",
    "import_labels",
    "judge",
    "judge_async",
    "load_rubric",
    "open_store",
    "prefer",
    "prefer_async",
    "probe",
    "rank",
    "read_submissions",
    "read_suite",
    "rescore",
    "run_anchors",
    "score",
    "verify",
]


def __getattr__(name: str) -> Any:
    """Load a public name when it is first used, so that importing the package costs nothing."""
    from importlib import import_module

    if name == "checks":
        return import_module("evenhand.checks")
    for home, names in _HOMES.items():
        if name in names:
            value = globals()[name] = getattr(import_module(home), name)
            if not home.startswith(("evenhand.core.", "evenhand.errors")):
                _show_in_notebooks()
            return value
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def _show_in_notebooks() -> None:
    """Let notebooks show scorecards as HTML. Done here because the scorecard is of the core, which knows no reports."""
    from evenhand.core.values.scorecard import Scorecard as Card

    if not hasattr(Card, "_repr_html_"):
        Card._repr_html_ = _html  # type: ignore[attr-defined]


def _html(card: Scorecard) -> str:
    from evenhand.reports.notebook import scorecard_html

    return scorecard_html(card)
