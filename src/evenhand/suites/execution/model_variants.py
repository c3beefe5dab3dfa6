"""Variants that are models: each case asked once, within the budget, in an event loop of its own."""

from __future__ import annotations

import asyncio
import threading
from decimal import Decimal

from evenhand import clock
from evenhand.decisions.suite import Model
from evenhand.errors import InputError
from evenhand.judges.models.budget import Budget
from evenhand.options.settings import judge_tables
from evenhand.providers.entries import configured
from evenhand.providers.exchange import CallFailed, Message, Provider, Reply, Request, Stopped
from evenhand.providers.hooks import Hooks
from evenhand.providers.opened_provider import open_provider
from evenhand.providers.prices import cost, estimate_cost, price_of
from evenhand.providers.specs import parse_spec
from evenhand.providers.tokens import estimate_input
from evenhand.runs.limited_process import Interrupted
from evenhand.runs.planned import PlannedRun
from evenhand.runs.run_environment import Given, filled
from evenhand.work.agent_run import AgentRun

MOST_TOKENS = 8192
"""Tokens of a reply, unless the model's table in evenhand.toml says otherwise."""


class SuiteModels:
    """Asks the models of a suite's variants."""

    def __init__(self, models: list[Model], budget: Budget, *, limited: bool, needs_keys: bool = True) -> None:
        """Open every provider. InputError when one lacks a key, or its price is unknown and spending is limited."""
        self._budget = budget
        self._named = configured(judge_tables())
        self._providers: dict[str, Provider] = {}
        hooks = Hooks(before_retry=budget.retry, notice=lambda text: None, stop=lambda reason: None)
        for model in models:
            spec = parse_spec(model.spec, self._named)
            provider: Provider = open_provider(spec, self._named, hooks=hooks, needs_key=needs_keys)
            if limited and price_of(provider) is None:
                raise InputError(
                    f"`max_cost` needs a price, and the price of {model.spec} is unknown; "
                    "give price_input and price_output for it in evenhand.toml"
                )
            self._providers[model.spec] = provider
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._thread.start()

    def ask(self, planned: PlannedRun) -> AgentRun:
        """One run of a model, from a worker's thread. Interrupted when the budget is spent."""
        return asyncio.run_coroutine_threadsafe(self._ask(planned), self._loop).result()

    def most_tokens(self, model: Model) -> int:
        """The most tokens of a model's reply."""
        table = self._named.get(parse_spec(model.spec, self._named).provider)
        return (None if table is None else table.max_tokens) or MOST_TOKENS

    def most_cost(self, planned: PlannedRun) -> Decimal | None:
        """The most that a run may cost; None when its price is unknown."""
        model = planned.variant.does
        assert isinstance(model, Model)
        tokens = estimate_input(_messages(model, planned))
        return estimate_cost(self._providers[model.spec], tokens, self.most_tokens(model))

    def close(self) -> None:
        """Close the connections."""
        for provider in self._providers.values():
            asyncio.run_coroutine_threadsafe(provider.close(), self._loop).result()
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    async def _ask(self, planned: PlannedRun) -> AgentRun:
        model, run = planned.variant.does, AgentRun(planned.id, planned.key, "failed", started=clock.now())
        assert isinstance(model, Model)
        provider = self._providers[model.spec]
        request = Request(_messages(model, planned), max_tokens=self.most_tokens(model), seed=planned.id.repeat)
        most = self.most_cost(planned)
        begun = clock.elapsed()
        try:
            await self._budget.reserve(most)
        except Stopped:
            raise Interrupted from None
        seconds = planned.variant.limits.seconds
        try:
            reply = await asyncio.wait_for(provider.ask(request), None if seconds is None else float(seconds))
        except (CallFailed, TimeoutError) as failure:
            self._budget.settle(most, None, failed=True)
            if isinstance(failure, CallFailed):
                return run._replace(reason=str(failure), seconds=_since(begun))
            return run._replace(outcome="timed out", reason=f"it took longer than {seconds:f} s", seconds=_since(begun))
        paid = cost(provider, reply)
        self._budget.settle(most, paid)
        return _with_reply(run, reply)._replace(cost=paid, seconds=_since(begun))


def _with_reply(run: AgentRun, reply: Reply) -> AgentRun:
    run = run._replace(output=reply.text, input_tokens=reply.input_tokens, output_tokens=reply.output_tokens)
    if reply.finish == "refused" or reply.instead:
        return run._replace(reason=reply.instead or "the model refused", output=reply.text or None)
    if reply.finish == "length":
        return run._replace(outcome="stopped by a limit", reason="its reply reached the limit of tokens")
    return run._replace(outcome="finished")


_FILLED = ("prompt", "case", "repeat", "variables")
"""The placeholders that a model's prompt may have."""


def _messages(model: Model, planned: PlannedRun) -> tuple[Message, ...]:
    case = planned.case
    given = Given(case.prompt, "", "", planned.id.case, planned.id.repeat, variables=dict(case.variables))
    system = (Message("system", filled(model.system, given, _FILLED)),) if model.system else ()
    before = tuple(Message(message.role, message.text) for message in case.conversation)
    return (*system, *before, Message("user", filled(model.template, given, _FILLED)))


def _since(begun: float) -> Decimal:
    return Decimal(str(round(clock.elapsed() - begun, 3)))
