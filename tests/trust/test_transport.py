"""Whether a calibration holds for other outputs: by labels of the skill, or by outputs of the same kind."""

from __future__ import annotations

import json
from pathlib import Path
from random import Random

import pytest
from conftest import seven

import evenhand
from evenhand.stats.trust.calibration_transfer import LEAST_LABELS, MOVED, differing, smirnov, transport
from evenhand.trust.borrowed_calibrations import check_transport
from evenhand.trust.calibration import calibrate_store, write_calibration

ALIKE = {"final": [5 + n / 10 for n in range(40)]}


def verdict(residuals=(), *, skill="notes", known=("notes",), now=ALIKE):
    return transport(skill, known, ALIKE, now, residuals)


def test_a_labelled_skill_with_outputs_like_the_labelled_ones_is_fine():
    """Also with too few outputs to compare."""
    assert verdict().verdict == "holds"
    assert verdict(now={"final": [9.9] * 9}).verdict == "holds"


def test_another_skill_is_unknown_until_some_of_it_is_labelled():
    """However alike the outputs look."""
    found = verdict(skill="mails")
    assert found.verdict == "unknown"
    assert found.says.startswith("it was made from labels of notes, none of mails: label 8 or more outputs of mails")
    assert verdict([0.1, -0.1] * 4, skill="mails").verdict == "holds"
    assert verdict([0.1, -0.1, 0.1, -0.1, 0.1, -0.1, 0.1], skill="mails").verdict == "unknown"  # one too few
    assert LEAST_LABELS == 8


def test_outputs_of_another_kind_are_unknown_until_some_are_labelled():
    """Forty scores from 5 to 8.9 against forty from 1 to 2.95."""
    other = {"final": [1 + n / 20 for n in range(40)]}
    found = verdict(now=other)
    assert (found.verdict, [entry.field for entry in found.unlike]) == ("unknown", ["final"])
    assert "these outputs are not like the labelled ones (median final 1.975, labelled ones 6.95)" in found.says
    assert verdict([0.1, -0.1] * 5, now=other).verdict == "holds"


def test_labels_that_differ_from_the_calibrated_scores_decide():
    """Calibrated 4.91 where people say 2.43: -2.48 on average. Half a point is the least that counts."""
    found = verdict([-2.48 + (n % 3 - 1) / 10 for n in range(9)], skill="mails")
    assert (found.verdict, found.error) == ("does not hold", pytest.approx(-2.48))
    assert found.says.startswith("people differ from the calibrated scores by -2.48 on 9 labels of mails, 95% from ")
    assert verdict([MOVED] * 8).verdict == "does not hold"
    assert verdict([MOVED - 0.001] * 8).verdict == "holds"


def test_labels_that_scatter_too_far_decide_nothing():
    """Eight labels between -4 and 4: the mean may be off by more than a point."""
    found = verdict([-4.0, 4.0] * 4)
    assert (found.verdict, "too few labels to tell" in found.says) == ("unknown", True)


@pytest.mark.parametrize(("n", "m", "shift"), [(40, 30, 0.0), (60, 25, 0.6), (20, 80, 1.5), (200, 200, 0.2)])
def test_the_test_of_smirnov_is_scipy_s(n, m, shift):
    """Within a hundredth of the exact chance, for samples without ties."""
    stats = pytest.importorskip("scipy.stats")
    draw = Random(n)
    first, second = [draw.gauss(0, 1) for _ in range(n)], [draw.gauss(shift, 1) for _ in range(m)]
    exact = stats.ks_2samp(first, second, method="exact").pvalue
    assert smirnov(first, second) == pytest.approx(exact, abs=0.02)
    assert smirnov(first, first) == 1.0


@pytest.mark.slow
def test_outputs_of_the_same_kind_are_seldom_called_different():
    """Eight fields, correlated, in whole and half points: at 1 in 100, 400 worlds give at most 10."""
    draw = Random(5)

    def outputs(number: int) -> dict[str, list[float]]:
        levels = [draw.gauss(7, 1) for _ in range(number)]
        return {f"f{k}": [round(2 * (level + draw.gauss(0, 0.7))) / 2 for level in levels] for k in range(8)}

    assert sum(bool(differing(outputs(60), outputs(40))) for _ in range(400)) <= 10


@pytest.mark.slow
def test_labels_that_fit_are_seldom_called_different():
    """An error of a point and a half for each label, ten labels, no bias: at 1 in 100, 500 worlds give at most 12."""
    draw = Random(6)
    wrong = sum(verdict([draw.gauss(0, 1.5) for _ in range(10)]).verdict == "does not hold" for _ in range(500))
    assert wrong <= 12


# --- from a store


@pytest.fixture
def store(tmp_path, monkeypatch):
    """Sixty labelled notes, whose judge is a point too kind."""
    monkeypatch.chdir(tmp_path)
    opened = evenhand.open_store("s.db")
    put(opened, "notes", range(60), lambda level: level - 1)
    yield opened
    opened.close()


def put(store, skill: str, numbers, people) -> list[evenhand.Scorecard]:
    cards, labels = [], ["item,rater,final"]
    for n in numbers:
        level = 3 + n % 7
        judged = {"id": f"{skill}-{n}", "skill": skill, "judge": "model:a", "rubric": "default", "scores": seven(level)}
        cards.append(evenhand.score(judged, output=f"Output {n} of {skill}.", store=store))
        if people is not None:
            labels.append(f"{skill}-{n},ana,{max(1, people(level))}")
    if people is not None:
        Path("labels.csv").write_text("\n".join(labels) + "\n")
        evenhand.trust.import_labels(store, "labels.csv", scale="1-10")
    return cards


@pytest.mark.slow
def test_a_calibration_says_what_was_labelled(store):
    """Skills, the judge's scores, lengths of outputs; it is read back as it was written."""
    made = calibrate_store(store, judge="model:a")
    assert made.skills == ("notes",)
    assert (len(made.seen["final"]), made.seen["final"][0], len(made.seen["length"])) == (60, 3.0, 60)
    write_calibration(made, "c.json")
    assert json.loads(Path("c.json").read_text())["seen"]["final"][0] == 3.0


@pytest.mark.slow
def test_a_gate_refuses_a_borrowed_calibration_until_labels_show_that_it_holds(store, evenhand_command):
    """Mails that people score three points lower than notes of the same score."""
    write_calibration(calibrate_store(store, judge="model:a"), "c.json")
    gate = ("gate", "--store", "s.db", "--require-calibration", "c.json", "--set", "gate.last=30", "--skill")
    assert evenhand_command(*gate, "notes").code == 0
    put(store, "mails", range(30), None)
    red = evenhand_command(*gate, "mails")
    assert (red.code, "it was made from labels of notes, none of mails" in red.out) == (1, True)
    put(store, "letters", range(30), lambda level: level - 4)
    off = evenhand_command(*gate, "letters")
    assert (off.code, "people differ from the calibrated scores by -" in " ".join(off.out.split())) == (1, True)
    put(store, "memos", range(30), lambda level: level - 1)
    assert evenhand_command(*gate, "memos").code == 0
    for skill, colours in (("memos", {"green"}), ("letters", {"red"})):
        cards = [evenhand.score({"skill": skill, "judge": "model:a", "rubric": "default", "scores": seven(5)})]
        assert {ruling.colour for ruling in evenhand.gate(cards, calibration="c.json", store=store)} == colours


@pytest.mark.slow
def test_labels_that_the_calibration_was_made_from_do_not_speak_for_it(store):
    """Only newer ones do; without any, outputs of the same kind."""
    made = calibrate_store(store, judge="model:a")
    cards = [entry.card for entry in evenhand_cards(store, "notes")]
    assert check_transport(made, cards, store)["notes"].labels == 0
    assert check_transport(made, cards, None)["notes"].verdict == "holds"
    put(store, "notes", range(60, 80), lambda level: level - 1)
    assert check_transport(made, cards, store)["notes"].labels == 20


def evenhand_cards(store, skill):
    from evenhand.judging.kept.found_cards import cards_of_skill

    return cards_of_skill(store, skill)
