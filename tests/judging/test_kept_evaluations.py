"""Evaluations on their way into a store: which are kept, which are known already, which cannot be."""

from __future__ import annotations

from contextlib import closing
from decimal import Decimal
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from conftest import judged, make_rubric, seven

import evenhand
import flat_calls
from evenhand import InputError, StoreUnavailable
from evenhand.core.comparison import Timeline
from evenhand.core.scorecard import Review, SuitePlace
from evenhand.judging.evaluated import Evaluated
from evenhand.judging.files import Named, score_files, verify_files
from evenhand.judging.keeper import BATCH_SIZE, Keeper, _same, _Transaction
from evenhand.store.record import record_of
from evenhand.work.submission import Submission


@pytest.fixture
def store(tmp_path: Path):
    """An empty store in a file."""
    opened = evenhand.open_store(str(tmp_path / "s.db"))
    yield opened
    opened.close()


def evaluated(score: int = 8, *, named: bool = True, **more) -> Evaluated:
    """An evaluation with an id of its own, unless `named` says otherwise."""
    return Evaluated(judged(seven(score), **more), None, named)


def ids(store) -> list[str]:
    return [record.id for record in store.evaluations()]


def test_the_same_id_with_another_judgement_is_a_further_evaluation_of_the_case(store):
    """The same judgement under its id is the one that is there; another one gets a number after the id."""
    judgement = {"id": "mine", "skill": "notes", "scores": seven(8)}
    first = evenhand.score(judgement, store=store)
    assert evenhand.score(judgement, store=store).created == first.created
    second = evenhand.score(judgement | {"scores": seven(7)}, store=store)
    third = flat_calls.judge("Cats sleep 12 hours a day.", id="mine", store=store)
    assert [(card.id, card.case) for card in (first, second, third)] == [
        ("mine", "mine"),
        ("mine~2", "mine"),
        ("mine~3", "mine"),
    ]
    assert evenhand.score(judgement | {"scores": seven(7)}, store=store).id == "mine~2", "known by what it says"
    assert [(record.id, record.case_id, record.final) for record in store.evaluations()] == [
        ("mine", "mine", 800),
        ("mine~2", "mine", 700),
        ("mine~3", "mine", None),
    ]


@pytest.mark.parametrize(
    "other",
    [{"skill": "another"}, {"scores": seven(7)}, {"output": "Another text."}, {"rubric": "writing"}],
    ids=lambda other: next(iter(other)),
)
def test_an_id_stands_for_one_skill_judgement_output_and_rubric(store, other):
    """Whatever of them differs makes it another evaluation, with a number after the id."""
    usual = {"skill": "notes", "rubric": "default", "scores": seven(8), "output": "A text."} | other
    evenhand.score({"id": "mine", "skill": "notes", "scores": seven(8)}, output="A text.", store=store)
    output, rubric = usual.pop("output"), usual.pop("rubric")
    for _ in range(2):
        card = evenhand.score({"id": "mine", **usual}, output=output, rubric=rubric, store=store)
        assert (card.id, card.case) == ("mine~2", "mine")
    assert ids(store) == ["mine", "mine~2"]


def test_further_evaluations_of_one_batch_are_numbered_on(store):
    """Those of the same batch count as those in the store do, and a number that someone took is passed over."""
    Keeper(store).keep_batch([evaluated(id="a"), evaluated(id="b"), evaluated(id="a~3")])
    keeper = Keeper(store)
    batch = [evaluated(score, id=id) for id, score in (("a", 7), ("a", 6), ("a", 7), ("b", 7), ("c", 7), ("a~3", 7))]
    assert [card.id for card in keeper.keep_batch(batch)] == ["a~2", "a~4", "a~2", "b~2", "c", "a~3~2"]
    assert keeper.renamed == ["a~2", "a~4", "b~2", "a~3~2"]
    assert keeper.already_stored == ["a~2"]
    assert store.case_ids("a") == ["a", "a~2", "a~4"]


def test_numbers_go_on_after_nine(store):
    """By number, not by letter: 10 comes after 9."""
    for number in range(1, 12):
        Keeper(store).keep(Evaluated(judged(seven(8), id="a", skill=f"skill {number}"), None, True))
    assert store.case_ids("a") == ["a", *(f"a~{number}" for number in range(2, 12))]
    assert store.last_case_ids("a", most=3) == ["a~9", "a~10", "a~11"]
    assert store.last_case_ids("a", most=99) == store.case_ids("a")


def test_a_generated_id_is_never_taken_for_one_that_was_given(store):
    """Only an id that somebody gave names an evaluation."""
    keeper = Keeper(store)
    keeper.keep(evaluated(id="a"))
    with pytest.raises(StoreUnavailable):
        keeper.keep(evaluated(7, id="a", named=False))
    assert keeper.renamed == []


def test_the_store_s_own_failure_comes_before_a_conflict(store, monkeypatch):
    """What is wrong with the store is what has to be mended first."""
    keeper = Keeper(store)
    keeper.renamed.append("a")
    keeper.failure = StoreUnavailable("the disk is full")
    with pytest.raises(StoreUnavailable, match="the disk is full"):
        keeper.raise_if_not_kept()


def test_without_a_store_nothing_is_kept_and_nothing_is_wrong():
    """The scorecards are the ones that were made, each as soon as it is asked for."""
    keeper = Keeper(None)
    made = evaluated(id="a")
    assert keeper.keep(made) is made.card
    assert keeper.keep_within(made) is made.card
    taken: list[str] = []

    def coming():
        for name in "abc":
            taken.append(name)
            yield evaluated(id=name)

    assert next(keeper.keep_each(coming(), batch_size=3)).id == "a"
    assert taken == ["a"]
    keeper.raise_if_not_kept()


@pytest.mark.parametrize("size", [1, 2, 3])
def test_a_batch_is_committed_before_the_next_one_is_read(store, size):
    """What is shown is safe: of five, after the first result so many are in the store."""
    keeper = Keeper(store)
    results = keeper.keep_each((evaluated(id=name) for name in "abcde"), batch_size=size)
    assert next(results).id == "a"
    assert ids(store) == list("abcde"[:size])
    assert [card.id for card in results] == list("bcde")
    assert ids(store) == list("abcde")


def test_a_file_s_evaluations_are_committed_a_thousand_at_a_time():
    """Each commit waits for the disk."""
    assert BATCH_SIZE == 1000


def test_what_cannot_be_kept_is_an_error_in_its_place_and_does_not_stop_its_batch(store):
    """A NUL would be cut off in the store; the others are kept."""
    broken = InputError("unreadable")
    bad = evaluated(id="b")
    bad = bad._replace(card=bad.card._replace(id="b\0"))
    results = Keeper(store).keep_batch([evaluated(id="a"), bad, broken, evaluated(id="c")])
    assert str(results[1]).startswith("the id of an evaluation holds the character NUL")
    assert results[2] is broken
    assert ids(store) == ["a", "c"]


@pytest.mark.parametrize("field", ["id", "skill", "rubric", "created"])
def test_a_nul_is_refused_with_the_field_it_is_in(store, field):
    """PostgreSQL takes none, and SQLite would cut the text off there."""
    made = evaluated(id="a")
    with pytest.raises(InputError, match=f"the {field} of an evaluation holds the character NUL"):
        Keeper(store).keep(made._replace(card=made.card._replace(**{field: "a\0b"})))


def test_an_attempt_in_which_nothing_was_scored_is_kept_and_is_in_no_history(store):
    """One score is enough for more; so is one check, whatever it found."""
    reason = {"unscored": "the judge fell asleep"}
    keeper = Keeper(store)
    keeper.keep(Evaluated(judged(seven(reason), id="none"), None, True))
    keeper.keep(Evaluated(judged(seven(reason) | {"safety": 1}, id="one"), None, True))
    flat_calls.judge("Cats sleep 12 hours a day.", id="checked", store=store)
    assert ids(store) == ["none", "one", "checked"]
    assert [record.state for record in store.evaluations()] == ["failed", "incomplete", "unread"]
    assert store.get("none").reason == "the judge fell asleep"
    assert store.window("x") == []


def test_only_what_belongs_to_a_skill_s_history_is_compared_with_it(store):
    """A review is of work that is there already, and a suite's runs are compared with each other."""
    keeper = Keeper(store)
    assert keeper.keep(evaluated(id="first")).history.n == 0
    review = Review("round", "first", "sample", Decimal("0.5"))
    for field, value in (("review", review), ("suite", SuitePlace("run", "case", "new", 1))):
        made = evaluated(7, id=field)
        assert keeper.keep(made._replace(card=made.card._replace(**{field: value}))).history is None
    assert keeper.keep(evaluated(id="last")).history.n == 1


def test_an_evaluation_that_comes_again_has_the_history_that_it_had(store):
    """Also within one batch: what came after it is not part of its past."""
    made = [evaluated(score, id=name) for name, score in zip("abc", (6, 7, 8), strict=True)]
    keeper = Keeper(store)
    cards = keeper.keep_batch([*made, made[1]])
    assert [card.history.n for card in cards] == [0, 1, 2, 1]
    assert keeper.already_stored == ["b"]
    assert [card.history.n for card in Keeper(store).keep_batch(made)] == [0, 1, 2]


def test_a_batch_is_compared_as_if_each_had_been_kept_by_itself(tmp_path):
    """Graded, ungraded and suites' evaluations of two skills, under other rubrics and by other judges in between."""
    unscored = {"unscored": "no access"}
    changed = make_rubric(pass_mark="6.00")
    made = [
        evaluated(8, id="a", skill="notes"),
        evaluated(7, id="b", skill="notes", rubric=changed),
        evaluated(6, id="c", skill="notes", judge="human:bo"),
        Evaluated(judged(seven(8) | {"safety": unscored}, id="d", skill="notes"), None, True),
        evaluated(9, id="e", skill="other"),
        evaluated(5, id="f", skill="notes", rubric=changed),
        Evaluated(judged(seven(8) | {"safety": unscored}, id="g", skill="other"), None, True),
        evaluated(5, id="h", skill="notes"),
        evaluated(4, id="i", skill="other"),
        *(evaluated(8 + n % 2, id=f"steady-{n}", skill="third") for n in range(10)),
        Evaluated(judged(seven(8) | {"safety": unscored}, id="unread", skill="third"), None, True),
        evaluated(2, id="fallen", skill="third", rubric=changed, judge="human:bo"),
    ]
    cards = []
    for name, size in (("alone.db", 1), ("together.db", len(made))):
        with closing(evenhand.open_store(str(tmp_path / name))) as opened:
            cards.append(list(Keeper(opened).keep_each(made, batch_size=size)))
    assert [card.history for card in cards[1]] == [card.history for card in cards[0]]
    alone = {card.id: card.history for card in cards[0]}
    assert [(alone[id].n, alone[id].left_out) for id in "abcdefghi"] == [
        *((0, 0), (1, 0), (2, 0), (3, 0)),  # a to d, which has no grade
        (0, 0),  # another skill
        (3, 1),
        (1, 0),  # of the other skill, without a grade
        (4, 1),
        (1, 1),
    ]
    fallen = alone["fallen"]
    assert (fallen.n, fallen.left_out, len(fallen.flags)) == (10, 1, 7)
    assert fallen.changes is not None and {change.what for change in fallen.changes} == {"rubric", "judge's name"}


def test_an_evaluation_whose_receipt_is_gone_is_damaged_and_not_taken_for_another(store):
    made = evaluated(id="a")
    Keeper(store).keep(made)
    (record,) = store.evaluations()
    broken = record._replace(scorecard=record.scorecard.replace('"receipt":{', '"receipt":null,"was":{'))
    with pytest.raises(StoreUnavailable, match="it has no receipt"):
        _same(broken, made.card)
    assert _same(record, made.card)


def test_evaluations_of_one_moment_are_a_microsecond_apart(store):
    """Three at the first moment of 2026: 1767225600 s, and each comes after all others."""
    Keeper(store).keep_batch([evaluated(id=name) for name in "cab"])
    start = 1_767_225_600_000_000
    assert [(record.id, record.completed) for record in store.evaluations()] == [
        ("c", start),
        ("a", start + 1),
        ("b", start + 2),
    ]
    Keeper(store).keep(evaluated(id="d"))
    assert store.latest() == start + 3


def test_the_secret_is_the_store_s_and_without_one_random(store, monkeypatch):
    """So that the fences around outputs are the same in every run with a store."""
    keeper = Keeper(store)
    assert keeper.secret() == keeper.secret() == store.secret()
    alone = Keeper(None)
    assert len({alone.secret(), alone.secret(), keeper.secret()}) == 3
    assert len(alone.secret()) == 32


def test_a_store_that_cannot_give_its_secret_is_not_used_any_more(store, monkeypatch):
    """The judging goes on with a random one, and the failure is told."""

    def fails() -> bytes:
        raise StoreUnavailable("locked")

    monkeypatch.setattr(store, "secret", fails)
    keeper = Keeper(store)
    assert len(keeper.secret()) == 32
    made = evaluated(id="a")
    assert keeper.keep(made) is made.card
    with pytest.raises(StoreUnavailable, match="locked"):
        keeper.raise_if_not_kept()


def test_a_store_that_fails_is_left_alone_afterwards(store, monkeypatch):
    """Scorecards are handed out one by one from then on, and the failure is kept."""
    real, calls = store.add_all, []

    def fails(records):
        calls.append(len(records))
        if len(calls) == 2:
            raise StoreUnavailable("the disk is full")
        real(records)

    monkeypatch.setattr(store, "add_all", fails)
    keeper = Keeper(store)
    cards = list(keeper.keep_each((evaluated(id=name) for name in "abcdef"), batch_size=2))
    assert [card.id for card in cards] == list("abcdef")
    assert calls == [2, 2]
    assert ids(store) == ["a", "b"]
    assert [card.history is None for card in cards] == [False, False, True, True, True, True]
    assert keeper.stored_text(cards[3]) is None


def test_a_batch_of_errors_alone_does_not_open_the_store(store, monkeypatch):
    """There is nothing to write."""
    monkeypatch.setattr(store, "transaction", lambda: pytest.fail("a transaction was begun"))
    broken = [InputError("one"), InputError("two")]
    assert Keeper(store).keep_batch(broken) == broken


def test_the_text_of_an_output_is_kept_unless_it_should_not_be(store):
    """By default it is, so that reviewers can read it."""
    evenhand.score({"id": "a", "scores": seven(8)}, output="A text.", store=store)
    assert store.get("a").submission == '{"output":"A text.","task":null}'


def test_what_a_transaction_has_collected_is_handed_over_once():
    """Evaluations and transcripts, each in one call; what has been handed over is not handed over again."""
    handed: list[tuple[str, object]] = []
    store: Any = SimpleNamespace(
        present=lambda ids, keys: set(),
        add_all=lambda records: handed.append(("evaluations", [record.id for record in records])),
        add_transcripts=lambda documents: handed.append(("transcripts", sorted(documents))),
        timeline=lambda skill: Timeline((), (), ()),
    )
    transaction = _Transaction(store, [])
    transaction.write()
    assert handed == []
    card = judged(seven(8), id="a")
    transaction.add(record_of(card, completed=1, submission=None, keep_text=True), card)
    for digest in ("0" * 64, "1" * 64, "0" * 64):
        transaction.add_transcript(digest, Submission("x"))
    transaction.write()
    transaction.write()
    assert handed == [("evaluations", ["a"]), ("transcripts", ["0" * 64, "1" * 64])]


def test_a_scorecard_is_paired_by_its_case_or_else_by_its_name():
    """The name is the file's where no id was given."""
    card = judged(seven(8), id="made-up")
    assert Named("notes/a", card._replace(case="a")).case == "a"
    assert Named("notes/a", card._replace(case=None)).case == "notes/a"
    assert Named("notes/a", card).label == "notes/a"


def test_only_the_first_document_of_a_file_can_show_that_the_file_is_an_output(tmp_path, monkeypatch):
    """Then the rest is passed over. A further document that cannot be used is an error in its place, and the rest is
    read; what is to be verified is never taken for an output."""
    monkeypatch.chdir(tmp_path)
    message, judgement = '{"role": "user", "content": "Hi."}\n', '{"scores": {}}\n'
    Path("chat.jsonl").write_text(message + judgement)
    Path("mixed.jsonl").write_text(judgement + message + judgement)
    (told,) = score_files(["chat.jsonl"]).results
    assert "this looks like an output; judge it first: evenhand judge chat.jsonl" in str(told)
    mixed = [str(result) for result in score_files(["mixed.jsonl"]).results]
    assert [text.partition(": ")[0] for text in mixed] == ["mixed.jsonl:1", "mixed.jsonl:2", "mixed.jsonl:3"]
    assert "looks like an output" not in "".join(mixed)
    assert [str(result).partition(":")[0] for result in verify_files(["chat.jsonl"])] == ["chat.jsonl", "chat.jsonl"]
