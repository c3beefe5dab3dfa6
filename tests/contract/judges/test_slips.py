"""Slips that models make in every reply: read without a further call, unless a value could be changed by it."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from fake_server import Asked, FakeServer, Step, chat
from scripted_judge import read_prompt, reply_text

from contract.doors import run_here
from contract.goldens import compare_json

HERE = Path(__file__).parent
OUTPUT = 'The export failed because the disk of host a was full.\nRun "make export" again, and don\'t wait for October.'


def wrapped(*keys: str) -> Callable[[str], str]:
    def change(text: str) -> str:
        value = json.loads(text)
        for key in keys:
            value = {key: value}
        return json.dumps(value)

    return change


READ: dict[str, Callable[[str], str]] = {
    "a trailing comma": lambda text: re.sub(r"(?<=[^\[])(?=[\]}])", ",", text),
    "comments": lambda text: text.replace("{", "{ // as asked\n", 1).replace('"scores":', '/* my\n view */ "scores":'),
    "Python": lambda text: repr(json.loads(text) | {"done": True, "more": None}),
    "quotation marks in a text": lambda text: text.replace("It does what was asked", 'It does "what was" asked'),
    "a raw newline": lambda text: text.replace("It does what", "It does\nwhat\tand"),
    "a fence": lambda text: f"```json\n{text}\n```",
    "a fence of its own": lambda text: f"Here it is:\n\n~~~\n{text}\n~~~\nThat is all.",
    "words around it": lambda text: f"Certainly! {text} I hope that helps.",
    "thoughts": lambda text: '<think>{"scores": [{"dimension": "safety", "score": 2}]}</think>' + text,
    "a wrapper": wrapped("answer"),
    "two wrappers": wrapped("answer", "result"),
    "a tool's arguments": lambda text: json.dumps({"name": "answer", "arguments": json.loads(text)}),
    "a tool's arguments as text": lambda text: json.dumps({"name": "answer", "arguments": text}),
    "the same twice": lambda text: f"{text}\n\n{text}",
    "scores as texts": lambda text: text.replace('"score": 8', '"score": "8/10"'),
    "scores out of ten": lambda text: text.replace('"score": 8', '"score": "8 out of 10"'),
    "colons and commas of a Chinese keyboard": lambda text: re.sub(r'(?<=[\]}"])[:,](?= )', _wide, text),
    "keys without quotes": lambda text: re.sub(r'"(\w+)":', r"\1:", text),
    "a list of one": lambda text: f"[{text}]",
    "a text in JSON": json.dumps,
    "a byte order mark": lambda text: f"\ufeff{text}\u200b",
    "hard spaces": lambda text: json.dumps(json.loads(text), indent=2).replace("  ", "\u00a0\u00a0"),
    "thoughts without a beginning": lambda text: 'I weigh {"score": 2} first.\n</think>\n' + text,
    "braces in words around it": lambda text: f"The set {{a, b}} matters.\n{text}\nIn {{braces}} I found no more.",
    "scores by name": lambda text: json.dumps(json.loads(text) | _by_name(json.loads(text))),
    "bands as lists": lambda text: text.replace('"band": "7-8"', '"band": [7, 8]'),
    "typographic quotes": lambda text: text.replace('"', "\u201c", 1).replace('"', "\u201d", 1),
}
"""Nothing is asked again for any of these."""
NOT_READ: dict[str, Callable[[str], str]] = {
    "cut off in a score": lambda text: text[: text.rfind('"score": ') + 9] if "score" in text else text,
    "two that differ": lambda text: f"{text}\n{text.replace(': 8', ': 3').replace('[]', '[{}]')}",
    "a key twice": lambda text: text.replace('"score": 8', '"score": 8, "score": 3'),
    "off the scale": lambda text: text.replace('"score": 8', '"score": 42'),
    "off its band": lambda text: text.replace('"band": "7-8"', '"band": "1-2"'),
    "another code": lambda text: text.replace('"reply_to": "', '"reply_to": "0'),
    "prose": lambda text: "A fine piece of work, which I would give 2 out of 10.",
    "a score in words": lambda text: text.replace('"score": 8', '"score": "eight"'),
    "another scale": lambda text: text.replace('"score": 8', '"score": "85 of 100"'),
    "a share": lambda text: text.replace('"score": 8', '"score": "80%"'),
    "five for the best": lambda text: text.replace('"score": 8', '"score": "8/5"'),
    "a range": lambda text: text.replace('"score": 8', '"score": "7-8"'),
    "a sum": lambda text: text.replace('"score": 8', '"score": 7+1'),
    "not a number": lambda text: text.replace('"score": 8', '"score": NaN'),
    "no flags": lambda text: (
        json.dumps({key: value for key, value in json.loads(text).items() if key != "red_flags"})
        if "scores" not in json.loads(text)
        else text
    ),
    "no quotes": lambda text: re.sub(r'"quotes": \[[^\]]*\]', '"quotes": []', text),
    "quotes that are not there": lambda text: text.replace("The export failed", "The import failed"),
}
"""Asked again once, with the exact problem; then unscored."""


def _wide(sign: re.Match[str]) -> str:
    return {":": "\uff1a", ",": "\uff0c"}[sign[0]]


def _by_name(value: dict[str, Any]) -> dict[str, Any]:
    if not isinstance(value.get("scores"), list):
        return {}
    return {"scores": {entry["dimension"]: entry for entry in value["scores"]}}


def judged(folder: Path, server: FakeServer, change: Callable[[str], str], *options: str) -> dict[str, Any]:
    (folder / "out.md").write_text(OUTPUT, encoding="utf-8")

    def answer(asked: Asked) -> Step:
        return chat(change(reply_text(read_prompt(asked.body))))

    server.answer = answer
    arguments = ["judge", "out.md", "--judge", "openai:one", "--base-url", server.url, "--store", "none", "-f", "json"]
    ran = run_here(*arguments, *options, cwd=folder, environment={"OPENAI_API_KEY": "a-key-for-tests"})
    assert ran.out, ran.err
    card: dict[str, Any] = json.loads(ran.out)
    return card


@pytest.mark.parametrize("name", READ)
def test_a_slip_costs_nothing(name: str, tmp_path: Path, fake_server: FakeServer):
    """Two calls, seven scores, every quote found."""
    card = judged(tmp_path, fake_server, READ[name])
    assert {line["score"] for line in card["dimensions"].values()} == {8}
    assert all(quote["verified"] for line in card["dimensions"].values() for quote in line["evidence"])
    assert fake_server.count == 2


@pytest.mark.parametrize("name", NOT_READ)
def test_what_could_change_a_value_is_not_read(name: str, tmp_path: Path, fake_server: FakeServer):
    """No score, why, and what the second question says of the first reply."""
    card = judged(tmp_path, fake_server, NOT_READ[name])
    scores = {line["score"] for line in card["dimensions"].values()}
    assert scores == {8} if name == "no flags" else scores <= {None, 8} and None in scores
    assert fake_server.count <= 4
    shown = {
        "unscored": sorted({line["unscored"] for line in card["dimensions"].values() if line.get("unscored")}),
        "calls": fake_server.count,
        "again": [asked.body["messages"][-1]["content"].split("\n")[0] for asked in fake_server.asked
                  if len(asked.body["messages"]) > 2],
    }  # fmt: skip
    text = json.dumps(shown, ensure_ascii=False)
    for asked in fake_server.asked:
        text = text.replace(read_prompt(asked.body).nonce, "NONCE")
    compare_json(HERE / "golden" / f"not-read-{name.replace(' ', '-')}.json", json.loads(text))


@pytest.mark.parametrize("reply", ["I would give it 2 out of 10.", '{} {"a": 1}', '{"scores": [{"score": '])
def test_a_model_that_cannot_be_read_stops_the_run_after_three_outputs(
    reply: str, tmp_path: Path, fake_server: FakeServer
):
    """At most two calls each, and what to change is said; with one that can be read the run goes on."""
    lines = [json.dumps({"id": f"case-{number}", "output": f"{OUTPUT} {number}"}) for number in range(6)]
    (tmp_path / "many.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
    fake_server.answer = lambda asked: chat(reply)
    run = ["judge", "many.jsonl", "--judge", "openai:one", "--base-url", fake_server.url, "-f", "jsonl"]
    ran = run_here(*run, cwd=tmp_path, environment={"OPENAI_API_KEY": "a-key-for-tests"})
    assert ran.code == 3 and fake_server.count <= 6
    assert "no reply of openai:one could be read for 3 outputs in a row" in ran.err
    assert "take a model that keeps to a JSON schema" in ran.err
    fake_server.answer = lambda asked: chat(reply_text(read_prompt(asked.body)))
    ran = run_here(*run, "--set", "judge.fresh=true", cwd=tmp_path, environment={"OPENAI_API_KEY": "a-key-for-tests"})
    assert [json.loads(line)["final"] for line in ran.out.splitlines()] == [8] * 6


def test_thorough_asks_one_question_a_call(tmp_path: Path, fake_server: FakeServer):
    """Flags, then each of the seven dimensions."""
    card = judged(tmp_path, fake_server, lambda text: text, "--set", "judge.thorough=true")
    assert {line["score"] for line in card["dimensions"].values()} == {8}
    asked = [read_prompt(one.body) for one in fake_server.asked]
    assert sorted(len(prompt.dimensions) for prompt in asked) == [0, 1, 1, 1, 1, 1, 1, 1]


def test_a_missing_quote_costs_one_more_call(tmp_path: Path, fake_server: FakeServer):
    """Only about the dimension that lacks one."""
    first = iter([True])

    def change(text: str) -> str:
        value = json.loads(text)
        if "scores" in value and next(first, False):
            value["scores"][0]["quotes"] = []
        return json.dumps(value)

    card = judged(tmp_path, fake_server, change)
    assert {line["score"] for line in card["dimensions"].values()} == {8}
    assert fake_server.count == 3
    assert len(read_prompt(fake_server.asked[-1].body).dimensions) == 1


def test_one_question_is_paid_for_once(tmp_path: Path, fake_server: FakeServer):
    """Four outputs that are alike, asked about at once; and all of them again."""
    lines = [json.dumps({"id": f"case-{number}", "output": OUTPUT}) for number in range(4)]
    (tmp_path / "many.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
    fake_server.answer = lambda asked: chat(reply_text(read_prompt(asked.body)))
    run = ["judge", "many.jsonl", "--judge", "openai:one", "--base-url", fake_server.url, "-f", "jsonl"]
    for _ in range(2):
        ran = run_here(*run, cwd=tmp_path, environment={"OPENAI_API_KEY": "a-key-for-tests"})
        assert [json.loads(line)["final"] for line in ran.out.splitlines()] == [8] * 4, ran.err
        assert fake_server.count == 2
    ran = run_here(*run, "--set", "judge.fresh=true", cwd=tmp_path, environment={"OPENAI_API_KEY": "a-key-for-tests"})
    assert ran.code == 0 and fake_server.count == 10
