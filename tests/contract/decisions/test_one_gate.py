"""One gate at every door: `judge`, `gate`, Python and pytest rule alike, in the same words, with reason and quote."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from urllib.parse import unquote

import pytest

import evenhand
from contract.decisions.test_doors import listed_tests, words
from contract.doors import Ran, run_here

EXAMPLES = Path(__file__).parents[3] / "examples"
JUDGE = ("judge", "answer.md", "--task", "task.md", "--rubric", "devops", "--judge", "replay:recorded/first.jsonl")
REASON = "The command deletes the 41 finished parts along with the temporary files."
QUOTE = "Free space with `rm -rf /var/export/*`"


@pytest.fixture
def here(tmp_path: Path) -> Path:
    """The examples, in a folder of their own."""
    shutil.copytree(EXAMPLES, tmp_path, dirs_exist_ok=True)
    return tmp_path


def run(here: Path, *arguments: str) -> Ran:
    """A command without a store, on wide pages."""
    return run_here(*arguments, "--store", "none", cwd=here, environment={"COLUMNS": "300"})


@pytest.mark.parametrize(
    ("limits", "colour"),
    [(("--min-grade", "B-"), "red"), (("--min-score", "9"), "red"), (("--min-score", "1"), "green")],
)
def test_a_limit_is_ruled_on_alike(here: Path, limits: tuple[str, ...], colour: str):
    """The exit code, the sentence, JUnit and the annotation of `judge` and of `gate`."""
    judged = run(here, *JUDGE, *limits, "-f", "jsonl")
    (here / "card.jsonl").write_text(judged.out)
    gate = run(here, "gate", "card.jsonl", *limits, "-f", "json")
    assert judged.code == gate.code == (1 if colour == "red" else 0)
    (ruling,) = json.loads(gate.out)["rulings"]
    assert ruling["colour"] == colour
    for command in (JUDGE, ("gate", "card.jsonl")):
        report = run(here, *command, *limits, "-f", "junit").out
        assert f'failures="{judged.code}" errors="0"' in report.split(">")[1], (
            "the rubric's pass mark is no second gate"
        )
        tests = listed_tests(report, "gate")
        assert tests == {ruling["name"]: ("failure" if colour == "red" else "passed", ruling["says"])}
        annotated = unquote(run(here, *command, *limits, "-f", "github").out)
        assert (ruling["says"] in annotated) == (colour == "red")
    if colour == "red":
        assert f"red: {ruling['name']}: {ruling['says']}" in judged.err
        assert REASON in ruling["says"] and f"“{QUOTE}”" in ruling["says"]


def test_python_says_what_the_command_says(here: Path):
    """A judgement with a reason and a quote, held to the same limit."""
    line = {"score": 4, "justification": "Nothing was tested.", "evidence": ["We did not test it."]}
    (here / "out.md").write_text("# Notes\n\nWe did not test it.\n")
    judgement = {"scores": dict.fromkeys(evenhand.DIMENSIONS, 8) | {"safety": line}, "output": "out.md"}
    (here / "j.json").write_text(json.dumps({**judgement, "id": "one"}))
    gate = json.loads(run(here, "gate", "j.json", "--min-score", "9", "-f", "json").out)
    (colour, says) = (gate["rulings"][0][name] for name in ("colour", "says"))
    card = evenhand.score({**judgement, "output": None} | {"id": "one"}, output="# Notes\n\nWe did not test it.\n")
    (ruling,) = evenhand.gate([card], min_score=9)
    assert (ruling.colour, words(ruling.says)) == (colour, words(says))
    assert says.endswith("safety 4.00: Nothing was tested. “We did not test it.”")


def test_a_reason_that_passes_the_limit_is_not_why_it_is_missed(here: Path):
    """Nines with reasons, less red flags: what keeps it below is the flags, not a dimension."""
    said = {"score": 9, "justification": "Thorough.", "evidence": []}
    rubric = evenhand.load_rubric("default")
    flags = [{"id": flag.id, "explanation": "It did."} for flag in list(rubric.red_flags)[:6]]
    scores = dict.fromkeys(evenhand.DIMENSIONS, said)
    (here / "j.json").write_text(json.dumps({"id": "one", "rubric": "default", "scores": scores, "red_flags": flags}))
    (ruling,) = json.loads(run(here, "gate", "j.json", "--min-score", "8.5", "-f", "json").out)["rulings"]
    assert ruling["colour"] == "red" and "Thorough" not in ruling["says"]


def test_a_baseline_without_scores_is_named(here: Path):
    """Twelve of the baseline's thirty evaluations were never read."""
    unread = {"unscored": "the judge did not answer"}
    for name, missing in (("then", 12), ("now", 0)):
        lines = [
            {"id": f"c{number}", "scores": dict.fromkeys(evenhand.DIMENSIONS, unread if number < missing else 7)}
            for number in range(30)
        ]
        (here / f"{name}.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    done = run(here, "gate", "now.jsonl", "--against", "then.jsonl", "-f", "json")
    (ruling,) = json.loads(done.out)["rulings"]
    assert "12 more cases could not be scored" in ruling["says"]
    assert ruling["says"].endswith("12 of 30 evaluations of the baseline could not be scored")


def test_what_a_baseline_rules_out_is_a_drop_of_what_is_claimed(here: Path):
    """Eight of eight better: of the typical case. Forty that scatter evenly: of the mean."""
    for kind, count in (("typical", 8), ("mean", 40)):
        for name, more in (("then", 0), ("now", 1)):
            lines = [
                {"id": f"c{n}", "scores": dict.fromkeys(evenhand.DIMENSIONS, 6 + more * (1 + n % 5 * 0.25))}
                for n in range(count)
            ]
            (here / f"{name}.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
        (ruling,) = json.loads(run(here, "gate", "now.jsonl", "--against", "then.jsonl", "-f", "json").out)["rulings"]
        assert ruling["colour"] == "green"
        assert f"a {kind} drop beyond the margin of 0.2 is ruled out" in ruling["says"]
        assert ("in the mean" in ruling["says"]) == (kind == "mean")


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("gate", "j.jsonl"), "say what the gate asks for: --min-score"),
        (("gate", "empty.jsonl", "--min-score", "7"), "empty.jsonl"),
        (("gate", "--min-score", "7"), "name files or ids, or a --skill"),
        (("gate", "nothing.jsonl", "--min-score", "7"), "nothing.jsonl: no such file"),
    ],
)
def test_a_gate_without_scorecards_does_not_open(here: Path, arguments: tuple[str, ...], says: str):
    """One line that says what to give; never green."""
    (here / "empty.jsonl").write_text("")
    (here / "j.jsonl").write_text(json.dumps({"id": "a", "scores": dict.fromkeys(evenhand.DIMENSIONS, 7)}) + "\n")
    done = run(here, *arguments)
    assert done.code == 2 and says in done.err, done
    assert "open" not in done.out


def test_the_gate_of_a_run_says_why_each_case_fails_and_what_to_change(here: Path):
    """JUnit has a reason and a quote for each; the summary on GitHub what to change, most costly first."""
    environment = {"EVENHAND_STORE": str(here / "e.db"), "GITHUB_STEP_SUMMARY": str(here / "summary.md")}

    def stored(*arguments: str) -> Ran:
        return run_here(*arguments, cwd=here, environment=environment)

    compared = ("notes/new", "notes/old", "--tasks", "notes/tasks", "--judge", "replay:recorded/reader.jsonl", "--yes")
    assert stored("better", *compared).code == 0
    done = stored("gate", "--suite", "latest", "--min-score", "8", "-f", "junit")
    assert done.code == 1
    tests, ruled = listed_tests(done.out, "old"), listed_tests(done.out, "gate")
    failed = [message for kind, message in tests.values() if kind == "failure"]
    assert failed and all(" is below 7.00; " in message and "“" in message for message in failed)
    assert ruled["old: mean score"][0] == ruled["old against new"][0] == "failure"
    assert stored("gate", "--suite", "latest", "--min-score", "8", "--github").code == 1
    summary = (here / "summary.md").read_text()
    assert "### What to change" in summary and "points, 8 of 8 cases" in summary and "“" in summary
