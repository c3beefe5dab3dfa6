"""How long a store of an earlier version takes to be brought up to date, beside a plain copy of its file.

python benchmarks/store_migration.py [--evaluations 100000] [--rounds 3] [--store FILE]

The store has the tables of version 9, as commit 0d6776e7 made them, with evaluations of many skills in it; or it is a
copy of a store that an earlier version wrote. Once the migration is killed halfway and goes on. Afterwards every
scorecard verifies, and the windows of all skills are those of before.
"""

from __future__ import annotations

import argparse
import os
import random
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from statistics import median

from evenhand import open_store
from evenhand.judges.written import judgement_from
from evenhand.judging.evaluated import Evaluated
from evenhand.judging.keeper import Keeper
from evenhand.judging.steps import Steps
from evenhand.store.evaluation_store import migrations
from evenhand.store.record import COLUMNS
from judgement_files import typical
from measuring import EVENHAND, table, verdict

VERSION = 9
SKILLS = 200
MOST = 3
"""Times a plain copy that a migration may take."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--evaluations", type=int, default=100_000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--store", type=Path, help="a SQLite store of an earlier version; it is copied, not changed")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        old = asked.store or _old_store(folder, asked.evaluations)
        before = _windows(old)
        copying, migrating = [], []
        for number in range(asked.rounds):
            copy = folder / f"copy-{number}.db"
            copying.append(_seconds(lambda copy=copy: shutil.copyfile(old, copy)))
            migrating.append(_seconds(lambda copy=copy: _migrate(copy)))
        interrupted = _interrupted(old, folder / "interrupted.db", median(migrating) / 2)
        ratio = median(migrating) / median(copying)
        size = old.stat().st_size / 1e6
        print(f"{size:.0f} MB, windows of {len(before)} skills\n")
        rows = [
            ("a plain copy of the file", "1.0", "", "", f"{median(copying):.2f} s"),
            ("brought up to date", f"{ratio:.2f}", f"{MOST}", verdict(ratio <= MOST), f"{median(migrating):.2f} s"),
            ("windows after it, and after a kill", "", "the same", verdict(_same(before, copy, folder)), interrupted),
            ("every scorecard verifies", "", "sound", verdict(_sound(folder / "interrupted.db")), ""),
        ]
        print(table(("what", "times a copy", "target", "", "here"), rows))


def _old_store(folder: Path, evaluations: int) -> Path:
    """A store with the tables of an earlier version, and scorecards as they were written then."""
    made, old = folder / "made.db", folder / "old.db"
    with closing(open_store(str(made))) as store:
        for _ in Keeper(store).keep_each(_evaluations(evaluations)):
            pass
    with closing(sqlite3.connect(old, isolation_level=None)) as connection:
        connection.execute("PRAGMA page_size = 32768")
        for path in migrations("sqlite")[:VERSION]:
            for statement in path.read_text(encoding="utf-8").split(";\n"):
                connection.execute(statement)
        connection.execute("ATTACH ? AS made", (str(made),))
        names = ", ".join(COLUMNS)
        connection.execute(f"INSERT INTO evaluations ({names}) SELECT {names} FROM made.evaluations")
        connection.execute(f"PRAGMA user_version = {VERSION}")
        connection.execute("PRAGMA journal_mode = WAL")
    made.unlink()
    return old


def _evaluations(number: int) -> Iterator[Evaluated]:
    chance, steps = random.Random(9), Steps()
    for place in range(number):
        judgement = judgement_from(typical(chance, place) | {"skill": f"skill-{place % SKILLS}", "id": f"case-{place}"})
        card, submission, _ = steps.evaluate_written(judgement, output=f"{place} " + "What was judged. " * 120)
        yield Evaluated(card._replace(case=None), submission, False)


def _migrate(path: Path) -> None:
    with closing(open_store(str(path))) as store:
        store.migrate()


def _interrupted(old: Path, path: Path, after: float) -> str:
    """Kill a migration, then open the store again; says what the kill left behind."""
    shutil.copyfile(old, path)
    process = subprocess.Popen(
        [EVENHAND, "store", "migrate", "--store", str(path)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    while _version(path) < len(migrations("sqlite")) - 1 and process.poll() is None:
        time.sleep(0.002)  # until the index of cases is there, and being filled
    time.sleep(min(after / 10, 0.05))
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    left = _version(path)
    _migrate(path)
    return f"killed at version {left}, went on to {_version(path)}"


def _version(path: Path) -> int:
    with closing(sqlite3.connect(path, timeout=60)) as connection:
        (version,) = connection.execute("PRAGMA user_version").fetchone()
        return int(version)


def _windows(path: Path) -> dict[str, list[tuple[object, ...]]]:
    """The window of every skill, read without evenhand."""
    window = (
        "SELECT id, completed, final, correctness, safety, rubric_sha256, judge FROM evaluations "
        "WHERE skill = ? AND in_history = 1 ORDER BY completed DESC, id DESC LIMIT 10"
    )
    with closing(sqlite3.connect(path)) as connection:
        skills = [skill for (skill,) in connection.execute("SELECT DISTINCT skill FROM evaluations")]
        return {skill: connection.execute(window, (skill,)).fetchall() for skill in skills}


def _same(before: dict[str, list[tuple[object, ...]]], copy: Path, folder: Path) -> bool:
    return before == _windows(copy) == _windows(folder / "interrupted.db")


def _sound(path: Path) -> bool:
    return subprocess.run([EVENHAND, "store", "check", "--store", str(path)], stdout=sys.stderr).returncode == 0


def _seconds(call: Callable[[], object]) -> float:
    begun = time.perf_counter()
    call()
    return time.perf_counter() - begun


if __name__ == "__main__":
    main()
