"""Tables for papers: means, pairs and ranks checked against SciPy and statsmodels, and every format."""

from __future__ import annotations

import csv
import io
import json
import random
import xml.etree.ElementTree as ElementTree

import numpy as np
import pytest

from evenhand.decisions.suites.board import Board
from evenhand.decisions.suites.standings import standings
from evenhand.reports.exchange.standing_tables import standings_csv, standings_latex, standings_markdown, standings_svg
from evenhand.reports.html.standings import standings_page
from suite_cases import failed, met, result, scored


def drawn(seed: int, cases: int, repeats: int, shifts: dict[str, int]) -> dict[str, list[list[int]]]:
    """Final scores in hundredths: cases differ, runs of a case are alike, variants are shifted."""
    chance = random.Random(seed)
    level = [chance.gauss(600, 80) for _ in range(cases)]
    return {
        name: [
            [max(100, min(1000, round(base + shift + chance.gauss(0, 40)))) for _ in range(repeats)] for base in level
        ]
        for name, shift in shifts.items()
    }


@pytest.mark.slow
@pytest.mark.parametrize(("cases", "repeats"), [(24, 1), (24, 3), (60, 4)])
def test_intervals_are_those_of_scipy_and_of_clustered_regression(cases, repeats):
    """With equally many runs of each case, the interval over case means is the cluster-robust one of all runs."""
    api, stats = pytest.importorskip("statsmodels.api"), pytest.importorskip("scipy.stats")
    scores = drawn(cases + repeats, cases, repeats, {"a": 0, "b": 25})
    rows = {row.variant: row for row in standings(Board(scored(scores)), ("a", "b")).variants}
    for name, runs in scores.items():
        means = np.array([np.mean(case) for case in runs]) / 100
        low, high = stats.t.interval(0.95, cases - 1, means.mean(), stats.sem(means))
        assert (rows[name].mean, rows[name].low, rows[name].high) == pytest.approx((means.mean(), low, high), abs=1e-9)
        values = np.array(runs).ravel() / 100
        fitted = api.OLS(values, np.ones((len(values), 1))).fit(
            cov_type="cluster", cov_kwds={"groups": np.repeat(np.arange(cases), repeats)}, use_t=True
        )
        assert fitted.conf_int()[0] == pytest.approx((low, high), rel=1e-6)


def test_pairs_are_paired_t_tests_with_holm():
    """From 30 cases on; over the means of each case's runs."""
    multitest, stats = pytest.importorskip("statsmodels.stats.multitest"), pytest.importorskip("scipy.stats")
    scores = drawn(5, 40, 2, {"a": 0, "b": 6, "c": 12, "d": 60})
    found = standings(Board(scored(scores)), tuple(scores)).pairs
    expected = []
    for pair in found:
        first, second = (np.array([np.mean(case) for case in scores[name]]) / 100 for name in (pair.first, pair.second))
        test = stats.ttest_rel(second, first)
        expected.append(test.pvalue)
        assert pair.mean == pytest.approx((second - first).mean())
        assert (pair.low, pair.high) == pytest.approx(tuple(test.confidence_interval(0.95)), rel=1e-6)
        assert pair.p_value == pytest.approx(test.pvalue, rel=1e-6)
    adjusted = multitest.multipletests(expected, method="holm")[1]
    assert [pair.adjusted for pair in found] == pytest.approx(list(adjusted), rel=1e-6)
    assert len(found) == 6


def test_groups_and_rank_intervals():
    """Two that are alike and one far behind: a shared letter and ranks 1 to 2; the last is third for certain."""
    scores = drawn(7, 40, 1, {"near": 0, "nearer": 2, "far": -200})
    rows = {row.variant: row for row in standings(Board(scored(scores)), tuple(scores)).variants}
    assert rows["near"].groups == rows["nearer"].groups == "a"
    assert {(rows[name].first_rank, rows[name].last_rank) for name in ("near", "nearer")} == {(1, 2)}
    assert (rows["far"].groups, rows["far"].first_rank, rows["far"].last_rank) == ("b", 3, 3)


def test_a_chain_shares_letters_without_sharing_one_group():
    """The first and the last are told apart, neither is from the middle one: a, ab, b.

    The differences of 40 cases alternate by 0.5 about their mean, so a mean of 0.13 is not shown and one of 0.26 is:
    0.26 / (0.5 / sqrt(40)) = 3.3, and 1.6.
    """
    wave = [50 if number % 2 else -50 for number in range(40)]
    scores = {
        "low": [[500]] * 40,
        "middle": [[513 + up] for up in wave],
        "high": [[526 + up * (1 if number % 4 < 2 else -1)] for number, up in enumerate(wave)],
    }
    found = standings(Board(scored(scores)), tuple(scores))
    assert {(pair.first, pair.second) for pair in found.pairs if pair.told_apart} == {("low", "high")}
    assert {row.variant: row.groups for row in found.variants} == {"high": "a", "middle": "ab", "low": "b"}
    assert {row.variant: (row.first_rank, row.last_rank) for row in found.variants} == {
        "high": (1, 2),
        "middle": (1, 3),
        "low": (2, 3),
    }


def test_a_variant_that_fails_is_not_shown_to_be_better():
    """Its runs without a score are left out of the mean, but no pair is told apart that their loss would not leave."""
    scores = drawn(3, 40, 1, {"steady": 0, "fragile": 60})
    whole = standings(Board(scored(scores)), ("steady", "fragile")).pairs[0]
    assert whole.told_apart
    results = [
        failed(entry.id.case, "fragile") if entry.id.variant == "fragile" and number % 3 == 0 else entry
        for number, entry in enumerate(scored(scores))
    ]
    lossy = standings(Board(results), ("steady", "fragile"))
    assert lossy.pairs[0].mean > 0
    assert not lossy.pairs[0].told_apart
    missing = {row.variant: row.missing for row in lossy.variants}
    assert missing["fragile"] >= 13
    assert len({row.cases for row in lossy.variants}) == 1, "one denominator"


def test_a_case_in_which_one_side_never_scored_says_nothing_of_the_pair():
    """Neither does it where the other side's failures count as losses: there is nothing to compare them with."""
    scores = drawn(3, 40, 1, {"a": 0, "b": 60})
    whole = standings(Board(scored(scores)), ("a", "b")).pairs[0]
    both = [failed("neither", "a"), failed("neither", "b")]
    assert standings(Board([*scored(scores), *both]), ("a", "b")).pairs[0] == whole


def test_one_case_has_a_mean_and_nothing_else():
    """No interval, no test, and all ranks are possible."""
    found = standings(Board([result("c", "a", 1, 700), result("c", "b", 1, 800)]), ("a", "b"))
    assert [(row.variant, row.mean, row.low, row.first_rank, row.last_rank) for row in found.variants] == [
        ("b", 8.0, None, 1, 2),
        ("a", 7.0, None, 1, 2),
    ]
    assert found.pairs[0].p_value is None


def test_cases_that_are_all_alike_have_no_interval():
    """Two cases at 8.00 do not show that the mean is exactly 8.00."""
    (row, _) = standings(Board(scored({"a": [[800], [800]], "b": [[700], [700]]})), ["a", "b"]).variants
    assert (row.mean, row.low, row.high) == (8.0, None, None)


def test_an_interval_ends_with_the_scale():
    """Two shares of 0 and 1: t reaches from -5.85 to 6.85."""
    results = [met("x", "a", 1, 0, 1), met("y", "a", 1, 1, 1)]
    (row,) = standings(Board(results), ["a"]).variants
    assert (row.mean, row.low, row.high) == (0.5, 0.0, 1.0)


def test_every_format_says_the_same():
    """LaTeX escapes names, CSV has full numbers, SVG is XML with a line for each interval."""
    scores = drawn(9, 24, 1, {"a_1 & b": 0, "100%": 40})
    tables = [("judge#1", standings(Board(scored(scores)), tuple(scores)))]
    first = tables[0][1].variants[0]
    latex = standings_latex(tables)
    assert r"100\% & " in latex and r"a\_1 \& b" in latex and r"judge\#1" in latex
    assert latex.count(r"\toprule") == latex.count(r"\bottomrule") == 2
    rows = list(csv.DictReader(io.StringIO(standings_csv(tables))))
    assert [row["kind"] for row in rows] == ["variant", "variant", "pair"]
    assert float(rows[0]["mean"]) == pytest.approx(first.mean, rel=1e-5)
    assert f"{first.mean:.2f}" in standings_markdown(tables) and f"{first.mean:.2f}" in latex
    picture = ElementTree.fromstring(standings_svg(tables))
    assert len(picture.findall(".//{*}circle")) == 2
    page = standings_page("a suite", tables)
    assert '<th scope="row">a_1 &amp; b</th>' in page and page.count("<table>") == 2
    assert f"<td>{first.mean:.2f}</td>" in page


@pytest.mark.parametrize("name", ["table.doc", "table.latex", "table.TEXT"])
def test_an_unknown_ending_is_an_error_and_writes_nothing(evenhand_command, tmp_path, name):
    """It names the endings there are."""
    done = evenhand_command("suite", "table", "latest", "-o", name)
    assert done.code == 2
    assert f"{name}: this command writes no {name[5:].lower()} file; endings: " in done.err.replace("\n", " ")
    assert ".tex" in done.err
    assert not (tmp_path / name).exists()


def test_the_table_of_a_file_of_results(evenhand_command, tmp_path):
    """In LaTeX by its ending, as JSON on request."""
    from evenhand.decisions.values.suite_run import SuiteRun
    from evenhand.suite_runs.results.suite_results import results_text

    scores = drawn(2, 12, 2, {"a": 0, "b": 50})
    run = SuiteRun("run-1", "s", "ab" * 32, "2026-01-01T00:00:00Z", ("a", "b"), "a", 2, 12, judges=("openai:m",))
    (tmp_path / "results.jsonl").write_text("".join(results_text(run, scored(scores))))
    assert evenhand_command("suite", "table", "results.jsonl", "-o", "t.tex").code == 0
    assert r"\begin{tabular}" in (tmp_path / "t.tex").read_text()
    (table,) = json.loads(evenhand_command("suite", "table", "results.jsonl", "-f", "json").out)
    assert table["judge"] == "openai:m"
    assert [row["variant"] for row in table["variants"]] == ["b", "a"]
    shown = evenhand_command("suite", "table", "results.jsonl").out
    assert all(len(line) <= 80 for line in shown.splitlines())


def test_each_judge_of_a_panel_has_a_table_of_its_own(tmp_path):
    """The panel's means are of the official scores, a judge's of what it alone would give; never side by side."""
    from contextlib import closing

    from conftest import make_rubric

    from evenhand.core.values import SuitePlace
    from evenhand.decisions.values.suite_run import SuiteRun
    from evenhand.judging.evaluated import Evaluated
    from evenhand.judging.keeper import Keeper
    from evenhand.store import open_store
    from evenhand.suite_runs.results.judge_standings import judge_standings
    from panels import card_of, panel_of

    run = SuiteRun("r", "s", "ab" * 32, "2026-01-01T00:00:00Z", ("x", "y"), "x", 1, 2, judges=("a", "b"))
    results = []
    with closing(open_store(str(tmp_path / "s.db"))) as store:
        for variant, scores in (("x", (4, 6)), ("y", (8, 6))):
            for case in ("1", "2"):
                id = f"{case}{variant}"
                card = card_of(panel_of(*scores), make_rubric())._replace(
                    id=id, suite=SuitePlace("r", case, variant, 1)
                )
                Keeper(store).keep(Evaluated(card, None, True))
                results.append(result(case, variant, 1, round(card.final * 100), evaluation=id))
        tables = judge_standings(run, results, store)
    means = {judge: {row.variant: row.mean for row in table.variants} for judge, table in tables}
    assert means == {"the panel": {"x": 5.0, "y": 7.0}, "a": {"x": 4.0, "y": 8.0}, "b": {"x": 6.0, "y": 6.0}}
