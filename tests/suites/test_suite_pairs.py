"""`pairs: true` in a suite: afterwards the judges compare the variants' outputs side by side."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

import pytest
from fake_server import Asked, FakeServer, Step
from jsonschema import Draft202012Validator
from scripted_judge import answer as scored

from evenhand.cli.main import run as command_line
from evenhand.decisions.preference import PairResult, Preferences
from evenhand.decisions.preferences import preferences_from
from evenhand.errors import DocumentError, InputError
from evenhand.suites.results.shards import merge_pairs
from test_prefer import BAD, GOOD, Question, careful
from test_schemas import ROOT

SUITE = """
suite: deploys
repeats: 2
judges: [reader]
pairs: true
cases:
  - {id: one, prompt: Plan a deploy.}
  - {id: two, prompt: Plan another deploy.}
variants:
  old: {recorded: "old-{case}-{repeat}.md"}
  new: {recorded: "new-{case}-{repeat}.md"}
"""


def reader(asked: Asked) -> Step:
    """Scores what is shown alone, and prefers what waits for the health check."""
    text = str(asked.body["messages"][-1]["content"])
    return careful(Question(asked)) if "<<<first " in text else scored(asked)


@pytest.fixture
def server(tmp_path, monkeypatch):
    (tmp_path / "suite.yaml").write_text(SUITE)
    for variant, text in (("old", BAD), ("new", GOOD)):
        for case in ("one", "two"):
            for repeat in (1, 2):
                (tmp_path / f"{variant}-{case}-{repeat}.md").write_text(f"{text}\nRun {repeat} of {case}.\n")
    monkeypatch.chdir(tmp_path)
    with FakeServer() as server:
        (tmp_path / "evenhand.toml").write_text(f'[judges.reader]\nbase_url = "{server.url}"\nmodel = "reader"\n')
        server.answer = reader
        yield server


def run(monkeypatch, capfd, *arguments: str) -> tuple[int, str]:
    monkeypatch.setattr(sys, "argv", ["evenhand", "run", "suite.yaml", *arguments])
    code = command_line()
    output, errors = capfd.readouterr()
    assert not errors.startswith("error"), errors
    return code, output


@pytest.mark.slow
def test_the_first_run_of_each_case_is_compared_in_both_orders(server, monkeypatch, capfd):
    """Two cases with two orders each: the new variant wins both, although every score is the same."""
    code, output = run(monkeypatch, capfd, "--format", "json")
    decision = json.loads(output)
    assert code == 5, "undecided by scores"
    schema = json.loads((ROOT / "src/evenhand/schemas/decision.v1.schema.json").read_text(encoding="utf-8"))
    Draft202012Validator(schema).validate(decision)
    pairs = decision["pairs"]
    assert [(pair["item"], pair["outcome"]) for pair in pairs["pairs"]] == [("one", "b"), ("two", "b")]
    assert (pairs["tallies"][0]["a"], pairs["tallies"][0]["losses"]) == ("old", 2)
    assert sum("<<<first " in str(asked.body["messages"]) for asked in server.asked) == 4
    asked = server.count
    assert run(monkeypatch, capfd, "--full")[1].count("Side by side") == 1
    assert server.count == asked, "nothing is asked again"


@pytest.mark.slow
def test_the_page_shows_how_pairs_came_out(server, monkeypatch, capfd):
    """Counts, the judges' words on each case, and that this is beside the decision by scores."""
    code, page = run(monkeypatch, capfd, "--format", "html")
    assert code == 5
    assert '<h2 id="pairs">Side by side</h2>' in page
    assert "eader:reader compared the outputs of the first run of each case in both orders." in page
    assert re.search(r'<th scope="row">old against new</th><td [^>]*>0</td><td [^>]*>2</td>', page)
    assert "one: prefers new" in page


def evenhand(monkeypatch, capfd, *arguments: str) -> str:
    monkeypatch.setattr(sys, "argv", ["evenhand", *arguments])
    assert command_line() == 0
    return capfd.readouterr().out


@pytest.mark.slow
def test_pairs_are_stored_with_the_run(server, monkeypatch, capfd):
    """Shown later as they were at first: in JSON, in words and on the page; the list of runs leaves them out."""
    now = json.loads(run(monkeypatch, capfd, "--format", "json")[1])
    later = json.loads(evenhand(monkeypatch, capfd, "run", "show", "latest", "--format", "json"))
    assert later["pairs"] == now["pairs"]
    assert "Side by side" in evenhand(monkeypatch, capfd, "run", "show", "latest", "--full")
    page = evenhand(monkeypatch, capfd, "run", "show", "latest", "--format", "html")
    assert "one: prefers new" in page
    assert "pairs" not in evenhand(monkeypatch, capfd, "run", "show", "--format", "json")


@pytest.mark.slow
def test_shards_carry_their_pairs_and_merging_adds_them_up(server, monkeypatch, capfd):
    """Each case is compared in its own shard; together they are what one machine says, in any order.

    Of these three shards one has no case, and its file is merged like the others.
    """
    whole = json.loads(run(monkeypatch, capfd, "--format", "json")[1])["pairs"]
    for part in "123":
        run(monkeypatch, capfd, "--shard", f"{part}/3", "--format", "jsonl", "-o", f"part-{part}.jsonl")
    lines = sorted(len(Path(f"part-{part}.jsonl").read_text().splitlines()) for part in "123")
    assert lines == [1, 5, 5], "a head, and two variants with two repeats for a case"
    texts = {
        evenhand(monkeypatch, capfd, "run", "import", *(f"part-{part}.jsonl" for part in order))
        for order in ("123", "321")
    }
    assert len(texts) == 1
    head = json.loads(texts.pop().splitlines()[0])
    schema = json.loads((ROOT / "src/evenhand/schemas/suite-run.v1.schema.json").read_text(encoding="utf-8"))
    Draft202012Validator(schema).validate(head)
    for pair in [*head["pairs"]["pairs"], *whole["pairs"]]:
        del pair["calls"]  # the shards found the replies of the whole run
    assert (head["pairs"]["pairs"], head["pairs"]["tallies"]) == (whole["pairs"], whole["tallies"])


def test_outputs_of_different_cases_are_never_a_pair(server, monkeypatch, capfd, tmp_path):
    """Each variant has one output only, of another case than the other's: there is nothing to compare."""
    for name in ("old-two", "new-one"):
        for repeat in (1, 2):
            (tmp_path / f"{name}-{repeat}.md").unlink()
    assert "pairs" not in json.loads(run(monkeypatch, capfd, "--format", "json")[1])


def test_a_case_that_was_compared_with_two_outcomes_is_not_merged():
    """Which of them would be true?"""
    one, other = (Preferences(("old", "new"), (PairResult("c", "old", "new", outcome),), (), {}) for outcome in "ab")
    with pytest.raises(InputError, match="old and new were compared on case c with different outcomes"):
        merge_pairs([one, other])


def test_pairs_that_are_not_as_they_should_be_are_refused_with_their_place():
    """As every other field of a file of results."""
    with pytest.raises(DocumentError, match="not a whole comparison of pairs: pairs is missing; it must be a list"):
        preferences_from({"systems": ["old", "new"]})


def test_a_dry_run_plans_pairs_in_both_orders(server, monkeypatch, capfd):
    """Two cases in two orders are four calls, beside the eight runs judged one by one; nobody is asked."""
    code, output = run(monkeypatch, capfd, "--dry-run", "--format", "json")
    plan = json.loads(output)
    schema = json.loads((ROOT / "src/evenhand/schemas/suite-plan.v1.schema.json").read_text(encoding="utf-8"))
    Draft202012Validator(schema).validate(plan)
    assert (code, server.count) == (0, 0)
    assert [(entry["judge"], entry["calls"]) for entry in plan["pairs"]] == [("reader:reader", 4)]
    assert plan["assumed"] == [], "all outputs are there"
    assert "reader:reader, comparing pairs: 4 calls" in run(monkeypatch, capfd, "--dry-run")[1]


def test_a_dry_run_plans_pairs_of_outputs_that_do_not_exist_yet(server, monkeypatch, capfd, tmp_path):
    """A third variant of which nothing is kept: three pairs of variants, two cases, two orders are twelve calls."""
    text = SUITE + "  next: {command: [echo, hello]}\n"
    (tmp_path / "suite.yaml").write_text(text)
    plan = json.loads(run(monkeypatch, capfd, "--dry-run", "--format", "json")[1])
    assert plan["pairs"][0]["calls"] == 12
    assert [(entry["variant"], entry["runs"], entry["basis"]) for entry in plan["assumed"]] == [
        ("next", 4, "other variants' kept runs")
    ]


def test_a_suite_says_how_its_judges_are_asked_and_the_command_has_the_last_word(server, monkeypatch, capfd, tmp_path):
    """What the suite asks for is what the same options of the command ask for."""

    def calls(*options: str) -> int:
        plan = json.loads(run(monkeypatch, capfd, "--dry-run", "--format", "json", *options)[1])
        return int(plan["judges"][0]["calls"])

    usual, thorough, two = (
        calls(),
        calls("--set", "judge.thorough=true"),
        calls("--set", "judge.thorough=true", "--set", "judge.samples=2"),
    )
    assert usual < thorough < two
    (tmp_path / "suite.yaml").write_text("options: {thorough: true, samples: 2}\n" + SUITE.lstrip())
    assert (
        calls(),
        calls("--set", "judge.samples=1"),
        calls("--set", "judge.samples=1", "--set", "judge.thorough=false"),
    ) == (two, thorough, usual)
