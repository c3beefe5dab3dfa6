"""Servers that refuse, wait, leave things out or say odd things: what a call then does, against a real socket."""

from __future__ import annotations

import asyncio
import json
import re
from typing import Any

import pytest
from fake_server import Asked, FakeServer, Fault, Step, chat, said

from evenhand.providers.builtin.anthropic import Anthropic
from evenhand.providers.builtin.openai import OpenAI
from evenhand.providers.exchange import CallFailed, Message, Request, Stopped
from evenhand.providers.hooks import Hooks
from evenhand.providers.http.client import Client
from evenhand.providers.keys import Key
from evenhand.providers.limits import Limits, Timeouts
from test_http_faults import PATIENT, SHORT, Waits

QUESTION = Request(
    messages=(Message("system", "Judge."), Message("user", "Is it good?")),
    schema={"type": "object"},
    seed=0,
    logprobs=True,
)
LOADING = Step(status=503, body=b'{"error": {"code": 503, "message": "Loading model", "type": "unavailable_error"}}')
IDENTITY = {"name": "mine:fake", "provider": "mine", "model": "fake"}


class Notices(list[str]):
    """What the user is told."""

    def hooks(self, before_retry: Any = lambda: None) -> Hooks:
        return Hooks(before_retry, self.append)


def provider(server: FakeServer, kind: type[Any] = OpenAI, waits: Waits | None = None, **settings: Any) -> Any:
    settings = {"timeouts": PATIENT, "timing": (waits or Waits()).timing, **settings}
    return kind(Client("mine:fake", server.url, **settings), identity=IDENTITY)


def one(asked: Any, request: Request = QUESTION) -> Any:
    """The reply to one call, or its failure."""

    async def call() -> Any:
        try:
            return await asked.ask(request)
        except CallFailed as failure:
            return failure
        finally:
            await asked.close()

    return asyncio.run(call())


def ask_all(asked: Any, times: int) -> list[Any]:
    """Calls at once, with every parameter in them."""

    async def calls() -> list[Any]:
        try:
            return await asyncio.gather(*(asked.ask(QUESTION) for _ in range(times)), return_exceptions=True)
        finally:
            await asked.close()

    return asyncio.run(calls())


# --- not ready yet ---------------------------------------------------------------------------------


def test_a_server_that_loads_its_model_for_a_minute_is_waited_for(fake_server: FakeServer):
    """503 for a minute, looked at every 5 s at most: every call gets a reply, and the user is told once."""
    waits, notices = Waits(), Notices()
    begun = waits.timing.elapsed()
    fake_server.answer = lambda asked: chat("yes") if waits.timing.elapsed() - begun > 60 else LOADING
    replies = ask_all(provider(fake_server, waits=waits, hooks=notices.hooks(), limits=Limits(concurrency=2)), 16)
    assert [reply.text for reply in replies] == ["yes"] * 16
    assert max(waits.asked) == 5.0
    assert notices == ["mine:fake is not ready: HTTP 503: Loading model; waiting for up to 5 min"]


def test_a_server_that_never_gets_ready_is_waited_for_once(fake_server: FakeServer):
    """After five minutes the call fails and says so; the calls after it are not sent."""
    waits = Waits()
    fake_server.answer = lambda asked: LOADING
    failures = ask_all(provider(fake_server, waits=waits, limits=Limits(concurrency=1)), 5)
    assert 295 < sum(waits.asked) <= 300
    assert "HTTP 503: Loading model; not ready after 5 min (tried" in str(failures[0])
    sent = fake_server.count
    assert all("not asked: HTTP 503: Loading model; not ready after 5 min" in str(failure) for failure in failures[1:])
    assert sent < 70


# --- asked to wait ---------------------------------------------------------------------------------


def test_a_wait_of_a_day_is_stated_and_no_other_call_is_sent(fake_server: FakeServer):
    """The first 429 names the wait; the 49 calls behind it fail with the same reason and without a request."""
    fake_server.answer = lambda asked: Fault.status(429, "daily limit", retry_after="86400")
    waits = Waits()
    failures = ask_all(provider(fake_server, waits=waits, limits=Limits(concurrency=1)), 50)
    assert (fake_server.count, waits.asked) == (1, [])
    assert str(failures[0]) == "mine:fake: HTTP 429: daily limit; it asks for a wait of 24 h"
    assert {str(failure) for failure in failures[1:]} == {
        "mine:fake: not asked: HTTP 429: daily limit; it asks for a wait of 24 h"
    }


def test_a_server_that_says_too_many_for_ever_is_reported_and_given_up(fake_server: FakeServer):
    """Without Retry-After: the first notice after 15 s, then one a minute; after ten minutes no call waits again."""
    fake_server.answer = lambda asked: Fault.status(429, "slow down")
    waits, notices = Waits(still=True), Notices()
    failures = ask_all(provider(fake_server, waits=waits, hooks=notices.hooks(), limits=Limits(concurrency=1)), 20)
    assert 570 < sum(waits.asked) <= 600
    assert 9 <= len(notices) <= 10
    assert notices[0].startswith("mine:fake limits requests (HTTP 429: slow down); no reply for ")
    assert notices[0].endswith(", gives up after 10 min")
    assert "HTTP 429: slow down; limited without a reply for " in str(failures[0])
    assert all("not asked: HTTP 429: slow down; limited without" in str(failure) for failure in failures[1:])
    assert fake_server.count < 40


def test_a_limit_that_lets_some_calls_through_is_not_a_reason_to_give_up(fake_server: FakeServer):
    """Every third answer is a reply: all calls get one, and the user hears nothing."""
    fake_server.answer = lambda asked: chat("yes") if fake_server.count % 3 == 0 else Fault.status(429, "slow down")
    notices = Notices()
    replies = ask_all(provider(fake_server, waits=Waits(still=True), hooks=notices.hooks()), 6)
    assert [reply.text for reply in replies] == ["yes"] * 6
    assert notices == []


@pytest.mark.parametrize(
    "twice", [b'{"choices": [], "choices": [{}]}', b'{"choices": [{"message": {"content": "4", "content": "9"}}]}']
)
def test_a_key_that_a_server_gives_twice_is_an_error(fake_server: FakeServer, twice: bytes):
    """Which of the two is the reply cannot be told."""
    fake_server.answer = lambda asked: Step(body=twice)
    failed = one(provider(fake_server))
    assert isinstance(failed, CallFailed)
    assert re.search(r"the reply gives '(?:choices|content)' twice", str(failed))


def test_after_the_stated_wait_the_server_is_asked_again(fake_server: FakeServer):
    """A wait of 700 s, longer than the ten minutes a call may take."""
    fake_server.script = [Fault.status(429, retry_after="700")]
    waits = Waits()

    async def story() -> str:
        asked = provider(fake_server, waits=waits)
        for expected in ("it asks for a wait of 11 min 40 s", "not asked"):
            with pytest.raises(CallFailed, match=expected):
                await asked.ask(QUESTION)
        await waits.sleep(701)
        reply = await asked.ask(QUESTION)
        await asked.close()
        return str(reply.text)

    assert (asyncio.run(story()), fake_server.count) == ("ok", 2)


# --- too slow --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("fault", "setting"), [(Fault.silence, "first_byte_timeout"), (Fault.trickle(chat("yes")), "total_timeout")]
)
@pytest.mark.slow
def test_a_time_out_names_the_setting_to_raise(fake_server: FakeServer, fault: Step, setting: str):
    """And where it goes."""
    fake_server.answer = lambda asked: fault
    failure = one(provider(fake_server, timeouts=SHORT))
    assert f"lower judge.concurrency or raise {setting} under [judges.mine] in evenhand.toml" in str(failure)


@pytest.mark.slow
def test_no_connection_in_time_names_its_own_setting():
    """An address that never answers (RFC 5737) or cannot be reached at all."""
    client = Client("mine:m", "http://192.0.2.1/v1", timeouts=Timeouts(connect=0.2), limits=Limits(timeout_tries=1))
    failure = one(OpenAI(client, identity=IDENTITY))
    assert "raise connect_timeout under [judges.mine]" in str(failure) or failure.kind == "unreachable"


# --- a parameter that is refused without being named -------------------------------------------------


def refusing(*parameters: str, message: str = "Unsupported parameter value.") -> Any:
    """A server that refuses these parameters and does not say which it means."""

    def step(asked: Asked) -> Step:
        return Fault.status(400, message) if any(name in asked.body for name in parameters) else chat("yes")

    return step


@pytest.mark.parametrize(
    ("parameter", "name"),
    [
        ("logprobs", "logprobs"),
        ("max_tokens", "max_tokens"),
        ("seed", "seed"),
        ("temperature", "temperature"),
        ("response_format", "schema"),
    ],
)
def test_a_parameter_that_is_refused_vaguely_is_found_left_out_and_remembered(
    fake_server: FakeServer, parameter: str, name: str
):
    """Each is left out in turn; only the one that mattered stays out, the user is told, and later calls just work."""
    notices = Notices()
    asked = provider(fake_server, hooks=notices.hooks(), limits=Limits(concurrency=1))
    fake_server.answer = refusing(parameter)
    assert [reply.text for reply in ask_all(asked, 4)] == ["yes"] * 4
    assert notices == [f"mine:fake refuses {name} (Unsupported parameter value.); asking without it from now on"]
    given = [set(request.body) for request in fake_server.asked]
    everything = set().union(*given)
    assert given[-3:] == [everything - {parameter, *(("top_logprobs",) if parameter == "logprobs" else ())}] * 3
    assert fake_server.count <= 4 + 5 + 3  # all four were refused, then the search, then the other three


@pytest.mark.slow
def test_calls_that_are_refused_together_search_once(fake_server: FakeServer):
    """Ten calls refused for their seed: three requests of one search (the third has no seed), then the other nine."""
    fake_server.delay = 0.05
    fake_server.answer = refusing("seed")
    replies = ask_all(provider(fake_server), 10)
    assert [reply.text for reply in replies] == ["yes"] * 10
    assert fake_server.count == 10 + 3 + 9


def test_two_parameters_that_are_refused_vaguely_cost_all_of_them(fake_server: FakeServer):
    """None alone helps, so none is sent; the question itself is answered."""
    notices = Notices()
    fake_server.answer = refusing("seed", "logprobs")
    assert one(provider(fake_server, hooks=notices.hooks())).text == "yes"
    assert set(fake_server.asked[-1].body) == {"model", "messages"}
    assert notices[0].startswith("mine:fake refuses logprobs, max_tokens, seed, temperature, schema")


def test_a_request_that_is_refused_whatever_it_contains_keeps_its_message(fake_server: FakeServer):
    """One search, in vain; the next call is sent once."""
    fake_server.answer = lambda asked: Fault.status(400, "invalid request")
    failures = ask_all(provider(fake_server, limits=Limits(concurrency=1)), 3)
    assert {str(failure) for failure in failures} == {"mine:fake: HTTP 400: invalid request"}
    assert fake_server.count == 3 + 6


def test_a_server_that_accepted_a_question_is_not_searched(fake_server: FakeServer):
    """Then a refusal is about the text."""
    fake_server.script = [chat("yes"), Fault.status(400, "invalid request")]
    asked = provider(fake_server, limits=Limits(concurrency=1))
    first, second = ask_all(asked, 2)
    assert (first.text, str(second)) == ("yes", "mine:fake: HTTP 400: invalid request")
    assert fake_server.count == 2


# --- replies that are not text ------------------------------------------------------------------------


def test_an_error_inside_a_choice_is_an_error(fake_server: FakeServer):
    """It is tried again, and shown if it stays."""
    inside = {
        "choices": [{"message": {"content": ""}, "finish_reason": "error", "error": {"message": "upstream is down"}}]
    }
    fake_server.script = [Step(body=json.dumps(inside).encode())]
    assert one(provider(fake_server)).text == "ok"
    fake_server.answer = lambda asked: Step(body=json.dumps(inside).encode())
    assert "the reply contains an error: upstream is down (tried 5 times)" in str(one(provider(fake_server)))
    fake_server.answer = lambda asked: chat("half an ans", finish="error")
    assert "the reply contains an error: the server broke off" in str(one(provider(fake_server)))


CALL = {"id": "1", "type": "function", "function": {"name": "search", "arguments": "{}"}}


@pytest.mark.parametrize(
    ("kind", "step", "instead"),
    [
        (OpenAI, chat(None, tool_calls=[CALL]), "the model called a tool (search) instead of answering"),
        (OpenAI, chat("", function_call=CALL["function"]), "the model called a tool (search) instead of answering"),
        (OpenAI, chat("", reasoning_content="Hmm."), "the model reasoned and then gave no answer"),
        (OpenAI, chat(None, reasoning="Hmm."), "the model reasoned and then gave no answer"),
        (OpenAI, chat(""), ""),
        (OpenAI, chat("8", tool_calls=[CALL]), ""),
        (Anthropic, said({"type": "tool_use", "name": "search", "input": {}}), "the model called a tool (search)"),
        (Anthropic, said({"type": "thinking", "thinking": "Hmm."}), "the model reasoned and then gave no answer"),
        (Anthropic, said(), ""),
    ],
)
def test_a_reply_without_a_text_says_what_it_is(fake_server: FakeServer, kind: type[Any], step: Step, instead: str):
    """A tool call, or reasoning alone; only a reply with nothing at all is called empty."""
    fake_server.answer = lambda asked: step
    assert one(provider(fake_server, kind)).instead.startswith(instead)
    assert bool(instead) == bool(one(provider(fake_server, kind)).instead)


# --- attempts are counted ----------------------------------------------------------------------------


def test_every_further_attempt_is_counted_before_it_is_made(fake_server: FakeServer):
    """Two failures and a refused parameter: three attempts after the first."""
    counted: list[int] = []
    fake_server.script = [
        Fault.status(500),
        Fault.status(429, retry_after="1"),
        Fault.status(400, "seed is not supported"),
        chat("yes"),
    ]
    hooks = Notices().hooks(lambda: counted.append(fake_server.count))
    assert one(provider(fake_server, hooks=hooks)).text == "yes"
    assert counted == [1, 2, 3]


def test_no_further_attempt_is_made_once_the_run_has_stopped(fake_server: FakeServer):
    """The hook's exception ends the call."""

    def stop() -> None:
        raise Stopped("enough")

    fake_server.answer = lambda asked: Fault.status(500)
    with pytest.raises(Stopped):
        one(provider(fake_server, hooks=Hooks(stop)))
    assert fake_server.count == 1


# --- a key that comes back ---------------------------------------------------------------------------

SECRET = 'sk/very"Much+Secret\\0123456789'


def escaped(text: str) -> str:
    """Every character as JSON may write it."""
    return "".join(f"\\u{ord(char):04X}" for char in text)


ECHOES = {
    "plain": json.dumps(SECRET),
    "slashes": json.dumps(SECRET).replace("/", "\\/"),
    "escaped": f'"{escaped(SECRET)}"',
    "lower case": f'"{escaped(SECRET).lower()}"',
    "JSON in JSON": json.dumps(json.dumps({"key": SECRET}).replace("/", "\\/")),
    "escaped in JSON": json.dumps(f'{{"key": "{escaped(SECRET)}"}}'),
}


@pytest.mark.parametrize("echo", ECHOES)
def test_a_key_is_removed_however_json_spells_it(fake_server: FakeServer, echo: str):
    """From replies and from errors; also where a string in the reply is JSON itself."""
    reply = f'{{"choices": [{{"message": {{"content": {ECHOES[echo]}}}, "finish_reason": "stop"}}]}}'
    asked = provider(fake_server, key=Key(SECRET), headers={"Authorization": f"Bearer {SECRET}"})
    fake_server.script = [Step(body=reply.encode())]
    text = one(asked).text
    assert "[key]" in text and "Much" not in text and escaped("Much") not in text
    fake_server.script = [Step(status=418, body=f'{{"error": {{"message": {ECHOES[echo]}}}}}'.encode())]
    failure = str(one(provider(fake_server, key=Key(SECRET))))
    assert "[key]" in failure and "Much" not in failure and escaped("Much").lower() not in failure.lower()
