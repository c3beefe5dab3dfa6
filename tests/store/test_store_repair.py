"""Rules of reading a damaged store, of mending what can be mended, and of opening and closing its file."""

from __future__ import annotations

import json
import sqlite3
import threading
from collections.abc import Iterator
from contextlib import closing
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from conftest import judged, seven

import evenhand
from evenhand import clock
from evenhand.errors import InputError, StoreUnavailable
from evenhand.files.located import Located
from evenhand.store import soundness
from evenhand.store.databases import sqlite
from evenhand.store.databases.damaged_table import damaged_rows, lenient_text
from evenhand.store.databases.sqlite_file import ReadOnlyFile, connect, is_sqlite, open_tables
from evenhand.store.databases.sqlite_store import SqliteStore
from evenhand.store.record import Record, record_of
from evenhand.store.sql_connection import ReadRow
from evenhand.store.tables.web_log import LogEntry
from evenhand.store.transfer import exported, import_lines
from evenhand.store.used_rows import row_values
from evenhand.work.submission import Submission

A_DAY = 86_400_000_000
MOMENT = clock.microseconds("2026-01-01T00:00:00Z")
"""When the scorecards of these tests were made."""


def record(id: str = "a", completed: int = MOMENT, *, output: str | None = None, score: int = 8) -> Record:
    submission = None if output is None else Submission(output=output)
    card = judged(seven(score), id=id, skill="code")
    if submission is not None:
        card = evenhand.score(
            {"scores": seven(score), "skill": "code"}, output=output, id=id, created="2026-01-01T00:00:00Z"
        )
    return record_of(card, completed=completed, submission=submission, keep_text=True)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[SqliteStore]:
    with closing(SqliteStore(tmp_path / "s.db")) as opened:
        yield opened


def add(store: SqliteStore, *records: Record) -> None:
    with store.transaction():
        store.add_all(records)


# --- a table that may be damaged


class Broken:
    """A connection to a table of which some rows, or everything at once, cannot be read."""

    def __init__(self, rows: dict[int, str | None], index: list[int] | None, highest: object = 0) -> None:
        self.rows, self.index, self.highest = rows, index, highest
        self.text_factory: Any = str
        self.asked: list[int] = []

    def execute(self, statement: str, values: tuple[int, ...] = ()) -> Any:
        if "NOT INDEXED" in statement:
            return self._all()
        if "pragma_index_list" in statement:
            return Rows([] if self.index is None else [("i",)])
        if "INDEXED BY" in statement:
            return iter([(number,) for number in self.index or ()])
        if "max(rowid)" in statement:
            if isinstance(self.highest, Exception):
                raise self.highest
            return Rows([(self.highest,)])
        (number,) = values
        self.asked.append(number)
        if self.rows.get(number, "") is None:
            raise sqlite3.DatabaseError(f"row {number} is malformed")
        return Rows([(number, self.rows[number])] if number in self.rows else [])

    def _all(self) -> Iterator[tuple[int, str]]:
        for number, value in self.rows.items():
            if value is None:
                raise sqlite3.DatabaseError("malformed")
            yield number, value


class Rows(list[tuple[Any, ...]]):
    def fetchall(self) -> list[tuple[Any, ...]]:
        return list(self)

    def fetchone(self) -> tuple[Any, ...] | None:
        return self[0] if self else None


def read(connection: Broken) -> list[ReadRow]:
    return list(damaged_rows(connection, "t", ("a",)))  # type: ignore[arg-type]


@pytest.mark.parametrize(("data", "text"), [(b"a", "a"), (b"a\xff", "a\udcff"), ("é".encode(), "é")])
def test_text_is_read_as_far_as_it_can_be(data: bytes, text: str) -> None:
    assert lenient_text(data) == text


# --- examining and mending


def change(store: SqliteStore, statement: str, *values: object) -> None:
    with closing(sqlite3.connect(store.url)) as connection:
        for (trigger,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'").fetchall():
            connection.execute(f"DROP TRIGGER {trigger}")  # a failing disk asks nobody
        connection.execute(statement, values)
        connection.commit()


def examined(store: SqliteStore) -> dict[str, soundness.Examined]:
    return {item.name: item for item in soundness.examine(store)}


def test_a_sound_store_has_no_problems(store: SqliteStore) -> None:
    add(store, record("a"), record("b", MOMENT + 5, output="text"))
    found = examined(store)
    assert [(name, item.problems) for name, item in found.items()] == [("a", ()), ("b", ())]
    assert found["b"].content == store.find("b", None)


@pytest.mark.parametrize(
    ("column", "value", "problem"),
    [
        ("final", 100, "the column final says 100, the scorecard 800"),
        ("grade", "F", "the column grade says F, the scorecard B+"),
        ("rubric", b"\xff", "the column rubric holds bytes instead of text"),
        ("completed", MOMENT + 1, f"its completion time ({MOMENT + 1}) or checksum was changed"),
        ("checksum", 5, f"its completion time ({MOMENT}) or checksum was changed"),
    ],
)
def test_what_is_wrong_with_a_column_is_named_and_mended_by_the_scorecard(
    store: SqliteStore, column: str, value: object, problem: str
) -> None:
    add(store, record())
    store.close()
    change(store, f"UPDATE evaluations SET {column} = ?", value)
    item = examined(store)["a"]
    assert problem in item.problems
    content = item.content
    if column == "rubric":
        return
    assert isinstance(content, Record)
    assert content._replace(completed=MOMENT) == record()


@pytest.mark.parametrize(
    ("completed", "kept"),
    [(MOMENT, MOMENT), (MOMENT - 1, MOMENT), (MOMENT + A_DAY - 1, MOMENT + A_DAY - 1), (MOMENT + A_DAY, MOMENT)],
)
def test_a_moment_within_a_day_of_the_scorecard_is_kept(store: SqliteStore, completed: int, kept: int) -> None:
    add(store, record(completed=completed))
    store.close()
    change(store, "UPDATE evaluations SET checksum = checksum + 1")
    content = examined(store)["a"].content
    assert isinstance(content, Record) and content.completed == kept


def test_a_time_with_a_valid_checksum_is_kept_however_far_off_it_is(store: SqliteStore) -> None:
    """Only another column is wrong."""
    add(store, record(completed=MOMENT + 3 * A_DAY))
    store.close()
    change(store, "UPDATE evaluations SET grade = 'F'")
    content = examined(store)["a"].content
    assert isinstance(content, Record) and content.completed == MOMENT + 3 * A_DAY


def test_a_scorecard_that_was_changed_cannot_be_mended(store: SqliteStore) -> None:
    add(store, record("a"), record("b"))
    store.close()
    change(store, "UPDATE evaluations SET scorecard = replace(scorecard, '\"final\":8', '\"final\":9') WHERE id = 'a'")
    change(store, "UPDATE evaluations SET scorecard = '[]' WHERE id = 'b'")
    found = examined(store)
    assert found["a"].content is None and found["b"].content is None
    left_out: list[str] = []
    assert list(soundness.sound_evaluations(store, left_out)) == []
    assert left_out[0].startswith("a: ") and left_out[-1].startswith("b: ")


def test_a_text_that_was_changed_is_left_out_and_the_evaluation_kept(store: SqliteStore) -> None:
    add(store, record("a", output="right"))
    store.close()
    change(store, "UPDATE evaluations SET submission = replace(submission, 'right', 'wrong')")
    item = examined(store)["a"]
    assert isinstance(item.content, Record) and item.content.submission is None and item.problems
    change(store, "UPDATE evaluations SET submission = CAST(x'ff' AS TEXT)")
    item = examined(store)["a"]
    assert item.problems == ("the column submission is not UTF-8",)
    assert isinstance(item.content, Record) and item.content.submission is None


def test_an_id_that_cannot_be_printed_is_named_by_its_row(store: SqliteStore) -> None:
    add(store, record())
    store.close()
    change(store, "UPDATE evaluations SET id = 'a' || char(10)")
    assert list(examined(store)) == ["row 1"]


@pytest.mark.parametrize(("number", "name"), [(7, "row 7"), (0, "some rows")])
def test_a_row_that_cannot_be_read_is_named_by_its_number(
    store: SqliteStore, monkeypatch: pytest.MonkeyPatch, number: int, name: str
) -> None:
    monkeypatch.setattr(store, "careful_rows", lambda table, columns: iter([ReadRow(number, None, "lost")]))
    found = [item for item in soundness.examine(store) if item.table in ("evaluations", "labels")]
    assert [(item.name, item.content, item.problems) for item in found] == [
        (name, None, ("lost",)),
        (f"labels, {name}", None, ("lost",)),
    ]


def test_rows_beside_evaluations_are_kept_if_they_are_sound(store: SqliteStore) -> None:
    with store.transaction():
        store.note_calibration("m", "2026", "h")
        store.note_calibration("n", "2026", "h")
    store.close()
    change(store, "UPDATE judge_calibrations SET sha256 = x'ff' WHERE judge = 'n'")
    left_out: list[str] = []
    assert list(soundness.sound_rows(store, left_out)) == [
        ("judge_calibrations", {"judge": "m", "created": "2026", "sha256": "h"})
    ]
    assert left_out == ["judge_calibrations, row 2: the column sha256 holds bytes instead of text"]


def test_repair_counts_what_it_saved_mended_and_lost(store: SqliteStore, tmp_path: Path) -> None:
    """With the dashboard's log and its secret, which no export has; the damaged file stays as it is."""
    add(store, record("a"), record("b", MOMENT + 1), record("c", MOMENT + 2))
    secret = store.secret()
    with store.transaction():
        store.note_calibration("m", "2026", "h")
        store.add_log(LogEntry("2026", "ana", "", "signed in", ""))
        store.add_log(LogEntry("2027", "bob", "", "signed in", ""))
    store.close()
    change(store, "UPDATE evaluations SET grade = 'F' WHERE id = 'b'")
    change(store, "UPDATE evaluations SET scorecard = '[]' WHERE id = 'c'")
    change(store, "UPDATE web_log SET person = x'ff' WHERE id = 2")
    before = (tmp_path / "s.db").read_bytes()
    repaired = soundness.repair(store)
    assert (repaired.path, repaired.evaluations, repaired.rows) == (tmp_path / "s.repaired.db", 2, 3)
    assert repaired.mended == ["b: the column grade says F, the scorecard B+"]
    assert len(repaired.lost) == 2 and repaired.lost[0].startswith("c: ")
    assert repaired.lost[1] == "web_log, row 2: the column person holds bytes instead of text"
    assert (tmp_path / "s.db").read_bytes() == before
    assert sorted(path.name for path in tmp_path.glob("*.part")) == []
    with closing(SqliteStore(repaired.path)) as saved:
        assert [one.id for one in saved.evaluations()] == ["a", "b"]
        assert saved.secret() == secret and [entry.person for _, entry in saved.log_entries(limit=5)] == ["ana"]
        assert saved.check() == []
    store.close()
    assert soundness.repair(store).path == tmp_path / "s.repaired-2.db"
    store.close()
    assert soundness.repair(store).path == tmp_path / "s.repaired-3.db"


def test_an_evaluation_that_comes_twice_is_saved_once(store: SqliteStore, monkeypatch: pytest.MonkeyPatch) -> None:
    add(store, record())
    rows = {"evaluations": [ReadRow(1, row_values(record(), 1)), ReadRow(2, row_values(record(), 2))]}
    monkeypatch.setattr(store, "careful_rows", lambda table, columns: iter(rows.get(table, [])))
    repaired = soundness.repair(store)
    assert (repaired.evaluations, repaired.lost) == (1, ["a: another row is the same evaluation"])


def test_a_repair_that_fails_leaves_no_file(
    store: SqliteStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    add(store, record())
    store.close()

    def fails(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(soundness, "_save", fails)
    before = sorted(tmp_path.iterdir())
    with pytest.raises(KeyboardInterrupt):
        soundness.repair(store)
    assert [path for path in sorted(tmp_path.iterdir()) if "repaired" in path.name] == []
    assert {path.name for path in before} <= {path.name for path in tmp_path.iterdir()}


# --- rows that a comparison uses


# --- the file


@pytest.mark.parametrize(
    ("content", "is_one"), [(b"SQLite format 3\0rest", True), (b"SQLite format 3", False), (b"", False)]
)
def test_a_sqlite_file_is_known_by_its_first_bytes(tmp_path: Path, content: bytes, is_one: bool) -> None:
    (tmp_path / "f").write_bytes(content)
    assert is_sqlite(tmp_path / "f") is is_one
    assert is_sqlite(tmp_path) is False
    assert is_sqlite(tmp_path / "absent") is False


MESSAGES = {
    "database is locked": "another process is using it; try again when it is done",
    "attempt to write a readonly database": "the file or its folder is read-only; change that",
    "database or disk is full": "the disk is full; make room and score again",
    "unable to open database file": "the file cannot be opened; look at the path",
    "file is not a database": "the file is not a SQLite database; move it away",
    "database disk image is malformed": "the file is damaged, and nothing is added to it",
    "no such table: evaluations": "the file is damaged",
    "no such column: x": "the file is damaged",
    "unsupported file format": "the file is damaged",
    "table x already exists": "the file is damaged",
    "disk I/O error": "the disk cannot be read or written; it may be full or damaged",
}


@pytest.mark.parametrize(("message", "advice"), MESSAGES.items())
def test_an_error_of_sqlite_says_what_to_do(store: SqliteStore, message: str, advice: str) -> None:
    said = str(store._unavailable(sqlite3.OperationalError(message)))
    assert said.startswith(f"{store.url}: {message}; {advice}")


def test_an_error_that_is_not_known_is_given_as_it_is(store: SqliteStore) -> None:
    assert str(store._unavailable(sqlite3.OperationalError("something else"))) == f"{store.url}: something else"


@pytest.mark.parametrize(
    ("message", "stops"),
    [("database disk image is malformed", True), ("Could not decode to UTF-8 column 'a' with text 'xyz'", True),
     ("database is locked", False), ("no such table: x", False)],
)  # fmt: skip
def test_damage_that_was_met_stops_all_further_writing(store: SqliteStore, message: str, stops: bool) -> None:
    store.create()
    said = str(store._unavailable(sqlite3.OperationalError(message)))
    assert "xyz" not in said
    if message.startswith("Could not"):
        assert said.startswith(f"{store.url}: text that is not UTF-8 column 'a'; the file is damaged")
    if stops:
        with pytest.raises(StoreUnavailable, match="save what is sound with: evenhand store check --repair"):
            add(store, record())
    else:
        add(store, record())


def test_a_store_that_was_closed_opens_again(store: SqliteStore) -> None:
    add(store, record("a"))
    store.close()
    store.close()
    add(store, record("b", MOMENT + 1))
    assert [one.id for one in store.evaluations()] == ["a", "b"]
    store.close()
    assert store.find("a", None) is not None


def test_a_transaction_is_one_threads_until_it_is_left(store: SqliteStore) -> None:
    """Another thread waits, so that its statements are not part of it."""
    store.create()
    order: list[str] = []
    begun = threading.Event()

    def other() -> None:
        begun.set()
        with store.transaction():
            order.append("other")

    with store.transaction():
        thread = threading.Thread(target=other)
        thread.start()
        assert begun.wait(60)
        order.append("first")
    thread.join(60)
    assert order == ["first", "other"]


def test_what_cannot_be_rolled_back_is_gone_with_the_connection(store: SqliteStore) -> None:
    store.create()

    class Stuck:
        in_transaction = True

        def execute(self, statement: str) -> None:
            raise sqlite3.OperationalError("stuck")

        def close(self) -> None:
            pass

    store._roll_back(Stuck())  # type: ignore[arg-type]
    add(store, record())
    assert store.find("a", None) is not None


def test_threads_may_share_a_connection(tmp_path: Path) -> None:
    with closing(connect(tmp_path / "new.db")) as connection:
        found: list[Any] = []
        thread = threading.Thread(target=lambda: found.extend(connection.execute("SELECT 1").fetchall()))
        thread.start()
        thread.join()
        assert found == [(1,)]


def test_tables_that_cannot_be_made_leave_no_connection(tmp_path: Path) -> None:
    with closing(open_tables(tmp_path / "sub" / "t.db", "CREATE TABLE t (a)")) as connection:
        assert connection.execute("SELECT count(*) FROM t").fetchone() == (0,)
    with pytest.raises(sqlite3.Error):
        open_tables(tmp_path / "u.db", "CREATE nonsense")
    (tmp_path / "file").touch()
    with pytest.raises(StoreUnavailable, match=r"the folder cannot be created"):
        open_tables(tmp_path / "file" / "t.db")


class Locked:
    """A connection on which turning WAL on fails some times."""

    def __init__(self, failures: list[str]) -> None:
        self.failures = failures
        self.statements: list[str] = []

    def execute(self, statement: str) -> Locked:
        self.statements.append(statement)
        if statement == "PRAGMA journal_mode = WAL" and self.failures:
            raise sqlite3.OperationalError(self.failures.pop(0))
        return self

    def fetchone(self) -> tuple[str]:
        return ("delete",)


def made(path: Path) -> Path:
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE t (a)")
        connection.execute("INSERT INTO t VALUES (1)")
        connection.commit()
    return path


@pytest.mark.parametrize(("log", "copies"), [(None, False), (b"", False), (b"x", True)])
def test_a_file_on_a_read_only_disk_is_copied_if_its_log_holds_something(
    tmp_path: Path, log: bytes | None, copies: bool
) -> None:
    path = made(tmp_path / "a ?#.db")
    if log is not None:
        path.with_name(f"{path.name}-wal").write_bytes(log)
    file = ReadOnlyFile(path)
    assert (file.path != path) is copies
    with closing(file.connect()) as connection:
        assert connection.execute("SELECT a FROM t").fetchall() == [(1,)]
        assert connection.isolation_level is None
        if not copies:
            with pytest.raises(sqlite3.OperationalError, match="readonly"):
                connection.execute("INSERT INTO t VALUES (2)")
    if copies:
        assert file.path.stat().st_mode & 0o777 == 0o600
        assert file.path.name == path.name
    file.close()
    assert file.path.exists() is not copies


def test_a_backup_is_made_of_a_store_that_is_there_into_a_file_that_is_not(store: SqliteStore, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="there is no store to back up"):
        store.backup(tmp_path / "copy.db")
    assert not (tmp_path / "copy.db").exists()
    add(store, record())
    store.backup(tmp_path / "copy.db")
    with closing(SqliteStore(tmp_path / "copy.db")) as copy:
        assert copy.find("a", None) == record()
    with pytest.raises(InputError, match=r"copy\.db already exists; name a new file"):
        store.backup(tmp_path / "copy.db")
    with pytest.raises(InputError, match="cannot be created: No such file or directory"):
        store.backup(tmp_path / "none" / "copy.db")


def test_a_store_without_a_file_is_empty_and_says_so(store: SqliteStore, tmp_path: Path) -> None:
    """Reading makes no file."""
    assert (store.exists, store.check()) == (False, [f"{store.url}: no such store"])
    assert list(store.evaluations()) == [] and list(store.careful_rows("labels", ("kind",))) == []
    assert store.latest() is None and store.newest() is None
    assert list(tmp_path.iterdir()) == []
    add(store, record())
    assert (store.exists, store.check(), store.latest()) == (True, [], MOMENT)


@pytest.mark.parametrize(
    ("report", "line"),
    [("*** in database main ***\nTree 2 page 3: bad\nmore", "Tree 2 page 3: bad"), ("*** only ***\n", "*** only ***")],
)
def test_damage_is_told_by_its_first_fault(report: str, line: str) -> None:
    assert sqlite._first_line(report) == line


@pytest.mark.parametrize("url", ["postgres://h/d", "postgresql://h/d"])
def test_both_names_of_postgresql_are_known(url: str) -> None:
    opened = evenhand.open_store(url)
    assert opened is not None and type(opened).__name__ == "PostgresqlStore"


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("postgresql://ana:secret@h/d", "postgresql://ana:***@h/d"),
        ("postgresql://ana:se:cr@et@h/d", "postgresql://ana:***@h/d"),
        ("postgresql://h/d?user=ana&password=secret&x=1", "postgresql://h/d?user=ana&password=***&x=1"),
        ("postgresql://ana@h/d", "postgresql://ana@h/d"),
    ],
)
def test_an_address_is_shown_without_its_password(url: str, shown: str) -> None:
    opened = evenhand.open_store(url)
    assert opened is not None and opened.url == shown


def test_a_store_that_cannot_be_written_now_is_read_and_refuses_to_be_written(
    store: SqliteStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    add(store, record())
    store.close()

    def refused(path: Path) -> sqlite3.Connection:
        raise sqlite3.OperationalError("attempt to write a readonly database")

    with monkeypatch.context() as patch:
        patch.setattr(sqlite, "connect", refused)
        assert store.find("a", None) is not None
        assert [one.id for one in store.evaluations()] == ["a"]
        with pytest.raises(StoreUnavailable, match="the file or its folder is read-only"):
            add(store, record("b"))
    store.close()
    add(store, record("b", MOMENT + 1))
    store.close()

    def broken(path: Path) -> sqlite3.Connection:
        raise sqlite3.OperationalError("disk I/O error")

    monkeypatch.setattr(sqlite, "connect", broken)
    with pytest.raises(StoreUnavailable, match="the disk cannot be read or written"):
        store.find("a", None)


def test_a_folder_is_made_ready_only_for_a_new_store(tmp_path: Path) -> None:
    """Who removed the `.gitignore` wants the store in git."""
    path = tmp_path / ".evenhand" / "s.db"
    with closing(SqliteStore(path)) as first:
        add(first, record("a"))
    (path.parent / ".gitignore").unlink()
    with closing(SqliteStore(path)) as second:
        add(second, record("b", MOMENT + 1))
    assert not (path.parent / ".gitignore").exists()


def test_a_line_that_cannot_be_read_ends_an_import_and_nothing_is_added(store: SqliteStore) -> None:
    lines = "".join(exported([record()]))
    good = Located(json.loads(lines.splitlines()[0], parse_float=Decimal), "e.jsonl", lambda path: 1)
    documents: list[Located | InputError] = [good, InputError("line 2 is damaged")]
    with pytest.raises(InputError, match="line 2 is damaged"):
        import_lines(store, documents)
    assert store.find("a", None) is None


def test_an_error_of_sqlite_inside_a_transaction_rolls_it_back(store: SqliteStore) -> None:
    """Also one that is met outside of any statement of ours, as when it is committed."""
    store.create()

    def fails() -> None:
        with store.transaction():
            store.add(record())
            raise sqlite3.OperationalError("disk I/O error")

    with pytest.raises(StoreUnavailable, match="the disk cannot be read or written"):
        fails()
    assert store.find("a", None) is None
    add(store, record("b"))
    assert store.find("b", None) is not None
