"""Providers: what is sent, what is read of the reply, and what is done when a server does not know a parameter."""

from __future__ import annotations

import asyncio
import json
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from fake_server import Asked, FakeServer, Fault, Step, chat

from evenhand.errors import InputError
from evenhand.providers.builtin.openai import read_chat
from evenhand.providers.builtin.replay import Recorder, Replay
from evenhand.providers.exchange import CallFailed, Message, Reply, Request, Token
from evenhand.providers.known import Configured
from evenhand.providers.opened_provider import open_provider
from evenhand.providers.prices import cost
from evenhand.providers.specs import parse_spec

SCHEMA = {"type": "object", "properties": {"score": {"type": "integer"}}, "required": ["score"]}
QUESTION = Request(
    messages=(Message("system", "Judge."), Message("user", "Good?")),
    schema=SCHEMA,
    max_tokens=300,
    sampling=(("temperature", 0.0),),
    seed=11,
    logprobs=True,
)


def opened(server: FakeServer, kind: str = "openai", **settings: Any) -> Any:
    named = {"near": Configured(kind=kind, base_url=server.url, model="m", **settings)}
    return open_provider(parse_spec("near", named), named, environment={})


def ask(provider: Any, *requests: Request) -> list[Any]:
    """Replies and failures, one after another."""

    async def each() -> list[Any]:
        given: list[Any] = []
        for request in requests or (QUESTION,):
            try:
                given.append(await provider.ask(request))
            except CallFailed as error:
                given.append(error)
        await provider.close()
        return given

    return asyncio.run(each())


# --- what is sent --------------------------------------------------------------------------------


def test_a_plain_request_sends_nothing_that_was_not_asked_for(fake_server: FakeServer):
    """No schema, no seed, no probabilities."""
    ask(opened(fake_server), Request(messages=QUESTION.messages))
    assert fake_server.asked[0].body.keys() == {"model", "messages", "max_tokens", "temperature"}


# --- parameters a server does not know -----------------------------------------------------------


def without(*names: str) -> Any:
    """A server that refuses requests with these parameters, in the words of OpenAI's API."""

    def answer(asked: Asked) -> Step:
        for name in names:
            if name in asked.body:
                return Fault.status(
                    400, f"Unsupported parameter: '{name}' is not supported with this model.", param=name
                )
        return chat('{"score": 3}')

    return answer


@pytest.mark.parametrize("name", ["response_format", "logprobs", "top_logprobs", "seed", "max_tokens", "temperature"])
def test_a_parameter_that_a_server_refuses_is_left_out_from_then_on(fake_server: FakeServer, name: str):
    """The first question is asked again without it, the second one only once; nothing counts as a retry."""
    fake_server.answer = without(name)
    first, second = ask(opened(fake_server), QUESTION, QUESTION)
    assert first.text == second.text == '{"score": 3}'
    assert name not in fake_server.asked[-1].body
    tries = {"response_format": 3, "logprobs": 3, "top_logprobs": 3}.get(name, 2)  # two have forms to try in between
    assert fake_server.count == tries + 1


def test_many_parameters_can_be_refused_at_once(fake_server: FakeServer):
    """A server that knows next to nothing still answers; the calls that were in flight together learn it together."""
    fake_server.answer = without("response_format", "logprobs", "seed", "temperature", "max_tokens")

    async def ten() -> list[Reply]:
        provider = opened(fake_server)
        replies = await asyncio.gather(*(provider.ask(QUESTION) for _ in range(10)))
        await provider.close()
        return replies

    assert [reply.text for reply in asyncio.run(ten())] == ['{"score": 3}'] * 10
    assert fake_server.asked[-1].body.keys() == {"model", "messages", "max_completion_tokens"}


def test_a_parameter_that_was_not_sent_is_not_dropped_for_ever(fake_server: FakeServer):
    """A refusal that names what the request did not have ends it."""
    fake_server.answer = lambda asked: Fault.status(400, "seed is bad", param="seed")
    [error] = ask(opened(fake_server), QUESTION._replace(seed=None))
    assert error.kind == "rejected"
    assert fake_server.count == 1


# --- what is read --------------------------------------------------------------------------------


def token(text: str, logprob: float, *others: tuple[str, float]) -> dict[str, Any]:
    tops = [{"token": name, "logprob": value} for name, value in ((text, logprob), *others)]
    return {"token": text, "logprob": logprob, "top_logprobs": tops}


def completion(text: str, *tokens: Any) -> dict[str, Any]:
    return {"choices": [{"message": {"content": text}, "logprobs": {"content": list(tokens)}}]}


def test_probabilities_are_read_token_by_token():
    """The tokens of a fence that the server took out of the text are left out too."""
    document = completion(
        "7", token("```", -0.1), token("json\n", -0.1), token("7", -0.5, ("8", -1.0)), token("\n", 0.0)
    )
    assert read_chat(document).tokens == (Token("7", {"7": -0.5, "8": -1.0}), Token("\n", {"\n": 0.0}))


def test_alternatives_that_read_alike_count_together():
    """e^-1 + e^-1 = 2/e, whose logarithm is ln 2 - 1 = -0.3069."""
    [read] = read_chat(completion("a", token("a", -2.0, ("", -1.0), ("", -1.0)))).tokens
    assert read.alternatives == {"a": -2.0, "": pytest.approx(-0.30685, abs=1e-5)}


@pytest.mark.parametrize("broken", [{"token": "a"}, {"logprob": -1.0}, "a", None, {"token": "a", "logprob": None}])
def test_ignores_incomplete_probabilities(broken: Any):
    """A reply with incomplete probabilities counts as one without any."""
    assert read_chat(completion("aa", token("a", -1.0), broken)).tokens == ()


def test_logarithms_that_are_not_probabilities_are_left_out():
    """Minus infinity is not an alternative; above certainty is certainty."""
    [read] = read_chat(completion("a", token("a", 0.0001, ("b", float("-inf")), ("c", -3.0)))).tokens
    assert read.alternatives == {"a": 0.0, "c": -3.0}


def test_what_cannot_be_stored_is_replaced(fake_server: FakeServer):
    """Half a surrogate pair and NUL, both ways; a whole pair is a character."""
    fake_server.script = [chat("a\ud83d b\0 \U0001f600")]
    [reply] = ask(opened(fake_server), Request(messages=(Message("user", "half \ud83d"),)))
    assert reply.text == "a\ufffd b\ufffd \U0001f600"
    assert fake_server.asked[0].body["messages"][0]["content"] == "half ?"


def test_many_calls_at_once_that_are_refused_a_parameter_do_not_open_the_circuit(fake_server: FakeServer):
    """OpenAI refuses probabilities with 403; fifty calls that meet it together all get their reply."""
    fake_server.delay = 0.01
    fake_server.answer = lambda asked: Fault.status(403, "no logprobs") if "logprobs" in asked.body else chat("yes")

    async def fifty() -> list[Reply]:
        provider = opened(fake_server, concurrency=50)
        replies = await asyncio.gather(*(provider.ask(QUESTION) for _ in range(50)))
        await provider.close()
        return replies

    assert {reply.text for reply in asyncio.run(fifty())} == {"yes"}


# --- recorded replies ----------------------------------------------------------------------------


def test_what_was_recorded_is_replayed(tmp_path: Path):
    """Text, end, counts and probabilities; by question, sample and attempt."""
    path = str(tmp_path / "replies.jsonl")
    reply = Reply("sieben \u2028 7", "length", "m", 5, 6, (Token("7", {"7": -0.5, "8": -1.25}),))
    recorder = Recorder(path)
    recorder.add("abc", reply, nonce="n1")
    recorder.add("abc", Reply("other"), nonce="n2", sample=1, attempt=2)
    replay = Replay(path)
    assert replay.get("abc") == ("n1", reply)
    assert replay.get("abc", 1, 2) == ("n2", Reply("other"))
    assert replay.get("abc", 1) is None
    assert replay.identity["name"] == "replay:replies.jsonl"
    [error] = ask(replay)
    assert "no recorded reply for this question" in str(error)


def test_a_recording_that_was_torn_goes_on_in_a_new_line(tmp_path: Path):
    """What was being written when the run was killed is one bad line, not two."""
    path = tmp_path / "replies.jsonl"
    path.write_text('{"prompt": "a", "non', encoding="utf-8")
    Recorder(str(path)).add("b", Reply("yes"), nonce="n")
    with pytest.raises(InputError, match=r"replies\.jsonl:1: not a recorded exchange: it is not JSON") as raised:
        Replay(str(path))
    assert len(raised.value.problems) == 1


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("[]", "needs prompt, nonce and reply"),
        ('{"prompt": "a", "nonce": "b"}', "needs prompt, nonce and reply"),
        ('{"prompt": "a", "nonce": "b", "reply": {}}', "an object with a text"),
        ('{"prompt": "a", "nonce": "b", "reply": {"text": "x", "finish": "no"}}', "finish must be one of"),
        ('{"prompt": "a", "nonce": "b", "reply": {"text": "x", "txet": "no"}}', "reply has no txet"),
        ('{"prompt": "a", "nonce": "b", "reply": {"text": "x", "input_tokens": -1}}', "input_tokens must be"),
        ('{"prompt": "a", "nonce": "b", "reply": {"text": "x", "tokens": [1]}}', "a token is"),
        ('{"prompt": "a", "nonce": "b", "sample": "1", "reply": {"text": "x"}}', "whole numbers"),
    ],
)
def test_a_broken_recording_is_located(tmp_path: Path, line: str, words: str):
    """File, line, and what is wrong."""
    path = tmp_path / "replies.jsonl"
    path.write_text(f"\n{line}\n", encoding="utf-8")
    with pytest.raises(InputError, match=r"replies\.jsonl:2: not a recorded exchange") as raised:
        Replay(str(path))
    assert words in str(raised.value)


# --- what it costs -------------------------------------------------------------------------------


def test_an_unknown_price_stays_unknown(fake_server: FakeServer):
    """So does the cost of a reply without counts."""
    provider = opened(fake_server)
    assert cost(provider, Reply("x", input_tokens=1, output_tokens=1)) is None
    priced = opened(fake_server, price_input=Decimal(1), price_output=Decimal(1))
    assert cost(priced, Reply("x")) is None
    assert cost(priced, Reply("x", input_tokens=1)) is None


def test_the_form_of_a_recorded_line(tmp_path: Path):
    """One object a line, with what is known and nothing else."""
    path = tmp_path / "replies.jsonl"
    Recorder(str(path)).add("abc", Reply("yes"), nonce="n")
    line = json.loads(path.read_text(encoding="utf-8"))
    assert line == {
        "prompt": "abc",
        "nonce": "n",
        "sample": 0,
        "attempt": 0,
        "reply": {"text": "yes", "finish": "stop"},
    }
