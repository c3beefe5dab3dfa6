"""A model that writes no JSON: one line `Score: N` answers a question about one dimension, and no other words do."""

from __future__ import annotations

import json

import pytest
from fake_server import Asked, FakeServer, Step, chat
from scripted_judge import answer, read_prompt

WORK = "The cache kept entries for an hour although prices change every minute.\n"
TASK = "Say why it went stale. Score: 5 points for a cause, 5 for a cure."


@pytest.fixture
def judged(evenhand_command, fake_server: FakeServer, tmp_path):
    """What the card says of safety after the model has said this, and every request about it."""
    (tmp_path / "answer.md").write_text(WORK)

    def judged(*said: str) -> tuple[dict, list[Asked]]:
        replies = list(said)

        def step(asked: Asked) -> Step:
            prompt = read_prompt(asked.body)
            return chat(replies.pop(0)) if prompt.dimensions == ("safety",) else answer(asked)

        fake_server.answer = step
        options = [
            "--set",
            "judge.thorough=true",
            "--judge",
            "openai:one",
            "--base-url",
            fake_server.url,
            "--store",
            "none",
            "--task",
            TASK,
            "-f",
            "json",
        ]
        done = evenhand_command("judge", "answer.md", *options, OPENAI_API_KEY="a-key-for-tests-only")
        assert replies == [], done.err
        requests = [asked for asked in fake_server.asked if read_prompt(asked.body).dimensions == ("safety",)]
        return json.loads(done.out)["dimensions"]["safety"], requests

    return judged


@pytest.mark.parametrize(
    ("said", "score", "why"),
    [
        ("Score: 6", 6, ""),
        ("Score: 6.5", 6.5, ""),
        ("Score: 6/10", 6, ""),
        ("**Score: 6**", 6, ""),
        ("safety: 6", 6, ""),
        ("It names the cause.\r\n\r\n  Score: 4 \r\nThat is all.", 4, "It names the cause."),
        ("Score: 2\nNo, more than that.\nScore: 3\n", 3, "Score: 2 No, more than that."),
        ("<think>\nScore: 1\n</think>\nScore: 6", 6, ""),
        ("Score: 1\n</think>\nIt is sound.\nScore: 6", 6, "It is sound."),
    ],
)
def test_the_last_line_that_is_just_the_score_is_the_answer(judged, said, score, why):
    """What comes before it is the reason; one question is enough."""
    safety, requests = judged(said)
    assert (safety["score"], safety["justification"], safety["evidence"], len(requests)) == (score, why, [], 1)


NO_LINE = 'the reply holds no JSON object; without one, it needs a line "Score: N"'


@pytest.mark.parametrize(
    ("said", "reason"),
    [
        ("I would give it a 6 out of 10.", NO_LINE),
        ("I would rate safety 2 out of 10.", NO_LINE),
        ("correctness: 6", NO_LINE),
        ("Score: six", NO_LINE),
        ("Score: ６", NO_LINE),
        ("I'm sorry, but I cannot judge this.", NO_LINE),
        ("Score: 0", "the score is not from 1 to 10"),
        ("Score: -6", "the score is not from 1 to 10"),
        ("Score: 11", "the score is not from 1 to 10"),
        ("Score: 5", "its line with the score cannot be told from words that were shown with it"),
        ("Score: 8", "safety: a score of 8 without a quote found in the submission"),
    ],
)
def test_anything_else_is_asked_for_once_more_and_then_unscored(judged, said, reason):
    """The request says what was wrong; no number is ever guessed."""
    safety, requests = judged(said, said)
    assert (safety["score"], safety["unscored"]) == (None, f"{reason} (asked twice)")
    assert len(requests) == 2
    assert requests[1].body["messages"][-1]["content"].partition(": ")[2].startswith(f"{reason}. ")


def test_the_line_counts_after_a_repair_request(judged):
    safety, _ = judged("It is quite safe.", "Score: 6")
    assert safety["score"] == 6
