"""Asking a model, at the boundaries: what is sent, what waits, what is kept, what is asked again, what is planned."""

from __future__ import annotations

from decimal import Decimal

import pytest

from evenhand.judges.models.asking import Asker
from evenhand.judges.models.attempts import Turn
from evenhand.judges.models.budget import Budget
from evenhand.judges.models.call_plan import CallSettings
from evenhand.judges.models.nonces import Nonces
from evenhand.judges.models.questions.prompt import Question, room
from evenhand.providers.exchange import CallFailed, Reply
from evenhand.providers.prices import Price
from evenhand.providers.tokens import estimate_input
from model_in_process import ALL, EXAMPLES, RUBRIC, SAFETY, SHOWN, WORK, Full, Kept, Provider, ask, asker_of, at_once

# --- what is sent --------------------------------------------------------------------------------------


def test_a_judge_with_examples_is_shown_them_and_is_another_judge():
    """They come before the work, they leave less room for it, and the replies without them are not used."""
    plain = asker_of(Provider(window=20_000), replies=Kept())
    taught = plain.with_examples(EXAMPLES)
    content = taught.first_messages(RUBRIC, SHOWN, SAFETY)[-1].content
    assert EXAMPLES in content[: content.index(WORK)]
    assert EXAMPLES not in plain.first_messages(RUBRIC, SHOWN, SAFETY)[-1].content
    assert room(RUBRIC, [SAFETY], reply_tokens=0, **taught.frame) < room(
        RUBRIC, [SAFETY], reply_tokens=0, **plain.frame
    )  # type: ignore[operator]
    assert "examples" in taught.identity and "examples" not in plain.identity
    at_once(ask(plain))
    assert (plain.plan(RUBRIC, SHOWN, [SAFETY]).stored, taught.plan(RUBRIC, SHOWN, [SAFETY]).stored) == (1, 0)


def test_a_judge_of_pairs_is_another_judge():
    """By another prompt, once in each order: its replies are stored apart."""
    asker = asker_of(Provider())
    pairs = asker.for_pairs()
    changed = {name for name, value in pairs.identity.items() if asker.identity[name] != value}
    assert (changed, pairs.identity["calls"]) == ({"prompt", "calls"}, "one per order")
    assert asker._keys(RUBRIC, SHOWN, SAFETY, 0, Turn())[1] != pairs._keys(RUBRIC, SHOWN, SAFETY, 0, Turn())[1]


@pytest.mark.parametrize(("question", "samples", "marked"), [(SAFETY, 1, 2), (SAFETY, 2, 2), (ALL, 2, 2), (ALL, 1, 1)])
def test_a_server_is_asked_to_cache_what_a_later_call_shares(question: Question, samples: int, marked: int):
    """The rubric always; the work only where another question or another sample is about it."""
    provider = Provider()
    at_once(ask(asker_of(provider, CallSettings(samples=samples)), question))
    (request,) = provider.requests
    places = request.messages[-1].breaks
    assert len(places) == marked
    assert WORK not in request.messages[-1].content[: places[0]]


CUT = Reply('{"reply_to": "', finish="length")
SECRET = bytes(range(32))
"""Of the nonces, so that every run sends the same bytes."""


def question_tokens(asker: Asker) -> int:
    """An estimate of what the question about safety takes."""
    provider = Provider()
    at_once(ask(asker_of(provider, nonces=Nonces(lambda: SECRET))))
    return estimate_input(provider.requests[0].messages)


@pytest.mark.parametrize(
    ("left", "second"),
    [(None, 4096), (0, 2048), (2048, 2048), (2049, 2049), (4095, 4095), (4096, 4096), (4097, 4096)],
)
def test_after_a_reply_that_was_cut_off_there_is_twice_the_room_as_far_as_the_window_has_it(left, second):
    """`left` is what the window holds beside the question. There is never less room than at first."""
    provider = Provider()
    provider.replies = [CUT]
    asker = asker_of(provider, nonces=Nonces(lambda: SECRET))
    asker.window = None if left is None else left + question_tokens(asker)
    (result,) = at_once(ask(asker))
    assert [request.max_tokens for request in provider.requests] == [2048, second]
    assert (result.problem, result.calls.asked, result.calls.repairs) == ("", 2, 1)


NO_FORM = Reply("I would rather talk about something else.")


@pytest.mark.parametrize(
    ("replies", "requests", "answered"),
    [([], 1, True), ([CUT], 2, True), ([NO_FORM], 2, True), ([CUT, NO_FORM], 2, False), ([NO_FORM, NO_FORM], 2, False)],
)
def test_a_question_is_paid_for_twice_at_most(replies, requests, answered):
    """A cut reply is asked for again, an unusable one repaired; then there is no answer, and the reason says so."""
    provider = Provider()
    provider.replies = list(replies)
    (result,) = at_once(ask(asker_of(provider)))
    assert (len(provider.requests), result.calls.asked, result.calls.repairs) == (requests, requests, requests - 1)
    assert (bool(result.answers), result.problem == "", result.unread) == (answered, answered, not answered)
    assert result.problem.endswith("" if answered else " (asked twice)")


def test_a_cut_reply_is_asked_for_as_before_and_an_unusable_one_shown_with_what_was_wrong():
    """Under the same nonce; the repair is two further turns."""
    for reply, turns in ((CUT, 2), (NO_FORM, 4)):
        provider = Provider()
        provider.replies = [reply]
        at_once(ask(asker_of(provider)))
        first, second = (request.messages for request in provider.requests)
        assert (first == second[:2], len(second)) == (True, turns)
        assert len({request.cache_key for request in provider.requests}) == 1
    assert second[2].content == NO_FORM.text
    assert "the reply holds no JSON object" in second[3].content


# --- what waits ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("kept", "fresh", "calls", "together"), [(True, False, 1, 1), (True, True, 2, 2), (False, False, 2, 2)]
)
def test_the_same_question_at_the_same_time_waits_only_for_a_reply_it_can_use(kept, fresh, calls, together):
    """Without stored replies, or when fresh ones are wanted, it is asked twice, side by side."""
    provider = Provider()
    asker = asker_of(provider, replies=Kept() if kept else None, fresh=fresh)
    at_once(ask(asker), ask(asker))
    assert (len(provider.requests), provider.most_in_flight) == (calls, together)


def test_other_questions_do_not_wait():
    """Neither another dimension nor another sample of the same one."""
    provider = Provider()
    asker = asker_of(provider, replies=Kept())
    at_once(ask(asker), ask(asker, ALL), ask(asker, sample=1))
    assert provider.most_in_flight == 3


# --- what is kept --------------------------------------------------------------------------------------


def test_a_reply_that_cannot_be_stored_counts_and_nothing_more_is_spent():
    """The run stops, as broken, with the store's own words."""
    provider, budget = Provider(), Budget()
    (result,) = at_once(ask(asker_of(provider, replies=Full(), budget=budget)))
    assert result.answers and result.problem == ""
    assert (budget.stopped, budget.broken) == ("the disk is full", True)


@pytest.mark.parametrize("text", ["", " \n", "?"])
def test_a_reply_that_says_nothing_is_not_paid_for_again_once_the_next_was_good(text: str):
    """The good reply after an empty one is kept in its place, so that a run that goes on asks nothing twice."""
    kept, provider = Kept(), Provider()
    provider.replies = [Reply(text)]
    at_once(ask(asker_of(provider, replies=kept)))
    at_once(ask(asker_of(provider, replies=kept)))
    assert (len(provider.requests), len(kept)) == (2, 2)


@pytest.mark.parametrize(
    ("kind", "stopped"), [("rejected", True), ("unreachable", True), ("timeout", False), ("limited", False)]
)
def test_a_call_that_would_fail_for_every_work_stops_the_run(kind: str, stopped: bool):
    """Any other failure is kept as the latest one until a reply comes; neither costs anything."""
    provider, budget = Provider(), Budget(max_cost=Decimal(1))
    provider.price = Price(Decimal(1), Decimal(1))
    provider.replies = [CallFailed("no luck", kind=kind)]  # type: ignore[arg-type]
    asker = asker_of(provider, budget=budget)
    (result,) = at_once(ask(asker))
    assert (result.answers, result.problem, result.calls.asked) == ((), "no luck", 0)
    assert (asker.failure, budget.failure, budget.any_reply) == ("no luck", "no luck", False)
    assert (budget.stopped, budget.broken) == (("no luck", True) if stopped else (None, False))
    assert (budget.cost, budget._reserved, budget.calls) == (0, 0, 1)


def test_a_reply_is_paid_for_as_it_was_counted_and_its_reservation_returned():
    """1,000 tokens in and 100 out, at 2 and 10 dollars a million: 0.002 + 0.001."""
    provider, budget = Provider(input_tokens=1_000, output_tokens=100, model="m-2026"), Budget(max_cost=Decimal(1))
    provider.price = Price(Decimal(2), Decimal(10))
    asker = asker_of(provider, budget=budget)
    (result,) = at_once(ask(asker))
    assert (result.calls.cost, result.calls.input_tokens, result.calls.output_tokens) == (Decimal("0.003"), 1_000, 100)
    assert (result.calls.estimated, result.calls.cached_tokens) == (0, 0)
    assert (budget.cost, budget._reserved, budget.any_reply) == (Decimal("0.003"), 0, True)
    assert (budget.activity.output_tokens, asker.served) == (100, {"m-2026"})


# --- what is planned -----------------------------------------------------------------------------------

CLAIMS, EFFICIENCY = Question("flags"), Question("scores", ("efficiency",))
