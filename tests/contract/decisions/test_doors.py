"""Every door states the same verdict, estimate, interval and denominator of the same results."""

from __future__ import annotations

import csv
import html
import io
import json
import re
from math import floor, log10
from pathlib import Path
from random import Random
from typing import Any
from urllib.parse import unquote
from xml.etree import ElementTree

import pytest

from contract.decisions.making import head, random_results, result, write_results
from contract.doors import run_here

SEEDS = range(12)
SEVEN = ("correctness", "completeness", "adherence", "actionability", "efficiency", "safety", "consistency")


def words(text: str) -> str:
    """A text without the ends of its lines and its markup."""
    plain = re.sub(r"<[^>]+>", " ", re.sub(r"</?span[^>]*>", "", text))
    return " ".join(html.unescape(plain).replace("\\", "").split())


@pytest.mark.long
@pytest.mark.parametrize("seed", range(len(SEEDS), 2000))
def test_every_door_says_it_of_two_thousand_tables(seed: int, tmp_path: Path):
    """As below, of many more."""
    test_every_door_says_what_the_decision_says(seed, tmp_path)


@pytest.mark.parametrize("seed", SEEDS)
def test_every_door_says_what_the_decision_says(seed: int, tmp_path: Path):
    """Terminal, Markdown, JSON, JUnit, page, CSV, LaTeX, gate."""
    first, rows = random_results(Random(seed))
    write_results(tmp_path / "r.jsonl", first, rows)

    def shown(*arguments: str) -> str:
        done = run_here(*arguments, cwd=tmp_path, environment={"COLUMNS": "400"})
        assert done.code in (0, 1, 3, 5), done.err
        return done.out

    decision = json.loads(shown("run", "show", "r.jsonl", "--format", "json"))
    contrasts = decision["contrasts"]
    for contrast in contrasts:
        low, high = contrast["low"], contrast["high"]
        assert (contrast["verdict"] == "better") == (low is not None and low > 0)
        assert (contrast["verdict"] == "worse") == (high is not None and high < 0)
        assert abs(contrast["level"] * len(contrasts) - 0.05) < 1e-6
    says = [contrast["says"] for contrast in contrasts]
    brief = shown("run", "show", "r.jsonl")
    narrow = run_here("run", "show", "r.jsonl", cwd=tmp_path).out
    assert len([line for line in narrow.splitlines() if line.strip()]) <= 12
    for contrast in contrasts:
        assert comparison_in(brief, contrast)
    for page in (
        shown("run", "show", "r.jsonl", "--full"),
        shown("run", "show", "r.jsonl", "--format", "markdown"),
        shown("run", "show", "r.jsonl", "--format", "html"),
        shown("run", "table", "r.jsonl", "--format", "markdown"),
        shown("run", "table", "r.jsonl", "--format", "latex"),
    ):
        for sentence in says:
            assert words(sentence) in words(page)
    (table,) = json.loads(shown("run", "table", "r.jsonl", "--format", "json"))
    assert table["contrasts"] == contrasts and table["variants"] == decision["variants"]
    listed = list(csv.DictReader(io.StringIO(shown("run", "table", "r.jsonl", "-f", "csv"))))
    claims = [row for row in listed if row["kind"] == "contrast"]
    for row, contrast in zip(claims, contrasts, strict=True):
        assert (row["verdict"], row["claim"]) == (contrast["verdict"], contrast["claim"])
        for name in ("estimate", "low", "high"):
            assert (row[name] == "") == (contrast[name] is None)
            assert row[name] == "" or float(row[name]) == contrast[name]
        assert [int(row[name]) for name in ("units", "cases", "open", "equal")] == [
            contrast[name] for name in ("units", "cases", "open", "equal")
        ]
    cases = listed_tests(shown("run", "show", "r.jsonl", "--format", "junit"), "decision")
    for contrast in contrasts:
        case = cases[f"{contrast['variant']} against {contrast['reference']}"]
        assert case == ({"worse": "failure", "undecided": "error"}.get(contrast["verdict"], "passed"), contrast["says"])
    gate = json.loads(shown("gate", "--suite", "r.jsonl", "--format", "json"))
    against = {f"{one['variant']} against {one['reference']}": one for one in contrasts if one["reference"] == "a"}
    for ruling in gate["rulings"]:
        contrast = against[ruling["name"]]
        assert ruling["says"].startswith(contrast["says"])
        if ruling["colour"] == "red":
            assert contrast["verdict"] == "worse"
        if contrast["verdict"] == "better":
            assert ruling["colour"] == "green"


def comparison_in(text: str, contrast: dict[str, Any]) -> bool:
    """Whether a text has a comparison's sentence, or a row with its verdict, estimate, interval and counts."""
    if words(contrast["says"]) in words(text):
        return True
    cells = [f"{contrast['variant']} - {contrast['reference']}", contrast["verdict"]]
    numbers = [contrast[name] for name in ("estimate", "low", "high")]
    estimate, low, high = map(in_points, numbers)
    cells += [estimate, "-" if low == "-" else f"{low} to {high}"]
    cells += [str(contrast[name]) for name in ("better", "worse", "equal", "open", "units")]
    return " ".join(cells) in words(text)


def in_points(number: float | None) -> str:
    """With two decimals, or as many as show that it is not zero."""
    if number is None:
        return "-"
    return f"{number:+.2f}" if round(number, 2) or not number else f"{number:+.{-floor(log10(abs(number)))}f}"


def listed_tests(text: str, group: str) -> dict[str, tuple[str, str]]:
    """By name what became of each test of a group, and what it says."""
    found = {}
    for case in ElementTree.fromstring(text).iter("testcase"):
        if case.get("classname") != group:
            continue
        kinds = [child for child in case if child.tag in ("failure", "error", "skipped")]
        kind, message = (kinds[0].tag, kinds[0].get("message")) if kinds else ("passed", case.findtext("system-out"))
        found[case.get("name") or ""] = (kind, message or "")
    return found


def decided(rows: list[dict[str, Any]], tmp_path: Path, *arguments: str, **more: Any) -> Any:
    """What `suite show` says of results, as JSON."""
    variants = list(dict.fromkeys(row["variant"] for row in rows))
    cases = len({row["case"] for row in rows})
    write_results(tmp_path / "r.jsonl", head(variants, cases, 1, **more), rows)
    return json.loads(run_here("run", "show", "r.jsonl", "-f", "json", *arguments, cwd=tmp_path).out)


def test_unscored_runs_are_errors_in_junit_and_name_why(tmp_path: Path):
    """Thirteen of thirty runs have no score although all that was expected of them is met: no test of them is green."""
    rows = []
    for number in range(30):
        more = {"met": 4, "expectations": 4, "verdicts": ["met"] * 4}
        if number < 13:
            rows.append(result(f"c{number:02}", "a", unscored="the reply was cut off", **more))
        else:
            rows.append(result(f"c{number:02}", "a", 800 if number < 21 else 600, **more))
    write_results(tmp_path / "r.jsonl", head(["a"], 30, 1), rows)
    text = run_here("run", "show", "r.jsonl", "--format", "junit", cwd=tmp_path).out
    tests = listed_tests(text, "a")
    kinds = [tests[f"c{number:02}"][0] for number in range(30)]
    assert (kinds.count("error"), kinds.count("failure"), kinds.count("passed")) == (13, 9, 8)
    assert "the reply was cut off" in tests["c00"][1]


def test_the_pass_mark_is_that_of_the_rubric(tmp_path: Path):
    """A score of 6.50 passes a rubric that passes from 6.00 on; 7.50 does not pass one that needs 8.00."""
    rows = [result("c1", "a", 650, pass_mark=600), result("c2", "a", 750, pass_mark=800), result("c3", "a", 650)]
    write_results(tmp_path / "r.jsonl", head(["a"], 3, 1), rows)
    text = run_here("run", "show", "r.jsonl", "--format", "junit", cwd=tmp_path).out
    tests = listed_tests(text, "a")
    assert [tests[case][0] for case in ("c1", "c2", "c3")] == ["passed", "failure", "failure"]
    assert tests["c2"][1] == "7.50 is below 8.00"


def test_lost_runs_are_the_worst_and_unscored_ones_lie_between_their_ends(tmp_path: Path):
    """Ten cases, b ahead by one; in the eleventh b crashed, in the twelfth no judge answered."""
    rows = []
    for number in range(10):
        rows += [result(f"c{number:02}", "a", 600), result(f"c{number:02}", "b", 700)]
    rows += [result("c10", "a", 600), result("c10", "b", outcome="failed", reason="exit code 1")]
    rows += [result("c11", "a", 600), result("c11", "b", unscored="the reply was cut off")]
    contrast = decided(rows, tmp_path)["contrasts"][0]
    counts = [contrast[name] for name in ("better", "worse", "equal", "open", "lost", "unscored", "units")]
    assert counts == [10, 1, 0, 1, 1, 1, 12]
    assert contrast["verdict"] == "better"  # 10 of 12 at the least: two-sided 2 * 79 / 4096 = 0.039
    assert "1 case could not be scored" in contrast["says"] or "1 more case could not be scored" in contrast["says"]
    assert "1 run of b lost, which counts as the worst" in contrast["says"]


def test_a_run_that_could_not_start_is_not_the_variants_fault(tmp_path: Path):
    """It is carried at both ends, and is an error in JUnit."""
    rows = [result("c", "a", 600), result("c", "b", outcome="not started", reason="its file has changed")]
    contrast = decided(rows, tmp_path)["contrasts"][0]
    assert (contrast["lost"], contrast["unscored"], contrast["open"]) == (0, 1, 1)


def test_cases_of_one_side_alone_are_named_and_not_counted(tmp_path: Path):
    """Two cases that only b has."""
    rows = [result(f"c{number}", variant, 700) for number in range(4) for variant in "ab"]
    rows += [result("x1", "b", 900), result("x2", "b", 900)]
    contrast = decided(rows, tmp_path)["contrasts"][0]
    assert (contrast["cases"], contrast["unpaired"]) == (4, 2)
    assert "2 cases of one side alone not counted" in contrast["says"]


def test_a_gate_with_a_least_score_that_no_reader_served_says_so(tmp_path: Path):
    """It is unscored, exit code 3, and does not speak of data that cannot tell."""
    rows = [result(f"c{number}", "a", met=1, expectations=1, verdicts=["met"]) for number in range(4)]
    write_results(tmp_path / "r.jsonl", head(["a"], 4, 1, judges=[]), rows)
    done = run_here("gate", "--suite", "r.jsonl", "--min-score", "7", cwd=tmp_path)
    assert done.code == 3
    assert "no one has read these outputs" in words(done.out) and "name a judge" in words(done.out)
    assert "the data cannot tell" not in done.err


def test_a_least_score_holds_at_both_ends_of_what_is_missing(tmp_path: Path):
    """(3 x 8.00 + 1.00) / 4 = 6.25 at the worst, 8.50 at the best: neither above nor below 7."""
    rows = [*(result(f"c{number}", "a", 800) for number in range(3)), result("c3", "a", unscored="no reply")]
    write_results(tmp_path / "r.jsonl", head(["a"], 4, 1), rows)
    done = run_here("gate", "--suite", "r.jsonl", "--min-score", "7", cwd=tmp_path)
    assert done.code == 3 and "between 6.25 and 8.50" in words(done.out)
    assert run_here("gate", "--suite", "r.jsonl", "--min-score", "6.25", cwd=tmp_path).code == 0
    assert run_here("gate", "--suite", "r.jsonl", "--min-score", "9", cwd=tmp_path).code == 1


def test_a_column_that_cases_share_is_asked_about(tmp_path: Path):
    """Thirty cases of six documents, five of which are better: decided both ways, the answers differ."""
    rows = []
    for number in range(30):
        rows += [result(f"c{number:02}", "a", 600), result(f"c{number:02}", "b", 700 if number < 25 else 500)]
    shared = {"shared": {"document": {f"c{number:02}": f"d{number // 5}" for number in range(30)}}}
    contrast = decided(rows, tmp_path, **shared)["contrasts"][0]
    assert contrast["verdict"] == "undecided" and "the cases share document" in contrast["says"]
    assert decided(rows, tmp_path)["contrasts"][0]["verdict"] == "better"


def test_twenty_gains_of_two_and_five_losses_of_nine_are_undecided_at_every_door(tmp_path: Path):
    """The mean is (20 x 2 - 5 x 9) / 25 = -0.20, the median +2.00: no door calls it better, worse or ruled out."""
    rows = []
    for number in range(25):
        before, after = (500, 700) if number < 20 else (1000, 100)
        rows += [result(f"c{number:02}", "a", before), result(f"c{number:02}", "b", after)]
        for name, final in (("a", before), ("b", after)):
            line = {"id": f"c{number}", "scores": dict.fromkeys(SEVEN, final // 100)}
            with (tmp_path / f"{name}.jsonl").open("a") as file:
                file.write(json.dumps(line) + "\n")
    contrast = decided(rows, tmp_path)["contrasts"][0]
    numbers = [contrast[name] for name in ("verdict", "estimate", "low", "high")]
    assert numbers == ["undecided", 2, -0.2, 2]

    def shown(*arguments: str) -> tuple[int, str]:
        done = run_here(*arguments, "--store", "none", cwd=tmp_path, environment={"COLUMNS": "400"})
        return done.code, words(unquote(done.out))

    for format in ("terminal", "markdown", "html", "latex"):
        door = ("run", "table", "r.jsonl") if format == "latex" else ("run", "show", "r.jsonl")
        assert "undecided: better in 20 of 25 cases" in shown(*door, "-f", format)[1]
    better = shown("better", "a.jsonl", "b.jsonl")
    assert better[0] == 5 and "undecided: better in 20 of 25 cases" in better[1]
    for gate in (("gate", "--suite", "r.jsonl"), ("gate", "b.jsonl", "--against", "a.jsonl")):
        for format in ("terminal", "markdown", "json", "junit", "ctrf", "sarif", "github"):
            code, text = shown(*gate, "-f", format)
            assert code == 5 and "undecided: better in 20 of 25 cases" in text, (gate, format)
            assert "ruled out" not in text


@pytest.mark.parametrize(
    ("door", "code"),
    [
        (("better", "u.jsonl", "v.jsonl"), 3),
        (("better", "a.jsonl", "u.jsonl"), 5),
        (("gate", "--suite", "r.jsonl"), 3),
        (("gate", "u.jsonl", "--min-score", "7"), 3),
        (("gate", "u.jsonl", "--against", "a.jsonl"), 3),
    ],
)
def test_what_has_no_score_at_all_goes_before_what_is_undecided(door: tuple[str, ...], code: int, tmp_path: Path):
    """Exit code 3 where nothing could be scored; 5 where one side has scores, and a gate opens for neither."""
    for name, value in (("a", 7), ("u", {"unscored": "no reply"}), ("v", {"unscored": "no reply"})):
        lines = [{"id": f"c{number}", "scores": dict.fromkeys(SEVEN, value)} for number in range(8)]
        (tmp_path / f"{name}.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    rows = [result(f"c{number}", variant, unscored="no reply") for number in range(8) for variant in "ab"]
    write_results(tmp_path / "r.jsonl", head(["a", "b"], 8, 1), rows)
    assert run_here(*door, "--store", "none", cwd=tmp_path).code == code
