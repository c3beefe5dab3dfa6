"""A run that is kept in a store: the dashboard, its archive and every format of its gate say what `run show` says."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any, NamedTuple
from urllib.parse import unquote, urlencode
from urllib.request import urlopen
from xml.etree import ElementTree
from zipfile import ZipFile

import pytest

import evenhand
from contract.decisions.making import head, random_results, result, write_results
from contract.decisions.test_doors import listed_tests, words
from contract.doors import Ran, run_here, served
from contract.store.team import judgement, keep

SEEDS = range(100, 108)


class Kept(NamedTuple):
    """A store with a run for each seed, and the address of its dashboard."""

    folder: Path
    address: str
    ids: dict[int, str]
    """By seed."""

    def run(self, *arguments: str) -> Ran:
        """A command over the store."""
        environment = {"COLUMNS": "400", "EVENHAND_STORE": str(self.folder / "e.db")}
        return run_here(*arguments, cwd=self.folder, environment=environment)

    def save(self, file: str) -> str:
        """A file of results kept in the store; its id there."""
        done = self.run("run", "import", file, "--save")
        assert done.code == 0, done.err
        return done.err.split("stored: ")[1].strip()

    def page(self, path: str, **asked: str) -> str:
        """A page of the dashboard."""
        with urlopen(f"{self.address}{path}?{urlencode(asked)}") as answer:
            return str(answer.read().decode())


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Kept]:
    """Runs of random results, the first of them named as a baseline."""
    folder = tmp_path_factory.mktemp("kept")
    here = Kept(folder, "", {})
    for seed in SEEDS:
        first, rows = random_results(Random(seed))
        gate = {"margin": "0.2", "min_score": "5"} if seed % 2 else None
        write_results(folder / f"{seed}.jsonl", {**first, "gate": gate}, rows)
        here.ids[seed] = here.save(f"{seed}.jsonl")
    with served(str(folder / "e.db"), folder) as address:
        yield here._replace(address=address)


@pytest.mark.parametrize("seed", SEEDS)
def test_the_dashboard_says_what_run_show_says(seed: int, kept: Kept):
    """Its page, its JSON, and the verdict in the list of runs."""
    decision = json.loads(kept.run("run", "show", kept.ids[seed], "-f", "json").out)
    says = [contrast["says"] for contrast in decision["contrasts"]]
    there = json.loads(kept.page("/suite", run=kept.ids[seed], format="json"))
    assert {name: there[name] for name in ("contrasts", "variants", "level")} == {
        name: decision[name] for name in ("contrasts", "variants", "level")
    }
    page = words(kept.page("/suite", run=kept.ids[seed]))
    listed = json.loads(kept.page("/suites", format="json"))["runs"]
    (verdict,) = (run["verdict"] for run in listed if run["id"] == kept.ids[seed])
    for sentence in says:
        assert words(sentence) in page
        assert any(line.startswith(sentence) for line in verdict)
    assert there["answer"] == decision["answer"]


@pytest.mark.parametrize("seed", SEEDS)
def test_an_archive_has_the_table_that_run_table_prints(seed: int, kept: Kept):
    """Byte for byte; and its numbers are those of the decision."""
    done = kept.run("run", "pack", kept.ids[seed], "-o", f"{seed}.zip")
    assert done.code == 0, done.err
    with ZipFile(kept.folder / f"{seed}.zip") as archive:
        packed = archive.read("table.csv").decode()
    assert packed == kept.run("run", "table", kept.ids[seed], "-f", "csv").out
    contrasts = json.loads(kept.run("run", "show", kept.ids[seed], "-f", "json").out)["contrasts"]
    claims = [row for row in csv.DictReader(io.StringIO(packed)) if row["kind"] == "contrast"]
    assert [(row["name"], row["verdict"]) for row in claims] == [
        (f"{one['variant']} - {one['reference']}", one["verdict"]) for one in contrasts
    ]


@pytest.mark.parametrize("seed", SEEDS)
def test_every_format_of_a_gate_has_the_rulings_of_its_json(seed: int, kept: Kept):
    """Terminal, Markdown, page, JUnit, CTRF, SARIF and GitHub's annotations; every case in JUnit and CTRF."""
    gate = ("gate", "--suite", kept.ids[seed], "--min-score", "5")
    shown = {name: kept.run(*gate, "-f", name) for name in ("json", "terminal", "markdown", "html", "junit", "github")}
    assert len({done.code for done in shown.values()}) == 1
    rulings = json.loads(shown["json"].out)["rulings"]
    assert rulings
    junit = listed_tests(shown["junit"].out, "gate")
    annotated = unquote(shown["github"].out)
    for ruling in rulings:
        for name in ("terminal", "markdown", "html"):
            assert words(ruling["says"]) in words(shown[name].out)
        kind = {"red": "failure", "green": "passed"}.get(ruling["colour"], "error")
        assert junit[ruling["name"]] == (kind, ruling["says"])
        assert (ruling["says"] in annotated) == (ruling["colour"] != "green")
    (call,) = json.loads(kept.run(*gate, "-f", "sarif").out)["runs"][0]["invocations"]
    notes = [note["message"]["text"] for note in call["toolExecutionNotifications"]]
    assert notes == [f"{ruling['colour']}: {ruling['name']}: {ruling['says']}" for ruling in rulings]
    tests = json.loads(kept.run(*gate, "-f", "ctrf").out)["results"]["tests"]
    status = {"failure": "failed", "error": "other", "passed": "passed"}
    cases = [
        (case.get("name"), next((status[child.tag] for child in case if child.tag in status), "passed"))
        for case in ElementTree.fromstring(shown["junit"].out).iter("testcase")
    ]
    assert [(test["name"], test["status"]) for test in tests] == cases


@pytest.mark.parametrize("seed", SEEDS)
def test_a_gate_rules_alike_at_the_command_at_the_run_and_on_the_dashboard(seed: int, kept: Kept):
    """The suite's own limits, and none where it has none."""
    shown = json.loads(kept.run("run", "show", kept.ids[seed], "--gate", "-f", "json").out)
    page = json.loads(kept.page("/suite", run=kept.ids[seed], format="json"))
    if not seed % 2:
        assert page["rulings"] == []
        return
    rulings = json.loads(kept.run("gate", "--suite", kept.ids[seed], "-f", "json").out)["rulings"]
    assert rulings and shown["rulings"] == rulings == page["rulings"]


def test_a_gate_with_a_baseline_does_not_change_what_is_compared(kept: Kept):
    """Its rulings are about the baseline; the decision is about the run's own variants, at every door."""
    ids = []
    for final in (700, 500):
        rows = [result(f"c{number}", variant, final) for number in range(8) for variant in "ab"]
        gate = {"baseline": "v1", "margin": "0.2"}
        write_results(kept.folder / "b.jsonl", head(["a", "b"], 8, 1, suite="b", gate=gate), rows)
        ids.append(kept.save("b.jsonl"))
    assert kept.run("run", "show", ids[0], "--name", "v1").code == 0
    plain = json.loads(kept.run("run", "show", ids[1], "-f", "json").out)
    gated = json.loads(kept.run("run", "show", ids[1], "--gate", "-f", "json").out)
    page = json.loads(kept.page("/suite", run=ids[1], format="json"))
    assert plain["contrasts"] == gated["contrasts"] == page["contrasts"]
    rulings = json.loads(kept.run("gate", "--suite", ids[1], "-f", "json").out)["rulings"]
    assert gated["rulings"] == rulings == page["rulings"]
    assert any("v1: " in ruling["name"] and ruling["colour"] == "red" for ruling in rulings)


def test_a_least_mean_score_is_that_of_the_table(kept: Kept):
    """The mean in the gate's sentence is the one beside the variant."""
    for seed in SEEDS:
        decision: Any = json.loads(kept.run("run", "show", kept.ids[seed], "-f", "json").out)
        gate = json.loads(kept.run("gate", "--suite", kept.ids[seed], "--min-score", "5", "-f", "json").out)
        facts = {one["name"]: one for one in decision["variants"]}
        for ruling in gate["rulings"]:
            name, colon, _ = ruling["name"].partition(": mean score")
            if colon and (found := re.match(r"([\d.]+) over", ruling["says"])):
                assert abs(float(found[1]) - facts[name]["mean"]) <= 0.005


@pytest.mark.parametrize("seed", range(3))
def test_two_skills_of_a_store_are_decided_alike(seed: int, tmp_path: Path):
    """By `better`, on the dashboard, by `gate`, in Python."""
    draw, address = Random(seed), str(tmp_path / "e.db")
    sets: dict[str, list[evenhand.Scorecard]] = {"old": [], "new": []}
    for place, (skill, cards) in enumerate(sets.items()):
        for number in range(9):
            scores: dict[str, Any] = dict.fromkeys(evenhand.DIMENSIONS, min(9, 5 + place * seed + draw.choice((0, 1))))
            if draw.random() < 0.15:
                scores["safety"] = {"unscored": "the reply was cut off"}
            one = judgement(f"{skill}-{number}", skill=skill) | {"scores": scores, "judge": "human:ana"}
            cards += keep(address, one, task=f"Write note {number}.", output="A note.")
    here = Kept(tmp_path, "", {})
    contrast = json.loads(here.run("better", "old", "new", "-f", "json").out)["contrasts"][0]
    by_python = evenhand.better(sets["old"], sets["new"]).contrast
    with served(address, tmp_path) as dashboard:
        pages = here._replace(address=dashboard)
        page = json.loads(pages.page("/skill", name="new", against="old", format="json"))["contrasts"][0]
        text = words(pages.page("/skill", name="new", against="old"))
    assert page == contrast and words(contrast["says"]) in text
    names = ("verdict", "claim", "cases", "units", "better", "worse", "equal", "open")
    assert [getattr(by_python, name) for name in names] == [contrast[name] for name in names]
    gate = json.loads(here.run("gate", "--skill", "new", "--set", "gate.last=9", "--against", "old", "-f", "json").out)
    (ruling,) = gate["rulings"]
    _, says = contrast["says"].split("old", 1)
    assert says in ruling["says"]
    assert (ruling["colour"] == "red") <= (contrast["verdict"] == "worse")
