"""Outputs compared in pairs: what counts as a preference, what does not, and the order that follows."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from fake_server import Asked, FakeServer, Step, chat

from contract.core.test_pages import HERE
from contract.core.test_panels import _HASH
from contract.doors import run_here
from contract.goldens import compare
from contract.pages import as_shown, fits_its_schema, steady

_PAIR = re.compile(r"<<<first (\w+)\n(.*?)\nfirst \1>>>.*<<<second \1\n(.*?)\nsecond \1>>>", re.S)
OUTPUTS = {
    "one": [
        "value 3: it waits for the check",
        "value 2: it restarts at once",
        "value 5: it rolls back",
        "value 1: odd",
    ],
    "two": [
        "value 1: it only restarts itself",
        "value 2: it restarts soon",
        "value 4: it rolls forward",
        "value 3: ok",
    ],
    "three": ["value 2: it waits a little while", "value 9: it asks a person", "value 1: it gives up", "value 2: even"],
}


def reply(asked: Asked) -> Step:
    """Each judge in its way: by the value, always the first, without a true quote, or not at all."""
    pair = _PAIR.search(asked.body["messages"][1]["content"])
    assert pair is not None
    nonce, first, second = (part.strip() for part in pair.groups())
    values = [int(re.search(r"value (\d)", text)[1]) for text in (first, second)]  # type: ignore[index]
    judge = asked.body["model"]
    if judge == "silent" and "odd" in first + second:
        return chat("I cannot say.")
    verdict = "tie" if values[0] == values[1] else "first" if values[0] > values[1] else "second"
    if judge == "biased" and abs(values[0] - values[1]) < 3:
        verdict = "first"
    quotes = [text.splitlines()[0] for text in (first, second)]
    if judge == "inventive" and 5 in values:
        quotes[0] = "what no one ever wrote"
    said = {
        "first_quotes": quotes[:1],
        "second_quotes": quotes[1:],
        "justification": f"{judge} weighs.",
        "verdict": verdict,
    }
    return chat(json.dumps({"reply_to": nonce, **said}))


@pytest.mark.parametrize("judge", ["fair", "biased", "inventive", "silent"])
def test_pairs(judge: str, tmp_path: Path, fake_server: FakeServer):
    """Three versions of four outputs, each with each; then two of them."""
    fake_server.answer = reply
    for name, outputs in OUTPUTS.items():
        lines = [json.dumps({"id": f"case-{place}", "task": f"task {place}", "output": f"{text}\nand more of {name}."})
                 for place, text in enumerate(outputs)]  # fmt: skip
        (tmp_path / f"{name}.jsonl").write_text("\n".join(lines) + "\n")
    asks = f"--judge openai:{judge} --base-url {fake_server.url} --set judge.replies=replies.db"
    shown = []
    for line in (
        f"better --side-by-side one.jsonl two.jsonl three.jsonl {asks} --format json",
        f"better --side-by-side one.jsonl two.jsonl three.jsonl {asks}",
        f"better --side-by-side one.jsonl two.jsonl {asks} --format markdown",
    ):
        ran = run_here(*line.split(), cwd=tmp_path, environment={"OPENAI_API_KEY": "a-key-for-tests-only"})
        fits_its_schema(ran.out)
        shown.append(as_shown(line.partition(" --base-url")[0], ran, hidden=False))
    text = _HASH.sub("<hash>", steady("\n".join(shown), tmp_path)).replace(f":{fake_server.port}", ":<port>")
    compare(HERE / "golden" / f"pairs-{judge}.txt", text)
