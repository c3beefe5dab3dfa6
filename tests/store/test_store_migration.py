"""Stores of earlier versions brought up to date: by another way than before to the same tables, also after a kill."""

from __future__ import annotations

import json
import shutil
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

import evenhand
from evenhand.errors import StoreUnavailable
from evenhand.store.databases.sqlite_file import ReadOnlyFile
from evenhand.store.databases.sqlite_store import SqliteStore
from evenhand.store.evaluation_store import migrations
from evenhand.store.protocol import Store
from evenhand.store.tables import judging_calls
from evenhand.store.tables.judging_calls import CallSums

BEFORE_CALLS = 13
"""The version whose next migration notes that what judges were asked is on scorecards."""

EARLIER_WAY = {
    "sqlite": """
INSERT INTO judging_calls (id, skill, completed, asked, input_tokens, output_tokens, cost)
SELECT id, skill, completed, coalesce(json_extract(scorecard, '$.panel.calls.asked'), 0),
  coalesce(json_extract(scorecard, '$.panel.calls.input_tokens'), 0),
  coalesce(json_extract(scorecard, '$.panel.calls.output_tokens'), 0),
  CAST(round(json_extract(scorecard, '$.panel.calls.cost') * 1e9) AS INTEGER)
FROM evaluations
WHERE id > coalesce((SELECT max(id) FROM judging_calls), '') AND instr(scorecard, '"calls":{"asked":') > 0
  AND instr(scorecard, '"rescored_from":') = 0 AND json_valid(scorecard)
ORDER BY id
LIMIT 20000
""",
    "postgresql": """
INSERT INTO judging_calls (id, skill, completed, asked, input_tokens, output_tokens, cost)
SELECT id, skill, completed, coalesce(substring(calls from '"asked":([0-9]+)')::bigint, 0),
  coalesce(substring(calls from '"input_tokens":([0-9]+)')::bigint, 0),
  coalesce(substring(calls from '"output_tokens":([0-9]+)')::bigint, 0),
  round(substring(calls from '"cost":([0-9.eE+-]+)')::numeric * 1000000000)::bigint
FROM (
  SELECT id, skill, completed,
    split_part(substr(scorecard, strpos(scorecard, '"calls":{"asked":') + 8), '}', 1) AS calls
  FROM evaluations
  WHERE id > coalesce((SELECT max(id) FROM judging_calls), '') AND strpos(scorecard, '"calls":{"asked":') > 0
    AND strpos(scorecard, '"rescored_from":') = 0
  ORDER BY id
  LIMIT 20000
) AS asked
""",
}
"""Migration 14 as it was first released: stores that it filled are out there."""

CALLS = {"asked": 3, "stored": 0, "repairs": 0, "input_tokens": 1200, "output_tokens": 340, "cost": 0.0123456789}
SCORECARDS = {
    "priced": {"panel": {"members": [], "calls": CALLS}},
    "unpriced": {"panel": {"calls": {**CALLS, "cost": None}}},
    "short": {"panel": {"calls": {"asked": 0}}},
    "rescored": {"rescored_from": "priced", "panel": {"calls": CALLS}},
    "by a person": {"panel": None},
    "quoted": {"task": 'What does "calls":{"asked":3} mean?'},
    "both": {"task": '"rescored_from":', "panel": {"calls": CALLS}},
}


INSERT = (
    "INSERT INTO evaluations (id, skill, completed, created, rubric, rubric_sha256, judge, scorecard) "
    "VALUES (?, 'notes', ?, '2026-01-02T03:04:05.000Z', 'r', 'r', ?, ?)"
)
PERSON = '{"name":"human:ana \\",\\" lee"}'
JUDGES = {
    "priced": '{"name":"a","model":"m","provider":"p"}',
    "unpriced": '{"model":"m","name":"a","provider":"p"}',
    "short": '{"name":"panel","judges":"a + b"}',
    "rescored": '{"name":"a","model":"m","provider":"p"}',
    "quoted": '{"name":"checks","version":"3"}',
    "both": "{}",
}
"""Who judged, as the store keeps it; people gave the others."""


def scorecards() -> dict[str, str]:
    return {id: json.dumps({"id": id, **card}, separators=(",", ":")) for id, card in SCORECARDS.items()}


def store_before_calls(path: Path) -> Path:
    """A store that an earlier version wrote, with scorecards of all kinds and a damaged one."""
    texts = scorecards()
    texts["damaged"] = texts["priced"][:-1]
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        for migration in migrations("sqlite")[:BEFORE_CALLS]:
            run(connection, migration.read_text())
        for number, (id, text) in enumerate(texts.items()):
            connection.execute(INSERT, (id, number, JUDGES.get(id, PERSON), text))
            connection.execute("INSERT INTO cases VALUES (?, ?)", (id, id))
        connection.execute(f"PRAGMA user_version = {BEFORE_CALLS}")
    return path


def run(connection: sqlite3.Connection, statements: str) -> None:
    for statement in statements.split(";\n"):
        connection.execute(statement)


def contents(path: Path) -> dict[str, list[tuple]]:
    """The definitions of all tables, indexes and triggers, and the rows of the tables."""
    with closing(sqlite3.connect(path)) as connection:
        defined = connection.execute("SELECT type, name, sql FROM sqlite_master ORDER BY name").fetchall()
        tables = [name for kind, name, _ in defined if kind == "table"]
        rows = {table: sorted(connection.execute(f'SELECT * FROM "{table}"').fetchall(), key=repr) for table in tables}
        return {"definitions": defined, "version": connection.execute("PRAGMA user_version").fetchall(), **rows}


FILLED = [
    ("both", "notes", 6, 3, 1200, 340, 12_345_679),
    ("priced", "notes", 0, 3, 1200, 340, 12_345_679),
    ("short", "notes", 2, 0, 0, 0, None),
    ("unpriced", "notes", 1, 3, 1200, 340, None),
]
"""3 replies, 1200 tokens in, 340 out, 0.0123456789 dollars: 12,345,679 billionths, rounded."""
IN_ALL = CallSums(4, 9, 3600, 1020, 24_691_358, 1)
"""Of those four: 3 times 3 replies, twice the price, once none."""


def test_reading_scorecards_later_and_filling_the_table_at_once_lead_to_the_same_tables(tmp_path):
    now = store_before_calls(tmp_path / "now.db")
    earlier = Path(shutil.copyfile(now, tmp_path / "earlier.db"))
    with closing(sqlite3.connect(earlier, isolation_level=None)) as connection:
        connection.execute(EARLIER_WAY["sqlite"])
        connection.execute(f"PRAGMA user_version = {BEFORE_CALLS + 1}")
    for path in (now, earlier):
        with closing(evenhand.open_store(str(path))) as store:
            store.migrate()
            assert store.calls_between(0, 99) == IN_ALL
            assert store.read_earlier_calls() is False
            assert store.calls_between(0, 99) == IN_ALL
    assert contents(now) == contents(earlier)
    assert contents(now)["judging_calls"] == FILLED
    assert contents(now)["earlier_calls"] == []


def with_earlier_calls(store: Store) -> None:
    """Evaluations as they are after the migration: none of their calls is in the table."""
    with store.transaction():
        texts = enumerate(scorecards().items())
        store._write(INSERT, [(id, number, JUDGES.get(id, PERSON), text) for number, (id, text) in texts])
        store._write("INSERT INTO cases VALUES (?, ?)", [(id, id) for id in SCORECARDS])
        store._write("INSERT INTO earlier_calls VALUES (?)", [("",)])


def test_judges_were_asked_as_often_by_the_earlier_way_in_both_kinds_of_store(store):
    """Each fills the table by itself, and both with the same rows; so does a step back to a version that needs it."""
    with_earlier_calls(store)
    with store.transaction():
        store._write(EARLIER_WAY[store.dialect], [()])
    assert sorted(store._rows("SELECT * FROM judging_calls")) == FILLED
    with store.transaction():
        store._write("DELETE FROM judging_calls WHERE id <> ?", [("",)])
    assert store.read_earlier_calls() is False
    assert sorted(store._rows("SELECT * FROM judging_calls")) == FILLED
    with store.transaction():
        store._write("DELETE FROM judging_calls WHERE id <> ?", [("short",)])
        store._write("INSERT INTO earlier_calls VALUES (?)", [("",)])
    store.roll_back(18)
    store.migrate()
    assert sorted(store._rows("SELECT * FROM judging_calls")) == FILLED
    assert store._rows("SELECT * FROM earlier_calls") == []


def test_sums_are_whole_however_far_the_scorecards_are_read(store, monkeypatch):
    """In parts of one evaluation: the table grows, what is left on scorecards shrinks, and the sums stay."""
    monkeypatch.setattr(judging_calls, "_PART", 1)
    with_earlier_calls(store)
    by_part = store.calls_in_parts("notes", 0, 2, 99)
    assert by_part == {
        0: CallSums(2, 6, 2400, 680, 12_345_679, 1),
        1: CallSums(1),
        3: CallSums(1, 3, 1200, 340, 12_345_679),
    }
    for _ in range(9):
        assert store.calls_between(0, 99) == store.calls_between(0, 99, skill="notes") == IN_ALL
        assert store.calls_between(1, 2) == CallSums(1, 3, 1200, 340, 0, 1)
        assert store.calls_between(0, 99, skill="other") == CallSums()
        assert store.calls_in_parts("notes", 0, 2, 99) == by_part
        if not store.read_earlier_calls():
            break
    assert sorted(store._rows("SELECT * FROM judging_calls")) == FILLED
    assert store._rows("SELECT * FROM earlier_calls") == []


def test_what_is_added_meanwhile_counts_once(store, monkeypatch):
    """A new evaluation has its row at once, whether its id comes before the mark or after it."""
    monkeypatch.setattr(judging_calls, "_PART", 1)
    with_earlier_calls(store)
    assert store.read_earlier_calls() is True
    row = "INSERT INTO judging_calls VALUES (?, 'notes', 50, 1, 10, 5, 7)"
    text = json.dumps({"panel": {"calls": {"asked": 1, "input_tokens": 10, "output_tokens": 5}}}, separators=(",", ":"))
    with store.transaction():
        store._write(INSERT, [(id, 50, JUDGES["priced"], text) for id in ("a", "zz")])
        store._write(row, [("a",), ("zz",)])
    expected = CallSums(6, 11, 3620, 1030, 24_691_372, 1)
    assert store.calls_between(0, 99) == expected
    while store.read_earlier_calls():
        assert store.calls_between(0, 99) == expected
    assert store.calls_between(0, 99) == expected


def test_sums_begin_again_when_a_part_is_read_between_their_two_halves(store, monkeypatch):
    """Otherwise what moved from scorecards into the table in that moment would be in neither half."""
    with_earlier_calls(store)
    stream, meanwhile = store._stream, [store.read_earlier_calls]

    def with_another_reader(statement: str, values: Sequence[Any] = ()) -> Iterator[tuple[Any, ...]]:
        if meanwhile:
            meanwhile.pop()()
        return stream(statement, values)

    monkeypatch.setattr(store, "_stream", with_another_reader)
    assert store.calls_between(0, 99) == IN_ALL
    assert meanwhile == []


def test_a_store_that_cannot_be_written_has_whole_sums_too(tmp_path):
    path = store_before_calls(tmp_path / "store.db")
    with closing(evenhand.open_store(str(path))) as store:
        store.migrate()
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA journal_mode = DELETE")
    before = path.read_bytes()
    with closing(evenhand.open_store(str(path))) as store:
        assert isinstance(store, SqliteStore)
        store._read_only = ReadOnlyFile(path)
        assert store.calls_between(0, 99) == IN_ALL
        with pytest.raises(StoreUnavailable, match="readonly"):
            store.read_earlier_calls()
        assert store.calls_between(0, 99) == IN_ALL
    assert path.read_bytes() == before


@pytest.mark.parametrize("asked", ["null", '"3"', "[3]", "3.5", "-3", "9" * 19, '3,"cost":1e11', '3,"cost":"NaN"'])
def test_numbers_that_are_damaged_stop_neither_sums_nor_reading(store, asked):
    """As of any damaged scorecard, its calls do not count."""
    with_earlier_calls(store)
    text = f'{{"panel":{{"calls":{{"asked":{asked}}}}}}}'
    with store.transaction():
        store._write(INSERT, [("damaged", 50, JUDGES["priced"], text)])
    assert store.calls_between(0, 99) == IN_ALL
    assert store.read_earlier_calls() is False
    assert store.calls_between(0, 99) == IN_ALL


def test_a_copy_of_a_store_with_unread_scorecards_has_the_same_sums(tmp_path):
    path = store_before_calls(tmp_path / "store.db")
    with closing(evenhand.open_store(str(path))) as store:
        store.migrate()
        assert isinstance(store, SqliteStore)
        store.backup(tmp_path / "copy.db")
        assert store.check() == []
    with closing(evenhand.open_store(str(tmp_path / "copy.db"))) as copy:
        assert copy.calls_between(0, 99) == IN_ALL
        assert copy.read_earlier_calls() is False
        assert copy.calls_between(0, 99) == IN_ALL


def test_a_new_store_has_nothing_to_read_from_scorecards(store):
    assert store._rows("SELECT * FROM earlier_calls") == []
    assert store.read_earlier_calls() is False


READ_AND_KILLED = """
import os, signal, sys
from contextlib import closing
import evenhand
from evenhand.store.tables import judging_calls

judging_calls._PART = 1
with closing(evenhand.open_store(sys.argv[1])) as store:
    store.read_earlier_calls()
    write = store._write
    def killed(statement, rows):
        write(statement, rows)
        os.kill(os.getpid(), signal.SIGKILL)
    store._write = killed
    store.read_earlier_calls()
"""


@pytest.mark.slow
def test_a_killed_reader_of_scorecards_leaves_whole_parts(tmp_path):
    path = store_before_calls(tmp_path / "store.db")
    child = subprocess.run([sys.executable, "-c", READ_AND_KILLED, str(path)], capture_output=True)
    assert child.returncode == -signal.SIGKILL
    assert contents(path)["judging_calls"] == FILLED[:1]
    assert contents(path)["earlier_calls"] == [("both",)]
    with closing(evenhand.open_store(str(path))) as store:
        assert store.calls_between(0, 99) == IN_ALL
        assert store.read_earlier_calls() is False
        assert store.check() == []
    assert contents(path)["judging_calls"] == FILLED


KILLED = """
import os, signal, sys
from contextlib import closing
from pathlib import Path
import evenhand
from evenhand.store import evaluation_store
from evenhand.store.databases import sqlite

evaluation_store.MIGRATIONS = Path(sys.argv[2])
parts = []

def killed_in_the_second_part(path):
    parts.extend([path] if evaluation_store.in_parts(path) else [])
    if len(parts) == 2:
        os.kill(os.getpid(), signal.SIGKILL)
    return evaluation_store.in_parts(path)

sqlite.in_parts = killed_in_the_second_part
with closing(evenhand.open_store(sys.argv[1])) as store:
    store.migrate()
"""


@pytest.mark.slow
def test_a_killed_migration_goes_on_with_the_part_that_was_lost(tmp_path, monkeypatch):
    """Of eight cases the first three stay; the three of the part in which the kill came, and the rest, follow."""
    from evenhand.store import evaluation_store

    path = store_before_calls(tmp_path / "store.db")
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        run(connection, "DROP TABLE judging_calls;\nDROP TABLE cases;\nPRAGMA user_version = 10")
        run(connection, "DROP INDEX evaluations_by_final;\nDROP INDEX evaluations_of_skill_by_final")
    whole = Path(shutil.copyfile(path, tmp_path / "whole.db"))
    folder = shutil.copytree(evaluation_store.MIGRATIONS, tmp_path / "migrations")
    for migration in folder.glob("*/*_in_parts.sql"):
        migration.write_text(migration.read_text().replace("20000", "3"))
    child = subprocess.run([sys.executable, "-c", KILLED, str(path), str(folder)], capture_output=True)
    assert child.returncode == -signal.SIGKILL
    left = contents(path)
    assert left["version"] == [(11,)]
    assert left["cases"] == [(id, id) for id in ("both", "by a person", "damaged")]
    for one in (path, whole):
        with closing(evenhand.open_store(str(one))) as store:
            assert store.migrate()[-1] == migrations("sqlite")[-1].stem
            assert store.check() == store.stray_cases() == []
    assert contents(path) == contents(whole)
    assert len(contents(path)["cases"]) == 8
