"""Whether a killed `evenhand run` loses or repeats anything: killed at random moments, counted by files outside.

    python benchmarks/suite_kills.py [KILLS]

Every run appends its name to a file that no workspace holds. After each kill the kept runs are noted: none of them may
be missing later, and none may be run again.
"""

from __future__ import annotations

import json
import random
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from evenhand.decisions.values.suite import Case, Command, Limits, Suite, Variant
from evenhand.runs.kept_runs import LINES, KeptRuns
from evenhand.runs.run_document import read_run
from evenhand.suites.execution.agent_runs import SuiteWork

KILLS = 50
CASES, REPEATS, AT_ONCE = 100, 2, 4
LONGEST = 0.25
"""Seconds after which a run is killed at the latest."""


def suite_in(base: Path, cases: int) -> Suite:
    """A suite whose runs take a moment each and note their names outside; the first repeats leave files as well."""
    leave = "test $EVENHAND_REPEAT = 2 || { echo x > file; echo done; }"
    script = f'echo "$EVENHAND_CASE $EVENHAND_REPEAT" >> {base}/made; sleep 0.01; {leave}'
    variant = Variant("sh", Command((script,), shell=True), limits=Limits(reads=(), writes=(str(base),)))
    listed = tuple(Case(f"case-{number}", "Say so.") for number in range(cases))
    return Suite("kills", listed, (variant,), repeats=REPEATS)


def run_all(base: Path, cases: int) -> int:
    """Make all runs that are not kept; how many finished."""
    with KeptRuns(base / "runs") as kept:
        runs = SuiteWork(suite_in(base, cases), kept, jobs=AT_ONCE)
        print("ready", flush=True)
        return sum(run.outcome == "finished" for run in runs.results())


def kept_runs(base: Path) -> set[str]:
    """The names of the runs that are kept; each must be whole."""
    names = set()
    for folder in (base / "runs").glob("*"):
        if len(folder.name) == 64:
            run, _ = read_run(folder)
            assert (run.id.repeat, run.output, run.changes is not None) == (1, "done\n", True), folder
            names.add(f"{run.id.case} {run.id.repeat}")
    lines = base / "runs" / LINES
    for line in lines.read_text().split("\n")[:-1] if lines.exists() else ():
        if line.endswith("}}"):  # not cut off by a kill
            fields = json.loads(line)
            assert (fields["repeat"], fields["outcome"]) == (2, "finished"), line
            names.add(f"{fields['case']} 2")
    return names


def made_runs(base: Path) -> list[str]:
    """The names of all runs that were begun, in order."""
    path = base / "made"
    return path.read_text().splitlines() if path.exists() else []


def kill_often(base: Path, kills: int, cases: int, seed: int) -> tuple[int, int, int]:
    """Kill so many times, then finish; the runs kept, lost, and run again although they were kept."""
    chance = random.Random(seed)
    kept: set[str] = set()
    lost = again = 0
    for number in range(kills + 1):
        begun = len(made_runs(base))
        command = [sys.executable, __file__, "--child", str(base), str(cases)]
        child = subprocess.Popen(command, stdout=subprocess.PIPE)
        assert child.stdout is not None
        child.stdout.readline()
        if number < kills:
            time.sleep(chance.uniform(0, LONGEST))
            child.kill()
        child.wait()
        child.stdout.close()
        again += sum(name in kept for name in made_runs(base)[begun:])
        now = kept_runs(base)
        lost += len(kept - now)
        kept |= now
    return len(kept), lost, again


def main() -> int:
    """Print what was lost and what was run again; exit code 1 when anything was."""
    if sys.argv[1:2] == ["--child"]:
        run_all(Path(sys.argv[2]), int(sys.argv[3]))
        return 0
    kills = int(sys.argv[1]) if sys.argv[1:] else KILLS
    with tempfile.TemporaryDirectory() as folder:
        base = Path(folder)
        kept, lost, again = kill_often(base, kills, CASES, seed=1)
        begun = len(made_runs(base))
    print(f"killed {kills} times: {kept} of {CASES * REPEATS} runs kept, {lost} lost, {again} run again although kept")
    print(f"{begun} runs were begun; {begun - kept} of them were under way when they were killed")
    return int(bool(lost or again or kept != CASES * REPEATS))


if __name__ == "__main__":
    sys.exit(main())
