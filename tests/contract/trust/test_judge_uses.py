"""Whether a judge can be used: to compare outputs of a case, to give a level, to gate at the pass mark.

Scripted judges of made-up outputs, two of each case, through the real command. What a judge does is known, and with it
what it can serve.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from contextlib import closing
from random import Random
from urllib.request import urlopen

import pytest

import evenhand
from contract.doors import run_here, served

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


def labelled_store(folder, noise: float) -> None:
    """Sixty outputs, two of each case, with a judge's scores and Ana's; the judge scatters by so many points."""
    draw = Random(3)
    lines = ["id,final"]
    with closing(evenhand.open_store(str(folder / "s.db"))) as store:
        store.create()
        for number in range(60):
            quality = draw.uniform(3, 9.5)
            scores = dict.fromkeys(evenhand.DIMENSIONS, round(min(10, max(1, quality + draw.gauss(0.5, noise))), 1))
            evenhand.score(
                {"skill": "s", "judge": "model:a", "scores": scores, "task": f"task {number // 2}"},
                output=f"output {number}", id=f"o{number}", store=store, rubric="default",
            )  # fmt: skip
            lines.append(f"o{number},{round(quality)}")
    (folder / "labels.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    ran = run_here("trust", "labels", "import", "labels.csv", "--rater", "ana", "--store", "s.db", cwd=folder)
    assert ran.code == 0, ran.err


@pytest.mark.parametrize(("noise", "answers"), [(0.4, {"yes"}), (2.2, {"not-shown"})])
def test_every_door_gives_a_judge_the_same_verdict(noise, answers, tmp_path):
    """The agreement and the calibration of a store, a card judged with that calibration, a gate that requires it, and
    the dashboard: of a judge near people, and of one that scatters."""
    labelled_store(tmp_path, noise)

    def shown(*arguments: str):
        ran = run_here(*arguments, "--store", "s.db", cwd=tmp_path)
        assert ran.code in (0, 1), ran.err
        return ran

    agreed = json.loads(shown("trust", "agree", "--set", "trust.resamples=200", "-f", "json").out)["uses"]["model:a"]
    verdicts = {entry["use"]: entry["verdict"] for entry in agreed}
    assert set(verdicts.values()) == answers
    made = shown("trust", "calibrate", "-f", "json").out
    assert json.loads(made)["uses"] == agreed
    (tmp_path / "c.json").write_text(made, encoding="utf-8")
    line = {"skill": "s", "judge": "model:a", "rubric": "default", "scores": dict.fromkeys(evenhand.DIMENSIONS, 7)}
    (tmp_path / "new.json").write_text(json.dumps(line), encoding="utf-8")
    card = json.loads(shown("score", "new.json", "--calibration", "c.json", "-f", "json").out)
    assert card["calibration"]["uses"] == verdicts
    (tmp_path / "card.json").write_text(json.dumps(card), encoding="utf-8")
    gate = shown("gate", "card.json", "--min-score", "1", "--require-calibration", "c.json")
    assert gate.code == (0 if verdicts["gate"] == "yes" else 1)
    says = {entry["use"]: entry["says"] for entry in agreed}
    assert verdicts["gate"] == "yes" or says["gate"] in " ".join(gate.out.split())
    with served(str(tmp_path / "s.db"), tmp_path) as address, urlopen(f"{address}/judges?format=json") as answer:
        judges = {row["judge"]: row["uses"] for row in json.load(answer)["judges"]}
    for _, _, word, evidence in judges["model:a"]:
        ((use,),) = [[use for use in says if evidence.startswith(says[use])]]
        assert word == {"yes": "yes", "no": "no", "not-shown": "not shown yet"}[verdicts[use]]
    assert len(judges["model:a"]) == len(verdicts)


@pytest.mark.parametrize("text", [table(JUDGES["honest"], 20, 1), "Ticket No.,ana,bo\n7,3,4\n9,5,5\n"])
def test_what_is_missing_is_named_with_the_extra(tmp_path, monkeypatch, text):
    """A plain installation has no NumPy; that comes before any question about the columns of a table."""
    (tmp_path / "labels.csv").write_text(text, encoding="utf-8")
    monkeypatch.setitem(sys.modules, "numpy", None)
    ran = run_here("trust", "agree", "labels.csv", "--cluster", "case", cwd=tmp_path)
    assert ran.code == 2
    assert "needs numpy; install with: pip install 'evenhand[trust]'" in ran.err
