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
    from evenhand.core.audit import audit
    from evenhand.core.methodology import DIMENSIONS, METHODOLOGY_VERSION, Grade
    from evenhand.core.model import Judgement, Ranking, Rubric, Scorecard, Submission
    from evenhand.core.verification import Verification
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
        verify,
    )
    from evenhand.pipeline.batch import batch

_HOMES = {
    "evenhand.core.audit": ("audit",),
    "evenhand.core.methodology": ("DIMENSIONS", "METHODOLOGY_VERSION", "Grade"),
    "evenhand.core.model": ("Judgement", "Ranking", "Rubric", "Scorecard", "Submission"),
    "evenhand.core.verification": ("Verification",),
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
        "verify",
    ),
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
