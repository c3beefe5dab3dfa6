"""Keys: where they come from, and that their text is nowhere but in the header of a request."""

from __future__ import annotations

import asyncio
import base64
import copy
import json
import logging
import pickle
import sys
import types
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from fake_server import Asked, FakeServer, Fault, Step, chat

from evenhand.errors import EvenhandError, InputError
from evenhand.options.settings import judge_tables
from evenhand.providers.builtin.replay import Recorder
from evenhand.providers.entries import configured
from evenhand.providers.exchange import Message, Request
from evenhand.providers.keys import Key, find_key
from evenhand.providers.known import Configured
from evenhand.providers.opened_provider import open_provider
from evenhand.providers.specs import parse_spec

SECRET = "sk-veryMuchSecret-0123456789"
QUESTION = Request(messages=(Message("user", "Good?"),), schema={"type": "object"}, seed=1, logprobs=True)


@pytest.fixture(autouse=True)
def no_keyring(monkeypatch: pytest.MonkeyPatch) -> None:
    """The machine's own keyring is not asked."""
    monkeypatch.setitem(sys.modules, "keyring", None)


def opened(server: FakeServer, kind: str = "openai") -> Any:
    named = {"mine": Configured(kind=kind, base_url=server.url, model="m", key_env="MINE_KEY")}
    return open_provider(parse_spec("mine", named), named, environment={"MINE_KEY": SECRET})


def texts_of(error: BaseException | None) -> list[str]:
    """Everything an error shows, and those it came from."""
    found = []
    while error is not None:
        found += [str(error), repr(error), repr(error.args), repr(vars(error))]
        error = error.__cause__ or error.__context__
    return found


def echo(asked: Asked) -> Step:
    """A server that repeats all it was sent, in an error."""
    return Fault.status(
        400, f"bad: {asked.headers} {json.dumps(asked.headers)}", param=asked.headers.get("authorization")
    )


@pytest.mark.parametrize("kind", ["openai", "anthropic"])
@pytest.mark.parametrize(
    "answer",
    [
        echo,
        lambda asked: Fault.status(401, f"Incorrect API key provided: {SECRET[:8]}************{SECRET[-4:]}."),
        lambda asked: Fault.status(403, f"key {SECRET} may not"),
        lambda asked: Fault.redirect(f"https://elsewhere.example/{SECRET}?key={SECRET}"),
        lambda asked: Fault.status(200, f"echo {SECRET}"),
        lambda asked: Step(status=418, body=SECRET.encode()),
        lambda asked: Step(status=418, body=json.dumps({"detail": [{"input": SECRET}]}).encode()),
    ],
    ids=["400", "401", "403", "redirect", "200", "plain", "detail"],
)
def test_a_key_is_in_no_error_whatever_the_server_echoes(
    fake_server: FakeServer, answer: Callable[[Asked], Step], kind: str, caplog: pytest.LogCaptureFixture
):
    """Text, representation, chained errors and the log; the server did get it."""
    caplog.set_level(logging.DEBUG)
    fake_server.answer = answer
    provider = opened(fake_server, kind)
    client = provider.client
    client._limits = client._limits._replace(tries=1)
    with pytest.raises(EvenhandError) as raised:
        asyncio.run(_ask(provider))
    sent = fake_server.asked[0].headers
    assert SECRET in (sent.get("authorization", "") + sent.get("x-api-key", ""))
    shown = [*texts_of(raised.value), caplog.text, repr(provider), repr(client), str(provider.identity)]
    for text in shown:
        assert SECRET not in text
        assert SECRET[-8:] not in text


async def _ask(provider: Any) -> Any:
    try:
        return await provider.ask(QUESTION)
    finally:
        await provider.close()


@pytest.mark.parametrize("fault", [Fault.hang_up, Fault.cut(chat("x"))])
def test_a_key_is_not_in_the_errors_of_a_broken_connection(fake_server: FakeServer, fault: Step):
    """The library's own errors hold the request's headers; they are not chained."""
    fake_server.answer = lambda asked: fault
    provider = opened(fake_server)
    provider.client._limits = provider.client._limits._replace(tries=1)
    with pytest.raises(EvenhandError) as raised:
        asyncio.run(_ask(provider))
    assert raised.value.__context__ is None
    assert all(SECRET not in text for text in texts_of(raised.value))


def test_a_key_is_not_in_what_is_recorded(fake_server: FakeServer, tmp_path: Path):
    """Not even if the server puts it into its reply."""
    fake_server.answer = lambda asked: chat(f"yes {SECRET}", refusal=None, note=SECRET)
    provider = opened(fake_server)
    Recorder(str(tmp_path / "r.jsonl")).add("p", asyncio.run(_ask(provider)), nonce="n")
    written = (tmp_path / "r.jsonl").read_text(encoding="utf-8")
    assert "yes [key]" in written and SECRET not in written


def test_a_key_goes_nowhere_but_to_the_address(fake_server: FakeServer):
    """Neither into the address nor into the body, and once."""
    asyncio.run(_ask(opened(fake_server)))
    [asked] = fake_server.asked
    assert asked.headers["authorization"] == f"Bearer {SECRET}"
    assert SECRET not in asked.path + json.dumps(asked.body)


def test_a_key_does_not_show_or_copy_itself():
    """In text, in a container, as a pickle."""
    key = Key(SECRET)
    assert f"{key} {key!r} {[key]} {({'k': key},)}" == "[key] [key] [[key]] ({'k': [key]},)"
    for write in (pickle.dumps, copy.deepcopy):
        with pytest.raises(TypeError, match="cannot be serialised"):
            write(key)


@pytest.mark.parametrize(
    ("text", "scrubbed"),
    [
        (f"key {SECRET}.", "key [key]."),
        (f"Bearer {SECRET}", "Bearer [key]"),
        (f"sk-ver****{SECRET[-4:]}", "[key]"),
        (f"***{SECRET[-4:]} is wrong", "[key] is wrong"),
        ("nothing of the kind", "nothing of the kind"),
    ],
)
def test_a_text_without_the_key(text: str, scrubbed: str):
    """Whole or half masked."""
    assert Key(SECRET).scrub(text) == scrubbed


@pytest.mark.parametrize("before", ["", "a", "ab", "Bearer ", '{"key":"'])
@pytest.mark.parametrize("after", ["", "x", '"}'])
def test_a_key_in_base64_is_removed_wherever_it_begins(before: str, after: str):
    """In both alphabets, and with the slashes escaped as JSON may; nothing that decodes to the key is left."""
    secret = "sk-very?>secret>>?key~~/0123456789"  # its base64 has every special character
    for encode in (base64.b64encode, base64.urlsafe_b64encode):
        encoded = encode((before + secret + after).encode())
        for spelled in (encoded, encoded.replace(b"/", b"\\/")):
            left = Key(secret).scrub_bytes(b"it says " + spelled)
            assert b"[key]" in left and len(left) < len(b"it says ") + 2 * len(before + after) + 12
            assert Key(secret).scrub(spelled.decode()).count("[key]") == 1
    assert Key("none").scrub_bytes(base64.b64encode(b"none")) == base64.b64encode(b"none")


# --- where keys come from ------------------------------------------------------------------------


def test_a_key_comes_from_the_environment():
    """Surrounding space, which a shell leaves easily, does not matter."""
    found = find_key("mine", "MINE_KEY", {"MINE_KEY": f" {SECRET}\n"})
    assert found is not None and found.reveal() == SECRET


def test_else_from_a_keyring(monkeypatch: pytest.MonkeyPatch):
    """Under the service evenhand and the provider's name."""
    ring = types.SimpleNamespace(get_password=lambda service, user: {("evenhand", "mine"): SECRET}.get((service, user)))
    monkeypatch.setitem(sys.modules, "keyring", ring)
    found = find_key("mine", "MINE_KEY", {})
    assert found is not None and found.reveal() == SECRET
    assert find_key("other", None, {}) is None


def test_a_keyring_that_fails_has_no_key(monkeypatch: pytest.MonkeyPatch):
    """Locked, or without a backend."""

    def locked(service: str, user: str) -> str:
        raise RuntimeError("locked")

    monkeypatch.setitem(sys.modules, "keyring", types.SimpleNamespace(get_password=locked))
    assert find_key("mine", None, {}) is None


@pytest.mark.parametrize("text", ["sk-ab cd", "sk-\u00e9t\u00e9", "sk-a\nb"])
def test_a_key_that_cannot_be_one_is_refused_without_showing_it(text: str):
    """It could not be sent in a header."""
    with pytest.raises(InputError, match="the environment variable MINE_KEY does not hold a valid key") as raised:
        find_key("mine", "MINE_KEY", {"MINE_KEY": text})
    assert text not in str(raised.value)


@pytest.mark.parametrize(("spec", "variable"), [("openai:m", "OPENAI_API_KEY"), ("anthropic:m", "ANTHROPIC_API_KEY")])
def test_a_hosted_service_needs_a_key(spec: str, variable: str):
    """The message says how to give it one."""
    with pytest.raises(InputError, match=f"set the environment variable {variable}, or store one with: keyring set"):
        open_provider(parse_spec(spec), environment={})


def test_a_key_that_is_named_must_be_there():
    """A provider whose table names a variable is not asked without it."""
    named = {"mine": Configured(base_url="http://localhost:1/v1", model="m", key_env="MINE_KEY")}
    with pytest.raises(InputError, match="set the environment variable MINE_KEY"):
        open_provider(parse_spec("mine", named), named, environment={})


def test_a_server_on_this_machine_needs_no_key(fake_server: FakeServer):
    """With --base-url, and without a key in the environment."""
    provider = open_provider(parse_spec("openai:m"), base_url=fake_server.url, environment={})
    asyncio.run(_ask(provider))
    assert "authorization" not in fake_server.asked[0].headers


def test_one_services_key_is_not_sent_to_another(fake_server: FakeServer):
    """A named server gets its own key or none, and Ollama none."""
    environment = {"OPENAI_API_KEY": SECRET, "ANTHROPIC_API_KEY": SECRET}
    named = {
        "mine": Configured(base_url=fake_server.url, model="m"),
        "ollama": Configured(base_url=fake_server.url),
    }
    for text in ("mine", "ollama:m"):
        asyncio.run(_ask(open_provider(parse_spec(text, named), named, environment=environment)))
    assert all(SECRET not in str(asked.headers) for asked in fake_server.asked)


@pytest.mark.parametrize(
    ("address", "allowed"),
    [
        ("http://localhost:1/v1", True),
        ("http://127.0.0.1:1/v1", True),
        ("http://[::1]:1/v1", True),
        ("http://10.1.2.3/v1", True),
        ("http://gpu-box/v1", True),
        ("http://gpu.internal/v1", True),
        ("http://8.8.8.8/v1", False),
        ("http://api.example.com/v1", False),
        ("https://api.example.com/v1", True),
    ],
)
def test_a_key_does_not_travel_unencrypted(address: str, allowed: bool):
    """Except on this machine and in this network."""
    named = {"mine": Configured(base_url=address, model="m", key_env="MINE_KEY")}
    if allowed:
        open_provider(parse_spec("mine", named), named, environment={"MINE_KEY": SECRET})
    else:
        with pytest.raises(InputError, match="unencrypted; use an address that begins with https"):
            open_provider(parse_spec("mine", named), named, environment={"MINE_KEY": SECRET})


@pytest.mark.parametrize(
    "line",
    [
        f'api_key = "{SECRET}"',
        f'key = "{SECRET}"',
        f'token = "{SECRET}"',
        f'key_env = "{SECRET}"',
        f'model = "{SECRET}"',
        f'headers = {{Authorization = "Bearer {SECRET}"}}',
        f'extra = {{api_key = "{SECRET}"}}',
        f'extra = {{list = ["Bearer {SECRET}"]}}',
    ],
)
def test_a_key_in_the_projects_file_is_refused_and_not_repeated(
    line: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    """Such a file is committed and shared."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "evenhand.toml").write_text(f'[judges.mine]\nbase_url = "http://a/v1"\n{line}\n', encoding="utf-8")
    with pytest.raises(InputError, match=r"evenhand.toml:3: .*keys do not belong in a file") as raised:
        configured(judge_tables())
    assert SECRET not in str(raised.value)


def test_a_password_in_an_address_is_refused_and_not_repeated(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """The same."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "evenhand.toml").write_text('[judges.mine]\nbase_url = "http://u:hidden@a/v1"\n', encoding="utf-8")
    with pytest.raises(InputError, match="contains a user name or a password") as raised:
        configured(judge_tables())
    assert "hidden" not in str(raised.value)
