"""Judges' names into a panel that can be asked, with the budget and the store of replies that they share."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from evenhand.core.values.judgement import Judgement
from evenhand.core.values.rubric import Rubric
from evenhand.core.values.scorecard import Scorecard
from evenhand.core.values.submission import Submission
from evenhand.errors import InputError
from evenhand.judges.checks.judge import ChecksJudge
from evenhand.judges.model.asking import Asker, CallSettings, Plan, add_plans
from evenhand.judges.model.budget import Budget
from evenhand.judges.model.judge import ModelJudge
from evenhand.judges.panel import ImmediateJudge, PanelJudge
from evenhand.judges.protocol import AskedJudge
from evenhand.judges.providers.configured import Configured, configured
from evenhand.judges.providers.exchange import Message, Provider
from evenhand.judges.providers.opening import open_provider
from evenhand.judges.providers.prices import price_of
from evenhand.judges.providers.replay import Recorder, Replay
from evenhand.judges.providers.specs import parse_spec
from evenhand.pipeline.judging import Desk
from evenhand.pipeline.keeping import Keeper
from evenhand.pipeline.many_at_once import Asking
from evenhand.pipeline.model_options import ModelOptions
from evenhand.pipeline.run import Evaluated
from evenhand.settings import judge_tables

CHECKS = "checks"
BUSY = 16
"""Calls in flight at each provider when nothing else is said."""


class PanelRun:
    """A panel of judges, opened for one run over many submissions."""

    def __init__(
        self,
        specs: Sequence[str],
        options: ModelOptions,
        *,
        rubric: str | Path | Rubric | None = None,
        keeper: Keeper | None = None,
        checks: Callable[[], ChecksJudge] = ChecksJudge,
    ) -> None:
        self.budget = Budget(max_calls=options.max_calls, max_cost=options.max_cost)
        self._options = options
        self._named = configured(judge_tables())
        self._providers: list[Provider] = []
        self._models: list[ModelJudge] = []
        self._desk = Desk(rubric)
        self._keeper = keeper
        self._replies = _open_replies(options.replies)
        self._recorder = Recorder(options.record) if options.record is not None else None
        judges = [ImmediateJudge(checks()) if spec == CHECKS else self._model(spec) for spec in specs]
        if options.quorum is not None and options.quorum > len(judges):
            raise InputError(
                f"the quorum is {options.quorum}, but there are only {len(judges)} judges; lower it or add some"
            )
        self._stronger = None if options.escalate_to is None else self._model(options.escalate_to)
        self.judge = PanelJudge(judges, quorum=options.quorum, escalate_to=self._stronger)
        self._asking: Asking | None = None

    def results(self, submissions: Iterable[Submission | InputError]) -> Iterator[Scorecard | InputError]:
        """Scorecards in the order of the submissions, as they come. `stopped` says afterwards whether all are there."""
        self._asking = Asking(self.judge, self.budget, self._desk, window=self._window(), keeper=self._keeper)
        return self._asking.results(submissions, close=self._close)

    async def evaluate(self, submission: Submission, *, id: str | None = None) -> Evaluated | InputError | None:
        """One submission in the caller's event loop; None when the run was stopped before it was judged."""
        judge = self.judge if id is None else _WithId(self.judge, id)
        try:
            judged = await Asking(judge, self.budget, self._desk, window=1).judge_one(submission)
            return None if judged is None else self._desk.evaluate(judged)
        finally:
            await self._close()

    @property
    def stopped(self) -> str | None:
        """Why the run ended before every submission was judged; None when it did not."""
        return self.budget.stopped

    @property
    def out_of_reach(self) -> bool:
        """Whether it ended because a provider or the store of replies cannot be used."""
        return self.budget.broken

    @property
    def unjudged(self) -> int:
        """Submissions that had been begun when the run was stopped. What was paid for is kept."""
        return 0 if self._asking is None else self._asking.unjudged

    def plan(self, submissions: Iterable[Submission | InputError]) -> tuple[int, list[tuple[str, Plan]], int]:
        """How many submissions there are, what each judge would take for them, and how many calls might be added
        by the stronger judge."""
        plans: list[list[Plan]] = [[] for _ in self._always()]
        count = more = 0
        for submission in submissions:
            if isinstance(submission, InputError):
                raise submission
            rubric = self._desk.rubric(submission)
            count += 1
            for judge, made in zip(self._always(), plans, strict=True):
                made[:] = [add_plans([*made, judge.plan(rubric, submission)])]
            more += self._stronger.calls(rubric) if self._stronger is not None else 0
        named = [(judge.identity["name"], add_plans(made)) for judge, made in zip(self._always(), plans, strict=True)]
        return count, named, more

    def prompts(self, submission: Submission) -> Iterator[tuple[str, str, tuple[Message, ...]]]:
        """Every question as each model gets it: the judge's name, the question's, the messages."""
        rubric = self._desk.rubric(submission)
        for judge in self._models:
            for name, messages in judge.prompts(rubric, submission):
                yield judge.identity["name"], name, messages

    def _always(self) -> list[ModelJudge]:
        return [judge for judge in self._models if judge is not self._stronger]

    def _model(self, spec: str) -> ModelJudge:
        options = self._options
        meant = parse_spec(spec, self._named)
        provider = open_provider(meant, self._named, base_url=options.base_url, concurrency=options.concurrency)
        if options.max_cost is not None and price_of(provider) is None:
            raise InputError(
                f"--max-cost cannot hold: the price of {spec} is unknown; "
                "give price_input and price_output for it in evenhand.toml, or use --max-calls"
            )
        self._providers.append(provider)
        temperature = options.temperature if options.temperature is not None else 1.0 if options.samples > 1 else 0.0
        table = self._named.get(meant.provider, Configured())
        settings = CallSettings(
            economy=options.economy,
            samples=options.samples,
            temperature=temperature,
            max_tokens=table.max_tokens or _reply_tokens(provider.window),
            # Servers of one's own know such forms, and often run small models; the vendors' refuse them.
            bounded=meant.kind == "local" or (meant.kind == "openai" and "address" in provider.identity),
        )
        asker = Asker(
            provider,
            settings,
            budget=self.budget,
            replies=self._replies,
            fresh=options.fresh,
            recorded=provider if isinstance(provider, Replay) else None,
            recorder=self._recorder,
        )
        judge = ModelJudge(asker)
        self._models.append(judge)
        return judge

    def _window(self) -> int:
        """How many submissions are under way at once: enough to keep every provider busy, with some to spare."""
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


def _reply_tokens(window: int | None) -> int:
    """The most tokens of a reply: a quarter of a small window, so that the question has room."""
    usual = CallSettings().max_tokens
    return usual if window is None else max(1, min(usual, window // 4))


def _open_replies(path: str | None) -> Any:
    if path is None:
        return None
    from evenhand.store.replies import SqliteReplies

    return SqliteReplies(path)
