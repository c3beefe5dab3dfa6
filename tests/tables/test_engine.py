"""Tables of evaluations come out as `core` says, whichever engine scores them."""

from __future__ import annotations

import math
from datetime import timedelta
from decimal import Decimal
from functools import cache
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from columns_oracle import START, expected, rubrics, same, tables
from conftest import judged, make_rubric, seven
from hypothesis import given, settings
from hypothesis import strategies as st

import evenhand
from evenhand.core import scoring
from evenhand.core.numbers import hundredths
from evenhand.core.numbers import score as core_score
from evenhand.core.receipt import terms_of
from evenhand.core.rubric import Terms
from evenhand.core.scorecard import Receipt
from evenhand.errors import InputError
from evenhand.judges.written import judgement_from
from evenhand.judging.batch import batch_files
from evenhand.tables.arrow import columns_of
from evenhand.tables.columns import make_layout
from evenhand.tables.duck import BatchOptions
from evenhand.tables.plan import Plan, inner
from table_engines import WAYS, Way, memory, table_of

ENGINE = Path(__file__).parents[2] / "src" / "evenhand" / "engine"
EXAMPLES = {"memory": 15, "files": 5}
"""How many tables each engine is tried on; those that write a file take longer. A long run tries four times as many."""

cents = st.integers(100, 1000).map(lambda each: Decimal(each).scaleb(-2))
floats = st.one_of(st.floats(1, 10), cents.map(float), st.integers(100, 999).map(lambda each: (each + 0.5) / 100))
KINDS: dict[str, tuple[st.SearchStrategy[Any], pa.DataType]] = {
    "whole numbers": (st.integers(1, 10), pa.int32()),
    "decimals": (cents, pa.decimal128(4, 2)),
    "long decimals": (st.decimals(1, 10, places=7), pa.decimal128(20, 7)),
    "floats": (floats, pa.float64()),
    "text": (st.one_of(cents.map(str), floats.map(repr)), pa.string()),
}


@pytest.fixture(params=WAYS)
def engine(request: pytest.FixtureRequest) -> Way:
    """Each engine in turn."""
    return WAYS[request.param]


def types_of(scores: pa.DataType, **more: pa.DataType) -> dict[str, pa.DataType]:
    return dict.fromkeys(evenhand.DIMENSIONS, scores) | more


def rows_of(count: int, **more: Any) -> list[dict[str, Any]]:
    """Rows that can all be scored, a minute apart, of one skill."""
    return [
        {"id": f"r{n:03}", "skill": "s", "created": START + timedelta(minutes=n), **seven(7.0), **more}
        for n in range(count)
    ]


# --- equal to core ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.slow
def test_random_tables_come_out_as_core_says(way: str, long: bool):
    """Numbers of every type, weights, amounts, ties, skills and histories of all sorts: every number, rank, flag, mean
    and deviation."""

    @settings(max_examples=EXAMPLES[way] * (4 if long else 1))
    @given(st.data())
    def check(data: st.DataObject) -> None:
        scores, type = KINDS[data.draw(st.sampled_from(list(KINDS)))]
        rubric = data.draw(rubrics())
        rows = data.draw(tables(rubric, scores))
        rank_by = data.draw(st.sampled_from([None, "skill"]))
        if not rows and way == "files":
            return
        found = WAYS[way](table_of(rows, types_of(type)), rubric, rank_by=rank_by)
        assert not found.rejected
        same(found.scored, rows, rubric, rank_by)

    check()


@pytest.mark.slow
def test_long_histories_slide_by_ten(engine: Way):
    """Three hundred rows of three skills, out of order: blocks, short windows and full ones."""
    rubric = make_rubric()
    rows = [
        {
            "id": f"r{n:03}",
            "skill": f"s{n % 3}",
            "created": START + timedelta(minutes=n * 7 % 300),
            **{name: 1 + (n * (place + 3)) % 91 / 10 for place, name in enumerate(evenhand.DIMENSIONS)},
            "red_flags": [f"f{each}" for each in range(n % 5)],
            "bonuses": [f"b{each}" for each in range(n % 4)],
        }
        for n in range(300)
    ]
    same(engine(table_of(rows, {}), rubric).scored, rows, rubric)


@pytest.mark.slow
def test_the_order_of_rows_is_kept_and_changes_nothing(engine: Way):
    """Rows come back as they came; shuffled, each has the same results."""
    rows = [row | seven(1 + n % 9) for n, row in enumerate(rows_of(40))]
    straight = engine(table_of(rows, {}), make_rubric()).scored
    shuffled = engine(table_of(rows[::-1], {}), make_rubric()).scored
    assert [row["id"] for row in straight] == [row["id"] for row in rows]
    assert sorted(straight, key=lambda row: row["id"]) == sorted(shuffled, key=lambda row: row["id"])


@pytest.mark.long
@pytest.mark.slow
def test_every_vector_of_whole_scores_has_the_composite_and_grade_of_core():
    """All 10,000,000, with the default weights. Core is asked once for each exact weighted sum, of which the
    composite is a function; that the sums are right is checked against core's own scorecards by a sample."""
    import numpy as np

    from evenhand.core.scoring import apply_claims

    rubric = make_rubric()
    terms = terms_of(rubric)
    # weights 0.25, 0.20, 0.15, 0.15, 0.10, 0.10, 0.05 in hundredths, written here once more on purpose
    units = np.array([25, 20, 15, 15, 10, 10, 5])
    outcomes = {total: apply_claims(total * 100, 100, 0, 0) for total in range(100, 1001)}
    for vector in np.random.default_rng(6).integers(1, 11, (500, 7)):
        card = evenhand.score({"scores": seven(*map(int, vector))}, rubric=rubric)
        assert card.composite == Decimal(outcomes[int(vector @ units)].composite).scaleb(-2)
        assert card.grade == outcomes[int(vector @ units)].grade
    seen = 0
    for first in range(1, 11):
        six = np.stack(np.meshgrid(*[np.arange(1, 11)] * 6, indexing="ij"), axis=-1).reshape(-1, 6)
        vectors = np.column_stack([np.full(len(six), first), six])
        totals = pa.array(vectors @ units)
        columns = {"total": totals, **dict(zip(("composite", "grade"), by_plan(vectors, terms), strict=True))}
        for case in pa.table(columns).group_by(list(columns)).aggregate([]).to_pylist():
            outcome = outcomes[case["total"]]
            assert (case["composite"], case["grade"]) == (outcome.composite, outcome.grade.letter)
        seen += len(vectors)
    assert seen == 10**7


def by_plan(vectors: Any, terms: Any) -> tuple[Any, Any]:
    """Composite in hundredths, and grade, by the plan in SQL."""
    import duckdb

    table = pa.table({name: vectors[:, place] for place, name in enumerate(evenhand.DIMENSIONS)})
    plan = Plan(terms, make_layout(columns_of(table.schema), rank=False, history=False))
    with duckdb.connect() as connection:
        connection.register("vectors", table)
        stages = plan.scored(f"({plan.accepted('vectors')}) accepted")
        shown = plan.shown(f"({stages}) scored", [inner("composite")])
        found = connection.sql(shown).to_arrow_table()
    return found.column(0), found.column("grade")


@cache
def usual_terms() -> tuple[Terms, Receipt]:
    """The terms of the usual rubric, and some receipt: made once for 44,149 cards."""
    return terms_of(make_rubric()), judged(seven(7)).receipt


@cache
def card_of(cent: int, flags: int, bonuses: int) -> evenhand.Scorecard:
    """What core makes of seven equal scores, once for all ways."""
    terms, receipt = usual_terms()
    judgement = {
        "scores": seven(Decimal(cent).scaleb(-2)),
        "red_flags": [f"f{n}" for n in range(flags)],
        "bonuses": [f"b{n}" for n in range(bonuses)],
    }
    settled, _ = scoring.settle(judgement_from(judgement), terms)
    return scoring.score(settled, terms, id="x", created="2026-01-01T00:00:00Z", receipt=receipt)


@pytest.mark.long
@pytest.mark.slow
def test_every_composite_with_up_to_six_flags_and_bonuses_is_that_of_core():
    """901 composites, 0 to 6 flags, 0 to 6 bonuses: seven equal scores make each composite."""
    rubric = make_rubric()
    cases = [(cent, flags, bonuses) for cent in range(100, 1001) for flags in range(7) for bonuses in range(7)]
    columns = {name: pa.array([Decimal(cent).scaleb(-2) for cent, _, _ in cases]) for name in evenhand.DIMENSIONS}
    counted = {"red_flags": [flags for _, flags, _ in cases], "bonuses": [bonuses for _, _, bonuses in cases]}
    table = pa.table({"id": [str(place) for place in range(len(cases))], **columns, **counted})
    found = {row["id"]: row for row in memory(table, rubric, rank=False, history=False).scored}
    assert len(found) == 901 * 49
    for place, (cent, flags, bonuses) in enumerate(cases):
        card = card_of(cent, flags, bonuses)
        row = found[str(place)]
        assert (row["composite"], row["deduction"], row["bonus"], row["final"], row["grade"], row["label"]) == (
            card.composite,
            card.deduction.applied,
            card.bonus.applied,
            card.final,
            card.grade.letter,
            card.grade.label,
        )


@pytest.fixture(scope="module")
def many_rows(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, pa.Table]:
    """130,000 rows of 300 skills, every 1,000th of them bad, as a file; and the others as they are scored in memory."""
    import duckdb

    scores = ", ".join(
        f"CAST(1 + hash(n * 8 + {place}) % 10 AS BIGINT) AS {name}" for place, name in enumerate(evenhand.DIMENSIONS)
    )
    bad = "CASE WHEN n % 1000 = 7 THEN 2000 ELSE hash(n * 11) % 5 END"
    rows = f"""SELECT n AS id, 's' || hash(n * 17) % 300 AS skill, CAST(hash(n * 19) % 100000000 AS BIGINT) AS created,
        {scores}, CAST({bad} AS BIGINT) AS red_flags FROM range(130000) numbers(n)"""
    source = tmp_path_factory.mktemp("many") / "in.parquet"
    with duckdb.connect() as connection:
        connection.execute(f"COPY ({rows}) TO '{source}' (FORMAT parquet, ROW_GROUP_SIZE 10000)")
    return source, evenhand.batch(pq.read_table(source), rubric="default", allow_rejects=True)


@pytest.mark.slow
@pytest.mark.parametrize("form", ["parquet", "csv", "jsonl", "arrow"])
def test_a_table_of_many_rows_keeps_their_order_and_is_the_same_from_files(
    tmp_path: Path, many_rows: tuple[Path, pa.Table], form: str
):
    """More than DuckDB gives to one thread."""
    import duckdb

    source, scored = many_rows
    target = tmp_path / f"out.{form}"
    done = batch_files(str(source), str(target), rubric="default", wanted=BatchOptions())
    assert (done.scored, scored.num_rows) == (129_870, 129_870)
    assert scored.column("id").to_pylist() == [n for n in range(130_000) if n % 1000 != 7]
    if form == "arrow":
        written = pa.ipc.open_file(target).read_all()
    else:
        with duckdb.connect() as connection:
            written = connection.sql(f"SELECT * FROM '{target}'").to_arrow_table()
    assert written.cast(scored.schema).equals(scored)


# --- numbers on their way in -----------------------------------------------------------------------------


def finals(scores: pa.Array) -> list[int | None]:
    """The final score, in hundredths, of a row with this score in all dimensions; None if the row is rejected."""
    table = pa.table({"place": range(len(scores)), **dict.fromkeys(evenhand.DIMENSIONS, scores)})
    found = {row["place"]: row["final"] for row in memory(table, make_rubric(), rank=False, history=False).scored}
    return [hundredths(found[place]) if place in found else None for place in range(len(scores))]


def as_core_takes(value: Any) -> int | None:
    """Hundredths of a score, or None for what core refuses."""
    try:
        return hundredths(core_score(value))
    except ValueError:
        return None


@settings(max_examples=10)
@given(st.lists(st.one_of(floats, st.floats(allow_nan=True, allow_infinity=True)), min_size=40, max_size=80))
def test_R1_a_float_is_its_shortest_text(values: list[float]):
    """Hundredths of floats as core takes them, halves included; what core refuses is refused."""
    assert finals(pa.array(values, pa.float64())) == [as_core_takes(value) for value in values]


@settings(max_examples=10)
@given(st.lists(st.floats(1, 10, width=32), min_size=40, max_size=80))
def test_R1_a_short_float_is_its_own_shortest_text(values: list[float]):
    """A 32-bit 7.345 is 7.345, not the 7.34499979 that it is as a longer float."""
    import numpy as np

    shortest = [np.format_float_positional(np.float32(value), unique=True) for value in values]
    assert finals(pa.array(values, pa.float32())) == [as_core_takes(value) for value in shortest]


@pytest.mark.parametrize("bits", [8, 16, 32, 64])
@pytest.mark.parametrize("signed", [True, False])
def test_R4_whole_numbers_of_every_length_are_taken_from_1_to_10_only(bits: int, signed: bool):
    """The least and the greatest of each type are refused, and so are 0 and 11; as a count, 0 to 999 is good."""
    least, most = (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1) if signed else (0, 2**bits - 1)
    values = [least, -1 if signed else 0, 0, 1, 10, 11, min(999, most), min(1000, most), most]
    column = pa.array(values, f"{'' if signed else 'u'}int{bits}")
    assert finals(column) == [value * 100 if 1 <= value <= 10 else None for value in values]
    counted = pa.table({"red_flags": column, **seven(pa.array([7.0] * len(values)))})
    found = memory(counted, make_rubric(), rank=False, history=False)
    assert [row["red_flags"] for row in found.scored] == [value for value in values if 0 <= value <= 999]


def test_a_decimal_of_tens_is_a_score_only_when_it_is_one():
    """10 is; 0 and null are not, though a hundred hundredths are less than a step."""
    tens = pa.array([Decimal(10), Decimal(0), None, Decimal(20)], pa.decimal128(4, -1))
    assert finals(tens) == [1000, None, None, None]


@pytest.mark.parametrize("type", [pa.float16(), pa.decimal256(50, 3), pa.large_string(), pa.string_view(), "category"])
def test_scores_are_read_from_every_type_that_holds_numbers(type: Any):
    """Also from types that DuckDB does not know."""
    scores = pa.array([7.5, 2.0])
    assert finals(scores.dictionary_encode() if type == "category" else scores.cast(type)) == [750, 200]


def test_a_table_that_duckdb_cannot_read_is_refused():
    """A number of more digits than any score has, in one line."""
    wide = pa.array([Decimal(10) ** 60], pa.decimal256(76, 3))
    with pytest.raises(InputError, match="the table cannot be read: "):
        finals(wide)


@pytest.mark.parametrize("created", [[0, 2**63 - 1], [-(2**63), 2**63 - 1]])
def test_times_as_far_apart_as_can_be_are_put_in_order(created: list[int]):
    """The number of different times does not fit into 63 bits."""
    rows = [
        row | seven(5 + n) | {"created": time} for n, (row, time) in enumerate(zip(rows_of(2), created, strict=True))
    ]
    found = memory(table_of(rows, {"created": pa.int64()}), make_rubric()).scored
    assert [row["history"] for row in found] == [0, 1]


@pytest.mark.parametrize("id", [pa.uint64(), pa.float64(), pa.dictionary(pa.int8(), pa.string())])
def test_R13_an_id_may_be_of_any_type(id: pa.DataType):
    """Rows without an id are each their own."""
    ids = [*range(5), None, 6, 7, None, 9, 3, 11]
    column = pa.array(ids).cast(pa.string()).dictionary_encode() if pa.types.is_dictionary(id) else pa.array(ids, id)
    table = table_of(rows_of(12), {}).set_column(0, "id", column)
    found = memory(table, make_rubric())
    assert [row for row, _ in found.rejected] == [11]
    assert [row["id"] for row in found.scored] == column.take(pa.array([*range(10), 11])).to_pylist()
    nameless = table.set_column(0, "id", pa.nulls(12))
    assert not memory(nameless, make_rubric()).rejected


def test_what_is_not_a_number_is_one_group():
    """Ranked through like any other."""
    rows = [row | seven(10 - n / 2) | {"team": math.nan if n % 2 else 1.5} for n, row in enumerate(rows_of(12))]
    found = memory(table_of(rows, {"team": pa.float64()}), make_rubric(), rank_by="team").scored
    assert [row["rank"] for row in found] == [1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6]


@pytest.mark.slow
@pytest.mark.parametrize("half", [1.005, 2.675, 7.125, 7.335, 7.345, 9.995])
def test_R4_halves_go_up_on_every_engine(engine: Way, half: float):
    """7.335 is 7.34, though 7.335 * 100 is 733.4999... in floats."""
    rows = [rows_of(1)[0] | seven(half)]
    (found,) = engine(table_of(rows, {}), make_rubric()).scored
    assert found["final"] == expected([rows[0] | {"red_flags": [], "bonuses": []}], make_rubric())["r000"]["final"]


# --- flags and bonuses -----------------------------------------------------------------------------------


@pytest.mark.slow
def test_R7_a_flag_named_twice_counts_once(engine: Way):
    """Two names of one flag take 0.50 away, not 1.00."""
    rows = rows_of(1, red_flags=["f1", "f1"], bonuses=["b0", "b0"])
    (found,) = engine(table_of(rows, {}), make_rubric()).scored
    assert (found["deduction"], found["bonus"]) == (Decimal("0.50"), Decimal("0.25"))


@pytest.mark.slow
def test_R8_a_list_takes_the_rubrics_amounts_and_a_count_the_usual_one(engine: Way):
    """Flags of 1.00 and 0.30: 1.30 by their ids; as a count of two, 2 * 0.50 = 1.00."""
    rubric = make_rubric(amounts=["1.00", "0.30"])
    (listed,) = engine(table_of(rows_of(1, red_flags=["f0", "f1"]), {}), rubric).scored
    (counted,) = engine(table_of(rows_of(1, red_flags=2), {"red_flags": pa.int8()}), rubric).scored
    assert (listed["deduction"], counted["deduction"]) == (Decimal("1.30"), Decimal("1.00"))


@pytest.mark.parametrize(
    ("written", "deduction"), [("f0;f2", "1.00"), (" f0 ; f0 ", "0.50"), ("3", "1.50"), ("", "0.00"), (None, "0.00")]
)
@pytest.mark.slow
def test_flags_may_be_text(engine: Way, written: str | None, deduction: str):
    """Ids divided by semicolons, or a number; nothing means none."""
    table = table_of(rows_of(1, red_flags=written), {"red_flags": pa.string()})
    (found,) = engine(table, make_rubric()).scored
    assert found["deduction"] == Decimal(deduction)


# --- rows that cannot be scored --------------------------------------------------------------------------

BAD = {
    "out of range": ({"safety": 10.01}, "safety: 10.01 is not a number from 1 to 10"),
    "rounds into range": ({"safety": 0.999}, "safety: 0.999 is not a number from 1 to 10"),
    "missing": ({"correctness": None}, "correctness is missing; a score is a number from 1 to 10"),
    "not a number": ({"correctness": math.nan}, "correctness: nan is not a number from 1 to 10"),
    "infinite": ({"correctness": math.inf}, "correctness: inf is not a number from 1 to 10"),
    "no time": ({"created": None}, "created is missing"),
    "no skill": ({"skill": None}, "skill is missing"),
    "unknown flag": ({"red_flags": ["f0", "fx"]}, "red_flags: fx is not a red flag of rubric made; valid ids: f0, f1"),
    "null flag": ({"red_flags": [None]}, "red_flags: null is not a red flag of rubric made; valid ids: f0, f1"),
    "unknown bonus": ({"bonuses": ["?"]}, "bonuses: ? is not a bonus of rubric made; valid ids: none"),
    "two things": ({"safety": 0.0, "skill": None}, "safety: 0.0 is not a number from 1 to 10; skill is missing"),
}


@pytest.mark.parametrize("case", BAD)
@pytest.mark.slow
def test_a_bad_row_is_rejected_with_its_number_and_reason_and_poisons_nothing(engine: Way, case: str):
    """The other rows come out as if it were not there."""
    change, reason = BAD[case]
    rubric = make_rubric(amounts=["0.5", "0.5"], bonuses=0)
    rows = [row | {"red_flags": ["f0"], "bonuses": []} | seven(5 + n) for n, row in enumerate(rows_of(4))]
    table = table_of([*rows[:2], rows[2] | change, rows[3]], {})
    found = engine(table, rubric)
    assert found.rejected == [(3, reason)]
    same(found.scored, [*rows[:2], rows[3]], rubric)


@pytest.mark.parametrize("count", [-1, 1000, 0.5])
@pytest.mark.slow
def test_a_count_is_whole_and_not_negative(engine: Way, count: float):
    """What is not a count of flags is refused with the range."""
    table = table_of(rows_of(1, red_flags=count) + rows_of(0), {"red_flags": pa.float64()})
    assert engine(table, make_rubric()).rejected == [
        (1, f"red_flags: {float(count)} is not a whole number from 0 to 999")
    ]


@pytest.mark.parametrize("text", ["eight", "", "true", "1e400", "7,5", "0x7", "NaN", "7" * 31])
@pytest.mark.slow
def test_text_that_is_not_a_score_is_rejected(engine: Way, text: str):
    """Nothing is guessed."""
    rows = [row | seven("7.5") for row in rows_of(2)]
    rows[1]["safety"] = text
    found = engine(table_of(rows, types_of(pa.string())), make_rubric())
    assert [row["id"] for row in found.scored] == ["r000"]
    assert found.rejected == [(2, f"safety: {text} is not a number from 1 to 10")]


@pytest.mark.slow
def test_R13_an_id_that_comes_again_is_rejected_and_enters_no_window(engine: Way):
    """The first row of an id stays, wherever the second is in time; rows without an id are each their own."""
    rows = [row | seven(5 + n % 5) | {"red_flags": [], "bonuses": []} for n, row in enumerate(rows_of(8))]
    again = [*rows[:4], rows[1] | {"created": START - timedelta(days=1)}, *rows[4:], rows[7] | {"skill": "other"}]
    found = engine(table_of(again, {}), make_rubric())
    assert found.rejected == [
        (5, 'row 2 already has the id "r001"; an evaluation counts once in a history'),
        (10, 'row 9 already has the id "r007"; an evaluation counts once in a history'),
    ]
    same(found.scored, rows, make_rubric())
    nameless = engine(table_of([row | {"id": None} for row in rows], {}), make_rubric())
    assert sorted(row["history"] for row in nameless.scored) == list(range(8))
    assert not engine(table_of(again, {}), make_rubric(), history=False).rejected


# --- tables that cannot be used --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda table: table.drop_columns(["safety"]), "the column safety is missing; all seven dimensions are needed"),
        (lambda table: table.drop_columns(["skill"]), "the column skill is missing; history needs it"),
        (lambda table: table.append_column("final", table["id"]), "the column final would be overwritten"),
        (lambda table: table.append_column("ID", table["id"]), "the column id appears more than once"),
        (lambda table: table.append_column("id", table["id"]), "the column id appears more than once"),
        (
            lambda table: table.set_column(3, "correctness", pa.array([True])),
            "the column correctness cannot be read as correctness; it must hold numbers",
        ),
    ],
)
def test_a_table_that_cannot_be_used_is_refused_with_advice(change: Any, message: str):
    """Missing, doubled, of the wrong type, or in the way of a result."""
    with pytest.raises(InputError) as refusal:
        memory(change(table_of(rows_of(1), {})), make_rubric())
    assert message in str(refusal.value)


@pytest.mark.slow
def test_columns_may_have_other_names(engine: Way):
    """--map, and the columns keep the names they have."""
    table = table_of(rows_of(3), {}).rename_columns({"safety": "harm", "skill": "agent"})
    found = engine(table, make_rubric(), renamed={"safety": "harm", "skill": "agent"}).scored
    assert [row["harm"] for row in found] == [7.0] * 3
    with pytest.raises(InputError, match="there is no column harmony to take safety from"):
        engine(table, make_rubric(), renamed={"safety": "harmony", "skill": "agent"})
    with pytest.raises(InputError, match='unknown role "safty"; did you mean safety'):
        engine(table_of(rows_of(1), {}), make_rubric(), renamed={"safty": "safety"})
