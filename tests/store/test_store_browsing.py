"""Lists in a store: by key, the same in a SQLite file and on a PostgreSQL server."""

from __future__ import annotations

import json

import pytest
from conftest import judged, seven
from postgresql_server import behind_the_back

from evenhand.errors import StoreUnavailable
from evenhand.store.record import Record, record_of
from evenhand.store.tables.browsed_lists import Key
from evenhand.store.tables.filter import Filter
from evenhand.store.tables.web_log import LogEntry

ROW = record_of(judged(seven(8)), completed=0, submission=None, keep_text=True)


def row(id: str, completed: int, *, skill: str = "code", judge: str = "human:ana", **more) -> Record:
    return ROW._replace(
        id=id, skill=skill, completed=completed, judge=json.dumps({"name": judge}, separators=(",", ":")), **more
    )


def put(store, *records: Record) -> None:
    with store.transaction():
        store.add_all(records)


def ids(part) -> list[str]:
    return [one.id for one in part.rows]


def everything(store, filter: Filter, **options) -> list[list[str]]:
    """Every part of a list, one after another."""
    parts, before = [], None
    while True:
        part = store.listing(filter, before=before, **options)
        parts.append(ids(part))
        if part.next is None:
            return parts
        before = part.next


def test_an_empty_store_lists_nothing(store):
    """No names, no rows, no end to go on from."""
    assert store.newest() is None
    assert store.skill_names(limit=5) == store.rubric_versions() == store.log_entries(limit=5) == []
    assert store.recent_finals(["a"], last=3) == {"a": []}
    assert (store.newest_of(["a"]), store.counts(["a"])) == ({}, {"a": (0, 0)})
    for filter in (Filter(), Filter("a"), Filter("a", judge="x"), Filter(text="x")):
        assert store.listing(filter, limit=3) == ([], None, False)


def test_names_of_skills_come_in_order_from_both_kinds_of_evaluation(store):
    """Also those of which no evaluation is in a history; a part of them begins after a name."""
    put(
        store,
        row("1", 1, skill="b"),
        row("2", 2, skill="b"),
        row("3", 3, skill="a", in_history=0),
        row("4", 4, skill="ü"),
    )
    assert store.skill_names(limit=9) == ["a", "b", "ü"]
    assert store.skill_names(limit=2) == ["a", "b"]
    assert store.skill_names("a", limit=9) == ["b", "ü"]
    assert store.skill_names("aa", limit=1) == ["b"]
    assert store.skill_names("ü", limit=9) == []


def test_recent_newest_and_counts_of_several_skills(store):
    """Recent: those in the history, newest first. Newest: of either kind."""
    left_out = row("3", 3, in_history=0, final=None)
    put(store, row("1", 1, final=810), row("2", 2, final=820), left_out, row("4", 4, final=840, skill="other"))
    recent = store.recent_finals(["code", "other", "none"], last=5)
    assert recent == {"code": [820, 810], "other": [840], "none": []}
    assert store.recent_finals(["code"], last=1) == {"code": [820]}
    assert {skill: record.id for skill, record in store.newest_of(["code", "other", "none"]).items()} == {
        "code": "3",
        "other": "4",
    }
    assert store.counts(["code", "other"]) == {"code": (2, 1), "other": (1, 0)}
    assert store.counts(["code"], most=1) == {"code": (1, 1)}
    many = [f"skill {number}" for number in range(120)]
    assert len(store.recent_finals(many, last=1)) == len(store.counts(many)) == 120


@pytest.mark.parametrize("skill", ["", "code"])
def test_a_list_goes_on_where_it_ended_whatever_is_added_meanwhile(store, skill):
    """Newest first; equal times in the order of ids; nothing twice and nothing left out."""
    put(store, *(row(f"{n}", n // 2, in_history=n % 2, final=800 if n % 2 else None) for n in range(7)))
    assert everything(store, Filter(skill), limit=3) == [["6", "5", "4"], ["3", "2", "1"], ["0"]]
    first = store.listing(Filter(skill), limit=3)
    assert first.next == Key(2, "4")
    put(store, row("new", 9))
    assert ids(store.listing(Filter(skill), before=first.next, limit=3)) == ["3", "2", "1"]
    assert everything(store, Filter(skill), limit=8) == [["new", "6", "5", "4", "3", "2", "1", "0"]]


def test_a_condition_without_an_index_is_tested_only_so_far_at_once(store):
    """The list ends, says so, and can be continued from there."""
    put(store, *(row(f"{n}", n, judge_name="rare" if n in (1, 8) else "often") for n in range(10)))
    first = store.listing(Filter(judge="rare"), limit=5, reach=4)
    assert (ids(first), first.next, first.stopped) == (["8"], Key(6, "6"), True)
    second = store.listing(Filter(judge="rare"), before=first.next, limit=5, reach=4)
    assert (ids(second), second.next, second.stopped) == ([], Key(2, "2"), True)
    third = store.listing(Filter(judge="rare"), before=second.next, limit=5, reach=4)
    assert (ids(third), third.next, third.stopped) == (["1"], None, False)
    often = [id for part in everything(store, Filter("code", judge="often"), limit=3, reach=4) for id in part]
    assert often == ["9", "7", "6", "5", "4", "3", "2", "0"]


def test_versions_of_rubrics_with_when_and_how_often(store):
    """Among the newest so many."""
    put(
        store,
        row("1", 1, rubric_sha256="a"),
        row("2", 2, rubric_sha256="b"),
        row("3", 3, rubric_sha256="b"),
        row("4", 4, rubric="z"),
    )
    versions = store.rubric_versions()
    assert [(one.rubric, one.sha256, one.evaluations, one.first, one.last, one.newest) for one in versions[:2]] == [
        ("made", "b", 2, 2, 3, "3"),
        ("made", "a", 1, 1, 1, "1"),
    ]
    assert [one.rubric for one in versions] == ["made", "made", "z"]
    assert [one.rubric for one in store.rubric_versions(most=1)] == ["z"]


def test_the_log_is_appended_to_and_never_changed(store, store_address):
    """Newest first, by number; not even someone with the database's password changes a line by accident."""
    entries = [LogEntry(f"2026-01-0{n}T00:00:00Z", "ana", "127.0.0.1", "did", str(n)) for n in (1, 2, 3)]
    with store.transaction():
        for entry in entries:
            store.add_log(entry)
    found = store.log_entries(limit=2)
    assert [entry for _, entry in found] == [entries[2], entries[1]]
    assert [entry for _, entry in store.log_entries(before=found[-1][0], limit=2)] == [entries[0]]
    for statement in ("UPDATE web_log SET person = 'bo'", "DELETE FROM web_log"):
        with pytest.raises(Exception, match="only appended to"):
            behind_the_back(store_address, statement)
    assert len(store.log_entries(limit=9)) == 3


def test_what_is_logged_in_a_transaction_that_fails_is_not_logged(store):
    """The log and the write it tells of succeed together or not at all."""

    def log_and_fail():
        with store.transaction():
            store.add_log(LogEntry("2026-01-01T00:00:00Z", "ana", "", "did", ""))
            raise StoreUnavailable("no")

    with pytest.raises(StoreUnavailable):
        log_and_fail()
    assert store.log_entries(limit=9) == []
