"""What happens when something is scored into a damaged SQLite store: refused, or compared as with the sound one?

python benchmarks/store_damage.py [--flips 200] [--seed 1] [--large] [--check]

In copies of a store one byte is changed at random, so many times in each kind of page, and one digit of a stored
scorecard in the window. Then one judgement is scored into each copy. `--large` takes the checks of a file that is too
large to be looked through; `--check` also runs what `evenhand store check` does on each copy, and `--repair` saves
what is sound from each and counts the evaluations that were lost.
"""

from __future__ import annotations

import argparse
import random
import re
import shutil
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import evenhand
from evenhand.judges.written import judgement_from
from evenhand.judging.evaluated import Evaluated
from evenhand.judging.keeper import Keeper
from evenhand.judging.steps import Steps
from evenhand.store.databases import sqlite
from judgement_files import typical
from measuring import table

EVALUATIONS = 120
PAGE = 4096
"""Bytes of a page, as SQLite makes them."""

PAGES = {2: "index, inner page", 5: "table, inner page", 10: "index, leaf", 13: "table, leaf"}
HEADER, SCHEMA, OTHER, DIGIT = "file header", "schema", "overflow or free page", "a digit of a scorecard in the window"

Flip = Callable[[random.Random, bytearray], None]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--flips", type=int, default=200, help="damaged copies for each kind of page")
    parser.add_argument("--seed", default="1", help="which bytes are changed")
    parser.add_argument("--large", action="store_true", help="as in a file too large to be looked through")
    parser.add_argument("--check", action="store_true", help="count what `evenhand store check` finds, too")
    parser.add_argument("--repair", action="store_true", help="save what is sound from each copy that is not")
    asked = parser.parse_args()
    if asked.large:
        sqlite.LOOKED_THROUGH = 0
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        rows = [_row(kind, flip, asked, folder) for kind, flip in _kinds(_made(folder / "sound.db"))]
    print(f"One byte changed in a store of {EVALUATIONS} evaluations, then one judgement scored into it\n")
    print(table(("where", "copies", "refused", "same result", "OTHER RESULT", "CRASHED", "check fails", "lost"), rows))


def _made(path: Path) -> Path:
    """A store with several skills, an output that needs overflow pages, and labels."""
    chance, steps = random.Random(20), Steps()

    def evaluations() -> Iterator[Evaluated]:
        for place in range(EVALUATIONS):
            judgement = typical(chance, place) | {"id": f"run-{place}", "skill": f"skill-{place % 3}"}
            text = f"{place} " + "What was judged. " * (8_000 if place % 10 == 0 else 120)
            yield steps.evaluate_written(judgement_from(judgement), output=text)

    with closing(evenhand.open_store(str(path))) as store:
        list(Keeper(store).keep_each(evaluations()))
    return path


def _kinds(sound: Path) -> Iterator[tuple[str, Flip]]:
    data = sound.read_bytes()
    pages: dict[str, list[tuple[int, int]]] = {HEADER: [(0, 100)], SCHEMA: [(100, PAGE)]}
    for start in range(PAGE, len(data), PAGE):
        pages.setdefault(PAGES.get(data[start], OTHER), []).append((start, start + PAGE))
    for kind, places in pages.items():
        yield kind, _flipping(places)
    yield DIGIT, _digit


def _flipping(places: list[tuple[int, int]]) -> Flip:
    def flip(chance: random.Random, data: bytearray) -> None:
        start, end = chance.choice(places)
        used = [place for place in range(start, end) if data[place]]  # most of what is zero was never used
        data[chance.choice(used or range(start, end))] ^= chance.randrange(1, 256)

    return flip


def _digit(chance: random.Random, data: bytearray) -> None:
    """A digit in one of the scorecards that a comparison looks at: those of the newest ten of the skill."""
    place = EVALUATIONS - 3 * chance.randrange(1, 11)
    begin = data.index(f'{{"schema":"evenhand/scorecard/v1","id":"run-{place}",'.encode())
    text = bytes(data[begin : begin + 2_000])
    at = begin + chance.choice([match.start() for match in re.finditer(rb"[0-9]", text)])
    data[at] = chance.choice([digit for digit in b"0123456789" if digit != data[at]])


def _row(kind: str, flip: Flip, asked: argparse.Namespace, folder: Path) -> tuple[str, ...]:
    sound, copy = folder / "sound.db", folder / "copy.db"
    shutil.copy(sound, copy)
    expected = _scored(copy)
    chance, seen = random.Random(f"{asked.seed} {kind}"), Counter[str]()
    for _ in range(asked.flips):
        data = bytearray(sound.read_bytes())
        flip(chance, data)
        _replace(copy, bytes(data))
        outcome = _scored(copy)
        seen[
            "refused"
            if outcome == "refused"
            else "crashed"
            if outcome.startswith("crashed")
            else "same"
            if outcome == expected
            else "other"
        ] += 1
        if outcome.startswith("crashed"):
            print(outcome, file=sys.stderr)
        if asked.check or asked.repair:
            _replace(copy, bytes(data))
            _examine(copy, asked, seen)
    cells = [str(seen[name]) for name in ("refused", "same", "other", "crashed")]
    checked = str(seen["unsound"]) if asked.check or asked.repair else ""
    return kind, str(asked.flips), *cells, checked, str(seen["lost"]) if asked.repair else ""


def _replace(path: Path, data: bytes) -> None:
    for old in path.parent.glob(f"{path.stem}*"):
        old.unlink()
    path.write_bytes(data)


def _scored(path: Path) -> str:
    """The scorecard of a judgement scored into a store, with its comparison; or `refused`."""
    judgement = typical(random.Random(4), 0) | {"id": "new", "skill": "skill-0"}
    with closing(evenhand.open_store(str(path))) as store:
        try:
            card = evenhand.score(judgement, store=store)
        except evenhand.StoreUnavailable:
            return "refused"
        except Exception as error:
            return f"crashed: {type(error).__name__}: {error}"
    return str(evenhand.document(card)["history"])


def _examine(path: Path, asked: argparse.Namespace, seen: Counter[str]) -> None:
    from evenhand.store.soundness import examine, repair

    with closing(sqlite.SqliteStore(path)) as store:
        try:
            wrong = store.check() + [problem for item in examine(store) for problem in item.problems]
            if wrong and asked.repair:
                seen["lost"] += EVALUATIONS - repair(store).evaluations
        except evenhand.StoreUnavailable:
            wrong = ["it cannot be opened"]
            seen["lost"] += EVALUATIONS
        seen["unsound"] += bool(wrong)


if __name__ == "__main__":
    main()
