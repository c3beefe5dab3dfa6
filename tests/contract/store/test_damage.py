"""Damage in what an evaluation rests on: refused before anything is added, listed in full, and the rest saved.

Each kind is done to a store behind its back, then one judgement is scored into it at the command. It is scored all the
same; nothing is added, no kind ends in a traceback, and `store check` lists it.
"""

from __future__ import annotations

import json
import re
import sqlite3
import zlib
from contextlib import closing
from pathlib import Path

import pytest
from postgresql_server import behind_the_back

import evenhand
from contract.store.team import evenhand_here, judgement, keep, run_suite, write

ROWS = 14
OLDEST, NEWEST, MIDDLE = "e00", "e13", "e08"

IN_WINDOW = {
    "a row that is gone": f"DELETE FROM evaluations WHERE id = '{MIDDLE}'",
    "the newest is gone": f"DELETE FROM evaluations WHERE id = '{NEWEST}'",
    "the first is gone": f"DELETE FROM evaluations WHERE id = '{OLDEST}'",
    "all are gone": "DELETE FROM evaluations WHERE skill = 'notes'",
    "moved to another skill": f"UPDATE evaluations SET skill = 'mails' WHERE id = '{MIDDLE}'",
    "taken out of the history": f"UPDATE evaluations SET in_history = 0 WHERE id = '{MIDDLE}'",
    "said to be of a suite": f"UPDATE evaluations SET in_history = 3 WHERE id = '{MIDDLE}'",
    "put elsewhere in time": f"UPDATE evaluations SET completed = completed + 1 WHERE id = '{MIDDLE}'",
    "another id": f"UPDATE evaluations SET id = 'other' WHERE id = '{MIDDLE}'",
    "another final score": f"UPDATE evaluations SET final = 1000 WHERE id = '{MIDDLE}'",
    "no final score": f"UPDATE evaluations SET final = NULL WHERE id = '{MIDDLE}'",
    "another dimension": f"UPDATE evaluations SET safety = 100 WHERE id = '{MIDDLE}'",
    "no dimension": f"UPDATE evaluations SET safety = NULL WHERE id = '{MIDDLE}'",
    "another judge": f"UPDATE evaluations SET judge = '{{}}' WHERE id = '{MIDDLE}'",
    "another rubric": f"UPDATE evaluations SET rubric_sha256 = 'x' WHERE id = '{MIDDLE}'",
    "another grade": f"UPDATE evaluations SET grade = 'A+' WHERE id = '{MIDDLE}'",
    "another title": f"UPDATE evaluations SET title = 'x' WHERE id = '{MIDDLE}'",
    "another state": f"UPDATE evaluations SET state = 'failed' WHERE id = '{MIDDLE}'",
    "another checksum": f"UPDATE evaluations SET checksum = 1 WHERE id = '{MIDDLE}'",
    "another scorecard": f"UPDATE evaluations SET scorecard = scorecard || ' ' WHERE id = '{MIDDLE}'",
    "a scorecard that is not JSON": f"UPDATE evaluations SET scorecard = '{{' WHERE id = '{MIDDLE}'",
    "an empty scorecard": f"UPDATE evaluations SET scorecard = '' WHERE id = '{MIDDLE}'",
    "another output": f"UPDATE evaluations SET submission = replace(submission, 'late', 'lost') WHERE id = '{MIDDLE}'",
    "a submission that is not JSON": f"UPDATE evaluations SET submission = '[' WHERE id = '{MIDDLE}'",
    "a window that is gone": "DELETE FROM windows WHERE skill = 'notes'",
    "a window of another count": "UPDATE windows SET evaluations = 13 WHERE skill = 'notes'",
    "a window of another digest": "UPDATE windows SET digest = 'x' WHERE skill = 'notes'",
}
BYTES = {
    f"bytes as {column}": f"UPDATE evaluations SET {column} = x'00ff' WHERE id = '{MIDDLE}'"
    for column in (
        "scorecard",
        "submission",
        "judge",
        "skill",
        "completed",
        "final",
        "safety",
        "grade",
        "rubric",
        "title",
    )
} | {
    "bytes as an id": f"UPDATE evaluations SET id = x'00ff' WHERE id = '{MIDDLE}'",
    "text as a number": f"UPDATE evaluations SET final = 'seven' WHERE id = '{MIDDLE}'",
    "bytes of the same text": f"UPDATE evaluations SET scorecard = CAST(scorecard AS BLOB) WHERE id = '{MIDDLE}'",
    "bytes in a window": "UPDATE windows SET digest = x'00ff' WHERE skill = 'notes'",
}


MISSING = ("TABLE transcripts", "TABLE words", "TABLE suite_runs", "INDEX notes_of_evaluation", "TRIGGER notes_stay")


def fill(address: str) -> None:
    """Fourteen notes and a mail."""
    many = [judgement(f"e{number:02}", 6 + number % 3, day=number + 1) for number in range(ROWS)]
    keep(address, *many, output="The baggage of {id} is late.", task="Ask after the baggage of {id}")
    keep(address, judgement("mail", 7, skill="mails", day=20))


def count(address: str) -> int:
    return int(behind_the_back(address, "SELECT count(*) FROM evaluations")[0][0])


def refused(folder: Path, address: str, damage: str) -> None:
    """The damage is done, a judgement scored: it is not added, and the check lists what is wrong."""
    behind_the_back(address, damage)
    before = count(address)
    write(folder / "new.json", judgement("new", 7))
    done = evenhand_here(folder, address, "score", "new.json", "--format", "jsonl")
    assert (done.code, json.loads(done.out)["final"]) == (4, 7), done.err
    assert "Traceback" not in done.err
    assert re.search(r"error: not stored: .*(damaged|nothing is added)", done.err), done.err
    assert count(address) == before
    check = evenhand_here(folder, address, "store", "check")
    assert check.code == 1 and check.err.startswith("wrong: ") and "Traceback" not in check.err, check.err


@pytest.mark.parametrize("kind", IN_WINDOW)
def test_damage_in_a_window_is_refused_before_anything_is_added(store_address: str, tmp_path: Path, kind: str):
    fill(store_address)
    refused(tmp_path, store_address, IN_WINDOW[kind])


@pytest.mark.parametrize("kind", BYTES)
def test_values_no_column_can_hold_are_refused(tmp_path: Path, kind: str):
    """In a SQLite file any column may hold anything."""
    address = str(tmp_path / "s.db")
    fill(address)
    refused(tmp_path, address, BYTES[kind])
    for command in (
        ("history", "notes"),
        ("history",),
        ("show", MIDDLE),
        ("history", "--cost"),
        ("store", "export", "-"),
    ):
        done = evenhand_here(tmp_path, address, *command)
        assert "Traceback" not in done.err and done.code in (0, 2, 4), (command, done.err)


@pytest.mark.parametrize("part", MISSING)
def test_a_file_without_a_part_of_a_store_is_added_to_no_more(tmp_path: Path, part: str):
    """Tables, what keeps their rows apart, and what keeps notes from being rewritten."""
    address = str(tmp_path / "s.db")
    fill(address)
    refused(tmp_path, address, f"DROP {part}")
    check = evenhand_here(tmp_path, address, "store", "check")
    assert f"the {part.split()[0].lower()} {part.split()[1]} is missing" in check.err


@pytest.mark.parametrize("place", [3, 20, 73])
def test_a_long_history_misses_a_row_that_a_comparison_uses(store_address: str, tmp_path: Path, place: int):
    """The newest 74 and the first ten are used; what lies between is left to the check."""
    keep(store_address, *(judgement(f"e{number:03}", 6 + number % 3) for number in range(90)))
    used = f"DELETE FROM evaluations WHERE id = 'e{89 - place:03}'"
    refused(tmp_path, store_address, used)


def test_what_no_comparison_uses_is_found_by_the_check(store_address: str, tmp_path: Path):
    keep(store_address, *(judgement(f"e{number:03}", 6 + number % 3) for number in range(90)))
    behind_the_back(store_address, "DELETE FROM evaluations WHERE id = 'e012'")
    [card] = keep(store_address, judgement("new", 7))
    assert evenhand.document(card)["history"]["n"] == 10
    check = evenhand_here(tmp_path, store_address, "store", "check")
    assert check.code == 1
    assert "the history of notes has 90 evaluations and leaves 0 out, but 91 and 0 were stored" in check.err


def test_damage_in_one_history_does_not_stop_another(store_address: str, tmp_path: Path):
    fill(store_address)
    behind_the_back(store_address, IN_WINDOW["a row that is gone"])
    keep(store_address, judgement("more", 7, skill="mails", day=21))
    with closing(evenhand.open_store(store_address)) as store:
        assert [id for id in ("more", MIDDLE) if store.find(id, None)] == ["more"]


def test_the_check_lists_everything_and_does_not_end_at_the_first(tmp_path: Path):
    """Ten kinds in one file, and a suite whose cells are no damage."""
    address = str(tmp_path / "s.db")
    fill(address)
    assert run_suite(tmp_path, address).code == 5
    for number, column in enumerate(("scorecard", "judge", "completed", "final", "created", "fingerprint", "grade")):
        behind_the_back(address, f"UPDATE evaluations SET {column} = x'00ff' WHERE id = 'e{number:02}'")
    behind_the_back(
        address,
        "UPDATE evaluations SET scorecard = '[1]' WHERE id = 'e07'",
        "UPDATE evaluations SET scorecard = '{\"a\": NaN}' WHERE id = 'e08'",
        "UPDATE evaluations SET scorecard = '{\"created\": 7}' WHERE id = 'e09'",
        "UPDATE suite_results SET document = x'00ff' WHERE case_id = 'sum' AND variant = 'old'",
        "UPDATE suite_runs SET document = '{'",
    )
    check = evenhand_here(tmp_path, address, "store", "check", "--format", "json")
    assert check.code == 1 and "Traceback" not in check.err
    wrong = json.loads(check.out)["wrong"]
    for number in range(10):
        assert any(line.startswith(f"e{number:02}: ") for line in wrong), number
    assert any(line.startswith("suite_results, row") for line in wrong)
    assert any(line.startswith("suite_runs, row") for line in wrong)
    assert not [line for line in wrong if line.startswith(("e10", "e11", "mail"))]
    assert json.loads(check.out)["evaluations"] == ROWS + 1 + 4


def test_sound_rows_are_saved_from_a_damaged_file(tmp_path: Path):
    """Columns are made anew from a sound scorecard; what is not sound is named."""
    address = str(tmp_path / "s.db")
    fill(address)
    behind_the_back(
        address,
        "UPDATE evaluations SET final = 1, title = 'x' WHERE id = 'e03'",
        "UPDATE evaluations SET scorecard = CAST(scorecard AS BLOB) WHERE id = 'e04'",
        "UPDATE evaluations SET submission = '[' WHERE id = 'e05'",
        "UPDATE evaluations SET scorecard = '{' WHERE id = 'e06'",
    )
    done = evenhand_here(tmp_path, address, "store", "check", "--repair")
    assert done.code == 1 and "s.repaired.db: 14 evaluations saved, 1 not saved" in done.out, done.out + done.err
    assert "not saved: e06: " in done.err
    repaired = str(tmp_path / "s.repaired.db")
    assert evenhand_here(tmp_path, repaired, "store", "check").out == f"{repaired}: 14 evaluations, sound\n"
    with closing(evenhand.open_store(repaired)) as store:
        found = store.find("e03", None)
        assert found is not None and (found.final, found.title) == (600, "Ask after the baggage of e03")
        five = store.find("e05", None)
        assert five is not None and five.submission is None
        assert store.find("e04", None) is not None and store.find("e06", None) is None
    keep(repaired, judgement("new", 7))


def test_a_file_that_holds_nothing_is_not_a_new_store(tmp_path: Path):
    """A file of 0 bytes where a store was, one without tables, and another program's."""
    address = str(tmp_path / "s.db")
    write(tmp_path / "new.json", judgement("new", 7))
    score = ("score", "new.json", "--format", "jsonl")
    (tmp_path / "s.db").touch()
    done = evenhand_here(tmp_path, address, *score)
    assert done.code == 4 and "is an empty file, not a store" in done.err
    assert evenhand_here(tmp_path, address, "history").code == 4
    assert evenhand_here(tmp_path, address, "store", "create").code == 4
    assert (tmp_path / "s.db").stat().st_size == 0
    (tmp_path / "s.db").unlink()
    with closing(sqlite3.connect(address)) as file:
        file.execute("VACUUM")
    assert evenhand_here(tmp_path, address, *score).code == 4
    behind_the_back(address, "CREATE TABLE theirs (a)")
    assert "another program's database" in evenhand_here(tmp_path, address, *score).err
    behind_the_back(address, "PRAGMA user_version = 7")
    assert "its tables have number 7" in evenhand_here(tmp_path, address, *score).err
    (tmp_path / "s.db").write_bytes(b"not a database at all, but a text that is long enough to be one" * 20)
    done = evenhand_here(tmp_path, address, *score)
    assert done.code == 4 and "not a SQLite database" in done.err


@pytest.mark.parametrize("large", [False, True])
def test_one_changed_byte_never_changes_a_comparison(tmp_path: Path, large: bool, long: bool):
    """Anywhere in a file, small or of more than 4 MiB: refused, or compared as with the sound one."""
    address = str(tmp_path / "s.db")
    fill(address)
    if large:
        keep(address, judgement("long", 7, skill="long", day=21), output="word " * 900_000)
    data = (tmp_path / "s.db").read_bytes()
    used = [place for place in range(min(len(data), 400_000)) if data[place]]
    expected = evenhand.document(keep(address, judgement("new", 7))[0])["history"]
    for turn in range(400 if long else 40):
        for old in tmp_path.glob("s.db*"):
            old.unlink()
        changed = bytearray(data)
        changed[used[zlib.crc32(b"%d" % turn) % len(used)]] ^= 1 + zlib.crc32(b"x%d" % turn) % 255
        (tmp_path / "s.db").write_bytes(changed)
        try:
            found = evenhand.document(keep(address, judgement("new", 7))[0])["history"]
        except evenhand.StoreUnavailable:
            continue
        assert found == expected, turn
