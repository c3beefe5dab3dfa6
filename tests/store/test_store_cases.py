"""Cases over time in both kinds of store: filled in from earlier versions, part by part, and taken back again."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import pytest
from conftest import seven

import evenhand
from evenhand import InputError, StoreUnavailable
from evenhand.store import evaluation_store
from evenhand.store.evaluation_store import migrations
from evenhand.store.protocol import Store

PARTS = "0012_cases_in_parts"


@pytest.fixture
def opened(store_address):
    """An empty store of each kind, brought up to date."""
    with closing(evenhand.open_store(store_address)) as store:
        store.migrate()
        yield store


def score(store: Store, id: str | None, score: int, **more) -> evenhand.Scorecard:
    judgement = {"skill": "notes", "scores": seven(score), **({} if id is None else {"id": id}), **more}
    return evenhand.score(judgement, store=store)


def cases(store: Store) -> list[tuple[str, str]]:
    return sorted(store._rows("SELECT id, case_id FROM cases"))


def test_a_step_back_and_forth_gives_the_same_cases_and_the_same_scorecards(opened, store_address):
    """The index is made again from the scorecards, so nothing of a case is forgotten."""
    for points in (8, 7, 6):
        score(opened, "case-0", points)
    score(opened, 'odd " case~2', 5)
    unnamed = score(opened, None, 5)
    before, rows = cases(opened), list(opened.evaluations())
    assert before == sorted(
        [*((id, "case-0") for id in ("case-0", "case-0~2", "case-0~3")), ('odd " case~2',) * 2, (unnamed.id,) * 2]
    )
    assert opened.roll_back(10)[-2:] == [PARTS, "0011_cases"]
    opened.close()
    with closing(evenhand.open_store(store_address)) as again:
        assert again.migrate()[:2] == ["0011_cases", PARTS]
        assert cases(again) == before
        assert list(again.evaluations()) == rows
        assert again.check() == again.stray_cases() == []
        assert score(again, "case-0", 5).id == "case-0~4"


def test_a_store_can_be_taken_back_only_as_far_as_is_known(opened):
    """Nothing changes when it cannot be."""
    score(opened, "a", 8)
    newest = len(migrations(opened.dialect))
    for version in (9, 0, -1, newest + 1):
        with pytest.raises(
            InputError, match=f"tables at version {newest} can be taken back to version 10 at the earliest"
        ):
            opened.roll_back(version)
    assert cases(opened) == [("a", "a")]
    assert opened.roll_back(newest) == []


def test_filling_in_cases_goes_on_where_it_was_interrupted(opened, store_address, tmp_path, monkeypatch):
    """Every part is committed, and until the last one the version stays below: no one uses half of an index."""
    for number in range(7):
        score(opened, f"case-{number}", 8)
    opened.roll_back(10)
    opened.close()
    in_threes(tmp_path, monkeypatch)
    failing_after(2, monkeypatch)
    with closing(evenhand.open_store(store_address)) as store, pytest.raises(StoreUnavailable, match="nowhere"):
        store.migrate()
    monkeypatch.undo()
    in_threes(tmp_path, monkeypatch)
    with closing(evenhand.open_store(store_address)) as store:
        assert store.migrate()[0] == PARTS
        assert cases(store) == [(f"case-{number}",) * 2 for number in range(7)]


def in_threes(tmp_path: Path, monkeypatch) -> None:
    """Three evaluations in each part."""
    import shutil

    folder = tmp_path / "migrations"
    shutil.copytree(evaluation_store.MIGRATIONS, folder, dirs_exist_ok=True)
    for path in folder.glob(f"*/{PARTS}.sql"):
        path.write_text(path.read_text().replace("20000", "3"))
    monkeypatch.setattr(evaluation_store, "MIGRATIONS", folder)


def failing_after(parts: int, monkeypatch) -> None:
    """As if the process ended after so many parts: the next one fails."""
    import evenhand.store.databases.postgresql as postgresql
    import evenhand.store.databases.sqlite as sqlite

    asked = []

    def counted(path: Path) -> bool:
        whole = evaluation_store.in_parts(path)
        asked.append(whole)
        if sum(asked) > parts:
            raise StoreUnavailable("nowhere to go on")
        return whole

    for module in (sqlite, postgresql):
        monkeypatch.setattr(module, "in_parts", counted)


def test_an_earlier_version_refuses_the_store_by_its_number(opened, store_address, tmp_path, monkeypatch):
    """One that knows ten migrations neither reads nor writes it, until a copy is taken back."""
    score(opened, "case-0", 8)
    opened.close()
    newest = len(migrations(opened.dialect))
    folder = tmp_path / "earlier"
    for path in migrations(opened.dialect)[:10]:
        (folder / opened.dialect).mkdir(parents=True, exist_ok=True)
        (folder / opened.dialect / path.name).write_text(path.read_text())
    with monkeypatch.context() as earlier:
        earlier.setattr(evaluation_store, "MIGRATIONS", folder)
        refused = pytest.raises(StoreUnavailable, match=f"tables are at version {newest}, this version knows 10")
        with closing(evenhand.open_store(store_address)) as store, refused:
            store.skills()
    with closing(evenhand.open_store(store_address)) as store:
        store.roll_back(10)
    with monkeypatch.context() as earlier:
        earlier.setattr(evaluation_store, "MIGRATIONS", folder)
        with closing(evenhand.open_store(store_address)) as store:
            assert store.skills() == [("notes", 1)]


def test_check_names_evaluations_that_the_index_of_cases_lacks(evenhand_command, tmp_path):
    """And entries of evaluations that are not there."""
    address = str(tmp_path / "s.db")
    with closing(evenhand.open_store(address)) as store:
        score(store, "a", 8)
        score(store, "b", 8)
        with store.transaction():
            store._write("UPDATE cases SET id = 'c' WHERE id = ?", [("a",)])
    done = evenhand_command("store", "check", "--store", address)
    assert done.code == 1
    assert "wrong: a: it is not both in the index of cases and an evaluation" in done.err
    assert "wrong: c: it is not both in the index of cases and an evaluation" in done.err
