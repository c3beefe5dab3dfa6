"""Tables of submissions judged on a Spark cluster.

Every executor asks the models itself, within limits that all of them share (`shared_limits`). Replies are stored on the
machine that started the run, before they are read: a lost executor's work is done again without asking again, and so is
a run that is started again. Rows with the same text go to the same executor, so that each question is asked once.
"""

from __future__ import annotations

import asyncio
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from decimal import Decimal
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any, Final, NamedTuple

from evenhand.core.published import DOLLARS, Count
from evenhand.core.rubric import Rubric
from evenhand.core.scorecard import Scorecard
from evenhand.documents.scorecard import scorecard_json
from evenhand.errors import EvenhandError, InputError, Problem
from evenhand.files.output_files import refuse_input
from evenhand.judges.models.budget import Budget
from evenhand.judging.panels.panel import OpenPanel, Shared, open_replies
from evenhand.judging.panels.panel_judging import PanelJudging
from evenhand.judging.processes import judge_each
from evenhand.judging.program import CHECKS, open_program
from evenhand.judging.steps import Steps
from evenhand.judging.tables.batch import batch_rubric
from evenhand.judging.tables.shared_limits import Address, SharedLimits
from evenhand.judging.tables.shared_limits_worker import Line, SharedBudget, SharedReplies, shared_pace
from evenhand.options.model_options import ModelOptions
from evenhand.options.settings import judge_tables
from evenhand.providers.entries import configured
from evenhand.providers.known import Configured
from evenhand.work.submission import Submission

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import DataFrame, SparkSession

COLUMNS: Final = ("output", "task", "reference", "skill", "id", "expect")
"""The columns that are read; only `output` is required."""

RESULTS: Final = {
    "scorecard": "string",
    "final": "decimal(4,2)",
    "grade": "string",
    "low": "decimal(4,2)",
    "high": "decimal(4,2)",
    "problem": "string",
}
"""The columns that are added. `low` and `high` are the ends of the interval where there is no final score."""

AT_ONCE: Final = 256
"""Rows of a partition that are in memory at once."""


class JudgedTable(NamedTuple):
    """The outcome of judging a table."""

    input: str
    output: str
    rows: Count
    judged: Count
    """Rows with a scorecard."""
    problems: Count
    """Rows without one; their `problem` says why."""
    calls: Count
    cost: Annotated[Decimal | None, DOLLARS]
    """US dollars; None when a price is unknown."""
    stopped: str | None
    """Why no further calls were made; None when nothing stopped them."""
    broken: bool
    """Whether a fault stopped them, rather than a limit."""


class Work(NamedTuple):
    """What an executor must know."""

    judges: tuple[str, ...]
    rubric: Rubric
    options: ModelOptions
    named: Mapping[str, Configured]
    secret: bytes
    address: Address | None
    """Where the shared limits are kept; None when no model is asked."""


def judge_table(
    source: str,
    target: str,
    *,
    judges: Sequence[str],
    options: ModelOptions,
    rubric: str | None = None,
    secret: Callable[[], bytes],
    master: str | None = None,
    overwrite: bool = False,
) -> JudgedTable:
    """Judge the rows of Parquet or JSONL files into a folder of Parquet files with the results added."""
    from evenhand.tables.spark_session import spark_session

    refuse_input(source, target)
    work = Work(tuple(judges), batch_rubric(rubric).rubric, options, configured(judge_tables()), secret(), None)
    asks = any(judge != CHECKS for judge in judges)
    if asks:
        _refuse_early(work)
    master = master or "local[*]"
    if master.startswith("sc://"):
        raise InputError("judging needs a regular Spark session: Spark Connect does not tell executors where this is")
    with spark_session(master) as session:
        limits = SharedLimits(
            Budget(max_calls=options.max_calls, max_cost=options.max_cost),
            open_replies(options.replies),
        )
        if not asks:
            return _run(session, source, target, work, limits.budget, overwrite)
        context = session.sparkContext
        per_executor = max(1, (options.concurrency or 16) // max(1, context.defaultParallelism))
        work = work._replace(options=replace(options, concurrency=per_executor))
        with limits.served(context.getConf().get("spark.driver.host") or "127.0.0.1") as address:
            return _run(session, source, target, work._replace(address=address), limits.budget, overwrite)


def _refuse_early(work: Work) -> None:
    """Open the judges here as well: a misspelt name should not cost the start of a cluster."""
    OpenPanel(work.judges, replace(work.options, replies=None), program=open_program(work.judges))


def _run(session: SparkSession, source: str, target: str, work: Work, budget: Budget, overwrite: bool) -> JudgedTable:
    from evenhand.tables.spark_files import explained
    from evenhand.tables.spark_output import output_at

    try:
        output = output_at(session, target, overwrite)
        frame = _read(session, source)
        schema = ", ".join([*(f"`{field.name}` {field.dataType.simpleString()}" for field in frame.schema), *_added()])
        session.conf.set("spark.sql.execution.arrow.maxRecordsPerBatch", str(AT_ONCE))
        same = [name for name in COLUMNS[:3] if name in frame.columns]
        spread = frame.repartition(2 * session.sparkContext.defaultParallelism, *same)
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # it warns about a newer pandas, which we do not use
                output.write(spread.mapInArrow(partial(judge_batches, work), schema), None)
            written = session.read.parquet(output.written)
            rows, judged = written.count(), written.where("scorecard IS NOT NULL").count()
            output.publish()
        except BaseException:
            output.withdraw()
            raise
    except EvenhandError:
        raise
    except Exception as error:
        raise explained(error, source, target) from None
    return JudgedTable(
        source, target, rows, judged, rows - judged, budget.calls, budget.cost, budget.stopped, budget.broken
    )


def _added() -> Iterator[str]:
    return (f"{name} {type}" for name, type in RESULTS.items())


def _read(session: SparkSession, source: str) -> DataFrame:
    lines = source.endswith((".jsonl", ".json", ".jsonl.gz", ".json.gz"))
    frame = session.read.json(source) if lines else session.read.option("mergeSchema", "true").parquet(source)
    if "output" not in frame.columns:
        raise InputError(
            Problem(
                f"has no column output; read are {', '.join(COLUMNS)}, and it has {', '.join(frame.columns)}", source
            )
        )
    taken = [name for name in RESULTS if name in frame.columns]
    if taken:
        raise InputError(Problem(f"has the column {taken[0]} already, which the results need; rename it", source))
    if frame.isEmpty():
        raise InputError(Problem("has no rows; nothing was written", source))
    return frame


def judge_batches(work: Work, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Judge the rows of one partition, on an executor."""
    if work.address is None:
        for batch in batches:
            yield _with_results(batch, _checked(work, _submissions(batch)))
        return
    with asyncio.Runner() as runner:
        line = Line(work.address)
        judging = _judging(work, line)
        try:
            for batch in batches:
                yield _with_results(batch, runner.run(_judged_by_models(judging, _submissions(batch))))
        finally:
            runner.run(line.close())


def _judging(work: Work, line: Line) -> PanelJudging:
    shared = Shared(SharedBudget(line), SharedReplies(line), shared_pace(line), work.named)
    program = open_program(work.judges)
    panel = OpenPanel(work.judges, work.options, program=program, secret=lambda: work.secret, shared=shared)
    return PanelJudging(panel, Steps(work.rubric))


def _checked(work: Work, submissions: list[Submission | InputError]) -> list[Scorecard | InputError]:
    return list(judge_each(submissions, open_program(work.judges), Steps(work.rubric)))


async def _judged_by_models(
    judging: PanelJudging, submissions: list[Submission | InputError]
) -> list[Scorecard | InputError]:
    whole = [submission for submission in submissions if isinstance(submission, Submission)]
    async with judging.panel:
        evaluated = iter(await judging.evaluate_all(whole))
    results: list[Scorecard | InputError] = []
    for submission in submissions:
        result = submission if isinstance(submission, InputError) else next(evaluated)
        if result is None:
            result = InputError(f"not judged: {judging.panel.stopped}; run the same command again to continue")
        results.append(result if isinstance(result, InputError) else result.card)
    return results


def _submissions(batch: pa.RecordBatch) -> list[Submission | InputError]:
    return [_submission(row) for row in batch.select([n for n in COLUMNS if n in batch.schema.names]).to_pylist()]


def _submission(row: Mapping[str, Any]) -> Submission | InputError:
    """A row as a submission; an empty cell is as good as none, except for the output."""
    output = row.get("output")
    if output is None:
        return InputError("the row has no output")
    texts: dict[str, Any] = {name: str(row[name]) for name in COLUMNS[1:5] if row.get(name) is not None}
    expect = row.get("expect")
    if isinstance(expect, str):
        import json

        try:
            expect = json.loads(expect)
        except ValueError as error:
            return InputError(f"the column expect is not JSON: {error}")
    return Submission(output=str(output), expect=expect, **texts)


def _with_results(batch: pa.RecordBatch, results: Sequence[Scorecard | InputError]) -> pa.RecordBatch:
    import pyarrow as pa

    cards = [None if isinstance(result, InputError) else result for result in results]
    intervals = [None if card is None else card.interval for card in cards]
    points = pa.decimal128(4, 2)
    columns = {
        "scorecard": pa.array([None if card is None else scorecard_json(card) for card in cards], pa.string()),
        "final": pa.array([None if card is None else card.final for card in cards], points),
        "grade": pa.array(
            [None if card is None or card.grade is None else card.grade.letter for card in cards], pa.string()
        ),
        "low": pa.array([None if interval is None else interval.low for interval in intervals], points),
        "high": pa.array([None if interval is None else interval.high for interval in intervals], points),
        "problem": pa.array(
            [str(result) if isinstance(result, InputError) else None for result in results], pa.string()
        ),
    }
    names = [*batch.schema.names, *columns]
    return pa.RecordBatch.from_arrays([*batch.columns, *columns.values()], names=names)
