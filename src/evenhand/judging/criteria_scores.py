"""Where a rubric has criteria, the step before the arithmetic: what programs decide, then the scores they give."""

from __future__ import annotations

from collections.abc import Mapping

from evenhand.core.criteria import refuse_bare_scores, scored_by_criteria
from evenhand.core.judgement import Judgement, Unscored
from evenhand.core.rubric import Tree
from evenhand.rubrics.resolved import ResolvedRubric
from evenhand.work.submission import Submission


def with_criteria(judgement: Judgement, rubric: ResolvedRubric, submission: Submission | None) -> Judgement:
    """The judgement with the scores that its verdicts give. JudgementError for one that someone wrote and that leaves
    criteria out, or scores by hand what has criteria."""
    trees = rubric.terms.trees
    if judgement.panel is None:
        refuse_bare_scores(judgement, trees, rubric.terms.rubric)
        if submission is not None:
            judgement = _decided(judgement, trees, submission)
    return scored_by_criteria(judgement, trees)


def _decided(judgement: Judgement, trees: Mapping[str, Tree], submission: Submission) -> Judgement:
    """The judgement with the answers of programs beside those of its judge, who need not answer where programs decide
    everything. Where no one read the work, programs have not read it either, and the dimension stays unscored."""
    if all(criterion.asked for tree in trees.values() for criterion in tree.criteria()):
        return judgement
    from evenhand.judges.decided_criteria import decided_verdicts

    decided = decided_verdicts(trees, submission)
    opinions = dict(judgement.opinions)
    someone_read = any(not isinstance(opinion.score, Unscored) or opinion.verdicts for opinion in opinions.values())
    for name, tree in trees.items():
        tree_answers = {criterion.id: decided[criterion.id] for criterion in tree.criteria() if criterion.id in decided}
        if opinions[name].verdicts or (someone_read and len(tree_answers) == sum(1 for _ in tree.criteria())):
            opinions[name] = opinions[name]._replace(verdicts={**opinions[name].verdicts, **tree_answers})
    return judgement._replace(opinions=opinions)
