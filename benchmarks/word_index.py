"""The index of words: the time and the disk it takes, and what a search takes with it and without.

python benchmarks/word_index.py [--evaluations 100000] [--store URL]

All times are processor time. The build, killed once and gone on, is shown beside a plain copy of the store's file, and
the disk as a share of the store. A search for a word that two evaluations have, and one for a word that all have, are
timed with the index, and without it as far as one page reads. Appending is timed with and without it: nothing is
written to the index then.
"""

from __future__ import annotations

import argparse
import random
import resource
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from dashboard import PATTERNS, _pattern, _row

from evenhand.core.basics.canonical import canonical_text
from evenhand.judging.steps import Steps
from evenhand.store import open_store
from evenhand.store.protocol import Store
from evenhand.store.record import Record
from evenhand.web.pages.evaluations import search
from evenhand.web.parameters import Parameters
from measuring import PYTHON, table, verdict

WORDS = 150
"""Words of an output."""

MORE = 2_000
"""Evaluations that are appended."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--evaluations", type=int, default=100_000)
    parser.add_argument("--store", help="an empty PostgreSQL database; a SQLite file in a temporary folder without it")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        url = asked.store or str(Path(name) / "store.db")
        store = open_store(url)
        assert isinstance(store, Store)
        store.create()
        make = _rows()
        for start in range(0, asked.evaluations, 5_000):
            _append(store, [make(number) for number in range(start, min(asked.evaluations, start + 5_000))])
        rare = _seconds(lambda: _search(store, "zyzzyva"))
        common = _seconds(lambda: _search(store, "word1"))
        before = _size(store)
        copying = _seconds(lambda: shutil.copyfile(url, Path(name) / "copy.db")) if asked.store is None else None
        plain = _seconds(lambda: _append(store, [make(asked.evaluations + one) for one in range(MORE)]))
        first = _killed(url, asked.evaluations)
        second = _seconds(lambda: _run(url))
        grown = _size(store) / before - 1
        count = store._rows("SELECT count(*) FROM search_docs")[0][0]
        indexed = _seconds(lambda: _append(store, [make(asked.evaluations + MORE + one) for one in range(MORE)]))
        building = first + second
        found = [_seconds(lambda word=word: _search(store, word)) for word in ("zyzzyva", "word1")]  # type: ignore[misc]
        hits = len(_search(store, "zyzzyva"))
        store.close()
    per = 1e6 * building / (asked.evaluations + MORE)
    rows: list[tuple[str, ...]] = [
        ("build, killed once and gone on", f"{building:.1f} s", f"{per:.0f} microseconds for each evaluation"),
        ("everything is in it", f"{count:,}", verdict(count == asked.evaluations + MORE)),
        ("disk", f"+{grown:.0%}", f"of {before / 1e6:.0f} MB"),
        ("a rare word, by the index", f"{found[0] * 1000:.1f} ms", verdict(hits == 2)),
        ("the same, reading one page's share", f"{rare * 1000:.0f} ms", "as far as one page reads"),
        ("a word in all, by the index", f"{found[1] * 1000:.1f} ms", ""),
        ("the same, reading", f"{common * 1000:.1f} ms", ""),
        ("appending with the index", f"{indexed / plain:.2f} times", "of without; nothing is written to it"),
    ]
    if copying is not None:
        rows.insert(1, ("beside a plain copy of the file", f"{building / copying:.1f} times", f"{copying:.2f} s"))
    print(f"The index of words over {asked.evaluations:,} evaluations\n")
    print(table(("what", "", ""), rows))


def _rows() -> Callable[[int], Record]:
    chance = random.Random(1)
    steps = Steps()
    patterns = [_pattern(steps, chance, place) for place in range(PATTERNS)]

    def make(number: int) -> Record:
        words = [f"word{chance.randrange(20_000)}" for _ in range(WORDS)]
        more = " zyzzyva" if number in (7, 4_711) else ""
        output = f"word1 {' '.join(words)}{more}"
        return _row(patterns, chance, number)._replace(submission=canonical_text({"output": output, "task": "Do it."}))

    return make


def _append(store: Store, records: list[Record]) -> None:
    with store.transaction():
        store.add_all(records)


def _search(store: Store, word: str) -> list[Any]:
    found: list[Any] = search(store, Parameters("/search", {"q": (word,)})).document["found"]
    return found


def _run(url: str) -> None:
    subprocess.run([PYTHON, "-m", "evenhand", "store", "index", "--store", url], check=True, stdout=subprocess.DEVNULL)


def _killed(url: str, evaluations: int) -> float:
    """Begin to build, and kill it after a while that is short beside the whole."""
    begun = _used()
    process = subprocess.Popen([PYTHON, "-m", "evenhand", "store", "index", "--store", url], stdout=subprocess.DEVNULL)
    time.sleep(1 + evaluations / 10_000)
    process.send_signal(signal.SIGKILL)
    process.wait()
    return _used() - begun


def _seconds(job: Callable[[], Any]) -> float:
    """The processor time of a job, with that of the commands it runs: other programs do not add to it."""
    begun = _used()
    job()
    return _used() - begun


def _used() -> float:
    return sum(sum(resource.getrusage(who)[:2]) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))


def _size(store: Store) -> int:
    if store.dialect == "sqlite":
        pages, size = (store._rows(f"PRAGMA {name}")[0][0] for name in ("page_count", "page_size"))
        return int(pages * size)
    return int(store._rows("SELECT pg_database_size(current_database())")[0][0])


if __name__ == "__main__":
    main()
