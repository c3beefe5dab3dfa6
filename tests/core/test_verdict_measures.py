"""A judge's verdicts against people's: the usual shares, against scikit-learn's definitions worked out by hand."""

from __future__ import annotations

import pytest

from evenhand.stats.agreement.verdict_measures import Confusion, verdict_measures


def test_the_measures_of_a_judge():
    """Judge in rows: of 50 that people pass it passes 40, of 30 that they fail it fails 24.

    Precision 40/46, F1 2*40/(80+6+10), balanced (0.8+0.8)/2, Matthews (40*24-6*10)/sqrt(46*50*30*34).
    """
    found = verdict_measures(Confusion(("fail", "pass"), ((24, 10), (6, 40))))
    assert found is not None
    assert found[:5] == ("pass", 40, 6, 10, 24)
    assert (found.sensitivity, found.specificity, found.recall) == (0.8, 0.8, 0.8)
    assert found.precision == pytest.approx(40 / 46)
    assert found.f1 == pytest.approx(80 / 96)
    assert found.balanced_accuracy == pytest.approx(0.8)
    assert found.matthews == pytest.approx(900 / (46 * 50 * 30 * 34) ** 0.5)


def test_the_positive_verdict_is_known_by_its_word_or_else_the_last():
    """Yes before no as well; of A and B it is B."""
    assert verdict_measures(Confusion(("yes", "no"), ((1, 0), (0, 1)))).positive == "yes"
    assert verdict_measures(Confusion(("A", "B"), ((1, 0), (0, 1)))).positive == "B"


def test_there_is_nothing_to_divide_by_and_nothing_to_measure():
    """Everything passed: no specificity, no Matthews. Three verdicts, or none: no measures."""
    found = verdict_measures(Confusion(("fail", "pass"), ((0, 0), (0, 5))))
    assert (found.sensitivity, found.specificity, found.balanced_accuracy, found.matthews) == (1.0, None, None, None)
    assert verdict_measures(Confusion(("a", "b", "c"), ((1, 0, 0),) * 3)) is None
    assert verdict_measures(None) is None
