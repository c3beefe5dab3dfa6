"""What leaves a store comes back byte for byte: exports, imports, backups; and what was changed is refused."""

from __future__ import annotations

import json
from contextlib import closing
from pathlib import Path

import pytest
from postgresql_server import behind_the_back

import evenhand
from contract.store.team import SILENT, evenhand_here, judgement, keep, run_suite, write


def full(folder: Path, address: str) -> None:
    """Evaluations of two skills, one repeated, one that failed; labels, anchors, a suite with a baseline."""
    texts = {"output": "The baggage of {id} is late.", "task": "Ask after {id}"}
    keep(address, *(judgement(f"e{number}", 6 + number, day=number + 1) for number in range(3)), **texts)
    keep(address, judgement("e0", 9, day=5), judgement("none", SILENT, day=6), **texts)
    keep(address, judgement("mail", 7, skill="mails", day=7))
    (folder / "labels.csv").write_text("id,rater,score\ne0,ana,7\ne1,bo,8\n", encoding="utf-8")
    labels = ("trust", "labels", "import", "labels.csv", "--id", "id", "--rater", "rater", "--field", "final=score")
    for command in (labels, ("trust", "anchors", "add", "e0", "e1", "--rubric", "default")):
        evenhand_here(folder, address, *command)
    assert run_suite(folder, address).code == 5
    assert evenhand_here(folder, address, "run", "show", "latest", "--name", "v1").code == 0


def exported(folder: Path, address: str) -> str:
    done = evenhand_here(folder, address, "store", "export", "-")
    assert done.code == 0, done.err
    return done.out


@pytest.mark.parametrize("into", ["sqlite", "postgresql"])
def test_an_export_is_imported_as_it_was(
    store_address: str, tmp_path: Path, into: str, postgresql_server: object, request: pytest.FixtureRequest
):
    """Into either kind, twice: the second time everything is there already. What it exports is the same."""
    full(tmp_path, store_address)
    lines = exported(tmp_path, store_address)
    (tmp_path / "all.jsonl").write_text(lines, encoding="utf-8", newline="\n")
    other = (
        str(tmp_path / "other.db")
        if into == "sqlite"
        else request.getfixturevalue("postgresql_server").empty_database()
    )
    evenhand_here(tmp_path, other, "store", "create")
    done = evenhand_here(tmp_path, other, "store", "import", "all.jsonl", "--format", "json")
    assert done.code == 0, done.err
    first = json.loads(done.out)
    count = json.loads(lines.splitlines()[-1])
    assert (first["added"], first["known"], first["rows_added"]) == (count["evaluations"], 0, count["rows"])
    again = json.loads(evenhand_here(tmp_path, other, "store", "import", "all.jsonl", "--format", "json").out)
    assert (again["added"], again["known"], again["rows_known"]) == (0, count["evaluations"], count["rows"])
    assert exported(tmp_path, other) == lines
    assert evenhand_here(tmp_path, other, "store", "check").code == 0
    columns = "id, skill, state, kind, title, preview, reason, case_id, asked, cost, agent_run"
    listed = f"SELECT {columns} FROM evaluations ORDER BY id"
    assert behind_the_back(other, listed) == behind_the_back(store_address, listed)
    windows = "SELECT skill, evaluations, left_out, digest FROM windows ORDER BY skill"
    assert behind_the_back(other, windows) == behind_the_back(store_address, windows)
    [card] = keep(other, judgement("new", 7, day=9))
    assert evenhand.document(card)["history"]["n"] == 4


def test_another_file_is_imported_and_a_backup_is_a_store(tmp_path: Path):
    address = str(tmp_path / "s.db")
    full(tmp_path, address)
    assert evenhand_here(tmp_path, address, "store", "export", "copy.db").out == "copy.db\n"
    refused = evenhand_here(tmp_path, address, "store", "export", "copy.db")
    assert refused.code == 2 and "already exists" in refused.err
    other = str(tmp_path / "other.db")
    done = evenhand_here(tmp_path, other, "store", "import", "copy.db")
    assert done.code == 0, done.err
    assert exported(tmp_path, other) == exported(tmp_path, address) == exported(tmp_path, str(tmp_path / "copy.db"))


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ('"completed":17', '"completed":18', "its sha256 does not match"),
        ("baggage of e1", "baggage of e2", "the evaluation was changed"),
        ('"composite":7', '"composite":8', "the evaluation was changed"),
        ('"schema":"evenhand/evaluation/v1"', '"schema":"other"', "not an exported evaluation"),
        ('"sha256":"', '"sha256":"0', ""),
        ('"table":"suite_runs"', '"table":"elsewhere"', '"table" must be one of'),
        ('"evaluations":', '"evaluation":', "the export is incomplete"),
    ],
)
def test_an_export_that_was_changed_adds_nothing(tmp_path: Path, old: str, new: str, says: str):
    address, other = str(tmp_path / "s.db"), str(tmp_path / "other.db")
    full(tmp_path, address)
    lines = exported(tmp_path, address)
    assert old in lines
    (tmp_path / "changed.jsonl").write_text(lines.replace(old, new, 1), encoding="utf-8", newline="\n")
    done = evenhand_here(tmp_path, other, "store", "import", "changed.jsonl")
    assert done.code == 2 and "changed.jsonl:" in done.err and says in done.err, done.err
    (tmp_path / "cut.jsonl").write_text("".join(lines.splitlines(keepends=True)[:-1]), encoding="utf-8", newline="\n")
    assert "its last line" in evenhand_here(tmp_path, other, "store", "import", "cut.jsonl").err
    with closing(evenhand.open_store(other)) as store:
        assert list(store.evaluations()) == [] and store.suite_runs() == []


def test_a_different_evaluation_under_the_same_id_is_refused(tmp_path: Path):
    address, other = str(tmp_path / "s.db"), str(tmp_path / "other.db")
    keep(address, judgement("e0", 8))
    keep(other, judgement("e0", 7))
    (tmp_path / "all.jsonl").write_text(exported(tmp_path, address), encoding="utf-8", newline="\n")
    done = evenhand_here(tmp_path, other, "store", "import", "all.jsonl")
    assert done.code == 2 and 'already has a different evaluation with the id "e0"' in done.err


def test_only_sound_rows_are_exported_from_a_damaged_store(store_address: str, tmp_path: Path):
    full(tmp_path, store_address)
    behind_the_back(store_address, "UPDATE evaluations SET scorecard = '{' WHERE id = 'e1'")
    done = evenhand_here(tmp_path, store_address, "store", "export", "sound.jsonl", "--sound")
    assert done.code == 1 and done.err.startswith("wrong: e1: "), done.err
    other = str(tmp_path / "other.db")
    assert evenhand_here(tmp_path, other, "store", "import", "sound.jsonl").code == 0
    with closing(evenhand.open_store(other)) as store:
        assert [record.id for record in store.evaluations("notes", reviews=False)] == ["e0", "e2", "e0~2", "none"]


def test_an_id_names_one_evaluation_and_a_case_has_many(store_address: str, tmp_path: Path):
    """The same again adds nothing; another judgement under an id is a further evaluation of the case."""
    keep(store_address, judgement("a", 8), judgement("a", 8), judgement("a", 7), judgement("a", 6), judgement("a", 7))
    with closing(evenhand.open_store(store_address)) as store:
        assert store.case_ids("a") == ["a", "a~2", "a~3"]
        assert store.last_case_ids("a", most=2) == ["a~2", "a~3"]
        assert [record.case_id for record in store.evaluations()] == ["a", "a", "a"]
        with pytest.raises(evenhand.InputError, match='"a~" matches more than one id, among them a~2 and a~3'):
            store.get("a~")
        found = store.get("a~3")
        assert found is not None and found.final == 600
        assert store.present(["a", "b"], []) == {"a"}
    done = evenhand_here(tmp_path, store_address, "show", "a~")
    assert done.code == 2 and '"a~" matches more than one id, among them a~2 and a~3' in done.err
    write(tmp_path / "one.json", judgement("a", 8))
    again = evenhand_here(tmp_path, store_address, "score", "one.json", "--format", "jsonl")
    assert (again.code, again.err) == (0, "already stored: a\n")
