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


@pytest.fixture
def suite(tmp_path: Path, evenhand_command) -> Path:
    """The suite that `suite new` writes, with recorded outputs."""
    assert evenhand_command("suite", "new", "evals").code == 0
    return tmp_path / "evals" / "suite.yaml"


@pytest.mark.slow
def test_a_suite_run_from_python_gives_what_the_command_gives(suite, evenhand_command, tmp_path):
    """The same results and decision; the run is in the store."""
    with closing(evenhand.open_store(str(tmp_path / "s.db"))) as store:
        done = evenhand.run_suite(suite, store=store)
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
