"""What moves the score of the judge without a model, and what must not; and how it ranks traces that experts scored.

    python benchmarks/judge.py [--traces FOLDER --annotations FOLDER]

The first table shows one output spoilt in several ways. With a folder of OpenTelemetry traces and one of
experts' annotations of the same names, the second part prints the rank correlation of our final score with
their overall score. Nothing is tuned to those traces.
"""

from __future__ import annotations

import argparse
import json
import random
from pathlib import Path

import evenhand
from evenhand.core.values.submission import Submission
from evenhand.errors import InputError
from evenhand.judges.checks.judge import ChecksJudge
from evenhand.transcripts import read

TASK = "Explain in at most 120 words how the cache works, and show the code.\n\n1. the eviction rule\n2. the locking\n"
OUTPUT = """The cache keeps the newest profiles and evicts the oldest entry once it holds a thousand of them.
Each user has a lock of their own, which is held while a profile is loaded and stored.

```python
def get(user):
    with locks[user]:
        return entries.get(user) or load(user)
```

The eviction rule runs on every store; the locking keeps two loads from crossing.
"""


def spoilt() -> dict[str, str]:
    parts = OUTPUT.split("\n\n")
    random.Random(1).shuffle(parts)
    return {
        "as it is": OUTPUT,
        "keywords added": OUTPUT + "\nEvery edge case is covered; the tests pass; the trade-off is clear.\n",
        "headings added": "# Overview\n\n" + OUTPUT + "\n## Edge cases\n\nNone.\n",
        "padded to double length": OUTPUT
        + "It is worth saying that this matters to many people. " * (len(OUTPUT) // 53),
        "paragraphs shuffled": "\n\n".join(parts),
        "half removed": OUTPUT[: len(OUTPUT) // 2],
        "Thought process: alone": "Thought process:",
        ": alone": ":",
        "empty": "",
    }


def card_of(submission: Submission, rubric: str) -> evenhand.Scorecard:
    chosen = evenhand.load_rubric(rubric)
    return evenhand.score(ChecksJudge().judge(chosen, submission), rubric=chosen, output=submission.output)


def robustness() -> None:
    print(f"{'output':26} final grade  " + " ".join(f"{name[:5]:>5}" for name in evenhand.DIMENSIONS))
    for name, output in spoilt().items():
        card = card_of(Submission(output=output, task=TASK), "default")
        scores = " ".join(f"{line.score!s:>5}" for line in card.dimensions.values())
        assert card.grade is not None
        print(f"{name:26} {card.final!s:>5} {card.grade.letter:5}  {scores}")


def correlation(traces: Path, annotations: Path) -> None:
    ours, theirs = [], []
    for path in sorted(traces.iterdir()):
        notes = annotations / f"{path.name.split('.')[0]}.json"
        found = next(iter(read(str(path))))
        if not notes.is_file() or isinstance(found, InputError):
            continue
        ours.append(float(card_of(found, "agent-run").final or 0))
        theirs.append(float(json.loads(notes.read_text(encoding="utf-8"))["scores"][0]["overall"]))
    found = spearman(ours, theirs)
    print(f"\n{len(ours)} traces: rank correlation (Spearman) with the experts' overall score {found:+.2f}")


def spearman(first: list[float], second: list[float]) -> float:
    ranks = [_ranks(values) for values in (first, second)]
    means = [sum(values) / len(values) for values in ranks]
    products = sum((a - means[0]) * (b - means[1]) for a, b in zip(*ranks, strict=True))
    spreads = [sum((value - mean) ** 2 for value in values) for values, mean in zip(ranks, means, strict=True)]
    return products / (spreads[0] * spreads[1]) ** 0.5 if all(spreads) else 0.0


def _ranks(values: list[float]) -> list[float]:
    order = sorted(values)
    return [order.index(value) + (order.count(value) - 1) / 2 for value in values]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--traces", type=Path)
    parser.add_argument("--annotations", type=Path)
    chosen = parser.parse_args()
    robustness()
    if chosen.traces and chosen.annotations:
        correlation(chosen.traces, chosen.annotations)


if __name__ == "__main__":
    main()
