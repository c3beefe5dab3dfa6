"""What a store keeps, row by row: put in, found again, in its order and by each of its conditions."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from dataclasses import replace
from decimal import Decimal
from pathlib import Path

import pytest
from conftest import judged, seven

import evenhand
from evenhand.core.finding import Place
from evenhand.core.receipt import canonical_text, sha256
from evenhand.core.scorecard import Review, SuitePlace
from evenhand.errors import DocumentError, InputError, StoreUnavailable
from evenhand.store.batch_journal import BatchJournal, _Transaction
from evenhand.store.databases.sqlite_file import make_folder, make_private
from evenhand.store.record import Record, fingerprint, kept_submission, record_of
from evenhand.store.record_check import check_record
from evenhand.store.tables.anchors import Anchor, AnchorRun
from evenhand.store.tables.judge_cards import StoredCard
from evenhand.store.tables.kept_rows import BY_NAME, check_row
from evenhand.store.tables.reviews import VERSIONS_KEPT, Decision, Draft, Progress, ReviewItem, ReviewRound
from evenhand.store.tables.suites import BaselineRow, StoredSuite, SuiteResultRow
from evenhand.store.transfer import Imported, _Export, import_lines, import_records, record_from
from evenhand.store.transfer import exported as exported_lines
from evenhand.work.label import Label
from evenhand.work.submission import Event, Image, Submission

ROW = record_of(judged(seven(8)), completed=0, submission=None, keep_text=True)


@pytest.fixture
def store(tmp_path: Path):
    """An empty store in a file; the statements are the same on a server."""
    with closing(evenhand.open_store(str(tmp_path / "s.db"))) as opened:
        yield Committed(opened)


class Committed:
    """A store in which every write is a transaction of its own."""

    def __init__(self, store):
        self._store = store

    def __getattr__(self, name):
        method = getattr(self._store, name)
        if not name.startswith(("add_", "note_")):
            return method

        def write(*arguments):
            with self._store.transaction():
                return method(*arguments)

        return write


# --- anchors and calibrations ----------------------------------------------------------------------------------------


def test_anchors_come_back_by_set_in_the_order_they_were_added(store):
    """At the same time by name, then by submission; sets are counted by name."""
    rows = [
        Anchor("z", "s3", "r", "b", "2026-01-02", "{}", "{}"),
        Anchor("z", "s2", "r", "c", "2026-01-01", "{}", "{}"),
        Anchor("z", "s1", "r", "b", "2026-01-02", "{}", "{}"),
        Anchor("a", "s1", "r", "a", "2026-01-09", "{}", "{}"),
    ]
    store.add_anchors(rows)
    assert store.anchors("z") == [rows[1], rows[2], rows[0]]
    assert store.anchors("a") == [rows[3]]
    assert store.anchors("none") == []
    assert store.anchor_sets() == [("a", 1), ("z", 3)]
    assert rows[0].key == "s3 r"


def test_runs_of_anchors_are_found_by_set_and_by_judge(store):
    """Oldest first; at the same time by id."""
    rows = [
        AnchorRun("2", "2026-01-02", "z", "j", "{}", 0, "{}"),
        AnchorRun("1", "2026-01-02", "z", "k", "{}", 1, "{}"),
        AnchorRun("3", "2026-01-01", "a", "j", "{}", 0, "{}"),
    ]
    for row in rows:
        store.add_anchor_run(row)
    assert store.anchor_runs() == [rows[2], rows[1], rows[0]]
    assert store.anchor_runs(set_name="z") == [rows[1], rows[0]]
    assert store.anchor_runs(judge="j") == [rows[2], rows[0]]
    assert store.anchor_runs(set_name="z", judge="j") == [rows[0]]
    assert store.anchor_runs(set_name="j", judge="z") == []


def test_the_last_calibration_of_a_judge_is_its_newest(store):
    """Whatever the order in which they are noted; one that is noted twice is one."""
    for judge, created in (("j", "2026-01-02"), ("j", "2026-01-03"), ("j", "2026-01-01"), ("k", "2026-01-09")):
        store.note_calibration(judge, created, "hash")
        store.note_calibration(judge, created, "hash")
    assert (store.last_calibration("j"), store.last_calibration("k")) == ("2026-01-03", "2026-01-09")
    assert store.last_calibration("hash") is store.last_calibration("2026-01-02") is None
    kept = [row for name, row in store.kept_rows() if name == "judge_calibrations"]
    assert len(kept) == 4
    assert kept[0] == {"judge": "j", "created": "2026-01-01", "sha256": "hash"}


# --- judges' cards, labels, suites -----------------------------------------------------------------------------------


def test_cards_are_found_by_judge_and_identity_newest_first(store):
    """As many as asked for; at the same time the last id first."""
    rows = [StoredCard(id, created, judge, identity, "{}") for id, created, judge, identity in (
        ("1", "2026-01-01", "j", "x"), ("2", "2026-01-03", "j", "y"), ("3", "2026-01-03", "j", "x"),
        ("4", "2026-01-02", "i", "x"),
    )]  # fmt: skip
    for row in rows:
        store.add_judge_card(row)
    one, two, three, four = rows
    assert store.judge_cards(limit=9) == [three, two, four, one]
    assert store.judge_cards(limit=2) == [three, two]
    assert store.judge_cards(judge="j", limit=9) == [three, two, one]
    assert store.judge_cards(identity="x", limit=9) == [three, four, one]
    assert store.judge_cards(judge="j", identity="x", limit=9) == [three, one]
    assert store.newest_judge_cards() == [four, three]


def test_labels_are_found_by_field_and_by_rater(store):
    """By kind, item, field and rater."""
    rows = [
        Label(kind, item, rater, field, "7", "1-10", "7", None, "f.csv:1", 5)
        for kind, item, rater, field in (
            ("text", "a", "human:bo", "final"), ("id", "b", "human:ana", "final"), ("id", "a", "human:bo", "safety"),
            ("id", "a", "human:ana", "safety"), ("id", "a", "human:cy", "final"),
        )
    ]  # fmt: skip
    store.add_labels(rows)
    text_a, id_b, bo, ana, cy = rows
    assert list(store.labels()) == [cy, ana, bo, id_b, text_a]
    assert list(store.labels(fields=["final"])) == [cy, id_b, text_a]
    assert list(store.labels(raters=["human:bo", "human:cy"])) == [cy, bo, text_a]
    assert list(store.labels(fields=["safety"], raters=["human:bo"])) == [bo]
    assert ana.key == ("id", "a", "human:ana", "safety")


def test_runs_of_suites_with_their_results_and_baselines(store):
    """Runs newest first and by the start of their id; results by case, variant and repeat; baselines by suite."""
    runs = [
        StoredSuite(*row)
        for row in (("ab1", "s", "2026-01-01", "{}"), ("ab2", "s", "2026-01-02", "{}"), ("cd", "t", "2026-01-02", "{}"))
    ]
    results = [
        SuiteResultRow("ab1", case, variant, repeat, "{}")
        for case, variant, repeat in (("b", "x", 1), ("a", "y", 1), ("a", "x", 10), ("a", "x", 2))
    ]
    store.add_suite_run(runs[0], results)
    store.add_suite_run(runs[1], [])
    store.add_suite_run(runs[2], [SuiteResultRow("cd", "a", "x", 1, "{}")])
    assert store.suite_runs() == [runs[2], runs[1], runs[0]]
    assert store.suite_runs(limit=1) == [runs[2]]
    assert store.suite_runs(suite="s") == [runs[1], runs[0]]
    assert list(store.suite_results("ab1")) == [results[3], results[2], results[1], results[0]]
    assert (store.suite_run("c"), store.suite_run("ab2"), store.suite_run("x")) == (runs[2], runs[1], None)
    with pytest.raises(InputError, match='"ab" matches more than one id, among them ab1 and ab2'):
        store.suite_run("ab")
    marks = [
        BaselineRow(*row)
        for row in (
            ("t", "v1", "cd", "2026-01-05"),
            ("s", "v2", "ab2", "2026-01-04"),
            ("s", "v1", "ab1", "2026-01-04"),
            ("s", "v0", "ab1", "2026-01-06"),
        )
    ]
    for mark in marks:
        store.add_baseline(mark)
    assert store.baselines() == [marks[2], marks[1], marks[3], marks[0]]
    assert store.baselines("t") == [marks[0]]


def test_an_id_that_is_the_start_of_another_is_found_whole(store):
    """ "ab" beside "abc"."""
    rows = [StoredSuite(id, "s", "2026", "{}") for id in ("ab", "abc")]
    for row in rows:
        store.add_suite_run(row, [])
    assert store.suite_run("ab") == rows[0]


def test_more_results_than_fit_into_one_statement_are_all_stored(store):
    """Two thousand and one."""
    store.add_suite_run(
        StoredSuite("r", "s", "2026", "{}"), (SuiteResultRow("r", f"{n:05}", "v", 1, "{}") for n in range(2001))
    )
    assert [row.case_id for row in store.suite_results("r")] == [f"{n:05}" for n in range(2001)]


# --- reviews ---------------------------------------------------------------------------------------------------------

ROUND = ReviewRound("r1", "2026-01-01", "ana", "sample", 9, 2, "seed", None, None)


def item(place: int, round: str = "r1") -> ReviewItem:
    return ReviewItem(round, place, f"e{place}", "s", "hash", "0.5", "")


def test_rounds_come_newest_first_with_their_items_in_order(store):
    """And the texts and rubrics that were kept for them, once."""
    later = ROUND._replace(id="r0", created="2026-01-02")
    store.add_round(ROUND, [item(2), item(1)], {"hash": "rubric"}, {"sub": "text"})
    store.add_round(later, [item(1, "r0")], {"hash": "another"}, {"sub": "another"})
    assert store.review_rounds() == [later, ROUND]
    assert store.review_rounds(limit=1) == [later]
    assert (store.review_round("r1"), store.review_round("none")) == (ROUND, None)
    assert store.review_items("r1") == [item(1), item(2)]
    assert (store.review_rubric("hash"), store.review_rubric("no")) == ("rubric", None)
    assert (store.review_text("sub"), store.review_text("no")) == ("text", None)
    assert (store.kept_rubric("hash"), store.kept_rubric("no")) == ("rubric", None)
    store.add_anchors([Anchor("z", "s", "other", "n", "2026", "{}", "of an anchor")])
    assert store.kept_rubric("other") == "of an anchor"


def test_progress_tells_drafts_from_decisions_by_round_and_place(store):
    """A decision ends its drafts, and nobody else's."""
    store.add_round(ROUND, [item(1), item(2)], {}, {})
    store.add_round(ROUND._replace(id="r2"), [item(1, "r2")], {}, {})
    for round, place, person in (("r1", 2, "bo"), ("r1", 1, "bo"), ("r1", 1, "ana"), ("r2", 1, "bo")):
        store.add_draft(round, place, person, Draft(1, "2026", '{"a":1}'))
    decision = Decision("r1", 1, "bo", "2026-02", "e9")
    store.add_decision(decision)
    assert store.review_progress(["r1", "r2", "r3"]) == {
        "r1": [Progress(1, "ana", False), Progress(1, "bo", True), Progress(2, "bo", False)],
        "r2": [Progress(1, "bo", False)],
        "r3": [],
    }
    assert store.review_progress([]) == {}
    assert store.review_progress(["r2"]) == {"r2": [Progress(1, "bo", False)]}
    assert store.review_draft("r1", 1, "bo") == Draft(0, "", "{}")
    assert store.review_draft("r1", 1, "ana").version == 1
    assert store.decisions("r1", 1) == [decision]
    assert store.decisions("r1", 2) == []


def test_decisions_come_in_the_order_they_were_made(store):
    """Decisions made at the same time are sorted by person."""
    store.add_round(ROUND, [item(1)], {}, {})
    rows = [
        Decision("r1", 1, person, decided, "e")
        for person, decided in (("bo", "2026-02"), ("ana", "2026-02"), ("cy", "2026-01"))
    ]
    for row in rows:
        store.add_decision(row)
    assert store.decisions("r1", 1) == [rows[2], rows[1], rows[0]]


def test_the_newest_versions_of_a_draft_are_kept(store):
    """Twenty of them; the newest unless another is asked for."""
    store.add_round(ROUND, [item(1)], {}, {})
    for version in range(1, VERSIONS_KEPT + 3):
        store.add_draft("r1", 1, "ana", Draft(version, f"at {version}", "{}"))
        store.add_draft("r1", 1, "bo", Draft(1, "at 1", "{}")) if version == 1 else None
    newest = VERSIONS_KEPT + 2
    assert store.review_draft("r1", 1, "ana") == Draft(newest, f"at {newest}", "{}")
    assert store.review_draft("r1", 1, "ana", 3) == Draft(3, "at 3", "{}")
    assert store.review_draft("r1", 1, "ana", 2) == Draft(0, "", "{}")
    assert store.review_draft("r1", 1, "bo").version == 1


# --- rows that are copied --------------------------------------------------------------------------------------------


def test_a_row_is_added_once_and_never_over_another(store):
    """Nor where what it belongs to is missing."""
    run = StoredSuite("r", "s", "2026", "{}")._asdict()
    result = SuiteResultRow("r", "c", "v", 1, "{}")._asdict()
    with pytest.raises(DocumentError, match='a row of suite_results belongs to "r", which suite_runs lacks'):
        store.add_kept_row("suite_results", result)
    assert store.add_kept_row("suite_runs", run) is True
    assert store.add_kept_row("suite_runs", run) is False
    assert store.add_kept_row("suite_results", result) is True
    with pytest.raises(
        DocumentError, match="the store already has a different row of suite_results with the key r, c, v, 1"
    ):
        store.add_kept_row("suite_results", result | {"document": '{"a":1}'})


def test_a_draft_is_not_added_after_its_decision_and_is_ended_by_it(store):
    """Whichever comes first; the drafts of others stay."""
    store.add_round(ROUND, [item(1)], {}, {})
    draft = {"round": "r1", "place": 1, "person": "ana", "version": 1, "saved": "2026", "content": "{}"}
    other = draft | {"person": "bo"}
    decision = Decision("r1", 1, "ana", "2026", "e")._asdict()
    assert store.add_kept_row("review_drafts", draft) is store.add_kept_row("review_drafts", other) is True
    assert store.add_kept_row("reviews", decision) is True
    assert store.review_draft("r1", 1, "ana").version == 0
    assert store.review_draft("r1", 1, "bo").version == 1
    assert store.add_kept_row("review_drafts", draft) is False


LABEL = Label("id", "a", "human:ana", "final", "7", "1-10", "7", None, "f.csv:1", 5)._asdict()


@pytest.mark.parametrize(
    ("change", "wrong"),
    [
        ({}, ""),
        ({"rule": "linear"}, ""),
        ({"imported": 2**63 - 1}, ""),
        ({"imported": -(2**63)}, ""),
        ({"imported": 2**63}, "must be a whole number"),
        ({"imported": -(2**63) - 1}, "must be a whole number"),
        ({"imported": True}, "must be a whole number"),
        ({"imported": "5"}, "must be a whole number"),
        ({"item": None}, "must be text"),
        ({"rule": 1}, "must be text"),
        ({"value": "a\0b"}, "holds"),
        ({"value": "\ud800"}, "holds half of a surrogate pair"),
        ({"value": "a\udfff"}, "holds half of a surrogate pair"),
        ({"value": "\ue000"}, ""),
    ],
)
def test_the_columns_of_a_label_are_checked(change, wrong):
    """Numbers of 64 bits, text that can be stored, and a rule that may be missing."""
    if not wrong:
        check_row("labels", LABEL | change)
        return
    with pytest.raises(DocumentError) as refused:
        check_row("labels", LABEL | change)
    assert str(refused.value).startswith(f"{next(iter(change))} of a row of labels ")
    if wrong != "holds":
        assert wrong in str(refused.value)


@pytest.mark.parametrize(
    ("place", "fits"), [(2**31 - 1, True), (2**31, False), (-(2**31), True), (-(2**31) - 1, False)]
)
def test_other_numbers_have_32_bits(place, fits):
    """As PostgreSQL has them."""
    row = item(1)._asdict() | {"place": place}
    if fits:
        check_row("review_items", row)
    else:
        with pytest.raises(DocumentError, match="place of a row of review_items must be a whole number"):
            check_row("review_items", row)


@pytest.mark.parametrize("document", ["", "[]", "1", "{", '{"a":1'])
def test_a_document_is_an_object_as_json(document):
    """And its hash, where one is kept, is that of its text."""
    row = {"submission": "s", "document": document}
    with pytest.raises(DocumentError, match="document of a row of review_texts must be an object as JSON"):
        check_row("review_texts", row)
    check_row("review_rubrics", {"sha256": sha256("{}"), "document": "{}"})
    with pytest.raises(
        DocumentError, match="the row of review_rubrics was changed: sha256 is not the hash of document"
    ):
        check_row("review_rubrics", {"sha256": sha256("{ }"), "document": "{}"})


@pytest.mark.parametrize("name", [None, 1, "evaluations", "web_log", "secret"])
def test_only_tables_that_are_copied_have_rows(name):
    """The log and the secret stay where they are."""
    with pytest.raises(DocumentError, match=f'"table" must be one of {", ".join(BY_NAME)}'):
        check_row(name, {})


@pytest.mark.parametrize("row", [None, [], {}, LABEL | {"more": "x"}])
def test_a_row_has_exactly_its_columns(row):
    """Neither fewer nor more."""
    with pytest.raises(DocumentError, match="a row of labels has exactly these columns: kind, item, rater"):
        check_row("labels", row)


# --- batches ---------------------------------------------------------------------------------------------------------


def test_a_transaction_of_the_journal_that_fails_leaves_nothing_behind(tmp_path):
    """Whatever the failure is."""
    with closing(BatchJournal(tmp_path / "r.db")) as journal:
        journal.begin("one", "judge", ["a"], 1.0)

        def fail(error: Exception) -> None:
            with _Transaction(journal) as connection:
                connection.execute("DELETE FROM batched")
                raise error

        with pytest.raises(KeyError):
            fail(KeyError("x"))
        assert journal.holds("a")
        with pytest.raises(StoreUnavailable, match="batches cannot be recorded here: no; choose another"):
            fail(sqlite3.OperationalError("no"))
        assert journal.holds("a")


def test_a_journal_that_was_closed_opens_its_file_again(tmp_path):
    """Closing twice does no harm."""
    journal = BatchJournal(tmp_path / "r.db")
    journal.begin("one", "judge", ["a"], 1.0)
    journal.close()
    journal.close()
    assert journal.holds("a")
    journal.close()


def test_batches_are_listed_oldest_first_by_owner(tmp_path):
    """With the process that submits them; one without a free request is not entered."""
    with closing(BatchJournal(tmp_path / "r.db")) as journal:
        journal.begin("late", "judge", ["a"], 2.0)
        journal.begin("early", "judge", ["b", "c"], 1.0)
        assert journal.begin("empty", "judge", ["a", "b"], 3.0) == []
        rows = journal.open_batches("judge")
        assert [(row.name, row.created, row.requests) for row in rows] == [("early", 1.0, 2), ("late", 2.0, 1)]
        assert len({row.process for row in rows}) == 1
        journal.drop("late")
        assert [row.name for row in journal.open_batches("judge")] == ["early"]
        assert (journal.holds("a"), journal.holds("b")) == (False, True)


# --- lists -----------------------------------------------------------------------------------------------------------


def row(id: str, completed: int, **more) -> Record:
    return ROW._replace(id=id, completed=completed, **more)


def test_the_newest_is_the_last_completed_and_then_the_last_by_id(store):
    """Of any skill."""
    store.add_all([row("b", 2), row("c", 1), row("a", 2, skill="other")])
    assert store.newest() == (2, "b")
    assert store.latest() == 2


def test_recent_finals_are_newest_first_and_equal_times_by_id(store):
    """Only those in the history; as many as asked for."""
    store.add_all([row("b", 2, final=702), row("a", 2, final=701), row("c", 1, final=703), row("d", 3, in_history=0)])
    assert store.recent_finals([ROW.skill], last=9) == {ROW.skill: [702, 701, 703]}
    assert store.recent_finals([ROW.skill], last=2) == {ROW.skill: [702, 701]}


def test_the_newest_of_a_skill_is_of_either_kind(store):
    """Whether or not it belongs to the history."""
    store.add_all(
        [row("a", 1), row("b", 2, in_history=0), row("c", 4, skill="t"), row("d", 3, skill="t", in_history=0)]
    )
    assert {skill: record.id for skill, record in store.newest_of([ROW.skill, "t"]).items()} == {
        ROW.skill: "b",
        "t": "c",
    }


@pytest.mark.parametrize("count", [50, 51, 101])
def test_many_skills_are_looked_up_in_parts(store, count):
    """None is asked for twice or left out."""
    names = [f"s{number:03}" for number in range(count)]
    store.add_all([row(name, 1, skill=name, final=500) for name in names])
    assert store.recent_finals(names, last=3) == {name: [500] for name in names}
    assert store.counts(names) == dict.fromkeys(names, (1, 0))
    assert set(store.newest_of(names)) == set(names)


# --- rows of evaluations ---------------------------------------------------------------------------------------------

CARD = judged(seven(8))


def test_a_row_belongs_to_the_history_when_somebody_read_the_work():
    """1 in the history, 0 without a reader or a final score, 2 for a review, 3 in a suite; a review before a suite."""

    def kind(card) -> int:
        return record_of(card, completed=1, submission=None, keep_text=True).in_history

    review, place = Review("r", "e", "sample", Decimal("0.5")), SuitePlace("run", "case", "v", 1)
    assert kind(CARD) == 1
    assert kind(CARD._replace(final=None)) == 0
    assert kind(CARD._replace(judge={"name": "checks"})) == 0
    assert kind(CARD._replace(review=review)) == 2
    assert kind(CARD._replace(suite=place)) == 3
    assert kind(CARD._replace(review=review, suite=place)) == 2


def test_a_fingerprint_differs_with_everything_that_makes_an_evaluation_another():
    """Submission, rubric, judgement, judge, calibration, round and place in a suite; without a text there is none."""
    receipt = replace(CARD.receipt, submission="s")
    card = CARD._replace(receipt=receipt)
    place = SuitePlace("run", "case", "v", 1)
    others = [
        card,
        card._replace(receipt=replace(receipt, submission="t")),
        card._replace(receipt=replace(receipt, rubric="t")),
        card._replace(receipt=replace(receipt, judgement="t")),
        card._replace(receipt=replace(receipt, calibration="t")),
        card._replace(judge={"name": "t"}),
        card._replace(review=Review("r", "e", "sample", Decimal(1))),
        card._replace(review=Review("q", "e", "sample", Decimal(1))),
        card._replace(suite=place),
        card._replace(suite=replace(place, repeat=2)),
        card._replace(suite=replace(place, case="d")),
    ]
    prints = [fingerprint(one) for one in others]
    assert len(set(prints)) == len(others)
    assert None not in prints
    assert fingerprint(card) == fingerprint(card._replace(id="another", created="later"))
    assert fingerprint(card._replace(receipt=replace(receipt, submission=None))) is None


def test_what_is_kept_of_a_submission_comes_back():
    """Texts, and of pictures their kind and hash; a picture that could not be read is left out."""
    pictures = (Image("image/png", b"data", "ab" * 32), Image(problem="missing"))
    full = Submission(output="out", task="do", reference="ref", images=pictures)
    record = record_of(CARD, completed=1, submission=full, keep_text=True)
    assert record.submission == canonical_text(
        {"output": "out", "task": "do", "reference": "ref", "images": [{"media": "image/png", "sha256": "ab" * 32}]}
    )
    again = kept_submission(
        {"output": "out", "task": "do", "reference": "ref", "images": [{"media": "m", "sha256": "h"}]}
    )
    assert again == Submission(output="out", task="do", reference="ref", images=(Image("m", b"", "h"),))
    plain = record_of(CARD, completed=1, submission=Submission(output="out"), keep_text=True)
    assert plain.submission == '{"output":"out","task":null}'
    assert kept_submission({"output": "out", "task": None}) == Submission(output="out")
    assert record_of(CARD, completed=1, submission=full, keep_text=False).submission is None
    run = full._replace(events=(Event("message", "assistant", "hello", Place("f", 1)),))
    assert record_of(CARD, completed=1, submission=run, keep_text=True).submission is None


@pytest.mark.parametrize(
    ("scorecard", "raw"),
    [
        ("{}", 800),
        ('{"warnings":["official"]}', 800),
        ('{"note":{"official":1}}', 800),
        ('{"official":null}', 800),
        ('{"official":{"raw":{"final":7.25}}}', 725),
        ('{"official":{"raw":{"final":null}}}', None),
    ],
)
def test_the_raw_final_score_is_the_judges_own(scorecard, raw):
    """Where a calibrated one is official it is beside it."""
    assert row("a", 1, final=800, scorecard=scorecard).raw_final == raw


@pytest.mark.parametrize("text", ["", "[]", "{", "[" * 100_000])
def test_a_damaged_scorecard_is_the_stores_fault(text):
    """Named with what to do."""
    with pytest.raises(StoreUnavailable, match="the stored scorecard a is damaged; see: evenhand store check"):
        _ = row("a", 1, scorecard=text).document
    assert "a is damaged: cut off; see" in str(row("a", 1).damaged("cut off"))
    assert check_record(row("a", 1, scorecard=text)) == [
        "a: the stored scorecard a is damaged; see: evenhand store check"
    ]


def exported(**changes) -> dict:
    document = {
        "schema": "evenhand/evaluation/v1",
        "completed": 5,
        "scorecard": evenhand.document(CARD),
        "submission": None,
    }
    return document | changes


@pytest.mark.parametrize(
    "submission",
    [
        [], "text", {}, {"output": "o"}, {"output": 1, "task": None}, {"output": "o", "task": None, "more": 1},
        {"output": "o", "task": None, "reference": 1}, {"output": "o", "task": None, "images": {}},
        {"output": "o", "task": None, "images": [1]}, {"output": "o", "task": None, "images": [{"media": "m"}]},
        {"output": "o", "task": None, "images": [{"media": "m", "sha256": 1}]},
    ],
)  # fmt: skip
def test_a_submission_that_was_not_exported_is_refused(submission):
    """Output and task, and if known a reference and pictures."""
    with pytest.raises(DocumentError, match="submission must be null, or an object with output, task"):
        record_from(exported(submission=submission))


@pytest.mark.parametrize(
    "changes",
    [{"completed": 2**63}, {"completed": -(2**63) - 1}, {"completed": True}, {"completed": "5"}, {"scorecard": []}],
)
def test_an_evaluation_that_is_not_whole_is_refused(changes):
    """A moment of 64 bits, and a scorecard."""
    with pytest.raises(DocumentError, match="not a complete evaluation"):
        record_from(exported(**changes))


def test_an_exported_evaluation_is_checked_like_a_stored_one():
    """A changed scorecard and a changed column are named."""
    record = record_from(exported())
    kept = record_of(CARD, completed=5, submission=None, keep_text=True)
    assert record._replace(scorecard="") == kept._replace(scorecard="")
    assert check_record(record) == []
    assert check_record(record._replace(final=1)) == ["x: the column final says 1, the scorecard 800"]
    changed = evenhand.document(CARD) | {"final": 9}
    with pytest.raises(DocumentError, match="the evaluation was changed: final "):
        record_from(exported(scorecard=changed))
    with pytest.raises(DocumentError, match='unknown field "more"; valid: schema, completed, scorecard, submission'):
        record_from(exported(more=1))


# --- exports ---------------------------------------------------------------------------------------------------------


def lines_of(records=(), rows=()) -> list[dict]:
    return [json.loads(line) for line in exported_lines(records, rows)]


def test_the_last_line_of_an_export_counts_what_came_before():
    """Rows only where there are some; an empty store exports nothing."""
    record = record_from(exported())
    assert lines_of() == []
    evaluation, ending = lines_of([record])
    assert (ending["schema"], ending["evaluations"], "rows" in ending) == ("evenhand/export/v1", 1, False)
    assert (evaluation["completed"], evaluation["submission"], evaluation["scorecard"]["id"]) == (5, None, "x")
    row_line, both = lines_of([], [("labels", LABEL)])
    assert (row_line["table"], row_line["row"], both["evaluations"], both["rows"]) == ("labels", LABEL, 0, 1)


def test_a_line_of_an_export_that_was_changed_is_refused():
    """A row or an evaluation with another hash, or without one among others, and an ending that counts otherwise."""
    record = record_from(exported())
    evaluation, row_line, ending = lines_of([record], [("labels", LABEL)])
    whole = _Export()
    assert whole.content(evaluation) == record
    assert whole.content(row_line) == ("labels", LABEL)
    with pytest.raises(DocumentError, match="its last line, which counts the evaluations, is missing"):
        whole.end()
    assert whole.content(ending) is None
    whole.end()
    for line, message in (
        (row_line | {"sha256": "0"}, "the row was changed: its sha256 does not match"),
        (row_line | {"row": LABEL | {"value": "8"}}, "the row was changed: its sha256 does not match"),
        (row_line | {"more": 1}, "a row must have exactly these fields: schema, table, row, sha256"),
        (evaluation | {"sha256": "0"}, "the evaluation was changed: its sha256 does not match"),
        (ending, "the export is incomplete: 0 evaluations came before this line, which counts 1"),
    ):
        with pytest.raises(DocumentError, match=message):
            _Export().content(line)
    with pytest.raises(DocumentError, match="the evaluation has no sha256"):
        _Export().content({name: value for name, value in evaluation.items() if name != "sha256"})


def test_the_hash_of_an_export_covers_every_line_in_its_order():
    """The hash of all their hashes, one after another."""
    records = [record_from(exported()), record_from(exported(completed=6))]
    rows = [("labels", LABEL), ("labels", LABEL | {"item": "b"})]
    *lines, ending = lines_of(records, rows)
    assert ending["sha256"] == sha256("".join(line["sha256"] for line in lines))
    assert lines_of(records[::-1])[-1]["sha256"] != lines_of(records)[-1]["sha256"]


def test_nothing_is_made_for_a_source_whose_first_line_cannot_be_read(tmp_path):
    """The store's file is not there afterwards; a later line that cannot be read adds nothing."""
    with closing(evenhand.open_store(str(tmp_path / "new.db"))) as store:
        with pytest.raises(InputError, match="no such file"):
            import_lines(store, iter([InputError("no such file")]))
        assert not (tmp_path / "new.db").exists()
        assert import_lines(store, iter([])) == Imported(0, 0)


def test_rows_of_another_store_are_checked_before_they_are_added(tmp_path):
    """A wrong row or a wrong evaluation, and nothing of the rest stays."""
    record = record_from(exported())
    with closing(evenhand.open_store(str(tmp_path / "new.db"))) as store:
        for records, rows, message in (
            (
                [record],
                [("labels", LABEL), ("labels", LABEL | {"item": "b", "imported": "x"})],
                "must be a whole number",
            ),
            ([record, record._replace(id="y")], [], "y: the column id says y, the scorecard x"),
        ):
            with pytest.raises(DocumentError, match=message):
                import_records(store, records, rows)
            assert (list(store.evaluations()), list(store.labels())) == ([], [])
        assert import_records(store, [record], [("labels", LABEL)]) == Imported(1, 0, 1, 0)
        assert import_records(store, [record], [("labels", LABEL)]) == Imported(0, 1, 0, 1)


def test_a_new_folder_is_its_owners_only_and_one_of_our_name_stays_out_of_git(tmp_path):
    """One that is there keeps its mode, and its .gitignore."""
    make_folder(tmp_path / "a" / ".evenhand" / "store.db")
    assert (tmp_path / "a" / ".evenhand").stat().st_mode & 0o777 == 0o700
    assert (tmp_path / "a" / ".evenhand" / ".gitignore").read_text() == "*\n"
    (tmp_path / "a" / ".evenhand" / ".gitignore").write_text("own")
    make_folder(tmp_path / "a" / ".evenhand" / "store.db")
    assert (tmp_path / "a" / ".evenhand" / ".gitignore").read_text() == "own"
    make_folder(tmp_path / "b" / "store.db")
    assert list((tmp_path / "b").iterdir()) == []


def test_lists_without_a_limit_have_a_hundred(store):
    """The newest rounds, and the newest runs."""
    with store.transaction():
        for number in range(101):
            store._store.add_round(ROUND._replace(id=f"r{number:03}"), [], {}, {})
            store._store.add_suite_run(StoredSuite(f"r{number:03}", "s", "2026", "{}"), [])
    expected = [f"r{number:03}" for number in range(100, 0, -1)]
    assert [one.id for one in store.review_rounds()] == [one.id for one in store.suite_runs()] == expected


@pytest.mark.parametrize("document", [None, [], "text", 5, {}])
def test_a_line_that_is_not_an_evaluation_is_refused(document):
    """Whatever JSON it is."""
    with pytest.raises(DocumentError, match="not an exported evaluation"):
        _Export().content(document)


def test_a_new_file_is_its_owners_only_and_one_that_is_there_stays(tmp_path):
    """Neither its mode nor its content changes; what the system refuses is not raised."""
    make_private(tmp_path / "new.db")
    assert (tmp_path / "new.db").stat().st_mode & 0o777 == 0o600
    (tmp_path / "there.db").write_text("kept")
    (tmp_path / "there.db").chmod(0o644)
    make_private(tmp_path / "there.db")
    assert ((tmp_path / "there.db").read_text(), (tmp_path / "there.db").stat().st_mode & 0o777) == ("kept", 0o644)
    make_private(tmp_path / "missing" / "new.db")
