"""One submission from the door to the store. Every door takes these steps, in this order:

    read      files and folders become submissions                     read_submissions
    resolve   the rubric, looked up once                               Steps.resolve
    ask       judges read the submission and give a judgement          Steps.ask, Steps.ask_models
    verify    every quote is looked for in the submission              Steps.evaluate, to a scorecard
    settle    each claim counts once, within the bounds of findings
    score     the arithmetic, and what people would have given
    compare   with the skill's earlier evaluations                     Steps.keep, in one transaction
    keep      in the store
    show      in the format asked for                                  the reports

A judgement that someone has written enters at `Steps.evaluate_written`, and goes on from there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

import evenhand.clock as clock  # asking the package for it would first list all public names
from evenhand.core.bounds import bounded
from evenhand.core.criteria import refuse_bare_scores, scored_by_criteria
from evenhand.core.judgement import Judgement, Unscored
from evenhand.core.receipt import receipt_for
from evenhand.core.rubric import Rubric, Tree
from evenhand.core.scorecard import Scorecard
from evenhand.core.scoring import score, settle
from evenhand.errors import InputError
from evenhand.in_words import plural
from evenhand.judging.evaluated import Evaluated, Judged
from evenhand.judging.named_files import read_output
from evenhand.judging.rubric_choice import RubricChoice
from evenhand.options.settings import skill_version
from evenhand.rubrics.resolved import ResolvedRubric
from evenhand.work.quotes import verify_judgement
from evenhand.work.submission import Submission, submission_sha256

if TYPE_CHECKING:
    from evenhand.core.curve import Calibration
    from evenhand.judges.program import ProgramJudge
    from evenhand.judges.protocol import AskedJudge, Judge
    from evenhand.judging.keeper import Keeper


def read_submissions(
    paths: Iterable[str],
    *,
    format: str | None = None,
    task: str | None = None,
    skill: str | None = None,
    reference: str | None = None,
    partial: bool = False,
    include: Sequence[str] = (),
    exclude: Sequence[str] = (),
) -> Iterator[Submission | InputError]:
    """Every submission of some files and folders; a task, skill or reference given here comes first.

    A judgement or scorecard among them is refused, unless a format was chosen.
    """
    from evenhand.judging.wrong_files import judgement_instead, skill_instead
    from evenhand.transcripts import read

    for path in paths:
        for submission in read(path, format, partial=partial, include=include, exclude=exclude):
            if isinstance(submission, InputError):
                yield submission
                continue
            mistake = judgement_instead(submission) or skill_instead(path, submission) if format is None else None
            yield mistake or submission._replace(
                task=submission.task if task is None else task,
                task_read=submission.task_read and task is None,
                skill=skill or submission.skill,
                reference=submission.reference if reference is None else reference,
            )


class Steps:
    """The steps after reading, with what all submissions of a command share: rubrics, a calibration, a store."""

    def __init__(
        self,
        rubric: str | Path | Rubric | None = None,
        *,
        rubrics: RubricChoice | None = None,
        calibration: Calibration | None = None,
        out_of_date: str | None = None,
        keeper: Keeper | None = None,
        checks: bool | None = None,
        allow_outputs: Iterable[str | Path] = (),
        id_of: Callable[[Submission], str | None] | None = None,
    ) -> None:
        self._rubrics = rubrics or RubricChoice(rubric)
        self.calibration = calibration
        self._out_of_date = out_of_date
        """Why the calibration no longer holds, such as an alarm of its judge's anchors."""
        self._keeper = keeper
        self._checks = checks
        """Whether checks run on what was judged; None runs them only where an agent judged, perhaps its own work."""
        self._program: ProgramJudge | None = None
        self._allowed = tuple(map(Path, allow_outputs))
        self._id_of = id_of
        """The id that a submission's scorecard gets, where the caller knows it."""
        self._skill_version = skill_version()

    def resolve(self, submission: Submission) -> ResolvedRubric:
        """The rubric to judge with. InputError when the judge was calibrated with another: before anyone is paid."""
        rubric = self._rubrics.for_submission(submission)
        if self.calibration is not None:
            from evenhand.judging.calibration import refuse_misfit, refuse_stale

            refuse_misfit(self.calibration, self.calibration.judge, rubric.terms.sha256)
            refuse_stale(self._out_of_date, rubric.terms)
        return rubric

    def ask(self, submission: Submission, judge: Judge) -> Judged:
        """Have a program judge."""
        rubric = self.resolve(submission)
        return Judged(submission, judge.judge(rubric.rubric, submission), rubric)

    async def ask_models(self, submission: Submission, judge: AskedJudge) -> Judged:
        """Have models judge."""
        rubric = self.resolve(submission)
        return Judged(submission, await judge.judge(rubric.rubric, submission), rubric)

    def evaluate_written(
        self,
        judgement: Judgement,
        *,
        base: Path = Path(),
        output: str | None = None,
        submission: Submission | None = None,
        rubric: ResolvedRubric | None = None,
        id: str | None = None,
        created: str | None = None,
    ) -> Evaluated:
        """Evaluate a judgement that someone has written, about a submission, an output's text, or the file it names.

        `base` is the folder that its file names start from; `rubric` is the one its judge was given, if that is known.
        """
        if rubric is None:
            rubric = self._rubrics.for_judgement(judgement, base)
        if submission is None and output is None and judgement.output is not None:
            output = read_output(judgement.output, base, self._allowed)
        if output is not None:
            submission = Submission(output=output, task=judgement.task)
        if self.calibration is not None:
            from evenhand.judging.calibration import refuse_misfit, refuse_stale

            refuse_misfit(self.calibration, judgement.judge, rubric.terms.sha256)
            refuse_stale(self._out_of_date, rubric.terms)
        if submission is not None:
            judgement = self._with_checks(judgement, submission)
        return self.evaluate(Judged(submission, judgement, rubric), id=id, created=created)

    def evaluate(self, judged: Judged, *, id: str | None = None, created: str | None = None) -> Evaluated:
        """Verify, settle, score. JudgementError for a judgement that the rubric does not allow."""
        submission, judgement, rubric = judged
        terms = rubric.terms
        if submission is not None:
            judgement = verify_judgement(_with_source(judgement, submission), submission)
            id = id or (None if self._id_of is None else self._id_of(submission))
        if terms.trees or any([opinion.verdicts for opinion in judgement.opinions.values()]):
            judgement = with_criteria(judgement, rubric, submission)
        settled, repeats = settle(bounded(judgement, terms), terms)
        warnings = (*rubric.warnings, *about_reading(judgement, submission), *repeats, *unexplained(settled))
        if self._out_of_date is not None:
            from evenhand.judging.calibration import stale_note

            warnings = (*warnings, stale_note(self._out_of_date))
        id = id or judgement.id
        card = score(
            settled,
            terms,
            id=id or clock.new_id(),
            created=created or clock.now(),
            receipt=receipt_for(settled, terms, None if submission is None else submission_sha256(submission)),
            warnings=warnings,
            case=id,
            rubric_version=rubric.rubric.version or None,
            skill_version=self._skill_version,
        )
        if settled.panel is not None:
            from evenhand.core.panel import with_panel  # only where models judged

            card = with_panel(card, settled, terms)
        if self.calibration is not None:
            from evenhand.judging.calibration import calibrated_card  # loads much that few commands need

            card = calibrated_card(card, self.calibration)
        return Evaluated(card, submission, id is not None)

    def evaluate_or_error(self, judged: Judged | InputError) -> Evaluated | InputError:
        """Evaluate one of many; an error is returned in its place."""
        try:
            return judged if isinstance(judged, InputError) else self.evaluate(judged)
        except InputError as error:
            return error

    def keep(self, evaluated: list[Evaluated | InputError]) -> list[Scorecard | InputError]:
        """Compare each with its skill's history, and keep it; all of them in one transaction."""
        if self._keeper is None:
            return [result if isinstance(result, InputError) else result.card for result in evaluated]
        return self._keeper.keep_batch(evaluated)

    def _with_checks(self, judgement: Judgement, submission: Submission) -> Judgement:
        """A written judgement with the results of the checks, where they should run."""
        by_agent = judgement.panel is None and judgement.judge["name"].startswith("agent:")
        if judgement.checked is not None or not (by_agent if self._checks is None else self._checks):
            return judgement
        if self._program is None:
            from evenhand.judging.program import CHECKS, open_program  # few judgements need it

            self._program = open_program([CHECKS])
        checked, notes = self._program.look(submission)
        return judgement._replace(checked=checked, warnings=(*judgement.warnings, *notes))


def _with_source(judgement: Judgement, submission: Submission) -> Judgement:
    """The judgement with the file that was judged, so that lists can name it."""
    if judgement.output is not None or submission.source is None or submission.source.startswith("<"):
        return judgement
    return judgement._replace(output=submission.source)


# --- What a scorecard warns about -------------------------------------------------------------------------------------


KINDS = 5
"""The most unrecognised kinds of entries a warning names; `evenhand show` lists all."""


def about_reading(judgement: Judgement, submission: Submission | None) -> tuple[str, ...]:
    """Warnings about quotes that are not in the output, and about what of its file the judge did not see."""
    return () if submission is None else (*_unverified(judgement), *_unread(submission))


def _unverified(judgement: Judgement) -> tuple[str, ...]:
    lists = [opinion.evidence for opinion in judgement.opinions.values()]
    lists += [claim.evidence for claim in (*judgement.red_flags, *judgement.bonuses)]
    missing = sum(not quote.verified for evidence in lists for quote in evidence)
    if not missing:
        return ()
    are = plural(missing, "quote is", "quotes are")
    return (f"{missing} {are} not in the output as written; see the marked evidence",)


def _unread(submission: Submission) -> tuple[str, ...]:
    warnings = [str(warning) for warning in submission.warnings]
    if submission.problems:
        of_how_many = f" (the first of {len(submission.problems)} problems)" if submission.problems[1:] else ""
        warnings.append(f"only partly judged, because the file is damaged: {submission.problems[0]}{of_how_many}")
    if submission.unknown:
        kinds = [f"{kind} ({count})" for kind, count in islice(submission.unknown.items(), KINDS)]
        of_how_many = f" and {len(submission.unknown) - KINDS} more kinds" if len(submission.unknown) > KINDS else ""
        warnings.append(f"not recognised, so not judged: {', '.join(kinds)}{of_how_many}")
    return tuple(warnings)


def unexplained(judgement: Judgement) -> tuple[str, ...]:
    """A warning for red flags without an explanation: no one can argue with a deduction that gives no reason."""
    bare = [claim.id for claim in judgement.red_flags if not claim.explanation.strip()]
    if not bare:
        return ()
    return (f"no explanation was given for the {plural(len(bare), 'red flag')} {', '.join(bare)}",)


# --- Scores that criteria give ----------------------------------------------------------------------------------------


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
