"""Commands run as a user runs them, measured from outside, and the tables that show the result."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

PROJECT = Path(__file__).resolve().parent.parent
PYTHON = sys.executable
EVENHAND = str(Path(sys.executable).parent / "evenhand")
"""The console script of the environment that runs the benchmark."""

Command = Sequence[str]


class Run(NamedTuple):
    """What one run of a command took."""

    seconds: float
    """From start to end, by the clock on the wall."""
    user_seconds: float
    """Processor time spent in the command's own code."""
    peak_kib: int
    """The most memory that was resident at once; never less than the process that started it had."""
    system_seconds: float
    """Processor time the system spent for it."""

    @property
    def cpu_seconds(self) -> float:
        """All processor time of the process, from its start to its end."""
        return self.user_seconds + self.system_seconds


def run(command: Command, folder: Path) -> Run:
    """Run a command from the project's root and throw its output away; `folder` keeps its compiled modules."""
    if not Path(command[0]).exists():
        sys.exit(f"{command[0]} is not there; install evenhand in the environment of {PYTHON} first")
    begun = time.perf_counter()
    process = subprocess.Popen(
        command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd=PROJECT, env=_environment(folder)
    )
    _, status, used = os.wait4(process.pid, 0)
    seconds = time.perf_counter() - begun
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        sys.exit(f"{' '.join(command)} failed with exit code {process.returncode}; run it by hand to see why")
    kib = used.ru_maxrss // 1024 if sys.platform == "darwin" else used.ru_maxrss
    return Run(seconds, used.ru_utime, kib, used.ru_stime)


def interleaved(
    commands: Mapping[str, Command], rounds: int, folder: Path, *, new_store: bool = False
) -> dict[str, list[Run]]:
    """Run every command once a round, so that a busy moment of the machine falls on all of them alike."""
    runs: dict[str, list[Run]] = {name: [] for name in commands}
    for _ in range(rounds + 1):
        for name, command in commands.items():
            if new_store:
                for path in folder.glob("benchmark.db*"):
                    path.unlink()
            runs[name].append(run(command, folder))
    return {name: each[1:] for name, each in runs.items()}  # the first run compiles modules and warms the disk's cache


def table(heading: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Rows in columns: the first to the left, the others to the right."""
    widths = [max(map(len, column)) for column in zip(heading, *rows, strict=True)]
    rule = ["-" * width for width in widths]

    def line(cells: Sequence[str]) -> str:
        first, *others = zip(cells, widths, strict=True)
        return "  ".join([first[0].ljust(first[1]), *(cell.rjust(width) for cell, width in others)]).rstrip()

    return "\n".join(map(line, (heading, rule, *rows)))


def verdict(reached: bool) -> str:
    """Whether a target was reached, in a word."""
    return "reached" if reached else "MISSED"


def _environment(folder: Path) -> dict[str, str]:
    """The caller's, but with compiled modules and buffered output, as in a plain installation, and a store of its own:
    no benchmark may write into the project's."""
    left_out = ("PYTHONDONTWRITEBYTECODE", "PYTHONUNBUFFERED")
    kept = {name: value for name, value in os.environ.items() if name not in left_out}
    own = {"PYTHONPYCACHEPREFIX": str(folder / "compiled"), "EVENHAND_STORE": str(folder / "benchmark.db")}
    return kept | own
