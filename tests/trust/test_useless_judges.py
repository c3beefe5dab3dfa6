"""Calibrations of judges that predict nothing, of another model version, too old or too wide: refused, and why."""

from __future__ import annotations

from random import Random

import pytest

from evenhand.core.calibration import CalibrationLimits, beyond_limits, misfit, worse_than_constant
from evenhand.errors import InputError
from evenhand.stats.calibration_curves import calibrate, rank_correlation
from evenhand.stats.clusters import cluster_folds
from evenhand.trust.calibration import calibrate_pairs
from evenhand.trust.labels.judged_items import JudgeKey

KEY = JudgeKey('{"name":"model:a"}', "f" * 64, "devops")


def pairs_of(n: int, noise: float, seed: int = 1) -> list[tuple[float, float]]:
    """A judge's score and people's; the judge is a point too kind."""
    draw = Random(seed)
    people = [draw.uniform(2, 9) for _ in range(n)]
    return [(min(10.0, max(1.0, value + 1 + draw.gauss(0, noise))), value) for value in people]


def random_pairs(n: int, seed: int) -> list[tuple[float, float]]:
    draw = Random(seed)
    return [(float(draw.randint(1, 10)), float(draw.randint(1, 10))) for _ in range(n)]


def test_a_random_or_constant_judge_is_not_calibrated():
    """A random judge cannot give a level, and one that always says 8 never could."""
    for pairs in (random_pairs(150, 1), [(8.0, 2.0 + n % 7) for n in range(60)]):
        with pytest.raises(
            InputError, match="no calibration of model:a with rubric devops: final: the judge cannot give a level"
        ):
            calibrate_pairs(KEY, {"final": pairs})


@pytest.mark.parametrize("n", [20, 39, 40, 80])
def test_an_honest_judge_is_calibrated(n):
    """However few labels an interval takes; what one score for everything would cost is in the file."""
    curve = calibrate_pairs(KEY, {"final": pairs_of(n, 1.0)}).curves["final"]
    assert curve.error < curve.constant_error
    assert curve.agreement is not None and curve.agreement > 0.7


def test_the_constant_is_the_median_of_the_other_folds():
    """Twenty labels, all 5 but for a 9 and a 1: the median is always 5, and the error (4 + 4) / 20."""
    curve = calibrate([(float(n), {0: 9.0, 19: 1.0}.get(n, 5.0)) for n in range(20)])
    assert curve.constant_error == pytest.approx(0.4)


def test_a_field_of_no_use_is_left_out_and_the_final_score_decides():
    """Safety is judged at random: it has no curve. The final score at random: there is no calibration."""
    made = calibrate_pairs(KEY, {"final": pairs_of(60, 1.0), "safety": [(8.0, 2 + n % 7) for n in range(60)]})
    assert set(made.curves) == {"final"}
    assert made.left_out["safety"].startswith("no curve beats one score for every output: ")


def test_ranks_are_spearmans():
    """SciPy's value."""
    stats = pytest.importorskip("scipy.stats")
    pairs = random_pairs(30, 3)
    known = stats.spearmanr([x for x, _ in pairs], [y for _, y in pairs], alternative="greater")
    assert rank_correlation(pairs) == pytest.approx(known.statistic)
    assert rank_correlation([(1.0, 2.0)] * 5) is None


def test_another_model_version_does_not_fit():
    """What the server named when the labelled outputs were judged; where it named nothing, nothing is refused."""
    made = calibrate_pairs(KEY, {"final": pairs_of(60, 1.0)}, served=["m-1"])
    judge = {"name": "model:a"}
    assert misfit(made, judge, None, ["m-1"]) is None
    assert misfit(made, judge, None, []) is None
    assert misfit(made, judge, None, ["m-2"]) == "another model version answers (m-1, now m-2)"
    assert misfit(calibrate_pairs(KEY, {"final": pairs_of(60, 1.0)}), judge, None, ["m-2"]) is None


def test_limits_of_a_calibration():
    """Each at its boundary; where it cannot be told how far the judge agrees, a limit on it is not met."""
    made = calibrate_pairs(KEY, {"final": pairs_of(60, 1.0)})
    curve = made.curves["final"]
    assert curve.agreement is not None
    for limits, met in (
        (CalibrationLimits(), True),
        (CalibrationLimits(least_agreement=curve.agreement), True),
        (CalibrationLimits(least_agreement=curve.agreement + 0.001), False),
        (CalibrationLimits(greatest_width=2 * curve.reach), True),
        (CalibrationLimits(greatest_width=2 * curve.reach - 0.001), False),
        (CalibrationLimits(made_since=made.created), True),
        (CalibrationLimits(made_since="9999-01-01T00:00:00.000Z"), False),
    ):
        assert (beyond_limits(made, limits) is None) is met
    unknown = made._replace(curves={"final": curve._replace(agreement=None)})
    assert "cannot be told" in str(beyond_limits(unknown, CalibrationLimits(least_agreement=0.1)))
    useless = made._replace(curves={"final": curve._replace(error=2.0, constant_error=2.0)})
    assert "is not below that of one score for everything, 2.00" in str(worse_than_constant(useless))


def test_runs_of_one_case_do_not_predict_each_other():
    """Fifteen cases, each labelled four times alike, unlike what the judge says: a curve fitted to the other runs of a
    case knows it, and one fitted to other cases does not."""
    draw = Random(8)
    pairs, cases = [], []
    for case in range(15):
        judge, people = 1 + case * 9 / 14, draw.uniform(2, 9)
        pairs += [(judge, people)] * 4
        cases += [case] * 4
    assert calibrate(pairs, clusters=cases).error > 1.1 * calibrate(pairs).error
    assert len(set(zip(cases, cluster_folds(cases, 10), strict=True))) == 15
