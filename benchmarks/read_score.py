"""How many scores `read_score` reads right, misses, gets wrong and invents.

    python benchmarks/read_score.py [../shared/data/judge_texts/mtbench.jsonl.gz] [--generated 20000] [--seed 13]

A file has one JSON object a line, plain or gzipped, with the text under `judgment` and the score under `stored_score`;
-1 means that no score could be read. Then texts are made from the pieces in `tests/support/unscored_texts.py`, as many
that state one score as state none. A wrong number is worse than none, so the two are counted apart.
"""

from __future__ import annotations

import argparse
import gzip
import json
import sys
from collections import Counter
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path
from time import process_time

from evenhand.core.values.opinion import Unscored
from evenhand.judges import read_score

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "support"))
from unscored_texts import scored_texts, unscored_texts


def records(path: Path) -> Iterator[tuple[str, Decimal | None]]:
    """Each text with its stored score."""
    with gzip.open(path, "rt", encoding="utf-8") if path.suffix == ".gz" else path.open(encoding="utf-8") as lines:
        for line in lines:
            record = json.loads(line, parse_float=Decimal)
            stored = Decimal(record["stored_score"])
            yield record["judgment"], None if stored == -1 else stored


def compared(text: str, stored: Decimal | None, low: Decimal, high: Decimal) -> str:
    """agree, unscored (a stored score was not read), wrong (another number) or invented (one where none was stored)."""
    found = read_score(text, low, high)
    if isinstance(found, Unscored):
        return "agree" if stored is None else "unscored"
    return "invented" if stored is None else "agree" if found == stored else "wrong"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", type=Path, nargs="?")
    parser.add_argument("--low", type=Decimal, default=Decimal(1))
    parser.add_argument("--high", type=Decimal, default=Decimal(10))
    parser.add_argument("--generated", type=int, default=20_000)
    parser.add_argument("--seed", type=int, default=13)
    options = parser.parse_args()
    if options.file:
        report(options.file.name, list(records(options.file)), options.low, options.high)
    stating = [(text, Decimal(score)) for text, score in scored_texts(options.generated, options.seed)]
    report("generated, stating a score", stating, Decimal(1), Decimal(10))
    silent = [(text, None) for text in unscored_texts(options.generated, options.seed)]
    report("generated, stating none", silent, Decimal(1), Decimal(10))


def report(name: str, read: list[tuple[str, Decimal | None]], low: Decimal, high: Decimal) -> None:
    """Print how many of these texts are read as they should be."""
    start = process_time()
    counts = Counter(compared(text, stored, low, high) for text, stored in read)
    seconds = process_time() - start
    print(f"{name}: {len(read)} texts, {1000 * seconds / max(1, len(read)):.2f} ms each")
    for outcome in ("agree", "unscored", "wrong", "invented"):
        print(f"  {outcome:10}{counts[outcome]:7}")


if __name__ == "__main__":
    main()
