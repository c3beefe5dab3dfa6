"""What a model file can do is found out before it judges: a schema, a grammar, plain text, or a refusal with advice."""

from __future__ import annotations

import asyncio
import types
from collections.abc import Callable
from typing import Any

import pytest

from evenhand.providers.builtin import local
from evenhand.providers.builtin.local import Local
from evenhand.providers.exchange import CallFailed, Message, Request
from evenhand.providers.gguf import Gguf

QUESTION = Request(messages=(Message("user", "Judge."),), schema={"type": "object"}, max_tokens=100)
IN_SCHEMA = '{"larger": "seven"}'

Answer = Callable[[dict[str, Any]], str]
"""From the body of a call to the text of the reply; ValueError when llama.cpp refuses it."""


def refuses_schemas(body: dict[str, Any]) -> str:
    """As llama.cpp does with some vocabularies."""
    if "response_format" in body:
        raise ValueError("Failed to initialize samplers")
    return '{"larger' if "grammar" in body else "Seven, I think."


def ignores_schemas(body: dict[str, Any]) -> str:
    return '{"any": 1}' if "grammar" in body else "Well."


def refuses_grammars(body: dict[str, Any]) -> str:
    if "response_format" in body or "grammar" in body:
        raise ValueError("Failed to initialize samplers")
    return "The larger one is 7."


def babbles(body: dict[str, Any]) -> str:
    if "response_format" in body or "grammar" in body:
        raise ValueError("Failed to initialize samplers")
    return "lorem ipsum"


def opened(
    monkeypatch: pytest.MonkeyPatch, answer: Answer, window: int | None = 8192, finish: str = "stop"
) -> tuple[Local, list[Any]]:
    """A model that answers like this, and the bodies of the calls it gets."""
    bodies: list[Any] = []

    class Server:
        listening_address = "http://127.0.0.1:1"

        def __init__(self, settings: Any) -> None:
            pass

        def handle_chat_completions(self, body: dict[str, Any], more: Callable[[Any], bool]) -> None:
            bodies.append(body)
            try:
                more({"choices": [{"delta": {"content": answer(body)}, "finish_reason": finish}]})
            except ValueError as error:
                more({"error": {"message": str(error)}})

    package = types.SimpleNamespace(Server=Server)
    monkeypatch.setattr(local, "_package", lambda: package)
    monkeypatch.setattr(local, "_version", lambda: "0")
    monkeypatch.setattr(local, "read_gguf", lambda path: Gguf("llama", 8192, "f"))
    monkeypatch.setattr(local, "_real_window", lambda address, secret: window)
    monkeypatch.setattr(Local, "_parameters", lambda self: None)
    return Local("some.gguf"), bodies


def ask(model: Local, times: int = 1) -> str:
    """The text of the last reply."""

    async def story() -> str:
        try:
            return [await model.ask(QUESTION) for _ in range(times)][-1].text
        finally:
            await model.close()

    return asyncio.run(story())


def test_a_model_that_follows_a_schema_is_tried_once_and_asked_as_ever(monkeypatch: pytest.MonkeyPatch):
    """One short call, then the questions with their schema, and nothing to say."""
    model, bodies = opened(monkeypatch, lambda body: IN_SCHEMA)
    notices: list[str] = []
    model.notice = notices.append
    assert ask(model, times=2) == IN_SCHEMA
    assert [body["max_tokens"] for body in bodies] == [local.TRIAL_TOKENS, 100, 100]
    assert all("response_format" in body and "grammar" not in body for body in bodies)
    assert notices == []


@pytest.mark.parametrize(("finish", "grammar"), [("length", False), ("stop", True)])
def test_a_trial_that_is_cut_off_inside_the_schema_shows_that_it_holds(monkeypatch, finish, grammar):
    """A weak model fills it with spaces; a reply that ended by itself outside the schema shows the opposite."""
    model, bodies = opened(monkeypatch, lambda body: '{"larger":       ', finish=finish)
    ask(model)
    assert ("grammar" in bodies[-1]) is grammar


@pytest.mark.parametrize(
    ("answer", "grammar", "note"),
    [
        (refuses_schemas, True, "its replies are held to a grammar for JSON instead"),
        (ignores_schemas, True, "its replies are held to a grammar for JSON instead"),
        (refuses_grammars, False, "its replies are read as plain text, without quotes"),
    ],
)
def test_a_model_that_cannot_follow_a_schema_gets_the_next_best_form(monkeypatch, answer, grammar, note):
    """A grammar for JSON, else plain text; the user is told once."""
    model, bodies = opened(monkeypatch, answer)
    notices: list[str] = []
    model.notice = notices.append
    ask(model, times=2)
    assert all(("grammar" in body) is grammar and "response_format" not in body for body in bodies[-2:])
    assert len(notices) == 1
    assert notices[0].startswith(f"local:some.gguf cannot follow a schema; {note}")


def test_a_model_that_can_do_nothing_is_refused_with_advice(monkeypatch: pytest.MonkeyPatch):
    """After three short calls, and without another one for the next question."""
    model, bodies = opened(monkeypatch, babbles)
    for _ in range(2):
        with pytest.raises(CallFailed, match="use a model that is tuned to follow instructions") as failed:
            asyncio.run(model.ask(QUESTION))
        assert failed.value.kind == "rejected"
        assert len(bodies) == 3


@pytest.mark.parametrize(("window", "refused"), [(8191, True), (8192, False), (9000, False), (None, False)])
def test_a_window_smaller_than_questions_are_made_for_is_refused_with_the_setting(monkeypatch, window, refused):
    """Before any call; if llama.cpp does not say, it is taken as it was set."""
    model, bodies = opened(monkeypatch, lambda body: IN_SCHEMA, window)
    if not refused:
        assert ask(model) == IN_SCHEMA
        return
    with pytest.raises(CallFailed, match=r"has 8,191 tokens, not 8,192; set window = 8191 under \[judges.local\]"):
        ask(model)
    assert bodies == []
