"""Cases over time in a store: which evaluations are of one case."""

from __future__ import annotations

from contextlib import closing

from conftest import seven

import evenhand
from evenhand.store.protocol import Store


def score(store: Store, id: str | None, score: int, **more) -> evenhand.Scorecard:
    judgement = {"skill": "notes", "scores": seven(score), **({} if id is None else {"id": id}), **more}
    return evenhand.score(judgement, store=store)


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
