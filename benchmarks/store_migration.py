"""How long a store of an earlier version takes to be brought up to date, beside a plain copy of its file.

python benchmarks/store_migration.py [--evaluations 100000] [--rounds 5] [--store FILE] [--steps] [--models]

The store has the tables of version 9, as commit 0d6776e7 made them, with evaluations of many skills in it; or it is a
copy of a store that an earlier version wrote. A copy is timed until it is on the disk, as a migration is, and also as
it is usually made, left in memory for the system to write later. Each migration begins with a file that is on the disk,
so that it does not pay for writing the copy. Of several rounds the fastest counts: other programs only add to them.
Once the migration is killed halfway and goes on. Afterwards every scorecard verifies, and the windows of all skills are
those of before. `--steps` also prints the time of each migration. With `--models`, models gave the judgements: what
they were asked is on the scorecards, and a migration leaves it there. The last rows say what whoever sums it pays until
it is in a table, and what putting it there costs.
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
from decimal import Decimal
from pathlib import Path
from typing import NamedTuple, TypeVar
from unittest.mock import patch

from evenhand import open_store
from evenhand.core.values.panel import Calls, Member, Panel
from evenhand.judges.written import judgement_from
from evenhand.judging.evaluated import Evaluated
from evenhand.judging.keeper import Keeper
from evenhand.judging.steps import Steps
from evenhand.store.evaluation_store import migrations
from evenhand.store.record import COLUMNS
from judgement_files import typical
from measuring import EVENHAND, table, verdict

Value = TypeVar("Value")
VERSION = 9
SKILLS = 200
MOST = 3
"""Times a plain copy that a migration may take."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--evaluations", type=int, default=100_000)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument(
        "--store", type=Path, help="a SQLite store of an earlier version, copied and not changed; made if there is none"
    )
    parser.add_argument("--models", action="store_true", help="scorecards of models, which say what they were asked")
    parser.add_argument("--steps", action="store_true", help="also print the time of each migration")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=asked.store and asked.store.absolute().parent) as name:
        folder = Path(name)
        old = asked.store or folder / "old.db"
        if not old.exists():
            _make_old_store(old, asked.evaluations, asked.models)
        before = _windows(old)
        in_memory, copying, migrating = [], [], []
        copy = folder / "copy.db"
        for _ in range(asked.rounds):
            in_memory.append(_seconds(lambda: shutil.copyfile(old, copy)))
            _sync(copy)
            copy.unlink()
            copying.append(_seconds(lambda: _copy_to_disk(old, copy)))
            migrating.append(_seconds(lambda: _migrate(copy)))
        if asked.steps:
            _print_steps(old, folder / "steps.db")
        left, went_on = _interrupted(old, folder / "interrupted.db")
        took = min(migrating)
        ratio, beside_memory = took / min(copying), took / min(in_memory)
        print(f"{old.stat().st_size / 1e6:.0f} MB, windows of {len(before)} skills\n")
        same = before == _windows(copy) == _windows(folder / "interrupted.db")
        rows = [
            ("a plain copy of the file, on the disk", "1.0", "", "", f"{min(copying):.2f} s"),
            ("brought up to date, on the disk", f"{ratio:.2f}", f"{MOST}", verdict(ratio <= MOST), f"{took:.2f} s"),
            ("the same beside a copy left in memory", f"{beside_memory:.2f}", "", "", f"{min(in_memory):.2f} s"),
            ("killed halfway", "", "halfway", verdict(0 < left.cases < left.evaluations), left.in_words()),
            ("goes on from there", "", "newest", verdict(went_on), f"to version {_version(folder / 'interrupted.db')}"),
            ("windows after it, and after a kill", "", "the same", verdict(same), ""),
            ("every scorecard verifies", "", "sound", verdict(_sound(folder / "interrupted.db")), ""),
            *_calls_read_later(copy, min(copying)),
        ]
        print(table(("what", "times a copy", "target", "", "here"), rows))


def _calls_read_later(path: Path, copying: float) -> Iterator[tuple[str, ...]]:
    """What sums of all calls cost while they are on scorecards, what taking them into the table costs, and after it."""
    with closing(open_store(str(path))) as store:
        before, unread = _timed(lambda: store.calls_between(0, 1 << 62))
        _, reading = _timed(lambda: all(iter(store.read_earlier_calls, False)))
        after, read = _timed(lambda: store.calls_between(0, 1 << 62))
    yield "sums of all calls from scorecards", f"{unread / copying:.2f}", "", "", f"{unread:.2f} s"
    yield "all calls taken into the table", f"{reading / copying:.2f}", "", "", f"{reading:.2f} s"
    yield f"sums of {after.asked:,} calls from the table", "", "the same", verdict(before == after), f"{read:.3f} s"


class Left(NamedTuple):
    """What a kill left behind."""

    version: int
    cases: int
    evaluations: int

    def in_words(self) -> str:
        return f"at version {self.version}, {self.cases} of {self.evaluations} cases filled in"


def _make_old_store(old: Path, evaluations: int, models: bool) -> None:
    """A store with the tables of an earlier version, and scorecards as they were written then."""
    made, half = old.with_suffix(".made"), old.with_suffix(".half")
    with closing(open_store(str(made))) as store:
        for _ in Keeper(store).keep_each(_evaluations(evaluations, models)):
            pass
    with closing(sqlite3.connect(half, isolation_level=None)) as connection:
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
    half.rename(old)


def _evaluations(number: int, models: bool) -> Iterator[Evaluated]:
    chance, steps = random.Random(9), Steps()
    for place in range(number):
        judgement = judgement_from(typical(chance, place) | {"skill": f"skill-{place % SKILLS}", "id": f"case-{place}"})
        if models:
            calls = Calls(3, 0, 0, 1200 + place % 100, 340, Decimal("0.0123456"))
            judge = {"name": "a", "model": "m", "provider": "p"}
            scores = {dimension: opinion.score for dimension, opinion in judgement.opinions.items()}
            flags = tuple(claim.id for claim in judgement.red_flags)
            panel = Panel((Member(judge, scores, red_flags=flags),), None, calls=calls)
            judgement = judgement._replace(judge=judge, panel=panel)
        card, submission, _ = steps.evaluate_written(judgement, output=f"{place} " + "What was judged. " * 120)
        yield Evaluated(card._replace(case=None), submission, False)


def _copy_to_disk(old: Path, copy: Path) -> None:
    shutil.copyfile(old, copy)
    _sync(copy)


def _sync(path: Path) -> None:
    file = os.open(path, os.O_RDWR)
    os.fsync(file)
    os.close(file)


def _migrate(path: Path) -> None:
    with closing(open_store(str(path))) as store:
        store.migrate()
    _sync(path)


def _print_steps(old: Path, path: Path) -> None:
    """Each migration by itself, as the store runs them."""
    _copy_to_disk(old, path)
    rows, known = [], migrations("sqlite")
    for number in range(_version(path), len(known)):
        with patch("evenhand.store.databases.sqlite.migrations", lambda dialect, number=number: known[: number + 1]):
            rows.append((known[number].stem, f"{_seconds(lambda: _migrate(path)):.2f} s"))
    path.unlink()
    print(table(("migration", "here"), rows) + "\n")


def _interrupted(old: Path, path: Path) -> tuple[Left, bool]:
    """Kill a migration while it fills in the cases, then open the store again."""
    _copy_to_disk(old, path)
    process = subprocess.Popen(
        [EVENHAND, "store", "migrate", "--store", str(path)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    while not _filled(path) and process.poll() is None:
        time.sleep(0.001)
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    left = Left(_version(path), _filled(path), _number(path, "evaluations"))
    _migrate(path)
    return left, _version(path) == len(migrations("sqlite")) and _filled(path) == left.evaluations


def _filled(path: Path) -> int:
    try:
        return _number(path, "cases")
    except sqlite3.OperationalError:  # the table is not there yet
        return 0


def _number(path: Path, table: str) -> int:
    with closing(sqlite3.connect(path, timeout=60)) as connection:
        (number,) = connection.execute(f"SELECT count(*) FROM {table}").fetchone()
        return int(number)


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


def _sound(path: Path) -> bool:
    return subprocess.run([EVENHAND, "store", "check", "--store", str(path)], stdout=sys.stderr).returncode == 0


def _seconds(call: Callable[[], object]) -> float:
    return _timed(call)[1]


def _timed(call: Callable[[], Value]) -> tuple[Value, float]:
    begun = time.perf_counter()
    value = call()
    return value, time.perf_counter() - begun


if __name__ == "__main__":
    main()
