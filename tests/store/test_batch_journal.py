"""The journal of submitted batches: what it holds, lets go of, and reports when its file fails."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from evenhand.errors import StoreUnavailable
from evenhand.store.batch_journal import BatchJournal


@pytest.fixture
def journal(tmp_path: Path) -> Iterator[BatchJournal]:
    with closing(BatchJournal(tmp_path / "replies.db")) as opened:
        yield opened


def test_a_request_is_in_one_open_batch_at_most(journal: BatchJournal) -> None:
    """The second batch gets only the requests that the first does not hold."""
    assert journal.begin("first", "judge", ["a", "b"], 1.0) == ["a", "b"]
    assert journal.begin("second", "judge", ["b", "c"], 2.0) == ["c"]
    journal.submitted("first", "batch_1")
    assert [(batch.name, batch.batch, batch.requests) for batch in journal.open_batches("judge")] == [
        ("first", "batch_1", 2),
        ("second", None, 1),
    ]
    assert journal.open_batches("another judge") == []
    assert journal.requests("first") == {"a", "b"}


@pytest.mark.parametrize("end", ["collect", "drop"])
def test_a_batch_that_is_done_is_struck_out_whole(journal: BatchJournal, end: str) -> None:
    """Neither the batch nor its requests stay: the same requests can be submitted again under the same name."""
    journal.begin("first", "judge", ["a", "b"], 1.0)
    if end == "collect":
        journal.collect("first", [("a", "reply to a"), ("b", "reply to b")])
    else:
        journal.drop("first")
    assert journal.open_batches("judge") == []
    assert not journal.holds("a")
    assert journal.begin("first", "judge", ["a", "b"], 3.0) == ["a", "b"]
    assert journal.result("a") == ("reply to a" if end == "collect" else None)


def test_a_result_stays_until_it_is_used_up(journal: BatchJournal) -> None:
    """Only the named results are removed."""
    journal.begin("first", "judge", ["a", "b"], 1.0)
    journal.collect("first", [("a", "1"), ("b", "2")])
    journal.forget(["a"])
    assert (journal.result("a"), journal.result("b")) == (None, "2")


def test_a_file_that_cannot_be_opened_is_named(tmp_path: Path) -> None:
    """A folder in its place."""
    with closing(BatchJournal(tmp_path)) as journal, pytest.raises(StoreUnavailable, match="choose another file"):
        journal.holds("a")


def test_a_file_that_another_process_spoils_is_named(journal: BatchJournal, tmp_path: Path) -> None:
    """Its table is gone: the statement fails, and once it is back the journal works again."""
    journal.begin("first", "judge", ["a"], 1.0)
    with closing(sqlite3.connect(tmp_path / "replies.db")) as other, other:
        other.execute("ALTER TABLE batched RENAME TO hidden")
    with pytest.raises(StoreUnavailable, match=r"replies\.db: batches cannot be recorded here"):
        journal.holds("a")
    with closing(sqlite3.connect(tmp_path / "replies.db")) as other, other:
        other.execute("ALTER TABLE hidden RENAME TO batched")
    assert journal.holds("a")


def test_a_journal_lets_go_of_its_file(journal: BatchJournal, tmp_path: Path) -> None:
    """No open handle is left."""
    journal.begin("first", "judge", ["a"], 1.0)
    assert str(tmp_path / "replies.db") in open_files()
    journal.close()
    assert str(tmp_path / "replies.db") not in open_files()


def open_files() -> list[str]:
    """The files this process holds open."""
    folder = Path("/proc/self/fd")
    if not folder.is_dir():
        pytest.skip("only Linux lists the open files of a process")
    return [str(link.readlink()) for link in folder.iterdir() if link.exists()]
