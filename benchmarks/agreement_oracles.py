"""What other packages compute for tables of ratings: tests/core/test_trust_oracles.py compares ours with it.

    python -m venv one && one/bin/pip install krippendorff scikit-learn pingouin statsmodels scipy pandas
    python -m venv two && two/bin/pip install irrCAC            (it pins an old NumPy, so it needs a place of its own)
    one/bin/python benchmarks/agreement_oracles.py tests/fixtures/agreement/oracles.json
    two/bin/python benchmarks/agreement_oracles.py tests/fixtures/agreement/oracles.json

Each run fills in what its packages can compute and leaves the rest. The tables are made from fixed seeds and are
part of the file.
"""

from __future__ import annotations

import json
import random
import sys
from importlib.util import find_spec
from itertools import combinations
from pathlib import Path


def tables() -> dict[str, list[list[float | None]]]:
    """Small tables of every awkward kind: items in rows, raters in columns."""
    made: dict[str, list[list[float | None]]] = {
        "shrout-fleiss-1979": [[9, 2, 5, 8], [6, 1, 3, 2], [8, 4, 6, 8], [7, 1, 2, 6], [10, 5, 6, 9], [6, 2, 4, 7]],
        "krippendorff-2011": [
            [1, 1, None, 1], [2, 2, 3, 2], [3, 3, 3, 3], [3, 3, 3, 3], [2, 2, 2, 2], [1, 2, 3, 4],
            [4, 4, 4, 4], [1, 1, 2, 1], [2, 2, 2, 2], [None, 5, 5, 5], [None, None, 1, 1], [None, 3, None, None],
        ],
    }  # fmt: skip
    for number, (raters, items, low, high, noise, gaps) in enumerate(
        [(2, 40, 1, 10, 1.0, 0.0), (2, 60, 1, 5, 0.7, 0.0), (2, 50, 0, 1, 0.4, 0.0), (3, 40, 1, 5, 0.8, 0.2),
         (5, 30, 1, 10, 2.0, 0.1), (4, 50, 0, 3, 0.5, 0.3), (2, 80, 1, 3, 0.2, 0.0)]
    ):  # fmt: skip
        chance = random.Random(number)
        rows: list[list[float | None]] = []
        for _ in range(items):
            truth = chance.uniform(low, high)
            row: list[float | None] = []
            for rater in range(raters):
                given = round(min(high, max(low, truth + chance.gauss(0.2 * rater, noise))))
                row.append(None if chance.random() < gaps else given)
            rows.append(row)
        made[f"made-{number}"] = rows
    return made


def computed(rows: list[list[float | None]]) -> dict[str, float]:
    """Every coefficient that the packages installed here give."""
    values: dict[str, float] = {}
    complete = [row for row in rows if None not in row]
    if find_spec("krippendorff"):
        values |= with_krippendorff(rows)
        values |= with_pingouin(complete)
        if len(rows[0]) == 2:
            values |= with_sklearn(complete)
        values |= with_scipy(rows)
        if len(complete) == len(rows):
            values |= with_statsmodels(rows)
    if find_spec("irrCAC"):
        values |= with_irrcac(rows)
    return values


def with_krippendorff(rows):
    import krippendorff
    import numpy as np

    data = np.array([[np.nan if value is None else value for value in row] for row in rows]).T
    levels = ["nominal", "ordinal", "interval"] + (["ratio"] if np.nanmin(data) > 0 else [])
    return {f"alpha-{level}": float(krippendorff.alpha(data, level_of_measurement=level)) for level in levels}


def with_pingouin(rows):
    import pandas as pd
    import pingouin

    long = pd.DataFrame(
        [(item, rater, value) for item, row in enumerate(rows) for rater, value in enumerate(row)],
        columns=["item", "rater", "value"],
    )
    result = pingouin.intraclass_corr(long, targets="item", raters="rater", ratings="value")
    forms = ["icc-1-1", "icc-2-1", "icc-3-1", "icc-1-k", "icc-2-k", "icc-3-k"]
    return dict(zip(forms, map(float, result["ICC"]), strict=True))


def with_sklearn(rows):
    from sklearn.metrics import cohen_kappa_score

    first, second = zip(*rows, strict=True)
    labels = list(range(int(min(first + second)), int(max(first + second)) + 1))
    return {
        "kappa": float(cohen_kappa_score(first, second)),
        "kappa-linear": float(cohen_kappa_score(first, second, labels=labels, weights="linear")),
        "kappa-quadratic": float(cohen_kappa_score(first, second, labels=labels, weights="quadratic")),
    }


def with_scipy(rows):
    from scipy.stats import kendalltau, spearmanr

    found: dict[str, list[float]] = {"spearman": [], "kendall": []}
    for one, other in combinations(range(len(rows[0])), 2):
        pairs = [(row[one], row[other]) for row in rows if row[one] is not None and row[other] is not None]
        first, second = zip(*pairs, strict=True)
        found["spearman"].append(float(spearmanr(first, second).statistic))
        found["kendall"].append(float(kendalltau(first, second, variant="b").statistic))
    return {name: sum(values) / len(values) for name, values in found.items()}


def with_statsmodels(rows):
    from statsmodels.stats.inter_rater import aggregate_raters, fleiss_kappa

    return {"kappa-fleiss": float(fleiss_kappa(aggregate_raters(rows)[0]))}


def with_irrcac(rows):
    import pandas as pd
    from irrCAC.raw import CAC

    frame = pd.DataFrame(rows, dtype=float)
    values = {}
    for name, weights in (("ac1", "identity"), ("ac2-linear", "linear"), ("ac2-quadratic", "quadratic")):
        values[name] = float(CAC(frame, weights=weights, digits=12).gwet()["est"]["coefficient_value"])
    values["kappa-fleiss"] = float(CAC(frame, digits=12).fleiss()["est"]["coefficient_value"])
    return values


def main() -> None:
    target = Path(sys.argv[1])
    known = json.loads(target.read_text(encoding="utf-8")) if target.exists() else {}
    for name, rows in tables().items():
        values = known.get(name, {}).get("values", {}) | computed(rows)
        known[name] = {"rows": rows, "values": dict(sorted(values.items()))}
    target.parent.mkdir(parents=True, exist_ok=True)
    lines = ",\n".join(f"{json.dumps(name)}: {json.dumps(table)}" for name, table in known.items())
    target.write_text("{" + lines + "}\n", encoding="utf-8")


if __name__ == "__main__":
    main()
