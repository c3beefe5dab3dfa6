"""Tables through the methodology, here and on a cluster: what is handed to each engine, refused, and reported.

Spark takes seconds to start: here a session stands in for it, and the tests with a real cluster are in
`test_spark_judging`.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from contextlib import contextmanager
from decimal import Decimal
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pyarrow as pa
import pytest
from conftest import make_rubric, seven

import evenhand.engine.spark_files
import evenhand.engine.spark_output
import evenhand.engine.spark_session
from evenhand import InputError
from evenhand.engine.duck import BatchOptions
from evenhand.errors import StoreUnavailable, Unavailable
from evenhand.judges.models.budget import Budget
from evenhand.judging.tables import shared_limits, spark
from evenhand.judging.tables.batch import batch_files, batch_verdicts
from evenhand.judging.tables.shared_limits import SharedLimits
from evenhand.judging.tables.shared_limits_worker import Line, SharedBudget, SharedPace, shared_pace
from evenhand.judging.tables.spark import AT_ONCE, RESULTS, JudgedTable, Work, judge_table
from evenhand.options.model_options import ModelOptions
from evenhand.providers.exchange import Stopped
from evenhand.rubrics.new import rubric_text
from evenhand.rubrics.resolved import resolve

# --- files, on this machine

SCORES = seven(8)


def written(path: Path, *rows: dict[str, Any]) -> str:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return str(path)


def test_the_summary_of_a_table_counts_its_rows_and_names_what_was_used(tmp_path: Path) -> None:
    """Three rows, one of them with 11 points: it is in a file of its own."""
    source = written(tmp_path / "in.jsonl", SCORES, SCORES, SCORES | {"safety": 11})
    target = str(tmp_path / "out.jsonl")
    wanted = BatchOptions(rank=False, history=False)
    done = batch_files(source, target, rubric=None, wanted=wanted)
    assert (done.input, done.output, done.rows, done.scored, done.rejected) == (source, target, 3, 2, 1)
    assert (done.engine, done.rubric, done.sha256) == ("duckdb", "default", resolve("default").terms.sha256)
    assert done.rejects is not None and Path(done.rejects).exists()
    assert len(Path(target).read_text().splitlines()) == 2
    with pytest.raises(InputError, match="exists"):
        batch_files(source, target, rubric=None, wanted=wanted)
    again = batch_files(source, target, rubric=None, wanted=wanted, overwrite=True)
    assert again.rows == 3


def test_a_table_that_only_counts_flags_is_warned_of(tmp_path: Path) -> None:
    """Where the rubric gives one of them another amount; nothing was rejected, so there is no such file."""
    source = written(tmp_path / "in.jsonl", SCORES | {"red_flags": 1})
    rubric = make_rubric(amounts=["1.0"])
    wanted = BatchOptions(rank=False, history=False)
    done = batch_files(source, str(tmp_path / "out.jsonl"), rubric=rubric, wanted=wanted)
    assert [text for text in done.warnings if text.startswith("red_flags are counts")] and done.rejects is None
    named = written(tmp_path / "ids.jsonl", SCORES | {"red_flags": ["f0"]})
    quiet = batch_files(named, str(tmp_path / "out2.jsonl"), rubric=rubric, wanted=wanted)
    assert not [text for text in quiet.warnings if text.startswith("red_flags are counts")]


def test_verdicts_are_counted_by_evaluation(tmp_path: Path) -> None:
    """Two evaluations of two verdicts each; one verdict is none that exists."""
    criteria = "#### Criteria\n\n- `a` (1 point): A holds.\n- `b` (1 point): B holds.\n\n"
    text = rubric_text("mine", "default").replace("### Completeness", f"{criteria}### Completeness", 1)
    (tmp_path / "mine.md").write_text(text, encoding="utf-8")
    rows = [
        {"id": id, "criterion": criterion, "verdict": verdict}
        for id, criterion, verdict in (("x", "a", "yes"), ("x", "b", "no"), ("y", "a", "yes"), ("y", "b", "perhaps"))
    ]
    source = written(tmp_path / "in.jsonl", *rows)
    target = str(tmp_path / "out.jsonl")
    done = batch_verdicts(source, target, rubric=tmp_path / "mine.md", columns={})
    assert (done.rows, done.scored, done.rejected, done.engine) == (2, 1, 1, "duckdb")
    assert (done.input, done.output, done.rubric) == (source, target, "mine")
    (scored,) = [json.loads(line) for line in Path(target).read_text().splitlines()]
    assert scored["id"] == "x"
    with pytest.raises(InputError, match="exists"):
        batch_verdicts(source, target, rubric=tmp_path / "mine.md", columns={})
    renamed = written(tmp_path / "other.jsonl", *[{"run" if k == "id" else k: v for k, v in r.items()} for r in rows])
    found = batch_verdicts(renamed, target, rubric=tmp_path / "mine.md", columns={"id": "run"}, overwrite=True)
    assert found.rows == 2


@pytest.fixture
def masters(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The addresses at which a session was opened, each with four places for work."""
    opened: list[str] = []

    @contextmanager
    def session(master: str) -> Iterator[Any]:
        opened.append(master)
        configuration = SimpleNamespace(get=lambda name: "127.0.0.1" if name == "spark.driver.host" else None)
        yield SimpleNamespace(
            sparkContext=SimpleNamespace(defaultParallelism=4, getConf=lambda: configuration), name="session"
        )

    monkeypatch.setattr(evenhand.engine.spark_session, "spark_session", session)
    return opened


# --- judging on a cluster


def judging(monkeypatch: pytest.MonkeyPatch, **more: Any) -> tuple[Work, Budget, bool]:
    """What a cluster is told to do."""
    told: list[Any] = []

    def run(session: Any, source: str, target: str, work: Work, budget: Budget, overwrite: bool) -> str:
        assert (session.name, source, target) == ("session", "in.jsonl", "out")
        told.append((work, budget, overwrite))
        return "done"

    monkeypatch.setattr(spark, "_run", run)
    options = {"judges": ("openai:one",), "options": ModelOptions(), "secret": lambda: b"secret"} | more
    assert judge_table("in.jsonl", "out", **options) == "done"  # type: ignore[arg-type, comparison-overlap]
    return told[0]


@pytest.mark.parametrize(
    ("concurrency", "each"), [(None, 4), (8, 2), (7, 1), (3, 1), (4, 1)], ids=["usual", "8", "7", "3", "4"]
)
def test_executors_share_the_number_of_calls_at_once(
    concurrency: int | None, each: int, masters: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Sixteen for four places unless told otherwise; each place makes one at least."""
    monkeypatch.setenv("OPENAI_API_KEY", "k")
    limits = ModelOptions(concurrency=concurrency, max_calls=5)
    work, budget, overwrite = judging(monkeypatch, options=limits)
    assert (work.options.concurrency, work.options.max_calls) == (each, 5)
    assert (budget._max_calls, budget._max_cost, overwrite, masters) == (5, None, False, ["local[*]"])
    assert (work.judges, work.secret, work.rubric.name) == (("openai:one",), b"secret", "default")
    assert work.address is not None and work.address.host == "127.0.0.1" and len(work.address.token) == 43  # 32 bytes


def test_what_cannot_be_judged_on_a_cluster_is_refused_before_it_starts(
    masters: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "k")
    with pytest.raises(InputError, match="judging needs a regular Spark session"):
        judging(monkeypatch, master="sc://host")
    with pytest.raises(InputError):
        judging(monkeypatch, judges=("nobody:here",))
    assert masters == []


class Frame:
    """A table of a cluster, by its columns."""

    def __init__(self, columns: list[str], rows: int = 1) -> None:
        self.columns, self.rows = columns, rows

    def isEmpty(self) -> bool:
        return not self.rows


class Reader:
    """Reads a frame, and notes how."""

    def __init__(self, frame: Frame) -> None:
        self.frame, self.how = frame, list[Any]()

    def json(self, source: str) -> Frame:
        self.how.append(("json", source))
        return self.frame

    def option(self, name: str, value: str) -> Reader:
        self.how.append((name, value))
        return self

    def parquet(self, source: str) -> Frame:
        self.how.append(("parquet", source))
        return self.frame


@pytest.mark.parametrize(
    ("source", "how"),
    [
        ("a.jsonl", [("json", "a.jsonl")]),
        ("a.json.gz", [("json", "a.json.gz")]),
        ("a.parquet", [("mergeSchema", "true"), ("parquet", "a.parquet")]),
        ("folder", [("mergeSchema", "true"), ("parquet", "folder")]),
    ],
)
def test_a_table_is_read_by_its_ending(source: str, how: list[Any]) -> None:
    session: Any = SimpleNamespace(read=Reader(Frame(["output", "more"])))
    assert spark._read(session, source) is session.read.frame
    assert session.read.how == how


@pytest.mark.parametrize(
    ("frame", "says"),
    [
        (Frame(["task"]), "has no column output; read are output, task, reference, skill, id, expect, and it has task"),
        (Frame(["output", "grade", "final"]), "has the column final already, which the results need; rename it"),
        (Frame(["output"], rows=0), "has no rows; nothing was written"),
    ],
)
def test_a_table_that_cannot_be_judged_is_refused_with_its_name(frame: Frame, says: str) -> None:
    session: Any = SimpleNamespace(read=Reader(frame))
    with pytest.raises(InputError) as caught:
        spark._read(session, "in.parquet")
    assert (caught.value.problems[0].message, caught.value.problems[0].source) == (says, "in.parquet")


class Written:
    """Where results go: noted, not written."""

    written = "out.partial"

    def __init__(self) -> None:
        self.noted: list[Any] = []

    def write(self, frame: Any, partitions: Any) -> None:
        self.noted.append(("write", frame, partitions))
        if isinstance(frame, Exception):
            raise frame

    def publish(self) -> None:
        self.noted.append("publish")

    def withdraw(self) -> None:
        self.noted.append("withdraw")


def cluster(monkeypatch: pytest.MonkeyPatch, made: Any = "judged") -> tuple[Any, Written, dict[str, Any]]:
    """A session whose table has ten rows, of which eight were judged."""
    output, seen = Written(), dict[str, Any]()

    def repartition(number: int, *columns: str) -> Any:
        seen["spread"] = (number, columns)
        return SimpleNamespace(mapInArrow=lambda work, schema: seen.update(schema=schema) or made)

    kind = SimpleNamespace(simpleString=lambda: "string")
    frame = Frame(["skill", "reference", "output"])
    frame.schema = [SimpleNamespace(name=name, dataType=kind) for name in frame.columns]  # type: ignore[attr-defined]
    frame.repartition = repartition  # type: ignore[attr-defined]
    judged = SimpleNamespace(count=lambda: 8)
    rows = SimpleNamespace(count=lambda: 10, where=lambda text: seen.update(where=text) or judged)
    reader = SimpleNamespace(json=lambda source: frame, parquet=lambda path: seen.update(read=path) or rows)
    session = SimpleNamespace(
        read=reader,
        conf=SimpleNamespace(set=lambda name, value: seen.update({name: value})),
        sparkContext=SimpleNamespace(defaultParallelism=3),
    )
    monkeypatch.setattr(
        evenhand.engine.spark_output, "output_at", lambda *given: seen.update(target=given[1:]) or output
    )
    return session, output, seen


WORK = Work(("checks",), resolve("default").rubric, ModelOptions(), {}, b"", None)


def test_rows_with_the_same_text_go_to_the_same_executor(monkeypatch: pytest.MonkeyPatch) -> None:
    """By output, task and reference, as far as the table has them; two parts for each place, so that none waits."""
    session, output, seen = cluster(monkeypatch)
    budget = Budget()
    budget.calls, budget.cost, budget.stopped, budget.broken = 5, Decimal("0.5"), "enough", True
    done = spark._run(session, "in.jsonl", "out", WORK, budget, True)
    assert done == JudgedTable("in.jsonl", "out", 10, 8, 2, 5, Decimal("0.5"), "enough", True)
    assert seen["spread"] == (6, ("output", "reference")) and seen["target"] == ("out", True)
    assert seen["spark.sql.execution.arrow.maxRecordsPerBatch"] == "256" == str(AT_ONCE)
    assert seen["schema"] == (
        "`skill` string, `reference` string, `output` string, scorecard string, final decimal(4,2), grade string, "
        "low decimal(4,2), high decimal(4,2), problem string"
    )
    assert (seen["read"], seen["where"]) == ("out.partial", "scorecard IS NOT NULL")
    assert output.noted == [("write", "judged", None), "publish"]


@pytest.mark.parametrize("error", [InputError("refused"), ValueError("from the cluster")])
def test_what_a_cluster_left_half_written_is_withdrawn(error: Exception, monkeypatch: pytest.MonkeyPatch) -> None:
    """Our own errors are raised as they are, those of the cluster explained."""
    session, output, _ = cluster(monkeypatch, error)
    explained = InputError("explained")
    monkeypatch.setattr(evenhand.engine.spark_files, "explained", lambda given, source, target: explained)
    with pytest.raises(InputError) as caught:
        spark._run(session, "in.jsonl", "out", WORK, Budget(), False)
    assert caught.value is (error if isinstance(error, InputError) else explained)
    assert output.noted[-1] == "withdraw" and "publish" not in output.noted


def test_every_batch_of_a_partition_is_judged_with_its_own_columns_first() -> None:
    batches = [pa.RecordBatch.from_pylist([{"n": n, "output": "Text."}]) for n in (1, 2)]
    made = list(spark.judge_batches(WORK, batches))
    assert [batch.to_pylist()[0]["n"] for batch in made] == [1, 2]
    assert made[0].schema.names == ["n", "output", *RESULTS]
    assert [str(made[0].schema.field(name).type) for name in ("final", "low", "high")] == ["decimal128(4, 2)"] * 3


# --- limits that executors share


class Replies(dict[str, str]):
    put = dict.__setitem__


def test_what_a_lost_worker_had_reserved_counts_as_spent_and_a_late_settlement_does_not() -> None:
    """0.3 and 0.2 are reserved; the line is closed, and both are spent: 0.5 of 1."""
    limits = SharedLimits(Budget(max_cost=Decimal(1)), Replies())

    async def calls(line: Line) -> None:
        budget = SharedBudget(line)
        await budget.reserve(Decimal("0.3"))
        await budget.reserve(Decimal("0.2"))
        worker = line._headers["Worker"]
        await line.close()
        while worker in limits._reserved:
            await asyncio.sleep(0.001)
        late = Line(line._address)
        late._headers["Worker"] = worker
        SharedBudget(late).settle(Decimal("0.3"), Decimal("0.1"))
        await late.close()

    with limits.served("127.0.0.1") as address:
        asyncio.run(calls(Line(address)))
    assert limits.budget.cost == Decimal("0.5")


def test_a_file_of_replies_that_fails_stops_every_worker_as_a_fault() -> None:
    class Failing(Replies):
        def get(self, key: str, default: Any = None) -> Any:
            raise StoreUnavailable("the disk is gone")

    limits = SharedLimits(Budget(), Failing())

    async def calls(line: Line) -> tuple[Any, str | None, bool]:
        answer = line.ask("get", key="k")
        budget = SharedBudget(line)
        with pytest.raises(Stopped, match="the disk is gone"):
            await budget.reserve(None)
        await line.close()
        return answer, budget.stopped, budget.broken

    with limits.served("127.0.0.1") as address:
        answer, stopped, broken = asyncio.run(calls(Line(address)))
    assert answer == {"result": None, "stopped": "the disk is gone", "broken": True, "any_reply": False}
    assert (stopped, broken) == ("the disk is gone", True)


def test_only_what_was_taken_in_the_last_minute_can_be_corrected(monkeypatch: pytest.MonkeyPatch) -> None:
    """Taken at 0, 30 and 61 seconds: the first is forgotten, the second is not."""
    moments = iter((0.0, 30.0, 61.0))

    class Pace:
        def __init__(self, limit: int, timing: object) -> None:
            self.limit = limit

        async def take(self, amount: float) -> list[float]:
            return [next(moments), amount]

        def correct(self, entry: list[float], amount: float) -> None:
            corrected.append((self.limit, entry, amount))

    corrected: list[Any] = []
    monkeypatch.setattr(shared_limits, "Pace", Pace)
    limits = SharedLimits(Budget(), None)

    async def taking() -> list[int]:
        numbers = [await limits.do_take("w", "tokens", 10, amount) for amount in (1, 2, 3)]
        for number in numbers:
            await limits.do_correct("w", number, 9)
        return numbers

    assert asyncio.run(taking()) == [1, 2, 3]
    assert corrected == [(10, [30.0, 2], 9), (10, [61.0, 3], 9)]


def test_a_worker_asks_again_once_when_its_idle_connection_was_closed() -> None:
    """The second failure is the machine's: it names the address and what to set."""
    with SharedLimits(Budget(), Replies()).served("127.0.0.1") as address:
        line = Line(address)
        quick = line._quick
        failing = [ConnectionResetError("closed")]

        def request(*arguments: Any) -> None:
            if failing:
                raise failing.pop()
            type(quick).request(quick, *arguments)

        quick.request = request  # type: ignore[method-assign, assignment]
        assert line.ask("put", key="k", reply="r")["result"] is True
        failing[:] = [ConnectionResetError("closed twice"), ConnectionResetError("closed")]
        with pytest.raises(Unavailable, match=rf"machine at 127\.0\.0\.1:{address.port}: closed twice; set spark"):
            line.ask("get", key="k")
        asyncio.run(line.close())


def test_a_shared_rate_limit_is_known_by_its_name() -> None:
    """What is taken comes back as its number at the server, which a correction names."""

    class Noting:
        def __init__(self) -> None:
            self.noted: list[Any] = []

        async def wait(self, action: str, **body: Any) -> dict[str, Any]:
            self.noted.append((action, body))
            return {"result": 7}

        def ask(self, action: str, **body: Any) -> dict[str, Any]:
            self.noted.append((action, body))
            return {"stopped": None, "result": True}

    line: Any = Noting()
    pace: SharedPace = shared_pace(line)(10, None, "tokens")
    entry = asyncio.run(pace.take(3))
    pace.correct(entry, 2)
    asyncio.run(shared_pace(line)(5, None).take())
    assert entry == [7, 3]
    assert line.noted == [
        ("take", {"name": "tokens", "limit": 10, "amount": 3}),
        ("correct", {"entry": 7, "amount": 2}),
        ("take", {"name": "", "limit": 5, "amount": 1}),
    ]
    line.noted.clear()
    budget = SharedBudget(line)
    budget.settle(Decimal("0.5"), None, failed=True)
    budget.settle(None, Decimal("0.25"))
    budget.stop("enough", broken=True)
    budget.stop("again")
    assert line.noted == [
        ("settle", {"most": "0.5", "cost": None, "failed": True}),
        ("settle", {"most": None, "cost": "0.25", "failed": False}),
        ("stop", {"reason": "enough", "broken": True}),
    ]
    assert (budget.stopped, budget.broken) == ("enough", True)
