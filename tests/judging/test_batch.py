"""evenhand table: tables in files, from the command line and from Python."""

from __future__ import annotations

import doctest
import json
import os
import resource
import signal
import subprocess
import sys
from collections.abc import Callable
from datetime import timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import duckdb
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.csv as pa_csv
import pyarrow.parquet as pq
import pytest
from columns_oracle import START, same
from conftest import Ran, make_rubric, seven

import evenhand
import evenhand.judging.batch
from evenhand.errors import InputError
from evenhand.judging.batch import batch_files, batch_verdicts
from evenhand.rubrics.new import rubric_text
from evenhand.tables.duck import BatchOptions
from table_engines import table_of

Run = Callable[..., Ran]


def rows_of(count: int) -> list[dict[str, Any]]:
    return [
        {
            "id": f"r{n:03}",
            "skill": f"s{n % 2}",
            "created": START + timedelta(minutes=n),
            **{name: 1 + (n * (place + 2)) % 19 / 2 for place, name in enumerate(evenhand.DIMENSIONS)},
            "red_flags": [],
            "bonuses": [],
        }
        for n in range(count)
    ]


def save(table: pa.Table, path: Path) -> Path:
    """A table in the form that the path's ending says."""
    if path.suffix == ".parquet":
        pq.write_table(table, path)
    elif path.suffix == ".csv":
        pa_csv.write_csv(table.drop_columns(["red_flags", "bonuses"]), path)
    elif path.suffix == ".jsonl":
        lines = [row | {"created": row["created"].isoformat()} for row in table.to_pylist()]
        path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    else:
        with pa.OSFile(str(path), "wb") as file, pa.ipc.new_file(file, table.schema) as writer:
            writer.write_table(table)
    return path


def load(path: Path) -> list[dict[str, Any]]:
    """What was written, with decimals as decimals in every form."""
    if path.suffix == ".parquet":
        return pq.read_table(path).to_pylist()
    if path.suffix == ".arrow":
        return pa.ipc.open_file(path).read_all().to_pylist()
    form = "read_csv" if path.suffix == ".csv" else "read_json"
    rows = duckdb.sql(f"SELECT * FROM {form}('{path}')").to_arrow_table().to_pylist()
    points = ("composite", "deduction", "bonus", "final")
    return [row | {name: Decimal(f"{row[name]:.2f}") for name in points} for row in rows]


# --- forms -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("form", ["parquet", "csv", "jsonl", "arrow"])
@pytest.mark.parametrize("into", ["parquet", "csv", "jsonl", "arrow"])
@pytest.mark.slow
def test_every_form_goes_into_every_other(evenhand_command: Run, tmp_path: Path, form: str, into: str):
    """The same numbers, whatever the files look like."""
    rows = rows_of(30)
    source = save(table_of(rows, {}), tmp_path / f"in.{form}")
    done = evenhand_command("table", str(source), f"out.{into}", "--rubric", "default")
    assert (done.code, done.err) == (0, "")
    assert done.out == f"30 of 30 rows scored with rubric default: out.{into}\n"
    same(load(tmp_path / f"out.{into}"), rows, evenhand.load_rubric("default"))
    assert not list(tmp_path.glob(".*")) and not (tmp_path / f"out.{into}.rejected").exists()


@pytest.mark.slow
def test_what_the_command_does_not_use_is_handed_on(evenhand_command: Run, tmp_path: Path):
    """Other columns keep their values and their places; a number stays a number."""
    lines = [{"note": 'a, "b"\n', **seven(7), "deep": {"x": [1, 2]}, "safety": "8.5", "n": n} for n in range(3)]
    (tmp_path / "in.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    assert evenhand_command("table", "in.jsonl", "out.jsonl", "--set", "table.no_history=true").code == 0
    written = [json.loads(line) for line in (tmp_path / "out.jsonl").read_text(encoding="utf-8").splitlines()]
    assert [{name: line[name] for name in lines[0]} for line in written] == lines
    # 7 in six dimensions, 8.5 in safety, which weighs 0.10: 7 + 1.5 * 0.10 = 7.15
    assert [line["final"] for line in written] == [7.15] * 3


@pytest.mark.slow
def test_a_csv_keeps_its_text_and_says_ids_with_semicolons(evenhand_command: Run, tmp_path: Path):
    """An id of 007 stays 007."""
    header = ",".join(["id", *evenhand.DIMENSIONS, "red_flags"])
    (tmp_path / "in.csv").write_text(f"{header}\n007,{'8,' * 7}cut-off;false-run-claim\n", encoding="utf-8")
    assert evenhand_command("table", "in.csv", "out.csv", "--set", "table.no_history=true").code == 0
    written = (tmp_path / "out.csv").read_text(encoding="utf-8").splitlines()[1]
    # cut-off takes 0.50 and false-run-claim 1.00
    assert written == f"007,{'8,' * 7}cut-off;false-run-claim,8.00,1.50,0.00,6.50,C+,Adequate,1"


@pytest.mark.slow
def test_several_files_are_one_table(evenhand_command: Run, tmp_path: Path):
    """Histories go on from one file to the next, and a rejected row is named by its file and its row there."""
    rows = rows_of(12)
    save(table_of(rows[:5], {}), tmp_path / "a.parquet")
    save(table_of([*rows[5:], rows[0] | {"id": "bad", "safety": 99.0}], {}), tmp_path / "b.parquet")
    done = evenhand_command("table", "*.parquet", "out.arrow")
    assert (done.code, done.err) == (2, "1 row was rejected; see out.arrow.rejected\n")
    same(load(tmp_path / "out.arrow"), rows, evenhand.load_rubric("default"))
    assert json.loads((tmp_path / "out.arrow.rejected").read_text(encoding="utf-8")) == {
        "file": "b.parquet",
        "row": 8,
        "reason": "safety: 99.0 is not a number from 1 to 10",
    }


# --- options ---------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_rejected_rows_give_2_unless_they_are_allowed(evenhand_command: Run, tmp_path: Path):
    """OUT is written either way; the summary counts."""
    rows = rows_of(3)
    rows[1]["safety"] = 0.5
    save(table_of(rows, {}), tmp_path / "in.parquet")
    done = evenhand_command("table", "in.parquet", "out.parquet", "--format", "json")
    summary = json.loads(done.out)
    assert done.code == 2
    assert {
        name: summary[name] for name in ("schema", "rows", "scored", "rejected", "rejects", "rubric", "engine")
    } == {
        "schema": "evenhand/batch/v1",
        "rows": 3,
        "scored": 2,
        "rejected": 1,
        "rejects": "out.parquet.rejected",
        "rubric": "default",
        "engine": "duckdb",
    }
    allowed = evenhand_command(
        "table", "in.parquet", "out.parquet", "--set", "output.overwrite=true", "--set", "table.allow_rejects=true"
    )
    assert allowed.code == 0
    save(table_of(rows[:1], {}), tmp_path / "in.parquet")
    assert evenhand_command("table", "in.parquet", "out.parquet", "--set", "output.overwrite=true").code == 0
    assert not (tmp_path / "out.parquet.rejected").exists(), "what an earlier run rejected is gone"


@pytest.mark.slow
def test_parts_can_be_left_out(evenhand_command: Run, tmp_path: Path):
    """Without history no skill is needed, and without rank there is none."""
    table = table_of(rows_of(4), {}).select(evenhand.DIMENSIONS)
    save(table, tmp_path / "in.parquet")
    assert (
        evenhand_command(
            "table", "in.parquet", "out.parquet", "--set", "table.no_history=true", "--set", "table.no_rank=true"
        ).code
        == 0
    )
    added = pq.read_schema(tmp_path / "out.parquet").names[7:]
    assert added == ["composite", "deduction", "bonus", "final", "grade", "label"]
    needs = evenhand_command("table", "in.parquet", "other.parquet")
    assert needs.code == 2
    assert "the column skill is missing; history needs it, or leave history out" in needs.err


@pytest.mark.parametrize("memory", ["100MB", "2GB"])
@pytest.mark.slow
def test_ranks_within_groups_whatever_the_memory(evenhand_command: Run, tmp_path: Path, memory: str):
    """--rank-by ranks each skill by itself."""
    rows = rows_of(20)
    save(table_of(rows, {}), tmp_path / "in.parquet")
    asked = ("--rank-by", "skill", "--set", f"table.memory={memory}")
    assert evenhand_command("table", "in.parquet", "out.parquet", *asked).code == 0
    same(load(tmp_path / "out.parquet"), rows, evenhand.load_rubric("default"), "skill")


@pytest.mark.parametrize("count", [1, "1"], ids=["number", "text"])
@pytest.mark.slow
def test_counted_flags_of_various_amounts_give_a_warning(evenhand_command: Run, tmp_path: Path, count: int | str):
    """A count cannot say which flags they were; in a CSV file it is text."""
    rows = [row | {"red_flags": count} for row in rows_of(2)]
    save(table_of(rows, {"red_flags": pa.int64() if count == 1 else pa.string()}), tmp_path / "in.parquet")
    done = evenhand_command("table", "in.parquet", "out.parquet", "--format", "jsonl")
    assert "each takes 0.50; rubric default gives other amounts to" in json.loads(done.out)["warnings"][0]
    assert done.err.startswith("warning: red_flags are counts")


@pytest.mark.parametrize("rows", [3, 5])
@pytest.mark.parametrize("moment", ["checking", "scoring"])
@pytest.mark.slow
def test_a_file_that_changes_while_it_is_scored_is_refused(tmp_path: Path, rows: int, moment: str):
    """Fewer or more rows than were counted, found on the first look at them or on the second; nothing is written."""
    source, target = tmp_path / "in.jsonl", tmp_path / "out.parquet"

    def write(count: int) -> None:
        lines = [row | {"created": f"2026-01-0{n + 1}T00:00:00Z"} for n, row in enumerate(rows_of(count))]
        source.write_text("".join(json.dumps(line, default=str) + "\n" for line in lines))

    def change(doing: str, *_: object) -> None:
        if doing == moment:
            write(rows)

    write(4)
    with pytest.raises(InputError, match=r"in\.jsonl: changed while it was being scored; leave it alone"):
        batch_files(str(source), str(target), rubric=None, wanted=BatchOptions(), progress=change)
    assert not target.exists()


# --- bad input -------------------------------------------------------------------------------------------


def refusals() -> dict[str, tuple[Callable[[Path], Any], list[str], str]]:
    """A folder put in order, arguments, and what must be said."""

    def two_schemas(folder: Path) -> None:
        table = table_of(rows_of(2), {})
        save(table, folder / "a.parquet")
        save(table.set_column(0, "id", pa.array([1, 2])), folder / "b.parquet")

    def good(folder: Path) -> Path:
        return save(table_of(rows_of(3), {}), folder / "in.parquet")

    def cut_short(folder: Path) -> None:
        whole = good(folder)
        whole.write_bytes(whole.read_bytes()[:-200])

    def exists(folder: Path) -> None:
        good(folder)
        (folder / "out.parquet").write_text("mine", encoding="utf-8")

    def doubled(folder: Path) -> None:
        (folder / "in.csv").write_text(f"{','.join(evenhand.DIMENSIONS)},safety\n{'7,' * 7}8\n", encoding="utf-8")

    plain = ["in.parquet", "out.parquet"]
    return {
        "no such file": (lambda folder: None, plain, "in.parquet: there is no such file"),
        "no file fits": (lambda folder: None, ["*.parquet", "out.csv"], "*.parquet: no file matches this pattern"),
        "a folder": (lambda folder: (folder / "in").mkdir(), ["in", "out.csv"], "in: is a folder; name the files"),
        "empty": (lambda folder: (folder / "in.csv").touch(), ["in.csv", "out.csv"], "in.csv: is empty"),
        "no rows": (
            lambda folder: save(table_of(rows_of(1), {}).slice(1), folder / "in.parquet"),
            plain,
            "in.parquet: has no rows; nothing was written",
        ),
        "cut short": (cut_short, plain, "in.parquet: is not a complete Parquet file"),
        "mixed schemas": (
            two_schemas,
            ["*.parquet", "out.csv"],
            "b.parquet: does not match a.parquet: id is int64 here",
        ),
        "doubled": (
            doubled,
            ["in.csv", "out.csv", "--set", "table.no_history=true"],
            "in.csv: the column safety appears more than once",
        ),
        "unknown ending": (
            lambda folder: (folder / "in.xlsx").write_text("x"),
            ["in.xlsx", "out.csv"],
            "in.xlsx: has an unknown extension",
        ),
        "unknown ending of OUT": (good, ["in.parquet", "out"], "out: has an unknown extension; valid: .parquet"),
        "OUT exists": (
            exists,
            plain,
            "out.parquet: already exists; name another file, or use --set output.overwrite=true",
        ),
        "OUT nowhere": (good, ["in.parquet", "no/out.csv"], "no: there is no such folder"),
        "memory": (
            good,
            [*plain, "--set", "table.memory=much"],
            'table.memory "much" is not an amount of memory',
        ),
        "map": (good, [*plain, "--map", "safety"], '--map "safety" is not ROLE=COLUMN, such as correctness=acc'),
        "rank-by": (good, [*plain, "--rank-by", "team"], "in.parquet: there is no column team to rank by"),
        "rubric": (good, [*plain, "--rubric", "no-such"], "no-such"),
    }


@pytest.mark.parametrize("case", refusals())
@pytest.mark.slow
def test_what_cannot_be_done_is_reported_in_a_line_and_leaves_nothing(evenhand_command: Run, tmp_path: Path, case: str):
    """Exit code 2, what and where, and no OUT."""
    prepare, arguments, message = refusals()[case]
    prepare(tmp_path)
    before = {path: path.read_bytes() for path in tmp_path.iterdir() if path.is_file()}
    done = evenhand_command("table", *arguments)
    assert (done.code, done.out) == (2, "")
    assert message in done.err and "Traceback" not in done.err
    assert {path: path.read_bytes() for path in tmp_path.iterdir() if path.is_file()} == before


def limited() -> None:
    """No file may grow beyond 5 kB, as on a disk that is nearly full."""
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (5_000, 5_000))


@pytest.mark.parametrize("form", ["parquet", "csv", "arrow"])
@pytest.mark.parametrize(
    "more", [[], ["--set", "table.no_rank=true", "--set", "table.no_history=true"]], ids=["whole", "scores"]
)
@pytest.mark.slow
def test_a_disk_without_room_leaves_nothing_behind(tmp_path: Path, form: str, more: list[str]):
    """The error names OUT; neither OUT nor anything hidden stays."""
    save(table_of(rows_of(3000), {}), tmp_path / "in.parquet")
    command = [sys.executable, "-m", "evenhand", "table", "in.parquet", f"out.{form}", *more]
    done = subprocess.run(
        command, cwd=tmp_path, capture_output=True, text=True, check=False, preexec_fn=limited, env=dict(os.environ)
    )
    assert (done.returncode, done.stdout) == (4, "")
    assert done.stderr.startswith(f"error: out.{form}: cannot be written") and done.stderr.count("\n") == 1
    assert [path.name for path in tmp_path.iterdir()] == ["in.parquet"]


CRITERIA = "#### Criteria\n\n- `a` (1 point): A holds.\n\n"


@pytest.mark.parametrize("engine", ["duckdb", "spark"])
def test_a_table_is_never_written_over_itself(tmp_path: Path, engine: str):
    """Under its own name or behind a link, even with `overwrite`; before any engine is started."""
    source = save(table_of(rows_of(3), {}), tmp_path / "in.parquet")
    text = rubric_text("mine", "default").replace("### Completeness", f"{CRITERIA}### Completeness", 1)
    (tmp_path / "mine.md").write_text(text, encoding="utf-8")
    (tmp_path / "link.parquet").symlink_to(source)
    before = source.read_bytes()
    for target in (source, tmp_path / "link.parquet"):
        with pytest.raises(InputError, match="is an input of this command, which is never replaced; name another"):
            batch_files(
                str(source), str(target), rubric=None, wanted=BatchOptions(), overwrite=True, engine=engine, master="x"
            )
        with pytest.raises(InputError, match="is an input of this command"):
            batch_verdicts(str(source), str(target), rubric=tmp_path / "mine.md", columns={}, overwrite=True)
    assert source.read_bytes() == before


def test_verdicts_are_scored_by_a_rubric_with_criteria_only(tmp_path: Path):
    with pytest.raises(InputError, match="has no criteria, so verdicts give no scores; name another"):
        batch_verdicts("absent.csv", str(tmp_path / "out.csv"), rubric=None, columns={})


@pytest.mark.parametrize("missing", ["duckdb", "pyarrow"])
@pytest.mark.slow
def test_a_missing_package_is_named_with_the_command_that_installs_it(tmp_path: Path, missing: str):
    """Nothing else is needed to say so."""
    code = (
        f"import sys; sys.modules[{missing!r}] = None; sys.argv = ['evenhand', 'table', 'in.parquet', 'out.parquet']\n"
        "from evenhand.__main__ import main; main()"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert done.stderr == f"error: this needs {missing}; install with: pip install 'evenhand[batch]'\n"


# --- from Python -----------------------------------------------------------------------------------------

FRAMES: dict[str, Callable[[pa.Table], Any]] = {
    "arrow": lambda table: table,
    "batch": lambda table: table.to_batches()[0],
    "chunks": lambda table: pa.concat_tables([table.slice(0, 7), table.slice(7)]),
    "pandas": lambda table: table.to_pandas(),
    "polars": pl.from_arrow,
    "relation": lambda table: duckdb.from_arrow(table),
}


@pytest.mark.parametrize("kind", FRAMES)
def test_tables_of_every_kind_come_back_as_arrow(kind: str):
    """With the same numbers as core."""
    rows = rows_of(20)
    found = evenhand.batch(FRAMES[kind](table_of(rows, {})), rubric=make_rubric())
    assert isinstance(found, pa.Table)
    same(found.to_pylist(), rows, make_rubric())


def test_a_frame_with_categories_and_gaps_is_read_as_it_is_meant():
    """Skills as categories; counts that pandas made floats because one is missing."""
    frame = pd.DataFrame(
        {
            "skill": pd.Categorical(["a", "b", "a"]),
            "created": [1, 2, 3],
            "red_flags": [1.0, None, 2.0],
            **seven([7] * 3),
        }
    )
    found = evenhand.batch(frame).to_pydict()
    assert found["history"] == [0, 0, 1]
    assert found["deduction"] == [Decimal("0.50"), Decimal("0.00"), Decimal("1.00")]


def test_a_bad_row_raises_unless_it_may_be_left_out():
    """The error has every row, up to a hundred, and says how many more."""
    table = pa.table({name: [7.0] + [11.0] * 120 for name in evenhand.DIMENSIONS})
    with pytest.raises(InputError) as refusal:
        evenhand.batch(table, history=False)
    assert str(refusal.value.problems[0]).startswith(
        "row 2: correctness: 11.0 is not a number from 1 to 10; completeness"
    )
    assert str(refusal.value.problems[-1]) == "and 20 more rows"
    assert evenhand.batch(table, history=False, allow_rejects=True).num_rows == 1


def test_an_empty_table_comes_back_empty_with_all_columns():
    """A pipeline may have nothing to score."""
    table = table_of(rows_of(1), {}).slice(1)
    found = evenhand.batch(table)
    assert (found.num_rows, found.column_names[-1]) == (0, "consistency_flagged")


def test_rejects_what_is_not_a_table():
    """With what would be one."""
    with pytest.raises(
        InputError, match="the table is of the type dict; give Arrow, pandas, Polars or a DuckDB relation"
    ):
        evenhand.batch({"correctness": [7]})


def test_the_example_in_the_docstring_runs():
    """What it shows is what happens."""
    results = doctest.testmod(evenhand.judging.batch, extraglobs={"DIMENSIONS": evenhand.DIMENSIONS})
    assert (results.attempted > 0, results.failed) == (True, 0)
