"""A server that refuses a parameter is asked without it, once; one that refuses all is given up with a reason."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from fake_server import FakeServer, Fault, Step, chat

from contract.goldens import compare_json
from contract.providers.asking import KEY, ask, at, golden, good, parameters, refusing, result

HERE = Path(__file__).parent
ANTHROPIC = '[judges.mine]\nbase_url = "{url}"\nkind = "anthropic"\n'


def has(key: str) -> Callable[[dict[str, Any]], bool]:
    return lambda body: key in body


def format_of(kind: str) -> Callable[[dict[str, Any]], bool]:
    return lambda body: body.get("response_format", {}).get("type") == kind


REFUSALS: dict[str, tuple[Callable[[dict[str, Any]], bool], Step]] = {
    "a schema": (format_of("json_schema"), Fault.status(400, "json_schema is not supported")),
    "any format": (has("response_format"), Fault.status(422, "response_format: extra inputs are not permitted")),
    "limits in a schema": (
        lambda body: "maxItems" in str(body.get("response_format")), Fault.status(400, "maxItems is not supported")),
    "probabilities": (has("logprobs"), Fault.status(400, "no logprobs here")),
    "many probabilities": (
        lambda body: body.get("top_logprobs", 0) > 5, Fault.status(400, "top_logprobs must be at most 5")),
    "max_tokens": (has("max_tokens"), Fault.status(400, "use max_completion_tokens", param="max_tokens")),
    "a seed": (has("seed"), Fault.status(404, "seed is unknown")),
    "a temperature": (has("temperature"), Fault.status(400, "wrong", param="temperature")),
    "something unnamed": (has("seed"), Fault.status(400, "unsupported parameter")),
    "two things unnamed": (lambda body: "seed" in body or "logprobs" in body, Fault.status(400, "bad request")),
    "everything": (lambda body: True, Fault.status(400, "unsupported parameter")),
    "the text": (lambda body: True, Fault.status(400, "flagged by content_filter: unsupported")),
    "the length": (lambda body: True, Fault.status(400, "context length exceeded: max_tokens")),
    "the size": (lambda body: True, Fault.status(413, "too large")),
    "the model": (lambda body: True, Fault.status(404, "no such model")),
    "the account": (lambda body: True, Fault.status(403, "not yours")),
    "the key": (lambda body: True, Fault.status(401, f"wrong key {KEY}")),
    "no money": (lambda body: True, Fault.status(429, "You exceeded your quota", code="insufficient_quota")),
    "payment": (lambda body: True, Fault.status(402, "pay first")),
    "a redirect": (lambda body: True, Fault.redirect("http://elsewhere.example:8080/v1?secret=1")),
    "in a list": (lambda body: True, Step(status=403, body=b'[{"error": {"message": "not  in\\nyour country"}}]')),
    "in detail": (lambda body: True, Step(status=403, body=b'{"detail": [{"loc": "x"}]}')),
    "in a text": (lambda body: True, Step(status=403, body=f"go away {KEY}".encode())),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSALS)
def test_a_refusal(name: str, tmp_path: Path, fake_server: FakeServer):
    """The parameters of each request in turn, then what came of it; the key is nowhere."""
    when, step = REFUSALS[name]
    fake_server.answer = refusing(when, step)
    ran = ask(tmp_path, *at(fake_server))
    shown = {"requests": [" ".join(parameters(asked)) for asked in fake_server.asked], **result(ran)}
    compare_json(golden(HERE, f"refused-{name}"), shown)
    assert KEY not in ran.out + ran.err


@pytest.mark.parametrize("refused", [("output_config",), ("output_config", "tools"), ("temperature",)])
def test_a_refusal_by_a_server_with_anthropic_s_api(refused: tuple[str, ...], tmp_path: Path, fake_server: FakeServer):
    """A schema, then a tool that must be called, then neither."""
    words = {"output_config": "output_config", "tools": "tool_choice", "temperature": "temperature"}
    fake_server.answer = lambda asked: next(
        (Fault.status(400, f"{words[key]}: no") for key in refused if key in asked.body), good(asked)
    )
    settings = ANTHROPIC.format(url=fake_server.url)
    ran = ask(tmp_path, "--judge", "mine:one", settings=settings)
    shown = {"requests": [" ".join(parameters(asked)) for asked in fake_server.asked], **result(ran)}
    compare_json(HERE / "golden" / f"anthropic-refuses-{'-'.join(refused)}.json", shown)


@pytest.mark.parametrize("script", [
    [Fault.status(429, "slow down", retry_after="0.1")] * 2, [Fault.status(503, "starting")], [Fault.hang_up],
    [Fault.cut(chat("x"), after=10)], [Fault.status(500, "oops")], [Fault.status(529, "overloaded")],
    [Fault.status(408)], [Fault.empty],
], ids=["limited", "not ready", "hung up", "cut", "broken", "overloaded", "too slow", "empty"])  # fmt: skip
def test_a_passing_fault_is_waited_out(script: list[Step], tmp_path: Path, fake_server: FakeServer):
    """Nothing of it is left on the scorecard."""
    fake_server.script, fake_server.answer = list(script), good
    shown = result(ran := ask(tmp_path, *at(fake_server)))
    assert (ran.code, shown["scores"], shown["unscored"]) == (0, [8], [])
    assert fake_server.count == 2 + len(script)


@pytest.mark.parametrize(("fault", "words"), [
    (Fault.silence, "the server was silent for 0.3 s; if the model is slow, lower judge.concurrency or raise "
                    "first_byte_timeout under [judges.mine] in evenhand.toml (tried 2 times)"),
    (Fault.trickle(chat("x" * 400)), "no whole reply within 0.6 s"),
    (Fault.huge(9_000_000), "the reply is larger than the limit of 8 MiB"),
])  # fmt: skip
def test_a_server_that_is_no_use_is_given_up(fault: Step, words: str, tmp_path: Path, fake_server: FakeServer):
    """After a time that a user sets, with the setting's name."""
    fake_server.answer = lambda asked: fault
    settings = f'[judges.mine]\nbase_url = "{fake_server.url}"\nfirst_byte_timeout = 0.3\ntotal_timeout = 0.6\n'
    ran = ask(tmp_path, "--judge", "mine:one", settings=settings)
    assert ran.code == 4 and words in ran.err
    assert fake_server.count == 2  # the first question twice, or of a reply that is too large each one once


def test_a_server_that_is_not_there(tmp_path: Path):
    """Its address is said, and what to do."""
    with FakeServer() as gone:
        pass
    ran = ask(tmp_path, "--judge", "openai:one", "--base-url", gone.url)
    assert ran.code == 4
    assert "cannot be reached: Connection refused; start the server, or correct its address" in ran.err
