"""evenhand: an even-handed judge for what agents and their skills produce.

>>> import evenhand
>>> card = evenhand.score({"skill": "summary", "rubric": "writing",
...                        "scores": dict.fromkeys(evenhand.DIMENSIONS, 7)})
>>> f"{card.final} {card.grade.letter}"
'7.00 B-'
"""

from __future__ import annotations

from evenhand._version import __version__ as __version__

TYPE_CHECKING = False  # as type checkers know it: importing it from typing would take a fifth of `evenhand --version`

if TYPE_CHECKING:
    from typing import Any

    # The public names, written here and nowhere else: type checkers read these lines, and so does `public_names`.
    from evenhand.api.gate import gate as gate
    from evenhand.api.judging import Panel as Panel
    from evenhand.api.judging import check as check
    from evenhand.api.judging import judge as judge
    from evenhand.api.judging import judge_async as judge_async
    from evenhand.api.preferences import side_by_side as side_by_side
    from evenhand.api.preferences import side_by_side_async as side_by_side_async
    from evenhand.api.scorecards import better as better
    from evenhand.api.scorecards import changes as changes
    from evenhand.api.scorecards import document as document
    from evenhand.api.scorecards import history as history
    from evenhand.api.scorecards import load_rubric as load_rubric
    from evenhand.api.scorecards import open_store as open_store
    from evenhand.api.scorecards import rank as rank
    from evenhand.api.scorecards import read_submissions as read_submissions
    from evenhand.api.scorecards import rescore as rescore
    from evenhand.api.scorecards import score as score
    from evenhand.api.suites import run as run
    from evenhand.api.suites import table as table
    from evenhand.core.audit import audit as audit
    from evenhand.core.judgement import Judgement as Judgement
    from evenhand.core.judgement import Unscored as Unscored
    from evenhand.core.ranking import Ranking as Ranking
    from evenhand.core.rubric import Rubric as Rubric
    from evenhand.core.rules import DIMENSIONS as DIMENSIONS
    from evenhand.core.rules import METHODOLOGY_VERSION as METHODOLOGY_VERSION
    from evenhand.core.rules import Grade as Grade
    from evenhand.core.scorecard import Scorecard as Scorecard
    from evenhand.decisions.decide import decide as decide
    from evenhand.decisions.decision import Decision as Decision
    from evenhand.decisions.table import ProposedClusters as ProposedClusters
    from evenhand.decisions.table import ResultsTable as ResultsTable
    from evenhand.decisions.table import Row as Row
    from evenhand.errors import DocumentError as DocumentError
    from evenhand.errors import EvenhandError as EvenhandError
    from evenhand.errors import InputError as InputError
    from evenhand.errors import JudgementError as JudgementError
    from evenhand.errors import RubricError as RubricError
    from evenhand.errors import StoreUnavailable as StoreUnavailable
    from evenhand.errors import Unavailable as Unavailable
    from evenhand.judging.batch import batch as batch
    from evenhand.judging.verification import verify as verify
    from evenhand.options.model_options import ModelOptions as ModelOptions
    from evenhand.store.protocol import Store as Store
    from evenhand.suites.checked_suite import read_suite as read_suite
    from evenhand.work.submission import Submission as Submission

_PACKAGES = ("findings", "trust", "types")
"""Packages and modules of public names of their own."""


def __dir__() -> list[str]:
    return sorted([*__getattr__("__all__"), *_PACKAGES])


def __getattr__(name: str) -> Any:
    """Load a public name when it is first used, so that importing the package costs nothing."""
    from importlib import import_module

    from evenhand.public_names import load, names

    if name in _PACKAGES:
        return import_module(f"evenhand.{name}")
    if name == "__all__":
        return sorted([*names(__name__), "__version__"])
    value, home = load(__name__, name)
    if not home.startswith(("evenhand.core.", "evenhand.errors")):
        _show_in_notebooks()
    globals()[name] = value
    return value


def _show_in_notebooks() -> None:
    """Let notebooks show scorecards as HTML. Done here because the scorecard is of the core, which knows no reports."""
    from evenhand.core.scorecard import Scorecard as Card

    if not hasattr(Card, "_repr_html_"):
        Card._repr_html_ = _html  # type: ignore[attr-defined]


def _html(card: Scorecard) -> str:
    from evenhand.reports.notebook import scorecard_html
    from evenhand.rubrics.resolved import rubric_used

    return scorecard_html(card, rubric_used(card))
