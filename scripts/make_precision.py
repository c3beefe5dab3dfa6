"""Count the labels of `benchmarks/findings_labels.jsonl` into the file that says which checks may cap a score.

python scripts/make_precision.py
"""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).parents[1]
LABELS = ROOT / "benchmarks" / "findings_labels.jsonl"
COUNTS = ROOT / "src" / "evenhand" / "judges" / "checks" / "precision.json"


def counted() -> str:
    rows = [json.loads(line) for line in LABELS.read_text(encoding="utf-8").splitlines()]
    found = Counter((row["check"], row["true"]) for row in rows)
    checks = sorted({row["check"] for row in rows})
    return (
        json.dumps({check: {"true": found[check, True], "false": found[check, False]} for check in checks}, indent=1)
        + "\n"
    )


if __name__ == "__main__":
    COUNTS.write_text(counted(), encoding="utf-8")
    print(f"written: {COUNTS.name}")
