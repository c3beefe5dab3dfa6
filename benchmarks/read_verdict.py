"""How many verdicts `read_verdict` reads right, misses, gets wrong and invents, by the format of the judge's text.

    python benchmarks/read_verdict.py [--texts 2000] [--seed 29]

The texts are made by `tests/support/judge_formats.py` in the forms of published judges, with their known quirks, each
with its author's label. A wrong verdict is worse than none, so the two are counted apart.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from pathlib import Path

from evenhand.core.values.opinion import Unscored
from evenhand.judges import read_verdict
from measuring import table, verdict

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "support"))
from judge_formats import FORMATS, judge_texts

OUTCOMES = ("agree", "missed", "wrong", "invented")
LEAST_AGREE = 0.995


def outcome(text: str, label: str | None) -> str:
    """agree, missed (a verdict was not read), wrong (another one), or invented (one where none is stated)."""
    read = read_verdict(text)
    found = None if isinstance(read, Unscored) else read
    if found == label:
        return "agree"
    return "missed" if found is None else "invented" if label is None else "wrong"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--texts", type=int, default=2_000, help="texts of each format")
    parser.add_argument("--seed", type=int, default=29)
    options = parser.parse_args()
    counts: dict[str, Counter[str]] = {name: Counter() for name in FORMATS}
    for made in judge_texts(options.texts, options.seed):
        counts[made.format][outcome(made.text, made.label)] += 1
    rows = [(name, *(f"{count[kind]:,}" for kind in OUTCOMES)) for name, count in counts.items()]
    total = sum(counts.values(), Counter[str]())
    rows.append(("all", *(f"{total[kind]:,}" for kind in OUTCOMES)))
    print(table(("format", *OUTCOMES), rows))
    reached = total["agree"] >= LEAST_AGREE * total.total() and not total["wrong"] and not total["invented"]
    print(f"\ntarget: none wrong or invented, at least {LEAST_AGREE:.1%} agree: {verdict(reached)}")


if __name__ == "__main__":
    main()
