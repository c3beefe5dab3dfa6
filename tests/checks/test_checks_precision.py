"""Which checks may cap a score: counted from labels, by a limit that every machine computes alike."""

from __future__ import annotations

import json
from collections import Counter

import pytest
from conftest import ROOT

from evenhand.checks.precision import counts, lower_limit, precise, qualifies
from evenhand.checks.registry import built_in

LABELS = [
    json.loads(line)
    for line in (ROOT / "benchmarks" / "findings_labels.jsonl").read_text(encoding="utf-8").splitlines()
]


def test_the_counts_are_those_of_the_labels():
    """After a change of the labels, scripts/make_precision.py must be run."""
    labelled = Counter((row["check"], row["true"]) for row in LABELS)
    assert counts() == {row["check"]: (labelled[row["check"], True], labelled[row["check"], False]) for row in LABELS}


def test_every_label_is_complete_and_names_a_built_in_check():
    """Each fault is labelled once, with a reason."""
    ids = {check.id for check in built_in()}
    for row in LABELS:
        assert set(row) == {"source", "check", "finding", "true", "why"}
        assert row["check"] in ids and row["finding"].startswith(row["check"]) and row["why"]
    assert len({(row["source"], row["finding"]) for row in LABELS}) == len(LABELS)


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


def test_only_checks_that_qualify_may_cap():
    """The others inform."""
    assert precise() == {check for check, (true, false) in counts().items() if qualifies(true, false)}
    assert "unmade-lookup" not in precise()  # 9 of 9 true: the lower limit is 0.72
