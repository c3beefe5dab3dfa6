"""evenhand estimate: means, pass rates and differences from a store or a table, and every refusal."""

from __future__ import annotations

import json
from random import Random

import jsonschema
import pytest
from conftest import ROOT, seven

import evenhand
from evenhand.errors import InputError
from evenhand.pipeline.estimating import EstimateRequest, _refuse_chosen, _verdicts, estimate_table, recorded_at_random
from evenhand.pipeline.judged_and_labelled import JudgedItem, judged_items
from evenhand.pipeline.labelling import import_labels
from evenhand.pipeline.table_layout import Options
from evenhand.reading.tables import read_table

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
    """An empty cell is no zero."""
    made = estimate_table(table("judge,people\n" + "\n".join([*rows(60, 50), ",5", ","])), EstimateRequest("mean"))
    assert (made.labels, made.unlabelled) == (60, 50)


@pytest.mark.parametrize(
    ("text", "request_", "message"),
    [
        ("judge,people\n" + "\n".join(rows(59, 50)), EstimateRequest("mean"), "59 labelled items are too few.* 60"),
        ("judge,people\n" + "\n".join(rows(60, 50)), EstimateRequest("pass-rate"), "no pass mark"),
        (
            "judge,people\n" + "\n".join(rows(60, 50)),
            EstimateRequest("pass-rate", pass_mark=9),
            "passed 0 and failed 60",
        ),
        ("judge,people\n5,11", EstimateRequest("mean"), r'scores.csv:2: people is "11"'),
        ("judge_a,people_a\n5,5", EstimateRequest("difference"), 'no column "judge_b"'),
        ("judge_a,people_a,judge_b,people_b\n,,5,5", EstimateRequest("difference"), "0 labelled items are too few"),
        (
            "judge,people\n" + "\n".join(f"{9 - n % 8},{2 + n % 8 if n < 80 else ''}" for n in range(200)),
            EstimateRequest("pass-rate", pass_mark=6),
            "no better than chance",
        ),
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
    """The same chance for every item will do; different chances are refused."""
    assert recorded_at_random(table("judge,people,probability\n5,5,0.1\n6,,0.1"))
    assert not recorded_at_random(table("judge,people\n5,5"))
    assert not recorded_at_random(table("judge,people,probability\n5,5,\n6,,"))
    with pytest.raises(InputError, match="different chances"):
        recorded_at_random(table("judge,people,probability\n5,5,0.1\n6,,0.5"))


@pytest.fixture
def store(tmp_path):
    """Two skills, each judged on 120 cases, the first 60 labelled; the judge is a point too kind."""
    opened = evenhand.open_store(str(tmp_path / "evaluations.db"))
    opened.migrate()
    draw = Random(7)
    lines = ["id,final"]
    for place in range(120):
        quality = draw.uniform(5, 8)
        for skill, better in (("v1", 0.0), ("v2", 0.5)):
            score = round(quality + better + 1 + draw.gauss(0, 0.2), 1)
            evenhand.score(
                {"skill": skill, "judge": "model:a", "scores": seven(score)},
                output=f"{skill} {place}",
                task=f"case {place}",
                id=f"{skill}-{place}",
                store=opened,
                rubric="default",
            )
            if place % 2:
                lines.append(f"{skill}-{place},{round(quality + better, 1)}")
    (tmp_path / "labels.csv").write_text("\n".join(lines), encoding="utf-8")
    import_labels(opened, read_table(str(tmp_path / "labels.csv")), Options(rater="ana"))
    yield opened
    opened.close()


def test_a_store_gives_means_rates_and_differences(store):
    """The truth: a mean of 6.5, half a point between the versions, and 7 or more for a third of v1."""
    mean = evenhand.estimate("mean", store, skills="v1", random_labels=True)
    assert mean.result.low < 6.5 < mean.result.high
    assert (mean.labels, mean.unlabelled) == (60, 60)
    difference = evenhand.estimate("difference", store, skills=["v1", "v2"], random_labels=True)
    assert difference.result.value == pytest.approx(0.5, abs=0.1)
    assert difference.labels == 60
    rate = evenhand.estimate("pass-rate", store, skills="v1", random_labels=True)
    assert rate.result.low < 1 / 3 < rate.result.high
    assert rate.result.judge_alone > 0.5


def test_differences_need_two_skills_and_means_one(store):
    """The wrong number is refused."""
    with pytest.raises(InputError, match="between two skills"):
        evenhand.estimate("difference", store, skills="v1", random_labels=True)
    with pytest.raises(InputError, match="of one skill"):
        evenhand.estimate("mean", store, skills=["v1", "v2"], random_labels=True)
    with pytest.raises(InputError, match="--random-labels"):
        evenhand.estimate("mean", store, skills="v1")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("arguments", "shown"),
    [
        (["mean", "--skill", "v1", "--precision", "0.1"], "people would give 6."),
        (["pass-rate", "--skill", "v1"], "people would pass"),
        (["difference", "--skill", "v1", "--skill", "v2"], "people would see a difference"),
    ],
)
def test_the_command_shows_estimates(store, evenhand_command, tmp_path, arguments, shown):
    """In words, as Markdown, and as JSON that fits its schema."""
    run = ["estimate", *arguments, "--store", str(tmp_path / "evaluations.db")]
    refused = evenhand_command(*run)
    assert (refused.code, refused.out) == (2, "")
    assert "--random-labels" in refused.err
    plain = evenhand_command(*run, "--random-labels")
    assert plain.code == 0, plain.err
    assert shown in " ".join(plain.out.split())
    assert evenhand_command(*run, "--random-labels", "-f", "markdown").out.startswith("- ")
    document = json.loads(evenhand_command(*run, "--random-labels", "-f", "json").out)
    jsonschema.validate(document, SCHEMA)
    assert document["what"] == arguments[0]


def test_people_pass_what_reaches_the_pass_mark_exactly(tmp_path):
    """The default rubric asks for 7: people's 7 passes, 6.99 does not; a label of `pass` comes before the score."""
    opened = evenhand.open_store(str(tmp_path / "evaluations.db"))
    opened.migrate()
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
    _refuse_chosen([sampled, sampled], random_labels=False)
    for others in ([sampled, another], [sampled, sampled._replace(rounds=frozenset())], []):
        with pytest.raises(InputError, match="drawn at random"):
            _refuse_chosen(others, random_labels=False)
        _refuse_chosen(others, random_labels=True)


def test_items_chosen_by_doubt_are_no_random_sample_whatever_is_declared():
    """The store knows better."""
    with pytest.raises(InputError, match="1 of the labelled items were chosen for review by doubt"):
        _refuse_chosen([reviewed("sample", "one"), reviewed("doubt", "two")], random_labels=True)


def test_an_estimate_as_a_page():
    """The interval with that of the labels alone; a pass rate in percent."""
    from evenhand.reports.html.estimates import estimate_page

    rows = [(5 + n % 5, 4 + n % 5 if n < 60 else None) for n in range(600)]
    page = estimate_page(*evenhand.estimate("mean", rows, random_labels=True))
    assert "labels alone" in page and "These outputs: people would give 6.00" in page
    draw = Random(1)
    judged = [(7.0 if draw.random() < 0.6 else 3.0) for _ in range(600)]
    pairs = [
        (score, (7.0 if (score > 5) == (draw.random() < 0.9) else 3.0) if n < 200 else None)
        for n, score in enumerate(judged)
    ]
    rate = estimate_page(*evenhand.estimate("pass-rate", pairs, random_labels=True, pass_mark=5))
    assert "people would pass" in rate and "labels alone" not in rate
