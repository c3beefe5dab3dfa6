"""Which checks give faults, and which may cap: counted from labels, by limits that every machine computes alike."""

from __future__ import annotations

import json
import re
import sys

import pytest
from conftest import ROOT, SHARED_DATA

from evenhand.findings.judge import ChecksJudge
from evenhand.findings.precision import Count, counts, is_too_often_wrong, lower_limit, makes_caps, qualifies
from evenhand.findings.registry import built_in
from evenhand.work.submission import Submission

sys.path.insert(0, str(ROOT / "scripts"))
from make_precision import as_json, compare, counted, labels


def test_the_counts_are_those_of_the_labels():
    """After a change of the labels, scripts/make_precision.py must be run."""
    assert (ROOT / "src/evenhand/findings/precision.json").read_text(encoding="utf-8") == as_json(counted(labels()))
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
    ("families", "is_note", "caps"),
    [
        ({"a": Count(40, 0)}, False, False),  # one family
        ({"a": Count(28, 0), "b": Count(1, 0)}, False, True),  # the lower limit is 0.90
        ({"a": Count(27, 0), "b": Count(1, 0)}, False, False),  # 0.9 ** 28 = 0.0523
        ({"a": Count(34, 2)}, False, False),  # 34 of 36: 94.4 %
        ({"a": Count(33, 3)}, True, False),  # 33 of 36: 91.7 %
        ({"a": Count(5, 4)}, False, False),  # few
        ({"a": Count(99, 0), "b": Count(33, 3)}, True, False),  # one family is enough
    ],
)
def test_a_check_gives_notes_or_caps_by_its_labels(families, is_note, caps):
    """Below 92 % in a family with 36 labels it is a note; to cap, two families, 95 % and a lower limit of 0.90."""
    assert (is_too_often_wrong(families), makes_caps(families)) == (is_note, caps)


def test_a_check_that_loses_its_precision_gives_notes(monkeypatch):
    """The same finding is no longer a fault, fails no gate and bounds nothing."""
    empty = Submission(output="")
    assert [finding.is_fault for finding in ChecksJudge().look(empty)[0].findings] == [True]
    monkeypatch.setattr("evenhand.findings.judge.too_often_wrong", lambda: frozenset({"no-answer"}))
    assert [(f.note, f.is_fault) for f in ChecksJudge().look(empty)[0].findings] == [(True, False)]


def test_a_label_is_true_only_when_both_readers_say_so_and_runs_that_someone_made_up_do_not_count():
    """Disagreements stay in the file, and count against the check."""
    row = {"source": "a", "check": "x"}
    rows = [row | {"readings": readings} for readings in ([True, True], [True, False], [False, False])]
    assert counted([*rows, row | {"readings": [True, True], "real": False}]) == {"x": {"a": Count(1, 2)}}


@pytest.mark.slow
@pytest.mark.skipif(not SHARED_DATA.is_dir(), reason=f"{SHARED_DATA} is absent")
def test_the_faults_on_real_runs_are_true_by_family(capsys):
    """At least 92 % of those that were labelled, in each family."""
    compare(labels(), SHARED_DATA)
    told = capsys.readouterr().out
    shares = [(int(true), int(all_)) for true, all_ in re.findall(r"(\d+) of (\d+) true(?:\n|, by)", told)]
    assert shares and all(25 * true >= 23 * all_ for true, all_ in shares), told


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
