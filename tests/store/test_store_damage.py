"""Damage in a store: noticed before anything is compared with it or added, listed in full, and what is sound saved.

A scorecard is compared with rows of the store. So either these are as they were stored, or nothing is added.
"""

from __future__ import annotations

import json
import random
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest
from conftest import Ran, seven
from postgresql_server import behind_the_back

import evenhand
from evenhand.errors import StoreUnavailable
from evenhand.judges.written import judgement_from
from evenhand.judging.keeper import Keeper
from evenhand.judging.steps import Steps
from evenhand.store import soundness
from evenhand.store.databases.sqlite_store import SqliteStore
from evenhand.store.record import COLUMNS, Record
from evenhand.store.used_rows import checksum_of

PAGE = 4096

OUTPUT = "What was judged, number {n}. "


def fill(address: str, count: int, *, skill: str = "code", text: str = OUTPUT * 20) -> None:
    """So many evaluations of a skill, with ids run-0, run-1 and so on."""
    steps = Steps()
    evaluated = (
        steps.evaluate_written(
            judgement_from({"id": f"run-{n}", "skill": skill, "scores": seven(6 + n % 4)}), output=text.format(n=n)
        )
        for n in range(count)
    )
    with closing(evenhand.open_store(address)) as store:
        store.create()
        assert len(list(Keeper(store).keep_each(evaluated))) == count


def filled(path: Path, count: int = 12, **options: Any) -> Path:
    fill(str(path), count, **options)
    return path


def score(address: str) -> dict[str, Any] | None:
    """The comparison of a new evaluation with the store's, as published."""
    with closing(evenhand.open_store(address)) as store:
        return evenhand.document(evenhand.score({"id": "new", "skill": "code", "scores": seven(8)}, store=store))[
            "history"
        ]


@contextmanager
def refused(address: str, what: str) -> Iterator[None]:
    """Scoring is refused for a reason, and nothing is added."""
    yield
    with pytest.raises(StoreUnavailable, match=what):
        score(address)
    assert behind_the_back(address, "SELECT count(*) FROM evaluations WHERE id = 'new'") == [(0,)]


def change(path: Path, old: bytes, new: bytes, *, nth: int = 0) -> None:
    """Change bytes of a file in place, as a failing disk does."""
    data, at = bytearray(path.read_bytes()), -1
    for _ in range(nth + 1):
        at = data.index(old, at + 1)
    data[at : at + len(old)] = new
    path.write_bytes(data)


# --- before anything is added


def test_a_changed_digit_of_a_scorecard_in_the_window_is_noticed(store_address):
    """In SQLite and in PostgreSQL: the composite score, on which no column and no comparison depends."""
    fill(store_address, 3)
    with refused(store_address, "the evaluation run-1 was changed after it was stored"):
        behind_the_back(
            store_address,
            """UPDATE evaluations SET scorecard = replace(scorecard, '"composite":7', '"composite":8') """
            "WHERE id = 'run-1'",
        )


@pytest.mark.parametrize(
    "column",
    [
        name
        for name in COLUMNS
        if name not in ("id", "skill", "in_history", "submission", "suite_run", "variant", "asked", "cost")
        and not name.startswith("agent_")
    ],
)
def test_a_change_of_any_column_of_a_row_in_the_window_is_noticed(tmp_path, column):
    """Numbers by one, texts by a letter; an id, a skill or `in_history` that is another is seen by the index."""
    path = filled(tmp_path / "kept.db")
    value = f"{column} + 1" if isinstance(stored(path)[column], int) else f"{column} || 'x'"
    with refused(str(path), "the evaluation run-5 was changed after it was stored"):
        behind_the_back(str(path), f"UPDATE evaluations SET {column} = {value} WHERE id = 'run-5'")


def stored(path: Path) -> dict[str, Any]:
    with closing(SqliteStore(path)) as store:
        record = store.find("run-5", None)
        assert record is not None
        return record._asdict()


def test_a_changed_letter_of_a_submission_in_the_window_is_noticed(tmp_path):
    path = filled(tmp_path / "kept.db")
    with refused(str(path), "the evaluation run-5: "):
        behind_the_back(
            str(path), "UPDATE evaluations SET submission = replace(submission, 'judged', 'JUDGED') WHERE id = 'run-5'"
        )


@pytest.mark.parametrize("place", [0, 3, 9])
def test_rows_whose_final_score_is_used_are_checked_far_beyond_the_window(tmp_path, place):
    """Of 100 evaluations the newest 74 and the first 10 are used."""
    path = filled(tmp_path / "kept.db", 100)
    with refused(str(path), f"the evaluation run-{place} was changed"):
        behind_the_back(str(path), f"UPDATE evaluations SET judge = judge || ' ' WHERE id = 'run-{place}'")


@pytest.mark.slow
def test_rows_that_no_comparison_uses_are_left_to_store_check(tmp_path, evenhand_command):
    """The first 10 end at run-9, the newest 74 begin at run-26: run-17 is between them."""
    path = filled(tmp_path / "kept.db", 100)
    before = score(str(shutil.copy(path, tmp_path / "copy.db")))
    behind_the_back(str(path), "UPDATE evaluations SET judge = judge || ' ' WHERE id = 'run-17'")
    assert score(str(path)) == before
    assert evenhand_command("store", "check", "--store", str(path)).code == 1


def test_an_index_that_differs_from_its_table_is_noticed(tmp_path):
    """Even in a file that is too large to be looked through: the index leads to the row, and both must agree."""
    path = filled(tmp_path / "kept.db", 3)
    data = path.read_bytes()
    for limit in (4 * 1024 * 1024, 0):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr("evenhand.store.databases.sqlite.LOOKED_THROUGH", limit)
            damaged = tmp_path / f"{limit}.db"
            damaged.write_bytes(with_another_final_in_the_index(data))
            with pytest.raises(StoreUnavailable, match="index"):
                score(str(damaged))
            assert behind_the_back(str(damaged), "SELECT count(*) FROM evaluations NOT INDEXED") == [(3,)]


def with_another_final_in_the_index(data: bytes) -> bytes:
    """The final score of run-1, 7.00 or 700 hundredths, as 701 in the index of the skill alone."""
    changed = bytearray(data)
    for start in range(PAGE, len(data), PAGE):
        at = data.find(b"run-1\x02\xbc", start, start + PAGE)
        if data[start] == 10 and at >= 0:
            changed[at + 6] = 0xBD
            return bytes(changed)
    raise AssertionError("the index of the skill was not found")


def test_each_row_is_checked_once_by_a_process(tmp_path, monkeypatch):
    """And those that it wrote itself not at all: a long run reads no scorecard twice."""
    path = filled(tmp_path / "kept.db")
    read: list[str] = []
    original = SqliteStore._records
    monkeypatch.setattr(SqliteStore, "_records", lambda self, ids: (read.extend(ids), original(self, ids))[1])
    with closing(evenhand.open_store(str(path))) as store:
        for n in range(5):
            evenhand.score({"id": f"new-{n}", "skill": "code", "scores": seven(8)}, store=store)
    assert sorted(read) == sorted(f"run-{n}" for n in range(12))


def test_the_command_shows_the_scorecard_and_says_how_to_repair(tmp_path, evenhand_command):
    path = filled(tmp_path / "kept.db")
    behind_the_back(str(path), "UPDATE evaluations SET grade = 'A+' WHERE id = 'run-5'")
    (tmp_path / "one.json").write_text(json.dumps({"skill": "code", "scores": seven(8)}))
    done = evenhand_command("score", "one.json", "--format", "jsonl", "--store", "kept.db")
    assert (done.code, json.loads(done.out)["final"]) == (4, 8)
    assert done.err == (
        "error: not stored: kept.db: the evaluation run-5 was changed after it was stored; the file is damaged, and "
        "nothing is added to it; restore a backup, or save what is sound with: evenhand store check --repair\n"
    )


def test_a_schema_that_is_not_even_text_is_damage_and_no_crash(tmp_path, evenhand_command):
    path = filled(tmp_path / "kept.db", 1)
    change(path, b"CREATE TABLE evaluations", b"CREATE \xffABLE evaluations")
    with pytest.raises(StoreUnavailable, match="malformed database schema"):
        score(str(path))
    assert evenhand_command("history", "--store", "kept.db").code == 4


@pytest.mark.parametrize("entry", [1, 5, 11])
def test_an_evaluation_that_the_index_of_its_skill_has_lost_is_missed(tmp_path, monkeypatch, entry):
    """In a large file, whose indexes are not looked through as a whole."""
    monkeypatch.setattr("evenhand.store.databases.sqlite.LOOKED_THROUGH", 0)
    path = filled(tmp_path / "kept.db", 12)
    with closing(sqlite3.connect(path)) as connection:
        ((page,),) = connection.execute("SELECT rootpage FROM sqlite_master WHERE name = 'evaluations_in_history'")
    data = bytearray(path.read_bytes())
    places = [place for place in range((page - 1) * PAGE, page * PAGE) if data[place : place + 4] == b"code"]
    assert len(places) == 12
    data[places[entry] : places[entry] + 4] = b"codd"
    path.write_bytes(data)
    with refused(str(path), "the history of code is not what was stored: of 12 evaluations (1|5|11) are there"):
        pass


@pytest.mark.slow
@pytest.mark.parametrize("looked_through", [4 * 1024 * 1024, 0])
def test_one_flipped_byte_anywhere_never_changes_a_comparison(tmp_path, monkeypatch, looked_through):
    """200 copies: refused, or compared as with the sound file."""
    monkeypatch.setattr("evenhand.store.databases.sqlite.LOOKED_THROUGH", looked_through)
    path = filled(tmp_path / "kept.db", 20)
    data, copy, chance = path.read_bytes(), tmp_path / "copy.db", random.Random(5)
    used = [place for place, byte in enumerate(data) if byte]
    shutil.copy(path, copy)
    expected, refusals = score(str(copy)), 0
    for _ in range(200):
        for old in tmp_path.glob("copy.db*"):
            old.unlink()
        damaged = bytearray(data)
        damaged[chance.choice(used)] ^= chance.randrange(1, 256)
        copy.write_bytes(damaged)
        try:
            assert score(str(copy)) == expected
        except StoreUnavailable:
            refusals += 1
    assert refusals > 100


# --- all that is wrong


def test_check_lists_everything_and_goes_on_past_what_cannot_be_read(tmp_path, evenhand_command):
    path = filled(tmp_path / "kept.db", 8)
    for id, setting in (
        ("run-1", "scorecard = 'not JSON'"),
        ("run-2", "submission = CAST(x'22ff22' AS TEXT)"),
        ("run-3", "grade = 'A+'"),
        ("run-4", "completed = completed + 1"),
        ("run-5", "judge = x'00'"),
    ):
        behind_the_back(str(path), f"UPDATE evaluations SET {setting} WHERE id = '{id}'")
    behind_the_back(str(path), "INSERT INTO judge_cards VALUES ('card', '2026-01-01T00:00:00Z', 'j', 'i', 'not JSON')")
    done = evenhand_command("store", "check", "--store", "kept.db", "--format", "json")
    wrong = json.loads(done.out)["wrong"]
    assert (done.code, json.loads(done.out)["evaluations"]) == (1, 8)
    assert [line.split(":")[0] for line in wrong] == [*(f"run-{n}" for n in range(1, 6)), "judge_cards, row 1"], wrong
    assert "is damaged" in wrong[0]
    assert "the column submission is not UTF-8" in wrong[1]
    assert "the column grade says A+" in wrong[2]
    assert "its completion time" in wrong[3]
    assert "the column judge holds bytes instead of text" in wrong[4]
    assert "must be an object as JSON" in wrong[5]


def test_check_goes_on_past_a_broken_chain_of_overflow_pages(tmp_path, evenhand_command):
    """The text of run-0 fills several pages; the link from the first to the second leads nowhere."""
    path = filled(tmp_path / "kept.db", 1)
    with closing(sqlite3.connect(path)) as file, file:
        file.execute("UPDATE evaluations SET submission = ? WHERE id = 'run-0'", ["y" * 200_000])
    rest = [record for record in records_of(filled(tmp_path / "rest.db", 4)) if record.id != "run-0"]
    with closing(SqliteStore(path)) as store, store.transaction():
        store.add_all(rest)
    data = bytearray(path.read_bytes())
    chain = next(start for start in range(PAGE, len(data), PAGE) if data[start + 4 : start + 2000] == b"y" * 1996)
    data[chain : chain + 4] = b"\x7f\xff\xff\xff"
    path.write_bytes(data)
    done = evenhand_command("store", "check", "--store", "kept.db", "--format", "json")
    assert done.code == 1
    assert json.loads(done.out)["evaluations"] == 4
    assert any(line.startswith("row 1: ") for line in json.loads(done.out)["wrong"])


def records_of(path: Path) -> list[Record]:
    with closing(SqliteStore(path)) as store:
        return list(store.evaluations())


# --- what is sound is saved


@pytest.mark.slow
def test_repair_saves_what_is_sound_and_leaves_the_damaged_file_as_it_is(tmp_path, evenhand_command):
    """Columns are made anew from a sound scorecard; a damaged submission is left out; a damaged scorecard is lost."""
    path = filled(tmp_path / "kept.db", 6)
    with closing(evenhand.open_store(str(path))) as store:
        secret = store.secret()
    sound = {record.id: record for record in records_of(path)}
    behind_the_back(str(path), "UPDATE evaluations SET scorecard = 'not JSON' WHERE id = 'run-1'")
    behind_the_back(str(path), "UPDATE evaluations SET submission = '{}' WHERE id = 'run-2'")
    behind_the_back(str(path), "UPDATE evaluations SET grade = 'A+', final = 1 WHERE id = 'run-3'")
    before = path.read_bytes()
    done = evenhand_command("store", "check", "--repair", "--store", "kept.db", "--format", "json")
    result = json.loads(done.out)
    assert (done.code, result["repaired"]) == (1, "kept.repaired.db")
    assert result["saved"] == {"evaluations": 5, "rows": 1}
    assert [line.split(":")[0] for line in result["lost"]] == ["run-1"]
    assert [line.split(":")[0] for line in result["mended"]] == ["run-2", "run-3"]
    assert path.read_bytes() == before
    expected = [sound[id] for id in ("run-0", "run-2", "run-3", "run-4", "run-5")]
    expected[1] = expected[1]._replace(submission=None)
    assert records_of(tmp_path / "kept.repaired.db") == expected
    with closing(evenhand.open_store(str(tmp_path / "kept.repaired.db"))) as store:
        assert store.secret() == secret
    assert evenhand_command("store", "check", "--store", "kept.repaired.db").code == 0
    again = evenhand_command("store", "check", "--repair", "--store", "kept.db", "--format", "json")
    assert json.loads(again.out)["repaired"] == "kept.repaired-2.db"


def test_repair_of_a_damaged_index_loses_nothing(tmp_path, evenhand_command):
    path = filled(tmp_path / "kept.db", 3)
    sound = records_of(path)
    path.write_bytes(with_another_final_in_the_index(path.read_bytes()))
    done = evenhand_command("store", "check", "--repair", "--store", "kept.db")
    assert done.code == 0
    assert "kept.repaired.db: 3 evaluations saved" in done.out
    assert records_of(tmp_path / "kept.repaired.db") == sound


def test_repair_of_a_sound_store_writes_nothing(tmp_path, evenhand_command):
    filled(tmp_path / "kept.db", 2)
    done = evenhand_command("store", "check", "--repair", "--store", "kept.db")
    assert (done.code, done.out) == (0, "kept.db: 2 evaluations, sound\n")
    assert not (tmp_path / "kept.repaired.db").exists()


def test_a_wrong_moment_is_put_right_by_the_scorecard(tmp_path):
    """A moment far from the scorecard's own would order the history wrongly."""
    path = filled(tmp_path / "kept.db", 2)
    right = records_of(path)[1].completed
    behind_the_back(str(path), f"UPDATE evaluations SET completed = completed + {2**50} WHERE id = 'run-1'")
    with closing(SqliteStore(path)) as store:
        items = [item for item in soundness.examine(store) if item.problems]
    assert [item.name for item in items] == ["run-1"]
    content = items[0].content
    assert isinstance(content, Record) and abs(content.completed - right) < 60_000_000


@pytest.mark.slow
def test_what_is_sound_can_be_exported_from_either_store(store_address, tmp_path, evenhand_command):
    fill(store_address, 3)
    behind_the_back(store_address, "UPDATE evaluations SET scorecard = 'not JSON' WHERE id = 'run-1'")
    done = evenhand_command("store", "export", "sound.jsonl", "--sound", "--store", store_address)
    assert (done.code, done.err.count("wrong: run-1: ")) == (1, 1)
    assert evenhand_command("store", "import", "sound.jsonl", "--store", "new.db").code == 0
    assert [record.id for record in records_of(tmp_path / "new.db")] == ["run-0", "run-2"]


@pytest.mark.slow
def test_check_of_a_server_lists_damaged_rows_and_says_how_to_save_the_others(postgresql_url, evenhand_command):
    fill(postgresql_url, 2)
    behind_the_back(postgresql_url, "UPDATE evaluations SET grade = 'A+' WHERE id = 'run-1'")
    done = evenhand_command("store", "check", "--store", postgresql_url)
    assert done.code == 1 and "wrong: run-1: the column grade says A+" in done.err
    repair = evenhand_command("store", "check", "--repair", "--store", postgresql_url)
    assert repair.code == 2 and "evenhand store export FILE --sound" in repair.err


def test_checksums_tell_every_column_and_nothing_from_the_empty_text(tmp_path):
    (record,) = records_of(filled(tmp_path / "kept.db", 1))
    sums = {checksum_of(record)}
    for name in COLUMNS:
        value = getattr(record, name)
        sums.add(checksum_of(record._replace(**{name: value + 1 if isinstance(value, int) else f"{value}x"})))
    # all but the submission and what an agent cost, and the record itself
    assert len(sums) == len(COLUMNS) - 3
    assert checksum_of(record._replace(grade=None)) != checksum_of(record._replace(grade=""))


# --- read-only disks

READING = [
    ("history",),
    ("history", "code"),
    ("show", "run-1"),
    ("better", "run-0", "run-1"),
    ("rank", "run-0", "run-1"),
    ("store", "check"),
    ("store", "export", "-"),
]


@pytest.fixture
def read_only_disk(tmp_path: Path) -> Iterator[Callable[[Path], Path]]:
    """Put a file, and what SQLite left beside it, on a disk that is then read-only."""
    disk = tmp_path / "disk"
    disk.mkdir()
    mount = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=8m", "tmpfs", disk], capture_output=True, check=False)
    if mount.returncode:
        pytest.skip("this user may not mount a disk")

    def put(path: Path) -> Path:
        for file in path.parent.glob(f"{path.name}*"):
            shutil.copy(file, disk / file.name)
        subprocess.run(["mount", "-o", "remount,ro", disk], check=True)
        return disk / path.name

    try:
        yield put
    finally:
        subprocess.run(["umount", disk], check=True)


def run(*arguments: str, folder: Path) -> Ran:
    command = [sys.executable, "-m", "evenhand", *arguments]
    return Ran(subprocess.run(command, cwd=folder, capture_output=True, check=False, timeout=120))


@pytest.mark.slow
@pytest.mark.parametrize("leftovers", [False, True])
def test_a_store_on_a_read_only_disk_can_be_read(tmp_path, read_only_disk, leftovers):
    """With what SQLite leaves beside it after a crash, too: the newest evaluations are there and nowhere else."""
    path = filled(tmp_path / "kept.db", 2)
    expected = {command: run(*command, "--store", str(path), folder=tmp_path).out for command in READING}
    if leftovers:
        with closing(sqlite3.connect(path)) as reader, closing(SqliteStore(path)) as store:
            reader.execute("PRAGMA wal_autocheckpoint = 0")
            reader.execute("BEGIN").execute("SELECT count(*) FROM evaluations").fetchone()
            evenhand.score({"id": "newest", "skill": "code", "scores": seven(9)}, store=store)
            (tmp_path / "crashed").mkdir()
            for name in ("kept.db", "kept.db-wal"):
                shutil.copy(tmp_path / name, tmp_path / "crashed" / name)
        path = tmp_path / "crashed" / "kept.db"
    stored = read_only_disk(path)
    for command in READING:
        done = run(*command, "--store", str(stored), folder=tmp_path)
        assert done.code == 0, (command, done.err)
        if not leftovers:
            assert done.out.replace(str(stored), str(tmp_path / "kept.db")) == expected[command]
    if leftovers:
        assert run("show", "newest", "--store", str(stored), folder=tmp_path).code == 0
    (tmp_path / "one.json").write_text(json.dumps({"skill": "code", "scores": seven(8)}))
    done = run("score", "one.json", "--store", str(stored), folder=tmp_path)
    assert done.code == 4 and f"error: not stored: {stored}: " in done.err


@pytest.mark.slow
def test_an_empty_file_on_a_read_only_disk_is_not_a_store(tmp_path, read_only_disk):
    (tmp_path / "empty.db").touch()
    with closing(evenhand.open_store(str(read_only_disk(tmp_path / "empty.db")))) as store:
        with pytest.raises(StoreUnavailable, match="is an empty file, not a store"):
            list(store.evaluations())
        with pytest.raises(StoreUnavailable, match="is an empty file, not a store"):
            evenhand.score({"id": "new", "skill": "code", "scores": seven(8)}, store=store)
