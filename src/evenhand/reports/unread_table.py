"""Many outputs that only checks looked at: a row for each with faults, then each fault with examples. Pure.

Nothing here has been read by anyone, so there is no score and no letter: a row says how many faults there are, the best
grade that they leave possible, and the most serious of them.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import takewhile
from textwrap import wrap
from typing import Final, NamedTuple

from evenhand.core.bounds import HIGHEST_WITH, NONE_READ, NOT_READ, finding_id
from evenhand.core.finding import Severity
from evenhand.core.rules import GRADES
from evenhand.core.scorecard import Scorecard
from evenhand.in_words import counted

EXAMPLES: Final = 2
"""Examples of each fault after the last row."""
HEADING: Final = ("file", "faults", "at best", "most serious")

_ORDER: tuple[Severity, ...] = tuple(HIGHEST_WITH)
_FAULTS: Final = 6
_BEST: Final = 7
LONGEST_SHARED: Final = 12
"""Characters of a part of a name that stays although nearly all names have it."""
_MARKS: Final = ("/", "__")
_PARTS = re.compile(r"/|__")


class Fault(NamedTuple):
    """A fault, or an expectation that is not met, once for all the dimensions it is about."""

    kind: str
    """The check's id, or that an expectation is unmet."""
    severity: Severity
    message: str
    quote: str
    event: str = ""
    """What the transcript shows in place of what the quote says."""


class Row(NamedTuple):
    """One output with faults."""

    name: str
    faults: tuple[Fault, ...]
    """Most serious first."""
    best: str
    """The best grade that is still possible."""


class UnreadTable:
    """The outputs of one run of the checks. Only what has faults is kept: there may be many outputs."""

    def __init__(self) -> None:
        self._count = 0
        self._notes = 0
        self._rows: list[Row] = []

    def add(self, card: Scorecard, name: str) -> None:
        """One more output."""
        self._count += 1
        self._notes += _notes(card)
        faults = _faults(card)
        if faults:
            best = card.interval.grades[1] if card.interval is not None else GRADES[0].letter
            self._rows.append(Row(name, faults, best))

    def lines(self, width: int) -> Iterator[str]:
        """The table, how many are without faults, all counts, and each fault with examples."""
        shown = [row.name for row in self._rows]
        names = told_apart(shown)
        columns = min(max((len(name) for name in (*names, HEADING[0])), default=0), max(16, width - 40))
        if self._rows:
            yield _line(HEADING, columns, width)
        for row, name in zip(self._rows, names, strict=True):
            worst = f"{row.faults[0].kind}: {row.faults[0].message}"
            yield _line((name, str(len(row.faults)), row.best, worst), columns, width)
        left = self._count - len(self._rows)
        if self._rows:
            yield from ((f" {left} more without faults", "") if left else ("",))
        number = sum(len(row.faults) for row in self._rows)
        found = f"{counted(number, 'fault')} in {len(self._rows)} of {counted(self._count, 'output')}"
        found = found if self._rows else f"no faults in {counted(self._count, 'output')}"
        notes = f"; {counted(self._notes, 'note')} (weaker hints: --full)" if self._notes else ""
        yield from wrap(f"{found}{notes}.", max(20, width))
        yield from wrap(f"None is graded: {NONE_READ if self._count > 1 else NOT_READ}.", max(20, width))
        yield from self._by_kind(names, width)

    def _by_kind(self, names: Sequence[str], width: int) -> Iterator[str]:
        """Each kind of fault, the most frequent first, with what it says and two outputs that have it."""
        kinds: dict[str, list[tuple[str, Fault]]] = {}
        for row, name in zip(self._rows, names, strict=True):
            for fault in row.faults:
                kinds.setdefault(fault.kind, []).append((name, fault))
        for kind, found in sorted(kinds.items(), key=lambda item: (-len(item[1]), item[0])):
            yield _cut(f"{len(found):>4} x  {kind}: {found[0][1].message}", width, keep_lead=True)
            by_name = dict(reversed(found))  # the first fault of each output
            for name in list(dict.fromkeys(name for name, _ in found))[:EXAMPLES]:
                fault = by_name[name]
                yield f"        {_example(name, fault.quote, max(20, width - 8), fault.message)}"
                if fault.event:
                    yield f"          {_cut(fault.event, max(20, width - 10))}"


def _line(cells: tuple[str, str, str, str], columns: int, width: int) -> str:
    name, faults, best, worst = cells
    rest = max(10, width - columns - _FAULTS - _BEST - 5)
    lead = f" {cut_in_front(name, columns):<{columns}} {faults:>{_FAULTS}}  {best:<{_BEST}} "
    return (lead + _cut(worst, rest)).rstrip()


def told_apart(names: Sequence[str]) -> list[str]:
    """Names without what nearly all of them share: the folder and the ending, and long parts in between."""
    if len(set(names)) < 2:
        return list(names)
    start = _alike(names)
    start = max((names[0].rfind(mark, 0, start) + len(mark) for mark in _MARKS if mark in names[0][:start]), default=0)
    end = _alike([name[::-1] for name in names])
    dot = names[0].find(".", len(names[0]) - end) if end else -1
    cut_off = len(names[0]) - dot if dot >= 0 else 0
    short = [name[start : len(name) - cut_off] for name in names]
    parts = Counter(part for name in short for part in set(_PARTS.split(name)) if len(part) > LONGEST_SHARED)
    shared = {part for part, number in parts.items() if 5 * number >= 4 * len(names)}
    for part in shared:
        short = [name.replace(part, "\u2026") for name in short]
    return short if len(set(short)) == len(set(names)) else list(names)


def _alike(names: Sequence[str]) -> int:
    """How many characters at the start of the names are the same."""
    return sum(1 for _ in takewhile(lambda column: len(set(column)) == 1, zip(*names, strict=False)))


def cut_in_front(text: str, width: int) -> str:
    """A text that is too long without its beginning."""
    return text if len(text) <= width else "\u2026" + text[len(text) - width + 1 :]


def _cut(text: str, width: int, *, keep_lead: bool = False) -> str:
    text = text if keep_lead else " ".join(text.split())
    return text if len(text) <= width else text[: width - 1] + "\u2026"


def _example(name: str, quote: str, width: int, instead: str = "") -> str:
    words = f"\u201c{quote}\u201d" if quote else instead
    short = cut_in_front(name, max(12, width // 2))
    return f"{short} {_cut(words, max(8, width - len(short) - 1))}"


def _faults(card: Scorecard) -> tuple[Fault, ...]:
    checked = card.checked
    if checked is None:
        return ()
    lifted = {lift.finding for lift in checked.lifted}
    found = {
        Fault(finding.check, finding.severity, finding.message, finding.quote, finding.shown): None
        for finding in checked.findings
        if finding.severity and finding.is_fault and finding_id(finding) not in lifted
    }
    unmet = {
        Fault("unmet expectation", expected.severity, expected.line, expected.quote): None
        for expected in checked.expectations
        if expected.result == "unmet"
    }
    return tuple(sorted((*found, *unmet), key=lambda fault: -_ORDER.index(fault.severity)))


def _notes(card: Scorecard) -> int:
    if card.checked is None:
        return 0
    return len({(finding.check, finding.message) for finding in card.checked.findings if finding.note})
