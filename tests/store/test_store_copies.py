"""What a store keeps beside evaluations, copied: rounds of review, drafts, labels, suites, judges' cards, anchors."""

from __future__ import annotations

import json
from collections import Counter
from contextlib import closing
from decimal import Decimal
from pathlib import Path

import pytest
from conftest import seven
from postgresql_server import behind_the_back
from web_stores import keep_suite

import evenhand
from evenhand.core.receipt import canonical_text, sha256
from evenhand.core.scorecard import SAMPLE
from evenhand.errors import DocumentError, InputError
from evenhand.files.documents import open_lines
from evenhand.stats.trust.judge_card import JudgeCard, card_document, noise_of, scale_use
from evenhand.store.protocol import Store
from evenhand.store.tables.anchors import AnchorRun
from evenhand.store.tables.judge_cards import StoredCard
from evenhand.store.tables.kept_rows import BY_NAME, TABLES, check_row
from evenhand.store.tables.notes import Note
from evenhand.store.tables.reviews import Correction
from evenhand.store.tables.web_log import LogEntry
from evenhand.store.transfer import exported, import_lines, import_records
from evenhand.trust.anchors import add_anchors
from evenhand.trust.labels.review_rounds import Request, start_round
from evenhand.trust.labels.reviews import decide, open_task, save_draft
from evenhand.work.label import Label

ENTRY = LogEntry("2026-01-01T00:00:00Z", "ana", "127.0.0.1", "began review", "")
SCORES = {f"score.{name}": "4" for name in evenhand.DIMENSIONS}


def fill(store: Store) -> None:
    """At least one row in every table: Ana has decided item 1, and Bo has drafted it twice."""
    store.create()
    for number in range(3):
        judgement = {"skill": "code-review", "judge": "model:m", "scores": seven(7)}
        evenhand.score(judgement, output=f"Output {number} \u2028 ends.", store=store, id=f"e{number}")
    round = start_round(store, Request(SAMPLE, 2, seed="7"), "ana").round.id
    task = open_task(store, round, 1)
    decide(store, task, "ana", SCORES, save_draft(store, task, "ana", SCORES, 0, ENTRY).version, ENTRY)
    for version in range(2):
        save_draft(store, task, "bo", {"why.safety": f"word {version}"}, version, ENTRY)
    keep_suite(store)
    add_anchors(store, ["e0"])
    card = JudgeCard(
        "card", "2026-01-01T00:00:00Z", {"name": "m"}, ("m",), "quick", "m", 1, 1, Decimal(1), (), {},
        noise_of([0.0, 0.1]), scale_use([Decimal(8)]),
    )  # fmt: skip
    with store.transaction():
        store.add_correction(Correction(round, 1, "cy", "2026-01-01T00:00:00Z", "e1", "e0", "a slip"))
        store.add_note(Note("e0", "2026-01-01T00:00:00.000Z", "ana", "tag", "to discuss"))
        store.add_labels([Label("id", "e0", "human:cy", "final", "8", "1-10", "8", None, "l.csv:1", 2**40)])
        store.add_judge_card(StoredCard("card", card.created, "m", "{}", canonical_text(card_document(card))))
        store.add_anchor_run(AnchorRun("run", "2026-01-01T00:00:00Z", "default", "m", "{}", 1, '{"scores":{}}'))
        store.note_calibration("m", "2026-01-01T00:00:00Z", "ab" * 32)
        store.add_transcripts({"cd" * 32: '{"output": "x"}'})
        store._write("INSERT INTO review_texts VALUES (?, ?)", [("ab" * 32, '{"output": "x"}')])  # type: ignore[attr-defined]


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A store with everything; no test writes to it."""
    path = str(tmp_path_factory.mktemp("filled") / "filled.db")
    with closing(evenhand.open_store(path)) as store:
        fill(store)
    return path


@pytest.fixture
def copy(tmp_path):
    """An empty SQLite store."""
    with closing(evenhand.open_store(str(tmp_path / "copy.db"))) as store:
        store.create()
        yield store


def lines_of(address: str) -> list[str]:
    with closing(evenhand.open_store(address)) as store:
        return list(exported(store.evaluations(), store.kept_rows()))


def written(folder: Path, lines: list[str]) -> str:
    path = folder / "export.jsonl"
    path.write_text("".join(lines), encoding="utf-8", newline="\n")
    return str(path)


def test_every_table_is_copied_or_left_behind_on_purpose(filled):
    """A new table must be added to the list, or named here: evaluations have lines of their own, and their windows and
    words are made from them."""
    names = {name for (name,) in behind_the_back(filled, "SELECT name FROM sqlite_master WHERE type = 'table'")}
    assert names - BY_NAME.keys() == {
        "evaluations",
        "windows",
        "words",
        "words_config",
        "words_data",
        "words_idx",
        "secret",
        "web_log",
        "suite_progress",
    }
    for table in TABLES:
        columns = [row[1] for row in behind_the_back(filled, f"PRAGMA table_info({table.name})")]
        assert tuple(columns) == table.columns, table.name
        assert behind_the_back(filled, f"SELECT count(*) FROM {table.name}")[0][0] > 0, table.name


@pytest.mark.slow
def test_a_copied_store_has_every_row(filled, store, store_address, tmp_path):
    """Through a file and directly, to both kinds of store; a second import adds nothing."""
    lines = lines_of(filled)
    rows = Counter(json.loads(line).get("table", "") for line in lines)
    beside = sum(rows[table.name] for table in TABLES)
    path = written(tmp_path, lines)
    assert import_lines(store, open_lines(path)) == (4, 0, beside, 0)  # three outputs, and Ana's review
    assert lines_of(store_address) == lines
    assert import_lines(store, open_lines(path)) == (0, 4, 0, beside)
    with closing(evenhand.open_store(filled)) as source, closing(evenhand.open_store(str(tmp_path / "b.db"))) as copy:
        copy.create()
        assert import_records(copy, source.evaluations(), source.kept_rows()) == (4, 0, beside, 0)
    assert lines_of(str(tmp_path / "b.db")) == lines


def test_a_review_goes_on_in_the_copy(filled, store, tmp_path):
    """Bo's draft is there with its version, Ana cannot decide twice, and Bo can decide."""
    import_lines(store, open_lines(written(tmp_path, lines_of(filled))))
    [round] = store.review_rounds()
    draft = store.review_draft(round.id, 1, "bo")
    assert (draft.version, json.loads(draft.content)) == (2, {"why.safety": "word 1"})
    task = open_task(store, round.id, 1)
    decide(store, task, "bo", SCORES, draft.version, ENTRY)
    assert [decision.person for decision in store.decisions(round.id, 1)] == ["ana", "bo"]


def test_a_draft_does_not_come_back_after_its_decision(filled, store, tmp_path):
    """Bo has decided here since; and a decision that is imported ends the drafts here."""
    path = written(tmp_path, lines_of(filled))
    import_lines(store, open_lines(path))
    [round] = store.review_rounds()
    decide(store, open_task(store, round.id, 1), "bo", SCORES, 2, ENTRY)
    import_lines(store, open_lines(path))
    assert store.review_draft(round.id, 1, "bo").version == 0
    save_draft(store, open_task(store, round.id, 2), "cy", SCORES, 0, ENTRY)
    decision = {"round": round.id, "place": 2, "person": "cy", "decided": "", "evaluation": "e0"}
    with store.transaction():
        assert store.add_kept_row("reviews", decision)
    assert store.review_draft(round.id, 2, "cy").version == 0


def changed(lines: list[str], table: str, **values: object) -> list[str]:
    """An export in which the first row of a table has other values, and every hash was made to fit."""
    documents = [json.loads(line) for line in lines]
    row = next(document for document in documents if document.get("table") == table)["row"]
    row.update(values)
    rows = [(document["table"], document["row"]) for document in documents if "table" in document]
    return list(exported([], rows))


@pytest.mark.parametrize(
    ("table", "values", "message"),
    [
        ("review_rounds", {"seed": "a\0b"}, "seed of a row of review_rounds .*NUL"),
        ("review_rounds", {"size": 2**31}, "size of a row of review_rounds must be a whole number"),
        ("review_rounds", {"size": True}, "size of a row of review_rounds must be a whole number"),
        ("review_rounds", {"person": None}, "person of a row of review_rounds must be text"),
        ("review_rounds", {"more": 1}, "a row of review_rounds has exactly these columns: id, created"),
        ("review_rubrics", {"document": "{}"}, "was changed: sha256 is not the hash of document"),
        ("review_drafts", {"content": "[1"}, "content of a row of review_drafts must be an object as JSON"),
        ("review_items", {"round": "other"}, 'belongs to "other", which review_rounds lacks'),
        ("suite_runs", {"document": "{}"}, "document of a row of suite_runs: "),
        ("suite_results", {"document": "{}"}, "document of a row of suite_results: "),
        ("suite_baselines", {"run": "other"}, 'belongs to "other", which suite_runs lacks'),
        ("judge_cards", {"document": "{}"}, "document of a row of judge_cards: "),
        ("anchors", {"rubric": "{}"}, "was changed: rubric_sha256 is not the hash of rubric"),
    ],
)
def test_a_row_that_no_store_of_ours_wrote_is_refused_and_nothing_is_added(
    filled, copy, tmp_path, table, values, message
):
    """Whoever changed it also made the hashes of the export fit."""
    path = written(tmp_path, changed(lines_of(filled), table, **values))
    with pytest.raises(InputError, match=message):
        import_lines(copy, open_lines(path))
    assert list(copy.kept_rows()) == []


@pytest.mark.parametrize("what", ["a changed row", "a missing row", "two rows in another order", "a missing last line"])
def test_an_export_that_was_changed_is_refused(filled, copy, tmp_path, what):
    """Every row has a hash, and the last line has one over all."""
    lines = lines_of(filled)
    if what == "a changed row":
        lines = [line.replace('"method":"sample"', '"method":"doubt"') for line in lines]
    elif what == "a missing row":
        del lines[-2]
    elif what == "two rows in another order":
        lines[-2], lines[-3] = lines[-3], lines[-2]
    else:
        del lines[-1]
    with pytest.raises(InputError, match=r"was changed|incomplete"):
        import_lines(copy, open_lines(written(tmp_path, lines)))
    assert list(copy.kept_rows()) == []


def test_a_row_that_differs_from_the_one_in_the_store_is_refused(filled, store, tmp_path):
    """Nothing is overwritten: a label is given once."""
    lines = lines_of(filled)
    import_lines(store, open_lines(written(tmp_path, lines)))
    rows = changed(lines, "labels", value="9")
    with pytest.raises(DocumentError, match="has a different row of labels with the key id, e0, human:cy, final"):
        import_lines(store, open_lines(written(tmp_path, rows)))


def test_a_changed_transcript_is_not_shown_to_reviewers(filled, store, tmp_path):
    """Its hash is on the scorecard; a text that was kept with a round must have it."""
    import_lines(store, open_lines(written(tmp_path, lines_of(filled))))
    [round] = store.review_rounds()
    digest = open_task(store, round.id, 1).record.document["receipt"]["submission"]
    kept = {"output": "another", "task": None, "source": "", "reference": None, "events": [], "images": []}
    with store.transaction():
        store._write(
            "UPDATE evaluations SET submission = NULL WHERE id = ?", [(store.review_items(round.id)[0].evaluation,)]
        )
        store._write("INSERT INTO review_texts VALUES (?, ?)", [(digest, json.dumps(kept))])
    with pytest.raises(LookupError, match="no longer in the store"):
        open_task(store, round.id, 1)


def test_only_tables_that_are_copied_are_written_to():
    """A file cannot name the log, the secret or a table of another program."""
    for name in ("web_log", "secret", "evaluations", "sqlite_master", None):
        with pytest.raises(DocumentError, match='"table" must be one of labels, '):
            check_row(name, {})


def test_half_of_a_surrogate_pair_is_refused():
    """JSON can hold one; no database and no hash can."""
    row = {"judge": "\ud800", "created": "", "sha256": ""}
    with pytest.raises(DocumentError, match="judge of a row of judge_calibrations holds half of a surrogate pair"):
        check_row("judge_calibrations", row)


@pytest.mark.slow
def test_the_commands_say_what_they_copied(filled, tmp_path, evenhand_command):
    """In words, and for a program."""
    assert evenhand_command("store", "export", "all.jsonl", "--store", filled).code == 0
    done = evenhand_command("store", "import", "all.jsonl", "--store", "copy.db")
    assert done.out.startswith("4 added, 0 were there already; beside evaluations "), done.err
    done = evenhand_command("store", "import", filled, "--store", "copy.db", "--format", "jsonl")
    assert json.loads(done.out)["rows_known"] == len(lines_of(filled)) - 5  # four evaluations and the last line
    assert sha256(Path(tmp_path, "all.jsonl").read_text(encoding="utf-8")) == sha256("".join(lines_of(filled)))
