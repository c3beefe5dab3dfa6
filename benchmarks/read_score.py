"""How many scores `read_score` reads right, misses, gets wrong and invents.

    python benchmarks/read_score.py [../shared/data/judge_texts/*.gz] [--generated 20000] [--seed 13]

A file has one JSON object a line, plain or gzipped, with the text under `judgment` (scores from 1 to 10) or `text`
(from 1 to 5), and the score under `stored_score`; -1 and 0 mean that no score could be read. Each disagreement is
shown with the end of its text: the stored scores were taken by the authors' programs, which make errors too. Known
ones are in `AUTHORS_ERRORS` and counted apart. Then texts are made from the pieces in
`tests/support/unscored_texts.py`, as many that state one score as state none.
A wrong number is worse than none, so the two are counted apart.
"""

from __future__ import annotations

import argparse
import gzip
import json
import sys
from collections import Counter
from collections.abc import Iterator, Mapping
from decimal import Decimal
from pathlib import Path
from time import process_time
from types import MappingProxyType
from typing import NamedTuple

from evenhand.core.values.opinion import Unscored
from evenhand.judges import read_score

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "support"))
from unscored_texts import scored_texts, unscored_texts

AUTHORS_ERRORS = {
    "webjudge_1_to_5.jsonl.gz": {
        195: "ends in `**Score**: 1`, stored is 2, the number of the list's item",
        537: "ends in `**Score**: 2`, stored is 0",
        2186: "ends in `**Score**: 5`, stored is 2, the number of the list's item",
    }
}
"""Lines whose stored score is not the one that the text states, with what it says."""


class Text(NamedTuple):
    """A judge's text with the score it should be read as."""

    words: str
    score: Decimal | None
    high: Decimal = Decimal(10)
    line: int = 0


def records(path: Path) -> Iterator[Text]:
    """Each text with its stored score."""
    with gzip.open(path, "rt", encoding="utf-8") if path.suffix == ".gz" else path.open(encoding="utf-8") as lines:
        for number, line in enumerate(lines, start=1):
            record = json.loads(line, parse_float=Decimal)
            stored = Decimal(record["stored_score"])
            words, high = (record["judgment"], 10) if "judgment" in record else (record["text"], 5)
            yield Text(words, None if stored <= 0 else stored, Decimal(high), number)


def compared(text: Text) -> str:
    """agree, unscored (a stored score was not read), wrong (another number) or invented (one where none was stored)."""
    found = read_score(text.words, Decimal(1), text.high)
    if isinstance(found, Unscored):
        return "agree" if text.score is None else "unscored"
    return "invented" if text.score is None else "agree" if found == text.score else "wrong"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", type=Path, nargs="*")
    parser.add_argument("--generated", type=int, default=20_000)
    parser.add_argument("--seed", type=int, default=13)
    options = parser.parse_args()
    for path in options.files:
        report(path.name, list(records(path)), AUTHORS_ERRORS.get(path.name, {}))
    stating = [Text(text, Decimal(score)) for text, score in scored_texts(options.generated, options.seed)]
    report("generated, stating a score", stating)
    silent = [Text(text, None) for text in unscored_texts(options.generated, options.seed)]
    report("generated, stating none", silent)


def report(name: str, texts: list[Text], errors: Mapping[int, str] = MappingProxyType({})) -> None:
    """Print how many of these texts are read as they should be."""
    start = process_time()
    outcomes = [compared(text) for text in texts]
    seconds = process_time() - start
    counts = Counter(
        "authors' errors" if text.line in errors and outcome in ("wrong", "invented") else outcome
        for text, outcome in zip(texts, outcomes, strict=True)
    )
    print(f"{name}: {len(texts)} texts, {1000 * seconds / max(1, len(texts)):.2f} ms each")
    for outcome in ("agree", "unscored", "wrong", "invented", "authors' errors"):
        print(f"  {outcome:16}{counts[outcome]:7}")
    for text, outcome in zip(texts, outcomes, strict=True):
        if text.line in errors:
            print(f"  line {text.line}: {errors[text.line]}")
        elif text.line and outcome != "agree":
            print(f"  line {text.line}, {outcome}: ...{text.words[-80:]!r}")


if __name__ == "__main__":
    main()
