"""Prompts that a server can cache: one nonce per submission, the first call ahead, cached tokens counted and priced."""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import json
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from conftest import make_rubric
from fake_server import Asked, FakeServer, Step, chat, said
from scripted_judge import read_prompt, reply_text

import evenhand
from evenhand.judges.models.nonces import Nonces
from evenhand.judges.models.questions.prompt import Question, messages
from evenhand.judges.models.questions.shown_work import Shown
from evenhand.providers.exchange import Message, Reply, Request
from evenhand.providers.known import Configured
from evenhand.providers.opened_provider import open_provider
from evenhand.providers.prices import Price, cost, estimate_cost, with_cache_prices
from evenhand.providers.specs import parse_spec

SECRET = bytes(range(32))
SHOWN = Shown("Add two numbers.", "The sum of 2 and 2 is 4, as counting shows.")
SHORT = "The cache kept entries for an hour although prices change every minute.\n"
LONG_ANSWER = "".join(f"Step {n}: {SHORT}" for n in range(60))

SHARES = (Decimal("0.1"), Decimal("1.25"))
"""Of the price of input: what Anthropic asks for a cached token and for one that it adds to its cache."""


# --- the nonce


def test_a_nonce_is_an_hmac_of_everything_that_is_fenced():
    """Task, reference and work with their lengths, the first 64 bits; a dash for what is missing."""
    fenced = b"16:Add two numbers.-43:The sum of 2 and 2 is 4, as counting shows."
    assert Nonces(lambda: SECRET).of(SHOWN) == hmac.new(SECRET, fenced, hashlib.sha256).hexdigest()[:16]


def test_a_nonce_depends_on_the_secret_and_on_the_submission():
    """Also on where the task ends and the work begins, and on whether there is a task."""
    nonces = Nonces(lambda: SECRET)
    others = (
        Shown("a", "bc"),
        Shown("a", "bc", reference="d"),
        Shown("d", "bc", reference="a"),
        Shown("ab", "c"),
        Shown(None, "abc"),
        Shown("", "abc"),
        SHOWN,
    )
    assert len({nonces.of(shown) for shown in others}) == len(others)
    assert nonces.of(SHOWN) == Nonces(lambda: SECRET).of(SHOWN)
    assert Nonces(lambda: SECRET[::-1]).of(SHOWN) != nonces.of(SHOWN)
    assert Nonces().of(SHOWN) != Nonces().of(SHOWN)


def test_a_nonce_that_occurs_in_the_work_is_not_used():
    """However unlikely: the next one is."""
    first = Nonces(lambda: SECRET).of(SHOWN)

    class Colliding(Nonces):
        """Gives the first nonce for every text, and then another."""

        def _digest(self, fenced: bytes) -> str:
            return super()._digest(fenced) if fenced.endswith(b"\1") else first

    assert Colliding(lambda: SECRET).of(SHOWN._replace(text=f"It is {first}.")) != first


def test_the_secret_is_made_once_and_shared(store):
    """By both kinds of store, at first use, and it stays."""
    secret = store.secret()
    assert len(secret) == 32
    with closing(evenhand.open_store(store._address if store.dialect == "postgresql" else store.url)) as again:
        assert again.secret() == secret


def test_many_who_come_at_once_get_the_same_secret(tmp_path: Path):
    """Each with a connection of its own, on a store that does not exist yet."""

    def secret(_: int) -> bytes:
        with closing(evenhand.open_store(str(tmp_path / "new.db"))) as store:
            return store.secret()

    with ThreadPoolExecutor(8) as threads:
        assert len(set(threads.map(secret, range(16)))) == 1


def test_the_secret_appears_nowhere_else(evenhand_command, fake_server: FakeServer, tmp_path: Path):
    """Not in an export, a record, a scorecard, a recording or a prompt."""
    fake_server.answer = _answers()
    run = _judge(evenhand_command, fake_server, tmp_path, "--format", "json", "--set", "judge.record=record.jsonl")
    with closing(evenhand.open_store(str(tmp_path / ".evenhand" / "evenhand.db"))) as store:
        secret = store.secret()
        (record,) = store.evaluations()
    exported = evenhand_command("store", "export", "-").out
    assert record.id in exported
    prompts = json.dumps([asked.body for asked in fake_server.asked])
    for text in (run.out, run.err, exported, repr(record), prompts, (tmp_path / "record.jsonl").read_text()):
        assert secret.hex() not in text
        assert str(secret) not in text


# --- the same bytes


def _answers(cached: int | None = None) -> Any:
    def reply(asked: Asked) -> Step:
        return chat(reply_text(read_prompt(asked.body)), cached=cached, tokens=(1000, 20))

    return reply


def _judge(evenhand_command, server: FakeServer, folder: Path, *more: str, text: str = LONG_ANSWER):
    (folder / "answer.md").write_text(text)
    task = ["judge", "answer.md", "--task", "Explain.", "--judge", "openai:one", "--base-url", server.url]
    return evenhand_command(*task, *more)


@pytest.mark.slow
def test_all_calls_about_a_submission_have_one_nonce_and_share_their_beginning(
    evenhand_command, fake_server: FakeServer, tmp_path: Path
):
    """A second run asks in the same bytes, and another store in others."""
    fake_server.answer = _answers()
    for store in ("a.db", "a.db", "b.db"):
        assert _judge(evenhand_command, fake_server, tmp_path, "--set", "judge.fresh=true", "--store", store).code == 0
    runs = [fake_server.asked[start : start + 2] for start in (0, 2, 4)]
    nonces = [{read_prompt(asked.body).nonce for asked in run} for run in runs]
    assert len(nonces[0]) == 1 and nonces[0] == nonces[1] != nonces[2]
    assert len(next(iter(nonces[0]))) == 16
    first, second = (sorted(json.dumps(asked.body) for asked in run) for run in runs[:2])
    assert first == second
    contents = [asked.body["messages"][1]["content"] for asked in runs[0]]
    shared = len(contents[0].rpartition("The work ends here.")[0])
    assert shared > 4000 and len({content[:shared] for content in contents}) == 1


def test_without_a_store_the_nonce_differs_from_run_to_run(evenhand_command, fake_server: FakeServer, tmp_path: Path):
    """It is still one per submission."""
    fake_server.answer = _answers()
    for _ in range(2):
        assert _judge(evenhand_command, fake_server, tmp_path, "--store", "none").code == 0
    nonces = [read_prompt(asked.body).nonce for asked in fake_server.asked]
    assert len(set(nonces[:2])) == len(set(nonces[2:])) == 1
    assert nonces[0] != nonces[2]


@pytest.mark.slow
def test_replies_are_found_again_under_another_secret(evenhand_command, fake_server: FakeServer, tmp_path: Path):
    """What was paid for is used, although the store and its secret are gone."""
    fake_server.answer = _answers()
    for store in ("a.db", "b.db"):
        assert (
            _judge(evenhand_command, fake_server, tmp_path, "--store", store, "--set", "judge.replies=replies.db").code
            == 0
        )
    assert fake_server.count == 2


def test_a_store_that_fails_does_not_keep_a_work_from_being_judged(
    evenhand_command, fake_server: FakeServer, tmp_path: Path
):
    """The nonce is then random, and the failure is reported as ever."""
    (tmp_path / "broken.db").write_text("not a database at all, but long enough to look like one")
    fake_server.answer = _answers()
    run = _judge(evenhand_command, fake_server, tmp_path, "--store", "broken.db", "--set", "judge.replies=none")
    assert run.code == 4
    assert "broken.db" in run.err
    assert "final" in run.out.lower() or "score" in run.out.lower()


# --- the first call ahead


# --- what servers are told, and what they count


def _provider(server: FakeServer, kind: str, **settings: Any) -> Any:
    named = {"near": Configured(kind=kind, base_url=server.url, model="m", **settings)}
    return open_provider(parse_spec("near", named), named, environment={})


def _ask(provider: Any, *parts: Message) -> Reply:
    async def once() -> Reply:
        try:
            return await provider.ask(Request(parts or (Message("user", "x"),), cache_key="n"))
        finally:
            await provider.close()

    return asyncio.run(once())


def test_anthropic_is_told_where_to_cache(fake_server: FakeServer):
    """After the rubric and after the work; the question has no mark, and the text is whole."""
    fake_server.script = [said({"type": "text", "text": "ok"})]
    system, user = messages(make_rubric(), SHOWN, Question("scores", ("safety",)), "f3a91c77d2e84b60")
    _ask(_provider(fake_server, "anthropic"), system, user)
    body = fake_server.asked[0].body
    assert body["system"] == system.content
    blocks = body["messages"][0]["content"]
    assert [block.get("cache_control") for block in blocks] == [{"type": "ephemeral"}, {"type": "ephemeral"}, None]
    assert "".join(block["text"] for block in blocks) == user.content
    assert blocks[1]["text"].startswith("The task") and blocks[2]["text"].startswith("Judge each of these qualities")


def test_openai_itself_gets_a_key_for_each_submission():
    """Other servers do not, since they may not know the parameter."""
    from evenhand.providers.builtin.openai import _ladders

    request = Request((Message("user", "x"),), cache_key="n")
    bodies = [
        {name: value for ladder in _ladders(newest) for name, value in ladder.forms[0](request).items()}
        for newest in (True, False)
    ]
    assert bodies[0]["prompt_cache_key"] == "n"
    assert "prompt_cache_key" not in bodies[1]


@pytest.mark.parametrize(
    ("usage", "timings", "cached"),
    [
        ({"prompt_tokens_details": {"cached_tokens": 64}}, {}, 64),
        ({"prompt_cache_hit_tokens": 32}, {}, 32),
        ({}, {"cache_n": 16}, 16),
        ({"prompt_tokens_details": {"cached_tokens": 0}}, {"cache_n": 16}, 0),
        ({"prompt_tokens_details": None}, {"cache_n": "many"}, None),
        ({"prompt_tokens_details": {"cached_tokens": -1}}, {}, None),
    ],
)
def test_cached_tokens_are_read_as_servers_count_them(
    fake_server: FakeServer, usage: dict[str, Any], timings: dict[str, Any], cached: int | None
):
    """OpenAI and most others, DeepSeek, llama.cpp; nonsense is unknown."""
    document = json.loads(chat("ok").body)
    document["usage"] |= usage
    fake_server.script = [Step(body=json.dumps({**document, "timings": timings}).encode())]
    reply = _ask(_provider(fake_server, "openai"))
    assert (reply.input_tokens, reply.cached_tokens) == (100, cached)


def test_anthropics_tokens_are_all_counted(fake_server: FakeServer):
    """90 plain, 300 read from the cache and 500 written to it are 890 input tokens."""
    document = json.loads(said({"type": "text", "text": "ok"}).body)
    document["usage"] |= {"cache_read_input_tokens": 300, "cache_creation_input_tokens": 500}
    fake_server.script = [Step(body=json.dumps(document).encode())]
    reply = _ask(_provider(fake_server, "anthropic"))
    assert (reply.input_tokens, reply.cached_tokens, reply.written_tokens) == (890, 300, 500)


class _Priced:
    def __init__(self, price: Price) -> None:
        self.price = price


REPLY = Reply("x", input_tokens=1_000_000, output_tokens=100_000, cached_tokens=600_000, written_tokens=300_000)


@pytest.mark.parametrize(
    ("price", "dollars"),
    [
        (Price(Decimal(2), Decimal(10)), "3"),  # 1.0 M at 2 + 0.1 M at 10
        (Price(Decimal(2), Decimal(10), cached=Decimal("0.5")), "2.1"),  # 0.4 M at 2 + 0.6 M at 0.5 + 1
        (Price(Decimal(2), Decimal(10), Decimal("0.5"), Decimal(3)), "2.4"),  # 0.1 at 2 + 0.6 at 0.5 + 0.3 at 3 + 1
        (
            with_cache_prices(Price(Decimal(2), Decimal(10)), Decimal("0.1"), Decimal("1.25")),
            "2.07",
        ),  # .1 at 2 + .6 at .2 + .3 at 2.5 + 1
    ],
)
def test_cached_tokens_have_their_own_price(price: Price, dollars: str):
    """The full price where none is given; Anthropic's shares are built in."""
    assert cost(_Priced(price), REPLY) == Decimal(dollars)  # type: ignore[arg-type]


def test_an_estimate_is_the_most_that_a_call_can_cost():
    """Nothing cached, everything written where that costs more: a million at 2.50 instead of 2."""
    plain = Price(Decimal(2), Decimal(10), Decimal(1))
    dear = with_cache_prices(plain, *SHARES)
    assert estimate_cost(_Priced(plain), 1_000_000, 0) == 2  # type: ignore[arg-type]
    assert estimate_cost(_Priced(dear), 1_000_000, 0) == Decimal("2.5")  # type: ignore[arg-type]


def test_settings_give_the_prices_of_cached_tokens(fake_server: FakeServer):
    """Anthropic's own shares hold for what is not set."""
    settings = {"price_input": Decimal(4), "price_output": Decimal(8), "price_cached": Decimal(1)}
    assert _provider(fake_server, "openai", **settings).price == Price(Decimal(4), Decimal(8), Decimal(1))
    assert _provider(fake_server, "anthropic", **settings).price == Price(
        Decimal(4), Decimal(8), Decimal(1), Decimal("5.00")
    )
    priced = {"openai": Configured(price_input=Decimal(4), price_output=Decimal(8))}
    there = open_provider(parse_spec("openai:m"), priced, environment={"OPENAI_API_KEY": "k"})
    assert there.price == Price(Decimal(4), Decimal(8), None, Decimal("5.00"))  # type: ignore[attr-defined]


@pytest.mark.slow
def test_cached_tokens_are_on_the_scorecard_and_in_the_report(
    evenhand_command, fake_server: FakeServer, tmp_path: Path
):
    """Of each of two calls 900 tokens; the scorecard verifies."""
    fake_server.answer = _answers(cached=900)
    (tmp_path / "evenhand.toml").write_text("[judges.openai]\nprice_input = 10\nprice_output = 0\nprice_cached = 1\n")
    card = json.loads(_judge(evenhand_command, fake_server, tmp_path, "--format", "json").out)
    calls = card["panel"]["calls"]
    assert calls["cached_tokens"] == 2 * 900
    assert calls["cost"] == pytest.approx(((calls["input_tokens"] - 1800) * 10 + 1800 * 1) / 1_000_000)
    (tmp_path / "card.json").write_text(json.dumps(card))
    assert evenhand_command("show", "--verify", "card.json").code == 0
    shown = _judge(evenhand_command, fake_server, tmp_path, "--set", "judge.fresh=true").out
    assert "tokens in (1,800 from the server's cache)" in " ".join(shown.split())


def test_a_scorecard_without_cached_tokens_does_not_name_them(
    evenhand_command, fake_server: FakeServer, tmp_path: Path
):
    """Where a server has no cache, there is nothing to say of it."""
    fake_server.answer = _answers()
    card = json.loads(_judge(evenhand_command, fake_server, tmp_path, "--format", "json").out)
    assert "cached_tokens" not in card["panel"]["calls"]


@pytest.mark.slow
def test_a_plan_estimates_what_a_server_has_seen_before(evenhand_command, fake_server: FakeServer, tmp_path: Path):
    """What the second of two questions shares with the first, seven of eight in thorough judging; a stored reply is
    not a call."""
    plan = ("--dry-run", "--format", "json")
    two = json.loads(_judge(evenhand_command, fake_server, tmp_path, *plan).out)
    assert 0.4 * two["input_tokens"] < two["cached_tokens"] < two["input_tokens"] / 2
    eight = json.loads(_judge(evenhand_command, fake_server, tmp_path, *plan, "--set", "judge.thorough=true").out)
    assert 0.75 * eight["input_tokens"] < eight["cached_tokens"] < eight["input_tokens"] * 7 / 8
    assert "of them seen before" in _judge(evenhand_command, fake_server, tmp_path, "--dry-run").out
    fake_server.answer = _answers()
    assert _judge(evenhand_command, fake_server, tmp_path).code == 0
    stored = json.loads(_judge(evenhand_command, fake_server, tmp_path, *plan).out)
    assert (stored["stored"], stored["calls"], stored["cached_tokens"]) == (2, 0, 0)


def test_a_dry_run_makes_no_store(evenhand_command, fake_server: FakeServer, tmp_path: Path):
    """The secret is made when the first call is."""
    assert _judge(evenhand_command, fake_server, tmp_path, "--dry-run", "--store", "new.db").code == 0
    assert (
        _judge(evenhand_command, fake_server, tmp_path, "--set", "judge.show_prompt=true", "--store", "new.db").code
        == 0
    )
    assert not (tmp_path / "new.db").exists()
