"""People and judges of a store on the same items: what each of them gave, and what follows from it."""

from __future__ import annotations

from pathlib import Path

import pytest
from conftest import seven

import evenhand
from evenhand import DIMENSIONS, InputError
from evenhand.judging.keeper import keep_one
from evenhand.judging.steps import Steps
from panels import panel_of


@pytest.fixture
def store(tmp_path: Path):
    """An empty store in a file."""
    opened = evenhand.open_store(str(tmp_path / "s.db"))
    yield opened
    opened.close()


def judge(store, item: int, judge: str = "model:a", score: object = 7, **more) -> None:
    """Somebody's evaluation of one of the numbered outputs, with the id JUDGE-NUMBER."""
    scores = score if isinstance(score, dict) else seven(score)
    judgement = {"skill": more.pop("skill", "s"), "judge": judge, "scores": scores}
    evenhand.score(judgement, output=f"output {item}", id=more.pop("id", f"{judge}-{item}"), store=store, **more)


def label(store, tmp_path: Path, text: str, **more) -> None:
    """Labels from the lines of a table."""
    path = tmp_path / f"labels{len(list(tmp_path.iterdir()))}.csv"
    path.write_text("\n".join(line.strip() for line in text.strip().splitlines()) + "\n")
    done = evenhand.trust.import_labels(store, path, **more)
    assert done.problems == ()


def agreed(store, **more):
    """The report, and its comparisons by field, who is compared, and the judge."""
    report = evenhand.trust.agree(store, resamples=20, **more)
    return report, {(entry.field, entry.between, entry.judge): entry for entry in report.comparisons}


def bias(store, field: str, name: str = "model:a") -> float:
    """How much higher a judge's values are than people's."""
    found = agreed(store, fields=[field])[1]
    return found[field, "judge and people", name].coefficient("bias").value


def test_people_judges_and_both_are_compared_on_the_items_that_they_share(store, tmp_path):
    """Labels that name two evaluations of one output meet on it; a judge gives a point too much."""
    for item, level in enumerate((3, 6, 9)):
        judge(store, item, "model:a", min(10, level + 1))
        judge(store, item, "model:b", level)
    label(
        store,
        tmp_path,
        """item,rater,safety
        model:a-0,ana,3
        model:a-1,ana,6
        model:b-1,bob,6
        model:b-2,bob,9
        """,
    )
    report, found = agreed(store)
    people, first, second = (
        found["safety", "people", None],
        found["safety", "judge and people", "model:a"],
        found["safety", "judge and people", "model:b"],
    )
    assert (people.raters, people.coefficient("exact").value) == (("human:ana", "human:bob"), 1)
    assert first.coefficient("bias").value == pytest.approx(1)
    assert second.coefficient("bias").value == pytest.approx(0)
    assert (first.items, first.values, first.raters) == (3, 8, ("human:ana", "human:bob"))
    assert found["safety", "judges", None].coefficient("bias").value == pytest.approx(1)
    assert report.source == store.url


def test_fields_are_in_the_order_of_a_scorecard_and_others_come_last(store, tmp_path):
    """Dimensions, the final score, the grade, the pass; then what only people gave, by name."""
    judge(store, 0)
    judge(store, 1)
    label(store, tmp_path, "item,rater,rating\nmodel:a-0,ana,1\nmodel:a-0,bob,2", scale="1-5", field="zeal")
    label(store, tmp_path, "item,rater,rating\nmodel:a-0,ana,1\nmodel:a-0,bob,2", scale="1-5", field="brevity")
    columns = ",".join((*DIMENSIONS, "final", "grade", "pass"))
    label(store, tmp_path, f"item,rater,{columns}\nmodel:a-1,ana,{'7,' * 7}7,B,yes")
    fields = [entry.field for entry in agreed(store)[0].comparisons if entry.between in ("judge and people", "raters")]
    assert fields == [*DIMENSIONS, "final", "grade", "pass", "brevity", "zeal"]


def test_a_final_score_follows_from_seven_scores_by_the_weights_of_the_rubric(store, tmp_path):
    """Default weights: correctness 0.25; 10 there and 6 elsewhere make 6 + 4 * 0.25 = 7.00, as for the judge."""
    weights = evenhand.load_rubric("default").weights
    expected = 6 + 4 * weights["correctness"]
    judge(store, 0, score=seven(6) | {"correctness": 10})
    judge(store, 1, score=6)
    label(store, tmp_path, f"item,rater,{','.join(DIMENSIONS)}\nmodel:a-0,ana,10{',6' * 6}\nmodel:a-1,ana{',6' * 7}")
    assert bias(store, "final") == pytest.approx(0)
    found = agreed(store)[1]
    assert found["grade", "judge and people", "model:a"].coefficient("exact").value == 1
    assert found["pass", "judge and people", "model:a"].coefficient("exact").value == 1
    assert [record.final for record in store.evaluations()] == [int(expected * 100), 600]


def test_six_scores_make_no_final_score(store, tmp_path):
    """Every dimension has a weight."""
    judge(store, 0)
    label(store, tmp_path, f"item,rater,{','.join(DIMENSIONS[:6])}\nmodel:a-0,ana{',7' * 6}")
    fields = {entry.field for entry in agreed(store)[0].comparisons}
    assert fields == set(DIMENSIONS[:6])


def test_a_final_score_that_a_person_gave_is_not_computed_again(store, tmp_path):
    """Flags and bonuses may have moved it away from the seven."""
    judge(store, 0, score=6)
    judge(store, 1, score=6)
    columns = ",".join((*DIMENSIONS, "final"))
    label(store, tmp_path, f"item,rater,{columns}\nmodel:a-0,ana{',6' * 7},5\nmodel:a-1,ana{',6' * 7},5")
    assert bias(store, "final") == pytest.approx(1)


@pytest.mark.parametrize(
    ("final", "grade", "passed"),
    [("7", "B-", "pass"), ("6.99", "C+", "fail"), ("9.5", "A+", "pass"), ("1", "F", "fail")],
)
def test_grade_and_pass_follow_from_a_final_score(store, tmp_path, final, grade, passed):
    """At the edges: 7 is B- and passes the default rubric, 6.99 is C+ and does not."""
    judge(store, 0, score=7)
    judge(store, 1, score=7)
    label(store, tmp_path, f"item,rater,final\nmodel:a-0,ana,{final}\nmodel:a-1,ana,{final}")
    label(store, tmp_path, f"item,rater,grade,pass\nmodel:a-0,bob,{grade},{passed}\nmodel:a-1,bob,{grade},{passed}")
    found = agreed(store)[1]
    assert found["grade", "people", None].coefficient("exact").value == 1
    assert found["pass", "people", None].coefficient("exact").value == 1


def test_a_grade_that_a_person_gave_counts_before_the_one_that_follows(store, tmp_path):
    """And so does a pass."""
    judge(store, 0, score=7)
    judge(store, 1, score=7)
    label(store, tmp_path, "item,rater,final,grade,pass\nmodel:a-0,ana,7,F,fail\nmodel:a-1,ana,7,F,fail")
    found = agreed(store)[1]
    assert found["grade", "judge and people", "model:a"].coefficient("exact").value == 0
    assert found["pass", "judge and people", "model:a"].coefficient("exact").value == 0


def test_a_person_s_evaluation_counts_like_labels_and_labels_come_first(store, tmp_path):
    """Where the same person did both, what the label says holds; other fields come from the evaluation."""
    for item in (0, 1):
        judge(store, item, "model:a", 8)
        judge(store, item, "human:ana", 6)
    label(store, tmp_path, "item,rater,safety\nmodel:a-0,ana,8\nmodel:a-1,ana,8")
    assert bias(store, "safety") == pytest.approx(0)
    assert bias(store, "correctness") == pytest.approx(2)


def test_of_a_judge_s_evaluations_of_one_item_the_newest_counts(store, tmp_path):
    """The earlier one is noted."""
    for item in (0, 1):
        judge(store, item, score=9)
    judge(store, 0, score=7, id="again")
    label(store, tmp_path, "item,rater,safety\nmodel:a-0,ana,7\nmodel:a-1,ana,9")
    assert bias(store, "safety") == pytest.approx(0)
    notes = agreed(store)[0].notes
    assert notes == ("1 earlier evaluations of the same item by the same judge are left out",)


def test_the_members_of_a_panel_are_judges_too(store, tmp_path):
    """Each with its own scores, and without those that it did not give; who also judged alone counts as it did then."""
    for item in (0, 1):
        judge(store, item, "b", 9)
        panel = panel_of(7, 5, seven(8) | {"safety": "no answer"})
        made = Steps("default").evaluate_written(panel, output=f"output {item}", id=f"panel-{item}")
        keep_one(store, made)
    label(
        store, tmp_path, "item,rater,safety,format\npanel-0,ana,6,6\npanel-1,ana,6,6".replace("format", DIMENSIONS[0])
    )
    assert [bias(store, "safety", name) for name in ("a", "b")] == [pytest.approx(1), pytest.approx(3)]
    assert bias(store, DIMENSIONS[0], "c") == pytest.approx(2)
    assert ("safety", "judge and people", "c") not in agreed(store, fields=["safety"])[1]


def test_two_values_of_one_person_for_one_item_count_as_none(store, tmp_path):
    """By the id of one evaluation and by that of another, say."""
    for item in (0, 1):
        judge(store, item, "model:a", 7)
        judge(store, item, "model:b", 7)
    label(store, tmp_path, "item,rater,safety\nmodel:a-0,ana,7\nmodel:b-0,ana,3\nmodel:a-1,ana,7\nmodel:b-1,ana,7")
    report, found = agreed(store, fields=["safety"])
    assert found["safety", "judge and people", "model:a"].items == 1
    assert "1 values are left out: the same person gave the item another one too" in report.notes


def test_what_is_only_judged_or_only_labelled_is_noted(store, tmp_path):
    """Two items of three outputs have a label, and one label is of an item that nobody judged."""
    for item in (0, 1, 2):
        judge(store, item)
    label(store, tmp_path, "item,rater,safety\nmodel:a-0,ana,7\nmodel:a-1,ana,8\nelsewhere,ana,9")
    assert agreed(store)[0].notes == (
        "1 item has labels and no evaluation by a judge",
        "1 item was judged and has no label",
    )


def test_a_field_on_two_scales_is_left_out_and_noted(store, tmp_path):
    """A 3 of 5 is not a 3 of 10."""
    judge(store, 0)
    judge(store, 1)
    label(store, tmp_path, "item,rater,rating\nmodel:a-0,ana,1\nmodel:a-0,bob,2", scale="1-5", field="tone")
    label(store, tmp_path, "item,rater,rating\nmodel:a-1,ana,1\nmodel:a-1,bob,2", scale="1-7", field="tone")
    label(store, tmp_path, "item,rater,safety\nmodel:a-0,ana,7")
    report, found = agreed(store)
    assert "tone" not in {field for field, _, _ in found}
    assert "tone has labels on several scales (1-5, 1-7) and is left out" in report.notes


def test_only_a_skill_a_field_or_a_judge_is_looked_at_if_one_is_named(store, tmp_path):
    """Judges that are not named are not among the judges either."""
    for item in (0, 1):
        judge(store, item, "model:a", 8)
        judge(store, item, "model:b", 8)
        judge(store, item + 10, "model:a", 4, skill="other")
    label(store, tmp_path, "item,rater,safety,final\nmodel:a-0,ana,7,7\nmodel:a-10,ana,4,4\nmodel:a-11,ana,4,4")
    assert set(agreed(store, skill="other", fields=["safety"])[1]) == {("safety", "judge and people", "model:a")}
    assert set(agreed(store, judges=["model:b"], fields=["final"])[1]) == {("final", "judge and people", "model:b")}
    assert {field for field, _, _ in agreed(store, fields=["final", "safety"])[1]} == {"final", "safety"}


def test_what_cannot_be_compared_is_an_error_with_what_there_is(store, tmp_path):
    """A judge or a field that is not there, or no labels at all."""
    judge(store, 0)
    with pytest.raises(
        InputError, match="has no labels; add people's judgements with: evenhand trust labels import FILE"
    ):
        evenhand.trust.agree(store, fields=["safety"])
    judge(store, 1, "model:b")
    with pytest.raises(InputError, match=r'no judge "model:c" in .*; judges: model:a, model:b$'):
        evenhand.trust.agree(store, judges=["model:z", "model:c"])
    label(store, tmp_path, "item,rater,safety\nelsewhere,ana,7")
    with pytest.raises(InputError, match=r'has no values of "tone"; fields: .*final, .*grade.*, safety'):
        evenhand.trust.agree(store, fields=["tone"])


def test_one_rater_alone_is_compared_with_nobody(store, tmp_path):
    """A store whose only rater is a person."""
    label(store, tmp_path, "item,rater,safety\nelsewhere,ana,7")
    with pytest.raises(InputError, match=r"no two raters in .* have values of the same items; import more labels, or"):
        evenhand.trust.agree(store)
    with pytest.raises(InputError, match=r'no judge "x" in .*; judges: none'):
        evenhand.trust.agree(store, judges=["x"])
