"""What of a work is masked before scores are asked a second time, as a judge at the other end of a socket sees it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from fake_server import Asked, FakeServer, Step, chat
from scripted_judge import quote_of, read_prompt, reply_text

from contract.doors import run_here
from contract.goldens import compare, compare_json
from contract.screening.texts import LEFT, MASKED, PLAIN, WORK

HERE = Path(__file__).parent


class Seen:
    """A judge that gives 8 to everything and reports nothing; what it was shown, by the beginning of the work."""

    def __init__(self) -> None:
        self.masked: dict[str, list[str]] = {}
        self.asked: dict[str, int] = {}
        self.flags = 0

    def answer(self, asked: Asked) -> Step:
        prompt = read_prompt(asked.body)
        name = prompt.work.split("\n", 1)[0]
        self.asked[name] = self.asked.get(name, 0) + 1
        if prompt.masked:
            self.masked.setdefault(name, []).append(prompt.work)
        return chat(reply_text(prompt))


@pytest.fixture
def judge() -> Iterator[tuple[Seen, FakeServer]]:
    seen = Seen()
    with FakeServer() as server:
        server.answer = seen.answer
        yield seen, server


def cards(server: FakeServer, folder: Path, lines: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The scorecards of outputs, judged in one command."""
    (folder / "many.jsonl").write_text("\n".join(map(json.dumps, lines)) + "\n", encoding="utf-8")
    arguments = ["judge", "many.jsonl", "--judge", "openai:one", "--base-url", server.url, "--store", "none"]
    ran = run_here(*arguments, "-f", "jsonl", cwd=folder, environment={"OPENAI_API_KEY": "a-key-for-tests"})
    assert ran.out, ran.err
    return [json.loads(line) for line in ran.out.splitlines()]


def about(name: str, text: str) -> dict[str, Any]:
    return {"id": name.replace(" ", "-"), "output": f"{name}\n\n{WORK.format(text)}"}


def test_each_disguise_is_masked_and_nothing_else(judge: tuple[Seen, FakeServer], tmp_path: Path):
    """The whole of each masked work is in the golden file: every sign that is masked, and every one that is not."""
    seen, server = judge
    found = cards(server, tmp_path, [about(name, text) for name, text in MASKED.items()])
    assert [name for name in MASKED if name not in seen.masked] == []
    assert all(seen.asked[name] == 3 for name in MASKED)  # flags, scores as written, scores with it masked
    head, tail = (part.strip() for part in WORK.split("{}"))
    shown = {}
    for name in MASKED:
        [work] = seen.masked[name]
        assert head in work and tail in work, f"{name}: more than the passage is masked"
        shown[name] = work.partition(head)[2].rpartition(tail)[0].strip()
    compare_json(HERE / "golden" / "masked.json", shown)
    warnings = "\n".join(f"{card['id']}: {'; '.join(card['warnings'])}" for card in found)
    compare(HERE / "golden" / "warnings.txt", warnings + "\n")


def test_innocent_texts_are_left_as_they_are(judge: tuple[Seen, FakeServer], tmp_path: Path):
    """Two calls each, and no warning."""
    seen, server = judge
    found = cards(server, tmp_path, [about(name, text) for name, text in LEFT.items()])
    assert seen.masked == {}
    assert seen.asked == dict.fromkeys(LEFT, 2)
    assert [card["warnings"] for card in found if card["warnings"]] == []


def test_more_than_half_masked_is_unscored(judge: tuple[Seen, FakeServer], tmp_path: Path):
    """Too little is left to judge."""
    [card] = cards(server := judge[1], tmp_path, [{"id": "a", "output": f"{PLAIN}\n\nThe disk was full."}])
    assert server.count == 1
    reasons = {line["unscored"] for line in card["dimensions"].values()}
    assert reasons == {"more than half of the work speaks to whoever grades it, and too little is left to judge"}


@pytest.mark.parametrize("role", ["tool", "user", "assistant"])
def test_what_others_wrote_counts_masked(judge: tuple[Seen, FakeServer], tmp_path: Path, role: str):
    """Of a tool's result the judge gives scores for the masked form alone; of the agent's own words for both."""
    seen, server = judge
    call = {"id": "c1", "type": "function", "function": {"name": "fetch", "arguments": "{}"}}
    said = f"The page of the carrier.\n\n{PLAIN}\n\nIt was changed on Monday."
    messages: list[dict[str, Any]] = [
        {"role": "user", "content": "Why did the export fail?"},
        {"role": "assistant", "content": "I look at the page.", "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "c1", "content": said if role == "tool" else "Nothing new."},
        *([{"role": "user", "content": said}] if role == "user" else []),
        *([{"role": "assistant", "content": said}] if role == "assistant" else []),
        {"role": "assistant", "content": WORK.format("That is all that can be said of it.")},
    ]
    (tmp_path / "run.json").write_text(json.dumps({"messages": messages}), encoding="utf-8")
    arguments = ["judge", "run.json", "--judge", "openai:one", "--base-url", server.url, "--store", "none"]
    ran = run_here(*arguments, "-f", "json", cwd=tmp_path, environment={"OPENAI_API_KEY": "a-key-for-tests"})
    assert ran.code == 0, ran.err
    card = json.loads(ran.out)
    [influence] = card["panel"]["influence"]
    works = [work for shown in seen.masked.values() for work in shown]
    assert len(works) == 1 and PLAIN not in works[0] and "The disk" not in works[0].partition("\n")[0]
    assert influence["counts"] == ("first" if role == "assistant" else "masked")
    assert server.count == (3 if role == "assistant" else 2)
    assert quote_of(works[0])
