"""What a judgement by a model costs: calls, tokens and money beside one bare structured call, and beside its own plan.

python benchmarks/judge_cost.py [--works 4]

The command asks a scripted model on a real socket. The server counts tokens with a real tokenizer, that of SmolLM2 by
llama.cpp, and has a cache as hosted services have it: of what a request begins with, it has seen what an earlier
request had in common with it whose reply was sent before this one came, from 1,024 tokens on, in steps of 128.

"Bare" is one call with a short instruction, the same rubric, task and work, that asks for seven scores with reasons and
quotes and for the red flags and bonuses. Prices are those of a model at $2 in, $10 out and $0.20 cached.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request
from decimal import Decimal
from functools import lru_cache
from os.path import commonprefix
from pathlib import Path
from typing import Any, NamedTuple

from measuring import EVENHAND, PROJECT, table, verdict

sys.path.insert(0, str(PROJECT / "tests" / "support"))

import order_texts  # noqa: E402
from fake_server import Asked, FakeServer, Step, chat  # noqa: E402
from prompt_cache import llama_server  # noqa: E402
from scripted_judge import read_prompt, reply_text  # noqa: E402

from evenhand.questions.prompt import rubric_text  # noqa: E402
from evenhand.rubrics.library import load_rubric  # noqa: E402

READ, WRITTEN, CACHED = Decimal(2), Decimal(10), Decimal("0.20")
SETTINGS = f"[judges.near]\nprice_input = {READ}\nprice_output = {WRITTEN}\nprice_cached = {CACHED}\nmodel = 'm'\n"
LEAST, STEP = 1_024, 128
DELAY = 0.2
WAYS = (("default", ()), ("--thorough", ("--thorough",)), ("--criteria", ()))
BARE = "You judge work by a rubric. Answer with one JSON object and nothing else."
ASKED = (
    'Give {"scores": {dimension: {"score": 1 to 10, "justification": one or two sentences, "quotes": [...]}}, '
    '"red_flags": [{"id", "quotes", "explanation"}], "bonuses": [{"id", "quotes", "explanation"}]}.'
)


class Spent(NamedTuple):
    """What some calls took."""

    calls: int
    read: int
    cached: int
    written: int

    @property
    def dollars(self) -> Decimal:
        return (READ * (self.read - self.cached) + CACHED * self.cached + WRITTEN * self.written) / 1_000_000


class CachingServer:
    """A model server that counts tokens and remembers beginnings."""

    def __init__(self, tokenizer: str) -> None:
        self._tokenizer = tokenizer
        self._seen: list[tuple[float, str]] = []
        self._changing = threading.Lock()
        self.spent = Spent(0, 0, 0, 0)

    def answer(self, asked: Asked) -> Step:
        now = time.monotonic()
        text = "\n".join(message["content"] for message in asked.body["messages"])
        reply = reply_text(read_prompt(asked.body))
        with self._changing:
            shared = max((commonprefix((text, old)) for sent, old in self._seen if sent <= now), key=len, default="")
            cached = self.count(shared) // STEP * STEP
            cached = cached if cached >= LEAST else 0
            read, written = self.count(text), self.count(reply)
            self._seen.append((now + DELAY, text))
            calls, *rest = self.spent
            self.spent = Spent(calls + 1, rest[0] + read, rest[1] + cached, rest[2] + written)
        return chat(reply, tokens=(read, written), cached=cached)._replace(delay=DELAY)

    @lru_cache(maxsize=4_096)  # noqa: B019 (one server a run)
    def count(self, text: str) -> int:
        """The tokens of a text."""
        body = json.dumps({"content": text}).encode()
        request = urllib.request.Request(f"{self._tokenizer}/tokenize", body, {"Content-Type": "application/json"})
        with urllib.request.urlopen(request, timeout=60) as reply:
            return len(json.load(reply)["tokens"])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--works", type=int, default=4, help="outputs of about 2 kB")
    works = _works(parser.parse_args().works)
    tokenizer = llama_server(None, 512)
    counting = CachingServer(tokenizer.listening_address)
    bare = _bare(counting, works)
    rows, plans = [_row("one bare call", bare, bare, len(works), "")], []
    for name, options in WAYS[:2]:
        spent, plan = _judged(tokenizer.listening_address, works, options)
        times, dearer = Decimal(spent.read) / bare.read, spent.dollars / bare.dollars
        good = (
            times <= Decimal("2.2") and dearer <= Decimal("1.55")
            if name == "default"
            else Decimal(spent.cached) >= Decimal("0.75") * spent.read
        )
        rows.append(_row(name, spent, bare, len(works), verdict(good)))
        near = all(
            abs(planned - really) <= Decimal("0.15") * really
            for planned, really in ((plan["input_tokens"], spent.read), (plan["cached_tokens"], spent.cached))
        )
        plans.append(
            (
                name,
                f"{plan['calls']} / {spent.calls}",
                f"{plan['input_tokens']:,} / {spent.read:,}",
                f"{plan['cached_tokens']:,} / {spent.cached:,}",
                verdict(near and plan["calls"] == spent.calls),
            )
        )
    print(f"{len(works)} outputs of about 2 kB, the default rubric, one call at a time in each; per output:\n")
    print(table(("", "calls", "tokens read", "times bare", "cached", "cost", "times bare", ""), rows))
    print("\ntargets: default at most 2.2 times the tokens and about 1.5 times the cost; --thorough 75 % cached\n")
    print(table(("--dry-run / what happened", "calls", "tokens read", "cached", ""), plans))
    print("\ntarget: within 15 %")


def _row(name: str, spent: Spent, bare: Spent, works: int, reached: str) -> tuple[str, ...]:
    return (
        name,
        f"{spent.calls / works:g}",
        f"{spent.read / works:,.0f}",
        f"{spent.read / bare.read:.2f}",
        f"{spent.cached / spent.read:.0%}",
        f"${spent.dollars / works:.4f}",
        f"{spent.dollars / bare.dollars:.2f}",
        reached,
    )


def _bare(counting: CachingServer, works: list[dict[str, Any]]) -> Spent:
    """One call an output. The reply has what both of ours have."""
    rubric = rubric_text(load_rubric("default"))
    read = written = 0
    for work in works:
        read += counting.count(f"{BARE}\n{rubric}\n\nTask: {work['task']}\n\nWork:\n{work['output']}\n\n{ASKED}")
        quote = work["output"].splitlines()[0]
        scored = {"score": 8, "justification": "It does what was asked.", "quotes": [quote]}
        names = load_rubric("default").weights
        written += counting.count(json.dumps({"scores": dict.fromkeys(names, scored), "red_flags": [], "bonuses": []}))
    # What all calls share is the rubric: from the second on, the server has seen it.
    shared = counting.count(f"{BARE}\n{rubric}") // STEP * STEP
    return Spent(len(works), read, shared * (len(works) - 1), written)


def _judged(tokenizer: str, works: list[dict[str, Any]], options: tuple[str, ...]) -> tuple[Spent, dict[str, Any]]:
    """What judging took, and what was planned."""
    counting = CachingServer(tokenizer)
    with FakeServer() as server, tempfile.TemporaryDirectory() as name:
        server.answer = counting.answer
        folder = Path(name)
        (folder / "evenhand.toml").write_text(f'{SETTINGS}base_url = "{server.url}"\n', encoding="utf-8")
        lines = [json.dumps(work) for work in works]
        (folder / "works.jsonl").write_text("\n".join(lines), encoding="utf-8")
        command = [str(EVENHAND), "judge", "works.jsonl", "--judge", "near", "--rubric", "default", *options]
        planned = _run([*command, "--dry-run", "--format", "json"], folder)
        _run([*command, "--format", "jsonl"], folder)
        return counting.spent, json.loads(planned)


def _run(command: list[str], folder: Path) -> str:
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False, env=dict(os.environ))
    if done.returncode:
        sys.exit(done.stderr)
    return done.stdout


def _works(count: int) -> list[dict[str, Any]]:
    """Outputs of about 2 kB, each of several of the honest works with its own number."""
    joined = "\n\n".join(work for _, work in order_texts.WORKS)
    return [
        {"id": f"work-{number}", "task": order_texts.WORKS[number % 5][0], "output": f"Answer {number}.\n\n{joined}"}
        for number in range(count)
    ]


if __name__ == "__main__":
    main()
