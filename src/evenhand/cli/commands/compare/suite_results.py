"""evenhand run show, table: the results of a suite's runs."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from decimal import Decimal
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from evenhand.cli.commands.compare.suite_outcome import show_run
from evenhand.cli.output_option import written_into
from evenhand.cli.presenter import (
    PLAIN_FORMATS,
    Writer,
    indented,
    present,
    report_option,
    write,
    write_as,
)
from evenhand.cli.setting_options import setting_option
from evenhand.cli.shared import (
    DONE,
    UNDECIDED,
    chosen_store,
    end_gate,
    full_option,
    needed_store,
    say,
    store_option,
    suite_cluster_option,
)
from evenhand.errors import InputError
from evenhand.in_words import counted

if TYPE_CHECKING:
    from collections.abc import Sequence

    from evenhand.decisions.gate import Ruling
    from evenhand.decisions.suite_run import SuiteRun
    from evenhand.store.protocol import Store
    from evenhand.work.agent_run import CaseResult


FORMATS = ("junit", "csv", "parquet", "results", "skill-creator")


@click.command()
@click.argument("run", metavar="[RUN]", required=False)
@click.option("--suite", metavar="NAME", help="Without RUN: only the runs of this suite.")
@click.option(
    "--last", type=click.IntRange(min=1), default=20, show_default=True, help="Without RUN: how many to list."
)
@click.option("--name", metavar="NAME", help="Name the run as a baseline. A name is given once and never moved.")
@click.option("--baseline", metavar="NAME", help="Compare with this baseline instead of the run's own reference.")
@click.option(
    "--gate", "gated", is_flag=True, help="Apply the suite's gate: exit code 1 if red, 3 if unscored, 5 if undecided."
)
@suite_cluster_option
@setting_option("judge.skill_file")
@full_option
@setting_option("gate.undecided", default="5")
@store_option
@report_option(*FORMATS)
def show(
    run: str | None,
    suite: str | None,
    last: int,
    name: str | None,
    baseline: str | None,
    gated: bool,
    cluster: str | None,
    skill_file: str | None,
    full: bool,
    undecided: str,
    store: str | None,
    format: str,
) -> int:
    """Show what a run of a suite decided, what to change, what got worse, and the cost; without RUN, list the runs.

    RUN is the id of a stored run or the start of it, `latest`, SUITE@BASELINE, or a file of results. The formats csv,
    parquet and results have a row for every run; evenhand table reads csv and parquet. skill-creator is its
    benchmark.json.

    \b
    Examples:
      evenhand run show
      evenhand run show latest
      evenhand run show latest --name v1
      evenhand run show latest -o report.html
      evenhand run show 0197f2c1 --baseline v1 --gate
      evenhand run show latest --cluster cases.csv:repository
      evenhand run show results.jsonl --format csv > results.csv
      evenhand run show latest -o results.parquet
      evenhand run show latest --format skill-creator > benchmark.json
    """
    from evenhand.decisions.suite import SuiteGate
    from evenhand.suites.results.stored_outputs import stored_benchmark
    from evenhand.suites.results.suite_results import baseline_run, clustered_run, rulings_on

    if run is None:
        if format not in PLAIN_FORMATS:
            raise click.UsageError(f"--format {format} shows one run; name it, or latest.")
        _list_runs(suite, last, store, format)
        return DONE
    if name is not None:
        _name_run(name, run, store, format)
        return DONE
    kept = chosen_store(store)[0]
    opened = clustered_run(run, kept, cluster)
    rows = row_writers(opened.run, opened.results)
    rows["skill-creator"] = lambda: indented(stored_benchmark(_needed(kept), opened.run, opened.results))
    if format in rows:
        write_as(format, rows)
        return DONE
    before = None if baseline is None else baseline_run(_needed(kept), opened.run.suite, baseline)
    gate = opened.run.gate or SuiteGate()

    def ruled(results: Sequence[CaseResult]) -> list[Ruling]:
        return rulings_on(opened.run, results, kept, gate, baseline=baseline) if gated else []

    rulings = show_run(
        opened,
        kept,
        format,
        before=before,
        label=baseline or "",
        rulings=ruled,
        skill_file=skill_file,
        full=full,
    ).rulings
    if gated and not rulings and undecided != "ok":
        say("undecided: there is nothing to compare, and the suite's gate has no limit")
        return UNDECIDED
    return end_gate(rulings, undecided=undecided)


@click.command()
@click.argument("run", metavar="RUN")
@suite_cluster_option
@store_option
@report_option("csv", "latex", "svg")
def table(run: str, cluster: str | None, store: str | None, format: str) -> None:
    """Show a run as a table for a paper: what is compared with its intervals, and the means.

    The comparisons are those of evenhand run show: each variant against the one under compare_with, or every pair,
    with the same verdicts, estimates and intervals. Means are described, not claimed. Where several judges judged, each
    has a table of its own, after that of the panel.

    \b
    Examples:
      evenhand run table latest
      evenhand run table latest -o table.tex
      evenhand run table latest -o means.svg
      evenhand run table results.jsonl --format csv
    """
    from evenhand.reports.comparison.decision_tables import tables_document, tables_report
    from evenhand.reports.exchange.decision_tables import tables_csv, tables_latex, tables_svg
    from evenhand.suites.results.judge_decisions import judge_decisions
    from evenhand.suites.results.suite_results import clustered_run

    kept = chosen_store(store)[0]
    opened = clustered_run(run, kept, cluster)
    tables = judge_decisions(opened.run, opened.results, kept)
    present(
        format,
        lambda: tables_document(tables),
        report=lambda: tables_report(opened.run.suite, tables),
        csv=lambda: tables_csv(tables),
        latex=lambda: tables_latex(tables),
        svg=lambda: tables_svg(tables),
    )


def _list_runs(suite: str | None, last: int, store: str | None, format: str) -> None:
    """List stored runs of suites, newest first, with their baseline names."""
    from evenhand.decisions.suite_run import run_document
    from evenhand.suites.results.suite_results import stored_runs

    kept = needed_store(store)
    names: dict[str, list[str]] = {}
    for row in kept.baselines(suite):
        names.setdefault(row.run, []).append(row.name)
    listed = stored_runs(kept, suite=suite, limit=last)
    documents = [run_document(run._replace(pairs=None)) | {"baselines": names.get(run.id, [])} for run in listed]

    def lines() -> Iterator[str]:
        for run in listed:
            named = f", baseline {', '.join(names[run.id])}" if run.id in names else ""
            cases = counted(run.cases, "case")
            yield f"{run.id}  {run.created}  {run.suite}: {cases}, {', '.join(run.variants)}{named}"

    if not listed:
        say("no runs of suites are stored; see: evenhand run --help")
    present(format, lambda: documents, plain=lines)


def _name_run(name: str, run: str, store: str | None, format: str) -> None:
    """Name a stored run, for later runs to be compared with."""
    from evenhand.suites.results.suite_results import name_baseline

    if not name or "@" in name or not name.isprintable():
        raise click.UsageError("a baseline's name is printable text without @")
    row = name_baseline(needed_store(store), name, run)
    present(
        format,
        lambda: {"baseline": row.name, "suite": row.suite, "run": row.run},
        plain=lambda: [f"baseline {row.name} of {row.suite} is the run {row.run}"],
    )


def merge_shards(files: tuple[str, ...], *, into: str | None, overwrite: bool, save: bool, store: str | None) -> None:
    """Merge the results of shards into one run: the same whatever the order of the files.

    Results of different suites are refused, and so are two different results of one run.
    """
    from evenhand.options.settings import runs_folder
    from evenhand.reports.comparison.decision import part_of_suite
    from evenhand.suites.importing.promptfoo_results import are_promptfoo_results, keep_outputs, promptfoo_results
    from evenhand.suites.results.shards import merge_results
    from evenhand.suites.results.suite_results import read_results, results_text, save_run

    with written_into(into, overwrite=overwrite):
        parts = [promptfoo_results(file) if are_promptfoo_results(file) else read_results(file) for file in files]
        merged = merge_results(parts)
        runs = Counter(result.id.case for result in merged.results)
        if part := part_of_suite(merged.run, len(runs), runs.total()):
            say(f"warning: {part}")
        if save:
            kept = needed_store(store)
            save_run(kept, merged.run, merged.results)
            for file in filter(are_promptfoo_results, files):
                keep_outputs(file, runs_folder(kept.url))
            say(f"stored: {merged.run.id}")
        if into is not None or not save:
            for line in results_text(*merged):
                write(line)


def keep_plugin_results(
    files: tuple[str, ...], *, into: str | None, overwrite: bool, save: bool, store: str | None
) -> None:
    """Keep each result of claude plugin eval as a run of its own, or write the one as the lines of a run."""
    from evenhand.suites.importing.claude_plugin_results import keep_plugin_run, plugin_run
    from evenhand.suites.results.suite_results import results_text

    if save:
        kept = needed_store(store)
        for file in files:
            say(f"stored: {keep_plugin_run(kept, Path(file))}")
    if into is None and save:
        return
    if len(files) > 1:
        raise click.UsageError("several results of claude plugin eval are several runs: keep them with --save")
    with written_into(into, overwrite=overwrite):
        for line in results_text(*plugin_run(Path(files[0]))):
            write(line)


def _needed(kept: Store | None) -> Store:
    if kept is None:
        raise click.UsageError("baselines and scorecards are in a store; name it with --store")
    return kept


_ROWS_AT_ONCE: Final = 10_000
_WHOLE: Final = ("repeat", "met", "expectations", "tokens")
_MEASURED: Final = ("seconds", "cost")


def row_writers(run: SuiteRun, results: Iterable[CaseResult]) -> dict[str, Writer]:
    """The formats with a row for every run, written as they come, so that a large run needs little memory."""

    def lines() -> None:
        from evenhand.suites.results.suite_results import results_text

        for line in results_text(run, results):
            write(line)

    return {"csv": lambda: _write_csv(results), "parquet": lambda: _write_parquet(results), "results": lines}


def _write_csv(results: Iterable[CaseResult]) -> None:
    import csv
    import io

    from evenhand.reports.exchange.result_rows import result_rows

    text = io.StringIO()
    writer = csv.DictWriter(text, _columns(), restval="", extrasaction="ignore", lineterminator="\n")
    writer.writeheader()
    for row in result_rows(results):
        writer.writerow(row)
        if text.tell() > 1_000_000:
            write(text.getvalue())
            text.seek(0)
            text.truncate()
    write(text.getvalue())


def _write_parquet(results: Iterable[CaseResult]) -> None:
    """Rows with types: scores are decimals, and what is missing is null."""
    if sys.stdout.isatty():
        raise InputError("Parquet is not text; name a file, such as -o results.parquet")
    try:
        import pyarrow as pa
        import pyarrow.parquet as pq
    except ImportError:
        raise InputError(
            "writing Parquet needs the package pyarrow; install it with: pip install 'evenhand[batch]'"
        ) from None
    from evenhand.core.rules import DIMENSIONS
    from evenhand.reports.exchange.result_rows import result_rows

    scores = ("score", *DIMENSIONS)
    types = dict.fromkeys(_WHOLE, pa.int64()) | dict.fromkeys(_MEASURED, pa.float64())
    types |= dict.fromkeys(scores, pa.decimal128(4, 2))
    schema = pa.schema([(name, types.get(name, pa.string())) for name in _columns()])
    waiting = iter(result_rows(results))
    with pq.ParquetWriter(sys.stdout.buffer, schema) as writer:
        while rows := list(islice(waiting, _ROWS_AT_ONCE)):
            typed = [row | _typed(row, scores) for row in rows]
            writer.write_batch(pa.RecordBatch.from_pylist(typed, schema))


def _typed(row: dict[str, Any], scores: Iterable[str]) -> dict[str, Any]:
    """Scores are hundredths, of which the shortest text is exact."""
    decimals = {name: None if row.get(name) is None else Decimal(str(row[name])) for name in scores}
    return {**decimals, "reason": row["reason"] or None}


def _columns() -> list[str]:
    from evenhand.core.rules import DIMENSIONS
    from evenhand.reports.exchange.result_rows import ROW_COLUMNS

    return [*ROW_COLUMNS, *DIMENSIONS]


COMMANDS = (show, table)
