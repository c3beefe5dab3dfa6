"""A judge tested without labels: probes never approve it, and anchors tell when it has moved.

Scripted judges stand behind a server, and are asked and read as real ones are.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import contextmanager
from hashlib import sha256
from itertools import count
from pathlib import Path
from random import Random

import pytest
from fake_server import Asked, FakeServer, Step, chat
from scripted_judge import read_prompt, reply_text

from contract.doors import run_here

KEY = {"OPENAI_API_KEY": "k"}
Judge = Callable[[str], int]
"""A score from the work that is shown."""


def dice() -> Judge:
    draw = Random(4)
    return lambda work: draw.randint(1, 10)


def hashed(work: str) -> int:
    return 1 + int(sha256(" ".join(work.split()[:8]).encode()).hexdigest(), 16) % 10


JUDGES: dict[str, Judge] = {
    "dice": dice(),
    "hash of the opening words": hashed,
    "constant": lambda work: 7,
    "length": lambda work: min(10, 1 + len(work) // 150),
    "obeys a planted verdict": lambda work: 10 if "10/10" in work else 6,
}


@contextmanager
def behind_a_server(judge: Judge):
    def answer(asked: Asked) -> Step:
        prompt = read_prompt(asked.body)
        return chat(reply_text(prompt, score=judge(prompt.work)))

    with FakeServer() as server:
        server.answer = answer
        yield server.url


@pytest.mark.parametrize("name", JUDGES)
def test_probes_never_approve_and_show_what_they_saw(name, tmp_path: Path):
    """No use is answered yes; a judge that sees no fault in content serves none; the card is kept."""
    with behind_a_server(JUDGES[name]) as url:
        ran = run_here(
            "trust", "probe", "openai:m", "--quick", "--base-url", url, "--store", "s.db", "-f", "json",
            cwd=tmp_path, environment=KEY,
        )  # fmt: skip
    assert ran.code in (0, 1), ran.err
    card = json.loads(ran.out)
    answers = {use["use"]: use["verdict"] for use in card["uses"]}
    assert set(answers) == {"compare", "level", "gate"} and "yes" not in answers.values()
    if name in ("hash of the opening words", "constant", "obeys a planted verdict"):
        assert set(answers.values()) == {"no"}
    shown = json.loads(
        run_here("trust", "probe", "openai:m", "--show", "--store", "s.db", "-f", "json", cwd=tmp_path).out
    )
    assert (shown["id"], shown["uses"]) == (card["id"], card["uses"])


def test_a_judge_that_moved_is_an_alarm_and_one_that_scatters_is_not(tmp_path: Path):
    """Twelve frozen outputs: the same scores, scores of the same mean, then two points less."""
    for number in range(12):
        (tmp_path / f"a{number}.md").write_text(f"Answer {number}: the nightly build failed in step {number}.\n")
    store = ("--store", "s.db")
    added = run_here(
        "trust", "anchors", "add", *[f"a{n}.md" for n in range(12)], "--task", "Say it.", *store, cwd=tmp_path
    )
    assert added.code == 0 and "12 anchors" in added.err + added.out
    turn = count()
    moods: list[Judge] = [lambda work: 8, lambda work: 7 + 2 * (next(turn) % 2), lambda work: 6]
    codes, reports = [], []
    for mood in moods:
        with behind_a_server(mood) as url:
            ran = run_here(
                "trust", "anchors", "run", "--judge", "openai:m", "--base-url", url, "-f", "json", *store,
                cwd=tmp_path, environment=KEY,
            )  # fmt: skip
        codes.append(ran.code)
        reports.append(json.loads(ran.out))
    assert codes == [0, 0, 1]
    assert [report["alarm"] for report in reports] == [False, False, True]
    assert reports[0]["reference"] is None and reports[2]["reference"] is not None
    final = next(entry for entry in reports[2]["moved"] if entry["field"] == "final")
    assert (final["mean"], final["anchors"], final["missing"], final["alarm"]) == (-2, 12, 0, True)
    shown = run_here("trust", "anchors", "run", "--show", *store, cwd=tmp_path)
    assert "openai:m" in shown.out and "-2.00" in shown.out
