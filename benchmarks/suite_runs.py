"""What running agents costs besides the agents: 500 runs of `true` at 16 at once, beside `xargs` doing the same.

    python benchmarks/suite_runs.py

Both start one program for each run, in a workspace of two files. xargs copies it for each run and leaves it there.
evenhand hashes the files, looks for a kept run, confines what it reads, gives it a HOME, compares the workspace and
keeps the result; workspaces are used again under new paths, and of their files those are copied again that the run
before has touched. The two take turns, each in new folders, and the median of the ratios counts; processor time, of all
processes together, is disturbed less by other programs than the clock is. All folders are removed at the end: for
minutes after many were removed, ext4 takes longer to make a file.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from evenhand.decisions.values.suite import Case, Command, StartFile, Suite, Variant
from evenhand.runs.kept_runs import KeptRuns
from evenhand.suites.allowances import USUAL
from evenhand.suites.execution.agent_runs import SuiteWork

RUNS = 500
AT_ONCE = 16
ROUNDS = 5


def xargs(base: Path, name: int) -> float:
    """Seconds that xargs takes."""
    made = base / f"made-{name}"
    made.mkdir()
    one = f"cp -r {base}/start {made}/{{}} && cd {made}/{{}} && exec true"
    begun = time.perf_counter()
    subprocess.run(f"seq {RUNS} | xargs -P {AT_ONCE} -I{{}} sh -c '{one}'", shell=True, check=True)
    return time.perf_counter() - begun


def evenhand(base: Path, name: int) -> float:
    """Seconds that the runs of a suite take."""
    files = (StartFile(str(base / "start"), "."),)
    cases = tuple(Case(f"case-{number}", "Do nothing.", files=files) for number in range(RUNS))
    suite = Suite("nothing", cases, (Variant("true", Command(("true",)), limits=USUAL),))
    begun = time.perf_counter()
    with KeptRuns(base / f"runs-{name}") as kept:
        finished = sum(run.outcome == "finished" for run in SuiteWork(suite, kept, jobs=AT_ONCE).results())
    taken = time.perf_counter() - begun
    assert finished == RUNS
    return taken


def processor_seconds() -> float:
    """Of this process and of its children that have ended."""
    return sum(os.times()[:4])


def main() -> int:
    """Measure both in turn, and print the ratio of each round and their median."""
    ratios, processor_ratios = [], []
    with tempfile.TemporaryDirectory() as folder:
        base = Path(folder)
        (base / "start" / "src").mkdir(parents=True)
        (base / "start" / "README.md").write_text("A workspace.\n")
        (base / "start" / "src" / "main.py").write_text("print(1)\n")
        for name in range(ROUNDS):
            at_first = processor_seconds()
            theirs = xargs(base, name)
            between = processor_seconds()
            ours = evenhand(base, name)
            by_processor = (processor_seconds() - between) / (between - at_first)
            ratios.append(ours / theirs)
            processor_ratios.append(by_processor)
            print(
                f"xargs {theirs:.2f} s, evenhand {ours:.2f} s, {ours / theirs:.2f} times; "
                f"processor time {by_processor:.2f} times"
            )
    median, by_processor = statistics.median(ratios), statistics.median(processor_ratios)
    print(f"median {median:.2f} times; processor time {by_processor:.2f} times")
    return 0


if __name__ == "__main__":
    sys.exit(main())
