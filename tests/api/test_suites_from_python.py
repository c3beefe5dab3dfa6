"""Suites and tables from Python: run, judged, kept and replied as on the command line."""

from __future__ import annotations

import json
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pandas as pd
import polars as pl
import pytest
from conftest import judged, seven

import evenhand
from evenhand import InputError
from evenhand.api import suites
from evenhand.store.databases.sqlite_store import SqliteStore


@pytest.fixture
def suite(tmp_path: Path, evenhand_command) -> Path:
    """The suite that `suite new` writes, with recorded outputs."""
    assert evenhand_command("run", "new", "evals").code == 0
    return tmp_path / "evals" / "suite.yaml"


@pytest.mark.slow
def test_a_suite_run_from_python_gives_what_the_command_gives(suite, evenhand_command, tmp_path):
    """The same results and decision; the run is in the store."""
    with closing(evenhand.open_store(str(tmp_path / "s.db"))) as store:
        done = evenhand.run(suite, store=store)
        assert [run.id for run in store.suite_runs()] == [done.run.id]
    assert done.problems == ()
    shown = json.loads(evenhand_command("run", str(suite), "--store", "t.db", "-f", "json").out)
    assert [facts.name for facts in done.decision.variants] == [facts["name"] for facts in shown["variants"]]
    assert len(done.results) == sum(facts["runs"] for facts in shown["variants"])
    assert done.answer is not None and done.answer.variant == shown["answer"]["variant"]
    assert [change.says for change in done.answer.changes.changes] == [
        change["says"] for change in shown["answer"]["changes"]["changes"]
    ]
    frame = evenhand.table(done, library="pandas")
    assert len(frame) == len(done.results)
    assert {"case", "variant"} <= set(frame.columns)


def test_scorecards_become_a_frame_with_a_row_each():
    """An error is a row too; missing numbers are missing."""
    cards = [judged(seven(8), id="a"), InputError("no such file"), judged(seven(7), id="b")]
    frame = evenhand.table(cards, library="pandas")
    assert isinstance(frame, pd.DataFrame)
    assert frame["case"].isna().tolist() == [False, True, False]
    assert frame["final"].tolist()[::2] == [8.0, 7.0]
    assert frame["error"].tolist()[1] == "no such file"
    assert isinstance(evenhand.table(cards, library="polars"), pl.DataFrame)
    with pytest.raises(InputError, match="arrow is not installed here; valid: pandas, polars"):
        evenhand.table(cards, library="arrow")


@pytest.mark.slow
def test_without_pandas_and_polars_a_table_is_a_list_of_rows():
    """Nothing is needed for it."""
    script = (
        "import sys; sys.modules['pandas'] = sys.modules['polars'] = None\n"
        "import importlib.util as util; util.find_spec = lambda name: None\n"
        "import evenhand\n"
        "card = evenhand.score({'id': 'a', 'scores': dict.fromkeys(evenhand.DIMENSIONS, 8)})\n"
        "rows = evenhand.table([card])\n"
        "assert rows[0]['final'] == 8.0 and rows[0]['case'] == 'a', rows\n"
    )
    subprocess.run([sys.executable, "-c", script], check=True)


def test_replies_are_kept_next_to_the_store_as_on_the_command_line(tmp_path):
    """Unless another file was named; without a store there is no place."""
    from evenhand.api.judging import with_replies

    with closing(evenhand.open_store(str(tmp_path / "s.db"))) as store:
        options = evenhand.ModelOptions()
        assert with_replies(options, store).replies == str(tmp_path / "replies.db")
        assert with_replies(options, None).replies is None
        assert with_replies(evenhand.ModelOptions(replies="mine.db"), store).replies == "mine.db"


RECORDED = """suite: small
cases:
  - {id: a, prompt: P, expect: [{answer: {contains: hello}}]}
  - {id: b, prompt: P, expect: [{answer: {contains: hello}}]}
variants:
  old: {recorded: "old/{case}.md"}
  new: {recorded: "new/{case}.md"}
gate: {max_failed: 0}
"""


@pytest.fixture
def recorded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A suite of two cases with recorded outputs: the new ones greet."""
    monkeypatch.chdir(tmp_path)
    for variant, text in (("old", "bye"), ("new", "hello")):
        (tmp_path / variant).mkdir()
        for case in "ab":
            (tmp_path / variant / f"{case}.md").write_text(text)
    (tmp_path / "suite.yaml").write_text(RECORDED)
    return tmp_path / "suite.yaml"


def test_a_suite_from_python_is_decided_narrowed_and_stored(recorded: Path, tmp_path: Path):
    """All four runs, or those of one case and variant; `runs` names where they are kept."""
    with closing(evenhand.open_store(str(tmp_path / "s.db"))) as store:
        done = evenhand.run(recorded, store=store, settings={"run.jobs": 2})
        assert [run.id for run in store.suite_runs()] == [done.run.id]
    assert (done.problems, done.run.cases, done.run.notes) == ((), 2, done.run.notes)
    met = {(row.id.case, row.id.variant): row.met for row in done.results}
    assert met == {("a", "old"): 0, ("a", "new"): 1, ("b", "old"): 0, ("b", "new"): 1}
    assert done.answer is not None and done.decision.state == "complete"
    part = evenhand.run(recorded, only=["b"], variants=["new"], settings={"run.runs": tmp_path / "kept"})
    assert [row.id[:2] for row in part.results] == [("b", "new")]
    assert (tmp_path / "kept").is_dir()


def test_a_suite_that_its_budget_stopped_raises(recorded: Path, monkeypatch: pytest.MonkeyPatch):
    """What is finished is kept, and nothing is decided."""
    from evenhand.suites.suite_run import OpenSuite

    def stopped(self: OpenSuite):
        self.budget.stop("the limit of 2 calls is reached")
        yield from ()

    monkeypatch.setattr(OpenSuite, "results", stopped)
    expected = "the limit of 2 calls is reached; what is finished is kept; run it again to continue"
    with pytest.raises(evenhand.Unavailable, match=expected):
        evenhand.run(recorded)


def test_a_row_has_every_field_of_its_scorecard():
    """Without a panel there is no cost; what has no score is missing."""
    card = judged(seven(8), id="a", skill="notes", judge="human:ana")._replace(case="c", skill_version="v1")
    assert suites._row(card) == {
        "id": "a",
        "case": "c",
        "skill": "notes",
        "skill_version": "v1",
        "rubric": "made",
        "judge": "human:ana",
        "final": 8.0,
        "grade": "B+",
        "passed": True,
        **dict.fromkeys(evenhand.DIMENSIONS, 8.0),
        "cost": None,
    }
    bare = card._replace(final=None, grade=None, passed=None)
    assert [suites._row(bare)[name] for name in ("final", "grade", "passed")] == [None, None, None]
    assert suites._row(InputError("no such file")) == {"error": "no such file"}


@pytest.mark.parametrize(
    ("there", "made"), [(("pandas", "polars"), pd.DataFrame), (("polars",), pl.DataFrame), ((), list)]
)
def test_a_table_is_made_with_the_library_that_is_there(there, made, monkeypatch: pytest.MonkeyPatch):
    """pandas before polars; rows without either."""
    monkeypatch.setattr(suites, "find_spec", lambda name: name if name in there else None)
    assert type(evenhand.table([judged(seven(8), id="a")])) is made
    if "pandas" not in there:
        with pytest.raises(InputError, match="pandas is not installed here"):
            evenhand.table([], library="pandas")


def test_a_store_is_closed_at_the_end_of_a_with_statement(tmp_path):
    """It opens again when it is used again, as after close()."""
    with evenhand.open_store(str(tmp_path / "s.db")) as store:
        evenhand.score({"skill": "notes", "scores": dict.fromkeys(evenhand.DIMENSIONS, 7)}, store=store)
        assert isinstance(store, SqliteStore) and store._connection is not None
    assert store._connection is None
    with evenhand.open_store(str(tmp_path / "s.db")) as again:
        assert len(list(again.evaluations("notes"))) == 1


def test_the_address_of_a_store_is_refused_before_anything_is_run():
    """With the call that opens it; the suite is not even read."""
    with pytest.raises(TypeError, match=r"open it with evenhand.open_store\('s.db'\)"):
        evenhand.run("missing.yaml", store="s.db")
