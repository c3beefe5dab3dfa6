"""Ask one model one question: use the stored reply if there is one, else call; repair once, then give up.

Every raw reply is stored, under the hash of everything that shaped it, before it is read. Stored replies are read again
each time, so a better reader needs no new call.
"""

from __future__ import annotations

import asyncio
import copy
import json
from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal
from typing import Protocol, TypedDict
from weakref import WeakValueDictionary

from evenhand.core.judgement import Calls
from evenhand.core.panel import add_calls
from evenhand.core.receipt import canonical_text, sha256
from evenhand.core.rubric import Rubric
from evenhand.errors import StoreUnavailable
from evenhand.judges.models.attempts import Lacking, QuestionResult, Turn
from evenhand.judges.models.budget import Budget
from evenhand.judges.models.call_plan import CallSettings, Plan, add_plans
from evenhand.judges.models.contact import MOST_UNREAD, Contact, Opening
from evenhand.judges.models.nonces import Nonces
from evenhand.judges.models.questions import pair_prompt, prompt
from evenhand.judges.models.questions.pictures import TEXT_ONLY
from evenhand.judges.models.questions.prompt import Question
from evenhand.judges.models.questions.reply_schema import ReplySchema
from evenhand.judges.models.questions.shown_work import Shown
from evenhand.judges.models.replies.answers import Answer, Unreadable
from evenhand.judges.models.replies.reply import read_reply
from evenhand.providers.builtin.replay import Recorder, Replay, reply_document, reply_from
from evenhand.providers.exchange import CallFailed, Message, Provider, Reply, Request, WrittenSchema
from evenhand.providers.prices import cost, estimate_cost, price_of
from evenhand.providers.tokens import estimate_input, expected_input, expected_prefix, expected_tokens, with_estimates

_ENCODER = json.JSONEncoder(ensure_ascii=False)


class Replies(Protocol):
    """Storage for raw replies, as text under a key."""

    def get(self, key: str) -> str | None: ...

    def put(self, key: str, reply: str) -> None: ...


_UNREADABLE = (
    "no reply of {name} could be read for {count} outputs in a row ({problem}); take a model that keeps to a JSON "
    "schema, or set a larger max_tokens for it in evenhand.toml"
)

LEAST_CACHED = 1_024
"""Tokens of the shortest beginning that services cache."""

MOST_SCHEMAS = 256
"""Reply schemas kept in memory: a run has few questions, but refuting findings makes one per submission."""


class Frame(TypedDict):
    """The arguments of `prompt.messages` that are the same for every call of a judge."""

    window: int | None
    language: str
    examples: str


class Asker:
    """Asks one provider questions."""

    def __init__(
        self,
        provider: Provider,
        settings: CallSettings,
        *,
        budget: Budget,
        replies: Replies | None = None,
        fresh: bool = False,
        recorded: Replay | None = None,
        recorder: Recorder | None = None,
        nonces: Nonces | None = None,
    ) -> None:
        self._provider = provider
        self.settings = settings
        self.identity: Mapping[str, str] = {**provider.identity, "prompt": prompt.prompt_hash(), **settings.named()}
        """Everything about the judge that affects a score."""
        self.no_pictures: str = getattr(provider, "no_pictures", TEXT_ONLY)
        """Why pictures are not passed to the model, as a clause; empty when they are."""
        self.window = provider.window
        """How many tokens a question and its reply may take together; None when unknown."""
        self.frame: Frame = {"window": self.window, "language": settings.language, "examples": settings.preface}
        """What all prompts of this judge have in common."""
        self._budget = budget
        self._replies = replies
        self._fresh = fresh
        self._recorded = recorded
        self._recorder = recorder
        self._nonces = nonces or Nonces()
        # A batch takes all at once, and a recording or a command has no cache to fill.
        self.batched: bool = getattr(provider, "batched", False)
        together = self.batched or recorded is not None or settings.own_sampling
        self.opening = Opening(at_once=together)
        self._shape = canonical_text([dict(provider.identity), settings.keyed(), prompt.prompt_hash()])
        self._contact = Contact(
            answered=recorded is not None
        )  # a gap in a recording does not affect the other questions
        self._planned: set[str] = set()
        """Beginnings of prompts that a plan has counted once."""
        self.served: set[str] = set()
        """The models that answered, as the server names them."""
        self._in_flight: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()
        """Locks by key; an entry lives as long as a caller holds or awaits it."""
        self._schemas: dict[tuple[int, Question], tuple[Rubric, ReplySchema]] = {}
        """By rubric and question; the rubric is kept alive so that its id is not reused."""

    @property
    def failure(self) -> str:
        """Why the most recent call failed, as long as there is no reply at all, new or stored."""
        return self._contact.failure

    def with_examples(self, text: str) -> Asker:
        """This model, shown other calibration examples: another judge, under other keys."""
        asker = copy.copy(self)
        asker.settings = self.settings._replace(examples=text)
        asker.identity = {**self._provider.identity, "prompt": prompt.prompt_hash(), **asker.settings.named()}
        asker.frame = {**self.frame, "examples": asker.settings.preface}
        asker._shape = canonical_text([dict(self._provider.identity), asker.settings.keyed(), prompt.prompt_hash()])
        return asker

    def for_pairs(self) -> Asker:
        """This model, asked to compare two works: by another prompt, so under other keys."""
        asker = copy.copy(self)
        asker.identity = {**self.identity, "prompt": pair_prompt.prompt_hash(), "calls": "one per order"}
        asker._shape = canonical_text([dict(self._provider.identity), self.settings.keyed(), pair_prompt.prompt_hash()])
        return asker

    async def ask(
        self,
        rubric: Rubric,
        shown: Shown,
        question: Question,
        *,
        sample: int,
        lacking: Callable[[Answer], Lacking],
    ) -> QuestionResult:
        """Ask a question. `lacking` returns what cannot be used in an answer.

        It is asked again once: after an empty or truncated reply with twice the room, after a complete one that cannot
        be used with what is wrong with it. After that there is no answer.
        """
        self._budget.activity.begin(question.name)
        try:
            return await self._ask(rubric, shown, question, sample, lacking)
        finally:
            self._budget.activity.end(question.name)

    async def _ask(
        self, rubric: Rubric, shown: Shown, question: Question, sample: int, lacking: Callable[[Answer], Lacking]
    ) -> QuestionResult:
        turn = Turn()
        tally: list[Calls] = []
        answers: tuple[tuple[Answer, Reply], ...] = ()
        nonce = ""
        while True:
            try:
                nonce, reply, calls = await self._reply(rubric, shown, question, sample, turn)
            except CallFailed as failure:
                late = failure.kind == "timeout"
                return QuestionResult(answers, str(failure), add_calls(tally), nonce, timed_out=late)
            calls = calls._replace(served=(reply.model,) if reply.model else ())
            tally.append(calls._replace(repairs=1) if turn.number else calls)
            self.served |= {reply.model} - {""}
            # Readable answers are kept although something is wrong with them: a repair may lose what was right before,
            # and each dimension takes the latest answer that it can use.
            asked = Question("scores", turn.dimensions) if turn.dimensions else question
            answer = read_reply(reply, question.about(rubric), asked, nonce, shown)
            self.opening.replied(readable=isinstance(answer, Answer))
            lacks = Lacking(answer.reason) if isinstance(answer, Unreadable) else lacking(answer)
            problem = lacks.problem
            if isinstance(answer, Answer):
                answers = ((answer, reply), *answers)
            following = turn.following(nonce, reply, answer, lacks) if problem else None
            if following is None:
                times = " (asked twice)" if turn.number else ""
                calls = add_calls(tally)
                refused = isinstance(answer, Unreadable) and answer.kind == "refused"
                unread = bool(calls.asked and not answers and not refused)
                return QuestionResult(answers, f"{problem}{times}" if problem else "", calls, nonce, unread)
            turn = following

    def heard(self, results: Sequence[QuestionResult]) -> None:
        """Note what came of the questions about one work; a model that cannot be read is not paid for ever."""
        unread = [result for result in results if result.unread]
        if self.opening.judged(read=any(result.answers for result in results), paid=bool(unread)):
            name, problem = self.identity["name"], unread[0].problem if unread else ""
            self._budget.stop(_UNREADABLE.format(name=name, count=MOST_UNREAD, problem=problem))

    def plan(self, rubric: Rubric, shown: Shown, questions: Sequence[Question], *, samples: int | None = None) -> Plan:
        """Estimate what asking these questions about a submission would take, without asking."""
        plans = []
        for question in questions:
            for sample in range(self.settings.samples if samples is None else samples):
                plans.append(self._plan(rubric, shown, question, sample))
        return add_plans(plans)

    def _plan(self, rubric: Rubric, shown: Shown, question: Question, sample: int) -> Plan:
        if self._known(*self._keys(rubric, shown, question, sample, Turn())) is not None:
            return Plan(stored=1, cost=Decimal(0))
        messages = self._conversation(rubric, shown, question, prompt.PLACEHOLDER, Turn())
        # Hosted services put the schema in front of the prompt; servers of one's own hold the model to it.
        schema = "" if self.settings.bounded else self._schema(rubric, question, prompt.PLACEHOLDER).text
        front, most = expected_tokens(schema), self.settings.max_tokens
        cost = estimate_cost(self._provider, estimate_input(messages) + front, most)
        listed = getattr(self._provider, "listed", "")
        return Plan(1, 0, expected_input(messages) + front, most, self._cached(messages, front), cost, listed)

    def _cached(self, messages: tuple[Message, ...], front: int) -> int:
        """The tokens that a server with a cache would have seen: of the longest beginning that was counted before, and
        of the schema in front of it."""
        beginnings = [
            (sha256(canonical_text([message.content[:place] for message in messages])), place)
            for place in messages[-1].breaks
        ]
        seen = [place for key, place in beginnings if key in self._planned]
        self._planned |= {key for key, _ in beginnings}
        if not seen or self.batched:
            return 0
        tokens = front + expected_prefix((*messages[:-1], messages[-1]._replace(breaks=(max(seen),))))
        return tokens if tokens >= LEAST_CACHED else 0

    async def _reply(
        self, rubric: Rubric, shown: Shown, question: Question, sample: int, turn: Turn
    ) -> tuple[str, Reply, Calls]:
        """A reply and its nonce, from the store or from the model; later turns keep the first nonce."""
        prompt_key, key = self._keys(rubric, shown, question, sample, turn)
        # The reply is kept before the lock is released: whoever waits for it has asked the same, and must find it.
        async with self._lock(key):
            known = self._known(prompt_key, key)
            if known is not None:
                self._replied()
                if self._recorder is not None:
                    self._recorder.add(prompt_key, known[1], nonce=known[0], pictures=bool(shown.pictures))
                return *known, Calls(stored=1)
            nonce = turn.nonce or self._nonces.of(shown)
            messages = self._conversation(rubric, shown, question, nonce, turn)
            asked = Question("scores", turn.dimensions) if turn.dimensions else question
            request = Request(
                messages=self._with_breaks(messages, question),
                schema=self._schema(rubric, asked, nonce),
                max_tokens=self._reply_tokens(messages, turn),
                sampling=self.settings.sampling,
                seed=sample,
                logprobs=self.settings.logprobs,
                cache_key=nonce,
            )
            reply = await self._call(request)
            self._keep(key, nonce, reply)
            if turn.cut and self._known(*(first := self._keys(rubric, shown, question, sample, Turn()))) is None:
                # The same question once more, after an empty reply: a later run finds this one in its place.
                self._keep(first[1], nonce, reply)
        if self._recorder is not None:
            self._recorder.add(prompt_key, reply, nonce=nonce, pictures=bool(shown.pictures))
        await asyncio.sleep(0)  # let the next call in line be sent before this reply is read
        counted = with_estimates(reply, messages)
        calls = Calls(
            asked=1,
            input_tokens=counted.input_tokens or 0,
            output_tokens=counted.output_tokens or 0,
            cost=cost(self._provider, counted),
            cached_tokens=reply.cached_tokens or 0,
            estimated=int(counted is not reply),
        )
        return nonce, reply, calls

    def _conversation(
        self, rubric: Rubric, shown: Shown, question: Question, nonce: str, turn: Turn
    ) -> tuple[Message, ...]:
        if question.kind == "pair":
            messages = pair_prompt.messages(rubric, shown, nonce, language=self.settings.language)
        else:
            messages = prompt.messages(rubric, shown, question, nonce, **self.frame)
        if turn.rejected is None:
            return messages
        rejected = Message("assistant", turn.rejected or "(nothing)")
        if question.kind == "pair":
            return (*messages, rejected, pair_prompt.repair(turn.problem, nonce))
        return (*messages, rejected, prompt.repair(question, turn.problem, nonce, turn.dimensions))

    def first_messages(self, rubric: Rubric, shown: Shown, question: Question) -> tuple[Message, ...]:
        """A question as the model gets it first, with a placeholder for the nonce."""
        return self._conversation(rubric, shown, question, prompt.PLACEHOLDER, Turn())

    def _lock(self, key: str) -> asyncio.Lock:
        """Identical concurrent questions share a lock, so that only the first is sent, if its reply will be stored."""
        if self._replies is None or self._fresh:
            return asyncio.Lock()
        # Weak values: a lock is gone once no one holds it or waits for it, or a long run would keep one per question.
        lock = self._in_flight.get(key)
        if lock is None:
            lock = self._in_flight[key] = asyncio.Lock()
        return lock

    def _with_breaks(self, messages: tuple[Message, ...], question: Question) -> tuple[Message, ...]:
        """Do not have the work cached for a question that no other shares it with: some services charge for that."""
        if question.kind not in ("all", "pair") or self.settings.samples > 1:
            return messages
        return tuple(message._replace(breaks=message.breaks[:-1]) for message in messages)

    def _reply_tokens(self, messages: tuple[Message, ...], turn: Turn) -> int:
        """Doubled after a truncated reply, as far as the window allows."""
        most = self.settings.max_tokens
        if not turn.cut:
            return most
        if self.window is None:
            return 2 * most
        return max(most, min(2 * most, self.window - estimate_input(messages)))

    def _schema(self, rubric: Rubric, question: Question, nonce: str) -> WrittenSchema:
        """The reply's schema; only the nonce in it differs from call to call."""
        known = self._schemas.get((id(rubric), question))
        if known is None:
            if len(self._schemas) >= MOST_SCHEMAS:
                self._schemas.clear()
            known = self._schemas[id(rubric), question] = (
                rubric,
                ReplySchema(rubric, question, bounded=self.settings.bounded),
            )
        return known[1].schema(nonce)

    def _keys(self, rubric: Rubric, shown: Shown, question: Question, sample: int, turn: Turn) -> tuple[str, str]:
        """The hash of a prompt, and the hash of everything that shapes its reply. The nonce is in neither."""
        suffix = [str(sample), str(turn.number)]
        if turn.rejected is not None:
            suffix += [turn.rejected, turn.problem, *turn.dimensions]
        prompt_key = prompt.prompt_key(rubric, shown, question, *suffix, **self.frame)
        return prompt_key, sha256(self._shape + prompt_key)

    def _known(self, prompt_key: str, key: str) -> tuple[str, Reply] | None:
        """The recorded or stored nonce and reply, if any."""
        if self._recorded is not None:
            return self._recorded.get(prompt_key)
        kept = None if self._replies is None or self._fresh else self._replies.get(key)
        if kept is None:
            return None
        nonce, reply = unpack(kept)
        # An empty reply is useless, and the server that sent it may have recovered since.
        return (nonce, reply) if reply.text.strip() else None

    def _keep(self, key: str, nonce: str, reply: Reply) -> None:
        """Store a reply. If that fails, the run stops making calls: this reply is used, but nothing more is spent."""
        if self._replies is not None:
            try:
                self._replies.put(key, pack(nonce, reply))
            except StoreUnavailable as error:
                self._budget.stop(str(error), broken=True)

    async def _call(self, request: Request) -> Reply:
        priced = price_of(self._provider) is not None
        estimate = estimate_input(request.messages) if priced else 0
        most = estimate_cost(self._provider, estimate, request.max_tokens)
        await self._budget.reserve(most)
        try:
            reply = await self._provider.ask(request)
        except CallFailed as failure:
            self._budget.settle(most, None, failed=True)
            fails_for_all = self._contact.failed(failure)
            if self._contact.failure:
                self._budget.failure = self._contact.failure
            if fails_for_all:
                # The next thousand calls would fail too. Tell the user now.
                self._budget.stop(str(failure), broken=True)
            raise
        except BaseException:
            self._budget.settle(most, None, failed=True)
            raise
        self._replied(now=True)
        counted = with_estimates(reply, request.messages)
        self._budget.activity.output_tokens += counted.output_tokens or 0
        self._budget.settle(most, cost(self._provider, counted))
        return reply

    def _replied(self, *, now: bool = False) -> None:
        self._contact.replied(now=now)
        self._budget.any_reply = True


def pack(nonce: str, reply: Reply) -> str:
    """Serialise a reply with its nonce, completely: reading it later must give the same answer."""
    return _ENCODER.encode({"nonce": nonce, "reply": reply_document(reply)})


def unpack(text: str) -> tuple[str, Reply]:
    """The nonce and the reply from packed text."""
    kept = json.loads(text)
    return kept["nonce"], reply_from(kept["reply"])
