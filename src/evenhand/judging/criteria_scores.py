"""Where a rubric has criteria, the step before the arithmetic: what programs decide, then the scores they give."""

from __future__ import annotations

from evenhand.core.criteria.judged import refuse_bare_scores, scored_by_criteria
from evenhand.core.values.judgement import Judgement
from evenhand.core.values.submission import Submission
from evenhand.rubrics.resolved import ResolvedRubric


def with_criteria(judgement: Judgement, rubric: ResolvedRubric, submission: Submission | None) -> Judgement:
    """The judgement with the scores that its verdicts give. JudgementError for one that someone wrote and that leaves
    criteria out, or scores by hand what has criteria."""
    trees = rubric.terms.trees
    if judgement.panel is None:
        refuse_bare_scores(judgement, trees, rubric.terms.rubric)
    return scored_by_criteria(judgement, trees)
