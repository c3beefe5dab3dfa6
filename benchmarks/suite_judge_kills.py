"""Whether `evenhand run` loses a verdict or pays for one twice when it is killed while models judge.

    python benchmarks/suite_judge_kills.py [KILLS]

Recorded outputs are judged by a model server on the loopback, which counts every question by its hash and puts that
hash into its reply. After each kill the replies on the disk are noted: none of them may be missing later, and no
question of theirs may be asked again. A question that was under way at a kill has no reply on the disk, and is asked
once more.
"""

from __future__ import annotations

import hashlib
import json
import random
import re
import sqlite3
import subprocess
import sys
import tempfile
import time
import zlib
from collections import Counter
from contextlib import closing
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests" / "support"))

from fake_server import Asked, FakeServer, Step, chat
from scripted_judge import read_prompt, reply_text

KILLS = 50
CASES_PER_KILL = 2
"""So that there is something left to judge at the last kill."""

AT_ONCE = 4
"""Questions under way at a time, and so the most that a kill can cost."""

DELAY = 0.05
"""Seconds that a reply takes."""

LONGEST = 0.4
"""Seconds after the first question at which a run is killed at the latest."""

SUITE = """suite: kills
judges: [reader]
cases: cases.jsonl
variants:
  old: {recorded: "{case}.md"}
"""


class Counted:
    """What the server was asked, by the hash of each question."""

    def __init__(self) -> None:
        self.times: Counter[str] = Counter()

    def answer(self, asked: Asked) -> Step:
        """A reply that holds the hash of its question."""
        name = hashlib.sha256(json.dumps(asked.body, sort_keys=True).encode()).hexdigest()
        self.times[name] += 1
        text = reply_text(read_prompt(asked.body))
        return chat(text.replace("It does what was asked.", f"Question {name}.").replace("Seen.", f"Question {name}."))


def make_suite(base: Path, url: str, cases: int) -> None:
    """Recorded outputs, and a judge that is the server."""
    (base / "suite.yaml").write_text(SUITE)
    (base / "evenhand.toml").write_text(
        f'[judges.reader]\nbase_url = "{url}"\nmodel = "reader"\nconcurrency = {AT_ONCE}\n'
    )
    lines = [json.dumps({"id": f"c{number}", "prompt": f"Explain number {number}."}) for number in range(cases)]
    (base / "cases.jsonl").write_text("\n".join(lines))
    for number in range(cases):
        (base / f"c{number}.md").write_text(f"Here is all that there is to say about number {number}.\n")


def replies(base: Path) -> set[str]:
    """The hashes of the questions whose replies are on the disk."""
    path = next(iter(base.glob("**/*replies*.db")), None)
    if path is None:
        return set()
    with closing(sqlite3.connect(path)) as connection:
        if not connection.execute("SELECT 1 FROM sqlite_master WHERE name = 'replies'").fetchone():
            return set()  # killed before it had made the table
        rows = [row for (row,) in connection.execute("SELECT reply FROM replies")]
    texts = [row if isinstance(row, str) else zlib.decompress(row).decode() for row in rows]
    return {name for text in texts for name in re.findall("Question ([0-9a-f]{64})", text)}


def start(base: Path) -> subprocess.Popen[bytes]:
    """`evenhand run` in a process of its own."""
    command = [sys.executable, "-m", "evenhand", "run", "suite.yaml", "--store", "results.db", "--format", "json"]
    return subprocess.Popen(command, cwd=base, stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def kill_often(base: Path, server: FakeServer, counted: Counted, kills: int, seed: int) -> tuple[int, int, int]:
    """Kill so many times; the replies lost, questions asked again although their reply was there, and kills in time."""
    chance = random.Random(seed)
    kept: set[str] = set()
    lost = again = in_time = 0
    for _ in range(kills):
        before, count = counted.times.copy(), server.count
        child = start(base)
        while server.count == count and child.poll() is None:
            time.sleep(0.005)
        time.sleep(chance.uniform(0, LONGEST))
        in_time += child.poll() is None
        child.kill()
        child.communicate()
        again += sum(counted.times[name] > before[name] for name in kept)
        now = replies(base)
        lost += len(kept - now)
        kept |= now
    return lost, again, in_time


def main() -> int:
    """Print what was lost and what was asked twice; exit code 1 when anything was."""
    kills = int(sys.argv[1]) if sys.argv[1:] else KILLS
    cases = CASES_PER_KILL * kills
    counted = Counted()
    with tempfile.TemporaryDirectory() as folder, FakeServer(delay=DELAY) as server:
        base = Path(folder)
        server.answer = counted.answer
        make_suite(base, server.url, cases)
        lost, again, in_time = kill_often(base, server, counted, kills, seed=1)
        kept = replies(base)
        before = counted.times.copy()
        _, errors = start(base).communicate()
        again += sum(counted.times[name] > before[name] for name in kept)
        asked = sum(counted.times.values())
        output, _ = start(base).communicate()
        repeated = sum(counted.times.values()) - asked
    if not output:
        sys.exit(errors.decode())
    (facts,) = json.loads(output)["variants"]
    print(f"killed {in_time} times while models judged: {lost} of {len(kept)} replies lost, {again} asked again")
    more = asked - len(counted.times)
    print(f"{len(counted.times)} questions were asked {asked} times; {more} were under way at a kill")
    print(f"{facts['valued']} of {cases} outputs are scored; running it once more asked {repeated} questions")
    is_wrong = lost or again or repeated or facts["valued"] != cases or more > AT_ONCE * in_time
    return int(bool(is_wrong) or not in_time)


if __name__ == "__main__":
    sys.exit(main())
