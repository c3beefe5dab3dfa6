"""Runs of a suite judged: checks and expectations always, models as the suite configures them. In numbers, one a run.

Each run is judged as it ends, while others go on.
"""

from __future__ import annotations

from collections import OrderedDict, deque
from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

from evenhand.core.bounds import gated_findings
from evenhand.core.criteria_results import verdict_rows
from evenhand.core.curve import Calibration
from evenhand.core.numbers import half_up, hundredths
from evenhand.core.scorecard import Scorecard
from evenhand.decisions.suite import Case, Recorded, Suite
from evenhand.errors import InputError
from evenhand.judges.protocol import Judge
from evenhand.judging.calibration import refuse_misfit
from evenhand.judging.panels.panel_judging import PanelJudging
from evenhand.judging.processes import judge_each
from evenhand.judging.program import CHECKS
from evenhand.judging.rubric_choice import RubricChoice
from evenhand.judging.steps import Steps
from evenhand.rubrics.resolved import ResolvedRubric, resolve
from evenhand.suites.judgement.counted_expectations import FAILURES, card_verdicts, failed_verdicts, with_verdicts
from evenhand.suites.judgement.run_notes import could_read_answers, watch_notes
from evenhand.suites.judgement.run_submissions import handle_of, submission_of
from evenhand.suites.judgement.seen_answers import AnswerTraces
from evenhand.work.agent_run import AgentRun, CaseResult
from evenhand.work.submission import Submission

NOT_JUDGED = "the judging stopped before it"


class JudgedRun(NamedTuple):
    """A run, its judgement, and the result of both."""

    run: AgentRun
    result: CaseResult
    card: Scorecard | None = None
    """None when the run did not finish, or could not be judged."""
    submission: Submission | None = None


class _CaseRubrics(RubricChoice):
    """The rubric of each case, the suite's, or the usual one."""

    def __init__(self, suite: Suite) -> None:
        super().__init__()
        self._of_case = {case.id: suite.rubric_of(case) for case in suite.cases}
        self._choices = {rubric: RubricChoice(rubric) for rubric in self._of_case.values()}

    def for_submission(self, submission: Submission) -> ResolvedRubric:
        return self._choices[self._of_case[handle_of(submission).case]].for_submission(submission)


def suite_steps(suite: Suite, calibration: Calibration | None = None, out_of_date: str | None = None) -> Steps:
    """The steps with each case's rubric, and the id of each scorecard from its submission's handle.

    InputError when the calibration is for other rubrics than the suite's.
    """
    if calibration is not None:
        rubrics = {suite.rubric_of(case) for case in suite.cases} - {None}
        for rubric in sorted(map(str, rubrics)):
            refuse_misfit(calibration, calibration.judge, resolve(rubric).terms.sha256)
    return Steps(
        rubrics=_CaseRubrics(suite),
        calibration=calibration,
        out_of_date=out_of_date,
        id_of=lambda submission: handle_of(submission).card,
    )


class SuiteJudging:
    """Matches scorecards with the runs they are of."""

    def __init__(self, suite: Suite, traces: AnswerTraces | None = None) -> None:
        """`traces` finds out who may have seen the answers."""
        self._suite = suite
        self._traces = traces
        self._cases = {case.id: case for case in suite.cases}
        self._variants = {variant.name: variant for variant in suite.variants}
        self._waiting: OrderedDict[str, tuple[AgentRun, Submission]] = OrderedDict()
        """Runs whose scorecard is on its way, by its id, in order. Added to in another thread than taken from."""
        self._unfinished: deque[AgentRun] = deque()
        self._has_judge = bool(set(suite.judges) - {CHECKS})

    def by_checks(self, runs: Iterable[AgentRun], program: Judge) -> Iterator[JudgedRun]:
        """Judge runs as they come, with a few in memory at once."""
        return self._matched(judge_each(self._submissions(runs), program, suite_steps(self._suite)))

    def by_models(
        self, runs: Iterable[AgentRun], judging: PanelJudging, *, abandon: Callable[[], None]
    ) -> Iterator[JudgedRun]:
        """Judge runs as they come, several at once; `abandon` makes the runs end soon.

        When the judges stop, because of the budget or a fault, the runs go on and are not judged.
        """
        submissions = self._submissions(runs)
        yield from self._matched(judging.results_of_arrivals(submissions, abandon=abandon))
        for _ in submissions:
            yield from self._left()
        yield from self._left()

    def submissions(self, runs: Iterable[AgentRun]) -> Iterator[Submission]:
        """What judges get of the finished runs."""
        for run in runs:
            if run.outcome == "finished":
                yield submission_of(self._suite, self._cases[run.id.case], self._variants[run.id.variant], run)

    def _submissions(self, runs: Iterable[AgentRun]) -> Iterator[Submission | InputError]:
        for run in runs:
            if run.outcome != "finished":
                self._unfinished.append(run)
                continue
            for submission in self.submissions([run]):
                self._waiting[handle_of(submission).card] = run, submission
                yield submission

    def _matched(self, cards: Iterator[Scorecard | InputError]) -> Iterator[JudgedRun]:
        for card in cards:
            yield from self._without_a_card()
            if isinstance(card, InputError):
                _, (run, submission) = self._waiting.popitem(last=False)  # results keep their order
                result = self._result(run, None, str(card.problems[0]), submission)
                yield JudgedRun(run, result, None, submission)
            else:
                run, submission = self._waiting.pop(card.id)
                card = card._replace(case=run.id.case)
                yield JudgedRun(run, self._result(run, card, submission=submission), card, submission)
        yield from self._left()

    def _left(self) -> Iterator[JudgedRun]:
        """Runs that have no scorecard and will get none."""
        yield from self._without_a_card()
        while self._waiting:
            _, (run, submission) = self._waiting.popitem(last=False)
            yield JudgedRun(run, self._result(run, None, NOT_JUDGED, submission), None, submission)

    def _without_a_card(self) -> Iterator[JudgedRun]:
        while self._unfinished:
            run = self._unfinished.popleft()
            yield JudgedRun(run, self._result(run, None))

    def _result(
        self, run: AgentRun, card: Scorecard | None, unscored: str = "", submission: Submission | None = None
    ) -> CaseResult:
        case, variant = self._cases[run.id.case], self._variants[run.id.variant]
        result = case_result(run, case, card, unscored)._replace(transcript=bool(submission and submission.events))
        if self._traces is not None and submission is not None and submission.events:
            is_confined = not isinstance(variant.does, Recorded) and not could_read_answers(run.notes)
            note = self._traces.note(submission.events, case, variant, run.id.repeat, is_confined=is_confined)
            result = result._replace(notes=(*result.notes, note)) if note else result
        if card is not None:
            return with_verdicts(result, card_verdicts(card, variant, has_transcript=result.transcript))
        if run.outcome not in FAILURES:
            return result
        return with_verdicts(result, failed_verdicts(case, variant, has_judge=self._has_judge))


def case_result(run: AgentRun, case: Case, card: Scorecard | None, unscored: str = "") -> CaseResult:
    """A run and its scorecard in numbers."""
    tokens = None if run.input_tokens is None else run.input_tokens + (run.output_tokens or 0)
    result = CaseResult(
        run.id,
        run.outcome,
        run.reason,
        case.tags,
        case.weight,
        unscored=unscored,
        seconds=run.seconds,
        tokens=tokens,
        cost=run.cost,
        key=run.key,
        notes=watch_notes(run.notes),
        cluster=case.cluster,
    )
    return result if card is None else with_numbers(result, card)


def with_numbers(result: CaseResult, card: Scorecard) -> CaseResult:
    """The result of a run with the numbers of its scorecard."""
    expected = () if card.checked is None else card.checked.expectations
    decided = [expectation.result for expectation in expected if expectation.result != "undecided"]
    faults = () if card.checked is None else gated_findings(card.checked)
    interval = card.interval
    return result._replace(
        final=None if card.final is None else hundredths(card.final),
        low=None if interval is None else hundredths(interval.low),
        high=None if interval is None else hundredths(interval.high),
        grade=None if card.grade is None else card.grade.letter,
        pass_mark=hundredths(card.pass_mark),
        dimensions=tuple(
            (name, None if line.score is None else hundredths(line.score)) for name, line in card.dimensions.items()
        ),
        met=decided.count("met"),
        expectations=len(decided),
        faults=tuple((finding.check, finding.severity) for finding in faults if finding.severity is not None),
        evaluation=card.id,
        unscored=_why_unscored(card),
        criteria=_criteria(card),
        judging_cost=None if card.panel is None else card.panel.calls.cost,
    )


def _criteria(card: Scorecard) -> tuple[tuple[str, int], ...]:
    """How far each criterion is met, in hundredths."""
    rows = {row.id: row.met for row in verdict_rows(card) if row.met is not None}
    return tuple((id, half_up(100 * met.numerator, met.denominator)) for id, met in rows.items())


def _why_unscored(card: Scorecard) -> str:
    return next((line.unscored for line in card.dimensions.values() if line.unscored), "")
