"""Stores at their boundaries: replies of every length, damaged files, half a transaction, what a row holds."""

from __future__ import annotations

import json
import sqlite3
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from conftest import make_rubric, seven

import evenhand
from evenhand import StoreUnavailable
from evenhand.cli.main import run
from evenhand.store.databases.sqlite_file import use_wal
from evenhand.store.replies import LARGE, SqliteReplies
from evenhand.store.transfer import exported as exported_lines
from evenhand.store.transfer import record_from

SCORES = {"skill": "s", "scores": seven(8)}


# --- replies that were paid for --------------------------------------------------------------------


@pytest.mark.parametrize("length", [0, 1, LARGE - 1, LARGE, LARGE + 1, 10 * LARGE])
def test_a_reply_comes_back_as_it_was(tmp_path: Path, length: int):
    """Whether it is kept plainly or compressed, to the one who put it there and to the next."""
    replies = SqliteReplies(tmp_path / "made" / "replies.db")
    text = ("naïve ✓ " * length)[:length]
    assert replies.get("key") is None
    replies.put("key", text)
    assert replies.get("key") == text
    assert replies.get("another") is None
    replies.close()
    again = SqliteReplies(tmp_path / "made" / "replies.db")
    assert again.get("key") == text
    again.put("key", "newer")
    assert again.get("key") == "newer"
    again.close()


def test_long_replies_are_kept_compressed(tmp_path: Path):
    """From 2,000 characters on."""
    path = tmp_path / "replies.db"
    replies = SqliteReplies(path)
    replies.put("short", "a" * (LARGE - 1))
    replies.put("long", "a" * LARGE)
    replies.close()
    with sqlite3.connect(path) as connection:
        kept = dict(connection.execute("SELECT key, length(reply) FROM replies"))
    assert kept["short"] == LARGE - 1
    assert kept["long"] < 100


def test_a_file_of_replies_is_written_ahead_and_waits_for_no_disk(tmp_path: Path):
    """A killed process loses nothing, and a reply costs no flush: WAL, synchronous = NORMAL (1)."""
    replies = SqliteReplies(tmp_path / "replies.db")
    replies.put("key", "reply")
    connection = replies.connection()
    assert connection.execute("PRAGMA journal_mode").fetchone() == ("wal",)
    assert connection.execute("PRAGMA synchronous").fetchone() == (1,)
    replies.close()


def test_replies_are_not_looked_for_where_there_is_no_file(tmp_path: Path):
    """Asking makes none."""
    assert SqliteReplies(tmp_path / "replies.db").get("key") is None
    assert not (tmp_path / "replies.db").exists()


def test_a_damaged_file_of_replies_is_named_with_what_to_do(tmp_path: Path):
    """Reading and writing alike."""
    path = tmp_path / "replies.db"
    path.write_bytes(b"this is no database, and never was one" * 100)
    replies = SqliteReplies(path)
    with pytest.raises(StoreUnavailable, match=r"replies\.db: replies cannot be kept here: .*`replies`"):
        replies.get("key")
    with pytest.raises(StoreUnavailable, match=r"replies\.db: replies cannot be kept here: .*`replies`"):
        replies.put("key", "reply")


def test_a_folder_that_cannot_be_made_is_named(tmp_path: Path):
    """A file stands in its place."""
    (tmp_path / "file").write_text("")
    with pytest.raises(StoreUnavailable, match="the folder cannot be created"):
        SqliteReplies(tmp_path / "file" / "replies.db").put("key", "reply")


# --- evaluations -----------------------------------------------------------------------------------


@pytest.fixture
def store(tmp_path: Path):
    return evenhand.open_store(str(tmp_path / "kept.db"))


def test_a_comparison_knows_which_earlier_ones_had_another_rubric_or_another_judge(store):
    """Two by ana with the rubric, one by ben, one with another rubric; then ana again: one of each is unlike."""
    other = make_rubric(pass_mark="6.00")
    for judge, rubric in (("ana", None), ("ana", None), ("ben", None), ("ana", other)):
        evenhand.score(SCORES | {"judge": f"human:{judge}"}, rubric=rubric or make_rubric(), store=store)
    card = evenhand.score(SCORES | {"judge": "human:ana"}, rubric=make_rubric(), store=store)
    assert (card.history.n, card.history.other_judge, card.history.other_rubric) == (4, 1, 1)


@pytest.mark.parametrize("count", [1, 9, 10, 11, 12])
def test_the_window_is_the_last_ten(store, count: int):
    """Of eleven the oldest has gone."""
    for number in range(count):
        evenhand.score({"skill": "s", "scores": seven(1 + number / 4)}, rubric=make_rubric(), store=store)
    card = evenhand.score({"skill": "s", "scores": seven(5)}, rubric=make_rubric(), store=store)
    window = [1 + number / 4 for number in range(count)][-10:]
    assert card.history.n == len(window)
    assert card.history.dimensions["safety"].mean == pytest.approx(sum(window) / len(window))


def test_a_transaction_that_fails_leaves_the_store_as_it_was_and_free(store, tmp_path: Path):
    """Nothing of it is kept, and others can write at once."""
    evenhand.score(SCORES | {"id": "first"}, rubric=make_rubric(), store=store)
    record = store.get("first")

    def append_and(then: Callable[[], None]) -> None:
        with store.transaction():
            store.add(record._replace(id="second", fingerprint=None))
            then()

    with pytest.raises(IndexError):
        append_and(lambda: [].pop())
    with pytest.raises(StoreUnavailable):
        append_and(lambda: store.add(record))  # an id that is taken
    assert [kept.id for kept in store.evaluations()] == ["first"]
    another = evenhand.open_store(str(tmp_path / "kept.db"))
    evenhand.score(SCORES | {"id": "fourth"}, rubric=make_rubric(), store=another)
    evenhand.score(SCORES | {"id": "fifth"}, rubric=make_rubric(), store=store)
    assert [kept.id for kept in store.evaluations()] == ["first", "fourth", "fifth"]


def test_evaluations_are_listed_in_time_and_only_as_many_as_asked(store):
    """The last two of one skill; of none, none."""
    for number in range(5):
        skill = "even" if number % 2 == 0 else "odd"
        evenhand.score({"skill": skill, "id": f"n{number}", "scores": seven(8)}, rubric=make_rubric(), store=store)
    assert [row.id for row in store.evaluations()] == ["n0", "n1", "n2", "n3", "n4"]
    assert [row.id for row in store.evaluations("even")] == ["n0", "n2", "n4"]
    assert [row.id for row in store.evaluations("even", last=2)] == ["n2", "n4"]
    assert [row.id for row in store.evaluations(last=1)] == ["n4"]
    assert [row.id for row in store.evaluations("none")] == []
    assert store.skills() == [("even", 3), ("odd", 2)]
    assert store.latest() == store.get("n4").completed


def test_an_id_may_be_shortened_while_it_is_the_only_one(store):
    """A start that two share is an error that names both."""
    for id in ("abc-1", "abc-2", "abd"):
        evenhand.score(SCORES | {"id": id, "skill": id}, rubric=make_rubric(), store=store)
    assert store.get("abd").id == "abd"
    assert store.get("abc-1").id == "abc-1"
    assert store.get("abd-") is None
    with pytest.raises(evenhand.InputError, match="more than one id, among them abc-1 and abc-2"):
        store.get("abc")


def test_a_backup_that_fails_leaves_no_file(store, tmp_path: Path):
    """Half a copy must not pass for a whole one."""
    for number in range(30):
        evenhand.score(SCORES | {"id": f"n{number}"}, rubric=make_rubric(), store=store)
    store.close()
    path = tmp_path / "kept.db"
    target = tmp_path / "copy.db"
    store.backup(target)
    assert [row.id for row in evenhand.open_store(str(target)).evaluations()] == [f"n{n}" for n in range(30)]
    target.unlink()
    store.close()
    data = path.read_bytes()
    path.write_bytes(data[: len(data) // 2])
    with pytest.raises(StoreUnavailable):
        store.backup(target)
    assert not target.exists()


def test_a_backup_is_its_owner_s_only(store, tmp_path: Path):
    """Like the store: what was judged is nobody else's to read."""
    evenhand.score(SCORES, rubric=make_rubric(), store=store)
    store.backup(tmp_path / "copy.db")
    assert (tmp_path / "copy.db").stat().st_mode & 0o777 == 0o600


def test_a_server_has_ten_seconds_to_answer(monkeypatch: pytest.MonkeyPatch):
    """Then the store is out of reach; what is connected has our name."""
    psycopg = pytest.importorskip("psycopg")
    given: dict[str, Any] = {}

    def silent(address: str, **options: Any) -> None:
        given.update(options)
        raise psycopg.OperationalError("timeout expired")

    monkeypatch.setattr(psycopg, "connect", silent)
    store = evenhand.open_store("postgresql://ana@127.0.0.1/evaluations")
    with pytest.raises(StoreUnavailable, match="timeout expired"):
        store.skills()
    assert given == {"autocommit": True, "connect_timeout": 10, "application_name": "evenhand"}


def test_a_store_that_was_never_opened_can_be_closed(store, tmp_path: Path):
    """Twice, too, and no file comes of it."""
    replies = SqliteReplies(tmp_path / "replies.db")
    server = evenhand.open_store("postgresql://127.0.0.1:1/none")
    for closed in (store, replies, server, store, replies, server):
        closed.close()
    assert list(tmp_path.iterdir()) == []


class Sized:
    """A connection to a damaged file of so many pages that notes what it runs."""

    def __init__(self, pages: int, size: int) -> None:
        self.answers = {"PRAGMA page_count": pages, "PRAGMA page_size": size, "PRAGMA integrity_check(1)": "damaged"}
        self.ran: list[str] = []

    def execute(self, statement: str) -> Sized:
        self.ran.append(statement)
        return self

    def fetchone(self) -> tuple[Any]:
        return (self.answers[self.ran[-1]],)


@pytest.mark.parametrize(("pages", "looked"), [(1, True), (1024, True), (1025, False)])
def test_files_up_to_four_mebibytes_are_looked_through_for_damage(store, monkeypatch, pages: int, looked: bool):
    """1,024 pages of 4,096 bytes are 4 MiB exactly; one page more is not looked through."""
    monkeypatch.setattr(store, "_missing", lambda connection: [])  # whatever its size
    connection = Sized(pages, 4096)
    if looked:
        with pytest.raises(StoreUnavailable, match="malformed"):
            store._look_for_damage(connection)
    else:
        store._look_for_damage(connection)
    assert ("PRAGMA integrity_check(1)" in connection.ran) == looked


def test_a_store_that_cannot_be_written_now_can_be_read_and_written_later(store, tmp_path: Path, monkeypatch):
    """It was open for reading, a first write failed half-way through opening: the next calls open it again."""
    evenhand.score(SCORES | {"id": "one"}, rubric=make_rubric(), store=store)
    store.close()
    assert store.get("one") is not None

    def busy(connection: sqlite3.Connection) -> None:
        raise sqlite3.OperationalError("database is locked")

    with monkeypatch.context() as patch:
        patch.setattr("evenhand.store.databases.sqlite.use_wal", busy)
        with pytest.raises(StoreUnavailable, match="locked"):
            evenhand.score(SCORES | {"id": "two"}, rubric=make_rubric(), store=store)
    assert [row.id for row in store.evaluations()] == ["one"]
    evenhand.score(SCORES | {"id": "two"}, rubric=make_rubric(), store=store)
    assert [row.id for row in store.evaluations()] == ["one", "two"]


# --- moving evaluations ------------------------------------------------------------------------------


Command = Callable[..., int]


@pytest.fixture
def command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Command:
    """Run a command here, in this process; its exit code."""
    (tmp_path / ".git").mkdir()
    monkeypatch.chdir(tmp_path)

    def call(*arguments: str) -> int:
        monkeypatch.setattr(sys, "argv", ["evenhand", *arguments])
        return run()

    return call


@pytest.fixture
def exported(command: Command) -> dict[str, Any]:
    """An evaluation as `store export` writes it."""
    Path("one.json").write_text(json.dumps(SCORES | {"id": "one", "output": "out.md", "task": "Do it."}))
    Path("out.md").write_text("Done, and the tests were run.")
    assert command("score", "one.json") == 0
    assert command("store", "export", "all.jsonl") == 0
    return json.loads(Path("all.jsonl").read_text().splitlines()[0])


@pytest.mark.parametrize("completed", [-(2**63), 2**63 - 1])
def test_an_evaluation_may_be_of_any_moment_of_64_bits(exported: dict[str, Any], command: Command, completed: int):
    record = record_from(exported)._replace(completed=completed)
    Path("moved.jsonl").write_text("".join(exported_lines([record])), encoding="utf-8")
    assert command("store", "import", "moved.jsonl", "--store", "new.db") == 0
    assert [row.completed for row in evenhand.open_store("new.db").evaluations()] == [completed]


@pytest.mark.parametrize("completed", [-(2**63) - 1, 2**63, True, 1.0, "soon", None])
def test_a_moment_that_no_store_can_hold_is_not_imported(
    exported: dict[str, Any], command: Command, capsys: pytest.CaptureFixture[str], completed: Any
):
    """Whole numbers of 64 bits, one beyond either end, and what is not a whole number."""
    Path("moved.jsonl").write_text(json.dumps(exported | {"completed": completed}) + "\n")
    assert command("store", "import", "moved.jsonl", "--store", "new.db") == 2
    assert "completed, a whole number of 64 bits" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ({}, 0),
        ({"completed": 2**63}, 2),
        ({"completed": -(2**63) - 1}, 2),
        ({"completed": "soon"}, 2),
        ({"completed": True}, 2),
        ({"scorecard": None}, 2),
        ({"submission": {"output": "Done, and the tests were run."}}, 2),
        ({"submission": {"output": 7, "task": "Do it."}}, 2),
        ({"submission": {"output": "Something else was done.", "task": "Do it."}}, 2),
        ({"submission": {"output": "Done, and the tests were run.", "task": "Do that."}}, 2),
        ({"submission": "Done."}, 2),
        ({"schema": "evenhand/evaluation/v0"}, 2),
    ],
    ids=lambda value: json.dumps(value)[:40],
)
def test_only_what_was_exported_is_imported(
    exported: dict[str, Any], command: Command, capsys: pytest.CaptureFixture[str], change: dict[str, Any], code: int
):
    """Anything else is an error with its line, and nothing of it is stored."""
    last = Path("all.jsonl").read_text().splitlines()[1]
    Path("moved.jsonl").write_text(json.dumps(exported | change) + f"\n{last}\n")
    assert command("store", "import", "moved.jsonl", "--store", "new.db") == code
    if code:
        assert "moved.jsonl:1: " in capsys.readouterr().err
    kept = list(evenhand.open_store("new.db").evaluations()) if Path("new.db").exists() else []
    assert [row.id for row in kept] == ([] if code else ["one"])


def test_a_backup_to_a_full_disk_is_an_error_and_leaves_no_file(store, tmp_path: Path, monkeypatch):
    """The copy was begun, and cannot be written."""
    evenhand.score(SCORES | {"id": "one"}, rubric=make_rubric(), store=store)

    def full(path: object) -> None:
        raise sqlite3.OperationalError("database or disk is full")

    monkeypatch.setattr(sqlite3, "connect", full)
    with pytest.raises(StoreUnavailable, match="disk is full"):
        store.backup(tmp_path / "copy.db")
    assert not (tmp_path / "copy.db").exists()


class Stubborn:
    """A connection that says the same error so many times before it obeys."""

    def __init__(self, error: str, times: int) -> None:
        self.error, self.times, self.mode = error, times, "delete"

    def execute(self, statement: str) -> Stubborn:
        if statement.endswith("= WAL"):
            self.times -= 1
            if self.times >= 0:
                raise sqlite3.OperationalError(self.error)
            self.mode = "wal"
        return self

    def fetchone(self) -> tuple[str]:
        return (self.mode,)


def test_a_file_that_another_process_is_opening_is_waited_for():
    """SQLite says that it is locked; any other error is one."""
    busy = Stubborn("database is locked", 3)
    use_wal(busy)
    assert busy.mode == "wal"
    with pytest.raises(sqlite3.OperationalError, match="disk I/O error"):
        use_wal(Stubborn("disk I/O error", 3))


def test_a_file_that_stays_locked_is_given_up(monkeypatch: pytest.MonkeyPatch):
    """After the patience of a store, here a moment."""
    monkeypatch.setattr("evenhand.store.databases.sqlite_file.PATIENCE", 0.02)
    with pytest.raises(sqlite3.OperationalError, match="locked"):
        use_wal(Stubborn("database is locked", 10_000))
