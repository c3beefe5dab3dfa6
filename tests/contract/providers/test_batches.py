"""Judging in batches, against a server on loopback that speaks both batch APIs and counts what was paid for."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from batch_server import BatchServer, as_anthropic
from conftest import Ran
from fake_server import Asked, FakeServer, Fault, Step, chat
from scripted_judge import answer, read_prompt, reply_text

from test_model_judging import KEY, cards_in, write_many

KINDS = ("openai", "anthropic")


def judged(asked: Asked) -> Step:
    """An 8, in the form of either API."""
    body = asked.body
    if "max_tokens" not in body or "system" not in body:
        return answer(asked)
    turns = [{**turn, "content": _joined(turn["content"])} for turn in body["messages"]]
    return as_anthropic(reply_text(read_prompt({"messages": turns})))


def _joined(content: Any) -> str:
    return content if isinstance(content, str) else "".join(block["text"] for block in content)


class Project:
    """A folder with submissions and a server of one kind."""

    def __init__(self, kind: str, folder: Path, server: FakeServer, run: Callable[..., Ran]) -> None:
        self.kind, self.folder, self.server, self._run = kind, folder, server, run
        self.batches = BatchServer(judged)
        server.answer = self.batches.step
        self.prices = "price_input = 1\nprice_output = 10\n"
        self.write_settings()

    def write_settings(self) -> None:
        text = (
            f'[judges.mine]\nbase_url = "{self.server.url}"\nkind = "{self.kind}"\nmodel = "m"\nkey_env = "MINE_KEY"\n'
        )
        (self.folder / "evenhand.toml").write_text(text + self.prices)

    @property
    def command(self) -> list[str]:
        return ["judge", "many.jsonl", "--judge", "mine", "-f", "jsonl", "--set", "judge.batch=true"]

    def judge(self, count: int, *more: str) -> Ran:
        write_many(self.folder, count)
        return self._run(*self.command, *more, MINE_KEY=KEY)

    def start(self, count: int) -> subprocess.Popen[bytes]:
        """The same in the background, until its batch is submitted."""
        write_many(self.folder, count)
        process = subprocess.Popen(
            [sys.executable, "-m", "evenhand", *self.command],
            cwd=self.folder,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env={**os.environ, "MINE_KEY": KEY},
        )
        end = time.monotonic() + 60
        while not self.batches.looks:
            assert process.poll() is None and time.monotonic() < end, process.communicate()
            time.sleep(0.02)
        return process


@pytest.fixture(params=KINDS)
def project(request, tmp_path, fake_server, evenhand_command) -> Project:
    return Project(request.param, tmp_path, fake_server, evenhand_command)


@pytest.fixture
def openai_project(tmp_path, fake_server, evenhand_command) -> Project:
    return Project("openai", tmp_path, fake_server, evenhand_command)


def all_eights(done: Ran, count: int) -> bool:
    return (done.code, [card["final"] for card in cards_in(done)]) == (0, [8] * count)


@pytest.mark.slow
def test_questions_go_in_one_batch_at_half_the_price(project: Project):
    """Five outputs, two questions each: the first is asked directly, nine come in a batch and cost half as much."""
    done = project.judge(5)
    assert all_eights(done, 5), done.err
    batches = project.batches
    assert (batches.direct, batches.sizes) == (1, [9])
    costs = [card["panel"]["calls"]["cost"] for card in cards_in(done)]
    asked = [card["panel"]["calls"]["asked"] for card in cards_in(done)]
    # OpenAI's replies have 100 tokens in and 20 out, Anthropic's 90 and 10: $0.0003 and $0.00019
    full = 0.0003 if project.kind == "openai" else 0.00019
    assert sum(asked) == 2 * 5 and sum(costs) == pytest.approx(full + 9 * full / 2)
    assert "batch batch_0 submitted with 9 questions" in done.err and "the same command collects it" in done.err
    again = project.judge(5)
    assert all_eights(again, 5) and len(batches.batches) == 1 and batches.direct == 1


@pytest.mark.slow
@pytest.mark.parametrize("end", [signal.SIGKILL, signal.SIGINT])
def test_a_run_that_was_stopped_collects_its_batch(project: Project, end: signal.Signals):
    """Nothing is submitted or paid for twice, by the server's own count."""
    project.batches.ready = False
    process = project.start(6)
    process.send_signal(end)
    _, message = process.communicate(timeout=30)
    if end == signal.SIGINT:
        assert process.returncode == 130 and b"run the same command again" in message
    project.batches.ready = True
    done = project.judge(6)
    assert all_eights(done, 6), done.err
    assert "waiting for batch batch_0, submitted earlier" in done.err
    assert (project.batches.direct, len(project.batches.batches)) == (1, 1)
    assert set(project.batches.paid.values()) == {1} and len(project.batches.paid) == 2 * 6 - 1


@pytest.mark.slow
def test_a_batch_whose_submission_was_interrupted_is_found_again(project: Project):
    """The server accepted it, and the connection broke: exit code 4; the next run finds it and submits nothing."""
    project.batches.lose_the_reply_to_submitting = True
    done = project.judge(4)
    assert done.code == 4 and "the same command collects them" in done.err
    again = project.judge(4)
    assert all_eights(again, 4), again.err
    assert len(project.batches.batches) == 1 and set(project.batches.paid.values()) == {1}


@pytest.mark.slow
def test_a_submission_that_never_arrived_is_made_again(project: Project):
    """The server refused the first batch; the next run submits it."""
    project.batches.refusal = Fault.status(429, "too many batches")
    done = project.judge(4)
    assert done.code == 4 and "too many batches" in done.err
    project.batches.refusal = None
    assert all_eights(project.judge(4), 4)
    assert len(project.batches.batches) == 1


@pytest.mark.slow
def test_questions_that_a_batch_did_not_get_to_are_submitted_again(project: Project):
    """The first batch expires, the second is answered."""
    project.batches.expire = {0}
    done = project.judge(3)
    assert all_eights(done, 3), done.err
    assert project.batches.sizes == [5, 5]
    assert set(project.batches.paid.values()) == {1}


@pytest.mark.slow
def test_a_batch_that_always_expires_is_given_up(openai_project: Project):
    """After three batches a question is unscored with the reason; only the very first was asked directly."""
    openai_project.batches.expire = set(range(9))
    done = openai_project.judge(2)
    assert (done.code, [card["final"] for card in cards_in(done)]) == (3, [None, None])
    assert "3 batches ended before this question" in cards_in(done)[1]["dimensions"]["safety"]["unscored"]
    assert len(openai_project.batches.batches) == 3


@pytest.mark.slow
def test_a_refused_text_in_a_batch_is_unscored(project: Project):
    """The others in the same batch are judged; a later run asks for it alone."""
    batches = project.batches

    def filtered(asked: Asked) -> Step:
        text = json.dumps(asked.body)
        return Fault.status(400, "blocked by our content policy") if "Case 1 is" in text else judged(asked)

    batches.answer = filtered
    done = project.judge(3)
    assert (done.code, [card["final"] for card in cards_in(done)]) == (3, [8, None, 8]), done.err
    assert "content policy" in cards_in(done)[1]["dimensions"]["safety"]["unscored"]
    batches.answer = judged
    assert all_eights(project.judge(3), 3)


@pytest.mark.slow
def test_a_parameter_that_only_the_batch_refuses_is_left_out_of_the_next(openai_project: Project):
    """Requests inside a batch have no path of their own here; there the seed is refused."""

    def picky(asked: Asked) -> Step:
        refused = asked.path == "" and "seed" in asked.body
        return Fault.status(400, "seed is not supported") if refused else judged(asked)

    openai_project.batches.answer = picky
    assert all_eights(openai_project.judge(3), 3)
    sent = [{"seed" in entry["body"] for entry in entries} for entries in openai_project.batches.batches.values()]
    assert (sent, openai_project.batches.sizes) == ([{True}, {False}], [5, 5])


@pytest.mark.slow
def test_a_batch_that_fails_as_a_whole_ends_the_run(openai_project: Project):
    """Exit code 4 and the service's reason; nothing stays noted."""
    openai_project.batches.failure = "Enqueued token limit reached"
    done = openai_project.judge(3)
    assert done.code == 4 and "batch batch_0: Enqueued token limit reached" in done.err
    openai_project.batches.failure = ""
    assert all_eights(openai_project.judge(3), 3)


@pytest.mark.slow
def test_results_that_cannot_be_read_end_the_run_and_stay(openai_project: Project, fake_server: FakeServer):
    """No waiting for ever; once the service is well, they are collected."""
    batches = openai_project.batches

    def broken(asked: Asked) -> Step:
        return Step(body=b'{"custom_id": 1}\nnot JSON\n') if asked.path.endswith("/content") else batches.step(asked)

    fake_server.answer = broken
    done = openai_project.judge(3)
    assert done.code == 4 and "a batch cannot be read" in done.err and "Traceback" not in done.err
    fake_server.answer = batches.step
    assert all_eights(openai_project.judge(3), 3)
    assert set(batches.paid.values()) == {1}


@pytest.mark.slow
def test_a_key_in_the_results_is_removed(openai_project: Project):
    """As in every other reply."""

    def echo(asked: Asked) -> Step:
        return Fault.status(400, f"content policy: {KEY}") if asked.path == "" else judged(asked)

    openai_project.batches.answer = echo
    done = openai_project.judge(2)
    assert "[key]" in done.out and KEY not in done.out + done.err
    for file in (openai_project.folder / ".evenhand").iterdir():
        assert KEY.encode() not in file.read_bytes()


@pytest.mark.slow
def test_several_questions_a_submission_and_a_repair(openai_project: Project):
    """Eight questions for each of two outputs in one batch; one unreadable answer takes a second batch of one."""
    first: set[str] = set()

    def careless(asked: Asked) -> Step:
        prompt = read_prompt(asked.body)
        if prompt.dimensions == ("safety",) and prompt.nonce not in first and asked.path == "":
            first.add(prompt.nonce)
            return chat("I cannot decide.")
        return judged(asked)

    openai_project.batches.answer = careless
    write_many(openai_project.folder, 2)
    command = openai_project.command
    done = openai_project._run(*command, "--set", "judge.thorough=true", MINE_KEY=KEY)
    assert all_eights(done, 2), done.err
    assert openai_project.batches.sizes == [15, 2]


@pytest.mark.slow
def test_dry_run_counts_half(openai_project: Project):
    """The same plan at half the cost."""
    write_many(openai_project.folder, 2)
    plain = [word for word in openai_project.command if word not in ("--set", "judge.batch=true")]
    half = json.loads(openai_project._run(*openai_project.command, "--dry-run", MINE_KEY=KEY).out)
    full = json.loads(openai_project._run(*plain, "--dry-run", MINE_KEY=KEY).out)
    assert half["calls"] == full["calls"] == 2 + 2
    assert half["cost_at_most"] == pytest.approx(full["cost_at_most"] / 2)
    assert openai_project.server.count == 0


@pytest.mark.slow
def test_limits_of_money_hold_in_batches(openai_project: Project):
    """$0.01 for up to 2048 tokens at half of $10 a million: one or two questions fit at a time; each costs far less."""
    done = openai_project.judge(3, "--max-cost", "0.03")
    assert all_eights(done, 3), done.err
    assert sum(openai_project.batches.sizes) == 5


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--store", "none"), "--set judge.batch=true needs a store and a file of replies"),
        (("--set", "judge.replies=none"), "--set judge.batch=true needs a store and a file of replies"),
        (("--judge", "ollama:any"), "--set judge.batch=true needs a service with a batch API"),
    ],
)
def test_batches_need_a_place_and_a_service(openai_project: Project, options: tuple[str, ...], message: str):
    """Exit code 2, and nothing is sent."""
    done = openai_project.judge(2, *options)
    assert done.code == 2 and message in done.err
    assert openai_project.server.count == 0
