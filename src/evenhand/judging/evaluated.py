"""What the steps hand on: a submission with its judgement, then with its scorecard."""

from __future__ import annotations

from typing import NamedTuple

from evenhand.core.judgement import Judgement
from evenhand.core.scorecard import Scorecard
from evenhand.rubrics.resolved import ResolvedRubric
from evenhand.work.submission import Submission


class Judged(NamedTuple):
    """A submission, its judgement, and the rubric it was judged with."""

    submission: Submission | None
    """None for a judgement that does not say what it is about."""
    judgement: Judgement
    rubric: ResolvedRubric


class Evaluated(NamedTuple):
    """A scorecard, with what a store needs besides it."""

    card: Scorecard
    submission: Submission | None
    named: bool
    """Whether the id was given rather than generated."""
