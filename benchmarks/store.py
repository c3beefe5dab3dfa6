"""What keeping evaluations costs, each time beside a bare program that uses sqlite3 directly.

python benchmarks/store.py [--evaluations 100000] [--rounds 9]

Each table is printed as soon as it is measured; all of them take about a minute of processor time. With
--evaluations 1000000 the large store alone takes minutes to fill.

Appending: one after another, and from eight processes at once on one file. The window of a skill among few and among
very many evaluations. The start of a command that keeps what it scores. The bare programs write the same bytes with
the same durability (WAL, synchronous=FULL) and run the same indexed query.
"""

from __future__ import annotations

import argparse
import random
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from pathlib import Path
from statistics import median
from typing import Any

from evenhand import open_store
from evenhand.core.rules import WINDOW
from evenhand.judges.written import judgement_from
from evenhand.judging.evaluated import Evaluated
from evenhand.judging.keeper import Keeper
from evenhand.judging.steps import Steps
from evenhand.store.protocol import Store
from evenhand.store.record import COLUMNS, PAST_COLUMNS, Record, record_of
from evenhand.store.used_rows import ROW_COLUMNS, row_values
from judgement_files import typical
from measuring import EVENHAND, PROJECT, PYTHON, interleaved, table, verdict

SKILLS, FEW = 1_000, 10_000
WRITERS, EACH = 8, 100
START = "evenhand score one.yaml"

_INSERT = f"INSERT INTO evaluations ({', '.join(COLUMNS)}) VALUES ({', '.join('?' * len(COLUMNS))})"
_WINDOW = (
    f"SELECT {', '.join(PAST_COLUMNS)} FROM evaluations WHERE skill = ? AND in_history = 1 "
    f"ORDER BY completed DESC, id DESC LIMIT {WINDOW}"
)

Row = tuple[str, str, str, str, str]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--evaluations", type=int, default=100_000, help="in the large store (100,000)")
    parser.add_argument("--rounds", type=int, default=9, help="how often each measurement is repeated (9)")
    parser.add_argument("--writer", nargs=3, metavar=("KIND", "FILE", "NAME"), help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.writer:
        _write_in_a_crowd(*asked.writer)
        return
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        print("The store beside bare programs, medians of interleaved runs", flush=True)
        _print("Appending, one after another", _appending(folder, asked.rounds))
        _print(f"Appending, {WRITERS} processes at once", _crowds(folder, max(3, asked.rounds // 3)))
        _print("The window of a skill", _windows(folder, asked.evaluations))
        _print("Starting a command", _starts(folder, asked.rounds))


def _print(title: str, rows: list[Row]) -> None:
    print(f"\n{title}\n\n{table(('what', 'times bare', 'target', '', 'here'), rows)}", flush=True)


def _appending(folder: Path, rounds: int) -> list[Row]:
    """One after another on one connection, a hundred a turn."""
    bare, plain, kept = _bare(folder / "bare.db"), open_store(str(folder / "a.db")), open_store(str(folder / "k.db"))
    keeper = Keeper(kept)
    taken: dict[str, list[float]] = {"bare": [], "append": [], "keep": []}
    for number in range(rounds + 1):
        made = list(_evaluations(100, str(number)))
        records = [_record(one, number) for one in made]
        taken["bare"].append(_seconds_each(lambda record: bare.execute(_INSERT, record), records))
        taken["append"].append(_seconds_each(lambda record: _append(plain, record), records))
        taken["keep"].append(_seconds_each(keeper.keep, made))
    bare.close()
    seconds = {name: median(each[1:]) for name, each in taken.items()}  # the first turn makes the files
    return [
        ("a bare insert", "1.0", "", "", _micro(seconds["bare"])),
        _at_most("append one evaluation", seconds["append"], seconds["bare"], 3),
        _at_most("  the same, compared with its history first", seconds["keep"], seconds["bare"], None),
    ]


def _append(store: Store, record: Record) -> None:
    with store.transaction():
        if store.find(record.id, record.fingerprint) is None:
            store.add(record)


def _crowds(folder: Path, rounds: int) -> list[Row]:
    """Eight processes on one new file, from the same moment on until the last has ended."""
    taken: dict[str, list[float]] = {"bare": [], "append": [], "keep": []}
    for number in range(rounds):
        for kind, runs in taken.items():
            runs.append(_crowd(kind, folder / f"crowd-{kind}-{number}.db"))
    rates = {kind: WRITERS * EACH / median(runs) for kind, runs in taken.items()}
    share = rates["append"] / rates["bare"]
    return [
        (f"{WRITERS} bare writers", "1.00", "", "", f"{rates['bare']:,.0f} a second"),
        (
            f"{WRITERS} processes append",
            f"{share:.2f}",
            "at least 0.7",
            verdict(share >= 0.7),
            f"{rates['append']:,.0f} a second",
        ),
        (
            "  the same, compared first",
            f"{rates['keep'] / rates['bare']:.2f}",
            "",
            "",
            f"{rates['keep']:,.0f} a second",
        ),
    ]


def _crowd(kind: str, path: Path) -> float:
    if kind == "bare":
        _bare(path).close()  # made by eight bare programs at once, it would be locked for some of them
    else:
        open_store(str(path)).create()
    command = [PYTHON, __file__, "--writer", kind, str(path)]
    writers: list[Any] = [
        subprocess.Popen([*command, f"writer-{n}"], text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        for n in range(WRITERS)
    ]
    for writer in writers:
        writer.stdout.readline()
    begun = time.perf_counter()
    for writer in writers:
        writer.stdin.write("\n")
        writer.stdin.flush()
    for writer in writers:
        writer.stdout.readline()
    seconds = time.perf_counter() - begun
    for writer in writers:
        writer.communicate()
    with closing(sqlite3.connect(path)) as file:
        (count,) = file.execute("SELECT count(*) FROM evaluations").fetchone()
    if count != WRITERS * EACH or any(writer.returncode for writer in writers):
        sys.exit(f"{count} of {WRITERS * EACH} evaluations were stored by {kind}")
    return seconds


def _write_in_a_crowd(kind: str, path: str, name: str) -> None:
    made = list(_evaluations(EACH, name))
    records = [_record(one, 0) for one in made]
    store = open_store(path)  # nothing is opened yet
    keeper = Keeper(store)
    print("ready", flush=True)
    sys.stdin.readline()
    if kind == "bare":
        connection = _bare(Path(path))
        for record in records:
            connection.execute(_INSERT, record)
    for record in records if kind == "append" else ():
        _append(store, record)
    for one in made if kind == "keep" else ():
        keeper.keep(one)
    print("done", flush=True)


def _windows(folder: Path, many: int) -> list[Row]:
    """The newest ten of a skill, by the store and by the query alone, on the same file."""
    rows: list[Row] = []
    found: dict[int, float] = {}
    for count in (FEW, many):
        path = folder / f"{count}.db"
        _fill(path, count)
        found[count], bare = _window_seconds(path)
        rows.append(("the bare indexed query", "1.0", "", "", _micro(bare)))
        rows.append(_at_most(f"the window among {count:,}", found[count], bare, 8))
        path.unlink()
    rows.append((f"  {many:,} against {FEW:,}", f"{found[many] / found[FEW]:.2f}", "", "", ""))
    return rows


def _window_seconds(path: Path) -> tuple[float, float]:
    """The store's median and the bare query's, on the same skills, each being first in turn."""
    store, bare = open_store(str(path)), sqlite3.connect(path)
    ways: dict[str, Callable[[str], object]] = {
        "store": store.window,
        "bare": lambda skill: bare.execute(_WINDOW, (skill,)).fetchall(),
    }
    taken: dict[str, list[float]] = {name: [] for name in ways}
    for turn, number in enumerate(random.Random(20).choices(range(SKILLS), k=1_000)):
        for name in ways if turn % 2 else reversed(ways):
            taken[name].append(_seconds_each(ways[name], [f"skill-{number}"]))
    store.close()
    bare.close()
    return median(taken["store"]), median(taken["bare"])


def _fill(path: Path, count: int) -> None:
    """Made-up evaluations of a thousand skills in turn, in one transaction."""
    store = open_store(str(path))
    store.create()
    store.close()
    chance = random.Random(20)
    like = _record(next(_evaluations(1, "like")), 0)
    words = like.scorecard[:300]

    def rows() -> Iterator[tuple[Any, ...]]:
        for n in range(count):
            final = chance.randrange(100, 1001)
            yield row_values(
                like._replace(
                    id=f"{n:012x}",
                    skill=f"skill-{n % SKILLS}",
                    completed=n,
                    final=final,
                    fingerprint=None,
                    scorecard=words,
                )
            )

    places = ", ".join("?" * len(ROW_COLUMNS))
    with closing(sqlite3.connect(path)) as file, file:
        file.executemany(f"INSERT INTO evaluations ({', '.join(ROW_COLUMNS)}) VALUES ({places})", rows())


def _starts(folder: Path, rounds: int) -> list[Row]:
    """A new evaluation every time, with ten before it to be compared with."""
    text = (PROJECT / "examples" / "review.yaml").read_text(encoding="utf-8")
    (folder / "one.yaml").write_text("\n".join(line for line in text.splitlines() if not line.startswith("output:")))
    score = [EVENHAND, "score", str(folder / "one.yaml"), "--store", str(folder / "start.db")]
    for _ in range(WINDOW):
        subprocess.run(score, check=True, capture_output=True)
    commands = {
        "python -c pass": [PYTHON, "-c", "pass"],
        START: score,
        f"{START} --format json": [*score, "-f", "json"],
    }
    runs = interleaved(commands, rounds, folder)
    seconds = {name: median(run.seconds for run in each) for name, each in runs.items()}
    nothing = seconds.pop("python -c pass")
    rows: list[Row] = [("python -c pass", "1.0", "", "", f"{nothing * 1000:.0f} ms")]
    for name, each in seconds.items():
        rows.append((*_at_most(name, each, nothing, 22)[:4], f"{each * 1000:.0f} ms"))
    return rows


def _evaluations(count: int, name: str) -> Iterator[Evaluated]:
    """Judgements with their reasons and a text of two kilobytes, scored."""
    chance, steps = random.Random(name), Steps()
    for place in range(count):
        judgement = typical(chance, place) | {"id": f"{name}-{place}", "skill": f"skill-{place % 20}"}
        yield steps.evaluate_written(judgement_from(judgement), output=f"{name} {place} " + "What was judged. " * 120)


def _record(one: Evaluated, completed: int) -> Record:
    return record_of(one.card, completed=completed, submission=one.submission, keep_text=True)


def _bare(path: Path) -> sqlite3.Connection:
    """A table as one would write it, with its key and no more."""
    connection = sqlite3.connect(path, timeout=60, isolation_level=None)
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA synchronous = FULL")
    columns = ", ".join(COLUMNS).replace("id,", "id TEXT PRIMARY KEY,", 1)
    connection.execute(f"CREATE TABLE IF NOT EXISTS evaluations ({columns})")
    return connection


def _seconds_each(way: Callable[[Any], object], items: Sequence[Any]) -> float:
    begun = time.perf_counter()
    for item in items:
        way(item)
    return (time.perf_counter() - begun) / len(items)


def _at_most(name: str, taken: float, bare: float, target: float | None) -> Row:
    ratio = taken / bare
    wanted = ("", "") if target is None else (f"at most {target}", verdict(ratio <= target))
    return (name, f"{ratio:.1f}", *wanted, _micro(taken))


def _micro(seconds: float) -> str:
    return f"{seconds * 1e6:,.0f} µs"


if __name__ == "__main__":
    main()
