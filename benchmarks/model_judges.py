"""Whole judgements by a model, 64 calls in flight: ours beside bare aiohttp; memory; a faulty server.

python benchmarks/model_judges.py                 500 submissions, two calls each, a server that takes 50 ms
python benchmarks/model_judges.py --against TREE  the same beside an earlier checkout of evenhand in the folder TREE
python benchmarks/model_judges.py --memory        peak memory for 5,000 and for 50,000 submissions
python benchmarks/model_judges.py --faults        2,000 submissions; one reply in ten malformed, one in twenty an error

"Ours" reads the submissions, asks, reads the replies, verifies the quotes, scores, and stores replies and
evaluations. "Bare" only sends the same requests and decodes the replies. Neither counts its own start-up.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import resource
import subprocess
import sys
import tempfile
import time
from collections import Counter
from itertools import islice
from pathlib import Path
from statistics import median
from typing import Any

from measuring import PROJECT, PYTHON, table, verdict

sys.path.insert(0, str(PROJECT / "tests" / "support"))

IN_FLIGHT = 64
DELAY = 0.05
MOST_TIMES = 1.3
"""The wall time of our run, by that of the bare one."""
EARLIER = "earlier"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--memory", action="store_true")
    parser.add_argument("--faults", action="store_true")
    parser.add_argument("--against", type=Path, metavar="TREE", help="an earlier checkout, measured beside this one")
    parser.add_argument("--submissions", type=int, default=500)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--child", nargs=3, metavar=("WHAT", "ADDRESS", "FILE"), help=argparse.SUPPRESS)
    parser.add_argument("--serve", metavar="WHAT", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.serve:
        _serve(options.serve)
    elif options.child:
        _child(*options.child)
    elif options.memory:
        _memory()
    elif options.faults:
        _faults(2000 if options.submissions == 500 else options.submissions)
    else:
        _speed(options.submissions, options.rounds, options.against)


def _speed(count: int, rounds: int, against: Path | None) -> None:
    names = {"bare": "bare aiohttp", "ours": "evenhand"}
    names |= {EARLIER: f"evenhand in {against}"} if against else {}
    taken: dict[str, list[dict[str, Any]]] = {what: [] for what in names}
    with tempfile.TemporaryDirectory() as folder, _Server("speed") as address:
        file = _submissions(Path(folder), count)
        for _ in range(rounds):
            for what, runs in taken.items():
                runs.append(_run(what, address, file, against if what == EARLIER else None))
    print(f"{count} submissions, two calls each, {IN_FLIGHT} in flight, a server that takes {DELAY * 1000:.0f} ms\n")
    rows = [_speed_row(names[what], runs, taken["bare"], count, target=what == "ours") for what, runs in taken.items()]
    print(table(("", "wall time", "times bare", "processor time an output", ""), rows))
    print(f"\ntarget: at most {MOST_TIMES:g} times the wall time of bare aiohttp")
    if against:
        ratio = median(run["cpu"] / beside["cpu"] for run, beside in zip(taken["ours"], taken[EARLIER], strict=True))
        print(f"processor time by that of {against}: {ratio:.2f} (at most 1: {verdict(round(ratio, 2) <= 1)})")


def _speed_row(
    name: str, runs: list[dict[str, Any]], bare: list[dict[str, Any]], count: int, *, target: bool
) -> tuple[str, ...]:
    wall = median(run["wall"] for run in runs)
    times = median(run["wall"] / beside["wall"] for run, beside in zip(runs, bare, strict=True))
    cpu = median(run["cpu"] for run in runs) / count * 1000
    reached = verdict(round(times, 2) <= MOST_TIMES) if target else ""
    return (name, f"{wall:.2f} s", f"{times:.2f}", f"{cpu:.2f} ms", reached)


def _memory() -> None:
    rows = []
    with tempfile.TemporaryDirectory() as folder, _Server("quick") as address:
        for count in (5_000, 50_000):
            ran = _run("ours", address, _submissions(Path(folder), count))
            rows.append((f"{count:,} submissions", f"{ran['peak'] / 1024:.0f} MiB", f"{ran['wall']:.0f} s"))
    print(table(("", "peak memory", "wall time"), rows))


def _faults(count: int) -> None:
    with tempfile.TemporaryDirectory() as folder, _Server("faults") as address:
        file = _submissions(Path(folder), count)
        ran = _run("ours", address, file)
    seen: dict[str, Any] = ran
    share = seen["scored"] / seen["dimensions"]
    rows = [
        ("submissions", f"{count:,}", ""),
        ("dimensions scored", f"{share:.3%}", verdict(share >= 0.995)),
        ("wrong scores", f"{seen['wrong']:,}", verdict(seen["wrong"] == 0)),
    ]
    print("one reply in ten malformed (cut, prose, off the scale, empty), one in twenty HTTP 429 or 500\n")
    print(table(("", "", ""), rows))
    for reason, times in sorted(seen["reasons"].items(), key=lambda item: -item[1]):
        print(f"  unscored {times:4} times: {reason}")


# --- the clients, each in a process of its own


def _run(what: str, address: str, file: Path, tree: Path | None = None) -> dict[str, Any]:
    """One run in a process of its own, by the source of `tree` if one is given."""
    script = tree / "benchmarks" / Path(__file__).name if tree else Path(__file__)
    path = {"PYTHONPATH": os.pathsep.join((str(tree / "src"), str(tree / "tests")))} if tree else {}
    command = [PYTHON, str(script), "--child", "ours" if tree else what, address, str(file)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=os.environ | path)
    if done.returncode:
        sys.exit(done.stderr)
    measured: dict[str, Any] = json.loads(done.stdout)
    return measured


def _child(what: str, address: str, file: str) -> None:
    work = _bare if what == "bare" else _ours
    wall, cpu, found = work(address, Path(file))
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    print(json.dumps({"wall": wall, "cpu": cpu, "peak": peak, **found}))


def _ours(address: str, file: Path) -> tuple[float, float, dict[str, Any]]:
    from evenhand.judging.keeper import Keeper
    from evenhand.judging.panels.panel import OpenPanel
    from evenhand.judging.panels.panel_judging import PanelJudging
    from evenhand.judging.steps import Steps, read_submissions
    from evenhand.options.model_options import ModelOptions
    from evenhand.store import open_store

    os.environ["OPENAI_API_KEY"] = "a-key-for-benchmarks"
    warm = ModelOptions(base_url=address, replies=None)
    warming = PanelJudging(OpenPanel(["openai:stub"], warm), Steps("default"))
    list(warming.results(islice(read_submissions([str(file)]), 2)))
    with tempfile.TemporaryDirectory() as folder:
        store = open_store(f"{folder}/evaluations.db")
        options = ModelOptions(base_url=address, concurrency=IN_FLIGHT, replies=f"{folder}/replies.db")
        begun, used = time.perf_counter(), time.process_time()
        keeper = Keeper(store)
        panel = OpenPanel(["openai:stub"], options, secret=keeper.secret)
        dimensions = scored = wrong = 0
        reasons: Counter[str] = Counter()
        for card in PanelJudging(panel, Steps("default", keeper=keeper)).results(read_submissions([str(file)])):
            assert not isinstance(card, Exception), card
            for line in card.dimensions.values():
                dimensions += 1
                scored += line.score is not None
                wrong += line.score is not None and line.score != 8
                if line.unscored:
                    reasons[line.unscored] += 1
        wall, cpu = time.perf_counter() - begun, time.process_time() - used
        assert dimensions, panel.stopped
    return wall, cpu, {"dimensions": dimensions, "scored": scored, "wrong": wrong, "reasons": reasons}


def _bare(address: str, file: Path) -> tuple[float, float, dict[str, Any]]:
    import asyncio

    import aiohttp

    from evenhand.core.rules import DIMENSIONS
    from evenhand.judges.models.questions import prompt
    from evenhand.judges.models.questions.questions import questions
    from evenhand.judges.models.questions.reply_schema import schema
    from evenhand.judges.models.questions.shown_work import show
    from evenhand.judging.steps import read_submissions
    from evenhand.rubrics.library import load_rubric

    rubric = load_rubric("default")
    asked = questions(list(DIMENSIONS), "two", "")
    bodies = []
    for number, submission in enumerate(read_submissions([str(file)])):
        assert not isinstance(submission, Exception)
        nonce = f"{number:016x}"
        shown = show(submission, window_tokens=None)
        pair = []
        for question in asked:
            turns = [{"role": m.role, "content": m.content} for m in prompt.messages(rubric, shown, question, nonce)]
            form = {"name": "answer", "strict": True, "schema": schema(rubric, question, nonce, bounded=True)}
            kind = {"type": "json_schema", "json_schema": form}
            pair.append({"model": "stub", "messages": turns, "max_tokens": 2048, "response_format": kind})
        bodies.append(pair)

    async def ask() -> None:
        slots = asyncio.Semaphore(IN_FLIGHT)
        async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=0)) as session:

            async def one(pair: list[dict[str, Any]]) -> None:
                for body in pair:
                    async with slots, session.post(f"{address}/chat/completions", json=body) as response:
                        json.loads((await response.json())["choices"][0]["message"]["content"])

            await asyncio.gather(*map(one, bodies))

    begun, used = time.perf_counter(), time.process_time()
    asyncio.run(ask())
    return time.perf_counter() - begun, time.process_time() - used, {}


def _submissions(folder: Path, count: int) -> Path:
    """Answers of some 1,500 characters, no two alike."""
    chance = random.Random(7)
    words = "cache price entry write through drop failure minute stale reader queue retry region table order".split()
    path = folder / f"{count}.jsonl"
    with path.open("w") as file:
        for number in range(count):
            lines = [f"Step {n}: the {' '.join(chance.choices(words, k=14))} holds." for n in range(16)]
            task = {"id": f"case-{number}", "task": "Explain why the cache went stale.", "output": "\n".join(lines)}
            file.write(json.dumps(task) + "\n")
    return path


# --- the server


class _Server:
    """The stub server in a process of its own."""

    def __init__(self, what: str) -> None:
        command = [PYTHON, str(Path(__file__)), "--serve", what]
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def __enter__(self) -> str:
        assert self._process.stdout is not None
        return self._process.stdout.readline().strip()

    def __exit__(self, *details: object) -> None:
        self._process.communicate()


def _serve(what: str) -> None:
    from fake_server import Asked, FakeServer, Fault, Step, chat
    from scripted_judge import answer, read_prompt, reply_text

    chance = random.Random(11)

    def faulty(asked: Asked) -> Step:
        lot = chance.random()
        if lot < 0.05:
            return Fault.status(429, "slow down", retry_after="0.05") if lot < 0.025 else Fault.status(500, "oops")
        if lot >= 0.15:
            return answer(asked)
        good = reply_text(read_prompt(asked.body))
        spoilt = [
            good[: len(good) // 2],
            "All in all a fine piece of work, which I would give a 3 out of 10 for correctness.",
            good.replace('"score": 8', '"score": 42'),
            "",
        ]
        return chat(spoilt[int((lot - 0.05) / 0.025)])

    server = FakeServer(delay=0.0 if what == "quick" else DELAY)
    server.keep = False
    server.answer = faulty if what == "faults" else answer
    with server:
        print(server.url, flush=True)
        sys.stdin.read()


if __name__ == "__main__":
    main()
