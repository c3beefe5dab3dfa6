"""What reading and checking agents' runs costs: processor time against parsing the same JSON.

python benchmarks/run_checks.py FOLDER... [--rounds 3]

Each FOLDER holds runs as JSON, compressed or not, such as trajectories of mini-swe-agent. They are read from
uncompressed copies, since `json.loads` has nothing to decompress either. The least time of the rounds counts. The aim
is at most 12 times the time that `json.loads` takes.
"""

from __future__ import annotations

import argparse
import gzip
import json
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from time import process_time

from evenhand import transcripts
from evenhand.findings.judge import ChecksJudge
from evenhand.work.submission import Submission
from measuring import verdict

MOST_TIMES = 12.0


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, nargs="+")
    parser.add_argument("--rounds", type=int, default=3)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        copies = [_uncompressed(runs, Path(folder, str(number))) for number, runs in enumerate(given.folder)]
        _measure([file for files in copies for file in files], given.rounds)


def _uncompressed(folder: Path, copies: Path) -> list[Path]:
    copies.mkdir()
    for path in folder.iterdir():
        if path.name.endswith(".json.gz"):
            (copies / path.stem).write_bytes(gzip.decompress(path.read_bytes()))
        elif path.name.endswith(".json"):
            (copies / path.name).write_bytes(path.read_bytes())
    return sorted(copies.iterdir())


def _measure(files: Sequence[Path], rounds: int) -> None:
    texts = [path.read_bytes() for path in files]
    judge = ChecksJudge()

    def parse() -> None:
        for text in texts:
            json.loads(text)

    def read() -> list[Submission]:
        return [item for path in files for item in transcripts.read(str(path)) if isinstance(item, Submission)]

    def look() -> None:
        for submission in submissions:
            judge.look(submission)

    submissions = read()
    parsing, reading, checking = (_least(work, rounds) for work in (parse, read, look))
    print(f"{len(files)} files: parsing {parsing:.3f} s, reading {reading:.3f} s, checking {checking:.3f} s")
    times = (reading + checking) / parsing
    print(f"reading and checking take {times:.1f} times as long as parsing: {verdict(times <= MOST_TIMES)}")


def _least(work: Callable[[], object], rounds: int) -> float:
    times = []
    for _ in range(rounds):
        begun = process_time()
        work()
        times.append(process_time() - begun)
    return min(times)


if __name__ == "__main__":
    main()
