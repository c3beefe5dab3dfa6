"""evenhand judge on a model that keeps to no form: what is read all the same, and when the run stops paying for it."""

from __future__ import annotations

import json
import re
from collections.abc import Callable

import pytest
from fake_server import Asked, Step, chat
from scripted_judge import answer, read_prompt, reply_text

from test_model_judging import ANSWER, KEY, cards_in, models, write_many


def python_literals(text: str) -> str:
    return repr(json.loads(text))


SLIPS: dict[str, Callable[[str], str]] = {
    "a trailing comma": lambda text: re.sub(r"(?<=[^\[])(?=[\]}])", ",", text),
    "a comment": lambda text: text.replace("{", "{ // as asked\n", 1),
    "Python literals in single quotes": python_literals,
    "a line break in a text": lambda text: text.replace("It does what", "It does\nwhat"),
    "quotation marks in a text": lambda text: text.replace("It does what was asked", 'It does "what was" asked'),
    "a fence": lambda text: f"Here it is:\n\n```json\n{text}\n```",
    "a wrapper": lambda text: json.dumps({"result": {"answer": json.loads(text)}}),
    "the arguments of a call": lambda text: json.dumps({"name": "answer", "arguments": text}),
    "thoughts before it": lambda text: f'<think>Perhaps {{"score": 3}}?</think>\n{text}',
}


@pytest.mark.slow
@pytest.mark.parametrize("slip", SLIPS)
def test_a_slip_that_is_always_made_costs_no_further_call(evenhand_command, fake_server, tmp_path, slip):
    """Two calls, all seven scores."""
    (tmp_path / "answer.md").write_text(ANSWER)
    fake_server.answer = lambda asked: chat(SLIPS[slip](reply_text(read_prompt(asked.body))))
    done = evenhand_command("judge", "answer.md", *models(fake_server), "-f", "json", OPENAI_API_KEY=KEY)
    assert (done.code, json.loads(done.out)["final"], fake_server.count) == (0, 8, 2), done.err


@pytest.mark.slow
@pytest.mark.parametrize("reply", ["All in all a fine piece of work.", '{"scores": [{"dimension": "safety", "score": '])
def test_a_model_that_cannot_be_read_stops_the_run_after_three_outputs(evenhand_command, fake_server, tmp_path, reply):
    """At most two calls an output, and what to change; with a model that can be read the run goes on where it was."""
    write_many(tmp_path, 6)
    run = ["judge", "many.jsonl", *models(fake_server), "-f", "jsonl"]

    def unreadable(asked: Asked) -> Step:
        return chat(reply)

    fake_server.answer = unreadable
    done = evenhand_command(*run, OPENAI_API_KEY=KEY)
    assert done.code == 3 and fake_server.count <= 2 * 3
    assert "no reply of openai:one could be read for 3 outputs in a row" in done.err
    assert "take a model that keeps to a JSON schema" in done.err
    fake_server.answer = answer
    again = evenhand_command(*run, "--set", "judge.fresh=true", OPENAI_API_KEY=KEY)
    assert (again.code, [card["final"] for card in cards_in(again)]) == (0, [8] * 6), again.err
