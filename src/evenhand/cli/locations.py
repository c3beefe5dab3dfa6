"""Remarks at places in the files of this folder. A place that the file does not confirm is dropped, never guessed."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from evenhand.core.finding import Place
from evenhand.core.scorecard import Scorecard
from evenhand.reports.exchange.remarks import Remark, remarks_of
from evenhand.work.quotes import folded

LARGEST = 20_000_000
"""Bytes of a file that is searched for a quote."""


def located_remarks(cards: Iterable[Scorecard]) -> list[Remark]:
    """The remarks of some scorecards, each with a place in this folder or with none."""
    lines: dict[str, list[str] | None] = {}
    return [remark._replace(place=_confirmed(remark, lines)) for card in cards for remark in remarks_of(card)]


def _confirmed(remark: Remark, known: dict[str, list[str] | None]) -> Place | None:
    """The place, with a path from this folder, if the quote starts on its line.

    A quote from the final answer of a transcript has the line of the answer, not the line in the transcript's file.
    """
    if remark.place is None or remark.place.line is None:
        return None
    file = remark.place.file
    if file not in known:
        known[file] = _lines(file)
    lines, number = known[file], remark.place.line
    if lines is None or number > len(lines):
        return None
    start = folded(remark.quote.strip().splitlines()[0]) if remark.quote.strip() else ""
    if start and start not in folded(lines[number - 1]) and start not in folded(_unescaped(lines[number - 1])):
        return None
    return Place(Path(file).resolve().relative_to(Path.cwd().resolve()).as_posix(), number)


def _lines(file: str) -> list[str] | None:
    try:
        path = Path(file).resolve()
        if not path.is_relative_to(Path.cwd().resolve()) or not path.is_file() or path.stat().st_size > LARGEST:
            return None
        return path.read_text(encoding="utf-8", errors="replace").splitlines()
    except (OSError, ValueError):
        return None


def _unescaped(line: str) -> str:
    """A line of JSON as its reader sees it, near enough to find a quote in."""
    return line.replace('\\"', '"').replace("\\n", " ").replace("\\\\", "\\")
