"""A panel opened from its judges' names, with the budget and the reply store they share."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from evenhand.core.values.judgement import Judgement
from evenhand.core.values.rubric import Rubric
from evenhand.core.values.scorecard import Scorecard
from evenhand.core.values.submission import Submission
from evenhand.errors import InputError
from evenhand.judges.model.asking import Asker
from evenhand.judges.model.budget import Budget
from evenhand.judges.model.call_plan import CallSettings, Plan, add_plans
from evenhand.judges.model.judge import ModelJudge
from evenhand.judges.model.nonces import Nonces
from evenhand.judges.panel import PanelJudge
from evenhand.judges.program import ProgramJudge
from evenhand.judges.protocol import AskedJudge
from evenhand.judging.arrivals import JudgingArrivals
from evenhand.judging.calibration import load_calibration, refuse_misfit
from evenhand.judging.concurrency import ConcurrentJudging
from evenhand.judging.evaluation import Evaluated
from evenhand.judging.examples import MOST, read_examples
from evenhand.judging.judged import Judged, JudgingContext
from evenhand.judging.keeper import Keeper
from evenhand.judging.model_options import ModelOptions
from evenhand.judging.program import CHECKS
from evenhand.judging.stored_examples import PanelWithExamples, StoredExamples
from evenhand.providers.auto import AUTO, Choice, choose
from evenhand.providers.builtin.replay import Recorder, Replay, recording_in
from evenhand.providers.configured import Configured
from evenhand.providers.entries import configured
from evenhand.providers.exchange import Message, Provider
from evenhand.providers.hooks import Hooks
from evenhand.providers.http.pace import Pace, PaceMaker
from evenhand.providers.opening import in_batches, open_provider
from evenhand.providers.prices import price_of
from evenhand.providers.specs import parse_spec
from evenhand.providers.tokens import estimate_tokens
from evenhand.questions.examples import examples_text
from evenhand.settings import judge_tables, project_folder

if TYPE_CHECKING:
    from evenhand.providers.batch.batched import Batched
    from evenhand.store.protocol import Store

BUSY = 16
"""Default number of calls in flight at each provider."""

IN_BATCHES = 1_000
"""Submissions whose questions may be in batches at once."""


class Shared(NamedTuple):
    """What the judges of a run on several machines have in common."""

    budget: Budget
    replies: Any
    pace: PaceMaker
    named: Mapping[str, Configured]
    """The judges in the settings of the machine that started the run."""


class PanelRun:
    """A panel of judges, opened for one run over many submissions."""

    def __init__(
        self,
        specs: Sequence[str],
        options: ModelOptions,
        *,
        rubric: str | Path | Rubric | None = None,
        keeper: Keeper | None = None,
        program: ProgramJudge | None = None,
        notice: Callable[[str], None] | None = None,
        secret: Callable[[], bytes] | None = None,
        store: Store | None = None,
        batch: bool = False,
        budget: Budget | None = None,
        context: JudgingContext | None = None,
        shared: Shared | None = None,
    ) -> None:
        budget = budget if shared is None else shared.budget
        self.budget = budget or Budget(max_calls=options.max_calls, max_cost=options.max_cost)
        self._hooks = Hooks(
            before_retry=self.budget.retry,
            notice=notice or (lambda text: None),
            stop=partial(self.budget.stop, broken=True),
            pace=Pace if shared is None else shared.pace,
        )
        self.chosen: Choice | None = None
        """The judge that `auto` stands for."""
        self._options = options
        self._batch = batch  # ask through the services' batch APIs
        self._named = configured(judge_tables()) if shared is None else shared.named
        self._providers: list[Provider] = []
        self._askers: list[Asker] = []
        self._models: list[ModelJudge] = []
        self._examples = "" if options.examples is None else examples_text(read_examples(options.examples))
        calibration = None if options.calibration is None else load_calibration(options.calibration)
        self._context = context or JudgingContext(rubric, calibration)
        self._stored = _stored_examples(options, store)
        self._keeper = keeper
        self._nonces = Nonces(secret or (None if keeper is None else keeper.secret))
        if batch and (options.replies is None or (keeper is None and secret is None)):
            raise InputError(
                "--batch needs a store and a file of replies, in which batches are noted until they are done"
            )
        self._replies = _open_replies(options.replies) if shared is None else shared.replies
        one_file = options.record is not None and not Path(options.record).is_dir()
        self._recorder = Recorder(options.record) if options.record is not None and one_file else None
        judges = [self._model(spec) for spec in specs if spec != CHECKS]
        if not judges:
            raise InputError("these options are for models, and no model is named; add one with --judge")
        if options.quorum is not None and options.quorum > len(judges):
            raise InputError(
                f"the quorum is {options.quorum}, but there are only {len(judges)} judges; lower it or add some"
            )
        self._stronger = None if options.escalate_to is None else self._model(options.escalate_to)
        self._panel = PanelJudge(judges, quorum=options.quorum, escalate_to=self._stronger, program=program)
        self.judge: PanelJudge | PanelWithExamples = (
            self._panel if self._stored is None else PanelWithExamples(self._panel, self._stored)
        )
        if calibration is not None:
            refuse_misfit(calibration, self.judge.identity)
        self._judging: ConcurrentJudging | None = None

    def results_of_arrivals(
        self, submissions: Iterable[Submission | InputError], *, abandon: Callable[[], None]
    ) -> Iterator[Scorecard | InputError]:
        """The same while submissions are still being made, in another thread; `abandon` makes them end soon."""
        self._judging = JudgingArrivals(self.judge, self.budget, self._context, window=self._window(), abandon=abandon)
        return self._judging.results(submissions, close=self._close)

    def results(self, submissions: Iterable[Submission | InputError]) -> Iterator[Scorecard | InputError]:
        """Scorecards in submission order, as they finish. Afterwards `stopped` says whether any are missing."""
        self._judging = ConcurrentJudging(
            self.judge, self.budget, self._context, window=self._window(), keeper=self._keeper
        )
        return self._judging.results(submissions, close=self._close)

    async def evaluate(self, submission: Submission, *, id: str | None = None) -> Evaluated | InputError | None:
        """Judge one submission in the caller's event loop; None when the run stopped first."""
        judge = self.judge if id is None else _WithId(self.judge, id)
        (evaluated,) = await self._evaluated(judge, [submission])
        return evaluated

    async def evaluate_all(self, submissions: Sequence[Submission]) -> list[Evaluated | InputError | None]:
        """Judge several in the caller's event loop; None in place of those not judged when the run stopped."""
        return await self._evaluated(self.judge, submissions)

    async def _evaluated(
        self, judge: AskedJudge, submissions: Sequence[Submission]
    ) -> list[Evaluated | InputError | None]:
        import asyncio

        places = asyncio.Semaphore(self._window())
        judging = ConcurrentJudging(judge, self.budget, self._context, window=self._window())

        async def judged(submission: Submission) -> Judged | None:
            async with places:
                return await judging.judge_one(submission)

        try:
            entries = await asyncio.gather(*map(judged, submissions))
            return [None if entry is None else self._context.evaluate(entry) for entry in entries]
        finally:
            await self._close()

    @property
    def stopped(self) -> str | None:
        """Why the run ended before every submission was judged; None when it did not."""
        return self.budget.stopped

    @property
    def out_of_reach(self) -> bool:
        """Whether it ended because a provider or the reply store is unavailable."""
        return self.budget.broken

    def batches(self) -> str:
        """How far batches are, in words; empty without any."""
        states = (getattr(provider, "status", "") for provider in self._providers)
        return "; ".join(state for state in states if state)

    def activity(self) -> str:
        """What the judges are doing at the moment, in words."""
        return self.budget.activity.line(sum(getattr(provider, "tokens_under_way", 0) for provider in self._providers))

    @property
    def served(self) -> tuple[str, ...]:
        """The models that answered, as their servers name them."""
        return tuple(sorted(set[str]().union(*(asker.served for asker in self._askers))))

    @property
    def never_answered(self) -> str | None:
        """Why a judge that was asked has not replied once; None when all have."""
        return next((asker.failure for asker in self._askers if asker.failure), None)

    @property
    def unjudged(self) -> int:
        """Submissions that were started but not judged when the run stopped. Replies already paid for are kept."""
        return 0 if self._judging is None else self._judging.unjudged

    def plan(self, submissions: Iterable[Submission | InputError]) -> tuple[int, list[tuple[str, Plan]], int]:
        """The number of submissions, each judge's plan for them, and the most calls the stronger judge might add."""
        plans = [[judge.plan_once()] for judge in self._always()]
        count = more = 0
        for submission in submissions:
            if isinstance(submission, InputError):
                raise submission
            rubric = self._context.resolve(submission).rubric
            count += 1
            disputable = self._panel.disputable(rubric, submission)
            for judge, judge_plans in zip(self._always(), plans, strict=True):
                judge_plans[:] = [
                    add_plans(
                        [*judge_plans, self._shown(judge, rubric, submission).plan(rubric, submission, disputable)]
                    )
                ]
            more += self._stronger.calls(rubric) if self._stronger is not None else 0
        named = [
            (judge.identity["name"], add_plans(judge_plans))
            for judge, judge_plans in zip(self._always(), plans, strict=True)
        ]
        return count, named, more

    def prompts(self, submission: Submission) -> Iterator[tuple[str, str, tuple[Message, ...]]]:
        """Every question as each model gets it: the judge's name, the question's, the messages."""
        rubric = self._context.resolve(submission).rubric
        for judge in self._models:
            for name, messages in self._shown(judge, rubric, submission).prompts(rubric, submission):
                yield judge.identity["name"], name, messages

    def _shown(self, judge: ModelJudge, rubric: Rubric, submission: Submission) -> ModelJudge:
        """The judge with the examples from the store that it is shown for a submission, if any."""
        return judge if self._stored is None else self._stored.shown(judge, rubric, submission)[0]

    def _always(self) -> list[ModelJudge]:
        return [judge for judge in self._models if judge is not self._stronger]

    def _model(self, spec: str) -> ModelJudge:
        options = self._options
        if spec == AUTO:
            if options.replay is not None:
                raise InputError("auto may choose a different judge each time; name the judge that was recorded")
            self.chosen = choose(project_folder(), self._named)
            spec = self.chosen.spec
        parsed = parse_spec(spec, self._named)
        provider: Provider = (
            open_provider(
                parsed, self._named, base_url=options.base_url, concurrency=options.concurrency, hooks=self._hooks
            )
            if options.replay is None
            else Replay(recording_in(options.replay, spec))
        )
        command = parsed.kind == "command"
        if command and options.max_cost is not None and getattr(provider, "reports_cost", False):
            provider.limit_cost(options.max_cost)  # type: ignore[attr-defined]
        elif options.max_cost is not None and price_of(provider) is None:
            raise InputError(
                f"--max-cost needs a price, and the price of {spec} is unknown; "
                "give price_input and price_output for it in evenhand.toml, or use --max-calls"
            )
        if self._batch:
            provider = self._in_batches(provider)
        self._providers.append(provider)
        temperature = options.temperature if options.temperature is not None else 1.0 if options.samples > 1 else 0.0
        table = self._named.get(parsed.provider, Configured())
        settings = CallSettings(
            economy=options.economy or command,
            samples=options.samples,
            temperature=temperature,
            language=_language(options.language),
            examples=self._examples_for(provider.window),
            max_tokens=table.max_tokens or _reply_tokens(provider.window),
            own_sampling=command,
            # Self-hosted servers support this and often run small models; the vendors' APIs reject it.
            bounded=parsed.kind == "local" or (parsed.kind == "openai" and "address" in provider.identity),
        )
        asker = Asker(
            provider,
            settings,
            budget=self.budget,
            replies=self._replies,
            fresh=options.fresh,
            recorded=provider if isinstance(provider, Replay) else None,
            recorder=self._recorder_of(spec),
            nonces=self._nonces,
        )
        self._askers.append(asker)
        judge = ModelJudge(asker, at_once=self._batch)
        self._models.append(judge)
        return judge

    def _recorder_of(self, judge: str) -> Recorder | None:
        """The recorder that all judges share, or in a folder the judge's own."""
        folder = self._options.record
        return self._recorder if folder is None or self._recorder else Recorder(recording_in(folder, judge))

    def _in_batches(self, provider: Provider) -> Batched:
        from evenhand.store.batch_journal import BatchJournal

        assert self._options.replies is not None
        batched = in_batches(provider, BatchJournal(self._options.replies), self._hooks)
        self.budget.on_stop.append(batched.abandon)
        return batched

    def _examples_for(self, window: int | None) -> str:
        """The examples, unless they would crowd out the work."""
        needed = estimate_tokens(self._examples)
        if window is not None and 2 * needed > window:
            raise InputError(
                f"the examples take about {needed:,} tokens, more than half of the judge's window of {window:,}; "
                "give fewer or shorter ones, or a judge with a larger window"
            )
        return self._examples

    def _window(self) -> int:
        """How many submissions to judge at once: enough to keep every provider busy."""
        if self._batch:
            return IN_BATCHES
        configured_most = max([BUSY, *(table.concurrency or 0 for table in self._named.values())])
        return 2 * (self._options.concurrency or configured_most) + 2

    async def _close(self) -> None:
        for provider in self._providers:
            await provider.close()
        if self._replies is not None:
            self._replies.close()


class _WithId:
    """A judge whose judgements have the id that the caller gave."""

    def __init__(self, judge: AskedJudge, id: str) -> None:
        self._judge = judge
        self._id = id
        self.identity: Mapping[str, str] = judge.identity
        self.calls = judge.calls

    async def judge(self, rubric: Rubric, submission: Submission, *, only: Collection[str] | None = None) -> Judgement:
        return (await self._judge.judge(rubric, submission, only=only))._replace(id=self._id)


def _stored_examples(options: ModelOptions, store: Store | None) -> StoredExamples | None:
    if not options.examples_from_store:
        return None
    if options.examples is not None:
        raise InputError(
            "examples come from a file or from the store; give one of --examples and --examples-from-store"
        )
    if store is None:
        raise InputError("--examples-from-store needs a store with judgements by people")
    if not 1 <= options.examples_from_store <= MOST:
        raise InputError(f"{options.examples_from_store} examples; give 1 to {MOST}")
    return StoredExamples(store, options.examples_from_store)


def _language(name: str | None) -> str:
    """The name of a language; it becomes part of the prompt, so it may not be a sentence."""
    if name is None:
        return ""
    if not re.fullmatch(r"[^\W\d_][^\W_]*(?:[ -][^\W_]+){0,3}", name) or len(name) > 40:
        raise InputError(f'"{name[:60]}" is not the name of a language; give one such as German, pt-BR or 日本語')
    return name


def _reply_tokens(window: int | None) -> int:
    """The most tokens of a reply: a quarter of a small window, so that the question has room."""
    usual = CallSettings().max_tokens
    return usual if window is None else max(1, min(usual, window // 4))


def _open_replies(path: str | None) -> Any:
    if path is None:
        return None
    from evenhand.store.replies import SqliteReplies

    return SqliteReplies(path)
