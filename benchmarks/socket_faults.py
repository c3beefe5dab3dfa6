"""Servers that misbehave in 29 ways on a real socket, and `evenhand judge` in front of them.

    python benchmarks/socket_faults.py

Each fault meets three outputs twice: at every call (one that only puts calls off: at the first few), then at every
other one while the rest is answered as it should be.
Then the server is well, and the same command is run once more on what it had kept. Every reply that can be read says 8,
so any other score is wrong. A traceback anywhere, a command without a sentence of why it failed, and a question that is
sent again although its reply was kept are errors too. At the end a command is killed at every second reply, and run
again until it ends by itself.
"""

from __future__ import annotations

import argparse
import json
import os
import sqlite3
import subprocess
import sys
import tempfile
import time
import zlib
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Final, NamedTuple

from measuring import PROJECT, PYTHON, verdict

sys.path.insert(0, str(PROJECT / "tests" / "support"))

from fake_server import Asked, FakeServer, Fault, Step, chat
from scripted_judge import answer, read_prompt, reply_text

TOGETHER: Final = 8
"""Faults tried at once: most of their time is waiting."""
SETTINGS: Final = """
[judges.openai]
connect_timeout = 20
first_byte_timeout = 4
total_timeout = 5
"""
PUT_OFF: Final = ("429 with Retry-After", "429 without", "503")
"""Faults by which a server only puts calls off. They are waited out for minutes, so they end after a few calls."""
A_FEW: Final = 4
OUTPUTS: Final = ("The cache kept entries for an hour.", "The index was rebuilt at night.", "The lorry left on Monday.")


def spoilt(change: Callable[[str], str], finish: str = "stop") -> Callable[[Asked], Step]:
    """A good reply with something done to it."""
    return lambda asked: chat(change(reply_text(read_prompt(asked.body))), finish=finish)


def always(step: Step) -> Callable[[Asked], Step]:
    """The same, whatever is asked."""
    return lambda _: step


def _two_copies(text: str) -> str:
    return text + "\n" + text.replace('"score": 8', '"score": 3').replace("Seen", "Not seen")


FAULTS: Final[dict[str, Callable[[Asked], Step]]] = {
    "429 with Retry-After": always(Fault.status(429, "slow down", retry_after="0.1")),
    "429 without": always(Fault.status(429, "slow down")),
    "429 without money": always(Fault.status(429, "You exceeded your quota", code="insufficient_quota")),
    "400": always(Fault.status(400, "no such thing")),
    "401": always(Fault.status(401, "wrong key")),
    "403": always(Fault.status(403, "not yours")),
    "404": always(Fault.status(404, "no such model")),
    "413": always(Fault.status(413, "too large")),
    "500": always(Fault.status(500, "oops")),
    "503": always(Fault.status(503, "starting")),
    "529": always(Fault.status(529, "overloaded")),
    "a redirect": always(Fault.redirect("http://127.0.0.1:9/elsewhere")),
    "200 with an error": always(Fault.status(200, "the model is busy")),
    "closed without a word": always(Fault.hang_up),
    "cut in the body": lambda asked: Fault.cut(answer(asked), after=200),
    "silence": always(Fault.silence),
    "a body byte by byte": lambda asked: Fault.trickle(answer(asked)),
    "a head byte by byte": lambda asked: Fault.slow_head(answer(asked)),
    "not JSON": always(Fault.not_json),
    "not an object": always(Fault.not_an_object),
    "an empty body": always(Fault.empty),
    "a web page": always(Fault.web_page),
    "a body of 80 MB": always(Fault.huge(80_000_000)),
    "no text": always(chat(None)),
    "a refusal": always(chat(None, refusal="I cannot help with that.")),
    "a text that ends at the limit": spoilt(lambda text: text[: text.rfind('"score": ') + 9], "length"),
    "prose": always(chat("A fine piece of work. I would give correctness 2 out of 10.")),
    "two copies that differ": spoilt(_two_copies),
    "the code of another question": spoilt(lambda text: text.replace('"reply_to": "', '"reply_to": "0')),
}


class Seen(NamedTuple):
    """What a fault led to."""

    scored: int
    wrong: int
    tracebacks: int
    silent: int
    """Commands that failed without a sentence of why."""
    repeated: int
    """Questions whose replies an earlier run had kept."""


def tried(name: str) -> Seen:
    """One fault, always, then at every other call, then never."""
    fault = FAULTS[name]
    count: Counter[str] = Counter()
    with tempfile.TemporaryDirectory() as folder, FakeServer() as server:
        work = Path(folder)
        (work / "evenhand.toml").write_text(SETTINGS)
        lines = [json.dumps({"id": f"case-{n}", "task": "Say what happened.", "output": text}) for n, text in
                 enumerate(OUTPUTS)]  # fmt: skip
        (work / "many.jsonl").write_text("\n".join(lines) + "\n")
        answered: dict[str, str] = {}
        for run in ("always", "every other", "never"):
            before = _kept(work, answered)

            def reply(asked: Asked, run: str = run, before: frozenset[str] = before) -> Step:
                count[run] += 1
                still = name not in PUT_OFF or count[run] <= A_FEW
                if still and (run == "always" or (run == "every other" and asked.number % 2)):
                    return fault(asked)
                question = _question(asked)
                count["repeated"] += question in before
                answered[question] = reply_text(read_prompt(asked.body))
                return answer(asked)

            server.answer = reply
            done = _judged(work, server.url)
            text = done.stdout + done.stderr
            count["tracebacks"] += "Traceback" in text or done.returncode not in range(6)
            count["silent"] += bool(done.returncode) and not done.stderr.strip()
            for line in done.stdout.splitlines():
                card = json.loads(line)
                scores = [one["score"] for one in card.get("dimensions", {}).values()]
                count["scored"] += sum(score is not None for score in scores)
                count["wrong"] += sum(score is not None and score != 8 for score in scores)
    return Seen(*(count[field] for field in Seen._fields))


def killed() -> tuple[int, int, int]:
    """Questions answered, commands killed on the way, and questions asked again although their replies were kept."""
    commands = repeated = 0
    with tempfile.TemporaryDirectory() as folder, FakeServer(delay=0.3) as server:
        work = Path(folder)
        lines = [json.dumps({"id": f"case-{n}", "output": f"{text} {n}"}) for n in range(3) for text in OUTPUTS]
        (work / "evenhand.toml").write_text("")
        (work / "many.jsonl").write_text("\n".join(lines) + "\n")
        answered: dict[str, str] = {}
        before: frozenset[str] = frozenset()

        def reply(asked: Asked) -> Step:
            nonlocal repeated
            question = _question(asked)
            repeated += question in before
            answered[question] = reply_text(read_prompt(asked.body))
            return answer(asked)

        server.answer = reply
        while commands < len(lines) * 2:
            before, seen = _kept(work, answered), len(_kept(work, answered))
            with subprocess.Popen([*_command(server.url), "--set", "judge.concurrency=2"], cwd=work, env=_environment(),
                                  stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:  # fmt: skip
                while process.poll() is None and len(_kept(work, answered)) < seen + 2:
                    time.sleep(0.02)
                process.kill()
            if process.returncode == 0:
                break
            commands += 1
    return len(answered), commands, repeated


def _kept(folder: Path, answered: dict[str, str]) -> frozenset[str]:
    """The questions whose replies are in the file of replies: one that a busy machine delivered too late is not."""
    file = folder / ".evenhand" / "replies.db"
    if not file.exists():
        return frozenset()
    try:
        with sqlite3.connect(f"{file.as_uri()}?mode=ro", uri=True) as connection:
            rows = [row[0] for row in connection.execute("SELECT reply FROM replies")]
    except sqlite3.OperationalError:  # its table is being made
        return frozenset()
    texts = {json.loads(row if isinstance(row, str) else zlib.decompress(row))["reply"]["text"] for row in rows}
    return frozenset(question for question, text in answered.items() if text in texts)


def _question(asked: Asked) -> str:
    """A question, whichever attempt it is."""
    return json.dumps(asked.body["messages"])


def _judged(folder: Path, address: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        _command(address), cwd=folder, env=_environment(), capture_output=True, text=True, timeout=600, check=False
    )


def _command(address: str) -> list[str]:
    return [PYTHON, "-m", "evenhand", "judge", "many.jsonl", "--judge", "openai:one", "--base-url", address, "-f",
            "jsonl"]  # fmt: skip


def _environment() -> dict[str, str]:
    return os.environ | {"OPENAI_API_KEY": "a-key-for-benchmarks", "PYTHONUTF8": "1"}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", help="faults whose names contain this")
    only = parser.parse_args().only or ""
    faults = [name for name in FAULTS if only in name]
    seen = {}
    with ThreadPoolExecutor(TOGETHER) as pool:
        for name, one in zip(faults, pool.map(tried, faults), strict=True):
            seen[name] = one
            problems = [f"{getattr(one, field)} {field}" for field in Seen._fields[1:] if getattr(one, field)]
            print(f"{name:32} {one.scored:3} scores   {', '.join(problems)}", flush=True)
    wrong, tracebacks, silent, repeated = (sum(one[place] for one in seen.values()) for place in range(1, 5))
    print(
        f"\n{len(seen)} faults: {wrong} wrong scores, {tracebacks} tracebacks, {silent} failures without a reason, "
        f"{repeated} questions asked again: {verdict(not (wrong or tracebacks or silent or repeated))}"
    )
    questions, commands, again = killed()
    good = questions == 2 * 3 * len(OUTPUTS) and commands and not again
    print(f"{questions} questions, {commands} commands killed on the way, {again} asked again: {verdict(bool(good))}")


if __name__ == "__main__":
    main()
