"""What `better` is given, by every way in: the same decision, or one line that says what to give instead."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from random import Random
from typing import Any
from urllib.parse import unquote

import pytest

import evenhand
from contract.decisions.making import head, result, write_results
from contract.decisions.test_doors import SEVEN, comparison_in, listed_tests, words
from contract.doors import asked_of_a_tool, run_here


def judgements(seed: int, folder: Path, *, sets: int) -> tuple[list[str], list[list[dict[str, Any]]]]:
    """Sets of judgements of the same cases, some of them without a score."""
    draw = Random(seed)
    cases, shift = draw.choice((5, 7, 12)), draw.choice((0, 1, 2))
    names, made = [], []
    for place in range(sets):
        judged = []
        for number in range(cases):
            scores: dict[str, Any] = dict.fromkeys(SEVEN, min(9, 5 + shift * place + draw.choice((0, 0, 1))))
            if draw.random() < 0.1:
                scores["safety"] = {"unscored": "the reply was cut off"}
            judged.append({"id": f"case-{number}", "judge": "human:ana", "rubric": "default", "scores": scores})
        names.append(f"{'abc'[place]}.jsonl")
        (folder / names[-1]).write_text("".join(json.dumps(one) + "\n" for one in judged))
        made.append(judged)
    return names, made


@pytest.mark.parametrize("sets", [2, 3])
@pytest.mark.parametrize("seed", range(4))
def test_sets_of_evaluations_are_decided_alike_by_every_way_in(seed: int, sets: int, tmp_path: Path, monkeypatch):
    """Terminal, Markdown, page, JSON, Python, MCP: verdict, estimate, interval, denominator and sentence."""
    names, made = judgements(seed, tmp_path, sets=sets)
    monkeypatch.chdir(tmp_path)
    shown = {
        format: run_here("better", *names, "--store", "none", "--full", "-f", format, cwd=tmp_path)
        for format in ("json", "terminal", "markdown", "html")
    }
    contrasts = json.loads(shown["json"].out)["contrasts"]
    assert len(contrasts) == sets * (sets - 1) // 2
    is_undecided = any(contrast["verdict"] == "undecided" for contrast in contrasts)
    for format in ("terminal", "markdown", "html"):
        assert shown[format].code == (5 if is_undecided else 0)
        for contrast in contrasts:
            assert words(contrast["says"]) in words(shown[format].out)
    junit = listed_tests(run_here("better", *names, "--store", "none", "-f", "junit", cwd=tmp_path).out, "decision")
    kinds = {"worse": "failure", "undecided": "error"}
    assert junit == {
        f"{one['variant']} against {one['reference']}": (kinds.get(one["verdict"], "passed"), one["says"])
        for one in contrasts
    }
    brief = run_here("better", *names, "--store", "none", cwd=tmp_path).out
    assert all(comparison_in(brief, contrast) for contrast in contrasts)
    by_tool = asked_of_a_tool("better", cwd=tmp_path, entries=names)["contrasts"]
    assert by_tool == contrasts
    by_python = evenhand.better(*([evenhand.score(one) for one in judged] for judged in made)).decision.contrasts
    for contrast, one in zip(contrasts, by_python, strict=True):
        assert (one.verdict, one.cases, one.units, one.open) == tuple(
            contrast[name] for name in ("verdict", "cases", "units", "open")
        )
        for name in ("estimate", "low", "high"):
            there = getattr(one, name)
            assert contrast[name] == (None if there is None else round(there, 6))


TEST_FILE = """
import json
import evenhand

def test_it():
    then, now = ([evenhand.score(json.loads(line)) for line in open(name)] for name in ("a.jsonl", "b.jsonl"))
    (ruling,) = evenhand.gate(now, against=then)
    print("contrast:", evenhand.better(then, now).contrast.says)
    print("ruling:", ruling.colour, ruling.says)
    assert ruling.colour == "nothing"
"""


@pytest.mark.parametrize("seed", range(3))
def test_a_baseline_is_decided_alike_at_every_gate(seed: int, tmp_path: Path):
    """The sentence of `better` begins the ruling in every format of `gate`, in Python and in a test of pytest."""
    judgements(seed, tmp_path, sets=2)
    shown = run_here("better", "a.jsonl", "b.jsonl", "--store", "none", "-f", "json", cwd=tmp_path)
    says = json.loads(shown.out)["contrasts"][0]["says"].replace("b.jsonl", "now").replace("a.jsonl", "the baseline")

    def gate(format: str) -> str:
        gated = ("gate", "b.jsonl", "--against", "a.jsonl", "--store", "none")
        return run_here(*gated, "-f", format, cwd=tmp_path, environment={"COLUMNS": "500"}).out

    (ruling,) = json.loads(gate("json"))["rulings"]
    assert ruling["says"].startswith(says)
    for format in ("terminal", "markdown", "html", "junit", "ctrf", "sarif"):
        assert words(ruling["says"]) in words(gate(format)), format
    assert (ruling["says"] in unquote(gate("github"))) == (ruling["colour"] != "green")
    (tmp_path / "test_it.py").write_text(TEST_FILE)
    tested = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "test_it.py"],
        cwd=tmp_path, env=os.environ | {"EVENHAND_STORE": "none"}, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert f"ruling: {ruling['colour']} {ruling['says']}" in tested.stdout
    assert tested.stdout.count(says.partition("the baseline")[2]) >= 2, "the contrast and the ruling"


@pytest.mark.parametrize("sets", [2, 3])
def test_the_answer_is_on_twelve_lines(sets: int, tmp_path: Path):
    """At 80 columns, with long reasons, quotes, cases that fell and scores that are missing; all of it with --full."""
    names, made = judgements(3, tmp_path, sets=sets)
    quote = "We did not test it because nobody had told us that there are tests, and where they would be found. " * 3
    for name, judged in zip(names, made, strict=True):
        for number, one in enumerate(judged):
            (tmp_path / f"{number}.md").write_text(f"# Notes\n\n{quote}\n")
            reason = f"{'Nothing at all was tested. ' * 9}{'abcdefg'[number % 7]}"
            low = {"score": 2 + number % 3, "justification": reason, "evidence": [quote.strip()]}
            one |= {"output": f"{number}.md", "scores": one["scores"] | {"correctness": low}}
            one["scores"]["efficiency"] = {"score": 3, "justification": f"Slow {'and slower ' * 20}{number}."}
        (tmp_path / name).write_text("".join(json.dumps(one) + "\n" for one in judged))
    brief, full = (run_here("better", *names, "--store", "none", *more, cwd=tmp_path).out for more in ((), ("--full",)))
    assert "What to change" in brief and "We did not test it" in brief
    lines = [[line for line in text.splitlines() if line.strip()] for text in (brief, full)]
    assert len(lines[0]) <= 12 < len(lines[1])
    assert max(map(len, lines[0])) <= 80


def test_a_run_against_an_earlier_run_is_what_run_show_says_of_it(tmp_path: Path):
    """Nine cases, all a point better than in the run before."""
    for name, final in (("then", 600), ("now", 700)):
        rows = [result(f"c{number}", "a", final + number) for number in range(9)]
        write_results(tmp_path / f"{name}.jsonl", head(["a"], 9, 1), rows)
    done = run_here("better", "then.jsonl", "now.jsonl", "-f", "json", cwd=tmp_path)
    (contrast,) = json.loads(done.out)["contrasts"]
    assert done.code == 0
    assert contrast["says"].startswith("a is better than then.jsonl: a: in 9 of 9 cases, typically by +1.00")


def test_a_side_without_a_value_is_undecided_and_says_why(tmp_path: Path):
    """None of its evaluations has a score, or a variant of a run was never run: exit code 5, one sentence."""
    silent = {"unscored": "the judge fell asleep"}
    for name, value in (("a", 7), ("b", silent)):
        lines = [{"id": f"c{number}", "scores": dict.fromkeys(SEVEN, value)} for number in range(8)]
        (tmp_path / f"{name}.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    done = run_here("better", "a.jsonl", "b.jsonl", "--store", "none", cwd=tmp_path)
    assert done.code == 5
    said = (
        "b.jsonl against a.jsonl: undecided: 8 cases could not be scored; no case has scores on both sides: ask again"
    )
    assert said in words(done.out) and "typically" not in done.out
    write_results(tmp_path / "r.jsonl", head(["a", "b"], 8, 1), [result(f"c{number}", "a", 700) for number in range(8)])
    shown = run_here("run", "show", "r.jsonl", cwd=tmp_path)
    assert "b against a: undecided: b has no runs, so there is nothing to compare" in words(shown.out)


@pytest.mark.parametrize(
    ("given", "says"),
    [
        (["then.jsonl", "other.jsonl"], "other.jsonl one of letters: their cases are not the same"),
        (["then.jsonl", "then.jsonl", "then.jsonl"], "more than two runs of a suite; give two"),
        (["then.jsonl", "old"], "then.jsonl is a run of a suite and old is outputs or a skill"),
        (["old", "new"], "no case is in all of old (one) and new (two)"),
        (["old"], "old has not been judged"),
        (["nowhere.json", "cards.jsonl"], "nowhere.json: no such file or folder"),
        (["nowhere"], "nowhere: no such file, and no evaluation in"),
        (["cards.jsonl", "others.jsonl"], "no case is in both cards.jsonl and others.jsonl"),
        (["old", "new", "--set", "judge.show_prompt=true"], "judge.show_prompt goes with --side-by-side"),
        (["old", "new", "--side-by-side"], "name it with --judge"),
    ],
)
def test_what_cannot_be_compared_is_one_line_and_exit_code_2(given: list[str], says: str, tmp_path: Path):
    """It names what was given and what to do."""
    for name, suite in (("then", "notes"), ("other", "letters")):
        write_results(tmp_path / f"{name}.jsonl", head(["a"], 1, 1, suite=suite), [result("c", "a", 600)])
    for folder, name in (("old", "one"), ("new", "two")):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / f"{name}.md").write_text("Some text.\n")
    for name in ("cards", "others"):
        lines = [{"id": f"{name}-{n}", "scores": dict.fromkeys(SEVEN, 7)} for n in range(2)]
        (tmp_path / f"{name}.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    done = run_here("better", *given, cwd=tmp_path)
    assert (done.code, done.out, done.err.count("\n")) == (2, "", 1), done.err
    assert says in done.err


@pytest.mark.parametrize("word", ["compare", "prefer", "advise"])
def test_another_word_for_it_is_answered_with_the_line_to_type(word: str, tmp_path: Path):
    """With what was given after it."""
    done = run_here(word, "old", "a b", cwd=tmp_path)
    more = " --side-by-side" if word == "prefer" else ""
    assert done.code == 2
    assert f"did you mean better? Type: evenhand better{more} old 'a b'" in done.err
