"""What `better` is given, by every way in: the same decision, or one line that says what to give instead."""

from __future__ import annotations

import json
from pathlib import Path
from random import Random
from typing import Any

import pytest

import evenhand
from contract.decisions.making import head, result, write_results
from contract.decisions.test_doors import words
from contract.doors import asked_of_a_tool, run_here

SEVEN = ("correctness", "completeness", "adherence", "actionability", "efficiency", "safety", "consistency")


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
        format: run_here("better", *names, "--store", "none", "-f", format, cwd=tmp_path)
        for format in ("json", "terminal", "markdown", "html")
    }
    contrasts = json.loads(shown["json"].out)["contrasts"]
    assert len(contrasts) == sets * (sets - 1) // 2
    is_undecided = any(contrast["verdict"] == "undecided" for contrast in contrasts)
    for format in ("terminal", "markdown", "html"):
        assert shown[format].code == (5 if is_undecided else 0)
        for contrast in contrasts:
            assert words(contrast["says"]) in words(shown[format].out)
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


def test_a_run_against_an_earlier_run_is_what_run_show_says_of_it(tmp_path: Path):
    """Nine cases, all a point better than in the run before."""
    for name, final in (("then", 600), ("now", 700)):
        rows = [result(f"c{number}", "a", final + number) for number in range(9)]
        write_results(tmp_path / f"{name}.jsonl", head(["a"], 9, 1), rows)
    done = run_here("better", "then.jsonl", "now.jsonl", "-f", "json", cwd=tmp_path)
    (contrast,) = json.loads(done.out)["contrasts"]
    assert done.code == 0
    assert contrast["says"].startswith("a is better than then.jsonl: a: in 9 of 9 cases, typically by +1.00")


@pytest.mark.parametrize(
    ("given", "says"),
    [
        (["then.jsonl", "other.jsonl"], "other.jsonl one of letters: their cases are not the same"),
        (["then.jsonl", "then.jsonl", "then.jsonl"], "more than two runs of a suite; give two"),
        (["then.jsonl", "old"], "then.jsonl is a run of a suite and old is outputs or a skill"),
        (["old", "new"], "no case is in all of old (one) and new (two)"),
        (["old"], "old has not been judged"),
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
