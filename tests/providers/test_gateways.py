"""Gateways, Azure and Gemini: headers, query parameters and keys in other places, against a real socket."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest
from fake_server import FakeServer, Fault, Step, chat

from evenhand.errors import EvenhandError, InputError
from evenhand.options.settings import judge_tables
from evenhand.providers.configured import Configured
from evenhand.providers.entries import configured
from evenhand.providers.exchange import Message, Request
from evenhand.providers.opened_provider import open_provider
from evenhand.providers.specs import parse_spec

KEY, TOKEN = "the-key-of-the-model-0123", "the-token-of-the-gateway-4567"
ENVIRONMENT = {"MINE_KEY": KEY, "GATEWAY_TOKEN": TOKEN}
QUESTION = Request(messages=(Message("user", "Good?"),), seed=1)


def opened(server: FakeServer, environment: dict[str, str] = ENVIRONMENT, **settings: Any) -> Any:
    table = Configured(**{"base_url": server.url, "model": "m", "key_env": "MINE_KEY", **settings})
    named = {"mine": table}
    return open_provider(parse_spec("mine", named), named, environment=environment)


def one(provider: Any) -> Any:
    async def call() -> Any:
        try:
            return await provider.ask(QUESTION)
        finally:
            await provider.close()

    return asyncio.run(call())


def test_headers_and_query_parameters_are_sent_with_every_request(fake_server: FakeServer):
    """Beside the key; the list of models gets them too."""
    provider = opened(fake_server, headers={"X-Team": "quality"}, query={"api-version": "2024-10-21", "a b": "c&d"})
    one(provider)
    asyncio.run(look(opened(fake_server, headers={"X-Team": "quality"}, query={"api-version": "1"})))
    asked, listed = fake_server.asked
    assert asked.path == "/v1/chat/completions?api-version=2024-10-21&a+b=c%26d"
    assert asked.headers["x-team"] == listed.headers["x-team"] == "quality"
    assert asked.headers["authorization"] == f"Bearer {KEY}"
    assert listed.path == "/v1/models?api-version=1"


async def look(provider: Any) -> None:
    try:
        await provider.models()
    except EvenhandError:
        pass  # the fake server has no list
    finally:
        await provider.close()


def test_a_query_in_the_address_stays(fake_server: FakeServer):
    """The configured parameters are added to it."""
    one(opened(fake_server, base_url=f"{fake_server.url}?tenant=7", query={"v": "1"}))
    assert fake_server.asked[0].path == "/v1/chat/completions?tenant=7&v=1"


@pytest.mark.parametrize(
    ("kind", "header", "sent"),
    [
        ("openai", None, {"authorization": f"Bearer {KEY}"}),
        ("openai", "api-key", {"api-key": KEY}),
        ("openai", "x-api-key", {"x-api-key": KEY}),
        ("anthropic", None, {"x-api-key": KEY}),
        ("anthropic", "Authorization", {"authorization": f"Bearer {KEY}"}),
    ],
)
def test_the_key_goes_into_the_header_that_the_server_expects(
    fake_server: FakeServer, kind: str, header: str | None, sent: dict[str, str]
):
    """As a bearer token only in Authorization, and in one header only."""
    fake_server.answer = lambda asked: Fault.status(418)
    with pytest.raises(EvenhandError):
        one(opened(fake_server, kind=kind, key_header=header))
    headers = fake_server.asked[0].headers
    assert {name: value for name, value in headers.items() if KEY in value} == sent


def test_a_header_from_the_environment_is_as_secret_as_a_key(fake_server: FakeServer):
    """It is sent, and removed from what the server echoes, together with the key."""
    provider = opened(fake_server, headers_env={"X-Gateway-Token": "GATEWAY_TOKEN"})
    fake_server.answer = lambda asked: chat(f"I saw {KEY} and {TOKEN}.")
    assert one(provider).text == "I saw [key] and [key]."
    assert fake_server.asked[0].headers["x-gateway-token"] == TOKEN
    fake_server.answer = lambda asked: Fault.status(418, f"{TOKEN} may not, nor may {KEY}")
    with pytest.raises(EvenhandError) as raised:
        one(opened(fake_server, headers_env={"X-Gateway-Token": "GATEWAY_TOKEN"}))
    assert "[key] may not, nor may [key]" in str(raised.value)
    assert TOKEN not in str(provider.identity) and KEY not in str(provider.identity)


def test_a_header_whose_variable_is_not_set_is_an_error(fake_server: FakeServer):
    """Nothing is sent without it, and nothing unencrypted with it."""
    with pytest.raises(InputError, match="the header X-Token needs the environment variable NOWHERE, which is not set"):
        opened(fake_server, headers_env={"X-Token": "NOWHERE"})
    with pytest.raises(InputError, match="unencrypted"):
        opened(
            fake_server,
            base_url="http://gateway.example.com/v1",
            key_env=None,
            headers_env={"X-Token": "GATEWAY_TOKEN"},
        )


def test_what_a_gateway_may_choose_a_model_by_is_part_of_the_judges_identity(fake_server: FakeServer):
    """Another header or parameter is another judge; the header's value is not shown."""
    plain = opened(fake_server).identity
    one_team = opened(fake_server, headers={"X-Route": "fast-lane"}, query={"v": "1"}).identity
    other = opened(fake_server, headers={"X-Route": "slow-lane"}, query={"v": "1"}).identity
    assert "headers" not in plain and "query" not in plain
    assert one_team["query"] == "v=1" and one_team["headers"] != other["headers"]
    assert "fast-lane" not in str(one_team)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ('headers = {Authorization = "Bearer abcdefgh"}', "keys do not belong in a file"),
        ('headers = {X-Key = "sk-abcdefghijklmnopqrstuvwxyz"}', "keys do not belong in a file"),
        ('query = {key = "abc"}', "keys do not belong in a file"),
        ('headers = {Host = "elsewhere"}', "Host cannot be set here"),
        ('headers = {"X Y" = "a"}', '"X Y" is not the name of a header'),
        ('headers = {X-A = "a\\nb"}', "X-A must be printable ASCII text"),
        ('headers = "X-A: b"', "must be a table of headers such as"),
        ('headers_env = {X-A = "not a name"}', "must be the name of an environment variable"),
        ("query = {v = 1}", "must be a table of parameters such as"),
        ('key_header = "Content-Type"', "Content-Type cannot be set here"),
    ],
)
def test_a_mistake_in_these_settings_is_reported_with_its_line(
    line: str, message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    """And a key is not repeated."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "evenhand.toml").write_text(f'[judges.mine]\nbase_url = "http://a/v1"\n{line}\n', encoding="utf-8")
    with pytest.raises(InputError, match=r"evenhand.toml:3: ") as raised:
        configured(judge_tables())
    assert message in str(raised.value)


def test_a_built_in_service_takes_headers_but_no_secrets_of_a_projects_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    """An organisation, say; but a file must not choose which variables of yours are sent where."""
    monkeypatch.chdir(tmp_path)
    file = tmp_path / "evenhand.toml"
    file.write_text('[judges.openai]\nheaders = {OpenAI-Organization = "us"}\n', encoding="utf-8")
    assert configured(judge_tables())["openai"].headers == {"OpenAI-Organization": "us"}
    file.write_text('[judges.openai]\nheaders_env = {X-A = "HOME"}\n', encoding="utf-8")
    with pytest.raises(InputError, match="cannot be set for openai"):
        configured(judge_tables())


# --- Gemini ------------------------------------------------------------------------------------------


def test_an_error_of_gemini_is_read_from_the_list_it_comes_in(fake_server: FakeServer):
    """A parameter that it does not know is left out."""
    body = [
        {"error": {"code": 400, "message": 'Unknown name "seed": Cannot find field.', "status": "INVALID_ARGUMENT"}}
    ]
    fake_server.script = [Step(status=400, body=json.dumps(body).encode()), chat("yes")]
    assert one(opened(fake_server)).text == "yes"
    assert "seed" not in fake_server.asked[1].body


def test_thoughts_that_only_the_total_counts_are_output(fake_server: FakeServer):
    """10 tokens in, 5 in the answer, 115 in all: 100 were thoughts, and they are paid for as output."""
    document = json.loads(chat("yes").body)
    document["usage"] = {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 115}
    fake_server.answer = lambda asked: Step(body=json.dumps(document).encode())
    reply = one(opened(fake_server))
    assert (reply.input_tokens, reply.output_tokens) == (10, 105)
