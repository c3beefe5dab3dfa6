"""The HTTP client against a server that misbehaves: a fault is retried, or said; none hangs or becomes a reply."""

from __future__ import annotations

import asyncio
import time
from email.utils import formatdate
from typing import Any

import pytest
from fake_server import FakeServer, Fault, chat

from evenhand.providers.builtin.openai import OpenAI
from evenhand.providers.exchange import CallFailed, Message, Reply, Request
from evenhand.providers.http.client import THRESHOLD, WAITED_FOR, Breaker, Client
from evenhand.providers.limits import Limits, Pace, Timeouts, Timing

QUESTION = Request(messages=(Message("system", "Judge."), Message("user", "Is it good?")))
PATIENT = Timeouts(connect=30.0, first_byte=30.0, total=60.0)
"""So long that a busy machine is never taken for a server that does not answer."""
SHORT = Timeouts(connect=30.0, first_byte=1.0, total=2.0)
"""For servers that really do not answer."""


class Waits:
    """A sleep that takes no time and remembers how long it should have taken.

    Its clock moves on by it, and with the real one unless it is `still`: whole seconds, so that sums are exact.
    """

    def __init__(self, chance: float = 1.0, still: bool = False) -> None:
        self.asked: list[float] = []
        self._chance = chance
        self._slept = 0.0
        self._real = (lambda: 0.0) if still else time.monotonic

    async def sleep(self, seconds: float) -> None:
        self.asked.append(seconds)
        self._slept += seconds
        await asyncio.sleep(0)

    @property
    def timing(self) -> Timing:
        return Timing(
            elapsed=lambda: self._real() + self._slept,
            epoch_seconds=lambda: 1_800_000_000.0 + self._slept,
            sleep=self.sleep,
            chance=lambda: self._chance,
        )


def provider(server: FakeServer, waits: Waits | None = None, **settings: Any) -> OpenAI:
    settings = {"timeouts": PATIENT, "timing": (waits or Waits()).timing, **settings}
    client = Client("openai:fake", server.url, **settings)
    return OpenAI(client, identity={"name": "openai:fake", "provider": "openai", "model": "fake"})


def ask(asked: OpenAI, times: int = 1) -> list[Reply | CallFailed]:
    """So many calls at once; what each gave."""

    async def all_of_them() -> list[Any]:
        try:
            return await asyncio.gather(*(asked.ask(QUESTION) for _ in range(times)), return_exceptions=True)
        finally:
            await asked.close()

    return asyncio.run(all_of_them())


def failure(asked: OpenAI) -> CallFailed:
    """The failure of the one call that was made."""
    [given] = ask(asked)
    assert isinstance(given, CallFailed)
    assert given.__context__ is None and given.__cause__ is None
    return given


async def arrival(server: FakeServer, count: int) -> None:
    """Wait until so many requests have reached the server."""
    while server.count < count:
        await asyncio.sleep(0.005)


# --- faults that pass ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    "fault",
    [
        Fault.status(429, "slow down"),
        Fault.status(500, "oops"),
        Fault.status(503, "starting"),
        Fault.status(529, "overloaded"),
        Fault.cut(chat("yes")),
        Fault.hang_up,
        Fault.not_json,
        Fault.not_an_object,
        Fault.empty,
        Fault.web_page,
        Fault.status(200, "the model is busy"),
    ],
    ids=lambda step: f"{step.status}-{step.body[:16].decode()}" if step.body else "empty or hanging up",
)
def test_a_fault_that_passes_is_asked_again_once(fake_server: FakeServer, fault: Any):
    """One failure, one retry, the reply of the retry."""
    fake_server.script = [fault, chat("yes")]
    [reply] = ask(provider(fake_server))
    assert isinstance(reply, Reply) and reply.text == "yes"
    assert fake_server.count == 2


TOO_SLOW = {"silent": Fault.silence, "body": Fault.trickle(chat("yes")), "head": Fault.slow_head(chat("yes"))}


@pytest.mark.slow
@pytest.mark.parametrize("name", TOO_SLOW)
def test_a_reply_that_is_late_once_is_asked_for_again(fake_server: FakeServer, name: str):
    """The second attempt is given as long as the first, which is long enough even on a busy machine."""
    fake_server.script = [TOO_SLOW[name], chat("yes")]
    [reply] = ask(provider(fake_server, timeouts=Timeouts(connect=30.0, first_byte=3.0, total=3.0)))
    assert isinstance(reply, Reply) and reply.text == "yes"
    assert fake_server.count == 2


@pytest.mark.parametrize(
    ("fault", "kind", "tries", "words"),
    [
        (Fault.status(500, "oops"), "server", 5, "HTTP 500: oops (tried 5 times)"),
        (Fault.cut(chat("yes")), "unreachable", 5, "cut off in the middle of the reply"),
        (Fault.hang_up, "unreachable", 5, "closed before a reply arrived"),
        (Fault.silence, "timeout", 2, "silent for 1 s"),
        (Fault.trickle(chat("yes")), "timeout", 2, "no whole reply within 2 s"),
        (Fault.slow_head(chat("yes")), "timeout", 2, "no whole reply within 2 s"),
        (Fault.not_json, "server", 5, "not JSON (application/json)"),
        (Fault.web_page, "server", 5, "not JSON (text/html)"),
        (Fault.status(200, "the model is busy"), "server", 5, "contains an error: the model is busy"),
    ],
)
@pytest.mark.slow
def test_a_fault_that_stays_is_given_up_and_said(
    fake_server: FakeServer, fault: Any, kind: str, tries: int, words: str
):
    """After so many attempts the call has failed; it is not a reply, and the reason is in the error."""
    fake_server.answer = lambda asked: fault
    error = failure(provider(fake_server, timeouts=SHORT if kind == "timeout" else PATIENT))
    assert error.kind == kind
    assert words in str(error)
    assert fake_server.count == tries


def test_no_one_listens():
    """A port without a server is out of reach."""
    with FakeServer() as gone:
        pass
    error = failure(provider(gone))
    assert error.kind == "unreachable"
    server = gone.url.removesuffix("/v1")
    assert f"openai:fake: {server} cannot be reached" in str(error)


def test_an_unknown_host_is_reported():
    """A name that is never given out (RFC 6761)."""
    client = Client("near:m", "http://nowhere.invalid/v1", timing=Waits().timing, limits=Limits(tries=1))
    error = failure(OpenAI(client, identity={"name": "near:m", "provider": "near", "model": "m"}))
    assert error.kind == "unreachable"


# --- faults that stay ----------------------------------------------------------------------------


@pytest.mark.parametrize("status", [400, 401, 402, 403, 404, 413, 422])
def test_a_refused_request_is_not_sent_again(fake_server: FakeServer, status: int):
    """What the server refuses it will refuse again."""
    fake_server.answer = lambda asked: Fault.status(status, "no such thing")
    error = failure(provider(fake_server))
    assert error.kind == "rejected"
    assert str(status) in str(error)
    assert fake_server.count == 1


def test_an_account_without_money_is_not_asked_again(fake_server: FakeServer):
    """OpenAI says so with 429, but waiting does not help."""
    fake_server.answer = lambda asked: Fault.status(429, "You exceeded your quota", code="insufficient_quota")
    assert failure(provider(fake_server)).kind == "rejected"
    assert fake_server.count == 1


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_a_redirect_is_not_followed(fake_server: FakeServer, status: int):
    """It is said where it points to, without its query, and nothing is sent there."""
    with FakeServer() as elsewhere:
        fake_server.answer = lambda asked: Fault.redirect(f"{elsewhere.url}/x?token=abc", status)
        error = failure(provider(fake_server))
        assert error.kind == "rejected"
        assert f"redirects to {elsewhere.url}/x, which is not followed" in str(error)
        assert "abc" not in str(error)
        assert (fake_server.count, elsewhere.count) == (1, 0)


def test_a_reply_without_end_is_not_read(fake_server: FakeServer):
    """More than the limit is an error, and not held in memory."""
    fake_server.answer = lambda asked: Fault.huge(3_000_000)
    error = failure(provider(fake_server, limits=Limits(largest=1024 * 1024)))
    assert "larger than the limit of 1 MiB" in str(error)
    assert fake_server.count == 1


# --- how long is waited --------------------------------------------------------------------------


def test_waits_double_with_full_jitter(fake_server: FakeServer):
    """Half a second, one, two, four: of each a share between nothing and all, here three quarters."""
    fake_server.answer = lambda asked: Fault.status(500)
    waits = Waits(chance=0.75)
    ask(provider(fake_server, waits))
    assert waits.asked == [0.375, 0.75, 1.5, 3.0]


@pytest.mark.parametrize(
    ("written", "least"), [("7", 7.0), ("0.5", 0.5), (formatdate(1_800_000_012, usegmt=True), 12.0)]
)
def test_retry_after_is_respected(fake_server: FakeServer, written: str, least: float):
    """In seconds or as a date; jitter comes on top, never off."""
    fake_server.script = [Fault.status(429, retry_after=written)]
    waits = Waits(chance=0.0)
    ask(provider(fake_server, waits))
    assert waits.asked == [pytest.approx(least, abs=0.01)]


@pytest.mark.parametrize("written", ["soon", "", "-5", "Sun, 99 Foo 2026", "1e5"])
def test_a_retry_after_that_makes_no_sense_is_ignored(fake_server: FakeServer, written: str):
    """The usual wait is taken."""
    fake_server.script = [Fault.status(429, retry_after=written)]
    waits = Waits()
    [reply] = ask(provider(fake_server, waits))
    assert isinstance(reply, Reply)
    assert waits.asked == [0.5]


def test_a_wait_beyond_the_patience_of_a_call_is_not_begun(fake_server: FakeServer):
    """A server that asks for an hour is believed, and the call fails at once."""
    fake_server.answer = lambda asked: Fault.status(429, "daily limit", retry_after="3600")
    waits = Waits()
    error = failure(provider(fake_server, waits))
    assert error.kind == "limited"
    assert waits.asked == []


def test_being_put_off_is_not_a_failure(fake_server: FakeServer):
    """Nine times "too many" with a second each, more than the five tries of other faults, and then the reply."""
    fake_server.script = [Fault.status(429, retry_after="1")] * 9
    [reply] = ask(provider(fake_server, Waits(chance=0.0)))
    assert isinstance(reply, Reply)
    assert fake_server.count == 10


# --- limits --------------------------------------------------------------------------------------


def test_no_more_than_the_allowed_calls_are_in_flight(fake_server: FakeServer):
    """The server's own high-water mark."""
    fake_server.hold = lambda asked: fake_server.count < 7
    replies = ask(provider(fake_server, limits=Limits(concurrency=7)), times=50)
    assert all(isinstance(reply, Reply) for reply in replies)
    assert fake_server.most_at_once == 7


def test_requests_a_minute_are_kept():
    """Ten a minute: the eleventh waits for the first to be a minute old."""
    waits = Waits(still=True)

    async def eleven() -> None:
        pace = Pace(10, waits.timing)
        for _ in range(11):
            await pace.take()

    asyncio.run(eleven())
    assert waits.asked == [60]


def test_tokens_a_minute_count_what_was_really_used():
    """1000 a minute: 800 were set aside and 100 used, so that 900 more go at once; then 200 wait."""
    waits = Waits(still=True)

    async def take() -> None:
        pace = Pace(1000, waits.timing)
        pace.correct(await pace.take(800), 100)
        await pace.take(900)
        assert waits.asked == []
        await pace.take(200)

    asyncio.run(take())
    assert waits.asked == [60]


def test_an_amount_above_the_limit_waits_for_an_empty_minute_and_goes():
    """Otherwise it would wait for ever."""
    waits = Waits(still=True)

    async def take() -> None:
        pace = Pace(10, waits.timing)
        await pace.take(1)
        await pace.take(50)

    asyncio.run(take())
    assert waits.asked == [60]


def test_the_limit_of_requests_holds_for_a_provider(fake_server: FakeServer):
    """Five calls at two a minute: two minutes are waited in all."""
    waits = Waits()
    replies = ask(provider(fake_server, waits, limits=Limits(requests_per_minute=2)), times=5)
    assert all(isinstance(reply, Reply) for reply in replies)
    assert sum(waits.asked) == pytest.approx(120, abs=1)


# --- the circuit breaker -------------------------------------------------------------------------


def test_a_server_that_never_answered_is_soon_left_alone(fake_server: FakeServer):
    """A hundred calls do not make five hundred requests."""
    fake_server.answer = lambda asked: Fault.status(500, "down")
    given = ask(provider(fake_server, limits=Limits(concurrency=4)), times=100)
    assert all(isinstance(each, CallFailed) for each in given)
    assert fake_server.count < THRESHOLD + 4 + 20
    assert "HTTP 500: down (" in str(given[-1]) and "failures in a row, so it was not asked again)" in str(given[-1])


def test_a_short_outage_is_waited_for(fake_server: FakeServer):
    """A server that answered, fails twelve times and comes back: every call gets its reply."""
    fake_server.script = [chat("yes"), *[Fault.status(503)] * 12]
    replies = ask(provider(fake_server, limits=Limits(concurrency=3, tries=20)), times=30)
    assert all(isinstance(reply, Reply) for reply in replies)


def test_a_refused_key_is_not_tried_by_a_thousand_calls(fake_server: FakeServer):
    """After ten refusals the others fail without being sent."""
    fake_server.answer = lambda asked: Fault.status(401)
    given = ask(provider(fake_server, limits=Limits(concurrency=1)), times=200)
    assert all(isinstance(each, CallFailed) for each in given)
    assert fake_server.count == THRESHOLD


def test_the_breaker_lets_one_probe_through_and_closes_on_its_success():
    """Open, cool-down, one probe while the others wait, closed."""
    waits = Waits()

    async def story() -> None:
        breaker = Breaker("m", waits.timing)
        breaker.success()
        for _ in range(THRESHOLD):
            breaker.failure("down")
        assert await breaker.enter(float("inf")) is True
        waiting = asyncio.create_task(breaker.enter(float("inf")))
        await asyncio.sleep(0)
        assert not waiting.done()
        breaker.success()
        assert await waiting is False

    asyncio.run(story())
    assert waits.asked == [pytest.approx(15, abs=0.5)]


def test_the_breaker_gives_up_waiting_after_some_failed_probes():
    """A long outage is not waited for; the cool-downs before were 15, 30 and 60 seconds."""
    waits = Waits()

    async def story() -> None:
        breaker = Breaker("m", waits.timing)
        breaker.success()
        for _ in range(THRESHOLD):
            breaker.failure("down")
        for _ in range(WAITED_FOR):
            assert await breaker.enter(float("inf")) is True
            breaker.failure("still down", probe=True)
        with pytest.raises(CallFailed, match=r"still down \(13 failures in a row, so it was not asked again\)$"):
            await breaker.enter(float("inf"))
        await waits.sleep(61)
        assert await breaker.enter(float("inf")) is True

    asyncio.run(story())
    assert waits.asked == [pytest.approx(each, abs=0.5) for each in (15, 30, 60, 61)]


def test_an_abandoned_probe_leaves_the_place_to_the_next(fake_server: FakeServer):
    """A call that is cancelled while it probes does not block the others."""

    async def story() -> None:
        waits = Waits()
        asked = provider(fake_server, waits, limits=Limits(concurrency=1))
        fake_server.script = [chat("yes"), *[Fault.status(500)] * THRESHOLD, Fault.silence]
        await asked.ask(QUESTION)
        await asyncio.gather(asked.ask(QUESTION), asked.ask(QUESTION), return_exceptions=True)
        before = fake_server.count
        probe = asyncio.create_task(asked.ask(QUESTION))
        await arrival(fake_server, before + 1)
        probe.cancel()
        assert (await asked.ask(QUESTION)).text == "ok"
        await asked.close()

    asyncio.run(story())


# --- being stopped -------------------------------------------------------------------------------


def test_a_cancelled_call_gives_its_slot_back(fake_server: FakeServer):
    """Ctrl-C ends what is in flight; nothing hangs on."""

    async def story() -> Reply:
        asked = provider(fake_server, limits=Limits(concurrency=1))
        fake_server.script = [Fault.silence]
        first = asyncio.create_task(asked.ask(QUESTION))
        await arrival(fake_server, 1)
        first.cancel()
        reply = await asked.ask(QUESTION)
        await asked.close()
        return reply

    assert asyncio.run(story()).text == "ok"
