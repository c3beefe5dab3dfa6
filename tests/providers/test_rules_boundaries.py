"""The rules at their very boundaries: equal to the mark, exactly half, exactly seven."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from conftest import judged, make_rubric, seven
from fake_server import Asked, FakeServer, Fault, chat
from scripted_judge import quote_of, read_prompt, scored

import evenhand
import flat_calls
from evenhand.core.finding import Place
from evenhand.decisions.gate import Gate, judge_card
from evenhand.providers.builtin.openai import OpenAI
from evenhand.providers.exchange import CallFailed, Message, Reply, Request
from evenhand.providers.http.client import Client
from evenhand.work.submission import Event, Submission

QUESTION = Request(messages=(Message("system", "Judge."), Message("user", "Is it good?")))
FAKE = {"name": "openai:fake", "provider": "openai", "model": "fake"}
WORK = "The cache kept entries for an hour although prices change every minute.\nWe now write through.\n"


# --- the pass mark -------------------------------------------------------------------------------


@pytest.mark.parametrize(("mark", "passed"), [("6.99", True), ("7.00", True), ("7.01", False)])
def test_a_final_score_equal_to_the_pass_mark_passes(mark: str, passed: bool):
    """Seven times 7 is 7.00."""
    card = judged(seven(7), rubric=make_rubric(pass_mark=mark))
    assert (card.final, card.passed) == (Decimal("7.00"), passed)


@pytest.mark.parametrize(("mark", "passed"), [("6.40", True), ("6.41", None), ("7.30", None), ("7.31", False)])
def test_an_interval_passes_from_its_low_end_and_fails_beyond_its_high_end(mark: str, passed: bool | None):
    """Safety weighs 0.10: 6.30 + 0.10 x 1 = 6.40, and 6.30 + 0.10 x 10 = 7.30."""
    card = judged(seven(7) | {"safety": {"unscored": "no answer"}}, rubric=make_rubric(pass_mark=mark))
    assert card.interval is not None
    assert (card.interval.low, card.interval.high) == (Decimal("6.40"), Decimal("7.30"))
    assert card.passed is passed


# --- the gate ------------------------------------------------------------------------------------


@pytest.mark.parametrize(("least", "colour"), [("6.99", "green"), ("7.00", "green"), ("7.01", "red")])
def test_a_gate_opens_at_exactly_its_score(least: str, colour: str):
    """Seven times 7 is 7.00."""
    assert judge_card(judged(seven(7)), Gate(min_score=Decimal(least))).colour == colour


@pytest.mark.parametrize(("score", "colour"), [("7", "green"), ("6.75", "red")])
def test_a_gate_opens_at_exactly_the_lowest_score_of_its_grade(score: str, colour: str):
    """B- begins at 7.00."""
    assert judge_card(judged(seven(score)), Gate(min_grade="B-")).colour == colour


@pytest.mark.parametrize(
    ("least", "colour"), [("6.40", "green"), ("6.41", "unscored"), ("7.30", "unscored"), ("7.31", "red")]
)
def test_a_gate_looks_at_both_ends_of_an_interval(least: str, colour: str):
    """From 6.40 to 7.30, as above."""
    card = judged(seven(7) | {"safety": {"unscored": "no answer"}})
    assert judge_card(card, Gate(min_score=Decimal(least))).colour == colour


# --- what of a model's answers counts ------------------------------------------------------------

Judge = Callable[..., evenhand.Scorecard]


@pytest.fixture
def ask(fake_server: FakeServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Judge:
    """Judge a short text with a model whose replies are made by a function of the sample's number."""
    monkeypatch.setenv("OPENAI_API_KEY", "a-key-for-tests-only")
    monkeypatch.chdir(tmp_path)

    def judge(says: Callable[[int, str], dict[str, Any]], *, samples: int = 1, flags: dict[int, bool] | None = None):
        def answer(asked: Asked):
            prompt = read_prompt(asked.body)
            number, quote = asked.body.get("seed", 0), quote_of(prompt.work)
            reply: dict[str, Any] = {"reply_to": prompt.nonce}
            reply["dimensions"] = {name: says(number, quote) for name in prompt.dimensions}
            raised = (flags or {}).get(number, False)
            reply["red_flags"] = {
                id: {
                    "quotes": [quote] * raised,
                    "explanation": "Seen.",
                    "present": raised and id == prompt.red_flags[0],
                }
                for id in prompt.red_flags
            }
            reply["bonuses"] = {id: {"quotes": [], "explanation": "No.", "present": False} for id in prompt.bonuses}
            return chat(json.dumps(reply))

        fake_server.answer = answer
        options: dict[str, Any] = {"samples": samples} if samples > 1 else {}
        return flat_calls.judge(WORK, judges=["openai:one"], base_url=fake_server.url, fresh=True, **options)

    return judge


@pytest.mark.parametrize(("score", "counts"), [(6, True), (7, False), (8, False)])
def test_a_score_of_exactly_seven_needs_a_quote(ask: Judge, fake_server: FakeServer, score: int, counts: bool):
    """A 6 may be said without one; from 7 on the judge is asked once more, and then there is no score."""
    card = ask(lambda number, quote: scored(score, []))
    given = card.dimensions["correctness"]
    assert (given.score == score) is counts
    assert (given.unscored is None) is counts
    assert fake_server.count == (2 if counts else 3)


def test_a_score_of_seven_with_a_quote_counts(ask: Judge):
    """The quote is in the output."""
    assert ask(lambda number, quote: scored(7, [quote])).final == Decimal("7.00")


@pytest.mark.parametrize(("usable", "score"), [(1, None), (2, None), (3, "8.00"), (4, "8.00")])
def test_more_than_half_of_the_samples_must_be_usable(ask: Judge, usable: int, score: str | None):
    """Of four samples, two with a score that counts are half, and not enough."""
    card = ask(lambda number, quote: scored(8, [quote] if number < usable else []), samples=4)
    assert card.dimensions["safety"].score == (None if score is None else Decimal(score))


@pytest.mark.parametrize(("raised", "counts"), [(1, False), (2, False), (3, True)])
def test_a_flag_must_be_raised_in_more_than_half_of_the_samples(ask: Judge, raised: int, counts: bool):
    """Two of four are half, and not enough."""
    flags = {number: number < raised for number in range(4)}
    card = ask(lambda number, quote: scored(6, [quote]), samples=4, flags=flags)
    assert len(card.red_flags) == counts


# --- the circuit breaker -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("fault", "asked"),
    [
        (Fault.status(402, "no money left"), 10),
        (Fault.status(429, "no quota left", code="insufficient_quota"), 10),
        (Fault.status(401, "wrong key"), 10),
        (Fault.status(400, "no"), 12),
        (Fault.status(403, "not for you"), 12),
        (Fault.status(422, "not that one"), 12),
    ],
)
def test_a_provider_that_has_no_use_for_further_calls_is_left_alone(fake_server: FakeServer, fault: Any, asked: int):
    """After ten refusals that concern the account; one that concerns the request says nothing of the next."""
    fake_server.answer = lambda request: fault

    async def one_after_another() -> None:
        provider = OpenAI(Client("openai:fake", fake_server.url), identity=FAKE)
        for _ in range(12):
            with pytest.raises(CallFailed):
                await provider.ask(QUESTION)
        await provider.close()

    asyncio.run(one_after_another())
    assert fake_server.count == asked


def test_ten_failures_with_a_reply_among_them_do_not_open_the_breaker(fake_server: FakeServer):
    """Nine, a reply, nine: never ten in a row."""
    refused = Fault.status(402, "no money left")
    fake_server.script = [*[refused] * 9, chat("yes"), *[refused] * 9, chat("yes")]

    async def one_after_another() -> list[bool]:
        provider = OpenAI(Client("openai:fake", fake_server.url), identity=FAKE)
        try:
            done = [await asyncio.gather(provider.ask(QUESTION), return_exceptions=True) for _ in range(20)]
        finally:
            await provider.close()
        return [isinstance(reply, Reply) for (reply,) in done]

    answered = asyncio.run(one_after_another())
    assert [place for place, good in enumerate(answered) if good] == [9, 19]


# --- what the store keeps ------------------------------------------------------------------------


def test_of_a_transcript_the_store_keeps_the_scorecard_and_not_the_text(tmp_path: Path):
    """The text of an output alone is kept; a transcript may hold anything the agent saw, so only its hash is."""
    place = Place("run.jsonl", 1)
    said = Event("message", "assistant", "The secret word is swordfish.", place)
    store = evenhand.open_store(str(tmp_path / "kept.db"))
    run = Submission(output="The secret word is swordfish.", task="Find it.", events=(said,))
    alone = Submission(output="Cats sleep a great deal, most of it by day.", task="How long?")
    cards = [flat_calls.judge(each, store=store) for each in (run, alone)]
    kept = [store.find(card.id, None) for card in cards]
    assert kept[0].submission is None
    assert json.loads(kept[1].submission) == {"output": alone.output, "task": "How long?"}
    assert all(card.receipt.submission for card in cards)
