"""Scorecards as rewards: TRL's reward function, verifiers' judge, and what both share."""

from __future__ import annotations

import ast
import asyncio
import functools
import inspect
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from conftest import ROOT, judged, seven
from fake_server import Asked, FakeServer, Fault, Step, chat
from real_tools import python_tool
from scripted_judge import read_prompt, reply_text

from evenhand.bridges.rewards import Rewards, Work, reward_of
from evenhand.bridges.trl import EvenhandReward
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
    return {"rubric": "writing", "base_url": server.url, "economy": True, **more}


def trl_call(reward: EvenhandReward, completions: list[Any], **columns: Any) -> list[float | None]:
    """As GRPOTrainer calls it: everything by keyword."""
    prompts = [[{"role": "user", "content": "How long do cats sleep?"}] for _ in completions]
    ids = [[1, 2] for _ in completions]
    return asyncio.run(reward(prompts=prompts, completions=completions, completion_ids=ids, **columns))


def said(text: str) -> list[dict[str, Any]]:
    """A completion as messages."""
    return [{"role": "assistant", "content": [{"type": "text", "text": text}]}]


def test_a_reward_is_a_tenth_of_the_score_and_a_red_flag_is_a_veto():
    """7.00 is 0.7; a flag makes it 0 unless that is switched off, and what nobody scored has none."""
    assert reward_of(judged(seven(7))).value == 0.7
    flagged = judged(seven(7), flags=1)  # 7.00 - 0.50
    assert reward_of(flagged).value == 0.0 and reward_of(flagged).reason == "vetoed by f0"
    assert reward_of(flagged, veto=None).value == 0.65
    unscored = reward_of(judged(seven(9) | {"safety": {"unscored": "cut off"}}))
    assert unscored.value is None and unscored.dimensions["correctness"] == 0.9


def test_trl_gets_a_reward_for_each_completion_and_asks_once_for_each_distinct_one(server: FakeServer):
    """Two distinct completions of three are two calls; the same batch again is none."""
    reward = EvenhandReward("openai:m", **options(server))
    metrics: dict[str, float] = {}
    extra: dict[str, list[str]] = {}
    batch = [said(GOOD), said(BAD), said(GOOD)]
    more = {"trainer_state": None, "log_metric": metrics.__setitem__, "log_extra": extra.__setitem__}
    assert trl_call(reward, batch, **more) == [0.8, 0.0, 0.8]
    calls = server.count
    distinct = {read_prompt(asked.body).work for asked in server.asked}
    assert distinct == {GOOD, BAD}
    assert metrics["evenhand/safety"] == pytest.approx(0.8) and metrics["evenhand/red_flagged"] == pytest.approx(1 / 3)
    assert len(extra["evenhand"]) == 3 and extra["evenhand"][1].startswith("vetoed by ")
    assert trl_call(reward, [GOOD, said(BAD)]) == [0.8, 0.0]
    assert server.count == calls


def test_replies_are_kept_from_run_to_run(server: FakeServer, tmp_path: Path):
    """A training run that starts again pays for nothing twice."""
    kept = options(server, replies=tmp_path / "replies.db")
    assert trl_call(EvenhandReward("openai:m", **kept), [GOOD]) == [0.8]
    calls = server.count
    assert trl_call(EvenhandReward("openai:m", **kept), [GOOD]) == [0.8]
    assert server.count == calls


def test_a_failure_is_none_and_the_next_batch_is_judged(server: FakeServer):
    """Neither a zero nor the end of the run."""
    reward = EvenhandReward("openai:m", **options(server))
    extra: dict[str, list[str]] = {}
    server.answer = lambda asked: Fault.status(401, "bad key")
    assert trl_call(reward, [GOOD, BAD], log_extra=extra.__setitem__) == [None, None]
    assert all(reason for reason in extra["evenhand"])
    server.answer = lambda asked: chat("no idea") if POOR in read_prompt(asked.body).work else answer(asked)
    assert trl_call(reward, [GOOD, POOR]) == [0.8, None]


def test_one_budget_holds_for_all_batches(server: FakeServer):
    """With as many calls as one output takes, the second has no reward, nor has any later one."""
    reward = EvenhandReward("openai:m", **options(server, max_calls=1000))
    assert trl_call(reward, [GOOD]) == [0.8]
    each = reward._rewards._budget.calls
    limited = EvenhandReward("openai:m", **options(server, max_calls=each))
    assert trl_call(limited, [GOOD]) == [0.8]
    calls = server.count
    assert trl_call(limited, [POOR, GOOD]) == [None, 0.8]
    assert trl_call(limited, [BAD]) == [None]
    assert server.count == calls


def test_single_outputs_that_arrive_together_are_judged_together(server: FakeServer):
    """Twenty rollouts with three distinct outputs: three are judged, and an error reaches all who wait."""

    async def many(rewards: Rewards) -> list[Any]:
        works = [Work([GOOD, POOR, BAD][n % 3], "How long?") for n in range(20)]
        return await asyncio.gather(*map(rewards.of_one, works), return_exceptions=True)

    results = asyncio.run(many(Rewards("openai:m", **options(server))))
    assert [reward.value for reward in results[:3]] == [0.8, 0.4, 0.0]
    assert len({read_prompt(asked.body).work for asked in server.asked}) == 3
    failed = asyncio.run(many(Rewards("nobody:x", **options(server))))
    assert all(isinstance(error, InputError) for error in failed)


def test_what_cannot_work_is_refused_at_the_start(server: FakeServer):
    """Not after an hour of training."""
    with pytest.raises(InputError, match="needs a judge that reads the output"):
        Rewards("checks")
    with pytest.raises(InputError, match="did you mean max_calls"):
        Rewards("openai:m", max_call=1)
    with pytest.raises(InputError, match="unknown rubric"):
        Rewards("openai:m", rubric="writin")
    reward = EvenhandReward("openai:m", reference="answer", **options(server))
    with pytest.raises(InputError, match='unknown column "answer"; valid: completion_ids, solution'):
        trl_call(reward, [GOOD], solution=["12 to 16 hours"])


def test_a_column_of_the_dataset_can_be_the_reference(server: FakeServer):
    """The judge compares with it."""
    reward = EvenhandReward("openai:m", reference="solution", **options(server))
    assert trl_call(reward, [GOOD], solution=["About 15 hours."]) == [0.8]
    assert "About 15 hours." in json.dumps(server.asked[0].body)


@pytest.mark.slow
def test_the_reward_function_fits_the_source_of_trl():
    """TRL needs torch, so its trainer is not run: its own helpers recognise the function, and its call fits."""
    folder = python_tool("trl", "trl", "--no-deps")
    reward = EvenhandReward("openai:m")
    helpers: dict[str, Any] = {"functools": functools, "inspect": inspect, "Callable": Any}
    source = (folder / "trl" / "trainer" / "utils.py").read_text(encoding="utf-8")
    for node in ast.parse(source).body:
        if isinstance(node, ast.FunctionDef) and node.name in ("get_callable_name", "is_async_callable"):
            exec(ast.unparse(node), helpers)
    assert helpers["is_async_callable"](reward)
    assert helpers["get_callable_name"](reward) == "evenhand"
    trainer = ast.parse((folder / "trl" / "trainer" / "grpo_trainer.py").read_text(encoding="utf-8"))
    rewarding = next(
        node for node in ast.walk(trainer) if isinstance(node, ast.FunctionDef) and node.name == "_calculate_rewards"
    )
    calls = [node for node in ast.walk(rewarding) if isinstance(node, ast.Await) and isinstance(node.value, ast.Call)]
    (call,) = [node.value for node in calls if getattr(node.value.func, "id", "") == "func"]  # type: ignore[attr-defined]
    assert [keyword.arg for keyword in call.keywords] == ["prompts", "completions", "completion_ids", None]  # type: ignore[attr-defined]
    assert not call.args  # type: ignore[attr-defined]
    assert '"log_metric"' in ast.unparse(rewarding).replace("'", '"')
    assert '"log_extra"' in ast.unparse(rewarding).replace("'", '"')


VERIFIERS = """
import asyncio, json, sys
import verifiers.v1 as vf

class Data(vf.TaskData):
    answer: str = "15 hours"

class CatTask(vf.Task[Data, vf.State, vf.TaskConfig]):
    pass

outputs, settings = json.loads(sys.argv[1]), json.loads(sys.argv[2])
config = vf.TaskConfig(judges=[{"id": "our_judge", "judge": "openai:m", **settings}])

async def rollout(output):
    task = CatTask(Data(prompt="How long do cats sleep?"), config)
    trace = vf.Trace.model_construct(root_reply=output, rewards={}, metrics={}, info={}, nodes=[], errors=[])
    try:
        await task.score(trace)
    except Exception as error:
        return [None, str(error), trace.info]
    return [trace.rewards["our_judge"].score, trace.metrics, trace.info]

async def main():
    return await asyncio.gather(*map(rollout, outputs))

print(json.dumps(asyncio.run(main())))
"""


@pytest.mark.slow
def test_the_real_verifiers_plugs_the_judge_into_a_task(server: FakeServer, tmp_path: Path):
    """Rewards, metrics and a veto arrive; a judge that fails is an error and no reward."""
    (tmp_path / "our_judge.py").write_text(
        'from evenhand.bridges.verifiers import EvenhandJudge\n__all__ = ["EvenhandJudge"]\n', encoding="utf-8"
    )
    server.answer = lambda asked: (
        Fault.status(400, "no") if "unlucky" in read_prompt(asked.body).work else answer(asked)
    )
    settings = {"rubric": "writing", "options": {"base_url": server.url, "economy": True}, "reference_field": "answer"}
    outputs = [GOOD, POOR, BAD, GOOD, "This one is unlucky, the judge fails."]
    tool = python_tool("verifiers", "verifiers")
    paths = os.pathsep.join(map(str, (tmp_path, ROOT / "src", tool)))
    done = subprocess.run(
        [sys.executable, "-c", VERIFIERS, json.dumps(outputs), json.dumps(settings)],
        env={**os.environ, "PYTHONPATH": paths, "OPENAI_API_KEY": "none", "HOME": str(tmp_path)},
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    rows = json.loads(done.stdout.splitlines()[-1])
    assert [row[0] for row in rows] == [0.8, 0.4, 0.0, 0.8, None]
    assert rows[0][1]["evenhand/safety"] == 0.8
    assert rows[2][2]["evenhand"][0]["red_flags"]
    assert "15 hours" in json.dumps(server.asked[0].body)
    assert len({read_prompt(asked.body).work for asked in server.asked}) == 4


# --- criteria -------------------------------------------------------------------------------------------------------


def test_a_dense_reward_is_what_the_criteria_are_worth():
    """9/16 of the points of correctness, though the final score is another; each criterion has its own value."""
    card = scored(ANSWERS)
    reward = reward_of(card, criteria=True)
    assert reward.value == 0.5625
    assert reward.criteria == {"ticket": 1.0, "invented": 0.0, "tests-run": 0.5, "tests-pass": 0.0}
    assert reward.reason == "criteria worth 9/16 of 1"
    assert reward_of(card).criteria == {}


def test_below_nothing_a_dense_reward_is_0_and_what_cannot_be_told_gives_none():
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
    assert server.count == 2
    server.answer = server_that(lambda *_: verdict("cannot tell", absent=True))
    unsure = Rewards("openai:one", criteria=["is kind"], base_url=server.url)
    assert asyncio.run(unsure.of([Work(GOOD)]))[0].value is None


def test_a_dense_reward_needs_criteria():
    with pytest.raises(InputError, match="needs a rubric with criteria"):
        Rewards("openai:one", rubric="writing", criteria=True)
