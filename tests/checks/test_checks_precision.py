"""Which checks give faults, and which may cap: counted from labels, by limits that every machine computes alike."""

from __future__ import annotations

import json
import re
import sys

import pytest
from conftest import ROOT, SHARED_DATA

from evenhand.checks.judge import ChecksJudge
from evenhand.checks.precision import Count, counts, lower_limit, makes_caps, makes_faults, measured, precise, qualifies
from evenhand.checks.registry import built_in
from evenhand.core.values import Finding
from evenhand.work.submission import Submission

sys.path.insert(0, str(ROOT / "scripts"))
from make_precision import as_json, compare, counted, labels


def test_the_counts_are_those_of_the_labels():
    """After a change of the labels, scripts/make_precision.py must be run."""
    assert (ROOT / "src/evenhand/checks/precision.json").read_text(encoding="utf-8") == as_json(counted(labels()))
    assert counts() == counted(labels())


def test_every_label_is_complete_and_names_a_built_in_check():
    """Each finding is labelled once, with its run and its quote, so that a stale label is noticed."""
    ids = {check.id for check in built_in()}
    for row in labels():
        assert set(row) - {"real"} == {"source", "run", "check", "quote", "readings", "why"}
        assert len(row["readings"]) == 2 and all(reading in (True, False) for reading in row["readings"])
        assert row["check"] in ids and row["why"] and row["run"].rpartition(":")[2].isdecimal()
    assert len({(row["run"], row["check"], row["quote"]) for row in labels()}) == len(labels())


@pytest.mark.parametrize(
    ("sources", "faults", "caps"),
    [
        ({"a": Count(12, 0)}, False, False),  # one source
        ({"a": Count(10, 0), "b": Count(1, 0)}, False, False),  # eleven labels
        ({"a": Count(11, 0), "b": Count(1, 0)}, True, False),
        ({"a": Count(18, 1), "b": Count(1, 0)}, True, False),  # 19 of 20: 95 %
        ({"a": Count(17, 1), "b": Count(1, 0)}, False, False),  # 18 of 19: 94.7 %
        ({"a": Count(28, 0), "b": Count(1, 0)}, True, False),  # the lower limit is 0.90, but from two sources
        ({"a": Count(27, 0), "b": Count(1, 0), "c": Count(1, 0)}, True, True),
        ({"a": Count(26, 0), "b": Count(1, 0), "c": Count(1, 0)}, True, False),  # 0.9 ** 28 = 0.0523
    ],
)
def test_a_check_gives_faults_or_caps_by_its_labels(sources, faults, caps):
    """Twelve labels from two sources, 95 % true; to cap, three sources and a lower limit of 0.90."""
    assert (makes_faults(sources), makes_caps(sources)) == (faults, caps)


def test_a_check_that_loses_its_precision_gives_notes(monkeypatch):
    """One false label too many: the same finding is no longer a fault, fails no gate and bounds nothing."""
    empty = Submission(output="Sure! Here is the summary you asked for:", task="Summarise the report in a page.")
    assert [finding.is_fault for finding in _of_no_substance(empty)] == [True] * 4  # one for each dimension
    rows = [
        row | {"readings": [True, n % 10 > 0]}
        for n, row in enumerate(row for row in labels() if row["check"] == "no-substance")
    ]  # one reader says that 2 of 16 are false
    assert not makes_faults(counted(rows)["no-substance"])
    monkeypatch.setattr("evenhand.checks.judge.measured", lambda: measured() - {"no-substance"})
    assert [(finding.note, finding.is_fault) for finding in _of_no_substance(empty)] == [(True, False)] * 4


def _of_no_substance(submission: Submission) -> list[Finding]:
    return [finding for finding in ChecksJudge().look(submission)[0].findings if finding.check == "no-substance"]


def test_at_least_eight_checks_give_faults():
    """Silence is not the way to precision."""
    assert len(measured()) >= 8
    assert precise() <= measured()


def test_a_label_is_true_only_when_both_readers_say_so_and_runs_that_someone_made_up_do_not_count():
    """Disagreements stay in the file, and count against the check."""
    row = {"source": "a", "check": "x"}
    rows = [row | {"readings": readings} for readings in ([True, True], [True, False], [False, False])]
    assert counted([*rows, row | {"readings": [True, True], "real": False}]) == {"x": {"a": Count(1, 2)}}


@pytest.mark.slow
@pytest.mark.skipif(not SHARED_DATA.is_dir(), reason=f"{SHARED_DATA} is absent")
def test_the_faults_on_real_runs_are_true_by_source_and_most_of_the_earlier_ones_are_still_found(capsys):
    """Every fault is labelled; 95 % are true in each source; 60 % of the true ones of an earlier version remain."""
    compare(labels(), SHARED_DATA)
    told = capsys.readouterr().out
    shares = [(int(true), int(all_)) for true, all_ in re.findall(r"(\d+) of (\d+) true(?:\n|, by)", told)]
    assert len(shares) >= 7 and all(20 * true >= 19 * all_ for true, all_ in shares), told
    assert "not read" not in told and "0 labels whose finding is gone" in told
    assert int(re.search(r"still \((\d+) %\)", told)[1]) >= 60


@pytest.mark.parametrize(
    ("true", "false", "enough"),
    [
        (0, 0, False),
        (28, 0, False),  # 0.9 ** 28 = 0.0523
        (29, 0, True),  # 0.9 ** 29 = 0.0471
        (44, 1, False),  # 0.9 ** 45 + 45 * 0.9 ** 44 * 0.1 = 0.0524
        (45, 1, True),  # 0.9 ** 46 + 46 * 0.9 ** 45 * 0.1 = 0.0480
        (19, 1, False),  # 95 % true, but too few
        (950, 50, True),
        (949, 51, False),  # 94.9 % true
    ],
)
def test_a_check_qualifies_by_its_share_and_by_its_lower_limit(true, false, enough):
    """At least 95 % true, and a one-sided 95 % Clopper-Pearson limit of at least 0.90."""
    assert qualifies(true, false) == enough


@pytest.mark.parametrize(("true", "total"), [(29, 29), (45, 46), (9, 9), (1, 1), (0, 3), (82, 82), (190, 200)])
@pytest.mark.slow
def test_the_limit_is_the_one_that_scipy_gives(true, total):
    """The quantile of a beta distribution."""
    stats = pytest.importorskip("scipy.stats")
    expected = stats.beta.ppf(0.05, true, total - true + 1) if true else 0.0
    assert lower_limit(true, total) == pytest.approx(expected, abs=1e-9)


def test_labels_are_json_lines_in_order():
    """So that a change of one label is a change of one line."""
    lines = (ROOT / "benchmarks" / "findings_labels.jsonl").read_text(encoding="utf-8").splitlines()
    keys = [(row["check"], row["source"], row["run"], row["quote"]) for row in map(json.loads, lines)]
    assert keys == sorted(keys)
