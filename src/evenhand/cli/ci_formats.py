"""Results for CI systems: scorecards as test cases, annotations and traces; the result of a gate."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from evenhand.cli.locations import located_remarks
from evenhand.cli.presenter import Writer, all_writers, console, indented, one_line
from evenhand.cli.shared import say
from evenhand.decisions.gate import Outcome, Ruling, outcome
from evenhand.errors import InputError
from evenhand.judging.files import Named

if TYPE_CHECKING:
    from evenhand.core.scorecard import Scorecard
    from evenhand.reports.exchange.github import GateRow
    from evenhand.reports.exchange.junit import Case
    from evenhand.reports.exchange.remarks import Remark
    from evenhand.reports.tree import Report

CI_FORMATS = ("junit", "ctrf", "sarif", "github", "otlp")


def ci_writers(
    suite: str,
    *,
    cases: Callable[[], Sequence[Case]],
    remarks: Callable[[], Sequence[Remark]],
    cards: Callable[[], Iterable[Scorecard]],
    rows: Callable[[], Sequence[GateRow]] = list,
    errors: Sequence[str] = (),
) -> dict[str, Writer]:
    """The writers of `CI_FORMATS`; each asks only for what it shows."""

    def junit() -> str:
        from evenhand.reports.exchange.junit import junit_xml

        return junit_xml(suite, cases())

    def ctrf() -> str:
        from evenhand.clock import microseconds, now
        from evenhand.reports.exchange.ctrf import ctrf_document

        return indented(ctrf_document(suite, cases(), moment=microseconds(now()) // 1000))

    def sarif() -> str:
        from evenhand.reports.exchange.sarif import sarif_document

        return indented(sarif_document(remarks(), [row.ruling for row in rows() if row.ruling is not None]))

    def github() -> str:
        from evenhand.reports.exchange.github import annotation_lines

        return "".join(f"{line}\n" for line in annotation_lines(rows(), remarks(), errors))

    def otlp() -> str:
        from evenhand.reports.exchange.otlp import otlp_document

        return one_line(otlp_document(cards()))

    return {"junit": junit, "ctrf": ctrf, "sarif": sarif, "github": github, "otlp": otlp}


class GateResult(NamedTuple):
    """What a gate looked at, and what it ruled."""

    cards: Sequence[Named]
    rulings: Sequence[Ruling]
    """One for each scorecard if there are limits, then one on all of them if there is a baseline."""
    errors: Sequence[InputError]
    tests: Callable[[], Mapping[str, Sequence[Case]]] | None = None
    """The test suites of a suite's run: each case and variant, then the rulings."""
    advice: tuple[str, ...] = ()
    """What to change, where that is not read off the scorecards."""

    @property
    def outcome(self) -> Outcome:
        return outcome(self.rulings, len(self.errors))


def gate_writers(result: GateResult) -> dict[str, Writer]:
    """The result in every format of the command."""
    errors = [str(error) for error in result.errors]
    cards = [entry.card for entry in result.cards]
    rulings = [ruling._asdict() for ruling in result.rulings]
    word, says = result.outcome

    def report(*, is_brief: bool = False) -> Report:
        from evenhand.reports.gate import gate_report

        named = [(entry.label, entry.card) for entry in result.cards]
        return gate_report(word, result.rulings, named, errors, is_brief=is_brief)

    def terminal() -> None:
        from evenhand.reports.terminal.walker import print_report

        print_report(report(is_brief=True), console())
        say(says)

    ci = ci_writers(
        "evenhand gate",
        cases=lambda: _cases(result),
        remarks=lambda: located_remarks(cards),
        cards=lambda: cards,
        rows=lambda: gate_rows(result),
        errors=errors,
    )
    if (tests := result.tests) is not None:
        from evenhand.reports.exchange.junit import junit_suites

        ci["junit"] = lambda: junit_suites(tests())
    return ci | all_writers(
        lambda: {
            "schema": "evenhand/gate/v1",
            "red": result.outcome.word == "red",
            "rulings": rulings,
            "errors": errors,
        },
        jsonl=lambda: "".join(map(one_line, rulings)),
        report=report,
        terminal=terminal,
    )


def say_rulings(result: GateResult) -> None:
    """What is not green, and what it comes to, for a reader at the terminal while a file takes the report."""
    for ruling in result.rulings:
        if ruling.colour != "green":
            say(f"{ruling.colour}: {ruling.name}: {ruling.says}")
    say(result.outcome.says)


def ruling_cases(rulings: Iterable[Ruling]) -> list[Case]:
    """Each ruling as a test case of its own."""
    from evenhand.reports.exchange.junit import ruling_case

    return [*map(ruling_case, rulings)]


def ruling_rows(rulings: Iterable[Ruling]) -> list[GateRow]:
    """Each ruling as a row of its own."""
    from evenhand.reports.exchange.github import GateRow

    return [GateRow(ruling.name, ruling, None) for ruling in rulings]


def _cases(result: GateResult) -> list[Case]:
    from evenhand.reports.exchange.junit import Case

    if result.tests is not None:
        return [case for cases in result.tests().values() for case in cases]
    unread = [Case(str(error.problems[0].source), "gate", error=str(error)) for error in result.errors]
    return [*ruling_cases(result.rulings), *unread]


def gate_rows(result: GateResult) -> list[GateRow]:
    """A row for each scorecard with its ruling, and one for the baseline."""
    from evenhand.reports.exchange.github import GateRow
    from evenhand.rubrics.resolved import rubric_used

    one_per_card = len(result.rulings) >= len(result.cards)
    rows = [
        GateRow(entry.label, result.rulings[place] if one_per_card else None, entry.card, rubric_used(entry.card))
        for place, entry in enumerate(result.cards)
    ]
    others = result.rulings[len(result.cards) :] if one_per_card else result.rulings
    return [*rows, *ruling_rows(others)]
