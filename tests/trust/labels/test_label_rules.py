"""Single rules of reading labels: words, doubts, lists, patterns and what is refused for one letter."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from conftest import seven

import evenhand
from evenhand import InputError
from evenhand.core.receipt import canonical_rubric, canonical_text, sha256, terms_of
from evenhand.errors import StoreUnavailable
from evenhand.files.tables import Row, Table
from evenhand.judging.kept.rubric_texts import known_whole, rubric_differences, rubric_of_card, whole_rubric
from evenhand.stats.agreement.ratings import ANONYMOUS
from evenhand.store.figures.newest import newest_records
from evenhand.store.stored_cards import card_of, submission_of
from evenhand.store.tables.anchors import Anchor
from evenhand.store.tables.filter import Filter
from evenhand.trust.labels.label_export import exported_labels, is_exported, label_document
from evenhand.trust.labels.label_import import import_labels, joined, new_ones, shared_elsewhere, short_text
from evenhand.trust.labels.label_matches import Index, labelled_items
from evenhand.trust.labels.rating import entries_of, list_in, number_lists
from evenhand.trust.labels.rating_columns import FIELDS, mapping
from evenhand.trust.labels.rating_tables import read_ratings
from evenhand.trust.labels.table_layout import Layout, Options, layout_of, roles_from
from evenhand.work.label import Label
from evenhand.work.submission import Submission


def table(*lines: str) -> Table:
    """A table from lines with cells between bars; empty ones are missing."""
    head, *rows = [line.split("|") for line in lines]
    made = [Row(n, {name: cell or None for name, cell in zip(head, row, strict=True)}) for n, row in enumerate(rows, 2)]
    return Table("t.csv", tuple(head), tuple(made))


def layout(*lines: str, **options: Any) -> Layout:
    return layout_of(table(*lines), Options(**options))


def refused(*lines: str, **options: Any) -> str:
    with pytest.raises(InputError) as error:
        layout(*lines, **options)
    return str(error.value)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Any]:
    opened = evenhand.open_store(str(tmp_path / "s.db"))
    opened.create()
    yield opened
    opened.close()


# --- columns


@pytest.mark.parametrize("word", ["rating", "ratings", "scores", "label", "labels", "votes", "categorys", "judgments"])
def test_words_for_values_are_known_in_the_plural_too(word: str) -> None:
    assert FIELDS[word] == "rating" and "rating" not in (FIELDS["safety"], FIELDS["passed"])
    assert "safetys" not in FIELDS and FIELDS["passed"] == "pass"


GRID = ("item|clarity_ana|clarity_bob|style_ana|style_bob", "1|1|2|3|1", "2|2|2|1|1", "3|1|3|2|2")


@pytest.mark.parametrize(
    ("lines", "pattern"),
    [
        (GRID, "{field}_{rater}"),
        (tuple(line.replace("_", ".") for line in GRID), "{field}.{rater}"),
        (("item|rater1-x|rater1-y|rater2-x|rater2-y", *GRID[1:]), "{rater}-{field}"),
        (("item|a_b_x|a_b_y|c_d_x|c_d_y", *GRID[1:]), "{field}_{rater}"),
    ],
)
def test_columns_of_two_parts_are_several_fields_by_several_raters(lines: tuple[str, ...], pattern: str) -> None:
    assert f"use `roles` '{pattern}'" in refused(*lines)


@pytest.mark.parametrize(
    "head",
    ["item|a_x|a_y|a_z|a_v", "item|a_x|b_x|c_x|d_x", "item|a_x|a_y|b_x|c_y", "item|_x|_y|a_x|a_y", "item|p|q|r|s"],
)
def test_columns_that_make_no_whole_grid_are_raters(head: str) -> None:
    """One field by four raters, four by one, or a name without one of its parts."""
    assert layout(head, *GRID[1:]).shape == "items in rows, raters in columns"


@pytest.mark.parametrize(
    ("rows", "is_doubtful"),
    [
        (("1|0|2|1", "2|1|1|1", "3|3|0|0", "4|1|2|0"), True),
        (("1|0|2|1", "2|1|1|1", "3|3|0|0"), False),
        (("1|1|1|1", "2|1|1|1", "3|1|1|1", "4|1|1|1"), False),
        (("1|0|1|0", "2|1|0|0", "3|0|0|1", "4|1|0|0"), False),
        (("1|0|2|1", "2|1|1|1", "3|3|0|0", "4|1|2|1"), False),
        (("1|0|2|1", "2|1|1|1", "3|3|0|", "4|1|2|0"), False),
    ],
)
def test_rows_that_all_add_up_to_the_same_may_be_counts(rows: tuple[str, ...], is_doubtful: bool) -> None:
    """Four rows at least, a zero among them, and more than one rater."""
    lines = ("item|x|y|z", *rows)
    if is_doubtful:
        assert "every row adds up to 3: cells may count the raters" in refused(*lines)
    else:
        assert layout(*lines).shape == "items in rows, raters in columns"


def test_a_mapping_is_shown_as_it_is_typed() -> None:
    assert mapping("score", "final") == "`roles` score=final"
    assert mapping("my score", "final") == "`roles` 'my score=final'"


def test_remarks_among_numbers_and_groups_among_words_are_not_raters() -> None:
    assert '"note" holds words where other raters gave numbers' in refused("item|a|b|note", "1|1|2|good", "2|2|2|bad")
    assert '"team" has no value in common with the other raters' in refused(
        "item|a|b|team", "1|yes|no|red", "2|no|no|blue", "3|yes|yes|red"
    )
    shared = layout("item|a|b|c", "1|yes|no|YES", "2|no|no|no", "3|yes|yes|no")
    assert len(shared.values) == 3
    assert len(layout("item|a|b", "1|yes|red", "2|no|blue").values) == 2  # two alone cannot tell which is odd


# --- lists


@pytest.mark.parametrize(
    ("text", "entries"),
    [("[1, 2]", [1, 2]), ("  [1]", [1]), ("[]", []), ("[1", None), ("1", None), ("{}", None), (None, None)],
)
def test_a_list_is_whole_or_none(text: str | None, entries: list[int] | None) -> None:
    assert list_in(text) == entries


def test_the_values_of_a_list_may_be_missing() -> None:
    made = table("item|v", "1|[1, null, 2]", "2|[3]")
    assert entries_of(made, "[1, null, 2]") == ["1", None, "2"]
    assert entries_of(made, " 7 ") == ["7"]
    assert number_lists(made, ["v"]) == ["v"]
    assert number_lists(table("item|v", "1|[1]", "2|3"), ["v"]) == []
    assert number_lists(table("item|v", '1|["a"]'), ["v"]) == []
    assert number_lists(table("item|v", "1|[]"), ["v"]) == []
    assert number_lists(table("item|v", "1|", "2|[1]"), ["v"]) == ["v"]
    assert number_lists(table("item|v", "1|"), ["v"]) == []


# --- files


def test_ways_of_reading_go_to_the_file_or_to_the_table(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("a;b\n1,5;2\n")
    read, options = read_ratings(
        str(path), {"separator": ";", "decimal_comma": True, "rows": True, "by_place": True}, roles={"a": "item"},
        rater="ana", field="safety", kind="text",
    )  # fmt: skip
    assert read.rows[0].cells == {"a": "1.5", "b": "2"}
    assert (options.roles, options.rater, options.field, options.kind, options.rows, options.unnamed) == (
        {"a": "item"}, "ana", "safety", "text", True, "rater",
    )  # fmt: skip
    assert read_ratings(str(path), {"anonymous": True}, roles={})[1].unnamed == ANONYMOUS
    with pytest.raises(InputError, match="`by_place` says whose each value is, `anonymous` that this is not known"):
        read_ratings(str(path), {"by_place": True, "anonymous": True}, roles={})


# --- labels


def label(item: str = "1", value: str = "7", **more: Any) -> Label:
    fields = {
        "kind": "id", "item": item, "rater": "human:ana", "field": "final", "value": value, "scale": "1-10",
        "written": value, "rule": None, "source": "t.csv:2", "imported": 5,
    }  # fmt: skip
    return Label(**{**fields, **more})


@pytest.mark.parametrize("line", ["a\0|ana|7", "a|an\0a|7", "a|ana|7\0"])
def test_a_nul_anywhere_in_a_label_is_a_problem_with_its_line(line: str) -> None:
    done = import_labels(None, table("item|rater|final", line), Options())
    (problem,) = done.problems
    assert "a value" in problem.message and problem.line == 2 and done.labels == ()


def test_new_labels_are_told_from_those_that_are_there(store: Any) -> None:
    with store.transaction():
        store.add_labels([label(), label("2", "8", source="other.csv:9")])
    new, known, problems, there = new_ones([label(), label("2", "9", source="t.csv:4"), label("3")], store)
    assert (new, known, len(there)) == ([label("3")], 1, 2)
    (problem,) = problems
    assert (problem.source, problem.line) == ("t.csv", 4)
    assert problem.message.startswith(
        'conflict: final by human:ana of "2" is 9 here and 8 in the store (from other.csv:9)'
    )


def test_items_with_labels_from_another_file_are_pointed_out_once_each() -> None:
    index = Index([])
    labels = [label("1"), label("2"), label("2", rater="human:bob")]
    others = [label("2", source="b.csv:1"), label("1", source="a.csv:7"), label("1", field="safety", source="c.csv:1")]
    (note,) = shared_elsewhere(labels, others, "t.csv", index)
    assert note.startswith("2 items have labels from a.csv, b.csv too and are taken as the same items")
    assert shared_elsewhere(labels, [label("1", source="t.csv:9")], "t.csv", index) == []
    assert shared_elsewhere([label("1")], [label("1", kind="text", source="a.csv:1")], "t.csv", index) == []


def test_an_item_is_joined_kept_or_in_conflict(store: Any) -> None:
    evenhand.score({"scores": seven(8)}, output="Some words.", id="case 1", store=store)
    index = Index(store.evaluations())
    text = sha256("Some  words.")
    labels = [label("case 1"), label("case  1"), label("case 2"), label(text, kind="text")]
    written = {"case 1": "case 1", "case  1": "case  1", "case 2": "case 2", text: "Some  words."}
    lines = {name: place for place, name in enumerate(written, start=2)}
    kept, conflicts, unmatched = joined(labels, written, lines, index, "t.csv")
    assert [entry.item for entry in kept] == ["case 1", "case 2"]
    assert [(entry.message, entry.line) for entry in conflicts] == [
        (
            'conflict: "case  1" differs from the id "case 1" in white space only; make them the same, or join them '
            "with `fold_ids`=true",
            3,
        ),
        (
            'conflict: "Some  words." differs from the output of an evaluation in white space only; make them the same',
            5,
        ),
    ]
    assert [(entry.message, entry.line) for entry in unmatched] == [('no evaluation has the id "case 2"', 4)]


@pytest.mark.parametrize(
    ("text", "short"),
    [("x" * 40, "x" * 40), ("x" * 41, "x" * 37 + "..."), ("a\nb", "a\\nb")],
)
def test_a_text_is_shown_on_one_line_of_forty_letters(text: str, short: str) -> None:
    assert short_text(text) == f'"{short}"'


def written_out(row: Label) -> dict[str, str | None]:
    return {name: None if value is None else str(value) for name, value in label_document(row).items()}


def test_labels_are_exported_and_read_back() -> None:
    rows = [label(), label("2", "8.5", rule="1-5 linear")]
    cells = [
        {name: None if value is None else str(value) for name, value in label_document(row).items()} for row in rows
    ]
    made = Table("e.jsonl", tuple(cells[0]), tuple(Row(n, row) for n, row in enumerate(cells, 1)))
    assert is_exported(made) and exported_labels(made) == rows
    other = made._replace(rows=(*made.rows, Row(3, {**cells[0], "schema": "x"})))
    assert not is_exported(other)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"item": None}, "has no item"),
        ({"imported": "x"}, "invalid literal"),
        ({"kind": "other"}, "its kind must be submission, id, text or file, and its rater human:NAME or judge:NAME"),
        ({"rater": "ana"}, "its kind must be submission, id, text or file, and its rater human:NAME or judge:NAME"),
        ({"value": "7.0"}, "7.0 is not written as the scale 1-10 has it"),
        ({"value": "11"}, "11 is outside the scale 1-10"),
    ],
)
def test_rejects_what_is_not_an_exported_label_with_its_line(change: dict[str, str | None], message: str) -> None:
    cells = written_out(label()) | change
    with pytest.raises(InputError, match="is not an exported label: ") as error:
        exported_labels(Table("e.jsonl", tuple(cells), (Row(4, cells),)))
    assert message in str(error.value) and str(error.value).startswith("e.jsonl:4: ")


def test_items_are_those_judged_first_and_of_a_skill_only_those(store: Any) -> None:
    evenhand.score({"scores": seven(8), "skill": "s"}, output="x", id="a", store=store)
    evenhand.score({"scores": seven(7), "skill": "s", "judge": "human:eve"}, output="x", id="b", store=store)
    with store.transaction():
        store.add_labels([label("a"), label("zz")])
    first, second = labelled_items(store)
    assert [record.id for record in first.evaluations] == ["a", "b"] and [record.id for record in first.by_judges] == [
        "a"
    ]
    assert (second.item, second.evaluations, len(second.labels)) == ("id:zz", (), 1)
    assert len(labelled_items(store, skill="s")) == 1 and labelled_items(store, skill="t") == []


def test_a_role_that_names_a_value_and_a_rater_has_both() -> None:
    made = layout("case|x|y", "1|2|3", "2|3|4", roles=roles_from(["x=ana:final", "y=safety"]), rater="bob")
    assert made.values == (("x", "ana", "final"), ("y", "", "safety"))


# --- evaluations


def test_a_stored_evaluation_that_was_damaged_is_named_with_its_first_fault(store: Any) -> None:
    evenhand.score({"scores": seven(8)}, output="x", id="a", store=store)
    record = store.find("a", None)
    with pytest.raises(StoreUnavailable, match="the stored scorecard a is damaged: "):
        card_of(record._replace(scorecard='{"schema": "evenhand/scorecard/v1"}'))
    for damage in ("[]", "{", '{"output": "x"}', '"x"'):
        with pytest.raises(StoreUnavailable, match="its text cannot be read"):
            submission_of(record._replace(submission=damage))
    assert submission_of(record) == Submission(output="x")
    assert submission_of(record._replace(submission=None)) is None


def test_a_rubric_is_found_in_the_store_or_here_and_never_a_changed_one(store: Any) -> None:
    rubric = evenhand.load_rubric("devops")
    digest = known_whole(rubric).sha256
    assert terms_of(whole_rubric(store, "devops", digest) or rubric._replace(title="")).sha256 == digest
    assert whole_rubric(store, "devops", "0" * 64) is None and whole_rubric(store, "nowhere", digest) is None
    card = evenhand.score({"scores": seven(8)}, rubric="devops")
    assert rubric_of_card(card) == rubric_of_card(card, store) == rubric
    text = canonical_text(canonical_rubric(rubric._replace(title="Kept")))
    kept = card._replace(rubric="gone", receipt=replace(card.receipt, rubric=sha256(text)))
    assert rubric_of_card(kept) is None and rubric_of_card(kept, store) is None
    with store.transaction():
        store.add_anchors([Anchor("set", "s", sha256(text), "n", "2026", "{}", text)])
    found = rubric_of_card(kept, store)
    assert rubric_of_card(kept) is None and found is not None and found.title == "Kept"


def test_versions_differ_in_the_order_of_a_rubric_file() -> None:
    rubric = evenhand.load_rubric("devops")
    after = rubric._replace(
        title="",
        summary="New.",
        red_flags=rubric.red_flags[1:],
        bonuses=(*rubric.bonuses[:-1], rubric.bonuses[-1]._replace(description="Other")),
    )
    differences = rubric_differences(rubric, after)
    assert [difference.what for difference in differences] == [
        "title", "introduction", f"red flag {rubric.red_flags[0].id}", f"description of bonus {rubric.bonuses[-1].id}",
    ]  # fmt: skip
    assert (differences[0].before, differences[0].after) == (rubric.title, "empty")
    assert (differences[2].before, differences[2].after) == (rubric.red_flags[0].description, "not there")
    assert rubric_differences(after, rubric)[2].before == "not there"


@pytest.mark.parametrize(
    ("most", "found"), [(0, []), (1, ["c4"]), (3, ["c4", "c3", "c2"]), (9, ["c4", "c3", "c2", "c1", "c0"])]
)
def test_the_newest_evaluations_come_a_few_at_a_time(
    store: Any, monkeypatch: pytest.MonkeyPatch, most: int, found: list[str]
) -> None:
    monkeypatch.setattr("evenhand.store.figures.newest.AT_ONCE", 2)
    for number in range(5):
        evenhand.score({"scores": seven(8), "skill": "s"}, id=f"c{number}", store=store)
    assert [record.id for record in newest_records(store, Filter(), most=most)] == found
    if most == 3:
        key = store.listing(Filter(), limit=2).next
        assert [record.id for record in newest_records(store, Filter(), most=2, before=key)] == ["c2", "c1"]
