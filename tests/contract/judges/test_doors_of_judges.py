"""What a judge is shown of a long work, what several judges make of one, and how sure a model was: golden files."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from fake_server import Asked, FakeServer, Step, chat
from scripted_judge import in_form, quote_of, read_prompt, reply_text, scored

from contract.doors import run_here
from contract.goldens import compare, compare_json

HERE = Path(__file__).parent
OUTPUT = (
    "The export failed because the disk of host a was full.\n\nRemove what is older than a week, then run it again."
)


def judged(
    folder: Path, server: FakeServer, answer: Callable[[Asked], Step], *options: str, settings: str = "", file: str = ""
) -> dict[str, Any]:
    """The scorecard of an output, or of another file."""
    (folder / "out.md").write_text(OUTPUT, encoding="utf-8")
    table = f'[judges.near]\nbase_url = "{server.url}"\n{settings}\n[judges.far]\nbase_url = "{server.url}"\n'
    (folder / "evenhand.toml").write_text(table, encoding="utf-8")
    server.answer = answer
    ran = run_here("judge", file or "out.md", "--store", "none", "-f", "json", *options, cwd=folder)
    assert ran.out, ran.err
    return dict(json.loads(ran.out))


def transcript(folder: Path) -> str:
    """Forty calls, one of them failed, with results of growing length, and words of the agent between them."""
    messages: list[dict[str, Any]] = [{"role": "user", "content": "Why did the export fail?"}]
    for number in range(40):
        function = {"name": "run" if number % 3 else "read_file", "arguments": json.dumps({"command": f"ls {number}"})}
        call = {"id": f"c{number}", "type": "function", "function": function}
        lines = "\n".join(f"line {line} of result {number}" for line in range(1 + number * 2))
        result = f"Error: no such file {number}\n{lines}" if number == 17 else lines
        messages += [
            {"role": "assistant", "content": f"Step {number}: I look at part {number}.", "tool_calls": [call]},
            {"role": "tool", "tool_call_id": f"c{number}", "content": result},
        ]
    messages.append({"role": "assistant", "content": OUTPUT})
    (folder / "run.json").write_text(json.dumps({"messages": messages}), encoding="utf-8")
    return "run.json"


@pytest.mark.parametrize("window", [7_000, 9_000, 14_000])
def test_a_work_is_shortened_to_the_window(window: int, tmp_path: Path, fake_server: FakeServer):
    """Output first, then failures, the ends, calls before results; what is left out is marked in its place."""

    def answer(asked: Asked) -> Step:
        return chat(reply_text(read_prompt(asked.body)))

    settings = f"window = {window}\nmax_tokens = 1000"
    card = judged(tmp_path, fake_server, answer, "--judge", "near:m", settings=settings, file=transcript(tmp_path))
    shown = read_prompt(fake_server.asked[0].body).work
    compare(HERE / "golden" / f"window-{window}.txt", shown + "\n")
    compare_json(HERE / "golden" / f"window-{window}.json", card["panel"]["condensed"])


@pytest.mark.parametrize("scores", [(8, 8), (8, 5), (9, None), (None, None)])
def test_two_judges(scores: tuple[int | None, ...], tmp_path: Path, fake_server: FakeServer):
    """The median of each dimension, its spread, and who gave none."""

    def answer(asked: Asked) -> Step:
        score = scores[0] if asked.body["model"] == "one" else scores[1]
        return chat("No.") if score is None else chat(reply_text(read_prompt(asked.body), score=score))

    card = judged(tmp_path, fake_server, answer, "--judge", "near:one", "--judge", "far:two")
    panel = card["panel"]
    shown = {
        "final": card["final"],
        "dimensions": {
            name: {key: line[key] for key in ("score", "unscored", "spread") if key in line}
            for name, line in card["dimensions"].items()
        },
        "members": [{key: one[key] for key in ("scores", "abstained") if key in one} for one in panel["members"]],
        "agreement": panel.get("agreement"),
        "warnings": card["warnings"],
    }
    compare_json(HERE / "golden" / f"panel-{'-'.join(map(str, scores))}.json", shown)


SHARES = {
    "sure": {"8": 0.0},
    "between two": {"7": -0.9162907, "8": -0.5108256},
    "off its band": {"8": -0.2231436, "3": -1.6094379},
    "on no score": {"8": -1.6094379, "maybe": -0.2231436},
    "in quotes": {'"8': -0.6931472, " 7": -0.6931472},
}


@pytest.mark.parametrize("name", SHARES)
def test_how_sure_a_model_was(name: str, tmp_path: Path, fake_server: FakeServer):
    """The probabilities at the score's token, as far as they are scores of its band."""

    def answer(asked: Asked) -> Step:
        text = reply_text(read_prompt(asked.body))
        step = chat(text)
        document = json.loads(step.body)
        pieces = text.replace('"score": 8', '"score": \0' + "8\0").split("\0")
        tokens = []
        for piece in pieces:
            spread = SHARES[name] if piece == "8" else {piece: 0.0}
            top = [{"token": token, "logprob": logarithm} for token, logarithm in spread.items()]
            tokens.append({"token": piece, "logprob": max(spread.values()), "top_logprobs": top})
        document["choices"][0]["logprobs"] = {"content": tokens}
        return step._replace(body=json.dumps(document).encode())

    card = judged(tmp_path, fake_server, answer, "--judge", "near:one")
    [member] = card["panel"]["members"]
    shown = {"score": card["dimensions"]["safety"]["score"], "distributions": member.get("distributions")}
    compare_json(HERE / "golden" / f"sure-{name.replace(' ', '-')}.json", shown)


@pytest.mark.parametrize("flags", [1, 2, 3])
def test_samples_are_pooled(flags: int, tmp_path: Path, fake_server: FakeServer):
    """Scores of three samples as their mean; a flag counts where more than half of them raise it."""

    def answer(asked: Asked) -> Step:
        prompt = read_prompt(asked.body)
        seed = asked.body["seed"]
        quotes = [quote_of(prompt.work)]
        entries = {name: scored((6, 7, 9)[seed], quotes) for name in prompt.dimensions}
        raised = {prompt.red_flags[0]: {"quotes": quotes, "explanation": "Seen."}} if seed < flags else {}
        return chat(json.dumps(in_form(prompt, entries, raised if prompt.flags else {})))

    card = judged(tmp_path, fake_server, answer, "--judge", "near:one", "--set", "judge.samples=3")
    assert {line["score"] for line in card["dimensions"].values()} == {7.33}  # (6 + 7 + 9) / 3
    assert bool(card["red_flags"]) is (flags > 1)
    assert fake_server.count == 6
