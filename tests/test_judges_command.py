"""evenhand judges: who could judge here, whether they answer, and nothing secret."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from conftest import Ran
from fake_server import FakeServer, Fault, Step

from evenhand.judges.providers.configured import COMMANDS

SECRET = "sk-veryMuchSecret-0123456789"
MODELS = Step(body=b'{"object": "list", "data": [{"id": "big"}, {"id": "small"}]}')


@pytest.fixture
def project(tmp_path: Path, fake_server: FakeServer) -> Path:
    """A project with two servers: one with a model, a key and a price, one where nobody listens."""
    with FakeServer() as gone:
        pass
    text = f"""
[judges.near]
base_url = "{fake_server.url}"
model = "big"
key_env = "NEAR_KEY"
price_input = 0.5
price_output = 2
[judges.gone]
base_url = "{gone.url}"
[judges.ollama]
base_url = "{gone.url}"
[judges.openai.prices.some-model]
input = 1.25
output = 10
"""
    (tmp_path / "evenhand.toml").write_text(text, encoding="utf-8")
    fake_server.answer = lambda asked: MODELS
    return tmp_path


def rows(ran: Ran) -> dict[str, dict[str, Any]]:
    return {row["name"]: row for row in json.loads(ran.out)}


def test_every_provider_is_listed_with_its_standing(
    project: Path, fake_server: FakeServer, evenhand_command: Callable[..., Ran]
):
    """The checks, the built-in ones, the named ones; what answers, what does not, what is not set up."""
    ran = evenhand_command("judges", "--format", "json", NEAR_KEY=SECRET, OPENAI_API_KEY="", ANTHROPIC_API_KEY="")
    found = rows(ran)
    assert ran.code == 0
    assert list(found) == ["checks", "openai", "anthropic", *COMMANDS, "ollama", "local", "near", "gone"]
    assert found["checks"]["answers"] is True
    assert found["openai"]["answers"] is None and "OPENAI_API_KEY" in found["openai"]["detail"]
    assert found["openai"]["prices"] == {"some-model": {"input": 1.25, "output": 10.0}}
    assert found["ollama"]["answers"] is False and found["ollama"]["price"] == {"input": 0.0, "output": 0.0}
    assert found["near"]["answers"] is True and found["near"]["models"] == ["big", "small"]
    assert found["near"]["price"] == {"input": 0.5, "output": 2.0}
    assert found["gone"]["answers"] is False and found["gone"]["price"] is None
    assert "cannot be reached: Connection refused" in found["gone"]["detail"]
    [asked] = fake_server.asked
    assert (asked.method, asked.path) == ("GET", "/v1/models")
    assert asked.headers["authorization"] == f"Bearer {SECRET}"


@pytest.mark.parametrize("format", ["terminal", "markdown", "json", "jsonl"])
def test_no_format_shows_a_key(project: Path, evenhand_command: Callable[..., Ran], format: str):
    """Nor its end."""
    ran = evenhand_command("judges", "--format", format, NEAR_KEY=SECRET)
    assert "near" in ran.out
    assert SECRET[-8:] not in ran.out + ran.err


def test_one_that_answers(project: Path, evenhand_command: Callable[..., Ran]):
    """By its name, and by a whole spec; a model the server does not list is said."""
    assert evenhand_command("judges", "near", NEAR_KEY=SECRET).code == 0
    ran = evenhand_command("judges", "near:huge", "--format", "json", NEAR_KEY=SECRET)
    assert (ran.code, rows(ran)["near:huge"]["detail"]) == (0, "does not list the model huge")
    assert evenhand_command("judges", "checks").code == 0


def test_one_that_does_not_answer_is_exit_code_4(
    project: Path, fake_server: FakeServer, evenhand_command: Callable[..., Ran]
):
    """Nobody there, or a server that is not well, asked once."""
    assert evenhand_command("judges", "gone").code == 4
    fake_server.answer = lambda asked: Fault.status(500, "ill")
    ran = evenhand_command("judges", "near", "--format", "json", NEAR_KEY=SECRET)
    assert (ran.code, rows(ran)["near"]["detail"], fake_server.count) == (4, "HTTP 500: ill", 1)


def test_a_server_without_a_list_of_models_answers(
    project: Path, fake_server: FakeServer, evenhand_command: Callable[..., Ran]
):
    """Some have none."""
    fake_server.answer = lambda asked: Fault.status(404)
    ran = evenhand_command("judges", "near", "--format", "json", NEAR_KEY=SECRET)
    assert (ran.code, rows(ran)["near"]["detail"]) == (0, "has no list of models")


@pytest.mark.parametrize(
    ("name", "words"),
    [("ner", "did you mean near?"), ("near", "set the environment variable NEAR_KEY"), ("openai", "OPENAI_API_KEY")],
)
def test_one_that_cannot_be_asked_is_exit_code_2(
    project: Path, evenhand_command: Callable[..., Ran], name: str, words: str
):
    """An unknown name, or a key that is missing."""
    ran = evenhand_command("judges", name, OPENAI_API_KEY="", NEAR_KEY="")
    assert ran.code == 2
    assert words in ran.err and ran.err.count("\n") == 1


def test_a_mistake_in_the_settings_is_exit_code_2(tmp_path: Path, evenhand_command: Callable[..., Ran]):
    """With its line."""
    (tmp_path / "evenhand.toml").write_text("[judges.near]\nmodl = 3\n", encoding="utf-8")
    ran = evenhand_command("judges")
    assert ran.code == 2
    assert "evenhand.toml:2: judges.near: modl: is not a setting; did you mean model?" in ran.err
