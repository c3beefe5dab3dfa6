"""How many judgements `evenhand score FILE.jsonl --format jsonl` scores in a second on one core.

python benchmarks/throughput.py [--lines 10000] [--rounds 5]

The whole process counts, its start and the reading and writing included. Beside it is the same for a program that
does nothing but parse each line with the standard json module and write it again, and the same command with a store:
a new SQLite file in a temporary folder, every scorecard compared with its skill's history and safe before it is shown.
"""

from __future__ import annotations

import argparse
import os
import tempfile
from pathlib import Path
from statistics import median

from judgement_files import KINDS, write_judgements
from measuring import EVENHAND, PYTHON, Command, Run, interleaved, table, verdict

TARGET = 5_000
"""Judgements a second, at least."""

STORED = 1.5
"""How many times as long it may take with a store."""

_PARSE_AND_WRITE = """
import json, sys
with open(sys.argv[1], encoding="utf-8") as file:
    for line in file:
        sys.stdout.write(json.dumps(json.loads(line)) + "\\n")
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--lines", type=int, default=10_000, help="judgements in each file")
    parser.add_argument("--rounds", type=int, default=5, help="how often each file is scored")
    asked = parser.parse_args()
    pinned = _keep_to_one_core()
    with tempfile.TemporaryDirectory() as name:
        runs = interleaved(_commands(Path(name), asked.lines), asked.rounds, Path(name), new_store=True)
    rows = [_row(kind, asked.lines, runs[f"score {kind}"], runs[f"json {kind}"]) for kind in KINDS]
    where = "one core" if pinned else "whichever core was free (this system cannot keep a process to one)"
    print(f"Throughput on {where}, {asked.lines:,} judgements a file, medians of {asked.rounds} interleaved runs\n")
    heading = ("judgements", "times json alone", "a second", "target", "", "json alone", "user time each")
    print(table(heading, rows))
    print("\nThe same with a store, by the clock and by processor time\n")
    stored = [_with_store(kind, asked.lines, runs[f"score {kind}"], runs[f"store {kind}"]) for kind in KINDS]
    print(table(("judgements", "times without", "target", "", "processor time", "a second"), stored))


def _commands(folder: Path, lines: int) -> dict[str, Command]:
    commands: dict[str, Command] = {}
    for kind in KINDS:
        path = folder / f"{kind}.jsonl"
        write_judgements(path, kind, lines)
        commands[f"score {kind}"] = [EVENHAND, "score", str(path), "--format", "jsonl", "--store", "none"]
        commands[f"store {kind}"] = [EVENHAND, "score", str(path), "--format", "jsonl"]
        commands[f"json {kind}"] = [PYTHON, "-c", _PARSE_AND_WRITE, str(path)]
    return commands


def _row(kind: str, lines: int, scored: list[Run], parsed: list[Run]) -> tuple[str, ...]:
    seconds = median(run.seconds for run in scored)
    json_seconds = median(run.seconds for run in parsed)
    a_second = lines / seconds
    return (
        kind,
        f"{seconds / json_seconds:.1f}",
        f"{a_second:,.0f}",
        f"at least {TARGET:,}",
        verdict(a_second >= TARGET),
        f"{lines / json_seconds:,.0f}",
        f"{median(run.user_seconds for run in scored) / lines * 1e6:.0f} µs",
    )


def _with_store(kind: str, lines: int, without: list[Run], stored: list[Run]) -> tuple[str, ...]:
    seconds = median(run.seconds for run in stored)
    times = seconds / median(run.seconds for run in without)
    cpu = median(run.cpu_seconds for run in stored) / median(run.cpu_seconds for run in without)
    reached = verdict(times <= STORED)
    return kind, f"{times:.2f}", f"at most {STORED}", reached, f"{cpu:.2f}", f"{lines / seconds:,.0f}"


def _keep_to_one_core() -> bool:
    """This process and those it starts; the last core, because the first one serves most interrupts."""
    if not hasattr(os, "sched_setaffinity"):
        return False
    os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    return True


if __name__ == "__main__":
    main()
