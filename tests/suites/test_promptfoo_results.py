"""promptfoo's own results as a finished run: counted from its assertions, compared as any run.

The file was written by promptfoo 0.121.20 from two providers, two prompts, three tests and two repeats.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

RESULTS = Path(__file__).parent / "promptfoo_results.json"


@pytest.fixture
def rows(evenhand_command, tmp_path):
    """Each imported result, by case, variant and repeat."""
    (tmp_path / "results.json").write_bytes(RESULTS.read_bytes())
    done = evenhand_command("run", "import", "results.json", "-o", "results.jsonl")
    assert done.code == 0, done.err
    lines = [json.loads(line) for line in (tmp_path / "results.jsonl").read_text().splitlines()]
    return {(line["case"], line["variant"], line["repeat"]): line for line in lines[1:]}


def test_each_row_is_a_run_and_equal_tests_are_repeats(rows):
    """3 tests x 2 prompts x 2 providers x 2 repeats."""
    assert len(rows) == 24
    assert {case for case, _, _ in rows} == {"in-europe", "boom", "peru"}
    assert {repeat for _, _, repeat in rows} == {1, 2}


def test_an_assertion_is_an_expectation_and_a_set_is_one(rows):
    """Paris: met; London: unmet; one of two in the set: met. The echo has neither city."""
    run = rows["in-europe", "plain-capital-of-country", 1]
    assert (run["verdicts"], run["met"], run["expectations"]) == (["met", "unmet", "met"], 2, 3)
    assert rows["in-europe", "echo-capital-of-country", 2]["verdicts"] == ["unmet", "unmet", "unmet"]


def test_a_provider_that_failed_is_a_lost_run(rows):
    """With its reason; what was asserted of it is unmet."""
    run = rows["boom", "plain-capital-of-country", 1]
    assert (run["outcome"], run["met"], run["expectations"]) == ("failed", 0, 1)
    assert run["reason"].startswith("Error: Command failed")


def test_a_row_without_assertions_is_not_counted(rows):
    run = rows["peru", "plain-capital-of-country", 1]
    assert (run["expectations"], run["unscored"]) == (0, "promptfoo asserted nothing of it")


def test_a_grader_that_failed_decided_nothing(evenhand_command, tmp_path):
    document = json.loads(RESULTS.read_text())
    for row in document["results"]["results"]:
        for component in (row.get("gradingResult") or {}).get("componentResults") or []:
            component["metadata"] = {"graderError": True} | component.get("metadata", {})
    (tmp_path / "results.json").write_text(json.dumps(document))
    assert evenhand_command("run", "import", "results.json", "-o", "r.jsonl").code == 0
    lines = [json.loads(line) for line in (tmp_path / "r.jsonl").read_text().splitlines()[1:]]
    finished = [line for line in lines if line["outcome"] == "finished"]
    assert {line["expectations"] for line in finished} == {0}


def test_it_is_shown_and_stored_as_any_run(evenhand_command, tmp_path):
    """With where it comes from; two cases decide nothing."""
    (tmp_path / "results.json").write_bytes(RESULTS.read_bytes())
    assert evenhand_command("run", "import", "results.json", "--save", "--store", "s.db").code == 0
    shown = evenhand_command("run", "show", "latest", "--full", "--store", "s.db")
    assert "imported from promptfoo" in " ".join(shown.out.split())
    assert "undecided" in shown.out


def test_rejects_what_is_not_as_promptfoo_writes_it(evenhand_command, tmp_path):
    (tmp_path / "results.json").write_text('{"evalId": "x", "results": {"prompts": [], "results": [{}]}}')
    done = evenhand_command("run", "import", "results.json")
    assert (done.code, "results.json: is not as promptfoo" in done.err) == (2, True)


WEIGHTED = Path(__file__).parent / "promptfoo_weighted.json"
"""Written by promptfoo from weights, a threshold, and scripts that give a part of the score."""


def test_a_run_passes_when_promptfoo_says_so(evenhand_command, tmp_path):
    """With a threshold the test is one expectation; an assertion of weight 0 is none; a partial score can pass."""
    assert evenhand_command("run", "import", str(WEIGHTED), "-o", "results.jsonl").code == 0
    lines = [json.loads(line) for line in (tmp_path / "results.jsonl").read_text().splitlines()]
    passed = {(line["case"], line["variant"]): line["met"] == line["expectations"] for line in lines[1:]}
    counts = {line["case"]: line["expectations"] for line in lines[1:]}
    assert counts == {"all": 2, "share": 1, "metric": 1, "graded": 2, "negative": 1}
    rows = json.loads(WEIGHTED.read_text())["results"]["results"]
    first, second = lines[0]["variants"]
    assert passed == {
        (row["testCase"]["description"], (first, second)[row["promptIdx"]]): row["success"] for row in rows
    }


def test_promptfoos_own_scores_are_said_where_they_weigh(evenhand_command, tmp_path):
    """1, .75, 1, .375 and 0 of the first prompt; .25, 0, 1, .375 and 1 of the second. Plain ones say nothing more."""
    assert evenhand_command("run", "import", str(WEIGHTED), "-o", "results.jsonl").code == 0
    head = json.loads((tmp_path / "results.jsonl").read_text().splitlines()[0])
    assert head["notes"][1].endswith("capital-of-country-paris 0.625, echo-country-london 0.525")


def test_what_was_asked_and_answered_is_on_the_page(evenhand_command, tmp_path):
    """Kept beside the store; the rendered prompt, not its template."""
    assert evenhand_command("run", "import", str(WEIGHTED), "--save", "--store", "s.db").code == 0
    assert evenhand_command("run", "show", "latest", "--store", "s.db", "--format", "html", "-o", "p.html").code == 0
    page = (tmp_path / "p.html").read_text()
    assert page.count("Capital of Chad? Paris") >= 4, "two tests, each with a prompt and its echo"
    assert "Capital of {{country}}" not in page
