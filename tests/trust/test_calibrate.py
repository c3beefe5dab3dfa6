"""evenhand trust calibrate, judge --calibration, gate --require-calibration: a file that fits, and others."""

from __future__ import annotations

import json
from decimal import Decimal
from pathlib import Path
from random import Random

import pytest
from conftest import ROOT, seven

import evenhand
import flat_calls
from evenhand.core.calibration import calibrate_card, misfit, shortcoming
from evenhand.core.curve import UseVerdict
from evenhand.documents.calibration import calibration_document, calibration_from, signed
from evenhand.errors import DocumentError, InputError
from evenhand.files.tables import read_table
from evenhand.judging.calibration import load_calibration
from evenhand.trust.calibration import calibrate_store, write_calibration
from evenhand.trust.labels.judged_items import judged_items
from evenhand.trust.labels.label_import import import_labels
from evenhand.trust.labels.table_layout import Options

EXAMPLES = ROOT / "examples"
FIRST = ["judge", "answer.md", "--task", "task.md", "--rubric", "devops", "--store", "none", "--judge"]


@pytest.fixture
def store(tmp_path):
    opened = evenhand.open_store(str(tmp_path / "evaluations.db"))
    opened.create()
    yield opened
    opened.close()


def judge_some(store, number: int, *, judge: str = "model:a", bias: float = 1.0, skill: str = "review") -> None:
    """So many outputs judged, the judge `bias` points above the label that `label_some` gives."""
    draw = Random(5)
    for place in range(number):
        score = min(10, max(1, round(draw.uniform(2, 8) + bias, 1)))
        evenhand.score(
            {"skill": skill, "judge": judge, "scores": seven(score)},
            output=f"output {skill} {place}",
            id=f"{skill}-{judge}-{place}",
            store=store,
            rubric="default",
        )


def label_some(store, tmp_path, number: int, *, field: str = "final", judge: str = "model:a") -> None:
    draw = Random(5)
    rows = [f"review-{judge}-{place},{round(draw.uniform(2, 8), 1)}" for place in range(number)]
    path = tmp_path / f"{field}.csv"
    path.write_text(f"id,{field}\n" + "\n".join(rows), encoding="utf-8")
    import_labels(store, read_table(str(path)), Options(rater="ana"))


@pytest.mark.slow
def test_labels_in_a_store_calibrate_its_judge(store, tmp_path):
    """Fifty labels a point below the judge: the curve takes the point away, and the file says whose it is."""
    judge_some(store, 60)
    label_some(store, tmp_path, 50)
    made = calibrate_store(store)
    assert made.judge["name"] == "model:a"
    assert made.rubric == "default"
    assert made.raters == ("human:ana",)
    curve = made.curves["final"]
    assert (curve.labels, curve.method) == (50, "line")
    assert curve.bias == pytest.approx(1.0, abs=0.01)
    assert curve.error < 0.2 < curve.raw_error
    assert made.left_out["safety"] == "no one labelled it"


@pytest.mark.slow
def test_a_persons_own_judgement_is_a_label(store):
    """Judgements of human:ana of the same outputs, seven dimensions and the final score."""
    judge_some(store, 25)
    judge_some(store, 25, judge="human:ana", bias=-0.5)
    made = calibrate_store(store)
    assert made.curves["safety"].bias == pytest.approx(1.5, abs=0.05)
    assert len(made.curves) == 8


@pytest.mark.slow
def test_several_judges_must_be_chosen_from(store, tmp_path):
    """The message names both, with their labels."""
    judge_some(store, 30)
    judge_some(store, 30, judge="model:b")
    label_some(store, tmp_path, 20)
    with pytest.raises(InputError, match=r"several judges: model:a with rubric default \(20 labelled\); model:b"):
        calibrate_store(store)
    assert calibrate_store(store, judge="model:b").judge["name"] == "model:b"
    with pytest.raises(InputError, match=r"no judge in .* matches; it has model:a"):
        calibrate_store(store, judge="model:c")


def test_an_unlabelled_judge_cannot_be_calibrated(store):
    """What to do is said: import labels."""
    judge_some(store, 3)
    with pytest.raises(InputError, match=r"there are no labels for outputs judged by model:a .*; import labels"):
        calibrate_store(store)


def test_too_few_labels_are_refused_with_the_number_needed(store, tmp_path):
    """18 of 19; at 90 % nine would do."""
    judge_some(store, 30)
    label_some(store, tmp_path, 18)
    with pytest.raises(InputError, match=r"18 labelled outputs are too few .* a 95% interval needs 19"):
        calibrate_store(store)
    assert calibrate_store(store, confidence=0.9).curves["final"].labels == 18


def test_an_output_judged_twice_counts_once(store, tmp_path):
    """The latest evaluation of an output by the judge is the one that is paired with its label."""
    judge_some(store, 20)
    label_some(store, tmp_path, 20)
    evenhand.score(
        {"skill": "review", "judge": "model:a", "scores": seven(9.9)},
        output="output review 0", id="again", store=store, rubric="default",
    )  # fmt: skip
    _, items = judged_items(store)
    assert len(items) == 20
    assert max(item.record.final for item in items) == 990


def fit_to_gate(calibration):
    """The calibration as if its labels had shown that the judge can gate."""
    return signed(calibration._replace(uses=(UseVerdict("gate", "yes", 0.6, 0.3, 0.8, 120, "it does"),)))


@pytest.fixture
def calibration(store, tmp_path):
    judge_some(store, 60)
    label_some(store, tmp_path, 50)
    return calibrate_store(store)


@pytest.mark.slow
def test_a_file_is_the_same_when_read_back(calibration, tmp_path):
    """Written, read, written again: the same document, with its own hash."""
    write_calibration(calibration, tmp_path / "c.json")
    again = load_calibration(tmp_path / "c.json")
    assert again == calibration
    assert again.sha256 == calibration_document(again)["sha256"]


@pytest.mark.parametrize(
    "change",
    [
        {"rubric": {"name": "default", "sha256": "0" * 64}},
        {"judge": {"name": "model:z"}},
        {"curves": {}},
        {"created": "2020-01-01T00:00:00Z"},
        {"raters": []},
        {"left_out": None},
        {"scale": [0, 100]},
        {"schema": "evenhand/scorecard/v1"},
    ],
    ids=lambda change: next(iter(change)),
)
@pytest.mark.slow
def test_a_changed_file_is_refused(calibration, change):
    """Whatever is edited, the hash no longer fits; nothing is half-read."""
    with pytest.raises(DocumentError):
        calibration_from(calibration_document(calibration) | change)


@pytest.mark.parametrize("document", [None, [], "text", {}, {"schema": "evenhand/calibration/v1", "scale": [1, 10]}])
def test_rejects_what_is_not_a_calibration(document):
    """Any JSON may come along."""
    with pytest.raises(DocumentError, match="not a"):
        calibration_from(document)


@pytest.mark.slow
def test_a_file_for_another_judge_prompt_or_rubric_does_not_fit(calibration):
    """Each is named."""
    judge = dict(calibration.judge)
    asked = calibration._replace(judge={**judge, "prompt": "a" * 64})
    assert misfit(calibration, judge, calibration.rubric_sha256) is None
    assert "another judge (name model:a, now model:b)" in str(misfit(calibration, {"name": "model:b"}))
    assert "another judge (temperature none, now 1)" in str(misfit(calibration, {**judge, "temperature": "1"}))
    assert f"another prompt ({'a' * 12}, now {'b' * 12})" in str(misfit(asked, {**judge, "prompt": "b" * 64}))
    assert "another rubric" in str(misfit(calibration, judge, "0" * 64))


@pytest.mark.slow
def test_a_score_out_of_range_is_left_out(calibration):
    """Up to a point beyond the labelled scores is calibrated, further out is not."""
    curve = calibration.curves["final"]
    edge = Decimal(f"{curve.high + 1.0:.2f}")
    for score, fits in ((edge, edge <= 10), (Decimal("1.01"), False)):
        card = evenhand.score({"judge": "model:a", "scores": seven(min(score, Decimal(10)))}, rubric="default")
        made = calibrate_card(calibration, card)
        assert ("final" in made.scores) is fits
        if not fits:
            assert "outside the range of the labelled outputs" in made.left_out["final"]
            assert "outside the range" in str(shortcoming(card, calibration))


@pytest.mark.slow
def test_calibrated_scores_stand_beside_the_official_ones(calibration):
    """The final score and grade stay raw; the document carries both, and verify holds."""
    card = evenhand.score({"judge": "model:a", "scores": seven(6)}, rubric="default")
    beside = card._replace(calibration=calibrate_card(calibration, card))
    assert (beside.final, beside.grade) == (card.final, card.grade)
    final = beside.calibration.scores["final"]
    assert final.low <= final.value <= final.high
    assert final.value == pytest.approx(Decimal(5), abs=Decimal("0.3"))
    document = evenhand.document(beside)
    assert document["calibration"]["sha256"] == calibration.sha256
    assert evenhand.verify(document).ok
    document["calibration"]["scores"]["final"]["calibrated"] = 9
    assert [difference.field for difference in evenhand.verify(document).differences] == ["calibration"]
    del document["calibration"]
    assert not evenhand.verify(document).ok


@pytest.mark.slow
def test_a_gate_may_require_a_calibrated_judge(calibration):
    """Red without one, red with one that does not fit, green with one that does; other limits still count."""
    six = {"id": "case", "skill": "review", "scores": seven(6)}
    card, other = (evenhand.score({**six, "judge": judge}, rubric="default") for judge in ("model:a", "model:b"))
    mail = evenhand.score({**six, "skill": "mails", "judge": "model:a"}, rubric="default")
    calibration = fit_to_gate(calibration)
    beside = card._replace(calibration=calibrate_card(calibration, card))

    def ruling(card, **more):
        (made,) = evenhand.gate([card], **more)
        return made.colour, made.says

    assert ruling(card, calibration=True) == ("red", "its judge is not calibrated")
    assert ruling(beside, calibration=True) == ("green", "6.00")
    assert ruling(card, calibration=calibration) == ("green", "6.00")
    assert ruling(other, calibration=calibration)[0] == "red"
    assert "it was made from labels of review, none of mails: label 8" in ruling(mail, calibration=calibration)[1]
    assert ruling(card, calibration=True, min_score=7) == ("red", "6.00 is below 7.00; its judge is not calibrated")
    assert ruling(beside, calibration=True, min_score=7) == ("red", "6.00 is below 7.00")
    assert ruling(card, calibration=True, min_score=5) == ("red", "its judge is not calibrated")


@pytest.mark.slow
def test_score_puts_what_people_would_give_beside_recorded_scores(calibration, tmp_path, evenhand_command):
    """Only where judge and rubric fit and the score is in range: each other judgement is refused with its line."""
    write_calibration(calibration, tmp_path / "c.json")
    lines = [
        {"id": "fits", "judge": "model:a", "scores": seven(6)},
        {"id": "person", "judge": "human:ana", "scores": seven(6)},
        {"id": "rubric", "judge": "model:a", "rubric": "writing", "scores": seven(6)},
        {"id": "beyond", "judge": "model:a", "scores": seven(1)},
    ]
    text = "".join(json.dumps({"rubric": "default", "skill": "review"} | line) + "\n" for line in lines)
    (tmp_path / "many.jsonl").write_text(text, encoding="utf-8")
    done = evenhand_command("score", "many.jsonl", "--calibration", "c.json", "--store", "s.db", "-f", "jsonl")
    assert done.code == 2
    cards = {card["id"]: card for card in map(json.loads, done.out.splitlines())}
    assert cards.keys() == {"fits", "beyond"}
    assert cards["fits"]["calibration"]["scores"]["final"]["calibrated"] == pytest.approx(5, abs=0.3)  # a point less
    assert cards["fits"]["final"] == 6
    assert "many.jsonl:2: the calibration does not fit: it was made for another judge" in done.err
    assert "many.jsonl:3: the calibration does not fit: it was made with another rubric" in done.err
    assert "the calibration does not fit beyond: 1.00 is outside the range" in done.err
    again = evenhand.score(lines[0] | {"rubric": "default"}, calibration=calibration)
    shown = cards["fits"]["calibration"]["scores"]["final"]["calibrated"]
    assert float(again.calibration.scores["final"].value) == shown


@pytest.mark.slow
def test_a_calibration_as_a_page(calibration):
    """Every curve in the table, a drawing of the final score, text from outside escaped."""
    from report_formats import calibration_page

    page = calibration_page(calibration._replace(judge={"name": "<b>a"}))
    assert "&lt;b&gt;a" in page and "<b>a" not in page
    assert '<th scope="row">final</th><td data-label="method">line</td>' in page
    assert page.count("<svg") == 1


# --- the commands


@pytest.fixture
def calibrated_replay(evenhand_command, tmp_path):
    """A recorded judge, and a calibration of it from a table of pairs."""
    card = evenhand_command(*FIRST, f"replay:{EXAMPLES}/recorded/first.jsonl", "-f", "json", cwd=EXAMPLES)
    (tmp_path / "card.json").write_text(card.out, encoding="utf-8")
    pairs = [f"{2 + place / 8:.2f},{1 + place / 8:.2f}" for place in range(50)]
    (tmp_path / "pairs.csv").write_text("judge,people\n" + "\n".join(pairs), encoding="utf-8")
    made = evenhand_command(
        "trust", "calibrate", "--table", "pairs.csv", "--set", "trust.like=card.json", "-o", "c.json"
    )
    assert made.code == 0, made.err
    return tmp_path / "c.json"


@pytest.mark.slow
def test_judge_shows_what_people_would_give(evenhand_command, calibrated_replay):
    """The raw final score is 3.38; people give a point less."""
    judge = [*FIRST, f"replay:{EXAMPLES}/recorded/first.jsonl", "--set", f"judge.calibration={calibrated_replay}"]
    shown = evenhand_command(*judge, cwd=EXAMPLES)
    assert shown.code == 0, shown.err
    assert "people would give 2.38" in shown.out
    document = json.loads(evenhand_command(*judge, "-f", "json", cwd=EXAMPLES).out)
    assert document["final"] == 3.38
    assert document["calibration"]["scores"]["final"]["calibrated"] == 2.38
    assert "eople would give 2.38" in evenhand_command(*judge, "-f", "markdown", cwd=EXAMPLES).out
    card = flat_calls.judge(
        (EXAMPLES / "answer.md").read_text(), task=(EXAMPLES / "task.md").read_text(), rubric="devops",
        judges=f"replay:{EXAMPLES}/recorded/first.jsonl", calibration=calibrated_replay,
    )  # fmt: skip
    assert card.calibration.scores["final"].value == Decimal("2.38")


@pytest.mark.slow
def test_judge_refuses_a_calibration_that_does_not_fit(evenhand_command, calibrated_replay, tmp_path):
    """Another judge, another rubric, a damaged file, checks alone, a score out of range: exit code 2 and which."""
    first, second = (f"replay:{EXAMPLES}/recorded/{name}.jsonl" for name in ("first", "second"))
    use = ["--set", f"judge.calibration={calibrated_replay}"]
    other_judge = evenhand_command(*FIRST, second, *use, cwd=EXAMPLES)
    assert (other_judge.code, other_judge.out) == (2, "")
    assert "made for another judge" in other_judge.err
    other_rubric = evenhand_command(*(arg.replace("devops", "writing") for arg in FIRST), first, *use, cwd=EXAMPLES)
    assert other_rubric.code == 2
    assert "made with another rubric" in other_rubric.err
    checks = evenhand_command("judge", "answer.md", "--store", "none", *use, cwd=EXAMPLES)
    assert checks.code == 2
    assert "judge.calibration is for models" in checks.err
    calibrated_replay.write_text(calibrated_replay.read_text().replace('"labels": 50', '"labels": 51'))
    changed = evenhand_command(*FIRST, first, *use, cwd=EXAMPLES)
    assert changed.code == 2
    assert "c.json: the calibration was changed after it was made" in changed.err
    high = "judge,people\n" + "\n".join(f"{6 + place / 10},{5 + place / 10}" for place in range(20))
    (tmp_path / "pairs.csv").write_text(high, encoding="utf-8")
    evenhand_command("trust", "calibrate", "--table", "pairs.csv", "--set", "trust.like=card.json", "-o", "c.json")
    beyond = evenhand_command(*FIRST, first, *use, cwd=EXAMPLES)
    assert beyond.code == 2
    assert "3.38 is outside the range of the labelled outputs, 6.00 to 7.90" in beyond.err
    assert "3.38" in beyond.out  # what was paid for is shown


@pytest.mark.slow
def test_bad_tables_are_refused_with_their_lines(evenhand_command, calibrated_replay, tmp_path):
    """Off the scale, no number, no such column, no such field, no judge named."""
    for text, message in (
        ("judge,people\n12,3\nx,4", 'bad.csv:2: judge is "12"; it must be a number from 1 to 10\nerror: bad.csv:3'),
        ("judge,person\n5,3", 'bad.csv: unknown column "people"; valid: judge, person'),
        ("field,judge,people\ntone,5,3", 'bad.csv:2: unknown scored field "tone"; valid: final, correctness'),
        ("judge,people\n5,3", "1 labelled outputs are too few"),
    ):
        (tmp_path / "bad.csv").write_text(text, encoding="utf-8")
        ran = evenhand_command("trust", "calibrate", "--table", "bad.csv", "--set", "trust.like=card.json")
        assert (ran.code, ran.out) == (2, "")
        assert message in ran.err
    assert "--set trust.like" in evenhand_command("trust", "calibrate", "--table", "pairs.csv").err
    assert evenhand_command("trust", "calibrate", "--set", "trust.confidence=1").code == 2


@pytest.mark.slow
def test_the_gate_command_is_red_without_a_calibration(evenhand_command, calibrated_replay, tmp_path):
    """By itself and with a file."""
    plain = evenhand_command("gate", "card.json", "--require-calibration")
    assert (plain.code, "its judge is not calibrated" in plain.out) == (1, True)
    unshown = evenhand_command("gate", "card.json", "--require-calibration", "c.json")
    assert (unshown.code, "it is not shown yet that its judge can be used to gate" in unshown.out) == (1, True)
    pairs = [f"{2 + place / 20:.2f},{1.7 + place / 20:.2f}" for place in range(150)]
    (tmp_path / "more.csv").write_text("judge,people\n" + "\n".join(pairs), encoding="utf-8")
    shown = evenhand_command(
        "trust", "calibrate", "--table", "more.csv", "--set", "trust.like=card.json", "-o", "more.json"
    )
    assert "to gate at the pass mark      yes" in shown.err
    assert evenhand_command("gate", "card.json", "--require-calibration", "more.json").code == 0
    assert evenhand_command("gate", "card.json", "--require-calibration", "none.json").code == 2


@pytest.mark.slow
def test_outputs_of_a_cluster_are_not_independent_labels(tmp_path, monkeypatch, evenhand_command):
    """Eighty labels of four tasks are refused; of sixteen they are taken, and the calibration says so."""
    monkeypatch.chdir(tmp_path)
    card = evenhand.score({"id": "c", "judge": "model:a", "scores": seven(8)}, rubric="default")
    Path("card.json").write_text(json.dumps(evenhand.document(card)))
    pairs = [(2 + n / 12, 1 + n / 12) for n in range(80)]
    for tasks, code in ((4, 2), (16, 0)):
        names = [f"task-{n % tasks}" for n in range(80)]
        rows = "".join(f"{judge:.2f},{people:.2f},{name}\n" for (judge, people), name in zip(pairs, names, strict=True))
        Path("pairs.csv").write_text(f"score,expert,task\n{rows}")
        made = evenhand_command(
            *(
                "trust",
                "calibrate",
                "--table",
                "pairs.csv",
                "--set",
                "trust.like=card.json",
                "--store",
                "none",
                "--cluster",
                "task",
            ),
            *("--set", "trust.columns=score,expert", "--format", "json"),
        )
        assert made.code == code, made.err
        if code:
            assert "no calibration: the 80 labelled items come from 4 clusters" in made.err
            with pytest.raises(evenhand.InputError, match="come from 4 clusters"):
                evenhand.trust.calibrate(pairs, like=card, clusters=names)
        else:
            assert json.loads(made.out)["clusters"] == 16
            assert evenhand.trust.calibrate(pairs, like=card, clusters=names).clusters == 16
    ask = ("trust", "calibrate", "--table", "pairs.csv", "--set", "trust.like=card.json")
    for columns, says in (("score", "is not JUDGE,PEOPLE"), ("judge,people", 'unknown column "judge"')):
        wrong = evenhand_command(*ask, "--set", f"trust.columns={columns}")
        assert (wrong.code, says in wrong.err) == (2, True), wrong.err
    refused = evenhand_command(*ask, "--set", "trust.columns=score,expert", "--cluster", "tsk")
    assert (refused.code, 'unknown column "tsk"' in refused.err) == (2, True)
    assert evenhand_command("trust", "calibrate", "--cluster", "task").code == 2
    with pytest.raises(evenhand.InputError, match="give one of `clusters` for each pair"):
        evenhand.trust.calibrate(pairs, like=card, clusters=["a"])
