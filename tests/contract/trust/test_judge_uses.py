"""Whether a judge can be used: to compare outputs of a case, to give a level, to gate at the pass mark.

Scripted judges of made-up outputs, two of each case, through the real command. What a judge does is known, and with it
what it can serve.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from random import Random

import pytest

import evenhand
from contract.doors import run_here

Judge = Callable[[Random, float, float, int], float]
"""A score from the quality of the output, that of its case, and the place of the output in the case."""

JUDGES: dict[str, Judge] = {
    "honest": lambda draw, quality, case, place: quality + draw.gauss(0, 0.9),
    "knows the case": lambda draw, quality, case, place: case + draw.gauss(0, 0.5),
    "random": lambda draw, quality, case, place: draw.uniform(1, 10),
    "constant": lambda draw, quality, case, place: 8,
    "position": lambda draw, quality, case, place: 8 if place else 6,
    "inverted": lambda draw, quality, case, place: 13.4 - quality + draw.gauss(0, 0.5),
}


def table(judge: Judge, labels: int, seed: int) -> str:
    """A table of outputs with the scores of the judge and of Ana."""
    draw = Random(seed)
    lines = ["item,case,judge:j,human:ana"]
    case = 0.0
    for number in range(labels):
        if number % 2 == 0:
            case = draw.gauss(6.7, 1.2)
        quality = case + draw.gauss(0, 1.2)
        score = min(10, max(1, round(judge(draw, quality, case, number % 2), 1)))
        lines.append(f"o{number},c{number // 2},{score},{min(10, max(1, round(quality)))}")
    return "\n".join(lines) + "\n"


def uses_of(judge: str, labels: int, folder, seed: int = 1) -> dict[str, dict]:
    (folder / "labels.csv").write_text(table(JUDGES[judge], labels, seed), encoding="utf-8")
    ran = run_here(
        *(
            "trust",
            "agree",
            "labels.csv",
            "--field",
            "final",
            "--scale",
            "1-10",
            "--cluster",
            "case",
            "--set",
            "trust.pass_mark=7",
        ),
        *("--set", "trust.resamples=200", "--format", "json"),
        cwd=folder,
    )
    assert ran.code == 0, ran.err
    (entries,) = json.loads(ran.out)["uses"].values()
    return {entry["use"]: entry for entry in entries}


@pytest.mark.parametrize("judge", JUDGES)
def test_a_judge_is_found_fit_for_what_it_can_serve(judge, tmp_path):
    """400 labels: the honest one for all; one that knows the case cannot put its outputs in order; the rest nothing."""
    fit = {"honest": {"compare", "level", "gate"}, "knows the case": {"level", "gate"}}.get(judge, set())
    found = uses_of(judge, 400, tmp_path)
    assert {use for use, entry in found.items() if entry["verdict"] == "yes"} == fit
    assert all(found[use]["verdict"] != "no" for use in fit)
    for entry in found.values():
        assert bool(entry.get("more")) <= (entry["verdict"] == "not-shown")


@pytest.mark.parametrize("judge", ["random", "constant", "position", "inverted"])
@pytest.mark.parametrize("labels", [20, 60])
def test_few_labels_never_approve_a_judge_of_no_use(judge, labels, tmp_path):
    """Three worlds each; `benchmarks/judge_uses.py` counts them by hundreds."""
    for seed in range(3):
        assert "yes" not in {entry["verdict"] for entry in uses_of(judge, labels, tmp_path, seed).values()}


def test_a_verdict_can_be_read_off_its_interval(tmp_path):
    """Yes: above the least useful value; no: below what a judge worth having reaches."""
    least, most = {"compare": 0.2, "level": 0.35, "gate": 0.1}, {"compare": 0.25, "level": 0.5, "gate": 0.2}
    for judge in JUDGES:
        for use, entry in uses_of(judge, 150, tmp_path).items():
            if entry["low"] is not None:
                yes, no = entry["low"] > least[use], entry["high"] < most[use]
                assert entry["verdict"] == ("yes" if yes else "no" if no else "not-shown")


def test_comparing_needs_two_outputs_of_a_case(tmp_path):
    """With one of each, the answer says what to label."""
    (tmp_path / "one.csv").write_text(
        "item,judge:j,human:ana\n" + "".join(f"o{n},{2 + n % 7},{1 + n % 7}\n" for n in range(60)), encoding="utf-8"
    )
    ran = run_here("trust", "agree", "one.csv", "--field", "final", "--scale", "1-10", cwd=tmp_path)
    assert "label a second output of 25 cases" in " ".join(ran.out.split())
    assert "to compare outputs of a case" in ran.out
    assert "not shown yet  no pass mark is known" in ran.out


def test_a_calibration_says_the_same_as_the_agreement(tmp_path):
    """The verdicts of `calibrate` and `agree` on the same labels of a store."""
    store = evenhand.open_store(str(tmp_path / "s.db"))
    store.create()
    draw = Random(3)
    lines = ["id,final"]
    for number in range(60):
        quality = draw.uniform(3, 9.5)
        scores = dict.fromkeys(evenhand.DIMENSIONS, round(min(10, quality + draw.gauss(0.5, 0.5)), 1))
        evenhand.score(
            {"skill": "s", "judge": "model:a", "scores": scores},
            output=f"output {number}", id=f"o{number}", store=store, rubric="default",
        )  # fmt: skip
        lines.append(f"o{number},{round(quality)}")
    store.close()
    (tmp_path / "labels.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    assert (
        run_here("trust", "labels", "import", "labels.csv", "--rater", "ana", "--store", "s.db", cwd=tmp_path).code == 0
    )
    agreed = run_here(
        "trust", "agree", "--store", "s.db", "--set", "trust.resamples=200", "--format", "json", cwd=tmp_path
    )
    made = run_here("trust", "calibrate", "--store", "s.db", "--format", "json", cwd=tmp_path)
    assert json.loads(agreed.out)["uses"]["model:a"] == json.loads(made.out)["uses"]
    assert [entry["verdict"] for entry in json.loads(made.out)["uses"]][1:] == ["yes", "yes"]


def test_what_is_missing_is_named_with_the_extra(tmp_path, monkeypatch):
    """A plain installation has no NumPy."""
    (tmp_path / "labels.csv").write_text(table(JUDGES["honest"], 20, 1), encoding="utf-8")
    monkeypatch.setitem(sys.modules, "numpy", None)
    ran = run_here("trust", "agree", "labels.csv", "--cluster", "case", cwd=tmp_path)
    assert ran.code == 2
    assert "needs numpy; install with: pip install 'evenhand[trust]'" in ran.err
