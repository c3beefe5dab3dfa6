"""What running agents costs besides the agents: 100 runs of `true` at 2 at once, beside `xargs` doing the same.

    python benchmarks/suite_runs.py

Both start one program for each run, in a workspace of two files. xargs copies it for each run and leaves it there.
evenhand hashes the files, looks for a kept run, makes new folders, confines the run, compares the workspace and
keeps the result. The two take turns, each in new folders, and the median counts of what a run costs more; processor
time, of all processes together, is disturbed less by other programs than the clock is.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from evenhand.decisions.suite import Case, Command, StartFile, Suite, Variant
from evenhand.runs.confinement import sentence
from evenhand.runs.kept_runs import KeptRuns
from evenhand.suites.allowances import USUAL
from evenhand.suites.execution.agent_runs import SuiteWork

RUNS = 100
AT_ONCE = 2
ROUNDS = 3


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
    """Measure both in turn, and print what a run costs more in each round, and the medians."""
    waits, works = [], []
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
            at_last = processor_seconds()
            waits.append(1000 * AT_ONCE * (ours - theirs) / RUNS)
            works.append(1000 * (at_last - between - (between - at_first)) / RUNS)
            print(f"xargs {theirs:.2f} s, evenhand {ours:.2f} s: {waits[-1]:.0f} ms more a run")
    print(f"{sentence(network=True)}")
    print(f"median {statistics.median(waits):.0f} ms more a run, of the processor {statistics.median(works):.0f} ms")
    return 0


if __name__ == "__main__":
    sys.exit(main())
