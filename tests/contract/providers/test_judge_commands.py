"""evenhand judge list: who could judge here, whether they answer, and nothing secret."""

from __future__ import annotations

import json
from base64 import b64decode
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from conftest import Ran
from fake_server import Asked, FakeServer, Fault, Step, chat

SECRET = "sk-veryMuchSecret-0123456789"
MODELS = Step(body=b'{"object": "list", "data": [{"id": "big"}, {"id": "small"}]}')

COMMANDS = ("claude-code", "codex", "gemini-cli")


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
images = true
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


@pytest.mark.slow
def test_every_provider_is_listed_with_its_standing(
    project: Path, fake_server: FakeServer, evenhand_command: Callable[..., Ran]
):
    """The checks, the built-in ones, the named ones; what answers, what does not, what is not set up."""
    ran = evenhand_command(
        "judge", "list", "--format", "json", NEAR_KEY=SECRET, OPENAI_API_KEY="", ANTHROPIC_API_KEY=""
    )
    found = rows(ran)
    assert ran.code == 0
    assert list(found) == ["checks", "openai", "anthropic", *COMMANDS, "ollama", "near", "gone"]
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
@pytest.mark.slow
def test_no_format_shows_a_key(project: Path, evenhand_command: Callable[..., Ran], format: str):
    """Nor its end."""
    ran = evenhand_command("judge", "list", "--format", format, NEAR_KEY=SECRET)
    assert "near" in ran.out
    assert SECRET[-8:] not in ran.out + ran.err


@pytest.mark.slow
def test_one_that_answers(project: Path, evenhand_command: Callable[..., Ran]):
    """By its name, and by a whole spec; a model the server does not list is said."""
    assert evenhand_command("judge", "list", "near", NEAR_KEY=SECRET).code == 0
    ran = evenhand_command("judge", "list", "near:huge", "--format", "json", NEAR_KEY=SECRET)
    assert (ran.code, rows(ran)["near:huge"]["detail"]) == (0, "does not list the model huge")
    assert evenhand_command("judge", "list", "checks").code == 0


@pytest.mark.slow
def test_one_that_does_not_answer_is_exit_code_4(
    project: Path, fake_server: FakeServer, evenhand_command: Callable[..., Ran]
):
    """Nobody there, or a server that is not well, asked once."""
    assert evenhand_command("judge", "list", "gone").code == 4
    fake_server.answer = lambda asked: Fault.status(500, "ill")
    ran = evenhand_command("judge", "list", "near", "--format", "json", NEAR_KEY=SECRET)
    assert (ran.code, rows(ran)["near"]["detail"], fake_server.count) == (4, "HTTP 500: ill", 1)


def test_a_server_without_a_list_of_models_answers(
    project: Path, fake_server: FakeServer, evenhand_command: Callable[..., Ran]
):
    """Some have none."""
    fake_server.answer = lambda asked: Fault.status(404)
    ran = evenhand_command("judge", "list", "near", "--format", "json", NEAR_KEY=SECRET)
    assert (ran.code, rows(ran)["near"]["detail"]) == (0, "has no list of models")


@pytest.mark.parametrize(
    ("name", "words"),
    [("ner", "did you mean near?"), ("near", "set the environment variable NEAR_KEY"), ("openai", "OPENAI_API_KEY")],
)
@pytest.mark.slow
def test_one_that_cannot_be_asked_is_exit_code_2(
    project: Path, evenhand_command: Callable[..., Ran], name: str, words: str
):
    """An unknown name, or a key that is missing."""
    ran = evenhand_command("judge", "list", name, OPENAI_API_KEY="", NEAR_KEY="")
    assert ran.code == 2
    assert words in ran.err and ran.err.count("\n") == 1


def test_a_mistake_in_the_settings_is_exit_code_2(tmp_path: Path, evenhand_command: Callable[..., Ran]):
    """With its line."""
    (tmp_path / "evenhand.toml").write_text("[judges.near]\nmodl = 3\n", encoding="utf-8")
    ran = evenhand_command("judge", "list")
    assert ran.code == 2
    assert 'evenhand.toml:2: judges.near: unknown setting "modl"; did you mean model?' in ran.err


# --- check ---------------------------------------------------------------------------------------------

LARGER = '{"larger": "seven"}'
LOGPROBS = {"content": [{"token": LARGER, "logprob": -0.1, "top_logprobs": []}]}


def with_logprobs(step: Step) -> Step:
    document = json.loads(step.body)
    document["choices"][0]["logprobs"] = LOGPROBS
    return step._replace(body=json.dumps(document).encode())


def check(run: Callable[..., Ran], *options: str) -> dict[str, Any]:
    ran = run("judge", "check", "near", "--format", "json", *options, NEAR_KEY=SECRET)
    assert ran.code == 0, ran.err
    return dict(json.loads(ran.out))


@pytest.mark.slow
def test_check_makes_one_call_and_shows_what_the_server_can_do(
    project: Path, fake_server: FakeServer, evenhand_command: Callable[..., Ran]
):
    """100 tokens in at $0.50 and 20 out at $2 a million: $0.00009. A judgement takes two calls."""
    fake_server.answer = lambda asked: with_logprobs(chat(LARGER))
    document = check(evenhand_command)
    [asked] = fake_server.asked
    assert asked.body["model"] == "big" and "response_format" in asked.body and "seed" in asked.body
    assert (document["schema"], document["seed"], document["logprobs"]) == ("yes", "yes", "yes")
    assert (document["name"], document["model"], document["address"]) == ("near", "fake-1", fake_server.url)
    assert (document["input_tokens"], document["output_tokens"], document["cost"]) == (100, 20, 0.00009)
    assert document["judgement"]["calls"] == 2 and document["judgement"]["cost_at_most"] > 0
    assert 0 < document["seconds"] < 10


@pytest.mark.slow
@pytest.mark.parametrize(
    ("answer", "schema", "seed", "logprobs"),
    [
        (lambda asked: chat("Seven."), "ignored", "yes", "ignored"),
        (
            lambda asked: Fault.status(400, "no seed") if "seed" in asked.body else chat(LARGER),
            "yes",
            "refused",
            "ignored",
        ),
        (
            lambda asked: Fault.status(400, "no logprobs") if "logprobs" in asked.body else chat(LARGER),
            "yes",
            "yes",
            "refused",
        ),
        (
            lambda asked: (
                Fault.status(400, "no schema")
                if asked.body.get("response_format", {}).get("type") == "json_schema"
                else chat(LARGER)
            ),
            "partly",
            "yes",
            "ignored",
        ),
        (
            lambda asked: Fault.status(400, "no schema") if "response_format" in asked.body else chat("Seven."),
            "refused",
            "yes",
            "ignored",
        ),
    ],
)
def test_check_tells_what_is_refused_from_what_is_ignored(
    project: Path,
    fake_server: FakeServer,
    evenhand_command: Callable[..., Ran],
    answer: Any,
    schema: str,
    seed: str,
    logprobs: str,
):
    """Refused: the server said no. Ignored: it said yes, and the reply does not show it."""
    fake_server.answer = answer
    document = check(evenhand_command)
    assert (document["schema"], document["seed"], document["logprobs"]) == (schema, seed, logprobs)


@pytest.mark.slow
def test_check_in_words(project: Path, fake_server: FakeServer, evenhand_command: Callable[..., Ran]):
    """For a person, on a terminal and in Markdown; the key is nowhere."""
    fake_server.answer = lambda asked: chat("Seven.", usage=False)
    for format in ("terminal", "markdown"):
        ran = evenhand_command("judge", "check", "near", "--format", format, NEAR_KEY=SECRET)
        words = " ".join(ran.out.split())
        assert ran.code == 0
        assert "accepted, but the reply does not have the form that was asked for" in words
        assert "not reported by the server" in words and "s for about" in words
        assert "2 calls, about" in words and "for an output of 600 words" in words
        assert SECRET[-8:] not in ran.out + ran.err


@pytest.mark.slow
def test_check_of_a_judge_that_does_not_answer_is_exit_code_4(project: Path, evenhand_command: Callable[..., Ran]):
    """With the reason, on one line."""
    ran = evenhand_command("judge", "check", "gone:any", NEAR_KEY=SECRET)
    assert (ran.code, ran.out) == (4, "")
    assert ran.err.startswith("error: gone:any: http:")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("check",), "Missing argument 'SPEC'"),
        (("check", "near", "gone"), "unexpected extra argument (gone)"),
        (("list", "near", "gone"), "unexpected extra argument (gone)"),
        (("check", "checks"), "checks calls no model"),
        (("check", "ner"), "did you mean near?"),
        (("list", "near", "--base-url", "http://localhost:1/v1"), 'unknown option "--base-url"'),
        (("list", "near", "--images"), 'unknown option "--images"'),
    ],
)
def test_check_of_nothing_or_of_several_is_exit_code_2(
    project: Path, evenhand_command: Callable[..., Ran], words: tuple[str, ...], message: str
):
    """And nothing is sent."""
    ran = evenhand_command("judge", *words, NEAR_KEY=SECRET)
    assert ran.code == 2 and message in ran.err


@pytest.mark.slow
def test_check_of_auto_checks_the_judge_that_auto_would_choose(
    project: Path, fake_server: FakeServer, evenhand_command: Callable[..., Ran]
):
    """The first configured one that answers; it says which, and what it costs."""
    fake_server.answer = lambda asked: MODELS if asked.method == "GET" else chat(LARGER)
    ran = evenhand_command("judge", "check", "auto", "--format", "json", NEAR_KEY=SECRET)
    assert ran.code == 0 and json.loads(ran.out)["name"] == "near:big"
    assert "auto: the judge is near:big; $0.5 per million tokens in, $2 out" in ran.err
    (project / "evenhand.toml").write_text("")
    ran = evenhand_command("judge", "check", "auto", PATH="/nowhere")
    assert ran.code == 2 and "finds no judge that is ready" in ran.err


@pytest.mark.slow
def test_check_of_a_server_that_is_not_in_the_settings(fake_server: FakeServer, evenhand_command: Callable[..., Ran]):
    """Its address is given as for evenhand judge."""
    fake_server.answer = lambda asked: chat(LARGER)
    ran = evenhand_command("judge", "check", "openai:m", "--base-url", fake_server.url, OPENAI_API_KEY="")
    assert ran.code == 0 and "enforced" in ran.out and "cost unknown" in ran.out


# --- images --------------------------------------------------------------------------------------------


def pictured(asked: Asked) -> bool:
    return "image_url" in json.dumps(asked.body)


def colour(reply: Step) -> Callable[[Asked], Step]:
    """A server that replies like this to a picture, and as it should to the other question."""
    return lambda asked: reply if pictured(asked) else chat(LARGER)


@pytest.mark.parametrize(
    ("reply", "images", "reason"),
    [
        (chat("Red."), "yes", None),
        (chat("Blue, it seems."), "ignored", None),
        (
            Fault.status(400, "image input is not supported"),
            "refused",
            "the server refuses them (image input is not supported)",
        ),
    ],
)
@pytest.mark.slow
def test_check_of_a_model_of_unknown_sight_asks_for_the_colour_of_a_picture(
    fake_server: FakeServer, evenhand_command: Callable[..., Ran], reply: Step, images: str, reason: str | None
):
    """A whole PNG is sent, once; refused, accepted and seen are told apart."""
    fake_server.answer = colour(reply)
    options = ("--base-url", fake_server.url, "--format", "json")
    ran = evenhand_command("judge", "check", "openai:m", *options, OPENAI_API_KEY="")
    document = json.loads(ran.out)
    assert (ran.code, document["images"]) == (0, images)
    assert document["images_call"]["reason"] == reason
    [asked] = [asked for asked in fake_server.asked if pictured(asked)]
    [url] = [part["image_url"]["url"] for part in asked.body["messages"][-1]["content"] if "image_url" in part]
    data = b64decode(url.partition(";base64,")[2])
    assert data.startswith(b"\x89PNG\r\n\x1a\n") and data[16:24] == bytes([0, 0, 0, 64]) * 2


@pytest.mark.slow
def test_check_makes_no_call_with_a_picture_where_the_settings_or_the_name_tell(
    project: Path, fake_server: FakeServer, evenhand_command: Callable[..., Ran]
):
    """`images = true`, a known name, `images = false`: no picture is sent, not even with --images to the last."""
    fake_server.answer = colour(chat("Red."))
    assert (check(evenhand_command)["images"], check(evenhand_command)["images_call"]) == ("known", None)
    ran = evenhand_command("judge", "check", "openai:gpt-4o", "--base-url", fake_server.url, "--format", "json")
    assert json.loads(ran.out)["images"] == "known"
    settings = project / "evenhand.toml"
    settings.write_text(settings.read_text().replace("images = true", "images = false"))
    assert check(evenhand_command, "--images")["images"] == "off"
    assert not any(map(pictured, fake_server.asked))


@pytest.mark.slow
def test_check_with_images_states_what_the_further_call_cost(
    project: Path, fake_server: FakeServer, evenhand_command: Callable[..., Ran]
):
    """100 tokens in at $0.50 and 20 out at $2 a million: $0.00009, beside the same for the first call."""
    fake_server.answer = colour(chat("Red."))
    document = check(evenhand_command, "--images")
    spent = {"input_tokens": 100, "output_tokens": 20, "cost": 0.00009, "reason": None}
    assert (document["images"], document["images_call"], document["cost"]) == ("yes", spent, 0.00009)
    ran = evenhand_command("judge", "check", "near", "--images", NEAR_KEY=SECRET)
    assert "one more call, 100 tokens in and 20 out, $0.000090" in " ".join(ran.out.split())


@pytest.mark.slow
def test_check_says_so_when_the_call_with_a_picture_fails(
    fake_server: FakeServer, evenhand_command: Callable[..., Ran]
):
    """What the first call showed is shown all the same."""
    fake_server.answer = colour(Fault.status(403, "not today"))
    ran = evenhand_command("judge", "check", "openai:m", "--base-url", fake_server.url, OPENAI_API_KEY="")
    words = " ".join(ran.out.split())
    assert ran.code == 0 and "enforced" in words
    assert "not known: the call with a picture got no reply" in words and "not today" in words
