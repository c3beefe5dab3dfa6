"""What running agents costs besides the agents: 500 runs of `true` at 16 at once, beside `xargs` doing the same.

    python benchmarks/suite_runs.py

Both copy a workspace of two files for each run and start one program in it. Besides, evenhand hashes what it copies,
compares the workspace afterwards, keeps the result and removes the workspace.
"""

from __future__ import annotations

import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from evenhand.core.values.suite import Case, Command, StartFile, Suite, Variant
from evenhand.pipeline.suite_runs import SuiteRuns
from evenhand.runs.kept_runs import KeptRuns

RUNS = 500
AT_ONCE = 16
ROUNDS = 5


def xargs(base: Path) -> float:
    """Seconds that xargs takes."""
    made = base / "made"
    made.mkdir()
    one = f"cp -r {base}/start {made}/{{}} && cd {made}/{{}} && exec true"
    begun = time.perf_counter()
    subprocess.run(f"seq {RUNS} | xargs -P {AT_ONCE} -I{{}} sh -c '{one}'", shell=True, check=True)
    taken = time.perf_counter() - begun
    shutil.rmtree(made)
    return taken


def evenhand(base: Path) -> float:
    """Seconds that the runs of a suite take."""
    files = (StartFile(str(base / "start"), "."),)
    cases = tuple(Case(f"case-{number}", "Do nothing.", files=files) for number in range(RUNS))
    suite = Suite("nothing", cases, (Variant("true", Command(("true",))),))
    begun = time.perf_counter()
    with KeptRuns(base / "runs") as kept:
        finished = sum(run.outcome == "finished" for run in SuiteRuns(suite, kept, jobs=AT_ONCE).results())
    taken = time.perf_counter() - begun
    assert finished == RUNS
    shutil.rmtree(base / "runs")
    return taken


def main() -> int:
    """Measure both in turn, and print the ratio of each round and their median."""
    ratios = []
    with tempfile.TemporaryDirectory() as folder:
        base = Path(folder)
        (base / "start" / "src").mkdir(parents=True)
        (base / "start" / "README.md").write_text("A workspace.\n")
        (base / "start" / "src" / "main.py").write_text("print(1)\n")
        for _ in range(ROUNDS):
            theirs, ours = xargs(base), evenhand(base)
            ratios.append(ours / theirs)
            print(f"xargs {theirs:.2f} s, evenhand {ours:.2f} s, {ours / theirs:.2f} times")
    print(f"median {statistics.median(ratios):.2f} times")
    return 0


if __name__ == "__main__":
    sys.exit(main())
