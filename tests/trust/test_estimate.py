"""evenhand trust estimate: means, pass rates and differences from a store or a table, and every refusal."""

from __future__ import annotations

import json
import sqlite3
from decimal import Decimal
from math import sqrt
from random import Random

import jsonschema
import pytest
from conftest import ROOT, seven

import evenhand
from evenhand.core.scorecard import DOUBT, Review
from evenhand.errors import InputError
from evenhand.files.tables import read_table
from evenhand.judges.written import judgement_from
from evenhand.judging.keeper import Keeper
from evenhand.judging.steps import Steps
from evenhand.reports.trust.estimates import estimate_lines
from evenhand.trust.calibration import calibrate_store
from evenhand.trust.estimates import EstimateRequest, _verdicts, estimate_store, estimate_table
from evenhand.trust.labels.judged_items import JudgedItem, judged_items
from evenhand.trust.labels.label_import import import_labels
from evenhand.trust.labels.label_samples import drawn_at_random, drawn_by_doubt, recorded_at_random, table_chances
from evenhand.trust.labels.review_rounds import Request, start_round
from evenhand.trust.labels.table_layout import Options

SCHEMA = json.loads((ROOT / "src/evenhand/schemas/estimate.v1.schema.json").read_text(encoding="utf-8"))


@pytest.fixture
def table(tmp_path):
    def make(text: str):
        path = tmp_path / "scores.csv"
        path.write_text(text, encoding="utf-8")
        return read_table(str(path))._replace(source="scores.csv")

    return make


def rows(labels: int, rest: int, *, bias: float = 1.0, seed: int = 2) -> list[str]:
    """A judge that is a point too kind; people labelled the first so many."""
    draw = Random(seed)
    lines = []
    for place in range(labels + rest):
        quality = draw.uniform(3, 8)
        judge, people = quality + bias + draw.gauss(0, 0.3), quality + draw.gauss(0, 0.3)
        lines.append(f"{judge:.2f},{people:.2f}" if place < labels else f"{judge:.2f},")
    return lines


def test_a_kind_judge_is_corrected(table):
    """Qualities from 3 to 8 have the mean 5.5; the judge alone says 6.5."""
    made = estimate_table(table("judge,people\n" + "\n".join(rows(60, 600))), EstimateRequest("mean"))
    assert made.result.low < 5.5 < made.result.high
    assert made.result.judge_alone == pytest.approx(6.5, abs=0.15)
    assert (made.labels, made.unlabelled) == (60, 600)
    assert made.result.high - made.result.low < 0.6 * (made.result.labels_alone[2] - made.result.labels_alone[1])


def test_a_pass_rate_is_corrected(table):
    """Of qualities from 3 to 8, 40 % reach 6; the judge passes about 60 %."""
    made = estimate_table(
        table("judge,people\n" + "\n".join(rows(120, 900))), EstimateRequest("pass-rate", pass_mark=6, precision=0.05)
    )
    assert made.result.low < 0.4 < made.result.high
    assert made.result.judge_alone == pytest.approx(0.6, abs=0.05)
    assert made.labels_needed is None or made.labels_needed > 120


def test_a_difference_is_taken_item_by_item(table):
    """System b is 0.5 points better; the judge says the same here, whatever its own bias."""
    pairs = zip(rows(60, 400), rows(60, 400, bias=1.5), strict=True)
    lines = []
    for first, second in pairs:
        people = second.split(",")[1]
        better = f"{float(people) + 0.5:.2f}" if people else ""
        lines.append(f"{first},{second.split(',')[0]},{better}")
    made = estimate_table(
        table("judge_a,people_a,judge_b,people_b\n" + "\n".join(lines)), EstimateRequest("difference")
    )
    assert made.result.value == pytest.approx(0.5, abs=0.01)
    assert made.result.judge_alone == pytest.approx(0.5, abs=0.01)


def test_rows_without_a_judges_score_are_left_out(table):
    """An empty cell is not a zero."""
    made = estimate_table(table("judge,people\n" + "\n".join([*rows(60, 50), ",5", ","])), EstimateRequest("mean"))
    assert (made.labels, made.unlabelled) == (60, 50)


def test_a_judge_of_no_use_costs_a_pass_rate_nothing(table):
    """It passes every second output, whatever people say: the labels alone count."""
    text = "judge,people\n" + "\n".join(f"{4 + n % 2 * 4},{4 + n // 2 % 2 * 4 if n < 80 else ''}" for n in range(200))
    made = estimate_table(table(text), EstimateRequest("pass-rate", pass_mark=6)).result
    assert made.slope == 0
    assert (made.value, made.low, made.high) == made.labels_alone


@pytest.mark.parametrize("what", ["mean", "pass-rate"])
def test_a_judge_whose_scores_fall_as_peoples_rise_helps_too(table, what):
    """It gives 0 to 100, the worst the most: on the labels' scale it says what people would, but for some noise."""
    draw = Random(5)
    lines = []
    for place in range(700):
        quality = draw.uniform(3, 9)
        lines.append(f"{100 - 10 * quality + draw.gauss(0, 2):.1f},{f'{quality:.1f}' if place < 100 else ''}")
    text = "judge,people\n" + "\n".join(lines)
    if what == "pass-rate":
        verdicts = [line.split(",") for line in lines]
        rows = [f"{float(judge) >= 40:d},{'' if not people else int(float(people) >= 6)}" for judge, people in verdicts]
        text = "judge,people\n" + "\n".join(rows)
    made = estimate_table(table(text), EstimateRequest(what, pass_mark=0.5 if what == "pass-rate" else None)).result
    _, low, high = made.labels_alone
    assert made.slope < 0
    assert made.high - made.low < 0.6 * (high - low)
    low, high = made.beyond
    assert low < (6 if what == "mean" else 0.5) < high


def test_most_of_the_outputs_labelled_leaves_little_open(table):
    """100 of 150: the error for these is sqrt(1 - 100/150) = 0.58 of that for others like them; all 150: none."""
    text = "judge,people\n" + "\n".join(f"5,{4 + place % 5}" if place < 100 else "5," for place in range(150))
    made = estimate_table(table(text), EstimateRequest("mean")).result
    low, high = made.beyond
    assert (made.high - made.low) / (high - low) == pytest.approx(sqrt(1 / 3), abs=0.01)
    whole = "judge,people\n" + "\n".join(f"{3 + place % 7},{4 + place % 5}" for place in range(150))
    every = estimate_table(table(whole), EstimateRequest("mean"))
    assert (every.result.low, every.result.high) == (6.0, 6.0) == (every.result.value,) * 2
    assert every.result.beyond[0] < 6 < every.result.beyond[1]
    assert "the interval is for these outputs; for others like them it is " in "\n".join(estimate_lines(every))


def test_a_difference_is_a_claim_beyond_these_outputs(table):
    """Every case labelled: the difference of these is known, but not that of the two systems."""
    lines = [f"5,{4 + n % 3},5,{4.5 + n % 4}" for n in range(60)]
    made = estimate_table(
        table("judge_a,people_a,judge_b,people_b\n" + "\n".join(lines)), EstimateRequest("difference")
    )
    assert (made.result.low, made.result.high) == made.result.beyond
    assert made.result.low < made.result.value < made.result.high


def test_any_scale_and_any_names_of_columns(table):
    """Percent in columns of other names; verdicts as words need no pass mark; clusters by a column."""
    lines = [f"{20 + n % 60},{'' if n > 60 else 15 + n % 60},c{n // 2}" for n in range(300)]
    request = EstimateRequest("mean", columns=("model", "expert"), cluster="case")
    made = estimate_table(table("model,expert,case\n" + "\n".join(lines)), request)
    assert 40 < made.result.value < 50
    assert made.result.clusters == 31
    words = [f"{'yes' if n % 3 else 'no'},{'' if n > 60 else 'PASS' if n % 3 else 'fail'}" for n in range(300)]
    rate = estimate_table(table("judge,people\n" + "\n".join(words)), EstimateRequest("pass-rate")).result
    assert rate.value == pytest.approx(2 / 3, abs=0.02)
    assert rate.sensitivity == rate.specificity == 1


@pytest.mark.parametrize(
    ("text", "request_", "message"),
    [
        ("judge,people\n" + "\n".join(rows(29, 50)), EstimateRequest("mean"), "29 labelled items are too few.* 30"),
        ("judge,people\n" + "\n".join(rows(60, 50)), EstimateRequest("pass-rate"), "no pass mark"),
        ("judge,people\n5,much", EstimateRequest("mean"), r'scores.csv:2: people is "much"; it must be a number'),
        ("judge,people\n5,inf", EstimateRequest("mean"), r'scores.csv:2: people is "inf"; it must be a number'),
        (
            "judge,people,case\n" + "\n".join(f"{row},{n % 5}" for n, row in enumerate(rows(60, 50))),
            EstimateRequest("mean", cluster="case"),
            "60 labelled items come from 5 clusters.* at least 12",
        ),
        (
            "judge,people,case\n5,5,a\n6,6,",
            EstimateRequest("mean", cluster="case"),
            'scores.csv:3: has no cluster in the column "case"',
        ),
        ("judge_a,people_a\n5,5", EstimateRequest("difference"), 'unknown column "judge_b"; did you mean judge_a?'),
        ("judge_a,people_a,judge_b,people_b\n,,5,5", EstimateRequest("difference"), "0 labelled items are too few"),
        (
            "judge,people\n"
            + "\n".join(f"{3 + n % 3},{4 if n % 2 else 5}" for n in range(60))
            + "\n"
            + "9,\n8,\n" * 50,
            EstimateRequest("mean"),
            "not a random sample",
        ),
    ],
)
def test_what_would_not_hold_is_refused(table, text, request_, message):
    """The reason, and what is needed."""
    with pytest.raises(InputError, match=message):
        estimate_table(table(text), request_)


def test_a_recorded_probability_declares_a_random_sample(table):
    """Of some or of all; what the chances are is looked at later."""
    assert recorded_at_random(table("judge,people,probability\n5,5,0.1\n6,,0.1"))
    assert not recorded_at_random(table("judge,people\n5,5"))
    assert not recorded_at_random(table("judge,people,probability\n5,5,\n6,,"))
    assert table_chances(table("judge,people,probability\n5,5,0.1\n6,,0.1")) is None
    assert table_chances(table("judge,people,probability\n5,5,0.1\n6,,0.5")) == [0.1, 0.5]


def scored(judgement, rubric, task=None, **more):
    """An evaluation, to be kept together with others: one commit for all takes a hundredth of the time."""
    return Steps(rubric).evaluate_written(judgement_from(judgement)._replace(task=task), **more)


def keep_all(store, evaluations):
    Keeper(store).keep_batch(evaluations)


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    """Two skills, each judged on 120 cases, the first 60 labelled; the judge is a point too kind."""
    folder = tmp_path_factory.mktemp("store")
    opened = evenhand.open_store(str(folder / "evaluations.db"))
    opened.create()
    draw = Random(7)
    lines = ["id,final"]
    judged = []
    for place in range(120):
        quality = draw.uniform(5, 8)
        for skill, better in (("v1", 0.0), ("v2", 0.5)):
            score = round(quality + better + 1 + draw.gauss(0, 0.2), 1)
            judgement = {"skill": skill, "judge": "model:a", "scores": seven(score)}
            more = {"output": f"{skill} {place}", "task": f"case {place}", "id": f"{skill}-{place}"}
            judged.append(scored(judgement, "default", **more))
            if place % 2:
                lines.append(f"{skill}-{place},{round(quality + better, 1)}")
    keep_all(opened, judged)
    (folder / "labels.csv").write_text("\n".join(lines), encoding="utf-8")
    import_labels(opened, read_table(str(folder / "labels.csv")), Options(rater="ana"))
    yield opened
    opened.close()


@pytest.mark.slow
def test_a_store_gives_means_rates_and_differences(store):
    """The truth: a mean of 6.5, half a point between the versions, and 7 or more for a third of v1."""
    mean = evenhand.trust.estimate("mean", store, skills="v1", random_labels=True)
    assert mean.result.low < 6.5 < mean.result.high
    assert (mean.labels, mean.unlabelled) == (60, 60)
    difference = evenhand.trust.estimate("difference", store, skills=["v1", "v2"], random_labels=True)
    assert difference.result.value == pytest.approx(0.5, abs=0.1)
    assert difference.labels == 60
    rate = evenhand.trust.estimate("pass-rate", store, skills="v1", random_labels=True)
    assert rate.result.beyond[0] < 1 / 3 < rate.result.beyond[1]
    assert rate.result.judge_alone > 0.5


@pytest.mark.slow
def test_differences_need_two_skills_and_means_one(store):
    """The wrong number is refused."""
    with pytest.raises(InputError, match="between two skills"):
        evenhand.trust.estimate("difference", store, skills="v1", random_labels=True)
    with pytest.raises(InputError, match="of one skill"):
        evenhand.trust.estimate("mean", store, skills=["v1", "v2"], random_labels=True)
    with pytest.raises(InputError, match="`random_labels`"):
        evenhand.trust.estimate("mean", store, skills="v1")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("arguments", "shown"),
    [
        (["mean", "--skill", "v1", "--set", "trust.precision=0.1"], "people would give 6."),
        (["pass-rate", "--skill", "v1"], "people would pass"),
        (["difference", "--skill", "v1", "--skill", "v2"], "people would see a difference"),
    ],
)
def test_the_command_shows_estimates(store, evenhand_command, arguments, shown):
    """In words, as Markdown, and as JSON that fits its schema."""
    run = ["trust", "estimate", *arguments, "--store", store.url]
    refused = evenhand_command(*run)
    assert (refused.code, refused.out) == (2, "")
    assert "--random-labels" in refused.err
    plain = evenhand_command(*run, "--random-labels")
    assert plain.code == 0, plain.err
    assert shown in " ".join(plain.out.split())
    assert evenhand_command(*run, "--random-labels", "-f", "markdown").out.startswith("# ")
    document = json.loads(evenhand_command(*run, "--random-labels", "-f", "json").out)
    jsonschema.validate(document, SCHEMA)
    assert document["what"] == arguments[0]


def test_people_pass_what_reaches_the_pass_mark_exactly(tmp_path):
    """The default rubric asks for 7: people's 7 passes, 6.99 does not; a label of `pass` comes before the score."""
    opened = evenhand.open_store(str(tmp_path / "evaluations.db"))
    opened.create()
    for name in ("at", "below", "said", "split"):
        judgement = {"judge": "model:a", "scores": seven(8)}
        evenhand.score(judgement, output=name, id=name, store=opened, rubric="default")
    text = "id,rater,final,pass\nat,ana,7,\nbelow,ana,6.99,\nsaid,ana,5,pass\nsplit,ana,9,pass\nsplit,bob,9,fail\n"
    (tmp_path / "labels.csv").write_text(text, encoding="utf-8")
    import_labels(opened, read_table(str(tmp_path / "labels.csv")), Options())
    _, items = judged_items(opened)
    people = dict(zip([item.record.id for item in items], _verdicts(items), strict=True))
    assert people == {"at": (True, True), "below": (True, False), "said": (True, True), "split": (True, None)}
    opened.close()


def reviewed(method: str, round: str):
    """An item labelled in a round of review; only its round counts here."""
    return JudgedItem("item", None, {"final": 7.0}, frozenset({"human:ana"}), frozenset({(method, round)}))


def test_a_round_of_review_drawn_at_random_needs_no_declaration():
    """One round for all; two rounds, or labels from elsewhere, are not known to be one random sample."""
    sampled, another = reviewed("sample", "one"), reviewed("sample", "two")
    assert drawn_at_random([sampled, sampled], random_labels=False) == [sampled, sampled]
    for others in ([sampled, another], [sampled, sampled._replace(rounds=frozenset())], []):
        with pytest.raises(InputError, match="drawn at random"):
            drawn_at_random(others, random_labels=False)
        drawn_at_random(others, random_labels=True)


def test_items_chosen_by_doubt_are_not_a_random_sample_whatever_is_declared():
    """The store knows better, and says what can be estimated."""
    with pytest.raises(InputError, match=r"1 of the labelled items were chosen for review by doubt.* `doubtful`"):
        drawn_at_random([reviewed("doubt", "two")], random_labels=True)


def test_labels_chosen_by_doubt_are_left_out_beside_a_random_round():
    """Two of a round drawn at random stay labelled; one chosen by doubt does not, and one in both rounds does."""
    sampled, doubtful = reviewed("sample", "one"), reviewed("doubt", "two")
    both = sampled._replace(rounds=sampled.rounds | doubtful.rounds)
    kept = drawn_at_random([sampled, doubtful, both, sampled], random_labels=False)
    assert [bool(item.people) for item in kept] == [True, False, True, True]


def unequal_table(*, labelled: int = 300, column: str = "probability") -> str:
    """Outputs judged 4 or 8, a point too kind; those judged 4 were labelled for certain, the others one in three."""
    draw = Random(3)
    lines = [f"judge,people,{column}"]
    for place in range(3 * labelled):
        low = place % 2
        chance = 1.0 if low else 0.3
        score = (4 if low else 8) + draw.gauss(0, 0.3)
        people = f"{score - 1 + draw.gauss(0, 0.3):.2f}" if draw.random() < chance else ""
        lines.append(f"{score:.2f},{people},{chance}")
    return "\n".join(lines)


def test_items_with_different_chances_count_by_one_over_them(table):
    """The true mean is 5; the plain mean of the labels is far below it, because low scores were labelled more often."""
    made = estimate_table(table(unequal_table()), EstimateRequest("mean")).result
    assert made.low < 5 < made.high
    assert made.high - made.low < made.labels_alone[2] - made.labels_alone[1]
    assert made.labels_alone[0] == pytest.approx(5, abs=0.2)
    with pytest.raises(InputError, match="not a random sample"):  # the same labels taken for a random sample
        estimate_table(table(unequal_table(column="note")), EstimateRequest("mean"))


def test_a_pass_rate_takes_different_chances(table):
    """People pass what they give 5 or more: half of all. Of the labels themselves three in four fail, because what the
    judge scores low was labelled for certain. It never errs about 5, so it agrees with all that people say."""
    made = estimate_table(table(unequal_table()), EstimateRequest("pass-rate", pass_mark=5))
    assert made.result.low < 0.5 < made.result.high
    assert (made.result.sensitivity, made.result.specificity) == (1.0, 1.0)
    rows = [(n % 2, (n // 2) % 2) for n in range(200)]  # a judge no better than chance
    rows += [(int(n % 20 < 7), None) for n in range(400)]  # it passes 100 + 140 of 600, as it does by weight: 10 of 25
    chances = [0.2 if n % 4 else 0.1 for n in range(600)]  # one kind of four has half the chance
    blind = evenhand.trust.estimate("pass-rate", rows, random_labels=chances, settings={"trust.pass_mark": 1}).result
    # 50 labels each of fail-fail (weight 10), pass-fail, fail-pass, pass-pass (5 each): people pass 10 of 25 weights
    assert blind.value == pytest.approx(0.4)
    assert blind.specificity == pytest.approx(2 / 3)  # weight 10 of the 15 that people fail
    assert blind.high - blind.low > made.result.high - made.result.low


@pytest.mark.parametrize(
    ("text", "request_", "message"),
    [
        (unequal_table(labelled=45), EstimateRequest("pass-rate", pass_mark=6), r"differ, are worth \d+ drawn"),
        (unequal_table(), EstimateRequest("mean", precision=0.1), "only where all items had the same chance"),
        (unequal_table(), EstimateRequest("pass-rate", pass_mark=6, precision=0.1), "where all items had the same"),
        (unequal_table(labelled=20), EstimateRequest("mean"), r"differ, are worth \d+ drawn with equal chances"),
        ("judge,people,probability\n5,5,0.1\n6,6,\n7,,0.3", EstimateRequest("mean"), "has no probability"),
        ("judge,people,probability\n5,5,0.1\n6,6,0", EstimateRequest("mean"), 'probability is "0"; it must be above'),
        ("judge,people,probability\n5,5,0.1\n6,6,1.2", EstimateRequest("mean"), 'probability is "1.2"'),
        ("judge,people,probability\n5,5,x", EstimateRequest("mean"), 'probability is "x"'),
    ],
)
def test_different_chances_are_refused_where_they_do_not_hold(table, text, request_, message):
    """The reason, and what is valid."""
    with pytest.raises(InputError, match=message):
        estimate_table(table(text), request_)


def test_a_difference_takes_the_chances_of_its_pairs(table):
    """b is half a point better for people and a whole one for the judge; a row without a judge's score has no part."""
    draw = Random(5)
    lines = ["judge_a,people_a,judge_b,people_b,probability", ",,,,0.5"]
    for place in range(400):
        chance = 0.9 if place % 2 else 0.3
        labels = [f"{mean + draw.gauss(0, 0.2):.2f}" for mean in (5, 5.5)]
        people = labels if draw.random() < chance else ["", ""]
        lines.append(f"{5 + draw.gauss(0, 0.2):.2f},{people[0]},{6 + draw.gauss(0, 0.2):.2f},{people[1]},{chance}")
    made = estimate_table(table("\n".join(lines)), EstimateRequest("difference")).result
    assert made.low < 0.5 < made.high
    assert made.judge_alone == pytest.approx(1, abs=0.05)


@pytest.fixture(scope="module")
def reviewed_by_doubt(tmp_path_factory):
    """180 outputs judged 7.5, near a grade's edge, or 7.7; 84 of the 90 doubtful ones reviewed, a point lower."""
    opened = evenhand.open_store(str(tmp_path_factory.mktemp("reviews") / "reviews.db"))
    opened.create()
    model, person = ({"judge": judge, "skill": "code-review"} for judge in ("model:m", "human:ana"))
    scores = [7.5 if number % 2 else 7.7 + number % 4 / 20 for number in range(180)]  # 7.7 or 7.8
    judged = [model | {"scores": seven(score)} for score in scores]
    keep_all(opened, [scored(j, "code-review", output=f"work {n}", id=f"e{n}") for n, j in enumerate(judged)])
    started = start_round(opened, Request(DOUBT, 84, seed="s"), "ana")
    reviews = []
    for item in started.items:
        output = f"work {item.evaluation[1:]}"
        made = scored(person | {"scores": seven(6.5)}, "code-review", output=output, id=f"r{item.place}")
        review = Review(item.round, item.evaluation, DOUBT, Decimal(item.probability))
        reviews.append(made._replace(card=made.card._replace(review=review)))
    keep_all(opened, reviews)
    yield opened
    opened.close()


@pytest.mark.slow
def test_the_mean_of_doubtful_items_comes_from_a_round_by_doubt(reviewed_by_doubt):
    """Only the 90 in doubt count: 6.5, where all together would have no estimate at all."""
    made = estimate_store(reviewed_by_doubt, EstimateRequest("mean"), doubtful=True)
    assert (made.labels, made.unlabelled) == (84, 6)
    assert made.result.value == pytest.approx(6.5)
    assert made.subject.startswith("final of the doubtful outputs of all skills")
    with pytest.raises(InputError, match="84 of the labelled items were chosen for review by doubt"):
        estimate_store(reviewed_by_doubt, EstimateRequest("mean"), random_labels=True)
    with pytest.raises(InputError, match="a difference of doubtful items is not supported"):
        estimate_store(reviewed_by_doubt, EstimateRequest("difference"), skills=["a", "b"], doubtful=True)
    rate = estimate_store(reviewed_by_doubt, EstimateRequest("pass-rate"), doubtful=True)
    assert (rate.labels, rate.result.value, rate.result.sensitivity) == (84, 0.0, None)  # people failed all of them
    assert rate.result.high < 0.1


@pytest.mark.slow
def test_labels_chosen_by_doubt_do_not_calibrate(reviewed_by_doubt, tmp_path):
    """Alone they are refused; beside others they are left out, and the caller is told how many."""
    with pytest.raises(InputError, match=r"0 labelled outputs are too few .* 84 more were chosen for review by doubt"):
        calibrate_store(reviewed_by_doubt)
    with sqlite3.connect(reviewed_by_doubt.url) as before, sqlite3.connect(tmp_path / "copied.db") as after:
        before.backup(after)
    copied = evenhand.open_store(str(tmp_path / "copied.db"))
    path = tmp_path / "labels.csv"
    path.write_text("id,rater,final\n" + "".join(f"e{n},bob,{6 + n % 4}\n" for n in range(0, 60, 2)))
    evenhand.trust.import_labels(copied, path)
    notes = []
    made = calibrate_store(copied, notice=notes.append)
    assert made.curves["final"].labels == 30
    assert len(notes) == 1
    assert notes[0].startswith("84 labels are left out: those outputs were chosen for review by doubt")
    copied.close()


def test_doubtful_items_that_cannot_be_found_any_more_are_refused(reviewed_by_doubt, store):
    """One of them missing, no round at all, or one from another store."""
    _, items = judged_items(reviewed_by_doubt)
    with pytest.raises(InputError, match="was drawn from 90 doubtful items, and 89 of this judge"):
        drawn_by_doubt(reviewed_by_doubt, [item for item in items if item.record.id != "e1"])
    with pytest.raises(InputError, match="no round of doubtful items were reviewed"):
        drawn_by_doubt(reviewed_by_doubt, [item._replace(rounds=frozenset()) for item in items])
    with pytest.raises(InputError, match="was started in another store"):
        drawn_by_doubt(store, items)


def test_probabilities_in_python_go_with_their_pairs():
    """One for each pair."""
    rows = [(5 + n % 5, 4 + n % 5 if n < 120 else None) for n in range(600)]
    made = evenhand.trust.estimate("mean", rows, random_labels=[0.1 + 0.1 * (n % 2) for n in range(600)])
    assert made.result.value == pytest.approx(6.0)
    for what in ("mean", "pass-rate"):
        with pytest.raises(InputError, match="give one chance of `random_labels` for each pair"):
            evenhand.trust.estimate(what, rows, random_labels=[0.5], settings={"trust.pass_mark": 5})


def test_an_estimate_as_a_page():
    """The interval with that of the labels alone; a pass rate in percent."""
    from report_formats import estimate_page

    rows = [(5 + n % 5, 4 + n % 5 if n < 60 else None) for n in range(600)]
    page = estimate_page(evenhand.trust.estimate("mean", rows, random_labels=True))
    assert "labels alone" in page and "these outputs: people would give 6.00" in page
    draw = Random(1)
    judged = [(7.0 if draw.random() < 0.6 else 3.0) for _ in range(600)]
    pairs = [
        (score, (7.0 if (score > 5) == (draw.random() < 0.9) else 3.0) if n < 200 else None)
        for n, score in enumerate(judged)
    ]
    rate = estimate_page(
        evenhand.trust.estimate("pass-rate", pairs, random_labels=True, settings={"trust.pass_mark": 5})
    )
    assert "people would pass" in rate and "labels alone" in rate
