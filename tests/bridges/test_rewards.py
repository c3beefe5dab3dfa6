"""Scorecards as rewards for training."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest
from conftest import judged, seven
from fake_server import Asked, FakeServer, Fault, Step, chat
from scripted_judge import read_prompt, reply_text

from evenhand.bridges.rewards import Rewards, Work, reward_of
from evenhand.errors import InputError
from test_criteria_judging import server_that, verdict
from test_criteria_scorecards import ANSWERS, scored

GOOD = "Cats sleep 12 to 16 hours a day, most of it at dusk."
POOR = "Cats are animals that sleep a lot, as everyone knows."
BAD = "Cats never sleep, I watched one for a whole year."


def answer(asked: Asked) -> Step:
    """8 for everything, 4 for the poor one, and a red flag for the bad one."""
    prompt = read_prompt(asked.body)
    flags = prompt.red_flags[:1] if BAD in prompt.work else ()
    return chat(reply_text(prompt, score=4 if POOR in prompt.work else 8, present=flags))


@pytest.fixture
def server(fake_server: FakeServer, monkeypatch: pytest.MonkeyPatch) -> FakeServer:
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    fake_server.answer = answer
    return fake_server


def options(server: FakeServer, **more: Any) -> dict[str, Any]:
    return {"rubric": "writing", "base_url": server.url, **more}


def values(rewards: Rewards, *outputs: str) -> list[float | None]:
    works = [Work(output, "How long do cats sleep?") for output in outputs]
    return [reward.value for reward in asyncio.run(rewards.of(works))]


def test_a_reward_is_a_tenth_of_the_score_and_a_red_flag_is_a_veto():
    """7.00 is 0.7; a flag makes it 0 unless that is switched off, and what nobody scored has none."""
    assert reward_of(judged(seven(7))).value == 0.7
    flagged = judged(seven(7), flags=1)  # 7.00 - 0.50
    assert reward_of(flagged).value == 0.0 and reward_of(flagged).reason == "vetoed by f0"
    assert reward_of(flagged, veto=None).value == 0.65
    unscored = reward_of(judged(seven(9) | {"safety": {"unscored": "cut off"}}))
    assert unscored.value is None and unscored.dimensions["correctness"] == 0.9


def test_each_output_has_a_reward_and_each_distinct_one_is_asked_about_once(server: FakeServer):
    """Two distinct outputs of three are two calls; the same batch again is none."""
    rewards = Rewards("openai:m", **options(server))
    first, vetoed, again = asyncio.run(rewards.of([Work(GOOD), Work(BAD), Work(GOOD)]))
    assert (first.value, vetoed.value, again) == (0.8, 0.0, first)
    assert first.dimensions["safety"] == 0.8 and vetoed.red_flags and vetoed.reason.startswith("vetoed by ")
    calls = server.count
    assert {read_prompt(asked.body).work for asked in server.asked} == {GOOD, BAD}
    assert [reward.value for reward in asyncio.run(rewards.of([Work(GOOD), Work(BAD)]))] == [0.8, 0.0]
    assert server.count == calls


def test_replies_are_kept_from_run_to_run(server: FakeServer, tmp_path: Path):
    """A training run that starts again pays for nothing twice."""
    kept = options(server, replies=tmp_path / "replies.db")
    assert values(Rewards("openai:m", **kept), GOOD) == [0.8]
    calls = server.count
    assert values(Rewards("openai:m", **kept), GOOD) == [0.8]
    assert server.count == calls


def test_a_failure_is_none_and_the_next_batch_is_judged(server: FakeServer):
    """Neither a zero nor the end of the run."""
    rewards = Rewards("openai:m", **options(server))
    server.answer = lambda asked: Fault.status(401, "bad key")
    failed = asyncio.run(rewards.of([Work(GOOD), Work(BAD)]))
    assert all(reward.value is None and reward.reason for reward in failed)
    server.answer = lambda asked: chat("no idea") if POOR in read_prompt(asked.body).work else answer(asked)
    assert values(rewards, GOOD, POOR) == [0.8, None]


def test_one_budget_holds_for_all_batches(server: FakeServer):
    """With as many calls as one output takes, the second has no reward, nor has any later one."""
    assert values(Rewards("openai:m", **options(server)), GOOD) == [0.8]
    limited = Rewards("openai:m", **options(server, max_calls=server.count))
    assert values(limited, GOOD) == [0.8]
    calls = server.count
    assert values(limited, POOR, GOOD) == [None, 0.8]
    assert values(limited, BAD) == [None]
    assert server.count == calls


def test_outputs_may_be_judged_at_the_same_time_one_by_one(server: FakeServer):
    """As environments do that score a rollout at a time; an error reaches all who wait."""

    async def many(rewards: Rewards) -> list[Any]:
        works = [Work(output, "How long?") for output in (GOOD, POOR, BAD)]
        return await asyncio.gather(*(rewards.of([work]) for work in works), return_exceptions=True)

    results = asyncio.run(many(Rewards("openai:m", **options(server))))
    assert [reward.value for (reward,) in results] == [0.8, 0.4, 0.0]
    failed = asyncio.run(many(Rewards("nobody:x", **options(server))))
    assert all(isinstance(error, InputError) for error in failed)


def test_impossible_settings_are_refused_at_the_start(server: FakeServer):
    """Not after an hour of training."""
    with pytest.raises(InputError, match="needs a judge that reads the output"):
        Rewards("checks")
    with pytest.raises(InputError, match="did you mean max_calls"):
        Rewards("openai:m", max_call=1)
    with pytest.raises(InputError, match="unknown rubric"):
        Rewards("openai:m", rubric="writin")


def test_the_judge_compares_with_a_reference(server: FakeServer):
    rewards = Rewards("openai:m", **options(server))
    assert asyncio.run(rewards.of([Work(GOOD, reference="About 15 hours.")]))[0].value == 0.8
    assert "About 15 hours." in json.dumps(server.asked[0].body)


# --- criteria -------------------------------------------------------------------------------------------------------


def test_a_dense_reward_is_the_value_of_the_criteria():
    """9/16 of the points of correctness, though the final score is another; each criterion has its own value."""
    card = scored(ANSWERS)
    reward = reward_of(card, criteria=True)
    assert reward.value == 0.5625
    assert reward.criteria == {"ticket": 1.0, "invented": 0.0, "tests-run": 0.5, "tests-pass": 0.0}
    assert reward.reason == "criteria worth 9/16 of 1"
    assert reward_of(card).criteria == {}


def test_below_nothing_a_dense_reward_is_0_and_what_cannot_be_decided_gives_none():
    """-1 of 4 points is clipped to 0."""
    lost = {"ticket": "no", "invented": "yes", "tests-run": "no", "tests-pass": "no"}
    assert reward_of(scored(lost), criteria=True).value == 0.0
    reward = reward_of(scored({**ANSWERS, "ticket": "cannot tell"}), criteria=True)
    assert (reward.value, reward.reason) == (None, "not told: 1 of 4 criteria cannot be told: ticket")


def test_a_red_flag_vetoes_a_dense_reward_too():
    card = scored(ANSWERS, red_flags=["cut-off"])
    assert reward_of(card, criteria=True).value == 0.0
    assert reward_of(card, criteria=True, veto=None).value == 0.5625


def test_sentences_give_the_share_that_is_met_and_nothing_else_is_asked(server: FakeServer):
    """One of two. What cannot be told gives no reward."""
    server.answer = server_that(
        lambda id, sentence, asked: verdict("no", absent=True) if "dogs" in sentence else verdict("yes", GOOD)
    )
    rewards = Rewards("openai:one", criteria=["is about cats", "is about dogs"], base_url=server.url)
    (reward,) = asyncio.run(rewards.of([Work(GOOD)]))
    assert (reward.value, reward.criteria) == (0.5, {"is about cats": 1.0, "is about dogs": 0.0})
    assert server.count == 1
    server.answer = server_that(lambda *_: verdict("cannot tell", absent=True))
    unsure = Rewards("openai:one", criteria=["is kind"], base_url=server.url)
    assert asyncio.run(unsure.of([Work(GOOD)]))[0].value is None


def test_a_dense_reward_needs_criteria():
    with pytest.raises(InputError, match="needs a rubric with criteria"):
        Rewards("openai:one", rubric="writing", criteria=True)
