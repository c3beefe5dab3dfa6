"""Results of runs, added up by case and variant as they come in. The order in which they come is irrelevant.

What is kept grows with the number of cases, by a name and a reference; cells with equal numbers are one object, and
scorecards, outputs and reasons of single runs are not kept.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from decimal import Decimal
from fractions import Fraction
from functools import lru_cache
from typing import NamedTuple

from evenhand.core.rules import PASS_MARK
from evenhand.core.scoring import NOT_READ, says_unread
from evenhand.core.values import NO_TRANSCRIPT
from evenhand.decisions.sets.repeats import CaseScores
from evenhand.decisions.values.decision import CaseDifference, Measure
from evenhand.work.agent_run import SEEN, CaseResult

MOST_REASONS = 200
"""Different reasons that are counted by themselves, for each variant; further ones are counted together."""

OTHER_REASONS = "other reasons"

LOSS: dict[Measure, int] = {"final score": 100, "expectations met": 0}
"""The lowest value there is, in hundredths: a score of 1, or no expectation met."""


class Cell(NamedTuple):
    """The runs of one variant on one case."""

    runs: int = 0
    counted: int = 0
    """Finished runs."""
    scores: tuple[int, ...] = ()
    """Final scores in hundredths, sorted."""
    shares: tuple[Fraction, ...] = ()
    """Shares of expectations met, in hundredths, sorted."""
    dimensions: tuple[tuple[str, int, int], ...] = ()
    """Each scored dimension with how many runs scored it, and the sum of their scores in hundredths."""
    faults: tuple[tuple[str, int], ...] = ()
    """Each check that found a fault with in how many finished runs it did."""
    tried: int = 0
    """Runs that pass or do not."""
    passed: int = 0
    verdicts: tuple[str, ...] = ()
    """Of each run a letter for each expectation: met, unmet, left out, or without the transcript it needs; sorted."""
    seen: int = 0
    """Runs that may have seen the answers."""
    criteria: tuple[tuple[str, int, int], ...] = ()
    """Each criterion with in how many runs it was decided, and how far it was met there, summed in hundredths."""

    def values(self, measure: Measure) -> tuple[int | Fraction, ...]:
        """The runs that have a value, in hundredths."""
        return self.scores if measure == "final score" else self.shares

    def missing(self, measure: Measure) -> int:
        """How many runs have no value."""
        return self.runs - len(self.values(measure))


class CaseEntry(NamedTuple):
    """One case with its cells. Cases with equal entries share one."""

    tags: tuple[str, ...]
    weight: Fraction
    cells: Mapping[str, Cell]
    cluster: str = ""


class Tally:
    """A variant's runs in total."""

    def __init__(self) -> None:
        self.runs = 0
        self.missing: dict[Measure, Counter[tuple[str, str]]] = {measure: Counter() for measure in LOSS}
        """For each measure the runs without a value, by outcome and reason."""
        self.valued: Counter[Measure] = Counter()
        """For each measure the runs that have a value; one that failed may: none of its expectations is met."""
        self.met = self.expectations = 0
        self.faults: Counter[str] = Counter()
        self.seconds, self.timed = Decimal(0), 0
        self.tokens, self.counted = 0, 0
        self.cost, self.priced = Decimal(0), 0
        self.judging_cost, self.judged = Decimal(0), 0

    def add(self, result: CaseResult) -> None:
        """Count one run."""
        self.runs += 1
        finished = result.outcome == "finished"
        if not finished or result.final is None:
            why = result.reason if not finished else result.unscored or NOT_READ
            self._miss("final score", result.outcome if not finished else "unscored", why)
        if not finished or not result.expectations:
            why = result.reason if not finished else "no expectation could be decided"
            self._miss("expectations met", result.outcome if not finished else "unscored", why)
        self.valued["final score"] += finished and result.final is not None
        if result.verdicts:
            self.valued["expectations met"] += result.expectations > 0
            self.met += result.met
            self.expectations += result.expectations
        if finished:
            self.faults.update(severity for _, severity in result.faults)
        if result.seconds is not None:
            self.seconds, self.timed = self.seconds + result.seconds, self.timed + 1
        if result.tokens is not None:
            self.tokens, self.counted = self.tokens + result.tokens, self.counted + 1
        if result.cost is not None:
            self.cost, self.priced = self.cost + result.cost, self.priced + 1
        if result.judging_cost is not None:
            self.judging_cost, self.judged = self.judging_cost + result.judging_cost, self.judged + 1

    def _miss(self, measure: Measure, outcome: str, reason: str) -> None:
        reasons = self.missing[measure]
        key = (outcome, reason or "no reason given")
        if key not in reasons and len(reasons) >= MOST_REASONS:
            key = (outcome, OTHER_REASONS)
        reasons[key] += 1


class Board:
    """All results of a run of a suite."""

    def __init__(self, results: Iterable[CaseResult] = ()) -> None:
        self.cases: dict[str, CaseEntry] = {}
        self.tallies: dict[str, Tally] = {}
        self._with_transcripts: set[str] = set()
        self._reasons: dict[tuple[str, int], str] = {}
        for result in results:
            self.add(result)

    def add(self, result: CaseResult) -> None:
        """Take in one run."""
        case, variant, _ = result.id
        self.tallies.setdefault(variant, Tally()).add(result)
        entry = self.cases.get(case)
        if entry is None:
            entry = CaseEntry(result.tags, _weight(result.weight), {}, result.cluster)
        cell = _with_run(entry.cells.get(variant, Cell()), result)
        cells = _counted_alike({**entry.cells, variant: cell})
        cluster = entry.cluster or result.cluster
        self.cases[case] = _entry(entry.tags or result.tags, entry.weight, tuple(sorted(cells.items())), cluster)
        if result.transcript:
            self._with_transcripts.add(variant)
        for place, verdict in enumerate(result.verdicts):
            if verdict not in ("met", "unmet"):
                self._reasons.setdefault((case, place), verdict)

    def part(self, cases: Iterable[str]) -> Board:
        """A board with these cases alone; the totals of variants are still those of all."""
        part = Board()
        part.cases = {case: self.cases[case] for case in cases}
        part.tallies, part._with_transcripts, part._reasons = self.tallies, self._with_transcripts, self._reasons
        return part

    def settled(self, case: str, variant: str) -> Cell:
        """A cell in which a run without a transcript has not met what needs one, where the variant writes them."""
        cell = self.cases[case].cells[variant]
        if variant not in self._with_transcripts or not any("t" in run for run in cell.verdicts):
            return cell
        return cell._replace(verdicts=tuple(sorted(run.replace("t", "u") for run in cell.verdicts)))

    def reason(self, case: str, place: int) -> str:
        """Why an expectation of a case does not count, where that is so."""
        return self._reasons.get((case, place), "it could not be decided")

    @property
    def measure(self) -> Measure:
        """The final score as soon as one run has one; the two are never mixed.

        Where there is no value of either kind, the final score if a judge tried: what is missing is then its scores.
        """
        cells = [cell for entry in self.cases.values() for cell in entry.cells.values()]
        if any(cell.scores for cell in cells):
            return "final score"
        return "final score" if self.unscored and not any(cell.shares for cell in cells) else "expectations met"

    @property
    def unscored(self) -> str:
        """The most frequent reason why finished runs that a judge tried have no final score; empty without one."""
        reasons: Counter[str] = Counter()
        for tally in self.tallies.values():
            for (outcome, reason), runs in tally.missing["final score"].items():
                if outcome == "unscored" and not says_unread(reason):
                    reasons[reason] += runs
        return min(reasons, key=lambda reason: (-reasons[reason], reason), default="")


class Pair(NamedTuple):
    """A case that ran on both sides."""

    case: str
    tags: tuple[str, ...]
    weight: Fraction
    first: Cell
    """The reference's."""
    second: Cell
    """The variant's."""
    left_out: tuple[str, ...] = ()
    """The reasons of the expectations that count on neither side."""
    cluster: str = ""

    @property
    def expectations(self) -> int:
        """How many the case has, those left out among them."""
        return max((len(run) for cell in (self.first, self.second) for run in cell.verdicts), default=0)

    def difference(
        self, measure: Measure, first_losses: bool = False, second_losses: bool = False
    ) -> CaseDifference | None:
        """Second minus first, of the means of the runs; None when a side has no value. Losses count missing runs."""
        runs = self.runs(measure, first_losses, second_losses)
        return (
            None if runs is None else CaseDifference(self.case, runs.difference, self.weight, runs.after, self.cluster)
        )

    def runs(self, measure: Measure, first_losses: bool = False, second_losses: bool = False) -> CaseScores | None:
        """The values of both sides, with a loss for each missing run where asked; None when a side has none."""
        sides = [
            cell.values(measure) + (LOSS[measure],) * (cell.missing(measure) if losses else 0)
            for cell, losses in ((self.first, first_losses), (self.second, second_losses))
        ]
        return CaseScores(*sides) if all(sides) else None


def pairs(board: Board, variant: str, other: Board, reference: str) -> list[Pair]:
    """The cases that ran on both sides, in the order of their names."""
    paired = []
    for case in sorted(board.cases):
        entry, counterpart = board.cases[case], other.cases.get(case)
        if variant in entry.cells and counterpart is not None and reference in counterpart.cells:
            first, second = other.settled(case, reference), board.settled(case, variant)
            left = _left_out((first, second))
            reasons = tuple((board if place in _left_out([second]) else other).reason(case, place) for place in left)
            first, second = (cell._replace(shares=_shares(cell.verdicts, left)) for cell in (first, second))
            paired.append(Pair(case, entry.tags, entry.weight, first, second, reasons, entry.cluster))
    return paired


def _with_run(cell: Cell, result: CaseResult) -> Cell:
    """A cell with one more run."""
    passes = _passes(result)
    tried, passed = cell.tried + (passes is not None), cell.passed + bool(passes)
    seen = cell.seen + any(note.startswith(SEEN) for note in result.notes)
    verdicts = tuple(sorted((*cell.verdicts, _letters(result)))) if result.verdicts else cell.verdicts
    if result.outcome != "finished":
        return cell._replace(runs=cell.runs + 1, tried=tried, verdicts=verdicts, seen=seen)
    dimensions = _summed(cell.dimensions, result.dimensions)
    faults = Counter(dict(cell.faults))
    faults.update({check for check, _ in result.faults})
    scores = cell.scores if result.final is None else (*cell.scores, result.final)
    return Cell(
        cell.runs + 1,
        cell.counted + 1,
        tuple(sorted(scores)),
        cell.shares,
        dimensions,
        tuple(sorted(faults.items())),
        tried,
        passed,
        verdicts,
        seen,
        _summed(cell.criteria, result.criteria) if result.criteria else cell.criteria,
    )


def _summed(
    before: tuple[tuple[str, int, int], ...], run: Iterable[tuple[str, int | None]]
) -> tuple[tuple[str, int, int], ...]:
    """Each name with how many runs have a value, and the sum of their values."""
    sums = {name: (runs, total) for name, runs, total in before}
    for name, value in run:
        if value is not None:
            runs, total = sums.get(name, (0, 0))
            sums[name] = (runs + 1, total + value)
    return tuple((name, *numbers) for name, numbers in sorted(sums.items()))


def _letters(result: CaseResult) -> str:
    return "".join(
        verdict[0] if verdict in ("met", "unmet") else "t" if verdict.startswith(NO_TRANSCRIPT) else "-"
        for verdict in result.verdicts
    )


def _left_out(cells: Iterable[Cell]) -> tuple[int, ...]:
    """The places of the expectations that some run leaves out."""
    return tuple(sorted({place for cell in cells for run in set(cell.verdicts) for place in _places(run)}))


@lru_cache(maxsize=4096)
def _places(run: str) -> tuple[int, ...]:
    return tuple(place for place, letter in enumerate(run) if letter in "-t")


def _counted_alike(cells: dict[str, Cell]) -> dict[str, Cell]:
    """The cells of a case with their shares of those expectations that count for all of them."""
    left = _left_out(cells.values())
    return {name: cell._replace(shares=_shares(cell.verdicts, left)) for name, cell in cells.items()}


@lru_cache(maxsize=4096)
def _shares(verdicts: tuple[str, ...], left: tuple[int, ...]) -> tuple[Fraction, ...]:
    """The shares of expectations met, in hundredths, sorted; of a run of which nothing counts there is none."""
    counted = ["".join(letter for place, letter in enumerate(run) if place not in left) for run in verdicts]
    return tuple(sorted(_share(run.count("m"), len(run)) for run in counted if run))


def _passes(result: CaseResult) -> bool | None:
    """Whether a run passes; None where that cannot be told."""
    if result.outcome != "finished" or result.met < result.expectations:
        return False
    if result.final is not None:
        return result.final >= PASS_MARK
    return True if says_unread(result.unscored) and result.expectations else None


@lru_cache(maxsize=4096)
def _entry(tags: tuple[str, ...], weight: Fraction, cells: tuple[tuple[str, Cell], ...], cluster: str) -> CaseEntry:
    """One object for all cases that came out alike: in large suites, most of them."""
    return CaseEntry(tags, weight, dict(cells), cluster)


@lru_cache(maxsize=4096)
def _weight(weight: Decimal) -> Fraction:
    """One object for all cases of a weight: there are few different ones."""
    return Fraction(weight)


@lru_cache(maxsize=4096)
def _share(met: int, expectations: int) -> Fraction:
    return Fraction(100 * met, expectations)
