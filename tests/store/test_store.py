"""The store's promises, kept alike by a SQLite file and a PostgreSQL server."""

from __future__ import annotations

import itertools
import json
import subprocess
import sys
from collections.abc import Iterable
from contextlib import closing
from decimal import Decimal
from functools import cache
from pathlib import Path
from types import SimpleNamespace

import pytest
from conftest import judged, seven
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as some
from postgresql_server import behind_the_back

import evenhand
from evenhand import clock
from evenhand.core.comparison import REACH, Past
from evenhand.core.rules import WINDOW
from evenhand.errors import InputError, StoreUnavailable
from evenhand.judges.written import judgement_from
from evenhand.judging.keeper import Keeper
from evenhand.judging.steps import Steps
from evenhand.options.settings import Settings, load_settings
from evenhand.store.record import Record, record_of

ROW = record_of(judged(seven(8)), completed=0, submission=None, keep_text=True)


def row(id: str, *, skill: str = "code", completed: int = 1, final: int | None = 800, **more) -> Record:
    """An evaluation as a store keeps it, made up."""
    return ROW._replace(id=id, skill=skill, completed=completed, final=final, **more)


def put(store, *records: Record) -> None:
    with store.transaction():
        for record in records:
            store.add(record)


def ids(records: Iterable[Record]) -> list[str]:
    return [record.id for record in records]


# --- appending and finding


def test_what_is_appended_is_found_by_its_id_and_by_its_fingerprint(store):
    """Every column comes back as it was put in."""
    full = row("a", fingerprint="f" * 64, submission='{"output":"naïve ✓","task":null}', skill="naïve ✓")
    put(store, full, row("b"))
    assert store.find("a", None) == store.find(None, "f" * 64) == store.find("a", "other") == full
    assert store.find("b", None) == row("b")
    assert store.find("c", None) is store.find(None, "other") is store.find(None, None) is None


def test_an_empty_store_has_nothing(store):
    """No evaluation, no skill, no history, and nothing is wrong with it."""
    assert store.find("a", "b") is store.get("a") is store.latest() is None
    assert [store.window("code"), store.skills(), list(store.evaluations()), store.check()] == [[], [], [], []]
    timeline = store.timeline("code")
    assert (timeline.window, timeline.baseline, timeline.since) == ([], [], [])


@pytest.mark.parametrize("failure", [ValueError, KeyboardInterrupt, StoreUnavailable])
def test_a_transaction_that_fails_adds_nothing_and_the_next_one_works(store, failure):
    """All or nothing, and the failure itself is passed on."""

    def append_and_fail():
        with store.transaction():
            store.add(row("a"))
            assert store.find("a", None) is not None
            raise failure

    with pytest.raises(failure):
        append_and_fail()
    assert store.find("a", None) is None
    put(store, row("a"))
    assert ids(store.evaluations()) == ["a"]


def test_others_see_what_is_appended_when_the_transaction_is_left(store, store_address):
    """Not before, and not later."""
    other = evenhand.open_store(store_address)
    with store.transaction():
        store.add(row("a"))
        assert list(other.evaluations()) == [] == other.skills()
    assert ids(other.evaluations()) == ["a"]
    other.close()


def test_the_same_id_or_fingerprint_is_never_a_second_row(store):
    """The tables themselves refuse it, whoever writes; nothing of that transaction stays."""
    put(store, row("a", fingerprint="f"))
    for again in (row("a"), row("b", fingerprint="f")):
        with pytest.raises(StoreUnavailable):
            put(store, row("other"), again)
    assert ids(store.evaluations()) == ["a"]


# --- the order of time


def window_of(records: Iterable[Record], skill: str, before: Record | None = None) -> list[Record]:
    """R13 in plain Python: the skill's completed evaluations, newest first."""
    done = [each for each in records if each.skill == skill and each.final is not None]
    if before is not None:
        done = [each for each in done if (each.completed, each.id) < (before.completed, before.id)]
    return sorted(done, key=lambda each: (each.completed, each.id), reverse=True)


def past(record: Record) -> Past:
    return Past(record.scores, record.rubric_sha256, record.judge)


LENGTHS = (0, 1, 2, WINDOW - 1, WINDOW, WINDOW + 1, 30, REACH + WINDOW - 1, REACH + WINDOW, REACH + WINDOW + 1, 90)

histories = some.sampled_from(LENGTHS).flatmap(
    lambda length: some.lists(
        some.tuples(
            some.integers(-3, 40),  # few moments, so that ties are common
            some.sampled_from(("code", "code-review")) if length < 60 else some.just("code"),
            some.one_of(some.integers(100, 1000), some.none() if length % 3 else some.integers(100, 1000)),
            some.sampled_from(("rubric-1", "rubric-2")),
        ),
        min_size=length,
        max_size=length,
    )
)
examples = itertools.count()


@pytest.mark.slow
@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.large_base_example])
@given(history=histories, names=some.randoms(use_true_random=False), at=some.integers(0, 200))
def test_R13_window_and_timeline_are_what_a_plain_computation_says(store, history, names, at):
    """Newest ten, first ten, and those between; ties by id; unscored ones and other skills left out."""
    number = next(examples)  # a skill of its own for each example, because a store only grows
    order = list(range(len(history)))
    names.shuffle(order)
    records = [
        row(
            f"{number}-{place:03}",
            skill=f"{number} {skill}",
            completed=completed,
            final=final,
            rubric_sha256=rubric,
            in_history=int(final is not None),
        )
        for place, (completed, skill, final, rubric) in zip(order, history, strict=True)
    ]
    put(store, *records)
    for skill in (f"{number} code", f"{number} code-review"):
        newest = window_of(records, skill)
        assert store.window(skill) == [past(each) for each in newest[:WINDOW]]
        for before in (None, records[at % len(records)] if records else None):
            newest = window_of(records, skill, before)
            finals = [each.final for each in newest]
            found = store.timeline(skill, before=before)
            assert found.window == [past(each) for each in newest[:WINDOW]]
            assert found.baseline == finals[::-1][:WINDOW]
            assert found.since == finals[:-WINDOW][:REACH]


def test_the_baseline_stays_the_first_ten_however_long_the_history(store):
    """Of 100 evaluations: window 100 to 91, baseline 1 to 10, and of the 90 after it the newest 64, 100 to 37."""
    put(store, *(row(f"{n:03}", completed=n, final=n * 10) for n in range(1, 101)))
    found = store.timeline("code")
    assert found.baseline == [n * 10 for n in range(1, 11)]
    assert found.since == [n * 10 for n in range(100, 36, -1)]
    assert len(found.window) == 10
    assert store.timeline("code", before=store.find("012", None)).since == [110]  # 12 - 1 - 10 = 1


def test_skills_whose_names_begin_alike_never_mix(store):
    """code, code-review, Code and "code " are four skills."""
    names = ["code", "code-review", "Code", "code ", "code%", "c_de"]
    put(store, *(row(f"{n}", skill=name, final=100 * n + 100) for n, name in enumerate(names)))
    for n, name in enumerate(names):
        assert store.timeline(name).baseline == [100 * n + 100]
        assert len(store.window(name)) == 1
        assert ids(store.evaluations(name)) == ids(store.evaluations(name, last=5)) == [str(n)]
    assert store.skills() == [(name, 1) for name in sorted(names)]
    assert store.window("code-") == []


def test_evaluations_come_in_the_order_of_time_and_the_last_ones_when_asked(store):
    """Oldest first, ties by id; unscored ones are among them."""
    rows = [("c", 5), ("a", 5), ("z", 1), ("B", 5), ("m", 9)]
    put(store, *(row(id, completed=at, final=None if id == "m" else 500) for id, at in rows))
    put(store, row("other", skill="writing", completed=6))
    assert ids(store.evaluations("code")) == ["z", "B", "a", "c", "m"]  # by bytes: capital letters first
    assert ids(store.evaluations()) == ["z", "B", "a", "c", "other", "m"]
    assert ids(store.evaluations("code", last=2)) == ["c", "m"]
    assert ids(store.evaluations(last=2)) == ["other", "m"]
    assert ids(store.evaluations(last=100)) == ids(store.evaluations())
    assert store.latest() == 9


def test_skills_are_counted_and_sorted_by_their_letters(store):
    """Unscored evaluations count; the order does not depend on anybody's language."""
    for n, skill in enumerate(["écrire", "Zebra", "writing", "writing"]):
        put(store, row(f"{n}", skill=skill, final=None if n == 3 else 500))
    assert store.skills() == [("Zebra", 1), ("writing", 2), ("écrire", 1)]


@pytest.mark.slow
def test_what_is_appended_while_evaluations_are_read_is_left_out_and_safe(store, store_address):
    """A reader may append, stop half-way, and read twice at once."""
    put(store, *(row(f"{n:04}", completed=n) for n in range(1200)))
    for record in store.evaluations():
        put(store, row(f"after {record.id}", completed=record.completed + 5000))
        if record.completed == 3:
            break
    pairs = list(zip(store.evaluations("code"), store.evaluations("code"), strict=True))
    assert len(pairs) == 1204
    assert all(one == other for one, other in pairs)
    other = evenhand.open_store(store_address)
    assert ids(other.evaluations(last=4)) == [f"after {n:04}" for n in range(4)]
    other.close()


# --- by the start of an id


@pytest.mark.parametrize(
    ("start", "found"),
    [
        ("run_", "run_1"),
        ("run%", "run%2"),
        ("run\\", "run\\3"),
        ("run", "run"),
        ("runX1", "runX1"),
        ("Run", "Run-5"),
        ("RUN", None),
        ("un", None),
        ("%", None),
        ("é", "été"),
        ("'", "' OR 1"),
    ],
)
def test_get_finds_an_id_by_its_start_taken_literally(store, start, found):
    """Also with the characters that SQL gives a meaning; a whole id comes before a start."""
    put(store, *(row(id) for id in ("run", "run_1", "runX1", "run%2", "run\\3", "Run-5", "été", "' OR 1")))
    record = store.get(start)
    assert (record.id if record else None) == found


def test_get_refuses_a_start_that_more_than_one_id_has(store):
    """The message names two of them."""
    put(store, row("0197-a"), row("0197-b"), row("0197-c"))
    with pytest.raises(InputError, match='"0197" matches more than one id, among them 0197-a and 0197-b'):
        store.get("0197")
    assert store.get("0197-b").id == "0197-b"


# --- an evaluation that comes again

JUDGEMENT = {"skill": "code", "rubric": "default", "judge": "human:ana", "scores": seven(8)}


steps_with = cache(Steps)


def evaluated(judgement=JUDGEMENT, rubric=None, task=None, **more):
    return steps_with(rubric).evaluate_written(judgement_from(judgement)._replace(task=task), **more)


def test_the_same_id_is_stored_once(store):
    """The second time it is said to be there already; one that says something else is a further evaluation."""
    keeper = Keeper(store)
    cards = [keeper.keep(evaluated(JUDGEMENT | {"id": "mine", "scores": seven(scores)})) for scores in (8, 8, 3, 3)]
    assert [(card.id, card.case) for card in cards] == [("mine", "mine")] * 2 + [("mine~2", "mine")] * 2
    assert (keeper.already_stored, keeper.renamed) == (["mine", "mine~2"], ["mine~2"])
    assert (cards[2].final, cards[2].history.n) == (Decimal("3.00"), 1)
    assert [(record.case_id, record.final) for record in store.evaluations()] == [("mine", 800), ("mine", 300)]


def test_the_same_text_judge_rubric_and_judgement_are_stored_once(store):
    """It gets the id, the time and the history it had the first time, so that `show` finds what was printed."""
    evenhand.score(JUDGEMENT, store=store)
    first = evenhand.score(JUDGEMENT, output="the same text", store=store)
    evenhand.score(JUDGEMENT, output="another text", store=store)
    again = evenhand.score(JUDGEMENT, output="the same text", store=store)
    assert (again.id, again.created, again.history) == (first.id, first.created, first.history)
    assert store.get(again.id) is not None
    assert first.history.n == 1
    assert len(list(store.evaluations())) == 3


def test_an_agent_that_repeats_itself_under_ids_of_its_own_fills_its_window(store):
    """An id that someone gave is an evaluation of its own; given again with the same text, it is the same again."""
    cards = [
        evenhand.score(JUDGEMENT | {"id": id}, output="the same text", store=store) for id in ("e0", "e1", "e2", "e1")
    ]
    assert [card.id for card in cards] == ["e0", "e1", "e2", "e1"]
    assert [card.history.n for card in cards] == [0, 1, 2, 1]
    assert [record.id for record in store.evaluations()] == ["e0", "e1", "e2"]


@pytest.mark.parametrize(
    "other",
    [
        {"output": "another text"},
        {"task": "another task"},
        {"judgement": JUDGEMENT | {"judge": "human:ben"}},
        {"judgement": JUDGEMENT | {"scores": seven(8, 8, 8, 8, 8, 8, 7)}},
        {"judgement": JUDGEMENT | {"skill": "code-review"}},
        {"rubric": "writing"},
    ],
    ids=lambda other: next(iter(other)),
)
def test_another_text_task_judge_judgement_skill_or_rubric_is_an_evaluation_of_its_own(store, other):
    """Only all of it together makes it the same."""
    usual = {"output": "the text", "task": "the task"}
    keeper = Keeper(store)
    keeper.keep(evaluated(**usual))
    keeper.keep(evaluated(**(usual | other)))
    assert keeper.already_stored == []
    assert len(list(store.evaluations())) == 2


@pytest.mark.slow
def test_a_thousand_judgements_without_text_in_one_millisecond_are_each_their_own(store, monkeypatch):
    """Their ids differ and sort in the order they were made, though the clock stands still."""
    monkeypatch.setattr(clock, "now", lambda: "2026-01-01T00:00:00.000Z")
    monkeypatch.setattr(clock, "time", SimpleNamespace(time_ns=lambda: 1_767_225_600_000_000_000))
    cards = list(Keeper(store).keep_each(evaluated() for _ in range(1000)))
    made = [card.id for card in cards]
    assert len(set(made)) == 1000
    assert made == sorted(made) == ids(store.evaluations())
    assert [card.history.n for card in cards] == [*range(10), *[10] * 990]


@pytest.mark.slow
def test_evaluations_that_are_kept_together_see_the_same_past_as_one_after_another(store, tmp_path):
    """Ninety of two skills, more than a comparison looks back; some unscored, some there already."""
    judgements = [
        JUDGEMENT
        | {"id": f"{n % 83}", "skill": ("code", "text")[n % 83 % 7 == 3]}
        | {"scores": seven(5 + n % 83 % 4) | ({"safety": {"unscored": "no answer"}} if n % 83 % 11 == 5 else {})}
        for n in range(90)
    ]
    alone = evenhand.open_store(str(tmp_path / "alone.db"))
    expected = [Keeper(alone).keep(evaluated(each)) for each in judgements]
    together = Keeper(store).keep_each((evaluated(each) for each in judgements), batch_size=40)
    assert [card.history for card in together] == [card.history for card in expected]
    alone.close()


def test_a_clock_that_goes_back_keeps_the_order_of_appending(store, monkeypatch):
    """Another machine's clock is an hour behind; unscored evaluations and other skills keep their place too."""
    hours = itertools.count(12)
    monkeypatch.setattr(clock, "now", lambda: f"2026-01-01T{24 - next(hours):02}:00:00.000Z")
    monkeypatch.setattr(clock, "time", SimpleNamespace(time_ns=lambda: 1))
    unscored = seven(8) | {"safety": {"unscored": "the judge fell asleep"}}
    for n, skill in enumerate(["code", "code", "writing", "code", "writing", "code"]):
        monkeypatch.setattr(clock, "_last", 1000 - n)  # every evaluation by another process
        evenhand.score({"skill": skill, "id": f"{9 - n}", "scores": unscored if n == 1 else seven(n + 1)}, store=store)
    assert ids(store.evaluations()) == ["9", "8", "7", "6", "5", "4"]
    assert store.timeline("code").baseline == [100, 400, 600]
    assert len({record.completed for record in store.evaluations()}) == 6


def test_a_moment_is_kept_to_the_microsecond(store):
    """1767225600.123 s is 1767225600123000 microseconds; a binary fraction would lose one."""
    evenhand.score(JUDGEMENT, created="2026-01-01T01:00:00.123+01:00", store=store)
    assert store.latest() == 1_767_225_600_123_000


@pytest.mark.parametrize("created", ["yesterday", "2026-01-01T00:00:00"])
def test_an_unreadable_moment_is_refused(store, created):
    """No date, or a date without its time zone."""
    with pytest.raises(InputError, match=f'created is "{created}"; it must be a moment such as 2026-01-31T12:00:00Z'):
        evenhand.score(JUDGEMENT, created=created, store=store)


def test_the_text_is_kept_or_only_its_hash(store):
    """With the hash alone, the same text is still known again."""
    hashed = Keeper(store, keep="hash").keep(evaluated(output="naïve ✓", task="t"))
    kept = Keeper(store).keep(evaluated(output="more", task=None))
    assert store.find(hashed.id, None).submission is None
    assert store.find(kept.id, None).submission == '{"output":"more","task":null}'
    assert hashed.receipt.submission is not None
    assert Keeper(store).keep(evaluated(output="naïve ✓", task="t")).id == hashed.id


def test_a_batch_that_fails_leaves_nothing_and_claims_nothing(store, monkeypatch):
    """The scorecards are still handed out; none of them is said to be stored already."""
    add_all = store.add_all

    def fill_the_disk(records):
        before = [record for record in records if record.id < "c"]
        add_all(before)
        if len(before) < len(records):
            raise StoreUnavailable("the disk is full")

    monkeypatch.setattr(store, "add_all", fill_the_disk)
    keeper = Keeper(store)
    cards = keeper.keep_each(evaluated(JUDGEMENT | {"id": id}) for id in "aabbcdd")
    assert [card.id for card in cards] == list("aabbcdd")
    assert str(keeper.failure) == "the disk is full"
    assert keeper.already_stored == []
    assert list(store.evaluations()) == []


def test_a_document_is_written_once_for_the_store_and_the_reader(store):
    """What is printed is what was stored, byte for byte; a scorecard of an earlier batch is not remembered."""
    keeper = Keeper(store)
    cards = keeper.keep_batch([evaluated(JUDGEMENT | {"id": id}) for id in "aab"])
    texts = [keeper.stored_text(card) for card in cards]
    assert texts[0] == store.get("a").scorecard
    assert texts[1] is None  # it came again, and is not the card that was stored
    assert texts[2] == store.get("b").scorecard
    first = keeper.keep_batch([evaluated(JUDGEMENT | {"id": "c"})])[0]
    keeper.keep_batch([evaluated(JUDGEMENT | {"id": "d"})])
    assert keeper.stored_text(first) is None


def test_ids_and_fingerprints_are_looked_up_together(store):
    """Only those that are there, however many are asked about."""
    card = evenhand.score(JUDGEMENT | {"id": "a"}, output="text", store=store)
    record = store.get(card.id)
    others = [f"other {n}" for n in range(1200)]
    assert store.present([*others, "a"], [*others, record.fingerprint]) == {"a", record.fingerprint}
    assert store.present([], []) == set()


# --- tables


def dialect_of(address: str) -> str:
    return "postgresql" if address.startswith("postgresql:") else "sqlite"


def set_version(address: str, version: int) -> None:
    if dialect_of(address) == "sqlite":
        behind_the_back(address, f"PRAGMA user_version = {version}")
    else:
        behind_the_back(address, f"UPDATE evenhand_schema SET version = {version}")


def test_create_makes_the_tables_once(store_address):
    """The second time there is nothing to do, and what is there stays."""
    store = evenhand.open_store(store_address)
    assert store.create() is True
    put(store, row("a"))
    assert store.create() is False
    again = evenhand.open_store(store_address)
    assert again.create() is False
    assert again.check() == []
    assert ids(again.evaluations()) == ["a"]
    store.close()
    again.close()


CALLS = {
    "create": lambda store: store.create(),
    "append": lambda store: put(store, row("a")),
    "find": lambda store: store.find("a", None),
    "window": lambda store: store.window("code"),
    "timeline": lambda store: store.timeline("code"),
    "get": lambda store: store.get("a"),
    "evaluations": lambda store: list(store.evaluations()),
    "skills": lambda store: store.skills(),
    "check": lambda store: store.check(),
}


@pytest.mark.parametrize("number", [2, 99])
def test_a_store_whose_tables_have_another_number_is_refused_by_every_call_every_time(store, store_address, number):
    """Also the second time, when it is open already; nothing in it changes."""
    put(store, row("kept"))
    store.close()
    set_version(store_address, number)
    for call in CALLS.values():
        with closing(evenhand.open_store(store_address)) as other:
            for _ in range(2):
                with pytest.raises(
                    StoreUnavailable,
                    match=f"another version of evenhand.*number {number}.*knows 1.*choose another store with `store`",
                ):
                    call(other)
    assert behind_the_back(store_address, "SELECT id FROM evaluations") == [("kept",)]


@pytest.mark.slow
def test_four_processes_may_make_the_tables_at_once(store_address, tmp_path):
    """All are content, and one of them did it."""
    command = [sys.executable, "-m", "evenhand", "store", "create", "--store", store_address]
    running = [
        subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        for _ in range(4)
    ]
    said = sorted(process.communicate(timeout=60)[0] for process in running)
    assert [process.returncode for process in running] == [0, 0, 0, 0], said
    assert [(": its tables were made\n" in each) for each in said].count(True) == 1, said
    assert [(": it has its tables already\n" in each) for each in said].count(True) == 3, said


@pytest.mark.slow
def test_a_server_without_tables_says_how_to_make_them(postgresql_url, evenhand_command):
    """Tables are never made there by surprise; after the command it says, it works."""
    done = evenhand_command("history", "--store", postgresql_url)
    assert (done.code, done.out) == (4, "")
    assert "it has no tables yet" in done.err
    assert "evenhand store create --store" in done.err
    assert evenhand_command("store", "create", "--store", postgresql_url).code == 0
    assert evenhand_command("history", "--store", postgresql_url).code == 0


# --- the file


def test_the_first_write_makes_the_file_with_a_gitignore_and_reading_makes_nothing(tmp_path):
    """In the project's folder, two levels that were not there."""
    store = evenhand.open_store(str(tmp_path / "project" / ".evenhand" / "evenhand.db"))
    for name, call in CALLS.items():
        if name not in ("create", "append"):
            call(store)
    assert list(tmp_path.iterdir()) == []
    assert store.check() == [f"{store.url}: no such store"]
    put(store, row("a"))
    assert (tmp_path / "project" / ".evenhand" / ".gitignore").read_text() == "*\n"
    store.close()
    assert sorted(path.name for path in (tmp_path / "project" / ".evenhand").iterdir()) == [".gitignore", "evenhand.db"]


def test_a_file_elsewhere_gets_no_gitignore_and_an_existing_one_is_left_alone(tmp_path):
    """Only the folder that evenhand makes for itself is hidden from git."""
    with closing(evenhand.open_store(str(tmp_path / "data" / "my.db"))) as store:
        put(store, row("a"))
    assert not (tmp_path / "data" / ".gitignore").exists()
    (tmp_path / ".evenhand").mkdir()
    (tmp_path / ".evenhand" / ".gitignore").write_text("mine\n")
    with closing(evenhand.open_store(str(tmp_path / ".evenhand" / "evenhand.db"))) as store:
        put(store, row("a"))
    assert (tmp_path / ".evenhand" / ".gitignore").read_text() == "mine\n"


def test_the_file_is_written_ahead_and_synchronised_in_full(tmp_path):
    """What makes an acknowledged evaluation survive a loss of power: WAL, synchronous = FULL (2)."""
    store = evenhand.open_store(str(tmp_path / "my.db"))
    put(store, row("a"))
    assert store._rows("PRAGMA journal_mode") == [("wal",)]  # type: ignore[attr-defined]
    assert store._rows("PRAGMA synchronous") == [(2,)]  # type: ignore[attr-defined]
    store.close()


def test_another_programs_database_is_refused_and_not_touched(tmp_path):
    """Nobody's tables are mixed with ours."""
    path = tmp_path / "app.db"
    behind_the_back(str(path), "CREATE TABLE customers (name TEXT)")
    before = path.read_bytes()
    for call in CALLS.values():
        with pytest.raises(StoreUnavailable, match="is another program's database; choose another file with `store`"):
            call(evenhand.open_store(str(path)))
    assert path.read_bytes() == before


@pytest.mark.parametrize("url", ["sqlite:///{}", "sqlite:////{}"])
def test_a_file_may_be_written_as_a_url(tmp_path, monkeypatch, url):
    """Three strokes and a path from here, or four and a path from the root."""
    monkeypatch.chdir(tmp_path)
    path = "here.db" if url == "sqlite:///{}" else str(tmp_path / "here.db").lstrip("/")
    store = evenhand.open_store(url.format(path))
    put(store, row("a"))
    store.close()
    assert (tmp_path / "here.db").exists()


@pytest.mark.parametrize(
    ("url", "message"),
    [
        ("mysql://host/db", '"mysql" is not a kind of store; give a file, sqlite:///FILE, postgresql://..., or none'),
        ("sqlite:///", "a store needs a file name"),
        ("none", "none is not a store"),
    ],
)
def test_rejects_what_is_not_a_store(url, message):
    """With what would be one."""
    with pytest.raises(InputError, match=message.replace(".", r"\.")):
        evenhand.open_store(url)


# --- settings


@pytest.fixture
def project(tmp_path, monkeypatch):
    """A project with a subfolder, in which the command runs, and nothing set."""
    below = tmp_path / "project" / "src" / "deep"
    below.mkdir(parents=True)
    (tmp_path / "project" / ".git").mkdir()
    monkeypatch.delenv("EVENHAND_STORE", raising=False)
    monkeypatch.chdir(below)
    return tmp_path / "project"


def write(folder: Path, own: str | None = None, shared: str | None = None) -> None:
    for name, text in (("evenhand.toml", own), ("pyproject.toml", shared)):
        if text is not None:
            (folder / name).write_text(text, encoding="utf-8")


def test_without_settings_the_store_is_in_the_projects_folder(project, monkeypatch):
    """Found from a subfolder; from the folder itself the path is short."""
    assert load_settings() == Settings(store=str(project / ".evenhand" / "evenhand.db"), keep="text")
    monkeypatch.chdir(project)
    assert load_settings().store == ".evenhand/evenhand.db"


@pytest.mark.parametrize("mark", ["evenhand.toml", ".evenhand"])
def test_a_project_is_the_nearest_folder_that_looks_like_one(project, mark):
    """A settings file or a store nearer by comes before the top of the repository."""
    (project / "src" / mark).mkdir() if mark == ".evenhand" else (project / "src" / mark).touch()
    assert load_settings().store == str(project / "src" / ".evenhand" / "evenhand.db")


def test_a_project_file_without_settings_does_not_hide_those_above(project):
    """A package within a repository keeps its evaluations where the repository does."""
    (project / "src" / "pyproject.toml").write_text("[project]\nname = 'part'\n")
    assert load_settings().store == str(project / ".evenhand" / "evenhand.db")


def test_outside_of_any_project_the_store_is_in_this_folder(monkeypatch, tmp_path):
    """Nothing above is taken for a project; the root of the system has no settings here."""
    monkeypatch.delenv("EVENHAND_STORE", raising=False)
    monkeypatch.chdir(tmp_path)
    assert load_settings().store == ".evenhand/evenhand.db"


def test_option_then_environment_then_own_file_then_shared_file(project, monkeypatch):
    """Each comes before those after it; an empty one does not count."""
    write(project, shared='[tool.evenhand]\nstore = "postgresql://shared/db"\nkeep = "hash"\n')
    assert load_settings() == Settings("postgresql://shared/db", "hash")
    write(project, own='store = "postgresql://own/db"\n')
    assert load_settings() == Settings("postgresql://own/db", "text")  # one file is read, not a mixture
    monkeypatch.setenv("EVENHAND_STORE", "")
    assert load_settings().store == "postgresql://own/db"
    monkeypatch.setenv("EVENHAND_STORE", "environment.db")
    assert load_settings().store == "environment.db"
    assert load_settings(store="option.db", keep="hash") == Settings("option.db", "hash")
    assert load_settings(store="none").store == "none"


@pytest.mark.parametrize(
    ("written", "store"),
    [
        ("data/my.db", "{project}/data/my.db"),
        ("sqlite:///data/my.db", "{project}/data/my.db"),
        ("../beside.db", "{project}/../beside.db"),
        ("/var/evaluations.db", "/var/evaluations.db"),
        ("sqlite:////var/evaluations.db", "/var/evaluations.db"),
        ("postgresql://host/db", "postgresql://host/db"),
        ("none", "none"),
        ("", "{project}/.evenhand/evenhand.db"),
    ],
)
def test_a_path_in_a_settings_file_starts_at_that_file(project, written, store):
    """Wherever the command runs."""
    write(project, own=f'store = "{written}"')
    assert load_settings().store == store.format(project=project)


@pytest.mark.parametrize(
    "shared",
    ['[tool.evenhand]\nstore = "x.db"', '[tool]\nevenhand = { store = "x.db" }', 'tool.evenhand.store = "x.db"'],
)
def test_the_shared_file_may_write_its_table_in_any_way_toml_has(project, shared):
    """A header, an inline table, or dots."""
    write(project, shared=shared)
    assert load_settings().store == str(project / "x.db")


@pytest.mark.parametrize(
    "shared", ["", '[project]\nname = "x"', "[tool]\nother = 1", "broken = = tool.other", "tool = 1"]
)
def test_a_shared_file_without_our_table_changes_nothing(project, shared):
    """Not even when it is broken: that is for others to say."""
    write(project, shared=shared)
    assert load_settings().store == str(project / ".evenhand" / "evenhand.db")


@pytest.mark.parametrize(
    ("file", "text", "message"),
    [
        ("evenhand.toml", "store = ", "1: not valid TOML: "),
        ("evenhand.toml", 'stor = "x"', '1: unknown setting "stor"; did you mean store? valid: store, keep'),
        ("evenhand.toml", 'zzz = "x"', '1: unknown setting "zzz"; valid: store, keep'),
        ("evenhand.toml", "store = 3", "1: store is a number; it must be text"),
        ("evenhand.toml", 'keep = "nothing"', '1: unknown keep "nothing"; valid: text, hash'),
        ("evenhand.toml", b"\xff", "1: is not UTF-8; save it as UTF-8 text"),
        ("pyproject.toml", '[tool.evenhand]\nkeep = "all"', '2: unknown keep "all"; valid: text, hash'),
        ("pyproject.toml", '[tool]\nevenhand = "tool.evenhand"', "2: the settings of evenhand must be a table"),
    ],
)
def test_a_wrong_setting_is_refused_with_its_file_and_line(project, file, text, message):
    """What is wrong, and what is valid."""
    (project / file).write_bytes(text if isinstance(text, bytes) else text.encode())
    with pytest.raises(InputError) as refused:
        load_settings()
    assert str(refused.value).startswith(f"{project / file}:{message}")


def test_everything_wrong_in_the_settings_is_reported_at_once(project):
    """Each with its line, also inside a list of tables, and also what only some commands use."""
    waiver = '[[waivers]]\nfinding = "f"\nby = "{by}"\n{reason}\n'
    text = 'store = 3\n[hook]\nblok = "never"\n[judge]\nsamples = 0\n'
    text += waiver.format(by="human:ana", reason='reason = "r"') + waiver.format(by="ana", reason="")
    (project / "evenhand.toml").write_text(text)
    with pytest.raises(InputError) as refused:
        load_settings()
    assert str(refused.value).replace(f"{project / 'evenhand.toml'}:", "").split("\n") == [
        "1: store is a number; it must be text",
        '3: unknown key "blok"; did you mean block? valid: block',
        "5: samples: 0 is not valid; give a whole number, 1 to 100",
        "10: reason is missing; it must be text",
        '12: by is "ana"; it must be a person, as human:NAME',
    ]


@pytest.mark.slow
def test_the_command_follows_the_settings_and_says_where_they_are_wrong(project, evenhand_command):
    """From a subfolder: the project's file, the environment, the option; then a mistake, exit code 2."""
    below = project / "src" / "deep"
    (below / "one.json").write_text(json.dumps(JUDGEMENT | {"output": "one.md"}))
    (below / "one.md").write_text("What was judged.")
    write(project, own='store = "kept/our.db"\nkeep = "hash"\n')
    score = ("score", "one.json", "--format", "jsonl")
    assert evenhand_command(*score, cwd=below).code == 0
    assert evenhand_command(*score, cwd=below, EVENHAND_STORE="environment.db").code == 0
    assert (
        evenhand_command(*score, "--store", "option.db", "--set", "keep=text", cwd=below, EVENHAND_STORE="x.db").code
        == 0
    )
    assert evenhand_command(*score, "--store", "none", cwd=below).code == 0
    found = sorted(str(path.relative_to(project)) for path in project.rglob("*.db"))
    assert found == ["kept/our.db", "src/deep/environment.db", "src/deep/option.db"]
    texts = {path: behind_the_back(str(project / path), "SELECT submission FROM evaluations") for path in found}
    whole = '{"output":"What was judged.","task":null}'
    assert texts == {found[0]: [(None,)], found[1]: [(None,)], found[2]: [(whole,)]}
    write(project, own="stroe = 1")
    done = evenhand_command(*score, cwd=below)
    assert (done.code, done.out) == (2, "")
    assert f'error: {project / "evenhand.toml"}:1: unknown setting "stroe"; did you mean store?' in done.err
