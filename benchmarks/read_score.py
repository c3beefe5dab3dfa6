"""How many stored scores `read_score` reads from the judgements they were stored with.

    python benchmarks/read_score.py ../shared/data/judge_texts/mtbench.jsonl.gz [--low 1] [--high 10]

One JSON object a line, plain or gzipped, with the text under `judgment` and the score under
`stored_score`; -1 means that no score could be read. A wrong number is worse than none, so the two
are counted apart.
"""

from __future__ import annotations

import argparse
import gzip
import json
from collections import Counter
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path
from time import process_time

from evenhand.core.values.opinion import Unscored
from evenhand.judges import read_score


def records(path: Path) -> Iterator[tuple[str, Decimal | None]]:
    """Each text with its stored score."""
    with gzip.open(path, "rt", encoding="utf-8") if path.suffix == ".gz" else path.open(encoding="utf-8") as lines:
        for line in lines:
            record = json.loads(line, parse_float=Decimal)
            stored = Decimal(record["stored_score"])
            yield record["judgment"], None if stored == -1 else stored


def compared(text: str, stored: Decimal | None, low: Decimal, high: Decimal) -> str:
    """agree, unscored (a stored score was not read), or wrong (another number, or one where none was stored)."""
    found = read_score(text, low, high)
    if isinstance(found, Unscored):
        return "agree" if stored is None else "unscored"
    return "agree" if found == stored else "wrong"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", type=Path)
    parser.add_argument("--low", type=Decimal, default=Decimal(1))
    parser.add_argument("--high", type=Decimal, default=Decimal(10))
    options = parser.parse_args()
    read = list(records(options.file))
    start = process_time()
    counts = Counter(compared(text, stored, options.low, options.high) for text, stored in read)
    seconds = process_time() - start
    print(f"{len(read)} texts, {1000 * seconds / max(1, len(read)):.2f} ms each")
    for outcome in ("agree", "unscored", "wrong"):
        print(f"  {outcome:10}{counts[outcome]:7}")


if __name__ == "__main__":
    main()
