"""Whether a killed `evenhand run` loses or repeats anything: killed at random moments, counted by files outside.

    python benchmarks/suite_kills.py [KILLS]

Every run appends its name to a file that no workspace holds, and leaves a process in a session of its own. After each
kill the kept runs are noted: none of them may be missing later, and none may be run again. When evenhand has started
again, no process may be left of the runs before.
"""

from __future__ import annotations

import json
import random
import subprocess
import sys
import tempfile
import time
import uuid
from pathlib import Path
from typing import NamedTuple

from evenhand.decisions.suite import Case, Command, Limits, Suite, Variant
from evenhand.runs.kept_runs import LINES, KeptRuns
from evenhand.runs.run_document import read_run
from evenhand.suites.execution.agent_runs import SuiteWork

KILLS = 40
CASES, REPEATS, AT_ONCE = 100, 2, 4
LONGEST = 1.0
"""Seconds after which a run is killed at the latest."""


def suite_in(base: Path, cases: int) -> Suite:
    """A suite whose runs take a moment each and note their names outside; the first repeats leave files as well."""
    leave = "test $EVENHAND_REPEAT = 2 || { echo x > file; echo done; }"
    daemon = f"setsid sh -c 'sleep 300; true' daemon-{base.name} > /dev/null 2>&1 &"
    script = f'echo "$EVENHAND_CASE $EVENHAND_REPEAT" >> {base}/made; {daemon} sleep 0.1; {leave}'
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


def alive(base: Path) -> set[str]:
    """The processes of runs, by their numbers."""
    found = set()
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            state = (path.parent / "stat").read_text().rpartition(")")[2].split()[0]
            found |= (
                {path.parent.name} if f"daemon-{base.name}".encode() in path.read_bytes() and state != "Z" else set()
            )
        except OSError:  # it has ended meanwhile
            continue
    return found


class Counts(NamedTuple):
    """What came of all kills."""

    kept: int
    lost: int
    again: int
    """Runs that were kept, and were run again."""
    alive: int
    """Processes that were there after the next start."""


def kill_often(base: Path, kills: int, cases: int, seed: int) -> Counts:
    """Kill so many times, then finish."""
    chance = random.Random(seed)
    kept: set[str] = set()
    lost = again = left = 0
    before: set[str] = set()
    for number in range(kills + 1):
        begun = len(made_runs(base))
        command = [sys.executable, __file__, "--child", str(base), str(cases)]
        child = subprocess.Popen(command, stdout=subprocess.PIPE)
        assert child.stdout is not None
        child.stdout.readline()
        left += len(before & alive(base))
        if number < kills:
            time.sleep(chance.uniform(0, LONGEST))
            child.kill()
        before = alive(base)
        child.wait()
        child.stdout.close()
        again += sum(name in kept for name in made_runs(base)[begun:])
        now = kept_runs(base)
        lost += len(kept - now)
        kept |= now
    return Counts(len(kept), lost, again, left)


def main() -> int:
    """Print what was lost and what was run again; exit code 1 when anything was."""
    if sys.argv[1:2] == ["--child"]:
        run_all(Path(sys.argv[2]), int(sys.argv[3]))
        return 0
    kills = int(sys.argv[1]) if sys.argv[1:] else KILLS
    with tempfile.TemporaryDirectory() as folder:
        base = Path(folder) / uuid.uuid4().hex
        base.mkdir()
        kept, lost, again, left = kill_often(base, kills, CASES, seed=1)
        begun = len(made_runs(base))
    print(f"killed {kills} times: {kept} of {CASES * REPEATS} runs kept, {lost} lost, {again} run again although kept")
    print(f"{begun} runs were begun; {begun - kept} of them were under way when they were killed")
    print(f"{left} processes of a run were alive after the next start")
    return int(bool(lost or again or left or kept != CASES * REPEATS))


if __name__ == "__main__":
    sys.exit(main())
