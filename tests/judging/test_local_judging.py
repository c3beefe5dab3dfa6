"""The whole command with a real model, the first layers of SmolLM2; `test_local_model` asks all of it.

It is far too small to judge. These tests ask whether the protocol holds, never whether its scores are good. Reading a
question takes it seconds, so two scripted judges disagree about one dimension, and it is asked about that one.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from conftest import Ran
from fake_server import Asked, FakeServer, Step
from scripted_judge import answer, read_prompt

from evenhand import DIMENSIONS
from test_local_model import model_file, smallest_model
from test_schemas import validator

pytestmark = pytest.mark.slow
__all__ = ["model_file", "smallest_model"]

PROMPT, REPLY = 1560, 80
"""Tokens: every one that it writes takes as long as many that it reads."""
KEY = "secret-of-the-server"
LONG = "".join(f"Step {n}: the cache drops entry {n} and reads the price again.\n" for n in range(60))


def short_rubric() -> str:
    """A rubric of few words, without flags and bonuses."""
    bands = "\n".join(f"| {low}-{low + 1} | {how} |" for low, how in zip((9, 7, 5, 3, 1), "ABCDE", strict=True))
    weights = "".join(
        f"  {name}: {weight}\n" for name, weight in zip(DIMENSIONS, (25, 20, 15, 15, 10, 10, 5), strict=True)
    )
    sections = "\n\n".join(
        f"### {name.title()}\n\n**Measures:** {name}\n\n| Score | Criteria |\n|---|---|\n{bands}" for name in DIMENSIONS
    )
    head = f"---\nname: short\ntitle: Short\nversion: 1\nweights:\n{weights}pass_mark: 7.0\n---\n"
    return f"{head}\n# Short\n\n## Dimensions\n\n{sections}\n"


class Twice(NamedTuple):
    """The same command, run twice."""

    first: dict[str, Any]
    again: dict[str, Any]
    scripted_calls: tuple[int, int]
    """How often the scripted judges had been asked after each run."""

    @property
    def model(self) -> dict[str, Any]:
        """What the real model said, as a member of the panel."""
        [member] = [each for each in self.first["panel"]["members"] if "scripted" not in each["judge"]["name"]]
        return member


def command(folder: Path, *arguments: str) -> Ran:
    """The command, with time for a slow machine."""
    whole = [sys.executable, "-m", "evenhand", *arguments]
    environment = {**os.environ, "OPENAI_API_KEY": KEY}
    return Ran(subprocess.run(whole, capture_output=True, cwd=folder, env=environment, timeout=900, check=False))


def disagree(asked: Asked) -> Step:
    """Two judges: 8 everywhere, but one gives 4 for safety."""
    low = asked.body["model"] == "two" and read_prompt(asked.body).dimensions == ("safety",)
    return answer(asked, score=4 if low else 8)


def settings_of(folder: Path, scripted: FakeServer, reply: int = REPLY) -> None:
    limits = f"window = {PROMPT + reply}\nmax_tokens = {reply}\n"
    folder.joinpath("evenhand.toml").write_text(
        f'[judges.scripted]\nbase_url = "{scripted.url}"\n\n[judges.local]\nthreads = 1\n{limits}\n'
        f"[judges.openai]\nfirst_byte_timeout = 600\ntotal_timeout = 900\n{limits}"
    )
    folder.joinpath("short.md").write_text(short_rubric())
    folder.joinpath("answer.md").write_text(LONG)


@pytest.fixture(scope="module")
def twice(tmp_path_factory: pytest.TempPathFactory, smallest_model: str) -> Twice:
    """A panel whose stronger judge is the real model."""
    folder = tmp_path_factory.mktemp("judged")
    strong = ["--escalate-to", f"local:{smallest_model}"]
    with FakeServer() as scripted:
        scripted.answer = disagree
        settings_of(folder, scripted)
        panel = ["--judge", "scripted:one", "--judge", "scripted:two", *strong]
        made, counts = [], []
        for _ in range(2):
            done = command(folder, "judge", "answer.md", "-r", "short.md", *panel, "-f", "json")
            assert done.code in (0, 3), done.err
            made.append(json.loads(done.out))
            counts.append(scripted.count)
    return Twice(made[0], made[1], (counts[0], counts[1]))


def test_a_real_model_gives_a_score_on_the_scale_or_a_reason(twice: Twice):
    """Of the one dimension it was asked about; with the probabilities of the scores where there is one."""
    score = twice.model["scores"].get("safety")
    if score is None:
        assert any("asked about safety and gave no score" in warning for warning in twice.first["warnings"])
        return
    assert 1 <= score <= 10
    assert all(1 <= float(each) <= 10 for each in twice.model["distributions"].get("safety", {}))


def test_the_scorecard_of_a_real_model_fits_its_schema(twice: Twice):
    """Whatever it wrote."""
    validator("scorecard").validate(twice.first)
    assert all(line["score"] is None or 1 <= line["score"] <= 10 for line in twice.first["dimensions"].values())
    assert twice.first["panel"]["escalation"]["asked"].keys() == {"safety"}


def test_what_a_small_window_left_out_is_on_the_scorecard(twice: Twice):
    """Only the real model's window is small."""
    [condensed] = twice.first["panel"]["condensed"]
    assert condensed["judge"] == twice.model["judge"]["name"]
    assert "the middle of the output is left out" in condensed["why"]


def test_a_second_run_asks_a_real_model_nothing_and_says_the_same(twice: Twice):
    """Every reply is stored, repairs too."""
    first, again = twice.first["panel"]["calls"], twice.again["panel"]["calls"]
    assert (again["asked"], again["stored"]) == (0, first["asked"])
    assert twice.scripted_calls[0] == twice.scripted_calls[1] == 14
    for name in DIMENSIONS:
        assert twice.again["dimensions"][name] == twice.first["dimensions"][name]
    assert twice.again["receipt"]["judgement"] == twice.first["receipt"]["judgement"]


def test_a_local_model_is_the_only_judge_in_one_command(tmp_path: Path, smallest_model: str):
    """As a user would type it, stopped after one call: what was said is kept, and is not asked for again."""
    with FakeServer() as unused:
        settings_of(tmp_path, unused)
    run = ["judge", "answer.md", "-r", "short.md", "--judge", f"local:{smallest_model}"]
    done = command(tmp_path, *run, "--max-calls", "1", "-f", "jsonl")
    assert (done.code, done.out) == (3, "")
    assert "limit of 1 calls" in done.err and "Traceback" not in done.err
    plan = json.loads(command(tmp_path, *run, "--dry-run", "-f", "json").out)
    # seven dimensions and two questions about the sample, of which one is answered
    assert (plan["calls"], plan["stored"], plan["cost_at_most"]) == (8, 1, 0)


def test_a_local_model_is_asked_about_a_sentence_alone(tmp_path: Path, smallest_model: str):
    """Whatever it says, there is a verdict or a reason, no grade, and at most two calls."""
    with FakeServer() as unused:
        settings_of(tmp_path, unused, reply=240)  # a verdict that is cut off is asked for again
    (tmp_path / "answer.md").write_text("The cache drops its entry, and the price is read again.\n")
    sentence = ["--criterion", "names the cache"]
    done = command(tmp_path, "judge", "answer.md", "--judge", f"local:{smallest_model}", *sentence, "-f", "json")
    assert done.code in (0, 3), done.err
    card = json.loads(done.out)
    validator("scorecard").validate(card)
    (expected,) = card["expectations"]
    assert card["grade"] is None and expected["by"].startswith("local:")
    assert (done.code == 3) == (expected["result"] == "undecided") and expected["message"]
    assert 1 <= card["panel"]["calls"]["asked"] <= 2
