"""A panel opened from its judges' names, with the budget and the reply store they share."""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from evenhand.core.rubric import Rubric
from evenhand.errors import InputError
from evenhand.in_words import counted
from evenhand.judges.models.asking import Asker
from evenhand.judges.models.budget import Budget
from evenhand.judges.models.call_plan import CallSettings
from evenhand.judges.models.judge import ModelJudge
from evenhand.judges.models.nonces import Nonces
from evenhand.judges.models.questions.examples import examples_text
from evenhand.judges.models.questions.shown_work import skill_text
from evenhand.judges.panel import PanelJudge
from evenhand.judges.program import ProgramJudge
from evenhand.judging.panels.examples import PanelWithExamples, StoredExamples, read_examples
from evenhand.judging.program import CHECKS
from evenhand.judging.skill_file import instructions_for_judges
from evenhand.options.model_options import ModelOptions
from evenhand.options.settings import judge_tables
from evenhand.providers.builtin.replay import Recorder, Replay, recording_in
from evenhand.providers.entries import configured
from evenhand.providers.exchange import Provider
from evenhand.providers.hooks import Hooks
from evenhand.providers.known import Configured
from evenhand.providers.opened_provider import in_batches, open_provider
from evenhand.providers.prices import price_of
from evenhand.providers.provider_status import AUTO, Choice, choose
from evenhand.providers.specs import parse_spec
from evenhand.providers.tokens import estimate_tokens
from evenhand.work.submission import Submission

if TYPE_CHECKING:
    from evenhand.providers.batch.batched import Batched
    from evenhand.store.protocol import Store

Result = TypeVar("Result")
BUSY = 16
"""Default number of calls in flight at each provider."""

IN_BATCHES = 1_000
"""Submissions whose questions may be in batches at once."""


class OpenPanel:
    """Judges opened from their names, with the budget, the connections and the file of replies that they share.

    It only answers questions: `PanelJudging` has it judge submissions, `PairComparison` pairs of outputs.
    """

    def __init__(
        self,
        specs: Sequence[str],
        options: ModelOptions,
        *,
        program: ProgramJudge | None = None,
        notice: Callable[[str], None] | None = None,
        secret: Callable[[], bytes] | None = None,
        store: Store | None = None,
        budget: Budget | None = None,
        needs_key: bool = True,
        only_criteria: bool = False,
    ) -> None:
        """`needs_key` is False where nothing will be asked: for a plan, or to show prompts."""
        self.budget = budget or Budget(max_calls=options.max_calls, max_cost=options.max_cost)
        self._hooks = Hooks(
            before_retry=self.budget.retry,
            notice=notice or (lambda text: None),
            stop=partial(self.budget.stop, broken=True),
        )
        self.chosen: Choice | None = None
        """The judge that `auto` stands for."""
        self._options = options
        self._needs_key = needs_key
        self._named = configured(judge_tables())
        self._providers: list[Provider] = []
        self.askers: list[Asker] = []
        self.models: list[ModelJudge] = []
        self._examples = "" if options.examples is None else examples_text(read_examples(options.examples))
        self._skill = "" if options.skill_file is None else self._skill_text(options.skill_file)
        self._stored = _stored_examples(options, store)
        self._nonces = Nonces(secret)
        if options.batch and (options.replies is None or secret is None):
            raise InputError(
                "`batch` needs a store and a file of replies, in which batches are noted until they are done"
            )
        self._replies = open_replies(options.replies)
        one_file = options.record is not None and not Path(options.record).is_dir()
        self._recorder = Recorder(options.record) if options.record is not None and one_file else None
        judges = [self._model(spec) for spec in specs if spec != CHECKS]
        if not judges:
            raise InputError("these options are for models, and no model is named; add one to `judges`")
        if options.quorum is not None and options.quorum > len(judges):
            raise InputError(
                f"the quorum is {options.quorum}, but only {counted(len(judges), 'judge is', 'judges are')} named; "
                "lower it or add some"
            )
        self.stronger = None if options.escalate_to is None else self._model(options.escalate_to)
        self.panel = PanelJudge(
            judges, quorum=options.quorum, escalate_to=self.stronger, program=program, only_criteria=only_criteria
        )
        self.judge: PanelJudge | PanelWithExamples = (
            self.panel if self._stored is None else PanelWithExamples(self.panel, self._stored)
        )

    async def __aenter__(self) -> OpenPanel:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def close(self) -> None:
        """Close the connections and the file of replies. A connection opens again when a judge is asked again."""
        for provider in self._providers:
            await provider.close()
        if self._replies is not None:
            self._replies.close()

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
        return self.budget.activity.line()

    @property
    def keeps_replies(self) -> bool:
        """Whether a later run finds the replies of this one."""
        return self._replies is not None

    @property
    def served(self) -> tuple[str, ...]:
        """The models that answered, as their servers name them."""
        return tuple(sorted(set[str]().union(*(asker.served for asker in self.askers))))

    @property
    def never_answered(self) -> str | None:
        """Why a judge that was asked has not replied once; None when all have."""
        return next((asker.failure for asker in self.askers if asker.failure), None)

    def shown(self, judge: ModelJudge, rubric: Rubric, submission: Submission) -> ModelJudge:
        """The judge with the examples from the store that it is shown for a submission, if any."""
        return judge if self._stored is None else self._stored.shown(judge, rubric, submission)[0]

    def always_asked(self) -> list[ModelJudge]:
        """All judges but the stronger one."""
        return [judge for judge in self.models if judge is not self.stronger]

    def _model(self, spec: str) -> ModelJudge:
        options = self._options
        if spec == AUTO:
            if options.replay is not None:
                raise InputError("auto may choose a different judge each time; name the judge that was recorded")
            self.chosen = choose(self._named)
            spec = self.chosen.spec
        parsed = parse_spec(spec, self._named)
        provider: Provider = (
            open_provider(
                parsed,
                self._named,
                base_url=options.base_url,
                concurrency=options.concurrency,
                price=options.price,
                hooks=self._hooks,
                needs_key=self._needs_key,
            )
            if options.replay is None
            else Replay(recording_in(options.replay, spec))
        )
        command = parsed.kind == "command"
        if command and options.max_cost is not None and getattr(provider, "reports_cost", False):
            provider.limit_cost(options.max_cost)  # type: ignore[attr-defined]
        elif options.max_cost is not None and price_of(provider) is None:
            raise InputError(
                f"`max_cost` needs a price, and the price of {spec} is unknown; "
                "give `price`, as in --set judge.price=2.50/10, or price_input and price_output for it in "
                "evenhand.toml, or use `max_calls`"
            )
        if self._options.batch:
            provider = self._in_batches(provider)
        self._providers.append(provider)
        sampling = {"temperature": 1.0 if options.samples > 1 else 0.0} | options.sent()
        table = self._named.get(parsed.provider, Configured())
        settings = CallSettings(
            # Each call of an agent pays for its start, so it is asked for everything at once.
            calls="each" if options.thorough else "one" if command else "two",
            samples=options.samples,
            sampling=tuple(sampling.items()),
            language=options.language or "",
            examples=self._fitting("the examples take", self._examples, provider.window),
            skill=self._fitting("the skill file takes", self._skill, provider.window),
            max_tokens=table.max_tokens or _reply_tokens(provider.window),
            own_sampling=command,
            per_call=1 if options.thorough else options.per_call,
            # Self-hosted servers support this and often run small models; the vendors' APIs reject it.
            bounded=parsed.kind == "openai" and "address" in provider.identity,
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
        self.askers.append(asker)
        judge = ModelJudge(asker)
        self.models.append(judge)
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

    def _skill_text(self, path: str) -> str:
        return skill_text(instructions_for_judges(path, self._hooks.notice))

    @staticmethod
    def _fitting(what: str, text: str, window: int | None) -> str:
        """The text, unless it would crowd out the work."""
        needed = estimate_tokens(text)
        if window is not None and 2 * needed > window:
            raise InputError(
                f"{what} about {needed:,} tokens, more than half of the judge's window of {window:,}; "
                "give fewer or shorter ones, or a judge with a larger window"
            )
        return text

    @property
    def window(self) -> int:
        """How many submissions to judge at once: enough to keep every provider busy."""
        if self._options.batch:
            return IN_BATCHES
        configured_most = max([BUSY, *(table.concurrency or 0 for table in self._named.values())])
        return 2 * (self._options.concurrency or configured_most) + 2


def _stored_examples(options: ModelOptions, store: Store | None) -> StoredExamples | None:
    if options.examples_from_store is None:
        return None
    if options.examples is not None:
        raise InputError(
            "examples come from a file or from the store; give one of `examples` and `examples_from_store`"
        )
    if store is None:
        raise InputError("`examples_from_store` needs a store with judgements by people")
    return StoredExamples(store, options.examples_from_store)


def _reply_tokens(window: int | None) -> int:
    """The most tokens of a reply: a quarter of a small window, so that the question has room."""
    usual = CallSettings().max_tokens
    return usual if window is None else max(1, min(usual, window // 4))


def open_replies(path: str | None) -> Any:
    """The file of replies, if there is one."""
    if path is None:
        return None
    from evenhand.store.replies import SqliteReplies

    return SqliteReplies(path)


def run_to_the_end(judging: Coroutine[Any, Any, Result]) -> Result:
    """Run to the end, also inside another event loop, as in a notebook."""
    import asyncio

    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(judging)
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(max_workers=1) as thread:
        return thread.submit(asyncio.run, judging).result()
