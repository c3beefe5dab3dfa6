"""evenhand: an even-handed judge for what agents and their skills produce.

>>> import evenhand
>>> card = evenhand.score({"skill": "summary", "rubric": "writing",
...                        "scores": dict.fromkeys(evenhand.DIMENSIONS, 7)})
>>> f"{card.final} {card.grade.letter}"
'7.00 B-'
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from evenhand._version import __version__

if TYPE_CHECKING:
    from evenhand.core.basics.methodology import DIMENSIONS, METHODOLOGY_VERSION, Grade
    from evenhand.core.documents.verification import Verification
    from evenhand.core.method.audit import audit
    from evenhand.core.values.judgement import Judgement
    from evenhand.core.values.ranking import Ranking
    from evenhand.core.values.rubric import Rubric
    from evenhand.core.values.scorecard import Scorecard
    from evenhand.core.values.submission import Submission
    from evenhand.errors import (
        DocumentError,
        EvenhandError,
        InputError,
        JudgementError,
        RubricError,
        StoreUnavailable,
        Unavailable,
    )
    from evenhand.pipeline.api import (
        compare,
        compare_sets,
        document,
        gate,
        history,
        judge,
        load_rubric,
        open_store,
        rank,
        read_submissions,
        rescore,
        score,
    )
    from evenhand.pipeline.batch import batch
    from evenhand.pipeline.verifying import verify

_HOMES = {
    "evenhand.core.method.audit": ("audit",),
    "evenhand.core.basics.methodology": ("DIMENSIONS", "METHODOLOGY_VERSION", "Grade"),
    "evenhand.core.values.judgement": ("Judgement",),
    "evenhand.core.values.ranking": ("Ranking",),
    "evenhand.core.values.rubric": ("Rubric",),
    "evenhand.core.values.scorecard": ("Scorecard",),
    "evenhand.core.values.submission": ("Submission",),
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
    "evenhand.pipeline.batch": ("batch",),
    "evenhand.pipeline.api": (
        "compare",
        "compare_sets",
        "document",
        "gate",
        "history",
        "judge",
        "load_rubric",
        "open_store",
        "rank",
        "read_submissions",
        "rescore",
        "score",
    ),
    "evenhand.pipeline.verifying": ("verify",),
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
    "Ranking",
    "Rubric",
    "RubricError",
    "Scorecard",
    "StoreUnavailable",
    "Submission",
    "Unavailable",
    "Verification",
    "__version__",
    "audit",
    "batch",
    "compare",
    "compare_sets",
    "document",
    "gate",
    "history",
    "judge",
    "load_rubric",
    "open_store",
    "rank",
    "read_submissions",
    "rescore",
    "score",
    "verify",
]


def __getattr__(name: str) -> Any:
    """Load a public name when it is first used, so that importing the package costs nothing."""
    for home, names in _HOMES.items():
        if name in names:
            from importlib import import_module

            return getattr(import_module(home), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
