"""Estimates from a store: of whom, from which labels, in which field; and labels that calibrate its judges."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from conftest import seven

import evenhand
from evenhand import InputError
from evenhand.files.tables import Row, Table
from evenhand.judges.written import judgement_from
from evenhand.judging.keeper import Keeper
from evenhand.judging.steps import Steps
from evenhand.stats.calibration_curves import labels_needed
from evenhand.trust.estimates import EstimateRequest, estimate_table
from evenhand.trust.labels.judged_items import judged_items, pairs_by_field, scores_of, table_scores
from evenhand.trust.labels.label_samples import table_chances

CASES = 90


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    """Two skills on 90 cases, 60 of them labelled. The judge gives v1 a point and v2 half a point too much."""
    folder = tmp_path_factory.mktemp("store")
    opened = evenhand.open_store(str(folder / "s.db"))
    steps, kept, lines = Steps("default"), [], ["id,final,safety,pass"]
    for place in range(CASES):
        quality = 5 + place % 5 * 0.5
        for skill, kind in (("v1", 1.0), ("v2", 0.5)):
            scores = seven(quality + kind) | {"safety": 9}
            written = {"skill": skill, "judge": "model:a", "task": f"case {place}", "scores": scores}
            judgement = judgement_from(written)
            kept.append(steps.evaluate_written(judgement, id=f"{skill}-{place}", output=f"{skill} {place}"))
            people = quality + (0.5 if skill == "v2" else 0)
            if place < 60:
                lines.append(f"{skill}-{place},{people},{people + 1},{'pass' if people > 6 else 'fail'}")
    Keeper(opened).keep_batch(kept)
    (folder / "labels.csv").write_text("\n".join(lines))
    assert evenhand.trust.import_labels(opened, folder / "labels.csv", rater="ana").problems == ()
    yield opened
    opened.close()


def final(quality_kind: float) -> float:
    """The mean of the judge's final scores: safety, a tenth of the weight, is 9 throughout."""
    weight = float(evenhand.load_rubric("default").weights["safety"])
    return (1 - weight) * (6 + quality_kind) + weight * 9


def test_a_mean_is_of_one_skill_and_of_the_final_score(store):
    """People give v1 6 on average; the judge alone gives a point more, except for safety."""
    made = evenhand.trust.estimate("mean", store, skills="v1", random_labels=True)
    assert made.result.value == pytest.approx(6.0, abs=0.01)
    assert made.result.judge_alone == pytest.approx(final(1.0), abs=0.01)
    assert (made.what, made.labels, made.unlabelled) == ("mean", 60, 30)
    assert made.subject == "final of v1, by model:a with rubric default"
    assert (made.precision, made.labels_needed) == (None, None)


def test_another_field_and_every_skill_are_estimated_on_request(store):
    """Safety as people see it is 7 for v1 and 7.5 for v2."""
    made = evenhand.trust.estimate("mean", store, random_labels=True, settings={"trust.field": "safety"})
    assert made.result.value == pytest.approx(7.25, abs=0.05)
    assert made.result.judge_alone == pytest.approx(9)
    assert (made.labels, made.unlabelled) == (120, 60)
    assert made.subject == "safety of all skills, by model:a with rubric default"


@pytest.mark.slow
def test_a_difference_is_the_second_skill_minus_the_first_on_the_same_tasks(store):
    """People see half a point; the judge sees half a point less kindness, which is nothing."""
    made = evenhand.trust.estimate("difference", store, skills=["v1", "v2"], random_labels=True)
    assert made.result.value == pytest.approx(0.5, abs=0.01)
    assert made.result.judge_alone == pytest.approx(final(0.5) + 0 - final(1.0), abs=0.01)
    assert (made.what, made.labels, made.unlabelled) == ("difference", 60, 30)
    assert made.subject == "final of v2 minus v1, by model:a with rubric default"
    turned = evenhand.trust.estimate("difference", store, skills=["v2", "v1"], random_labels=True)
    assert turned.result.value == pytest.approx(-0.5, abs=0.01)


def test_a_pass_rate_counts_who_passes(store):
    """People pass 6.5 and 7 of 5, 5.5, 6, 6.5 and 7: two in five of v1."""
    made = evenhand.trust.estimate("pass-rate", store, skills="v1", random_labels=True)
    assert made.result.low < 0.4 < made.result.high
    assert (made.what, made.labels, made.unlabelled) == ("pass-rate", 60, 30)
    assert made.subject == "passes of v1, by model:a with rubric default"


def test_confidence_and_precision_change_the_interval_and_the_labels_needed(store):
    """More confidence is wider; a finer interval needs more labels."""
    narrow, wide = (
        evenhand.trust.estimate(
            "pass-rate", store, skills="v2", random_labels=True, settings={"trust.confidence": share}
        )
        for share in (0.8, 0.99)
    )
    assert wide.result.low <= narrow.result.low <= narrow.result.high <= wide.result.high
    assert wide.result.high - wide.result.low > narrow.result.high - narrow.result.low
    fine, coarse = (
        evenhand.trust.estimate("mean", store, skills="v1", random_labels=True, settings={"trust.precision": size})
        for size in (0.05, 0.5)
    )
    assert (fine.precision, coarse.precision) == (0.05, 0.5)
    assert coarse.labels_needed is not None
    assert fine.labels_needed is None or fine.labels_needed >= coarse.labels_needed


@pytest.mark.parametrize(
    ("what", "options", "message"),
    [
        ("difference", {"skills": "v1"}, "a difference is between two skills; name both"),
        ("difference", {"skills": ["v1", "v2", "v3"]}, "a difference is between two skills; name both"),
        (
            "mean",
            {"skills": ["v1", "v2"]},
            "a mean is of one skill, or of all; for two name: evenhand trust estimate diff",
        ),
        ("pass-rate", {"skills": ["v1", "v2"]}, "a pass-rate is of one skill, or of all"),
        ("mean", {"skills": "v1", "random_labels": False}, "if they were, say so with `random_labels`"),
        (
            "mean",
            {"judge": "model:b"},
            r"no judge in .* matches; it has model:a with rubric default \(120 labelled\)",
        ),
        ("mean", {"rubric": "writing"}, "no judge in .* matches; it has"),
        ("mean", {"skills": "v9"}, "no evaluation in .* has scores by a judge; judge some outputs first"),
        (
            "mean",
            {"settings": {"trust.doubtful": True}},
            "no round of doubtful items were reviewed; `doubtful` needs exactly one",
        ),
        (
            "pass-rate",
            {"settings": {"trust.doubtful": True}},
            "no round of doubtful items were reviewed; `doubtful` needs exactly one",
        ),
        (
            "difference",
            {"skills": ["v1", "v2"], "settings": {"trust.doubtful": True}},
            "a difference of doubtful items is not supported",
        ),
    ],
)
def test_what_cannot_be_estimated_is_refused(store, what, options, message):
    """Before any number is shown."""
    with pytest.raises(InputError, match=message):
        evenhand.trust.estimate(what, store, **({"random_labels": True} | options))


def test_the_judge_of_a_scorecard_is_chosen_by_it(store):
    """Another judge's card chooses nobody here."""
    card = evenhand.score({"judge": "model:a", "scores": seven(8)}, rubric="default")
    assert evenhand.trust.estimate("mean", store, skills="v1", random_labels=True, judge=card).labels == 60
    other = evenhand.score({"judge": "model:b", "scores": seven(8)}, rubric="default")
    otherwise = card._replace(receipt=replace(card.receipt, rubric="x"))
    for chosen in (other, otherwise):
        with pytest.raises(InputError, match="matches; it has"):
            evenhand.trust.estimate("mean", store, random_labels=True, judge=chosen)


# --- items and judges


@pytest.fixture
def small(tmp_path):
    opened = evenhand.open_store(str(tmp_path / "s.db"))
    yield opened
    opened.close()


def labels(store, tmp_path, text: str, **more) -> None:
    path = tmp_path / f"labels{len(list(tmp_path.iterdir()))}.csv"
    path.write_text(text)
    assert evenhand.trust.import_labels(store, path, **more).problems == ()


def test_people_s_values_are_means_over_those_who_gave_them(small, tmp_path):
    """Labels on the scale of ten, passes as a share, and judgements of their own; other scales do not count."""
    evenhand.score({"judge": "model:a", "scores": seven(8)}, output="x", id="e", store=small)
    evenhand.score({"judge": "human:cem", "scores": seven(9)}, output="x", id="c", store=small)
    labels(small, tmp_path, "id,rater,final,pass,safety\ne,ana,6,pass,\ne,bob,7,fail,4\n")
    labels(small, tmp_path, "id,rater,rating\ne,dora,3\n", scale="1-5", field="tone")
    key, (item,) = judged_items(small)
    assert str(key) == "model:a with rubric default"
    assert item.people["final"] == pytest.approx((6 + 7 + 9) / 3)
    assert item.people["safety"] == pytest.approx((4 + 9) / 2)
    assert (item.people["pass"], item.people["correctness"]) == (0.5, 9)
    assert item.raters == {"human:ana", "human:bob", "human:cem"}
    assert (item.record.id, item.rounds, item.chances) == ("e", frozenset(), {})
    assert scores_of([item], "final") == [(8.0, pytest.approx(22 / 3))]
    assert item.unlabelled().people == {} and item.unlabelled().raters == frozenset()


def test_of_a_judge_s_evaluations_of_one_item_the_latest_counts(small, tmp_path):
    for number, score in enumerate((5, 8)):
        evenhand.score({"judge": "model:a", "scores": seven(score)}, output="x", id=f"e{number}", store=small)
    labels(small, tmp_path, "id,rater,final\ne0,ana,6\n")
    _, items = judged_items(small)
    assert [item.record.id for item in items] == ["e1"]
    assert scores_of(items, "safety") == [(8.0, None)]


def test_items_without_a_judge_s_score_are_left_out(small, tmp_path):
    """Of a field, or of everything."""
    gap = seven(8) | {"safety": {"unscored": "no answer"}}
    evenhand.score({"judge": "model:a", "scores": gap}, output="x", id="e", store=small)
    evenhand.score({"judge": "model:a", "scores": seven({"unscored": "no answer"})}, output="y", id="f", store=small)
    labels(small, tmp_path, "id,rater,safety\ne,ana,6\n")
    _, items = judged_items(small)
    assert len(items) == 1
    assert (scores_of(items, "safety"), scores_of(items, "final")) == ([], [])
    assert scores_of(items, "correctness") == [(8.0, None)]


def test_the_latest_evaluation_counts_also_where_it_has_fewer_scores(small, tmp_path):
    evenhand.score({"judge": "model:a", "scores": seven(8)}, output="x", id="e", store=small)
    later = seven({"unscored": "no answer"}) | {"safety": 5}
    evenhand.score({"judge": "model:a", "scores": later}, output="x", id="f", store=small)
    labels(small, tmp_path, "id,rater,final\ne,ana,6\n")
    _, (item,) = judged_items(small)
    assert (item.record.id, scores_of([item], "safety"), scores_of([item], "final")) == ("f", [(5.0, None)], [])


def test_two_judges_or_rubrics_must_be_chosen_from(small, tmp_path):
    """Their labels are counted; one of them alone is taken without a choice."""
    evenhand.score({"judge": "model:a", "scores": seven(8)}, output="x", id="e", store=small)
    evenhand.score({"judge": "model:b", "scores": seven(8)}, output="y", id="f", store=small)
    evenhand.score({"judge": "model:a", "scores": seven(8)}, output="z", id="g", rubric="writing", store=small)
    with pytest.raises(
        InputError, match=r"there are no labels for outputs judged by model:a with rubric default \(0 labelled\)"
    ):
        judged_items(small)
    labels(small, tmp_path, "id,rater,final\ne,ana,6\n")
    assert str(judged_items(small)[0]) == "model:a with rubric default"
    labels(small, tmp_path, "id,rater,final\nf,ana,6\ng,ana,6\n")
    with pytest.raises(InputError, match=r"has labelled items of several judges: .*; choose with `judge`"):
        judged_items(small)
    assert str(judged_items(small, judge="model:b")[0]) == "model:b with rubric default"
    assert str(judged_items(small, rubric="writing")[0]) == "model:a with rubric writing"
    assert judged_items(small, judge="model:b")[0].identity == {"name": "model:b"}


# --- tables


def table_of(columns: str, *rows: str) -> Table:
    names = columns.split(",")
    cells = [{name: cell or None for name, cell in zip(names, row.split(","), strict=True)} for row in rows]
    return Table("t.csv", tuple(names), tuple(Row(line, given) for line, given in enumerate(cells, start=2)))


@pytest.mark.parametrize(
    ("text", "is_refused"), [("1", False), ("10", False), ("0.99", True), ("10.01", True), ("x", True)]
)
def test_a_score_in_a_table_is_a_number_from_1_to_10(text, is_refused):
    """Every cell that is not is listed with its line."""
    table = table_of("judge,people", f"{text},5", f"5,{text}", "5,")
    if not is_refused:
        assert table_scores(table, scale=(1, 10)) == [(float(text), 5.0), (5.0, float(text)), (5.0, None)]
        return
    with pytest.raises(InputError) as error:
        table_scores(table, scale=(1, 10))
    assert [str(problem) for problem in error.value.problems] == [
        f't.csv:2: judge is "{text}"; it must be a number from 1 to 10',
        f't.csv:3: people is "{text}"; it must be a number from 1 to 10',
    ]


def test_a_table_without_its_columns_says_which_it_has():
    says = r'unknown column "people"; valid: judge, human; .* say which with --set trust\.columns=JUDGE,PEOPLE$'
    with pytest.raises(InputError, match=says):
        table_scores(table_of("judge,human", "5,5"))


def test_a_column_named_field_says_what_a_pair_is_of():
    """The final score without it; rows without both scores are left out."""
    table = table_of("judge,people,field", "5,4,safety", "6,5,", "7,,safety", ",3,final")
    assert pairs_by_field(table) == {"safety": [(5.0, 4.0)], "final": [(6.0, 5.0)]}
    with pytest.raises(InputError, match=r't.csv:3: unknown scored field "tone"; valid: final, '):
        pairs_by_field(table_of("judge,people,field", "5,4,safety", "5,4,tone"))


def test_a_difference_in_a_table_is_b_minus_a_where_both_were_judged():
    """A row that one judge did not score is left out with its chance; one that people did not is unlabelled."""
    rows = [f"{5 + n % 3},{4 + n % 3},{6 + n % 2},{6 + n % 2 * 2}" for n in range(60)]
    unlabelled = [f"{5 + n % 3},{'' if n % 2 else 5},{6 + n % 2},{5 if n % 2 else ''}" for n in range(60)]
    table = table_of("judge_a,people_a,judge_b,people_b", *rows, "5,5,,5", *unlabelled)
    made = estimate_table(table, EstimateRequest("difference"))
    assert (made.labels, made.unlabelled) == (60, 60)
    people = sum((6 + n % 2 * 2) - (4 + n % 3) for n in range(60)) / 60
    assert made.result.labels_alone[0] == pytest.approx(people)
    assert made.subject == "t.csv, b minus a"
    with pytest.raises(InputError):
        estimate_table(table_of("judge_a,people_a,judge_b,people_b", "5,5,,5"), EstimateRequest("difference"))


def test_a_pass_rate_of_a_table_needs_a_pass_mark_which_is_reached_exactly():
    rows = [f"{5 + n % 3},{5 + n % 3}" for n in range(60)]
    table = table_of("judge,people", *rows, *["6,"] * 30, *["5,"] * 30)
    with pytest.raises(
        InputError,
        match=r"t.csv:2: judge is \"5\", which is not a verdict .* a table of scores has no pass mark: set the lowest",
    ):
        estimate_table(table, EstimateRequest("pass-rate"))
    made = estimate_table(table, EstimateRequest("pass-rate", pass_mark=6))
    assert made.subject == "t.csv, 6 or more"
    assert made.result.judge_alone == pytest.approx(0.5, abs=0.1)
    assert (made.labels, made.unlabelled) == (60, 60)


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        (["5,5,0", "5,,0.5"], 't.csv:2: probability is "0"; it must be above 0 and at most 1'),
        (["5,5,1.01", "5,,0.5"], 't.csv:2: probability is "1.01"; it must be above 0 and at most 1'),
        (["5,5,x", "5,,0.5"], 't.csv:2: probability is "x"; it must be above 0 and at most 1'),
        (["5,5,0.1", "5,5,", "5,,"], "t.csv:3: this label has no probability; give its sampling probability"),
    ],
)
def test_a_chance_is_above_0_and_at_most_1(rows, message):
    with pytest.raises(InputError, match=message):
        table_chances(table_of("judge,people,probability", *rows))


def test_equal_chances_need_no_weights_and_different_ones_do():
    """One that an unlabelled item lacks is none."""
    assert table_chances(table_of("judge,people,probability", "5,5,0.5", "6,,")) is None
    assert table_chances(table_of("judge,people,probability", "5,5,1", "6,,", "6,6,0.5")) == [1.0, None, 0.5]
    assert table_chances(table_of("judge,people", "5,5")) is None


# --- from Python


def test_pairs_in_python_need_a_declaration_and_a_pass_mark():
    rows = [(5 + n % 5, 4 + n % 5 if n < 60 else None) for n in range(120)]
    with pytest.raises(InputError, match="say so with random_labels=True"):
        evenhand.trust.estimate("mean", rows)
    with pytest.raises(InputError, match=r"trust\.pass_mark"):
        evenhand.trust.estimate("pass-rate", rows, random_labels=True)
    rate = evenhand.trust.estimate("pass-rate", rows, random_labels=True, settings={"trust.pass_mark": 7})
    assert rate.result.judge_alone == pytest.approx(0.6)
    assert (rate.labels, rate.unlabelled, rate.subject) == (60, 60, "these outputs")
    mean = evenhand.trust.estimate("difference", rows, random_labels=True)
    assert mean.what == "difference"


@pytest.mark.parametrize("chance", [0, 1.5, None])
def test_every_labelled_pair_needs_a_chance(chance):
    rows = [(5 + n % 5, 4 + n % 5 if n < 60 else None) for n in range(120)]
    with pytest.raises(InputError, match="above 0 and at most 1"):
        evenhand.trust.estimate("mean", rows, random_labels=[chance] + [0.5, 0.6] * 59 + [0.5])
    with pytest.raises(
        InputError, match="the number of labels needed can be computed only where all items had the same"
    ):
        evenhand.trust.estimate("mean", rows, random_labels=[0.5, 0.6] * 60, settings={"trust.precision": 0.1})
    with pytest.raises(
        InputError, match="the number of labels needed can be computed only where all items had the same"
    ):
        evenhand.trust.estimate(
            "pass-rate", rows, random_labels=[0.5, 0.6] * 60, settings={"trust.precision": 0.1, "trust.pass_mark": 7}
        )


def test_different_chances_give_an_estimate_of_the_same_kind():
    """What it is of, how many labels it rests on, and no number of labels needed."""
    rows = [(5 + n % 5, 4 + n % 5 + n % 3 if n < 120 else None) for n in range(600)]
    chances = [0.1 + 0.1 * (n % 2) for n in range(600)]
    mean = evenhand.trust.estimate("mean", rows, random_labels=chances)
    rate = evenhand.trust.estimate("pass-rate", rows, random_labels=chances, settings={"trust.pass_mark": 7})
    assert [(made.what, made.subject, made.labels, made.unlabelled) for made in (mean, rate)] == [
        ("mean", "these outputs", 120, 480),
        ("pass-rate", "these outputs", 120, 480),
    ]
    assert [(made.precision, made.labels_needed) for made in (mean, rate)] == [(None, None)] * 2
    wide = evenhand.trust.estimate("mean", rows, random_labels=chances, settings={"trust.confidence": 0.999})
    assert wide.result.high - wide.result.low > mean.result.high - mean.result.low


# --- calibration


def test_a_store_s_labels_calibrate_its_judge_and_the_file_is_the_calibration(store, tmp_path):
    """60 labels of v1; the judge is a point too kind there. What nobody labelled has no curve."""
    out = tmp_path / "new" / "c.json"
    made = evenhand.trust.calibrate(store, skill="v1", out=out, confidence=0.9)
    curve = made.curves["final"]
    assert (curve.labels, curve.bias) == (60, pytest.approx(final(1.0) - 6, abs=0.05))
    assert made.raters == ("human:ana",)
    assert (made.judge["name"], made.rubric) == ("model:a", "default")
    assert made.left_out["correctness"] == "no one labelled it"
    assert json.loads(out.read_text())["sha256"] == made.sha256
    assert [path.name for path in out.parent.iterdir()] == ["c.json"]
    card = evenhand.score({"judge": "model:a", "scores": seven(7)}, rubric="default", calibration=out)
    assert card.calibration is not None and card.receipt.calibration is None


def test_too_few_labels_do_not_calibrate():
    """As many as an interval of that confidence needs; with less confidence fewer are enough."""
    card = evenhand.score({"judge": "model:a", "scores": seven(8)}, rubric="default")
    pairs = [(3 + n / 10, 2 + n / 10) for n in range(60)]
    with pytest.raises(InputError, match="pairs of scores do not say whose they are; give a scorecard of the judge as"):
        evenhand.trust.calibrate(pairs)
    needed = labels_needed(0.95)
    with pytest.raises(InputError, match=f"{needed - 1} labelled outputs are too few to calibrate model:a with rubric"):
        evenhand.trust.calibrate(pairs[: needed - 1], like=card)
    with pytest.raises(InputError, match=f"a 95% interval needs {needed}; label more, or ask for less"):
        evenhand.trust.calibrate(pairs[:1], like=card)
    assert evenhand.trust.calibrate(pairs[:needed], like=card).curves["final"].labels == needed
    assert evenhand.trust.calibrate(pairs[: needed - 1], like=card, confidence=0.5).curves["final"].labels == needed - 1


def test_a_calibration_of_another_judge_is_refused_and_one_that_cannot_be_written_says_why(tmp_path):
    card = evenhand.score({"judge": "model:a", "scores": seven(8)}, rubric="default")
    made = evenhand.trust.calibrate([(3 + n / 10, 2 + n / 10) for n in range(60)], like=card)
    with pytest.raises(InputError, match=r"the calibration does not fit: .*; make one for this with"):
        evenhand.score({"judge": "model:b", "scores": seven(8)}, rubric="default", calibration=made)
    (tmp_path / "file").touch()
    with pytest.raises(InputError, match=r"file/c.json: cannot be written: "):
        evenhand.trust.calibrate(
            [(3 + n / 10, 2 + n / 10) for n in range(60)], like=card, out=tmp_path / "file" / "c.json"
        )
